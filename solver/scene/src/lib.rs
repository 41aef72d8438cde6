//! The scene file: the settings of the user, without the means by which the solver meets them.
//!
//! Every setting of Dollop is declared here once, with its sentence, unit, default and range. From these types come the
//! validation, `dollop schema`, docs/parameters.md and the add-on's property groups. SI units throughout, Z up as in
//! Blender. The schema carries each unit as `x-unit`; a field that an exporter fills in, rather than a person, carries
//! `x-derived: true`.

mod ambient;
mod body;
mod collider;
mod heat;
mod json_path;
mod material;
mod outflow;
mod output;
mod placed;
mod shape;
mod tool;

pub use ambient::Ambient;
pub use body::{Body, Pin};
pub use collider::{Collider, Key};
pub use heat::{Heat, HeatFlow, Heater, HeaterEffect, ValueKey};
pub use json_path::{JsonPath, Step};
pub use material::{
    Material, Molten, Oriented, OrientedMolten, Smoothed, Soft, SoftField, StateEquation, Structure, Thermal,
    ThermalMolten,
};
pub use outflow::Outflow;
pub use output::{
    Compression, MeshAttribute, MeshFormat, MeshOutput, Output, ParticleFormat, ParticleOutput, Precision,
    SurfaceField, SurfaceLevel, Surfaces, VolumeFormat, VolumeGrid, VolumeOutput,
};
pub use placed::Placed;
pub use shape::{Shape, Transform};
pub use tool::{Tool, ToolAction};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The version of the scene format that this crate reads and writes.
pub const SCENE_VERSION: u32 = 1;

/// A Dollop scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Version of the scene format; this release reads 1.
    #[schemars(range(min = 1, max = 1), extend("x-derived" = true))]
    pub version: u32,
    /// Which frames to bake, and how fast they play.
    #[schemars(extend("x-derived" = true))]
    pub frames: Frames,
    /// Acceleration of gravity.
    #[serde(default = "default_gravity")]
    #[schemars(inner(range(min = -1000.0, max = 1000.0)), extend("x-unit" = "m/s^2", "x-derived" = true))]
    pub gravity: [f64; 3],
    /// The air, or another thin medium, around the matter.
    #[serde(default)]
    pub ambient: Ambient,
    /// How heat flows; leave it out for temperatures that stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatFlow>,
    /// Edge of the cube of matter that one particle stands for; the smaller, the finer and the slower.
    #[schemars(range(min = 1e-5, max = 1e3), extend("x-unit" = "m", "x-suggested" = 0.05))]
    pub particle_spacing: f64,
    /// How matter is resolved: dimensions, kernel and smoothing length.
    #[serde(default)]
    pub discretization: Discretization,
    /// Let matter come to rest with itself before time begins: pressed matter expands, surfaces draw in by their
    /// cohesion, and matter that stands on something and would stay takes up its weight. Without, matter starts exactly
    /// as its body was filled, and does so in the first frames.
    #[serde(default = "default_true")]
    pub settle: bool,
    /// Let matter at rest sleep: it is held where it is, at a small part of the cost, until something moves near it.
    /// Matter is at rest if as a whole it takes more than 16 seconds, and more than 400 frames, to move by a particle
    /// spacing, and if it moves at less than a hundredth of the speed that falling matter gains in a frame; without
    /// gravity no matter is at rest. Matter that creeps more slowly than that, as stiff lava on a gentle slope, stops:
    /// switch this off if it should go on.
    #[serde(default = "default_true")]
    pub sleep: bool,
    /// The matter: closed shapes filled with particles.
    #[schemars(length(min = 1), extend("x-derived" = true))]
    pub bodies: Vec<Body>,
    /// Solids that the matter falls on, flows around or is cut by.
    #[serde(default)]
    #[schemars(extend("x-derived" = true))]
    pub colliders: Vec<Collider>,
    /// Regions that heat or cool the matter in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub heaters: Vec<Heater>,
    /// Regions that join or cut the sheets in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub tools: Vec<Tool>,
    /// Regions that remove the matter in them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub outflows: Vec<Outflow>,
    /// The files to write for each frame.
    #[serde(default)]
    pub output: Output,
}

fn default_gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

fn default_true() -> bool {
    true
}

/// The frames of a bake. Matter is at its start in frame `start`; time passes from there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// First frame: the matter as it was placed, and settled where `settle` is set.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub start: i32,
    /// Last frame, included.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub end: i32,
    /// Frames per second; 23.976 and the like are allowed.
    #[serde(default = "default_rate")]
    #[schemars(range(min = 0.01, max = 100_000.0), extend("x-unit" = "1/s"))]
    pub rate: f64,
}

fn default_rate() -> f64 {
    24.0
}

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
