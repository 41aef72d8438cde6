//! Real bakes: files, protection of existing files, signals.

#[cfg(unix)]
use crate::tools::fine_scene;
use crate::tools::{Run, Workplace, drop_scene, tree};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const BAKE: [&str; 4] = ["bake", "scene.json", "--cache", "cache"];

fn index(place: &Workplace) -> Value {
    serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap()
}

fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&BAKE[..], more].concat()
}

#[test]
fn a_bake_is_reported_and_read_back() {
    let place = Workplace::with_scene(&drop_scene());
    let run = place.run(&arguments(&["--progress", "json"]));
    let mut events = run.succeeds().events();
    assert!(events[1]["event"] == "settle" && events[1]["step"] == 0 && events[1]["most"].as_u64() > Some(0));
    // On slow machines there are more of them.
    events.retain(|event| event["event"] != "settle");
    let kinds: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["fill", "start", "frame", "frame", "frame", "frame", "frame", "done"]);
    assert!(events[2]["particles"].as_u64().unwrap() > 50 && events[3]["steps"].as_u64().unwrap() > 0);
    assert!(events[2]["eta"].is_null() && events[3]["eta"].as_f64().unwrap() > 0.0 && events[6]["eta"] == 0.0);
    assert_eq!(tree(&place.path("cache")).len(), 1 + 3 * 5 + 3, "the index, files, and markers of three stages");
    let index = index(&place);
    assert_eq!(index["status"], "complete");
    assert_eq!(index["scene"]["path"], "scene.json");
    assert_eq!(index["bodies"][0]["name"], "drop");
    let run = place.run(&["info", "cache"]);
    assert!(run.succeeds().out.contains("complete (5 of 5 frames)") && run.err.is_empty(), "{}{}", run.out, run.err);
    fs::remove_file(place.path("cache/mesh/mesh_0003.ply")).unwrap();
    place.write("cache/volume/volume_0009.vdb", "");
    let run = place.run(&["info", "cache", "--json"]);
    let info: Value = serde_json::from_str(&run.succeeds().out).unwrap();
    assert_eq!(
        (&info["missing"], &info["stray"]),
        (&json!(["mesh/mesh_0003.ply"]), &json!(["volume/volume_0009.vdb"]))
    );
    assert!(place.run(&["info", "cache"]).err.contains("warning: mesh/mesh_0003.ply is missing"));
}

/// The warning of a tool that met no sheet comes when all frames are done, not when some are.
#[test]
fn a_tool_without_effect_gives_a_warning() {
    let place = Workplace::with_scene(&json!({
        "version": 1, "frames": {"start": 1, "end": 3}, "particle_spacing": 0.05, "settle": false,
        "bodies": [{"name": "sheet", "shape": {"type": "box", "size": [0.4, 0.4, 0.4]}, "material": {"type": "oriented"}}],
        "tools": [{"name": "knife", "shape": {"type": "sphere", "radius": 0.1}, "transform": {"translation": [2, 0, 0]}}]
    }));
    let told = |more: &[&str]| {
        let run = place.run(&[&["bake", "scene.json", "--overwrite", "--cache", "cache"], more].concat());
        run.succeeds().err.contains("warning: tool \"knife\" has joined nothing")
    };
    assert!(told(&[]) && !told(&["--frames", "1-2"]));
}

#[test]
fn a_bake_replaces_only_a_bake_and_only_when_told() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&BAKE).succeeds();
    place.write("cache/notes.txt", "mine");
    let before = tree(&place.path("cache"));
    place.run(&BAKE).fails(4, &["cache", "--overwrite"]);
    assert_eq!(tree(&place.path("cache")), before);
    place.run(&arguments(&["--overwrite", "--frames", "2"])).succeeds();
    assert_eq!(
        tree(&place.path("cache")),
        ["bake.json", "mesh/mesh_0002.ply", "notes.txt", "particles/particles_0002.ply", "volume/volume_0002.vdb"]
    );
    fs::remove_file(place.path("cache/bake.json")).unwrap();
    place.run(&arguments(&["--overwrite"])).fails(4, &["not a Dollop cache"]);
}

