//! `dollop mesh` and `dollop volume`: files from the particles of a bake.

use crate::bakes::first_frame;
#[cfg(unix)]
use crate::bakes::{ends_within_seconds, event};
#[cfg(unix)]
use crate::tools::fine_scene;
use crate::tools::{Workplace, drop_scene, tree};
use serde_json::{Value, json};
use std::fs;
#[cfg(unix)]
use std::io::{BufRead, BufReader};
#[cfg(unix)]
use std::process::Stdio;

/// A folder with a bake of the drop, with the given output settings.
fn baked(output: Value) -> Workplace {
    let mut scene = drop_scene();
    scene["output"] = output;
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    place
}

fn index(place: &Workplace, folder: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(folder).join("bake.json")).unwrap()).unwrap()
}

/// The files of a kind, with their bytes.
fn files(place: &Workplace, folder: &str, kind: &str) -> Vec<(String, Vec<u8>)> {
    let root = place.path(folder).join(kind);
    tree(&root).into_iter().map(|name| (name.clone(), fs::read(root.join(name)).unwrap())).collect()
}

fn is_whole(place: &Workplace, folder: &str) {
    let run = place.run(&["info", folder, "--json"]);
    let info: Value = serde_json::from_str(&run.succeeds().out).unwrap();
    assert_eq!((&info["missing"], &info["stray"]), (&json!([]), &json!([])));
}

#[test]
fn rebuilt_files_equal_those_of_a_bake_with_the_same_settings() {
    let fine =
        json!({"mesh": {"resolution": 0.31}, "volume": {"resolution": 0.7, "precision": "full", "compression": "zip"}});
    let (plain, fine) = (baked(json!({"mesh": {}, "volume": {}, "particles": {}})), baked(fine));
    for (threads, out) in [("1", "one"), ("3", "three")] {
        for kind in ["mesh", "volume"] {
            let out = format!("{kind}_{out}");
            plain.run(&[kind, "cache", "--out", &out, "--threads", threads]).succeeds();
            assert_eq!(files(&plain, &out, kind), files(&plain, "cache", kind), "{kind} with {threads} threads");
            is_whole(&plain, &out);
        }
        let more = ["mesh", "cache", "--resolution", "0.31", "--threads", threads, "--overwrite", "--out", "fine"];
        plain.run(&more).succeeds();
        assert_eq!(files(&plain, "fine", "mesh"), files(&fine, "cache", "mesh"));
        assert_eq!(index(&plain, "fine")["outputs"][0], index(&fine, "cache")["outputs"][0]);
        assert_eq!(index(&plain, "fine")["done"][2]["mesh"], index(&fine, "cache")["done"][2]["mesh"]);
        let more =
            ["--precision", "full", "--compression", "zip", "--resolution", "0.7", "--overwrite", "--out", "fog"];
        plain.run(&[&["volume", "cache", "--threads", threads][..], &more].concat()).succeeds();
        assert_eq!(files(&plain, "fog", "volume"), files(&fine, "cache", "volume"));
        assert_eq!(index(&plain, "fog")["outputs"][0], index(&fine, "cache")["outputs"][1]);
    }
}

/// Soft matter that an outflow takes apart: its pieces keep their names, by which its skins are made.
#[test]
fn skins_of_matter_that_was_removed_in_part_are_rebuilt() {
    let lump = |name: &str, z: f64| {
        json!({"name": name, "shape": {"type": "sphere", "radius": 0.06}, "transform": {"translation": [0, 0, z]},
            "velocity": [0, 0, -2], "material": {"type": "soft"}})
    };
    let scene = json!({"version": 1, "frames": {"start": 1, "end": 5}, "particle_spacing": 0.02, "settle": false,
        "bodies": [lump("low", 0.0), lump("high", 0.2)], "output": {"mesh": {}, "particles": {}},
        "outflows": [{"name": "drain", "shape": {"type": "box", "size": [1, 1, 1]}, "transform": {"translation": [0, 0, -0.6]}}]});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let counts: Vec<u64> = (0..5).map(|n| index(&place, "cache")["done"][n]["particles"].as_u64().unwrap()).collect();
    assert!(counts[4] < counts[0] && counts[4] > 0, "{counts:?}");
    place.run(&["mesh", "cache", "--out", "out"]).succeeds();
    assert_eq!(files(&place, "out", "mesh"), files(&place, "cache", "mesh"));
}

