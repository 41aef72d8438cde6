//! Bodies of any two presets that meet: tests of their steps, and that neither passes the other.

use crate::common::{at, scene};
use dollop_scene::Scene;
use dollop_sim::{MeshLibrary, Simulation, TriangleMesh, meeting};
use glam::DVec3;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Most steps of two presets that meet, over those of the preset that takes more by itself.
const MOST: f64 = 4.0;

/// Most steps of two presets that meet at half a metre a second, over those foretold for their meeting at rest.
const FORETOLD: f64 = 2.5;

struct Preset {
    name: String,
    body: Value,
}

impl Preset {
    fn is_sheet(&self) -> bool {
        self.body["material"]["type"] == "oriented"
    }

    /// Half the height of its body, in spacings.
    fn half(&self) -> f64 {
        if self.is_sheet() { 0.5 } else { 2.0 }
    }

    /// A block of four spacings, or a sheet as wide, with its middle at a height, m.
    fn body(&self, spacing: f64, z: f64) -> Value {
        let mut body = self.body.clone();
        body["name"] = self.name.clone().into();
        body["transform"] = at(0.0, 0.0, z);
        let wide = 4.0 * spacing;
        body["shape"] = if self.is_sheet() {
            json!({"type": "mesh", "path": "sheet"})
        } else {
            json!({"type": "box", "size": [wide, wide, wide]})
        };
        body
    }
}

fn presets() -> Vec<Preset> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../addon/presets.json");
    let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let preset = |preset: Value| Preset {
        name: preset["name"].as_str().unwrap().into(),
        body: json!({"temperature": preset["temperature"], "heat": preset["heat"], "material": preset["material"]}),
    };
    // Matter on a grid meets none of another type yet.
    list.into_iter().filter(|preset| preset["material"]["type"] != "continuum").map(preset).collect()
}

fn square(side: f64) -> MeshLibrary {
    let positions =
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| DVec3::new(x, y, 0.0) * side / 2.0);
    let triangles = vec![[0, 1, 2], [0, 2, 3]];
    MeshLibrary::from([("sheet".into(), TriangleMesh { positions: positions.into(), triangles })])
}

/// One body, or another over it at a distance, m.
fn pair(lower: &Preset, upper: Option<&Preset>, room: f64, spacing: f64, heat: bool) -> Scene {
    let over = |upper: &Preset| upper.body(spacing, (lower.half() + upper.half()) * spacing + room);
    let bodies: Vec<Value> = [lower.body(spacing, 0.0)].into_iter().chain(upper.map(over)).collect();
    let mut scene = scene(spacing, bodies.into(), json!([]));
    scene.heat = heat.then(|| serde_json::from_value(json!({})).unwrap());
    scene.settle = false;
    scene
}

fn steps(scene: &Scene) -> u64 {
    let meshes = square(6.0 * scene.particle_spacing);
    Simulation::new(scene, &meshes).unwrap().estimate().steps_per_frame
}

/// The foretold steps of two bodies that touch.
fn foretold(scene: &Scene) -> u64 {
    meeting(scene, 0).unwrap().steps_per_frame.unwrap_or(u64::MAX)
}

