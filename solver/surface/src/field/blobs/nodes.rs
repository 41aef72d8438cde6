//! The field of blobs at the nodes of the blocks where the surface may be.

use super::coarse::{BlockClass, CoarseField, components};
use super::on_lattice::Blobs;
use super::sources::Sources;
use crate::field::Nodes;
use crate::lattice::blocks::{BlockKey, SLOTS, dilated, origin};
use crate::lattice::grid::{ScalarGrid, VoxelBlock};
use crate::lattice::mask::BlockMask;
use crate::options::SurfaceOptions;
use rayon::prelude::*;

/// The field of blobs at the nodes of their lattice.
pub(crate) fn nodes(blobs: &Blobs, coarse: &CoarseField) -> Nodes {
    let classes = coarse.classes(blobs);
    let of = |wanted: BlockClass| classes.iter().filter(move |(_, class)| *class == wanted).map(|(key, _)| *key);
    let keys: Vec<BlockKey> = of(BlockClass::Surface).collect();
    let values: Vec<_> = keys.par_iter().map(|&key| values(blobs, coarse, key)).collect();
    Nodes::new(keys, values, of(BlockClass::Inside))
}

/// The field over its level, on the blocks where the surface may be and the adjacent blocks inside, for all sources
/// that are not left out.
pub(crate) fn field(sources: &mut Sources, options: &SurfaceOptions) -> ScalarGrid {
    let components = components(sources, options);
    let (coarse, blobs) = CoarseField::new(sources, &components, options);
    ScalarGrid { voxel_size: options.cell_size, blocks: blocks_at_the_surface(&blobs, &coarse), tiles: vec![] }
}

/// The blocks where the surface may be, and the adjacent blocks inside, with their values. Slopes at the surface need
/// both sides of it.
fn blocks_at_the_surface(blobs: &Blobs, coarse: &CoarseField) -> Vec<VoxelBlock<f32>> {
    let classes = coarse.classes(blobs);
    let surface: Vec<BlockKey> =
        classes.iter().filter(|(_, class)| *class == BlockClass::Surface).map(|(key, _)| *key).collect();
    let near = dilated(&surface, 1);
    let is_wanted = |(key, class): &&(BlockKey, BlockClass)| match class {
        BlockClass::Surface => true,
        BlockClass::Inside => near.binary_search(key).is_ok(),
        BlockClass::Outside => false,
    };
    let wanted: Vec<BlockKey> = classes.iter().filter(is_wanted).map(|(key, _)| *key).collect();
    let block = |&key: &BlockKey| VoxelBlock {
        origin: origin(key),
        active: BlockMask::FULL.0,
        values: Box::new(values(blobs, coarse, key)),
    };
    wanted.par_iter().map(block).collect()
}

fn values(blobs: &Blobs, coarse: &CoarseField, key: BlockKey) -> [f32; SLOTS] {
    coarse.values(key, blobs.cell_size).map_or_else(|| *blobs.values(key), |known| *known)
}
