use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The air, or another thin medium, that the matter displaces and that presses on it. It does not flow itself: it lifts
/// matter and holds gases together, but puts up no drag.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ambient {
    /// Density of the medium that matter displaces: gravity acts on matter by 1 - this over the matter's own density, so
    /// that lighter matter rises. Air at room temperature has 1.2, a vacuum 0.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "kg/m^3"))]
    pub density: f64,
    /// Pressure of the medium on gases: one expands until its own, stiffness times density, equals this. At stiffness
    /// times `rest_density` of a gas it starts in balance, at less it swells; at 0 it spreads without end. Liquids do not
    /// feel it.
    #[schemars(range(min = 0.0, max = 1e9), extend("x-unit" = "Pa"))]
    pub pressure: f64,
}
