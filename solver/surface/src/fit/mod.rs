//! Fits a closed surface of any topology to points (Tonnesen 1992, section 7.3; Szeliski and Tonnesen 1992, "Surface
//! modeling with oriented particle systems").
//!
//! | module | what |
//! |---|---|
//! | `seeds` | the points, sorted and scaled |
//! | `planes` | distances between points, and planes through their neighbours |
//! | `orientation` | orients the planes outwards |
//! | `cloud` | the particles and their neighbours |
//! | `relax` | minimises co-circularity |
//! | `insertion` | inserts particles between distant neighbours |
//! | `repulsion` | spreads particles evenly along the surface |
//! | `gaps` | fills gaps that are wider than neighbours reach |
//! | `missed_seeds` | inserts seeds that the triangles left out |
//! | `kd_tree` | neighbour search |
//!
//! The points are the seeds: oriented particles that stay where they are. Their normals come from planes through their
//! neighbours, are oriented to one side, and relax until neighbours lie on arcs. Where neighbours are more than 1.4
//! distances apart, a particle is inserted on the arc between them, until none are. All inserted particles relax and
//! repel each other. Remaining gaps in the triangles (T92 6.2.2) are filled with particles, which relax too.
//!
//! In this module the distance of neighbouring particles is the unit of length, and their median point is the origin,
//! so scale and position do not matter. Points are sorted first and all sums run in a fixed order, so neither the order
//! of the points nor the number of threads matters.
//!
//! Differences from the papers: only co-circularity is minimised, by the Gauss-Newton method rather than in time, as it
//! alone bends evenly through seeds as sparse as these. Repulsion along the surface, limited to nearest neighbours,
//! spreads particles evenly. Gaps are filled all at once, not grown from their boundary, which would have to meet
//! itself.

mod cloud;
mod gaps;
mod insertion;
mod kd_tree;
mod missed_seeds;
mod orientation;
mod planes;
mod relax;
mod repulsion;
mod seeds;

#[cfg(test)]
mod tests;

use crate::mesh::SurfaceMesh;
use crate::sheet::patches::subdivide;
use crate::sheet::{SheetPoints, triangulate};
use cloud::Cloud;
use glam::{DVec3, Vec3};
use seeds::Seeds;

/// Longest edge of the triangles, distances.
const MAX_EDGE: f32 = 1.7;

/// Rounds in which the normals of seeds relax and their neighbours are found again.
const NORMAL_ROUNDS: usize = 4;

/// Largest number of rounds of insertion, and of filling gaps.
const MAX_ROUNDS: usize = 12;
const MAX_GAP_ROUNDS: usize = 3;

/// Insertion ends if a round inserts at most one particle per this many.
const MIN_FRACTION: usize = 300;

/// Tolerances of positions and normals: at the end, and before.
const FINE_TOLERANCE: f64 = 1e-5;
const COARSE_TOLERANCE: f64 = 1e-4;

/// Particles in gaps that move less than this in a step have relaxed.
const GAP_TOLERANCE: f64 = 0.02;

/// Largest number of particles of a fit: their numbers and positions must fit into memory.
pub const MAX_PARTICLES: f64 = 2e7;

/// Points to fit a surface to.
#[derive(Debug, Clone, Copy)]
pub struct Points<'a> {
    /// Positions, m.
    pub positions: &'a [DVec3],
    /// Outward normals of any length, one per position; zero if unknown. Missing entries at the end count as zero.
    pub normals: &'a [DVec3],
}

/// Options of a fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct FitOptions {
    /// Distance of neighbouring particles, m, at most that of the points. Default: half of that.
    pub spacing: Option<f64>,
    /// Whether to leave gaps open that are wider than neighbours reach.
    pub open: bool,
    /// Number of subdivision levels of the triangles on curved patches.
    pub levels: u32,
}

/// A fitted surface.
#[derive(Debug, Clone, Default)]
pub struct Fitted {
    /// Positions, normals and triangles. The first vertices are the seeds in the order of the points.
    pub mesh: SurfaceMesh,
    /// Number of distinct points.
    pub seeds: usize,
    /// Number of points at the position of an earlier one.
    pub duplicates: usize,
    /// Number of inserted particles.
    pub inserted: usize,
    /// Number of seeds that are corners of no triangle.
    pub unused: usize,
    /// Distance of neighbouring particles, m.
    pub spacing: f64,
    /// Gaps in the mesh, the longest first.
    pub gaps: Vec<Gap>,
}

/// A remaining gap in a mesh, or the boundary of an open one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Mean of its corners, m.
    pub centre: DVec3,
    /// Length of the loop around it, m.
    pub length: f64,
}

/// Errors of a fit.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A position or normal is not finite; the index of the point.
    #[error("point {} has a coordinate that is no finite number", .0 + 1)]
    NotFinite(usize),
    /// Too few distinct points.
    #[error("a surface needs 4 different points, not {0}")]
    TooFew(usize),
    /// All points lie on a line.
    #[error("all points lie on one line")]
    Line,
    /// The spacing is not a positive number.
    #[error("the spacing must be a positive number of metres")]
    Spacing,
    /// The spacing would take too many particles.
    #[error("the spacing would take more than {most:.1e} particles")]
    TooFine {
        /// A spacing that would not, m.
        least: f64,
        /// Largest number of particles.
        most: f64,
    },
    /// The spacing is wider than the distance of most points; the largest valid spacing, m.
    #[error("the spacing is wider than the points are apart")]
    TooCoarse(f64),
    /// Any spacing would take too many particles.
    #[error("between points as uneven as these would be more than {MAX_PARTICLES:e} particles")]
    TooUneven,
    /// Single precision cannot represent a mesh at this scale; the distance of particles, m.
    #[error("a mesh has single precision, and cannot tell apart particles at a distance of {0:e} m")]
    Size(f64),
    /// No surface was found: the points are too uneven or too few.
    #[error("no surface was found through these points")]
    NoSurface,
}

