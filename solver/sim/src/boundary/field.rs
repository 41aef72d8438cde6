//! A collider's distance, sampled on sparse blocks. A block is made where matter comes near, and kept.
//!
//! The blocks store the *effective* distance: that of the flat wall which takes away as large a share of the kernel as
//! the solid does. Along flat walls it is the distance itself; in corners it is smaller, and smooth where the distance
//! has a crease. On thin walls and convex edges, where too little solid lies behind the surface, the distance itself is
//! kept, so that they push as hard as any wall.

use super::share::SolidShare;
use super::surface::Surface;
use crate::SmoothingKernel;
use crate::numbers::floor;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Nodes along the edge of a block; two neighbouring blocks share the nodes between them.
const NODES: usize = 9;
/// Cells along the edge of a block.
const CELLS: i32 = 1 << CELL_BITS;
const CELL_BITS: i32 = 3;

/// Particle spacing over node spacing.
const NODES_A_SPACING: f64 = 2.0;
/// The smallest scale of a collider that samples serve.
const SMALLEST: f64 = 0.25;
/// Factor on distances, to allow for rounding.
const SAMPLED: f64 = 1.0 + 1e-9;
/// Thinnest wall that the nodes resolve, in node spacings.
const RESOLVED: f64 = 3.0;
/// Thinnest wall that a field resolves, in particle spacings.
pub const THINNEST: f64 = RESOLVED / NODES_A_SPACING;
/// Distance from the surface of nodes next to it, in node spacings: a little more than the diagonal of a cell.
const BESIDE: f64 = 1.8;

/// A distance field in blocks.
#[derive(Debug)]
pub struct DistanceField {
    surface: Box<dyn Surface>,
    /// -1 for containers, whose outside is solid.
    side: f64,
    node_spacing: f64,
    /// Distance from the surface within which particles feel it, m.
    felt: f64,
    /// Distance from the surface that samples reach, m.
    support: f64,
    share: SolidShare,
    raw: FxHashMap<IVec3, RawBlock>,
    blocks: FxHashMap<IVec3, Block>,
}

/// Distances on 8^3 nodes, or one for all nodes where the surface is out of reach.
#[derive(Debug)]
enum RawBlock {
    Far(f64),
    Near { values: Box<[f32]>, thin: bool },
}

/// Effective distances of a block.
#[derive(Debug)]
enum Block {
    /// No surface within the support, inside the solid.
    Inside,
    /// No surface within the support, nor within this distance of the block's centre, m.
    Outside(f64),
    /// 9^3 nodes, z fastest, and the largest slope of their interpolant.
    Near { values: Box<[f32; NODES * NODES * NODES]>, steepest: f64, thin: bool },
}

/// A distance and the direction in which it grows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Effective signed distance, m.
    pub distance: f64,
    /// Gradient of the distance; about of unit length.
    pub gradient: DVec3,
    /// Whether the wall may be thinner than the nodes can tell.
    pub thin: bool,
}

/// The result of a look-up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Lookup {
    /// The support holds nothing of the solid. From any place within this distance, m, the support holds at most a part
    /// that the kernel hardly weighs.
    Outside(f64),
    /// Near the surface, or inside.
    Near(Sample),
    /// The block has to be made first.
    Missing(IVec3),
}

impl DistanceField {
    /// A field around a surface; `inverted` makes the outside solid. Particles feel a collider that shrinks down to
    /// `smallest_scale` from farther away in its own coordinates; samples reach as far down to [`SMALLEST`].
    pub fn new(
        surface: Box<dyn Surface>,
        inverted: bool,
        kernel: &SmoothingKernel,
        spacing: f64,
        smallest_scale: f64,
    ) -> Self {
        let node_spacing = spacing / NODES_A_SPACING;
        Self {
            surface,
            side: if inverted { -1.0 } else { 1.0 },
            node_spacing,
            felt: kernel.support(),
            support: kernel.support() / smallest_scale.max(SMALLEST),
            share: SolidShare::new(kernel, node_spacing),
            raw: FxHashMap::default(),
            blocks: FxHashMap::default(),
        }
    }

    /// The exact surface.
    pub fn surface(&self) -> &dyn Surface {
        &*self.surface
    }

