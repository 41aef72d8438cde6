use crate::{Heat, Key, Material, Placed, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed shape filled with particles of one material; or a shape, closed or not, covered with those of a sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A name for messages and for the index of the bake.
    #[schemars(extend("x-derived" = true))]
    pub name: String,
    /// What is filled.
    #[schemars(extend("x-derived" = true))]
    pub shape: Shape,
    /// Where it stands at the first frame.
    #[serde(default)]
    #[schemars(extend("x-derived" = true))]
    pub transform: Transform,
    /// Velocity at the first frame.
    #[serde(default)]
    #[schemars(inner(range(min = -1e4, max = 1e4)), extend("x-unit" = "m/s"))]
    pub velocity: [f64; 3],
    /// Angular velocity at the first frame, about the body's centre of mass.
    #[serde(default)]
    #[schemars(inner(range(min = -1e4, max = 1e4)), extend("x-unit" = "rad/s"))]
    pub angular_velocity: [f64; 3],
    /// Temperature of the matter at the first frame; leave it out for matter without one. In a scene where others have
    /// one, or where heat flows, that matter has 293.15 K.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e5), extend("x-unit" = "K", "x-suggested" = 293.15))]
    pub temperature: Option<f64>,
    /// Colour of the matter for shaders: linear red, green and blue.
    #[serde(default = "default_color")]
    #[schemars(inner(range(min = 0.0, max = 1.0)), extend("x-derived" = true))]
    pub color: [f64; 3],
    /// What heat does to it, where heat flows.
    #[serde(default)]
    pub heat: Heat,
    /// What it is made of.
    #[serde(default)]
    pub material: Material,
    /// Regions of a sheet that are held, or moved. Where some overlap the first of them holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub pins: Vec<Pin>,
}

impl Placed for Body {
    fn name(&self) -> &str {
        &self.name
    }

    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn transform(&self) -> &Transform {
        &self.transform
    }

    fn motion(&self) -> &[Key] {
        &[]
    }
}

/// A region of a sheet that no force moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// A name for messages.
    #[schemars(extend("x-derived" = true))]
    pub name: String,
    /// Vertices of the body's mesh, by their place in its file: held is what of the sheet lies at them, on the edges
    /// between them and on the faces between them, and along the surface no farther off than particles are from each
    /// other.
    #[schemars(length(min = 1), extend("x-unit" = "m"))]
    pub vertices: Vec<[f64; 3]>,
    /// Placements at given frames, in rising order, of what the region is held by: linear in between, held before and
    /// after. The region goes with it from where it is at the first frame; without any it stays there. The scale is not
    /// followed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub motion: Vec<Key>,
}

fn default_color() -> [f64; 3] {
    [0.8; 3]
}
