//! Matter that hits a sheet does not pass it.

use crate::common::{at, scene, weightless};
use crate::oriented::{SPACING, free, rectangle, sheet};
use dollop_scene::Scene;
use dollop_sim::{Frame, MeshLibrary, Simulation, TriangleMesh};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// Side of the sheet, m.
const SIDE: f64 = 0.4;

fn ball(material: &str) -> Value {
    json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.01, 0.005, 0.1), "material": {"type": material}})
}

/// A sheet that a body is about to hit from above at some speed, m/s.
fn hit(mut thing: Value, speed: f64) -> Scene {
    thing["velocity"] = json!([0, 0, -speed]);
    let mut scene = weightless(scene(SPACING, json!([sheet("sheet", at(0.0, 0.0, 0.0), json!({})), thing]), json!([])));
    scene.settle = false;
    scene.sleep = false;
    scene
}

/// The same with all of the sheet held, so that it can neither give way nor tear.
fn held(mut scene: Scene) -> Scene {
    let half = SIDE / 2.0;
    let corners = [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]];
    scene.bodies[0].pins = serde_json::from_value(json!([{"name": "all", "vertices": corners}])).unwrap();
    scene
}

fn places(frame: &Frame, body: u32) -> Vec<DVec3> {
    let own = frame.sources.iter().zip(&frame.positions).filter(|(source, _)| **source == body);
    own.map(|(_, position)| position.as_dvec3()).collect()
}

/// Single drops that spray off a liquid find the gaps between the particles of a sheet first.
#[test]
fn nothing_passes_a_sheet_at_five_metres_a_second() {
    let turned =
        json!({"translation": [0.013, 0.007, 0.06], "scale": [0.5, 0.5, 1.0], "rotation": [0.98, 0.1, 0.1, 0.1]});
    for (name, thing) in
        [("smoothed", ball("smoothed")), ("thermal", ball("thermal")), ("sheet", sheet("other", turned, json!({})))]
    {
        let mut simulation = Simulation::new(&held(hit(thing, 5.0)), &rectangle(SIDE, SIDE)).unwrap();
        let mut nearest = f64::INFINITY;
        for _ in 0..2 {
            simulation.advance().unwrap();
            let frame = simulation.frame();
            let own = places(&frame, 0);
            let away = |place: &DVec3| own.iter().map(|own| own.distance(*place)).fold(f64::INFINITY, f64::min);
            nearest = places(&frame, 1).iter().map(away).fold(nearest, f64::min);
        }
        let passed = places(&simulation.frame(), 1).iter().filter(|place| place.z < 0.0).count();
        println!("{name}: {passed} passed, nearest {:.2} spacings", nearest / SPACING);
        assert!(passed == 0 && nearest > 0.5 * SPACING, "{name}: {passed} {nearest}");
    }
}

/// Two squares of one mesh, the upper one turned, the lower one held.
fn layers(height: f64) -> (Scene, MeshLibrary) {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0) * SIDE / 2.0);
    let upper = corners.map(|place| DQuat::from_rotation_z(0.3) * (0.6 * place) + DVec3::new(0.013, 0.007, height));
    let positions = corners.into_iter().chain(upper).collect();
    let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let material = json!({"growth": 8, "viscosity": 8, "tear_stretch": 1.25, "stretch_stiffness": 300});
    let mut scene = held(free(material));
    scene.bodies[0].velocity = [0.0, 0.0, -2.0];
    (scene, MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles })]))
}

/// The particles of a sheet that has grown lie so near to each other that other layers could pass.
#[test]
fn layers_of_a_sheet_that_may_grow_do_not_pass_each_other() {
    let (scene, meshes) = layers(0.06);
    let mut simulation = Simulation::new(&scene, &meshes).unwrap();
    let upper: Vec<usize> =
        places(&simulation.frame(), 0).iter().enumerate().filter(|(_, place)| place.z > 0.03).map(|(n, _)| n).collect();
    let mut lowest = f64::INFINITY;
    for _ in 0..3 {
        simulation.advance().unwrap();
        let now = places(&simulation.frame(), 0);
        lowest = upper.iter().map(|&n| now[n].z).fold(lowest, f64::min);
    }
    println!("layers: lowest {:.2} spacings over the one below", lowest / SPACING);
    assert!(upper.len() > 100 && lowest > 0.5 * SPACING, "{} {lowest}", upper.len());
}

/// Contact of a sheet and other matter makes neither momentum nor energy.
#[test]
fn contact_keeps_momentum_and_energy() {
    for material in ["smoothed", "thermal"] {
        let mut simulation = Simulation::new(&hit(ball(material), 1.0), &rectangle(SIDE, SIDE)).unwrap();
        let (struck, (mut drift, mut impulse)) = (simulation.stats().kinetic_energy, (0.0, 0.0));
        for _ in 0..2 {
            simulation.advance().unwrap();
            drift += simulation.stats().energy_drift;
            impulse += simulation.stats().momentum_drift;
        }
        let stats = simulation.stats();
        println!(
            "{material}: {struck:.3} J, drift {drift:.1e} J, impulse {impulse:.1e} of {:.2} kg m/s, {} steps",
            stats.momentum, stats.steps
        );
        let speeds = places(&simulation.frame(), 0).iter().filter(|place| place.z < -0.02).count();
        assert!(speeds > 10, "the sheet was not struck");
        assert!(drift.abs() < 0.02 * struck && impulse < 1e-3 * stats.momentum, "{drift} {impulse}");
    }
}
