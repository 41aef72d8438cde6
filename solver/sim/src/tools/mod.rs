//! Regions that join or cut the sheets in them (Tonnesen 1992, section 7).
//!
//! A tool works on sheets as they lie at the start of a frame, or of a part of one, by all that its region [passes](Sweep) in that time. What that takes up
//! it does not cut in itself, nor from what it is about to take up or has just left, however slowly it moves: a blade that is drawn along its own
//! plane cuts a line, and one that goes sideways parts a band from the rest.

mod cut;
mod seam;
mod sweep;
#[cfg(test)]
mod tests;

use crate::boundary::Motion;
use crate::geometry::{Shell, Solid, bounds};
use crate::material::oriented::Sheet;
use crate::particles::Particles;
use crate::region::moving_solid;
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Scene, ToolAction};
use rayon::prelude::*;
use sweep::{Sweep, around};

/// A tool of a scene.
#[derive(Debug)]
pub struct Tool {
    solid: Solid,
    shell: Shell,
    motion: Motion,
    action: ToolAction,
}

/// All tools of a scene.
///
/// # Errors
/// When the mesh of one encloses nothing, or its scale changes unevenly.
pub fn tools(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<Tool>, SetupError> {
    let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) / scene.frames.rate;
    let tool = |(number, tool): (usize, &dollop_scene::Tool)| {
        let placed = (&tool.shape, &tool.transform, &*tool.motion);
        let (solid, motion) = moving_solid(("tools", "tool", number), placed, meshes, time_of)?;
        Ok(Tool { shell: solid.shell(), solid, motion, action: tool.action })
    };
    scene.tools.iter().enumerate().map(tool).collect()
}

impl Tool {
    /// Works on woven sheets over a part of a frame, by its first and last time and the frame's length, s, at a spacing, m.
    pub fn work(
        &self,
        particles: &mut Particles,
        sheets: &[Option<Sheet>],
        (time, interval): ((f64, f64), f64),
        spacing: f64,
    ) {
        let over = |times: &[f64]| Sweep::new((&self.solid, &self.shell), &self.motion, times, spacing);
        let sweep = over(&[time.0, time.1]);
        if !sweep.comes_into(bounds(particles.positions.iter().copied()).into()) {
            return;
        }
        let holds = |&place| sweep.holds(place);
        let held: Vec<bool> = particles.positions.par_iter().with_min_len(256).map(holds).collect();
        match self.action {
            ToolAction::Cut => {
                let around = over(&around(&self.solid, &self.motion, (time, interval), spacing));
                cut::cut(particles, [&sweep, &around], &held);
            }
            ToolAction::Join => seam::join(particles, sheets, &held, spacing),
        }
    }
}
