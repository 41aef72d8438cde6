#![allow(clippy::unwrap_used)]

use super::*;
use crate::failure::ExitCode;
use serde_json::json;
use std::collections::BTreeSet;

fn scene() -> Value {
    json!({
        "version": 1,
        "frames": {"start": 1, "end": 5},
        "particle_spacing": 0.1,
        "bodies": [{
            "name": "drop",
            "shape": {"type": "sphere", "radius": 0.5},
            "material": {"type": "smoothed", "stiffness": 50}
        }],
        "colliders": [{"name": "ground", "shape": {"type": "plane"}}]
    })
}

/// Sets the value at a JSON pointer of the scene above.
fn with(pointer: &str, value: Value) -> Value {
    let mut scene = scene();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = scene.pointer_mut(parent).unwrap();
    match parent {
        Value::Object(object) => drop(object.insert(name.into(), value)),
        Value::Array(items) => items.push(value),
        _ => unreachable!(),
    }
    scene
}

fn read(text: &[u8]) -> Result<SceneFile, Failure> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scene.json");
    std::fs::write(&file, text).unwrap();
    SceneFile::read(&file)
}

/// The failure of a scene: place inside the file, and the sentence.
fn failure(text: &[u8]) -> (String, String) {
    let failure = read(text).unwrap_err();
    assert_eq!(failure.code, ExitCode::BadInput, "{failure}");
    let place = failure.place.clone().unwrap();
    let line = place.line.map_or("-".into(), |line| line.to_string());
    (
        format!("{line} {}", place.path.unwrap_or_default()),
        format!("{}\n{}", failure.message, failure.help.unwrap_or_default()),
    )
}

#[track_caller]
fn fails(pointer: &str, value: Value, place: &str, words: &[&str]) {
    let (found, message) = failure(format!("{:#}", with(pointer, value)).as_bytes());
    assert_eq!(found.split_once(' ').unwrap().1, place, "{message}");
    assert_ne!(found.split_once(' ').unwrap().0, "-", "no line: {message}");
    for word in words {
        assert!(message.contains(word), "{word:?} is not in {message:?}");
    }
}

#[test]
fn a_valid_scene_is_read_with_its_defaults() {
    let scene = read(scene().to_string().as_bytes()).unwrap().scene;
    assert_eq!(scene.frames.rate.to_bits(), 24_f64.to_bits());
    assert_eq!(scene.bodies.len(), 1);
    assert!(scene.output.mesh.is_some());
}

#[test]
fn wrong_values_name_place_range_and_unit() {
    fails("/bodies/0/material/stiffness", json!(-5), "bodies[0].material.stiffness", &["0.001 to 1e8 m^2/s^2", "-5"]);
    fails("/gravity", json!([0, 0, 1e5]), "gravity[2]", &["-1000 to 1000 m/s^2"]);
    fails(
        "/bodies/0/shape/radius",
        json!("5 cm"),
        "bodies[0].shape.radius",
        &["number in m", "\"5 cm\"", "unit is always m"],
    );
    fails("/gravity", json!([0, 0]), "gravity", &["2 items", "needs 3"]);
    fails("/bodies/0/temperature", json!(-1), "bodies[0].temperature", &["0 to 100000 K"]);
    fails("/frames/start", json!(1.5), "frames.start", &["whole number", "1.5"]);
    fails("/frames/start", json!(5_000_000_000_u64), "frames.start", &["1e6"]);
    fails("/colliders/0/inverted", json!(1), "colliders[0].inverted", &["true or false", "the number 1"]);
    fails("/bodies/0/name", json!(null), "bodies[0].name", &["text in quotes", "null"]);
    fails("/frames", json!([1, 5]), "frames", &["an object", "a list"]);
}

#[test]
fn unknown_and_missing_names_are_reported_with_the_existing_ones() {
    fails(
        "/bodies/0/material/stifness",
        json!(5),
        "bodies[0].material.stifness",
        &["no such field", "did you mean `stiffness`"],
    );
    fails(
        "/bodies/0/shape/type",
        json!("cube"),
        "bodies[0].shape.type",
        &["`cube`", "`mesh`, `plane`, `box`, `sphere` or `cylinder`"],
    );
    fails("/bodies/0/shape", json!({"type": "sphere"}), "bodies[0].shape", &["`radius` is missing"]);
    fails("/bodies/0/shape", json!({"radius": 1}), "bodies[0].shape", &["`type` is missing", "`cylinder`"]);
    fails("/colliders/0/shape/size", json!(1), "colliders[0].shape.size", &["no such field"]);
    fails("/output", json!({"volume": {"precision": "halv"}}), "output.volume.precision", &["did you mean `half`"]);
    fails("/colour", json!(1), "colour", &["no such field", "`colliders`"]);
}

#[test]
fn a_scene_of_another_version_is_refused_first() {
    let mut other = with("/version", json!(2));
    other["new_thing"] = json!(1);
    let (place, message) = failure(other.to_string().as_bytes());
    assert_eq!(place, "1 version");
    assert!(message.contains("version 2") && message.contains("reads version 1"), "{message}");
}

