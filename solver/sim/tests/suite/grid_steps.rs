//! The steps of matter on a grid, as foreseen from the scene and as taken.

use crate::common::{at, floor, scene, simulate, weightless};
use dollop_scene::Scene;
use dollop_sim::{Cause, GridSteps, MeshLibrary};
use serde_json::{Value, json};

fn foreseen(scene: &Scene) -> GridSteps {
    let meshes = MeshLibrary::new();
    let outlines = dollop_sim::outlines(scene, &meshes).unwrap();
    dollop_sim::on_grid(scene, &meshes, &outlines).unwrap().unwrap()
}

/// The most steps in one of some frames.
fn taken(scene: &Scene, frames: usize) -> u64 {
    let mut simulation = simulate(scene);
    let steps = (0..frames).map(|_| {
        simulation.advance().unwrap();
        simulation.frame().stats.steps
    });
    steps.max().unwrap()
}

fn ball(height: f64, more: &Value) -> Scene {
    let mut ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.08}, "transform": at(0.0, 0.0, height),
        "material": {"type": "continuum", "viscosity": 5.0}});
    for (key, value) in more.as_object().unwrap() {
        ball[key] = value.clone();
    }
    scene(0.02, json!([ball]), json!([floor(0.5)]))
}

#[track_caller]
fn check(what: &str, scene: &Scene, frames: usize, cause: Option<Cause>) {
    let (GridSteps { steps_per_frame: told, limit }, taken) = (foreseen(scene), taken(scene, frames));
    println!("{what}: {told} steps foreseen, by {limit:?}; {taken} taken");
    assert_eq!(limit.map(|limit| limit.cause), cause, "{what}");
    // What is taken also ends at the end of a frame.
    assert!(told <= 2 * taken && taken <= 2 * told + 2, "{what}: {told} foreseen, {taken} taken");
}

#[test]
fn steps_of_grid_matter_are_foreseen() {
    check("a fall of a metre", &ball(1.1, &json!({})), 13, Some(Cause::Fall));
    check("at rest in space", &weightless(ball(0.2, &json!({}))), 2, None);
    check("thrown", &ball(0.2, &json!({"velocity": [10, 0, 0]})), 2, Some(Cause::Speed));
    let jelly = json!({"material": {"type": "continuum", "shear_modulus": 5000, "viscosity": 1}});
    check("jelly", &weightless(ball(0.2, &jelly)), 2, Some(Cause::Stiffness));
    let mut swept = ball(0.08, &json!({}));
    let key = |frame: i32, x: f64| json!({"frame": frame, "transform": at(x, 0.0, 0.1)});
    let paddle = json!({"name": "paddle", "shape": {"type": "box", "size": [0.05, 0.4, 0.2]},
        "motion": [key(1, -0.2), key(5, 1.0)]});
    swept.colliders.push(serde_json::from_value(paddle.clone()).unwrap());
    check("a paddle at 7 m/s", &swept, 4, Some(Cause::Collider));
    // The same far off.
    let mut missed = ball(0.08, &json!({}));
    let mut far = paddle;
    far["motion"] = json!([key(1, 100.0), key(5, 200.0)]);
    missed.colliders.push(serde_json::from_value(far).unwrap());
    assert_ne!(foreseen(&missed).limit.map(|limit| limit.cause), Some(Cause::Collider));
}

/// A fall ends at what lies below: a table, its edge not counted as such, or an outflow.
#[test]
fn a_fall_is_foreseen_down_to_what_ends_it() {
    let fall = |colliders: Value, outflows: Value| {
        let mut scene = ball(1.1, &json!({}));
        scene.colliders = serde_json::from_value(colliders).unwrap();
        scene.outflows = serde_json::from_value(outflows).unwrap();
        foreseen(&scene).steps_per_frame
    };
    let slab = |z: f64| json!([{"name": "slab", "shape": {"type": "box", "size": [1.0, 1.0, 0.2]}, "transform": at(0.0, 0.0, z)}]);
    // 4.5 and 9 m/s, and 40 m/s after four seconds.
    let [table, ground] = [fall(slab(0.0), json!([])), fall(slab(-3.0), json!([]))];
    let [outflow, none] = [fall(json!([]), slab(0.0)), fall(json!([]), json!([]))];
    println!("{table} steps to a table, {ground} to the ground, {outflow} to an outflow, {none} without end");
    assert!((4..=6).contains(&table) && outflow == table, "{table} {outflow}");
    assert!((9..=11).contains(&ground) && (40..=43).contains(&none), "{ground} {none}");
}

/// Matter beyond the reach of a grid would stand still.
#[test]
fn grid_matter_too_far_away_is_refused() {
    let mut far = ball(1.1, &json!({}));
    far.particle_spacing = 1e-5;
    far.bodies[0].shape = serde_json::from_value(json!({"type": "sphere", "radius": 1e-4})).unwrap();
    far.bodies[0].transform.translation = [1e6, 0.0, 0.0];
    let meshes = MeshLibrary::new();
    let outlines = dollop_sim::outlines(&far, &meshes).unwrap();
    let error = dollop_sim::on_grid(&far, &meshes, &outlines).unwrap_err();
    assert!(error.path.to_string() == "bodies[0].transform.translation", "{error}");
}