#[test]
fn presets_that_meet_take_about_as_many_steps_as_alone() {
    let presets = presets();
    let mut worst = Vec::new();
    for (spacing, heat) in [(0.02, false), (0.02, true), (0.005, false)] {
        let alone: Vec<u64> = presets.iter().map(|preset| steps(&pair(preset, None, 0.0, spacing, heat))).collect();
        for (a, lower) in presets.iter().enumerate() {
            for (b, upper) in presets.iter().enumerate() {
                let more = alone[a].max(alone[b]);
                for room in [0.0, 0.05] {
                    let scene = pair(lower, Some(upper), room, spacing, heat);
                    let both = if room > 0.0 { steps(&scene) } else { foretold(&scene) };
                    let ratio = both as f64 / more as f64;
                    worst.push((
                        ratio,
                        format!(
                            "{} under {}, {room} m, {spacing} m, heat {heat}: {both} of {more}",
                            lower.name, upper.name
                        ),
                    ));
                }
            }
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, what) in &worst[..40] {
        println!("{ratio:.2} {what}");
    }
    assert!(worst[0].0 <= MOST, "{}", worst[0].1);
}

/// The most steps of any of `frames` frames.
fn taken(scene: &Scene, frames: usize) -> u64 {
    let mut simulation = Simulation::new(scene, &square(6.0 * scene.particle_spacing)).unwrap();
    let frame = |simulation: &mut Simulation| {
        simulation.advance().unwrap();
        simulation.stats().steps
    };
    (0..frames).map(|_| frame(&mut simulation)).max().unwrap()
}

/// Counts the steps that are actually taken when the bodies meet and press, not only the foretold ones.
#[test]
fn presets_that_meet_at_speed_take_about_as_many_steps_as_alone() {
    // They meet a quarter of a frame after the start.
    let (presets, spacing, frames) = (presets(), 0.02, 2);
    let alone: Vec<u64> =
        presets.iter().map(|preset| taken(&pair(preset, None, 0.0, spacing, false), frames)).collect();
    let mut worst = Vec::new();
    for (a, lower) in presets.iter().enumerate() {
        for (b, upper) in presets.iter().enumerate().skip(a) {
            let mut scene = pair(lower, Some(upper), 0.005, spacing, false);
            scene.bodies[1].velocity = [0.0, 0.0, -0.5];
            let (both, told, more) = (taken(&scene, frames), foretold(&scene), alone[a].max(alone[b]));
            let what = format!("{} under {}: {both} of {more}, {told} foretold", lower.name, upper.name);
            worst.push((both as f64 / more as f64, both as f64 / told.max(more) as f64, what));
        }
    }
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (ratio, foretold, what) in &worst[..30] {
        println!("{ratio:.2} {foretold:.2} {what}");
    }
    let foretold = worst.iter().map(|(_, foretold, _)| *foretold).fold(0.0, f64::max);
    println!("up to {foretold:.2} of what is foretold");
    assert!(worst[0].0 <= MOST, "{}", worst[0].2);
    assert!(foretold <= FORETOLD, "{foretold}");
}

/// The way in which a sheet and heavier matter meet.
#[derive(Debug, Clone, Copy)]
enum Meets {
    /// The matter falls on the sheet, which is held.
    OnSheet(f64),
    /// The sheet falls on the matter, which lies on a floor.
    OnMatter(f64),
    /// A column of the matter stands on the sheet, which is held.
    Stands,
}

/// The matter, which is 6 spacings wide, and a sheet 11 spacings wide, numbered 0 and 1.
fn on_each_other(matter: &Preset, sheet: &Preset, how: Meets, spacing: f64) -> Scene {
    let (high, gap) = if let Meets::Stands = how { (12.0, 1.0) } else { (6.0, 1.5) };
    let mut block = matter.body(spacing, (high / 2.0 + gap) * spacing);
    block["shape"] = json!({"type": "box", "size": [6.0 * spacing, 6.0 * spacing, high * spacing]});
    let mut cloth = sheet.body(spacing, 0.0);
    match how {
        Meets::OnSheet(speed) => block["velocity"] = json!([0, 0, -speed]),
        Meets::OnMatter(speed) => {
            block["transform"] = at(0.0, 0.0, -(high / 2.0 + 1.5) * spacing);
            cloth["velocity"] = json!([0, 0, -speed]);
        }
        Meets::Stands => {}
    }
    let floor =
        json!({"name": "floor", "shape": {"type": "plane"}, "transform": at(0.0, 0.0, -(high + 1.5) * spacing)});
    let mut scene = scene(spacing, json!([block, cloth]), json!([floor]));
    scene.settle = false;
    if !matches!(how, Meets::OnMatter(_)) {
        let half = 5.5 * spacing;
        let corners = [[-half, -half, 0.0], [half, -half, 0.0], [half, half, 0.0], [-half, half, 0.0]];
        scene.bodies[1].pins = serde_json::from_value(json!([{"name": "all", "vertices": corners}])).unwrap();
    }
    scene
}

/// The least distance between particles of the two, in spacings, the number of particles of the falling body that have
/// passed the other, and the steps.
fn nearest(scene: &Scene, frames: usize) -> (f64, usize, u64) {
    let spacing = scene.particle_spacing;
    let mut simulation = Simulation::new(scene, &square(11.0 * spacing)).unwrap();
    let (mut nearest, mut passed, mut steps) = (f64::INFINITY, 0, 0);
    for _ in 0..frames {
        simulation.advance().unwrap();
        steps = steps.max(simulation.stats().steps);
        let frame = simulation.frame();
        let of = |body: u32| {
            let own = frame.sources.iter().zip(&frame.positions).filter(move |(source, _)| **source == body);
            own.map(|(_, place)| place.as_dvec3()).collect::<Vec<DVec3>>()
        };
        let (matter, sheet) = (of(0), of(1));
        let away = |place: &DVec3| sheet.iter().map(|own| own.distance(*place)).fold(f64::INFINITY, f64::min);
        nearest = matter.iter().map(away).fold(nearest, f64::min);
        // Matter right over a sheet, or below it, as at the start.
        let began_below = scene.bodies[0].transform.translation[2] < 0.0;
        let passes = |place: &&DVec3| {
            let near = sheet.iter().min_by(|a, b| {
                let flat = |own: &DVec3| (own.truncate() - place.truncate()).length_squared();
                flat(a).total_cmp(&flat(b))
            });
            near.is_some_and(|own| {
                (own.truncate() - place.truncate()).length() < spacing && (own.z < place.z) == began_below
            })
        };
        passed = passed.max(matter.iter().filter(passes).count());
    }
    (nearest / spacing, passed, steps)
}

/// The matter is much heavier than the sheet; both at two spacings.
#[test]
fn heavy_matter_and_light_sheets_do_not_pass_each_other() {
    let presets = presets();
    let of = |name: &str| presets.iter().find(|preset| preset.name == name).unwrap();
    for (matter, sheet) in [("soft_clay", "cloth"), ("thermal_solder", "paper")] {
        for spacing in [0.02, 0.04] {
            for how in [Meets::OnSheet(3.0), Meets::OnMatter(3.0), Meets::Stands] {
                let scene = on_each_other(of(matter), of(sheet), how, spacing);
                let frames = if let Meets::Stands = how { 5 } else { 3 };
                let (nearest, passed, steps) = nearest(&scene, frames);
                println!(
                    "{matter}, {sheet}, {spacing} m, {how:?}: nearest {nearest:.2} spacings, {passed} passed, {steps} steps"
                );
                assert!(passed == 0 && nearest > 0.5, "{matter}, {sheet}, {spacing} m, {how:?}: {nearest} {passed}");
            }
        }
    }
}
