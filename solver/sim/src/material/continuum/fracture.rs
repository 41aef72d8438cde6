//! Matter that breaks where its tension passes its strength: the cutoff of Rankine, softened over a crack (Bazant and
//! Oh 1983, "Crack band theory for fracture of concrete", Materials and Structures 16).
//!
//! A particle bears a largest principal stress, elastic and viscous, of strength (1 - damage). What is more is given
//! back as strain, which is the opening of a crack over the width of a band of cells; the damage is that over the
//! opening at which the crack bears nothing, 2 energy / strength. Pressure is that of the step before, so matter that
//! is broken still bears pressure, and as much shear as presses on it.

use super::law::{Deformed, Law, largest, longest, with_deviator_scaled};
use glam::DMat3;

/// The least opening of a crack that bears nothing, over that of a band that is stretched up to its strength: of matter
/// that gives back less, no step could follow how it breaks, and how long it is would tell.
const LEAST_OPENING: f64 = 4.0;

/// When matter breaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fracture {
    /// The largest tension that the matter bears, Pa; above 0.
    pub strength: f64,
    /// Of a crack over its area, J/m^2.
    pub energy: f64,
}

/// Where a particle breaks.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    /// Pa.
    pub pressure: f64,
    /// The damage before the step.
    pub damage: f64,
    /// Width of the band that a crack takes, m.
    pub band: f64,
    /// What viscosity adds to the elastic stress, Pa.
    pub viscous: DMat3,
    /// The strain that gives back a viscous stress in the step, 1/Pa; infinite without viscosity.
    pub yielding: f64,
}

/// What a crack leaves of the stress of a particle.
#[derive(Debug, Clone, Copy)]
pub struct Broken {
    pub deformed: Deformed,
    pub damage: f64,
    /// The part that is left, of the viscous stress too.
    pub kept: f64,
}

impl Fracture {
    /// That of matter of which a part is solid.
    pub fn weaker(&self, part: f64) -> Self {
        Self { strength: part * self.strength, energy: part * self.energy }
    }

    /// What is left of a deformation and of its stress.
    pub fn after(&self, law: &Law, deformed: Deformed, loaded: &Loaded) -> Broken {
        let &Loaded { pressure, damage, viscous, .. } = loaded;
        let most = largest(law.stress(deformed.stretch) + viscous);
        let excess = most - pressure - self.strength * (1.0 - damage);
        if excess <= 0.0 {
            return Broken { deformed, damage, kept: 1.0 };
        }
        let softness = (softness(law, deformed.stretch).recip() + loaded.yielding.recip()).recip();
        let damage = (damage + self.damage_by(most, excess, loaded.band * softness)).min(1.0);
        let left = self.strength * (1.0 - damage) + pressure;
        let kept = if most > 0.0 { (left / most).clamp(0.0, 1.0) } else { 1.0 };
        let stretch = with_deviator_scaled(deformed.stretch, kept);
        Broken { deformed: Deformed { stretch, kept: deformed.kept * kept }, damage, kept }
    }

    /// The damage by a tension that is too much by some Pa, while what is borne sinks with it: no more than by all of
    /// the tension. `stretched` is opening by stress, m/Pa.
    fn damage_by(&self, tension: f64, excess: f64, stretched: f64) -> f64 {
        let opening = (2.0 * self.energy / self.strength).max(LEAST_OPENING * stretched * self.strength);
        stretched * (excess / (opening - stretched * self.strength)).min(tension.max(0.0) / opening)
    }
}

