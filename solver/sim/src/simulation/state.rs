//! The state of a simulation: all data that it takes to go on from the end of a frame with the same result as without
//! an interruption.
//!
//! A frame begins by sorting all particles and finding all neighbours, forces and steps anew, so no other data go over
//! from frame to frame, and the result has the same bits.

use super::Simulation;
use crate::material::continuum::is_stretch;
use crate::particles::{Membership, NOBODY, Particles, Ties};
use crate::stages::Kept;
use serde::{Deserialize, Serialize};

/// The state of a simulation at the end of a frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// Frames since the first.
    elapsed: u32,
    particles: Particles,
    /// What each stage [kept](crate::stages::Stage::kept).
    stages: Vec<Kept>,
}

/// The reason that a state does not fit a scene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state does not fit the scene: {0}")]
pub struct StateFault(&'static str);

impl Simulation {
    /// The state at the end of a frame or before the first.
    pub fn state(&self) -> State {
        State {
            elapsed: self.elapsed,
            particles: self.particles.clone(),
            stages: self.stages.iter().map(|stage| stage.kept()).collect(),
        }
    }

    /// Goes on from a state of the same scene at the end of a frame, instead of the first frame: the next frame has the
    /// same bits as without an interruption.
    ///
    /// # Errors
    /// When the state does not fit the scene, or any scene: a damaged file could hold anything.
    pub fn resume(&mut self, state: State, frame: i32) -> Result<(), StateFault> {
        let elapsed = i64::from(frame) - i64::from(self.first_frame);
        demand(i64::from(state.elapsed) == elapsed, "frames")?;
        self.check(&state)?;
        self.take_state(state);
        self.to_settle = false;
        let time = self.time();
        self.run_stages(time, time, |stage, world| stage.resumed(world));
        Ok(())
    }

    /// Takes over a state that [fits](Self::check).
    pub(super) fn take_state(&mut self, State { elapsed, particles, stages }: State) {
        (self.elapsed, self.particles) = (elapsed, particles);
        self.integrator.pins.locate(&self.particles);
        self.stages.iter_mut().zip(stages).for_each(|(stage, kept)| stage.take_over(kept));
    }

    fn check(&self, state: &State) -> Result<(), StateFault> {
        let State { particles, stages, elapsed: _ } = state;
        let (count, filled) = (particles.positions.len(), self.particles.len());
        demand(count >= filled || !self.particles.ids.is_empty(), "particles are missing")?;
        demand(count <= filled || !self.particles.births.is_empty(), "there are too many particles")?;
        let mut of_stages = self.stages.iter().zip(stages);
        demand(stages.len() == self.stages.len() && of_stages.all(|(stage, kept)| stage.fits(kept, count)), "stages")?;
        demand(particles.has_columns_of(&self.particles, count), "columns of particles")?;
        check_numbers(particles, self.names.len())?;
        check_pieces(particles, |source| self.soft.is_soft(source))?;
        check_amounts(particles)
    }
}

fn demand(holds: bool, what: &'static str) -> Result<(), StateFault> {
    if holds { Ok(()) } else { Err(StateFault(what)) }
}

/// Checks that each particle has a number of its own, and a body of the scene.
fn check_numbers(particles: &Particles, bodies: usize) -> Result<(), StateFault> {
    let count = particles.positions.len();
    let mut seen = vec![false; count];
    for &number in &particles.numbers {
        let seen = seen.get_mut(number as usize).ok_or(StateFault("numbers of particles"))?;
        demand(!std::mem::replace(seen, true), "numbers of particles")?;
    }
    let mut ids = particles.ids.clone();
    ids.sort_unstable();
    demand(ids.is_sorted_by(|a, b| a < b), "identities of particles")?;
    // Identities are never given twice, so they must not run out.
    demand(particles.next_id <= NOBODY / 2, "identities of particles")?;
    demand(
        ids.last().copied().or(count.checked_sub(1).map(|last| last as u32)) < Some(particles.next_id),
        "identities of particles",
    )?;
    let is_particle = |number: u32| (number as usize) < count;
    demand(particles.sources.iter().all(|&source| (source as usize) < bodies), "bodies of particles")?;
    demand(particles.ties.iter().flat_map(Ties::iter).all(|tie| is_particle(tie.number)), "ties")
}

/// Checks that particles of soft matter, and no others, have a piece and a lump.
fn check_pieces(particles: &Particles, is_soft: impl Fn(u32) -> bool) -> Result<(), StateFault> {
    let is_particle = |number: u32| (number as usize) < particles.len();
    let fits = |(membership, &source): (&Membership, &u32)| {
        let names = [membership.piece, membership.lump];
        if is_soft(source) { names.into_iter().all(is_particle) } else { names == [NOBODY; 2] }
    };
    demand(particles.memberships.iter().zip(&particles.sources).all(fits), "pieces")
}

/// Checks that all amounts are numbers, and within their ranges.
fn check_amounts(particles: &Particles) -> Result<(), StateFault> {
    let vectors = || particles.positions.iter().chain(&particles.velocities).chain(&particles.spins);
    demand(vectors().all(|vector| vector.is_finite()), "places or velocities that are no numbers")?;
    let mut moving = particles.positions.iter().zip(&particles.velocities);
    demand(moving.all(|(&position, velocity)| (position + velocity).is_finite()), "places or velocities too large")?;
    let Particles { orientations, rest_positions, rest_normals, .. } = particles;
    demand(orientations.iter().all(|turn| turn.is_finite() && turn.length_squared() > 0.0), "orientations")?;
    demand(rest_positions.iter().chain(rest_normals).all(|vector| vector.is_finite()), "places at rest")?;
    demand(particles.births.iter().chain(&particles.heats).all(|amount| amount.is_finite()), "births or heats")?;
    demand(particles.temperatures.iter().all(|warm| *warm >= 0.0 && warm.is_finite()), "temperatures")?;
    let parts = || particles.melted.iter().chain(&particles.welds);
    demand(parts().all(|part| (0.0..=1.0).contains(part)), "molten parts")?;
    demand(particles.damages.iter().all(|part| (0.0..=1.0).contains(part)), "damages")?;
    demand(particles.shares.iter().all(|share| *share > 0.0 && share.is_finite()), "masses")?;
    let sizes = particles.volumes.iter().flat_map(|volume| [volume.own, volume.change, volume.offset]);
    let of_ties = particles.ties.iter().flat_map(Ties::iter).flat_map(|tie| [tie.length, tie.curvature, tie.skew]);
    let of_stress = particles.stresses.iter().flat_map(|stress| stress.deviator);
    let densities = particles.densities.iter().flat_map(|density| [density.total, density.held]);
    let on_grid = particles.gradients.iter().flatten().flatten().chain(&particles.pressures).copied();
    demand(particles.stretches.iter().all(is_stretch), "stretches")?;
    let amounts = sizes.chain(of_ties).chain(of_stress).chain(densities).chain(on_grid);
    demand(amounts.into_iter().all(f32::is_finite), "amounts that are no numbers")
}
