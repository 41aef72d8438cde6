//! Triangle meshes: how they are made of a field, changed and measured.
//!
//! | module | what |
//! |---|---|
//! | `surface_mesh` | the type of meshes |
//! | `topology` | whether a mesh is closed and manifold |
//! | `quality` | least angles of triangles |
//! | `closest_point` | the closest point of a triangle |
//! | `distance` | distances from points to a mesh |
//! | [`flicker`] | motion of surfaces beyond that of their matter |
//! | `remesh` | removes thin triangles, merges flat ones |
//! | `extract` | field to mesh: dual marching cubes |

pub(crate) mod closest_point;
pub(crate) mod distance;
pub(crate) mod extract;
pub mod flicker;
pub(crate) mod quality;
pub(crate) mod remesh;
mod surface_mesh;
pub(crate) mod topology;

pub use surface_mesh::SurfaceMesh;
