//! Tools join sheets as a part of a frame begins, and cut them as the frame ends.

use super::{Kept, Removal, Stage, World};
use crate::particles::Particles;
use crate::region::{Displacement, displacements};
use crate::reshape::Sheets;
use crate::tools::{Tool, tools};
use crate::{MeshLibrary, SetupError};
use dollop_scene::Scene;
use glam::DVec3;

/// All tools of a scene.
#[derive(Debug)]
pub struct Tools {
    all: Vec<Tool>,
    /// Positions of the particles at the frame's start, by number; empty if no tool needs them.
    places: Vec<DVec3>,
}

impl Tools {
    /// The tools of a scene.
    ///
    /// # Errors
    /// When the region of one makes no sense.
    pub fn new(scene: &Scene, meshes: &MeshLibrary) -> Result<Self, SetupError> {
        Ok(Self { all: tools(scene, meshes)?, places: Vec::new() })
    }

    /// Lets chosen tools work on matter that stands, over some time, s.
    fn work(&mut self, world: &mut World, time: (f64, f64), chosen: impl Fn(&Tool, &Sheets) -> bool) {
        let World { particles, sheets, interval, .. } = world;
        if particles.ties.is_empty() || !self.all.iter().any(|tool| chosen(tool, sheets)) {
            return;
        }
        let displacements: Vec<Displacement> = particles.positions.iter().map(|&place| [place; 2]).collect();
        for tool in self.all.iter_mut().filter(|tool| chosen(tool, sheets)) {
            tool.work(particles, &displacements, &sheets.bodies, time, *interval, sheets.spacing);
        }
    }
}

impl Stage for Tools {
    /// Cuts the sheets in which tools stand before time begins; afterwards only ties that their surfaces pass are cut.
    fn fill(&mut self, world: &mut World) {
        let interval = world.interval;
        self.work(world, (0.0, 0.0), |tool, sheets| !tool.joins() && tool.stands(interval, sheets.spacing));
    }

    fn begin_frame(&mut self, world: &mut World) {
        let particles = &*world.particles;
        let asked = !particles.ties.is_empty() && !self.all.iter().all(Tool::joins);
        self.places = if asked { particles.by_number(particles.positions.iter().copied()) } else { Vec::new() };
    }

    fn begin_part(&mut self, world: &mut World, seconds: f64) {
        let time = (world.time, world.time + seconds);
        self.work(world, time, |tool, _| tool.joins());
    }

    /// Later tools in the list join the cut sheets.
    fn end_frame(&mut self, world: &mut World) {
        let World { particles, sheets, began, interval, .. } = world;
        if self.places.is_empty() {
            return;
        }
        let (displacements, time) = (displacements(particles, &self.places), (*began, *began + *interval));
        for tool in self.all.iter_mut().skip_while(|tool| tool.joins()) {
            tool.work(particles, &displacements, &sheets.bodies, time, *interval, sheets.spacing);
        }
    }

    /// Which tools have cut or joined anything.
    fn kept(&self) -> Kept {
        Kept { numbers: self.all.iter().map(|tool| u32::from(tool.has_worked())).collect(), amounts: Vec::new() }
    }

    fn fits(&self, kept: &Kept, _particles: usize) -> bool {
        kept.numbers.len() == self.all.len()
            && kept.numbers.iter().all(|&worked| worked <= 1)
            && kept.amounts.is_empty()
    }

    fn take_over(&mut self, kept: Kept) {
        self.all.iter_mut().zip(kept.numbers).for_each(|(tool, worked)| tool.set_worked(worked == 1));
    }

    fn removed(&mut self, removal: &Removal) {
        removal.renumbering.keep(&mut self.places);
    }

    /// Warns of tools that have not cut or joined anything.
    fn remarks(&self, particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        if particles.ties.is_empty() { Vec::new() } else { self.all.iter().filter_map(Tool::idle).collect() }
    }
}
