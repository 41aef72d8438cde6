//! Bad input: one clear error, exit code 2.

use crate::physics::OPEN;
use crate::tools::{Run, Workplace, drop_scene};
use serde_json::{Value, json};

/// Checks a scene that must be refused.
#[track_caller]
fn refused(scene: &Value, words: &[&str]) {
    let run = Workplace::with_scene(scene).run(&["check", "scene.json"]);
    run.fails(2, words);
    assert!(run.err.starts_with("error: scene.json:") && run.out.is_empty(), "{}", run.err);
}

fn with(pointer: &str, value: Value) -> Value {
    let mut scene = drop_scene();
    *scene.pointer_mut(pointer).unwrap() = value;
    scene
}

#[test]
fn usage() {
    let place = Workplace::new();
    place.run(&["bake", "scene.json"]).fails(2, &["--cache"]);
    place.run(&["bake", "scene.json", "--cache", "c", "--frames", "6-1"]).fails(2, &["backwards"]);
    place
        .run(&["bake", "scene.json", "--cache", "c", "--frames", "x"])
        .fails(2, &["\"x\" is no frame", "7-20:2", "-3..2 below 0"]);
    place.run(&["bake", "scene.json", "--cache", "c", "--frames", "3--2"]).fails(2, &["from 3 to -2", "first: -2..3"]);
    place.run(&["preview", "c", "--out", "p", "--resolution", "-1"]).fails(2, &["write a number from 0.1 to 4"]);
    place.run(&["preview", "c", "--out", "p", "--size", "-1"]).fails(2, &["write WIDTHxHEIGHT in pixels"]);
    place.run(&["bake", "scene.json", "--cache", "c", "--threads", "5000"]).fails(2, &["--threads"]);
    place.run(&["melt"]).fails(2, &["melt"]);
    for command in ["", "bake", "check", "info"] {
        let arguments: Vec<_> = [command, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        assert!(place.run(&arguments).succeeds().out.contains("130  stopped by Ctrl-C"), "{command}");
    }
}

#[test]
fn files_that_are_no_scene_are_refused() {
    let place = Workplace::new();
    place.run(&["check", "none.json"]).fails(2, &["none.json", "no such file"]);
    place.run(&["check", "."]).fails(2, &["this is a folder"]);
    place.write("empty.json", "");
    place.run(&["check", "empty.json"]).fails(2, &["empty.json", "empty"]);
    place.write("bom.json", "\u{feff}{}");
    place.run(&["check", "bom.json"]).fails(2, &["bom.json:1", "byte order mark"]);
    place.write("latin.json", b"{\n\"na\xefve\": 1}");
    place.run(&["check", "latin.json"]).fails(2, &["latin.json:2", "UTF-8"]);
    place.write("cut.json", "{\n\"version\": 1");
    place.run(&["check", "cut.json"]).fails(2, &["cut.json:2:", "not valid JSON"]);
    place.write("deep.json", "[".repeat(1_000_000));
    place.run(&["check", "deep.json"]).fails(2, &["nested too deeply"]);
    place.write("twice.json", "{\"version\": 1,\n \"version\": 1}");
    place.write("comment.json", "{\n // the version\n \"version\": 1}");
    place.run(&["check", "comment.json"]).fails(2, &["comment.json:2:", "JSON has no comments"]);
    place.run(&["check", "twice.json"]).fails(2, &["twice.json:2:", "`version` is given twice"]);
    let huge = std::fs::File::create(place.path("huge.json")).unwrap();
    huge.set_len(600 << 20).unwrap();
    place.run(&["check", "huge.json"]).fails(2, &["larger than 512 MiB"]);
}

#[test]
fn values_out_of_place() {
    refused(
        &with("/bodies/0/material/stiffness", json!(-5)),
        &["bodies[0].material.stiffness", "0.001 to 1e8 m^2/s^2"],
    );
    refused(
        &with("/bodies/0/material", json!({"type": "smoothed", "state_equation": "ideal gas"})),
        &["bodies[0].material.state_equation", "linear", "tait", "ideal-gas"],
    );
    for (ambient, words) in [
        (json!({"density": -1}), ["ambient.density", "0 to 100000 kg/m^3"]),
        (json!({"pressure": 1e10}), ["ambient.pressure", "0 to 1e9 Pa"]),
        (json!({"presure": 1}), ["ambient.presure", "`pressure`"]),
    ] {
        let mut scene = drop_scene();
        scene["ambient"] = ambient;
        refused(&scene, &words);
    }
    refused(
        &with("/bodies/0/shape/radius", json!("5 cm")),
        &["bodies[0].shape.radius", "number in m", "unit is always m"],
    );
    refused(&with("/version", json!(7)), &["version 7", "reads version 1"]);
    refused(
        &with("/bodies/0/material", json!({"type": "smoothed", "visc": 1})),
        &["bodies[0].material.visc", "`viscosity`"],
    );
    refused(&with("/frames/end", json!(-3)), &["frames.end", "at least the first frame"]);
    refused(&with("/output", json!({"mesh": null})), &["output", "at least one"]);
}

#[test]
fn duplicates_are_refused() {
    let written = |output: Value| with("/output", output);
    refused(
        &written(json!({"mesh": {"attributes": ["age", "normal", "age"]}})),
        &["output.mesh.attributes[2]", "this attribute is listed twice; keep one"],
    );
    refused(
        &written(json!({"volume": {"grids": ["density", "density"]}})),
        &["output.volume.grids[1]", "this grid is listed twice; keep one"],
    );
}

#[test]
fn an_unevenly_changing_scale_is_refused() {
    let key = |frame: i32, scale: [f64; 3]| json!({"frame": frame, "transform": {"scale": scale}});
    let mut scene = drop_scene();
    let moving = |scale| json!([{"name": "moving", "shape": {"type": "sphere", "radius": 0.05}, "motion": [key(1, [1.0; 3]), key(2, scale)]}]);
    for scale in [[2.0, 2.0, 1.0], [1.0, 1.0, 1.0005], [-1.0, -1.0, -1.0]] {
        scene["colliders"] = moving(scale);
        refused(&scene, &["colliders[0].motion[1].transform.scale", "one positive factor"]);
    }
    scene["colliders"] = moving([2.0; 3]);
    Workplace::with_scene(&scene).run(&["check", "scene.json"]).succeeds();
}

#[test]
fn errors_of_a_scene_have_line_and_column() {
    let place = Workplace::new();
    place.write(
        "scene.json",
        "{\"version\": 1,\n \"frames\": {\"start\": 1, \"end\": 2},\n \"particle_spacing\": -1, \"bodies\": []}",
    );
    place.run(&["check", "scene.json"]).fails(2, &["error: scene.json:3:22: particle_spacing: must be from"]);
}

fn with_mesh(text: &str) -> Workplace {
    let place = Workplace::with_scene(&with("/bodies/0/shape", json!({"type": "mesh", "path": "meshes/a.obj"})));
    std::fs::create_dir(place.path("meshes")).unwrap();
    place.write("meshes/a.obj", text);
    place
}

#[test]
fn files_that_are_no_mesh_are_refused() {
    let told = |text: &str, words: &[&str]| with_mesh(text).run(&["check", "scene.json"]).fails(2, words);
    told("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", &["a.obj:4:", "vertex 9", "bodies[0].shape"]);
    told("v 0 0 0\nv 0 inf 0\nv 0 1 0\nf 1 2 3\n", &["a.obj:2:", "finite"]);
    told("", &["a.obj", "empty"]);
    told("v 0 0 0\n", &["a.obj", "no faces"]);
    told("ply\nformat ascii 1.0\n", &["a.obj", "not an OBJ file", "Wavefront"]);
    told(OPEN, &["bodies[0].shape", "a.obj", "Merge > By Distance", "Fill Holes", "Remesh"]);
    let place = with_mesh("");
    std::fs::remove_file(place.path("meshes/a.obj")).unwrap();
    place.run(&["check", "scene.json"]).fails(2, &["scene.json:", "bodies[0].shape.path", "a.obj does not exist"]);
    std::fs::create_dir(place.path("meshes/a.obj")).unwrap();
    place.run(&["check", "scene.json"]).fails(2, &["a.obj is a folder"]);
}

#[cfg(unix)]
#[test]
fn pipes_are_not_waited_for() {
    let make_pipe = |place: &Workplace, name: &str| {
        assert!(std::process::Command::new("mkfifo").arg(place.path(name)).status().unwrap().success());
    };
    let place = with_mesh("");
    std::fs::remove_file(place.path("meshes/a.obj")).unwrap();
    make_pipe(&place, "meshes/a.obj");
    make_pipe(&place, "pipe.json");
    place.run(&["check", "scene.json"]).fails(2, &["bodies[0].shape.path", "a.obj is a pipe"]);
    place.run(&["check", "pipe.json"]).fails(2, &["pipe.json", "this is a pipe"]);
}

#[test]
fn a_mesh_of_more_than_four_gibibytes_is_not_read() {
    let place = with_mesh("");
    std::fs::File::create(place.path("meshes/a.obj")).unwrap().set_len((4 << 30) + 1).unwrap();
    place.run(&["check", "scene.json"]).fails(2, &["larger than 4 GiB"]);
}

#[test]
fn an_error_is_an_event_too() {
    let place = Workplace::with_scene(&with("/frames/rate", json!(0)));
    let run = place.run(&["bake", "scene.json", "--cache", "cache", "--progress", "json"]);
    run.fails(2, &["frames.rate"]);
    let events = run.events();
    assert_eq!(events.len(), 1);
    let event = &events[0];
    assert_eq!((&event["event"], &event["code"]), (&json!("error"), &json!(2)));
    assert_eq!((&event["file"], &event["path"]), (&json!("scene.json"), &json!("frames.rate")));
    assert!(event["line"].as_u64().unwrap() > 1 && event["message"].as_str().unwrap().contains("must be from 0.01"));
    assert!(!place.path("cache").exists(), "nothing is made for a scene that is wrong");
}

#[test]
fn a_wrong_command_line_is_an_event_if_events_are_requested() {
    let place = Workplace::new();
    for more in [&["--progress", "json"][..], &["--progress=json"]] {
        let run = place.run(&[&["bake", "scene.json", "--cache", "c", "--frames", "6-1"], more].concat());
        run.fails(2, &["backwards"]);
        let events = run.events();
        assert_eq!((events.len(), &events[0]["event"], &events[0]["code"]), (1, &json!("error"), &json!(2)));
        let message = events[0]["message"].as_str().unwrap();
        assert!(message.contains("--frames") && message.contains("backwards") && !message.contains('\n'), "{message}");
    }
    assert!(place.run(&["bake", "scene.json", "--progress", "none"]).out.is_empty());
}

#[test]
fn a_scene_too_large_for_any_machine_is_refused_before_it_is_filled() {
    let mut scene = with("/particle_spacing", json!(0.0001));
    scene["bodies"].as_array_mut().unwrap().push(
        json!({"name": "hall", "shape": {"type": "box", "size": [30, 20, 10]}, "transform": {"translation": [0, 0, 50]},
            "material": {"type": "smoothed"}}),
    );
    let place = Workplace::with_scene(&scene);
    for arguments in [&["check", "scene.json"][..], &["bake", "scene.json", "--cache", "cache"]] {
        let run = place.run(arguments);
        run.fails(2, &["bodies[1].shape", "\"hall\"", "6.0e15 particles", "of memory", "a particle_spacing of 0.0"]);
    }
    assert!(!place.path("cache").exists());
}

#[test]
fn a_large_sheet_is_refused_with_a_spacing_that_fits_whatever_its_pins() {
    let sheet = |spacing: f64| {
        let mut scene = with("/particle_spacing", json!(spacing));
        let (shape, material) = (json!({"type": "mesh", "path": "sheet.obj"}), json!({"type": "oriented"}));
        let pin = json!({"name": "corner", "vertices": [[0.1, 0.2, 0.3]]});
        scene["bodies"] = json!([{"name": "sheet", "shape": shape, "material": material, "pins": [pin]}]);
        let place = Workplace::with_scene(&scene);
        place.write("sheet.obj", "v 0.1 0.2 0.3\nv 1.1 0.2 0.3\nv 1.1 1.2 0.3\nv 0.1 1.2 0.3\nf 1 2 3 4\n");
        place.run(&["check", "scene.json", "--json"])
    };
    let run = sheet(1e-5);
    run.fails(2, &["bodies[0].shape", "\"sheet\" would hold about", "of memory"]);
    let (_, advice) = run.err.rsplit_once("a particle_spacing of ").unwrap();
    let spacing: f64 = advice.split_once(" m would fit").unwrap().0.parse().unwrap();
    sheet(spacing).succeeds();
    sheet(0.9 * spacing).fails(2, &["would fit"]);
}

/// Files number pieces and lumps by 32-bit floats.
#[test]
fn soft_matter_of_too_many_particles_is_refused() {
    let mut scene = with("/particle_spacing", json!(1.0));
    scene["bodies"] =
        json!([{"name": "dough", "shape": {"type": "box", "size": [260, 260, 260]}, "material": {"type": "soft"}}]);
    let place = Workplace::with_scene(&scene);
    place.run(&["check", "scene.json"]).fails(2, &["bodies[0].shape", "\"dough\" would hold about", "would fit"]);
}

#[test]
fn a_large_scene_is_estimated_from_its_volume() {
    let mut scene = with("/particle_spacing", json!(0.0034));
    scene["output"] = json!({"particles": {}});
    let place = Workplace::with_scene(&scene);
    let told: Value = serde_json::from_str(&place.run(&["check", "scene.json", "--json"]).succeeds().out).unwrap();
    assert_eq!(told["estimated"], true);
    assert!((2_870_000..2_890_000).contains(&told["particles"].as_u64().unwrap()), "{told}");
    assert!((40.0..80.0).contains(&told["neighbours"].as_f64().unwrap()), "{told}");
    assert!((1e9..4e9).contains(&told["memory"].as_f64().unwrap()), "{told}");
    let text = place.run(&["check", "scene.json"]);
    assert!(text.succeeds().out.contains("Estimated from the volume"), "{}", text.out);
    scene["colliders"][0]["shape"] = json!({"type": "mesh", "path": "open.obj"});
    let place = Workplace::with_scene(&scene);
    place.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.run(&["check", "scene.json"]).fails(2, &["colliders[0].shape", "`thickness`"]);
}

#[test]
fn a_scene_from_standard_input() {
    use std::io::Write;
    let place = Workplace::new();
    let run = |text: &str| {
        let mut command = place.command(&["check", "-"]);
        let piped = std::process::Stdio::piped;
        let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        Run::from(child.wait_with_output().unwrap())
    };
    assert!(run(&drop_scene().to_string()).succeeds().out.contains("particles"));
    run("{\n\"version\": 7}").fails(2, &["error: -:2:", "version 7"]);
    run("").fails(2, &["-: the file is empty"]);
}

#[test]
fn probable_mistakes_give_warnings() {
    let mut scene = with("/bodies/0/material/stiffness", json!(1e8));
    let twin = scene["bodies"][0].clone();
    scene["bodies"].as_array_mut().unwrap().push(twin);
    scene["bodies"][1]["transform"]["translation"] = json!([1e6, 0, 0]);
    let place = Workplace::with_scene(&scene);
    let run = place.run(&["check", "scene.json"]);
    for words in ["warning: several bodies are called \"drop\"", "1000000 m from the origin", "time steps"] {
        assert!(run.succeeds().err.contains(words), "{words:?} is not in {}", run.err);
    }
}

#[test]
fn folders_that_are_no_cache_are_refused() {
    let place = Workplace::new();
    place.run(&["info", "."]).fails(2, &["no bake.json"]);
    place.run(&["info", "none"]).fails(2, &["not a Dollop cache"]);
    place.write("bake.json", "{\n\"format\":");
    place.run(&["info", "."]).fails(2, &["bake.json:2:", "damaged"]);
    place.write("bake.json", "{\"format\": \"dollop-bake\", \"version\": {\"major\": 99}}");
    place.run(&["info", "."]).fails(2, &["version 99", "1.x"]);
}

/// Whatever a disk does to an index, all commands that read it report the same fault.
#[test]
fn an_index_that_is_no_text_is_damaged() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let file = place.path("cache/bake.json");
    let mut bytes = std::fs::read(&file).unwrap();
    let at = bytes.windows(10).position(|part| part == b"scene.json").unwrap();
    bytes[at] = 0xff;
    std::fs::write(&file, bytes).unwrap();
    for arguments in [
        &["info", "cache"][..],
        &["mesh", "cache"],
        &["volume", "cache"],
        &["preview", "cache", "--out", "pictures"],
        &["plot", "cache", "--out", "plot.svg"],
        &["collect", "cache"],
        &["bake", "scene.json", "--cache", "cache", "--resume"],
        &["simulate", "scene.json", "--cache", "cache"],
    ] {
        place.run(arguments).fails(2, &["bake.json:6:18: the index is damaged: it is not UTF-8 text"]);
    }
}

