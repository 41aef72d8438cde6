//! The share that a wall adds to the density of a particle near it.
//!
//! A wall counts as filled with matter at rest. Its share of the kernel sum is A I(d)^p, where I(d) is the kernel
//! integrated over the half space, or the half plane, beyond the wall at distance d. A and p are chosen so that the
//! share and its slope fit a close-packed row that rests on the wall ([`RestingRow`]): the row is neither denser nor
//! thinner than at rest, and with its own pressure it carries that of the matter above. So it neither sinks in nor
//! stands off, and the pressure goes on evenly up to the wall. For a gas the share is that of matter as dense as the
//! particle itself ([`Backing`](crate::material::pressure::Backing)), still by derivatives of one energy.
//!
//! The push is the gradient of the particle's own elastic energy. A push that is the gradient of no energy, such as one
//! by the pressure of mirrored particles, feeds energy to the matter, which then boils.

use crate::SmoothingKernel;
use crate::kernel::Dimensions;
use crate::lattice::RestingRow;
use std::f64::consts::TAU;

/// Entries of the table over one support radius.
const ENTRIES: usize = 256;

/// The share of a flat wall by distance.
#[derive(Debug, Clone)]
pub struct WallKernel {
    support: f64,
    /// The wall's share at distances 0, support / ENTRIES, ...
    shares: Vec<f64>,
}

impl WallKernel {
    /// A table for a kernel and a particle spacing, m.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let support = kernel.support();
        let row = RestingRow::new(kernel, spacing);
        let integral = half_space_integral(kernel, row.distance);
        let exponent = -row.slope * integral / (sheet_integral(kernel, row.distance) * row.share);
        let share = |distance| row.share * (half_space_integral(kernel, distance) / integral).powf(exponent);
        let shares = (0..=ENTRIES).map(|i| share(support * i as f64 / ENTRIES as f64)).collect();
        Self { support, shares }
    }

    /// The wall's share of the volume sum, and its derivative by distance (1/m), at a signed distance in m.
    pub fn share(&self, distance: f64) -> (f64, f64) {
        let step = self.support / ENTRIES as f64;
        if distance >= self.support {
            return (0.0, 0.0);
        }
        let at = distance / step;
        // Inside the wall the first slope goes on, so that the wall pushes out from any depth.
        let entry = (at.max(0.0) as usize).min(ENTRIES - 1);
        let slope = self.shares[entry + 1] - self.shares[entry];
        (self.shares[entry] + slope * (at - entry as f64), slope / step)
    }
}

/// The kernel integrated over the half space, or the half of a plate, that begins at distance z from the particle; up
/// to a factor that [`sheet_integral`] shares.
fn half_space_integral(kernel: &SmoothingKernel, z: f64) -> f64 {
    over_half_space(kernel, z, |r| kernel.value(r))
}

/// A function of distance, which is zero beyond the support of a kernel, integrated over the half space, or the half
/// plane of a kernel in a plate, that begins at distance z >= 0.
pub fn over_half_space(kernel: &SmoothingKernel, z: f64, value: impl Fn(f64) -> f64) -> f64 {
    match kernel.dimensions() {
        // Arcs of the disc beyond the line: 2 times the integral of f(r) r acos(z / r) dr. Near z it rises as a square
        // root, which r = z + depth t^2 makes straight.
        Dimensions::Two => {
            let depth = kernel.support() - z;
            let arcs = |r: f64| 2.0 * value(r) * r * (z / r).min(1.0).acos();
            integral(0.0, 1.0, |t| if t > 0.0 { arcs(z + depth * t * t) * 2.0 * depth * t } else { 0.0 })
        }
        // Slices of the ball beyond the plane: 2 pi times the integral of f(r) r (r - z) dr.
        Dimensions::Three => TAU * integral(z, kernel.support(), |r| value(r) * r * (r - z)),
    }
}

/// The same function times the distance from the plane, or the line, through the particle.
pub fn moment_of_half_space(kernel: &SmoothingKernel, z: f64, value: impl Fn(f64) -> f64) -> f64 {
    let moment = |r: f64| match kernel.dimensions() {
        Dimensions::Two => 2.0 * r * (r * r - z * z).max(0.0).sqrt(),
        Dimensions::Three => TAU / 2.0 * r * (r * r - z * z),
    };
    integral(z, kernel.support(), |r| value(r) * moment(r))
}

/// The kernel integrated over a plane, or the line of a plate, at distance z from the particle, 1/m.
fn sheet_integral(kernel: &SmoothingKernel, z: f64) -> f64 {
    match kernel.dimensions() {
        Dimensions::Two => {
            let half = (kernel.support().powi(2) - z * z).max(0.0).sqrt();
            2.0 * integral(0.0, half, |x| kernel.value(x.hypot(z)))
        }
        Dimensions::Three => TAU * integral(z, kernel.support(), |r| kernel.value(r) * r),
    }
}

/// By Simpson's rule; zero for an empty interval.
fn integral(from: f64, to: f64, value: impl Fn(f64) -> f64) -> f64 {
    let pieces = 64;
    let step = (to - from).max(0.0) / f64::from(pieces);
    let weight = |i: i32| match i {
        0 => 1.0,
        i if i == pieces => 1.0,
        i if i % 2 == 1 => 4.0,
        _ => 2.0,
    };
    step / 3.0 * (0..=pieces).map(|i| weight(i) * value(from + f64::from(i) * step)).sum::<f64>()
}
