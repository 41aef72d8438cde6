//! Time as an integer: ticks of the frame interval.
//!
//! A step is the frame interval over a power of two and starts at a multiple of itself, so every frame boundary is a
//! synchronisation point, for one global step as for individual ones (DG96 section 5.2; SWIFT's timeline).

/// Ticks in a frame interval.
pub const TICKS: u64 = 1 << MAX_BIN;

/// The bin of the shortest step: the frame interval over 2^24.
pub const MAX_BIN: u32 = 24;

/// Courant number of DG96 (8): the part of a smoothing length that a signal, or a particle, may go in a step.
pub const COURANT: f64 = 0.3;

/// A step that is shorter than the shortest bin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooShort;

/// The longest step, in ticks, that is no longer than `wanted` seconds and may start at `tick`.
///
/// # Errors
/// When not even the shortest bin is short enough, or `wanted` is not a number.
pub fn step(tick: u64, interval: f64, wanted: f64) -> Result<u64, TooShort> {
    let fits = |bin: &u32| interval / f64::from(1_u32 << bin) <= wanted;
    let bin = (0..=MAX_BIN).find(fits).ok_or(TooShort)?;
    let longest = TICKS >> bin;
    // The largest power of two that divides the tick; at the start any step may begin.
    let aligned = if tick == 0 { TICKS } else { 1 << tick.trailing_zeros() };
    Ok(longest.min(aligned))
}

/// Seconds of some ticks.
pub fn seconds(ticks: u64, interval: f64) -> f64 {
    ticks as f64 / TICKS as f64 * interval
}
