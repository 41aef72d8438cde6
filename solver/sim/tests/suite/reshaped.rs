//! Sheets that are held, drawn out, softened, joined and cut.

use crate::common::{advanced, at, scene, simulate_with, weightless, with_any_threads};
use crate::oriented::{SPACING, free, positions, rectangle, sheet};
use dollop_scene::{Pin, Scene, Tool};
use dollop_sim::{Frame, Simulation};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

/// Holds both short edges of a rectangle; the one at higher x moves by a displacement, m, from one frame to another.
fn stretched(mut scene: Scene, (x, y): (f64, f64), way: [f64; 3], frames: (i32, i32)) -> Scene {
    let edge = |side: f64| json!([[side * x / 2.0, -y / 2.0, 0.0], [side * x / 2.0, y / 2.0, 0.0]]);
    let keys = json!([{"frame": frames.0, "transform": at(0.0, 0.0, 0.0)}, {"frame": frames.1, "transform": at(way[0], way[1], way[2])}]);
    scene.bodies[0].pins = pins(json!([
        {"name": "left", "vertices": edge(-1.0)}, {"name": "right", "vertices": edge(1.0), "motion": keys}
    ]));
    scene
}

fn pins(of: Value) -> Vec<Pin> {
    serde_json::from_value(of).unwrap()
}

fn tools(of: Value) -> Vec<Tool> {
    serde_json::from_value(of).unwrap()
}

/// A box remembers its edges: it stays nearly at rest (2 m/s and more than a spacing without), and no particle is born
/// in it while no force draws it out, though around edges some particles are bound over a longer distance than yielding
/// ties become.
#[test]
fn a_box_stays_as_it_was_made() {
    for growth in [1, 8] {
        let mut scene = free(json!({"growth": growth, "viscosity": 8, "tear_stretch": 1.25, "stretch_stiffness": 300}));
        scene.bodies[0].shape = serde_json::from_value(json!({"type": "box", "size": [0.2, 0.2, 0.2]})).unwrap();
        scene.settle = true;
        let mut simulation = Simulation::new(&scene, &rectangle(0.1, 0.1)).unwrap();
        simulation.settle(|_| ()).unwrap();
        let made = simulation.frame();
        let mut fastest = 0.0_f64;
        for _ in 0..4 {
            simulation.advance().unwrap();
            fastest = fastest.max(simulation.stats().max_speed);
        }
        let now = simulation.frame();
        let farthest = made.positions.iter().zip(&now.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
        println!("growth {growth}: {} particles, up to {fastest:.3} m/s, {farthest:.5} m off", now.len());
        assert!(now.len() == made.len() && fastest < 0.15 && farthest < 0.3 * SPACING as f32);
    }
}

/// A strip that is held at both ends and drawn out by 1 % stores Y strain^2 / 2 by area, and its held particles are
/// where the scene has them.
#[test]
fn a_strip_is_drawn_out_by_its_pins() {
    let (length, width, strain) = (0.8, 0.1, 0.01);
    let scene = free(json!({"stretch_stiffness": 100, "tear_stretch": 1.4, "viscosity": 5}));
    let scene = stretched(scene, (length, width), [strain * length, 0.0, 0.0], (1, 25));
    let mut simulation = Simulation::new(&scene, &rectangle(length, width)).unwrap();
    let (start, unstrained) = (positions(&simulation), simulation.stats().elastic_energy);
    let mut drift = 0.0;
    for _ in 0..36 {
        simulation.advance().unwrap();
        drift += simulation.stats().energy_drift;
    }
    let held: Vec<usize> = (0..start.len()).filter(|&i| start[i].x > length / 2.0 - 0.8 * 1.1225 * SPACING).collect();
    let off = positions(&simulation);
    let off = held.iter().map(|&i| off[i].distance(start[i] + DVec3::X * strain * length)).fold(0.0, f64::max);
    // The held part does not stretch: half a row at each end.
    let row = 0.75_f64.sqrt() * 1.1225 * SPACING;
    let (stored, expected) =
        (simulation.stats().elastic_energy - unstrained, 0.5 * 100.0 * strain.powi(2) * width * length);
    println!(
        "{} held, off by {off:.1e} m; stored {stored:.5} J, expected {expected:.5} J; drift {drift:.1e} J, row {row:.3} m",
        held.len()
    );
    assert!(!held.is_empty() && off < 1e-6, "{off}");
    assert!((stored / expected - 1.0).abs() < 0.1, "{stored} {expected}");
    assert!(drift.abs() < 0.02 * expected, "{drift}");
}

/// A strip that hangs from a held edge stretches by its own weight: sigma g L^2 / (2 Y) at its foot.
#[test]
fn a_strip_hangs_from_its_pin() {
    let (length, width) = (0.6, 0.1);
    let body = sheet(
        "sheet",
        json!({"rotation": [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0]}),
        json!({"stretch_stiffness": 200, "viscosity": 20}),
    );
    let mut scene = scene(SPACING, json!([body]), json!([]));
    scene.settle = false;
    let edge = json!([[-length / 2.0, -width / 2.0, 0.0], [-length / 2.0, width / 2.0, 0.0]]);
    scene.bodies[0].pins = pins(json!([{"name": "top", "vertices": edge}]));
    let simulation = Simulation::new(&scene, &rectangle(length, width)).unwrap();
    let low = |simulation: &Simulation| positions(simulation).iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let before = low(&simulation);
    // It swings about its position of rest.
    let mut simulation = advanced(simulation, 24);
    let mut given = 0.0;
    for _ in 0..90 {
        simulation.advance().unwrap();
        given += (before - low(&simulation)) / 90.0;
    }
    let expected = 0.25 * 9.81 * length * length / (2.0 * 200.0);
    println!("gave by {given:.5} m, expected {expected:.5} m, fastest {:.1e} m/s", simulation.stats().max_speed);
    assert!((given / expected - 1.0).abs() < 0.1, "{given} {expected}");
}

/// The widest gap along a strip, in distances of neighbours.
fn widest_gap(frame: &Frame) -> f32 {
    let mut xs: Vec<f32> = frame.positions.iter().map(|p| p.x).collect();
    xs.sort_by(f32::total_cmp);
    xs.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f32::max) / (1.1225 * SPACING as f32)
}

