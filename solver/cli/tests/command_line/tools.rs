//! Runs the binary in a temporary folder.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use walkdir::WalkDir;

/// A folder with a scene.
pub struct Workplace {
    folder: TempDir,
}

/// The result of a run.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Workplace {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A folder with `scene.json`.
    pub fn with_scene(scene: &Value) -> Self {
        let place = Self::new();
        place.write("scene.json", format!("{scene:#}"));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).unwrap();
    }

    /// The binary, to be run in the folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("dollop"));
        command.args(arguments).current_dir(self.folder.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().unwrap())
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Run {
    /// Checks the exit code, and that the error text holds all the words.
    #[track_caller]
    pub fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in {}", self.err);
        }
    }

    #[track_caller]
    pub fn succeeds(&self) -> &Self {
        assert_eq!(self.code, Some(0), "{}{}", self.out, self.err);
        self
    }

    /// The objects of a JSON report.
    pub fn events(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A small drop on the ground, five frames.
pub fn drop_scene() -> Value {
    json!({
        "version": 1,
        "frames": {"start": 1, "end": 5, "rate": 24},
        "particle_spacing": 0.1,
        "bodies": [{
            "name": "drop",
            "shape": {"type": "sphere", "radius": 0.3},
            "transform": {"translation": [0, 0, 0.4]},
            "temperature": 320,
            "material": {"type": "smoothed", "stiffness": 50}
        }],
        "colliders": [{"name": "ground", "shape": {"type": "plane"}}],
        "output": {"mesh": {}, "volume": {}, "particles": {}}
    })
}

/// A drop of one frame whose finest surface takes one thread tens of seconds.
pub fn fine_scene(output: Value) -> Value {
    let mut scene = drop_scene();
    scene["settle"] = json!(false);
    scene["frames"]["end"] = json!(1);
    scene["particle_spacing"] = json!(0.03);
    scene["bodies"][0]["shape"]["radius"] = json!(1.2);
    scene["bodies"][0]["transform"]["translation"] = json!([0, 0, 1.3]);
    scene["output"] = output;
    scene
}

/// Names of all files below a folder, with forward slashes, sorted.
pub fn tree(root: &Path) -> Vec<String> {
    let entries = WalkDir::new(root).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().is_file());
    files.map(|file| file.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned()).collect()
}

/// Two caches must be equal, but for durations and these fields of the frames in the index.
#[track_caller]
pub fn assert_same(place: &Workplace, a: &str, b: &str, but_for: &[&str]) {
    let names = tree(&place.path(a));
    assert_eq!(names, tree(&place.path(b)));
    for name in &names {
        let [a, b] = [a, b].map(|cache| fs::read(place.path(&format!("{cache}/{name}"))).unwrap());
        if name == "bake.json" {
            let [a, b] = [a, b].map(|text| untimed(serde_json::from_slice(&text).unwrap(), but_for));
            assert_eq!(a, b);
        } else {
            assert!(a == b, "{name}");
        }
    }
}

fn untimed(mut index: Value, but_for: &[&str]) -> Value {
    for frame in index["done"].as_array_mut().unwrap() {
        frame.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_seconds"));
    }
    index["frames"].as_object_mut().unwrap().retain(|key, _| !but_for.contains(&key.as_str()));
    index
}
