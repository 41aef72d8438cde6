//! Samples a density field on voxels: the grids of a [`Volume`](crate::Volume) that are sums and means over particles.

use super::density::DensityField;
use super::grids::{GridData, GridKind};
use super::motion_tiles::MotionTiles;
use super::paths::{PathSegment, paths};
use crate::carried::Carried;
use crate::lattice::blocks::{BlockKey, SLOTS, origin};
use crate::lattice::grid::{SparseGrid, VoxelBlock, VoxelTile};
use crate::lattice::mask::{BlockMask, SparseMask, dilate};
use crate::lattice::splat::{Splat, Sums};
use rayon::prelude::*;
use std::ops::Range;

/// The source of a grid: a column range of the rows of a field.
#[derive(Debug, Clone)]
pub(crate) enum GridSource {
    /// The sum of weights.
    Density,
    /// A mean, on the matter and its border.
    Mean(Range<usize>),
    /// The mean velocity, which extends further.
    Velocity,
}

/// Columns of the velocity in a row.
const VELOCITY: Range<usize> = 0..3;

impl GridSource {
    /// None for grids that are no sums over particles.
    pub fn new(kind: GridKind, carried: &Carried) -> Option<Self> {
        match kind {
            GridKind::Density => Some(Self::Density),
            GridKind::Velocity => Some(Self::Velocity),
            GridKind::Field(name) => carried.range(name).map(Self::Mean),
            GridKind::Surface => None,
        }
    }

    pub fn is_mean(&self) -> bool {
        !matches!(self, Self::Density)
    }
}

/// The values of a block.
enum BlockValues {
    Scalar(Box<[f32; SLOTS]>),
    Vector(Box<[[f32; 3]; SLOTS]>),
}

/// The samples of a frame on a block.
struct SampledBlock {
    key: BlockKey,
    /// Nodes with matter.
    occupied: BlockMask,
    /// Nodes with a velocity.
    reached: BlockMask,
    /// Values of each grid.
    values: Vec<BlockValues>,
}

struct Sampler<'a> {
    field: &'a DensityField<'a>,
    paths: Splat<PathSegment>,
    motion_tiles: MotionTiles,
    sources: &'a [GridSource],
}

/// The requested grids. The field must carry their values.
pub(crate) fn sample(field: &DensityField, sources: &[GridSource]) -> Vec<GridData> {
    let has_velocity = sources.iter().any(|sources| matches!(sources, GridSource::Velocity));
    let paths = paths(field, field.rows.width > 0);
    let keys = paths.blocks();
    let motion_tiles = if has_velocity { MotionTiles::new(field, keys.len()) } else { MotionTiles::default() };
    let sampler = Sampler { field, paths, motion_tiles, sources };
    let mut blocks: Vec<SampledBlock> = keys.into_par_iter().map(|key| sampler.block(key)).collect();
    // The paths reach two voxels beyond the matter, so all blocks of the border exist.
    let active = dilate(&occupied(&blocks));
    let on_matter = |block: &SampledBlock| active.get(&block.key).copied().unwrap_or_default();
    // Backwards, so that each grid takes the last values of the blocks.
    let mut grids: Vec<GridData> = sources
        .iter()
        .rev()
        .map(|sources| match sources {
            GridSource::Density => GridData::Scalar(grid(field, &mut blocks, on_matter, BlockValues::scalar)),
            GridSource::Mean(numbers) if numbers.len() == 1 => {
                GridData::Scalar(grid(field, &mut blocks, on_matter, BlockValues::scalar))
            }
            GridSource::Mean(_) => GridData::Vector(grid(field, &mut blocks, on_matter, BlockValues::vector)),
            GridSource::Velocity => {
                let near = grid(field, &mut blocks, |block| block.reached, BlockValues::vector);
                GridData::Vector(SparseGrid { tiles: tiles(&sampler.motion_tiles, &near.blocks), ..near })
            }
        })
        .collect();
    grids.reverse();
    grids
}

fn occupied(blocks: &[SampledBlock]) -> SparseMask {
    blocks.iter().filter(|block| !block.occupied.is_empty()).map(|block| (block.key, block.occupied)).collect()
}

