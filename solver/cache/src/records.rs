//! Records of files that workers made beside each other: one small file for each, since only one process writes the index.
//!
//! `records/mesh_0012.json` tells of `mesh/mesh_0012.ply`. Whoever reads the index reads them, too, and whoever holds the
//! folder's lock may take them over into it.

use crate::names::{RECORDS, is_unfinished, record_name, recorded};
use crate::storage::{entries, remove, remove_chosen, write_inside};
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

    /// Lists the file, if its frame is listed.
    fn enter(self, index: &mut Index) {
        if !self.is_of(index) {
            return;
        }
        let Ok(at) = index.done.binary_search_by_key(&self.frame, |frame| frame.frame) else { return };
        let frame = &mut index.done[at];
        frame.files.insert(self.kind, self.bytes);
        frame.mesh = self.mesh.or(frame.mesh);
    }
}

impl CacheFolder {
    /// Writes the record of a file, after the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_record(&self, record: &FileRecord) -> Result<(), CacheError> {
        let path = self.root().join(RECORDS).join(record_name(record.kind, record.frame));
        let text = serde_json::to_vec(record)
            .map_err(|error| CacheError::Write { path: path.clone(), source: error.into() })?;
        self.check_there()?;
        write_inside(&path, &text)
    }

    /// Takes all records over into the index, which is returned, and away.
    ///
    /// # Errors
    /// When the index cannot be written; the records stay then.
    pub fn collect(&self) -> Result<Index, CacheError> {
        let folder = self.root().join(RECORDS);
        // What comes later stays for the next.
        let names = entries(&folder)?;
        let index = crate::read_index(self.root())?;
        if names.iter().any(|name| recorded(name).is_some()) {
            self.write_index(&index)?;
        }
        names.iter().filter(|name| recorded(name).is_some()).try_for_each(|name| remove(&folder.join(name)))?;
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

/// Lists in an index what the records beside it tell of. One that is damaged or of other files is passed over.
pub(crate) fn enter_records(root: &Path, index: &mut Index) -> Result<(), CacheError> {
    let folder = root.join(RECORDS);
    for name in entries(&folder)?.iter().filter(|name| recorded(name).is_some()) {
        // It may just have been taken over.
        let Ok(text) = fs::read(folder.join(name)) else { continue };
        if let Ok(record) = serde_json::from_slice::<FileRecord>(&text)
            && record_name(record.kind, record.frame) == *name
        {
            record.enter(index);
        }
    }
    Ok(())
}
