//! Stages of a bake by separate commands, as a farm runs them: together they give the result of one bake.

use crate::tools::{Run, Workplace, assert_same, drop_scene, tree};
use serde_json::{Value, json};
use std::fs;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn drop_of(frames: i32) -> Value {
    let mut scene = drop_scene();
    scene["frames"] = json!({"start": -2, "end": frames - 3, "rate": 24});
    scene
}

fn spawn(place: &Workplace, arguments: &[&str]) -> Child {
    place.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn ended(child: Child) -> Run {
    Run::from(child.wait_with_output().unwrap())
}

fn simulate<'a>(cache: &'a str, frames: &'a str) -> [&'a str; 6] {
    ["simulate", "scene.json", "--cache", cache, "--frames", frames]
}

fn done(place: &Workplace, cache: &str) -> Vec<String> {
    tree(&place.path(cache)).into_iter().filter(|name| name.starts_with("done/")).collect()
}

#[test]
fn segments_and_chunks_come_to_the_same_bits_as_one_bake() {
    let place = Workplace::with_scene(&drop_of(8));
    place.run(&["bake", "scene.json", "--cache", "whole"]).succeeds();
    assert_eq!(done(&place, "whole"), ["done/mesh.json", "done/simulate.json", "done/volume.json"]);
    place.run(&simulate("cache", "-2..1")).succeeds();
    assert!(done(&place, "cache").is_empty(), "a segment is not the whole");
    // A chunk of the first segment beside the next segment, and twice at once.
    let chunks = [
        spawn(&place, &simulate("cache", "2..5")),
        spawn(&place, &["mesh", "cache", "--frames", "-2..1"]),
        spawn(&place, &["mesh", "cache", "--frames", "-2..1", "--threads", "1"]),
        spawn(&place, &["volume", "cache", "--frames", "-2..1"]),
    ];
    for child in chunks {
        ended(child).succeeds();
    }
    assert_eq!(done(&place, "cache"), ["done/simulate.json"]);
    place.run(&["collect", "cache"]).fails(2, &["4 frames without mesh: 2-5", "dollop mesh cache --frames 2-5"]);
    place.run(&["volume", "cache", "--frames", "2-5"]).succeeds();
    place.run(&["mesh", "cache", "--resume"]).succeeds();
    place.run(&["collect", "cache"]).succeeds();
    assert_same(&place, "whole", "cache", &["requested"]);
}

/// Whatever happened to checkpoints between two segments, no frame is lost, not even if a segment runs late or again.
#[test]
fn segments_keep_the_files_of_others() {
    let place = Workplace::with_scene(&drop_of(9));
    place.run(&["bake", "scene.json", "--cache", "whole"]).succeeds();
    for (number, lost) in
        [&["checkpoint_0001.state"][..], &["checkpoint_0001.state", "checkpoint_0000.state"]].iter().enumerate()
    {
        let cache = format!("cache{number}");
        place.run(&[&simulate(&cache, "-2..1")[..], &["--checkpoint", "1"]].concat()).succeeds();
        place.run(&["mesh", &cache]).succeeds();
        for name in *lost {
            fs::remove_file(place.path(&format!("{cache}/checkpoints/{name}"))).unwrap();
        }
        place.run(&simulate(&cache, "2..5")).succeeds();
        place.run(&["collect", &cache]).fails(2, &["1 frame of the scene", "6"]);
        fs::remove_file(place.path(&format!("{cache}/particles/particles_-001.ply"))).unwrap();
        place.run(&simulate(&cache, "-2..1")).succeeds();
        place.run(&simulate(&cache, "6")).succeeds();
        place.run(&["mesh", &cache, "--resume"]).succeeds();
        place.run(&["volume", &cache, "--resume"]).succeeds();
        place.run(&["collect", &cache]).succeeds();
        assert_same(&place, "whole", &cache, &["requested"]);
    }
}

/// Simulating a finished bake again for its particles keeps its meshes.
#[test]
fn a_bake_without_particles_keeps_its_meshes() {
    let mut scene = drop_scene();
    scene["output"] = json!({"mesh": {}});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    place.run(&simulate("cache", "1-5")).succeeds();
    place.run(&["collect", "cache"]).succeeds();
    assert!(place.path("cache/done/mesh.json").exists() && place.path("cache/particles/particles_0005.ply").exists());
}

