//! A closed surface through points, whatever its topology (Tonnesen 1992, section 7.3; Szeliski and Tonnesen 1992, "Surface modeling with
//! oriented particle systems").
//!
//! | module | what |
//! |---|---|
//! | `seeds` | the points, sorted and measured |
//! | `planes` | how far apart they are, and the planes through their neighbours |
//! | `sides` | which side of each plane is outside |
//! | `cloud` | particles and who is whose neighbour |
//! | `settle` | co-circularity made least |
//! | `births` | particles between neighbours that are too far apart |
//! | `spread` | particles pushed apart along the surface |
//! | `gaps` | particles in gaps that are wider than any neighbours |
//! | `missed` | seeds that the triangles left out |
//! | `near` | which points are near a place |
//!
//! The points are the seeds: oriented particles that stay where they are. Their normals come from planes through their neighbours, are turned
//! to one side, and settle until neighbours lie on arcs. Where neighbours are further apart than 1.4 distances a particle is born on the arc
//! between them, until none are; all that were born settle and push each other. What is then still open within the triangles
//! (T92 6.2.2) is filled with particles and settles, too.
//!
//! Within the room the distance of neighbouring particles is the unit of length, and their middle the origin, so sizes and places do not matter.
//! Points are sorted first and all sums run in one order: neither the order of the points nor the number of threads does.
//!
//! Where this departs from print: co-circularity alone settles, by Gauss and Newton's method rather than in time, since it alone
//! bends evenly through seeds as sparse as these; particles lie evenly by a push along the surface that ends with the nearest neighbours; gaps are
//! seeded all at once and not grown from their rim, which would have to meet itself.

mod births;
mod cloud;
mod gaps;
mod missed;
mod near;
mod planes;
mod seeds;
mod settle;
mod sides;
mod spread;

#[cfg(test)]
mod tests;

use crate::SurfaceMesh;
use crate::sheet::patches::subdivide;
use crate::sheet::{SheetPoints, triangulate};
use cloud::Cloud;
use glam::{DVec3, Vec3};
use seeds::Seeds;

/// Longest edge of the triangles.
const LONGEST: f32 = 1.7;

/// Times that normals of seeds settle with the neighbours that they tell.
const NORMAL_ROUNDS: usize = 4;

/// Most rounds of births, and of gaps.
const ROUNDS: usize = 12;
const GAP_ROUNDS: usize = 3;

/// Births end when in a round fewer are born than one for so many.
const FEW: usize = 300;

/// How far particles and their normals may be from where they settle, at the end and until then.
const CLOSELY: f64 = 1e-5;
const LOOSELY: f64 = 1e-4;

/// What in gaps goes no further than this in a step has settled.
const SETTLED: f64 = 0.02;

/// Most particles of a fit: their numbers and places have to fit into memory.
pub const MOST_PARTICLES: f64 = 2e7;

/// Points to fit a surface to.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    /// Positions, m.
    pub positions: &'a [DVec3],
    /// Outward normals of any length, one a position; zero where there is none, and so is what is missing at the end.
    pub normals: &'a [DVec3],
}

/// How a surface is fitted.
#[derive(Debug, Clone, Copy, Default)]
pub struct FitOptions {
    /// Distance of neighbouring particles, m; at most that of the points. Half of that if none.
    pub spacing: Option<f64>,
    /// Leaves gaps open that are wider than neighbours.
    pub open: bool,
    /// How often the triangles over the particles are quartered on curved patches.
    pub levels: u32,
}

/// A surface through points.
#[derive(Debug, Clone, Default)]
pub struct Fitted {
    /// Positions, normals and triangles. The first vertices are the seeds in the order of the points.
    pub mesh: SurfaceMesh,
    /// Different points.
    pub seeds: usize,
    /// Points in the place of one before them.
    pub doubles: usize,
    /// Particles that were born.
    pub born: usize,
    /// Seeds that are corners of no triangle.
    pub loose: usize,
    /// Distance of neighbouring particles, m.
    pub spacing: f64,
    /// Where the mesh is not closed, the longest first.
    pub gaps: Vec<Gap>,
}

/// A gap that is left in a mesh, or the rim of an open one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Mean of its corners, m.
    pub centre: DVec3,
    /// The way around, m.
    pub length: f64,
}

/// Why no surface can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A position or normal is not finite; the number of the point, from 0.
    #[error("point {} has a coordinate that is no finite number", .0 + 1)]
    NotFinite(usize),
    /// Too few different points.
    #[error("a surface needs 4 different points, not {0}")]
    TooFew(usize),
    /// No surface goes through a line.
    #[error("all points lie on one line")]
    Line,
    /// The spacing is no positive number.
    #[error("the spacing must be a positive number of metres")]
    Spacing,
    /// The spacing would take too many particles.
    #[error("the spacing would take more than {most:.1e} particles")]
    TooFine {
        /// One that would not, m.
        least: f64,
        /// So many may be.
        most: f64,
    },
    /// The spacing is wider than most points are apart; the widest there may be, m.
    #[error("the spacing is wider than the points are apart")]
    TooCoarse(f64),
    /// Whatever the spacing, there would be too many particles.
    #[error("between points as uneven as these would be more than {MOST_PARTICLES:e} particles")]
    TooUneven,
    /// A mesh would not have single precision; how far particles would be apart, m.
    #[error("a mesh has single precision, and cannot tell apart particles at a distance of {0:e} m")]
    Size(f64),
    /// The points are too uneven or too few.
    #[error("no surface was found through these points")]
    NoSurface,
}

