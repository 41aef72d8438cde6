//! Pressure: what walls push matter of every model by, and what fluid matter presses its neighbours by.
//!
//! Each body has a [`PressureLaw`], solid and molten ([`BodyLaw`]). [`PressureForces`] finds the force on a particle
//! from its density, the walls at it and sums over its neighbours. Matter that bonds hold together has no such sums:
//! [walls alone](PressureForces::wall_forces) press on it.

mod backing;
mod body_law;
mod density;
mod equation;
mod forces;
mod law;
mod signals;

pub use crate::particles::Density;
pub use backing::Backing;
pub use body_law::BodyLaw;
pub use equation::Equation;
pub use forces::PressureForces;
pub use law::PressureLaw;
pub use signals::{Signals, h_over_bound_step, is_shock};
