//! Soft matter as a [`Model`].

use super::SoftBody;
use crate::SetupError;
use crate::laws::well::Exponents;
use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::thermal::BodyBonds;
use crate::material::{BodyInScene, Model, Repulsion};
use crate::wording::{rounded_up, two_digits};
use dollop_scene::{Ambient, Dimensions, JsonPath, Material, Soft};

/// A lump of a height H keeps its shape, even as it lands, where its stiffness is at least this multiple of g H ...
const FIRM: f64 = 50.0;

/// ... and collapses at once below this multiple.
const LIMP: f64 = 25.0;

impl Model for Soft {
    fn rest_density(&self) -> f64 {
        self.rest_density
    }

    fn denser(&self, times: f64) -> Material {
        Material::Soft(Self { rest_density: self.rest_density * times, ..self.clone() })
    }

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn stiffener(&self) -> (&'static str, f64) {
        ("stiffness", 1.0)
    }

    fn repulsion(&self) -> Repulsion {
        Repulsion::Bonds
    }

    fn law(&self, _spacing: f64, ambient: &Ambient) -> BodyLaw {
        let law = PressureLaw::of_bonded(self.rest_density, self.stiffness, self.viscosity, ambient);
        PressureLaw { rebounds: false, ..law }.into()
    }

    fn is_fluid(&self, _heat_flows: bool) -> bool {
        false
    }

    /// DG95 (1) and (2).
    fn bonds(&self) -> Option<BodyBonds> {
        let exponents = Exponents { n: 8, m: 4 };
        let energy = self.stiffness / f64::from(exponents.n * exponents.m);
        Some(BodyBonds {
            exponents,
            rest_density: self.rest_density,
            energies: (energy, energy),
            damping: (self.viscosity, self.viscosity),
            friction: self.friction,
            divides: true,
        })
    }

    fn is_soft(&self) -> bool {
        true
    }

    fn soft_body(&self, spacing: f64) -> Option<SoftBody> {
        Some(SoftBody::new(self, spacing))
    }

    fn check(&self, path: &JsonPath, dimensions: Dimensions) -> Result<(), SetupError> {
        if dimensions == Dimensions::Three {
            return Ok(());
        }
        let message = "soft matter fills space, and so does its skin: it cannot be in a 2d scene; choose another type of \
                       material, or set discretization.dimensions to \"3d\"";
        Err(SetupError::new(path.key("type"), message))
    }

    /// Matter that is soft for its height gives way under its own weight.
    fn warnings(&self, body: &BodyInScene) -> Vec<String> {
        let load = body.full_load();
        let firmness = self.stiffness / load;
        if firmness >= FIRM {
            return Vec::new();
        }
        let sag = if firmness < LIMP {
            "may sag to three quarters of its height or less"
        } else {
            "may sag, by up to a third of its height as it lands,"
        };
        vec![format!(
            "body \"{}\" {sag} under its own weight: its material.stiffness is {} times gravity times its height; raise it to {} \
             or more, {FIRM} times, unless it is meant to flow",
            body.name,
            two_digits(firmness),
            rounded_up(FIRM * load)
        )]
    }
}
