//! Geometry for the solver: triangle meshes, their winding numbers, and solids and surfaces filled with points.

mod fill;
mod layers;
mod primitives;
mod section;
mod sheet;
mod shell;
mod solid;
mod topology;
mod winding;

pub use fill::{expected_points, fill};
pub use layers::FILLED;
pub use primitives::{Ball, Cuboid, Cylinder, Primitive, box_mesh, cylinder_mesh, primitive, sphere_mesh};
pub use section::{area, cut, expected_in_section, fill_section, meets_plane};
pub use sheet::{SheetFault, SheetSample, expected_samples, sample_sheet};
pub use shell::Shell;
pub use solid::Solid;
pub use topology::{MeshFault, closed, welded};
pub use winding::{Crossing, WindingColumns, winding_number};

use dollop_scene::Transform;
use glam::{DAffine3, DQuat, DVec3};
use std::collections::BTreeMap;

/// A triangle mesh: indices are below `positions.len()`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, m.
    pub positions: Vec<DVec3>,
    /// Vertex numbers of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The meshes of a scene, by the paths in the scene.
pub type MeshLibrary = BTreeMap<String, TriangleMesh>;

impl TriangleMesh {
    /// The corners of each triangle.
    pub fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.positions[vertex as usize]))
    }

    /// Area of all faces, m^2.
    pub fn area(&self) -> f64 {
        self.corners().map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
    }

    /// Enclosed volume, m^3; negative when the faces point inwards. Only meaningful for closed meshes.
    pub fn signed_volume(&self) -> f64 {
        let origin = self.positions.first().copied().unwrap_or_default();
        self.corners().map(|[a, b, c]| (a - origin).dot((b - origin).cross(c - origin)) / 6.0).sum()
    }

    /// The mesh with each vertex mapped; faces keep pointing outwards even when the map mirrors.
    #[must_use]
    pub fn mapped(&self, map: DAffine3) -> Self {
        let mirrored = map.matrix3.determinant() < 0.0;
        let flip = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        Self {
            positions: self.positions.iter().map(|&p| map.transform_point3(p)).collect(),
            triangles: self.triangles.iter().map(|&t| flip(t)).collect(),
        }
    }
}

/// The scene's rotation as a unit quaternion.
pub fn rotation(transform: &Transform) -> DQuat {
    let [w, x, y, z] = transform.rotation;
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// The map from a shape's own coordinates to the world.
pub fn affine(transform: &Transform) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(
        DVec3::from(transform.scale),
        rotation(transform),
        DVec3::from(transform.translation),
    )
}
