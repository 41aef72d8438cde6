//! Blobs that follow the shape of the matter around them, after Yu and Turk, "Reconstructing surfaces of particle-based
//! fluids using anisotropic kernels", ACM Transactions on Graphics 32 (2013).
//!
//! | symbol | meaning |
//! |---|---|
//! | w | weight of a neighbour, 1 - (r / `r_n`)^3 (their (11)) |
//! | m | weighted mean of the neighbours' positions |
//! | C | their covariance about m (their (9)); variances are its eigenvalues |
//!
//! A blob moves by the fraction `SMOOTHING` towards m (their (6)), which removes grain from flat surfaces. Its width
//! along each eigenvector is the standard deviation there, at most `MAX_STRETCH` times that along another.
//!
//! It differs from the paper in three ways. Widths are standard deviations, not variances, which would be squared
//! lengths. Blobs keep their volume, so that sheets get as thin as their matter. With few neighbours blobs gradually
//! become round and small, instead of at once below 25 neighbours, as a threshold flickers.

use super::cubes::ParticleCubes;
use super::ellipsoid::Ellipsoid;
use super::moments::{ALONE, NeighbourMoments, SortedPositions, moments_of_cube};
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use glamx::DSymmetricEigen3;
use rayon::prelude::*;

/// Radius of the neighbourhood over the smoothing length.
const NEIGHBOURHOOD: f64 = 2.0;

/// Radius of a round blob among many, over the spacing.
const RADIUS: f64 = 2.0;

/// Radius of a lone blob over the spacing, which maximises the ball that its level cuts out.
const LONE_RADIUS: f64 = 1.05;

/// Fraction of the distance to the mean of its neighbours that a blob moves.
const SMOOTHING: f64 = 0.4;

/// Largest ratio of widths of a blob.
const MAX_STRETCH: f64 = 4.0;

/// Sums of weights of neighbours that are too few for a shape, and enough for one. Within matter the sum is about 30.
const MIN_WEIGHT: f64 = 2.0;
const FULL_WEIGHT: f64 = 10.0;

/// Sums of weights in a strand, and at the surface of a body.
const STRAND_WEIGHT: f64 = 9.0;
const BODY_WEIGHT: f64 = 15.0;

/// Particles in a cube, over those that it holds at rest, from which on it is full.
const FULL: f64 = 0.7;

/// The matter around a particle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalMoments {
    /// None deep in matter, which is alike on all sides.
    moments: Option<NeighbourMoments>,
    /// Radius of the neighbourhood, m.
    radius: f64,
    /// Particle spacing, m.
    spacing: f64,
}

/// The matter of the same surface around every particle, given all surfaces and that of each body.
pub(crate) fn local_moments<S: PartialEq + Sync>(
    frame: &Frame,
    surfaces: &[S],
    surface_of: impl Fn(u32) -> S + Sync,
) -> Vec<LocalMoments> {
    let radius = NEIGHBOURHOOD * frame.kernel.smoothing_length();
    let mut local_moments = vec![LocalMoments { moments: Some(ALONE), radius, spacing: frame.spacing }; frame.len()];
    for surface in surfaces {
        let cubes = ParticleCubes::new(frame, radius, |particle| surface_of(frame.sources[particle]) == *surface);
        let deep = deep_cubes(frame, &cubes, radius);
        let sorted = SortedPositions::new(frame, &cubes);
        let of_cube = |cube: usize| if deep[cube] { vec![] } else { moments_of_cube(&sorted, &cubes, cube, radius) };
        let found: Vec<Vec<NeighbourMoments>> = (0..cubes.len()).into_par_iter().map(of_cube).collect();
        for (cube, found) in found.into_iter().enumerate() {
            let found = found.into_iter().map(Some).chain(std::iter::repeat(None));
            for (particle, moments) in cubes.particles(cube).iter().zip(found) {
                local_moments[*particle as usize].moments = moments;
            }
        }
    }
    local_moments
}

