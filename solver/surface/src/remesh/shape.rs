//! How good triangles are, and what a change of the mesh would make of them.

use super::corners::{Corners, next, prev};
use glam::Vec3;

/// Triangles thinner than this, by the sine of their least angle, have no normal worth keeping: 5 degrees.
const NO_NORMAL: f32 = 0.087;

/// No triangle counts as thinner, by the sine of its least angle.
const THINNEST: f32 = 1e-4;

/// The cosine of the most that the normal of a triangle may turn: 45 degrees.
const MOST_TURNED: f32 = 0.707;

/// What a change would make of the triangles that it changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// How much better the triangles would be: the sum of their [faults](fault) now less that then.
    pub gain: f32,
    /// Sine of the least angle then.
    pub least: f32,
    /// How far the surface would move at most, cells.
    pub offset: f32,
    /// Square of the longest edge then, cells^2.
    pub longest_squared: f32,
}

/// Sine of the least angle of a triangle.
pub(super) fn sine([a, b, c]: [Vec3; 3]) -> f32 {
    let squares = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
    sine_of((b - a).cross(c - a).length(), squares)
}

/// The same from twice the area and the squared edges: the least angle lies between the two longer edges.
fn sine_of(twice_area: f32, [a, b, c]: [f32; 3]) -> f32 {
    let longer = (a * b).max(b * c).max(c * a);
    if longer > 0.0 { twice_area / longer.sqrt() } else { 0.0 }
}

/// How far a triangle is from one with equal sides: 0 for that, the more the thinner it is.
fn fault(sine: f32) -> f32 {
    sine.max(THINNEST).powi(-2) - 4.0 / 3.0
}

/// A mesh with places for its vertices, in cells.
pub(super) struct Shape<'a> {
    pub mesh: Corners,
    pub places: &'a [Vec3],
}

impl Shape<'_> {
    /// The places of a triangle's vertices, unless it is gone.
    pub fn triangle(&self, triangle: usize) -> Option<[Vec3; 3]> {
        self.mesh.triangle(triangle).map(|vertices| vertices.map(|vertex| self.places[vertex]))
    }

    /// The corner of a triangle's shortest edge, of equals the first.
    pub fn shortest(&self, triangle: usize) -> usize {
        let squared = |corner: &usize| {
            let [from, to] = [self.mesh.vertex(*corner), self.mesh.end(*corner)].map(|vertex| self.places[vertex]);
            from.distance_squared(to)
        };
        let corners = 3 * triangle..3 * triangle + 3;
        corners.min_by(|a, b| squared(a).total_cmp(&squared(b))).unwrap_or(3 * triangle)
    }

    /// What it would do to shrink the edge of a corner to its end, if it [can](Self::can_collapse); none if that would fold the
    /// mesh.
    pub fn collapse(&self, corner: usize) -> Option<Effect> {
        let (from, to) = (self.mesh.vertex(corner), self.mesh.end(corner));
        let mut effect = Effect::NONE;
        let (from, end) = (self.places[from], self.places[to]);
        for side in self.mesh.ring(self.mesh.vertex(corner)) {
            let others = [self.mesh.end(side), self.mesh.apex(side)];
            let [b, c] = others.map(|vertex| self.places[vertex]);
            if others.contains(&to) {
                effect.goes([from, b, c]);
            } else {
                effect.becomes([from, b, c], [end, b, c], from)?;
            }
        }
        Some(effect)
    }

    /// Whether the edge of a corner can shrink to its end without tearing the mesh, and without leaving a spike.
    pub fn can_collapse(&self, corner: usize) -> bool {
        // A vertex with three neighbours is a spike, and four of them a tetrahedron, which is soon inside out.
        let neighbours = |vertex: usize| self.mesh.neighbours(vertex).count();
        let left = neighbours(self.mesh.vertex(corner)) + neighbours(self.mesh.end(corner)) - 4;
        left > 3 && self.mesh.can_collapse(corner)
    }

    /// What it would do to turn the edge of a corner, if it [can](Corners::can_flip); none if that would fold the mesh.
    pub fn flip(&self, corner: usize) -> Option<Effect> {
        let twin = self.mesh.twin(corner);
        let [from, to, apex, other] =
            [corner, next(corner), prev(corner), prev(twin)].map(|corner| self.places[self.mesh.vertex(corner)]);
        let mut effect = Effect::NONE;
        // Both stand for the whole: each of the new ones lies across both of the old ones.
        effect.becomes([from, to, apex], [other, to, apex], from)?;
        effect.becomes([to, from, other], [apex, from, other], to)?;
        Some(effect)
    }
}

impl Effect {
    /// Of changing nothing.
    const NONE: Self = Self { gain: 0.0, least: 1.0, offset: 0.0, longest_squared: 0.0 };

    fn goes(&mut self, triangle: [Vec3; 3]) {
        self.gain += fault(sine(triangle));
    }

    /// One triangle becomes another that is to be near a point; none if it would face elsewhere.
    fn becomes(&mut self, now: [Vec3; 3], then: [Vec3; 3], near: Vec3) -> Option<()> {
        let cross = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
        let (old, new, sine_now) = (cross(now), cross(then), sine(now));
        let (area, [a, b, c]) = (new.length(), then);
        let squares = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
        let turned = if sine_now < NO_NORMAL { 0.0 } else { MOST_TURNED };
        let faces_as_before = area > 0.0 && old.dot(new) >= turned * old.length() * area;
        faces_as_before.then(|| {
            let sine_then = sine_of(area, squares);
            self.gain += fault(sine_now) - fault(sine_then);
            self.least = self.least.min(sine_then);
            self.offset = self.offset.max(((near - a).dot(new) / area).abs());
            self.longest_squared = squares.into_iter().fold(self.longest_squared, f32::max);
        })
    }
}
