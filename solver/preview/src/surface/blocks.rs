//! A sparse grid with interpolation at any point, for rays.

use dollop_surface::ScalarGrid;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Cells along the edge of a block.
pub(crate) const EDGE: usize = 8;
/// Nodes along the edge of a block, plus the first of the next block.
const NODES: usize = EDGE + 1;

/// Distance from the lowest node of a block to its centre along each axis, cells.
const HALF: f64 = EDGE as f64 / 2.0;

/// How far from the point of interest blocks may lie along an axis, blocks. It bounds the length of rays, and
/// coordinates stay accurate to a hundredth of a cell. In a larger picture, matter is far smaller than a pixel.
const MAX_DISTANCE: usize = 1 << 12;

/// A block of a grid.
type Stored = dollop_surface::VoxelBlock<f32>;

/// Block coordinates: the lowest node over 8, counted from the lowest block.
pub(crate) type BlockKey = [i32; 3];

/// The values of a block and of the next nodes up each axis, so that all corners of a cell are in one array.
struct PaddedBlock {
    nodes: Box<[f32; NODES * NODES * NODES]>,
    highest: f32,
}

/// A field on blocks of 8^3 cells; zero outside. Points are in cells from the lowest node.
pub(crate) struct BlockField {
    blocks: Vec<PaddedBlock>,
    index: FxHashMap<BlockKey, u32>,
    /// The lowest node, cells from the world's origin.
    base: DVec3,
    cell_size: f64,
    /// Blocks along each axis.
    extent: [i32; 3],
}

impl BlockField {
    /// The field of some blocks of a grid: those that `is_wanted` accepts by their centres, m, and that lie within
    /// [`MAX_DISTANCE`] of `around`.
    pub fn new(grid: &ScalarGrid, around: DVec3, is_wanted: impl Fn(DVec3) -> bool) -> Self {
        let key = |origin: [i32; 3]| origin.map(|c| c.div_euclid(EDGE as i32));
        let centre = |block: &Stored| (DVec3::from_array(block.origin.map(f64::from)) + HALF) * grid.voxel_size;
        let is_near = |centre: DVec3| is_near(around, centre, grid.voxel_size);
        let kept: Vec<&Stored> =
            grid.blocks.iter().filter(|block| is_near(centre(block)) && is_wanted(centre(block))).collect();
        let keys = || kept.iter().map(|block| key(block.origin));
        let corner = |pick: fn(i32, i32) -> i32| {
            keys().reduce(|a, b| std::array::from_fn(|axis| pick(a[axis], b[axis]))).unwrap_or_default()
        };
        let (mut low, high) = (corner(i32::min), corner(i32::max));
        if kept.is_empty() {
            // Keeps coordinates exact there too.
            low = (around / (EDGE as f64 * grid.voxel_size)).floor().as_ivec3().to_array();
        }
        let relative = |key: BlockKey| std::array::from_fn(|axis| key[axis] - low[axis]);
        let index: FxHashMap<BlockKey, u32> = keys().map(relative).zip(0..).collect();
        let blocks = kept.par_iter().map(|block| padded(&kept, &index, relative(key(block.origin)))).collect();
        let extent = if kept.is_empty() { [0; 3] } else { relative(high).map(|c: i32| c + 1) };
        let base = DVec3::from_array(low.map(f64::from)) * EDGE as f64;
        Self { blocks, index, base, cell_size: grid.voxel_size, extent }
    }

    /// Whether a point, m, lies within the distance limit of blocks around `around`.
    pub fn is_near(&self, around: DVec3, point: DVec3) -> bool {
        is_near(around, point, self.cell_size)
    }

    /// A point of the world, m, in cells.
    pub fn local(&self, point: DVec3) -> Vec3 {
        (point / self.cell_size - self.base).as_vec3()
    }

    /// Converts a point from the cells of another field with the same cell size.
    pub fn local_from(&self, other: &Self, point: Vec3) -> Vec3 {
        point + (other.base - self.base).as_vec3()
    }

