//! Sums over the neighbours of particles, weighted by w = 1 - (r / radius)^3.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::cubes::ParticleCubes;
use crate::lattice::vectorized::vectorized;
use dollop_sim::Frame;
use glam::Vec3;
use pulp::Arch;
use std::ops::Range;

const LANES: usize = 16;

/// Coordinate of points that are no particles.
const OUT_OF_REACH: f32 = 1e3;

type F32x16 = [f32; LANES];

/// Sixteen particles relative to the corner of their cube, in radii of the neighbourhood.
type PointPack = [F32x16; 3];

/// Weighted sums over neighbours: 1, offset, and products of offsets xx, yy, zz, yz, xz, xy.
pub(crate) type NeighbourMoments = [f32; 10];

/// The moments of an isolated particle.
pub(crate) const ALONE: NeighbourMoments = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// The positions of particles by axis, sorted by cubes, m. Padding lets sixteen be read from any.
pub(crate) struct SortedPositions([Vec<f32>; 3]);

/// The sums of each particle of a cube over the neighbours within a radius, m, which is the edge of the cubes.
pub(crate) fn moments_of_cube(
    positions: &SortedPositions,
    cubes: &ParticleCubes,
    cube: usize,
    radius: f64,
) -> Vec<NeighbourMoments> {
    let arch = Arch::new();
    let local = LocalFrame { corner: cubes.corner(cube).to_array(), radius };
    let packs = local.packs(arch, positions, cubes.around(cube, 1));
    let moments = |at: usize| {
        let point = Vec3::from_array([0, 1, 2].map(|axis| local.coordinate(axis, positions.0[axis][at])));
        vectorized(
            arch,
            #[inline(always)]
            || moments(&packs, point),
        )
    };
    cubes.range(cube).map(moments).collect()
}

impl SortedPositions {
    pub fn new(frame: &Frame, cubes: &ParticleCubes) -> Self {
        let all = || cubes.sorted().iter().map(|&particle| frame.positions[particle as usize]);
        Self([0, 1, 2].map(|axis| all().map(|position| position[axis]).chain([0.0; LANES]).collect()))
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
            for column in last {
                column[rest..].fill(OUT_OF_REACH);
            }
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
                let (own, is_near) = vectorized(
                    arch,
                    #[inline(always)]
                    || self.nearby(positions, start),
                );
                packer.add(&own, &is_near, points);
            }
        }
        packer.finish()
    }

    /// The sixteen points from an index on, in the coordinates of the cube, and whether each is within reach of it.
    #[inline(always)]
    fn nearby(&self, positions: &SortedPositions, start: usize) -> (PointPack, [bool; LANES]) {
        let (mut points, mut squared) = ([[0.0; LANES]; 3], [0.0; LANES]);
        for (axis, (points, positions)) in points.iter_mut().zip(&positions.0).enumerate() {
            let positions = &positions[start..start + LANES];
            for lane in 0..LANES {
                points[lane] = self.coordinate(axis, positions[lane]);
                let off = points[lane] - points[lane].clamp(0.0, 1.0);
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