/// The strain that gives back a tension, 1/Pa: that of b, which is twice the strain times b.
fn softness(law: &Law, stretch: DMat3) -> f64 {
    1.0 / (2.0 * law.shear_modulus * longest(stretch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::continuum::law::size_of;
    use glam::DVec3;

    const LAW: Law = Law { shear_modulus: 1e5, flow: None };

    /// Without viscosity.
    fn still(pressure: f64, damage: f64, band: f64) -> Loaded {
        Loaded { pressure, damage, band, viscous: DMat3::ZERO, yielding: f64::INFINITY }
    }

    fn tension(law: &Law, stretch: DMat3) -> f64 {
        // Nothing presses from the sides.
        law.stress(stretch).x_axis.x - law.stress(stretch).y_axis.y
    }

    /// The work on a band that is drawn apart until it bears nothing, over its area, J/m^2, and the largest tension,
    /// Pa, with so much strain a step.
    fn drawn(fracture: &Fracture, strain: f64, band: f64) -> (f64, f64) {
        let (mut stretch, mut damage, mut pressure) = (DMat3::IDENTITY, 0.0, 0.0);
        let (mut work, mut most, mut before) = (0.0, 0.0_f64, 0.0);
        let gradient = DMat3::from_diagonal(DVec3::new(strain, -strain / 2.0, -strain / 2.0));
        for _ in 0..(2.0 / strain) as usize {
            let trial = LAW.after(stretch, gradient, 0.01);
            let Broken { deformed: after, damage: now, .. } =
                fracture.after(&LAW, trial, &still(pressure, damage, band));
            assert!(now >= damage && now <= 1.0);
            (stretch, damage) = (after.stretch, now);
            pressure = LAW.stress(stretch).y_axis.y;
            let tension = tension(&LAW, stretch);
            work += band * strain * f64::midpoint(before, tension);
            most = most.max(tension);
            before = tension;
        }
        assert!((damage - 1.0).abs() < 1e-9 && before.abs() < 1e-3 * fracture.strength, "{damage} {before}");
        (work, most)
    }

    /// The energy of a crack is that of the settings, and its tension the strength, for any length of the step.
    #[test]
    fn a_crack_takes_its_energy() {
        let fracture = Fracture { strength: 5000.0, energy: 20.0 };
        for band in [0.02, 0.01] {
            for strain in [4e-3, 1e-3, 2e-4] {
                let (work, most) = drawn(&fracture, strain, band);
                assert!((work / fracture.energy - 1.0).abs() < 0.03, "{work} J/m^2");
                assert!((most / fracture.strength - 1.0).abs() < 0.05, "{most} Pa");
            }
        }
    }

    /// Without an energy a crack takes what its band stores, by its width, and no more for shorter steps.
    #[test]
    fn a_crack_without_energy_takes_that_of_its_band() {
        let fracture = Fracture { strength: 5000.0, energy: 0.0 };
        let of = |strain, band| drawn(&fracture, strain, band).0;
        let [wide, narrow, short] = [of(1e-3, 0.02), of(1e-3, 0.01), of(2e-4, 0.02)];
        assert!((wide / narrow - 2.0).abs() < 1e-6 && (wide / short - 1.0).abs() < 0.1, "{wide} {narrow} {short}");
    }

    /// The largest principal stress is what is borne, exactly.
    #[test]
    fn the_cutoff_is_exact() {
        let fracture = Fracture { strength: 3000.0, energy: 5.0 };
        let gradient = DMat3::from_cols_array(&[0.04, 0.01, -0.02, 0.03, -0.01, 0.02, 0.0, 0.05, -0.03]);
        let trial = LAW.after(DMat3::IDENTITY, gradient, 0.01);
        for (pressure, damage) in [(0.0, 0.0), (500.0, 0.4), (-900.0, 0.1), (2000.0, 1.0)] {
            let Broken { deformed: after, damage: now, .. } =
                fracture.after(&LAW, trial, &still(pressure, damage, 0.01));
            let (stress, borne) = (LAW.stress(after.stretch), fracture.strength * (1.0 - now));
            assert!((largest(stress) - pressure - borne).abs() < 1e-6 * fracture.strength, "{stress} {borne}");
            assert!((after.stretch.determinant() - 1.0).abs() < 1e-9);
        }
    }

    /// What is broken bears shear while pressure holds it together, and none without.
    #[test]
    fn broken_matter_bears_shear_under_pressure_alone() {
        let fracture = Fracture { strength: 3000.0, energy: 5.0 };
        let shear = DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, DVec3::new(0.1, 0.0, 0.0));
        let trial = LAW.after(DMat3::IDENTITY, shear, 0.01);
        let left =
            |pressure| size_of(LAW.stress(fracture.after(&LAW, trial, &still(pressure, 1.0, 0.01)).deformed.stretch));
        assert_eq!((left(0.0), left(-100.0)), (0.0, 0.0));
        assert!((left(1000.0) - 1000.0).abs() < 60.0 && left(1e6) > 9000.0, "{} {}", left(1000.0), left(1e6));
    }
}
