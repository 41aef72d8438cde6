//! Which steps the particles of a frame took.

use dollop_sim::Frame;
use serde::{Deserialize, Serialize};

/// Particles that took steps of about one length.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BinRecord {
    /// They took from 2^bin to 2^(bin + 1) - 1 steps in the frame interval.
    pub bin: u8,
    /// Length of the longest such step, s; the others are more than half as long.
    pub step: f64,
    /// Particles, averaged over the time since the frame before.
    pub particles: f64,
}

/// The bins that held particles since the frame before, longest steps first; none at the first frame.
pub fn occupied_bins(frame: &Frame) -> Vec<BinRecord> {
    let bins = (0_u8..).zip(frame.stats.particles_in_bins);
    let occupied = bins.filter(|&(_, particles)| particles > 0.0);
    occupied
        .map(|(bin, particles)| BinRecord { bin, step: frame.interval / 2_f64.powi(i32::from(bin)), particles })
        .collect()
}
