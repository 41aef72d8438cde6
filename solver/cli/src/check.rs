//! `dollop check`: what a bake will take.

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::number::{bytes, grouped};
use crate::setup::{Setup, prepare};
use dollop_scene::Scene;
use dollop_sim::Estimate;
use serde_json::{Value, json};
use std::path::Path;

/// Validates a scene, fills it and prints the estimate.
///
/// # Errors
/// What is wrong with the scene.
pub fn check(scene: &Path, as_json: bool) -> Result<ExitCode, Failure> {
    let Setup { file, simulation, .. } = prepare(scene)?;
    let estimate = simulation.estimate();
    if as_json {
        console::line(&json(&file.scene, &estimate).to_string());
    } else {
        console::line(&lines(&file.scene, &estimate).join("\n"));
        console::warn(&estimate.warnings);
    }
    Ok(ExitCode::Success)
}

fn total(estimate: &Estimate) -> usize {
    estimate.particles.iter().sum()
}

fn lines(scene: &Scene, estimate: &Estimate) -> Vec<String> {
    let width = scene.bodies.iter().map(|body| body.name.chars().count()).chain([20]).max().unwrap_or_default();
    let row = |name: &str, value: String| format!("{name:width$}  {value}");
    let frames = &scene.frames;
    let count = i64::from(frames.end) - i64::from(frames.start) + 1;
    let mut lines =
        vec![row("frames", format!("{} to {} ({count} at {} a second)", frames.start, frames.end, frames.rate))];
    let bodies = scene.bodies.iter().zip(&estimate.particles);
    lines.extend(bodies.map(|(body, &particles)| row(&body.name, format!("{} particles", grouped(particles as u64)))));
    lines.extend([
        row("in all", format!("{} particles", grouped(total(estimate) as u64))),
        row("neighbours", format!("{:.1} a particle", estimate.neighbours)),
        row("memory", format!("about {}", bytes(estimate.memory as u64))),
        row("steps", format!("about {} a frame", grouped(estimate.steps_per_frame))),
    ]);
    lines
}

fn json(scene: &Scene, estimate: &Estimate) -> Value {
    let bodies: Vec<_> = scene
        .bodies
        .iter()
        .zip(&estimate.particles)
        .map(|(body, particles)| json!({"name": body.name, "particles": particles}))
        .collect();
    json!({
        "frames": {"start": scene.frames.start, "end": scene.frames.end, "rate": scene.frames.rate},
        "bodies": bodies,
        "particles": total(estimate),
        "neighbours": estimate.neighbours,
        "memory": estimate.memory,
        "steps_per_frame": estimate.steps_per_frame,
        "warnings": estimate.warnings,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_estimate_is_told_to_people_and_programs() {
        let scene: Scene = serde_json::from_value(json!({
            "version": 1, "frames": {"start": 1, "end": 24}, "particle_spacing": 0.1,
            "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}}, {"name": "b", "shape": {"type": "sphere", "radius": 1}}]
        }))
        .unwrap();
        let estimate = Estimate {
            particles: vec![1200, 34],
            neighbours: 32.45,
            memory: 1_500_000,
            steps_per_frame: 12,
            warnings: vec!["too coarse".into()],
        };
        let text = lines(&scene, &estimate).join("\n");
        for part in [
            "1 to 24 (24 at 24 a second)",
            "1 200 particles",
            "1 234 particles",
            "32.5 a particle",
            "1.5 MB",
            "12 a frame",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        let value = json(&scene, &estimate);
        assert_eq!(value["particles"], 1234);
        assert_eq!(value["bodies"][1], json!({"name": "b", "particles": 34}));
        assert_eq!(value["warnings"], json!(["too coarse"]));
    }
}
