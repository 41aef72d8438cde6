use crate::placed::placed;
use crate::{Key, Placed, Shape, Transform, ValueKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Heat that flows: through matter and from body to body, from colliders with a temperature, to the ambient air, and in
/// heaters. Without it temperatures stay as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HeatFlow {
    /// How many times faster heat flows than in nature, where a candle's worth of wax takes many minutes to melt:
    /// through matter, walls and air. Heaters give what they are set to.
    #[schemars(range(min = 1e-6, max = 1e9))]
    pub rate: f64,
}

impl Default for HeatFlow {
    fn default() -> Self {
        Self { rate: 1.0 }
    }
}

/// Thermal properties of a body's matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Heat {
    /// Heat that warms a kilogram by a kelvin: water 4200, wax 2500, rock 1000, metals 100 to 900.
    #[schemars(range(min = 1.0, max = 1e6), extend("x-unit" = "J/(kg K)"))]
    pub specific_heat: f64,
    /// How well heat flows through the matter: wax 0.25, water 0.6, rock 2, metals 20 to 400. Between two bodies the
    /// one that conducts worse counts more.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "W/(m K)"))]
    pub conductivity: f64,
    /// Temperature up to which all is solid.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K"))]
    pub solidus: f64,
    /// Temperature from which on all is liquid, not below the solidus.
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K"))]
    pub liquidus: f64,
    /// Heat that a kilogram takes to melt, besides getting warmer, and gives when it sets: wax 200 000, ice 334 000,
    /// rock 400 000.
    #[schemars(range(min = 0.0, max = 1e8), extend("x-unit" = "J/kg"))]
    pub latent_heat: f64,
    /// How much of a black body's radiation the free surface gives off and takes in.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub emissivity: f64,
}

impl Default for Heat {
    fn default() -> Self {
        Self {
            specific_heat: 2000.0,
            conductivity: 0.5,
            solidus: 323.15,
            liquidus: 338.15,
            latent_heat: 0.0,
            emissivity: 0.9,
        }
    }
}

placed! {
    /// A region that heats or cools the matter in it, where heat flows.
    pub struct Heater {
        /// The region's shape; meshes have to be closed.
        shape,
        /// The effect on the matter in the region.
        #[serde(default)]
        pub effect: HeaterEffect,
        /// The temperature, or the power, at given frames, in rising order: linear in between, held before and after.
        /// Replaces that of `effect`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(extend("x-derived" = true))]
        pub values: Vec<ValueKey>,
    }
}

/// The effect of a heater on the matter in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum HeaterEffect {
    /// Brings the matter to a temperature.
    Temperature {
        /// The temperature.
        #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K", "x-suggested" = 400.0, "x-keys" = "values"))]
        temperature: f64,
        /// Time in which the matter covers two thirds of the difference to the temperature; 0 holds the matter at the
        /// temperature.
        #[serde(default = "default_response")]
        #[schemars(range(min = 0.0, max = 1e6), extend("x-unit" = "s"))]
        response: f64,
    },
    /// Gives the matter heat, or takes it away.
    Power {
        /// Power of the heater when it is full of matter; less, in proportion, where it is not. Below zero it cools.
        #[schemars(range(min = -1e12, max = 1e12), extend("x-unit" = "W", "x-suggested" = 1000.0, "x-keys" = "values"))]
        power: f64,
    },
}

impl Default for HeaterEffect {
    fn default() -> Self {
        Self::Temperature { temperature: 400.0, response: default_response() }
    }
}

fn default_response() -> f64 {
    0.5
}