#[test]
fn adaptivity_merges_triangles() {
    let place = baked(json!({"mesh": {"adaptivity": 0.1}, "particles": {}}));
    place.run(&["mesh", "cache", "--adaptivity", "0", "--out", "whole"]).succeeds();
    let mesh = |folder: &str, name: &str| index(&place, folder)["done"][0]["mesh"][name].as_f64().unwrap();
    assert!(3.0 * mesh("cache", "triangles") < 2.0 * mesh("whole", "triangles"));
    assert!((mesh("cache", "volume") / mesh("whole", "volume") - 1.0).abs() < 1e-3);
}

#[test]
fn a_rebuild_is_reported_and_listed() {
    let place = baked(json!({"particles": {}}));
    let run = place.run(&["mesh", "cache", "--frames", "2-4:2,5", "--out", "some", "--progress", "json"]);
    let events = run.succeeds().events();
    let first = json!({"event": "rebuild", "kind": "mesh", "from": "cache", "cache": "some", "write": 3});
    assert_eq!(events[0], first);
    let mut frames: Vec<_> = events[1..4].iter().map(|event| event["frame"].as_i64().unwrap()).collect();
    frames.sort_unstable();
    assert_eq!((frames, &events[3]["index"], &events[3]["eta"]), (vec![2, 4, 5], &json!(3), &json!(0.0)));
    assert!(events[1]["particles"].as_u64() > Some(50) && events[1].get("steps").is_none(), "{}", events[1]);
    assert_eq!((&events[4]["event"], &events[4]["frames"]), (&json!("done"), &json!(3)));
    is_whole(&place, "some");
    let (own, bake) = (index(&place, "some"), index(&place, "cache"));
    let frames: Vec<_> = own["done"].as_array().unwrap().iter().map(|frame| frame["frame"].as_i64().unwrap()).collect();
    assert_eq!((frames, &own["status"]), (vec![2, 4, 5], &json!("complete")));
    assert_eq!((&own["frames"]["requested"], &own["frames"]["count"]), (&json!("2,4-5"), &json!(3)));
    assert_eq!(own["done"][1]["force_evaluations"], bake["done"][3]["force_evaluations"]);
    assert_eq!((&own["scene"], &own["bodies"]), (&bake["scene"], &bake["bodies"]));
    assert_eq!(own["outputs"].as_array().unwrap().len(), 1);
    let run = place.run(&["info", "some"]);
    assert!(run.succeeds().out.contains("made with format ply, resolution 0.5") && run.err.is_empty(), "{}", run.out);
}

#[test]
fn a_cache_gets_missing_and_remade_files() {
    let place = baked(json!({"particles": {}}));
    place.run(&["mesh", "cache", "--frames", "2"]).fails(4, &["has no mesh files yet", "1 of its 5 frames", "--out"]);
    assert!(!place.path("cache/mesh").exists());
    place.run(&["volume", "cache", "--grids", "velocity, density"]).succeeds();
    place.run(&["mesh", "cache"]).succeeds();
    is_whole(&place, "cache");
    let kinds =
        |index: &Value| index["outputs"].as_array().unwrap().iter().map(|one| one["kind"].clone()).collect::<Vec<_>>();
    assert_eq!(kinds(&index(&place, "cache")), ["mesh", "volume", "particles"]);
    assert_eq!(index(&place, "cache")["outputs"][1]["settings"]["grids"], json!(["velocity", "density"]));
    let meshes = files(&place, "cache", "mesh");
    fs::write(place.path("cache/mesh/mesh_0002.ply"), "damaged").unwrap();
    place.run(&["mesh", "cache", "--frames", "2"]).succeeds();
    assert_eq!(files(&place, "cache", "mesh"), meshes, "of the same settings a part may be made anew");
    place.run(&["mesh", "cache", "--frames", "2", "--resolution", "1"]).fails(4, &["of other settings", "--out"]);
    assert_eq!(files(&place, "cache", "mesh"), meshes, "a refusal changes nothing");
    place.run(&["mesh", "cache", "--format", "obj", "--out", "cache/../cache"]).succeeds();
    is_whole(&place, "cache");
    assert_eq!(files(&place, "cache", "mesh")[4].0, "mesh_0005.obj");
    let index = index(&place, "cache");
    assert_eq!((&index["status"], index["done"].as_array().unwrap().len()), (&json!("complete"), 5));
    place.run(&["mesh", "cache", "--resolution", "0.6"]).succeeds();
    assert_eq!(files(&place, "cache", "mesh")[0].0, "mesh_0001.obj", "settings stay as the cache has them");
}

