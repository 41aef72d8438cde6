//! The region of a mesh that pins hold.
//!
//! A pin holds the vertices that it names, the edges between two of them and the faces between three. It also holds the
//! part of the sheet within [`REACH`] of these that is connected to them within that distance: a place is held if a
//! path over the mesh leads from it to such a vertex, edge or face without leaving the ball of that radius around the
//! place. So it does not matter how fine the mesh is, and another layer that only lies near is not held. The part of a
//! triangle within a ball is connected, so a path is a sequence of edges that pass through the ball.

use crate::bounds::Bounds;
use crate::geometry::{TriangleMesh, welded};
use crate::hash_grid::HashGrid;
use dollop_scene::Pin;
use glam::{DAffine3, DVec3};
use rustc_hash::{FxHashMap, FxHashSet};

/// Distance from held vertices, edges and faces within which the sheet is held, in distances of nearest neighbours:
/// rows end up to three quarters of one from an edge.
const REACH: f64 = 1.0;

/// Largest distance of a pin's vertex from a vertex of the mesh, over the size of the mesh.
const SAME: f64 = 1e-5;

/// No path leads across an edge with more triangles than this.
const MOST_AT_EDGE: usize = 64;

/// The regions that the pins of a body hold on its mesh, which is in world coordinates.
#[derive(Default)]
pub struct Regions {
    /// Vertices at the same place are merged.
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// The sides of all triangles, sorted by the vertices at their ends.
    sides: Vec<Side>,
    /// For each side of each triangle the first of the sides between the same vertices.
    first: Vec<[u32; 3]>,
    /// The pins that hold a vertex, in their order.
    held: FxHashMap<u32, Vec<usize>>,
    /// Number of pins.
    pins: usize,
    /// Reach of the held regions, m.
    reach: f64,
}

/// A side of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: [u32; 2],
    triangle: u32,
}

impl Side {
    /// The side of a triangle, given its vertices, from one of its corners to the next.
    fn new(triangle: u32, vertices: [u32; 3], corner: usize) -> Self {
        let (a, b) = (vertices[corner], vertices[(corner + 1) % 3]);
        Self { ends: [a.min(b), a.max(b)], triangle }
    }
}

/// A place at which a pin should hold a vertex that is not there.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the body's mesh has no vertex at {place}; the nearest is at {nearest}, {:.2e} m away; both are places in the mesh's file, \
     where the transform does not count: give that of a vertex",
    .nearest.distance(*.place)
)]
pub struct NoVertex {
    /// The number of the pin, and of the vertex within the pin.
    pub at: [usize; 2],
    /// In the mesh's own coordinates, m; the same for the vertex nearest to it.
    place: DVec3,
    nearest: DVec3,
}

impl NoVertex {
    fn new([pin, vertex]: [usize; 2], pins: &[Pin], mesh: &TriangleMesh, map: &DAffine3) -> Self {
        let (place, back) = (DVec3::from(pins[pin].vertices[vertex]), map.inverse());
        let nearer = |a: &DVec3, b: &DVec3| a.distance(place).total_cmp(&b.distance(place));
        let nearest = mesh.positions.iter().map(|&position| back.transform_point3(position)).min_by(nearer);
        Self { at: [pin, vertex], place, nearest: ten_digits(nearest.unwrap_or(DVec3::NAN)) }
    }
}

/// Rounds off the errors of mapping there and back.
fn ten_digits(place: DVec3) -> DVec3 {
    let decimals = (10.0 - place.abs().max_element().log10().ceil()).clamp(0.0, 30.0) as usize;
    let rounded = |part: f64| format!("{part:.decimals$}").parse().unwrap_or(part) + 0.0;
    DVec3::from_array(place.to_array().map(rounded))
}

