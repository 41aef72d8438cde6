//! A field on voxels: the grids of a [`Volume`](crate::Volume) that are sums and means over the particles.

use crate::blocks::{BlockKey, SLOTS, origin};
use crate::extract::carried::Carried;
use crate::field::Field;
use crate::mask::{BlockMask, SparseMask, dilate};
use crate::paths::{Segment, paths};
use crate::splat::{Splat, Sums};
use crate::trails::Trails;
use crate::volume::{Block, GridKind, GridValues, SparseGrid, Tile};
use rayon::prelude::*;
use std::ops::Range;

/// A grid, by where in the rows of a field its numbers are.
#[derive(Debug, Clone)]
pub(crate) enum Wanted {
    /// The weight itself.
    Density,
    /// A mean, on the matter and its border.
    Mean(Range<usize>),
    /// The mean velocity, which goes on beyond that.
    Velocity,
}

/// Where in a row the velocity is.
const VELOCITY: Range<usize> = 0..3;

impl Wanted {
    /// None for what is no sum.
    pub fn new(kind: GridKind, carried: &Carried) -> Option<Self> {
        match kind {
            GridKind::Density => Some(Self::Density),
            GridKind::Velocity => Some(Self::Velocity),
            GridKind::Field(name) => carried.place(name).map(Self::Mean),
            GridKind::Surface => None,
        }
    }

    pub fn is_mean(&self) -> bool {
        !matches!(self, Self::Density)
    }
}

/// The values of a block.
enum Values {
    Scalar(Box<[f32; SLOTS]>),
    Vector(Box<[[f32; 3]; SLOTS]>),
}

/// A frame on a block.
struct Sampled {
    key: BlockKey,
    /// Where there is matter.
    occupied: BlockMask,
    /// Where there is a velocity.
    reached: BlockMask,
    /// Of each grid.
    values: Vec<Values>,
}

struct Sampler<'a> {
    field: &'a Field<'a>,
    paths: Splat<Segment>,
    trails: Trails,
    wanted: &'a [Wanted],
}

/// The grids asked for. The field must carry what they are means of.
pub(crate) fn sample(field: &Field, wanted: &[Wanted]) -> Vec<GridValues> {
    let has_velocity = wanted.iter().any(|wanted| matches!(wanted, Wanted::Velocity));
    let paths = paths(field, field.rows.width > 0);
    let keys = paths.blocks();
    let trails = if has_velocity { Trails::new(field, keys.len()) } else { Trails::default() };
    let sampler = Sampler { field, paths, trails, wanted };
    let mut blocks: Vec<Sampled> = keys.into_par_iter().map(|key| sampler.block(key)).collect();
    // The paths reach two voxels beyond the matter, so all blocks of the border are there.
    let active = dilate(&occupied(&blocks));
    let on_matter = |block: &Sampled| active.get(&block.key).copied().unwrap_or_default();
    // From the last on, so that each is taken off the end.
    let mut grids: Vec<GridValues> = wanted
        .iter()
        .rev()
        .map(|wanted| match wanted {
            Wanted::Density => GridValues::Scalar(grid(field, &mut blocks, on_matter, Values::scalar)),
            Wanted::Mean(numbers) if numbers.len() == 1 => {
                GridValues::Scalar(grid(field, &mut blocks, on_matter, Values::scalar))
            }
            Wanted::Mean(_) => GridValues::Vector(grid(field, &mut blocks, on_matter, Values::vector)),
            Wanted::Velocity => {
                let near = grid(field, &mut blocks, |block| block.reached, Values::vector);
                GridValues::Vector(SparseGrid { tiles: tiles(&sampler.trails, &near.blocks), ..near })
            }
        })
        .collect();
    grids.reverse();
    grids
}

fn occupied(blocks: &[Sampled]) -> SparseMask {
    blocks.iter().filter(|block| !block.occupied.is_empty()).map(|block| (block.key, block.occupied)).collect()
}

