//! Warnings about settings of continuum matter: what does nothing, or less than it says.

use super::model::Fluid;
use super::step::CELL;
use crate::material::{BodyInScene, Model};
use crate::wording::{rounded, rounded_down, short};
use dollop_scene::Continuum;

/// The tension of matter that is drawn apart over its shear stress.
const PULL_OVER_SHEAR: f64 = 1.732;

/// The warnings of a body's material: one sentence each, with the remedy.
pub fn of_material(material: &Continuum, body: &BodyInScene) -> Vec<String> {
    let name = body.name;
    let idle = without_effect(material).into_iter().flatten();
    let idle = idle.map(|(setting, why)| format!("material.{setting} of body \"{name}\" does nothing, as {why}"));
    // What melts has no effect on how solid matter acts.
    let shown = material.fluid_on_grid(None).map(|fluid| fluid.as_shown(CELL * body.spacing, body.interval));
    let of_solid = shown.map(|shown| [softer(material, &shown, name), flows_first(material, &shown, name)]);
    idle.chain(of_solid.into_iter().flatten().flatten()).collect()
}

/// Settings that do nothing, and why.
fn without_effect(material: &Continuum) -> [Option<(&'static str, &'static str)>; 5] {
    let never_breaks = material.strength <= 0.0;
    let is_liquid = material.fluid_on_grid(None).is_none_or(|fluid| fluid.solid.law.is_none());
    let is_usual = (material.contact_angle - Continuum::default().contact_angle).abs() <= 0.0;
    [
        (!never_breaks && is_liquid).then_some((
            "strength",
            "a liquid does not break; set a shear_modulus, a yield_stress or a friction_angle, or leave it out",
        )),
        (!never_breaks && material.friction_angle > 0.0 && material.yield_stress <= 0.0)
            .then_some(("strength", "grains without a yield_stress flow before they break; set one, or leave it out")),
        (never_breaks && material.fracture_energy > 0.0)
            .then_some(("fracture_energy", "the matter never breaks; set a strength, or leave it out")),
        (!is_usual && material.surface_tension <= 0.0)
            .then_some(("contact_angle", "the matter has no surface_tension; set one, or leave it out")),
        (material.fusion_pressure > 0.0 && material.shear_modulus <= 0.0).then_some((
            "fusion_pressure",
            "without a shear_modulus the matter is one with what it touches anyway; set one, or leave it out",
        )),
    ]
}

/// Warns of matter that is softer than it says, and so breaks sooner.
fn softer(material: &Continuum, shown: &Fluid, name: &str) -> Option<String> {
    let modulus = shown.solid.law?.shear_modulus;
    let strength = shown.fracture.map(|fracture| format!(", and its strength as {} Pa", rounded(fracture.strength)));
    (material.shear_modulus > modulus).then(|| {
        format!(
            "material.shear_modulus of body \"{name}\" acts as {} Pa{}, as this particle_spacing and frames.rate show \
             nothing stiffer; use a larger particle_spacing or a higher frames.rate, or set what it acts as",
            short(rounded_down(modulus)),
            strength.unwrap_or_default()
        )
    })
}

/// Warns of matter that flows before its tension reaches its strength.
fn flows_first(material: &Continuum, shown: &Fluid, name: &str) -> Option<String> {
    let (most, strength) = (PULL_OVER_SHEAR * material.yield_stress, shown.fracture?.strength);
    (most > 0.0 && strength > most).then(|| {
        format!(
            "body \"{name}\" flows instead of breaking, as its material.strength is more than 1.7 times its yield_stress; \
             for cracks set a strength of {} Pa at most or a higher yield_stress, or leave the strength out",
            short(rounded_down(most))
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wording::assert_one as one;
    use dollop_scene::Ambient;

    /// At a spacing of 4 mm and 24 frames a second.
    fn told(material: &Continuum) -> Vec<String> {
        told_at(0.004, 24.0, material)
    }

    fn told_at(spacing: f64, rate: f64, material: &Continuum) -> Vec<String> {
        let law = material.law(spacing, &Ambient::default()).solid;
        let (load, gravity, interval, hottest, solidus) = (0.0, 9.81, 1.0 / rate, None, 300.0);
        material.warnings(&BodyInScene { name: "a", law: &law, load, gravity, spacing, interval, hottest, solidus })
    }

    #[test]
    fn settings_without_effect_are_told() {
        let of = |shear_modulus: f64, strength: f64, fracture_energy: f64| {
            told(&Continuum { shear_modulus, strength, fracture_energy, ..Continuum::default() })
        };
        one(&of(0.0, 10.0, 1.0), &["material.strength of body \"a\" does nothing", "a liquid does not break"]);
        let sand = Continuum { friction_angle: 34.0, strength: 10.0, ..Continuum::default() };
        one(&told(&sand), &["material.strength of body \"a\" does nothing", "grains without a yield_stress"]);
        one(&of(1.0, 0.0, 1.0), &["material.fracture_energy of body \"a\" does nothing"]);
        assert_eq!((of(1.0, 10.0, 1.0), of(0.0, 0.0, 0.0)), (vec![], vec![]));
        let wet = |contact_angle: f64, surface_tension: f64| {
            told(&Continuum { contact_angle, surface_tension, ..Continuum::default() })
        };
        one(&wet(20.0, 0.0), &["material.contact_angle of body \"a\" does nothing", "set one"]);
        assert_eq!((wet(20.0, 0.07), wet(60.0, 0.0)), (vec![], vec![]));
        let fusing =
            |shear_modulus: f64| told(&Continuum { shear_modulus, fusion_pressure: 100.0, ..Continuum::default() });
        one(&fusing(0.0), &["material.fusion_pressure of body \"a\" does nothing"]);
        assert_eq!(fusing(1.0), [""; 0]);
        let both = Continuum { strength: 10.0, contact_angle: 20.0, ..Continuum::default() };
        assert_eq!(told(&both).len(), 2);
    }

    #[test]
    fn matter_softer_than_it_says_is_told() {
        let of = |shear_modulus: f64, strength: f64| Continuum { shear_modulus, strength, ..Continuum::default() };
        one(&told(&of(1e7, 0.0)), &["of body \"a\" acts as 5.8e6 Pa, as", "a larger particle_spacing"]);
        one(&told(&of(4.0 * 5_898_240.0, 1e5)), &["acts as 5.8e6 Pa, and its strength as 50000 Pa, as"]);
        assert_eq!(told(&of(5.8e6, 1e5)), [""; 0]);
        // By its remedies.
        let stiff = of(1e7, 1e5);
        assert_eq!((told_at(0.006, 24.0, &stiff), told_at(0.004, 48.0, &stiff)), (vec![], vec![]));
        // A modulus that nobody set is not told.
        assert_eq!(told(&Continuum { yield_stress: 1e6, ..Continuum::default() }), [""; 0]);
    }

    #[test]
    fn matter_that_flows_instead_of_breaking_is_told() {
        let of = |yield_stress: f64, strength: f64| {
            told(&Continuum { shear_modulus: 1e5, yield_stress, strength, ..Continuum::default() })
        };
        one(&of(1000.0, 2000.0), &["body \"a\" flows instead of breaking", "a strength of 1700 Pa at most"]);
        assert_eq!((of(1000.0, 1700.0), of(0.0, 2000.0), of(1000.0, 0.0)), (vec![], vec![], vec![]));
    }
}