#[test]
fn wrong_settings_are_reported_as_in_a_scene() {
    let place = baked(json!({"mesh": {}, "particles": {}}));
    let mesh = |option: &str, value: &str, words: &[&str]| place.run(&["mesh", "cache", option, value]).fails(2, words);
    mesh("--resolution", "5", &["--resolution: must be from 0.1 to 2, but is 5"]);
    mesh("--resolution", "fine", &["--resolution: must be a number, but is the text \"fine\""]);
    mesh("--resolution", "0,5", &["a number, but is the text \"0,5\"", "help: write it with a point", "0.5"]);
    mesh("--resolution", "nan", &["must be a number, but is the text \"nan\"", "0.5"]);
    mesh("--resolution", "-.5", &["--resolution: must be from 0.1 to 2, but is -0.5"]);
    mesh("--smallest-drop", "1.5", &["--smallest-drop: must be a whole number"]);
    mesh("--threads", "two", &["--threads", "write a whole number from 0 to 1024"]);
    mesh("--attributes", "age,age", &["--attributes: this attribute is listed twice"]);
    // No extension of a file has a slash.
    mesh("--format", "no/format", &["--format: cannot be `no/format`", "`ply`", "`obj`"]);
    mesh("--frames", "4-6", &["--frames asks for 6, in 4-6, which", "1-5"]);
    mesh("--frames", "-3-2", &["--frames asks for -3, in -3..2, which has no particles here", "1-5"]);
    mesh("--frames", "-3", &["--frames asks for -3, which has no particles here"]);
    for (own, same) in [(".7", "0.7"), ("+0.7", "0.7"), ("1.", "1"), ("7e-1", "0.7")] {
        place.run(&["mesh", "cache", "--out", "own", "--overwrite", "--resolution", own]).succeeds();
        place.run(&["mesh", "cache", "--out", "same", "--overwrite", "--resolution", same]).succeeds();
        assert_eq!(files(&place, "own", "mesh"), files(&place, "same", "mesh"), "{own}");
    }
    let volume = |grids: &str, words: &[&str]| place.run(&["volume", "cache", "--grids", grids]).fails(2, words);
    volume("density,density", &["--grids: this grid is listed twice"]);
    volume("densty", &["did you mean `density`?"]);
    volume("", &["--grids: has 0 items"]);
    let help = place.run(&["mesh", "--help"]);
    let text = help.succeeds().out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Edge length of the sampling cells in units of the particle spacing [0.1 to 2]"), "{text}");
}

