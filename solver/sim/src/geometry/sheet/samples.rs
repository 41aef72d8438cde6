//! Points on a surface, and which of them are near each other along it.

use super::surface::{Face, SheetSurface};
use super::walk::SurfacePoint;
use crate::hash_grid::HashGrid;
use glam::DVec3;

/// Least cosine of the angle between the normals of two points of one sheet. A layer that looks the other way is
/// another sheet.
const SAME_SIDE: f64 = -0.3;

/// How far a point may lie off the tangent plane between two points of one sheet, over their distance, beyond the
/// offset by the bend that their normals tell of.
const OFF_PLANE: f64 = 0.25;

/// Folds less high than this, in the distance of neighbours, do not part a sheet into layers.
const FOLD: f64 = 0.35;

/// Cosine of the angle between normals below which a push is turned to go along the surface.
const FOLDED: f64 = 0.98;

/// A point of the surface, as its neighbours see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    /// Position, m.
    pub position: DVec3,
    /// Unit normal of the face.
    pub normal: DVec3,
    pub piece: u32,
    pub body: u32,
    pub two_sided: bool,
}

impl Point {
    pub fn new(surface: &SheetSurface, place: SurfacePoint) -> Self {
        let face = &surface.faces[place.face as usize];
        Self::of(surface, face, face.point(place.barycentric))
    }

    pub fn of(surface: &SheetSurface, face: &Face, position: DVec3) -> Self {
        let two_sided = surface.pieces[face.piece as usize].two_sided;
        Self { position, normal: face.normal, piece: face.piece, body: face.body, two_sided }
    }

    /// Whether a near point is also near along the surface, and not only on a layer beside this one; at a distance
    /// between neighbours, m.
    pub fn same_sheet(&self, other: &Self, distance: f64) -> bool {
        if self.body != other.body {
            return false;
        }
        let normal = self.facing(other);
        let cosine = self.normal.dot(normal);
        let offset = other.position - self.position;
        let bend = ((1.0 - cosine) / 2.0).max(0.0).sqrt();
        let between = (self.normal + normal).normalize_or_zero();
        cosine > SAME_SIDE && offset.dot(between).abs() <= ((bend + OFF_PLANE) * offset.length()).max(FOLD * distance)
    }

    /// The normal of another point; without its sign where sides change or mean nothing.
    fn facing(&self, other: &Self) -> DVec3 {
        let sided = self.piece == other.piece && self.two_sided;
        if sided || self.normal.dot(other.normal) > 0.0 { other.normal } else { -other.normal }
    }

    /// The offset from another point, m, turned into this point's plane where the sheet is folded between the two: a
    /// push goes around an edge.
    pub fn unfolded(&self, other: &Self) -> DVec3 {
        let offset = self.position - other.position;
        let normal = self.facing(other);
        if self.normal.dot(normal) > FOLDED {
            return offset;
        }
        // Across the fold in the plane between both, and in this one's.
        let between = (normal - self.normal).normalize_or_zero();
        let own = between.reject_from_normalized(self.normal).normalize_or_zero();
        let level = offset.reject_from((self.normal + normal).normalize_or(self.normal));
        level + (own - between) * level.dot(between)
    }
}

/// A grid of the positions of points, with cubes of some edge, m.
pub(super) fn grid_of(points: &[Point], edge: f64) -> HashGrid {
    HashGrid::new(edge, points.iter().map(|point| point.position))
}

/// Samples of a sheet under construction.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub places: Vec<SurfacePoint>,
    pub points: Vec<Point>,
}

impl Samples {
    pub fn push(&mut self, surface: &SheetSurface, place: SurfacePoint) {
        self.places.push(place);
        self.points.push(Point::new(surface, place));
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// How many samples each piece has.
    pub fn counts(&self, pieces: usize) -> Vec<usize> {
        let mut counts = vec![0; pieces];
        self.points.iter().for_each(|point| counts[point.piece as usize] += 1);
        counts
    }

    /// Keeps the samples chosen by number.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut number = 0..keep.len();
        self.places.retain(|_| number.next().is_some_and(|n| keep[n]));
        let mut number = 0..keep.len();
        self.points.retain(|_| number.next().is_some_and(|n| keep[n]));
    }
}

/// Distance to the nearest of some points on the same sheet, m, or a limit where none is nearer; at a distance between
/// neighbours, m.
pub(super) fn nearest(grid: &HashGrid, points: &[Point], point: &Point, limit: f64, distance: f64) -> f64 {
    let mut least = limit;
    for number in grid.near(point.position, limit) {
        let other = &points[number as usize];
        let length = other.position.distance(point.position);
        if length < least && point.same_sheet(other, distance) {
            least = length;
        }
    }
    least
}
