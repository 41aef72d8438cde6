//! Flamenco: a job type, which its manager compiles, and a job of that type.

use super::super::job::{Job, RENDER_SCRIPT};
use super::{Engine, WrittenFiles};
use crate::failure::Failure;
use crate::shell::quoted;
use serde_json::{Value, json};

/// The same for all jobs: it is installed in the manager once.
const JOB_TYPE: &str = include_str!("flamenco/dollop.js");

/// Flamenco's name of this system.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    }
}

/// Flamenco.
#[derive(Debug)]
pub struct Flamenco;

impl Engine for Flamenco {
    fn name(&self) -> &'static str {
        "flamenco"
    }

    fn title(&self) -> &'static str {
        "Flamenco"
    }

    fn description(&self) -> &'static str {
        "a job type, and a job of it"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json", "js"]
    }

    /// A variable that each Flamenco installation has.
    fn blender(&self) -> &'static str {
        "{blender}"
    }

    fn write(&self, job: &Job) -> Result<WrittenFiles, Failure> {
        let main = "job.json";
        let file = quoted(&format!("{}/flamenco/{main}", job.folder()));
        let submit = format!("curl --fail --json @{file} http://MANAGER:8080/api/v3/jobs");
        let files = vec![("dollop.js", JOB_TYPE.to_owned()), (main, format!("{:#}\n", about(job)))];
        Ok(WrittenFiles { files, main, submit })
    }
}

/// The job.
fn about(job: &Job) -> Value {
    let stages: Vec<_> = job.stages.iter().map(|stage| stage.name()).collect();
    json!({
        "name": job.name,
        "type": "dollop",
        "priority": 50,
        "submitter_platform": platform(),
        "settings": {
            "dollop": job.dollop,
            "cache": job.root,
            "wedges": job.wedges.join(","),
            "first_frame": job.frames.0,
            "last_frame": job.frames.1,
            "segment": job.size.segment,
            "chunk": job.size.chunk,
            "stages": stages.join(","),
            "threads": job.threads,
            "blender": job.blender,
            "blend": job.render.clone().unwrap_or_default(),
            "render_script": format!("{}/{RENDER_SCRIPT}", job.folder()),
        },
        "metadata": {"project": job.name},
    })
}