/// Meshes of other settings stay as the index lists them, whatever else runs.
#[test]
fn meshes_of_other_settings_stay_so() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&simulate("cache", "1-3")).succeeds();
    place.run(&["mesh", "cache", "--resolution", "1.5"]).succeeds();
    place.run(&simulate("cache", "4-5")).succeeds();
    place.run(&["mesh", "cache", "--resume"]).succeeds();
    place.run(&["mesh", "cache", "--out", "all", "--resolution", "1.5"]).succeeds();
    let mesh = |cache: &str| fs::read(place.path(&format!("{cache}/mesh/mesh_0005.ply"))).unwrap();
    assert!(mesh("cache") == mesh("all"));
}

#[test]
fn a_resumed_stage_leaves_out_existing_files() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&simulate("cache", "1-5")).succeeds();
    let run = place.run(&["simulate", "scene.json", "--cache", "cache", "--progress", "json"]);
    assert_eq!(run.succeeds().events().len(), 1, "all is there");
    place.run(&["mesh", "cache", "--frames", "1,3"]).succeeds();
    fs::write(place.path("cache/mesh/mesh_0003.ply"), "cut off").unwrap();
    let run = place.run(&["mesh", "cache", "--resume", "--progress", "json"]);
    let mut made: Vec<_> = run.succeeds().events().iter().filter_map(|event| event["frame"].as_i64()).collect();
    made.sort_unstable();
    assert_eq!(made, [2, 3, 4, 5]);
    let run = place.run(&["mesh", "cache", "--resume", "--progress", "json"]);
    assert_eq!(run.succeeds().events().last().unwrap()["frames"], 0);
    assert!(place.path("cache/done/mesh.json").exists() && !place.path("cache/records").exists());
}

/// While another process holds the folder, files are added beside it, with records that all readers include.
#[test]
fn workers_need_no_lock() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&simulate("cache", "1-5")).succeeds();
    let lock = fs::File::create(place.path("cache/.dollop-lock")).unwrap();
    lock.lock().unwrap();
    place.run(&["mesh", "cache", "--frames", "1-4"]).succeeds();
    place.run(&["mesh", "cache", "--resolution", "1"]).fails(75, &["another process is writing"]);
    place.run(&["simulate", "scene.json", "--cache", "cache"]).fails(75, &["another process is writing"]);
    place.run(&["collect", "cache"]).fails(75, &["another process is writing"]);
    let records = tree(&place.path("cache/records"));
    assert_eq!(records.len(), 4);
    // One record is cut off, and one belongs to another scene.
    fs::write(place.path("cache/records/mesh_0001.json"), "{").unwrap();
    let stale = fs::read_to_string(place.path("cache/records/mesh_0002.json")).unwrap();
    let mut stale: Value = serde_json::from_str(&stale).unwrap();
    stale["scene"] = json!("0");
    fs::write(place.path("cache/records/mesh_0002.json"), stale.to_string()).unwrap();
    let info: Value = serde_json::from_str(&place.run(&["info", "cache", "--json"]).succeeds().out).unwrap();
    let has_mesh = |frame: &&Value| frame["files"].get("mesh").is_some();
    let listed: Vec<_> =
        info["index"]["done"].as_array().unwrap().iter().filter(has_mesh).map(|f| &f["frame"]).collect();
    assert_eq!(listed, [3, 4]);
    drop(lock);
    place.run(&["mesh", "cache", "--resume"]).succeeds();
    assert!(!place.path("cache/records").exists(), "the last one takes all over");
}

/// A killed worker leaves nothing that matters, and `collect` removes what it left.
#[test]
fn killed_workers_are_tidied_up_after() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&["bake", "scene.json", "--cache", "whole"]).succeeds();
    place.run(&simulate("cache", "1-5")).succeeds();
    for kill in 0..12 {
        let mut child = spawn(&place, &["mesh", "cache", "--threads", "1"]);
        sleep(Duration::from_millis(5 + 4 * kill));
        let _ = child.kill();
        child.wait().unwrap();
    }
    for name in ["mesh/.dollop-1.tmp", "records/.dollop-2.tmp", "volume/.dollop-3.tmp"] {
        let path = place.path("cache").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "half").unwrap();
    }
    place.run(&["mesh", "cache", "--resume"]).succeeds();
    place.run(&["volume", "cache"]).succeeds();
    place.run(&["collect", "cache"]).succeeds();
    assert_same(&place, "whole", "cache", &["requested"]);
}

