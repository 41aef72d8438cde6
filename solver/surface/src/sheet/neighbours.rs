//! The neighbours of each particle in its layer.

use super::particles::SheetParticles;
use rayon::prelude::*;

/// Largest number of neighbours; the farthest are left out. In sheets there are about twenty within the longest edge.
const MAX_NEIGHBOURS: usize = 64;

/// Distance below which particles coincide, longest edges.
const COINCIDENT: f64 = 1e-3;

/// Cubes processed by one task.
const BATCH: usize = 64;

/// The neighbours of each particle within the longest edge and in its layer, the nearest first. A particle that
/// coincides with an earlier one has none, and is no one's neighbour.
#[derive(Debug, Default)]
pub(super) struct LayerNeighbours {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl LayerNeighbours {
    pub fn new(particles: &SheetParticles) -> Self {
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
        all.without_duplicates(particles)
    }

    /// The neighbours of a particle.
    pub fn of(&self, particle: u32) -> &[u32] {
        &self.neighbours[self.starts[particle as usize]..self.starts[particle as usize + 1]]
    }

    fn add_cube(&mut self, particles: &SheetParticles, cube: usize) {
        let cubes = &particles.cubes;
        let around: Vec<_> = cubes.around(cubes.keys()[cube], 1).map(|row| cubes.items_of(row)).collect();
        let mut found: Vec<(f64, u32)> = vec![];
        for particle in cubes.items(cube).map(|particle| particle as u32) {
            found.clear();
            let others = around.iter().cloned().flatten().map(|other| other as u32);
            let squared = |other: u32| (particles.offset(particle, other).length_squared(), other);
            found.extend(others.filter(|other| *other != particle).map(squared).filter(|(squared, _)| *squared <= 1.0));
            found.retain(|(squared, other)| is_coincident(*squared) || particles.same_layer(particle, *other));
            found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            self.starts.push(self.neighbours.len());
            self.neighbours.extend(found.iter().take(MAX_NEIGHBOURS).map(|(_, other)| other));
        }
    }

    /// Removes particles that coincide with earlier ones.
    fn without_duplicates(self, particles: &SheetParticles) -> Self {
        let coincident = |a: u32, b: u32| is_coincident(particles.offset(a, b).length_squared());
        let is_duplicate = |particle: u32| {
            let mut nearest = self.of(particle).iter().take_while(|other| coincident(particle, **other));
            nearest.any(|other| *other < particle)
        };
        let duplicates: Vec<bool> = (0..particles.len() as u32).into_par_iter().map(is_duplicate).collect();
        if !duplicates.contains(&true) {
            return self;
        }
        let mut kept = Self::default();
        for particle in 0..particles.len() as u32 {
            kept.starts.push(kept.neighbours.len());
            let others = self.of(particle).iter().filter(|other| {
                !duplicates[particle as usize] && !duplicates[**other as usize] && !coincident(particle, **other)
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
