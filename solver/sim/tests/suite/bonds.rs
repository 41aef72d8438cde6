//! The loops over bonds, for matter of one kind and of several: tests that results stay the same.

use crate::common::{advanced, apart, scene, simulate, with_any_threads};
use dollop_scene::Scene;
use dollop_sim::well::Exponents;
use serde_json::{Value, json};

const SPACING: f64 = 0.1;

/// The exponents of Lennard-Jones.
const LENNARD_JONES: Exponents = Exponents { n: 12, m: 6 };

/// A ball that falls on a floor.
fn ball(name: &str, place: [f64; 3], exponents: Exponents) -> Value {
    json!({"name": name, "shape": {"type": "sphere", "radius": 0.35}, "transform": {"translation": place},
        "velocity": [0.5, 0.0, -6.0], "material": {"type": "thermal", "dissociation_energy": 50.0, "viscosity": 3.0,
            "repulsion_exponent": exponents.n, "attraction_exponent": exponents.m}})
}

fn on_floor(bodies: Value) -> Scene {
    let mut scene = scene(SPACING, bodies, json!([{"name": "floor", "shape": {"type": "plane"}}]));
    (scene.settle, scene.sleep) = (false, false);
    scene
}

#[test]
fn the_number_of_threads_does_not_matter_to_bonds() {
    let (low, high) = ([0.0, 0.0, 0.4], [0.2, 0.1, 1.3]);
    for bodies in [
        json!([ball("one", low, LENNARD_JONES)]),
        json!([ball("one", low, LENNARD_JONES), ball("other", high, LENNARD_JONES)]),
        json!([ball("one", low, LENNARD_JONES), ball("other", high, Exponents { n: 9, m: 5 })]),
    ] {
        let frame = with_any_threads(|| advanced(simulate(&on_floor(bodies.clone())), 4).frame());
        let lower: Vec<f32> =
            frame.velocities.iter().zip(&frame.sources).filter(|(_, s)| **s == 0).map(|(v, _)| v.z).collect();
        let rise = lower.iter().sum::<f32>() / lower.len() as f32;
        println!("{rise:.2} m/s upwards");
        // The ball has met the floor.
        assert!(rise > -1.0, "{rise}");
    }
}

/// Matter of one kind has a loop of its own. A second body far away switches to the loop of all kinds, which changes
/// only rounding.
#[test]
fn matter_of_one_kind_is_as_among_others() {
    let one = ball("one", [0.0, 0.0, 0.4], LENNARD_JONES);
    let alone = advanced(simulate(&on_floor(json!([one]))), 2).frame();
    let mut other = ball("other", [50.0, 0.0, 20.0], LENNARD_JONES);
    for (n, m) in [(12, 6), (9, 5)] {
        other["material"]["repulsion_exponent"] = json!(n);
        other["material"]["attraction_exponent"] = json!(m);
        let among = advanced(simulate(&on_floor(json!([one, other]))), 2).frame();
        let (off, way) = (apart(&alone, &among), 6.0 * 2.0 / 24.0);
        println!("{off:.2e} m off after {way} m");
        assert!(off < 4e-3 * SPACING, "{off}");
        let pairs = alone.scalar("pressure").unwrap().iter().zip(among.scalar("pressure").unwrap());
        let largest = alone.scalar("pressure").unwrap().iter().fold(0.0_f32, |most, p| most.max(p.abs()));
        assert!(largest > 0.0 && pairs.clone().all(|(a, b)| (a - b).abs() < 0.1 * largest));
    }
}
