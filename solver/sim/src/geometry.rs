//! Triangle meshes as the solver takes them.

use glam::DVec3;
use std::collections::BTreeMap;

/// A triangle mesh: indices are below `positions.len()`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, m.
    pub positions: Vec<DVec3>,
    /// Vertex numbers of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The meshes that a scene names, by the path as the scene writes it.
pub type MeshLibrary = BTreeMap<String, TriangleMesh>;
