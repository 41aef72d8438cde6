//! Jobs for render farms: their files and the refusals. Other tests run the jobs in the engines.

use crate::tools::{Workplace, drop_scene, tree};
use serde_json::{Value, json};
use std::fs;

fn json_of(place: &Workplace, name: &str) -> Value {
    serde_json::from_slice(&fs::read(place.path(name)).unwrap()).unwrap()
}

fn farm<'a>(engine: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["farm", engine, "scene.json", "--cache", "cache"], more].concat()
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A scene with a mesh beside it and one elsewhere.
fn with_meshes() -> Workplace {
    let place = Workplace::new();
    let mut scene = drop_scene();
    scene["bodies"][0]["shape"] = json!({"type": "mesh", "path": "shapes/a.obj"});
    scene["colliders"] = json!([
        {"name": "a", "shape": {"type": "mesh", "path": "../else/b.obj"}, "transform": {"translation": [0, 0, -2]}},
        {"name": "b", "shape": {"type": "mesh", "path": place.path("else/b.obj")}, "transform": {"translation": [0, 0, -4]}}
    ]);
    for folder in ["project/shapes", "else"] {
        fs::create_dir_all(place.path(folder)).unwrap();
    }
    place.write("project/shapes/a.obj", CUBE);
    place.write("else/b.obj", CUBE);
    place.write("project/scene.json", scene.to_string());
    place
}

/// A job holds all data of its scenes, so nobody can change them under a farm.
#[test]
fn a_job_keeps_its_scenes() {
    let place = with_meshes();
    place.run(&["farm", "openjd", "project/scene.json", "--cache", "cache"]).succeeds();
    place.run(&["simulate", "project/scene.json", "--cache", "plain", "--frames", "1-2"]).succeeds();
    fs::remove_dir_all(place.path("project")).unwrap();
    fs::remove_dir_all(place.path("else")).unwrap();
    assert_eq!(
        tree(&place.path("cache/farm/scenes")),
        ["meshes/001-b.obj", "scene.json", "shapes/a.obj"],
        "one that two name is there once"
    );
    place.run(&["simulate", "cache/farm/scenes/scene.json", "--cache", "cache", "--frames", "1-2"]).succeeds();
    let file = |cache: &str| fs::read(place.path(&format!("{cache}/particles/particles_0002.ply"))).unwrap();
    assert!(file("plain") == file("cache"));
}

#[test]
fn wedges_are_scenes_of_their_own() {
    let place = Workplace::with_scene(&drop_scene());
    let wedges = ["--wedge", "bodies[drop].material.stiffness=50,80", "--wedge", "gravity=[0,0,-9],[0,0,-1]", "--json"];
    let run = place.run(&farm("slurm", &wedges));
    let told: Value = serde_json::from_str(&run.succeeds().out).unwrap();
    let names: Vec<_> =
        told["caches"].as_array().unwrap().iter().map(|cache| cache["name"].as_str().unwrap()).collect();
    assert_eq!(names[3], "stiffness=80_gravity=0_0_-1");
    for (cache, (stiffness, gravity)) in
        told["caches"].as_array().unwrap().iter().zip([(50, -9), (50, -1), (80, -9), (80, -1)])
    {
        let scene: Value = serde_json::from_slice(&fs::read(cache["scene"].as_str().unwrap()).unwrap()).unwrap();
        assert_eq!(scene["bodies"][0]["material"]["stiffness"], stiffness);
        assert_eq!(scene["gravity"][2], gravity);
        place.run(&["check", cache["scene"].as_str().unwrap()]).succeeds();
    }
    assert_eq!(told["frames"], json!([1, 5]));
    for (wedge, words) in [
        (
            "bodies[drop].material.stiffness=50,-1",
            &["with stiffness=-1", "bodies[0].material.stiffness", "must be from"][..],
        ),
        ("bodies[drop].material.stifness=50", &["did you mean `stiffness`"]),
        ("bodies[1].temperature=50", &["no place for bodies[1].temperature"]),
        ("frames.end=4,5", &["with end=4", "other frames"]),
        ("output.volume=null", &["other kinds of outputs"]),
        ("stiffness", &["write a setting and its values"]),
    ] {
        place.run(&farm("slurm", &["--overwrite", "--wedge", wedge])).fails(2, words);
    }
    assert_eq!(tree(&place.path("cache/farm/scenes")).len(), 4, "what is refused changes nothing");
}

#[test]
fn a_job_is_not_written_over_others_files() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&farm("slurm", &[])).succeeds();
    place.run(&farm("slurm", &[])).fails(4, &["holds a job for a farm already", "--overwrite"]);
    place.run(&farm("openjd", &["--overwrite", "--wedge", "particle_spacing=.1,.2"])).succeeds();
    assert_eq!(tree(&place.path("cache/farm/scenes")), ["particle_spacing=.1.json", "particle_spacing=.2.json"]);
    fs::create_dir_all(place.path("other/farm")).unwrap();
    place.write("other/farm/notes.txt", "mine");
    place.run(&["farm", "slurm", "scene.json", "--cache", "other"]).fails(4, &["not a Dollop cache", "farm"]);
    place.run(&["bake", "scene.json", "--cache", "other"]).fails(4, &["not a Dollop cache"]);
    place.run(&["farm", "slurm", "scene.json", "--cache", "scene.json"]).fails(3, &["is a file"]);
    place.run(&farm("slurm", &["--overwrite", "--render", "no.blend"])).fails(2, &["no.blend", "does not exist"]);
    place.run(&farm("slurm", &["--chunk", "0"])).fails(2, &["--chunk"]);
    place.run(&farm("deadline", &[])).fails(2, &["openjd"]);
    // An existing bake can be resumed.
    place.run(&["simulate", "scene.json", "--cache", "begun", "--frames", "1-2"]).succeeds();
    place.run(&["farm", "flamenco", "scene.json", "--cache", "begun"]).succeeds();
    place.run(&["simulate", "begun/farm/scenes/scene.json", "--cache", "begun"]).succeeds();
}

