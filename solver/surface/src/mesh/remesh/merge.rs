//! Merges triangles where the surface is flat: collapses edges to one of their ends, the cheapest first.
//!
//! Quadrics measure the cost. Two tests bound the deviation: each removed vertex stays within the given distance of the
//! surface; between vertices, the normals at the ends of edges show how curved the surface was. Vertices where two
//! bodies meet stay.

use super::geometry::MeshGeometry;
use super::quadric::Quadric;
use super::removed::{NewTriangle, RemovedVertices};
use crate::mesh::SurfaceMesh;
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sine of the least angle of merged triangles: 20 degrees.
const MIN_SINE: f32 = 0.342;

/// Square of the longest edge of merged triangles, cells^2: the detail that carried values keep at least.
const MAX_EDGE_SQUARED: f32 = 64.0;

/// Cost of the square of an edge's length, cells^2: on flat parts short edges go first.
const COST_OF_LENGTH: f64 = 1e-6;

/// Allowed distance of vertices over that of any point: between vertices near the surface the distance is up to twice
/// as large, as measured on balls, boxes and rings.
const VERTEX_OVER_ANY: f32 = 0.5;

/// Height of a sphere above the edges of an equilateral triangle over its height above the centre.
const EDGE_OVER_MIDDLE: f32 = 0.75;

/// Cost of removing a vertex, the vertex, and its revision.
type QueueEntry = Reverse<(u32, u32, u32)>;

/// State of the merging.
struct Merger<'a, 'b> {
    geometry: &'a mut MeshGeometry<'b>,
    normals: &'a [Vec3],
    /// Largest height of the surface over an edge, cells; the centres of triangles are then as far from it as vertices
    /// may be.
    max_height: f32,
    quadrics: Vec<Quadric>,
    removed: RemovedVertices,
    /// Number of changes around each vertex; older queue entries are stale.
    revisions: Vec<u32>,
    queue: BinaryHeap<QueueEntry>,
    /// Vertices that must stay.
    locked: Vec<bool>,
}

/// Merges triangles as long as the surface moves by at most `max_distance`, cells.
pub(super) fn merge(geometry: &mut MeshGeometry, mesh: &SurfaceMesh, max_distance: f32) {
    let mut merger = Merger::new(geometry, mesh, max_distance);
    (0..merger.locked.len()).for_each(|vertex| merger.enqueue(vertex));
    while let Some(Reverse((_, vertex, revision))) = merger.queue.pop() {
        let vertex = vertex as usize;
        if merger.revisions[vertex] == revision {
            merger.remove(vertex);
        }
    }
}

impl<'a, 'b> Merger<'a, 'b> {
    fn new(geometry: &'a mut MeshGeometry<'b>, mesh: &'a SurfaceMesh, max_distance: f32) -> Self {
        let max_distance = VERTEX_OVER_ANY * max_distance;
        let count = geometry.positions.len();
        let mut quadrics = vec![Quadric::ZERO; count];
        for triangle in 0..geometry.mesh.triangles() {
            if let (Some(vertices), Some(positions)) = (geometry.mesh.triangle(triangle), geometry.triangle(triangle)) {
                let quadric = Quadric::of(positions);
                for vertex in vertices {
                    quadrics[vertex] += quadric;
                }
            }
        }
        let locked =
            |vertex: usize| geometry.mesh.neighbours(vertex).any(|other| mesh.sources[other] != mesh.sources[vertex]);
        let locked = (0..count).map(locked).collect();
        let removed = RemovedVertices::new(geometry, max_distance);
        let (normals, max_height) = (&mesh.normals[..], EDGE_OVER_MIDDLE * max_distance);
        Self {
            geometry,
            normals,
            max_height,
            quadrics,
            removed,
            revisions: vec![0; count],
            queue: BinaryHeap::new(),
            locked,
        }
    }

