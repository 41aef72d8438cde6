//! Matter on a grid and matter that moves by forces between particles push each other, slide on each other, and
//! exchange heat.

use crate::common::{
    advanced, assert_same_bits, at, flat, floor, on_slope, scene, simulate, simulate_with, weightless, with,
};
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::geometry::TriangleMesh;
use dollop_sim::{Frame, MeshLibrary, Simulation};
use glam::DVec3;
use serde_json::{Value, json};

const JELLY: &str = r#"{"type": "continuum", "rest_density": 1000, "viscosity": 1, "shear_modulus": 5000}"#;
const WATER: &str = r#"{"type": "continuum", "rest_density": 1000, "viscosity": 0.001}"#;
const THERMAL: &str = r#"{"type": "thermal", "rest_density": 1000}"#;
const SOFT: &str = r#"{"type": "soft", "rest_density": 1000}"#;
const SMOOTHED: &str = r#"{"type": "smoothed", "rest_density": 1000, "stiffness": 200, "viscosity": 5}"#;

pub fn material(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

pub fn body(name: &str, size: [f64; 3], place: Value, velocity: [f64; 3], material: Value) -> Value {
    json!({"name": name, "shape": {"type": "box", "size": size}, "transform": place, "velocity": velocity,
        "material": material})
}

/// The number of particles of a body, and their mean place and velocity.
pub fn motion(frame: &Frame, body: u32) -> (f64, DVec3, DVec3) {
    let own = || frame.sources.iter().enumerate().filter(|(_, own)| **own == body).map(|(n, _)| n);
    let count = own().count() as f64;
    let mean = |all: &[glam::Vec3]| own().map(|n| all[n].as_dvec3()).sum::<DVec3>() / count;
    (count, mean(&frame.positions), mean(&frame.velocities))
}

/// A square sheet in the plane z = 0 that all of its vertices pin, or those of its rim, and its mesh.
pub fn sheet(half: f64, is_fixed: bool, more: &Value) -> (Value, MeshLibrary) {
    const CELLS: i32 = 8;
    let place = |n: i32| (f64::from(n) / f64::from(CELLS) * 2.0 - 1.0) * half;
    let number = |x: i32, y: i32| (y * (CELLS + 1) + x) as usize;
    let all = || (0..=CELLS).flat_map(|y| (0..=CELLS).map(move |x| (x, y)));
    let positions: Vec<DVec3> = all().map(|(x, y)| DVec3::new(place(x), place(y), 0.0)).collect();
    let quads = (0..CELLS).flat_map(|y| (0..CELLS).map(move |x| (x, y)));
    let triangles = quads.flat_map(|(x, y)| {
        let [a, b, c, d] = [number(x, y), number(x + 1, y), number(x + 1, y + 1), number(x, y + 1)].map(|n| n as u32);
        [[a, b, c], [a, c, d]]
    });
    let mesh = TriangleMesh { positions: positions.clone(), triangles: triangles.collect() };
    let is_rim = |(x, y): &(i32, i32)| is_fixed || [x, y].into_iter().any(|n| *n == 0 || *n == CELLS);
    let pinned: Vec<[f64; 3]> = all().filter(is_rim).map(|(x, y)| [place(x), place(y), 0.0]).collect();
    let cloth = json!({"type": "oriented", "rest_density": 800, "thickness": 0.001, "stretch_stiffness": 500,
        "tears": false, "viscosity": 6});
    let body = json!({"name": "sheet", "shape": {"type": "mesh", "path": "sheet"}, "material": with(cloth, more),
        "pins": [{"name": "pin", "vertices": pinned}]});
    (body, MeshLibrary::from([("sheet".into(), mesh)]))
}

/// A body of a grid and another that fly at each other, with a density of the other, and their masses.
fn collision(own: &str, other: &str, density: f64, size: [f64; 3]) -> (Scene, [f64; 2]) {
    let mut material = material(other);
    material["rest_density"] = density.into();
    let own = body("own", size, at(0.0, 0.0, -0.08 - size[2] / 2.0), [0.0, 0.0, 1.0], self::material(own));
    let other = body("other", [0.16, 0.16, 0.1], at(0.0, 0.02, 0.08), [0.0, 0.0, -1.0], material);
    (weightless(scene(0.02, json!([own, other]), json!([]))), [1000.0, density])
}

/// What meets keeps its momentum, gains no energy, and parts again, whatever the other matter is, light or heavy, and
/// however thin.
#[test]
fn what_meets_keeps_its_momentum_and_gains_no_energy() {
    let thick = [0.16, 0.16, 0.1];
    let thin = [0.16, 0.16, 0.02];
    for (own, other, density, size) in [
        (JELLY, THERMAL, 1000.0, thick),
        (JELLY, THERMAL, 8000.0, thick),
        (JELLY, THERMAL, 100.0, thick),
        (JELLY, SOFT, 1000.0, thick),
        (JELLY, SMOOTHED, 1000.0, thick),
        (JELLY, THERMAL, 1000.0, thin),
        (JELLY, THERMAL, 8000.0, thin),
        (WATER, THERMAL, 1000.0, thick),
    ] {
        let (scene, densities) = collision(own, other, density, size);
        let mut simulation = simulate(&scene);
        let volumes = [0.16 * 0.16 * size[2], 0.16 * 0.16 * 0.1];
        // A lattice that does not fill its body has the mass of all of it.
        let masses = [0, 1].map(|n| densities[n] * volumes[n] / motion(&simulation.frame(), n as u32).0);
        let mass = |source: &u32| masses[*source as usize];
        let all = |frame: &Frame, of: &dyn Fn(DVec3) -> DVec3| -> DVec3 {
            frame.velocities.iter().zip(&frame.sources).map(|(v, source)| of(v.as_dvec3()) * mass(source)).sum()
        };
        let momentum = |frame: &Frame| all(frame, &|v| v);
        let energy = |frame: &Frame| all(frame, &|v| v * v).element_sum();
        let before = simulation.frame();
        let most = all(&before, &DVec3::abs).element_sum();
        simulation = advanced(simulation, 12);
        let after = simulation.frame();
        let apart = motion(&after, 1).1.z - motion(&after, 0).1.z;
        let lost = (momentum(&after) - momentum(&before)).length() / most;
        let left = energy(&after) / energy(&before);
        println!(
            "{own:.60} and {other:.40} at {density} kg/m3, {} m: momentum lost {lost:.1e}, energy left {left:.3}, apart {apart:.3} m",
            size[2]
        );
        // A thin body has the mass of its volume within 2.5 %.
        assert!(lost < if size == thin { 0.03 } else { 5e-4 }, "{lost}");
        assert!(left < 1.0, "{left}");
        // Liquids splash.
        assert!(other == SMOOTHED || own == WATER || apart > 0.05 + size[2] / 2.0, "{apart}");
    }
}

/// A block that lies on another does not sink into it, and both press on the floor by their weight.
#[test]
fn what_lies_on_other_matter_is_borne() {
    let stiff = r#"{"type": "continuum", "rest_density": 1000, "viscosity": 500, "shear_modulus": 50000}"#;
    let bonds = r#"{"type": "thermal", "rest_density": 1000, "viscosity": 5}"#;
    let heavy = r#"{"type": "thermal", "rest_density": 4000, "viscosity": 5}"#;
    for (low, high) in [(stiff, bonds), (bonds, stiff), (stiff, heavy)] {
        let of = |name: &str, z: f64, text: &str| body(name, [0.12; 3], at(0.0, 0.0, z), [0.0; 3], material(text));
        let scene = scene(0.02, json!([of("low", 0.06, low), of("high", 0.185, high)]), json!([floor(0.5)]));
        let mut simulation = advanced(simulate(&scene), 16);
        let place = motion(&simulation.frame(), 1).1.z;
        let (mut force, frames) = (0.0, 8);
        for _ in 0..frames {
            simulation.advance().unwrap();
            force +=
                simulation.frame().reactions.iter().map(|reaction| reaction.force.z).sum::<f64>() / f64::from(frames);
        }
        let frame = simulation.frame();
        let weight: f64 = [low, high]
            .iter()
            .map(|text| material(text)["rest_density"].as_f64().unwrap() * 0.12_f64.powi(3) * 9.81)
            .sum();
        let sunk = place - motion(&frame, 1).1.z;
        let speed = motion(&frame, 1).2.length();
        println!("borne by {low:.30}: {:.3} of the weight, sinks {sunk:.5} m, {speed:.4} m/s", -force / weight);
        assert!((-force / weight - 1.0).abs() < 0.03, "{force} {weight}");
        assert!(sunk.abs() < 0.002 && speed < 0.05, "{sunk} {speed}");
    }
}

/// A cube of other matter sinks in water about as fast as one of the grid, and a light one floats as deep as it weighs.
#[test]
fn things_sink_and_float_in_water() {
    let (width, depth, edge) = (0.36, 0.24, 0.12);
    let place = |spacing: f64, text: &str, density: f64, frames: usize| -> Vec<f64> {
        let mut cube = material(text);
        cube["rest_density"] = density.into();
        let bodies = json!([
            body("water", [width, width, depth], at(0.0, 0.0, depth / 2.0), [0.0; 3], material(WATER)),
            body("cube", [edge; 3], at(0.0, 0.0, depth + edge / 2.0), [0.0; 3], cube),
        ]);
        let tank = json!({"name": "tank", "shape": {"type": "box", "size": [width, width, 2.0]}, "inverted": true,
            "transform": at(0.0, 0.0, 1.0), "friction": 0.5});
        let mut simulation = simulate(&scene(spacing, bodies, json!([tank])));
        let of_frame = |_| {
            simulation.advance().unwrap();
            motion(&simulation.frame(), 1).1.z
        };
        (0..frames).map(of_frame).collect()
    };
    let solid = r#"{"type": "continuum", "rest_density": 1000, "viscosity": 10, "shear_modulus": 300000}"#;
    // Water that the light cube displaces, as half of it does.
    let surface = depth + edge.powi(3) / 2.0 / width.powi(2);
    for spacing in [0.03, 0.02] {
        let speed = |text: &str| {
            let heights = place(spacing, text, 2000.0, 7);
            (heights[3] - heights[6]) * 24.0 / 3.0
        };
        let (sinks, on_grid) = (speed(THERMAL), speed(solid));
        let floats = place(spacing, THERMAL, 500.0, 20);
        let middle = floats[12..].iter().sum::<f64>() / 8.0;
        println!(
            "{spacing} m: sinks at {sinks:.3} m/s, on the grid {on_grid:.3}; floats at {middle:.4}, {surface:.4} m"
        );
        assert!((sinks / on_grid - 1.0).abs() < 0.15, "{sinks} {on_grid}");
        assert!((middle - surface).abs() < spacing, "{floats:?}");
    }
}

/// The acceleration of a block with some friction on a slope, m/s^2, and its exact one, by Coulomb's law, on a body at
/// some height.
fn slides(spacing: f64, friction: f64, (low, meshes): (Value, MeshLibrary), top: f64, colliders: Value) -> [f64; 2] {
    let slope = on_slope(scene(0.02, json!([]), json!([]))).gravity;
    let mut stiff = material(JELLY);
    (stiff["shear_modulus"], stiff["contact_friction"]) = (3e4.into(), friction.into());
    let block = body("block", [0.16, 0.16, 0.08], at(-0.1, 0.0, 0.04 + top), [0.0; 3], stiff);
    let scene = on_slope(scene(spacing, json!([low, block]), colliders));
    let simulation = advanced(simulate_with(&scene, &meshes), 3);
    let before = motion(&simulation.frame(), 1).2.x;
    let after = motion(&advanced(simulation, 9).frame(), 1).2.x;
    let (found, exact) = ((after - before) * 24.0 / 9.0, (slope[0] + friction * slope[2]).max(0.0));
    println!("spacing {spacing} m, friction {friction}: {found:.3} m/s2, exact {exact:.3}, {after:.3} m/s");
    [found, exact]
}

/// A block slides on a fixed sheet by Coulomb's law at two spacings, or stays.
#[test]
fn solids_slide_on_a_sheet_by_their_friction() {
    for (spacing, friction) in [(0.02, 0.0), (0.02, 0.2), (0.02, 0.8), (0.014, 0.0), (0.014, 0.2)] {
        let [found, exact] = slides(spacing, friction, sheet(0.4, true, &json!({})), 0.9 * spacing, json!([]));
        assert!((found - exact).abs() < 0.38, "{found} {exact}");
    }
}

/// The same on bonded matter and on soft matter, which are made of particles without a normal of their own.
#[test]
fn solids_slide_on_other_solids_by_their_friction() {
    for (low, friction) in [(THERMAL, 0.0), (THERMAL, 0.2), (THERMAL, 0.8), (SOFT, 0.0)] {
        let slab = body("slab", [0.8, 0.3, 0.08], at(0.0, 0.0, 0.04), [0.0; 3], material(low));
        println!("{low:.30}");
        let low = (slab, MeshLibrary::new());
        let [found, exact] = slides(0.02, friction, low, 0.08 + 1.1 * 0.02, json!([floor(2.0)]));
        assert!((found - exact).abs() < 0.38, "{found} {exact}");
    }
}

/// Liquids hold on to what they flow over: a film on a fixed sheet flows about as one on a collider, alike at two
/// spacings.
#[test]
fn a_film_sticks_to_a_sheet() {
    let film = |spacing: f64, on_sheet: bool| {
        let honey = json!({"type": "continuum", "rest_density": 1400, "viscosity": 20});
        let film = body("film", [0.3, 0.3, 0.06], at(0.0, 0.0, 0.03 + 0.9 * spacing), [0.0; 3], honey);
        let (sheet, meshes) = sheet(0.4, true, &json!({}));
        let plane = json!({"name": "plane", "shape": {"type": "plane"}, "transform": at(0.0, 0.0, 0.4 * spacing)});
        let (bodies, colliders) =
            if on_sheet { (json!([sheet, film]), json!([])) } else { (json!([film]), json!([plane])) };
        let scene = on_slope(scene(spacing, bodies, colliders));
        let frame = advanced(simulate_with(&scene, &meshes), 6).frame();
        motion(&frame, u32::from(on_sheet)).2.x
    };
    let both = [0.02, 0.015].map(|spacing| {
        let (on_sheet, on_plane) = (film(spacing, true), film(spacing, false));
        println!("spacing {spacing} m: {on_sheet:.4} m/s on the sheet, {on_plane:.4} on a plane");
        // Without any hold it would be at 0.96 m/s.
        assert!((on_sheet / on_plane - 1.0).abs() < 0.3, "{on_sheet} {on_plane}");
        [on_sheet, on_plane]
    });
    // At 2 cm it has three layers, by which the film on the plane differs as well.
    let [coarse, fine] = both;
    assert!((coarse[0] / fine[0] - 1.0).abs() < 0.3, "{both:?}");
    assert!((coarse[0] / coarse[1] / (fine[0] / fine[1]) - 1.0).abs() < 0.15, "{both:?}");
}

/// Steps are short enough for a cloth that weighs a hundredth of the particles of tar above and below it: with two and
/// a half times as long ones it is thrown about.
#[test]
fn a_light_cloth_in_tar_lies_still() {
    let tar = || json!({"type": "continuum", "rest_density": 1400, "viscosity": 3000});
    let (cloth, meshes) = sheet(0.2, false, &json!({"rest_density": 200, "viscosity": 0.0}));
    let of =
        |name: &str, edge: f64, thick: f64, z: f64| body(name, [edge, edge, thick], at(0.0, 0.0, z), [0.0; 3], tar());
    let bodies = json!([cloth, of("pool", 0.36, 0.08, -0.062), of("lump", 0.16, 0.06, 0.052)]);
    let bed = json!({"name": "bed", "shape": {"type": "box", "size": [0.36, 0.36, 1.0]}, "inverted": true,
        "transform": at(0.0, 0.0, 0.398)});
    let mut simulation = advanced(simulate_with(&scene(0.02, bodies, json!([bed])), &meshes), 8);
    for _ in 0..2 {
        simulation.advance().unwrap();
        let now = simulation.frame();
        let cloth = now.velocities.iter().zip(&now.sources).filter(|(_, source)| **source == 0);
        let fastest = cloth.map(|(v, _)| f64::from(v.length())).fold(0.0, f64::max);
        println!("the cloth moves at {fastest:.4} m/s in {} steps", now.stats.steps);
        assert!(fastest < 0.03, "{fastest} m/s");
    }
}

/// A lump of jelly that falls on a sheet held at its rim sinks as far into it at two spacings, and comes up again.
#[test]
fn a_trampoline_is_the_same_at_two_spacings() {
    let deepest = |spacing: f64| {
        let (sheet, meshes) = sheet(0.3, false, &json!({}));
        let lump = body("lump", [0.16; 3], at(0.0, 0.0, 0.15), [0.0, 0.0, -1.0], material(JELLY));
        let mut simulation = simulate_with(&scene(spacing, json!([sheet, lump]), json!([])), &meshes);
        let (mut low, mut last) = (f64::INFINITY, 0.0);
        for _ in 0..12 {
            simulation.advance().unwrap();
            last = motion(&simulation.frame(), 1).2.z;
            low = low.min(motion(&simulation.frame(), 1).1.z);
        }
        (low, last)
    };
    let (coarse, fine) = (deepest(0.025), deepest(0.0175));
    println!("down to {:.4} and {:.4} m, then {:.3} and {:.3} m/s", coarse.0, fine.0, coarse.1, fine.1);
    assert!((coarse.0 - fine.0).abs() < 0.02 && coarse.0 < 0.07, "{coarse:?} {fine:?}");
}

/// Heat flows from matter on a grid to other matter and none is lost: between equal halves the interface has the mean
/// of both temperatures, and each holds as much as diffusion lets through (Carslaw and Jaeger, Conduction of Heat in
/// Solids, 1959, 2.4).
#[test]
fn heat_flows_across_the_interface() {
    let stiff = r#"{"type": "continuum", "rest_density": 1000, "viscosity": 10, "shear_modulus": 100000}"#;
    let spacing = 0.02;
    let of = |name: &str, z: f64, temperature: f64, text: &str| {
        let mut body = body(name, [0.2, 0.2, 0.2], at(0.0, 0.0, z), [0.0; 3], material(text));
        body["temperature"] = temperature.into();
        body["heat"] =
            json!({"specific_heat": 1000, "conductivity": 0.5, "solidus": 1000, "liquidus": 1100, "emissivity": 0});
        body
    };
    let mut scene =
        weightless(scene(spacing, json!([of("hot", 0.1, 400.0, stiff), of("cold", 0.303, 300.0, THERMAL)]), json!([])));
    scene.heat = Some(HeatFlow { rate: 10_000.0 });
    scene.ambient.convection = 0.0;
    let simulation = simulate(&scene);
    let stored = |simulation: &Simulation| simulation.stats().heat.unwrap().stored;
    let before = stored(&simulation);
    let after = advanced(simulation, 12);
    let frame = after.frame();
    let temperatures = frame.scalar("temperature").unwrap();
    let mean = |body: u32| {
        let own: Vec<f64> = temperatures
            .iter()
            .zip(&frame.sources)
            .filter(|(_, own)| **own == body)
            .map(|(t, _)| f64::from(*t))
            .collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let spread = (0.5 / (1000.0 * 1000.0) * 1e4 * 0.5 / std::f64::consts::PI).sqrt();
    let (lost, gained, exact) = (400.0 - mean(0), mean(1) - 300.0, 100.0 * spread / 0.2);
    println!(
        "hot loses {lost:.3} K, cold gains {gained:.3} K, exact {exact:.3} K; heat {:.2e} of what it was",
        stored(&after) / before - 1.0
    );
    assert!((stored(&after) / before - 1.0).abs() < 1e-6);
    assert!((lost / exact - 1.0).abs() < 0.25 && (gained / exact - 1.0).abs() < 0.25);
}

fn on_a_sheet() -> Simulation {
    let (sheet, meshes) = sheet(0.3, false, &json!({}));
    let lump = body("lump", [0.16; 3], at(0.0, 0.0, 0.105), [0.2, 0.0, -1.0], material(JELLY));
    simulate_with(&scene(0.025, json!([sheet, lump]), json!([])), &meshes)
}

fn in_the_plane() -> Simulation {
    let of = |name: &str, z: f64, text: &str| {
        body(name, [0.2, 0.2, 0.16], at(0.0, 0.0, z), [0.3, 0.0, -0.5], material(text))
    };
    simulate(&flat(scene(0.02, json!([of("low", 0.1, SMOOTHED), of("high", 0.29, JELLY)]), json!([floor(0.5)]))))
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn what_meets_has_the_same_bits_again() {
    assert_same_bits(on_a_sheet, 5, "jelly on a sheet");
    assert_same_bits(in_the_plane, 5, "jelly on smoothed matter in the plane");
}

/// Heaters give other matter beside a grid as much as they give it alone.
#[test]
fn heaters_warm_other_matter_once() {
    let warmed = |beside: bool| {
        let wax = |name: &str, x: f64, text: &str| {
            let mut body = body(name, [0.1; 3], at(x, 0.0, 0.0), [0.0; 3], material(text));
            body["temperature"] = 300.into();
            body["heat"] = json!({"specific_heat": 1000, "conductivity": 0.1, "solidus": 310, "liquidus": 320,
                "latent_heat": 10_000, "emissivity": 0});
            body
        };
        let bodies = if beside {
            json!([wax("wax", 0.0, THERMAL), wax("jelly", 1.0, JELLY)])
        } else {
            json!([wax("wax", 0.0, THERMAL)])
        };
        let mut scene = serde_json::to_value(weightless(scene(0.02, bodies, json!([])))).unwrap();
        scene["heat"] = json!({});
        scene["ambient"]["convection"] = 0.into();
        scene["heaters"] = json!([{"name": "heater", "shape": {"type": "box", "size": [0.3, 0.3, 0.3]}, "effect": {"type": "power", "power": 1_000_000}}]);
        let simulation = advanced(simulate(&serde_json::from_value(scene).unwrap()), 6);
        let frame = simulation.frame();
        let own = frame.scalar("temperature").unwrap().iter().zip(&frame.sources).filter(|(_, source)| **source == 0);
        let temperatures: Vec<f64> = own.map(|(temperature, _)| f64::from(*temperature)).collect();
        temperatures.iter().sum::<f64>() / temperatures.len() as f64
    };
    let (alone, beside) = (warmed(false), warmed(true));
    println!("wax warms to {alone:.3} K alone and {beside:.3} K beside jelly");
    assert!(alone > 305.0 && (alone - beside).abs() < 0.01, "{alone} {beside}");
}

/// A floor below a thin layer bears the layer and what lies on it, no more.
#[test]
fn a_floor_near_the_interface_bears_the_weight() {
    let layer = body("layer", [0.2, 0.2, 0.04], at(0.0, 0.0, 0.02), [0.0; 3], material(JELLY));
    let block = body("block", [0.12, 0.12, 0.12], at(0.0, 0.0, 0.125), [0.0; 3], material(THERMAL));
    let mut simulation = advanced(simulate(&scene(0.02, json!([layer, block]), json!([floor(0.5)]))), 16);
    let (mut force, frames) = (0.0, 8);
    for _ in 0..frames {
        simulation.advance().unwrap();
        force += simulation.frame().reactions.iter().map(|reaction| reaction.force.z).sum::<f64>() / f64::from(frames);
    }
    let weight = 9810.0 * (0.2 * 0.2 * 0.04 + 0.12_f64.powi(3));
    println!("the floor bears {:.3} of the weight", -force / weight);
    assert!((-force / weight - 1.0).abs() < 0.03, "{force} {weight}");
}
