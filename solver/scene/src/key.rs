use crate::Transform;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The placement of a moving object at one frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// Frame number.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub frame: i32,
    /// Placement at that frame.
    pub transform: Transform,
}

/// A number at one frame.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueKey {
    /// Frame number.
    #[schemars(range(min = -1_000_000, max = 1_000_000))]
    pub frame: i32,
    /// The number at that frame.
    #[schemars(range(min = -1e12, max = 1e12))]
    pub value: f64,
}
