use crate::placed::placed;
use crate::{Key, Placed, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

placed! {
    /// A region that joins or cuts the sheets in it (Tonnesen 1992, section 7). Tools work one after the other, as they
    /// are listed.
    pub struct Tool {
        /// The region's shape; meshes have to be closed.
        shape,
        /// The effect on the sheets in the region.
        #[serde(default)]
        pub action: ToolAction,
    }
}

/// The effect of a tool on the sheets in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolAction {
    /// Binds sheets whose edges meet in it and look to the same side, of one body or of several; for good, until they
    /// tear.
    #[default]
    Join,
    /// Parts the piece of a sheet that the region holds or passes, whichever of the two moves, from the rest of the
    /// sheet; the piece stays whole in itself. So a blade, however thin and fast, cuts a line where it moves along its
    /// own plane or a sheet is drawn along that plane, and a band where either moves sideways. Where neither moves, all
    /// of the region's surface cuts.
    Cut,
}
