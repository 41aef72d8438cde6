//! Straight paths on a surface: the straightest geodesics of Polthier and Schmies (1998), which are straight when the
//! triangles that they cross are laid flat. Nothing is projected from space, so a path never leaves its layer.

use super::surface::{Face, NONE, SheetSurface, shared};
use glam::DVec3;

/// A path ends after crossing this many edges.
const MOST_CROSSINGS: u32 = 5000;

/// A point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SurfacePoint {
    /// Number of the face in the surface.
    pub face: u32,
    /// Barycentric coordinates.
    pub barycentric: DVec3,
}

/// The end of a path.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkEnd {
    pub place: SurfacePoint,
    /// Unit vector along the path, in the plane of the last face.
    pub direction: DVec3,
    /// Length of the path that is left at the end of the sheet, m.
    pub left: f64,
}

impl SheetSurface {
    /// Walks `length`, m, from a place along the part of a vector that lies in its face.
    pub fn walk(&self, from: SurfacePoint, towards: DVec3, length: f64) -> WalkEnd {
        let face = &self.faces[from.face as usize];
        let mut end = WalkEnd { place: from, direction: DVec3::ZERO, left: length };
        let Some(direction) = towards.reject_from_normalized(face.normal).try_normalize() else {
            return end;
        };
        end.direction = direction;
        let mut entry = None;
        for _ in 0..MOST_CROSSINGS {
            let face = &self.faces[end.place.face as usize];
            let rates = face.rates(end.direction);
            let (distance, edge) = exit(end.place.barycentric, rates, entry);
            if distance >= end.left {
                end.place.barycentric = inside(end.place.barycentric + rates * end.left);
                end.left = 0.0;
                return end;
            }
            end.left -= distance;
            let mut barycentric = end.place.barycentric + rates * distance;
            barycentric[edge] = 0.0;
            end.place.barycentric = inside(barycentric);
            if face.across[edge] == NONE {
                return end;
            }
            let Some((next, there)) = cross(face, edge, &mut end, self) else { return end };
            end.direction = next;
            entry = Some(there);
        }
        end
    }

    /// Position of a surface point, m.
    pub fn point(&self, place: SurfacePoint) -> DVec3 {
        self.faces[place.face as usize].point(place.barycentric)
    }
}

/// Distance to the edge through which a path leaves a face, m, and that edge.
fn exit(barycentric: DVec3, rates: DVec3, entry: Option<usize>) -> (f64, usize) {
    let leaves = (0..3).filter(|&k| Some(k) != entry && rates[k] < 0.0);
    let ways = leaves.map(|k| ((barycentric[k] / -rates[k]).max(0.0), k));
    ways.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
}

/// Moves the end of a path into the face across an edge; returns the direction in that face, and the edge of entry.
fn cross(face: &Face, edge: usize, end: &mut WalkEnd, surface: &SheetSurface) -> Option<(DVec3, usize)> {
    let number = face.across[edge];
    let other = &surface.faces[number as usize];
    let there = shared(face, edge, other)?;
    let mut barycentric = DVec3::ZERO;
    for corner in [(edge + 1) % 3, (edge + 2) % 3] {
        let at = other.vertices.iter().position(|&v| v == face.vertices[corner])?;
        barycentric[at] = end.place.barycentric[corner];
    }
    end.place = SurfacePoint { face: number, barycentric };
    let outwards = -face.inwards(edge);
    let part = end.direction.dot(outwards);
    let direction = end.direction - part * outwards + part * other.inwards(there);
    Some((direction.reject_from_normalized(other.normal).normalize_or(other.inwards(there)), there))
}

/// Barycentric coordinates without negative values by rounding.
fn inside(barycentric: DVec3) -> DVec3 {
    let b = barycentric.max(DVec3::ZERO);
    b / b.element_sum()
}
