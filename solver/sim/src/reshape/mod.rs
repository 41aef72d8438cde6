//! Changes of woven sheets between two parts of a frame: tools work on them, they give way, tear and grow.
//!
//! A frame is one part, unless growing sheets are drawn out fast: a sheet that is to give way at a time would have torn
//! before. Then the frame is halved as often as needed. A frame with damped sheets has four parts of unequal lengths.
//! The matter at the start of a part chooses the part, so a frame depends on nothing before it.

use crate::lattice::nearest;
use crate::material::model;
use crate::material::oriented::{Sheet, births, damp, flow, is_damped, longest_part, tear};
use crate::particles::Particles;
use crate::region::{Displacement, displacements};
use crate::timeline::{Timeline, seconds};
use crate::tools::{Tool, tools};
use crate::{MeshLibrary, SetupError, SmoothingKernel};
use dollop_scene::Scene;
use glam::DVec3;

/// The most times that a frame is halved.
const MOST_HALVINGS: u8 = 6;

/// How often a frame is halved for its first part where a sheet is damped; each later part is the longest that may
/// begin at its start. With whole frames, waves with a whole number of swings a frame, or half as many, would be damped
/// at their turning points alone, and never die.
const DAMPED_HALVINGS: u8 = 3;

/// State of sheets outside the particle columns.
#[derive(Debug)]
pub struct Sheets {
    /// The sheets by body; empty where no body is a sheet.
    pub bodies: Vec<Option<Sheet>>,
    pub tools: Vec<Tool>,
    /// Particle spacing, m.
    pub spacing: f64,
    /// The range of the forces between particles, m.
    pub support: f64,
}

impl Sheets {
    /// The sheets of a scene, and the tools that work on them.
    ///
    /// # Errors
    /// When the region of a tool makes no sense.
    pub fn new(scene: &Scene, meshes: &MeshLibrary, kernel: &SmoothingKernel) -> Result<Self, SetupError> {
        let spacing = scene.particle_spacing;
        let bodies: Vec<_> = scene.bodies.iter().map(|body| model(&body.material).sheet(kernel, spacing)).collect();
        let bodies = if bodies.iter().any(Option::is_some) { bodies } else { Vec::new() };
        Ok(Self { bodies, tools: tools(scene, meshes)?, spacing, support: kernel.support() })
    }

    fn of(&self, body: u32) -> Option<&Sheet> {
        self.bodies.get(body as usize)?.as_ref()
    }

    /// Whether each body is a sheet that does not tear; empty where no body is a sheet.
    pub fn lasting(&self) -> Vec<bool> {
        self.bodies.iter().map(|sheet| sheet.is_some_and(|sheet| sheet.lasting)).collect()
    }

    /// Whether a body grows.
    pub fn grows(&self, body: u32) -> bool {
        self.of(body).is_some_and(Sheet::grows)
    }

    /// Whether a body is a woven sheet whose ties may change.
    pub fn changes(&self, body: u32) -> bool {
        self.of(body).is_some_and(|sheet| sheet.grows() || sheet.woven && !self.tools.is_empty())
    }

    /// Whether any body [changes](Self::changes).
    pub fn change(&self) -> bool {
        (0..self.bodies.len() as u32).any(|body| self.changes(body))
    }

    /// How often a frame of some seconds is halved for the part that begins at a tick.
    pub fn halvings(&self, particles: &Particles, interval: f64, tick: u32) -> u8 {
        let longest_part = longest_part(particles, &self.bodies, nearest(self.spacing));
        let damped = tick == 0 && is_damped(particles, &self.bodies);
        let least = Timeline::HALVES.longest_at(tick).max(if damped { DAMPED_HALVINGS } else { 0 });
        (least..MOST_HALVINGS)
            .find(|&halvings| seconds(Timeline::HALVES.ticks(halvings), interval) <= longest_part)
            .unwrap_or(MOST_HALVINGS.max(least))
    }

    /// Lets tools join at the start of a part, by its first and last time, s, of a frame of some seconds.
    pub fn join(&mut self, particles: &mut Particles, time: (f64, f64), interval: f64) {
        if particles.ties.is_empty() || !self.tools.iter().any(Tool::joins) {
            return;
        }
        let displacements: Vec<Displacement> = particles.positions.iter().map(|&place| [place; 2]).collect();
        for tool in self.tools.iter_mut().filter(|tool| tool.joins()) {
            tool.work(particles, &displacements, &self.bodies, time, interval, self.spacing);
        }
    }

    /// Lets sheets give way, tear and grow as a part of some seconds begins at a time, s.
    pub fn grow(&mut self, particles: &mut Particles, time: f64, seconds: f64) {
        if particles.ties.is_empty() {
            return;
        }
        flow(particles, &self.bodies, nearest(self.spacing), seconds);
        tear(particles, &self.bodies, self.spacing, self.support);
        births(particles, &self.bodies, self.spacing, time);
    }

    /// Damps the stretching of sheets over a part of some seconds. Held particles keep their velocities.
    pub fn damp(&self, particles: &mut Particles, holds: impl Fn(u32) -> bool + Sync, seconds: f64) {
        damp(particles, &self.bodies, holds, seconds);
    }

    /// Places of particles, by number, as a frame begins; empty if no tool cuts.
    pub fn places(&self, particles: &Particles) -> Vec<DVec3> {
        let asked = !particles.ties.is_empty() && !self.tools.iter().all(Tool::joins);
        if asked { particles.by_number(particles.positions.iter().copied()) } else { Vec::new() }
    }

    /// Advice on tools that have not worked, a sentence each; empty where there is no woven sheet.
    pub fn idle_tools(&self, particles: &Particles) -> Vec<String> {
        if particles.ties.is_empty() { Vec::new() } else { self.tools.iter().filter_map(Tool::idle).collect() }
    }

    /// Lets tools cut the sheets that they stand in before time begins, in frames of some seconds; afterwards only ties
    /// that their surfaces pass are cut.
    pub fn cut_at_start(&mut self, particles: &mut Particles, interval: f64) {
        if particles.ties.is_empty() {
            return;
        }
        let displacements: Vec<Displacement> = particles.positions.iter().map(|&place| [place; 2]).collect();
        for tool in self.tools.iter_mut().filter(|tool| !tool.joins() && tool.stands(interval, self.spacing)) {
            tool.work(particles, &displacements, &self.bodies, (0.0, 0.0), interval, self.spacing);
        }
    }

    /// Lets tools cut as a frame of some seconds ends that began at a time, s, given the [places](Self::places) then;
    /// later tools in the list join the cut sheets.
    pub fn cut(&mut self, particles: &mut Particles, from: &[DVec3], start: f64, interval: f64) {
        if from.is_empty() {
            return;
        }
        let displacements = displacements(particles, from);
        let time = (start, start + interval);
        for tool in self.tools.iter_mut().skip_while(|tool| tool.joins()) {
            tool.work(particles, &displacements, &self.bodies, time, interval, self.spacing);
        }
    }
}

#[cfg(test)]
mod tests;