#[test]
fn caches_without_usable_particles_are_refused() {
    let place = baked(json!({"mesh": {}}));
    place.run(&["volume", "cache"]).fails(2, &["holds no particles", "\"particles\": {}"]);
    place.run(&["mesh", "nowhere"]).fails(2, &["not a Dollop cache"]);
    let place = baked(json!({"particles": {}}));
    let mut old = index(&place, "cache");
    old.as_object_mut().unwrap().remove("kernel");
    old["version"]["minor"] = 1.into();
    let new = fs::read(place.path("cache/bake.json")).unwrap();
    place.write("cache/bake.json", old.to_string());
    place.run(&["mesh", "cache", "--out", "out"]).fails(2, &["format 1.1", "bake again with"]);
    place.write("cache/bake.json", &new);
    let file = "cache/particles/particles_0004.ply";
    let whole = fs::read(place.path(file)).unwrap();
    place.write(file, &whole[..whole.len() / 2]);
    place.run(&["mesh", "cache", "--out", "out"]).fails(2, &["particles_0004.ply", "cut short", "--frames"]);
    assert!(!place.path("out").exists(), "nothing is written before all particles are there");
    // The file has the right size, but its last particle belongs to no body.
    place.write(file, [&whole[..whole.len() - 4], &[255; 4]].concat());
    place.run(&["mesh", "cache", "--out", "out"]).fails(2, &["particles_0004.ply", "no number of a body", "--frames"]);
    let index = index(&place, "out");
    assert_eq!(index["status"], "failed");
    assert!(index["error"].as_str().unwrap().contains("particles_0004.ply"));
    is_whole(&place, "out");
    place.run(&["mesh", "cache", "--out", "out"]).fails(4, &["holds a bake already", "--overwrite"]);
    place.run(&["mesh", "cache", "--out", "."]).fails(4, &["not a Dollop cache"]);
    place.run(&["mesh", "cache", "--out", "scene.json"]).fails(3, &["is a file", "--out"]);
}

#[test]
fn a_rebuild_in_place_that_fails_loses_no_file() {
    let place = baked(json!({"mesh": {}, "particles": {}}));
    let file = "cache/particles/particles_0004.ply";
    let (whole, meshes) = (fs::read(place.path(file)).unwrap(), files(&place, "cache", "mesh"));
    fs::remove_file(place.path(file)).unwrap();
    let words = ["particles_0004.ply", "there is no such file", "--frames and write into another folder with --out"];
    for resolution in ["0.5", "0.7"] {
        place.run(&["mesh", "cache", "--resolution", resolution]).fails(2, &words);
        assert_eq!(files(&place, "cache", "mesh"), meshes);
    }
    place.write(file, &whole);
    is_whole(&place, "cache");
    // A folder blocks the file of the second frame: this failure must not affect other frames.
    let blocked = place.path("cache/mesh/mesh_0002.ply");
    fs::remove_file(&blocked).unwrap();
    fs::create_dir_all(blocked.join("in the way")).unwrap();
    place.run(&["mesh", "cache"]).fails(3, &["mesh_0002.ply"]);
    fs::remove_dir_all(&blocked).unwrap();
    fs::write(&blocked, &meshes[1].1).unwrap();
    assert_eq!(files(&place, "cache", "mesh"), meshes);
    is_whole(&place, "cache");
}

/// A file of the right size may hold data that no bake writes; only reading it shows them.
#[test]
fn damaged_particles_cost_no_old_file() {
    let place = baked(json!({"mesh": {}, "volume": {}, "particles": {}}));
    place.run(&["mesh", "cache", "--out", "other"]).succeeds();
    let file = "cache/particles/particles_0004.ply";
    let mut bytes = fs::read(place.path(file)).unwrap();
    bytes.last_chunk_mut::<4>().unwrap().fill(255);
    place.write(file, &bytes);
    let all = || ["cache", "other"].map(|folder| files(&place, folder, ""));
    let before = all();
    let words = ["particles_0004.ply", "no number of a body", "leave the frame out with --frames"];
    for command in [
        &["mesh", "cache", "--resolution", "0.7"][..],
        &["mesh", "cache", "--format", "obj"],
        &["volume", "cache", "--resolution", "0.7"],
        &["mesh", "cache", "--out", "other", "--overwrite"],
    ] {
        place.run(command).fails(2, &words);
        assert!(all() == before, "{command:?} changed a file");
    }
    place.run(&["mesh", "cache", "--frames", "1-3,5", "--out", "other", "--overwrite"]).succeeds();
    is_whole(&place, "other");
}

