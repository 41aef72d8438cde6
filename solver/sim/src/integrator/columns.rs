//! State of each particle that the integrator keeps outside of the particles.

use super::instant::Instant;
use crate::boundary::{Stop, WallColumn};
use crate::columns::columns;
use crate::material::{Force, Received};
use glam::Vec3;

columns! {
    /// One entry a particle, in the same order as [`Particles`](crate::particles::Particles).
    #[derive(Debug, Default)]
    pub struct StepColumns {
        /// Forces at the last evaluation.
        forces: Force,
        /// Tick of the frame at the last evaluation.
        began: u32,
        /// Tick from which the force at the end of the step counts: the start of the step, or the tick at which it was
        /// [cut short](Self::cut_short).
        counts_from: u32,
        /// Bin of the step that began at the last evaluation.
        bins: u8,
        /// Distance that each particle may go without feeling a wall at rest, m.
        clear: f32,
        /// Bin of the longest steps that each particle may take.
        least_bins: u8,
        /// Displacement of each particle since the frame began, m; infinite when it
        /// [went astray](super::sleep::Rest::displacement).
        displacements: Vec3,
        /// What pushes did to a particle of a grid; empty where none lies at other matter.
        received: Received,
        /// Whether each particle [sleeps](super::sleep).
        asleep: bool,
    }
    besides {
        /// Walls at the last evaluation.
        walls: WallColumn,
        /// Walls that stopped particles as their steps ended, by particle numbers in rising order.
        stops: Vec<(u32, Stop)>,
    }
}

impl StepColumns {
    /// Resets all columns for a number of particles, whose steps begin at a tick.
    pub fn renew(&mut self, count: usize, tick: u32) {
        self.reset_columns(count);
        self.began.fill(tick);
        self.counts_from.fill(tick);
        self.walls = WallColumn::of_none(count);
        self.stops.clear();
    }

    /// Reorders all columns: `order` lists the old slot of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        self.reorder_columns(order);
        self.walls.reorder(order);
    }

    /// Limits the steps of the given slots, if awake, to the given bins, and of no other slots; steps under way end at
    /// the next tick of these bins.
    pub fn shorten_steps(&mut self, slots: impl Iterator<Item = (u32, u8)>, instant: &Instant) {
        self.least_bins.fill(0);
        for (slot, bin) in slots.map(|(slot, bin)| (slot as usize, bin)) {
            if !self.asleep[slot] {
                self.least_bins[slot] = bin.max(self.least_bins[slot]);
                self.cut_short(slot, bin, instant);
            }
        }
    }

    /// Lets the present step of a particle end as one of a bin does. The force behind that acts from now on, not since
    /// the step began. Firm bonds act all the time: for them the mean of both ends of a step keeps the energy.
    pub fn cut_short(&mut self, slot: usize, bin: u8, instant: &Instant) {
        // A step of a higher bin ends now, or has just begun.
        let goes_on = self.bins[slot] < instant.least_bin();
        if bin > self.bins[slot] {
            self.bins[slot] = bin;
            if goes_on && !self.forces[slot].bound {
                self.counts_from[slot] = instant.tick();
            }
        }
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.bins.len() * self.bytes_per_particle() + self.walls.memory()
    }
}

/// The walls that stopped a particle, by its number.
pub fn stops_of(number: u32, stops: &[(u32, Stop)]) -> impl Iterator<Item = &Stop> {
    let first = stops.partition_point(|(stopped, _)| *stopped < number);
    stops[first..].iter().take_while(move |(stopped, _)| *stopped == number).map(|(_, stop)| stop)
}
