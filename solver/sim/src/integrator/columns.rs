//! What the integrator keeps of each particle besides its state.

use crate::boundary::WallColumn;
use crate::material::smoothed::Force;
use crate::particles::reorder;

/// One entry a particle, in the same order as [`Particles`](crate::particles::Particles).
#[derive(Debug, Default)]
pub struct Columns {
    /// Walls at the last evaluation.
    pub walls: WallColumn,
    /// Forces then.
    pub forces: Vec<Force>,
    /// Tick of the frame at which that was.
    pub began: Vec<u32>,
    /// Bin of the step that began then.
    pub bins: Vec<u8>,
    /// How far each may go without feeling a wall that stands still, m.
    pub clear: Vec<f32>,
}

impl Columns {
    /// Makes all anew for some particles, whose steps begin at a tick.
    pub fn renew(&mut self, count: usize, tick: u32) {
        self.walls = WallColumn::of_none(count);
        self.forces.clear();
        self.forces.resize(count, Force::default());
        self.began.clear();
        self.began.resize(count, tick);
        self.bins.clear();
        self.bins.resize(count, 0);
        self.clear.clear();
        self.clear.resize(count, 0.0);
    }

    /// Puts all into another order: that of the old places of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        let Self { walls, forces, began, bins, clear } = self;
        walls.reorder(order);
        reorder(forces, order);
        reorder(began, order);
        reorder(bins, order);
        reorder(clear, order);
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = size_of::<Force>() + size_of::<u32>() + size_of::<u8>() + size_of::<f32>();
        self.bins.len() * per_particle + self.walls.memory()
    }
}
