//! The law of matter that melts.

use super::Law;
use crate::numbers::between;
use crate::particles::Density;
use dollop_scene::{Ambient, Molten, Smoothed};

/// Constants of one body's matter, solid and molten.
///
/// In between, stiffness and viscosity change by equal factors for equal molten parts, as they may differ by orders of
/// magnitude; cohesion and yield stress change linearly. So does a viscosity that is zero at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyLaw {
    /// The law of solid matter, and of matter that never melts.
    pub solid: Law,
    /// The law of molten matter.
    pub molten: Option<Law>,
}

impl From<Law> for BodyLaw {
    fn from(solid: Law) -> Self {
        Self { solid, molten: None }
    }
}

impl BodyLaw {
    /// The law of smoothed matter in a scene's ambient air.
    pub fn of_smoothed(material: &Smoothed, ambient: &Ambient) -> Self {
        let molten = material.molten.as_ref().map(|molten| {
            let Molten { stiffness, viscosity, cohesion, yield_stress } = *molten;
            Law::new(&Smoothed { stiffness, viscosity, cohesion, yield_stress, ..material.clone() }, ambient)
        });
        Self { solid: Law::new(material, ambient), molten }
    }

    /// The law of matter that other matter does not press.
    #[must_use]
    pub fn alone(self) -> Self {
        let alone = |law: Law| Law { fluid: false, ..law };
        Self { solid: alone(self.solid), molten: self.molten.map(alone) }
    }

    /// The law at a molten part from 0 to 1.
    pub fn at(&self, melted: f32) -> Law {
        let Some(molten) = self.molten.filter(|_| melted > 0.0) else { return self.solid };
        if melted >= 1.0 {
            return molten;
        }
        let evenly = |a: f32, b: f32| a + melted * (b - a);
        let by_factors = |a: f32, b: f32| between((f64::from(a), f64::from(b)), f64::from(melted)) as f32;
        Law {
            modulus: by_factors(self.solid.modulus, molten.modulus),
            viscosity: by_factors(self.solid.viscosity, molten.viscosity),
            cohesion: evenly(self.solid.cohesion, molten.cohesion),
            yield_stress: self.yield_stress(melted),
            ..self.solid
        }
    }

    /// The yield stress at a molten part, Pa: linear from solid to molten.
    pub fn yield_stress(&self, melted: f32) -> f32 {
        let solid = self.solid.yield_stress;
        self.molten.map_or(solid, |molten| solid + melted.clamp(0.0, 1.0) * (molten.yield_stress - solid))
    }

    /// Whether the matter has a yield stress, solid or molten.
    pub fn has_strength(&self) -> bool {
        self.yield_stress(0.0) > 0.0 || self.yield_stress(1.0) > 0.0
    }

    /// Elastic energy per volume at rest, J/m^3, that matter of a density gains when its molten part changes.
    pub fn gain(&self, density: Density, (before, after): (f32, f32)) -> f64 {
        if self.molten.is_none() { 0.0 } else { self.at(after).energy(density) - self.at(before).energy(density) }
    }

    /// The law by which matter [settles](Law::settling).
    #[must_use]
    pub fn settling(&self) -> Self {
        Self { solid: self.solid.settling(), molten: self.molten.map(Law::settling) }
    }

    /// The law of matter [without strength](Law::without_strength).
    #[must_use]
    pub fn without_strength(&self) -> Self {
        Self { solid: self.solid.without_strength(), molten: self.molten.map(Law::without_strength) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn melting_goes_by_equal_factors() {
        let molten = Molten { stiffness: 100.0, viscosity: 0.1, cohesion: 0.2, yield_stress: 300.0 };
        let material = Smoothed {
            stiffness: 10_000.0,
            viscosity: 10.0,
            cohesion: 0.0,
            yield_stress: 500.0,
            molten: Some(molten),
            ..Smoothed::default()
        };
        let law = BodyLaw::of_smoothed(&material, &Ambient::default());
        assert_eq!((law.at(0.0), law.at(1.0)), (law.solid, law.molten.unwrap_or(law.solid)));
        let half = law.at(0.5);
        let expected = [half.modulus / 1e6, half.viscosity / 1.0, half.cohesion / 0.1, half.yield_stress / 400.0];
        assert!(expected.iter().all(|ratio| (ratio - 1.0).abs() < 1e-5), "{expected:?}");
        let thin = BodyLaw { molten: law.molten.map(|molten| Law { viscosity: 0.0, ..molten }), ..law };
        assert!((thin.at(0.25).viscosity - 7.5).abs() < 1e-5);
    }
}
