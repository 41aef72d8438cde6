//! The surface of the matter: an iso-surface of its density (DG96 section 4).

use dollop_sim::Frame;
use glam::Vec3;

/// A closed triangle mesh with what renderers need at each vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Unit normals, pointing out of the matter.
    pub normals: Vec<Vec3>,
    /// Vertex numbers, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// Temperatures, K, where the matter has some.
    pub temperatures: Option<Vec<f32>>,
    /// Number of the body that gives most to the density at the vertex.
    pub sources: Vec<u32>,
}

/// The iso-surface of the density of a frame, sampled on cells of `cell_size` m.
pub fn extract_surface(_frame: &Frame, _cell_size: f64) -> SurfaceMesh {
    SurfaceMesh::default()
}