impl Regions {
    /// The regions of some pins, in the mesh's own coordinates, on the mesh, which `map` has moved from these; with a
    /// distance of nearest neighbours in the sheet, m.
    ///
    /// # Errors
    /// The first vertex of a pin that the mesh does not have.
    pub fn new(mesh: &TriangleMesh, map: &DAffine3, pins: &[Pin], nearest: f64) -> Result<Self, NoVertex> {
        if pins.is_empty() {
            return Ok(Self::default());
        }
        let welded = welded(&mesh.positions);
        let held = held(&Vertices::new(&mesh.positions), &welded, map, pins)
            .map_err(|at| NoVertex::new(at, pins, mesh, map))?;
        let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|vertex| welded[vertex as usize])).collect();
        let side = |triangle: u32, corner| Side::new(triangle, triangles[triangle as usize], corner);
        let all = || 0..triangles.len() as u32;
        let mut sides: Vec<Side> = all().flat_map(|n| [0, 1, 2].map(|corner| side(n, corner))).collect();
        sides.sort_unstable();
        let first = |n| [0, 1, 2].map(|corner| sides.partition_point(|other| other.ends < side(n, corner).ends) as u32);
        let first = all().map(first).collect();
        let (positions, reach) = (mesh.positions.clone(), REACH * nearest);
        Ok(Self { positions, triangles, sides, first, held, pins: pins.len(), reach })
    }

    /// The pins that hold a place on a triangle of the mesh, in their order.
    pub fn at(&self, triangle: u32, place: DVec3) -> Vec<usize> {
        let mut found = Vec::new();
        if self.held.is_empty() {
            return found;
        }
        let [a, b, c] = self.triangles[triangle as usize].map(|vertex| self.of(vertex));
        add(&mut found, a.iter().filter(|pin| b.contains(pin) && c.contains(pin)));
        let (mut next, mut seen) = (vec![triangle], FxHashSet::from_iter([triangle]));
        while let Some(triangle) = next.pop().filter(|_| found.len() < self.pins) {
            self.look(triangle, place, &mut found);
            next.extend(self.across(triangle, place).filter(|&other| seen.insert(other)));
        }
        found.sort_unstable();
        found
    }

    /// The pins that hold a vertex.
    fn of(&self, vertex: u32) -> &[usize] {
        self.held.get(&vertex).map_or(&[], Vec::as_slice)
    }

    /// Adds the pins of all vertices and sides of a triangle that are near a place.
    fn look(&self, triangle: u32, place: DVec3, found: &mut Vec<usize>) {
        let vertices = self.triangles[triangle as usize];
        for corner in 0..3 {
            let [a, b] = [vertices[corner], vertices[(corner + 1) % 3]];
            let (own, their) = (self.of(a), self.of(b));
            if !own.is_empty() && place.distance(self.positions[a as usize]) < self.reach {
                add(found, own.iter());
            } else if !own.is_empty() && !their.is_empty() && self.is_near(place, [a, b]) {
                add(found, own.iter().filter(|pin| their.contains(pin)));
            }
        }
    }

    /// The triangles across the sides of one triangle that are near a place.
    fn across(&self, triangle: u32, place: DVec3) -> impl Iterator<Item = u32> {
        self.first[triangle as usize].into_iter().flat_map(move |first| {
            let sides = &self.sides[first as usize..];
            let ends = sides[0].ends;
            let count = sides.iter().take(MOST_AT_EDGE + 1).take_while(|side| side.ends == ends).count();
            let crossed = if count > MOST_AT_EDGE || !self.is_near(place, ends) { 0 } else { count };
            sides[..crossed].iter().map(|side| side.triangle)
        })
    }

    fn is_near(&self, place: DVec3, ends: [u32; 2]) -> bool {
        let [a, b] = ends.map(|vertex| self.positions[vertex as usize]);
        let along = b - a;
        let part = (place - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        place.distance(a + along * part.clamp(0.0, 1.0)) < self.reach
    }
}

/// Adds the pins that are not listed yet.
fn add<'a>(found: &mut Vec<usize>, pins: impl Iterator<Item = &'a usize>) {
    for pin in pins {
        if !found.contains(pin) {
            found.push(*pin);
        }
    }
}

/// The pins that hold each vertex, in their order; vertices at one place share the entry of the first of them.
///
/// # Errors
/// The number of the first pin, and of its first vertex, that the mesh does not have.
fn held(
    vertices: &Vertices,
    welded: &[u32],
    map: &DAffine3,
    pins: &[Pin],
) -> Result<FxHashMap<u32, Vec<usize>>, [usize; 2]> {
    let mut held = FxHashMap::<u32, Vec<usize>>::default();
    for (pin, of) in pins.iter().enumerate() {
        for (number, &place) in of.vertices.iter().enumerate() {
            let mut found = vertices.at(map.transform_point3(DVec3::from(place))).peekable();
            if found.peek().is_none() {
                return Err([pin, number]);
            }
            for vertex in found {
                let pins = held.entry(welded[vertex]).or_default();
                if pins.last() != Some(&pin) {
                    pins.push(pin);
                }
            }
        }
    }
    Ok(held)
}

/// The vertices of a mesh by their places.
struct Vertices<'a> {
    positions: &'a [DVec3],
    centre: DVec3,
    /// Extent of the mesh from there, the largest along any axis, m.
    size: f64,
    /// The places from the centre.
    grid: HashGrid,
}

impl<'a> Vertices<'a> {
    fn new(positions: &'a [DVec3]) -> Self {
        let Bounds { low, high } = Bounds::of(positions.iter().copied());
        let (centre, size) = (low.midpoint(high), (high - low).max_element() / 2.0);
        let grid = HashGrid::new(tolerance(size), positions.iter().map(|position| position - centre));
        Self { positions, centre, size, grid }
    }

    /// The vertices at a place.
    fn at(&self, place: DVec3) -> impl Iterator<Item = usize> {
        let offset = place - self.centre;
        let within = offset.abs().max_element() <= 2.0 * self.size;
        let near = within.then(|| self.grid.around(offset)).into_iter().flatten().map(|vertex| vertex as usize);
        near.filter(move |&vertex| self.positions[vertex].distance(place) <= tolerance(self.size))
    }
}

/// Largest distance of a vertex from a place, m, in a mesh of some size, m.
fn tolerance(size: f64) -> f64 {
    (SAME * size).max(f64::MIN_POSITIVE)
}
