//! Individual steps in the log and the index.

use crate::tools::{Workplace, drop_scene};
use serde_json::{Value, json};
use std::fs;

/// A drop and a pebble a hundred times as stiff, that falls beside it.
fn two_stiffnesses() -> Value {
    let mut scene = drop_scene();
    scene["output"] = json!({"particles": {}});
    scene["bodies"].as_array_mut().unwrap().push(json!({
        "name": "pebble",
        "shape": {"type": "sphere", "radius": 0.15},
        "transform": {"translation": [0.8, 0, 0.4]},
        "temperature": 320,
        "material": {"type": "smoothed", "stiffness": 5000}
    }));
    scene
}

fn baked() -> (Workplace, Vec<Value>) {
    let place = Workplace::with_scene(&two_stiffnesses());
    let run = place.run(&["bake", "scene.json", "--cache", "cache", "--progress", "json"]);
    let events = run.succeeds().events();
    (place, events.into_iter().filter(|event| event["event"] == "frame").collect())
}

/// Checks the bins of a frame at 24 frames/s, and returns the number of particles in them.
fn in_bins(bins: &Value) -> f64 {
    let held = bins.as_array().unwrap().iter().map(|bin| {
        let (step, power) = (bin["step"].as_f64().unwrap(), bin["bin"].as_i64().unwrap());
        assert!((step * 24.0 * 2_f64.powi(power as i32) - 1.0).abs() < 1e-12, "{bin}");
        bin["particles"].as_f64().unwrap()
    });
    held.inspect(|particles| assert!(*particles > 0.0)).sum()
}

#[test]
fn events_and_index_agree_on_steps() {
    let (place, events) = baked();
    let index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    assert_eq!(index["version"], json!({"major": 1, "minor": 10}));
    let frames = index["done"].as_array().unwrap();
    assert_eq!((frames.len(), events.len()), (5, 5));
    assert_eq!((&frames[0]["force_evaluations"], &frames[0]["bins"]), (&json!(0), &json!([])));
    for (frame, event) in frames.iter().zip(&events) {
        for name in ["force_evaluations", "global_force_evaluations", "bins", "energy_drift", "momentum_drift"] {
            assert!(!frame[name].is_null() && frame[name] == event[name], "{name}: {} {}", frame[name], event[name]);
        }
    }
    for frame in &frames[1..] {
        let number = |name: &str| frame[name].as_f64().unwrap();
        assert!((in_bins(&frame["bins"]) - number("particles")).abs() < 1e-9 * number("particles"), "{frame}");
        assert!(number("force_evaluations") >= 2.0 * number("particles"), "one at the start, one at the end at least");
        // Sound is ten times as slow in seven of eight particles, so they take steps eight times as long.
        assert!(number("global_force_evaluations") > 3.0 * number("force_evaluations"), "{frame}");
        assert!(number("momentum") > 0.0 && number("momentum_drift") >= 0.0);
        let energy = number("kinetic_energy") + number("elastic_energy");
        // The pebble has 14 particles.
        assert!(number("energy_drift") != 0.0 && number("energy_drift").abs() < 3e-3 * energy, "{frame}");
    }
}

#[test]
fn info_reports_savings_of_individual_steps_and_drifts() {
    let (place, _) = baked();
    let text = place.run(&["info", "cache"]).succeeds().out.clone();
    let line =
        |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
    let forces = line("forces ");
    let times = forces.split(", ").find_map(|part| part.strip_suffix(" times as many")).unwrap();
    let ratio: f64 = times.parse().unwrap();
    assert!(forces.contains("in 4 frames") && ratio > 3.0, "{forces}");
    let drift = line("drift ");
    assert!(drift.contains("energy ") && drift.contains(" J (") && drift.contains(" kg m/s ("), "{drift}");
    assert!(drift.matches(" % of the most there was").count() == 2, "{drift}");
    let steps = line("steps ");
    assert!(steps.matches(" at ").count() > 1 && steps.ends_with('s'), "{steps}");
    let told: Value = serde_json::from_str(&place.run(&["info", "cache", "--json"]).succeeds().out).unwrap();
    assert!(told["index"]["done"][4]["bins"].as_array().unwrap().len() > 1, "{told}");
}

#[test]
fn info_omits_data_that_an_older_cache_lacks() {
    let (place, _) = baked();
    let file = place.path("cache/bake.json");
    let mut index: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for record in index["done"].as_array_mut().unwrap() {
        let record = record.as_object_mut().unwrap();
        for name in
            ["force_evaluations", "global_force_evaluations", "bins", "energy_drift", "momentum", "momentum_drift"]
        {
            record.remove(name).unwrap();
        }
    }
    fs::write(&file, index.to_string()).unwrap();
    let text = place.run(&["info", "cache"]).succeeds().out.clone();
    assert!(text.contains("frame 5"), "{text}");
    for name in ["forces", "drift", "steps  "] {
        assert!(!text.lines().any(|line| line.starts_with(name)), "{text}");
    }
}

#[test]
fn a_line_of_progress_reports_savings() {
    let place = Workplace::with_scene(&two_stiffnesses());
    let run = place.run(&["bake", "scene.json", "--cache", "cache"]);
    let lines: Vec<_> = run.succeeds().err.lines().filter(|line| line.contains(" steps")).collect();
    assert_eq!(lines.len(), 5, "{}", run.err);
    assert!(!lines[0].contains("fewer"), "nothing was stepped yet: {}", lines[0]);
    for line in &lines[1..] {
        assert!(line.contains(" times fewer evaluations than one step for all"), "{line}");
    }
}
