//! Things at places, sorted into cubes.

use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Cubes side by side.
#[derive(Debug, Clone, Copy)]
pub struct Cubes {
    /// A corner of a cube, m.
    pub origin: DVec3,
    /// Their edge, m.
    pub edge: f64,
}

impl Cubes {
    /// The cube at a place.
    pub fn at(&self, place: DVec3) -> [i32; 3] {
        ((place - self.origin) / self.edge).floor().as_ivec3().to_array()
    }
}

/// Things in the order of their cubes.
#[derive(Debug)]
pub struct Cells<T> {
    /// The things; those of one cube as they were before.
    pub things: Vec<T>,
    /// The cubes that hold some, by rising x, y, z, and the first thing of each.
    cells: Vec<([i32; 3], usize)>,
}

impl<T: Send + Sync + Copy> Cells<T> {
    /// Sorts things at places.
    pub fn new(cubes: &Cubes, things: &[T], place: impl Fn(&T) -> DVec3 + Sync) -> Self {
        let keyed = |(thing, number): (&T, usize)| (cubes.at(place(thing)), number);
        let mut order: Vec<([i32; 3], usize)> = things.par_iter().zip(0..things.len()).map(keyed).collect();
        order.par_sort_unstable();
        let sorted = order.iter().map(|&(_, number)| things[number]).collect();
        let starts = (0..order.len()).filter(|&at| at == 0 || order[at].0 != order[at - 1].0);
        let cells = starts.map(|at| (order[at].0, at)).collect();
        Self { things: sorted, cells }
    }

    /// The cubes that hold things.
    pub fn cubes(&self) -> impl IndexedParallelIterator<Item = ([i32; 3], Range<usize>)> + '_ {
        (0..self.cells.len())
            .into_par_iter()
            .map(|number| (self.cells[number].0, self.start(number)..self.start(number + 1)))
    }

    /// The things in a cube and in all beside it.
    pub fn around(&self, [x, y, z]: [i32; 3]) -> impl Iterator<Item = &[T]> + Clone {
        // Along Z cubes follow each other.
        let rows = (0..9).map(move |n| [x + n / 3 - 1, y + n % 3 - 1]);
        rows.map(move |[x, y]| {
            let first = self.cells.partition_point(|&(cell, _)| cell < [x, y, z - 1]);
            let last = self.cells.partition_point(|&(cell, _)| cell <= [x, y, z + 1]);
            &self.things[self.start(first)..self.start(last)]
        })
    }

    fn start(&self, number: usize) -> usize {
        self.cells.get(number).map_or(self.things.len(), |&(_, start)| start)
    }
}
