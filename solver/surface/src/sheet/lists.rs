//! The neighbours of each particle in its layer.

use super::particles::Particles;
use rayon::prelude::*;

/// More neighbours are left out, the farthest first: in sheets there are about twenty within the longest edge.
const MOST: usize = 64;

/// Particles this near to each other are one, longest edges.
const COINCIDENT: f64 = 1e-3;

/// Cubes whose particles are listed at once.
const BATCH: usize = 64;

/// The neighbours of each particle within the longest edge and in its layer, the nearest first. None where another particle that comes first is in the same
/// place, and such are no one's neighbours.
#[derive(Debug, Default)]
pub(super) struct Lists {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Lists {
    pub fn new(particles: &Particles) -> Self {
        let cubes = particles.cubes.keys().len();
        let batch = |batch: usize| {
            let mut part = Self::default();
            for cube in BATCH * batch..(BATCH * (batch + 1)).min(cubes) {
                part.add_cube(particles, cube);
            }
            part
        };
        let parts: Vec<Self> = (0..cubes.div_ceil(BATCH)).into_par_iter().map(batch).collect();
        let mut all = Self::default();
        for part in parts {
            let first = all.neighbours.len();
            all.starts.extend(part.starts.iter().map(|start| start + first));
            all.neighbours.extend(part.neighbours);
        }
        all.starts.push(all.neighbours.len());
        all.without_doubles(particles)
    }

    /// The neighbours of a particle.
    pub fn of(&self, particle: u32) -> &[u32] {
        &self.neighbours[self.starts[particle as usize]..self.starts[particle as usize + 1]]
    }

    fn add_cube(&mut self, particles: &Particles, cube: usize) {
        let cubes = &particles.cubes;
        let around: Vec<_> = cubes.around(cubes.keys()[cube], 1).map(|row| cubes.items_of(row)).collect();
        let mut near: Vec<(f64, u32)> = vec![];
        for particle in cubes.items(cube).map(|particle| particle as u32) {
            near.clear();
            let others = around.iter().cloned().flatten().map(|other| other as u32);
            let squared = |other: u32| (particles.way(particle, other).length_squared(), other);
            near.extend(others.filter(|other| *other != particle).map(squared).filter(|(squared, _)| *squared <= 1.0));
            near.retain(|(squared, other)| is_coincident(*squared) || particles.same_layer(particle, *other));
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.starts.push(self.neighbours.len());
            self.neighbours.extend(near.iter().take(MOST).map(|(_, other)| other));
        }
    }

    /// Without what is in the place of a particle that comes before.
    fn without_doubles(self, particles: &Particles) -> Self {
        let coincident = |a: u32, b: u32| is_coincident(particles.way(a, b).length_squared());
        let is_double = |particle: u32| {
            let mut nearest = self.of(particle).iter().take_while(|other| coincident(particle, **other));
            nearest.any(|other| *other < particle)
        };
        let doubles: Vec<bool> = (0..particles.len() as u32).into_par_iter().map(is_double).collect();
        if !doubles.contains(&true) {
            return self;
        }
        let mut kept = Self::default();
        for particle in 0..particles.len() as u32 {
            kept.starts.push(kept.neighbours.len());
            let others = self.of(particle).iter().filter(|other| {
                !doubles[particle as usize] && !doubles[**other as usize] && !coincident(particle, **other)
            });
            kept.neighbours.extend(others);
        }
        kept.starts.push(kept.neighbours.len());
        kept
    }
}

fn is_coincident(squared: f64) -> bool {
    squared < COINCIDENT * COINCIDENT
}
