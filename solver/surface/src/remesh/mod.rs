//! Changes to a mesh that leave its surface: thin triangles mended, and triangles merged where it is flat.
//!
//! | module | what |
//! |---|---|
//! | `corners` | the mesh as a table that edges can be taken out of and turned in |
//! | `shape` | how good triangles are, and what a change would make of them |
//! | `mend` | thin triangles mended |
//!
//! Vertices are left out and stay where they are otherwise, so what they carry stays true. Meshes stay closed, manifold and in
//! as many pieces with as many holes. Changes are made one after another, by one thread.

mod corners;
mod mend;
mod shape;

use corners::Corners;
use glam::Vec3;
use shape::Shape;

/// The vertices that are kept, sorted, and the triangles by the places of the vertices among these.
pub(crate) type Kept = (Vec<u32>, Vec<[u32; 3]>);

/// A mesh without thin triangles where that can be. Nothing if it is not closed and manifold.
pub(crate) fn remesh(positions: &[Vec3], triangles: &[[u32; 3]], cell_size: f64) -> Option<Kept> {
    let mesh = Corners::new(positions.len(), triangles)?;
    // Relative to one of them, so that little is lost far from the origin.
    let origin = positions.first()?.as_dvec3();
    let places: Vec<Vec3> = positions.iter().map(|p| ((p.as_dvec3() - origin) / cell_size).as_vec3()).collect();
    let mut shape = Shape { mesh, places: &places };
    mend::mend(&mut shape);
    Some(shape.mesh.into_kept())
}
