//! Shapes given by formulas, around their own origins: one file per shape, and one function that tells them apart.

mod ball;
mod cuboid;
mod cylinder;
mod revolve;

pub use ball::Ball;
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;

use super::TriangleMesh;
use dollop_scene::Shape;
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;

/// Points around a turned shape that has to become a mesh.
pub const SEGMENTS: u32 = 96;

/// Factors on two axes count as equal if they differ by no more than this part.
const ROUND: f64 = 1e-6;

/// A shape that is given by formulas, centred on its own origin.
pub trait Primitive: Debug + Send + Sync {
    /// Half the edge lengths of the box around it, m.
    fn half_extent(&self) -> DVec3;

    /// Volume, m^3.
    fn volume(&self) -> f64;

    /// Whether a place lies inside, or on the surface.
    fn contains(&self, place: DVec3) -> bool;

    /// Signed distance of a place to the surface, m; negative inside.
    fn distance(&self, place: DVec3) -> f64;

    /// The shape as a closed mesh, for uses that need a mesh.
    fn mesh(&self) -> TriangleMesh;

    /// The shape with each axis scaled by a positive factor; none where the result is another kind of shape.
    fn scaled(&self, factors: DVec3) -> Option<Arc<dyn Primitive>>;

    /// Thickness at the thinnest place, m.
    fn thickness(&self) -> f64;
}

/// The primitive of a scene's shape; none for a mesh or a plane.
pub fn primitive(shape: &Shape) -> Option<Arc<dyn Primitive>> {
    match *shape {
        Shape::Box { size } => Some(Arc::new(Cuboid { size: DVec3::from(size) })),
        Shape::Sphere { radius } => Some(Arc::new(Ball { radius })),
        Shape::Cylinder { radius, height } => Some(Arc::new(Cylinder { radius, height })),
        Shape::Mesh { .. } | Shape::Plane {} => None,
    }
}

/// Whether the factors on two axes are equal.
fn is_round(a: f64, b: f64) -> bool {
    (a - b).abs() <= ROUND * a
}

/// A box of some edge lengths, m, as a mesh.
pub fn box_mesh(size: DVec3) -> TriangleMesh {
    Cuboid { size }.mesh()
}

/// A ball of some radius, m, as a mesh with rings of `segments` points.
pub fn sphere_mesh(radius: f64, segments: u32) -> TriangleMesh {
    Ball { radius }.mesh_of(segments)
}

/// A cylinder along Z of some radius and height, m, as a mesh with rings of `segments` points.
pub fn cylinder_mesh(radius: f64, height: f64, segments: u32) -> TriangleMesh {
    Cylinder { radius, height }.mesh_of(segments)
}
