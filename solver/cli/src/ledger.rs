//! The index of a cache while frames are added.

use dollop_cache::{CacheError, CacheFolder, Index};
use std::time::{Duration, Instant};

/// The index is written as a whole. If frames follow each other fast, it waits for several, so that writing it takes at
/// most about one part in this many of the time.
const INDEX_SHARE: u32 = 20;
/// Frames that take longer are listed one by one, s.
const FAST: f64 = 0.1;

/// An index, and the time when its file was last brought up to date.
pub struct Ledger<'a> {
    folder: &'a CacheFolder,
    /// The index.
    pub index: Index,
    /// When it was last written, and the duration of that; none before the first frame.
    written: Option<(Instant, Duration)>,
}

impl<'a> Ledger<'a> {
    /// The ledger of a folder; nothing is written yet.
    pub fn new(folder: &'a CacheFolder, index: Index) -> Self {
        Self { folder, index, written: None }
    }

    /// Writes the index.
    ///
    /// # Errors
    /// When it cannot be written; the older index stays.
    pub fn write(&self) -> Result<(), CacheError> {
        self.folder.write_index(&self.index)
    }

    /// Writes the index after a frame that took so many seconds was added to it, or waits for the next frame.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn frame_listed(&mut self, seconds: f64) -> Result<(), CacheError> {
        let is_due = |(at, took): (Instant, Duration)| at.elapsed() > took * INDEX_SHARE;
        if seconds > FAST || self.written.is_none_or(is_due) {
            let clock = Instant::now();
            self.write()?;
            self.written = Some((Instant::now(), clock.elapsed()));
        }
        Ok(())
    }
}
