//! How far the middles of the half cells of a block are from walls.

use super::half_cells::{HALVES, HalfCells, middle_at};
use super::near_colliders::{NearColliders, nearer};
use super::walls::WallCell;
use glam::IVec3;

/// Distances of the middles of the half cells of a block with its margins, and the colliders nearest to them.
#[derive(Debug, Clone)]
pub struct WallDistances {
    /// In cells.
    pub distances: HalfCells,
    nearest: Vec<u32>,
}

impl WallDistances {
    /// Those of a block from some colliders.
    pub fn find(at: IVec3, colliders: &NearColliders) -> Self {
        Self::by_half(|half| colliders.nearest(middle_at(at, half)))
    }

    /// Those from some more colliders, too.
    #[must_use]
    pub fn with(&self, at: IVec3, colliders: &NearColliders) -> Self {
        Self::by_half(|half| nearer(self.at(half), colliders.nearest(middle_at(at, half))))
    }

    fn by_half(nearest: impl Fn(usize) -> (f32, u32)) -> Self {
        let (distances, nearest) = (0..HALVES.pow(3)).map(nearest).unzip();
        Self { distances: HalfCells(distances), nearest }
    }

    /// Memory on the heap, bytes.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.distances.0) + size_of_val(&*self.nearest)
    }

    /// The distance of a half cell, and the collider nearest to it.
    pub fn at(&self, half: usize) -> (f32, u32) {
        (self.distances.0[half], self.nearest[half])
    }

    /// Sets the same.
    pub fn set(&mut self, half: usize, (distance, collider): (f32, u32)) {
        self.distances.0[half] = distance;
        self.nearest[half] = collider;
    }

    /// The cells of the block.
    pub fn cells(&self) -> Box<[Option<WallCell>]> {
        self.distances.cells(&self.nearest)
    }
}
