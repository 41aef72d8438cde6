//! Triangulates the oriented particles of sheets (Tonnesen 1992, section 6.2.2: all triangles with edges up to a
//! longest one whose circumscribing sphere holds no other particle), and refines the triangles on curved patches.
//!
//! | module | what |
//! |---|---|
//! | `particles` | the valid particles, sorted; whether two lie in one layer |
//! | `neighbours` | the neighbours of each particle in its layer |
//! | `candidates` | triangles with empty spheres |
//! | `stars` | the triangles around each particle; whether two overlap |
//! | `choice` | chooses among overlapping candidates: small spheres, long shortest sides |
//! | `holes` | fills small holes with short diagonals |
//! | `fans` | keeps one fan of triangles per particle |
//! | `mesh` | the sheets of a frame as a mesh |
//! | `woven` | triangles that a woven sheet keeps until it tears |
//! | `flips` | edge flips where a woven sheet has been stretched |
//! | `seams` | triangles between sheets that a tool has joined |
//! | [`patches`] | curved patches and refined triangles |
//!
//! | symbol | meaning |
//! |---|---|
//! | L | the longest edge, m; the unit of length in this module |
//! | R | radius of the smallest sphere through the corners of a triangle |
//!
//! In a plane the rule gives the Delaunay triangulation. Where six or more particles lie near a sphere, those up to 2 %
//! of its radius inside count as on it, and any triangulation of these will do.
//!
//! On a curved sheet the rule may give too many triangles: if four particles lie nearly on a circle, triangles on both
//! diagonals may have empty spheres. Then the smaller spheres win. Equal spheres, as on a square lattice, would be
//! decided by rounding alone. So spheres are measured in a space stretched slightly along a slanted direction. Then the
//! same diagonals win all over a lattice, for any order of the particles, and still do after small motions. The
//! direction is fixed in space, so a rotating square lattice changes all of its diagonals at once now and then.
//!
//! A triangle is added only if the sectors at its corners are free. So every edge has one triangle on each side for any
//! particles; signs of areas need not be exact for that.

mod candidates;
mod choice;
mod fans;
mod flips;
mod holes;
pub(crate) mod mesh;
mod neighbours;
mod particles;
pub mod patches;
mod seams;
mod stars;
mod woven;

use glam::Vec3;
use neighbours::LayerNeighbours;
use particles::SheetParticles;
use rayon::prelude::*;

/// Oriented particles of sheets: as many normals as positions; excess entries of the longer list are ignored.
#[derive(Debug, Clone, Copy)]
pub struct SheetPoints<'a> {
    /// Positions, m.
    pub positions: &'a [Vec3],
    /// Normals of the sheet, of any length but zero.
    pub normals: &'a [Vec3],
}

/// The triangles of sheets through particles, by particle numbers: counter-clockwise seen from where the normals point,
/// the lowest number of each first, sorted.
///
/// No edge is longer than `longest_edge`, m: 1.5 to 1.8 times the distance of neighbours in a sheet. The triangles form
/// a 2-manifold with boundary, consistently oriented, for any particles. If two sheets touch in one particle, the
/// larger fan of triangles keeps it. Particles are left out if their position or normal is not finite, if their normal
/// is zero, or if they are more than 2^30 longest edges from the origin. Of particles within a thousandth of a longest
/// edge of each other, one is kept. There are no triangles if the longest edge is not a positive number.
///
/// The triangles do not depend on the number of threads, nor on the order of the particles, except among exactly equal
/// ones.
pub fn triangulate(points: SheetPoints, longest_edge: f32) -> Vec<[u32; 3]> {
    if !(longest_edge.is_finite() && longest_edge > 0.0) {
        return vec![];
    }
    let particles = SheetParticles::new(points, f64::from(longest_edge));
    let neighbours = LayerNeighbours::new(&particles);
    let candidates = candidates::candidates(&particles, &neighbours);
    let mut stars = choice::choose(&particles, &neighbours, &candidates);
    holes::fill(&particles, &mut stars);
    fans::keep_one(&particles, &mut stars);
    let mut triangles = stars.triangles(|particle| particles.numbers[particle as usize]);
    triangles.par_sort_unstable();
    triangles
}

/// Rotates a triangle so that its lowest corner comes first.
fn lowest_first(mut corners: [u32; 3]) -> [u32; 3] {
    let low = (0..3).min_by_key(|&n| corners[n]).unwrap_or(0);
    corners.rotate_left(low);
    corners
}

/// A hexagonal lattice with spacing one, for tests.
#[cfg(test)]
fn lattice(row: u32, rows: u32) -> Vec<Vec3> {
    let position = |n: u32| Vec3::new((n % row) as f32 + 0.5 * (n / row % 2) as f32, (n / row) as f32 * 0.866, 0.0);
    (0..row * rows).map(position).collect()
}
