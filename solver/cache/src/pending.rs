//! Unfinished files in a folder, and the stop of all writing before a process ends.

use crate::CacheError;
use crate::entries::remove;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};

/// The unfinished files of a folder, on all threads.
#[derive(Debug, Default)]
pub struct Pending(Mutex<Unfinished>);

#[derive(Debug, Default)]
struct Unfinished {
    is_shut: bool,
    paths: BTreeSet<PathBuf>,
}

impl Unfinished {
    fn check_open(&self) -> io::Result<()> {
        if self.is_shut { Err(io::Error::other("nothing more is written")) } else { Ok(()) }
    }
}

impl Pending {
    /// Begins a file in a folder, under a temporary name.
    ///
    /// # Errors
    /// When it cannot be made, or all writing was stopped.
    pub fn begin(&self, builder: &Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
        let mut unfinished = self.lock();
        unfinished.check_open()?;
        let file = builder.tempfile_in(folder)?;
        unfinished.paths.insert(file.path().to_owned());
        Ok(file)
    }

    /// Renames a complete file to its final name, over an older file; removes a file that could not be filled.
    ///
    /// # Errors
    /// When it cannot be renamed or filled, or all writing was stopped.
    pub fn end(&self, file: NamedTempFile, path: &Path, filled: io::Result<()>) -> io::Result<()> {
        let mut unfinished = self.lock();
        unfinished.check_open()?;
        unfinished.paths.remove(file.path());
        filled?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }

    /// Stops all writing, and removes the unfinished files.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn shut(&self) -> Result<(), CacheError> {
        let mut unfinished = self.lock();
        unfinished.is_shut = true;
        std::mem::take(&mut unfinished.paths).iter().try_for_each(|path| remove(path))
    }

    fn lock(&self) -> MutexGuard<'_, Unfinished> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    #[test]
    fn stopping_all_writing_removes_unfinished_files() {
        let root = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        let path = root.path().join("file");
        let (pending, builder) = (Pending::default(), Builder::new());
        let [whole, full, late] = [(); 3].map(|()| pending.begin(&builder, root.path()).unwrap());
        pending.end(whole, &path, Ok(())).unwrap();
        assert_eq!(
            pending.end(full, &path, Err(io::ErrorKind::StorageFull.into())).unwrap_err().kind(),
            io::ErrorKind::StorageFull
        );
        assert_eq!(names().len(), 2, "the whole and the late one");
        pending.shut().unwrap();
        assert_eq!(names(), ["file"]);
        assert!(pending.end(late, &root.path().join("late"), Ok(())).is_err());
        assert!(pending.begin(&builder, root.path()).is_err());
        assert_eq!(names(), ["file"]);
    }
}
