//! The walls of all particles, most of which touch none.

use super::{TouchedColliders, Wall};
use crate::neighbours::BATCH;
use rayon::prelude::*;

/// The wall of a particle that touches nothing.
const NOTHING: Wall = Wall {
    share: 0.0,
    gradient: glam::Vec3::ZERO,
    adhesive_share: 0.0,
    adhesive_gradient: glam::Vec3::ZERO,
    dilation: 0.0,
    adhesive_dilation: 0.0,
    velocity: glam::Vec3::ZERO,
    closing: 0.0,
    steepness: 0.0,
    friction: 0.0,
    felt: TouchedColliders::NOTHING,
};

/// A wall for each slot of a batch, or none where no particle of the batch touches a wall.
#[derive(Debug, Clone, Default)]
pub struct BatchWalls(Option<Box<[Wall; BATCH]>>);

/// A wall for each slot, kept for the batches that touch walls.
#[derive(Debug, Default)]
pub struct WallColumn {
    batches: Vec<BatchWalls>,
}

impl BatchWalls {
    /// The wall of the n-th slot.
    pub fn of(&self, n: usize) -> &Wall {
        self.0.as_ref().map_or(&NOTHING, |walls| &walls[n])
    }

    /// Sets the wall of the n-th slot; none where it touches nothing.
    pub fn set(&mut self, n: usize, wall: Option<Wall>) {
        match (wall.filter(|wall| wall.share > 0.0), &mut self.0) {
            (None, None) => {}
            (None, Some(walls)) => walls[n] = NOTHING,
            (Some(wall), walls) => walls.get_or_insert_with(|| Box::new([NOTHING; BATCH]))[n] = wall,
        }
    }
}

impl WallColumn {
    /// A column of these walls.
    pub fn new(walls: &[Wall]) -> Self {
        let batch = |walls: &[Wall]| {
            let mut batch = BatchWalls::default();
            walls.iter().enumerate().for_each(|(n, &wall)| batch.set(n, Some(wall)));
            batch
        };
        Self { batches: walls.chunks(BATCH).map(batch).collect() }
    }

    /// A column of `count` particles that touch nothing.
    pub fn of_none(count: usize) -> Self {
        Self { batches: vec![BatchWalls::default(); count.div_ceil(BATCH)] }
    }

    /// The wall of a slot.
    pub fn of(&self, slot: usize) -> &Wall {
        self.batches[slot / BATCH].of(slot % BATCH)
    }

    /// The walls by batch.
    pub fn batches_mut(&mut self) -> &mut [BatchWalls] {
        &mut self.batches
    }

    /// Reorders all walls; `order` lists the old slot of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        let batch = |old: &[u32]| {
            let mut batch = BatchWalls::default();
            old.iter().enumerate().for_each(|(n, &old)| batch.set(n, Some(*self.of(old as usize))));
            batch
        };
        self.batches = order.par_chunks(BATCH).map(batch).collect();
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let kept = self.batches.iter().filter(|batch| batch.0.is_some()).count();
        self.batches.len() * size_of::<BatchWalls>() + kept * size_of::<[Wall; BATCH]>()
    }
}
