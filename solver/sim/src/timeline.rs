//! Time as an integer: ticks of the frame interval.
//!
//! A step is the frame interval over a power of two and starts at a multiple of itself, so every frame boundary is a
//! synchronisation point (DG96 section 5.2; SWIFT's timeline). The power is called the step's bin: the higher, the
//! shorter.

/// Ticks in a frame interval.
pub const TICKS: u32 = 1 << MAX_BIN;

/// The bin of the shortest step: the frame interval over 2^24.
pub const MAX_BIN: u8 = 24;

/// Number of bins.
pub const BINS: usize = MAX_BIN as usize + 1;

/// By how many bins the steps of neighbours may differ at most (PHYSICS errata 6; Saitoh and Makino 2009; as in SWIFT).
pub const MOST_APART: u8 = 2;

/// Courant number of DG96 (8): the part of a smoothing length that a signal, or a particle, may go in a step.
pub const COURANT: f64 = 0.3;

/// A step that is shorter than the shortest bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooShort;

/// The bin of the longest step that is short enough, given the square of the frame's length over such a step's.
///
/// # Errors
/// When not even the shortest bin is short enough, or the ratio is not a number.
pub fn bin(squared: f64) -> Result<u8, TooShort> {
    let fits = |bin: &u8| squared <= f64::from(1_u32 << bin) * f64::from(1_u32 << bin);
    // Half the exponent is the bin or just below it.
    let exponent = (squared.to_bits() >> 52) as i32 - 1023;
    let first = exponent.clamp(0, 2 * i32::from(MAX_BIN)) as u8 / 2;
    (first..=MAX_BIN).find(fits).ok_or(TooShort)
}

/// Ticks of a step.
pub fn ticks(bin: u8) -> u32 {
    TICKS >> bin
}

/// Whether steps of a bin begin and end at a tick.
pub fn meets(bin: u8, tick: u32) -> bool {
    tick.is_multiple_of(ticks(bin))
}

/// The bin of the longest step that may begin or end at a tick; all shorter ones may too.
pub fn longest_at(tick: u32) -> u8 {
    MAX_BIN - (tick.trailing_zeros() as u8).min(MAX_BIN)
}

/// When the step of a bin that is under way at a tick, or begins there, ends.
pub fn end_after(bin: u8, tick: u32) -> u32 {
    (tick / ticks(bin) + 1) * ticks(bin)
}

/// Seconds of some ticks.
pub fn seconds(ticks: u32, interval: f64) -> f64 {
    f64::from(ticks) / f64::from(TICKS) * interval
}
