//! Regions that join or cut the sheets in them (Tonnesen 1992, section 7).
//!
//! A tool that joins works at the start of a frame, or of a part of one, before sheets to be joined push each other
//! away, on all matter that its region is about to pass. A tool that cuts works at the end, by all matter that its
//! region has [passed](Sweep), whether region or sheets moved. It cuts the passed matter neither in itself nor from
//! matter that the region is about to take up or has just left, however slowly it moves: a blade that moves along its
//! own plane cuts a line, and one that moves sideways parts a band from the rest.

mod cut;
mod seam;
#[cfg(test)]
mod tests;

use crate::bounds::Bounds;
use crate::material::oriented::Sheet;
use crate::particles::Particles;
use crate::region::{Displacement, MovingRegion, Sweep, longest, moving_solid, time_of};
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Scene, ToolAction};
use rayon::prelude::*;

/// A tool of a scene.
#[derive(Debug)]
pub struct Tool {
    name: String,
    region: MovingRegion,
    action: ToolAction,
    /// Whether it has cut or joined anything.
    has_worked: bool,
}

/// All tools of a scene.
///
/// # Errors
/// When the mesh of one encloses nothing, or its scale changes unevenly.
pub fn tools(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<Tool>, SetupError> {
    let time_of = time_of(scene);
    let tool = |(number, tool): (usize, &dollop_scene::Tool)| {
        let moving = moving_solid("tools", "tool", number, tool, meshes, time_of)?;
        Ok(Tool { name: tool.name.clone(), region: MovingRegion::new(moving), action: tool.action, has_worked: false })
    };
    scene.tools.iter().enumerate().map(tool).collect()
}

impl Tool {
    /// Whether it joins.
    pub fn joins(&self) -> bool {
        self.action == ToolAction::Join
    }

    /// Whether it has cut or joined anything.
    pub fn has_worked(&self) -> bool {
        self.has_worked
    }

    /// Sets whether it has, for a bake that continues.
    pub fn set_worked(&mut self, has_worked: bool) {
        self.has_worked = has_worked;
    }

    /// Advice for a tool that has not worked, in a sentence.
    pub fn idle(&self) -> Option<String> {
        let (done, met) = match self.action {
            ToolAction::Cut => ("cut", "what its region held or passed was bound to nothing outside"),
            ToolAction::Join => (
                "joined",
                "no edges lay side by side in its region, with faces to the same side and no more than about half a particle_spacing between their meshes",
            ),
        };
        let name = &self.name;
        (!self.has_worked)
            .then(|| format!("tool \"{name}\" has {done} nothing: {met}; check its place, its motion and its frames"))
    }

    /// Whether its region stands for some seconds from the start, at a spacing, m.
    pub fn stands(&self, seconds: f64, spacing: f64) -> bool {
        self.region.stands((0.0, seconds), spacing)
    }

    /// Works on woven sheets over a part of a frame, by its first and last time and the frame's length, s, given the
    /// [displacements](Displacement) of particles in it and at a spacing, m.
    pub fn work(
        &mut self,
        particles: &mut Particles,
        displacements: &[Displacement],
        sheets: &[Option<Sheet>],
        time: (f64, f64),
        interval: f64,
        spacing: f64,
    ) {
        let sweep = Sweep::new(&self.region, time, interval, spacing, longest(displacements));
        if !sweep.comes_into(&Bounds::of(displacements.iter().copied().flatten())) {
            return;
        }
        let held: Vec<bool> = displacements.par_iter().with_min_len(256).map(|&one| sweep.holds(one)).collect();
        // Counts only until the tool has worked once.
        let before = (!self.has_worked).then(|| bound(particles));
        match self.action {
            ToolAction::Cut => cut::cut(particles, &sweep, displacements, &held),
            ToolAction::Join => seam::join(particles, sheets, &held, spacing),
        }
        self.has_worked |= before.is_some_and(|before| bound(particles) != before);
    }
}

/// The number of ends of all ties.
fn bound(particles: &Particles) -> usize {
    particles.ties.par_iter().with_min_len(1024).map(|ties| ties.iter().count()).sum()
}
