//! How long the steps of matter on a grid may be.

use super::step::WAVE_STEPS;
use std::f64::consts::PI;

/// Cells that matter crosses in a step.
const CELLS_A_STEP: f64 = 1.0;
/// Cells that a wave of shear crosses in a step, unless that takes more than [`WAVE_STEPS`].
const WAVE_A_STEP: f64 = 2.0;
/// Frames a second for which [`WAVE_STEPS`] is meant. In longer ones as many steps a second follow waves, but for
/// frames that are more than some times as long.
const USUAL_RATE: f64 = 24.0;
const SLOWEST: f64 = 4.0;
/// The most that the phase of a wave on a liquid, two cells long, advances in a step.
const RESOLVED: f64 = 0.6;
/// The longest step over the square root of width^3 over tension per density: kernels smooth the shortest waves.
const CAPILLARY: f64 = 1.0;
/// Steps of a frame that waves of surface tension may ask for.
const MOST_CAPILLARY: f64 = 256.0;
/// The most elastic stiffness of a cell in the shortest step by waves of shear, G dt^2 / (rho h^2): matter that is
/// stiffer looks the same, and its stress would magnify what a solve leaves.
const MOST_STIFF: f64 = 1e4;
/// Most steps in a frame: matter that needs more is faster than liquids are, or its motion means nothing any more.
pub const MOST_STEPS: f64 = 4096.0;

/// The longest step, s, at a speed, m/s, in some gravity, m/s^2, on cells of a width, m.
pub fn by_motion(speed: f64, gravity: f64, width: f64) -> f64 {
    let width = CELLS_A_STEP * width;
    // What gravity adds in a step counts as well: v s + g s^2 is a cell.
    2.0 * width / (speed + (speed * speed + 4.0 * gravity * width).sqrt()).max(1e-12)
}

/// The steps in some seconds, a frame or a part of one, that waves of shear may ask for.
fn wave_steps(seconds: f64) -> f64 {
    WAVE_STEPS * (seconds * USUAL_RATE).clamp(1.0, SLOWEST)
}

/// The longest step, s, of matter with waves of shear at a speed, m/s, in a frame, or a part of one, of some seconds.
pub fn by_shear_waves(speed: f64, width: f64, interval: f64) -> f64 {
    (WAVE_A_STEP * width / speed).max(interval / wave_steps(interval))
}

/// The longest step, s, of a thin liquid in some gravity, m/s^2: longer ones feed waves on its surface.
pub fn by_gravity_waves(gravity: f64, width: f64) -> f64 {
    RESOLVED * (width / (PI * gravity)).sqrt()
}

/// The longest step, s, by waves of surface tension over density, m^3/s^2.
pub fn by_capillary_waves(tension: f64, width: f64) -> f64 {
    CAPILLARY * (width.powi(3) / tension).sqrt()
}

/// The most surface tension over density, m^3/s^2, that frames of some seconds can follow: more looks the same.
pub fn most_tension(width: f64, interval: f64) -> f64 {
    width.powi(3) * (CAPILLARY * MOST_CAPILLARY / interval).powi(2)
}

/// The most shear modulus, Pa, at a density, kg/m^3, that frames of some seconds can show: more looks the same.
pub fn most_modulus(density: f64, width: f64, interval: f64) -> f64 {
    let speed = width * wave_steps(interval) / interval;
    MOST_STIFF * density * speed * speed
}

/// Steps of a length, s, in some seconds.
pub fn steps_in(seconds: f64, longest: f64) -> f64 {
    (seconds / longest).ceil().clamp(1.0, MOST_STEPS)
}
