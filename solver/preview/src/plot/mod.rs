//! Small multiples: a panel with curves over one and the same axis for each thing to see.

mod bitmap;
mod numbers;
mod panel;

use crate::PreviewError;
use crate::picture::{Picture, Size};
use crate::text::FONT;
use bitmap::Bitmap;
use panel::Sheet;
use plotters::backend::SVGBackend;
use plotters::prelude::{DrawingBackend, IntoDrawingArea};
use plotters::style::{FontStyle, register_font};
use std::sync::OnceLock;

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name, where a panel has several.
    pub name: String,
    /// Places along the axis, rising, and values. What is not finite, or more than 1e30, is left out.
    pub points: Vec<[f64; 2]>,
}

/// One thing to see.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// What, with its unit.
    pub title: String,
    /// Its curves.
    pub curves: Vec<Curve>,
    /// Whether zero is to be seen, where it is a number to compare with.
    pub from_zero: bool,
}

/// Panels over one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What all of them are about.
    pub title: String,
    /// What the axis is, with its unit.
    pub axis: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// Panels in a row, and their size in units of an SVG.
const COLUMNS: usize = 3;
const PANEL: (u32, u32) = (340, 230);
/// Height of the title.
const HEAD: u32 = 34;

/// Steps of an SVG to a unit: `plotters` draws in whole ones.
const FINENESS: u32 = 8;

/// Pixels of a picture to a unit, and samples along each side of a pixel.
const PIXELS: u32 = 2;
const SAMPLES: u32 = 2;

impl Plot {
    /// The plot as the text of an SVG file.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn svg(&self) -> Result<String, PreviewError> {
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, self.size(FINENESS)), FINENESS)?;
        let side = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
        Ok(text.replacen(&side(self.size(FINENESS)), &side(self.size(1)), 1))
    }

    /// The plot as a picture.
    ///
    /// # Errors
    /// When it cannot be drawn.
    pub fn picture(&self) -> Result<Picture, PreviewError> {
        let zoom = PIXELS * SAMPLES;
        let (width, height) = self.size(zoom);
        let mut picture =
            Picture { size: Size { width, height }, rgb: vec![255; width as usize * height as usize * 3] };
        self.draw(Bitmap::on(&mut picture), zoom)?;
        Ok(picture.reduced(SAMPLES as usize))
    }

    fn columns(&self) -> usize {
        self.panels.len().clamp(1, COLUMNS)
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(COLUMNS).max(1)
    }

    /// So many times the size in units.
    fn size(&self, zoom: u32) -> (u32, u32) {
        (self.columns() as u32 * PANEL.0 * zoom, (self.rows() as u32 * PANEL.1 + HEAD) * zoom)
    }

    fn draw<B: DrawingBackend>(&self, backend: B, zoom: u32) -> Result<(), PreviewError> {
        if !font_is_there() {
            return Err(PreviewError::Plot("its font is damaged".into()));
        }
        let root = backend.into_drawing_area();
        Sheet { plot: self, zoom: zoom as i32 }.draw(&root, (self.rows(), self.columns()))?;
        Ok(root.present()?)
    }
}

/// Gives `plotters` our font under the name that an SVG asks the viewer's machine for.
fn font_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| register_font("sans-serif", FontStyle::Normal, FONT).is_ok())
}
