//! Renders the frames of a series with one camera and one range of colours.

use crate::PreviewError;
use crate::bounds::{BoundingBox, is_flat};
use crate::camera::{Camera, ViewDirection, Viewport};
use crate::colour::ColourMap;
use crate::colour_scale::{ColourScale, ParticleValues, particle_values, range};
use crate::legend::{self, Legend};
use crate::picture::{Picture, PictureSize};
use crate::rasterizer::rasterize;
use crate::style::{GlyphBuilder, Style};
use crate::surface::SurfaceView;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};

/// Options of pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Size of each picture.
    pub size: PictureSize,
    /// How matter is drawn.
    pub style: Style,
    /// View direction. Default: the front for planar matter, three quarters for other matter.
    pub view: Option<ViewDirection>,
    /// Name of the values that colours show: `speed`, `source`, or a field of the frame.
    pub colour: String,
    /// The values at the two ends of the colours; by default the range over all frames.
    pub range: Option<[f32; 2]>,
    /// Edge length of the cells that sample the surface, spacings. Cells are smaller if the matter is only a few
    /// spacings across.
    pub resolution: f64,
    /// Whether to draw the legend: meaning of colours, frame and time.
    pub legend: bool,
}

/// Bounds over all frames of a series, found before the first picture is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesBounds {
    /// Whether all matter lies in the plane y = 0.
    flat: bool,
    /// Bounding boxes of the matter along the axes of the chosen view, and of the front view.
    boxes: [Option<BoundingBox>; 2],
    range: Option<[f32; 2]>,
}

impl SeriesBounds {
    /// The bounds of one frame.
    ///
    /// # Errors
    /// If the frame lacks the field that colours show.
    pub fn of(frame: &Frame, options: &Options) -> Result<Self, PreviewError> {
        let values = particle_values(frame, &options.colour)?.values;
        let views = [options.view.unwrap_or(ViewDirection::THREE_QUARTER), ViewDirection::FRONT];
        let margin = options.style.margin();
        let boxes = views.map(|view| BoundingBox::of(frame, margin, |position| view.axes().to_view(position)));
        Ok(Self { flat: is_flat(frame), boxes, range: range(&values) })
    }

    /// The bounds over two sets of frames.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let both = |a: [f32; 2], b: [f32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            flat: self.flat && other.flat,
            boxes: std::array::from_fn(|view| either(self.boxes[view], other.boxes[view], BoundingBox::union)),
            range: either(self.range, other.range, both),
        }
    }

    /// The view direction, and the bounding box along its axes.
    fn view(&self, options: &Options) -> (ViewDirection, BoundingBox) {
        let (view, bounds) = match options.view {
            Some(view) => (view, self.boxes[0]),
            None if self.flat => (ViewDirection::FRONT, self.boxes[1]),
            None => (ViewDirection::THREE_QUARTER, self.boxes[0]),
        };
        (view, bounds.unwrap_or(UNIT_BOX))
    }
}

fn either<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// Renders the pictures of a bake.
#[derive(Debug)]
pub struct Renderer {
    options: Options,
    flat: bool,
    camera: Camera,
    scale: ColourScale,
}

/// Least number of cells along the longest edge of the visible box. With fewer, a lone drop would show facets.
const MIN_CELLS: f64 = 32.0;

/// The box to show if there is no matter at all.
const UNIT_BOX: BoundingBox = BoundingBox { low: DVec3::NEG_ONE, high: DVec3::ONE };

impl Renderer {
    /// Sets up camera and colours from the bounds over all frames.
    pub fn new(options: Options, series: &SeriesBounds) -> Self {
        let (view, bounds) = series.view(&options);
        let strip_height = if options.legend { legend::height(options.size) } else { 0 };
        let viewport = Viewport {
            width: f64::from(options.size.width),
            height: f64::from(options.size.height.saturating_sub(strip_height)),
        };
        let camera = Camera::fit(view.axes(), &bounds, viewport);
        let range = options.range.or(series.range).unwrap_or([0.0, 1.0]);
        let scale = ColourScale { map: ColourMap::for_field(&options.colour), range };
        Self { options, flat: series.flat, camera, scale }
    }

    /// Renders a frame.
    ///
    /// # Errors
    /// If the frame lacks the field that colours show.
    pub fn picture(&self, frame: &Frame) -> Result<Picture, PreviewError> {
        let ParticleValues { values, unit } = particle_values(frame, &self.options.colour)?;
        let mut picture = Picture::of_light(self.options.size, &self.light(frame, &values));
        if self.options.legend {
            let legend = Legend {
                scale: &self.scale,
                field: &self.options.colour,
                unit,
                bodies: &frame.source_names,
                frame: frame.number,
                time: frame.time,
            };
            legend.draw(&mut picture);
        }
        Ok(picture)
    }

    /// Edge length of the cells that sample the surface of a frame, m.
    fn cell_size(&self, frame: &Frame) -> f64 {
        (self.options.resolution * frame.spacing).min(self.camera.reach() / MIN_CELLS)
    }

    /// Linear light of each pixel.
    fn light(&self, frame: &Frame, values: &[f32]) -> Vec<Vec3> {
        let size = self.options.size;
        let style = self.options.style.of(frame);
        if style == Style::Surface {
            let cell_size = self.cell_size(frame);
            return SurfaceView::new(frame, &self.camera, &self.scale, values, cell_size).paint(size);
        }
        let colours: Vec<_> = values.iter().map(|&value| self.scale.light(value)).collect();
        let builder =
            GlyphBuilder { frame, camera: &self.camera, flat: self.flat, colours: &colours, rows: size.height };
        rasterize(&builder.glyphs(style), &self.camera, size)
    }
}