    /// Cost of collapsing the edge of a corner to its end.
    fn cost(&self, corner: usize) -> f32 {
        let ends = [self.geometry.mesh.vertex(corner), self.geometry.mesh.end(corner)];
        let [from, to] = ends.map(|end| self.geometry.positions[end]);
        let lost = (self.quadrics[ends[0]] + self.quadrics[ends[1]]).at(to);
        (lost + COST_OF_LENGTH * f64::from(from.distance_squared(to))) as f32
    }

    fn enqueue(&mut self, vertex: usize) {
        let costs = self.geometry.mesh.ring(vertex).map(|corner| self.cost(corner));
        let least = costs.fold(f32::INFINITY, f32::min);
        if least.is_finite() && !self.locked[vertex] {
            // Nonnegative numbers sort like their bits.
            self.queue.push(Reverse((least.to_bits(), vertex as u32, self.revisions[vertex])));
        }
    }

    /// Removes a vertex, if possible, by its cheapest edge.
    fn remove(&mut self, vertex: usize) {
        let mut edges: Vec<(u32, usize)> =
            self.geometry.mesh.ring(vertex).map(|corner| (self.cost(corner).to_bits(), corner)).collect();
        edges.sort_unstable();
        for (_, corner) in edges {
            if let Some(reassignments) = self.reassignments(corner) {
                self.collapse(corner, &reassignments);
                return;
            }
        }
    }

    /// Height of the arc over an edge, cells, given the normals at both ends: exact for a circle up to terms of fourth
    /// order (compare the edges in Vlachos and others, "Curved PN triangles", 2001).
    fn height(&self, from: usize, to: usize) -> f32 {
        let along = self.geometry.positions[to] - self.geometry.positions[from];
        0.125 * along.dot(self.normals[to] - self.normals[from]).abs()
    }

    /// The new triangles of the removed vertices around a corner, and of its own vertex; none if the change is not
    /// allowed.
    fn reassignments(&self, corner: usize) -> Option<Vec<(u32, usize)>> {
        let (mesh, positions) = (&self.geometry.mesh, self.geometry.positions);
        let (from, to) = (mesh.vertex(corner), mesh.end(corner));
        if mesh.neighbours(from).any(|other| self.height(other, to) > self.max_height) {
            return None;
        }
        let change = self.geometry.collapse(corner)?;
        let is_sound = change.least >= MIN_SINE && change.longest_squared <= MAX_EDGE_SQUARED;
        if !(is_sound && self.geometry.can_collapse(corner)) {
            return None;
        }
        let replaced = |side: usize| -> Option<NewTriangle> {
            let others = [mesh.end(side), mesh.apex(side)];
            (!others.contains(&to)).then(|| (side / 3, [positions[to], positions[others[0]], positions[others[1]]]))
        };
        let candidates: Vec<NewTriangle> = mesh.ring(from).filter_map(replaced).collect();
        let own = std::iter::once(from as u32);
        let all = own.chain(mesh.ring(from).flat_map(|side| self.removed.of(side / 3)));
        let reassign =
            |vertex: u32| Some((vertex, self.removed.nearest_triangle(positions[vertex as usize], &candidates)?));
        all.map(reassign).collect()
    }

    fn collapse(&mut self, corner: usize, reassignments: &[(u32, usize)]) {
        let mesh = &mut self.geometry.mesh;
        let (from, to) = (mesh.vertex(corner), mesh.end(corner));
        self.removed.clear(mesh.ring(from).map(|side| side / 3));
        mesh.collapse(corner);
        for &(vertex, triangle) in reassignments {
            self.removed.insert(vertex, triangle);
        }
        let quadric = self.quadrics[from];
        self.quadrics[to] += quadric;
        self.revisions[from] += 1;
        let around: Vec<usize> = std::iter::once(to).chain(self.geometry.mesh.neighbours(to)).collect();
        for vertex in around {
            self.revisions[vertex] += 1;
            self.enqueue(vertex);
        }
    }
}
