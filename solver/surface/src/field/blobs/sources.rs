//! The blobs of a frame.
//!
//! | symbol | meaning |
//! |---|---|
//! | V | volume of a particle at rest, m^3 |
//! | c | centre of a blob, m |
//! | R | radius of a blob, m |
//! | M | metric of a blob, 1/m^2: t = (x - c) M (x - c); 1 / R^2 if it is round |
//! | P | falloff, a function of t |
//! | f | the field, sum of V P(t) sqrt(det M) times the falloff's factor: each blob has integral V |
//!
//! So f has integral `sum V` for any shapes of blobs, and mean 1 within matter at rest.

use super::anisotropy::{self, LocalMoments};
use super::components::Components;
use super::ellipsoid::Ellipsoid;
use super::falloff::FalloffKind;
use crate::options::{FieldKind, SurfaceOptions};
use dollop_sim::Frame;
use dollop_sim::kernel::Kernel;
use glam::DVec3;
use rayon::prelude::*;

/// The blobs of a frame.
pub(crate) struct Sources<'a> {
    pub frame: &'a Frame,
    pub kind: FalloffKind,
    ellipsoids: Ellipsoids,
    /// Gain of each particle's blob; zero for particles that are left out.
    pub gains: Vec<f32>,
    crowding: Vec<f32>,
}

enum Ellipsoids {
    Uniform(Ellipsoid),
    Each(Vec<Ellipsoid>),
}

impl<'a> Sources<'a> {
    /// The blobs of a frame, shaped by the particles of the same surface, given all surfaces and that of each body.
    /// None if its kernel is invalid.
    pub fn new<S: PartialEq + Sync>(
        frame: &'a Frame,
        options: &SurfaceOptions,
        surfaces: &[S],
        surface_of: impl Fn(u32) -> S + Sync,
    ) -> Option<Self> {
        let support = frame.kernel.support();
        if !(support.is_finite() && support > 0.0) {
            return None;
        }
        let kernel = match frame.kernel.kind() {
            Kernel::Spiky => FalloffKind::Spiky,
            Kernel::CubicSpline => FalloffKind::Spline,
        };
        let is_anisotropic = options.field == FieldKind::Anisotropic;
        let needs_moments = is_anisotropic || options.smoothing > 0.0;
        let local_moments = if needs_moments { anisotropy::local_moments(frame, surfaces, surface_of) } else { vec![] };
        let uniform = Ellipsoids::Uniform(Ellipsoid::round(support));
        let (kind, ellipsoids) = match options.field {
            FieldKind::Density => (kernel, uniform),
            FieldKind::Blinn => (FalloffKind::Blinn, uniform),
            FieldKind::Polynomial => (FalloffKind::Polynomial, uniform),
            FieldKind::Anisotropic => (
                FalloffKind::Polynomial,
                Ellipsoids::Each(local_moments.par_iter().map(LocalMoments::ellipsoid).collect()),
            ),
        };
        let crowding = local_moments.iter().map(LocalMoments::crowding).collect();
        Some(Self { frame, kind, ellipsoids, gains: vec![1.0; frame.len()], crowding })
    }

    /// Crowding of a particle: 0 if it is isolated or in a strand, 1 at the surface of a body. Known only if the
    /// surface is smoothed or blobs are anisotropic.
    pub fn crowding(&self, particle: usize) -> f32 {
        self.crowding.get(particle).copied().unwrap_or_default()
    }

    /// Leaves out all other particles.
    pub fn keep_only(&mut self, is_wanted: impl Fn(usize) -> bool) {
        let gain = |particle| f32::from(u8::from(is_wanted(particle)));
        self.gains = (0..self.frame.len()).map(gain).collect();
    }

    /// The ellipsoid of a particle's blob.
    pub fn ellipsoid(&self, particle: usize) -> &Ellipsoid {
        match &self.ellipsoids {
            Ellipsoids::Uniform(ellipsoid) => ellipsoid,
            Ellipsoids::Each(ellipsoids) => &ellipsoids[particle],
        }
    }

    /// The ellipsoid of all blobs, if they are the same.
    pub fn common_ellipsoid(&self) -> Option<&Ellipsoid> {
        if let Ellipsoids::Uniform(ellipsoid) = &self.ellipsoids { Some(ellipsoid) } else { None }
    }

    /// Volume of a particle at rest, m^3; none if the particle is left out.
    pub fn volume(&self, particle: usize) -> Option<f64> {
        let volume = f64::from(self.frame.rest_volumes[particle]);
        let counts = self.frame.positions[particle].is_finite() && self.gains[particle] > 0.0;
        (counts && volume.is_finite() && volume > 0.0).then_some(volume)
    }

    /// Centre of a particle's blob, m; none if the particle is left out.
    pub fn centre(&self, particle: usize) -> Option<DVec3> {
        let centre = self.frame.positions[particle].as_dvec3() + self.ellipsoid(particle).shift.as_dvec3();
        self.volume(particle).map(|_| centre)
    }

    /// Factor of the falloff.
    pub fn factor(&self, particle: usize) -> f32 {
        let volume = f64::from(self.frame.rest_volumes[particle]);
        let height = volume * self.kind.factor() * f64::from(self.ellipsoid(particle).density);
        (height * f64::from(self.gains[particle])) as f32
    }

    /// Largest reach of a blob from its centre along an axis, m.
    pub fn reach(&self) -> f64 {
        match &self.ellipsoids {
            Ellipsoids::Uniform(ellipsoid) => f64::from(ellipsoid.extent.x),
            Ellipsoids::Each(ellipsoids) => {
                let most = |ellipsoid: &Ellipsoid| ellipsoid.extent.max_element();
                f64::from(ellipsoids.par_iter().map(most).reduce(|| 0.0, f32::max))
            }
        }
    }

    /// Volume of each component's matter, m^3.
    pub fn volumes(&self, components: &Components) -> Vec<f64> {
        let mut volumes = vec![0.0; components.count];
        for (particle, component) in components.labels.iter().enumerate() {
            volumes[*component as usize] += self.volume(particle).unwrap_or(0.0);
        }
        volumes
    }
}
