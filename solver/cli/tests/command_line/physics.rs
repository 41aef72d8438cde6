//! Reports of the simulation to the binary.

use crate::tools::{Workplace, drop_scene};
use serde_json::{Value, json};
use std::fs;

/// A pyramid without its base.
pub const OPEN: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";

#[test]
fn check_reports_the_needs_of_a_bake() {
    let place = Workplace::with_scene(&drop_scene());
    let text = place.run(&["check", "scene.json"]);
    for word in ["drop", "particles", "neighbours", "memory", "steps"] {
        assert!(text.succeeds().out.contains(word), "{word:?} is not in {}", text.out);
    }
    let told: Value = serde_json::from_str(&place.run(&["check", "scene.json", "--json"]).succeeds().out).unwrap();
    let particles = told["particles"].as_u64().unwrap();
    assert!((80..150).contains(&particles), "a ball of 0.3 m holds about 113 particles of 0.1 m, not {particles}");
    assert_eq!(told["bodies"][0]["particles"], particles);
    assert!(told["neighbours"].as_f64().unwrap() > 5.0 && told["memory"].as_u64().unwrap() > 1000);
}

#[test]
fn an_open_mesh_is_reported_with_file_and_place() {
    let mut scene = drop_scene();
    scene["bodies"][0]["shape"] = json!({"type": "mesh", "path": "open.obj"});
    let place = Workplace::with_scene(&scene);
    place.write("open.obj", OPEN);
    place.run(&["check", "scene.json"]).fails(2, &["error: scene.json:", "bodies[0].shape", "open.obj"]);
    place.write("open.obj", format!("{OPEN}f 2 3 4\n"));
    place.run(&["check", "scene.json"]).succeeds();
}

#[test]
fn the_files_do_not_depend_on_the_threads() {
    let place = Workplace::with_scene(&drop_scene());
    for threads in ["1", "2"] {
        let cache = format!("cache{threads}");
        place.run(&["bake", "scene.json", "--cache", &cache, "--threads", threads]).succeeds();
    }
    for name in ["mesh/mesh_0005.ply", "volume/volume_0005.vdb", "particles/particles_0005.ply"] {
        let bytes = |cache: &str| fs::read(place.path(cache).join(name)).unwrap();
        assert!(bytes("cache1") == bytes("cache2"), "{name}");
    }
}

#[test]
fn the_scene_hash_follows_settings_and_meshes_alone() {
    let mut scene = drop_scene();
    scene["frames"]["end"] = json!(1);
    scene["bodies"][0]["shape"] = json!({"type": "mesh", "path": "a.obj"});
    let place = Workplace::with_scene(&scene);
    let hash = |place: &Workplace| {
        place.run(&["bake", "scene.json", "--cache", "cache", "--overwrite"]).succeeds();
        let index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
        index["scene"]["sha256"].as_str().unwrap().to_owned()
    };
    place.write("a.obj", format!("{OPEN}f 2 3 4\n"));
    let first = hash(&place);
    place.write("a.obj", format!("# a comment\nvn 0 0 1\n{OPEN}f 2 3 4\n"));
    place.write("scene.json", scene.to_string());
    assert_eq!(hash(&place), first);
    place.write("a.obj", format!("{OPEN}f 2 3 4\n").replace("0 0 1", "0 0 1.5"));
    assert_ne!(hash(&place), first);
}
