use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shape, centred on its own origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// A triangle mesh from a file: closed, except for sheets and walls.
    Mesh {
        /// OBJ file in metres, Z up; a relative path starts at the scene file's folder.
        #[schemars(extend("x-derived" = true))]
        path: String,
    },
    /// Everything below the local XY plane; its normal is +Z. For colliders alone, as it has no bounds.
    #[schemars(extend("x-only" = ["colliders"]))]
    Plane {},
    /// An axis-aligned box.
    Box {
        /// Full edge lengths.
        #[schemars(inner(range(min = 1e-6, max = 1e6)), extend("x-unit" = "m", "x-extent" = "xyz"))]
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius.
        #[schemars(range(min = 1e-6, max = 1e6), extend("x-unit" = "m", "x-half-extent" = "xyz"))]
        radius: f64,
    },
    /// A cylinder along Z.
    Cylinder {
        /// Radius.
        #[schemars(range(min = 1e-6, max = 1e6), extend("x-unit" = "m", "x-half-extent" = "xy"))]
        radius: f64,
        /// Full height.
        #[schemars(range(min = 1e-6, max = 1e6), extend("x-unit" = "m", "x-extent" = "z"))]
        height: f64,
    },
}

/// Placement of a shape: scaled, then rotated, then moved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Transform {
    /// Position of the shape's origin.
    #[schemars(inner(range(min = -1e6, max = 1e6)), extend("x-unit" = "m"))]
    pub translation: [f64; 3],
    /// Unit quaternion w, x, y, z.
    #[schemars(inner(range(min = -1.0001, max = 1.0001)))]
    pub rotation: [f64; 4],
    /// Factors along the shape's own axes; not zero.
    #[schemars(inner(range(min = -1e6, max = 1e6)))]
    pub scale: [f64; 3],
}

impl Default for Transform {
    fn default() -> Self {
        Self { translation: [0.0; 3], rotation: [1.0, 0.0, 0.0, 0.0], scale: [1.0; 3] }
    }
}
