use crate::placed::placed;
use crate::{Key, Placed, Shape, Transform, ValueKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

placed! {
    /// A solid that matter collides with.
    pub struct Collider {
        /// The solid's shape; a mesh that is open needs a `thickness`.
        shape,
        /// Solid outside instead of inside: a container that holds the matter. Not for planes.
        #[serde(default)]
        pub inverted: bool,
        /// Coulomb friction coefficient: 0 slides freely, 1 and more holds on slopes.
        #[serde(default = "default_friction")]
        #[schemars(range(min = 0.0, max = 100.0))]
        pub friction: f64,
        /// How matter with cohesion wets the surface: 0 lets go at once, 1 holds on as to itself. Solid `continuum`
        /// matter comes off at so much of its strength, and never where it has none.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 1.0))]
        pub adhesion: f64,
        /// Temperature of the surface, where heat flows: a hot plate, a cold mould. Without one no heat passes it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K", "x-suggested" = 400.0, "x-keys" = "temperatures"))]
        pub temperature: Option<f64>,
        /// The temperature at given frames, in rising order: linear in between, held before and after. Replaces
        /// `temperature`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(extend("x-derived" = true))]
        pub temperatures: Vec<ValueKey>,
        /// Turns the surface of a mesh into a wall of this thickness, half to each side, that is hollow where the mesh
        /// is closed. An open mesh needs one; a solid leaves it out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1e-6, max = 1e3), extend("x-unit" = "m", "x-suggested" = 0.02))]
        pub thickness: Option<f64>,
    }
}

fn default_friction() -> f64 {
    0.3
}
