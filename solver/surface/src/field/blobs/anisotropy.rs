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

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::cubes::ParticleCubes;
use super::ellipsoid::Ellipsoid;
use crate::lattice::vectorized::vectorized;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use glamx::DSymmetricEigen3;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

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

const LANES: usize = 16;

/// Coordinate of points that are no particles.
const OUT_OF_REACH: f32 = 1e3;

type F32x16 = [f32; LANES];

/// Sixteen particles relative to the corner of their cube, in radii of the neighbourhood.
type PointPack = [F32x16; 3];

/// Weighted sums over neighbours: 1, offset, and products of offsets xx, yy, zz, yz, xz, xy.
type NeighbourMoments = [f32; 10];

/// The moments of an isolated particle.
const ALONE: NeighbourMoments = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

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

/// The matter around every particle.
pub(crate) fn local_moments(frame: &Frame) -> Vec<LocalMoments> {
    let radius = NEIGHBOURHOOD * frame.kernel.smoothing_length();
    let cubes = ParticleCubes::new(frame, radius, |_| true);
    let arch = Arch::new();
    let deep = deep_cubes(frame, &cubes, radius);
    let positions = SortedPositions::new(frame, &cubes);
    let of_cube = |cube: usize| {
        if deep[cube] {
            return vec![];
        }
        let local = LocalFrame { corner: cubes.corner(cube).to_array(), radius };
        let packs = local.packs(arch, &positions, cubes.around(cube, 1));
        let moments = |at: usize| {
            let point = Vec3::from_array([0, 1, 2].map(|axis| local.coordinate(axis, positions.0[axis][at])));
            vectorized(
                arch,
                #[inline(always)]
                || moments(&packs, point),
            )
        };
        cubes.range(cube).map(moments).collect::<Vec<_>>()
    };
    let found: Vec<Vec<NeighbourMoments>> = (0..cubes.len()).into_par_iter().map(of_cube).collect();
    let mut local_moments = vec![LocalMoments { moments: Some(ALONE), radius, spacing: frame.spacing }; frame.len()];
    for (cube, found) in found.into_iter().enumerate() {
        let found = found.into_iter().map(Some).chain(std::iter::repeat(None));
        for (particle, moments) in cubes.particles(cube).iter().zip(found) {
            local_moments[*particle as usize].moments = moments;
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

/// The positions of particles by axis, sorted by cubes, m.
struct SortedPositions([Vec<f32>; 3]);

impl SortedPositions {
    fn new(frame: &Frame, cubes: &ParticleCubes) -> Self {
        let all = cubes.sorted();
        Self([0, 1, 2].map(|axis| all.iter().map(|&particle| frame.positions[particle as usize][axis]).collect()))
    }
}

/// Coordinates relative to the corner of a cube, in radii of the neighbourhood.
struct LocalFrame {
    corner: [f64; 3],
    radius: f64,
}

/// Packs of points that are filled one after another.
#[derive(Default)]
struct Packer {
    packs: Vec<PointPack>,
    count: usize,
}

impl Packer {
    /// Adds those of sixteen points whose place is set. Writing all of them, each over the last unless that was wanted,
    /// is faster than a branch that is hard to foresee.
    fn add(&mut self, [x, y, z]: &PointPack, is_wanted: &[bool; LANES], points: usize) {
        self.packs.resize(self.count / LANES + 2, [[OUT_OF_REACH; LANES]; 3]);
        for lane in 0..points {
            let (pack, place) = (&mut self.packs[self.count / LANES], self.count % LANES);
            (pack[0][place], pack[1][place], pack[2][place]) = (x[lane], y[lane], z[lane]);
            self.count += usize::from(is_wanted[lane]);
        }
    }

    /// The packs; padding of the last is out of reach.
    fn finish(mut self) -> Vec<PointPack> {
        let (packs, rest) = (self.count.div_ceil(LANES), self.count % LANES);
        self.packs.truncate(packs);
        if let Some(last) = self.packs.last_mut().filter(|_| rest > 0) {
            last.iter_mut().for_each(|column| column[rest..].fill(OUT_OF_REACH));
        }
        self.packs
    }
}

impl LocalFrame {
    #[inline(always)]
    fn coordinate(&self, axis: usize, position: f32) -> f32 {
        ((f64::from(position) - self.corner[axis]) / self.radius) as f32
    }

    /// The particles within reach of the cube, in packs.
    fn packs(
        &self,
        arch: Arch,
        positions: &SortedPositions,
        rows: impl Iterator<Item = Range<usize>>,
    ) -> Vec<PointPack> {
        let mut packer = Packer::default();
        for row in rows {
            for start in row.clone().step_by(LANES) {
                let points = LANES.min(row.end - start);
                let own = positions.0.each_ref().map(|column| {
                    let mut own = [0.0; LANES];
                    own[..points].copy_from_slice(&column[start..start + points]);
                    own
                });
                let (own, is_near) = vectorized(
                    arch,
                    #[inline(always)]
                    || self.nearby(&own),
                );
                packer.add(&own, &is_near, points);
            }
        }
        packer.finish()
    }

    /// Sixteen points in the coordinates of the cube, and whether each is within reach of it.
    #[inline(always)]
    fn nearby(&self, positions: &PointPack) -> (PointPack, [bool; LANES]) {
        let (mut points, mut squared) = ([[0.0; LANES]; 3], [0.0; LANES]);
        for axis in 0..3 {
            for lane in 0..LANES {
                let own = self.coordinate(axis, positions[axis][lane]);
                let off = own
                    - if own < 0.0 {
                        0.0
                    } else if own > 1.0 {
                        1.0
                    } else {
                        own
                    };
                points[axis][lane] = own;
                squared[lane] += off * off;
            }
        }
        let mut is_near = [false; LANES];
        for lane in 0..LANES {
            is_near[lane] = squared[lane] < 1.0;
        }
        (points, is_near)
    }
}

#[inline(always)]
fn moments(packs: &[PointPack], point: Vec3) -> NeighbourMoments {
    let mut sums = [[0.0; LANES]; 10];
    for [x, y, z] in packs {
        for lane in 0..LANES {
            let (x, y, z) = (x[lane] - point.x, y[lane] - point.y, z[lane] - point.z);
            let squared = x * x + y * y + z * z;
            let remainder = 1.0 - squared * squared.sqrt();
            let w = if remainder > 0.0 { remainder } else { 0.0 };
            let terms = [w, w * x, w * y, w * z, w * x * x, w * y * y, w * z * z, w * y * z, w * x * z, w * x * y];
            for (sum, term) in sums.iter_mut().zip(terms) {
                sum[lane] += term;
            }
        }
    }
    sums.map(|lanes| lanes.iter().sum())
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
