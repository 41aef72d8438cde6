//! A backend of `plotters` that draws on a picture. The backend of `plotters` ignores the left bearings of letters.

use crate::picture::Picture;
use crate::text::{Align, TextWriter};
use glam::Vec2;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Draws on a picture.
pub(super) struct Bitmap<'a> {
    picture: &'a mut Picture,
}

/// Height of capital letters over the line height.
const CAPITAL: f32 = 0.52;

impl<'a> Bitmap<'a> {
    pub fn on(picture: &'a mut Picture) -> Self {
        Self { picture }
    }
}

impl DrawingBackend for Bitmap<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.picture.size.width, self.picture.size.height)
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Infallible>> {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Result<(), DrawingErrorKind<Infallible>> {
        let (red, green, blue) = colour.rgb;
        self.picture.blend(x, y, [red, green, blue], colour.alpha as f32);
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Result<(), DrawingErrorKind<Infallible>> {
        let (red, green, blue) = style.color().rgb;
        let height = style.size() as f32;
        let Some(writer) = TextWriter::new(height, [red, green, blue]) else { return Ok(()) };
        let align = match style.anchor().h_pos {
            HPos::Left => Align::Left,
            HPos::Center => Align::Centre,
            HPos::Right => Align::Right,
        };
        let down = match style.anchor().v_pos {
            VPos::Top => CAPITAL * 1.4,
            VPos::Center => CAPITAL / 2.0,
            VPos::Bottom => -0.1,
        };
        writer.write(self.picture, text, Vec2::new(x as f32, y as f32 + height * down), align);
        Ok(())
    }
}
