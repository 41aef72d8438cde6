//! Changes the triangles of a mesh but not its surface: removes thin triangles, and merges triangles where the surface
//! is flat.
//!
//! | module | what |
//! |---|---|
//! | `corner_table` | the mesh as a corner table, with edge collapse and flip |
//! | `geometry` | positions, quality of triangles, and effects of changes |
//! | `repair` | removes thin triangles |
//! | `quadric` | quadric error metrics |
//! | `removed` | bounds the motion of the surface by removed vertices |
//! | `merge` | merges triangles where the surface is flat |
//!
//! Vertices are removed or stay where they are, so their carried values stay valid. Meshes stay closed and manifold,
//! with the same number of components and holes. One thread makes the changes in sequence.

mod corner_table;
mod geometry;
mod merge;
mod quadric;
mod removed;
mod repair;

use crate::mesh::SurfaceMesh;
use corner_table::CornerTable;
use geometry::MeshGeometry;
use glam::Vec3;
use merge::merge;
use repair::repair;

/// The kept vertices, sorted, and the triangles in terms of their new indices.
pub(crate) type Kept = (Vec<u32>, Vec<[u32; 3]>);

/// Removes thin triangles where possible, and merges triangles within a deviation, m; zero merges none. None if the
/// mesh is not closed and manifold.
pub(crate) fn remesh(mesh: &SurfaceMesh, cell_size: f64, deviation: f64) -> Option<Kept> {
    let corners = CornerTable::new(mesh.positions.len(), &mesh.triangles)?;
    // Relative to a vertex, for accuracy far from the origin.
    let origin = mesh.positions.first()?.as_dvec3();
    let to_cells = |position: &Vec3| ((position.as_dvec3() - origin) / cell_size).as_vec3();
    let positions: Vec<Vec3> = mesh.positions.iter().map(to_cells).collect();
    let mut geometry = MeshGeometry { mesh: corners, positions: &positions };
    repair(&mut geometry);
    if deviation > 0.0 {
        merge(&mut geometry, mesh, (deviation / cell_size) as f32);
    }
    Some(geometry.mesh.into_kept())
}