    /// Converts a point from cells to the world, m.
    pub fn world(&self, point: Vec3) -> Vec3 {
        ((point.as_dvec3() + self.base) * self.cell_size).as_vec3()
    }

    /// The far corner of all blocks, cells; the near one is zero.
    pub fn far_corner(&self) -> Vec3 {
        Vec3::from_array(self.extent.map(|c| (c * EDGE as i32) as f32))
    }

    /// Largest number of blocks that a ray can cross.
    pub fn max_blocks_along_ray(&self) -> usize {
        // Rounding may start and end the ray a block outside.
        self.extent.iter().map(|&c| c as usize + 2).sum()
    }

    /// The number of a block, if it exists and its largest value reaches a level.
    pub fn block_reaching(&self, key: BlockKey, level: f32) -> Option<usize> {
        let block = *self.index.get(&key)? as usize;
        (self.blocks[block].highest >= level).then_some(block)
    }

    /// The value at a point within a block, by trilinear interpolation.
    pub fn value_within(&self, block: usize, key: BlockKey, point: Vec3) -> f32 {
        let local = point - Vec3::from_array(key.map(|c| (c * EDGE as i32) as f32));
        // Negative numbers, which rounding may cause at a border, become zero.
        let [x, y, z] = local.to_array().map(|c| (c as usize).min(EDGE - 1));
        let part = local - Vec3::new(x as f32, y as f32, z as f32);
        let nodes = &self.blocks[block].nodes;
        let first = (x * NODES + y) * NODES + z;
        let line = |start: usize| nodes[start] + (nodes[start + 1] - nodes[start]) * part.z;
        let side = |start: usize| {
            let (near, far) = (line(start), line(start + NODES));
            near + (far - near) * part.y
        };
        let (near, far) = (side(first), side(first + NODES * NODES));
        near + (far - near) * part.x
    }

    /// The value at a point.
    pub fn value(&self, point: Vec3) -> f32 {
        let key = key_of(point);
        self.index.get(&key).map_or(0.0, |&block| self.value_within(block as usize, key, point))
    }

    /// The gradient at a point, 1/cell: central differences of interpolated values.
    pub fn gradient(&self, point: Vec3) -> Vec3 {
        let slope = |axis: Vec3| (self.value(point + axis) - self.value(point - axis)) / 2.0;
        Vec3::from_array(Vec3::AXES.map(slope))
    }
}

/// Whether a point is no further than [`MAX_DISTANCE`] blocks from another along any axis.
fn is_near(around: DVec3, point: DVec3, cell_size: f64) -> bool {
    (point - around).abs().max_element() <= (MAX_DISTANCE * EDGE) as f64 * cell_size
}

/// The block that a point lies in.
pub(crate) fn key_of(point: Vec3) -> BlockKey {
    // Rounds down without a function call. Infinite and absurd coordinates have no block.
    point.to_array().map(|c| {
        let whole = c as i32;
        (whole - i32::from(c < whole as f32)).div_euclid(EDGE as i32)
    })
}

fn padded(kept: &[&Stored], index: &FxHashMap<BlockKey, u32>, key: BlockKey) -> PaddedBlock {
    // The eight blocks up the axes: bit a of the index is a step along axis a.
    let around: [Option<&[f32; 512]>; 8] = std::array::from_fn(|step| {
        let other: BlockKey = std::array::from_fn(|axis| key[axis] + (step >> axis & 1) as i32);
        index.get(&other).map(|&block| &*kept[block as usize].values)
    });
    let mut nodes = Box::new([0.0; NODES * NODES * NODES]);
    for (number, node) in nodes.iter_mut().enumerate() {
        let at = [number / (NODES * NODES), number / NODES % NODES, number % NODES];
        let step = (0..3).filter(|&axis| at[axis] == EDGE).map(|axis| 1 << axis).sum::<usize>();
        let [x, y, z] = at.map(|c| c % EDGE);
        *node = around[step].map_or(0.0, |values| values[x << 6 | y << 3 | z]);
    }
    let highest = nodes.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    PaddedBlock { nodes, highest }
}
