#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::needless_pass_by_value)]

use super::*;
use crate::particles::{share, slots};
use crate::{MeshLibrary, Simulation, TriangleMesh};
use dollop_scene::Scene;
use glam::DVec3;
use serde_json::{Value, json};

const SPACING: f64 = 0.02;

/// Rectangles of 0.3 m by 0.2 m at some places.
fn rectangles(places: &[DVec3]) -> MeshLibrary {
    let corners = [(-0.15, -0.1), (0.15, -0.1), (0.15, 0.1), (-0.15, 0.1)];
    let positions = places.iter().flat_map(|place| corners.map(|(x, y)| *place + DVec3::new(x, y, 0.0))).collect();
    let quads = (0..places.len() as u32).map(|n| 4 * n);
    let triangles = quads.flat_map(|n| [[n, n + 1, n + 2], [n, n + 2, n + 3]]).collect();
    MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles })])
}

fn sheet(name: &str, x: f64, relaxation: f64) -> Value {
    json!({"name": name, "shape": {"type": "mesh", "path": "sheet"}, "transform": {"translation": [x, 0, 0]}, "temperature": 400,
        "heat": {"solidus": 350, "liquidus": 380, "specific_heat": 1500},
        "material": {"type": "oriented", "growth": 8, "viscosity": 20, "molten": {"stiffness": 0.5, "relaxation": relaxation}}})
}

fn simulation(bodies: Value, tools: Value, places: &[DVec3]) -> Simulation {
    let scene: Scene = serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9}, "gravity": [0, 0, 0], "particle_spacing": SPACING, "settle": false,
        "sleep": false, "heat": {}, "bodies": bodies, "tools": tools
    }))
    .unwrap();
    Simulation::new(&scene, &rectangles(places)).unwrap()
}

/// Draws a sheet out along x, and gives its particles random velocities and masses.
fn draw_out(particles: &mut Particles, by: f64) {
    let mut state = 7_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    for slot in 0..particles.len() {
        particles.positions[slot].x *= by;
        particles.velocities[slot] = DVec3::new(random(), random(), random());
        particles.heats[slot] *= 0.5 + random();
        particles.shares[slot] = (0.5 + 0.5 * random()) as f32;
    }
}

/// Sums over particles, in masses of a particle.
#[derive(Default)]
struct Sums {
    mass: f64,
    momentum: DVec3,
    heat: f64,
    /// The sum of positions by mass.
    centre: DVec3,
}

fn sums(particles: &Particles) -> Sums {
    let add = |sums: Sums, slot: usize| {
        let own = share(&particles.shares, slot);
        let Particles { velocities, heats, positions, .. } = particles;
        Sums {
            mass: sums.mass + own,
            momentum: sums.momentum + velocities[slot] * own,
            heat: sums.heat + heats[slot] * own,
            centre: sums.centre + positions[slot] * own,
        }
    };
    (0..particles.len()).fold(Sums::default(), add)
}

/// A newborn particle takes mass, momentum and heat from its parents, of any masses, and moves no centre of mass in a
/// flat sheet.
#[test]
fn births_make_nothing() {
    let mut simulation = simulation(json!([sheet("a", 0.0, 1.0)]), json!([]), &[DVec3::ZERO]);
    let mut whole = simulation.sheets_and_particles();
    draw_out(whole.1, 1.5);
    let before = sums(whole.1);
    let (sheets, particles) = &mut whole;
    let born = births(particles, &sheets.bodies, sheets.spacing, 0.0);
    let after = sums(particles);
    println!("{} born of {}", born.len(), particles.len());
    assert!(born.len() > 20);
    let off = [
        after.mass / before.mass - 1.0,
        after.momentum.distance(before.momentum) / before.mass,
        after.heat / before.heat - 1.0,
        after.centre.distance(before.centre) / before.mass,
    ];
    assert!(off.iter().all(|off| off.abs() < 1e-6), "{off:?}");
}

/// A particle that is born between two of one layer is not bound to another layer, however near that is pressed.
#[test]
fn births_bind_their_own_layer() {
    let nearest = nearest(SPACING);
    let high = DVec3::Z * 1.5 * nearest;
    let mut simulation = simulation(json!([sheet("a", 0.0, 1.0)]), json!([]), &[DVec3::ZERO, high]);
    let (sheets, particles) = simulation.sheets_and_particles();
    let upper: Vec<bool> = particles.positions.iter().map(|p| p.z > 0.5 * nearest).collect();
    assert!(upper.contains(&true) && upper.contains(&false));
    draw_out(particles, 1.5);
    for (position, _) in particles.positions.iter_mut().zip(&upper).filter(|(_, upper)| **upper) {
        position.z = 1.05 * nearest;
    }
    let born = births(particles, &sheets.bodies, sheets.spacing, 0.0);
    assert!(born.len() > 20, "{}", born.len());
    let slots = slots(particles);
    let is_upper = |slot: usize| particles.positions[slot].z > 0.5 * nearest;
    for (slot, ties) in particles.ties.iter().enumerate() {
        assert!(ties.iter().all(|tie| is_upper(slots[tie.number as usize] as usize) == is_upper(slot)));
    }
    let parents_are_bound = |(born, parents): (u32, &[u32; 2])| {
        let ties = particles.ties[slots[born as usize] as usize];
        parents.iter().all(|parent| ties.has(*parent))
    };
    assert!((upper.len() as u32..).zip(&born).all(parents_are_bound));
}

