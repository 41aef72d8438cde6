//! Conservation laws: momenta, energy, free fall, and independence from the place of the origin.

use crate::common::{
    advanced, apart, at, centre, drift, flat, floor, scene, simulate, smoothed, weightless, with_any_threads,
};
use dollop_scene::{Dimensions, Scene};
use dollop_sim::{Frame, MeshLibrary, Simulation, Stepping};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

const SPACING: f64 = 0.1;

fn material(stiffness: f64, viscosity: f64, cohesion: f64) -> Value {
    json!({"type": "smoothed", "stiffness": stiffness, "viscosity": viscosity, "cohesion": cohesion})
}

/// Two balls of 0.3 m, or discs, and unequal densities that hit each other off their middle.
fn collision(dimensions: Dimensions, material: &Value) -> Scene {
    let mut heavy = material.clone();
    heavy["rest_density"] = json!(3000.0);
    let ball = |x: f64, z: f64, speed: f64, material: &Value| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.3}, "transform": at(x, 0.0, z),
            "velocity": [speed, 0.0, 0.0], "material": material})
    };
    let balls = json!([ball(-0.4, -0.1, 3.0, material), ball(0.4, 0.1, -2.0, &heavy)]);
    let mut scene = weightless(scene(SPACING, balls, json!([])));
    if dimensions == Dimensions::Two {
        scene = flat(scene);
    }
    scene
}

const BOTH: [Dimensions; 2] = [Dimensions::Two, Dimensions::Three];

/// Momentum and angular momentum, and the sums of the lengths of their terms, as scales for rounding.
#[derive(Default)]
struct Momenta {
    momentum: DVec3,
    spin: DVec3,
    size: f64,
    spin_size: f64,
}

fn momenta(frame: &Frame) -> Momenta {
    let columns = frame.positions.iter().zip(&frame.velocities).zip(&frame.sources);
    let term =
        |((p, v), source): ((&Vec3, &Vec3), &u32)| (p.as_dvec3(), v.as_dvec3() * if *source == 0 { 1.0 } else { 3.0 });
    columns.map(term).fold(Momenta::default(), |sums, (p, mv)| Momenta {
        momentum: sums.momentum + mv,
        spin: sums.spin + p.cross(mv),
        size: sums.size + mv.length(),
        spin_size: sums.spin_size + p.length() * mv.length(),
    })
}

#[test]
fn a_collision_keeps_momentum_and_angular_momentum() {
    let strong =
        json!({"type": "smoothed", "stiffness": 300.0, "viscosity": 1.0, "cohesion": 0.5, "yield_stress": 2000.0});
    let matters = [material(1000.0, 5.0, 0.05), material(300.0, 0.0, 1.0), strong];
    for (dimensions, material) in
        BOTH.into_iter().flat_map(|dimensions| matters.clone().map(|matter| (dimensions, matter)))
    {
        let mut start = simulate(&collision(dimensions, &material));
        start.set_stepping(Stepping::Global);
        let Momenta { momentum, spin, size, spin_size } = momenta(&start.frame());
        let after = advanced(start, 8).frame();
        let end = momenta(&after);
        let (lost, turned) = ((end.momentum - momentum).length() / size, (end.spin - spin).length() / spin_size);
        println!("{dimensions:?}: momentum changed by {lost:.2e}, angular momentum by {turned:.2e}");
        assert!(lost < 1e-6 && turned < 1e-5, "{lost} {turned}");
        let mixed = after.velocities.iter().zip(&after.sources).any(|(v, &source)| source == 0 && v.x < 0.0);
        assert!(mixed, "the balls must have met");
    }
}

