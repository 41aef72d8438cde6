use crate::placed::placed_by_fields;
use crate::{Heat, Key, Material, Placed, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A closed shape filled with particles of one material; or a shape, closed or not, covered with the particles of a
/// sheet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// A name for messages and for the index of the bake.
    #[schemars(extend("x-derived" = true))]
    pub name: String,
    /// The shape to fill, or to cover.
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
    /// Thermal properties of the matter, where heat flows.
    #[serde(default)]
    pub heat: Heat,
    /// The material of the body.
    #[serde(default)]
    pub material: Material,
    /// Regions of a sheet that are held, or moved. Where regions overlap, the first one holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub pins: Vec<Pin>,
}

placed_by_fields!(Body);

/// A region of a sheet that no force moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pin {
    /// A name for messages.
    #[schemars(extend("x-derived" = true))]
    pub name: String,
    /// Vertices of the body's mesh, by their coordinates in its file. The pin holds the sheet at these vertices, on the
    /// edges and on the faces between them, and from there along the surface as far as particles are from each other.
    #[schemars(length(min = 1), extend("x-unit" = "m"))]
    pub vertices: Vec<[f64; 3]>,
    /// Placements of the pin at given frames, in rising order: linear in between, held before and after. The region
    /// moves with the pin from its place at the first frame; without placements it stays there. It does not follow the
    /// scale.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub motion: Vec<Key>,
}

fn default_color() -> [f64; 3] {
    [0.8; 3]
}
