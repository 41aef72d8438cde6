//! One bake at a time in a folder.

use crate::CacheError;
use crate::names::LOCK_FILE;
use same_file::Handle;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The lock of a folder; others are refused while this lives.
#[derive(Debug)]
pub struct FolderLock {
    path: PathBuf,
    /// Kept for its lock.
    _file: File,
}

impl FolderLock {
    /// Locks a folder.
    ///
    /// # Errors
    /// When another process holds the lock, or the lock file cannot be made.
    pub fn take(root: &Path) -> Result<Self, CacheError> {
        let path = root.join(LOCK_FILE);
        let failed = |source| CacheError::Write { path: path.clone(), source };
        loop {
            let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => return Err(CacheError::Busy(root.to_owned())),
                // The holder before may have removed the file after it was opened here: its lock keeps nobody out.
                Ok(()) if !is_named(&file, &path) => {}
                // Some network disks know no locks; a bake there must still be possible.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(Self { path, _file: file }),
            }
        }
    }
}

impl Drop for FolderLock {
    /// Removes the file while it is still locked: afterwards it could be another's.
    fn drop(&mut self) {
        // Left behind it would only be untidy: the lock itself ends with the file's handle.
        let _ = fs::remove_file(&self.path);
    }
}

fn is_named(file: &File, path: &Path) -> bool {
    let opened = file.try_clone().and_then(Handle::from_file);
    matches!((opened, Handle::from_path(path)), (Ok(opened), Ok(named)) if opened == named)
}
