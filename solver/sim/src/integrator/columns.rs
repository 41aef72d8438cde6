//! What the integrator keeps of each particle besides its state.

use crate::boundary::Wall;
use crate::material::smoothed::Force;
use crate::particles::{Density, reorder};
use glam::DVec3;
use std::sync::atomic::{AtomicU8, Ordering};

/// One entry a particle, in the same order as [`Particles`](crate::particles::Particles).
#[derive(Debug, Default)]
pub struct Columns {
    /// Walls at the last evaluation.
    pub walls: Vec<Wall>,
    /// Forces then.
    pub forces: Vec<Force>,
    /// Tick of the frame at which that was.
    pub began: Vec<u32>,
    /// Bin of the step that began then.
    pub bins: Vec<u8>,
    /// Shorter steps that neighbours ask for; zero for none.
    woken: Vec<AtomicU8>,
    /// The matter as it stands now: that of particles whose step ends, and what is expected of the others.
    pub now: Now,
}

/// Positions, velocities and densities at one time.
#[derive(Debug, Default)]
pub struct Now {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Velocities, m/s.
    pub velocities: Vec<DVec3>,
    /// Densities.
    pub densities: Vec<Density>,
}

impl Columns {
    /// Memory of each particle, bytes.
    pub const PER_PARTICLE: usize = size_of::<Wall>()
        + size_of::<Force>()
        + size_of::<u32>()
        + 2 * size_of::<u8>()
        + 2 * size_of::<DVec3>()
        + size_of::<Density>();

    /// Makes room for some particles.
    pub fn resize(&mut self, count: usize) {
        self.walls.resize(count, Wall::default());
        self.forces.resize(count, Force::default());
        self.began.resize(count, 0);
        self.bins.resize(count, 0);
        self.woken.resize_with(count, AtomicU8::default);
        self.now.positions.resize(count, DVec3::ZERO);
        self.now.velocities.resize(count, DVec3::ZERO);
        self.now.densities.resize(count, Density::default());
    }

    /// Puts all into another order: that of the old places of each new one. Nothing may be [asked](Self::ask) for.
    pub fn reorder(&mut self, order: &[u32]) {
        let Self { walls, forces, began, bins, woken: _, now: Now { positions, velocities, densities } } = self;
        reorder(walls, order);
        reorder(forces, order);
        reorder(began, order);
        reorder(bins, order);
        reorder(positions, order);
        reorder(velocities, order);
        reorder(densities, order);
    }

    /// Asks a particle for a step of a bin or shorter. The order of asking does not matter.
    pub fn ask(&self, slot: usize, bin: u8) {
        self.woken[slot].fetch_max(bin, Ordering::Relaxed);
    }

    /// Takes over the steps that were asked for. Tells whether any was shorter than that under way.
    pub fn answer(&mut self) -> bool {
        let mut any = false;
        for (bin, woken) in self.bins.iter_mut().zip(&mut self.woken) {
            let woken = std::mem::take(woken.get_mut());
            any |= woken > *bin;
            *bin = (*bin).max(woken);
        }
        any
    }
}