/// The cubes around which all others, as far as a round blob reaches, are full of one body's particles.
fn deep_cubes(frame: &Frame, cubes: &ParticleCubes, edge: f64) -> Vec<bool> {
    let reach = (RADIUS * frame.spacing / edge).ceil().clamp(1.0, 3.0) as i32;
    let most = FULL * (edge / frame.spacing).powi(3);
    let body = |cube: usize| {
        let particles = cubes.particles(cube);
        let source = |particle: &u32| frame.sources.get(*particle as usize);
        let first = particles.first().and_then(source)?;
        let is_full =
            particles.len() as f64 >= most && particles.iter().all(|particle| source(particle) == Some(first));
        is_full.then_some(*first)
    };
    let bodies: Vec<Option<u32>> = (0..cubes.len()).into_par_iter().map(body).collect();
    let is_deep = |cube: usize| {
        let alike = |other: &usize| bodies[*other] == bodies[cube];
        bodies[cube].is_some()
            && cubes.cubes_around(cube, reach).take_while(alike).count() == (2 * reach + 1).pow(3) as usize
    };
    (0..cubes.len()).into_par_iter().map(is_deep).collect()
}

impl LocalMoments {
    /// Crowding of the particle.
    pub fn crowding(&self) -> f32 {
        self.moments.map_or(1.0, |moments| ramp(neighbours(&moments), STRAND_WEIGHT, BODY_WEIGHT) as f32)
    }

    /// The ellipsoid of the particle's blob.
    pub fn ellipsoid(&self) -> Ellipsoid {
        let Some(moments) = self.moments else { return Ellipsoid::round(RADIUS * self.spacing) };
        let [weight, x, y, z, xx, yy, zz, yz, xz, xy] = moments.map(f64::from);
        let mean = DVec3::new(x, y, z) / weight;
        let crowding = ramp(neighbours(&moments), MIN_WEIGHT, FULL_WEIGHT);
        let covariance = |product: f64, a: f64, b: f64| product / weight - a * b;
        let (xy, xz, yz) =
            (covariance(xy, mean.x, mean.y), covariance(xz, mean.x, mean.z), covariance(yz, mean.y, mean.z));
        let [xx, yy, zz] = [(xx, mean.x), (yy, mean.y), (zz, mean.z)].map(|(product, m)| covariance(product, m, m));
        let eigen = DSymmetricEigen3::new(glamx::DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]));
        let round = self.spacing * LONE_RADIUS * power(RADIUS / LONE_RADIUS, crowding);
        let widths = widths(eigen.eigenvalues.to_array(), crowding).map(|width| width * round);
        let shift = (crowding * SMOOTHING * self.radius * mean).as_vec3();
        let stretched = of_axes(widths, eigen.eigenvectors.to_cols_array_2d(), shift);
        let is_sound = stretched.metric.iter().chain(&stretched.extent.to_array()).all(|x| x.is_finite());
        if is_sound { stretched } else { Ellipsoid { shift, ..Ellipsoid::round(round) } }
    }
}

/// Sum of the weights of the neighbours.
fn neighbours(moments: &NeighbourMoments) -> f64 {
    f64::from(moments[0]) - 1.0
}

/// Linear ramp from 0 at `from` to 1 at `to`.
fn ramp(value: f64, from: f64, to: f64) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// A power with an exponent of at most 1, which is the exponent of most.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent < 1.0 { base.powf(exponent) } else { base }
}

/// Widths along the axes, with product 1.
fn widths(variances: [f64; 3], crowding: f64) -> [f64; 3] {
    let widest = variances[2].max(0.0).sqrt();
    if widest <= 0.0 {
        return [1.0; 3];
    }
    let widths = variances.map(|variance| (variance.max(0.0).sqrt() / widest).max(1.0 / MAX_STRETCH));
    let mean = (widths[0] * widths[1] * widths[2]).cbrt();
    widths.map(|width| power(width / mean, crowding))
}

fn of_axes(widths: [f64; 3], axes: [[f64; 3]; 3], shift: Vec3) -> Ellipsoid {
    let sum = |a: usize, b: usize, factor: fn(f64) -> f64| {
        (0..3).map(|axis| axes[axis][a] * axes[axis][b] * factor(widths[axis])).sum::<f64>()
    };
    let pairs = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];
    Ellipsoid {
        shift,
        metric: pairs.map(|(a, b)| sum(a, b, |width| 1.0 / (width * width)) as f32),
        extent: Vec3::from_array([0, 1, 2].map(|axis| sum(axis, axis, |width| width * width).sqrt() as f32)),
        radius: widths.into_iter().fold(0.0, f64::max) as f32,
        density: (1.0 / (widths[0] * widths[1] * widths[2])) as f32,
    }
}
