//! The division of a frame into steps: the one with the fewest steps in all for its matter at the start.

use super::bins::most_apart;
use super::instant::Instant;
use super::velocities::Range;
use super::{Integrator, Stepping};
use crate::neighbours::BATCH;
use crate::particles::Particles;
use crate::timeline::Timeline;
use rayon::prelude::*;

/// The factor by which steps may have to shorten within a frame before they are halved: firmly bound matter changes
/// steps all at once or not at all, and where a few particles change first, pairs are kicked unevenly.
const ROOM: f64 = 1.1;

impl Integrator {
    /// Chooses the division once all awake matter is evaluated, and the steps that begin then.
    pub(super) fn divide(&mut self, particles: &Particles, instant: &Instant) {
        let chosen = self.cheapest(particles);
        let Instant::Tick { tick, start, interval, timeline, .. } = *instant else { return };
        if chosen == timeline {
            return;
        }
        self.timeline = chosen;
        let instant = Instant::at(tick, start, interval, chosen);
        self.divide_groups(&instant);
        for slot in 0..particles.paired {
            if !self.columns.asleep[slot] {
                self.begin_anew(slot, particles, &instant);
            }
        }
    }

    /// Replaces the step that a particle has just begun.
    fn begin_anew(&mut self, slot: usize, particles: &Particles, instant: &Instant) {
        let limits = self.limits();
        let columns = &self.columns;
        let (velocity, force, wall) = (particles.velocities[slot], &columns.forces[slot], columns.walls.of(slot));
        // An error for a step too short was already returned.
        let Ok(own) = limits.bin(particles.positions[slot], velocity, force, instant) else { return };
        let bin = own.max(columns.least_bins[slot]);
        let range: Range = limits.velocities(instant.until_end(bin, 0), velocity, force, wall);
        self.columns.bins[slot] = bin;
        let of_batch = &mut self.velocities[slot / BATCH].range;
        *of_batch = of_batch.union(range);
    }

    fn cheapest(&self, particles: &Particles) -> Timeline {
        let (limits, columns) = (self.limits(), &self.columns);
        let groups = self.group_ratios_squared(particles.paired);
        let own = |slot: usize| {
            let (position, velocity) = (particles.positions[slot], particles.velocities[slot]);
            let own = limits.ratio_squared(position, velocity, &columns.forces[slot]);
            groups.get(slot).map_or(own, |&of_group| own.max(of_group)) * (ROOM * ROOM)
        };
        let squared: Vec<f64> = (0..particles.paired).into_par_iter().with_min_len(1024).map(own).collect();
        let awake = || (0..particles.paired).filter(|&slot| !columns.asleep[slot]);
        let all = |slot: usize| self.stepping == Stepping::Global || most_apart(&columns.forces[slot]) == 0;
        // Particles with shared steps take the shortest of all of them.
        let shared = awake().filter(|&slot| all(slot)).map(|slot| squared[slot]).fold(0.0, f64::max);
        Timeline::cheapest(awake().map(|slot| if all(slot) { shared } else { squared[slot] }))
    }
}
