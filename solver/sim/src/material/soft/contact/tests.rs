#![allow(clippy::unwrap_used)]
use super::super::skin_of;
use super::*;
use crate::lattice::{between_layers_in_space, close_packed_half_space, edge};
use crate::material::soft::pressure::{Pressures, on_pair};
use dollop_scene::{Soft, SoftField};

const SPACING: f64 = 0.02;

fn contact_particles(places: &[DVec3], piece: impl Fn(usize) -> u32) -> Vec<ContactParticle> {
    let contact_particle = |(at, &place): (usize, &DVec3)| ContactParticle {
        number: at as u32,
        place,
        velocity: DVec3::new(place.y, -place.x, 0.0),
        offset: 0.02 * SPACING * (at % 3) as f64,
        membership: Membership::of(piece(at)),
        body: 0,
    };
    places.iter().enumerate().map(contact_particle).collect()
}

/// Two close-packed lumps, out of order, with as many layers each, that overlap by a part of the distance of
/// layers.
fn lumps(overlap: f64) -> (Vec<DVec3>, usize) {
    let half = edge(SPACING) / 2.0;
    let points = (-3..=3).flat_map(|x| (-3..=3).flat_map(move |y| (0..3).map(move |z| [x, y, z])));
    let lattice = points.filter(|[x, y, z]| (x + y + z) % 2 == 0).map(|p| DVec3::from_array(p.map(f64::from)) * half);
    let stirred = lattice.enumerate().map(|(n, p)| {
        let phase = n as f64;
        p + DVec3::new(phase.sin(), (2.3 * phase).cos(), (4.1 * phase).sin()) * (0.08 * SPACING)
    });
    let upper: Vec<DVec3> = stirred.collect();
    let down = |p: &DVec3| DVec3::new(0.97 * p.x + 0.003, p.y, -p.z - half * (1.0 - overlap));
    let lower: Vec<DVec3> = upper.iter().map(down).collect();
    let count = upper.len();
    (upper.into_iter().chain(lower).collect(), count)
}

fn contact(contact_particles: &[ContactParticle], soft: &Soft) -> (Nearness, Vec<DVec3>) {
    let bodies = [Touching::new(soft, skin_of(soft, SPACING), SPACING)];
    let mut nearness = Nearness::new(contact_particles, &bodies, SPACING);
    let zone: Vec<ContactParticle> = nearness.zone.iter().map(|&at| contact_particles[at as usize]).collect();
    let due = vec![true; nearness.steps.len()];
    let moment = Moment { tick: 0, second: 1.0, due: &due, steps: &vec![1e-4; due.len()] };
    nearness.find(&zone, &bodies, SPACING, &moment);
    let mut pushes = vec![DVec3::ZERO; contact_particles.len()];
    nearness.zone.iter().zip(&nearness.pushes).for_each(|(&at, &push)| pushes[at as usize] = push);
    (nearness, pushes)
}

fn pressed(nearness: &Nearness) -> Vec<Pressed> {
    nearness.pressed(&vec![true; nearness.steps.len()]).flat_map(|(pressed, _)| pressed).copied().collect()
}

/// Forces are the exact gradient of the energy, action equals reaction, and there is no net torque.
#[test]
fn pushes_are_the_gradient_of_the_energy() {
    for field in [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube] {
        let soft = Soft { field, ..Soft::default() };
        let (places, count) = lumps(0.3);
        let of = |places: &[DVec3]| contact(&contact_particles(places, |at| u32::from(at >= count)), &soft);
        let (found, pushes) = of(&places);
        let largest = pushes.iter().map(|push| push.length()).fold(0.0, f64::max);
        let sum: DVec3 = pushes.iter().sum();
        let torque: DVec3 = pushes.iter().zip(&places).map(|(push, place)| place.cross(*push)).sum();
        let mut worst: f64 = 0.0;
        for at in (0..places.len()).step_by(3) {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let moved = |by: f64| {
                    let mut places = places.clone();
                    places[at] += axis * by;
                    of(&places).0.energy()
                };
                let step = 1e-6 * SPACING;
                let slope = (moved(step) - moved(-step)) / (2.0 * step);
                worst = worst.max((pushes[at].dot(axis) + slope).abs());
            }
        }
        let (sum, torque) = (sum.length() / largest, torque.length() / (largest * SPACING));
        assert!(pressed(&found).len() > 20 && worst < 1e-8 * largest, "{worst} {largest}");
        assert!(sum < 1e-12 && torque < 1e-11, "{sum} {torque}");
        let frictions: DVec3 = found.frictions.iter().sum();
        assert!(frictions.length() < 1e-12 * largest && found.frictions.iter().any(|friction| friction.length() > 0.0));
    }
}

