//! Soft particles on a lattice, and their fields at its nodes.

use super::columns::{SkinColumns, is_soft};
use super::evaluate::{SkinParticle, values};
use crate::lattice::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS, origin};
use crate::lattice::buckets::CubeKey;
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::grid::VoxelBlock;
use crate::lattice::mask::BlockMask;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use glam::Vec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The particles of soft matter of a frame on a lattice, and their mirror images.
pub(crate) struct SkinParticles {
    cells: CubeGrid<SkinParticle>,
    /// Largest reach of a particle, cells.
    pub reach: f32,
}

/// The fields of all lumps over their levels, on the blocks that they reach; one after another where several lumps
/// share a block.
pub(crate) fn skin_field(frame: &Frame, options: &SurfaceOptions) -> Vec<VoxelBlock<f32>> {
    let particles = SkinParticles::new(frame, options.cell_size);
    let block = |LumpBlock { key, values, .. }: LumpBlock| {
        Some(VoxelBlock { origin: origin(key), active: BlockMask::FULL.0, values: values? })
    };
    particles.blocks(|_| true).into_iter().filter_map(block).collect()
}

/// A block that the field of a lump reaches.
pub(crate) struct LumpBlock {
    pub lump: u32,
    pub key: BlockKey,
    /// The field over its level at the nodes; none if it is not wanted.
    pub values: Option<Box<[f32; SLOTS]>>,
}

impl SkinParticles {
    /// The particles with a finite position within the range of node numbers, on cells of `cell_size`, m.
    pub fn new(frame: &Frame, cell_size: f64) -> Self {
        let columns = SkinColumns::new(frame, cell_size);
        let counts = |&particle: &u32| {
            let index = particle as usize;
            is_soft(frame, index) && columns.position(index).abs().max_element() < INDEX_LIMIT
        };
        let particles: Vec<u32> = (0..frame.len() as u32).into_par_iter().filter(counts).collect();
        let own =
            |&particle: &u32| Some((in_cube(columns.position(particle as usize)).0, columns.skin_particle(particle)?));
        let all: Vec<(CubeKey, SkinParticle)> = particles.iter().filter_map(own).collect();
        let images: Vec<(CubeKey, SkinParticle)> =
            particles.iter().filter_map(|&particle| columns.image(particle)).collect();
        let all: Vec<(CubeKey, SkinParticle)> = all.into_iter().chain(images).collect();
        let reach = all.iter().map(|(_, particle)| particle.reach()).fold(0.0, f32::max);
        // Images come after all particles.
        let entries = all.iter().zip(0_u32..).map(|((cube, _), index)| (*cube, index)).collect();
        Self { cells: CubeGrid::new(entries, |index| all[index as usize].1), reach }
    }

    /// Number of particles of each lump.
    pub fn sizes(&self) -> FxHashMap<u32, usize> {
        let mut sizes = FxHashMap::default();
        let particles = self.cells.items().iter().filter(|particle| particle.image.is_none());
        particles.for_each(|particle| *sizes.entry(particle.lump).or_default() += 1);
        sizes
    }

    /// For each lump, the blocks that its field reaches, with the values that `is_wanted` accepts.
    pub fn blocks(&self, is_wanted: impl Fn(&[f32; SLOTS]) -> bool + Sync) -> Vec<LumpBlock> {
        let of_block = |&key: &BlockKey| {
            let near = self.near(key, 0.0, (EDGE - 1) as f32);
            let lump_block = |(lump, values): (u32, Box<[f32; SLOTS]>)| {
                let values = is_wanted(&values).then_some(values);
                LumpBlock { lump, key, values }
            };
            values(&near).into_iter().map(lump_block).collect::<Vec<_>>()
        };
        self.cells.blocks(self.reach).par_iter().flat_map_iter(of_block).collect()
    }

    /// The particles whose fields reach the box from `low` to `high` (cells, on all axes) of a block, relative to the
    /// block, sorted by number.
    pub fn near(&self, key: BlockKey, low: f32, high: f32) -> Vec<SkinParticle> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut near = vec![];
        for (offset, particles) in self.cells.near(key, self.reach + beyond) {
            let in_block =
                particles.iter().map(|particle| SkinParticle { centre: particle.centre + offset, ..*particle });
            near.extend(in_block.filter(|particle| {
                let reach = particle.reach();
                (particle.centre.clamp(low, high) - particle.centre).length_squared() <= reach * reach
            }));
        }
        near.sort_unstable_by_key(|particle| (particle.number, particle.image.is_some()));
        near
    }
}
