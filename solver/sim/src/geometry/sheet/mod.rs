//! Sampling a surface, open or closed, into the particles of a sheet.
//!
//! Particles of a sheet (Tonnesen 1992, section 4.3) keep a distance from each other and lie on a hexagonal lattice at
//! rest, one particle for each sqrt(3) / 2 distance^2. Samples come as near to that lattice as the surface allows:
//!
//! - A flat piece gets the lattice itself, fitted to its outline (`flat`).
//! - On any other a lattice grows from a seed, each sample putting six others around itself along straight paths on the
//!   surface (`grow`, `walk`; Polthier and Schmies 1998). A surface that can be unrolled comes out as a crystal with
//!   one seam; on a sphere rows end in the pairs of samples with five and seven neighbours that its curvature asks for.
//! - Crowded samples go and gaps are filled until there are as many as the area takes (`balance`), and all push each
//!   other along the surface until they lie evenly (`relax`), as Witkin and Heckbert (1994) and Turk (1992) let them. A
//!   rectangle needs neither.
//!
//! No random numbers are drawn, and each step is the same for any number of threads.
//!
//! Points that are near in space but not along the surface do not count as near: points on other pieces, on faces that
//! look the other way, and on layers more than about a third of the distance aside (`samples`). A sheet folded tighter
//! than the distance has less room in space than its area tells, so it gets fewer samples: a closed plate of 20 by 16
//! distances, half a distance thick, gets 11 % fewer, and 7 % fewer within its layers.
//!
//! Faces of a piece are turned to the side that most of its area looks to. On a piece with only one side, such as a
//! Moebius strip, normals change sign across a line. Where more than two faces meet at an edge, the flattest pair goes
//! on and the others end there. Vertices at the same place are merged; triangles without area and second copies are
//! left out.

mod balance;
mod flat;
mod grow;
mod relax;
mod samples;
mod surface;
#[cfg(test)]
mod tests;
mod walk;

use super::TriangleMesh;
use glam::DVec3;
use grow::FrontGrowth;
use relax::Rim;
use samples::Samples;
use surface::SheetSurface;
use walk::SurfacePoint;

/// Samples beyond which a sheet is refused; a guard against a distance that is far too small.
const MOST_SAMPLES: f64 = 1.0e8;

/// Points of a surface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetSample {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Unit normals to the side that the faces look to.
    pub normals: Vec<DVec3>,
    /// The mesh triangle under each point.
    pub triangles: Vec<u32>,
    /// Barycentric coordinates in that triangle, in the order of its vertices.
    pub barycentric: Vec<DVec3>,
    /// The connected piece of the mesh that each point lies on, from 0.
    pub pieces: Vec<u32>,
}

/// Why a mesh cannot be sampled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SheetFault {
    /// No triangle at all.
    #[error("the mesh has no faces")]
    Empty,
    /// The distance is not a valid length.
    #[error("the distance between particles is {0} m; it must be above zero")]
    Distance(f64),
    /// No triangle has an area.
    #[error("the faces of the mesh have no area")]
    NoArea,
    /// The number of samples is so large that the distance must be a mistake.
    #[error("about {0:.1e} particles would be needed")]
    TooMany(f64),
}

/// About how many samples an area, m^2, takes at a distance between neighbours, m.
pub fn expected_samples(area: f64, distance: f64) -> f64 {
    area / (0.75_f64.sqrt() * distance * distance)
}

/// Rounds of relaxing, and steps in each round.
const ROUNDS: usize = 3;
const STEPS: u32 = 32;

/// Points on a mesh, which is in world coordinates, about `distance`, m, from their nearest neighbours; at least one
/// for each connected piece. The outermost lie about half a row inside the edge of an open piece.
///
/// # Errors
/// The fault found. Positions must be finite.
pub fn sample_sheet(mesh: &TriangleMesh, distance: f64) -> Result<SheetSample, SheetFault> {
    if mesh.triangles.is_empty() {
        return Err(SheetFault::Empty);
    }
    if !(distance > 0.0 && distance.is_finite()) {
        return Err(SheetFault::Distance(distance));
    }
    let surface = SheetSurface::new(mesh);
    if surface.pieces.is_empty() {
        return Err(SheetFault::NoArea);
    }
    let targets: Vec<f64> = surface.pieces.iter().map(|piece| balance::target(piece, distance)).collect();
    let expected: f64 = targets.iter().sum();
    if expected.is_nan() || expected >= MOST_SAMPLES {
        return Err(SheetFault::TooMany(expected));
    }
    let targets: Vec<usize> = targets.into_iter().map(|target| target as usize).collect();
    Ok(finished(&surface, &samples(&surface, &targets, distance)))
}

fn samples(surface: &SheetSurface, targets: &[usize], distance: f64) -> Samples {
    let rim = Rim::new(surface, distance);
    let probes = balance::probes(surface, targets);
    let (mut samples, held) = crystals(surface, &rim, &probes, targets, distance);
    if held.iter().all(|&held| held) {
        return samples;
    }
    for _ in 0..ROUNDS {
        balance::clear(&mut samples, targets, &held, distance);
        balance::fill(surface, &mut samples, &probes, targets, &held, distance);
        relax::relax(surface, &mut samples, &rim, &held, distance, STEPS);
    }
    for _ in 0..ROUNDS {
        if balance::part(&mut samples, &held, distance) == 0 {
            break;
        }
        relax::relax(surface, &mut samples, &rim, &held, distance, STEPS);
    }
    // Samples that are still too near after relaxing, on folds tighter than the distance, are removed for good; a gap
    // that one leaves takes a new sample where there is room.
    while balance::part(&mut samples, &held, distance) > 0 {}
    let none = vec![0; held.len()];
    balance::fill(surface, &mut samples, &probes, &none, &held, distance);
    samples
}

/// The fitted or grown lattices of all pieces, and which pieces need no relaxing.
fn crystals(
    surface: &SheetSurface,
    rim: &Rim,
    probes: &[Vec<SurfacePoint>],
    targets: &[usize],
    distance: f64,
) -> (Samples, Vec<bool>) {
    let mut held = vec![false; surface.pieces.len()];
    let mut growth = FrontGrowth::new(surface, distance);
    for (number, piece) in surface.pieces.iter().enumerate() {
        if let Some((places, rectangle)) = flat::lattice(surface, piece, rim, distance) {
            held[number] = rectangle && !places.is_empty();
            for place in places {
                growth.put(place, DVec3::ZERO);
            }
        } else {
            held[number] = targets[number] == 1;
            growth.seed(number, targets[number] > 1);
        }
        if !held[number] {
            growth.cover(&probes[number]);
        }
    }
    (growth.samples, held)
}

/// The samples as the caller gets them.
fn finished(surface: &SheetSurface, samples: &Samples) -> SheetSample {
    let face = |place: &SurfacePoint| &surface.faces[place.face as usize];
    // Barycentric coordinates go back to the mesh's own order of vertices.
    let own = |place: &SurfacePoint| {
        let b = place.barycentric;
        if face(place).turned { DVec3::new(b.x, b.z, b.y) } else { b }
    };
    SheetSample {
        positions: samples.points.iter().map(|point| point.position).collect(),
        normals: samples.places.iter().map(|place| face(place).normal_at(place.barycentric)).collect(),
        triangles: samples.places.iter().map(|place| face(place).source).collect(),
        barycentric: samples.places.iter().map(own).collect(),
        pieces: samples.points.iter().map(|point| point.piece).collect(),
    }
}
