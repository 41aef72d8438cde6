//! Marks stages as finished in a cache folder.

use super::CacheFolder;
use crate::entries::remove;
use crate::names::DONE;
use crate::{CacheError, Index, Stage};
use serde_json::json;
use std::fs;

impl CacheFolder {
    /// Writes the marker of a stage if the index says that it is finished.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn mark(&self, stage: Stage, index: &Index) -> Result<(), CacheError> {
        if !stage.is_done(index) {
            return Ok(());
        }
        let path = self.root().join(DONE).join(stage.file());
        let marker = json!({
            "stage": stage.name(),
            "frames": [index.frames.start, index.frames.end],
            "scene": index.scene.sha256,
            "dollop": index.dollop,
        });
        self.put(&path, format!("{marker}\n").as_bytes())
    }

    /// Removes the marker of a stage if the index says that it is not finished.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn unmark(&self, stage: Stage, index: &Index) -> Result<(), CacheError> {
        if stage.is_done(index) {
            return Ok(());
        }
        let folder = self.root().join(DONE);
        remove(&folder.join(stage.file()))?;
        let _ = fs::remove_dir(&folder);
        Ok(())
    }
}
