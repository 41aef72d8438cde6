//! The particles, with one column per field.

mod identity;
mod membership;
mod stress;
mod surface;
mod ties;
mod volume;

pub use identity::Renumbering;
pub use membership::Membership;
pub use stress::Stress;
pub use surface::Surface;
pub use ties::{MOST_TIES, Tie, Ties};
pub use volume::Volume;

use crate::columns::columns;
use glam::{DQuat, DVec3, Vec3};
use serde::{Deserialize, Serialize};

/// Stands for the number of a missing particle, piece or lump.
pub const NOBODY: u32 = u32::MAX;

/// Density over rest density at a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Density {
    /// With the whole share of the walls; this density pushes.
    pub total: f32,
    /// With the share of the walls that the matter wets; this density pulls.
    pub held: f32,
}

impl Density {
    /// Of matter that nothing presses.
    pub const AT_REST: Self = Self { total: 1.0, held: 1.0 };

    /// Both densities divided by a number.
    #[must_use]
    pub fn over(self, number: f32) -> Self {
        Self { total: self.total / number, held: self.held / number }
    }
}

columns! {
    /// State and properties of all particles. Columns are in the order of the space-filling curve of the search for
    /// neighbours, so particles near in space are near in memory; `numbers` holds the particle number of each entry.
    /// Positions and velocities are kept in double precision, so that a small step far from the origin is not lost; the
    /// loops over pairs work on single precision differences.
    #[derive(Debug, Clone, Default, Serialize, Deserialize)]
    pub struct Particles {
        /// Particle numbers, which order the particles in frames: from 0 on, without a gap.
        numbers: u32,
        /// Identities, which stay when other particles are removed; empty where no particle is ever removed, as the
        /// number is the identity there.
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
        /// there is no sheet, as is the next column.
        orientations: DQuat,
        /// Angular velocities at the last evaluation, rad/s.
        spins: DVec3,
        /// The ties of each particle of a woven sheet; empty where there is none.
        ties: Ties,
        /// Number of each particle's body.
        sources: u32,
        /// Position where each was filled in, m; for a particle born later, half way between those of its parents.
        rest_positions: Vec3,
        /// Normals at that position of particles of woven sheets, zero for others; empty where there is no woven sheet.
        rest_normals: Vec3,
        /// Time of birth of each, s from the first frame; empty where all particles exist from the start.
        births: f64,
        /// Temperatures, K; empty where the scene has none.
        temperatures: f32,
        /// Heats, J/kg, counted from 0 K; temperatures follow from them. Empty where heat does not flow, as is the next
        /// column.
        heats: f64,
        /// Molten part of each: the part that its heat has melted, and the part that has not had the time to set.
        melted: f32,
        /// Strength of the bonds of each with matter that it did not start as one with, 0 to 1, by the largest part of
        /// it that was ever [molten](Self::melted).
        welds: f32,
        /// Mass of each over the mass that particles of its sheet start with: a new particle takes its mass from the
        /// particles around it. Empty where no sheet grows.
        shares: f32,
        /// Piece and lump of soft matter of each; empty where there is none.
        memberships: Membership,
        /// The volume controller of each; empty where there is no soft matter.
        volumes: Volume,
        /// Rows of the gradient of velocity at each, 1/s; empty where no matter moves on a grid, as is the next column.
        gradients: [[f32; 3]; 3],
        /// Pressures of matter on a grid, Pa.
        pressures: f32,
        /// Elastic deformation of each, its left Cauchy-Green tensor, of determinant 1: xx, yy, zz, xy, xz, yz; empty
        /// where no matter on a grid keeps its shape.
        stretches: [f32; 6],
        /// Damage of each, from 0 to 1: the part of its strength that is lost; empty where no matter on a grid breaks.
        damages: f32,
        /// The surface of each, while matter on a grid and other matter touch; empty otherwise.
        #[serde(skip)]
        surfaces: Surface,
    }
    besides {
        /// Particles in the first slots, that move by forces between pairs. Stages move all others.
        #[serde(skip)]
        paired: usize,
        /// The identity of the next new particle.
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

    /// Brings the particles that stages move, which are given by slot, behind all others.
    pub fn put_last(&mut self, led: &[bool]) {
        let slots = 0..self.len() as u32;
        let (behind, mut order): (Vec<u32>, Vec<u32>) = slots.partition(|&slot| led[slot as usize]);
        self.paired = order.len();
        if self.paired < self.len() && behind[0] as usize != self.paired {
            order.extend(behind);
            self.reorder_columns(&order);
        }
    }

    /// Reorders the particles that move by forces between pairs; `order` lists the old slot of each new one.
    pub fn reorder_paired(&mut self, order: &[u32]) {
        if order.len() == self.len() {
            self.reorder_columns(order);
        } else if !order.is_empty() {
            let behind = order.len() as u32..self.len() as u32;
            self.reorder_columns(&order.iter().copied().chain(behind).collect::<Vec<_>>());
        }
    }

    /// Reorders the particles that stages move: first those in some slots, then the rest of them.
    pub fn reorder_led(&mut self, slots: impl Iterator<Item = u32>) {
        let mut order: Vec<u32> = (0..self.paired as u32).collect();
        let mut rest = vec![true; self.len()];
        rest[..self.paired].fill(false);
        order.extend(slots.inspect(|&slot| rest[slot as usize] = false));
        order.extend((0..self.len() as u32).filter(|&slot| rest[slot as usize]));
        self.reorder_columns(&order);
    }

    /// A column in the order of particle numbers.
    pub fn by_number<T: Copy + Default>(&self, column: impl ExactSizeIterator<Item = T>) -> Vec<T> {
        let mut sorted = vec![T::default(); column.len()];
        self.numbers.iter().zip(column).for_each(|(&number, value)| sorted[number as usize] = value);
        sorted
    }
}
