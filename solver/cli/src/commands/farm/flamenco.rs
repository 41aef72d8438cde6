//! Flamenco: a job type, which its manager compiles, and a job of it.

use super::Written;
use super::job::{Job, RENDER_SCRIPT};
use crate::shell::quoted;
use serde_json::json;

/// The same for all jobs: it is put into the manager once.
const JOB_TYPE: &str = include_str!("flamenco/dollop.js");

/// This system as Flamenco calls it.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    }
}

/// The job type and the job.
pub fn write(job: &Job) -> Written {
    let stages: Vec<_> = job.stages.iter().map(|stage| stage.name()).collect();
    let about = json!({
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
    });
    let main = "flamenco/job.json";
    let submit =
        format!("curl --fail --json @{} http://MANAGER:8080/api/v3/jobs", quoted(&format!("{}/{main}", job.folder())));
    let files = vec![("flamenco/dollop.js".into(), JOB_TYPE.into()), (main.into(), format!("{about:#}\n"))];
    Written { files, main, submit }
}
