//! The bonds of a material, and the setting of its melt.

use crate::laws::bond::Friction;
use crate::laws::well::{Exponents, Well};
use crate::numbers::between;

/// While matter sets, its bonds grow by a factor e in the time in which sound in them goes this many separations.
const WAYS_TO_GROW: f64 = 8.0;

/// The largest part of matter that may set at once.
const SET_AT_ONCE: f64 = 0.05;

/// Constants of one body's bonds, solid and molten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyBonds {
    /// Exponents of the potential.
    pub exponents: Exponents,
    /// Density at rest, kg/m^3.
    pub rest_density: f64,
    /// Dissociation energy of the solid and of the melt, J/kg.
    pub energies: (f64, f64),
    /// Damping of both, m/s, on the scale of the viscosity of smoothed matter.
    pub damping: (f64, f64),
    /// Growth of the damping with the speed at which a pair parts or nears, over that speed (DG95 (2)).
    pub friction: f64,
    /// Whether each of its [pieces](crate::material::soft) bonds with itself alone.
    pub divides: bool,
}

/// The most damping by friction: that of a viscosity of this multiple of the speed of sound.
const MOST_FRICTION: f64 = 4.0;

impl BodyBonds {
    /// Dissociation energy, J/kg, at a molten part: it changes by equal factors for equal parts, as it may change by
    /// orders of magnitude.
    pub fn energy(&self, melted: f32) -> f64 {
        between(self.energies, f64::from(melted))
    }

    /// The square of the speed of sound in the solid, m^2/s^2.
    pub fn stiffness(&self) -> f64 {
        f64::from(self.exponents.n) * f64::from(self.exponents.m) * self.energies.0
    }

    /// Its friction, given the damping of a pair by speed, kg/m. It is bounded by a multiple of the speed of sound:
    /// more damping would not slow pairs further than matter can follow, and would need ever shorter steps.
    pub fn friction(&self, by_speed: f64) -> Friction {
        let most = MOST_FRICTION * self.stiffness().sqrt() * by_speed;
        Friction { by_speed: (self.friction * by_speed) as f32, most: most as f32 }
    }

    /// Its setting: as fast as particles, drawn by the present bonds, find the places that the growing bonds give them.
    /// Faster setting would fix particles where they push each other, and they would leap.
    pub fn setting(&self, well: &Well) -> Setting {
        let (Exponents { n, m }, (solid, molten)) = (self.exponents, self.energies);
        let speed = (f64::from(n) * f64::from(m) * molten).sqrt();
        Setting { growth: (solid / molten).ln().max(0.0) / 2.0, rate: speed / (2.0 * WAYS_TO_GROW * well.separation) }
    }
}

/// The setting of a body's matter: one over the speed of sound in its bonds falls linearly with time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// Logarithm of the growth of that speed.
    growth: f64,
    /// One over the time in which bonds of the melt would become infinitely strong, 1/s.
    rate: f64,
}

impl Setting {
    /// The part of it that is still molten some seconds after a given part was, however cold it is.
    pub fn after(&self, melted: f64, seconds: f64) -> f64 {
        let slowness = (-self.growth * (1.0 - melted)).exp() - seconds * self.rate;
        let molten = if slowness > 0.0 { 1.0 + slowness.ln() / self.growth.max(f64::MIN_POSITIVE) } else { 0.0 };
        molten.max(melted - SET_AT_ONCE).clamp(0.0, melted)
    }

    /// The time in which matter sets by a small part, s; none where its bonds hardly grow.
    pub fn step(&self) -> Option<f64> {
        (self.growth > SET_AT_ONCE).then(|| SET_AT_ONCE / self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matter sets by the same law with any steps, and in about the time in which sound in its melt goes twice as many
    /// separations.
    #[test]
    fn setting_does_not_depend_on_its_steps() {
        let setting = Setting { growth: 4.0, rate: 2.0 };
        let after = |steps: u32| {
            let step = 0.2 / f64::from(steps);
            (0..steps).fold(1.0, |melted, _| setting.after(melted, step))
        };
        let exact = 1.0 + 0.6_f64.ln() / 4.0;
        assert!((after(10) - exact).abs() < 1e-12 && (after(1000) - exact).abs() < 1e-12, "{} {exact}", after(10));
        let left = |steps: u32| (0..steps).fold(1.0, |melted, _| setting.after(melted, 0.005));
        assert!(left(95) > 0.0 && left(110) == 0.0, "{} {}", left(95), left(110));
        assert!(setting.after(1.0, 10.0) >= 1.0 - SET_AT_ONCE);
    }

    #[test]
    fn a_melt_as_strong_as_the_solid_sets() {
        let setting = Setting { growth: 0.0, rate: 2.0 };
        let left = (0..40).fold(1.0, |melted, _| setting.after(melted, 1.0));
        assert!(left == 0.0, "{left}");
    }
}
