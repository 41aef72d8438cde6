//! The legend: a strip below the matter with the meaning of the colours, the frame and the time.

use crate::colour::ColourMap;
use crate::colour_scale::ColourScale;
use crate::picture::{Picture, PictureSize};
use crate::text::{Align, TextWriter};
use glam::Vec2;
use std::ops::Range;

/// Height of the strip in a picture 360 pixels high.
const STRIP: f32 = 40.0;
/// Smaller pictures have no legend, as nobody could read it.
const MIN_SIZE: PictureSize = PictureSize { width: 240, height: 120 };
/// Colour of the letters.
const INK: [u8; 3] = [222, 224, 228];

/// The contents of the legend.
pub(crate) struct Legend<'a> {
    pub scale: &'a ColourScale,
    /// Name of the field and its unit.
    pub field: &'a str,
    pub unit: &'a str,
    /// Names of the bodies, by number.
    pub bodies: &'a [String],
    pub frame: i32,
    /// s.
    pub time: f64,
}

/// Where the words and colours of the strip go, pixels.
struct StripLayout {
    /// Free columns, left of the frame number and the time.
    columns: Range<f32>,
    /// The row that letters stand on.
    baseline: f32,
    /// Size of everything, over its size in a picture of 640 by 360 pixels.
    zoom: f32,
}

/// Height of the strip, pixels.
pub(crate) fn height(size: PictureSize) -> u32 {
    if size.width < MIN_SIZE.width || size.height < MIN_SIZE.height { 0 } else { (STRIP * zoom(size)) as u32 }
}

/// Scale of the legend relative to a picture of 640 by 360 pixels.
fn zoom(size: PictureSize) -> f32 {
    (size.width as f32 / 640.0).min(size.height as f32 / 360.0).max(0.8)
}

impl Legend<'_> {
    /// Draws the strip, if the picture has one.
    pub fn draw(&self, picture: &mut Picture) {
        let (size, zoom) = (picture.size, zoom(picture.size));
        let Some(writer) = TextWriter::new(15.0 * zoom, INK) else { return };
        if height(size) == 0 {
            return;
        }
        let (edge, baseline) = (14.0 * zoom, size.height as f32 - 12.0 * zoom);
        let when = format!("frame {}   {:.2} s", self.frame, self.time);
        let right = size.width as f32 - edge;
        writer.write(picture, &when, Vec2::new(right, baseline), Align::Right);
        let layout = StripLayout { columns: edge..right - writer.width(&when) - edge, baseline, zoom };
        match self.scale.map {
            ColourMap::Categorical => self.bodies(picture, &writer, &layout),
            // The colours are the data themselves.
            ColourMap::Direct => {}
            _ => self.bar(picture, &writer, &layout),
        }
    }

    /// Draws a swatch and a name for each body, as many as fit; nothing for a single body.
    fn bodies(&self, picture: &mut Picture, writer: &TextWriter, layout: &StripLayout) {
        let StripLayout { columns, baseline, zoom } = layout;
        let (side, gap) = (10.0 * zoom, 6.0 * zoom);
        let mut x = columns.start;
        for (name, number) in self.bodies.iter().zip(0..).filter(|_| self.bodies.len() > 1) {
            let end = x + side + gap + writer.width(name);
            if end > columns.end {
                writer.write(picture, "…", Vec2::new(x, *baseline), Align::Left);
                return;
            }
            let colour = self.scale.srgb(number as f32);
            fill(picture, Vec2::new(x, baseline - side), Vec2::splat(side), |_| colour);
            writer.write(picture, name, Vec2::new(x + side + gap, *baseline), Align::Left);
            x = end + 2.5 * gap;
        }
    }

    /// Draws the colour bar between the two ends of its range.
    fn bar(&self, picture: &mut Picture, writer: &TextWriter, layout: &StripLayout) {
        let StripLayout { columns, baseline, zoom } = layout;
        let (height, gap) = (9.0 * zoom, 7.0 * zoom);
        let title = if self.unit.is_empty() { self.field.to_owned() } else { format!("{}, {}", self.field, self.unit) };
        let [low, high] = ends(self.scale.range);
        let words = writer.width(&title) + writer.width(&low) + writer.width(&high) + 4.0 * gap;
        let bar = (150.0 * zoom).min(columns.end - columns.start - words);
        if bar < 20.0 * zoom {
            return;
        }
        writer.write(picture, &title, Vec2::new(columns.start, *baseline), Align::Left);
        let mut x = columns.start + writer.width(&title) + 2.0 * gap;
        writer.write(picture, &low, Vec2::new(x, *baseline), Align::Left);
        x += writer.width(&low) + gap;
        fill(picture, Vec2::new(x, baseline - height), Vec2::new(bar, height), |fraction| {
            self.scale.map.srgb(fraction)
        });
        writer.write(picture, &high, Vec2::new(x + bar + gap, *baseline), Align::Left);
    }
}

/// Fills a rectangle with colours given by the fraction of its width.
fn fill(picture: &mut Picture, corner: Vec2, size: Vec2, colour: impl Fn(f32) -> [u8; 3]) {
    for row in 0..size.y as i32 {
        for column in 0..size.x as i32 {
            let colour = colour(column as f32 / (size.x - 1.0).max(1.0));
            picture.blend(corner.x as i32 + column, corner.y as i32 + row, colour, 1.0);
        }
    }
}

/// Both numbers, with enough digits to resolve a hundredth of the range, at most six.
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
    fn range_ends_have_enough_digits_to_differ() {
        assert_eq!(ends([300.0, 330.0]), ["300.0", "330.0"]);
        assert_eq!(ends([0.0, 2.34567]), ["0.00", "2.35"]);
        assert_eq!(ends([1000.0, 1000.0]), ["1000", "1000"]);
        assert_eq!(ends([-12345.0, 99999.0]), ["−12345", "99999"]);
        assert_eq!(ends([0.0, 2.5e7]), ["0.00e0", "2.50e7"]);
    }
}
