//! The first intersection of a ray with the triangles of a mesh.

use super::blocks::BlockField;
use super::ray::Ray;
use dollop_surface::SurfaceMesh;
use glam::{DVec3, IVec3, Vec3};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Edge length of a cube, cells: about twice that of the triangles.
const EDGE: f32 = 2.0;

/// How far beside a triangle a ray may pass and still meet it, of its sides: so that none gets through between two.
const SLACK: f32 = 1e-4;

/// Where a ray meets a mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Met {
    /// How far along the ray, cells.
    pub way: f32,
    /// Normal of the mesh, not of length 1.
    pub outward: Vec3,
}

/// The triangles of a mesh, by the cubes that they may meet. Lengths in cells of a field.
pub(crate) struct Facets {
    corners: Vec<[Vec3; 3]>,
    normals: Vec<[Vec3; 3]>,
    /// For each cube the places of its triangles in the list.
    cubes: FxHashMap<[i32; 3], Range<usize>>,
    list: Vec<u32>,
    /// The lowest cube, and the one after the highest.
    bounds: [IVec3; 2],
}

impl Facets {
    /// The triangles of a mesh whose first corner is wanted, as they lie in a field.
    pub fn new(mesh: &SurfaceMesh, field: &BlockField, is_wanted: impl Fn(DVec3) -> bool) -> Self {
        let place = |vertex: u32| mesh.positions[vertex as usize].as_dvec3();
        let triangles = || mesh.triangles.iter().filter(|triangle| is_wanted(place(triangle[0])));
        let corners: Vec<[Vec3; 3]> =
            triangles().map(|triangle| triangle.map(|vertex| field.local(place(vertex)))).collect();
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
        let list = pairs.into_iter().map(|(_, triangle)| triangle).collect();
        Self { corners, normals, cubes, list, bounds }
    }

    /// Where a ray first meets the mesh from outside; nowhere where it only leaves it.
    pub fn first_met(&self, ray: &Ray) -> Option<Met> {
        let [low, high] = self.bounds;
        if self.cubes.is_empty() {
            return None;
        }
        let shifted = Ray { origin: ray.origin - EDGE * low.as_vec3(), ..*ray };
        let (first, last) = shifted.within(EDGE * (high - low).as_vec3())?;
        let mut cube = (ray.at(first + 1e-3) / EDGE).floor().as_ivec3().clamp(low - 1, high);
        let sides = ray.direction.to_array().map(|along| if along < 0.0 { -1 } else { 1 });
        let mut borders = Vec3::from_array(std::array::from_fn(|axis| {
            let next = (cube[axis] + i32::from(sides[axis] > 0)) as f32 * EDGE;
            let along = ray.direction[axis];
            if along == 0.0 { f32::INFINITY } else { (next - ray.origin[axis]) / along }
        }));
        // Rounding may begin and end it a cube outside.
        for _ in 0..(high - low + 2).element_sum() {
            let end = borders.min_element();
            // What is met in another cube may come after what is met there.
            if let Some(met) = self.met_in(cube, ray).filter(|met| met.way <= end + 1e-2) {
                return Some(met);
            }
            if end >= last {
                break;
            }
            let axis = borders.min_position();
            cube[axis] += sides[axis];
            borders[axis] += EDGE / ray.direction[axis].abs();
        }
        None
    }

    /// Where a ray first meets a triangle of a cube.
    fn met_in(&self, cube: IVec3, ray: &Ray) -> Option<Met> {
        let triangles = &self.list[self.cubes.get(&cube.to_array())?.clone()];
        let met = triangles.iter().filter_map(|&triangle| self.met(triangle as usize, ray));
        met.min_by(|a, b| a.way.total_cmp(&b.way))
    }

    /// Where a ray meets a triangle from outside (Möller and Trumbore 1997).
    fn met(&self, triangle: usize, ray: &Ray) -> Option<Met> {
        let [a, b, c] = self.corners[triangle];
        let (ab, ac) = (b - a, c - a);
        let across = ray.direction.cross(ac);
        let size = ab.dot(across);
        if size <= 0.0 {
            return None;
        }
        let from = ray.origin - a;
        let other = from.cross(ab);
        let [u, v, way] = [from.dot(across), ray.direction.dot(other), ac.dot(other)].map(|part| part / size);
        let is_met = u >= -SLACK && v >= -SLACK && u + v <= 1.0 + SLACK && way > 0.0;
        let [of_a, of_b, of_c] = self.normals[triangle];
        is_met.then(|| Met { way, outward: of_a * (1.0 - u - v) + of_b * u + of_c * v })
    }
}

/// The cubes that the box around a triangle meets.
fn cubes_around([a, b, c]: &[Vec3; 3]) -> impl Iterator<Item = [i32; 3]> + use<> {
    let cube = |point: Vec3| (point / EDGE).floor().as_ivec3();
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
    fn octahedron(centre: DVec3) -> (Facets, Vec3) {
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
        (Facets::new(&mesh, &field, |_| true), field.local(centre))
    }

    #[test]
    fn rays_meet_an_octahedron_where_it_is() {
        for centre in [DVec3::new(0.1, -0.2, 0.3), DVec3::new(-300.7, 17.1, 90.3)] {
            let (facets, middle) = octahedron(centre);
            for n in 0..400 {
                let (z, turn) = (1.0 - (n as f32 + 0.5) / 200.0, n as f32 * 2.399_963);
                let away = Vec3::new(turn.cos() * (1.0 - z * z).sqrt(), turn.sin() * (1.0 - z * z).sqrt(), z);
                let met = facets.first_met(&Ray { origin: middle + away * 40.0, direction: -away }).unwrap();
                let way = 40.0 - RADIUS / away.abs().element_sum();
                assert!((met.way - way).abs() < 1e-3, "{centre} {n}: {} for {way}", met.way);
                assert!(met.outward.dot(away) > 0.0);
                assert!(facets.first_met(&Ray { origin: middle, direction: away }).is_none(), "it begins inside");
                let beside = away.any_orthonormal_vector() * (RADIUS + 0.1) + middle + away * 40.0;
                assert!(facets.first_met(&Ray { origin: beside, direction: -away }).is_none(), "it passes by");
            }
            assert!(facets.first_met(&Ray { origin: Vec3::NAN, direction: Vec3::X }).is_none());
            assert!(facets.first_met(&Ray { origin: middle, direction: Vec3::NAN }).is_none());
        }
    }
}