#[test]
fn surfaces_in_volumes_are_of_one_mesh() {
    let place = baked(json!({"mesh": {}, "volume": {"grids": ["surface"]}, "particles": {}}));
    let volumes = files(&place, "cache", "volume");
    place.run(&["mesh", "cache", "--adaptivity", "0.1"]).succeeds();
    place.run(&["volume", "cache", "--frames", "3"]).succeeds();
    assert_eq!(files(&place, "cache", "volume"), volumes, "the surface in it is cut whole");
    place.run(&["mesh", "cache", "--smoothing", "0"]).succeeds();
    place.run(&["volume", "cache", "--frames", "3"]).fails(4, &["has volume files of other settings", "--out"]);
    assert_eq!(files(&place, "cache", "volume"), volumes);
    place.run(&["volume", "cache"]).succeeds();
    let index = index(&place, "cache");
    assert_eq!(index["outputs"][1]["settings"]["surface"]["smoothing"], 0.0);
    assert!(place.run(&["info", "cache"]).succeeds().out.contains("surface ("));
    assert_ne!(files(&place, "cache", "volume"), volumes);
}

#[test]
fn grids_that_the_matter_lacks_give_warnings() {
    let mut scene = drop_scene();
    scene["output"] = json!({"particles": {}});
    assert!(scene["bodies"][0].as_object_mut().unwrap().remove("temperature").is_some());
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let volume = |grids: &[&str], out: &str| {
        let run = place.run(&[&["volume", "cache", "--out", out], grids].concat());
        run.succeeds().err.contains("--grids asks for `temperature`")
    };
    assert!(volume(&["--grids", "density,temperature"], "asked"));
    assert!(!volume(&[], "default") && !volume(&["--grids", "density"], "there"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_rebuild_between_frames_and_the_same_command_goes_on() {
    let mut scene = drop_scene();
    scene["frames"]["end"] = 60.into();
    scene["output"] = json!({"particles": {}});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let fine = ["mesh", "cache", "--resolution", "0.1", "--threads", "1"];
    let (mut child, lines) = first_frame(&mut place.command(&[&fine[..], &["--progress", "json"]].concat()));
    crate::bakes::signal(&child, "INT");
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!((child.wait().unwrap().code(), &last["event"]), (Some(130), &json!("cancelled")));
    let listed = |index: &Value| {
        let frames = index["done"].as_array().unwrap().iter();
        frames.filter(|frame| frame["files"].get("mesh").is_some()).count()
    };
    let found = index(&place, "cache");
    assert_eq!((listed(&found), &found["status"]), (last["frames"].as_u64().unwrap() as usize, &json!("complete")));
    assert!(listed(&found) < 60, "too fast to be stopped");
    let count = tree(&place.path("cache/mesh")).len();
    assert_eq!(count, listed(&found), "what is not listed is not there");
    place.run(&["mesh", "cache", "--threads", "1"]).succeeds();
    is_whole(&place, "cache");
    assert_eq!(index(&place, "cache")["outputs"][0]["settings"]["resolution"], 0.1);
}

#[cfg(unix)]
#[test]
fn a_signal_while_a_frame_is_rebuilt_for_long_leaves_nothing_of_it() {
    let place = Workplace::with_scene(&fine_scene(json!({"particles": {}})));
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    for (out, manner) in [("cache", "the same folder"), ("out", "another")] {
        let fine = ["mesh", "cache", "--resolution", "0.1", "--threads", "1", "--out", out, "--progress", "json"];
        let before = tree(&place.path("cache"));
        let mut child = place.command(&fine).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        event(&mut lines, "rebuild");
        ends_within_seconds(&mut child, lines, 0);
        assert_eq!(tree(&place.path("cache")), before, "{manner}");
    }
    assert_eq!(tree(&place.path("out")), ["bake.json"]);
}

#[test]
fn two_cannot_write_into_one_cache() {
    let place = baked(json!({"particles": {}}));
    let lock =
        fs::File::options().create(true).truncate(false).write(true).open(place.path("cache/.dollop-lock")).unwrap();
    lock.lock().unwrap();
    place.run(&["mesh", "cache"]).fails(75, &["another process is writing"]);
    place.run(&["mesh", "cache", "--out", "out"]).succeeds();
}
