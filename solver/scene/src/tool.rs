use crate::{Key, Shape, Transform};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A region that joins or cuts the sheets in it (Tonnesen 1992, section 7). Tools work one after the other, as they are listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
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
    /// What it does.
    #[serde(default)]
    pub action: ToolAction,
}

/// What a tool does to the sheets in it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolAction {
    /// Binds sheets whose edges meet in it and look to the same side, of one body or of several; for good, until they tear.
    #[default]
    Join,
    /// Parts what it takes up of sheets from the rest: all that its region holds or passes, whichever of region and sheet goes, which stays
    /// whole in itself. So a blade, however thin and fast, cuts a line where it goes along its own plane or a sheet is drawn along that,
    /// and a band where either goes sideways. Where neither goes all of its surface cuts.
    Cut,
}
