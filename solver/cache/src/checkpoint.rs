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

use crate::CacheError;
use crate::entries::{entries, remove_chosen};
use crate::names::{CHECKPOINTS, checkpoint_frame, is_transient};
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
    pub(crate) fn encoded(&self) -> Result<Vec<u8>, postcard::Error> {
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
    pub(crate) fn decoded(bytes: &[u8]) -> Result<Self, String> {
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

/// Removes all checkpoints in a cache folder, and their folder if it is then empty.
pub(crate) fn remove_checkpoints(root: &Path) -> Result<(), CacheError> {
    let folder = root.join(CHECKPOINTS);
    remove_chosen(&folder, |name| checkpoint_frame(name).is_some() || is_transient(name))?;
    let _ = fs::remove_dir(&folder);
    Ok(())
}

/// The frames with a checkpoint in a folder, in rising order.
pub(crate) fn frames(folder: &Path) -> Result<Vec<i32>, CacheError> {
    let mut frames: Vec<i32> = entries(folder)?.iter().filter_map(|name| checkpoint_frame(name)).collect();
    frames.sort_unstable();
    Ok(frames)
}
