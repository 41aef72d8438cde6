//! State equations, as pressure over k rho0 by density over rest density, delta.
//!
//! | equation | P / (k rho0) | slope | integral of P / delta^2 |
//! |---|---|---|---|
//! | linear | delta - 1 | 1 | ln delta + 1 / delta |
//! | Tait | (delta^7 - 1) / 7 | delta^6 | (delta^6 / 6 + 1 / delta) / 7 |
//! | ideal gas | delta - delta0 | 1 | ln delta + delta0 / delta |

use dollop_scene::StateEquation;

/// The exponent gamma of Tait's equation for liquids.
const TAIT: f64 = 7.0;

/// A state equation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Equation {
    /// DG96 (6).
    Linear,
    /// Tait's equation, as in Monaghan, Simulating free surface flows with SPH, 1994, (3.2).
    Tait,
    /// Isothermal ideal gas (DG96 section 2.2), at rest where its pressure is that of the ambient air.
    IdealGas {
        /// Density over rest density there; zero in a vacuum.
        rest: f32,
    },
}

impl Equation {
    /// The equation that a scene selects, for matter under an ambient pressure as a part of k rho0.
    pub fn new(kind: StateEquation, ambient: f64) -> Self {
        match kind {
            StateEquation::Linear => Self::Linear,
            StateEquation::Tait => Self::Tait,
            StateEquation::IdealGas => Self::IdealGas { rest: ambient as f32 },
        }
    }

    /// Density over rest density at zero pressure.
    pub fn rest(self) -> f32 {
        match self {
            Self::Linear | Self::Tait => 1.0,
            Self::IdealGas { rest } => rest,
        }
    }

    /// P / (k rho0).
    pub fn pressure(self, density: f32) -> f32 {
        match self {
            Self::Linear => density - 1.0,
            Self::Tait => (sixth_power(density) * density - 1.0) / TAIT as f32,
            Self::IdealGas { rest } => density - rest,
        }
    }

    /// Derivative of the pressure by density: the square of the local speed of sound over k.
    pub fn slope(self, density: f32) -> f32 {
        match self {
            Self::Linear | Self::IdealGas { .. } => 1.0,
            Self::Tait => sixth_power(density),
        }
    }

    /// Integral of P / delta^2 from the density at rest, or from rest density for a gas in a vacuum, to a higher one.
    pub fn pressed(self, density: f64) -> f64 {
        match self {
            Self::Linear => density.ln() + 1.0 / density - 1.0,
            Self::Tait => ((density.powi(6) - 1.0) / 6.0 + 1.0 / density - 1.0) / TAIT,
            Self::IdealGas { rest: 0.0 } => density.ln(),
            Self::IdealGas { rest } => (density / f64::from(rest)).ln() + f64::from(rest) / density - 1.0,
        }
    }

    /// Integral of P over the square of the density at rest, from there to a lower one.
    pub fn thinned(self, density: f64) -> f64 {
        match self {
            Self::Linear => (1.0 - density).powi(2) / 2.0,
            Self::Tait => ((density.powi(8) - 1.0) / 8.0 + 1.0 - density) / TAIT,
            Self::IdealGas { rest: 0.0 } => 0.0,
            Self::IdealGas { rest } => (1.0 - density / f64::from(rest)).powi(2) / 2.0,
        }
    }

    /// Compression of matter by a small pressure over k rho0: density over that at rest, minus one.
    pub fn compression(self, pressure: f64) -> f64 {
        match self {
            Self::Linear => pressure,
            Self::Tait => (1.0 + TAIT * pressure).powf(TAIT.recip()) - 1.0,
            Self::IdealGas { rest } => pressure / f64::from(rest),
        }
    }
}

fn sixth_power(x: f32) -> f32 {
    let square = x * x;
    square * square * square
}
