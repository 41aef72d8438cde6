//! Sampling a surface, open or closed, into the particles of a sheet.
//!
//! Particles of a sheet (Tonnesen 1992, section 4.3) keep a distance and lie on a hexagonal lattice at rest, one for each
//! sqrt(3) / 2 distance^2. Samples come as near to that lattice as the surface allows.

mod balance;
mod flat;
mod grow;
mod relax;
mod samples;
mod surface;
mod walk;

use super::TriangleMesh;
use glam::DVec3;
use samples::Samples;
use surface::Surface;
use walk::Place;

/// Samples beyond which a sheet is refused; a guard against a distance that is far too small.
const MOST_SAMPLES: f64 = 1.0e8;

/// Points of a surface.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SheetSample {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Unit normals to the side that the faces look to.
    pub normals: Vec<DVec3>,
    /// The triangle of the mesh that each lies on.
    pub triangles: Vec<u32>,
    /// Barycentric coordinates in that, in the order of its vertices.
    pub barycentric: Vec<DVec3>,
    /// The connected piece of the mesh that each is of, from 0.
    pub pieces: Vec<u32>,
}

/// Why a mesh cannot be sampled.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SheetFault {
    /// No triangle at all.
    #[error("the mesh has no faces")]
    Empty,
    /// No triangle has an area.
    #[error("the faces of the mesh have no area")]
    NoArea,
    /// So many samples that the distance must be a mistake.
    #[error("about {0:.1e} particles would be needed")]
    TooMany(f64),
}

/// About how many samples an area, m^2, takes at a distance between neighbours, m.
pub fn expected_samples(area: f64, distance: f64) -> f64 {
    area / (0.75_f64.sqrt() * distance * distance)
}

/// Rounds of relaxing, and steps in each.
const ROUNDS: usize = 4;
const STEPS: u32 = 40;

/// Points on a mesh at a distance between neighbours, m.
///
/// # Errors
/// The fault found.
pub fn sample_sheet(mesh: &TriangleMesh, distance: f64) -> Result<SheetSample, SheetFault> {
    if mesh.triangles.is_empty() {
        return Err(SheetFault::Empty);
    }
    let surface = Surface::new(mesh);
    if surface.pieces.is_empty() {
        return Err(SheetFault::NoArea);
    }
    let area: f64 = surface.pieces.iter().map(|piece| piece.area).sum();
    let expected = expected_samples(area, distance.max(0.0));
    if expected.is_nan() || expected >= MOST_SAMPLES {
        return Err(SheetFault::TooMany(expected));
    }
    Ok(finished(&surface, &samples(&surface, distance)))
}

fn samples(surface: &Surface, distance: f64) -> Samples {
    let rim = relax::Rim::new(surface, distance);
    let targets = balance::targets(surface, distance);
    let probes = balance::probes(surface, &targets);
    let mut held = vec![false; surface.pieces.len()];
    let mut growth = grow::Growth::new(surface, distance);
    for (number, piece) in surface.pieces.iter().enumerate() {
        match flat::lattice(surface, piece, &rim, distance) {
            Some((places, rectangle)) => {
                held[number] = rectangle && !places.is_empty();
                places.into_iter().for_each(|place| growth.put(place, DVec3::ZERO));
            }
            None => growth.seed(number),
        }
        if !held[number] {
            growth.cover(&probes[number]);
        }
    }
    let mut samples = growth.samples;
    if held.iter().all(|&held| held) {
        return samples;
    }
    for _ in 0..ROUNDS {
        balance::balance(surface, &mut samples, &probes, &targets, &held, distance);
        relax::relax(surface, &mut samples, &rim, &held, distance, STEPS);
    }
    for _ in 0..ROUNDS {
        if balance::part(&mut samples, &held, distance) == 0 {
            return samples;
        }
        relax::relax(surface, &mut samples, &rim, &held, distance, STEPS / 2);
    }
    while balance::part(&mut samples, &held, distance) > 0 {}
    samples
}

/// The samples as they are given out.
fn finished(surface: &Surface, samples: &Samples) -> SheetSample {
    let face = |place: &Place| &surface.faces[place.face as usize];
    // The mesh's own order of vertices.
    let own = |place: &Place| {
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
