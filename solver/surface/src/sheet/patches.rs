//! Curved patches over triangles with a normal at each corner, and triangles refined on them (Vlachos, Peters, Boyd and
//! Mitchell, "Curved PN triangles", 2001): cubic in position, quadratic in the normals. Tonnesen (1992, section 6.2.2)
//! asks for a cubic patch on each triangle.
//!
//! | symbol | meaning | equation |
//! |---|---|---|
//! | P, N | position and unit normal of a corner | |
//! | b | control points of the position: two per edge, in tangent planes, and one in the centre | section 3.1 |
//! | n | control points of the normal: per edge the mean, reflected across the normal plane | section 3.3 |
//!
//! Points on an edge depend only on its two ends and are shared by its triangles, so there are no cracks.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Refined triangles.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Refined {
    /// Positions, m: first the given ones, unchanged, then those on edges, then those within triangles.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Vertex numbers, with the orientation of the given triangles.
    pub triangles: Vec<[u32; 3]>,
    /// For each vertex, the three given vertices that its carried values come from; a given vertex lists itself three
    /// times.
    pub sources: Vec<[u32; 3]>,
    /// Their weights: nonnegative, with sum one.
    pub weights: Vec<[f32; 3]>,
}

/// Largest number of levels: with more, one triangle would become more than a million.
const MAX_LEVELS: u32 = 10;

/// Refines triangles on curved patches, each into `4^levels`, at most 4^10.
///
/// Normals are unit vectors, one per position. A vertex with a missing, zero or infinite normal has flat patches around
/// it. Triangles with an invalid or repeated vertex are left out.
pub fn subdivide(positions: &[Vec3], normals: &[Vec3], triangles: &[[u32; 3]], levels: u32) -> Refined {
    let parts = 1 << levels.min(MAX_LEVELS);
    let exists = |vertex: &u32| (*vertex as usize) < positions.len();
    let is_whole = |t: &&[u32; 3]| t.iter().all(exists) && t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    let triangles: Vec<[u32; 3]> = triangles.iter().filter(is_whole).copied().collect();
    let normal = |vertex: usize| normals.get(vertex).copied().unwrap_or_default();
    let corners: Vec<Corner> = (0..positions.len()).map(|v| Corner::new(positions[v], normal(v))).collect();
    let numbering = Numbering::new(positions.len(), &triangles, parts);
    let points = |number: usize| numbering.points_of(number, &corners, &triangles);
    let new: Vec<RefinedVertex> =
        (0..numbering.edges.len() + triangles.len()).into_par_iter().flat_map_iter(points).collect();
    let old = (0..positions.len()).map(|vertex| RefinedVertex {
        position: positions[vertex],
        normal: normal(vertex),
        sources: [vertex as u32; 3],
        weights: [1.0, 0.0, 0.0],
    });
    let triangles =
        (0..triangles.len()).into_par_iter().flat_map_iter(|t| numbering.triangles_of(t, triangles[t])).collect();
    let mut refined = Refined { triangles, ..Refined::default() };
    for point in old.chain(new) {
        refined.positions.push(point.position);
        refined.normals.push(point.normal);
        refined.sources.push(point.sources);
        refined.weights.push(point.weights);
    }
    refined
}

/// A new vertex.
struct RefinedVertex {
    position: Vec3,
    normal: Vec3,
    sources: [u32; 3],
    weights: [f32; 3],
}

/// A corner of triangles; the normal is zero if there is none.
#[derive(Clone, Copy)]
struct Corner {
    position: DVec3,
    normal: DVec3,
}

impl Corner {
    fn new(position: Vec3, normal: Vec3) -> Self {
        Self { position: position.as_dvec3(), normal: normal.as_dvec3().normalize_or_zero() }
    }

    /// The control point of an edge next to this end, relative to it.
    fn tangent(&self, other: &Self) -> DVec3 {
        let chord = other.position - self.position;
        (chord - chord.dot(self.normal) * self.normal) / 3.0
    }

    /// The control point of the normal half way to another corner.
    fn normal_between(&self, other: &Self) -> DVec3 {
        let (chord, sum) = (other.position - self.position, self.normal + other.normal);
        let length_squared = chord.length_squared();
        let reflected = if length_squared > 0.0 { sum - chord * (2.0 * chord.dot(sum) / length_squared) } else { sum };
        reflected.normalize_or(sum.normalize_or_zero())
    }
}

/// The patch over a triangle, relative to its first corner, for accuracy far from the origin.
struct PnTriangle {
    origin: DVec3,
    /// The corners.
    ends: [DVec3; 3],
    /// On the edge from corner k to the next: the control points next to corner k and next to the next corner.
    edges: [[DVec3; 2]; 3],
    centre: DVec3,
    normals: [DVec3; 3],
    /// Half way from corner k to the next.
    normals_between: [DVec3; 3],
}

impl PnTriangle {
    fn new(corners: [Corner; 3]) -> Self {
        let origin = corners[0].position;
        let ends = corners.map(|corner| corner.position - origin);
        let pairs = [(0, 1), (1, 2), (2, 0)];
        let edges = pairs.map(|(a, b)| {
            let [one, other] = [&corners[a], &corners[b]];
            [ends[a] + one.tangent(other), ends[b] + other.tangent(one)]
        });
        let mean_of_edges = edges.iter().flatten().sum::<DVec3>() / 6.0;
        let centre = mean_of_edges + (mean_of_edges - ends.iter().sum::<DVec3>() / 3.0) / 2.0;
        let normals_between = pairs.map(|(a, b)| corners[a].normal_between(&corners[b]));
        Self { origin, ends, edges, centre, normals: corners.map(|corner| corner.normal), normals_between }
    }