#[test]
fn a_bake_with_a_damaged_index_is_replaced_when_told() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&BAKE).succeeds();
    let whole = tree(&place.path("cache"));
    let text = fs::read_to_string(place.path("cache/bake.json")).unwrap();
    let at = text.find("\"energy_drift\":").unwrap() + "\"energy_drift\":".len();
    let end = at + text[at..].find(',').unwrap();
    place.write("cache/bake.json", format!("{}null{}", &text[..at], &text[end..]));
    place.write("cache/notes.txt", "mine");
    place.run(&["info", "cache"]).fails(2, &["bake.json:", "damaged: invalid type: null", "--overwrite"]);
    place.run(&BAKE).fails(2, &["damaged", "--overwrite"]);
    place.run(&arguments(&["--overwrite"])).succeeds();
    fs::remove_file(place.path("cache/notes.txt")).unwrap();
    assert_eq!(tree(&place.path("cache")), whole);
    place.run(&["info", "cache"]).succeeds();
    let foreign = "{\"format\": \"bread\", \"version\": {\"major\": 1}}";
    place.write("cache/bake.json", foreign);
    place.run(&arguments(&["--overwrite"])).fails(4, &["not a Dollop cache", "bake.json", "nothing was changed"]);
    assert_eq!(fs::read_to_string(place.path("cache/bake.json")).unwrap(), foreign);
    assert_eq!(tree(&place.path("cache")), whole);
}

#[test]
fn frames_outside_of_the_scene_are_refused() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&arguments(&["--frames", "4-9"])).fails(2, &["frames 1 to 5", "asks for 9"]);
    place.run(&arguments(&["--frames", "-3--1"])).fails(2, &["asks for -3"]);
    assert!(!place.path("cache").exists());
}

#[test]
fn a_file_where_the_folder_should_be() {
    let place = Workplace::with_scene(&drop_scene());
    place.write("cache", "a file");
    place.run(&BAKE).fails(3, &["cache: is a file, not a folder", "name a folder with --cache"]);
    place.run(&["bake", "scene.json", "--cache", "cache/inside"]).fails(3, &["the folder cannot be made"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_made_is_refused() {
    let place = Workplace::with_scene(&drop_scene());
    let run = place.run(&["bake", "scene.json", "--cache", "/proc/dollop"]);
    run.fails(3, &["/proc/dollop: the folder cannot be made", "that you may write into"]);
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_standard_output_is_an_error() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&BAKE).succeeds();
    for arguments in
        [&["schema"][..], &["check", "scene.json"], &["check", "scene.json", "--json"], &["info", "cache"], &["--help"]]
    {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = place.command(arguments).stdout(full).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?} {text}");
        assert!(text.contains("error: standard output cannot be written: the disk is full"), "{arguments:?} {text}");
    }
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_bake() {
    let place = Workplace::with_scene(&drop_scene());
    let mut child = place.command(&arguments(&["--progress", "json"])).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(index(&place)["status"], "complete");
    for arguments in [&["schema"][..], &["check", "scene.json"], &["info", "cache"], &["--help"]] {
        let mut child = place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?} {output:?}");
    }
}

#[test]
fn without_a_terminal_progress_is_a_line_a_frame_on_standard_error() {
    let place = Workplace::with_scene(&drop_scene());
    let run = place.run(&BAKE);
    assert!(run.succeeds().out.is_empty());
    assert_eq!(run.err.lines().filter(|line| line.contains(" steps")).count(), 5, "{}", run.err);
    let run = place.run(&arguments(&["--overwrite", "--progress", "none"]));
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
}

/// A bake too long to end by itself, after it has written its first frame.
fn long_bake(place: &Workplace) -> (Child, impl Iterator<Item = String> + use<>) {
    first_frame(&mut place.command(&arguments(&["--progress", "json"])))
}

/// A bake with progress in JSON, after it has written its first frame.
pub fn first_frame(command: &mut Command) -> (Child, impl Iterator<Item = String> + use<>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.contains("\"frame\"")));
    (child, lines)
}

/// Checks that a bake, whose last event is `last`, was cancelled and left a valid cache.
fn ended_after_a_frame(place: &Workplace, child: &mut Child, last: &str) {
    let last: Value = serde_json::from_str(last).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let index = index(place);
    let done = index["done"].as_array().unwrap().len();
    assert_eq!((&last["event"], &last["frames"]), (&json!("cancelled"), &json!(done)));
    assert_eq!(index["status"], "cancelled");
    let names = tree(&place.path("cache"));
    let (checkpoints, files): (Vec<_>, Vec<_>) = names.iter().partition(|name| name.starts_with("checkpoints/"));
    assert_eq!(files.len(), 1 + 3 * done, "every frame is whole and listed");
    assert_eq!(checkpoints.last(), Some(&&format!("checkpoints/checkpoint_{done:04}.state")), "{checkpoints:?}");
    assert!(checkpoints.len() <= 2);
    let run = place.run(&["info", "cache"]);
    assert!(run.succeeds().err.is_empty(), "{}", run.err);
}

fn long_scene() -> Value {
    let mut scene = drop_scene();
    scene["frames"]["end"] = json!(100_000);
    scene
}

