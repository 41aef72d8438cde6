//! The blobs around a block, and their sum at any point.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::blobs::{Blob, Blobs};
use super::falloff::{Falloff, with_falloff};
use crate::blocks::{BlockKey, EDGE};
use crate::table::CellEdge;
use glam::Vec3;

const LANES: usize = 8;

type Lanes = [f32; LANES];

/// Eight blobs.
#[derive(Debug, Clone, Copy, Default)]
struct Pack {
    centre: [Lanes; 3],
    metric: [Lanes; 6],
    factor: Lanes,
}

/// The blobs that reach the cells of a block. Points are relative to its lowest node, in cells.
pub(crate) struct Near<'a> {
    blobs: &'a Blobs,
    /// By the half of the block on each axis: bit a is set for the upper half along axis a.
    octants: [Octant; 8],
    /// The particle of each blob.
    pub particles: Vec<u32>,
}

/// The blobs that reach the cells of an eighth of a block.
#[derive(Debug, Default)]
struct Octant {
    packs: Vec<Pack>,
    /// Which of the particles each blob is.
    places: Vec<u32>,
}

/// What a particle gives to the field at a point: its place among those nearby, and its part.
pub(crate) type Part = (u32, f32);

/// The field at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub value: f32,
    /// 1/cell.
    pub gradient: Vec3,
}

/// Cells along the edge of an octant.
const HALF: f32 = (EDGE / 2) as f32;

impl<'a> Near<'a> {
    pub fn new(blobs: &'a Blobs, key: BlockKey) -> Self {
        let near: Vec<Blob> = blobs.around(key, 0.0, EDGE as f32).collect();
        let octant = |number: usize| {
            let low = HALF * CellEdge::corner(number);
            let mut octant = Octant::default();
            let reaching = near.iter().enumerate().filter(|(_, blob)| blob.meets(low, low + HALF));
            reaching.for_each(|(place, blob)| octant.push(place as u32, blob));
            octant
        };
        let octants = std::array::from_fn(octant);
        Self { blobs, octants, particles: near.iter().map(|blob| blob.particle).collect() }
    }

    /// The field at a point, and what particles give to it, if anything.
    pub fn level(&self, point: Vec3, parts: &mut Vec<Part>) -> Level {
        parts.clear();
        let upper = point.cmpge(Vec3::splat(HALF)).bitmask() as usize;
        let octant = &self.octants[upper];
        with_falloff!(self.blobs.kind(), F => self.blobs.arch().dispatch(|| octant.level::<F>(point, parts)))
    }
}

impl Octant {
    fn push(&mut self, place: u32, blob: &Blob) {
        let lane = self.places.len() % LANES;
        if lane == 0 {
            self.packs.push(Pack::default());
        }
        if let Some(pack) = self.packs.last_mut() {
            (0..3).for_each(|axis| pack.centre[axis][lane] = blob.centre[axis]);
            (0..6).for_each(|entry| pack.metric[entry][lane] = blob.metric[entry]);
            pack.factor[lane] = blob.factor;
        }
        self.places.push(place);
    }

    #[inline(always)]
    fn level<F: Falloff>(&self, point: Vec3, parts: &mut Vec<Part>) -> Level {
        let mut sums = [[0.0; LANES]; 4];
        for (pack, places) in self.packs.iter().zip(self.places.chunks(LANES)) {
            let [xx, yy, zz, yz, xz, xy] = &pack.metric;
            let mut values = [0.0; LANES];
            for lane in 0..LANES {
                let dx = point.x - pack.centre[0][lane];
                let dy = point.y - pack.centre[1][lane];
                let dz = point.z - pack.centre[2][lane];
                // Half the gradient of t.
                let x = xx[lane] * dx + xy[lane] * dy + xz[lane] * dz;
                let y = xy[lane] * dx + yy[lane] * dy + yz[lane] * dz;
                let z = xz[lane] * dx + yz[lane] * dy + zz[lane] * dz;
                let t = x * dx + y * dy + z * dz;
                let slope = 2.0 * pack.factor[lane] * F::slope(t);
                values[lane] = pack.factor[lane] * F::value(t);
                sums[0][lane] += values[lane];
                sums[1][lane] += slope * x;
                sums[2][lane] += slope * y;
                sums[3][lane] += slope * z;
            }
            parts.extend(places.iter().copied().zip(values).filter(|(_, part)| *part > 0.0));
        }
        let [value, x, y, z] = sums.map(|lanes| lanes.iter().sum());
        Level { value, gradient: Vec3::new(x, y, z) }
    }
}
