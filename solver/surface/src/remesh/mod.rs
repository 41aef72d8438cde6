//! Changes to a mesh that leave its surface: thin triangles mended, and triangles merged where it is flat.
//!
//! | module | what |
//! |---|---|
//! | `corners` | the mesh as a table that edges can be taken out of and turned in |
//! | `shape` | how good triangles are, and what a change would make of them |
//! | `mend` | thin triangles mended |
//! | `quadric` | squared distances to planes |
//! | `gone` | how far the surface has moved from vertices that are gone |
//! | `merge` | triangles merged where the surface is flat |
//!
//! Vertices are left out and stay where they are otherwise, so what they carry stays true. Meshes stay closed, manifold and in
//! as many pieces with as many holes. Changes are made one after another, by one thread.

mod corners;
mod gone;
mod mend;
mod merge;
mod quadric;
mod shape;

use crate::mesh::SurfaceMesh;
use corners::Corners;
use glam::Vec3;
use mend::mend;
use merge::merge;
use shape::Shape;

/// The vertices that are kept, sorted, and the triangles by the places of the vertices among these.
pub(crate) type Kept = (Vec<u32>, Vec<[u32; 3]>);

/// A mesh without thin triangles where that can be, and with as few as a deviation, m, allows; none are merged at zero. Nothing
/// if it is not closed and manifold.
pub(crate) fn remesh(mesh: &SurfaceMesh, cell_size: f64, deviation: f64) -> Option<Kept> {
    let corners = Corners::new(mesh.positions.len(), &mesh.triangles)?;
    // Relative to one of them, so that little is lost far from the origin.
    let origin = mesh.positions.first()?.as_dvec3();
    let place = |position: &Vec3| ((position.as_dvec3() - origin) / cell_size).as_vec3();
    let places: Vec<Vec3> = mesh.positions.iter().map(place).collect();
    let mut shape = Shape { mesh: corners, places: &places };
    mend(&mut shape);
    if deviation > 0.0 {
        merge(&mut shape, mesh, (deviation / cell_size) as f32);
    }
    Some(shape.mesh.into_kept())
}