/// Values that lead out of the plane of a 2d scene are reported with their place.
#[test]
fn settings_that_do_not_fit_into_a_plane() {
    let flat = |pointer: &str, key: &str, value: Value| {
        let mut scene = drop_scene();
        scene["discretization"] = json!({"dimensions": "2d"});
        scene.pointer_mut(pointer).unwrap()[key] = value;
        scene
    };
    let body = "/bodies/0";
    Workplace::with_scene(&flat(body, "velocity", json!([1, 0, 2]))).run(&["check", "scene.json"]).succeeds();
    refused(&flat(body, "velocity", json!([1, 0.5, 2])), &["bodies[0].velocity[1]", "0.5", "plane y = 0", "\"3d\""]);
    refused(&flat(body, "angular_velocity", json!([1, 2, 0])), &["bodies[0].angular_velocity[0]", "about y"]);
    refused(&flat(body, "angular_velocity", json!([0, 2, 3])), &["bodies[0].angular_velocity[2]"]);
    refused(&flat("", "gravity", json!([0, 1, -9.81])), &["gravity[1]", "must be 0 in a 2d scene"]);
    let soft = flat(body, "material", json!({"type": "soft"}));
    refused(&soft, &["bodies[0].material.type", "cannot be in a 2d scene", "\"3d\""]);
    let beside = json!({"translation": [0, 0.31, 0.4]});
    refused(&flat(body, "transform", beside), &["bodies[0].transform.translation[1]", "\"drop\"", "beside the plane"]);
    let small = json!({"type": "box", "size": [0.001, 1, 0.001]});
    let mut scene = flat(body, "shape", small);
    scene["bodies"][0]["transform"]["translation"][1] = json!(0.4);
    Workplace::with_scene(&scene).run(&["check", "scene.json"]).succeeds();
    refused(&flat("/discretization", "dimensions", json!(2)), &["discretization.dimensions"]);
    refused(&flat("/discretization", "dimensions", json!("4d")), &["discretization.dimensions", "2d"]);
}