/// Flat faces that are pressed together are as stiff as the matter: the energy of an overlap e of the distance of
/// layers is m k e^2 / 2 a particle.
#[test]
fn faces_are_as_stiff_as_the_matter() {
    let soft = Soft::default();
    let touching = Touching::new(&soft, skin_of(&soft, SPACING), SPACING);
    let half_space = close_packed_half_space(8.0 * SPACING, SPACING).0;
    let inner = |p: &DVec3| p.x.hypot(p.y) < 7.0 * SPACING && p.z < 3.0 * SPACING;
    let layer = between_layers_in_space(SPACING);
    let upper: Vec<DVec3> = half_space.into_iter().filter(inner).collect();
    for (overlap, off) in [(0.05, 0.5), (0.1, 0.2), (0.2, 0.5), (-0.1, 1.0)] {
        let down = |p: &DVec3| DVec3::new(p.x + 0.004, p.y + 0.003, -p.z - layer * (1.0 - overlap));
        let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
        let contact_particles: Vec<ContactParticle> = contact_particles(&places, |at| u32::from(at >= upper.len()))
            .into_iter()
            .map(|contact_particle| ContactParticle { offset: 0.0, ..contact_particle })
            .collect();
        let faces = upper.iter().filter(|p| p.z == 0.0).count() as f64;
        let energy = contact(&contact_particles, &soft).0.energy() / (touching.energy * faces);
        let expected = if overlap > 0.0 { overlap * overlap / 2.0 } else { 0.0 };
        assert!((energy - expected).abs() <= off * expected.max(1e-4), "{overlap}: {energy} {expected}");
    }
}

/// Of two pressed faces exactly the particles with at least the threshold pressure, force over area, fuse.
#[test]
fn the_threshold_is_the_force_over_the_area() {
    let (layer, nearest) = (between_layers_in_space(SPACING), edge(SPACING) / 2.0_f64.sqrt());
    let face = close_packed_half_space(10.0 * SPACING, SPACING).0;
    let upper: Vec<DVec3> =
        face.into_iter().filter(|p| p.x.hypot(p.y) < 9.0 * SPACING && p.z < 3.0 * SPACING).collect();
    let at = |overlap: f64| {
        let down = |p: &DVec3| DVec3::new(p.x + nearest / 2.0, p.y, -p.z - layer * (1.0 - overlap));
        let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
        let contact_particles = contact_particles(&places, |at| u32::from(at >= upper.len()));
        contact_particles
            .into_iter()
            .map(|contact_particle| ContactParticle { offset: 0.0, ..contact_particle })
            .collect::<Vec<_>>()
    };
    let contact_particles = at(0.12);
    let (found, pushes) = contact(&contact_particles, &Soft::default());
    // The upward force within a circle, over its area.
    let inner = |at: usize| contact_particles[at].place.x.hypot(contact_particles[at].place.y) < 5.0 * SPACING;
    let within = |at: &usize| inner(*at) && *at < upper.len();
    let faces = (0..upper.len()).filter(|at| inner(*at) && upper[*at].z == 0.0).count() as f64;
    let force: f64 = (0..contact_particles.len()).filter(within).map(|at| pushes[at].z).sum();
    let pressure = force / (faces * nearest * nearest * 0.75_f64.sqrt());
    let mut pressures = Pressures::new(Soft::default().stiffness, SPACING);
    let all = pressed(&found);
    for seconds in [0.25, 0.75] {
        pressures.add(seconds, std::iter::once((&*all, seconds)));
    }
    let peaks = pressures.take_peaks();
    let of_inner = peaks.iter().filter(|([a, b], _)| inner(*a as usize) && inner(*b as usize));
    let fused: Vec<f64> = of_inner.map(|(_, &peak)| on_pair(peak, [false; 2]) / pressure).collect();
    let (least, most) = fused.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &p| (low.min(p), high.max(p)));
    assert!(fused.len() > 100 && least > 0.998 && most < 1.002);
}