/// A grid from the last values of the blocks, where a mask is not empty; removes these values.
fn grid<T: Copy + Default + Send>(
    field: &DensityField,
    blocks: &mut [SampledBlock],
    active: impl Fn(&SampledBlock) -> BlockMask + Sync,
    of: impl Fn(BlockValues) -> Option<Box<[T; SLOTS]>> + Sync,
) -> SparseGrid<T> {
    let block = |sampled: &mut SampledBlock| {
        let active = active(sampled);
        let mut values = sampled.values.pop().and_then(&of).filter(|_| !active.is_empty())?;
        active.not().slots().for_each(|slot| values[slot] = T::default());
        Some(VoxelBlock { origin: origin(sampled.key), active: active.0, values })
    };
    SparseGrid { voxel_size: field.cell_size, blocks: blocks.par_iter_mut().filter_map(block).collect(), tiles: vec![] }
}

/// The motion tiles outside the blocks.
fn tiles(motion_tiles: &MotionTiles, blocks: &[VoxelBlock<[f32; 3]>]) -> Vec<VoxelTile<[f32; 3]>> {
    let tiles = motion_tiles.iter().map(|(key, value)| VoxelTile { origin: origin(key), value });
    tiles.filter(|tile| blocks.binary_search_by_key(&tile.origin, |block| block.origin).is_err()).collect()
}

impl BlockValues {
    fn scalar(self) -> Option<Box<[f32; SLOTS]>> {
        if let Self::Scalar(values) = self { Some(values) } else { None }
    }

    fn vector(self) -> Option<Box<[[f32; 3]; SLOTS]>> {
        if let Self::Vector(values) = self { Some(values) } else { None }
    }
}

/// The sums of a block.
struct BlockMeans {
    /// Sums over the particles at their positions.
    matter: Option<Box<Sums>>,
    occupied: BlockMask,
    /// Sums over the paths of the particles.
    around: Option<Box<Sums>>,
    near: BlockMask,
}

impl Sampler<'_> {
    fn block(&self, key: BlockKey) -> SampledBlock {
        let matter = self.field.sums(&self.field.matter, key, BlockMask::default());
        let occupied = positive(matter.as_deref());
        let needs_border = self.field.rows.width > 0 && !occupied.is_full();
        let around = if needs_border { self.field.sums(&self.paths, key, occupied) } else { None };
        let near = occupied.or(positive(around.as_deref()));
        // A block beyond the border becomes a tile.
        let tile_velocity = self.motion_tiles.velocity(key).filter(|_| !near.is_empty());
        let reached = if tile_velocity.is_some() { BlockMask::FULL } else { near };
        let means = BlockMeans { matter, occupied, around, near };
        let values = |sources: &GridSource| match sources {
            GridSource::Density => means.density(),
            GridSource::Mean(numbers) => means.values(numbers.clone(), [0.0; 3]),
            GridSource::Velocity => means.values(VELOCITY, tile_velocity.unwrap_or_default()),
        };
        let values = self.sources.iter().map(values).collect();
        SampledBlock { key, occupied, reached, values }
    }
}

/// The nodes with positive weight.
fn positive(sums: Option<&Sums>) -> BlockMask {
    sums.map_or_else(BlockMask::default, |sums| BlockMask::of(&sums.weight, |weight| weight > 0.0))
}

impl BlockMeans {
    fn density(&self) -> BlockValues {
        BlockValues::Scalar(Box::new(self.matter.as_ref().map_or([0.0; SLOTS], |sums| sums.weight)))
    }

    /// The means of one or three columns; `beyond` where the weight is zero.
    fn values(&self, numbers: Range<usize>, beyond: [f32; 3]) -> BlockValues {
        let start = numbers.start;
        if numbers.len() == 1 {
            BlockValues::Scalar(Box::new(std::array::from_fn(|slot| self.mean(start, slot, beyond[0]))))
        } else {
            let axes = |slot: usize| std::array::from_fn(|axis| self.mean(start + axis, slot, beyond[axis]));
            BlockValues::Vector(Box::new(std::array::from_fn(axes)))
        }
    }

    fn mean(&self, column: usize, slot: usize, beyond: f32) -> f32 {
        let sums = if self.occupied.contains(slot) { &self.matter } else { &self.around };
        sums.as_ref().filter(|_| self.near.contains(slot)).map_or(beyond, |sums| sums.mean(column, slot))
    }
}
