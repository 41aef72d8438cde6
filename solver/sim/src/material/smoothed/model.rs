//! Smoothed particles as a [`Model`].

use crate::SetupError;
use crate::material::pressure::{BodyLaw, Equation, PressureLaw};
use crate::material::{BodyInScene, Model, Repulsion};
use crate::wording::two_digits;
use dollop_scene::{Ambient, Dimensions, JsonPath, Material, Molten, Smoothed, StateEquation};

/// The largest compression of the foot of a column without a warning.
const SQUEEZED: f64 = 0.1;

/// The compression at the settings that a warning proposes.
const LESS_SQUEEZED: f64 = 0.05;

/// The well-resolved range of a gas's density in the ambient air, over its body's initial density.
const RESOLVED: std::ops::RangeInclusive<f32> = 0.25..=2.0;

/// The largest shear strain before yield without a warning.
const RUBBER: f64 = 0.1;

impl Model for Smoothed {
    fn rest_density(&self) -> f64 {
        self.rest_density
    }

    fn denser(&self, times: f64) -> Material {
        Material::Smoothed(Self { rest_density: self.rest_density * times, ..self.clone() })
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn stiffener(&self) -> (&'static str, f64) {
        ("stiffness", 1.0)
    }

    fn repulsion(&self) -> Repulsion {
        Repulsion::Pressure
    }

    fn law(&self, _spacing: f64, ambient: &Ambient) -> BodyLaw {
        let Self { rest_density, stiffness, viscosity, cohesion, yield_stress, .. } = *self;
        let law = |stiffness: f64, viscosity: f64, cohesion: f64, yield_stress: f64| PressureLaw {
            cohesion: cohesion as f32,
            yield_stress: yield_stress as f32,
            ..PressureLaw::new(rest_density, stiffness, viscosity, self.state_equation, ambient)
        };
        let of_molten = |molten: &Molten| law(molten.stiffness, molten.viscosity, molten.cohesion, molten.yield_stress);
        BodyLaw {
            solid: law(stiffness, viscosity, cohesion, yield_stress),
            molten: self.molten.as_ref().map(of_molten),
        }
    }

    fn keeps_lattice(&self) -> bool {
        self.yield_stress > 0.0
    }

    fn is_fluid(&self, _heat_flows: bool) -> bool {
        true
    }

    fn is_liquid(&self, _heat_flows: bool) -> bool {
        self.yield_stress <= 0.0
    }

    fn is_meant_to_melt(&self, _temperature: Option<f64>, _solidus: f64) -> bool {
        self.molten.is_some()
    }

    /// A gas has no shape to keep.
    fn check(&self, path: &JsonPath, _dimensions: Dimensions) -> Result<(), SetupError> {
        let molten = self.molten.as_ref().map(|molten| (path.key("molten"), molten.yield_stress));
        let all = [Some((path.clone(), self.yield_stress)), molten];
        match all.into_iter().flatten().find(|(_, yield_stress)| *yield_stress > 0.0) {
            Some((path, yield_stress)) if self.state_equation == StateEquation::IdealGas => {
                let message = format!("must be 0 for an ideal-gas, which has no strength, but is {yield_stress}");
                Err(SetupError::new(path.key("yield_stress"), message))
            }
            _ => Ok(()),
        }
    }

    fn warnings(&self, body: &BodyInScene) -> Vec<String> {
        [compressed(self, body), thin_gas(self, body), rubber(body)].into_iter().flatten().collect()
    }
}

/// The foot of a column of height H is compressed by g H / k. A gas is meant to thin out upwards.
pub fn compressed(material: &dyn Model, body: &BodyInScene) -> Option<String> {
    if let Equation::IdealGas { .. } = body.law.equation {
        return None;
    }
    let squeeze = body.law.equation.compression(body.load / material.stiffness());
    let (name, unit) = material.stiffener();
    (squeeze > SQUEEZED).then(|| {
        format!(
            "body \"{}\" will sag under its own weight by about {:.0} % at its foot; raise its material.{name} above {:.0} to stay \
             below {:.0} %",
            body.name,
            squeeze * 100.0,
            body.load / LESS_SQUEEZED / unit,
            LESS_SQUEEZED * 100.0
        )
    })
}

/// A gas is resolved badly if the ambient air presses it far from the density of its body.
fn thin_gas(material: &Smoothed, body: &BodyInScene) -> Option<String> {
    let Equation::IdealGas { rest } = body.law.equation else { return None };
    (rest > 0.0 && !RESOLVED.contains(&rest)).then(|| {
        format!(
            "the ambient.pressure brings body \"{}\" to {} times its material.rest_density; a rest_density near {} kg/m^3, and a \
             body of the size that fits it, would be resolved better",
            body.name,
            two_digits(f64::from(rest)),
            two_digits(f64::from(rest) * material.rest_density),
        )
    })
}

/// Matter that is strained much before it yields springs back.
fn rubber(body: &BodyInScene) -> Option<String> {
    let law = body.law;
    let strain = f64::from(law.yield_stress / law.shear_modulus());
    (strain > RUBBER).then(|| {
        let stiffness = f64::from(law.modulus / law.rest_density) * strain / RUBBER;
        format!(
            "body \"{}\" will give by {:.0} % before it yields, as rubber does; lower its material.yield_stress or raise its \
             material.stiffness to {:.0} to stay below {:.0} %",
            body.name,
            strain * 100.0,
            stiffness.ceil(),
            RUBBER * 100.0
        )
    })
}