/// Segments form a chain, and all other steps depend on their segment alone.
#[test]
fn an_openjd_template_is_a_chain_of_segments() {
    let place = Workplace::with_scene(&drop_scene());
    place.write("a b.blend", "");
    place.run(&farm("openjd", &["--segment", "2", "--chunk", "3", "--render", "a b.blend"])).succeeds();
    let template = json_of(&place, "cache/farm/openjd/template.json");
    let steps: Vec<_> =
        template["steps"].as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(steps[..5], ["Simulate-1", "Mesh-1", "Volume-1", "Render-1", "Simulate-2"]);
    assert_eq!((steps.len(), steps[12]), (13, "Collect"));
    let after = |step: usize| {
        let after = template["steps"][step]["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        after.iter().map(|one| one["dependsOn"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let all: Vec<_> = [0, 1, 3, 4, 5, 12].into_iter().map(after).collect();
    assert_eq!(all, ["", "Simulate-1", "Mesh-1 Volume-1", "Simulate-1", "Simulate-2", "Render-1 Render-2 Render-3"]);
    place.run(&farm("openjd", &["--overwrite", "--segment", "1", "--wedge", "frames.rate=24,25"])).succeeds();
    let many = (0..1025).map(|n| format!("{}", 20.0 + f64::from(n) / 64.0)).collect::<Vec<_>>().join(",");
    let wedge = format!("frames.rate={many}");
    place.run(&farm("openjd", &["--overwrite", "--wedge", &wedge])).fails(2, &["at most 1024 values"]);
}

/// Characters with a meaning for a shell stay as they are.
#[test]
fn a_shell_takes_paths_as_they_are() {
    let place = Workplace::new();
    let odd = "a'b \"c\" $(touch x) `y` %j";
    fs::create_dir(place.path(odd)).unwrap();
    place.write(&format!("{odd}/scene.json"), drop_scene().to_string());
    let cache = format!("{odd}/cache");
    place.run(&["farm", "slurm", &format!("{odd}/scene.json"), "--cache", &cache, "--dollop", odd]).succeeds();
    let script =
        "eval \"$(sed -n '/^name=/,/^segments=/p' \"$1\")\"; printf '%s\\n' \"$root\" \"$dollop\" \"${segments[@]}\"";
    let job = place.path(&format!("{cache}/farm/slurm/task.sh"));
    let run = std::process::Command::new("bash")
        .args(["-c", script, "bash"])
        .arg(job)
        .current_dir(place.path(""))
        .output()
        .unwrap();
    let told = String::from_utf8(run.stdout).unwrap();
    let root = fs::canonicalize(place.path(&cache)).unwrap();
    assert_eq!(told, format!("{}\n{odd}\n1 5\n", root.display()), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(!place.path("x").exists());
}

/// A job that was cut off during writing is written again, and files of other engines are removed.
#[test]
fn a_job_is_written_again_over_half_of_one() {
    let place = Workplace::with_scene(&drop_scene());
    place.run(&farm("slurm", &["--wedge", "particle_spacing=.1,.2"])).succeeds();
    fs::write(place.path("cache/farm/job.json"), r#"{"format": "dollop-farm"}"#).unwrap();
    place.run(&farm("openjd", &["--overwrite"])).succeeds();
    assert!(!place.path("cache/farm/slurm").exists());
    assert_eq!(tree(&place.path("cache/farm/scenes")), ["scene.json"]);
    place.run(&["simulate", "scene.json", "--cache", "cache/particle_spacing=.1", "--frames", "1"]).succeeds();
    place.run(&["simulate", "cache/farm/scenes/scene.json", "--cache", "cache", "--frames", "1"]).succeeds();
    let mut other = drop_scene();
    other["gravity"] = json!([0, 0, -1]);
    place.write("scene.json", other.to_string());
    place.run(&farm("openjd", &["--overwrite"])).fails(4, &["holds a bake of another scene"]);
    let refused = ["--wedge", "gravity=[0,0,-.5]"];
    place.run(&farm("openjd", &refused)).fails(2, &["not valid JSON", "-0.5"]);
    let twice = ["--wedge", "bodies[0].temperature=300", "--wedge", "bodies[drop].temperature=400"];
    place
        .run(&["farm", "openjd", "scene.json", "--cache", "new", twice[0], twice[1], twice[2], twice[3]])
        .fails(2, &["there twice"]);
    assert!(!place.path("new").exists(), "nothing is written then");
}