    fn position(&self, weights: [f64; 3]) -> Vec3 {
        let mut sum = 6.0 * weights.iter().product::<f64>() * self.centre;
        for k in 0..3 {
            let (own, next) = (weights[k], weights[(k + 1) % 3]);
            sum += own.powi(3) * self.ends[k];
            sum += 3.0 * own * next * (own * self.edges[k][0] + next * self.edges[k][1]);
        }
        (self.origin + sum).as_vec3()
    }

    fn normal(&self, weights: [f64; 3]) -> Vec3 {
        let mut sum = DVec3::ZERO;
        for k in 0..3 {
            let (own, next) = (weights[k], weights[(k + 1) % 3]);
            sum += own * own * self.normals[k] + 2.0 * own * next * self.normals_between[k];
        }
        sum.normalize_or_zero().as_vec3()
    }

    fn point(&self, sources: [u32; 3], weights: [f64; 3]) -> RefinedVertex {
        let (position, normal) = (self.position(weights), self.normal(weights));
        RefinedVertex { position, normal, sources, weights: weights.map(|weight| weight as f32) }
    }
}

/// Numbers of the vertices on edges and in triangles.
struct Numbering {
    vertices: usize,
    /// Edges from the lower vertex to the higher, sorted.
    edges: Vec<[u32; 2]>,
    parts: usize,
}

impl Numbering {
    fn new(vertices: usize, triangles: &[[u32; 3]], parts: usize) -> Self {
        let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]].map(|[a, b]| [a.min(b), a.max(b)]);
        let mut edges: Vec<[u32; 2]> = triangles.par_iter().flat_map_iter(sides).collect();
        edges.par_sort_unstable();
        edges.dedup();
        Self { vertices, edges, parts }
    }

    fn inner(&self) -> usize {
        (self.parts - 1) * self.parts.saturating_sub(2) / 2
    }

    /// The new vertices on an edge, or in a triangle if `number` is beyond the edges.
    fn points_of(&self, number: usize, corners: &[Corner], triangles: &[[u32; 3]]) -> Vec<RefinedVertex> {
        let part = |steps: usize| steps as f64 / self.parts as f64;
        let corner = |vertex: u32| corners[vertex as usize];
        if let Some(&[a, b]) = self.edges.get(number) {
            // The patch of an edge is that of any adjacent triangle.
            let patch = PnTriangle::new([corner(a), corner(b), corner(b)]);
            let point = |steps: usize| patch.point([a, b, b], [part(self.parts - steps), part(steps), 0.0]);
            return (1..self.parts).map(point).collect();
        }
        let triangle = triangles[number - self.edges.len()];
        let patch = PnTriangle::new(triangle.map(corner));
        let steps = (1..self.parts).flat_map(|row| (1..self.parts - row).map(move |column| (row, column)));
        let weights = |(row, column)| [part(self.parts - row - column), part(column), part(row)];
        steps.map(|steps| patch.point(triangle, weights(steps))).collect()
    }

    fn triangles_of(&self, number: usize, triangle: [u32; 3]) -> Vec<[u32; 3]> {
        let [a, b, c] = triangle;
        let edges = [(a, b), (a, c), (b, c)].map(|(from, to)| self.edge(from, to));
        let vertex = |row: usize, column: usize| match (self.parts - row - column, column, row) {
            (_, 0, 0) => a,
            (0, _, 0) => b,
            (0, 0, _) => c,
            (_, _, 0) => self.on_edge(edges[0], a < b, column),
            (_, 0, _) => self.on_edge(edges[1], a < c, row),
            (0, _, _) => self.on_edge(edges[2], b < c, row),
            _ => self.within(number, row, column),
        };
        let mut found = Vec::with_capacity(self.parts * self.parts);
        for row in 0..self.parts {
            for column in 0..self.parts - row {
                found.push([vertex(row, column), vertex(row, column + 1), vertex(row + 1, column)]);
                if row + column + 1 < self.parts {
                    found.push([vertex(row, column + 1), vertex(row + 1, column + 1), vertex(row + 1, column)]);
                }
            }
        }
        found
    }

    fn edge(&self, from: u32, to: u32) -> usize {
        self.edges.partition_point(|edge| *edge < [from.min(to), from.max(to)])
    }

    /// The vertex some steps along an edge, upwards or downwards.
    fn on_edge(&self, edge: usize, is_up: bool, steps: usize) -> u32 {
        let steps = if is_up { steps } else { self.parts - steps };
        (self.vertices + edge * (self.parts - 1) + steps - 1) as u32
    }

    /// The vertex within a triangle, `row` steps from its first corner towards its third and `column` steps towards its
    /// second.
    fn within(&self, number: usize, row: usize, column: usize) -> u32 {
        let before: usize = (1..row).map(|row| self.parts - row - 1).sum();
        let first = self.vertices + self.edges.len() * (self.parts - 1) + number * self.inner();
        (first + before + column - 1) as u32
    }
}
