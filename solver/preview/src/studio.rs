//! Frames to pictures that belong together: one camera and one range of colours for all.

use crate::PreviewError;
use crate::bounds::{Bounds, is_flat};
use crate::camera::{Area, Camera, View};
use crate::colour::ColourMap;
use crate::field::{Scale, column, range};
use crate::legend::{self, Legend};
use crate::painter::paint;
use crate::picture::{Picture, Size};
use crate::style::{Marking, Style};
use crate::surface::SurfaceView;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};

/// How pictures are to look.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Of each picture.
    pub size: Size,
    /// How matter is drawn.
    pub style: Style,
    /// Where from; the front for matter in a plane and three quarters for other where there is none.
    pub view: Option<View>,
    /// Name of the field to colour by: `speed`, `source`, or one of the frame's own.
    pub colour: String,
    /// The values at the ends of the colours; those of all frames where there are none.
    pub range: Option<[f32; 2]>,
    /// Edge length of the cells that the surface is sampled on, spacings; less where all matter is only a few across.
    pub resolution: f64,
    /// Whether to tell the meaning of colours, the frame and the time.
    pub legend: bool,
}

/// What is to be known of all frames before the first is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Survey {
    /// Whether all matter lies in the plane y = 0.
    flat: bool,
    /// The box of the matter along the axes of the view, and along those of the front.
    seen: [Option<Bounds>; 2],
    range: Option<[f32; 2]>,
}

impl Survey {
    /// Looks at one frame.
    ///
    /// # Errors
    /// When it has no field to colour by.
    pub fn of(frame: &Frame, options: &Options) -> Result<Self, PreviewError> {
        let values = column(frame, &options.colour)?.values;
        let seen = [options.view.unwrap_or(View::THREE_QUARTER), View::FRONT];
        let room = options.style.room();
        let seen = seen.map(|view| Bounds::of(frame, room, |place| view.axes().turn(place)));
        Ok(Self { flat: is_flat(frame), seen, range: range(&values) })
    }

    /// What is known of both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        let both = |a: [f32; 2], b: [f32; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            flat: self.flat && other.flat,
            seen: std::array::from_fn(|view| either(self.seen[view], other.seen[view], Bounds::union)),
            range: either(self.range, other.range, both),
        }
    }

    /// The view of some options, and the box of the matter along its axes.
    fn view(&self, options: &Options) -> (View, Bounds) {
        let (view, seen) = match options.view {
            Some(view) => (view, self.seen[0]),
            None if self.flat => (View::FRONT, self.seen[1]),
            None => (View::THREE_QUARTER, self.seen[0]),
        };
        (view, seen.unwrap_or(NOWHERE))
    }
}

fn either<T>(one: Option<T>, other: Option<T>, both: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(both(one, other)),
        (one, other) => one.or(other),
    }
}

/// Makes the pictures of a bake.
#[derive(Debug)]
pub struct Studio {
    options: Options,
    flat: bool,
    camera: Camera,
    scale: Scale,
}

/// Cells along the longest edge of the box that is shown: with fewer a lone drop would show its facets.
const LEAST_CELLS: f64 = 32.0;

/// Where there is no matter at all.
const NOWHERE: Bounds = Bounds { low: DVec3::NEG_ONE, high: DVec3::ONE };

impl Studio {
    /// Sets camera and colours by what is known of all frames.
    pub fn new(options: Options, survey: &Survey) -> Self {
        let (view, bounds) = survey.view(&options);
        let strip = if options.legend { legend::height(options.size) } else { 0 };
        let area =
            Area { width: f64::from(options.size.width), height: f64::from(options.size.height.saturating_sub(strip)) };
        let camera = Camera::fit(view.axes(), &bounds, area);
        let range = options.range.or(survey.range).unwrap_or([0.0, 1.0]);
        let scale = Scale { map: ColourMap::for_field(&options.colour), range };
        Self { options, flat: survey.flat, camera, scale }
    }

    /// The picture of a frame.
    ///
    /// # Errors
    /// When the frame has no field to colour by.
    pub fn picture(&self, frame: &Frame) -> Result<Picture, PreviewError> {
        let column = column(frame, &self.options.colour)?;
        let mut picture = Picture::of_light(self.options.size, &self.light(frame, &column.values));
        if self.options.legend {
            let legend = Legend {
                scale: &self.scale,
                field: &self.options.colour,
                unit: column.unit,
                bodies: &frame.source_names,
                frame: frame.number,
                time: frame.time,
            };
            legend.draw(&mut picture);
        }
        Ok(picture)
    }

    /// Cells to sample the surface of a frame on, m.
    fn cell_size(&self, frame: &Frame) -> f64 {
        (self.options.resolution * frame.spacing).min(self.camera.reach() / LEAST_CELLS)
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
        let marking = Marking { frame, camera: &self.camera, flat: self.flat, colours: &colours, rows: size.height };
        paint(&marking.glyphs(style), &self.camera, size)
    }
}
