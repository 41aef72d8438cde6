//! The temperature of matter by the heat that it holds.

use dollop_scene::Heat;

/// The thermal properties of one body's matter.
///
/// Heat is counted from 0 K, as enthalpy. While matter melts it takes its latent heat on top, evenly from the solidus
/// to the liquidus; where they are the same, all at that temperature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Substance {
    /// Specific heat, J/(kg K).
    specific_heat: f64,
    /// Conductivity, W/(m K).
    pub conductivity: f32,
    solidus: f64,
    liquidus: f64,
    /// Latent heat, J/kg.
    latent: f64,
    /// Emissivity of the surface.
    pub emissivity: f64,
}

impl Substance {
    /// The substance of a body.
    pub fn new(heat: &Heat) -> Self {
        Self {
            specific_heat: heat.specific_heat,
            conductivity: heat.conductivity as f32,
            solidus: heat.solidus,
            liquidus: heat.liquidus.max(heat.solidus),
            latent: heat.latent_heat,
            emissivity: heat.emissivity,
        }
    }

    /// Least heat that warms a kilogram by a kelvin, J/(kg K).
    pub fn specific_heat(&self) -> f64 {
        self.specific_heat
    }

    /// Solidus and liquidus, K.
    pub fn melting_range(&self) -> [f64; 2] {
        [self.solidus, self.liquidus]
    }

    /// The heats at which melting begins and ends, J/kg.
    pub fn melting_heats(&self) -> [f64; 2] {
        let solid = self.specific_heat * self.solidus;
        [solid, solid + self.specific_heat * (self.liquidus - self.solidus) + self.latent]
    }

    /// Heat of a kilogram at a temperature in K, J/kg; of the solid where it melts at one temperature.
    pub fn enthalpy(&self, temperature: f64) -> f64 {
        let melted = if temperature <= self.solidus {
            0.0
        } else {
            ((temperature - self.solidus) / (self.liquidus - self.solidus)).min(1.0)
        };
        self.specific_heat * temperature + melted * self.latent
    }

    /// Heat of a kilogram at a temperature in K, J/kg; where the matter melts at that one, the value nearest to a given
    /// heat.
    pub fn enthalpy_towards(&self, temperature: f64, enthalpy: f64) -> f64 {
        let solid = self.enthalpy(temperature);
        let melts_here = |at: f64| at.to_bits() == self.solidus.to_bits();
        if melts_here(temperature) && melts_here(self.liquidus) {
            enthalpy.clamp(solid, solid + self.latent)
        } else {
            solid
        }
    }

    /// Temperature, K, of matter with a given heat, J/kg.
    pub fn temperature(&self, enthalpy: f64) -> f64 {
        let melted = self.melted(enthalpy);
        if melted <= 0.0 {
            enthalpy / self.specific_heat
        } else if melted >= 1.0 {
            (enthalpy - self.latent) / self.specific_heat
        } else {
            self.solidus + melted * (self.liquidus - self.solidus)
        }
    }

    /// Liquid part of matter with a given heat, J/kg.
    pub fn melted(&self, enthalpy: f64) -> f64 {
        let [solid, liquid] = self.melting_heats();
        if enthalpy <= solid { 0.0 } else { ((enthalpy - solid) / (liquid - solid)).min(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn substances() -> impl Iterator<Item = Substance> {
        let wax = Heat { specific_heat: 2500.0, solidus: 320.0, liquidus: 340.0, latent_heat: 2e5, ..Heat::default() };
        let ice = Heat { solidus: 273.15, liquidus: 273.15, ..wax.clone() };
        let rubber = Heat { latent_heat: 0.0, ..wax.clone() };
        let sharp = Heat { latent_heat: 0.0, ..ice.clone() };
        [wax, ice, rubber, sharp].into_iter().map(|heat| Substance::new(&heat))
    }

    #[test]
    fn temperature_is_the_inverse_of_enthalpy() {
        for substance in substances() {
            for t in (0..=5000).map(|n| f64::from(n) * 0.1) {
                let back = substance.temperature(substance.enthalpy(t));
                assert!((back - t).abs() < 1e-9 * (1.0 + t), "{substance:?} {t} {back}");
            }
        }
    }

    #[test]
    fn melting_takes_the_latent_heat() {
        for substance in substances() {
            let [cold, hot] = [250.0, 400.0].map(|t| substance.enthalpy(t));
            let taken = hot - cold - 150.0 * substance.specific_heat;
            assert!((taken - substance.latent).abs() < 1e-6, "{substance:?} {taken}");
            assert_eq!((substance.melted(cold), substance.melted(hot)), (0.0, 1.0));
        }
        let ice = substances().nth(1).unwrap_or_else(|| unreachable!());
        let half = ice.enthalpy(273.15) + 1e5;
        assert!((ice.melted(half) - 0.5).abs() < 1e-12 && (ice.temperature(half) - 273.15).abs() < 1e-9);
    }
}
