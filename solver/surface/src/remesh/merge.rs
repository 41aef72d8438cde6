//! Triangles merged where the surface is flat: edges shrink to one of their ends, the one first that the least is lost by.
//!
//! What is lost is measured by quadrics. How far it may go is told by the vertices that are gone, each of which stays within the
//! given distance of the surface, and between them by the normals at the ends of edges: where these turn, the surface was round.
//! Where two sources meet vertices stay.

use super::gone::{Candidate, Gone};
use super::quadric::Quadric;
use super::shape::Shape;
use crate::mesh::SurfaceMesh;
use glam::Vec3;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Sine of the least angle of merged triangles: 20 degrees.
const LEAST_SINE: f32 = 0.342;

/// Square of the longest edge of merged triangles, cells^2: what vertices carry has this detail at least.
const LONGEST_SQUARED: f32 = 64.0;

/// What the square of an edge's length, cells^2, adds to what is lost by it: where all is flat, short edges go first.
const COST_OF_LENGTH: f64 = 1e-6;

/// How far vertices may be from the surface, over how far any point may be: between vertices that are near the surface it is up
/// to twice as far away, as measured on balls, boxes and rings.
const VERTEX_OVER_ANY: f32 = 0.5;

/// How high a sphere is above the edges of a triangle with equal sides, over how high it is above the middle.
const EDGE_OVER_MIDDLE: f32 = 0.75;

/// What is lost by taking a vertex out, the vertex, and how often that has changed.
type Offer = Reverse<(u32, u32, u32)>;

/// Merges.
struct Merger<'a, 'b> {
    shape: &'a mut Shape<'b>,
    normals: &'a [Vec3],
    /// How far edges may be from the surface, cells: the middles of triangles are then as far as vertices may be.
    highest: f32,
    quadrics: Vec<Quadric>,
    gone: Gone,
    /// How often what is around a vertex has changed.
    changes: Vec<u32>,
    offers: BinaryHeap<Offer>,
    /// Vertices that stay.
    stays: Vec<bool>,
}

/// Merges triangles as long as the surface moves by no more than that, cells.
pub(super) fn merge(shape: &mut Shape, mesh: &SurfaceMesh, farthest: f32) {
    let mut merger = Merger::new(shape, mesh, farthest);
    (0..merger.stays.len()).for_each(|vertex| merger.offer(vertex));
    while let Some(Reverse((_, vertex, change))) = merger.offers.pop() {
        let vertex = vertex as usize;
        if merger.changes[vertex] == change {
            merger.take_out(vertex);
        }
    }
}

impl<'a, 'b> Merger<'a, 'b> {
    fn new(shape: &'a mut Shape<'b>, mesh: &'a SurfaceMesh, farthest: f32) -> Self {
        let farthest = VERTEX_OVER_ANY * farthest;
        let count = shape.places.len();
        let mut quadrics = vec![Quadric::ZERO; count];
        for triangle in 0..shape.mesh.triangles() {
            if let (Some(vertices), Some(places)) = (shape.mesh.triangle(triangle), shape.triangle(triangle)) {
                let quadric = Quadric::of(places);
                for vertex in vertices {
                    quadrics[vertex] += quadric;
                }
            }
        }
        let stays =
            |vertex: usize| shape.mesh.neighbours(vertex).any(|other| mesh.sources[other] != mesh.sources[vertex]);
        let stays = (0..count).map(stays).collect();
        let gone = Gone::new(shape, farthest);
        let (normals, highest) = (&mesh.normals[..], EDGE_OVER_MIDDLE * farthest);
        Self { shape, normals, highest, quadrics, gone, changes: vec![0; count], offers: BinaryHeap::new(), stays }
    }

    /// What is lost when the edge of a corner shrinks to its end.
    fn cost(&self, corner: usize) -> f32 {
        let ends = [self.shape.mesh.vertex(corner), self.shape.mesh.end(corner)];
        let [from, to] = ends.map(|end| self.shape.places[end]);
        let lost = (self.quadrics[ends[0]] + self.quadrics[ends[1]]).at(to);
        (lost + COST_OF_LENGTH * f64::from(from.distance_squared(to))) as f32
    }

    fn offer(&mut self, vertex: usize) {
        let costs = self.shape.mesh.ring(vertex).map(|corner| self.cost(corner));
        let least = costs.fold(f32::INFINITY, f32::min);
        if least.is_finite() && !self.stays[vertex] {
            // Numbers that are not negative sort as their bits do.
            self.offers.push(Reverse((least.to_bits(), vertex as u32, self.changes[vertex])));
        }
    }

    /// Takes a vertex out, if that can be, by the edge that the least is lost by.
    fn take_out(&mut self, vertex: usize) {
        let mut edges: Vec<(u32, usize)> =
            self.shape.mesh.ring(vertex).map(|corner| (self.cost(corner).to_bits(), corner)).collect();
        edges.sort_unstable();
        for (_, corner) in edges {
            if let Some(homes) = self.homes(corner) {
                self.collapse(corner, &homes);
                return;
            }
        }
    }

    /// How high the arc that is normal to the normals at both ends is above an edge, cells: of a circle, exactly but for terms of
    /// fourth order (as the edges of Vlachos and others, "Curved PN triangles", 2001).
    fn height(&self, from: usize, to: usize) -> f32 {
        let along = self.shape.places[to] - self.shape.places[from];
        0.125 * along.dot(self.normals[to] - self.normals[from]).abs()
    }

    /// The triangles that the vertices around go to that would be gone; none if the change is not to be.
    fn homes(&self, corner: usize) -> Option<Vec<(u32, usize)>> {
        let (mesh, places) = (&self.shape.mesh, self.shape.places);
        let (from, to) = (mesh.vertex(corner), mesh.end(corner));
        if mesh.neighbours(from).any(|other| self.height(other, to) > self.highest) {
            return None;
        }
        let effect = self.shape.collapse(corner)?;
        let is_sound = effect.least >= LEAST_SINE && effect.longest_squared <= LONGEST_SQUARED;
        if !(is_sound && self.shape.can_collapse(corner)) {
            return None;
        }
        let becomes = |side: usize| -> Option<Candidate> {
            let others = [mesh.end(side), mesh.apex(side)];
            (!others.contains(&to)).then(|| (side / 3, [places[to], places[others[0]], places[others[1]]]))
        };
        let candidates: Vec<Candidate> = mesh.ring(from).filter_map(becomes).collect();
        let own = std::iter::once(from as u32);
        let all = own.chain(mesh.ring(from).flat_map(|side| self.gone.of(side / 3)));
        let home = |vertex: u32| Some((vertex, self.gone.home(places[vertex as usize], &candidates)?));
        all.map(home).collect()
    }

    fn collapse(&mut self, corner: usize, homes: &[(u32, usize)]) {
        let mesh = &mut self.shape.mesh;
        let (from, to) = (mesh.vertex(corner), mesh.end(corner));
        self.gone.clear(mesh.ring(from).map(|side| side / 3));
        mesh.collapse(corner);
        for &(vertex, triangle) in homes {
            self.gone.put(vertex, triangle);
        }
        let quadric = self.quadrics[from];
        self.quadrics[to] += quadric;
        self.changes[from] += 1;
        let around: Vec<usize> = std::iter::once(to).chain(self.shape.mesh.neighbours(to)).collect();
        for vertex in around {
            self.changes[vertex] += 1;
            self.offer(vertex);
        }
    }
}
