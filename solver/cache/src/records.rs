//! Records of files that workers made beside each other: one small file for each, since only one process writes the
//! index.
//!
//! `records/mesh_0012.json` tells of `mesh/mesh_0012.ply`. Whoever reads the index reads them, too, and whoever holds
//! the folder's lock may take them over into it.

use crate::finite::check_finite;
use crate::names::{RECORDS, is_unfinished, record_name, recorded};
use crate::storage::{entries, remove, remove_chosen};
use crate::{CacheError, CacheFolder, Index, MeshRecord, OutputKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// What is known of a file that a worker made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Which kind.
    pub kind: OutputKind,
    /// Frame number.
    pub frame: i32,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// About the surface, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshRecord>,
    /// Hash of the scene that the particles are of, as in the index.
    pub scene: String,
    /// File format.
    pub format: String,
    /// The settings it was made with, as in the index.
    pub settings: Option<Value>,
}

impl FileRecord {
    /// Whether the file is one of those that the index tells of.
    fn is_of(&self, index: &Index) -> bool {
        self.scene == index.scene.sha256
            && index
                .output(self.kind)
                .is_some_and(|output| output.format == self.format && output.settings == self.settings)
    }

    /// Lists the file, if its frame is listed. Tells whether the record is of no more use: what it tells is listed, or
    /// it is of other files.
    pub(crate) fn enter(self, index: &mut Index) -> bool {
        if !self.is_of(index) {
            return true;
        }
        // A simulation that went back will come to its frame again.
        let Ok(at) = index.done.binary_search_by_key(&self.frame, |frame| frame.frame) else { return false };
        let frame = &mut index.done[at];
        frame.files.insert(self.kind, self.bytes);
        frame.mesh = self.mesh.or(frame.mesh);
        true
    }
}

impl CacheFolder {
    /// Writes the record of a file, after the file.
    ///
    /// # Errors
    /// When it cannot be written, or holds a number that JSON has none for.
    pub fn write_record(&self, record: &FileRecord) -> Result<(), CacheError> {
        let path = self.root().join(RECORDS).join(record_name(record.kind, record.frame));
        check_finite(record).map_err(|place| CacheError::NotFinite { path: path.clone(), place })?;
        let text = serde_json::to_vec(record)
            .map_err(|error| CacheError::Write { path: path.clone(), source: error.into() })?;
        self.put(&path, &text)
    }

    /// Takes records over into the index, which is returned, and away.
    ///
    /// # Errors
    /// When the index cannot be written; the records stay then.
    pub fn collect(&self) -> Result<Index, CacheError> {
        // What comes later stays for the next.
        let records = records(self.root())?;
        let mut index = crate::read_index(self.root())?;
        if records.is_empty() {
            return Ok(index);
        }
        self.write_index(&index)?;
        let folder = self.root().join(RECORDS);
        for record in records {
            let name = record_name(record.kind, record.frame);
            if record.enter(&mut index) {
                remove(&folder.join(name))?;
            }
        }
        let _ = fs::remove_dir(&folder);
        Ok(index)
    }

    /// Takes the records of a kind away: its files are no longer what they were.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn remove_records(&self, kind: OutputKind) -> Result<(), CacheError> {
        remove_records(self.root(), |found| found == kind)
    }
}

/// Takes records of some kinds away, and their folder, if nothing else is in it.
pub(crate) fn remove_records(root: &Path, is_chosen: impl Fn(OutputKind) -> bool) -> Result<(), CacheError> {
    let folder = root.join(RECORDS);
    remove_chosen(&folder, |name| recorded(name).is_some_and(&is_chosen) || is_unfinished(name))?;
    let _ = fs::remove_dir(&folder);
    Ok(())
}

/// The records in a cache. One that is damaged is passed over.
pub(crate) fn records(root: &Path) -> Result<Vec<FileRecord>, CacheError> {
    let folder = root.join(RECORDS);
    let read = |name: &String| {
        // It may just have been taken over.
        let record: FileRecord = serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()?;
        (record_name(record.kind, record.frame) == *name).then_some(record)
    };
    Ok(entries(&folder)?.iter().filter(|name| recorded(name).is_some()).filter_map(read).collect())
}
