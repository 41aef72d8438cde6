//! What the colours mean, and which frame it is: a strip below the matter.

use crate::colour::ColourMap;
use crate::field::Scale;
use crate::picture::{Picture, Size};
use crate::text::{Align, Writer};

/// Height of the strip in a picture 360 pixels high.
const STRIP: f32 = 40.0;
/// Smaller pictures have none: there is no room to read it.
const LEAST: Size = Size { width: 240, height: 120 };
/// Colour of the letters.
const INK: [u8; 3] = [222, 224, 228];

/// What there is to tell.
pub(crate) struct Legend<'a> {
    pub scale: &'a Scale,
    /// Name of the field and its unit.
    pub field: &'a str,
    pub unit: &'a str,
    /// Names of the bodies, by number.
    pub bodies: &'a [String],
    pub frame: i32,
    /// s.
    pub time: f64,
}

/// Height of the strip, pixels.
pub(crate) fn height(size: Size) -> u32 {
    if size.width < LEAST.width || size.height < LEAST.height { 0 } else { (STRIP * zoom(size)) as u32 }
}

/// How much larger than in a picture 640 to 360 all is.
fn zoom(size: Size) -> f32 {
    (size.width as f32 / 640.0).min(size.height as f32 / 360.0).max(0.8)
}

impl Legend<'_> {
    /// Draws the strip, where there is one.
    pub fn draw(&self, picture: &mut Picture) {
        let (size, zoom) = (picture.size, zoom(picture.size));
        let Some(writer) = Writer::new(15.0 * zoom, INK) else { return };
        if height(size) == 0 {
            return;
        }
        let (edge, baseline) = (14.0 * zoom, size.height as f32 - 12.0 * zoom);
        let when = format!("frame {}   {:.2} s", self.frame, self.time);
        let right = size.width as f32 - edge;
        writer.write(picture, &when, (right, baseline), Align::Right);
        let room = edge..right - writer.width(&when) - edge;
        match self.scale.map {
            ColourMap::Bodies => self.bodies(picture, &writer, (room, baseline, zoom)),
            // They tell themselves.
            ColourMap::Own => {}
            _ => self.bar(picture, &writer, (room, baseline, zoom)),
        }
    }

    /// A swatch and a name for each body, as many as there is room for; none for one body alone.
    fn bodies(&self, picture: &mut Picture, writer: &Writer, (room, baseline, zoom): (std::ops::Range<f32>, f32, f32)) {
        let (side, gap) = (10.0 * zoom, 6.0 * zoom);
        let mut x = room.start;
        for (name, number) in self.bodies.iter().zip(0..).filter(|_| self.bodies.len() > 1) {
            let end = x + side + gap + writer.width(name);
            if end > room.end {
                writer.write(picture, "…", (x, baseline), Align::Left);
                return;
            }
            let colour = self.scale.srgb(number as f32);
            fill(picture, (x, baseline - side), (side, side), |_| colour);
            writer.write(picture, name, (x + side + gap, baseline), Align::Left);
            x = end + 2.5 * gap;
        }
    }

    /// The range of colours between its two numbers.
    fn bar(&self, picture: &mut Picture, writer: &Writer, (room, baseline, zoom): (std::ops::Range<f32>, f32, f32)) {
        let (height, gap) = (9.0 * zoom, 7.0 * zoom);
        let title = if self.unit.is_empty() { self.field.to_owned() } else { format!("{}, {}", self.field, self.unit) };
        let [low, high] = ends(self.scale.range);
        let words = writer.width(&title) + writer.width(&low) + writer.width(&high) + 4.0 * gap;
        let bar = (150.0 * zoom).min(room.end - room.start - words);
        if bar < 20.0 * zoom {
            return;
        }
        writer.write(picture, &title, (room.start, baseline), Align::Left);
        let mut x = room.start + writer.width(&title) + 2.0 * gap;
        writer.write(picture, &low, (x, baseline), Align::Left);
        x += writer.width(&low) + gap;
        fill(picture, (x, baseline - height), (bar, height), |part| self.scale.map.srgb(part));
        writer.write(picture, &high, (x + bar + gap, baseline), Align::Left);
    }
}

/// Fills a rectangle by the part of its width.
fn fill(picture: &mut Picture, (x, y): (f32, f32), (width, height): (f32, f32), colour: impl Fn(f32) -> [u8; 3]) {
    for row in 0..height as i32 {
        for column in 0..width as i32 {
            let colour = colour(column as f32 / (width - 1.0).max(1.0));
            picture.blend(x as i32 + column, y as i32 + row, colour, 1.0);
        }
    }
}

/// The two numbers with as many digits as tell them apart to a hundredth of the range, up to six.
fn ends([low, high]: [f32; 2]) -> [String; 2] {
    let span = if high > low { high - low } else { low.abs().max(f32::MIN_POSITIVE) };
    let largest = low.abs().max(high.abs());
    if largest != 0.0 && !(1e-3..1e6).contains(&largest) {
        return [low, high].map(|end| format!("{end:.2e}").replace('-', "−"));
    }
    let digits = (2.0 - span.log10().floor()).clamp(0.0, 6.0) as usize;
    [low, high].map(|end| format!("{end:.digits$}").replace('-', "−"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_tell_them_apart() {
        assert_eq!(ends([300.0, 330.0]), ["300.0", "330.0"]);
        assert_eq!(ends([0.0, 2.34567]), ["0.00", "2.35"]);
        assert_eq!(ends([1000.0, 1000.0]), ["1000", "1000"]);
        assert_eq!(ends([-12345.0, 99999.0]), ["−12345", "99999"]);
        assert_eq!(ends([0.0, 2.5e7]), ["0.00e0", "2.50e7"]);
    }
}
