//! What of a mesh is held.

use crate::geometry::TriangleMesh;
use crate::numbers::greatest;
use glam::{DAffine3, DVec3, I64Vec3};
use rustc_hash::FxHashMap;

/// What is as near as this to a held vertex or edge is held, in distances of nearest neighbours: rows end up to three quarters of one
/// from an edge.
const REACH: f64 = 1.0;

/// How far from a vertex of the mesh the place of a held one may be, over the size of the mesh.
const SAME: f64 = 1e-6;

/// Held vertices, edges and faces of a mesh that has its place in the world.
pub struct Region {
    /// Whether each vertex is held.
    held: Vec<bool>,
    /// Distance of nearest neighbours in the sheet, m.
    nearest: f64,
}

impl Region {
    /// The region of some vertices of a mesh, which was mapped from its own coordinates as they are, with a distance of nearest neighbours
    /// in the sheet, m.
    ///
    /// # Errors
    /// The number of the first place where the mesh has no vertex.
    pub fn new(mesh: &TriangleMesh, map: &DAffine3, vertices: &[[f64; 3]], nearest: f64) -> Result<Self, usize> {
        let size = mesh.positions.iter().map(|p| p.abs().max_element()).fold(0.0, greatest);
        let cell = (SAME * size).max(f64::MIN_POSITIVE);
        let key = |p: DVec3| (p / cell).floor().as_i64vec3();
        let mut cells = FxHashMap::<I64Vec3, Vec<usize>>::default();
        for (number, &position) in mesh.positions.iter().enumerate() {
            cells.entry(key(position)).or_default().push(number);
        }
        let mut held = vec![false; mesh.positions.len()];
        for (number, &vertex) in vertices.iter().enumerate() {
            let place = map.transform_point3(DVec3::from(vertex));
            if place.abs().max_element() > 2.0 * size {
                return Err(number);
            }
            let around = (0..27).map(|n| key(place) + I64Vec3::new(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
            let near = around.filter_map(|cell| cells.get(&cell)).flatten();
            let mut found = near.filter(|&&at| mesh.positions[at].distance(place) <= cell).peekable();
            if found.peek().is_none() {
                return Err(number);
            }
            found.for_each(|&at| held[at] = true);
        }
        Ok(Self { held, nearest })
    }

    /// Whether a place on a triangle of the mesh is held.
    pub fn holds(&self, mesh: &TriangleMesh, triangle: u32, place: DVec3) -> bool {
        let corners = mesh.triangles[triangle as usize];
        let held: Vec<DVec3> =
            corners.iter().filter(|&&v| self.held[v as usize]).map(|&v| mesh.positions[v as usize]).collect();
        match held[..] {
            [a] => place.distance(a) < REACH * self.nearest,
            [a, b] => to_edge(place, a, b) < REACH * self.nearest,
            [_, _, _] => true,
            _ => false,
        }
    }
}

/// Distance of a place from an edge, m.
fn to_edge(place: DVec3, a: DVec3, b: DVec3) -> f64 {
    let along = b - a;
    let part = (place - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    place.distance(a + along * part.clamp(0.0, 1.0))
}
