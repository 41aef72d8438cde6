//! The particles: one column a field.

mod identity;
mod membership;
mod stress;
mod ties;
mod volume;

pub use identity::Renumbering;
pub use membership::Membership;
pub use stress::Stress;
pub use ties::{MOST_TIES, Tie, Ties};
pub use volume::Volume;

use crate::boundary::WallColumn;
use crate::columns::columns;
use crate::material::{Matter, MatterSolver};
use glam::{DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// Density over rest density at a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// With all that the walls stand for; it pushes.
    pub total: f32,
    /// With the part of the walls that the matter wets; it pulls.
    pub held: f32,
}

impl Density {
    /// Both over a number.
    #[must_use]
    pub fn over(self, number: f32) -> Self {
        Self { total: self.total / number, held: self.held / number }
    }
}

columns! {
    /// State and properties of all particles. Columns are in the order of the space-filling curve that neighbours are
    /// found along, so that what is near in space is near in memory; `numbers` tells which particle each entry is of.
    /// Positions and velocities are kept in double precision, so that a small step far from the origin is not lost; the
    /// loops over pairs work on single precision differences.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Particles {
        /// Particle numbers, by which frames list them: from 0 on, without a gap.
        numbers: u32,
        /// Identities, which stay when others are removed; empty where nobody is ever removed, as the number is the
        /// identity there.
        ids: u32,
        /// Positions at the last evaluation of each particle, m.
        positions: DVec3,
        /// Velocities then, m/s.
        velocities: DVec3,
        /// Densities over rest density then.
        densities: Density,
        /// Stresses then; empty where no matter has a yield stress.
        stresses: Stress,
        /// Rotations from the world's axes to each particle's own, whose Z is the normal of its sheet; empty where
        /// there is no sheet, as is the next.
        orientations: DQuat,
        /// Angular velocities at the last evaluation, rad/s.
        spins: DVec3,
        /// What each of a woven sheet is bound to; empty where there is none.
        ties: Ties,
        /// Body of each particle.
        sources: u32,
        /// Where each was filled in, m, or between the places of its parents then.
        rest_positions: Vec3,
        /// Normals then of particles of woven sheets, zero for others; empty where there is no woven sheet.
        rest_normals: Vec3,
        /// Seconds from the first frame until each came into being; empty where all are there from the start.
        births: f64,
        /// Temperatures, K; empty where the scene has none.
        temperatures: f32,
        /// Heats, J/kg, counted from 0 K, which temperatures follow from; empty where heat does not flow, as is the
        /// next.
        heats: f64,
        /// Which part of each is molten: what has melted by its heat and what has not had the time to set.
        melted: f32,
        /// How well each bonds with what it was not one with from the start, 0 to 1: the most that it was
        /// [molten](Self::melted) of.
        welds: f32,
        /// Which part of the mass that particles of its sheet begin with each has: what is born takes its mass from
        /// those around it. Empty where no sheet grows.
        shares: f32,
        /// What of soft matter each belongs to; empty where there is none.
        memberships: Membership,
        /// What controls the volume of each; empty where there is no soft matter.
        volumes: Volume,
    }
    besides {
        /// The identity of the next that is born.
        next_id: u32,
    }
}

/// The [share](Particles::shares) of a slot.
pub fn share(shares: &[f32], slot: usize) -> f64 {
    shares.get(slot).map_or(1.0, |&share| f64::from(share))
}

/// The slot of each particle number.
pub fn slots(particles: &Particles) -> Vec<u32> {
    let mut slots = vec![0; particles.len()];
    particles.numbers.iter().zip(0..).for_each(|(&number, slot)| slots[number as usize] = slot);
    slots
}

impl Particles {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// What the material's solver takes of them, between walls.
    pub fn matter<'a>(&'a self, walls: &'a WallColumn) -> Matter<'a> {
        let Self { numbers, sources, melted, welds, ties, shares, memberships, .. } = self;
        Matter { numbers, sources, walls, melted, welds, ties, shares, memberships }
    }

    /// Mass of a slot, kg.
    pub fn mass(&self, slot: usize, solver: &MatterSolver) -> f64 {
        share(&self.shares, slot) * solver.mass(self.sources[slot])
    }

    /// A column in the order of particle numbers.
    pub fn by_number<T: Copy + Default>(&self, column: impl ExactSizeIterator<Item = T>) -> Vec<T> {
        let mut sorted = vec![T::default(); column.len()];
        self.numbers.iter().zip(column).for_each(|(&number, value)| sorted[number as usize] = value);
        sorted
    }
}
