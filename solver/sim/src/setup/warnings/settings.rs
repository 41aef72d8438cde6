//! Warnings about settings that are probably mistakes.

use crate::bounds::Bounds;
use crate::material::is_on_grid;
use crate::wording::{grouped, rounded_down, worst};
use crate::{Estimate, Outline, SmoothingKernel, model};
use dollop_scene::{Body, Collider, Scene, VolumeGrid, VolumeOutput};
use std::collections::BTreeSet;

/// A body of fewer particles has no shape.
const FEW_PARTICLES: usize = 10;
/// Particles across a body that give it a shape: 200 in space.
const ENOUGH_ACROSS: f64 = 5.848;
/// Part of a spacing that rounding to a file's 32-bit floats may lose without a warning.
const ROUNDING: f64 = 0.01;
/// With more steps per frame than this for the shortest steps, a bake is far slower than it should be.
const MANY_STEPS: u64 = 4096;

/// The warnings of a scene by its settings.
pub fn of_settings(scene: &Scene, outlines: &[Outline], estimate: &Estimate) -> Vec<String> {
    let coarse = scene
        .bodies
        .iter()
        .zip(&estimate.particles)
        .filter_map(|(body, &count)| Some((-(count as f64), few_particles(&body.name, count, scene)?)));
    let coarse = worst(coarse).into_iter();
    let distant = scene
        .bodies
        .iter()
        .zip(outlines)
        .filter_map(|(body, outline)| far_away(&body.name, outline, scene.particle_spacing));
    let distant = worst(distant).into_iter();
    let [bodies, others @ ..] = scene.placed().map(|(list, all)| names(list, list, all.iter().map(|one| one.name())));
    let alike = bodies.into_iter().chain(pins(scene)).chain(others.into_iter().flatten());
    let steps = many_steps(estimate.steps_per_frame).filter(|_| !is_on_grid(scene));
    let several = steps.into_iter().chain(no_temperature(scene)).chain(no_flow(scene));
    coarse.chain(distant).chain(alike).chain(several).chain(no_sheet(scene)).collect()
}

fn few_particles(name: &str, count: usize, scene: &Scene) -> Option<String> {
    let (spacing, dimensions) = (scene.particle_spacing, SmoothingKernel::of(scene).dimension_count());
    let enough = ENOUGH_ACROSS.powf(dimensions);
    let finer = rounded_down(spacing * (count as f64 / enough).powf(1.0 / dimensions));
    let particles = if count == 1 { "particle" } else { "particles" };
    (count <= FEW_PARTICLES).then(|| {
        format!(
            "body \"{name}\" has only {count} {particles} at a particle_spacing of {spacing} m; a spacing of {finer} m \
             would give it shape"
        )
    })
}

/// How far away it is, m, and the warning.
fn far_away(name: &str, outline: &Outline, spacing: f64) -> Option<(f64, String)> {
    let Bounds { low, high } = outline.bounds;
    let distance = low.abs().max(high.abs()).max_element();
    // Half of the distance between neighbouring floats.
    let lost = distance * f64::from(f32::EPSILON) / 2.0 / spacing;
    (lost > ROUNDING).then(|| {
        let message = format!(
            "body \"{name}\" lies {distance:.0} m from the origin, where the 32-bit positions in the files are off by up to \
             {:.0} % of a particle_spacing; move the scene closer to the origin",
            lost * 100.0
        );
        (distance, message)
    })
}

fn many_steps(steps: u64) -> Option<String> {
    (steps > MANY_STEPS).then(|| {
        format!(
            "the particles with the shortest steps need {} time steps a frame: stiffness, dissociation energy, viscosity or \
             speed are high for matter of this size and spacing; for the same look at another size, scale stiffness and \
             dissociation energy with the length (a tenth of the size, a tenth of both) and viscosity with its square root, \
             of sheets stretch_stiffness over weight by area with the length and bending_stiffness over it with its cube, \
             or use a larger particle_spacing",
            grouped(steps)
        )
    })
}

