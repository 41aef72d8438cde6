//! The state of a simulation: all data that it takes to go on from the end of a frame with the same result as without
//! an interruption.
//!
//! A frame begins by sorting all particles and finding all neighbours, forces and steps anew, so no other data go over
//! from frame to frame, and the result has the same bits.

use super::Simulation;
use crate::particles::{NOBODY, Particles, Ties};
use crate::tools::Tool;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state of a simulation at the end of a frame.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct State {
    /// Frames since the first.
    elapsed: u32,
    particles: Particles,
    /// Forces of pieces on particles of soft matter, N, by the numbers of the particle and the piece.
    pressures: BTreeMap<(u32, u32), DVec3>,
    /// Whether each tool has cut or joined anything.
    worked: Vec<bool>,
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
            pressures: self
                .integrator
                .contacts
                .as_ref()
                .map(|contacts| contacts.pressures().means().clone())
                .unwrap_or_default(),
            worked: self.sheets.tools.iter().map(Tool::has_worked).collect(),
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
        self.elapsed = state.elapsed;
        self.particles = state.particles;
        self.integrator.pins.locate(&self.particles);
        if let Some(contacts) = &mut self.integrator.contacts {
            contacts.pressures_mut().set_means(state.pressures);
        }
        self.sheets.tools.iter_mut().zip(state.worked).for_each(|(tool, worked)| tool.set_worked(worked));
        self.to_settle = false;
        Ok(())
    }

    fn check(&self, state: &State) -> Result<(), StateFault> {
        let State { particles, pressures, worked, .. } = state;
        let (count, filled) = (particles.positions.len(), self.particles.len());
        demand(count >= filled || !self.particles.ids.is_empty(), "particles are missing")?;
        demand(count <= filled || !self.particles.births.is_empty(), "there are too many particles")?;
        demand(particles.births.iter().all(|birth| birth.is_finite()), "times of births")?;
        demand(worked.len() == self.sheets.tools.len(), "tools")?;
        demand(particles.has_columns_of(&self.particles, count), "columns of particles")?;
        check_numbers(particles, self.names.len())?;
        let vectors = || particles.positions.iter().chain(&particles.velocities).chain(&particles.spins);
        demand(vectors().all(|vector| vector.is_finite()), "places or velocities that are no numbers")?;
        demand(particles.heats.iter().all(|heat| heat.is_finite()), "heats that are no numbers")?;
        demand(pressures.is_empty() || self.integrator.contacts.is_some(), "pressures")?;
        let is_known = |(&(number, _), force): (&(u32, u32), &DVec3)| (number as usize) < count && force.is_finite();
        demand(pressures.iter().all(is_known), "pressures")
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
    demand(
        ids.last().copied().or(count.checked_sub(1).map(|last| last as u32)) < Some(particles.next_id),
        "identities of particles",
    )?;
    let is_particle = |number: u32| (number as usize) < count;
    demand(particles.sources.iter().all(|&source| (source as usize) < bodies), "bodies of particles")?;
    demand(particles.ties.iter().flat_map(Ties::iter).all(|tie| is_particle(tie.number)), "ties")?;
    let is_kin = |number: u32| number == NOBODY || is_particle(number);
    demand(
        particles.memberships.iter().all(|group_of_other| is_kin(group_of_other.piece) && is_kin(group_of_other.lump)),
        "pieces",
    )
}
