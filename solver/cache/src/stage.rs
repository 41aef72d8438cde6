//! Markers of finished stages: `done/simulate.json`, `done/mesh.json`, `done/volume.json`. A marker exists exactly
//! while all frames of the scene have passed the stage, so a script need not read the index.

use crate::entries::remove_chosen;
use crate::names::{DONE, is_unfinished};
use crate::{CacheError, Index, OutputKind, Status};
use std::fs;
use std::path::Path;

/// A stage of the work on a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Physics of the frames.
    Simulate,
    /// Surfaces.
    Mesh,
    /// Grids.
    Volume,
}

impl Stage {
    /// All stages.
    pub const ALL: [Self; 3] = [Self::Simulate, Self::Mesh, Self::Volume];

    /// The stage that makes the files of a kind.
    pub fn of(kind: OutputKind) -> Self {
        match kind {
            OutputKind::Mesh => Self::Mesh,
            OutputKind::Volume => Self::Volume,
            OutputKind::Particles => Self::Simulate,
        }
    }

    /// Its name, which is also that of its command.
    pub fn name(self) -> &'static str {
        match self {
            Self::Simulate => "simulate",
            Self::Mesh => "mesh",
            Self::Volume => "volume",
        }
    }

    pub(crate) fn file(self) -> String {
        format!("{}.json", self.name())
    }

    /// Whether all frames of the scene have passed it.
    pub fn is_done(self, index: &Index) -> bool {
        let (start, end) = (i64::from(index.frames.start), i64::from(index.frames.end));
        let has_all = index.status == Status::Complete && index.done.len() as i64 == end - start + 1;
        let has = |kind| index.output(kind).is_some() && index.done.iter().all(|frame| frame.files.contains_key(&kind));
        has_all
            && match self {
                Self::Simulate => true,
                Self::Mesh => has(OutputKind::Mesh),
                Self::Volume => has(OutputKind::Volume),
            }
    }
}

/// Removes all markers, and their folder if it is then empty.
pub(crate) fn remove_markers(root: &Path) -> Result<(), CacheError> {
    let folder = root.join(DONE);
    let names = Stage::ALL.map(Stage::file);
    remove_chosen(&folder, |name| names.iter().any(|own| own == name) || is_unfinished(name))?;
    let _ = fs::remove_dir(&folder);
    Ok(())
}