#[test]
fn halving_the_step_quarters_the_error() {
    for (dimensions, stiffness) in BOTH.into_iter().zip([2.0, 5.0]) {
        // Only the frame rate limits a soft ball's steps: one step a frame.
        let at_rate = |rate: f64| {
            let mut scene = collision(dimensions, &material(stiffness, 0.0, 1.0));
            scene.bodies.truncate(1);
            scene.bodies[0].velocity = [0.0; 3];
            scene.bodies[0].angular_velocity = [0.0, 1.0, 0.0];
            scene.frames.rate = rate;
            let frame = advanced(simulate(&scene), (0.1 * rate) as usize).frame();
            assert_eq!(frame.stats.steps, 1, "{rate}");
            frame
        };
        let [coarse, middle, fine] = [200.0, 400.0, 800.0].map(at_rate);
        let (long, short) = (apart(&coarse, &middle), apart(&middle, &fine));
        println!("{dimensions:?}: steps of 5, 2.5 and 1.25 ms are apart by {long:.3e} and {short:.3e} m");
        assert!((3.0..5.0).contains(&(long / short)), "{long} {short}");
    }
}

#[test]
fn viscosity_only_takes_energy() {
    for dimensions in BOTH {
        let mut simulation = simulate(&collision(dimensions, &material(1000.0, 5.0, 0.05)));
        let mut before = f64::INFINITY;
        for _ in 0..8 {
            let stats = simulation.stats();
            let energy = stats.kinetic_energy + stats.elastic_energy;
            assert!(energy < before * 1.0001, "{energy} J after {before} J");
            before = energy;
            simulation.advance().unwrap();
        }
    }
}

#[test]
fn a_free_fall_is_exact() {
    for (material, tolerance) in free_matter() {
        let ball = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 0.3}, "velocity": [1.0, 2.0, 3.0],
            "material": material}]);
        let simulation = simulate(&scene(SPACING, ball, json!([])));
        let before = simulation.frame();
        let after = advanced(simulation, 24).frame();
        let time = after.time;
        let moved = centre(&after) - centre(&before);
        let expected = DVec3::new(1.0, 2.0, 3.0) * time - DVec3::Z * 9.81 / 2.0 * time * time;
        assert!(
            (moved - expected).length() < tolerance * expected.length(),
            "{material}: {moved} instead of {expected}"
        );
        let speed = drift(&after) - drift(&before) + DVec3::Z * 9.81 * time;
        assert!(speed.length() < 1e-5, "{material}: {speed}");
    }
}

#[test]
fn one_particle_flies_a_parabola() {
    for (material, tolerance) in free_matter() {
        let speck = json!([{"name": "speck", "shape": {"type": "box", "size": [0.01, 0.01, 0.01]},
            "velocity": [1.0, 0.0, 2.0], "material": material}]);
        let simulation = simulate(&scene(SPACING, speck, json!([])));
        assert_eq!(simulation.frame().len(), 1);
        let after = advanced(simulation, 24).frame();
        let expected = DVec3::new(1.0, 0.0, 2.0 - 9.81 / 2.0);
        let place = after.positions[0].as_dvec3();
        assert!((place - expected).length() < tolerance, "{material}: {place}");
    }
}

/// Smoothed matter, a liquid and a solid on a grid, each with how exactly it falls: velocities are rounded on the way
/// to a grid and back.
fn free_matter() -> [(Value, f64); 3] {
    let jelly = json!({"type": "continuum", "viscosity": 1, "shear_modulus": 3000});
    [(json!({"type": "smoothed"}), 1e-6), (json!({"type": "continuum"}), 5e-6), (jelly, 5e-6)]
}

/// How fast two specks at a distance in spacings separate after a frame, m/s.
fn parting(distance: f64, cohesion: f64) -> f64 {
    let speck = |x: f64| {
        json!({"name": "speck", "shape": {"type": "box", "size": [0.01, 0.01, 0.01]}, "transform": at(x, 0.0, 0.0),
            "material": material(100.0, 0.0, cohesion)})
    };
    let mut scene = weightless(scene(SPACING, json!([speck(0.0), speck(distance * SPACING)]), json!([])));
    scene.settle = false;
    scene.frames.rate = 1000.0;
    let after = advanced(simulate(&scene), 1).frame();
    f64::from(after.velocities[1].x - after.velocities[0].x)
}

