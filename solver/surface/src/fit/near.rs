//! Which points are near a place.

use crate::buckets::{Buckets, Key};
use crate::order::sorted;
use glam::DVec3;
use rayon::prelude::*;

/// So many shells of cubes are looked through before all points are.
const MOST_SHELLS: i32 = 24;

/// Points by the cubes that they lie in.
pub(super) struct Near<'a> {
    places: &'a [DVec3],
    edge: f64,
    cubes: Buckets,
    numbers: Vec<u32>,
}

/// Another point: the square of the distance, and its number.
pub(super) type Neighbour = (f64, u32);

impl<'a> Near<'a> {
    /// Cubes with edges of that length: best about the distance that is asked for.
    pub fn new(places: &'a [DVec3], edge: f64) -> Self {
        let entries =
            (0..places.len() as u32).into_par_iter().map(|number| (cube(places[number as usize], edge), number));
        let entries = sorted(entries.collect());
        let cubes = Buckets::new(&entries);
        Self { places, edge, cubes, numbers: entries.into_iter().map(|(_, number)| number).collect() }
    }

    /// The points within a distance of a place, the nearest first; of equally far ones the lower number.
    pub fn within(&self, place: DVec3, distance: f64) -> Vec<Neighbour> {
        let reach = (distance / self.edge).ceil().max(1.0);
        let mut found = if reach > f64::from(MOST_SHELLS) {
            self.among(0..self.numbers.len(), place, distance).collect()
        } else {
            self.around(place, reach as i32, distance)
        };
        sort(&mut found);
        found
    }

    /// The points nearest to one, without it.
    pub fn nearest(&self, of: u32, count: usize) -> Vec<Neighbour> {
        let place = self.places[of as usize];
        let mut shells = 1;
        loop {
            let distance = if shells > MOST_SHELLS { f64::INFINITY } else { f64::from(shells) * self.edge };
            let mut found = self.within(place, distance);
            found.retain(|(_, other)| *other != of);
            if found.len() >= count || distance.is_infinite() {
                found.truncate(count);
                return found;
            }
            shells *= 2;
        }
    }

    fn around(&self, place: DVec3, reach: i32, distance: f64) -> Vec<Neighbour> {
        let rows = self.cubes.around(cube(place, self.edge), reach).map(|row| self.cubes.items_of(row));
        rows.flat_map(|row| self.among(row, place, distance)).collect()
    }

    fn among(&self, row: std::ops::Range<usize>, place: DVec3, distance: f64) -> impl Iterator<Item = Neighbour> {
        let squared = move |&number: &u32| (self.places[number as usize].distance_squared(place), number);
        self.numbers[row].iter().map(squared).filter(move |(squared, _)| *squared <= distance * distance)
    }
}

/// The cube of a place; what is too far for its numbers is in the last one.
fn cube(place: DVec3, edge: f64) -> Key {
    const MOST: f64 = (1 << 30) as f64;
    (place / edge).floor().clamp(DVec3::splat(-MOST), DVec3::splat(MOST)).as_ivec3().to_array()
}

fn sort(found: &mut [Neighbour]) {
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}
