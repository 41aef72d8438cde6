//! The first intersection of a ray with the triangles of a mesh.

use super::blocks::BlockField;
use super::ray::Ray;
use dollop_surface::SurfaceMesh;
use glam::{DVec3, IVec3, Vec3};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Edge length of a cube, cells: about twice the edge of a triangle.
const CUBE_EDGE: f32 = 2.0;

/// Tolerance of the hit test over the sides of the triangle, so that no ray slips through between two triangles.
const TOLERANCE: f32 = 1e-4;

/// The hit of a ray on a mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeshHit {
    /// Distance along the ray, cells.
    pub distance: f32,
    /// Interpolated normal, not normalised.
    pub outward: Vec3,
}

/// The triangles of a mesh, sorted into the cubes of a grid. Lengths are in cells of a field.
pub(crate) struct MeshTracer {
    corners: Vec<[Vec3; 3]>,
    normals: Vec<[Vec3; 3]>,
    /// For each cube, the range of its triangles in the list.
    cubes: FxHashMap<[i32; 3], Range<usize>>,
    triangle_list: Vec<u32>,
    /// The lowest cube, and one past the highest.
    bounds: [IVec3; 2],
}

impl MeshTracer {
    /// The triangles of a mesh whose first corner `is_wanted` accepts, in the coordinates of a field.
    pub fn new(mesh: &SurfaceMesh, field: &BlockField, is_wanted: impl Fn(DVec3) -> bool) -> Self {
        let position = |vertex: u32| mesh.positions[vertex as usize].as_dvec3();
        let triangles = || mesh.triangles.iter().filter(|triangle| is_wanted(position(triangle[0])));
        let corners: Vec<[Vec3; 3]> =
            triangles().map(|triangle| triangle.map(|vertex| field.local(position(vertex)))).collect();
        let normals = triangles().map(|triangle| triangle.map(|vertex| mesh.normals[vertex as usize])).collect();
        let mut pairs: Vec<([i32; 3], u32)> = corners
            .iter()
            .zip(0..)
            .flat_map(|(corners, triangle)| cubes_around(corners).map(move |cube| (cube, triangle)))
            .collect();
        pairs.sort_unstable();
        let (mut cubes, mut start) = (FxHashMap::default(), 0);
        let mut bounds = [IVec3::MAX, IVec3::MIN];
        for same in pairs.chunk_by(|a, b| a.0 == b.0) {
            cubes.insert(same[0].0, start..start + same.len());
            start += same.len();
            let cube = IVec3::from_array(same[0].0);
            bounds = [bounds[0].min(cube), bounds[1].max(cube + 1)];
        }
        let triangle_list = pairs.into_iter().map(|(_, triangle)| triangle).collect();
        Self { corners, normals, cubes, triangle_list, bounds }
    }

    /// The first hit of a ray on the outside of the mesh; none if the ray only leaves it.
    pub fn first_hit(&self, ray: &Ray) -> Option<MeshHit> {
        let [low, high] = self.bounds;
        if self.cubes.is_empty() {
            return None;
        }
        let shifted = Ray { origin: ray.origin - CUBE_EDGE * low.as_vec3(), ..*ray };
        let (first, last) = shifted.within(CUBE_EDGE * (high - low).as_vec3())?;
        let mut cube = (ray.at(first + 1e-3) / CUBE_EDGE).floor().as_ivec3().clamp(low - 1, high);
        let sides = ray.direction.to_array().map(|along| if along < 0.0 { -1 } else { 1 });
        let mut borders = Vec3::from_array(std::array::from_fn(|axis| {
            let next = (cube[axis] + i32::from(sides[axis] > 0)) as f32 * CUBE_EDGE;
            let along = ray.direction[axis];
            if along == 0.0 { f32::INFINITY } else { (next - ray.origin[axis]) / along }
        }));
        // Rounding may start and end the walk a cube outside.
        for _ in 0..(high - low + 2).element_sum() {
            let end = borders.min_element();
            // A triangle may also reach into other cubes; its hit may lie beyond this cube.
            if let Some(hit) = self.first_hit_in_cube(cube, ray).filter(|hit| hit.distance <= end + 1e-2) {
                return Some(hit);
            }
            if end >= last {
                break;
            }
            let axis = borders.min_position();
            cube[axis] += sides[axis];
            borders[axis] += CUBE_EDGE / ray.direction[axis].abs();
        }
        None
    }

