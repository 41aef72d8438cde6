#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::pieces::divide;
use super::skin_of;
use super::territory::{SoftParticle, Territories};
use super::volume::{Control, control};
use crate::frame::Skin;
use crate::integrator::Stepping;
use crate::laws::curve::damping_shape;
use crate::material::thermal::damping;
use crate::particles::{Membership, Volume};
use crate::{MeshLibrary, Simulation};
use dollop_scene::{Scene, Soft, SoftField};
use glam::DVec3;
use serde_json::{Value, json};
use std::f64::consts::TAU;

const SPACING: f64 = 0.1;
const RATE: f64 = 1000.0;

/// Soft matter in weightlessness whose first particles are put to some places, all in one piece.
fn placed(material: &Value, places: &[DVec3]) -> Simulation {
    let mut soft = json!({"type": "soft", "rest_density": 800, "stiffness": 50, "friction": 0, "viscosity": 0});
    soft.as_object_mut().unwrap().extend(material.as_object().unwrap().clone());
    let scene: Scene = serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": RATE}, "gravity": [0, 0, 0], "particle_spacing": SPACING,
        "settle": false, "sleep": false, "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.3}, "material": soft}]
    }))
    .unwrap();
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let (_, particles) = simulation.parts();
    let count = places.len();
    particles.numbers = (0..count as u32).collect();
    particles.positions = places.to_vec();
    particles.velocities.truncate(count);
    particles.densities.truncate(count);
    particles.sources.truncate(count);
    particles.memberships = vec![Membership::of(0); count];
    particles.volumes = vec![Volume { own: SPACING.powi(3) as f32, ..Volume::default() }; count];
    simulation
}

fn distance(simulation: &mut Simulation) -> f64 {
    let (_, particles) = simulation.parts();
    particles.positions[0].distance(particles.positions[1])
}

/// DG95 (1): a pair at `r_0` (1 + d) oscillates with omega^2 = 4 lambda / `r_0`^2 / mu, where lambda = m k / 4 and mu =
/// m / 2.
#[test]
fn a_pair_oscillates_by_its_stiffness() {
    let mut simulation = placed(&json!({}), &[DVec3::ZERO, DVec3::X * SPACING]);
    let separation = simulation.parts().0.solver.separation(0).unwrap();
    simulation.parts().1.positions[1] = DVec3::X * (separation * 1.001);
    let omega = (2.0 * 50.0_f64).sqrt() / separation;
    let frames = (TAU / omega * RATE * 10.5) as usize;
    let mut stretches = vec![1e-3 * separation];
    for _ in 0..frames {
        simulation.advance().unwrap();
        stretches.push(distance(&mut simulation) - separation);
    }
    let falls = stretches.windows(2).enumerate().filter(|(_, pair)| pair[0] > 0.0 && pair[1] <= 0.0);
    let crossings: Vec<f64> = falls.map(|(frame, pair)| frame as f64 + pair[0] / (pair[0] - pair[1])).collect();
    let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64 / RATE;
    let error = TAU / period / omega - 1.0;
    println!("frequency off by {error:.1e}");
    assert!(crossings.len() > 8 && error.abs() < 2e-3, "{error}");
}

/// The speed, m/s, that two particles keep after flying apart from neighbouring places beyond each other's reach.
fn left_of(speed: f64, material: &Value) -> f64 {
    let mut simulation = placed(material, &[DVec3::ZERO, DVec3::X * SPACING]);
    simulation.set_stepping(Stepping::Fixed(5));
    simulation.parts().1.velocities = vec![-DVec3::X * speed, DVec3::X * speed];
    while distance(&mut simulation) < 3.0 * SPACING {
        simulation.advance().unwrap();
    }
    simulation.parts().1.velocities[1].x / speed
}

/// DG95 (2) along the line of a pair: the pair keeps exp(-2 / m of the integral of mu over the path) of its speed, at
/// any speed.
#[test]
fn friction_brakes_by_the_distance_slid() {
    let friction = 0.5;
    let kernel = placed(&json!({}), &[DVec3::ZERO, DVec3::X * SPACING]).frame().kernel;
    let (h, steps) = (kernel.smoothing_length(), 10_000);
    let step = (kernel.support() - SPACING) / f64::from(steps);
    let shape = |n: i32| damping_shape(((SPACING + (f64::from(n) + 0.5) * step) / h).powi(2) as f32);
    let distance: f64 = (0..steps).map(|n| f64::from(shape(n)) * step).sum();
    let expected = (-2.0 * friction * damping(&kernel, SPACING) * distance).exp();
    for speed in [0.5, 5.0] {
        // The stiffness keeps friction just below its bound; the bond is then weak beside the motion.
        let stiffness = 1.01 * (friction * 2.0 * speed / 4.0_f64).powi(2);
        let left = left_of(speed, &json!({"stiffness": stiffness, "friction": friction}));
        println!("{speed} m/s: {left:.4} of it left, expected {expected:.4}");
        assert!((left / expected - 1.0).abs() < 5e-3, "{left} {expected}");
    }
    assert!(expected < 0.98, "{expected}");
}

/// Friction acts as a viscosity of up to four times the speed of sound.
#[test]
fn friction_is_bounded() {
    let stiffness: f64 = 0.04;
    let rubbed = left_of(5.0, &json!({"stiffness": stiffness, "friction": 1000.0, "viscosity": 0.0}));
    let viscous = left_of(5.0, &json!({"stiffness": stiffness, "friction": 0.0, "viscosity": 4.0 * stiffness.sqrt()}));
    println!("{rubbed:.5} and {viscous:.5} left");
    assert!((rubbed - viscous).abs() < 1e-5 && viscous < 0.999, "{rubbed} {viscous}");
}

