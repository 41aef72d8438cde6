//! A field on voxels: the grids of a [`Volume`].

use crate::blocks::{BlockKey, SLOTS, origin};
use crate::field::{Field, Sums};
use crate::mask::{BlockMask, SparseMask, dilate};
use crate::paths::Paths;
use crate::trails::Trails;
use crate::volume::{Block, SparseGrid, Tile, Volume, VolumeOptions};
use rayon::prelude::*;

type Values<T> = Box<[T; SLOTS]>;

/// A frame on a block: only what is asked for.
struct Sampled {
    key: BlockKey,
    /// Where there is matter.
    occupied: BlockMask,
    /// Where there are means.
    reached: BlockMask,
    density: Option<Values<f32>>,
    temperature: Option<Values<f32>>,
    velocity: Option<Values<[f32; 3]>>,
}

struct Sampler<'a> {
    field: &'a Field<'a>,
    paths: Paths<'a>,
    trails: Trails,
    options: &'a VolumeOptions,
}

/// The grids asked for. The frame must have temperatures if these are.
pub(crate) fn sample(field: &Field, options: &VolumeOptions) -> Volume {
    let means = options.temperature || options.velocity;
    let paths = Paths::new(field, means);
    let trails = if options.velocity { Trails::new(field, paths.index.len()) } else { Trails::default() };
    let sampler = Sampler { field, paths, trails, options };
    let mut blocks: Vec<Sampled> =
        (0..sampler.paths.index.len()).into_par_iter().map(|block| sampler.block(block)).collect();
    // The paths reach two voxels beyond the matter, so all blocks of the border are there.
    let active = dilate(&occupied(&blocks));
    let voxel_size = options.voxel_size;
    let on_matter = |key: BlockKey| active.get(&key).copied().unwrap_or_default();
    Volume {
        density: options.density.then(|| grid(voxel_size, &mut blocks, |b| (on_matter(b.key), b.density.take()))),
        temperature: options
            .temperature
            .then(|| grid(voxel_size, &mut blocks, |b| (on_matter(b.key), b.temperature.take()))),
        velocity: options.velocity.then(|| {
            let near = grid(voxel_size, &mut blocks, |b| (b.reached, b.velocity.take()));
            SparseGrid { tiles: tiles(&sampler.trails, &near.blocks), ..near }
        }),
    }
}

fn occupied(blocks: &[Sampled]) -> SparseMask {
    blocks.iter().filter(|block| !block.occupied.is_empty()).map(|block| (block.key, block.occupied)).collect()
}

/// The grid of those blocks whose mask is not empty.
fn grid<T: Copy + Default>(
    voxel_size: f64,
    blocks: &mut [Sampled],
    mut take: impl FnMut(&mut Sampled) -> (BlockMask, Option<Values<T>>),
) -> SparseGrid<T> {
    let block = |sampled: &mut Sampled| {
        let (active, values) = take(sampled);
        let mut values = values.filter(|_| !active.is_empty())?;
        active.not().slots().for_each(|slot| values[slot] = T::default());
        Some(Block { origin: origin(sampled.key), active: active.0, values })
    };
    SparseGrid { voxel_size, blocks: blocks.iter_mut().filter_map(block).collect(), tiles: vec![] }
}

/// The trails where there are no blocks.
fn tiles(trails: &Trails, blocks: &[Block<[f32; 3]>]) -> Vec<Tile<[f32; 3]>> {
    let tiles = trails.iter().map(|(key, value)| Tile { origin: origin(key), value });
    tiles.filter(|tile| blocks.binary_search_by_key(&tile.origin, |block| block.origin).is_err()).collect()
}

impl Sampler<'_> {
    fn block(&self, block: usize) -> Sampled {
        if self.options.temperature || self.options.velocity {
            self.means(block)
        } else {
            let key = self.paths.index.key(block);
            self.with_density(key, &self.at(key, |_| []))
        }
    }

    fn means(&self, block: usize) -> Sampled {
        let key = self.paths.index.key(block);
        let values = |particle: usize| self.values(particle);
        let matter = self.at(key, values);
        let mut sampled = self.with_density(key, &matter);
        let around = if sampled.occupied.is_full() { Sums::zero() } else { self.paths.sums(block, values) };
        let near = sampled.occupied.or(BlockMask::of(&around.weight, |weight| weight > 0.0));
        // A block that the border does not reach is left to a tile.
        let trail = self.trails.velocity(key).filter(|_| !near.is_empty());
        sampled.reached = if trail.is_some() { BlockMask::FULL } else { near };
        let mean = |column: usize, slot: usize| {
            let sums = if sampled.occupied.contains(slot) { &matter } else { &around };
            sums.mean(column, slot)
        };
        let beyond = trail.unwrap_or_default();
        let velocity = |slot: usize| {
            if near.contains(slot) { std::array::from_fn(|axis| mean(axis, slot)) } else { beyond }
        };
        sampled.velocity = self.options.velocity.then(|| Box::new(std::array::from_fn(velocity)));
        sampled.temperature = self.options.temperature.then(|| Box::new(std::array::from_fn(|slot| mean(3, slot))));
        sampled
    }

    /// The sums over the matter itself, zero where there is none.
    fn at<const N: usize>(&self, key: BlockKey, values: impl Fn(usize) -> [f32; N]) -> Box<Sums<N>> {
        self.field.index.find(key).map_or_else(Sums::zero, |block| self.field.sums(block, values))
    }

    fn with_density<const N: usize>(&self, key: BlockKey, matter: &Sums<N>) -> Sampled {
        let occupied = BlockMask::of(&matter.weight, |weight| weight > 0.0);
        let density = self.options.density.then(|| Box::new(matter.weight));
        Sampled { key, occupied, reached: occupied, density, temperature: None, velocity: None }
    }

    /// Velocity and temperature of a particle.
    fn values(&self, particle: usize) -> [f32; 4] {
        let frame = self.field.frame;
        let [x, y, z] = frame.velocities[particle].to_array();
        [x, y, z, frame.temperatures().map_or(0.0, |column| column[particle])]
    }
}