    /// The first hit of a ray on the triangles of a cube.
    fn first_hit_in_cube(&self, cube: IVec3, ray: &Ray) -> Option<MeshHit> {
        let triangles = &self.triangle_list[self.cubes.get(&cube.to_array())?.clone()];
        let hit = triangles.iter().filter_map(|&triangle| self.hit_triangle(triangle as usize, ray));
        hit.min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    /// The hit of a ray on the outside of a triangle (Möller and Trumbore 1997).
    fn hit_triangle(&self, triangle: usize, ray: &Ray) -> Option<MeshHit> {
        let [a, b, c] = self.corners[triangle];
        let (ab, ac) = (b - a, c - a);
        let across = ray.direction.cross(ac);
        let size = ab.dot(across);
        if size <= 0.0 {
            return None;
        }
        let from = ray.origin - a;
        let other = from.cross(ab);
        let [u, v, distance] = [from.dot(across), ray.direction.dot(other), ac.dot(other)].map(|part| part / size);
        let is_hit = u >= -TOLERANCE && v >= -TOLERANCE && u + v <= 1.0 + TOLERANCE && distance > 0.0;
        let [of_a, of_b, of_c] = self.normals[triangle];
        is_hit.then(|| MeshHit { distance, outward: of_a * (1.0 - u - v) + of_b * u + of_c * v })
    }
}

/// The cubes that overlap the bounding box of a triangle.
fn cubes_around([a, b, c]: &[Vec3; 3]) -> impl Iterator<Item = [i32; 3]> + use<> {
    let cube = |point: Vec3| (point / CUBE_EDGE).floor().as_ivec3();
    let (low, high) = (cube(a.min(*b).min(*c)), cube(a.max(*b).max(*c)));
    let along = move |x: i32, y: i32| (low.z..=high.z).map(move |z| [x, y, z]);
    (low.x..=high.x).flat_map(move |x| (low.y..=high.y).flat_map(move |y| along(x, y)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dollop_surface::ScalarGrid;

    const CELL: f64 = 0.25;
    /// From the centre to a corner, cells.
    const RADIUS: f32 = 7.3;

    /// An octahedron around a point, m.
    fn octahedron(centre: DVec3) -> (MeshTracer, Vec3) {
        let empty = ScalarGrid { voxel_size: CELL, blocks: vec![], tiles: vec![] };
        let field = BlockField::new(&empty, centre, |_| true);
        let axes = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
        let corner = |axis: &Vec3| (centre + CELL * f64::from(RADIUS) * axis.as_dvec3()).as_vec3();
        let faces = (0..8_u32).map(|sides| {
            let [a, b, c] = [sides & 1, 2 + (sides >> 1 & 1), 4 + (sides >> 2 & 1)];
            if sides.count_ones() % 2 == 0 { [a, b, c] } else { [a, c, b] }
        });
        let positions = axes.iter().map(corner).collect();
        let mesh =
            SurfaceMesh { positions, normals: axes.to_vec(), triangles: faces.collect(), ..SurfaceMesh::default() };
        assert!(mesh.volume() > 0.0);
        (MeshTracer::new(&mesh, &field, |_| true), field.local(centre))
    }

    #[test]
    fn rays_hit_an_octahedron_at_the_exact_distance() {
        for centre in [DVec3::new(0.1, -0.2, 0.3), DVec3::new(-300.7, 17.1, 90.3)] {
            let (mesh_tracer, middle) = octahedron(centre);
            for n in 0..400 {
                let (z, turn) = (1.0 - (n as f32 + 0.5) / 200.0, n as f32 * 2.399_963);
                let away = Vec3::new(turn.cos() * (1.0 - z * z).sqrt(), turn.sin() * (1.0 - z * z).sqrt(), z);
                let hit = mesh_tracer.first_hit(&Ray { origin: middle + away * 40.0, direction: -away }).unwrap();
                let distance = 40.0 - RADIUS / away.abs().element_sum();
                assert!((hit.distance - distance).abs() < 1e-3, "{centre} {n}: {} for {distance}", hit.distance);
                assert!(hit.outward.dot(away) > 0.0);
                assert!(mesh_tracer.first_hit(&Ray { origin: middle, direction: away }).is_none(), "it begins inside");
                let passing = away.any_orthonormal_vector() * (RADIUS + 0.1) + middle + away * 40.0;
                assert!(mesh_tracer.first_hit(&Ray { origin: passing, direction: -away }).is_none(), "it passes by");
            }
            assert!(mesh_tracer.first_hit(&Ray { origin: Vec3::NAN, direction: Vec3::X }).is_none());
            assert!(mesh_tracer.first_hit(&Ray { origin: middle, direction: Vec3::NAN }).is_none());
        }
    }
}