/// Parted pieces neither attract each other nor have friction; they only push at less than their distance within a
/// piece.
#[test]
fn pieces_let_each_other_be() {
    let mut simulation = placed(&json!({"friction": 5, "viscosity": 5}), &[DVec3::ZERO, DVec3::X * 1.5 * SPACING]);
    simulation.parts().1.memberships = vec![Membership::of(0), Membership::of(1)];
    simulation.parts().1.velocities = vec![DVec3::Y, DVec3::ZERO];
    let before = simulation.parts().1.velocities.clone();
    simulation.advance().unwrap();
    let after = simulation.parts().1.velocities.clone();
    println!("{before:?} {after:?}");
    assert!(before[0].distance(after[0]) < 1e-9 && before[1].distance(after[1]) < 1e-9);
}

fn skin(field: SoftField) -> Skin {
    skin_of(&Soft { field, ..Soft::default() }, SPACING)
}

fn soft_particles(skin: Skin, places: &[DVec3]) -> Vec<SoftParticle> {
    let soft_particle = |(number, &place): (u32, &DVec3)| SoftParticle {
        number,
        place,
        membership: Membership::of(0),
        offset: 0.0,
        skin,
        wall: DVec3::ZERO,
    };
    (0..).zip(places).map(soft_particle).collect()
}

/// Parts stay parted when they come together again (DG95 section 4).
#[test]
fn parted_pieces_stay_parted() {
    let skin = skin(SoftField::Polynomial);
    let row = |gap: f64| [0.0, 0.1, 0.2, 0.2 + gap, 0.3 + gap].map(|x| DVec3::X * x);
    let of = |soft_particles: &[SoftParticle]| {
        soft_particles.iter().map(|soft_particle| soft_particle.membership.piece).collect::<Vec<_>>()
    };
    let mut soft_particles = soft_particles(skin, &row(0.24));
    divide(&mut soft_particles, 0.1, |_, _| false);
    assert_eq!(of(&soft_particles), [0; 5]);
    for gap in [0.26, 0.1] {
        soft_particles.iter_mut().zip(row(gap)).for_each(|(soft_particle, place)| soft_particle.place = place);
        divide(&mut soft_particles, 0.1, |_, _| false);
        assert_eq!(of(&soft_particles), [0, 0, 0, 3, 3]);
    }
}

/// The territory of a lone particle is the ball of its skin, and the territories of a body fill it.
#[test]
fn territories_are_measured() {
    for field in [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube] {
        let skin = skin(field);
        let lone = soft_particles(skin, &[DVec3::ONE]);
        let ball = TAU * 2.0 / 3.0 * skin.lone_radius().unwrap().powi(3);
        let volume = Territories::new(&lone).all()[0].volume;
        assert!((volume / ball - 1.0).abs() < 1e-4, "{field:?}: {volume} {ball}");
        let edge = crate::lattice::edge(SPACING) / 2.0;
        let places: Vec<DVec3> = (0..13 * 13 * 13)
            .map(|n| [n / 169 - 6, n / 13 % 13 - 6, n % 13 - 6])
            .filter(|[x, y, z]| (x + y + z) % 2 == 0 && x * x + y * y + z * z <= 36)
            .map(|place| DVec3::from_array(place.map(f64::from)) * edge)
            .collect();
        let ball = soft_particles(skin, &places);
        let territories = Territories::new(&ball).all();
        let inner = territories.iter().zip(&places).filter(|(_, place)| place.length() < 3.0 * edge);
        let mean = inner.clone().map(|(territory, _)| territory.volume).sum::<f64>() / inner.count() as f64;
        let all = territories.iter().map(|territory| territory.volume).sum::<f64>();
        let (mean, all) = (mean / SPACING.powi(3), all / SPACING.powi(3) / places.len() as f64);
        println!("{field:?}: {mean:.4} inside, {all:.4} of all {}", places.len());
        assert!((mean - 1.0).abs() < 0.02 && (all - 1.0).abs() < 0.1, "{field:?}: {mean} {all}");
    }
}

/// DG95 fig. 3: two particles that come together and blend, with the paper's alpha and beta and without.
#[test]
fn blending_keeps_the_volume() {
    for field in [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube] {
        let skin = skin(field);
        let worst = |control_by: Control| {
            let mut soft_particles = soft_particles(skin, &[DVec3::ZERO, DVec3::X * 0.3]);
            let first: f64 = Territories::new(&soft_particles).all().iter().map(|territory| territory.volume).sum();
            let mut volumes: Vec<Volume> = Territories::new(&soft_particles).all().iter().map(Volume::new).collect();
            let mut worst: f64 = 0.0;
            for frame in 0..48 {
                soft_particles[1].place.x = 0.3 - 0.2 * f64::from(frame.min(24)) / 24.0;
                let before: Vec<_> = volumes.iter().map(|volume| (*volume, control_by)).collect();
                volumes = control(&soft_particles, &before, 1.0 / 24.0, SPACING);
                soft_particles
                    .iter_mut()
                    .zip(&volumes)
                    .for_each(|(soft_particle, volume)| soft_particle.offset = volume.offset);
                let now: f64 = Territories::new(&soft_particles).all().iter().map(|territory| territory.volume).sum();
                worst = worst.max((now / first - 1.0).abs());
            }
            worst
        };
        let without = worst(Control { rate: 0.0, damping: 0.0 });
        let with = worst(Control { rate: 10.0, damping: 1.0 });
        println!("{field:?}: volume off by {:.1} % without control, {:.2} % with", without * 100.0, with * 100.0);
        assert!(with < 0.02 && without > 0.05, "{field:?}: {with} {without}");
    }
}
