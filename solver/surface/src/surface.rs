//! The surface of the matter of a frame: as a mesh, and as the field that it is an iso-surface of.

use crate::carried::Carried;
use crate::field::blobs::nodes::field;
use crate::field::blobs::sources::Sources;
use crate::field::skins::{is_soft, skin_field};
use crate::lattice::grid::{ScalarGrid, VoxelBlock};
use crate::mesh::SurfaceMesh;
use crate::mesh::extract::extract;
use crate::options::SurfaceOptions;
use crate::sheet::mesh::sheets;
use crate::skin::skin_mesh;
use dollop_sim::Frame;
use glam::Vec3;

/// The surface of the matter of a frame: closed around matter that fills space; one particle thick, perhaps open, for
/// sheets.
///
/// Solid matter that keeps apart has a surface of its own, or one with what it has fused with. Sheets are
/// [triangulated](crate::sheet::triangulate). Each lump of soft matter has its own closed surface; where two lumps
/// touch, their surfaces coincide up to orientation. Skins lie flat on walls. The surface of other matter is closed,
/// 2-manifold and oriented whatever the particles do, and the same for any number of threads. It is extracted from
/// cells between nodes at `cell_size * (i, j, k)`, then smoothed, remeshed, and moved to enclose its volume. Particles
/// are left out if their position is not finite or more than 2^30 cells from the origin, or if their volume is not
/// positive. The mesh is empty if nothing is left, or if the cell size or the kernel's support is not a positive
/// number.
pub fn extract_surface(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    if !is_plausible(options) {
        return SurfaceMesh::default();
    }
    // What keeps apart has a surface of its own, and with what it has fused with, whatever shares one with it.
    let surface_of = |body: u32| (options.surface_of(body), frame.solid(body));
    let mut surfaces: Vec<_> = frame.sources.iter().map(|&body| surface_of(body)).collect();
    surfaces.sort_unstable();
    surfaces.dedup();
    let Some(mut sources) = Sources::new(frame, options, &surfaces, surface_of) else { return SurfaceMesh::default() };
    let (_, fields) = Carried::of(frame, options).columns(&[]);
    let normals = frame.normals();
    let is_of_sheet = |particle: usize| normals.is_some_and(|normals| normals[particle] != Vec3::ZERO);
    let mut mesh = SurfaceMesh { fields, ..SurfaceMesh::default() };
    for surface in surfaces {
        let is_in = |particle: usize| surface_of(frame.sources[particle]) == surface;
        sources.keep_only(|particle| is_in(particle) && !is_of_sheet(particle) && !is_soft(frame, particle));
        mesh.append(extract(&mut sources, options));
    }
    mesh.append(skin_mesh(frame, options));
    mesh.append(sheets(frame, options));
    mesh
}

/// The field of the surface of a frame, over its level: the surface is where it is 1. Blocks exist where the surface
/// may be, and next to them inside. In other blocks the field is 0 outside and above 1 inside. All matter shares one
/// surface here, whatever the options say. Lumps of soft matter do not blend with each other or with other matter; they
/// add the largest of their fields.
pub fn surface_field(frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    with_soft_field(other_field(frame, options), frame, options)
}

/// Adds the field of soft matter to the field of other matter; see [`surface_field`].
pub fn with_soft_field(others: ScalarGrid, frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    let blocks = if is_plausible(options) { skin_field(frame, options) } else { vec![] };
    ScalarGrid { blocks: largest(others.blocks, blocks), ..others }
}

/// [`surface_field`] without soft matter.
pub fn other_field(frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    let empty = ScalarGrid { voxel_size: options.cell_size, blocks: vec![], tiles: vec![] };
    let sources = Sources::new(frame, options, &[()], |_| ()).filter(|_| is_plausible(options));
    sources.map_or(empty, |mut sources| {
        sources.keep_only(|particle| !is_soft(frame, particle));
        field(&mut sources, options)
    })
}

/// The surface of soft matter alone; see [`extract_surface`].
pub fn soft_surface(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    if is_plausible(options) { skin_mesh(frame, options) } else { SurfaceMesh::default() }
}

fn is_plausible(options: &SurfaceOptions) -> bool {
    options.cell_size.is_finite() && options.cell_size > 0.0
}

/// The maximum of two fields, block by block, sorted.
fn largest(some: Vec<VoxelBlock<f32>>, others: Vec<VoxelBlock<f32>>) -> Vec<VoxelBlock<f32>> {
    if others.is_empty() {
        return some;
    }
    let mut all = [some, others].concat();
    // Stable.
    all.sort_by_key(|block| block.origin);
    all.dedup_by(|next, first| {
        let same = next.origin == first.origin;
        if same {
            first.values.iter_mut().zip(&*next.values).for_each(|(first, next)| *first = first.max(*next));
        }
        same
    });
    all
}
