//! What the integrator keeps of each particle besides its state.

use super::contacting::Touched;
use super::instant::Instant;
use crate::boundary::{Stop, WallColumn};
use crate::material::Force;
use crate::particles::reorder;
use glam::{DVec3, Vec3};

/// One entry a particle, in the same order as [`Particles`](crate::particles::Particles).
#[derive(Debug, Default)]
pub struct Columns {
    /// Walls at the last evaluation.
    pub walls: WallColumn,
    /// Forces then.
    pub forces: Vec<Force>,
    /// Tick of the frame at which that was.
    pub began: Vec<u32>,
    /// Tick from which the force at the end of the step counts: the one at which it began, or that at which it was
    /// [cut short](Self::cut_short).
    pub counts_from: Vec<u32>,
    /// Bin of the step that began then.
    pub bins: Vec<u8>,
    /// How far each may go without feeling a wall that stands still, m.
    pub clear: Vec<f32>,
    /// What pieces of soft matter do to each other; empty where no two can touch.
    pub touched: Vec<Touched>,
    /// The longest steps that each may take have this bin.
    pub least_bins: Vec<u8>,
    /// Way of each since the frame began, m; infinite when it [went astray](super::sleep::Rest::way).
    pub ways: Vec<Vec3>,
    /// Which of them [sleep](super::sleep).
    pub asleep: Vec<bool>,
    /// Walls that stopped some as their steps ended, by their numbers in rising order.
    pub stops: Vec<(u32, Stop)>,
}

impl Columns {
    /// Makes all anew for some particles, whose steps begin at a tick.
    pub fn renew(&mut self, count: usize, tick: u32) {
        self.walls = WallColumn::of_none(count);
        self.forces.clear();
        self.forces.resize(count, Force::default());
        self.began.clear();
        self.began.resize(count, tick);
        self.counts_from.clear();
        self.counts_from.resize(count, tick);
        self.bins.clear();
        self.bins.resize(count, 0);
        self.clear.clear();
        self.clear.resize(count, 0.0);
        self.least_bins.clear();
        self.least_bins.resize(count, 0);
        self.ways.clear();
        self.ways.resize(count, Vec3::ZERO);
        self.asleep.clear();
        self.asleep.resize(count, false);
        self.stops.clear();
    }

    /// Puts all into another order: that of the old places of each new one.
    pub fn reorder(&mut self, order: &[u32]) {
        let Self { walls, forces, began, counts_from, bins, clear, touched, least_bins, ways, asleep, stops: _ } = self;
        walls.reorder(order);
        reorder(forces, order);
        reorder(began, order);
        reorder(counts_from, order);
        reorder(bins, order);
        reorder(clear, order);
        reorder(touched, order);
        reorder(least_bins, order);
        reorder(ways, order);
        reorder(asleep, order);
    }

    /// Lets those in some slots that are awake, and no others, take no longer steps than those of the bins that are given with
    /// them; what is under way ends at the next tick that these meet.
    pub fn hasten(&mut self, slots: impl Iterator<Item = (u32, u8)>, instant: &Instant) {
        self.least_bins.fill(0);
        for (slot, bin) in slots.map(|(slot, bin)| (slot as usize, bin)) {
            if !self.asleep[slot] {
                self.least_bins[slot] = bin;
                self.cut_short(slot, bin, instant);
            }
        }
    }

    /// Lets the step that a particle takes end as one of a bin does. What asks for that pushes it from now on, not since the
    /// step began. Firm bonds push all the time: for them the mean of both ends of a step keeps the energy.
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
        let per_particle =
            size_of::<Force>() + 2 * size_of::<u32>() + 2 * size_of::<u8>() + size_of::<f32>() + size_of::<Vec3>() + 1;
        self.bins.len() * per_particle + self.touched.len() * size_of::<Touched>() + self.walls.memory()
    }
}

/// The velocity of the particle of that number, m/s, without what of it leads into the walls that stopped it.
pub fn stopped(velocity: DVec3, number: u32, stops: &[(u32, Stop)]) -> DVec3 {
    let first = stops.partition_point(|(stopped, _)| *stopped < number);
    let own = stops[first..].iter().take_while(|(stopped, _)| *stopped == number);
    own.fold(velocity, |velocity, (_, stop)| stop.stopped(velocity))
}