/// A bake whose folder is removed or replaced by another ends, and does not touch the new folder.
#[test]
fn a_folder_that_is_removed_ends_the_bake() {
    let place = Workplace::with_scene(&drop_of(4000));
    for is_replaced in [false, true] {
        let child = spawn(&place, &["bake", "scene.json", "--cache", "cache"]);
        let clock = Instant::now();
        while !place.path("cache/mesh/mesh_0001.ply").exists() {
            assert!(clock.elapsed() < Duration::from_mins(1));
            sleep(Duration::from_millis(5));
        }
        fs::rename(place.path("cache"), place.path("trash")).unwrap();
        if is_replaced {
            place.write("other.json", drop_scene().to_string());
            place.run(&["bake", "other.json", "--cache", "cache"]).succeeds();
        }
        ended(child).fails(3, &["was removed or replaced while it was written into", "help:"]);
        assert_eq!(place.path("cache").exists(), is_replaced);
        if is_replaced {
            place.run(&["collect", "cache"]).succeeds();
        }
        fs::remove_dir_all(place.path("trash")).unwrap();
    }
}

/// Nothing depends on the clock.
#[test]
fn a_moved_clock_changes_nothing() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&["bake", "scene.json", "--cache", "whole"]).succeeds();
    place.run(&["bake", "scene.json", "--cache", "cache", "--resume", "--frames", "1-2"]).succeeds();
    let moved = |days: u64, is_ahead: bool| {
        let (now, way) = (std::time::SystemTime::now(), Duration::from_secs(86400 * days));
        let then = if is_ahead { now + way } else { now - way };
        for name in tree(&place.path("cache")) {
            let file = fs::File::options().append(true).open(place.path("cache").join(name)).unwrap();
            file.set_modified(then).unwrap();
        }
    };
    moved(4000, true);
    place.run(&["bake", "scene.json", "--cache", "cache", "--resume", "--frames", "3-4"]).succeeds();
    moved(4000, false);
    place.run(&["bake", "scene.json", "--cache", "cache", "--resume"]).succeeds();
    assert_same(&place, "whole", "cache", &[]);
}

/// Runs the binary after some shell commands, with a disk of so many bytes mounted on `disk`.
#[cfg(target_os = "linux")]
fn on_small_disk(place: &Workplace, before: &str, arguments: &[&str], after: &str) -> Run {
    let script = format!(
        "set -e; mount -t tmpfs -o size=500k dollop disk; {before}; set +e; \"$@\"; code=$?; set -e; {after}; exit $code"
    );
    let mut command = std::process::Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", &script, "sh"]);
    command.arg(assert_cmd::cargo::cargo_bin!("dollop")).args(arguments).current_dir(place.path(""));
    Run::from(command.output().unwrap())
}

/// A full disk ends a bake with complete files, and once there is room the bake resumes to the same bits.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing() {
    let place = Workplace::with_scene(&drop_scene());
    fs::create_dir(place.path("disk")).unwrap();
    place.run(&["bake", "scene.json", "--cache", "whole"]).succeeds();
    let bake = ["bake", "scene.json", "--resume", "--cache", "disk/cache", "--checkpoint", "1"];
    on_small_disk(&place, ":", &bake, "cp -r disk/cache cut").fails(3, &["the disk is full", "make room"]);
    let run = place.run(&["info", "cut", "--json"]);
    let info: Value = serde_json::from_str(&run.succeeds().out).unwrap();
    assert_eq!(info["missing"], json!([]));
    let frames = info["index"]["done"].as_array().unwrap().len();
    assert!((1..5).contains(&frames), "{frames} frames: the disk is not of the size that it should be");
    assert!(!tree(&place.path("cut")).iter().any(|name| name.contains(".dollop-")));
    place.run(&["bake", "scene.json", "--resume", "--cache", "cut"]).succeeds();
    assert_same(&place, "whole", "cut", &[]);
}

/// A folder on a read-only disk is reported, and stays as it is.
#[test]
#[cfg(target_os = "linux")]
fn a_read_only_disk_is_reported() {
    let place = Workplace::with_scene(&drop_scene());
    fs::create_dir(place.path("disk")).unwrap();
    place.run(&["simulate", "scene.json", "--cache", "cache", "--frames", "1-2"]).succeeds();
    let before = "mkdir disk/cache; cp -r cache/. disk/cache; mount -o remount,ro disk";
    for arguments in [
        &["bake", "scene.json", "--resume", "--cache", "disk/cache"][..],
        &["simulate", "scene.json", "--cache", "disk/cache"],
        &["mesh", "disk/cache"],
        &["bake", "scene.json", "--cache", "disk/new"],
    ] {
        let run = on_small_disk(&place, before, arguments, "diff -r cache disk/cache; test ! -e disk/new");
        run.fails(3, &["the disk is read-only", "help:"]);
    }
}
