//! `dollop info`: the content of a cache folder.

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::heat;
use dollop_cache::{Attribute, Audit, FrameRecord, Index, OutputRecord, ReactionRecord, Status, audit, read_index};
use dollop_sim::wording::{bytes, counted, four_digits, six_digits};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `dollop info`.
#[derive(Debug, clap::Args)]
pub struct InfoArguments {
    /// Cache folder
    pub dir: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Prints the index of a cache and its missing files.
///
/// # Errors
/// When the folder is no cache or its index cannot be read.
pub fn info(InfoArguments { dir, json: as_json }: &InfoArguments) -> Result<ExitCode, Failure> {
    let index = read_index(dir)?;
    let audit = audit(dir, &index)?;
    if *as_json {
        console::line(&json!({"index": index, "missing": audit.missing, "stray": audit.stray}).to_string())?;
    } else {
        console::line(&lines(&index).join("\n"))?;
        console::warn(&warnings(&index, &audit));
    }
    Ok(ExitCode::Success)
}

fn lines(index: &Index) -> Vec<String> {
    let frames = &index.frames;
    let rate = six_digits(frames.rate);
    let mut lines = vec![
        format!("status     {} ({} of {})", index.status, index.done.len(), counted(frames.count, "frame")),
        format!("frames     {} of {} to {} at {rate} a second", frames.requested, frames.start, frames.end),
        format!("scene      {} (sha256 {})", index.scene.path, index.scene.sha256),
        format!("made by    dollop {}, cache format {}", index.dollop, index.version),
        format!("spacing    {} m", six_digits(index.particle_spacing)),
    ];
    lines.extend(index.error.iter().map(|error| format!("error      {error}")));
    let bodies = index.bodies.iter();
    lines.extend(
        bodies.map(|body| format!("body {:<5} {}, {}", body.source, body.name, counted(body.particles, "particle"))),
    );
    index.outputs.iter().for_each(|output| lines.extend(output_lines(index, output)));
    lines.extend(crate::stepping::of_bake(&index.done));
    lines.extend(heat::of_bake(&index.done));
    lines.extend(index.done.last().into_iter().flat_map(|frame| frame_lines(index, frame)));
    lines
}

fn frame_lines(index: &Index, frame: &FrameRecord) -> Vec<String> {
    // Matter on a grid has none.
    let near = (frame.neighbours > 0.0).then(|| format!(", {:.1} neighbours", frame.neighbours));
    let line = format!(
        "frame {:<4} {}, {}{}, at most {:.3} m/s",
        frame.frame,
        counted(frame.particles, "particle"),
        counted(frame.steps as usize, "step"),
        near.unwrap_or_default(),
        frame.max_speed
    );
    let pressed = frame.reactions.iter().map(|reaction| reaction_line(index, reaction));
    [line].into_iter().chain(crate::stepping::of_frame(frame)).chain(pressed).collect()
}

fn reaction_line(index: &Index, ReactionRecord { collider, force, .. }: &ReactionRecord) -> String {
    let name = index.colliders.get(*collider as usize).map_or("", String::as_str);
    let size = force.iter().map(|part| part * part).sum::<f64>().sqrt();
    let [x, y, z] = force.map(four_digits);
    format!("           \"{name}\" is pressed by {} N ({x}, {y}, {z})", four_digits(size))
}

fn output_lines(index: &Index, output: &OutputRecord) -> Vec<String> {
    let size = index.done.iter().filter_map(|frame| frame.files.get(&output.kind)).sum();
    let cell = output.cell_size.map(|size| format!(", cells of {} m", six_digits(size))).unwrap_or_default();
    let mut lines = vec![format!("{:<10} {}{cell}, {}", output.kind.name(), output.pattern, bytes(size))];
    lines.extend(output.settings.as_ref().and_then(settings_line));
    lines.extend(output.attributes.iter().map(attribute_line));
    lines
}

fn settings_line(settings: &Value) -> Option<String> {
    settings.is_object().then(|| format!("           made with {}", words(settings)))
}

fn words(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        Value::Array(items) => items.iter().map(words).collect::<Vec<_>>().join("+"),
        Value::Object(settings) => {
            let one = |(name, value): (&String, &Value)| match value {
                Value::Object(_) => format!("{name} ({})", words(value)),
                _ => format!("{name} {}", words(value)),
            };
            settings.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), six_digits),
        other => other.to_string(),
    }
}

fn attribute_line(attribute: &Attribute) -> String {
    let unit = if attribute.unit.is_empty() { "1" } else { attribute.unit.as_ref() };
    format!("           {:<13} {:<7} {}", attribute.name, unit, attribute.description)
}

fn warnings(index: &Index, audit: &Audit) -> Vec<String> {
    let mut warnings = Vec::new();
    if index.status == Status::Running {
        warnings.push("the bake still runs, or was stopped without a chance to say so".into());
    }
    warnings.extend(audit.missing.iter().map(|name| format!("{name} is missing or not whole")));
    warnings.extend(audit.stray.iter().map(|name| format!("{name} is not listed in the index")));
    warnings
}
