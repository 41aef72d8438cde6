//! `dollop check`: the resources that a bake will need.

use crate::console;
use crate::failure::{ExitCode, Failure};
use crate::setup::Plan;
use crate::steps;
use dollop_scene::{Body, Scene};
use dollop_sim::wording::{bytes, counted, grouped, six_digits};
use dollop_sim::{Estimate, model};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `dollop check`.
#[derive(Debug, clap::Args)]
pub struct CheckArguments {
    /// Scene file (JSON); - reads standard input
    pub scene: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Validates a scene, fills it unless it is large, and prints the estimate of a bake.
///
/// # Errors
/// The first fault of the scene.
pub fn check(CheckArguments { scene, json: as_json }: &CheckArguments) -> Result<ExitCode, Failure> {
    let plan = Plan::read(scene)?;
    let (estimate, basis) = match plan.foreseen.clone() {
        Some(estimate) => (estimate, Basis::Volume),
        None => (plan.fill()?.estimate(), Basis::Filled),
    };
    let estimate = plan.with_meeting(plan.completed(estimate)?);
    let scene = &plan.file.scene;
    if *as_json {
        console::line(&json(scene, &estimate, basis).to_string())?;
    } else {
        console::line(&lines(scene, &estimate, basis).join("\n"))?;
        console::warn(&estimate.warnings);
    }
    Ok(ExitCode::Success)
}

/// The basis of an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Basis {
    /// The bodies, filled with particles.
    Filled,
    /// The volume of the bodies alone.
    Volume,
}

fn total(estimate: &Estimate) -> usize {
    estimate.particles.iter().sum()
}

/// Maximum letters of a name to which the others are aligned.
const WIDEST: usize = 60;

fn lines(scene: &Scene, estimate: &Estimate, basis: Basis) -> Vec<String> {
    let width = scene.bodies.iter().map(|body| body.name.chars().count()).fold(20, usize::max).min(WIDEST);
    let row = |name: &str, value: String| format!("{name:width$}  {value}");
    let frames = &scene.frames;
    let rate = six_digits(frames.rate);
    let count = i64::from(frames.end) - i64::from(frames.start) + 1;
    let mut lines = vec![row("frames", format!("{} to {} ({count} at {rate} a second)", frames.start, frames.end))];
    let bodies = scene.bodies.iter().zip(&estimate.particles);
    let about = if basis == Basis::Volume { "about " } else { "" };
    let particles = |count: usize| format!("{about}{}", counted(count, "particle"));
    let grown = |body: &Body, count: usize| match most(body, count) {
        most if most > count => format!("; at most {} when it has grown", grouped(most as u64)),
        _ => String::new(),
    };
    lines.extend(bodies.map(|(body, &count)| row(&body.name, particles(count) + &grown(body, count))));
    lines.push(row("in all", particles(total(estimate))));
    // Matter on a grid has none.
    if estimate.neighbours > 0.0 {
        lines.push(row("neighbours", format!("{:.1} a particle", estimate.neighbours)));
    }
    lines.extend([row("memory", memory(scene, estimate)), row("steps", steps::sentence(scene, estimate))]);
    if basis == Basis::Volume {
        lines.push("Estimated from the volume of the bodies, which are too large to be filled for this.".into());
    }
    lines
}

/// The largest number of particles that a body may reach.
fn most(body: &Body, count: usize) -> usize {
    model(&body.material).most_particles(count)
}

fn memory(scene: &Scene, estimate: &Estimate) -> String {
    let at_start = format!("about {}", bytes(estimate.memory as u64));
    let most: usize = scene.bodies.iter().zip(&estimate.particles).map(|(body, &count)| most(body, count)).sum();
    if most <= total(estimate) {
        return at_start;
    }
    let grown = estimate.memory as f64 * most as f64 / total(estimate).max(1) as f64;
    format!("{at_start}, at most {} when all has grown", bytes(grown as u64))
}