/// Both ends of a tie have the same data, whatever became of it: joined, softened, grown, torn, born.
#[test]
fn ties_are_the_same_from_both_ends() {
    let bodies = json!([sheet("a", -0.15, 0.05), sheet("b", 0.16, 2.0)]);
    let tools = json!([
        {"name": "roll", "shape": {"type": "box", "size": [0.1, 1, 0.1]}, "action": "join"},
        {"name": "blade", "shape": {"type": "box", "size": [0.002, 0.1, 0.1]}, "transform": {"translation": [-0.1, 0, 0]}, "action": "cut"}
    ]);
    let mut simulation = simulation(bodies, tools, &[DVec3::ZERO]);
    let first = simulation.sheets_and_particles().1.len();
    for slot in 0..first {
        let (_, particles) = simulation.sheets_and_particles();
        particles.velocities[slot] = DVec3::X * (15.0 * particles.positions[slot].x + particles.positions[slot].y);
    }
    let mut joined = 0;
    for _ in 0..6 {
        simulation.advance().unwrap();
        let (_, particles) = simulation.sheets_and_particles();
        let slots = slots(particles);
        for (slot, ties) in particles.ties.iter().enumerate() {
            for tie in ties.iter() {
                let back = particles.ties[slots[tie.number as usize] as usize].iter();
                let back: Vec<_> = back.filter(|back| back.number == particles.numbers[slot]).collect();
                assert!(
                    back.len() == 1
                        && crate::particles::Tie { number: tie.number, skew: -back[0].skew, ..back[0] } == tie
                );
                joined += usize::from(tie.joins);
            }
        }
    }
    let count = simulation.sheets_and_particles().1.len();
    println!("{joined} joints, {} born", count - first);
    assert!(joined > 10 && count > first + 10, "{joined} {count} {first}");
}

/// A sheet that is drawn out fast gives way in parts of frames, which follow from the state at a frame's start alone.
#[test]
fn halved_frames_depend_on_the_state_alone() {
    let mut body = sheet("a", 0.0, 1.0);
    // More damping would stop particles that fly apart without a pull.
    body["material"]["stretch_damping"] = json!(2e-4);
    let start = || simulation(json!([body]), json!([]), &[DVec3::ZERO]);
    let mut whole = start();
    for slot in 0..whole.sheets_and_particles().1.len() {
        let (_, particles) = whole.sheets_and_particles();
        particles.velocities[slot] = DVec3::X * (20.0 * particles.positions[slot].x);
    }
    let (mut halvings, before) = (0, whole.sheets_and_particles().1.len());
    for _ in 0..4 {
        let (sheets, particles) = whole.sheets_and_particles();
        halvings = sheets.halvings(particles, 1.0 / 24.0, 0).max(halvings);
        let mut other = start();
        other.take_over(&whole);
        whole.advance().unwrap();
        other.advance().unwrap();
        let (whole, other) = (whole.frame(), other.frame());
        assert_eq!((&whole.positions, &whole.velocities), (&other.positions, &other.velocities));
        assert_eq!((&whole.rest_volumes, whole.stats), (&other.rest_volumes, other.stats));
    }
    println!("halved {halvings} times, {} born", whole.frame().len() - before);
    assert!(halvings > 1 && whole.frame().len() > before);
}

/// Newborn particles keep beyond the contact distance of other matter, so that nothing is thrown.
#[test]
fn births_keep_clear_of_other_matter() {
    let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.05}, "transform": {"translation": [0, 0, 0.2]},
        "material": {"type": "smoothed"}});
    let mut simulation = simulation(json!([sheet("a", 0.0, 1.0), ball]), json!([]), &[DVec3::ZERO]);
    let (sheets, particles) = simulation.sheets_and_particles();
    let first = particles.len();
    for slot in 0..first {
        let position = &mut particles.positions[slot];
        // The ball is laid into the gaps of the sheet.
        if particles.sources[slot] == 0 { position.x *= 1.5 } else { position.z = 0.3 * nearest(SPACING) }
    }
    let born = births(particles, &sheets.bodies, sheets.spacing, 0.0);
    let others = (0..first).filter(|&slot| particles.sources[slot] == 1);
    let others: Vec<DVec3> = others.map(|slot| particles.positions[slot]).collect();
    let away = |slot: usize| others.iter().map(|p| p.distance(particles.positions[slot])).fold(f64::INFINITY, f64::min);
    let nearest_of = (first..particles.len()).map(away).fold(f64::INFINITY, f64::min);
    println!("{} born, the nearest {:.2} distances away", born.len(), nearest_of / nearest(SPACING));
    assert!(born.len() > 20 && nearest_of >= nearest(SPACING), "{nearest_of}");
}
