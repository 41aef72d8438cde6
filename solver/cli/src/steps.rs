//! The limit of the steps of a scene, for people and programs.

use dollop_scene::Scene;
use dollop_sim::wording::grouped;
use dollop_sim::{Cause, Estimate, Limit};
use serde_json::{Value, json};

/// The number of steps in a frame, their limit, and the number after bodies have met.
pub fn sentence(scene: &Scene, estimate: &Estimate) -> String {
    let name = |body: usize| format!("\"{}\"", scene.bodies[body].name);
    let steps = format!("about {} a frame where they are shortest", grouped(estimate.steps_per_frame));
    let limit = estimate.limit.map(|limit| format!(", limited by {}", limited(&limit, &name)));
    let meeting = estimate.meeting.map(|meeting| {
        let [a, b] = meeting.bodies.map(name);
        match meeting.steps_per_frame {
            Some(steps) => format!("; about {} when {a} meets {b}", grouped(steps)),
            None => format!("; no step is short enough when {a} meets {b}"),
        }
    });
    steps + &limit.unwrap_or_default() + &meeting.unwrap_or_default()
}

fn limited(limit: &Limit, name: &impl Fn(usize) -> String) -> String {
    let body = name(limit.body);
    let what = match limit.cause {
        Cause::Stiffness => format!("the stiffness of {body}"),
        Cause::Bonds => format!("the bonds of {body}"),
        Cause::Sheet => format!("the stretching and bending of {body}"),
        Cause::Viscosity => format!("the viscosity of {body}"),
        Cause::Skins => format!("the contact of {body}"),
        Cause::Speed => format!("the speed of {body}"),
        Cause::Collider => format!("a collider that comes upon {body}"),
        Cause::Acceleration => format!("the acceleration of {body}"),
        Cause::Fall => format!("the fall of {body}"),
        Cause::Waves => format!("the waves on {body}"),
    };
    match limit.other {
        Some(other) if limit.cause == Cause::Skins => format!("{what} with {}", name(other)),
        Some(other) => format!("{what} where it touches {}", name(other)),
        None => what,
    }
}

/// The same for programs: the limit of the steps, and the steps after bodies have met; null if there is none.
pub fn json(scene: &Scene, estimate: &Estimate) -> (Value, Value) {
    let name = |body: usize| scene.bodies[body].name.as_str();
    let limit = estimate
        .limit
        .map(|limit| json!({"body": name(limit.body), "touches": limit.other.map(name), "cause": word(limit.cause)}));
    let meeting = estimate
        .meeting
        .map(|meeting| json!({"bodies": meeting.bodies.map(name), "steps_per_frame": meeting.steps_per_frame}));
    (json!(limit), json!(meeting))
}

fn word(cause: Cause) -> &'static str {
    match cause {
        Cause::Stiffness => "stiffness",
        Cause::Bonds => "bonds",
        Cause::Sheet => "sheet",
        Cause::Viscosity => "viscosity",
        Cause::Skins => "contact",
        Cause::Speed => "speed",
        Cause::Collider => "collider",
        Cause::Acceleration => "acceleration",
        Cause::Fall => "fall",
        Cause::Waves => "waves",
    }
}