impl FitError {
    /// With lengths so many times as long.
    fn scaled(self, times: f64) -> Self {
        match self {
            Self::TooFine { least, most } => Self::TooFine { least: least * times, most },
            Self::TooCoarse(length) => Self::TooCoarse(length * times),
            other => other,
        }
    }
}

/// Fits a surface to points: through every point, closed unless the gap left is a part of the surface as large as what there is, as the outside
/// of a flat piece.
///
/// # Errors
/// When there are too few points for a surface, or one is not finite.
pub fn fit(points: Points, options: &FitOptions) -> Result<Fitted, FitError> {
    let seeds = Seeds::new(points, options.spacing)?;
    let mut cloud = seeds.cloud.clone();
    face(&mut cloud);
    grow(&mut cloud);
    if !options.open {
        close(&mut cloud);
    }
    let lists = cloud.lists();
    settle::settle(&mut cloud, &lists, 3, CLOSELY);
    let mut triangles = triangles(&cloud);
    if !options.open {
        gaps::mend(&mut cloud, &mut triangles);
    }
    missed::reach(&mut cloud, &mut triangles);
    if triangles.is_empty() {
        return Err(FitError::NoSurface);
    }
    Ok(fitted(&seeds, &cloud, &triangles, options.levels))
}

/// Gives seeds their normals.
fn face(cloud: &mut Cloud) {
    sides::choose(cloud);
    for _ in 0..NORMAL_ROUNDS {
        let lists = cloud.lists();
        if settle::settle(cloud, &lists, 2, CLOSELY) <= CLOSELY {
            break;
        }
    }
    sides::choose(cloud);
}

/// Has particles born until no neighbours are stretched.
fn grow(cloud: &mut Cloud) {
    let mut lists = cloud.lists();
    for _ in 0..ROUNDS {
        let born = births::bear(cloud, &lists);
        lists = cloud.lists();
        settle::settle(cloud, &lists, 1, LOOSELY);
        spread::spread(cloud, &lists);
        settle::settle(cloud, &lists, 1, LOOSELY);
        if born * FEW <= cloud.len() {
            return;
        }
    }
}

/// Fills the gaps of the triangles with particles.
fn close(cloud: &mut Cloud) {
    for _ in 0..GAP_ROUNDS {
        if gaps::fill(cloud, &triangles(cloud)) == 0 {
            return;
        }
        for _ in 0..ROUNDS {
            let lists = cloud.lists();
            let farthest = settle::settle(cloud, &lists, 2, CLOSELY);
            spread::spread(cloud, &lists);
            if farthest < SETTLED {
                break;
            }
        }
        grow(cloud);
    }
}

fn triangles(cloud: &Cloud) -> Vec<[u32; 3]> {
    let (positions, normals) = (rounded(&cloud.places), rounded(&cloud.normals));
    triangulate(SheetPoints { positions: &positions, normals: &normals }, LONGEST)
}

fn rounded(vectors: &[DVec3]) -> Vec<Vec3> {
    vectors.iter().map(|vector| vector.as_vec3()).collect()
}

/// The mesh, with the seeds as they were given.
fn fitted(seeds: &Seeds, cloud: &Cloud, triangles: &[[u32; 3]], levels: u32) -> Fitted {
    let mut is_used = vec![false; cloud.len()];
    triangles.iter().flatten().for_each(|corner| is_used[*corner as usize] = true);
    let born: Vec<usize> = (cloud.seeds..cloud.len()).filter(|&particle| is_used[particle]).collect();
    let kept: Vec<usize> = seeds.in_order.iter().copied().chain(born.iter().copied()).collect();
    let mut vertices = vec![0; cloud.len()];
    kept.iter().zip(0..).for_each(|(&particle, vertex)| vertices[particle] = vertex);
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|corner| vertices[corner as usize])).collect();
    let of = |vectors: &[DVec3]| kept.iter().map(|&particle| vectors[particle].as_vec3()).collect::<Vec<_>>();
    let refined = subdivide(&of(&cloud.places), &of(&cloud.normals), &triangles, levels);
    let place = |(vertex, position): (usize, &Vec3)| {
        let seed = kept.get(vertex).filter(|&&particle| cloud.is_seed(particle));
        seed.map_or_else(|| seeds.placed(position.as_dvec3()), |&seed| seeds.points[seed]).as_vec3()
    };
    let positions: Vec<Vec3> = refined.positions.iter().enumerate().map(place).collect();
    let (velocities, sources) = (vec![Vec3::ZERO; positions.len()], vec![0; positions.len()]);
    let loose = is_used[..cloud.seeds].iter().filter(|is_used| !**is_used).count();
    let (normals, triangles) = (refined.normals, refined.triangles);
    let mesh = SurfaceMesh { positions, normals, triangles, velocities, sources, fields: vec![] };
    let gaps = gaps::left(&mesh);
    Fitted { mesh, gaps, seeds: cloud.seeds, doubles: seeds.doubles, born: born.len(), loose, spacing: seeds.spacing }
}