    /// Signed distance to the surface itself at a time, s, in m.
    pub fn exact_distance(&self, p: DVec3, time: f64) -> f64 {
        self.surface.distance(p, time) * self.side
    }

    /// A distance, m, that a place is at least away from the solid; negative in the box around it, or where all
    /// beyond it is solid.
    pub fn off_bounds(&self, p: DVec3) -> f64 {
        let off = self.surface.bounds().distance(p);
        if self.side > 0.0 && off > 0.0 { off } else { -1.0 }
    }

    /// Memory of the blocks, bytes.
    pub fn memory(&self) -> usize {
        let near = self.blocks.values().filter(|block| matches!(block, Block::Near { .. })).count();
        let raw = self.raw.values().filter(|block| matches!(block, RawBlock::Near { .. })).count();
        near * size_of::<[f32; NODES * NODES * NODES]>() + raw * 512 * size_of::<f32>()
    }

    /// Distance and direction at p, m, and a time, s, in a collider of some scale.
    pub fn sample(&self, p: DVec3, scale: f64, time: f64) -> Lookup {
        let felt = self.felt / scale;
        if !self.surface.is_sampled() {
            return self.beyond_samples(p, felt, time);
        }
        if self.side > 0.0 {
            // No block is made around places that are far from all of the solid.
            let off = self.surface.bounds().distance(p);
            if off >= felt {
                return Lookup::Outside(off - felt);
            }
            if off >= self.support {
                return self.beyond_samples(p, felt, time);
            }
        }
        match self.sampled(p) {
            Lookup::Outside(_) if felt > self.support * SAMPLED => self.beyond_samples(p, felt, time),
            lookup => lookup,
        }
    }

    /// The exact distance, for colliders so small that particles feel them from beyond the samples.
    fn beyond_samples(&self, p: DVec3, felt: f64, time: f64) -> Lookup {
        let distance = self.exact_distance(p, time);
        if distance >= felt { Lookup::Outside(distance - felt) } else { Lookup::Near(self.exact(p, time)) }
    }

    fn sampled(&self, p: DVec3) -> Lookup {
        let cell = p / self.node_spacing;
        let corner = DVec3::new(floor(cell.x), floor(cell.y), floor(cell.z));
        // Beyond the range of block numbers nothing is solid, except around containers.
        if corner.abs().max_element() > 1e9 {
            return if self.side > 0.0 { Lookup::Outside(0.0) } else { Lookup::Near(self.exact(p, 0.0)) };
        }
        let (corner, within) = (corner.as_ivec3(), cell - corner);
        let number = corner >> CELL_BITS;
        match self.blocks.get(&number) {
            None => Lookup::Missing(number),
            Some(Block::Outside(clear)) => {
                let from_centre = (cell - (number * CELLS).as_dvec3() - f64::from(CELLS) / 2.0).length();
                // Half a node more, as the samples of blocks next to this one may be a little less than the distance.
                let clear = clear - self.support - (from_centre + 0.5) * self.node_spacing;
                Lookup::Outside(clear.max(self.within_block(cell, number)))
            }
            Some(Block::Inside) => Lookup::Near(self.exact(p, 0.0)),
            Some(Block::Near { values, steepest, thin }) => {
                let (distance, gradient) = interpolate(values, corner - number * CELLS, within.as_vec3());
                let gradient = gradient.as_dvec3() / self.node_spacing;
                if f64::from(distance) >= self.support {
                    let clear = (f64::from(distance) - self.support) / steepest;
                    Lookup::Outside(clear.min(self.within_block(cell, number)))
                } else {
                    Lookup::Near(Sample { distance: f64::from(distance), gradient, thin: *thin })
                }
            }
        }
    }

    /// Distance from a place, in cells, to the nearest side of its block, m.
    fn within_block(&self, cell: DVec3, number: IVec3) -> f64 {
        let within = cell - (number * CELLS).as_dvec3();
        within.min(f64::from(CELLS) - within).min_element().max(0.0) * self.node_spacing
    }

