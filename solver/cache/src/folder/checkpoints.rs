//! Writes and finds the checkpoints of a cache folder.

use super::CacheFolder;
use crate::CacheError;
use crate::checkpoint::{Checkpoint, frames, remove_checkpoints};
use crate::entries::remove;
use crate::names::{CHECKPOINTS, checkpoint_name};
use dollop_sim::State;
use std::fs;

/// Number of checkpoints of a bake that are kept.
const KEPT: usize = 2;

/// The checkpoints in a folder that a bake may resume from.
#[derive(Debug, Default)]
pub struct Checkpoints {
    /// The newest intact checkpoint of the bake.
    pub newest: Option<Checkpoint>,
    /// Why newer checkpoints were skipped, a sentence each.
    pub passed_over: Vec<String>,
}

impl CacheFolder {
    /// Writes a checkpoint, and removes the ones that are too old for a bake to need them.
    ///
    /// # Errors
    /// When it cannot be written; the older checkpoints stay.
    pub fn write_checkpoint(&self, checkpoint: &Checkpoint<&State>) -> Result<(), CacheError> {
        let folder = self.root().join(CHECKPOINTS);
        let path = folder.join(checkpoint_name(checkpoint.frame));
        let bytes = checkpoint
            .encoded()
            .map_err(|error| CacheError::Write { path: path.clone(), source: std::io::Error::other(error) })?;
        self.put(&path, &bytes)?;
        let frames = frames(&folder)?;
        // Checkpoints of later frames belong to segments that were further, and are still valid.
        let mut older = frames.iter().rev().filter(|&&frame| frame <= checkpoint.frame).skip(KEPT);
        older.try_for_each(|&frame| remove(&folder.join(checkpoint_name(frame))))
    }

    /// The newest checkpoint from which this release can resume a bake of the scene, at a frame that fits.
    ///
    /// # Errors
    /// When the folder cannot be read. Damaged files are skipped.
    pub fn newest_checkpoint(
        &self,
        dollop: &str,
        scene: &str,
        fits: impl Fn(i32) -> bool,
    ) -> Result<Checkpoints, CacheError> {
        let folder = self.root().join(CHECKPOINTS);
        let mut found = Checkpoints::default();
        for frame in frames(&folder)?.into_iter().rev().filter(|&frame| fits(frame)) {
            let path = folder.join(checkpoint_name(frame));
            let checkpoint =
                fs::read(&path).map_err(|error| error.to_string()).and_then(|bytes| Checkpoint::decoded(&bytes));
            let is_own = |checkpoint: Checkpoint| match &checkpoint {
                Checkpoint { dollop: other, .. } if other != dollop => Err(format!("it is by Dollop {other}")),
                Checkpoint { scene: other, .. } if other != scene => Err("it is of another scene".into()),
                Checkpoint { frame: other, .. } if *other != frame => Err(format!("it is of frame {other}")),
                _ => Ok(checkpoint),
            };
            match checkpoint.and_then(is_own) {
                Ok(checkpoint) => {
                    found.newest = Some(checkpoint);
                    break;
                }
                Err(reason) => {
                    found.passed_over.push(format!("{}: this checkpoint is passed over: {reason}", path.display()));
                }
            }
        }
        Ok(found)
    }

    /// Removes all checkpoints, when a bake is complete.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn remove_checkpoints(&self) -> Result<(), CacheError> {
        remove_checkpoints(self.root())
    }
}
