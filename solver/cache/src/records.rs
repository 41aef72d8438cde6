//! Records of files that several workers make in parallel: one small file each, since only one process writes the
//! index.
//!
//! `records/mesh_0012.json` describes `mesh/mesh_0012.ply`. Readers of the index read the records, too; the process
//! that holds the folder's lock may merge them into the index.

use crate::entries::{entries, remove_chosen};
use crate::names::{RECORDS, is_unfinished, record_name, recorded};
use crate::{CacheError, Index, MeshRecord, OutputKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Data of a file that a worker made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The kind.
    pub kind: OutputKind,
    /// Frame number.
    pub frame: i32,
    /// Size of the file, bytes.
    pub bytes: u64,
    /// The surface, if the file holds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshRecord>,
    /// Hash of the particles' scene, as in the index.
    pub scene: String,
    /// File format.
    pub format: String,
    /// The settings of the file, as in the index.
    pub settings: Option<Value>,
}

impl FileRecord {
    /// Whether the file belongs to the bake of the index.
    fn is_of(&self, index: &Index) -> bool {
        self.scene == index.scene.sha256
            && index
                .output(self.kind)
                .is_some_and(|output| output.format == self.format && output.settings == self.settings)
    }

    /// Lists the file, if its frame is listed. Returns whether the record is now useless: its data are listed, or it
    /// belongs to other files.
    pub(crate) fn enter(self, index: &mut Index) -> bool {
        if !self.is_of(index) {
            return true;
        }
        // A simulation that went back will reach its frame again.
        let Ok(at) = index.done.binary_search_by_key(&self.frame, |frame| frame.frame) else { return false };
        let frame = &mut index.done[at];
        frame.files.insert(self.kind, self.bytes);
        frame.mesh = self.mesh.or(frame.mesh);
        true
    }
}

/// Removes records of some kinds, and their folder if it is then empty.
pub(crate) fn remove_records(root: &Path, is_chosen: impl Fn(OutputKind) -> bool) -> Result<(), CacheError> {
    let folder = root.join(RECORDS);
    remove_chosen(&folder, |name| recorded(name).is_some_and(&is_chosen) || is_unfinished(name))?;
    let _ = fs::remove_dir(&folder);
    Ok(())
}

/// The records in a cache. Damaged ones are skipped.
pub(crate) fn records(root: &Path) -> Result<Vec<FileRecord>, CacheError> {
    let folder = root.join(RECORDS);
    let read = |name: &String| {
        // Another process may just have merged it.
        let record: FileRecord = serde_json::from_slice(&fs::read(folder.join(name)).ok()?).ok()?;
        (record_name(record.kind, record.frame) == *name).then_some(record)
    };
    Ok(entries(&folder)?.iter().filter(|name| recorded(name).is_some()).filter_map(read).collect())
}
