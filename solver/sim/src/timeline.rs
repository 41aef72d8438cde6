//! Time as an integer: ticks of the frame interval.
//!
//! A frame is divided into base x 2^n steps of the shortest kind, where the base is 4, 5, 6 or 7 and is chosen for each
//! frame. All other steps are multiples of these and start at multiples of themselves, so every frame boundary is a
//! synchronisation point (DG96 section 5.2; SWIFT's timeline, there with powers of two alone, which makes steps up to
//! twice as short as they need to be). Which of the lengths a step has is called its bin: the higher, the shorter.

use std::ops::Range;

/// Ticks in a frame interval: a multiple of each base times the same power of two.
pub const TICKS: u32 = 105 << MAX_BIN;

/// The bin of the shortest steps; a frame has 2^24 to 7/4 times as many of these.
pub const MAX_BIN: u8 = 24;

/// Number of bins.
pub const BINS: usize = MAX_BIN as usize + 1;

/// By how many bins the steps of neighbours may differ at most (errata 6; Saitoh and Makino 2009; as in SWIFT).
pub const MOST_APART: u8 = 2;

/// Courant number of DG96 (8): the part of a smoothing length that sound in smoothed matter may travel in a step. In
/// print it is 0.3; docs/performance.md shows the results of other lengths.
pub const COURANT: f64 = 0.6;

/// The Courant number for the viscosity c of DG96 (5), which stands beside the speed of sound in (8). It is no signal
/// speed, but friction among neighbours: on the lattice steps 1.75 times as long as these are stable in space, and 1.25
/// times in the plane. With more neighbours than usual steps are shorter by [this
/// factor](crate::laws::forces::friction).
pub const VISCOUS_COURANT: f64 = 1.2;

/// The Courant number for matter with bonds or strength, and for the displacement of any particle, as in print. Damping
/// of bonds resists parting as it does approach. With twice that number soft matter that is drawn out drifts by four
/// times as much of its energy, and shear waves by three times.
pub const BOUND_COURANT: f64 = 0.3;

/// A step that is shorter than the shortest bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooShort;

/// The division of a frame into steps: one in bin 0, and base x 2^(n - 2) in bin n from 2 on, which is at least 2^n and
/// less than 2^(n + 1). Steps of bin 1 are twice as long as those of bin 2 if the frame holds a whole number of these,
/// and otherwise as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    base: u32,
}

impl Timeline {
    /// All timelines.
    pub const ALL: [Self; 4] = [Self { base: 4 }, Self { base: 5 }, Self { base: 6 }, Self { base: 7 }];

    /// The timeline that halves the frame again and again.
    pub const HALVES: Self = Self { base: 4 };

    /// The timeline in which some particles take the fewest steps together, given the [`squared`](Self::bin) ratio of
    /// each; the first of equal ones.
    pub fn cheapest(squared: impl Iterator<Item = f64>) -> Self {
        let steps =
            |squared: f64| Self::ALL.map(|timeline| timeline.bin(squared).map_or(u32::MAX, |bin| timeline.steps(bin)));
        let sums = squared.map(steps).fold([0_u64; 4], |mut sums, steps| {
            sums.iter_mut().zip(steps).for_each(|(sum, steps)| *sum += u64::from(steps));
            sums
        });
        let cheapest = (0..4).min_by_key(|&n| sums[n]).unwrap_or(0);
        Self::ALL[cheapest]
    }

    /// Steps of a bin in a frame.
    pub fn steps(self, bin: u8) -> u32 {
        match bin {
            0 => 1,
            1 if !self.base.is_multiple_of(2) => self.base,
            1 => self.base / 2,
            _ => self.base << (bin - 2),
        }
    }

    /// The bin of the longest step that is short enough, given the square of the frame's length over the length of such
    /// a step.
    ///
    /// # Errors
    /// When not even the shortest bin is short enough, or the ratio is not a number.
    pub fn bin(self, squared: f64) -> Result<u8, TooShort> {
        let fits = |bin: &u8| {
            let steps = f64::from(self.steps(*bin));
            squared <= steps * steps
        };
        // Half the exponent is the bin or just below it.
        let exponent = (squared.to_bits() >> 52) as i32 - 1023;
        let first = exponent.clamp(0, 2 * i32::from(MAX_BIN)) as u8 / 2;
        (first..=MAX_BIN).find(fits).ok_or(TooShort)
    }

    /// Ticks of a step.
    pub fn ticks(self, bin: u8) -> u32 {
        TICKS / self.steps(bin)
    }

    /// Whether steps of a bin begin and end at a tick.
    pub fn meets(self, bin: u8, tick: u32) -> bool {
        tick.is_multiple_of(self.ticks(bin))
    }

    /// The bin of the longest step that may begin or end at a tick; all shorter steps may too.
    pub fn longest_at(self, tick: u32) -> u8 {
        if let Some(bin) = (0..2).find(|&bin| self.meets(bin, tick)) {
            return bin;
        }
        let shortest_steps = tick / self.ticks(MAX_BIN);
        MAX_BIN - (shortest_steps.trailing_zeros() as u8).min(MAX_BIN - 2)
    }

    /// The end of a bin's step that is under way at a tick, or begins there.
    pub fn end_after(self, bin: u8, tick: u32) -> u32 {
        let ticks = self.ticks(bin);
        (tick / ticks + 1) * ticks
    }
}

/// How often a frame of some seconds is halved, from the start of a range up to its end, for a part no longer than a
/// number of seconds.
pub fn halvings(range: Range<u8>, interval: f64, longest: f64) -> u8 {
    let fits = |halvings: &u8| seconds(Timeline::HALVES.ticks(*halvings), interval) <= longest;
    range.clone().find(fits).unwrap_or(range.end.max(range.start))
}

/// Seconds of some ticks.
pub fn seconds(ticks: u32, interval: f64) -> f64 {
    f64::from(ticks) / f64::from(TICKS) * interval
}
