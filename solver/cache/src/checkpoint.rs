//! Checkpoints: the state of a bake between frames. An interrupted bake resumes from it.
//!
//! A file holds
//!
//! ```text
//! 8 bytes    "DOLLOPCK"
//! u32        version of this layout
//! u64        length of the rest, bytes
//! u128       XXH3 of the rest
//! ...        release of Dollop, hash of the scene, frame, and state, encoded by postcard
//! ```
//!
//! in little endian. Two are kept, so that one survives whatever happens to the other.

use crate::names::{CHECKPOINTS, checkpoint_frame, checkpoint_name, is_transient};
use crate::storage::{entries, remove, remove_chosen};
use crate::{CacheError, CacheFolder};
use dollop_sim::State;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use twox_hash::XxHash3_128;

const MAGIC: &[u8; 8] = b"DOLLOPCK";

/// The version of the layout that this release writes and reads.
const LAYOUT: u32 = 3;

/// Bytes of the head, which the hash does not cover.
const HEAD: usize = 8 + 4 + 8 + 16;

/// Number of checkpoints of a bake that are kept.
const KEPT: usize = 2;

/// The state of a bake at the end of a frame; borrowed when it is only written.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Checkpoint<S = State> {
    /// Version of the Dollop that baked: another version may give other bits.
    pub dollop: String,
    /// Hash of the scene and its meshes, as in the index.
    pub scene: String,
    /// Number of the frame.
    pub frame: i32,
    /// The state of the simulation.
    pub state: S,
}

impl Checkpoint<&State> {
    /// The bytes of the file.
    ///
    /// # Errors
    /// When the state is too large for the encoding.
    fn encoded(&self) -> Result<Vec<u8>, postcard::Error> {
        let mut bytes = postcard::to_extend(self, vec![0; HEAD])?;
        let (head, rest) = bytes.split_at_mut(HEAD);
        let fields: [&[u8]; 4] = [
            MAGIC,
            &LAYOUT.to_le_bytes(),
            &(rest.len() as u64).to_le_bytes(),
            &XxHash3_128::oneshot(rest).to_le_bytes(),
        ];
        head.copy_from_slice(&fields.concat());
        Ok(bytes)
    }
}

impl Checkpoint {
    /// The checkpoint in the bytes of a file.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    fn decoded(bytes: &[u8]) -> Result<Self, String> {
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or("it is cut off")?;
        let mut head = head;
        if take(&mut head) != *MAGIC {
            return Err("it is no checkpoint".into());
        }
        let layout = u32::from_le_bytes(take(&mut head));
        if layout != LAYOUT {
            return Err(format!("it has layout {layout}, and this release reads {LAYOUT}"));
        }
        if u64::from_le_bytes(take(&mut head)) != rest.len() as u64 {
            return Err("it is cut off".into());
        }
        if u128::from_le_bytes(take(&mut head)) != XxHash3_128::oneshot(rest) {
            return Err("its checksum is wrong".into());
        }
        postcard::from_bytes(rest).map_err(|error| error.to_string())
    }
}

/// The next bytes of a head, zeros beyond its end.
fn take<const N: usize>(head: &mut &[u8]) -> [u8; N] {
    let Some((first, rest)) = head.split_first_chunk() else { return [0; N] };
    *head = rest;
    *first
}

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

/// Removes all checkpoints in a cache folder, and their folder if it is then empty.
pub(crate) fn remove_checkpoints(root: &Path) -> Result<(), CacheError> {
    let folder = root.join(CHECKPOINTS);
    remove_chosen(&folder, |name| checkpoint_frame(name).is_some() || is_transient(name))?;
    let _ = fs::remove_dir(&folder);
    Ok(())
}

/// The frames with a checkpoint in a folder, in rising order.
fn frames(folder: &Path) -> Result<Vec<i32>, CacheError> {
    let mut frames: Vec<i32> = entries(folder)?.iter().filter_map(|name| checkpoint_frame(name)).collect();
    frames.sort_unstable();
    Ok(frames)
}
