//! Distances from points to a mesh, for tests here and in dependent crates, and for comparisons.

use super::SurfaceMesh;
use super::closest_point::closest_point;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The triangles of a mesh, sorted into the cubes of a grid.
pub struct TriangleGrid<'a> {
    mesh: &'a SurfaceMesh,
    /// Origin of the grid; points are relative to it, in edges of a cube.
    origin: DVec3,
    edge: f64,
    /// For each cube, the range of its triangles in the list.
    cubes: FxHashMap<[i32; 3], Range<usize>>,
    triangle_list: Vec<u32>,
}

/// Statistics of distances, m.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Distances {
    /// Root mean square.
    pub rms: f64,
    /// The 99th percentile.
    pub percentile_99: f64,
    /// The largest distance.
    pub max: f64,
    /// Fraction of points beyond the search distance; they do not count for the other values.
    pub missed: f64,
}

impl<'a> TriangleGrid<'a> {
    /// Sorts a mesh into cubes with this edge, m; best is about the edge length of its triangles.
    pub fn new(mesh: &'a SurfaceMesh, edge: f64) -> Self {
        // Vertices without a triangle may be anywhere.
        let corner = mesh.triangles.first().and_then(|[corner, ..]| mesh.positions.get(*corner as usize));
        let origin = corner.map_or(DVec3::ZERO, |position| position.as_dvec3());
        let mut found = Self { mesh, origin, edge, cubes: FxHashMap::default(), triangle_list: vec![] };
        let cubes = |triangle: u32| found.cubes_around(triangle).map(move |cube| (cube, triangle));
        let mut pairs: Vec<([i32; 3], u32)> =
            (0..mesh.triangles.len() as u32).into_par_iter().flat_map_iter(cubes).collect();
        pairs.par_sort_unstable();
        let mut start = 0;
        let mut ranges = FxHashMap::default();
        for same in pairs.chunk_by(|a, b| a.0 == b.0) {
            ranges.insert(same[0].0, start..start + same.len());
            start += same.len();
        }
        found.cubes = ranges;
        found.triangle_list = pairs.into_iter().map(|(_, triangle)| triangle).collect();
        found
    }

    fn relative(&self, point: DVec3) -> Vec3 {
        ((point - self.origin) / self.edge).as_vec3()
    }

    fn corners(&self, triangle: u32) -> [Vec3; 3] {
        let position = |vertex: u32| self.relative(self.mesh.positions[vertex as usize].as_dvec3());
        self.mesh.triangles[triangle as usize].map(position)
    }

    /// The cubes that overlap the bounding box of a triangle.
    fn cubes_around(&self, triangle: u32) -> impl Iterator<Item = [i32; 3]> + use<> {
        let [a, b, c] = self.corners(triangle);
        let (low, high) = (a.min(b).min(c).floor().as_ivec3(), a.max(b).max(c).floor().as_ivec3());
        let along = move |x: i32, y: i32| (low.z..=high.z).map(move |z| [x, y, z]);
        (low.x..=high.x).flat_map(move |x| (low.y..=high.y).flat_map(move |y| along(x, y)))
    }

    /// The point of the mesh closest to `point`, m; none if it is further away than `within`, m.
    pub fn nearest(&self, point: DVec3, within: f64) -> Option<DVec3> {
        let at = self.relative(point);
        let centre = at.floor().as_ivec3();
        let mut nearest = ((within / self.edge) as f32, None);
        // Cubes of a shell are at least `shell - 1` edges away.
        let mut shell = 0;
        while (shell - 1) as f32 <= nearest.0 {
            for triangle in around(centre.to_array(), shell).filter_map(|cube| self.cubes.get(&cube)) {
                for &triangle in &self.triangle_list[triangle.clone()] {
                    let found = closest_point(at, self.corners(triangle));
                    let distance = found.distance(at);
                    if distance <= nearest.0 {
                        nearest = (distance, Some(found));
                    }
                }
            }
            shell += 1;
        }
        nearest.1.map(|found| self.origin + self.edge * found.as_dvec3())
    }