#[test]
fn settings_must_fit_together() {
    fails("/frames/end", json!(0), "frames.end", &["at least the first frame, 1"]);
    fails("/bodies/0/transform", json!({"scale": [1, 0, 1]}), "bodies[0].transform.scale[1]", &["zero"]);
    fails(
        "/bodies/0/transform",
        json!({"rotation": [1, 1, 0, 0]}),
        "bodies[0].transform.rotation",
        &["length 1", "1.414"],
    );
    fails("/colliders/0/inverted", json!(true), "colliders[0].inverted", &["plane cannot be inverted"]);
    fails("/bodies/0/shape", json!({"type": "plane"}), "bodies[0].shape.type", &["no bounds", "collider"]);
    let mirrored = json!({"scale": [1, 1, -1]});
    let turn = "use its rotation";
    fails("/colliders/0/transform", mirrored.clone(), "colliders[0].transform.scale[2]", &[turn]);
    let keys = json!([{"frame": 1, "transform": mirrored}]);
    fails("/colliders/0/motion", keys, "colliders[0].motion[0].transform.scale[2]", &[turn]);
    assert!(read(with("/colliders/0/transform", json!({"scale": [-1, 1, 1]})).to_string().as_bytes()).is_ok());
    let pins = json!([{"name": "rim", "vertices": [[0, 0, 0]]}]);
    fails("/bodies/0/pins", pins, "bodies[0].pins", &["only a sheet", "oriented"]);
    let free = json!({"type": "oriented", "structure": "free", "growth": 4});
    fails("/bodies/0/material", free, "bodies[0].material.growth", &["must be 1", "woven"]);
    let held = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 1}, "material": {"type": "oriented"},
        "pins": [{"name": "rim", "vertices": [[0, 0, 1]]}]}]);
    fails("/bodies", held, "bodies[0].pins", &["only a mesh"]);
    let tool = json!([{"name": "blade", "shape": {"type": "sphere", "radius": 1}, "transform": {"scale": [1, 0, 1]}}]);
    fails("/tools", tool, "tools[0].transform.scale[1]", &["zero"]);
    fails("/colliders/0/thickness", json!(0.1), "colliders[0].thickness", &["only for meshes"]);
    fails("/output", json!({}), "output", &["at least one"]);
    fails("/output", json!({"volume": {"grids": ["density", "density"]}}), "output.volume.grids[1]", &["twice"]);
    fails("/bodies", json!([]), "bodies", &["at least 1"]);
    let gas = json!({"type": "smoothed", "state_equation": "ideal-gas", "yield_stress": 5});
    fails("/bodies/0/material", gas, "bodies[0].material.yield_stress", &["ideal-gas", "is 5"]);
    let vapour = json!({"type": "smoothed", "state_equation": "ideal-gas", "molten": {"yield_stress": 5}});
    fails("/bodies/0/material", vapour, "bodies[0].material.molten.yield_stress", &["no strength"]);
    fails(
        "/colliders/0/motion",
        json!([{"frame": 3, "transform": {}}, {"frame": 3, "transform": {}}]),
        "colliders[0].motion[1].frame",
        &["rise", "3 follows 3"],
    );
}

#[test]
fn texts_that_are_no_scene_are_refused() {
    let told = |text: &[u8], place: &str, words: &str| {
        let (found, message) = failure(text);
        assert_eq!(found, place, "{message}");
        assert!(message.contains(words), "{words:?} is not in {message:?}");
    };
    told(b"", "- ", "empty");
    told(b" \n ", "- ", "empty");
    told(b"\xEF\xBB\xBF{}", "1 ", "byte order mark");
    told(b"{\n\"version\": \"\xFF\"}", "2 ", "UTF-8");
    told(b"{\n\"version\": 1,}", "2 ", "trailing comma");
    told(b"{\"version\": 1\n", "2 ", "not valid JSON");
    told(b"{\"version\": NaN}", "1 version", "no NaN");
    told(b"{\"gravity\": [0, 0,\n 1e999]}", "2 gravity[2]", "out of range");
    told(b"{\"version\": 1,\n\"version\": 1}", "2 ", "`version` is given twice");
    told(b"{} {}", "1 ", "trailing characters");
    told(b"[1]", "1 ", "must be an object");
    told("[".repeat(100_000).as_bytes(), "1 ", "nested too deeply");
}

#[test]
fn the_place_has_a_line_also_deep_inside_a_variant() {
    let text = "{\"version\": 1, \"frames\": {\"start\": 1, \"end\": 2},\n\"particle_spacing\": 0.1,\n\"bodies\": [{\"name\": \"a\",\n\
                \"shape\": {\"type\": \"box\",\n\"size\": [1, 1,\n -1]}}]}";
    let (place, message) = failure(text.as_bytes());
    assert_eq!(place, "6 bodies[0].shape.size[2]", "{message}");
}

#[test]
fn the_checker_knows_every_construct_of_the_schema() {
    const KNOWN: &[&str] = &[
        "$defs",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        "const",
        "default",
        "description",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "oneOf",
        "properties",
        "required",
        "title",
        "type",
    ];
    fn collect(schema: &Value, found: &mut BTreeSet<String>) {
        for (key, value) in schema.as_object().into_iter().flatten() {
            found.insert(key.clone());
            match key.as_str() {
                "properties" | "$defs" => value.as_object().unwrap().values().for_each(|part| collect(part, found)),
                "items" => collect(value, found),
                "oneOf" | "anyOf" => value.as_array().unwrap().iter().for_each(|part| collect(part, found)),
                _ => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(&scene_schema(), &mut found);
    found.retain(|key| !KNOWN.contains(&key.as_str()) && !key.starts_with("x-"));
    assert_eq!(found, BTreeSet::new());
}
