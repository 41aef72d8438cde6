//! Outflows remove the matter that is or was within them.

use super::{Kept, Removal, Stage, World};
use crate::particles::Particles;
use crate::region::{MovingRegion, Sweep, displacements, longest, moving_solid, time_of};
use crate::reshape::Sheets;
use crate::{MeshLibrary, SetupError};
use dollop_scene::Scene;
use glam::DVec3;
use rayon::prelude::*;

/// A region in which matter is removed.
#[derive(Debug)]
pub struct Outflow {
    name: String,
    region: MovingRegion,
    /// Whether matter is removed outside instead of inside.
    inverted: bool,
    /// Whether it has removed anything.
    has_worked: bool,
}

/// All outflows. As a frame begins they remove the matter within them, and the matter that crossed their surface in the
/// frame before: so nothing passes a thin or a fast one. The frame before shows that matter for the last time.
#[derive(Debug)]
pub struct Outflows {
    all: Vec<Outflow>,
    /// Particle spacing, m.
    spacing: f64,
    /// Positions of the particles at the frame's start, by number.
    places: Vec<DVec3>,
    /// Numbers of the particles that crossed a surface in the last frame, in order.
    crossed: Vec<u32>,
}

impl Outflows {
    /// The outflows of a scene.
    ///
    /// # Errors
    /// When the mesh of one encloses nothing, or its scale changes unevenly.
    pub fn new(scene: &Scene, meshes: &MeshLibrary) -> Result<Self, SetupError> {
        let time_of = time_of(scene);
        let outflow = |(number, outflow): (usize, &dollop_scene::Outflow)| {
            let region = MovingRegion::new(moving_solid("outflows", "outflow", number, outflow, meshes, time_of)?);
            Ok(Outflow { name: outflow.name.clone(), region, inverted: outflow.inverted, has_worked: false })
        };
        let all: Result<_, SetupError> = scene.outflows.iter().enumerate().map(outflow).collect();
        Ok(Self { all: all?, spacing: scene.particle_spacing, places: Vec::new(), crossed: Vec::new() })
    }
}

impl Stage for Outflows {
    fn removes(&self) -> bool {
        !self.all.is_empty()
    }

    fn begin_frame(&mut self, world: &mut World) {
        if self.all.is_empty() {
            return;
        }
        let particles = &*world.particles;
        let mut leaves = vec![false; particles.len()];
        for outflow in &mut self.all {
            let (holds, inverted) = (outflow.region.holds(world.time), outflow.inverted);
            let takes: Vec<bool> =
                particles.positions.par_iter().with_min_len(256).map(|&place| holds(place) != inverted).collect();
            outflow.has_worked |= takes.contains(&true);
            leaves.iter_mut().zip(&takes).for_each(|(leaves, takes)| *leaves |= takes);
        }
        for (leaves, number) in leaves.iter_mut().zip(&particles.numbers) {
            *leaves |= self.crossed.binary_search(number).is_ok();
        }
        self.crossed.clear();
        self.places = particles.by_number(particles.positions.iter().copied());
        if leaves.contains(&true) {
            world.remove(|slot| leaves[slot]);
        }
    }

    fn end_frame(&mut self, world: &mut World) {
        if self.all.is_empty() {
            return;
        }
        let particles = &*world.particles;
        let moved = displacements(particles, &self.places);
        let far = longest(&moved);
        for outflow in &mut self.all {
            let time = (world.began, world.time);
            let sweep = Sweep::new(&outflow.region, time, world.interval, self.spacing, far);
            let moves = particles.numbers.par_iter().zip(&moved).with_min_len(256);
            let numbers: Vec<u32> = moves.filter_map(|(&number, &on)| sweep.crosses(on).then_some(number)).collect();
            outflow.has_worked |= !numbers.is_empty();
            self.crossed.extend(numbers);
        }
        self.crossed.sort_unstable();
        self.crossed.dedup();
    }

    /// Which outflows have worked, then the particles that crossed one.
    fn kept(&self) -> Kept {
        let worked = self.all.iter().map(|outflow| u32::from(outflow.has_worked));
        Kept { numbers: worked.chain(self.crossed.iter().copied()).collect(), amounts: Vec::new() }
    }

    fn fits(&self, kept: &Kept, particles: usize) -> bool {
        let Some((worked, crossed)) = kept.numbers.split_at_checked(self.all.len()) else { return false };
        let are_particles = crossed.last().is_none_or(|&last| !self.all.is_empty() && (last as usize) < particles);
        are_particles
            && crossed.is_sorted_by(|a, b| a < b)
            && worked.iter().all(|&worked| worked <= 1)
            && kept.amounts.is_empty()
    }

    fn take_over(&mut self, kept: Kept) {
        let (worked, crossed) = kept.numbers.split_at(self.all.len());
        self.all.iter_mut().zip(worked).for_each(|(outflow, &worked)| outflow.has_worked = worked == 1);
        self.crossed = crossed.to_vec();
    }

    fn removed(&mut self, Removal { renumbering, .. }: &Removal) {
        renumbering.keep(&mut self.places);
        self.crossed = self.crossed.iter().filter_map(|&number| renumbering.number(number)).collect();
    }

    /// Warns of outflows that have removed nothing.
    fn remarks(&self, _particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        let idle = |outflow: &&Outflow| !outflow.has_worked && !outflow.inverted;
        let told = |outflow: &Outflow| {
            let name = &outflow.name;
            format!(
                "outflow \"{name}\" has removed nothing, as no matter came into it; check its place, its motion and its frames"
            )
        };
        self.all.iter().filter(idle).map(told).collect()
    }
}