/// A sheet that grows is drawn out to two and a half times its length, slowly or at more than its length in a second;
/// it stays whole and keeps its mass. A sheet that does not grow tears.
#[test]
fn a_sheet_grows_or_tears() {
    let run = |growth: f64, viscosity: f64, frames: i32| {
        let material = json!({"stretch_stiffness": 50, "growth": growth, "tear_stretch": 1.3, "viscosity": viscosity});
        let scene = stretched(free(material), (0.4, 0.12), [0.6, 0.0, 0.0], (1, 1 + frames));
        advanced(Simulation::new(&scene, &rectangle(0.4, 0.12)).unwrap(), frames as usize + 3).frame()
    };
    let before = Simulation::new(&free(json!({})), &rectangle(0.4, 0.12)).unwrap().frame();
    let volume = |frame: &Frame| frame.rest_volumes.iter().map(|&v| f64::from(v)).sum::<f64>();
    let torn = run(1.0, 5.0, 18);
    let grown = [with_any_threads(|| run(8.0, 5.0, 18)), run(8.0, 20.0, 48)];
    for frame in [&torn, &grown[0], &grown[1]] {
        println!(
            "{} of {}, widest gap {:.2}, volume {:.5}, fastest {:.2} m/s",
            frame.len(),
            before.len(),
            widest_gap(frame),
            volume(frame) / volume(&before),
            frame.velocities.iter().map(|v| v.length()).fold(0.0, f32::max)
        );
    }
    assert!(torn.len() == before.len() && widest_gap(&torn) > 2.0);
    for grown in grown {
        assert!(grown.len() as f64 > 1.4 * before.len() as f64 && widest_gap(&grown) < 1.0);
        assert!((volume(&grown) / volume(&before) - 1.0).abs() < 1e-5);
        let ages = grown.scalar("age").unwrap();
        assert!(ages[0] > ages[grown.len() - 1] && ages[grown.len() - 1] >= 0.0);
    }
}

