//! Interrupted bakes that are resumed: the same bits, and no leftover files.

#[cfg(unix)]
use crate::bakes::signal;
use crate::gallery::scene;
use crate::tools::{Workplace, assert_same, drop_scene, tree};
use serde_json::json;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

const BAKE: [&str; 4] = ["bake", "scene.json", "--cache", "cache"];

fn arguments<'a>(cache: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["bake", "scene.json", "--cache", cache], more].concat()
}

/// Matter of every kind, interrupted between frames, continues to the same bits: soft, smoothed with strength and heat,
/// thermal, sheets that tear, grow and are joined.
#[test]
fn an_interrupted_bake_resumes_to_the_same_bits() {
    for (example, coarser, frames) in [
        ("toffee", 2.0, 8),
        ("dough-on-a-sheet", 1.6, 6),
        ("lava-steps", 1.8, 4),
        ("wax-suzanne", 1.8, 4),
        ("pulled-apart", 1.6, 6),
        ("joined", 1.6, 6),
        ("mould", 1.8, 4),
        ("nine", 1.0, 30),
    ] {
        let mut scene = scene(example);
        let first = scene["frames"]["start"].as_i64().unwrap_or(1);
        let [half, last] = [frames / 2, frames - 1].map(|frame| first + frame);
        scene["frames"]["end"] = json!(last);
        scene["particle_spacing"] = json!(scene["particle_spacing"].as_f64().unwrap() * coarser);
        let place = Workplace::with_scene(&scene);
        place.run(&arguments("whole", &["--threads", "1"])).succeeds();
        place.run(&arguments("cut", &["--resume", "--frames", &format!("{first}..{half}")])).succeeds();
        let checkpoint = format!("checkpoints/checkpoint_{half:04}.state");
        assert!(tree(&place.path("cut")).contains(&checkpoint), "{example}");
        let run = place.run(&arguments("cut", &["--resume", "--progress", "json"]));
        let first = run.succeeds().events().into_iter().find(|event| event["event"] == "frame").unwrap();
        assert_eq!(first["frame"].as_i64(), Some(half + 1), "{example}");
        assert_same(&place, "whole", "cut", &[]);
    }
}

/// Kills a bake, or asks it to end.
fn end(child: &mut Child, kills: bool) {
    #[cfg(unix)]
    if !kills {
        signal(child, "TERM");
        let code = child.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 130)) || code.is_none(), "{code:?}");
        return;
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Bakes that are killed or asked to end at any of 50 moments, also within a frame, again and again, lead to the same
/// cache and leave no other files.
#[test]
fn killed_bakes_go_on() {
    let mut scene = drop_scene();
    scene["frames"]["end"] = json!(40);
    let place = Workplace::with_scene(&scene);
    place.run(&arguments("whole", &[])).succeeds();
    // A bake may end before it is to be killed: then another moment comes.
    let (mut kills, mut tries) = (0, 0);
    for number in 0.. {
        let cache = format!("cut{number}");
        let arguments = arguments(&cache, &["--resume", "--checkpoint", "3"]);
        while kills < 50 {
            let mut command = Command::new(env!("CARGO_BIN_EXE_dollop"));
            command.args(&arguments).current_dir(place.path("")).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            // Moments spread by the golden ratio: from before the first file to within a late frame.
            sleep(Duration::from_millis(20 + ((f64::from(tries) * 0.618_034).fract() * 400.0) as u64));
            tries += 1;
            if child.try_wait().unwrap().is_some() {
                break;
            }
            end(&mut child, kills % 2 == 0);
            kills += 1;
        }
        place.run(&arguments).succeeds();
        assert_same(&place, "whole", &cache, &[]);
        if kills == 50 {
            break;
        }
    }
}

/// A damaged checkpoint is reported and skipped in favour of an older one, or of the start.
#[test]
fn damaged_checkpoints_are_passed_over() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&arguments("whole", &[])).succeeds();
    for damaged in [1, 2] {
        let cache = format!("cut{damaged}");
        place.run(&arguments(&cache, &["--resume", "--frames", "1-4", "--checkpoint", "2"])).succeeds();
        let names: Vec<_> =
            tree(&place.path(&cache)).into_iter().filter(|name| name.starts_with("checkpoints")).collect();
        assert_eq!(names, ["checkpoints/checkpoint_0003.state", "checkpoints/checkpoint_0004.state"]);
        for name in names.iter().rev().take(damaged) {
            let path = place.path(&format!("{cache}/{name}"));
            let mut bytes = fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            fs::write(path, bytes).unwrap();
        }
        let run = place.run(&arguments(&cache, &["--resume"]));
        run.succeeds();
        assert_eq!(run.err.matches("this checkpoint is passed over: its checksum is wrong").count(), damaged);
        assert_same(&place, "whole", &cache, &[]);
    }
}

/// The estimate for bodies that have met takes long to find, and was reported when the bake began.
#[test]
fn a_resumed_bake_does_not_repeat_the_first_report() {
    let mut scene = drop_scene();
    let mut other = scene["bodies"][0].clone();
    (other["name"], other["material"]["rest_density"]) = (json!("other"), json!(10));
    other["transform"] = json!({"translation": [2, 0, 0.4]});
    scene["bodies"].as_array_mut().unwrap().push(other);
    let place = Workplace::with_scene(&scene);
    let steps = |cache: &str, more: &[&str]| {
        let run = place.run(&arguments(cache, &[&["--resume", "--progress", "json"], more].concat()));
        let start = run.succeeds().events().into_iter().find(|event| event["event"] == "start").unwrap();
        start["steps"].as_str().unwrap().to_owned()
    };
    let first = steps("cache", &["--frames", "1-3"]);
    assert!(first.contains("when \"drop\" meets \"other\""), "{first}");
    let on = steps("cache", &[]);
    assert!(on.contains("limited by") && !on.contains("meets"), "{on}");
    // A bake that must start anew reports everything.
    steps("anew", &["--frames", "1-3"]);
    place.write("anew/checkpoints/checkpoint_0003.state", "");
    assert_eq!(steps("anew", &[]), first);
}

#[test]
fn only_the_same_bake_resumes() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&arguments("cache", &["--resume"])).succeeds();
    let whole = tree(&place.path("cache"));
    let run = place.run(&arguments("cache", &["--resume", "--progress", "json"]));
    assert_eq!(run.succeeds().events().len(), 1, "all is there already");
    assert_eq!(tree(&place.path("cache")), whole);
    fs::remove_file(place.path("cache/mesh/mesh_0003.ply")).unwrap();
    place.run(&[&BAKE[..], &["--resume"]].concat()).succeeds();
    assert_eq!(tree(&place.path("cache")), whole);
    let mut other = drop_scene();
    other["gravity"] = json!([0, 0, -1]);
    place.write("scene.json", other.to_string());
    place.run(&arguments("cache", &["--resume"])).fails(4, &["another scene", "--overwrite"]);
    assert_eq!(tree(&place.path("cache")), whole);
    place.run(&arguments("cache", &["--resume", "--overwrite"])).fails(2, &["cannot be used with"]);
}
