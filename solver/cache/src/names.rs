//! Names in a cache folder. They are all made here, so no outside name can lead out of the folder.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The index of a cache folder.
pub const INDEX_FILE: &str = "bake.json";

/// The kinds of files that a bake writes for a frame; each kind has its own folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// The surface.
    Mesh,
    /// Grids.
    Volume,
    /// Particles.
    Particles,
}

impl OutputKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Mesh, Self::Volume, Self::Particles];

    /// Name of the folder, and start of the file names in it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mesh => "mesh",
            Self::Volume => "volume",
            Self::Particles => "particles",
        }
    }

    /// The frame number in a file name of this kind; none for other names.
    pub(crate) fn frame_of(self, name: &str) -> Option<i32> {
        let (stem, extension) = name.rsplit_once('.')?;
        let frame = stem.strip_prefix(self.name())?.strip_prefix('_')?.parse().ok()?;
        let is_own = self.check_format(extension).is_ok() && leaf_name(self, frame, extension) == name;
        is_own.then_some(frame)
    }
}

impl fmt::Display for OutputKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Name of the file of a frame, with forward slashes, from the cache folder on: `mesh/mesh_0001.ply`.
pub fn file_name(kind: OutputKind, frame: i32, extension: &str) -> String {
    format!("{kind}/{}", leaf_name(kind, frame, extension))
}

/// The pattern of all file names, for Python and Blender's Format String: `mesh/mesh_{frame:04}.ply`.
pub fn pattern(kind: OutputKind, extension: &str) -> String {
    format!("{kind}/{kind}_{{frame:04}}.{extension}")
}

fn leaf_name(kind: OutputKind, frame: i32, extension: &str) -> String {
    format!("{kind}_{frame:04}.{extension}")
}

/// Whether a file is our lock or one of our unfinished files.
pub(crate) fn is_transient(name: &str) -> bool {
    name == LOCK_FILE || is_unfinished(name)
}

/// Whether a file is one of our unfinished files.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.starts_with(TEMPORARY_PREFIX) && name.ends_with(TEMPORARY_SUFFIX)
}

/// The folder of records.
pub(crate) const RECORDS: &str = "records";

/// The folder of pictures that a farm renders.
pub(crate) const PICTURES: &str = "render";

/// The folder of markers.
pub(crate) const DONE: &str = "done";

/// Name of the record of a file.
pub(crate) fn record_name(kind: OutputKind, frame: i32) -> String {
    leaf_name(kind, frame, "json")
}

/// The kind of file in the name of a record; none for other names.
pub(crate) fn recorded(name: &str) -> Option<OutputKind> {
    let stem = name.strip_suffix(".json")?;
    OutputKind::ALL.into_iter().find(|kind| {
        let frame = stem.strip_prefix(kind.name()).and_then(|rest| rest.strip_prefix('_')?.parse().ok());
        frame.is_some_and(|frame| record_name(*kind, frame) == name)
    })
}

/// The folder of checkpoints.
pub(crate) const CHECKPOINTS: &str = "checkpoints";

/// Name of the checkpoint of a frame.
pub(crate) fn checkpoint_name(frame: i32) -> String {
    format!("checkpoint_{frame:04}.state")
}

/// The frame number in the name of a checkpoint; none for other names.
pub(crate) fn checkpoint_frame(name: &str) -> Option<i32> {
    let frame = name.strip_prefix("checkpoint_")?.strip_suffix(".state")?.parse().ok()?;
    (checkpoint_name(frame) == name).then_some(frame)
}

pub(crate) const LOCK_FILE: &str = ".dollop-lock";
pub(crate) const TEMPORARY_PREFIX: &str = ".dollop-";
pub(crate) const TEMPORARY_SUFFIX: &str = ".tmp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_python() {
        let name = |frame| file_name(OutputKind::Mesh, frame, "ply");
        assert_eq!(name(1), "mesh/mesh_0001.ply");
        assert_eq!(name(-5), "mesh/mesh_-005.ply");
        assert_eq!(name(-12345), "mesh/mesh_-12345.ply");
        assert_eq!(name(100_000), "mesh/mesh_100000.ply");
        assert_eq!(pattern(OutputKind::Volume, "vdb"), "volume/volume_{frame:04}.vdb");
    }

    #[test]
    fn only_our_names_count_as_ours() {
        let frame = |name| OutputKind::Mesh.frame_of(name);
        assert_eq!(frame("mesh_-005.ply"), Some(-5));
        assert_eq!(frame("mesh_0012.obj"), Some(12));
        for foreign in
            ["mesh_12.ply", "mesh_00012.ply", "mesh_0012.txt", "mesh_0012.ply.bak", "volume_0001.ply", "mesh_+012.ply"]
        {
            assert_eq!(frame(foreign), None, "{foreign}");
        }
    }
}
