//! The law of matter that melts.

use super::PressureLaw;
use crate::numbers::between;
use crate::particles::Density;

/// Constants of one body's matter, solid and molten.
///
/// In between, stiffness and viscosity change by equal factors for equal molten parts, as they may differ by orders of
/// magnitude; cohesion and yield stress change linearly. So does a viscosity that is zero at one end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyLaw {
    /// The law of solid matter, and of matter that never melts.
    pub solid: PressureLaw,
    /// The law of molten matter.
    pub molten: Option<PressureLaw>,
}

impl From<PressureLaw> for BodyLaw {
    fn from(solid: PressureLaw) -> Self {
        Self { solid, molten: None }
    }
}

impl BodyLaw {
    /// The law of matter that other matter does not press.
    #[must_use]
    pub fn alone(self) -> Self {
        let alone = |law: PressureLaw| PressureLaw { fluid: false, ..law };
        Self { solid: alone(self.solid), molten: self.molten.map(alone) }
    }

    /// The law at a molten part from 0 to 1.
    pub fn at(&self, melted: f32) -> PressureLaw {
        let Some(molten) = self.molten.filter(|_| melted > 0.0) else { return self.solid };
        if melted >= 1.0 {
            return molten;
        }
        let evenly = |a: f32, b: f32| a + melted * (b - a);
        let by_factors = |a: f32, b: f32| between((f64::from(a), f64::from(b)), f64::from(melted)) as f32;
        PressureLaw {
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

    /// The law by which matter [settles](PressureLaw::settling).
    #[must_use]
    pub fn settling(&self) -> Self {
        Self { solid: self.solid.settling(), molten: self.molten.map(PressureLaw::settling) }
    }

    /// The law of matter [without strength](PressureLaw::without_strength).
    #[must_use]
    pub fn without_strength(&self) -> Self {
        Self { solid: self.solid.without_strength(), molten: self.molten.map(PressureLaw::without_strength) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dollop_scene::{Ambient, StateEquation};

    #[test]
    fn melting_goes_by_equal_factors() {
        let law = |stiffness: f64, viscosity: f64, cohesion: f32, yield_stress: f32| {
            let plain = PressureLaw::new(1000.0, stiffness, viscosity, StateEquation::Linear, &Ambient::default());
            PressureLaw { cohesion, yield_stress, ..plain }
        };
        let law = BodyLaw { solid: law(10_000.0, 10.0, 0.0, 500.0), molten: Some(law(100.0, 0.1, 0.2, 300.0)) };
        assert_eq!((law.at(0.0), law.at(1.0)), (law.solid, law.molten.unwrap_or(law.solid)));
        let half = law.at(0.5);
        let expected = [half.modulus / 1e6, half.viscosity / 1.0, half.cohesion / 0.1, half.yield_stress / 400.0];
        assert!(expected.iter().all(|ratio| (ratio - 1.0).abs() < 1e-5), "{expected:?}");
        let thin = BodyLaw { molten: law.molten.map(|molten| PressureLaw { viscosity: 0.0, ..molten }), ..law };
        assert!((thin.at(0.25).viscosity - 7.5).abs() < 1e-5);
    }
}