impl FitError {
    /// Scales the lengths of an error.
    fn scaled(self, times: f64) -> Self {
        match self {
            Self::TooFine { least, most } => Self::TooFine { least: least * times, most },
            Self::TooCoarse(length) => Self::TooCoarse(length * times),
            other => other,
        }
    }
}

/// Fits a surface through all points. It is closed, unless the remaining gap would be as large as the surface itself,
/// as for a flat piece.
///
/// # Errors
/// If there are too few points for a surface, or one is not finite.
pub fn fit(points: Points, options: &FitOptions) -> Result<Fitted, FitError> {
    let seeds = Seeds::new(points, options.spacing)?;
    let mut cloud = seeds.cloud.clone();
    orient_seeds(&mut cloud);
    insert_particles(&mut cloud);
    if !options.open {
        fill_gaps(&mut cloud);
    }
    let neighbours = cloud.neighbours();
    relax::relax(&mut cloud, &neighbours, 3, FINE_TOLERANCE);
    let mut triangles = triangles(&cloud);
    if !options.open {
        gaps::triangulate_gaps(&mut cloud, &mut triangles);
    }
    missed_seeds::insert(&mut cloud, &mut triangles);
    if triangles.is_empty() {
        return Err(FitError::NoSurface);
    }
    Ok(fitted(&seeds, &cloud, &triangles, options.levels))
}

/// Orients the seeds.
fn orient_seeds(cloud: &mut Cloud) {
    orientation::orient(cloud);
    for _ in 0..NORMAL_ROUNDS {
        let neighbours = cloud.neighbours();
        if relax::relax(cloud, &neighbours, 2, FINE_TOLERANCE) <= FINE_TOLERANCE {
            break;
        }
    }
    orientation::orient(cloud);
}

/// Inserts particles until no neighbours are too far apart.
fn insert_particles(cloud: &mut Cloud) {
    let mut neighbours = cloud.neighbours();
    for _ in 0..MAX_ROUNDS {
        let inserted = insertion::insert(cloud, &neighbours);
        neighbours = cloud.neighbours();
        relax::relax(cloud, &neighbours, 1, COARSE_TOLERANCE);
        repulsion::repel(cloud, &neighbours);
        relax::relax(cloud, &neighbours, 1, COARSE_TOLERANCE);
        if inserted * MIN_FRACTION <= cloud.len() {
            return;
        }
    }
}

/// Fills gaps in the triangles with particles.
fn fill_gaps(cloud: &mut Cloud) {
    for _ in 0..MAX_GAP_ROUNDS {
        if gaps::fill(cloud, &triangles(cloud)) == 0 {
            return;
        }
        for _ in 0..MAX_ROUNDS {
            let neighbours = cloud.neighbours();
            let farthest = relax::relax(cloud, &neighbours, 2, FINE_TOLERANCE);
            repulsion::repel(cloud, &neighbours);
            if farthest < GAP_TOLERANCE {
                break;
            }
        }
        insert_particles(cloud);
    }
}

fn triangles(cloud: &Cloud) -> Vec<[u32; 3]> {
    let (positions, normals) = (to_single(&cloud.positions), to_single(&cloud.normals));
    triangulate(SheetPoints { positions: &positions, normals: &normals }, MAX_EDGE)
}

fn to_single(vectors: &[DVec3]) -> Vec<Vec3> {
    vectors.iter().map(|vector| vector.as_vec3()).collect()
}

/// Builds the mesh, with the seeds at their given positions.
fn fitted(seeds: &Seeds, cloud: &Cloud, triangles: &[[u32; 3]], levels: u32) -> Fitted {
    let mut is_used = vec![false; cloud.len()];
    triangles.iter().flatten().for_each(|corner| is_used[*corner as usize] = true);
    let inserted: Vec<usize> = (cloud.seeds..cloud.len()).filter(|&particle| is_used[particle]).collect();
    let kept: Vec<usize> = seeds.in_order.iter().copied().chain(inserted.iter().copied()).collect();
    let mut vertices = vec![0; cloud.len()];
    kept.iter().zip(0..).for_each(|(&particle, vertex)| vertices[particle] = vertex);
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|corner| vertices[corner as usize])).collect();
    let of = |vectors: &[DVec3]| kept.iter().map(|&particle| vectors[particle].as_vec3()).collect::<Vec<_>>();
    let refined = subdivide(&of(&cloud.positions), &of(&cloud.normals), &triangles, levels);
    let restored = |(vertex, position): (usize, &Vec3)| {
        let seed = kept.get(vertex).filter(|&&particle| cloud.is_seed(particle));
        seed.map_or_else(|| seeds.to_world(position.as_dvec3()), |&seed| seeds.points[seed]).as_vec3()
    };
    let positions: Vec<Vec3> = refined.positions.iter().enumerate().map(restored).collect();
    let (velocities, sources) = (vec![Vec3::ZERO; positions.len()], vec![0; positions.len()]);
    let unused = is_used[..cloud.seeds].iter().filter(|is_used| !**is_used).count();
    let (normals, triangles) = (refined.normals, refined.triangles);
    let mesh = SurfaceMesh { positions, normals, triangles, velocities, sources, fields: vec![] };
    let gaps = gaps::remaining(&mesh);
    Fitted {
        mesh,
        gaps,
        seeds: cloud.seeds,
        duplicates: seeds.duplicates,
        inserted: inserted.len(),
        unused,
        spacing: seeds.spacing,
    }
}
