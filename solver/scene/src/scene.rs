use crate::{Ambient, Body, Collider, Discretization, HeatFlow, Heater, Outflow, Output, Placed, Tool};
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

impl Scene {
    /// All objects of the scene, list by list, bodies first.
    pub fn placed(&self) -> [(&'static str, Vec<&dyn Placed>); 5] {
        fn all<T: Placed>(list: &[T]) -> Vec<&dyn Placed> {
            list.iter().map(|one| one as &dyn Placed).collect()
        }
        [
            ("bodies", all(&self.bodies)),
            ("colliders", all(&self.colliders)),
            ("heaters", all(&self.heaters)),
            ("tools", all(&self.tools)),
            ("outflows", all(&self.outflows)),
        ]
    }
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
