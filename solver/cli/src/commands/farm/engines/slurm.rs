//! Slurm: one script runs any task, one queues it again, and one submits all.

use super::super::job::{Job, RENDER_SCRIPT};
use super::{Engine, WrittenFiles};
use crate::failure::Failure;
use crate::shell::quoted;
use std::fmt::Write;

const AGAIN: &str = include_str!("slurm/again.sh");
const TASK: &str = include_str!("slurm/task.sh");
const SUBMIT: &str = include_str!("slurm/submit.sh");

/// Slurm.
#[derive(Debug)]
pub struct Slurm;

impl Engine for Slurm {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn title(&self) -> &'static str {
        "Slurm"
    }

    fn description(&self) -> &'static str {
        "scripts for sbatch"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sh"]
    }

    fn write(&self, job: &Job) -> Result<WrittenFiles, Failure> {
        let main = "submit.sh";
        let files =
            vec![(main, settings(job, SUBMIT)), ("task.sh", settings(job, TASK)), ("again.sh", AGAIN.to_owned())];
        let submit = format!("bash {}", quoted(&format!("{}/slurm/{main}", job.folder())));
        Ok(WrittenFiles { files, main, submit })
    }
}

/// A script with the settings of a job in place of its marker line.
fn settings(job: &Job, script: &str) -> String {
    let mut text = String::new();
    let mut put = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}={value}");
    };
    put("name", &quoted(&job.name));
    put("root", &quoted(&job.root));
    put("dollop", &quoted(&job.dollop));
    put("blender", &quoted(&job.blender));
    put("blend", &quoted(job.render.as_deref().unwrap_or_default()));
    put("render_script", &quoted(&format!("{}/{RENDER_SCRIPT}", job.folder())));
    put("threads", &job.threads.to_string());
    put("chunk", &job.size.chunk.to_string());
    put("stages", &array(job.stages.iter().map(|stage| stage.name().to_owned())));
    put("caches", &array(job.caches().map(|cache| cache.folder)));
    put("scenes", &array(job.caches().map(|cache| cache.scene)));
    put("segments", &array(job.segments().into_iter().map(|(first, last)| format!("{first} {last}"))));
    script.replace("# SETTINGS\n", &text)
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("({})", items.map(|item| quoted(&item)).collect::<Vec<_>>().join(" "))
}
