//! What the integrator keeps of each particle besides its state.

use crate::boundary::Wall;
use crate::material::smoothed::Force;
use crate::particles::reorder;

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
}

impl Columns {
    /// Memory of each particle, bytes.
    pub const PER_PARTICLE: usize = size_of::<Wall>() + size_of::<Force>() + size_of::<u32>() + size_of::<u8>();

    /// Makes room for some particles.
    pub fn resize(&mut self, count: usize) {
        self.walls.resize(count, Wall::default());
        self.forces.resize(count, Force::default());
        self.began.resize(count, 0);
        self.bins.resize(count, 0);
    }

    /// Puts all into another order: that of the old places of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        let Self { walls, forces, began, bins } = self;
        reorder(walls, order);
        reorder(forces, order);
        reorder(began, order);
        reorder(bins, order);
    }
}
