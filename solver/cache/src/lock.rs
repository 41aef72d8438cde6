//! The lock that allows one bake at a time in a folder.

use crate::CacheError;
use crate::names::LOCK_FILE;
use same_file::Handle;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The lock of a folder; other processes are refused while it lives.
#[derive(Debug)]
pub struct FolderLock {
    root: PathBuf,
    path: PathBuf,
    /// The folder at the time of locking. Its handle stays open, so that no other folder gets its inode number.
    folder: Option<Handle>,
    /// Open for the sake of its lock.
    file: File,
    /// Whether the disk supports locks.
    is_sure: bool,
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
                // The last holder may have removed the file after it was opened here: then its lock keeps nobody out.
                Ok(()) if !is_named(&file, &path) => {}
                // On a disk without locks a bake must still be possible.
                locked => {
                    let folder = Handle::from_path(root).ok();
                    return Ok(Self { root: root.to_owned(), path, folder, file, is_sure: locked.is_ok() });
                }
            }
        }
    }

    /// Whether it keeps other processes out; some network disks have no locks.
    pub fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Whether the folder is still the one that was locked. Where locks keep nobody out, another process may remove the
    /// lock file.
    pub fn is_there(&self) -> bool {
        let is_same = Handle::from_path(&self.root).is_ok_and(|now| self.folder.as_ref() == Some(&now));
        is_same && (!self.is_sure || is_named(&self.file, &self.path))
    }

    /// Removes the file while it is still locked: afterwards another process might own it.
    pub fn remove(&self) {
        // A file left behind is only untidy: the lock itself ends with the file's handle.
        if self.is_sure && self.is_there() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        self.remove();
    }
}

fn is_named(file: &File, path: &Path) -> bool {
    let opened = file.try_clone().and_then(Handle::from_file);
    matches!((opened, Handle::from_path(path)), (Ok(opened), Ok(named)) if opened == named)
}