/// Warns of names that are empty or used twice, given the list and the kind of object.
fn names<'a>(list: &str, title: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let (mut seen, mut told, mut warnings) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for (index, name) in names.enumerate() {
        if name.trim().is_empty() {
            warnings.push(format!("{list}[{index}] has no name; give it one to know it in messages and in the bake"));
        } else if !seen.insert(name) && told.insert(name) {
            warnings.push(format!("several {title} are called \"{name}\"; give each its own name to tell them apart"));
        }
    }
    warnings
}

/// Warnings about the pins of each body.
fn pins(scene: &Scene) -> impl Iterator<Item = String> {
    let of = |(number, body): (usize, &Body)| {
        let list = format!("bodies[{number}].pins");
        names(&list, &format!("pins of body \"{}\"", body.name), body.pins.iter().map(|pin| pin.name.as_str()))
    };
    scene.bodies.iter().enumerate().flat_map(of)
}

/// By default the grids include the temperature, which is left out without a word where there is none.
fn no_temperature(scene: &Scene) -> Option<String> {
    let grids = &scene.output.volume.as_ref()?.grids;
    let asked = grids.contains(&VolumeGrid::Temperature) && *grids != VolumeOutput::default().grids;
    let none = scene.heat.is_none() && scene.bodies.iter().all(|body| body.temperature.is_none());
    (asked && none).then(|| {
        "output.volume.grids asks for `temperature`, but no body has one, so it will not be written; give a body a \
         temperature, or leave the grid out"
            .into()
    })
}

/// Warns of settings that have an effect only if heat flows.
fn no_flow(scene: &Scene) -> Option<String> {
    if scene.heat.is_some() {
        return None;
    }
    let heaters = scene.heaters.iter().map(|heater| format!("heater \"{}\"", heater.name));
    let is_warm = |collider: &&Collider| collider.temperature.is_some() || !collider.temperatures.is_empty();
    let walls = scene.colliders.iter().filter(is_warm);
    let walls = walls.map(|collider| format!("the temperature of collider \"{}\"", collider.name));
    let melts = |body: &&Body| model(&body.material).is_meant_to_melt(body.temperature, body.heat.solidus);
    let molten = scene.bodies.iter().filter(melts).map(|body| format!("material.molten of body \"{}\"", body.name));
    let without_use = heaters.chain(walls).chain(molten).next()?;
    Some(format!("{without_use} does nothing, as no heat flows; set `heat` in the scene to let it flow"))
}

