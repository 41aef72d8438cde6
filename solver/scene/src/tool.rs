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
        /// What it does.
        #[serde(default)]
        pub action: ToolAction,
    }
}

/// What a tool does to the sheets in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolAction {
    /// Binds sheets whose edges meet in it and look to the same side, of one body or of several; for good, until they
    /// tear.
    #[default]
    Join,
    /// Parts what it takes up of sheets from the rest: all that its region holds or passes, whichever of region and
    /// sheet goes, which stays whole in itself. So a blade, however thin and fast, cuts a line where it goes along its
    /// own plane or a sheet is drawn along that, and a band where either goes sideways. Where neither goes all of its
    /// surface cuts.
    Cut,
}
