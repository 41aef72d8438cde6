//! Writes records into a cache folder, and merges them into its index.

use super::CacheFolder;
use crate::entries::remove;
use crate::finite::check_finite;
use crate::index_read::read_index;
use crate::names::{RECORDS, record_name};
use crate::records::{FileRecord, records, remove_records};
use crate::{CacheError, Index, OutputKind};
use std::fs;

impl CacheFolder {
    /// Writes the record of a file, after the file.
    ///
    /// # Errors
    /// When it cannot be written, or holds a number that JSON cannot represent.
    pub fn write_record(&self, record: &FileRecord) -> Result<(), CacheError> {
        let path = self.root().join(RECORDS).join(record_name(record.kind, record.frame));
        check_finite(record).map_err(|place| CacheError::NotFinite { path: path.clone(), place })?;
        let text = serde_json::to_vec(record)
            .map_err(|error| CacheError::Write { path: path.clone(), source: error.into() })?;
        self.put(&path, &text)
    }

    /// Merges records into the index, which is returned, and removes them.
    ///
    /// # Errors
    /// When the index cannot be written; the records then stay.
    pub fn collect(&self) -> Result<Index, CacheError> {
        // Later records stay for the next time.
        let records = records(self.root())?;
        let mut index = read_index(self.root())?;
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

    /// Removes the records of a kind: its files have changed.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn remove_records(&self, kind: OutputKind) -> Result<(), CacheError> {
        remove_records(self.root(), |found| found == kind)
    }
}
