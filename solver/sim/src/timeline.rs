//! Time as an integer: ticks of the frame interval.
//!
//! A frame is divided into base x 2^n steps of the shortest kind, where the base is 4, 5, 6 or 7 and is chosen for each
//! frame. All other steps are multiples of these and start at multiples of themselves, so every frame boundary is a
//! synchronisation point (DG96 section 5.2; SWIFT's timeline, there with powers of two alone, which makes steps up to
//! twice as short as they need to be). Which of the lengths a step has is called its bin: the higher, the shorter.

/// Ticks in a frame interval: a multiple of each base times the same power of two.
pub const TICKS: u32 = 105 << MAX_BIN;

/// The bin of the shortest steps, of which a frame has 2^24 or up to 7/4 times as many.
pub const MAX_BIN: u8 = 24;

/// Number of bins.
pub const BINS: usize = MAX_BIN as usize + 1;

/// By how many bins the steps of neighbours may differ at most (errata 6; Saitoh and Makino 2009; as in SWIFT).
pub const MOST_APART: u8 = 2;

/// Courant number of DG96 (8): the part of a smoothing length that sound in smoothed matter may go in a step. In print
/// it is 0.3; docs/performance.md has what steps of other lengths do.
pub const COURANT: f64 = 0.6;

/// The same for the viscosity c of DG96 (5), which stands beside the speed of sound in (8). It is no signal, but
/// friction among neighbours: on the lattice in space steps 1.75 times as long as these are stable, in the plane 1.25
/// times. Where there are more of them than usual they are shorter by [that](crate::laws::forces::friction).
pub const VISCOUS_COURANT: f64 = 1.2;

/// The same for what bonds or strength hold together, and for the way of any particle, as in print. Damping of bonds
/// resists parting as it does approach, and soft matter that is drawn out drifts by four times as much of its energy
/// with twice that; shear waves by three times.
pub const BOUND_COURANT: f64 = 0.3;

/// A step that is shorter than the shortest bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooShort;

/// How a frame is divided into steps: in bin 0 into one, in bin n from 2 on into base x 2^(n - 2), which is from 2^n on
/// and less than 2^(n + 1). Steps of bin 1 are twice as long as those of bin 2 if the frame holds a whole number of
/// these, and else as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeline {
    base: u32,
}

impl Timeline {
    /// All there are.
    pub const ALL: [Self; 4] = [Self { base: 4 }, Self { base: 5 }, Self { base: 6 }, Self { base: 7 }];

    /// The one that halves the frame again and again.
    pub const HALVES: Self = Self { base: 4 };

    /// The one in which some particles take the fewest steps together, given the [`squared`](Self::bin) ratio of each;
    /// the first of those that are alike in that.
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

    /// The bin of the longest step that is short enough, given the square of the frame's length over such a step's.
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

    /// The bin of the longest step that may begin or end at a tick; all shorter ones may too.
    pub fn longest_at(self, tick: u32) -> u8 {
        if let Some(bin) = (0..2).find(|&bin| self.meets(bin, tick)) {
            return bin;
        }
        let shortest_steps = tick / self.ticks(MAX_BIN);
        MAX_BIN - (shortest_steps.trailing_zeros() as u8).min(MAX_BIN - 2)
    }

    /// When the step of a bin that is under way at a tick, or begins there, ends.
    pub fn end_after(self, bin: u8, tick: u32) -> u32 {
        let ticks = self.ticks(bin);
        (tick / ticks + 1) * ticks
    }
}

/// Seconds of some ticks.
pub fn seconds(ticks: u32, interval: f64) -> f64 {
    f64::from(ticks) / f64::from(TICKS) * interval
}
