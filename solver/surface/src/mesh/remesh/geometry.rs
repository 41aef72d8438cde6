//! Positions of a mesh, quality of its triangles, and effects of changes.

use super::corner_table::{CornerTable, next, prev};
use glam::Vec3;

/// Triangles whose least angle has a smaller sine have no reliable normal: 5 degrees.
const MIN_SINE_FOR_NORMAL: f32 = 0.087;

/// Lower bound of the sine of least angles.
const MIN_SINE: f32 = 1e-4;

/// Cosine of the largest rotation of a normal: 45 degrees.
const MIN_NORMAL_COSINE: f32 = 0.707;

/// The effect of a change on its triangles.
#[derive(Debug, Clone, Copy)]
pub(super) struct EdgeChange {
    /// Improvement: the sum of the [badness](badness) before minus after.
    pub gain: f32,
    /// Sine of the least angle afterwards.
    pub least: f32,
    /// Largest offset of the surface, cells.
    pub offset: f32,
    /// Square of the longest edge afterwards, cells^2.
    pub longest_squared: f32,
}

/// Sine of the least angle of a triangle.
pub(super) fn sine([a, b, c]: [Vec3; 3]) -> f32 {
    let squares = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
    sine_of((b - a).cross(c - a).length(), squares)
}

/// The sine of the least angle, from twice the area and the squared edges. The least angle lies between the two longer
/// edges.
fn sine_of(twice_area: f32, [a, b, c]: [f32; 3]) -> f32 {
    let longer = (a * b).max(b * c).max(c * a);
    if longer > 0.0 { twice_area / longer.sqrt() } else { 0.0 }
}

/// Badness of a triangle: 0 if it is equilateral, larger the thinner it is.
fn badness(sine: f32) -> f32 {
    sine.max(MIN_SINE).powi(-2) - 4.0 / 3.0
}

/// A corner table with positions of its vertices, cells.
pub(super) struct MeshGeometry<'a> {
    pub mesh: CornerTable,
    pub positions: &'a [Vec3],
}

impl MeshGeometry<'_> {
    /// The positions of a triangle's corners, unless it is removed.
    pub fn triangle(&self, triangle: usize) -> Option<[Vec3; 3]> {
        self.mesh.triangle(triangle).map(|vertices| vertices.map(|vertex| self.positions[vertex]))
    }

    /// The corner of a triangle's shortest edge; of equals the first.
    pub fn shortest(&self, triangle: usize) -> usize {
        let squared = |corner: &usize| {
            let [from, to] = [self.mesh.vertex(*corner), self.mesh.end(*corner)].map(|vertex| self.positions[vertex]);
            from.distance_squared(to)
        };
        let corners = 3 * triangle..3 * triangle + 3;
        corners.min_by(|a, b| squared(a).total_cmp(&squared(b))).unwrap_or(3 * triangle)
    }

    /// The effect of collapsing the edge of a corner to its end, if that [is possible](Self::can_collapse); none if it
    /// would fold the mesh.
    pub fn collapse(&self, corner: usize) -> Option<EdgeChange> {
        let (from, to) = (self.mesh.vertex(corner), self.mesh.end(corner));
        let mut change = EdgeChange::NONE;
        let (from, end) = (self.positions[from], self.positions[to]);
        for side in self.mesh.ring(self.mesh.vertex(corner)) {
            let others = [self.mesh.end(side), self.mesh.apex(side)];
            let [b, c] = others.map(|vertex| self.positions[vertex]);
            if others.contains(&to) {
                change.remove([from, b, c]);
            } else {
                change.replace([from, b, c], [end, b, c], from)?;
            }
        }
        Some(change)
    }

    /// Whether the edge of a corner can collapse without tearing the mesh and without leaving a spike.
    pub fn can_collapse(&self, corner: usize) -> bool {
        // A vertex with three neighbours is a spike. Four such vertices are a tetrahedron, which easily turns inside
        // out.
        let neighbours = |vertex: usize| self.mesh.neighbours(vertex).count();
        let left = neighbours(self.mesh.vertex(corner)) + neighbours(self.mesh.end(corner)) - 4;
        left > 3 && self.mesh.can_collapse(corner)
    }

    /// The effect of flipping the edge of a corner, if that [is possible](CornerTable::can_flip); none if it would fold
    /// the mesh.
    pub fn flip(&self, corner: usize) -> Option<EdgeChange> {
        let twin = self.mesh.twin(corner);
        let [from, to, apex, other] =
            [corner, next(corner), prev(corner), prev(twin)].map(|corner| self.positions[self.mesh.vertex(corner)]);
        let mut change = EdgeChange::NONE;
        // Each new triangle overlaps both old ones, so the pairs stand for the whole.
        change.replace([from, to, apex], [other, to, apex], from)?;
        change.replace([to, from, other], [apex, from, other], to)?;
        Some(change)
    }
}

impl EdgeChange {
    /// No change.
    const NONE: Self = Self { gain: 0.0, least: 1.0, offset: 0.0, longest_squared: 0.0 };

    fn remove(&mut self, triangle: [Vec3; 3]) {
        self.gain += badness(sine(triangle));
    }

    /// Replaces a triangle by another that should be near a point; none if the normal would turn too far.
    fn replace(&mut self, now: [Vec3; 3], then: [Vec3; 3], near: Vec3) -> Option<()> {
        let cross = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a);
        let (old, new, sine_now) = (cross(now), cross(then), sine(now));
        let (area, [a, b, c]) = (new.length(), then);
        let squares = [(b - a).length_squared(), (c - b).length_squared(), (a - c).length_squared()];
        let min_cosine = if sine_now < MIN_SINE_FOR_NORMAL { 0.0 } else { MIN_NORMAL_COSINE };
        let faces_as_before = area > 0.0 && old.dot(new) >= min_cosine * old.length() * area;
        faces_as_before.then(|| {
            let sine_then = sine_of(area, squares);
            self.gain += badness(sine_now) - badness(sine_then);
            self.least = self.least.min(sine_then);
            self.offset = self.offset.max(((near - a).dot(new) / area).abs());
            self.longest_squared = squares.into_iter().fold(self.longest_squared, f32::max);
        })
    }
}
