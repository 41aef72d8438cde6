//! How far places are from the colliders near them, in cells.

use super::cells::Placing;
use crate::boundary::Walls;
use glam::DVec3;

/// What rounding may change of distances, in cells.
pub const ROUNDING: f32 = 1e-3;

/// Some colliders. Distances and places are in cells.
#[derive(Debug, Clone, Copy)]
pub struct NearColliders<'a> {
    pub walls: &'a Walls<'a>,
    pub placing: Placing,
    /// Those that stand come first.
    pub numbers: &'a [usize],
}

impl<'a> NearColliders<'a> {
    /// Those that stand.
    pub fn standing(self) -> Self {
        Self { numbers: &self.numbers[..self.count_standing()], ..self }
    }

    /// Those that move.
    pub fn moving(self) -> Self {
        Self { numbers: &self.numbers[self.count_standing()..], ..self }
    }

    fn count_standing(&self) -> usize {
        self.numbers.partition_point(|&number| self.walls.stands(number))
    }

    fn distance(&self, number: usize, in_cells: DVec3) -> f32 {
        let place = self.placing.place(in_cells);
        (self.walls.signed_distance(number, place) / self.placing.width) as f32
    }

    /// The distance of a place, and the nearest collider.
    pub fn nearest(&self, in_cells: DVec3) -> (f32, u32) {
        let all = self.numbers.iter().map(|&number| (self.distance(number, in_cells), number as u32));
        all.reduce(nearer).unwrap_or_default()
    }

    /// The same for many places around one, whose distances to some colliders are known.
    pub fn around(self, middle: DVec3, known: [(f32, u32); 2]) -> impl Fn(DVec3) -> (f32, u32) + use<'a> {
        let of_middle = |&number: &usize| {
            let known = known.into_iter().find(|(_, collider)| *collider as usize == number);
            known.unwrap_or_else(|| (self.distance(number, middle), number as u32))
        };
        let known: Vec<_> = self.numbers.iter().map(of_middle).collect();
        let first = known.iter().copied().reduce(nearer).unwrap_or_default().1;
        move |place| {
            let nearest = (self.distance(first as usize, place), first);
            // No distance changes by more than the way; those along a plane may.
            let way = if self.placing.is_flat { f32::INFINITY } else { middle.distance(place) as f32 };
            let may_be_nearer = |known: &&(f32, u32)| known.1 != first && known.0 - way < nearest.0 + ROUNDING;
            let others = known.iter().filter(may_be_nearer).map(|known| known.1);
            others.map(|number| (self.distance(number as usize, place), number)).fold(nearest, nearer)
        }
    }
}

/// The nearer of two colliders at some distances; of equal ones that with the lower number.
pub fn nearer(a: (f32, u32), b: (f32, u32)) -> (f32, u32) {
    if b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).is_lt() { b } else { a }
}
