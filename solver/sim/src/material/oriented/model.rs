//! Sheets as a [`Model`].

use super::{Sheet, area};
use crate::lattice::nearest;
use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::{BodyInScene, Model, Repulsion};
use crate::{SetupError, SmoothingKernel};
use dollop_scene::{Ambient, Dimensions, JsonPath, Material, Oriented, Structure};

/// The largest angle between neighbours of a sheet without a warning.
const CURL: f64 = 0.5;

impl Model for Oriented {
    fn rest_density(&self) -> f64 {
        self.rest_density
    }

    fn denser(&self, times: f64) -> Material {
        Material::Oriented(Self { rest_density: self.rest_density * times, ..self.clone() })
    }

    fn stiffness(&self) -> f64 {
        self.stretch_stiffness / (self.rest_density * self.thickness)
    }

    fn stiffener(&self) -> (&'static str, f64) {
        ("stretch_stiffness", 1.0 / (self.rest_density * self.thickness))
    }

    fn repulsion(&self) -> Repulsion {
        Repulsion::Sheet
    }

    fn law(&self, spacing: f64, ambient: &Ambient) -> BodyLaw {
        // The part of its cube that a piece fills, by which it displaces air. Each particle weighs as much as its
        // piece.
        let part = self.particle_volume(spacing) / spacing.powi(3);
        let ambient_density = (ambient.density * part) as f32;
        let law = PressureLaw::of_bonded(self.rest_density * part, self.stiffness(), self.viscosity, ambient);
        PressureLaw { fluid: false, rebounds: false, ambient_density, ..law }.into()
    }

    fn thickness(&self) -> Option<f64> {
        Some(self.thickness)
    }

    fn particle_volume(&self, spacing: f64) -> f64 {
        area(spacing) * self.thickness
    }

    fn keeps_lattice(&self) -> bool {
        false
    }

    fn is_fluid(&self, _heat_flows: bool) -> bool {
        false
    }

    fn sheet(&self, kernel: &SmoothingKernel, spacing: f64) -> Option<Sheet> {
        Some(Sheet::new(self, kernel, spacing))
    }

    fn is_woven(&self) -> bool {
        self.structure == Structure::Woven
    }

    fn most_particles(&self, count: usize) -> usize {
        if self.is_woven() { (count as f64 * self.growth) as usize } else { count }
    }

    fn check(&self, path: &JsonPath, _dimensions: Dimensions) -> Result<(), SetupError> {
        if self.is_woven() || self.growth <= 1.0 {
            return Ok(());
        }
        let message = format!(
            "must be 1 for a free sheet, which does not grow, but is {}; or make its structure \"woven\"",
            self.growth
        );
        Err(SetupError::new(path.key("growth"), message))
    }

    fn warnings(&self, body: &BodyInScene) -> Vec<String> {
        [without_weave(self, body), curl(self, body)].into_iter().flatten().collect()
    }
}

/// Only woven sheets can be kept from tearing.
fn without_weave(sheet: &Oriented, body: &BodyInScene) -> Option<String> {
    (!sheet.tears && !sheet.is_woven()).then(|| {
        format!(
            "tears set to false of body \"{}\" does nothing, as its structure is \"free\"; set material.structure to \"woven\"",
            body.name
        )
    })
}

/// The radius of a bend cannot be less than the particles' distance.
fn curl(sheet: &Oriented, body: &BodyInScene) -> Option<String> {
    let turn = sheet.curvature.abs() * nearest(body.spacing);
    (turn > CURL).then(|| {
        let spacing = body.spacing * CURL / turn;
        format!(
            "the material.curvature of body \"{}\" bends it to a radius of {:.4} m, too little for its particles; lower it, or the \
             particle_spacing below {spacing:.4} m",
            body.name,
            1.0 / sheet.curvature.abs()
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn free_sheets_warn_about_disabled_tearing() {
        let told = |structure: Structure, tears: bool| {
            let sheet = Oriented { structure, tears, ..Oriented::default() };
            let law = sheet.law(0.1, &Ambient::default()).solid;
            sheet.warnings(&BodyInScene {
                name: "a",
                law: &law,
                load: 0.0,
                gravity: 9.81,
                spacing: 0.1,
                interval: 1.0 / 24.0,
                hottest: None,
                solidus: 300.0,
            })
        };
        assert!(told(Structure::Woven, false).is_empty() && told(Structure::Free, true).is_empty());
        let warning = told(Structure::Free, false).pop().unwrap();
        assert!(warning.contains("tears") && warning.contains("\"a\"") && warning.contains("woven"), "{warning}");
    }

    #[test]
    fn free_sheets_reject_growth() {
        let check = |structure: Structure| {
            let sheet = Oriented { structure, growth: 2.0, ..Oriented::default() };
            sheet.check(&JsonPath::item("bodies", 0).key("material"), Dimensions::Three)
        };
        assert!(check(Structure::Woven).is_ok());
        assert_eq!(check(Structure::Free).unwrap_err().path.to_string(), "bodies[0].material.growth");
    }
}
