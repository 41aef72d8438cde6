//! Panels on any backend of `plotters`.

use super::numbers::{digits, tick};
use super::{HEAD, Panel, Plot};
use crate::PreviewError;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::prelude::{Circle, DrawingBackend, IntoFont, RGBColor, WHITE};
use plotters::series::LineSeries;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, TextStyle};
use std::ops::Range;

const INK: RGBColor = RGBColor(50, 53, 58);
const GRID: RGBColor = RGBColor(228, 230, 233);

/// Gap between two curve names, units. It is generous, as the letters of an SVG viewer may be wider.
const NAMES_APART: i32 = 16;

/// Height of letters, units.
const TITLE: i32 = 17;
const CAPTION: i32 = 14;
const LABEL: i32 = 12;

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for PreviewError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self::Plot(error.to_string())
    }
}

type Canvas<B> = DrawingArea<B, Shift>;

/// Draws a plot at some zoom.
pub(super) struct PlotLayout<'a> {
    pub plot: &'a Plot,
    /// Pixels per unit.
    pub zoom: i32,
}

impl PlotLayout<'_> {
    pub fn draw<B: DrawingBackend>(&self, root: &Canvas<B>, shape: (usize, usize)) -> Result<(), PreviewError> {
        root.fill(&WHITE)?;
        let (head, body) = root.split_vertically(HEAD as i32 * self.zoom);
        let corner = (14 * self.zoom, 10 * self.zoom);
        head.draw_text(&self.plot.title, &self.style(TITLE, INK), corner)?;
        for (panel, area) in self.plot.panels.iter().zip(body.split_evenly(shape)) {
            self.panel(panel, &area)?;
        }
        Ok(())
    }

    fn style(&self, height: i32, colour: RGBColor) -> TextStyle<'static> {
        ("sans-serif", height * self.zoom).into_font().color(&colour)
    }

    fn panel<B: DrawingBackend>(&self, panel: &Panel, area: &Canvas<B>) -> Result<(), PreviewError> {
        self.caption(panel, area)?;
        let zoom = self.zoom;
        let (across, up) = ranges(panel);
        let (x_digits, y_digits) = (digits(&across), digits(&up));
        let mut chart = ChartBuilder::on(area)
            .margin_top(34 * zoom)
            .margin_right(18 * zoom)
            .margin_bottom(4 * zoom)
            .x_label_area_size(34 * zoom)
            .y_label_area_size(58 * zoom)
            .build_cartesian_2d(across, up)?;
        chart
            .configure_mesh()
            .set_all_tick_mark_size(4 * zoom)
            .x_labels(6)
            .y_labels(6)
            .x_desc(self.plot.axis.as_str())
            .x_label_formatter(&|value| tick(*value, x_digits))
            .y_label_formatter(&|value| tick(*value, y_digits))
            .label_style(self.style(LABEL, INK))
            .axis_desc_style(self.style(LABEL, INK))
            .axis_style(INK.stroke_width(zoom as u32))
            .bold_line_style(GRID.stroke_width(zoom as u32))
            .light_line_style(WHITE)
            .max_light_lines(1)
            .draw()?;
        for (curve, colour) in panel.curves.iter().zip(COLOURS.iter().cycle()) {
            let points: Vec<_> = finite(&curve.points).map(|[x, y]| (x, y)).collect();
            if let [alone] = points[..] {
                chart.draw_series([Circle::new(alone, 3 * zoom, colour.filled())])?;
            }
            let style = colour.stroke_width(2 * zoom as u32);
            chart.draw_series(LineSeries::new(points, style))?;
        }
        Ok(())
    }

    /// Draws the title on the left and the names of the curves in their colours on the right.
    fn caption<B: DrawingBackend>(&self, panel: &Panel, area: &Canvas<B>) -> Result<(), PreviewError> {
        let (zoom, top) = (self.zoom, 10 * self.zoom);
        area.draw_text(&panel.title, &self.style(CAPTION, INK), (14 * zoom, top))?;
        let mut right = area.dim_in_pixel().0 as i32 - 18 * zoom;
        let named = panel.curves.iter().zip(COLOURS.iter().cycle()).filter(|_| panel.curves.len() > 1);
        for (curve, &colour) in named.collect::<Vec<_>>().into_iter().rev() {
            let style = self.style(LABEL, colour).pos(Pos::new(HPos::Right, VPos::Top));
            area.draw_text(&curve.name, &style, (right, top + zoom))?;
            right -= area.estimate_text_size(&curve.name, &style)?.0 as i32 + NAMES_APART * zoom;
        }
        Ok(())
    }
}

/// Colours of curves, from Tableau's palette.
const COLOURS: [RGBColor; 4] = [tableau(0), tableau(1), tableau(2), tableau(4)];

const fn tableau(number: usize) -> RGBColor {
    let colorous::Color { r, g, b } = colorous::TABLEAU10[number];
    RGBColor(r, g, b)
}

/// `plotters` finds no ticks for numbers beyond this, nor for ranges below its reciprocal. No bake comes near either.
const LARGEST: f64 = 1e30;

fn finite(points: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
    points.iter().copied().filter(|point| point.iter().all(|c| c.abs() <= LARGEST))
}

/// The ranges of the axis and of the values, with a margin.
fn ranges(panel: &Panel) -> (Range<f64>, Range<f64>) {
    let points = || panel.curves.iter().flat_map(|curve| finite(&curve.points));
    let zero = panel.from_zero.then_some(0.0);
    let (left, right) = span(points().map(|[x, _]| x));
    let (low, high) = span(points().map(|[_, y]| y).chain(zero));
    let (low, high) = widen(low, high);
    let margin = 0.05 * (high - low);
    let floor = if panel.from_zero && low == 0.0 { 0.0 } else { low - margin };
    (left..right, floor..high + margin)
}

/// Least range of values over the largest value: smaller changes are drawn as constant, not as noise.
const MIN_RANGE: f64 = 0.01;

/// Widens a range around its middle to at least [`MIN_RANGE`].
fn widen(low: f64, high: f64) -> (f64, f64) {
    let lacking = MIN_RANGE * low.abs().max(high.abs()) - (high - low);
    let margin = lacking.max(0.0) / 2.0;
    (low - margin, high + margin)
}

/// Lowest and highest value, widened if they are equal.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        return (0.0, 1.0);
    }
    let least = (1e-9 * low.abs().max(high.abs())).max(LARGEST.recip());
    if high - low > least {
        return (low, high);
    }
    let margin = if low.abs() <= least { 0.5 } else { 0.05 * low.abs() };
    (low - margin, high + margin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlotCurve;

    fn values(values: [f64; 2], from_zero: bool) -> Range<f64> {
        let points = vec![[0.0, values[0]], [1.0, values[1]]];
        ranges(&Panel { title: String::new(), curves: vec![PlotCurve { name: String::new(), points }], from_zero }).1
    }

    /// The range is a hundredth of the value plus a twentieth of margin at both ends, up to rounding.
    #[test]
    fn tiny_changes_do_not_fill_the_value_axis() {
        let near = |found: Range<f64>, wanted: Range<f64>| {
            assert!((found.start - wanted.start).abs() < 1e-9 && (found.end - wanted.end).abs() < 1e-9, "{found:?}");
        };
        near(values([1.0, 1.0 + 1e-7], false), 0.994_500_05..1.005_500_051);
        near(values([1.0, 1.5], false), 0.975..1.525);
        near(values([1.0, 1.0 + 1e-7], true), 0.0..1.05 * (1.0 + 1e-7));
    }
}
