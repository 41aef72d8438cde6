//! Matter on a grid as the binary reports it.

use crate::tools::{Workplace, drop_scene};
use serde_json::{Value, json};

fn grid_scene() -> Value {
    let mut scene = drop_scene();
    scene["bodies"][0]["material"] = json!({"type": "continuum", "viscosity": 10});
    scene["output"] = json!({"particles": {}});
    scene
}

fn refused(scene: &Value, words: &[&str]) {
    let run = Workplace::with_scene(scene).run(&["check", "scene.json"]);
    run.fails(2, words);
    assert!(run.err.starts_with("error: scene.json:") && run.out.is_empty(), "{}", run.err);
    assert_eq!(run.err.matches("error: ").count(), 1, "{}", run.err);
}

#[test]
fn grid_matter_stands_beside_any_other() {
    let others = ["smoothed", "thermal", "soft"];
    for (other, is_first) in others.into_iter().flat_map(|other| [(other, false), (other, true)]) {
        let mut scene = grid_scene();
        let mut body = scene["bodies"][0].clone();
        (body["name"], body["material"]) = (json!("other"), json!({"type": other}));
        body["transform"]["translation"] = json!([2, 0, 0.4]);
        scene["bodies"].as_array_mut().unwrap().insert(usize::from(!is_first), body);
        Workplace::with_scene(&scene).run(&["check", "scene.json"]).succeeds();
    }
}

#[test]
fn heat_that_makes_no_sense_for_grid_matter_is_refused() {
    let melting = |heat: Value, material: Value| {
        let mut scene = grid_scene();
        scene["heat"] = json!({});
        scene["bodies"][0]["heat"] = heat;
        scene["bodies"][0]["material"]["molten"] = material;
        scene
    };
    let sensible = json!({"solidus": 300, "liquidus": 310});
    Workplace::with_scene(&melting(sensible.clone(), json!({}))).run(&["check", "scene.json"]).succeeds();
    let turned = melting(json!({"solidus": 310, "liquidus": 300}), json!({}));
    refused(&turned, &["bodies[0].heat.liquidus", "must not be below the solidus"]);
    let quick = json!({"conductivity": 1e5, "specific_heat": 1, "solidus": 300, "liquidus": 310});
    let mut scene = melting(quick, json!({}));
    scene["heat"]["rate"] = json!(1e3);
    refused(&scene, &["bodies[0].heat.conductivity", "too fast to follow"]);
    refused(&melting(sensible.clone(), json!({"viscosity": -1})), &["bodies[0].material.molten.viscosity"]);
    refused(&melting(sensible, json!({"stiffness": 1})), &["bodies[0].material.molten", "stiffness"]);
}

#[test]
fn too_many_substances_on_a_grid_are_refused() {
    let mut scene = grid_scene();
    scene["heat"] = json!({});
    let body = scene["bodies"][0].clone();
    let alike = |number: usize| {
        let mut body = body.clone();
        body["name"] = json!(number.to_string());
        body["transform"]["translation"] = json!([number, 0, 0.4]);
        body["heat"] = json!({"conductivity": 0.1 + number as f64 / 100.0});
        body
    };
    scene["bodies"] = (0..65).map(alike).collect();
    refused(&scene, &["bodies[64].heat", "at most 64"]);
}

#[test]
fn check_tells_the_steps_of_grid_matter_and_settings_without_effect() {
    let mut scene = grid_scene();
    scene["bodies"][0]["transform"]["translation"] = json!([0, 0, 4]);
    (scene["settle"], scene["frames"]["end"]) = (json!(false), json!(50));
    scene["sleep"] = json!(false);
    (scene["bodies"][0]["material"]["molten"], scene["bodies"][0]["temperature"]) = (json!({}), json!(2000));
    let place = Workplace::with_scene(&scene);
    let run = place.run(&["check", "scene.json"]);
    assert!(run.succeeds().out.contains("about 2 a frame where they are shortest, limited by the fall of \"drop\""));
    assert!(run.err.contains("settle, sleep do nothing"), "{}", run.err);
    assert!(run.err.contains("material.molten of body \"drop\" does nothing, as no heat flows"), "{}", run.err);
    let told: Value = serde_json::from_str(&place.run(&["check", "scene.json", "--json"]).succeeds().out).unwrap();
    assert_eq!(told["steps_limit"], json!({"body": "drop", "touches": null, "cause": "fall"}));
    scene["bodies"][0]["velocity"] = json!([5000, 0, 0]);
    let run = Workplace::with_scene(&scene).run(&["check", "scene.json"]);
    assert!(run.succeeds().err.contains("moves so fast that a frame may need about 1 042 time steps"), "{}", run.err);
    scene["particle_spacing"] = json!(0.02);
    let words =
        ["bodies: the matter needs steps of", "of body \"drop\" asks", "moves at 5.000e3 m/s", "higher frames.rate"];
    refused(&scene, &words);
}

/// Neither neighbours nor settling: there is none.
#[test]
fn nothing_is_told_of_what_grid_matter_has_not() {
    let mut scene = grid_scene();
    scene["frames"]["end"] = json!(2);
    let place = Workplace::with_scene(&scene);
    let checked = place.run(&["check", "scene.json"]).succeeds().out.clone();
    assert!(checked.contains("memory") && !checked.contains("neighbours"), "{checked}");
    let run = place.run(&["bake", "scene.json", "--cache", "cache", "--progress", "json"]);
    let kinds: Vec<Value> = run.succeeds().events().iter().map(|event| event["event"].clone()).collect();
    assert_eq!(kinds, ["fill", "start", "frame", "frame", "done"]);
    let told = place.run(&["info", "cache"]).succeeds().out.clone();
    assert!(told.contains("at most") && !told.contains("neighbours"), "{told}");
}

/// A bake that cannot go on ends with one error, and keeps the frames that it has.
#[test]
fn a_collider_too_fast_for_grid_matter_ends_the_bake() {
    let mut scene = grid_scene();
    let key = |frame: i32, z: i32| json!({"frame": frame, "transform": {"translation": [0, 0, z]}});
    let hammer = json!({"name": "hammer", "shape": {"type": "box", "size": [9, 9, 0.5]},
        "motion": [key(1, 1), key(3, 1), key(4, -100_000)]});
    scene["colliders"].as_array_mut().unwrap().push(hammer);
    let place = Workplace::with_scene(&scene);
    let told = place.run(&["check", "scene.json"]);
    assert!(told.succeeds().err.contains("is struck by a collider so fast"), "{}", told.err);
    let run = place.run(&["bake", "scene.json", "--cache", "cache"]);
    run.fails(2, &["the matter needs steps of", "a collider moves by it at", "give its motion more frames"]);
    let index: Value = serde_json::from_slice(&std::fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    assert!(index["status"] != "complete", "{}", index["status"]);
    assert!(place.path("cache/particles/particles_0003.ply").exists());
    assert!(!place.path("cache/particles/particles_0004.ply").exists());
    place.run(&["info", "cache"]).succeeds();
}