#[test]
fn thin_matter_pulls_itself_together_by_its_cohesion() {
    assert!(parting(1.2, 1.0) < -1e-4);
    assert!(parting(1.2, 0.1) < 0.0 && parting(1.2, 0.1) > parting(1.2, 1.0));
    assert_eq!(parting(1.2, 0.0), 0.0);
    assert_eq!(parting(2.6, 1.0), 0.0);
}

#[test]
fn pressed_matter_drives_apart() {
    // Filled at rest, then felt from two sides.
    let blob = |x: f64| {
        json!({"name": "blob", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]}, "transform": at(x, 0.0, 0.0),
            "material": material(1000.0, 0.0, 0.0)})
    };
    let scene = weightless(scene(SPACING, json!([blob(-0.23), blob(0.23)]), json!([])));
    let speeds = |settle: bool| {
        let after = advanced(simulate(&Scene { settle, ..scene.clone() }), 2).frame();
        [0, 1].map(|source| {
            let own = after.velocities.iter().zip(&after.sources).filter(|(_, s)| **s == source).map(|(v, _)| v.x);
            own.clone().sum::<f32>() / own.count() as f32
        })
    };
    let [left, right] = speeds(false);
    assert!(left < -1e-3 && right > 1e-3, "{left} {right}");
    // Settled matter has done so before time began.
    let [slower_left, slower_right] = speeds(true);
    println!("speeds {left} {right}, settled {slower_left} {slower_right}");
    assert!(slower_left.abs().max(slower_right.abs()) < 0.05 * left.abs().min(right.abs()));
}

/// Soft matter beside stiff matter that it does not touch settles as far as alone.
#[test]
fn soft_matter_settles_beside_stiff_matter() {
    let body = |x: f64, stiffness: f64| {
        json!({"name": "block", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]},
            "transform": {"translation": [x, 0.0, 0.0]}, "material": {"type": "smoothed", "stiffness": stiffness}})
    };
    let spread = |bodies: Value| {
        let frame = simulate(&scene(SPACING, bodies, json!([]))).frame();
        let densities = frame.scalar("density").unwrap().iter().zip(&frame.sources);
        let soft: Vec<f32> = densities.filter(|(_, source)| **source == 0).map(|(&density, _)| density).collect();
        let (low, high) = soft.iter().fold((f32::MAX, 0.0_f32), |(low, high), &d| (low.min(d), high.max(d)));
        high - low
    };
    let alone = spread(json!([body(0.0, 50.0)]));
    let beside = spread(json!([body(0.0, 50.0), body(5.0, 1e6)]));
    println!("densities differ by {alone:.0} kg/m^3 alone, by {beside:.0} beside stiffer matter");
    assert!(beside < 1.3 * alone, "{beside} instead of {alone}");
}