    /// The exact distance, for particles deep inside a solid; slow except for simple surfaces.
    pub fn exact(&self, p: DVec3, time: f64) -> Sample {
        let at = |p: DVec3| self.exact_distance(p, time);
        let by_differences = || {
            let step = self.node_spacing * 1e-2;
            let along = |axis: DVec3| (at(p + axis * step) - at(p - axis * step)) / (2.0 * step);
            DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
        };
        let gradient = self.surface.gradient(p, time).map_or_else(by_differences, |gradient| gradient * self.side);
        let distance = at(p);
        // What was sampled tells thin walls by its blocks.
        let thin = !self.surface.is_sampled()
            && self.surface.is_thin_at(p, distance * self.side < 0.0, RESOLVED * self.node_spacing);
        Sample { distance, gradient, thin }
    }

    /// Makes the blocks that look-ups missed.
    pub fn make(&mut self, mut missing: Vec<IVec3>) {
        missing.sort_unstable_by_key(IVec3::to_array);
        missing.dedup();
        let mut raw: Vec<IVec3> =
            missing.iter().copied().flat_map(around).filter(|b| !self.raw.contains_key(b)).collect();
        raw.sort_unstable_by_key(IVec3::to_array);
        raw.dedup();
        let made: Vec<(IVec3, RawBlock)> = raw.into_par_iter().map(|b| (b, self.raw_block(b))).collect();
        self.raw.extend(made);
        let made: Vec<(IVec3, Block)> = missing.into_par_iter().map(|b| (b, self.block(b))).collect();
        self.blocks.extend(made);
    }

    fn raw_block(&self, number: IVec3) -> RawBlock {
        let origin = (number * CELLS).as_dvec3() * self.node_spacing;
        let centre = origin + 3.5 * self.node_spacing;
        let at_centre = self.exact_distance(centre, 0.0);
        // Half a block's diagonal and the reach of the stencil around it.
        let reach = 3.5 * 3.0_f64.sqrt() * self.node_spacing + self.support + 2.0 * self.node_spacing;
        if at_centre.abs() > reach {
            return RawBlock::Far(at_centre.signum() * reach);
        }
        let values: Vec<f64> =
            self.surface.distances(origin, self.node_spacing).into_iter().map(|d| d * self.side).collect();
        let thin = self.has_thin_wall(origin, &values);
        RawBlock::Near { values: values.into_iter().map(|value| value as f32).collect(), thin }
    }

    /// Whether there is a wall in a raw block that its nodes cannot resolve, judged from the nodes next to the surface.
    fn has_thin_wall(&self, origin: DVec3, values: &[f64]) -> bool {
        let node =
            |i: usize| origin + DVec3::new((i / 64) as f64, (i / 8 % 8) as f64, (i % 8) as f64) * self.node_spacing;
        let mut next = values.iter().enumerate().filter(|(_, value)| value.abs() < BESIDE * self.node_spacing);
        let limit = RESOLVED * self.node_spacing;
        next.any(|(i, &value)| self.surface.is_thin_at(node(i), value < 0.0, limit))
    }

    fn block(&self, number: IVec3) -> Block {
        let nodes = Neighbourhood::new(&self.raw, number, self.share.reach());
        match nodes.all_on_one_side(self.support) {
            Some(true) => return Block::Inside,
            Some(false) => return Block::Outside(self.exact_distance(self.centre(number), 0.0)),
            None => {}
        }
        let solid = nodes.filled(&self.share);
        let mut values = Box::new([0.0_f32; NODES * NODES * NODES]);
        for (i, value) in values.iter_mut().enumerate() {
            let node = IVec3::new((i / (NODES * NODES)) as i32, (i / NODES % NODES) as i32, (i % NODES) as i32);
            let share = self.share.of(|offset| solid[nodes.slot(node + offset)]);
            let distance = nodes.values[nodes.slot(node)];
            *value = distance.min(self.share.flat_distance(share)) as f32;
        }
        Block::Near { steepest: steepest(&values) / self.node_spacing, values, thin: self.is_thin(number) }
    }

    fn centre(&self, number: IVec3) -> DVec3 {
        ((number * CELLS).as_dvec3() + f64::from(CELLS) / 2.0) * self.node_spacing
    }

