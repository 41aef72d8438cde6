//! Pressure and energy from density, for one body's matter.

use super::{Backing, Equation};
use crate::particles::Density;
use crate::timeline::{BOUND_COURANT, COURANT};
use dollop_scene::{Ambient, StateEquation};

/// Shear modulus of matter with a yield stress, over its compression modulus k rho0. A higher modulus needs shorter
/// steps; a lower one lets a heap sag more under its weight before it stands.
const SHEAR: f32 = 0.25;

/// Constants of one body's matter.
///
/// Push and pull are derivatives of the energy by density, so all forces are gradients of the energy. Where matter is
/// thinner than at rest, their divisor delta^2 (DG96 (4)) stays that at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressureLaw {
    /// Rest density rho0, kg/m^3.
    pub rest_density: f32,
    /// k rho0, Pa.
    pub modulus: f32,
    /// Viscosity c, m/s.
    pub viscosity: f32,
    /// Factor on negative pressure.
    pub cohesion: f32,
    /// Shear stress above which matter flows, Pa; zero for matter without strength.
    pub yield_stress: f32,
    /// State equation.
    pub equation: Equation,
    /// Mass of the ambient air that the cube of a particle displaces, over its volume, kg/m^3.
    pub ambient_density: f32,
    /// Whether its pressure follows from the matter around it; otherwise it follows from walls alone.
    pub fluid: bool,
    /// Whether bonds damp the motion within it; the viscosity then acts towards walls alone.
    pub bonded: bool,
    /// Whether it rebounds from walls by the energy that they store.
    pub rebounds: bool,
    /// Courant number of sound where neither bonds nor strength resist shear.
    pub fluid_courant: f64,
}

impl PressureLaw {
    /// The law of matter of a rest density, kg/m^3, with the square of its speed of sound, k, in m^2/s^2 and a
    /// viscosity in m/s, in a scene's ambient air: without cohesion and strength.
    pub fn new(rest_density: f64, stiffness: f64, viscosity: f64, equation: StateEquation, ambient: &Ambient) -> Self {
        let modulus = stiffness * rest_density;
        Self {
            rest_density: rest_density as f32,
            modulus: modulus as f32,
            viscosity: viscosity as f32,
            cohesion: 0.0,
            yield_stress: 0.0,
            equation: Equation::new(equation, ambient.pressure / modulus),
            ambient_density: ambient.density as f32,
            fluid: true,
            bonded: false,
            rebounds: true,
            fluid_courant: COURANT,
        }
    }

    /// The law of matter that bonds hold together: pressure acts where it is pressed.
    pub fn of_bonded(rest_density: f64, stiffness: f64, viscosity: f64, ambient: &Ambient) -> Self {
        Self { bonded: true, ..Self::new(rest_density, stiffness, viscosity, StateEquation::Linear, ambient) }
    }

    /// The law by which matter settles before time begins: without viscosity. A gas has no rest shape to settle to, so
    /// it is held at its initial density, and expands when time begins.
    #[must_use]
    pub fn settling(self) -> Self {
        let inviscid = Self { viscosity: 0.0, fluid_courant: BOUND_COURANT, ..self };
        match self.equation {
            Equation::Linear | Equation::Tait => inviscid,
            Equation::IdealGas { .. } => Self { equation: Equation::Linear, cohesion: 0.0, ..inviscid },
        }
    }

    /// The law of matter that yields to any shear.
    #[must_use]
    pub fn without_strength(self) -> Self {
        Self { yield_stress: 0.0, ..self }
    }

    /// The backing of this matter behind a wall.
    pub fn backing(&self) -> Backing {
        match self.equation {
            Equation::Linear | Equation::Tait => Backing::AtRest,
            Equation::IdealGas { .. } => Backing::AsDense,
        }
    }

    /// Square of the local speed of sound times rest density, Pa: the slope of a particle's pressure by its density
    /// over rest density. Positive; thin matter has the value at rest.
    pub fn local_modulus(&self, density: Density) -> f32 {
        self.modulus * self.equation.slope(density.total.max(self.equation.rest()))
    }

    /// Shear modulus of matter with a yield stress, Pa.
    pub fn shear_modulus(&self) -> f32 {
        SHEAR * self.modulus
    }

    /// The addition of strength to the modulus of plane waves, Pa.
    pub fn stiffening(&self) -> f32 {
        if self.yield_stress > 0.0 { 4.0 / 3.0 * self.shear_modulus() } else { 0.0 }
    }

    /// The Courant number of sound in it: as printed while it settles, and where bonds or strength resist shear.
    pub fn courant(&self) -> f64 {
        if self.bonded || self.yield_stress > 0.0 { BOUND_COURANT } else { self.fluid_courant }
    }

    /// Bulk modulus rho dP/drho at a density, Pa.
    pub fn bulk_modulus(&self, density: Density) -> f32 {
        density.total * self.local_modulus(density)
    }

    /// Speed that bounds the time step, m/s: max(c, speed of sound) at a local modulus, Pa.
    pub fn signal_speed(&self, local_modulus: f32) -> f32 {
        self.viscosity.max((local_modulus / self.rest_density).sqrt())
    }

    /// The one of the two densities that makes pressure.
    pub fn pressed(&self, density: Density) -> f32 {
        if self.fluid { density.total } else { density.held }
    }

    /// P / delta^2 where matter is pressed, Pa; zero elsewhere.
    pub fn push(&self, total: f32) -> f32 {
        let over = self.equation.pressure(total).max(0.0);
        self.modulus * over / (total * total)
    }

    /// The pull where matter is thinner than at rest, Pa, not positive; zero elsewhere.
    pub fn pull(&self, held: f32) -> f32 {
        let under = self.equation.pressure(held);
        if under < 0.0 { self.cohesion * self.modulus * under / self.equation.rest().powi(2) } else { 0.0 }
    }

    /// Pressure by the state equation, Pa, relative to the ambient air.
    pub fn pressure(&self, density: Density) -> f32 {
        let pressed = self.pressed(density);
        self.push(pressed) * pressed.powi(2) + self.pull(density.held) * self.equation.rest().powi(2)
    }

    /// Elastic energy per volume at rest, J/m^3: the integral of push and pull from the state at rest.
    pub fn energy(&self, density: Density) -> f64 {
        let (total, held, rest) =
            (f64::from(self.pressed(density)), f64::from(density.held), f64::from(self.equation.rest()));
        let pressed = self.equation.pressed(total.max(rest));
        let thinned = if held < rest { self.equation.thinned(held) } else { 0.0 };
        f64::from(self.modulus) * (pressed + f64::from(self.cohesion) * thinned)
    }

    /// The part of gravity that is left to matter that displaces the ambient air; negative for lighter matter. Matter
    /// thinner than at rest, as all surfaces are by their sum, displaces no more than at rest.
    pub fn weight(&self, density: Density) -> f64 {
        let over_rest = f64::from(self.pressed(density).max(self.equation.rest()));
        1.0 - f64::from(self.ambient_density) / (f64::from(self.rest_density) * over_rest)
    }
}