#[test]
fn a_settled_body_starts_quietly_where_it_was_put() {
    let blob = json!([{"name": "blob", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]}, "transform": at(1.0, 2.0, 3.0),
        "velocity": [1.0, 0.0, 0.0], "material": material(1000.0, 5.0, 0.05)}]);
    let scene = weightless(scene(SPACING, blob, json!([])));
    let first = |settle: bool| simulate(&Scene { settle, ..scene.clone() }).frame();
    let (filled, settled) = (first(false), first(true));
    let moved = filled.positions.iter().zip(&settled.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let (mut steps, mut most) = (0, 0);
    Simulation::new(&scene, &MeshLibrary::new())
        .unwrap()
        .settle(|settling| (steps, most) = (settling.step, settling.most))
        .unwrap();
    // Not cut short.
    assert!(steps + 1 < most, "{steps} of {most} steps");
    println!(
        "settled in {steps} steps: elastic energy {:.3} of {:.3} J, moved by {moved:.4} m",
        settled.stats.elastic_energy, filled.stats.elastic_energy
    );
    assert!(settled.stats.elastic_energy < 0.05 * filled.stats.elastic_energy);
    assert!((centre(&settled) - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-4 && f64::from(moved) < SPACING);
    assert!(settled.velocities.iter().all(|v| *v == Vec3::X));
}

#[test]
fn a_free_ball_keeps_its_volume_but_for_the_pull_of_its_surface() {
    let radius = |frame: &Frame| {
        let middle = centre(frame);
        let squares = frame.positions.iter().map(|p| (p.as_dvec3() - middle).length_squared());
        (squares.sum::<f64>() / frame.len() as f64).sqrt()
    };
    for (cohesion, limit) in [(0.0, 0.001), (0.05, 0.12)] {
        let blob = json!([{"name": "blob", "shape": {"type": "sphere", "radius": 0.4},
            "material": material(1000.0, 5.0, cohesion)}]);
        let simulation = simulate(&weightless(scene(SPACING, blob, json!([]))));
        let before = simulation.frame();
        let after = advanced(simulation, 36).frame();
        let grown = (radius(&after) / radius(&before)).powi(3) - 1.0;
        println!("cohesion {cohesion}: volume changed by {grown:.4}, speed {:.2e} m/s", after.stats.max_speed);
        assert!(grown.abs() < limit, "{grown}");
        assert!(after.stats.max_speed < 0.01, "{}", after.stats.max_speed);
    }
}

#[test]
fn the_place_of_the_origin_does_not_matter() {
    let there = |shift: f64| {
        let mut floor = floor(0.3);
        floor["transform"] = at(0.0, 0.0, shift);
        let blob = json!([{"name": "blob", "shape": {"type": "box", "size": [0.5, 0.4, 0.6]},
            "transform": at(shift, -shift, 0.31 + shift), "velocity": [0.5, 0.0, -1.0]}]);
        // A power of two, so that the shift itself is exact.
        advanced(simulate(&scene(0.125, blob, json!([floor]))), 6).frame()
    };
    let (here, far) = (there(0.0), there(1024.0));
    assert_eq!(here.len(), far.len());
    let shift = DVec3::new(1024.0, -1024.0, 1024.0);
    let pairs = here.positions.iter().zip(&far.positions);
    let worst = pairs.map(|(a, b)| (b.as_dvec3() - shift - a.as_dvec3()).length()).fold(0.0, f64::max);
    println!("shifted by 1 km, positions differ by {worst:.2e} m");
    assert!(worst < 2e-3, "{worst}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let build = |dimensions: Dimensions, yield_stress: f64| {
        let mut scene = collision(dimensions, &material(1000.0, 1.0, 0.05));
        scene.gravity = [0.0, 0.0, -9.81];
        // Steps of several lengths.
        let stiff = smoothed(&mut scene, 1);
        stiff.stiffness = 20_000.0;
        for body in 0..2 {
            smoothed(&mut scene, body).yield_stress = yield_stress;
        }
        let ball = json!({"name": "tub", "shape": {"type": "sphere", "radius": 1.0}, "inverted": true});
        let bar = json!({"name": "bar", "shape": {"type": "box", "size": [0.2, 2.0, 0.2]}, "motion": [
            {"frame": 1, "transform": at(0.0, 0.0, -0.6)}, {"frame": 4, "transform": at(0.0, 0.0, 0.1)}]});
        scene.colliders = serde_json::from_value(json!([ball, bar])).unwrap();
        scene
    };
    for (dimensions, yield_stress, least) in
        BOTH.into_iter().flat_map(|dimensions| [(dimensions, 0.0, 3), (dimensions, 200.0, 2)])
    {
        let one = with_any_threads(|| advanced(simulate(&build(dimensions, yield_stress)), 3).frame());
        assert!(one.stats.particles_in_bins.iter().filter(|&&n| n > 0.0).count() >= least);
    }
}