/// A sheet that is held around a hole sags when it is hot, and keeps that shape when it has set.
#[test]
fn a_hot_sheet_sags_and_sets() {
    let run = |temperatures: [f64; 2]| {
        let material = json!({"rest_density": 1000, "thickness": 1e-3, "stretch_stiffness": 1000, "bending_stiffness": 1e-3, "growth": 4,
            "viscosity": 10, "molten": {"stiffness": 0.1, "relaxation": 0.5}});
        let mut body = sheet("sheet", at(0.0, 0.0, 0.0), material);
        body["temperature"] = temperatures[0].into();
        body["heat"] = json!({"solidus": 380, "liquidus": 420, "specific_heat": 1500});
        let mut scene = scene(SPACING, json!([body]), json!([]));
        scene.heat = Some(serde_json::from_value(json!({})).unwrap());
        scene.heaters = serde_json::from_value(json!([{"name": "oven", "shape": {"type": "box", "size": [2, 2, 2]},
            "effect": {"type": "temperature", "temperature": 300, "response": 0.1},
            "values": [{"frame": 1, "value": temperatures[0]}, {"frame": 25, "value": temperatures[0]}, {"frame": 30, "value": temperatures[1]}]}]))
        .unwrap();
        let scene = stretched(scene, (0.4, 0.1), [0.0, 0.0, 0.0], (1, 2));
        let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.1)).unwrap();
        let low = |simulation: &Simulation| -positions(simulation).iter().map(|p| p.z).fold(0.0, f64::min);
        let mut sags = Vec::new();
        for _ in 0..54 {
            simulation.advance().unwrap();
            sags.push(low(&simulation));
        }
        let steady = (sags[53] - sags[44]).abs();
        println!(
            "{temperatures:?}: sags by {:.4} m hot, {:.4} m set, moves {steady:.1e} m; {} particles",
            sags[24],
            sags[53],
            simulation.frame().len()
        );
        (sags[24], sags[53], steady)
    };
    let (cold, hot) = (run([300.0, 300.0]), run([450.0, 300.0]));
    assert!(hot.0 > 3.0 * cold.0 && hot.1 > 0.8 * hot.0, "{cold:?} {hot:?}");
    assert!(hot.2 < 0.05 * hot.1);
}

/// A thin sheet cools on both sides: T - T' goes as exp(-2 h t / (rho thickness c)), except that its inside is warmer
/// than its surface.
#[test]
fn a_sheet_cools_on_both_sides() {
    let mut body = sheet("sheet", at(0.0, 0.0, 0.0), json!({"rest_density": 1000, "thickness": 1e-3}));
    body["temperature"] = 400.into();
    body["heat"] =
        json!({"specific_heat": 1000, "emissivity": 0, "solidus": 500, "liquidus": 510, "conductivity": 0.2});
    let mut scene = weightless(scene(SPACING, json!([body]), json!([])));
    scene.heat = Some(serde_json::from_value(json!({"rate": 20})).unwrap());
    scene.ambient.temperature = 300.0;
    scene.ambient.convection = 20.0;
    let simulation = advanced(simulate_with(&scene, &rectangle(0.5, 0.5)), 24);
    let frame = simulation.frame();
    let inner = (0..frame.len()).filter(|&i| frame.positions[i].abs().max_element() < 0.15);
    let temperatures: Vec<f32> = inner.map(|i| frame.temperatures().unwrap()[i]).collect();
    let mean = temperatures.iter().map(|&t| f64::from(t)).sum::<f64>() / temperatures.len() as f64;
    let expected = 300.0 + 100.0 * (-2.0_f64 * 20.0 * 20.0 / 1000.0).exp();
    println!("{mean:.2} K, expected {expected:.2} K");
    assert!(((mean - 300.0) / (expected - 300.0) - 1.0).abs() < 0.03, "{mean} {expected}");
}