/// Warns of tools in a scene without woven sheets.
fn no_sheet(scene: &Scene) -> Option<String> {
    let is_woven = |body: &Body| model(&body.material).is_woven();
    let tool = scene.tools.first().filter(|_| !scene.bodies.iter().any(is_woven))?;
    Some(format!(
        "tool \"{}\" does nothing, as no body is a woven sheet; give one a material of type \"oriented\" and structure \
         \"woven\", or remove the tool",
        tool.name
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::wording::assert_one as one;
    use glam::DVec3;
    use serde_json::{Value, json};

    fn told(bodies: &Value, output: &Value, particles: usize, distance: f64, steps_per_frame: u64) -> Vec<String> {
        of_scene(&scene(bodies, output), particles, distance, steps_per_frame)
    }

    fn scene(bodies: &Value, output: &Value) -> Scene {
        serde_json::from_value(json!({
            "version": 1, "frames": {"start": 1, "end": 2}, "particle_spacing": 0.1, "bodies": bodies, "output": output
        }))
        .unwrap()
    }

    fn of_scene(scene: &Scene, particles: usize, distance: f64, steps_per_frame: u64) -> Vec<String> {
        let bounds = Bounds { low: DVec3::splat(distance - 1.0), high: DVec3::splat(distance) };
        let outlines = vec![Outline { particles: particles as f64, bounds }; scene.bodies.len()];
        let particles = vec![particles; scene.bodies.len()];
        let (limit, meeting) = (None, None);
        let estimate =
            Estimate { particles, neighbours: 50.0, memory: 1, steps_per_frame, limit, meeting, warnings: vec![] };
        of_settings(scene, &outlines, &estimate)
    }

    fn ball(name: &str) -> Value {
        json!({"name": name, "shape": {"type": "sphere", "radius": 1}, "material": {"type": "smoothed"}})
    }

    #[test]
    fn a_sensible_scene_has_none() {
        let output = json!({"mesh": {}, "volume": {}});
        assert_eq!(told(&json!([ball("a"), ball("b")]), &output, 1000, 10.0, 4096), [""; 0]);
    }

    #[test]
    fn probable_mistakes_are_warned_of() {
        let (a, mesh) = (json!([ball("a")]), json!({"mesh": {}}));
        one(&told(&a, &mesh, 1, 10.0, 8), &["\"a\" has only 1 particle at", "0.1 m", "0.017 m"]);
        one(&told(&a, &mesh, 1000, 1e6, 8), &["\"a\" lies 1000000 m", "60 %"]);
        assert_eq!(told(&a, &mesh, 1000, 16_700.0, 8), [""; 0]);
        let three = json!([ball("a"), ball("b"), ball("c")]);
        one(&told(&three, &mesh, 1, 10.0, 8), &["\"a\" has only 1 particle at", "; so it is with 2 other bodies"]);
        one(&told(&a, &mesh, 1000, 16_900.0, 8), &["1 %"]);
        one(&told(&a, &mesh, 1000, 10.0, 8192), &["8 192 time steps", "stiffness", "viscosity"]);
        let several = json!([ball("a"), ball("a"), ball("b"), ball("a")]);
        one(&told(&several, &mesh, 1000, 10.0, 8), &["several bodies are called \"a\""]);
        one(&told(&json!([ball("a"), ball(" ")]), &mesh, 1000, 10.0, 8), &["bodies[1] has no name"]);
        let heat = json!({"volume": {"grids": ["temperature"]}});
        one(&told(&a, &heat, 1000, 10.0, 8), &["`temperature`", "no body"]);
        let mut warm = ball("a");
        warm["temperature"] = json!(300);
        assert_eq!(told(&json!([warm]), &heat, 1000, 10.0, 8), [""; 0]);
    }

    #[test]
    fn molten_settings_without_heat_flow_are_warned_of() {
        let told = |temperature: f64, material: Value| {
            let mut wax = ball("wax");
            wax["temperature"] = json!(temperature);
            wax["material"] = material;
            told(&json!([wax]), &json!({"mesh": {}}), 1000, 10.0, 8)
        };
        one(&told(400.0, json!({"type": "thermal"})), &["material.molten of body \"wax\"", "no heat flows"]);
        assert_eq!(told(300.0, json!({"type": "thermal"})), [""; 0]);
        one(&told(300.0, json!({"type": "smoothed", "molten": {}})), &["material.molten of body \"wax\""]);
    }

    #[test]
    fn pins_that_names_do_not_tell_apart_are_told() {
        let sheet = |body: &str, pins: [&str; 2]| {
            let mut sheet = ball(body);
            sheet["pins"] = pins.iter().map(|name| json!({"name": name, "vertices": [[0, 0, 1]]})).collect();
            sheet
        };
        let told =
            |pins| told(&json!([sheet("a", ["left", "right"]), sheet("b", pins)]), &json!({"mesh": {}}), 1000, 10.0, 8);
        assert_eq!(told(["left", "right"]), [""; 0]);
        one(&told(["left", "left"]), &["several pins of body \"b\" are called \"left\""]);
        one(&told(["left", ""]), &["bodies[1].pins[1] has no name"]);
    }

    #[test]
    fn tools_without_a_woven_sheet_are_told() {
        let told = |material: Value| {
            let mut scene = scene(&json!([ball("a")]), &json!({"mesh": {}}));
            scene.bodies[0].material = serde_json::from_value(material).unwrap();
            let tool =
                |name| serde_json::from_value(json!({"name": name, "shape": {"type": "sphere", "radius": 1}})).unwrap();
            scene.tools = ["comb", "knife"].map(tool).into();
            of_scene(&scene, 1000, 10.0, 8)
        };
        assert_eq!(told(json!({"type": "oriented"})), [""; 0]);
        one(&told(json!({"type": "smoothed"})), &["tool \"comb\" does nothing", "\"woven\""]);
        one(&told(json!({"type": "oriented", "structure": "free"})), &["tool \"comb\" does nothing"]);
    }
}
