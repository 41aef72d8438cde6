//! The content of a job, independent of the engine.

use dollop_cache::{FARM_FOLDER, Stage};
use serde_json::{Value, json};

/// Name of the script that renders, in the job's folder.
pub const RENDER_SCRIPT: &str = "render.py";

/// Frames per task.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Frames of a simulation task; 0 for all.
    pub segment: u32,
    /// Frames of any other task.
    pub chunk: u32,
}

/// A job.
#[derive(Debug)]
pub struct Job {
    /// Its name: letters, digits, `-`, `_`, `.`, `=`.
    pub name: String,
    /// Command of Dollop.
    pub dollop: String,
    /// Command of Blender.
    pub blender: String,
    /// Blender file to render.
    pub render: Option<String>,
    /// Threads of a task; 0 for all that the farm gives it.
    pub threads: u16,
    /// Frames per task.
    pub size: Size,
    /// First and last frame.
    pub frames: (i32, i32),
    /// The outputs made from the simulated frames.
    pub stages: Vec<Stage>,
    /// Names of the wedges, and of the folders of their caches; empty if the folder is itself the cache.
    pub wedges: Vec<String>,
    /// The folder that the user named.
    pub root: String,
}

/// A cache that a job fills.
#[derive(Debug)]
pub struct JobCache<'a> {
    /// Name of its wedge; empty if the job has none.
    pub name: &'a str,
    /// Its folder.
    pub folder: String,
    /// Its scene file.
    pub scene: String,
}

impl Job {
    /// First and last frames of pieces of so many frames, 0 for one piece.
    fn pieces((first, last): (i32, i32), size: u32) -> Vec<(i32, i32)> {
        let step = if size == 0 { i64::MAX } else { i64::from(size) };
        let (first, last) = (i64::from(first), i64::from(last));
        // Frames of a scene are 32-bit numbers, and so are all numbers between them.
        let narrow = |frame: i64| frame as i32;
        let start = (first..=last).step_by(step as usize);
        start.map(|start| (narrow(start), narrow((start.saturating_add(step - 1)).min(last)))).collect()
    }

    /// First and last frames of the segments, in order.
    pub fn segments(&self) -> Vec<(i32, i32)> {
        Self::pieces(self.frames, self.size.segment)
    }

    /// The folder of the job.
    pub fn folder(&self) -> String {
        format!("{}/{FARM_FOLDER}", self.root)
    }

    /// All caches.
    pub fn caches(&self) -> impl Iterator<Item = JobCache<'_>> {
        let one = JobCache { name: "", folder: self.root.clone(), scene: self.scene("scene") };
        let wedges = self.wedges.iter().map(|name| JobCache {
            name,
            folder: format!("{}/{name}", self.root),
            scene: self.scene(name),
        });
        self.wedges.is_empty().then_some(one).into_iter().chain(wedges)
    }

    /// The scene of a cache.
    fn scene(&self, name: &str) -> String {
        format!("{}/{FARM_FOLDER}/scenes/{name}.json", self.root)
    }

    /// For people who read the job later.
    pub fn about(&self) -> Value {
        json!({
            "name": self.name,
            "frames": [self.frames.0, self.frames.1],
            "segments": self.segments(),
            "chunk": self.size.chunk,
            "stages": self.stages.iter().map(|stage| stage.name()).collect::<Vec<_>>(),
            "wedges": self.wedges,
            "render": self.render,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_all_frames_once() {
        assert_eq!(Job::pieces((-2, 7), 4), [(-2, 1), (2, 5), (6, 7)]);
        assert_eq!(Job::pieces((1, 7), 0), [(1, 7)]);
        assert_eq!(Job::pieces((5, 5), 3), [(5, 5)]);
        assert_eq!(Job::pieces((i32::MIN, i32::MAX), i32::MAX as u32).len(), 3);
    }
}