/// Two sheets side by side, one held and the other drawn away: a tool that passed over their edges has joined them.
#[test]
fn a_tool_joins_two_sheets() {
    let run = |join: bool| {
        let side = |name: &str, x: f64| sheet(name, at(x, 0.0, 0.0), json!({"viscosity": 10}));
        let mut scene = weightless(scene(SPACING, json!([side("left", -0.101), side("right", 0.101)]), json!([])));
        let edge = |x: f64| json!([[x, -0.1, 0.0], [x, 0.1, 0.0]]);
        scene.bodies[0].pins = pins(json!([{"name": "held", "vertices": edge(-0.1)}]));
        scene.bodies[1].pins = pins(json!([{"name": "drawn", "vertices": edge(0.1), "motion": [
            {"frame": 12, "transform": at(0.0, 0.0, 0.0)}, {"frame": 36, "transform": at(0.01, 0.0, 0.1)}]}]));
        if join {
            scene.tools = tools(json!([{"name": "iron", "shape": {"type": "sphere", "radius": 0.05}, "motion": [
                {"frame": 1, "transform": at(0.0, -0.2, 0.0)}, {"frame": 10, "transform": at(0.0, 0.2, 0.0)}]}]));
        }
        let frame = || advanced(Simulation::new(&scene, &rectangle(0.2, 0.2)).unwrap(), 40).frame();
        let frame = if join { with_any_threads(frame) } else { frame() };
        let seam = |body: u32| {
            let own = (0..frame.len()).filter(|&i| frame.sources[i] == body);
            let end =
                own.map(|i| frame.positions[i]).map(|p| if body == 0 { p } else { p * Vec3::new(-1.0, 1.0, 1.0) });
            end.max_by(|a, b| a.x.total_cmp(&b.x)).unwrap().z
        };
        println!("join {join}: seam at {:.3} and {:.3} m", seam(0), seam(1));
        (seam(0), seam(1), frame.scalar("sheet").map(<[f32]>::to_vec))
    };
    let (apart, joined) = (run(false), run(true));
    assert!(apart.0.abs() < 0.02 && apart.2.is_none(), "{apart:?}");
    assert!(joined.0 > 0.03, "{joined:?}");
    assert!(joined.2.unwrap().iter().all(|&sheet| sheet == 0.0));
}

/// A strip that hangs is cut by a blade that passes through it: its lower half falls.
#[test]
fn a_tool_cuts_a_sheet() {
    let body = sheet("sheet", json!({"rotation": [0.5_f64.sqrt(), 0.0, 0.5_f64.sqrt(), 0.0]}), json!({}));
    let mut scene = scene(SPACING, json!([body]), json!([]));
    scene.bodies[0].pins = pins(json!([{"name": "top", "vertices": [[-0.2, -0.1, 0.0], [-0.2, 0.1, 0.0]]}]));
    scene.tools = tools(
        json!([{"name": "blade", "action": "cut", "shape": {"type": "box", "size": [0.1, 0.06, 0.004]}, "motion": [
        {"frame": 1, "transform": at(0.0, -0.2, 0.0)}, {"frame": 7, "transform": at(0.0, 0.2, 0.0)}]}]),
    );
    let frame = advanced(Simulation::new(&scene, &rectangle(0.4, 0.2)).unwrap(), 14).frame();
    let rest = frame.vector("rest_position").unwrap();
    let fallen = |lower: bool| {
        let half = (0..frame.len()).filter(|&i| (rest[i].z < 0.0) == lower && rest[i].z.abs() > 0.03);
        half.map(|i| rest[i].z - frame.positions[i].z).fold((f32::INFINITY, 0.0_f32), |(a, b), z| (a.min(z), b.max(z)))
    };
    let (upper, lower) = (fallen(false), fallen(true));
    println!("fell by {upper:?} and {lower:?} m");
    assert!(upper.1 < 0.03 && lower.0 > 0.3, "{upper:?} {lower:?}");
}

/// Particles born in a sheet beside soft matter belong to no piece of the soft matter.
#[test]
fn sheets_grow_beside_soft_matter() {
    let material = json!({"stretch_stiffness": 50, "growth": 8, "tear_stretch": 1.3, "viscosity": 5});
    let mut scene = stretched(free(material), (0.4, 0.12), [0.3, 0.0, 0.0], (1, 10));
    let lump = json!({"name": "lump", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.0, 0.0, 0.2),
        "material": {"type": "soft"}});
    scene.bodies.push(serde_json::from_value(lump).unwrap());
    let simulation = Simulation::new(&scene, &rectangle(0.4, 0.12)).unwrap();
    let before = simulation.frame().len();
    let frame = advanced(simulation, 12).frame();
    assert!(frame.len() > before);
    let soft = frame.scalar("piece").unwrap().iter().zip(&frame.sources);
    assert!(soft.clone().all(|(&piece, &source)| (piece >= 0.0) == (source == 1)) && soft.count() == frame.len());
}
