//! Draws text on a picture with an embedded font, as a bare machine has none.

use crate::picture::Picture;
use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use glam::Vec2;

/// A subset of Noto Sans.
pub(crate) const FONT: &[u8] = include_bytes!("../fonts/NotoSans-Regular-subset.ttf");

/// Draws text in one size and colour.
pub(crate) struct TextWriter {
    font: FontRef<'static>,
    scale: PxScale,
    colour: [u8; 3],
}

/// Horizontal alignment of a text relative to its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

impl TextWriter {
    /// A writer with the given line height, pixels; none if the font is invalid.
    pub fn new(height: f32, colour: [u8; 3]) -> Option<Self> {
        Some(Self { font: FontRef::try_from_slice(FONT).ok()?, scale: PxScale::from(height), colour })
    }

    /// Width of a text, pixels.
    pub fn width(&self, text: &str) -> f32 {
        let font = self.font.as_scaled(self.scale);
        text.chars().map(|letter| font.h_advance(font.glyph_id(letter))).sum()
    }

    /// Draws a line of text with its baseline at `start.y`, pixels from the upper left corner.
    pub fn write(&self, picture: &mut Picture, text: &str, start: Vec2, align: Align) {
        let font = self.font.as_scaled(self.scale);
        let mut pen_x = match align {
            Align::Left => start.x,
            Align::Centre => start.x - self.width(text) / 2.0,
            Align::Right => start.x - self.width(text),
        };
        for letter in text.chars() {
            let id = font.glyph_id(letter);
            let glyph = id.with_scale_and_position(self.scale, point(pen_x, start.y));
            pen_x += font.h_advance(id);
            let Some(outline) = self.font.outline_glyph(glyph) else { continue };
            let corner = outline.px_bounds().min;
            outline.draw(|column, row, cover| {
                picture.blend(corner.x as i32 + column as i32, corner.y as i32 + row as i32, self.colour, cover);
            });
        }
    }
}
