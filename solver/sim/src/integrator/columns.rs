//! What the integrator keeps of each particle besides its state.

use super::contacting::Touched;
use super::instant::Instant;
use crate::boundary::{Stop, WallColumn};
use crate::columns::columns;
use crate::material::Force;
use glam::Vec3;

columns! {
    /// One entry a particle, in the same order as [`Particles`](crate::particles::Particles).
    #[derive(Debug, Default)]
    pub struct StepColumns {
        /// Forces at the last evaluation.
        forces: Force,
        /// Tick of the frame at which that was.
        began: u32,
        /// Tick from which the force at the end of the step counts: the one at which it began, or that at which it was
        /// [cut short](Self::cut_short).
        counts_from: u32,
        /// Bin of the step that began then.
        bins: u8,
        /// How far each may go without feeling a wall that stands still, m.
        clear: f32,
        /// What pieces of soft matter do to each other; empty where no two can touch.
        touched: Touched,
        /// The longest steps that each may take have this bin.
        least_bins: u8,
        /// Way of each since the frame began, m; infinite when it [went astray](super::sleep::Rest::way).
        ways: Vec3,
        /// Which of them [sleep](super::sleep).
        asleep: bool,
    }
    besides {
        /// Walls at the last evaluation.
        walls: WallColumn,
        /// Walls that stopped some as their steps ended, by their numbers in rising order.
        stops: Vec<(u32, Stop)>,
    }
}

impl StepColumns {
    /// Makes all anew for some particles, whose steps begin at a tick; what pieces of soft matter do to each other
    /// stays.
    pub fn renew(&mut self, count: usize, tick: u32) {
        let touched = std::mem::take(&mut self.touched);
        self.reset_columns(count);
        self.touched = touched;
        self.began.fill(tick);
        self.counts_from.fill(tick);
        self.walls = WallColumn::of_none(count);
        self.stops.clear();
    }

    /// Puts all into another order: that of the old slots of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        self.reorder_columns(order);
        self.walls.reorder(order);
    }

    /// Lets those in some slots that are awake, and no others, take no longer steps than those of the bins that are
    /// given with them; what is under way ends at the next tick that these meet.
    pub fn shorten_steps(&mut self, slots: impl Iterator<Item = (u32, u8)>, instant: &Instant) {
        self.least_bins.fill(0);
        for (slot, bin) in slots.map(|(slot, bin)| (slot as usize, bin)) {
            if !self.asleep[slot] {
                self.least_bins[slot] = bin;
                self.cut_short(slot, bin, instant);
            }
        }
    }

    /// Lets the step that a particle takes end as one of a bin does. What asks for that pushes it from now on, not
    /// since the step began. Firm bonds push all the time: for them the mean of both ends of a step keeps the energy.
    pub fn cut_short(&mut self, slot: usize, bin: u8, instant: &Instant) {
        // That of a higher bin ends now, or has just begun.
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

/// The walls that stopped the particle of that number.
pub fn stops_of(number: u32, stops: &[(u32, Stop)]) -> impl Iterator<Item = &Stop> {
    let first = stops.partition_point(|(stopped, _)| *stopped < number);
    stops[first..].iter().take_while(move |(stopped, _)| *stopped == number).map(|(_, stop)| stop)
}