    /// Whether a thin wall is within the kernel's reach of a block.
    fn is_thin(&self, number: IVec3) -> bool {
        around(number).any(|block| matches!(self.raw.get(&block), Some(RawBlock::Near { thin: true, .. })))
    }
}

/// A block and the blocks around it.
fn around(block: IVec3) -> impl Iterator<Item = IVec3> {
    (0..27).map(move |i| block + IVec3::new(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1))
}

/// The raw distances of a block and of the nodes around it.
struct Neighbourhood {
    values: Vec<f64>,
    reach: i32,
    edge: i32,
}

impl Neighbourhood {
    fn new(raw: &FxHashMap<IVec3, RawBlock>, number: IVec3, reach: i32) -> Self {
        let edge = NODES as i32 + 2 * reach;
        let value = |node: IVec3| {
            let at = node + number * CELLS;
            let block = at.map(|c| c.div_euclid(CELLS));
            let inner = at - block * CELLS;
            match raw.get(&block) {
                Some(RawBlock::Near { values, .. }) => values[(inner.x * 64 + inner.y * 8 + inner.z) as usize].into(),
                Some(RawBlock::Far(value)) => *value,
                None => f64::INFINITY,
            }
        };
        let span = -reach..edge - reach;
        let nodes = span
            .clone()
            .flat_map(|x| span.clone().flat_map(move |y| (-reach..edge - reach).map(move |z| IVec3::new(x, y, z))));
        Self { values: nodes.map(value).collect(), reach, edge }
    }

    fn slot(&self, node: IVec3) -> usize {
        let n = node + self.reach;
        ((n.x * self.edge + n.y) * self.edge + n.z) as usize
    }

    /// Whether all nodes of the block itself are far inside or far outside; none if they are neither.
    fn all_on_one_side(&self, support: f64) -> Option<bool> {
        let span = 0..NODES as i32;
        let mut own = span
            .clone()
            .flat_map(|x| span.clone().flat_map(move |y| (0..NODES as i32).map(move |z| IVec3::new(x, y, z))));
        let first = self.values[self.slot(IVec3::ZERO)];
        let far = own.all(|n| {
            let value = self.values[self.slot(n)];
            value.abs() > support && (value > 0.0) == (first > 0.0)
        });
        far.then_some(first < 0.0)
    }

    /// The part of the cell around each node that the solid fills.
    fn filled(&self, share: &SolidShare) -> Vec<f64> {
        self.values.iter().map(|&distance| share.filled(distance)).collect()
    }
}

/// A bound on the length of the trilinear interpolant's gradient, by node.
fn steepest(values: &[f32; NODES * NODES * NODES]) -> f64 {
    let along = |step: usize| {
        let has_next = |&i: &usize| i / step % NODES + 1 < NODES;
        let slope = |i: usize| f64::from((values[i + step] - values[i]).abs());
        (0..values.len()).filter(has_next).map(slope).fold(0.0, f64::max)
    };
    DVec3::new(along(NODES * NODES), along(NODES), along(1)).length().max(f64::MIN_POSITIVE)
}

/// Value and gradient by node of the trilinear interpolant in a cell, at t in [0, 1]^3.
fn interpolate(values: &[f32; NODES * NODES * NODES], cell: IVec3, t: Vec3) -> (f32, Vec3) {
    let at = |x: i32, y: i32, z: i32| {
        values[((cell.x + x) as usize * NODES + (cell.y + y) as usize) * NODES + (cell.z + z) as usize]
    };
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let along_z = |x: i32, y: i32| mix(at(x, y, 0), at(x, y, 1), t.z);
    let slope_z = |x: i32, y: i32| at(x, y, 1) - at(x, y, 0);
    let (v00, v01, v10, v11) = (along_z(0, 0), along_z(0, 1), along_z(1, 0), along_z(1, 1));
    let (near, far) = (mix(v00, v01, t.y), mix(v10, v11, t.y));
    let gradient = Vec3::new(
        far - near,
        mix(v01 - v00, v11 - v10, t.x),
        mix(mix(slope_z(0, 0), slope_z(0, 1), t.y), mix(slope_z(1, 0), slope_z(1, 1), t.y), t.x),
    );
    (mix(near, far, t.x), gradient)
}
