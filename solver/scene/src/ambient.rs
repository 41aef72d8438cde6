use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The air, or another thin medium, that the matter displaces and that presses on it and cools it. It does not flow
/// itself: it lifts matter, holds gases together and slows sheets, but puts up no drag to other matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ambient {
    /// Density of the medium that matter displaces: it scales gravity on matter by 1 - this over the matter's own
    /// density, so that lighter matter rises. It also slows sheets that move across themselves. Air at room temperature
    /// has 1.2, a vacuum 0.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub density: f64,
    /// Pressure of the medium on gases: a gas expands until its own pressure, stiffness times density, equals this. At
    /// stiffness times `rest_density` of a gas it starts in balance, at less it swells; at 0 it spreads without end.
    /// Liquids do not feel it.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub pressure: f64,
    /// Temperature of the medium, and of the surroundings that the matter's surface radiates to, where heat flows.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K"))]
    pub temperature: f64,
    /// Heat that a square metre of free surface loses for each kelvin that it is warmer than the medium: still air 5 to
    /// 10, wind 50, running water 500 and more.
    #[schemars(range(min = 0.0, max = 1e6), extend("x-unit" = "W/(m^2 K)"))]
    pub convection: f64,
}

impl Default for Ambient {
    fn default() -> Self {
        Self { density: 0.0, pressure: 0.0, temperature: 293.15, convection: 10.0 }
    }
}
