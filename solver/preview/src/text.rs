//! Letters on a picture, from a font of our own: a bare machine has none.

use crate::picture::Picture;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};

/// Noto Sans, some letters of it.
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/NotoSans-Regular-subset.ttf");

/// Writes in one size and colour.
pub(crate) struct Writer {
    font: FontRef<'static>,
    scale: PxScale,
    colour: [u8; 3],
}

/// Where a text stands from its place on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

impl Writer {
    /// Letters about so many pixels high from line to line; none should the font not be one.
    pub fn new(height: f32, colour: [u8; 3]) -> Option<Self> {
        Some(Self { font: FontRef::try_from_slice(FONT).ok()?, scale: PxScale::from(height), colour })
    }

    /// Width of a text, pixels.
    pub fn width(&self, text: &str) -> f32 {
        let font = self.font.as_scaled(self.scale);
        text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
    }

    /// Writes a line whose letters stand on a height, both pixels from the upper left corner.
    pub fn write(&self, picture: &mut Picture, text: &str, (x, baseline): (f32, f32), align: Align) {
        let font = self.font.as_scaled(self.scale);
        let mut place = match align {
            Align::Left => x,
            Align::Centre => x - self.width(text) / 2.0,
            Align::Right => x - self.width(text),
        };
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            let glyph = id.with_scale_and_position(self.scale, point(place, baseline));
            place += font.h_advance(id);
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|column, row, cover| {
                picture.blend(corner.x as i32 + column as i32, corner.y as i32 + row as i32, self.colour, cover);
            });
        }
    }
}
