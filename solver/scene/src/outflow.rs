use crate::placed::placed;
use crate::{Key, Placed, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

placed! {
    /// A region that removes the matter that is in it at a frame, or that passed it since the frame before. The first
    /// frame with matter in the region still shows it; the next does not.
    pub struct Outflow {
        /// The region's shape; meshes have to be closed.
        shape,
        /// Remove the matter outside instead: then matter can only be in the region.
        #[serde(default)]
        pub inverted: bool,
    }
}
