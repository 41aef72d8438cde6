//! Small multiples: panels with curves over a common axis.

mod bitmap;
mod numbers;
mod panel;

use crate::PreviewError;
use crate::picture::{Picture, PictureSize};
use crate::text::FONT;
use bitmap::Bitmap;
use panel::PlotLayout;
use plotters::backend::SVGBackend;
use plotters::prelude::{DrawingBackend, IntoDrawingArea};
use plotters::style::{FontStyle, register_font};
use std::sync::OnceLock;

/// A named curve.
#[derive(Debug, Clone, PartialEq)]
pub struct PlotCurve {
    /// Name, shown if the panel has several curves.
    pub name: String,
    /// Points: position along the axis, ascending, and value. Points that are not finite or beyond 1e30 are left out.
    pub points: Vec<[f64; 2]>,
}

/// A panel of the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Quantity and unit.
    pub title: String,
    /// The curves of the panel.
    pub curves: Vec<PlotCurve>,
    /// Whether the value axis includes zero.
    pub from_zero: bool,
}

/// Panels over a common axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Title of the plot.
    pub title: String,
    /// Quantity and unit of the common axis.
    pub axis: String,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// Panels in a row, and their size in units of an SVG.
const COLUMNS: usize = 3;
const PANEL: (u32, u32) = (340, 230);
/// Height of the title.
const HEAD: u32 = 34;

/// Steps of the SVG per unit: `plotters` only draws at whole steps.
const FINENESS: u32 = 8;

/// Pixels of a picture per unit, and samples along each side of a pixel.
const PIXELS: u32 = 2;
const SAMPLES: u32 = 2;

impl Plot {
    /// The plot as the text of an SVG file.
    ///
    /// # Errors
    /// If the plot cannot be drawn.
    pub fn svg(&self) -> Result<String, PreviewError> {
        let mut text = String::new();
        self.draw(SVGBackend::with_string(&mut text, self.size(FINENESS)), FINENESS)?;
        let side = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
        Ok(text.replacen(&side(self.size(FINENESS)), &side(self.size(1)), 1))
    }

    /// The plot as a picture.
    ///
    /// # Errors
    /// If the plot cannot be drawn.
    pub fn picture(&self) -> Result<Picture, PreviewError> {
        let zoom = PIXELS * SAMPLES;
        let (width, height) = self.size(zoom);
        let mut picture =
            Picture { size: PictureSize { width, height }, rgb: vec![255; width as usize * height as usize * 3] };
        self.draw(Bitmap::on(&mut picture), zoom)?;
        Ok(picture.reduced(SAMPLES as usize))
    }

    fn columns(&self) -> usize {
        self.panels.len().clamp(1, COLUMNS)
    }

    fn rows(&self) -> usize {
        self.panels.len().div_ceil(COLUMNS).max(1)
    }

    /// The size in units, times `zoom`.
    fn size(&self, zoom: u32) -> (u32, u32) {
        (self.columns() as u32 * PANEL.0 * zoom, (self.rows() as u32 * PANEL.1 + HEAD) * zoom)
    }

    fn draw<B: DrawingBackend>(&self, backend: B, zoom: u32) -> Result<(), PreviewError> {
        if !register_plot_font() {
            return Err(PreviewError::Plot("its font is damaged".into()));
        }
        let root = backend.into_drawing_area();
        PlotLayout { plot: self, zoom: zoom as i32 }.draw(&root, (self.rows(), self.columns()))?;
        Ok(root.present()?)
    }
}

/// Registers our font with `plotters` under the name that an SVG viewer looks up on its own machine.
fn register_plot_font() -> bool {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    *REGISTERED.get_or_init(|| register_font("sans-serif", FontStyle::Normal, FONT).is_ok())
}
