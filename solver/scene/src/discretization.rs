use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How matter is resolved by smoothed particles (DG96 section 3.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Discretization {
    /// Matter in space or in a plane.
    pub dimensions: Dimensions,
    /// Smoothing kernel.
    pub kernel: Kernel,
    /// Smoothing length h in units of the particle spacing; particles feel each other up to 2 h.
    #[schemars(range(min = 0.9, max = 2.0))]
    pub smoothing_length: f64,
}

impl Default for Discretization {
    fn default() -> Self {
        Self { dimensions: Dimensions::Three, kernel: Kernel::Spiky, smoothing_length: 1.25 }
    }
}

/// The dimensions of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Dimensions {
    /// A section: matter lies in the plane y = 0, which Blender's front view shows, and is one particle thick. Bodies
    /// and colliders count where that plane cuts them; colliders have to reach a few particle spacings to both sides of
    /// it. Quick, for tests and figures.
    #[serde(rename = "2d")]
    Two = 2,
    /// Space.
    #[serde(rename = "3d")]
    Three = 3,
}

/// A smoothing kernel of support 2 h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// The paper's own kernel (2 - q)^3, whose force does not fade as particles meet, so they do not clump.
    Spiky,
    /// The cubic spline of Monaghan: smoother, but particles tend to clump.
    CubicSpline,
}
