//! The temperature of matter by its heat, in single precision about a reference.

use crate::heat::Substance;

/// Heats, J/kg, and temperatures, K, less those of a reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Heat at which melting begins, and at which it ends.
    solid: f32,
    liquid: f32,
    solidus: f32,
    liquidus: f32,
    /// Kelvin for each J/kg in solid and liquid, and while it melts.
    warming: f32,
    melting: f32,
}

impl Curve {
    /// The curve of a substance about a temperature, K, and a heat, J/kg.
    pub fn new(substance: &Substance, temperature: f64, heat: f64) -> Self {
        let [solidus, liquidus] = substance.melting_range();
        let [solid, liquid] = substance.melting_heats();
        let width = liquid - solid;
        Self {
            solid: (solid - heat) as f32,
            liquid: (liquid - heat) as f32,
            solidus: (solidus - temperature) as f32,
            liquidus: (liquidus - temperature) as f32,
            warming: (1.0 / substance.specific_heat()) as f32,
            melting: if width > 0.0 { ((liquidus - solidus) / width) as f32 } else { 0.0 },
        }
    }

    /// The molten part at a heat.
    pub fn melted(&self, heat: f32) -> f32 {
        if heat >= self.liquid { 1.0 } else { ((heat - self.solid) / (self.liquid - self.solid)).max(0.0) }
    }

    /// The temperature at a heat.
    pub fn temperature(&self, heat: f32) -> f32 {
        if heat <= self.solid {
            self.solidus + (heat - self.solid) * self.warming
        } else if heat >= self.liquid {
            self.liquidus + (heat - self.liquid) * self.warming
        } else {
            self.solidus + (heat - self.solid) * self.melting
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dollop_scene::Heat;

    #[test]
    fn it_is_the_curve_of_the_substance() {
        for (liquidus, latent_heat) in [(340.0, 2e5), (320.0, 2e5), (340.0, 0.0), (320.0, 0.0)] {
            let substance = Substance::new(&Heat { solidus: 320.0, liquidus, latent_heat, ..Heat::default() });
            for reference in [300.0, 330.0, 400.0] {
                let zero = substance.enthalpy(reference);
                let curve = Curve::new(&substance, reference, zero);
                for heat in (0..200).map(|n| 5e5 + 5e3 * f64::from(n)) {
                    let (found, exact) =
                        (curve.temperature((heat - zero) as f32), substance.temperature(heat) - reference);
                    assert!((f64::from(found) - exact).abs() < 1e-3, "{latent_heat} {heat}: {found} {exact}");
                }
            }
        }
    }
}
