use crate::{Key, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A region that removes the matter in it, at the end of each frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outflow {
    /// A name for messages.
    #[schemars(extend("x-derived" = true))]
    pub name: String,
    /// The region's shape; meshes have to be closed.
    #[schemars(extend("x-derived" = true))]
    pub shape: Shape,
    /// Where it stands; the frame of reference when `motion` is empty.
    #[serde(default)]
    #[schemars(extend("x-derived" = true))]
    pub transform: Transform,
    /// Where it stands at given frames, in rising order: linear in between, held before and after. Replaces
    /// `transform`. The scale may change over the frames only by one factor for all three axes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-derived" = true))]
    pub motion: Vec<Key>,
    /// Remove what is outside instead: the region is all that matter may be in.
    #[serde(default)]
    pub inverted: bool,
}
