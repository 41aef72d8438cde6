use crate::placed::placed;
use crate::{Key, Placed, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

placed! {
    /// A region that removes the matter in it. A frame shows what comes into it once more; the next does not.
    pub struct Outflow {
        /// The region's shape; meshes have to be closed.
        shape,
        /// Remove what is outside instead: the region is all that matter may be in.
        #[serde(default)]
        pub inverted: bool,
    }
}
