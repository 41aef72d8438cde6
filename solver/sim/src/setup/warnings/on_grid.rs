//! Warnings about scenes whose matter moves on a grid.

use crate::cost::Cause;
use crate::material::continuum::pace::MOST_STEPS;
use crate::material::is_on_grid;
use crate::wording::grouped;
use crate::{Estimate, Limit};
use dollop_scene::{Ambient, Discretization, JsonPath, Scene};

/// With more steps a frame than this, a bake is far slower than it should be: each is dear.
const MANY_STEPS: u64 = 512;

/// The warnings of a scene all of whose matter moves on a grid; none of any other.
pub fn of_grid_matter(scene: &Scene, estimate: &Estimate) -> Vec<String> {
    if !is_on_grid(scene) {
        return Vec::new();
    }
    many_steps(scene, estimate).into_iter().chain(without_effect(scene)).collect()
}

fn many_steps(scene: &Scene, estimate: &Estimate) -> Option<String> {
    let Limit { body, cause, .. } = estimate.limit.filter(|_| estimate.steps_per_frame > MANY_STEPS)?;
    let name = &scene.bodies[body].name;
    let (what, help) = match cause {
        Cause::Fall => ("falls so fast", "stop its fall by a collider or an outflow, or let it start lower"),
        Cause::Collider => ("is struck by a collider so fast", "give the motion of the collider more frames"),
        Cause::Acceleration => ("is pulled so hard", "lower the gravity"),
        Cause::Waves => ("has such fast waves on its surface", "lower its surface_tension or the gravity"),
        _ => ("moves so fast", "lower its velocity"),
    };
    Some(format!(
        "body \"{name}\" {what} that a frame may need about {} time steps, and a bake ends where one needs more than {}; \
         {help}, or use a larger particle_spacing or a higher frames.rate",
        grouped(estimate.steps_per_frame),
        grouped(MOST_STEPS as u64)
    ))
}

/// Warns of settings that only matter of other types heeds.
fn without_effect(scene: &Scene) -> Option<String> {
    let (root, discretization, usual) = (JsonPath::default(), &scene.discretization, Discretization::default());
    let is_usual = |value: f64, usual: f64| (value - usual).abs() <= 0.0;
    let set = [
        (!scene.settle).then(|| root.key("settle")),
        (!scene.sleep).then(|| root.key("sleep")),
        (!is_usual(scene.ambient.density, Ambient::default().density)).then(|| root.key("ambient").key("density")),
        (discretization.kernel != usual.kernel).then(|| root.key("discretization").key("kernel")),
        (!is_usual(discretization.smoothing_length, usual.smoothing_length))
            .then(|| root.key("discretization").key("smoothing_length")),
    ];
    let set: Vec<String> = set.into_iter().flatten().map(|path| path.to_string()).collect();
    let (them, they) = if set.len() == 1 { ("it", "does") } else { ("them", "do") };
    (!set.is_empty()).then(|| {
        format!(
            "{} {they} nothing, as all matter is of type \"continuum\", which does not heed {them}; leave {them} out",
            set.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::{Value, json};

    fn scene(material: &str, more: &Value) -> Scene {
        let mut scene = json!({"version": 1, "frames": {"start": 1, "end": 2}, "particle_spacing": 0.1,
            "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "material": {"type": material}}]});
        for (key, value) in more.as_object().unwrap() {
            scene[key] = value.clone();
        }
        serde_json::from_value(scene).unwrap()
    }

    fn told(scene: &Scene, steps_per_frame: u64, cause: Option<Cause>) -> Vec<String> {
        let limit = cause.map(|cause| Limit { body: 0, other: None, cause });
        let estimate = Estimate {
            particles: vec![1000],
            neighbours: 50.0,
            memory: 1,
            steps_per_frame,
            limit,
            meeting: None,
            warnings: vec![],
        };
        of_grid_matter(scene, &estimate)
    }

    #[test]
    fn settings_that_grid_matter_does_not_heed_are_told() {
        let settings = [
            (json!({"settle": false}), "settle does nothing"),
            (json!({"sleep": false}), "sleep does nothing"),
            (json!({"ambient": {"density": 1.2}}), "ambient.density does nothing"),
            (json!({"discretization": {"kernel": "cubic-spline"}}), "discretization.kernel does nothing"),
            (json!({"discretization": {"smoothing_length": 1.5}}), "discretization.smoothing_length does nothing"),
            (json!({"settle": false, "sleep": false}), "settle, sleep do nothing"),
        ];
        for (setting, words) in settings {
            let of = |material| told(&scene(material, &setting), 1, None);
            let warnings = of("continuum");
            assert!(warnings.len() == 1 && warnings[0].starts_with(words), "{warnings:?}");
            assert_eq!(of("smoothed"), [""; 0]);
        }
        let wet = json!({"colliders": [{"name": "b", "shape": {"type": "plane"}, "adhesion": 0.5}]});
        assert_eq!(told(&scene("continuum", &wet), 1, None), [""; 0]);
    }

    #[test]
    fn many_steps_are_told_with_their_cause() {
        let scene = scene("continuum", &json!({}));
        let told = |cause| told(&scene, 5000, Some(cause)).join("");
        for (cause, words) in [
            (Cause::Fall, "body \"a\" falls so fast"),
            (Cause::Collider, "is struck by a collider so fast"),
            (Cause::Speed, "lower its velocity"),
        ] {
            let told = told(cause);
            assert!(told.contains(words) && told.contains("5 000 time steps") && told.contains("4 096"), "{told}");
        }
    }
}
