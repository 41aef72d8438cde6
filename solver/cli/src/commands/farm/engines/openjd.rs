//! Open Job Description: a template, and the values of its parameters beside it, in the bundle layout of AWS Deadline
//! Cloud.

use super::super::job::{Job, RENDER_SCRIPT};
use super::{Engine, WrittenFiles};
use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::shell::quoted;
use dollop_cache::{FARM_FOLDER, Stage};
use serde_json::{Value, json};

/// Open Job Description.
#[derive(Debug)]
pub struct Openjd;

impl Engine for Openjd {
    fn name(&self) -> &'static str {
        "openjd"
    }

    fn title(&self) -> &'static str {
        "Open Job Description"
    }

    fn description(&self) -> &'static str {
        "a template for AWS Deadline Cloud and others"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(&self, job: &Job) -> Result<WrittenFiles, Failure> {
        write(job)
    }
}

/// Maximum number of values of a task's parameter.
const MOST_VALUES: usize = 1024;
/// Seconds for a cancelled task to finish its writing and a checkpoint.
const NOTICE: u32 = 120;

/// The template; an error if it would exceed the size limit of templates.
fn write(job: &Job) -> Result<WrittenFiles, Failure> {
    let steps = steps(job);
    if job.wedges.len() > MOST_VALUES {
        let message = format!("a step of Open Job Description has at most {MOST_VALUES} values of a wedge");
        return Err(Failure::new(ExitCode::BadInput, message).with_help("write several jobs"));
    }
    let template = json!({
        "specificationVersion": "jobtemplate-2023-09",
        "extensions": ["TASK_CHUNKING"],
        "name": job.name,
        "parameterDefinitions": definitions(job),
        "steps": steps,
    });
    let values = json!({"parameterValues": [{"name": "Cache", "value": job.root}]});
    let main = "template.json";
    let submit = format!(
        "openjd run {} -p {}",
        quoted(&format!("{}/openjd/{main}", job.folder())),
        quoted(&format!("Cache={}", job.root))
    );
    let files = vec![(main, format!("{template:#}\n")), ("parameter_values.json", format!("{values:#}\n"))];
    Ok(WrittenFiles { files, main, submit })
}

fn definitions(job: &Job) -> Vec<Value> {
    let text = |name: &str, default: &str, what: &str| json!({"name": name, "type": "STRING", "default": default, "description": what});
    let mut all = vec![
        json!({
            "name": "Cache", "type": "PATH", "objectType": "DIRECTORY", "dataFlow": "NONE",
            "description": "Folder that the job was written into, which all machines see",
        }),
        text("Dollop", &job.dollop, "Command that starts Dollop"),
    ];
    if let Some(blend) = &job.render {
        all.push(text("Blender", &job.blender, "Command that starts Blender"));
        all.push(text("Blend", blend, "Blender file to render"));
    }
    all
}

/// One segment after another, each with its dependent steps, and the steps that end the work.
fn steps(job: &Job) -> Vec<Value> {
    let mut steps = Vec::new();
    let mut ends = Vec::new();
    for (number, frames) in (1..).zip(job.segments()) {
        let simulate = format!("Simulate-{number}");
        let before = (number > 1).then(|| format!("Simulate-{}", number - 1));
        steps.push(step(
            job,
            &simulate,
            &before.into_iter().collect::<Vec<_>>(),
            None,
            &simulate_arguments(job, frames),
        ));
        let mut made = Vec::new();
        for &stage in &job.stages {
            let name = format!("{}-{number}", title(stage));
            steps.push(step(job, &name, std::slice::from_ref(&simulate), Some(frames), &make_arguments(job, stage)));
            made.push(name);
        }
        // Rendering, or the end of the work, waits for these steps, or else for the simulation.
        if made.is_empty() {
            made.push(simulate);
        }
        if job.render.is_some() {
            let name = format!("Render-{number}");
            steps.push(step(job, &name, &made, Some(frames), &render_arguments(job)));
            made = vec![name];
        }
        ends.extend(made);
    }
    steps.push(step(job, "Collect", &ends, None, &["{{Param.Dollop}}".into(), "collect".into(), cache(job)]));
    steps
}

fn title(stage: Stage) -> &'static str {
    match stage {
        Stage::Simulate => "Simulate",
        Stage::Mesh => "Mesh",
        Stage::Volume => "Volume",
    }
}

/// A step with one task for each wedge and each chunk of the frames, if there are any.
fn step(job: &Job, name: &str, after: &[String], frames: Option<(i32, i32)>, words: &[String]) -> Value {
    let mut parameters = Vec::new();
    if !job.wedges.is_empty() {
        parameters.push(json!({"name": "Wedge", "type": "STRING", "range": job.wedges}));
    }
    if let Some((first, last)) = frames {
        parameters.push(json!({
            "name": "Frames", "type": "CHUNK[INT]", "range": format!("{first}-{last}"),
            "chunks": {"defaultTaskCount": job.size.chunk, "rangeConstraint": "CONTIGUOUS"},
        }));
    }
    let mut step = json!({
        "name": name,
        "script": {"actions": {"onRun": {
            "command": words[0],
            "args": words[1..],
            "cancelation": {"mode": "NOTIFY_THEN_TERMINATE", "notifyPeriodInSeconds": NOTICE},
        }}},
    });
    if !after.is_empty() {
        step["dependencies"] = after.iter().map(|name| json!({"dependsOn": name})).collect();
    }
    if !parameters.is_empty() {
        step["parameterSpace"] = json!({"taskParameterDefinitions": parameters});
    }
    step
}

fn cache(job: &Job) -> String {
    let wedge = if job.wedges.is_empty() { "" } else { "/{{Task.Param.Wedge}}" };
    format!("{{{{Param.Cache}}}}{wedge}")
}

fn common(job: &Job) -> Vec<String> {
    vec!["--threads".into(), job.threads.to_string(), "--progress".into(), "openjd".into()]
}

fn simulate_arguments(job: &Job, (first, last): (i32, i32)) -> Vec<String> {
    let scene = if job.wedges.is_empty() { "scene" } else { "{{Task.Param.Wedge}}" };
    let scene = format!("{{{{Param.Cache}}}}/{FARM_FOLDER}/scenes/{scene}.json");
    let frames = FrameList::all(first, last).to_string();
    let words =
        ["{{Param.Dollop}}", "simulate", &scene, "--cache", &cache(job), "--frames", &frames].map(str::to_owned);
    [&words[..], &common(job)].concat()
}

fn make_arguments(job: &Job, stage: Stage) -> Vec<String> {
    let words = ["{{Param.Dollop}}", stage.name(), &cache(job), "--resume", "--frames", "{{Task.Param.Frames}}"];
    [&words.map(str::to_owned)[..], &common(job)].concat()
}

fn render_arguments(job: &Job) -> Vec<String> {
    let script = format!("{{{{Param.Cache}}}}/{FARM_FOLDER}/{RENDER_SCRIPT}");
    let words = [
        "{{Param.Blender}}",
        "--background",
        "--python-exit-code",
        "1",
        "--python",
        &script,
        "--",
        "--blend",
        "{{Param.Blend}}",
        "--cache",
        &cache(job),
        // One word, or a negative frame would look like an option.
        "--frames={{Task.Param.Frames}}",
    ];
    words.map(str::to_owned).to_vec()
}
