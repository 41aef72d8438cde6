//! The blobs of a frame.
//!
//! | symbol | meaning |
//! |---|---|
//! | V | volume of a particle at rest, m^3 |
//! | c | centre of its blob, m |
//! | R | radius of a blob, m |
//! | M | its metric, 1/m^2: t = (x - c) M (x - c); 1 / R^2 where it is round |
//! | P | falloff, a function of t |
//! | f | the field, sum of V P(t) sqrt(det M) times the falloff's factor: each blob has integral V |
//!
//! So whatever the blobs' shapes f has integral `sum V`, and mean 1 within matter at rest.

use super::components::Components;
use super::falloff::Kind;
use super::stretch::{self, Around};
use crate::options::{FieldKind, SurfaceOptions};
use dollop_sim::Frame;
use dollop_sim::kernel::Kernel;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// A symmetric matrix: xx, yy, zz, yz, xz, xy.
pub(crate) type Symmetric = [f32; 6];

/// The shape of a blob.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    /// From the particle to the blob's centre, m.
    pub shift: Vec3,
    /// M, 1/m^2.
    pub metric: Symmetric,
    /// Half the edges of the box around the blob, m.
    pub extent: Vec3,
    /// Radius of the ball around it, m.
    pub radius: f32,
    /// Square root of the determinant of M, 1/m^3.
    pub density: f32,
}

/// The blobs of a frame.
pub(crate) struct Sources<'a> {
    pub frame: &'a Frame,
    pub kind: Kind,
    shapes: Shapes,
    /// What each particle's blob is multiplied by; zero for those that are left out.
    pub gains: Vec<f32>,
    crowds: Vec<f32>,
}

enum Shapes {
    Alike(Shape),
    Each(Vec<Shape>),
}

impl Shape {
    /// A ball of that radius, m.
    pub fn round(radius: f64) -> Self {
        let per_square = (1.0 / (radius * radius)) as f32;
        Self {
            shift: Vec3::ZERO,
            metric: [per_square, per_square, per_square, 0.0, 0.0, 0.0],
            extent: Vec3::splat(radius as f32),
            radius: radius as f32,
            density: (1.0 / radius.powi(3)) as f32,
        }
    }
}

impl<'a> Sources<'a> {
    /// The blobs of a frame. None where its kernel makes no sense.
    pub fn new(frame: &'a Frame, options: &SurfaceOptions) -> Option<Self> {
        let support = frame.kernel.support();
        if !(support.is_finite() && support > 0.0) {
            return None;
        }
        let kernel = match frame.kernel.kind() {
            Kernel::Spiky => Kind::Spiky,
            Kernel::CubicSpline => Kind::Spline,
        };
        let is_stretched = options.field == FieldKind::Anisotropic;
        let around = if is_stretched || options.smoothing > 0.0 { stretch::around(frame) } else { vec![] };
        let alike = Shapes::Alike(Shape::round(support));
        let (kind, shapes) = match options.field {
            FieldKind::Density => (kernel, alike),
            FieldKind::Blinn => (Kind::Blinn, alike),
            FieldKind::Polynomial => (Kind::Polynomial, alike),
            FieldKind::Anisotropic => (Kind::Polynomial, Shapes::Each(around.par_iter().map(Around::shape).collect())),
        };
        let crowds = around.iter().map(Around::crowd).collect();
        Some(Self { frame, kind, shapes, gains: vec![1.0; frame.len()], crowds })
    }

    /// How much a particle is among others: 0 by itself or in a strand, 1 at the surface of a body. Known only where the surface
    /// is smoothed, or blobs are stretched.
    pub fn crowd(&self, particle: usize) -> f32 {
        self.crowds.get(particle).copied().unwrap_or_default()
    }

    /// Leaves out all particles but some.
    pub fn only(&mut self, is_wanted: impl Fn(usize) -> bool) {
        let gain = |particle| f32::from(u8::from(is_wanted(particle)));
        self.gains = (0..self.frame.len()).map(gain).collect();
    }

    /// The shape of a particle's blob.
    pub fn shape(&self, particle: usize) -> &Shape {
        match &self.shapes {
            Shapes::Alike(shape) => shape,
            Shapes::Each(shapes) => &shapes[particle],
        }
    }

    /// The shape of all blobs, if they are alike.
    pub fn shape_of_all(&self) -> Option<&Shape> {
        if let Shapes::Alike(shape) = &self.shapes { Some(shape) } else { None }
    }

    /// Volume of a particle at rest, m^3; none for a particle that is left out.
    pub fn volume(&self, particle: usize) -> Option<f64> {
        let volume = f64::from(self.frame.rest_volumes[particle]);
        let counts = self.frame.positions[particle].is_finite() && self.gains[particle] > 0.0;
        (counts && volume.is_finite() && volume > 0.0).then_some(volume)
    }

    /// Centre of a particle's blob, m; none for a particle that is left out.
    pub fn centre(&self, particle: usize) -> Option<DVec3> {
        let centre = self.frame.positions[particle].as_dvec3() + self.shape(particle).shift.as_dvec3();
        self.volume(particle).map(|_| centre)
    }

    /// What the falloff is multiplied by.
    pub fn factor(&self, particle: usize) -> f32 {
        let volume = f64::from(self.frame.rest_volumes[particle]);
        let height = volume * self.kind.factor() * f64::from(self.shape(particle).density);
        (height * f64::from(self.gains[particle])) as f32
    }

    /// No blob reaches further from its centre along an axis, m.
    pub fn reach(&self) -> f64 {
        match &self.shapes {
            Shapes::Alike(shape) => f64::from(shape.extent.x),
            Shapes::Each(shapes) => {
                let most = |shape: &Shape| shape.extent.max_element();
                f64::from(shapes.par_iter().map(most).reduce(|| 0.0, f32::max))
            }
        }
    }

    /// Volume of each component's matter, m^3.
    pub fn volumes(&self, components: &Components) -> Vec<f64> {
        let mut volumes = vec![0.0; components.count];
        for (particle, component) in components.of.iter().enumerate() {
            volumes[*component as usize] += self.volume(particle).unwrap_or(0.0);
        }
        volumes
    }
}