#[cfg(unix)]
pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_signal_stops_the_bake_and_leaves_a_valid_cache() {
    for name in ["INT", "TERM"] {
        let place = Workplace::with_scene(&long_scene());
        let (mut child, lines) = long_bake(&place);
        signal(&child, name);
        ended_after_a_frame(&place, &mut child, &lines.last().unwrap());
    }
}

#[test]
fn the_end_of_standard_input_stops_the_bake_and_leaves_a_valid_cache() {
    let place = Workplace::with_scene(&long_scene());
    let mut command = place.command(&arguments(&["--progress", "json", "--until-stdin-closes"]));
    let (mut child, lines) = first_frame(command.stdin(Stdio::piped()));
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"what is written does not end it\n").unwrap();
    let mut lines = lines.skip_while(|line| !line.contains("\"index\":20,"));
    assert!(lines.next().is_some(), "the bake ended while standard input was open");
    drop(input);
    ended_after_a_frame(&place, &mut child, &lines.last().unwrap());
}

#[test]
fn without_the_option_the_end_of_standard_input_means_nothing() {
    let place = Workplace::with_scene(&drop_scene());
    let output = place.command(&BAKE).stdin(Stdio::null()).output().unwrap();
    Run::from(output).succeeds();
    let place = Workplace::with_scene(&long_scene());
    let output = place.command(&arguments(&["--until-stdin-closes"])).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(130));
}

#[test]
fn a_scene_cannot_come_from_standard_input_that_is_watched_for_its_end() {
    let place = Workplace::new();
    let run = place.run(&["bake", "-", "--cache", "cache", "--until-stdin-closes", "--progress", "json"]);
    run.fails(2, &["--until-stdin-closes waits for the end of standard input", "help: save the scene"]);
    assert_eq!(run.events()[0]["event"], "error");
    assert!(!place.path("cache").exists());
}

/// A bake whose frames take hours.
fn slow_scene() -> Value {
    let mut scene = long_scene();
    scene["particle_spacing"] = json!(0.01);
    scene["frames"]["rate"] = json!(0.01);
    scene["bodies"][0]["material"]["stiffness"] = json!(5000);
    scene["settle"] = json!(false);
    scene
}

#[test]
fn a_cache_that_cannot_be_made_is_refused_before_any_body_is_filled() {
    let place = Workplace::with_scene(&drop_scene());
    let run = place.run(&["bake", "scene.json", "--cache", "scene.json/deep/cache", "--progress", "json"]);
    run.fails(3, &["scene.json/deep/cache", "--cache"]);
    assert_eq!(run.events().len(), 1, "{}", run.out);
    // A folder that can be made does not exist before it is needed.
    let mut buried = drop_scene();
    buried["bodies"][0]["transform"] = json!({"translation": [0.0, 0.0, -50.0]});
    let place = Workplace::with_scene(&buried);
    place.run(&["bake", "scene.json", "--cache", "new/deep/cache"]).fails(2, &["inside a collider", "inverted"]);
    assert!(!place.path("new").exists());
}

#[cfg(unix)]
#[test]
fn a_signal_while_the_files_of_a_frame_are_made_for_long_leaves_nothing_of_it() {
    let place = Workplace::with_scene(&fine_scene(json!({"mesh": {"resolution": 0.1}})));
    let mut child =
        place.command(&arguments(&["--progress", "json", "--threads", "1"])).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    event(&mut lines, "start");
    ends_within_seconds(&mut child, lines, 0);
    assert_eq!(index(&place)["status"], "cancelled");
    assert_eq!(tree(&place.path("cache")), ["bake.json"]);
}