    /// Statistics of the distances of points from the mesh, up to `within`, m.
    pub fn distances(&self, points: &[DVec3], within: f64) -> Distances {
        let distance = |point: &DVec3| self.nearest(*point, within).map(|nearest| nearest.distance(*point));
        Distances::of(points.par_iter().map(distance).collect())
    }
}

/// The cubes at Chebyshev distance `shell` from a cube.
fn around([x, y, z]: [i32; 3], shell: i32) -> impl Iterator<Item = [i32; 3]> {
    let side = -shell..=shell;
    let plane = side.clone().flat_map(move |i| side.clone().map(move |j| (i, j)));
    plane.flat_map(move |(i, j)| {
        let is_edge = i.abs() == shell || j.abs() == shell;
        let step = if is_edge { 1 } else { 2 * shell };
        (-shell..=shell).step_by(step.max(1) as usize).map(move |k| [x + i, y + j, z + k])
    })
}

impl Distances {
    /// Statistics of distances; none stands for a missed point.
    pub fn of(all: Vec<Option<f64>>) -> Self {
        let count = all.len();
        let mut found: Vec<f64> = all.into_iter().flatten().map(f64::abs).collect();
        let square: f64 = found.iter().map(|distance| distance * distance).sum();
        found.sort_unstable_by(f64::total_cmp);
        Self {
            rms: (square / found.len().max(1) as f64).sqrt(),
            percentile_99: found.get(found.len() * 99 / 100).copied().unwrap_or(0.0),
            max: found.last().copied().unwrap_or(0.0),
            missed: (count - found.len()) as f64 / count.max(1) as f64,
        }
    }
}

impl SurfaceMesh {
    /// Sample points on the mesh, m: its vertices, then the centres of its triangles and the midpoints of their sides.
    pub fn samples(&self) -> Vec<DVec3> {
        let inner = |[a, b, c]: [DVec3; 3]| [(a + b + c) / 3.0, (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0];
        let vertices = self.positions.iter().map(|position| position.as_dvec3());
        vertices.chain(self.corners().flat_map(inner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square of two triangles in the plane z = 0.
    fn square() -> SurfaceMesh {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        SurfaceMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], ..SurfaceMesh::default() }
    }

    #[test]
    fn distances_from_a_square() {
        let mesh = square();
        for edge in [0.07, 0.3, 5.0] {
            let triangles = TriangleGrid::new(&mesh, edge);
            for (point, distance) in [([0.3, 0.6, 0.5], 0.5), ([-0.3, 0.5, 0.4], 0.5), ([1.6, 1.8, 0.0], 1.0)] {
                let nearest = triangles.nearest(DVec3::from_array(point), 2.0).expect("it is near");
                assert!((nearest.distance(DVec3::from_array(point)) - distance).abs() < 1e-6, "cubes of {edge}");
            }
            assert_eq!(triangles.nearest(DVec3::new(0.5, 0.5, 1.1), 1.0), None);
        }
        assert_eq!(TriangleGrid::new(&SurfaceMesh::default(), 1.0).nearest(DVec3::ZERO, 3.0), None);
    }

    #[test]
    fn shells_are_whole() {
        for (shell, count) in [(0, 1), (1, 26), (2, 98)] {
            let mut cubes: Vec<_> = around([3, -1, 7], shell).collect();
            cubes.sort_unstable();
            cubes.dedup();
            assert_eq!((cubes.len(), around([3, -1, 7], shell).count()), (count, count));
        }
    }

    #[test]
    fn distance_statistics_are_exact() {
        let distances = Distances::of(vec![Some(3.0), None, Some(-4.0), Some(0.0)]);
        assert!((distances.rms - (25.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!((distances.max, distances.missed), (4.0, 0.25));
        assert_eq!(Distances::of(vec![]), Distances::default());
    }
}
