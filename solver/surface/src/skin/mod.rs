//! The skins of soft matter as a mesh: a closed surface for each lump.
//!
//! | module | what |
//! |---|---|
//! | `separate` | moves vertices out of other lumps |
//! | `fragments` | removes spurious components |

mod fragments;
mod separate;

use crate::carried::Carried;
use crate::field::Nodes;
use crate::field::skins::{LumpBlock, SkinField, SkinParticles};
use crate::lattice::blocks::{BlockKey, EDGE};
use crate::mesh::SurfaceMesh;
use crate::mesh::extract::extract_local_field;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use fragments::remove_fragments;
use glam::Vec3;
use rayon::prelude::*;
use separate::separate;

/// A block is inside if the field over its level is at least this at all nodes.
const INSIDE_VALUE: f32 = 1.5;

/// The surfaces of all lumps of soft matter.
pub(crate) fn skin_mesh(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let particles = SkinParticles::new(frame, options.cell_size);
    let sizes = particles.sizes();
    let mut blocks = particles.blocks(|values| values.iter().any(|&value| value < INSIDE_VALUE));
    // Removes small lumps, then sorts by lump.
    blocks.retain(|block| sizes[&block.lump] >= options.least_particles);
    blocks.sort_by_key(|block| (block.lump, block.key));
    let lumps: Vec<&[LumpBlock]> = blocks.chunk_by(|a, b| a.lump == b.lump).collect();
    let meshes: Vec<SurfaceMesh> =
        lumps.par_iter().map(|lump| surface(&particles, lump, sizes[&lump[0].lump], frame, options)).collect();
    let mut mesh = SurfaceMesh::default();
    for lump in meshes {
        mesh.append(lump);
    }
    mesh
}

/// The surface of a lump, from all blocks that its field reaches and its number of particles.
fn surface(
    particles: &SkinParticles,
    blocks: &[LumpBlock],
    size: usize,
    frame: &Frame,
    options: &SurfaceOptions,
) -> SurfaceMesh {
    let lump = blocks[0].lump;
    let (keys, values) = blocks.iter().filter_map(|block| Some((block.key, **block.values.as_ref()?))).unzip();
    let inside = blocks.iter().filter(|block| block.values.is_none()).map(|block| block.key);
    let nodes = Nodes::new(keys, values, inside);
    let carried = Carried::of(frame, options);
    let field = |key: BlockKey| SkinField::new(particles, frame, &carried, lump, key);
    // Triangles cut much off a ball of few cells.
    let near = || particles.near(blocks[0].key, 0.0, EDGE as f32).into_iter();
    let lone = || near().find(|particle| particle.is_of(lump))?.lone_volume();
    let volume = (size == 1).then(lone).flatten().map(|volume| volume * options.cell_size.powi(3));
    let separate =
        |positions: &mut [Vec3], fixed: &[f32]| separate(particles, lump, positions, fixed, options.cell_size);
    let mut mesh = extract_local_field(frame, &nodes, field, separate, volume, options);
    remove_fragments(&mut mesh, frame.spacing.powi(3));
    mesh
}
