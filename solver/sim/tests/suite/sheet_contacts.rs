//! What hits a sheet does not pass it.

use crate::common::{at, scene, weightless};
use crate::oriented::{SPACING, rectangle, sheet};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use glam::DVec3;
use serde_json::{Value, json};

/// Side of the sheet, m.
const SIDE: f64 = 0.4;

fn ball(material: &str) -> Value {
    json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.01, 0.005, 0.1), "material": {"type": material}})
}

/// A sheet that something is about to hit from above at some speed, m/s.
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

/// What a sheet and other matter do to each other makes neither momentum nor energy.
#[test]
fn contact_keeps_momentum_and_energy() {
    for material in ["smoothed", "thermal"] {
        let mut simulation = Simulation::new(&hit(ball(material), 1.0), &rectangle(SIDE, SIDE)).unwrap();
        let (struck, (mut drift, mut impulse)) = (simulation.stats().kinetic_energy, (0.0, 0.0));
        for _ in 0..3 {
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
