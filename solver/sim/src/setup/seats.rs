//! Start positions of the particles of a body.

use crate::SetupError;
use crate::geometry::{self, SheetSample, Solid};
use crate::lattice::nearest;
use crate::pins::Regions;
use dollop_scene::{Body, Dimensions, JsonPath, Pin, Scene};
use glam::DVec3;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The start of a particle.
#[derive(Debug, Clone, Copy)]
pub struct Seat {
    /// Position, m.
    pub position: DVec3,
    /// Unit normal in a sheet; Z elsewhere.
    pub normal: DVec3,
    /// The pin that holds the particle, and the second pin at that place, if there is one.
    pub pin: Option<u32>,
    pub other_pin: Option<u32>,
}

/// The number of particles that the volume of a solid, or the area of its cut, asks for.
pub fn expected_seats(solid: &Solid, scene: &Scene) -> f64 {
    let spacing = scene.particle_spacing;
    match scene.discretization.dimensions {
        Dimensions::Two => geometry::area(solid) / spacing.powi(2),
        Dimensions::Three => solid.enclosed() / spacing.powi(3),
    }
}

/// The points of the lattice within a solid, m; without a target those of the lattice at rest.
///
/// # Errors
/// Advice if there are too many.
pub fn in_solid(solid: &Solid, target: Option<f64>, scene: &Scene) -> Result<Vec<DVec3>, String> {
    let spacing = scene.particle_spacing;
    let points = match scene.discretization.dimensions {
        Dimensions::Two => geometry::fill_section(solid, spacing, target),
        Dimensions::Three => geometry::fill(solid, spacing, target),
    };
    points.map_err(|count| {
        format!("at a particle_spacing of {spacing} m the box around the body has room for about {count:.1e} particles; use a larger particle_spacing")
    })
}

/// Seats at points within a solid.
pub fn seated(points: Vec<DVec3>) -> Vec<Seat> {
    let seat = |position| Seat { position, normal: DVec3::Z, pin: None, other_pin: None };
    points.into_iter().map(seat).collect()
}

/// Seats on the faces of a body's mesh at some spacing, m, with the body's pins, which are counted from a first number
/// on.
///
/// # Errors
/// The fault of the mesh or of a pin.
pub fn on_faces(
    number: usize,
    body: &Body,
    mesh: &geometry::TriangleMesh,
    spacing: f64,
    first_pin: u32,
) -> Result<Vec<Seat>, SetupError> {
    let place = JsonPath::item("bodies", number);
    let nearest = nearest(spacing);
    let sample = geometry::sample_sheet(mesh, nearest)
        .map_err(|found| SetupError::new(place.key("shape"), found.to_string()))?;
    let map = geometry::affine(&body.transform);
    let regions = Regions::new(mesh, &map, &body.pins, nearest).map_err(|found| {
        let [pin, vertex] = found.at;
        SetupError::new(place.key("pins").index(pin).key("vertices").index(vertex), found.to_string())
    })?;
    let SheetSample { positions, normals, triangles, .. } = sample;
    let seat = |((position, normal), triangle)| {
        let mut pins = regions.at(triangle, position).into_iter().map(|pin| first_pin + pin as u32);
        Seat { position, normal, pin: pins.next(), other_pin: pins.next() }
    };
    Ok(positions.into_par_iter().zip(normals).zip(triangles).map(seat).collect())
}

/// Warns of pins that move differently and reach the same particles, given the spacing, m, and the number of the first
/// pin.
pub fn torn_between(body: &Body, seats: &[Seat], spacing: f64, first_pin: u32) -> Vec<String> {
    let mut shared = BTreeMap::<[u32; 2], usize>::new();
    for pair in seats.iter().filter_map(|seat| Some([seat.pin? - first_pin, seat.other_pin? - first_pin])) {
        *shared.entry(pair).or_default() += 1;
    }
    let shared = shared.into_iter().map(|(pair, count)| (pair.map(|pin| &body.pins[pin as usize]), count));
    let torn = shared.filter(|([one, other], _)| one.motion != other.motion);
    let warning = |([one, other], count): ([&Pin; 2], usize)| {
        format!(
            "the pins \"{}\" and \"{}\" of body \"{}\" move differently, and both reach {count} of its particles, which go with the \
             first of them; keep what they hold more than {:.2e} m apart, or change their order",
            one.name,
            other.name,
            body.name,
            2.0 * nearest(spacing)
        )
    };
    torn.map(warning).collect()
}

/// Moves points off the lattice by at most a distance, m, along the axes of the matter, each by its number; their
/// centre stays.
pub fn disorder(seats: &mut [Seat], most: f64, axes: DVec3) {
    let offset = |number: usize| random_offset(number, axes) * most;
    let mean = (0..seats.len()).map(offset).sum::<DVec3>() / seats.len() as f64;
    seats.iter_mut().enumerate().for_each(|(number, seat)| seat.position += offset(number) - mean);
}

/// A pseudo-random offset by a point's number, from -1 to 1 along some axes.
pub(super) fn random_offset(number: usize, axes: DVec3) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| random(3 * number as u64 + axis))) * axes
}

/// A pseudo-random number from -1 to 1, the same for the same seed for ever: `SplitMix64` (Steele, Lea, Flood 2014).
pub(super) fn random(seed: u64) -> f64 {
    let mut z = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::random;

    #[test]
    fn random_numbers_have_no_pattern() {
        let numbers: Vec<f64> = (0..3000).map(random).collect();
        assert!(numbers.iter().all(|n| n.abs() <= 1.0));
        let squares: f64 = numbers.iter().map(|n| n * n).sum();
        for lag in 1..300 {
            let products: f64 = numbers.iter().zip(&numbers[lag..]).map(|(a, b)| a * b).sum();
            assert!(products.abs() < 0.1 * squares, "correlated by {} at a distance of {lag}", products / squares);
        }
    }
}
