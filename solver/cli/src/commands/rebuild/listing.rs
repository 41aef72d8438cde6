//! Lists rebuilt files in the index.

use super::target::{ListingMode, Target};
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::outputs::WrittenFrame;
use dollop_cache::{CacheError, CacheFolder, FileRecord, FrameRecord, Index, OutputKind, Stage, Status, read_index};
use std::collections::BTreeMap;

/// Lists files of a kind, frame by frame.
pub struct Listing<'a> {
    folder: &'a CacheFolder,
    ledger: Ledger<'a>,
    manner: ListingMode,
    kind: OutputKind,
}

impl<'a> Listing<'a> {
    /// Begins.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn new(Target { folder, index, manner }: &'a Target, kind: OutputKind) -> Result<Self, CacheError> {
        let listing = Self { folder, ledger: Ledger::new(folder, index.clone()), manner: *manner, kind };
        if listing.manner != ListingMode::Beside {
            listing.ledger.write()?;
        }
        Ok(listing)
    }

    /// Lists the written files of a frame; `record` is the frame's record in the cache with the particles.
    ///
    /// # Errors
    /// When the list cannot be written, or could not be written with this frame.
    pub fn list(&mut self, record: &FrameRecord, written: WrittenFrame, seconds: f64) -> Result<(), CacheError> {
        let index = &mut self.ledger.index;
        if self.manner == ListingMode::Beside {
            return records(index, record.frame, &written)
                .iter()
                .try_for_each(|record| self.folder.write_record(record));
        }
        self.folder.check_frame(&FrameRecord { mesh: written.mesh, ..record.clone() })?;
        let at = index.done.partition_point(|frame| frame.frame < record.frame);
        if self.manner == ListingMode::Anew {
            let own = FrameRecord { files: BTreeMap::new(), mesh: None, write_seconds: seconds, ..record.clone() };
            index.done.insert(at, own);
        }
        if let Some(frame) = index.done.get_mut(at) {
            frame.files.extend(written.sizes);
            frame.mesh = written.mesh.or(frame.mesh);
        }
        self.ledger.frame_listed(seconds)
    }

    /// Lists the ending of the work. The ending of the bake of the particles stays.
    ///
    /// # Errors
    /// When the list cannot be written.
    pub fn close(&mut self, result: &Result<bool, Failure>) -> Result<(), CacheError> {
        let stage = Stage::of(self.kind);
        if self.manner == ListingMode::Beside {
            return self.take_over(stage);
        }
        if self.manner == ListingMode::Anew {
            let index = &mut self.ledger.index;
            (index.status, index.error) = match result {
                Ok(true) => (Status::Complete, None),
                Ok(false) => (Status::Cancelled, None),
                Err(failure) => (Status::Failed, Some(failure.message.clone())),
            };
        }
        self.ledger.write()?;
        self.folder.unmark(stage, &self.ledger.index)?;
        self.folder.mark(stage, &self.ledger.index)
    }

    /// Marks the work as cancelled, and drops the frames that other threads still make.
    ///
    /// # Errors
    /// When the list cannot be written, or something cannot be removed.
    pub fn abandon(&mut self, at_hand: &[i32]) -> Result<(), CacheError> {
        let closed = self.close(&Ok(false));
        // The index on the disk, with frames that other processes may have listed meanwhile.
        let index = read_index(self.folder.root())?;
        self.folder.abandon(&index, &[self.kind], at_hand)?;
        closed
    }

    /// Merges records into the index if no other process holds the folder now; else the last process will do so.
    fn take_over(&self, stage: Stage) -> Result<(), CacheError> {
        let root = self.folder.root();
        match CacheFolder::open(root) {
            Ok((alone, _)) if alone.is_locked() => {
                let index = alone.collect()?;
                if stage.is_done(&index) {
                    alone.sweep(&[self.kind])?;
                }
            }
            Ok(_) | Err(CacheError::Busy(_)) => {}
            Err(error) => return Err(error),
        }
        // Including stages that other processes have finished meanwhile.
        self.folder.mark(stage, &read_index(root)?)
    }
}

/// The records of the written files of a frame.
fn records(index: &Index, frame: i32, written: &WrittenFrame) -> Vec<FileRecord> {
    let record = |(&kind, &bytes): (&OutputKind, &u64)| {
        let output = index.output(kind)?;
        Some(FileRecord {
            kind,
            frame,
            bytes,
            mesh: written.mesh,
            scene: index.scene.sha256.clone(),
            format: output.format.clone(),
            settings: output.settings.clone(),
        })
    };
    written.sizes.iter().filter_map(record).collect()
}