/// Asks a process with progress in JSON to end, and checks that it ends soon, with so many frames.
#[cfg(unix)]
pub fn ends_within_seconds(child: &mut Child, lines: impl Iterator<Item = String>, frames: usize) {
    let asked = Instant::now();
    signal(child, "INT");
    let last: Value = serde_json::from_str(&lines.last().unwrap()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
    assert_eq!((&last["event"], &last["frames"]), (&json!("cancelled"), &json!(frames)));
}

/// The next event of a kind.
pub fn event(lines: &mut impl Iterator<Item = String>, kind: &str) -> Value {
    let events = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
    events.into_iter().find(|event| event["event"] == kind).unwrap()
}

#[cfg(unix)]
#[test]
fn a_signal_within_a_frame_of_minutes_ends_the_bake_within_seconds() {
    let place = Workplace::with_scene(&slow_scene());
    for (name, threads) in [("INT", "1"), ("TERM", "2")] {
        let more = ["--progress", "json", "--overwrite", "--threads", threads];
        let (mut child, mut lines) = first_frame(&mut place.command(&arguments(&more)));
        let within = event(&mut lines, "advance");
        let number = |key: &str| within[key].as_f64().unwrap();
        assert!(within["frame"] == 2 && within["index"] == 2 && within["total"] == 100_000, "{within}");
        assert!((0.0..0.1).contains(&number("part")) && (1.0..30.0).contains(&number("seconds")), "{within}");
        assert!(number("frame_eta") > 9.0 && number("eta") > 1000.0 * number("frame_eta"), "{within}");
        let asked = Instant::now();
        signal(&child, name);
        ended_after_a_frame(&place, &mut child, &lines.last().unwrap());
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        let more = ["--progress", "json", "--resume", "--threads", threads];
        let mut child = place.command(&arguments(&more)).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let (start, within) = (event(&mut lines, "start"), event(&mut lines, "advance"));
        assert_eq!((&start["first"], &within["frame"], &within["index"]), (&json!(2), &json!(2), &json!(1)));
        signal(&child, name);
        ended_after_a_frame(&place, &mut child, &lines.last().unwrap());
    }
}

#[cfg(unix)]
#[test]
fn without_a_terminal_there_is_a_line_now_and_then_within_a_long_frame() {
    let place = Workplace::with_scene(&slow_scene());
    let mut child = place.command(&BAKE).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.by_ref().any(|line| line.contains("frame 1,")));
    let (begun, line) = (Instant::now(), lines.next().unwrap());
    assert!(line.starts_with("1/100000  frame 2 is ") && line.contains(" % simulated, "), "{line}");
    assert!(begun.elapsed() > Duration::from_secs(8));
    signal(&child, "INT");
    assert!(lines.by_ref().any(|line| line.contains("stopping; once more to stop at once")));
    assert!(lines.last().unwrap().contains("the 1 frame in cache is whole"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(unix)]
#[test]
fn a_signal_while_bodies_are_filled_ends_the_bake_before_it_begins() {
    let mut scene = slow_scene();
    scene["particle_spacing"] = json!(0.004);
    let place = Workplace::with_scene(&scene);
    let mut child = place.command(&arguments(&["--progress", "json"])).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let event = |line: String| serde_json::from_str::<Value>(&line).unwrap();
    let fill = event(lines.next().unwrap());
    assert_eq!((&fill["event"], &fill["bodies"]), (&json!("fill"), &json!(1)));
    assert!(fill["particles"].as_u64().unwrap() > 1_000_000, "{fill}");
    signal(&child, "INT");
    let rest: Vec<Value> = lines.map(event).filter(|event| event["event"] != "settle").collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.len() == 1 && rest[0]["event"] == "cancelled" && rest[0]["frames"] == 0, "{rest:?}");
    assert!(!place.path("cache").exists());
}

#[cfg(unix)]
#[test]
fn a_kill_leaves_only_whole_files() {
    let place = Workplace::with_scene(&long_scene());
    let (mut child, _lines) = long_bake(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    let run = place.run(&["info", "cache", "--json"]);
    let info: Value = serde_json::from_str(&run.succeeds().out).unwrap();
    assert_eq!((&info["index"]["status"], &info["missing"]), (&json!("running"), &json!([])));
    assert!(place.run(&["info", "cache"]).err.contains("still runs, or was stopped"));
    place.run(&arguments(&["--overwrite", "--frames", "1"])).fails(0, &[]);
    assert_eq!(tree(&place.path("cache")).len(), 1 + 3, "what the kill left is tidied up");
}

/// Lengths from Blender are in single precision; one takes the singular.
#[test]
fn info_reads_well() {
    let mut scene = drop_scene();
    scene["particle_spacing"] = json!(0.100_000_001_49);
    scene["output"] = json!({"mesh": {"smoothing": 2.5}, "particles": {}});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache", "--frames", "1"]).succeeds();
    let mut index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    assert_ne!(index["outputs"][0]["cell_size"], json!(0.05), "not round in the index");
    let told = |index: &Value| {
        place.write("cache/bake.json", index.to_string());
        place.run(&["info", "cache"]).succeeds().out.clone()
    };
    let text = told(&index);
    for words in ["(1 of 1 frame)\n", "spacing    0.1 m\n", ", cells of 0.05 m, ", "smoothing 2.5, adaptivity 0, "] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    index["bodies"][0]["particles"] = json!(1);
    index["done"][0]["particles"] = json!(1);
    index["done"][0]["steps"] = json!(1);
    index["done"][0]["force_evaluations"] = json!(1);
    let text = told(&index);
    for words in ["drop, 1 particle\n", "frame 1    1 particle, 1 step, ", "forces     1 evaluation in 1 frame;"] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
}