fn json(scene: &Scene, estimate: &Estimate, basis: Basis) -> Value {
    let bodies: Vec<_> = scene
        .bodies
        .iter()
        .zip(&estimate.particles)
        .map(|(body, &particles)| json!({"name": body.name, "particles": particles, "most": most(body, particles)}))
        .collect();
    let (limit, met) = steps::json(scene, estimate);
    json!({
        "frames": {"start": scene.frames.start, "end": scene.frames.end, "rate": scene.frames.rate},
        "bodies": bodies,
        "particles": total(estimate),
        "estimated": basis == Basis::Volume,
        "neighbours": estimate.neighbours,
        "memory": estimate.memory,
        "steps_per_frame": estimate.steps_per_frame,
        "steps_limit": limit,
        "steps_met": met,
        "warnings": estimate.warnings,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dollop_sim::{Cause, Limit, Meeting};

    #[test]
    fn an_estimate_is_printed_for_people_and_programs() {
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
            limit: Some(Limit { body: 1, other: None, cause: Cause::Viscosity }),
            meeting: Some(Meeting { bodies: [0, 1], steps_per_frame: Some(48) }),
            warnings: vec!["too coarse".into()],
        };
        let text = lines(&scene, &estimate, Basis::Filled).join("\n");
        for part in [
            "1 to 24 (24 at 24 a second)",
            "1 200 particles",
            "1 234 particles",
            "32.5 a particle",
            "1.5 MB",
            "12 a frame where they are shortest, limited by the viscosity of \"b\"; about 48 when \"a\" meets \"b\"",
        ] {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
        let value = json(&scene, &estimate, Basis::Filled);
        assert_eq!(value["particles"], 1234);
        assert_eq!(value["steps_limit"], json!({"body": "b", "touches": null, "cause": "viscosity"}));
        assert_eq!(value["steps_met"], json!({"bodies": ["a", "b"], "steps_per_frame": 48}));
        assert_eq!(value["bodies"][1], json!({"name": "b", "particles": 34, "most": 34}));
        assert_eq!((&value["warnings"], &value["estimated"]), (&json!(["too coarse"]), &json!(false)));
        let endless = Estimate { meeting: Some(Meeting { bodies: [0, 1], steps_per_frame: None }), ..estimate.clone() };
        let text = lines(&scene, &endless, Basis::Filled).join("\n");
        assert!(text.contains("; no step is short enough when \"a\" meets \"b\""), "{text}");
        let value = json(&scene, &endless, Basis::Filled);
        assert_eq!(value["steps_met"], json!({"bodies": ["a", "b"], "steps_per_frame": null}));
        let text = lines(&scene, &estimate, Basis::Volume).join("\n");
        assert!(text.contains("about 1 234 particles") && text.contains("Estimated from the volume"), "{text}");
        let on_grid = Estimate { neighbours: 0.0, ..estimate };
        let text = lines(&scene, &on_grid, Basis::Filled).join("\n");
        assert!(!text.contains("neighbours") && text.contains("1.5 MB"), "{text}");
    }

    #[test]
    fn a_body_may_have_a_long_name() {
        let scene: Scene = serde_json::from_value(json!({
            "version": 1, "frames": {"start": 1, "end": 2}, "particle_spacing": 0.1,
            "bodies": [{"name": "x".repeat(70_000), "shape": {"type": "sphere", "radius": 1}}]
        }))
        .unwrap();
        let (limit, meeting) = (None, None);
        let estimate = Estimate {
            particles: vec![1],
            neighbours: 20.0,
            memory: 1,
            steps_per_frame: 9,
            limit,
            meeting,
            warnings: vec![],
        };
        assert!(lines(&scene, &estimate, Basis::Filled).join("\n").contains("1 particle"));
    }

    #[test]
    fn an_estimate_includes_growth() {
        let scene = |structure: &str| -> Scene {
            let material = json!({"type": "oriented", "growth": 8, "structure": structure});
            serde_json::from_value(json!({
                "version": 1, "frames": {"start": 1, "end": 24}, "particle_spacing": 0.1,
                "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 1}, "material": material}]
            }))
            .unwrap()
        };
        let (woven, free) = (scene("woven"), scene("free"));
        let estimate = Estimate {
            particles: vec![1200],
            neighbours: 20.0,
            memory: 1_000_000,
            steps_per_frame: 9,
            limit: None,
            meeting: None,
            warnings: vec![],
        };
        let text = lines(&woven, &estimate, Basis::Filled).join("\n");
        assert!(text.contains("1 200 particles; at most 9 600 when it has grown"), "{text}");
        assert!(text.contains("1.0 MB, at most 8.0 MB when all has grown"), "{text}");
        assert_eq!(json(&woven, &estimate, Basis::Filled)["bodies"][0]["most"], 9600);
        // Matter that does not remember its neighbours does not grow.
        assert_eq!(json(&free, &estimate, Basis::Filled)["bodies"][0]["most"], 1200);
    }
}