/// The grid of the last values of the blocks, which are taken from them, where a mask is not empty.
fn grid<T: Copy + Default + Send>(
    field: &Field,
    blocks: &mut [Sampled],
    active: impl Fn(&Sampled) -> BlockMask + Sync,
    of: impl Fn(Values) -> Option<Box<[T; SLOTS]>> + Sync,
) -> SparseGrid<T> {
    let block = |sampled: &mut Sampled| {
        let active = active(sampled);
        let mut values = sampled.values.pop().and_then(&of).filter(|_| !active.is_empty())?;
        active.not().slots().for_each(|slot| values[slot] = T::default());
        Some(Block { origin: origin(sampled.key), active: active.0, values })
    };
    SparseGrid { voxel_size: field.cell_size, blocks: blocks.par_iter_mut().filter_map(block).collect(), tiles: vec![] }
}

/// The trails where there are no blocks.
fn tiles(trails: &Trails, blocks: &[Block<[f32; 3]>]) -> Vec<Tile<[f32; 3]>> {
    let tiles = trails.iter().map(|(key, value)| Tile { origin: origin(key), value });
    tiles.filter(|tile| blocks.binary_search_by_key(&tile.origin, |block| block.origin).is_err()).collect()
}

impl Values {
    fn scalar(self) -> Option<Box<[f32; SLOTS]>> {
        if let Self::Scalar(values) = self { Some(values) } else { None }
    }

    fn vector(self) -> Option<Box<[[f32; 3]; SLOTS]>> {
        if let Self::Vector(values) = self { Some(values) } else { None }
    }
}

/// The sums of a block.
struct Means {
    /// Over the matter itself.
    matter: Option<Box<Sums>>,
    occupied: BlockMask,
    /// Over the ways around it.
    around: Option<Box<Sums>>,
    near: BlockMask,
}

impl Sampler<'_> {
    fn block(&self, key: BlockKey) -> Sampled {
        let matter = self.field.matter.sums(key, BlockMask::default(), self.field);
        let occupied = positive(matter.as_deref());
        let needs_more = self.field.rows.width > 0 && !occupied.is_full();
        let around = if needs_more { self.paths.sums(key, occupied, self.field) } else { None };
        let near = occupied.or(positive(around.as_deref()));
        // A block that the border does not reach is left to a tile.
        let trail = self.trails.velocity(key).filter(|_| !near.is_empty());
        let reached = if trail.is_some() { BlockMask::FULL } else { near };
        let means = Means { matter, occupied, around, near };
        let values = |wanted: &Wanted| match wanted {
            Wanted::Density => means.density(),
            Wanted::Mean(numbers) => means.values(numbers.clone(), [0.0; 3]),
            Wanted::Velocity => means.values(VELOCITY, trail.unwrap_or_default()),
        };
        let values = self.wanted.iter().map(values).collect();
        Sampled { key, occupied, reached, values }
    }
}

/// Where there is any weight.
fn positive(sums: Option<&Sums>) -> BlockMask {
    sums.map_or_else(BlockMask::default, |sums| BlockMask::of(&sums.weight, |weight| weight > 0.0))
}

impl Means {
    fn density(&self) -> Values {
        Values::Scalar(Box::new(self.matter.as_ref().map_or([0.0; SLOTS], |sums| sums.weight)))
    }

    /// The means of one or three numbers; `beyond` where there is no weight.
    fn values(&self, numbers: Range<usize>, beyond: [f32; 3]) -> Values {
        let start = numbers.start;
        if numbers.len() == 1 {
            Values::Scalar(Box::new(std::array::from_fn(|slot| self.mean(start, slot, beyond[0]))))
        } else {
            let axes = |slot: usize| std::array::from_fn(|axis| self.mean(start + axis, slot, beyond[axis]));
            Values::Vector(Box::new(std::array::from_fn(axes)))
        }
    }

    fn mean(&self, column: usize, slot: usize, beyond: f32) -> f32 {
        let sums = if self.occupied.contains(slot) { &self.matter } else { &self.around };
        sums.as_ref().filter(|_| self.near.contains(slot)).map_or(beyond, |sums| sums.mean(column, slot))
    }
}
