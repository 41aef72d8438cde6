//! Triangles over the oriented particles of a sheet (Tonnesen 1992, section 6.2.2: all triangles with edges up to a longest one
//! whose circumscribing sphere holds no other particle), and curved patches over these.
//!
//! | module | what |
//! |---|---|
//! | `particles` | those that can be used, sorted; which two lie in one layer |
//! | `lists` | the neighbours of each particle in its layer |
//! | `candidates` | triangles with empty spheres |
//! | `stars` | the triangles around each particle; whether two overlap |
//! | `choice` | of candidates that overlap, those with smaller spheres and longer shortest sides |
//! | `holes` | small holes whose diagonals are short enough, filled |
//! | `fans` | one fan of triangles a particle |
//! | `mesh` | the sheets of a frame as a mesh |
//! | `woven` | triangles that a woven sheet keeps until it tears |
//! | `turning` | sides of these turned where a sheet is drawn out |
//! | `seams` | triangles between sheets that a tool has joined |
//! | [`patches`] | curved patches, refined triangles |
//!
//! | symbol | meaning |
//! |---|---|
//! | L | the longest edge, m; within the room it is the unit of length |
//! | R | radius of the smallest sphere through the corners of a triangle |
//!
//! In a plane the rule gives Delaunay's triangles. On a curved sheet it may give too many: where four particles lie nearly on a circle,
//! triangles on both diagonals may have empty spheres, and the smaller spheres win. Equal ones, as on a square lattice,
//! would be told apart by rounding alone, so spheres are measured in a space stretched a little along one slanting direction:
//! the same diagonals win all over a lattice, whatever the order of the particles, and still do when they have moved a little.
//! As the direction is fixed in space, a square lattice that turns changes its diagonals now and then, all at once.
//!
//! A triangle enters where the sectors of its corners are free, so every edge has one triangle a side, whatever the particles
//! are: signs of areas need not be exact for that.

mod candidates;
mod choice;
mod fans;
mod holes;
mod lists;
pub(crate) mod mesh;
mod particles;
pub mod patches;
mod seams;
mod stars;
mod turning;
mod woven;

use glam::Vec3;
use lists::Lists;
use particles::Particles;
use rayon::prelude::*;

/// Oriented particles of sheets: as many normals as positions; what is beyond the shorter list is left out.
#[derive(Debug, Clone, Copy)]
pub struct SheetPoints<'a> {
    /// Positions, m.
    pub positions: &'a [Vec3],
    /// Normals of the sheet, of any length but zero.
    pub normals: &'a [Vec3],
}

/// The triangles of the sheets that particles lie in, by their numbers: counter-clockwise seen from where the normals point, the lowest
/// number of each first, sorted.
///
/// No edge is longer than `longest_edge`, m: 1.5 to 1.8 times the distance of neighbours in a sheet. The triangles are a
/// 2-manifold with boundary, consistently oriented, whatever the particles are. Where two sheets touch in one particle, the
/// larger fan of triangles keeps it and the other goes. Left out are particles whose position or normal is
/// not finite, whose normal is zero, which are more than 2^30 longest edges from the origin, and all but one of those within a
/// thousandth of it of each other. There are no triangles if the longest edge is not a positive number.
///
/// The triangles do not depend on the number of threads, nor, but for exactly equal particles, on the order of the particles.
pub fn triangulate(points: SheetPoints, longest_edge: f32) -> Vec<[u32; 3]> {
    if !(longest_edge.is_finite() && longest_edge > 0.0) {
        return vec![];
    }
    let particles = Particles::new(points, f64::from(longest_edge));
    let lists = Lists::new(&particles);
    let candidates = candidates::candidates(&particles, &lists);
    let mut stars = choice::choose(&particles, &lists, &candidates);
    holes::fill(&particles, &mut stars);
    fans::keep_one(&particles, &mut stars);
    let mut triangles = stars.triangles(|particle| particles.numbers[particle as usize]);
    triangles.par_sort_unstable();
    triangles
}

/// A triangle that begins with its lowest corner and turns as before.
fn lowest_first(mut corners: [u32; 3]) -> [u32; 3] {
    let low = (0..3).min_by_key(|&n| corners[n]).unwrap_or(0);
    corners.rotate_left(low);
    corners
}

/// A hexagonal lattice of rows of so many particles, at a distance of one, for tests.
#[cfg(test)]
fn lattice(row: u32, rows: u32) -> Vec<Vec3> {
    let place = |n: u32| Vec3::new((n % row) as f32 + 0.5 * (n / row % 2) as f32, (n / row) as f32 * 0.866, 0.0);
    (0..row * rows).map(place).collect()
}
