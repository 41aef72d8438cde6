//! Thermal matter as a [`Model`].

use super::BodyBonds;
use crate::SetupError;
use crate::laws::well::Exponents;
use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::smoothed::compressed;
use crate::material::{BodyInScene, Model, Repulsion};
use crate::wording::two_digits;
use dollop_scene::{Ambient, Dimensions, JsonPath, Material, Thermal};

/// A melt of a height H keeps half of its height where its dissociation energy is this part of g H or more ...
const STANDING: f64 = 0.1;

/// ... and runs out below this part. Measured; docs/presets.md has the table.
const RUNNY: f64 = 0.01;

impl Model for Thermal {
    fn rest_density(&self) -> f64 {
        self.rest_density
    }

    fn denser(&self, times: f64) -> Material {
        Material::Thermal(Self { rest_density: self.rest_density * times, ..self.clone() })
    }

    fn stiffness(&self) -> f64 {
        bonds_of(self).stiffness()
    }

    fn stiffener(&self) -> (&'static str, f64) {
        let exponents = [self.repulsion_exponent, self.attraction_exponent].map(f64::from);
        ("dissociation_energy", exponents[0] * exponents[1])
    }

    fn repulsion(&self) -> Repulsion {
        Repulsion::Bonds
    }

    fn law(&self, _spacing: f64, ambient: &Ambient) -> BodyLaw {
        // Bonds provide the cohesion.
        let law = |viscosity: f64| PressureLaw::of_bonded(self.rest_density, self.molten.stiffness, viscosity, ambient);
        BodyLaw { solid: law(self.viscosity), molten: Some(law(self.molten.viscosity)) }
    }

    fn is_fluid(&self, heat_flows: bool) -> bool {
        heat_flows
    }

    /// It may melt.
    fn is_liquid(&self, heat_flows: bool) -> bool {
        heat_flows
    }

    fn bonds(&self) -> Option<BodyBonds> {
        Some(bonds_of(self))
    }

    /// It may always melt; a body that starts above its solidus is meant to.
    fn is_meant_to_melt(&self, temperature: Option<f64>, solidus: f64) -> bool {
        temperature.is_some_and(|temperature| temperature > solidus)
    }

    fn check(&self, path: &JsonPath, _dimensions: Dimensions) -> Result<(), SetupError> {
        let (n, m) = (self.repulsion_exponent, self.attraction_exponent);
        if n > m {
            return Ok(());
        }
        let message = format!("must be above the attraction_exponent, {m}, but is {n}");
        Err(SetupError::new(path.key("repulsion_exponent"), message))
    }

    fn warnings(&self, body: &BodyInScene) -> Vec<String> {
        [compressed(self, body), standing_melt(self, body)].into_iter().flatten().collect()
    }
}

fn bonds_of(material: &Thermal) -> BodyBonds {
    BodyBonds {
        exponents: Exponents { n: material.repulsion_exponent, m: material.attraction_exponent },
        rest_density: material.rest_density,
        energies: (material.dissociation_energy, material.molten.dissociation_energy),
        damping: (material.viscosity, material.molten.viscosity),
        friction: 0.0,
        divides: false,
    }
}

/// A melt with firm bonds for its height does not flow.
fn standing_melt(material: &Thermal, body: &BodyInScene) -> Option<String> {
    if body.hottest? <= body.solidus {
        return None;
    }
    let load = body.full_load();
    let part = material.molten.dissociation_energy / load;
    // Without gravity a melt forms drops anyway.
    (load > 0.0 && part > STANDING).then(|| {
        format!(
            "body \"{}\" will stand when it has melted: its material.molten.dissociation_energy is {} times gravity times its \
             height; lower it to {} or less, {RUNNY} times, for a melt that runs, or leave it if it is meant to keep its shape",
            body.name,
            two_digits(part),
            two_digits(RUNNY * load)
        )
    })
}
