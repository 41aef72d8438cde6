//! Files that are complete or absent.

use crate::CacheError;
use crate::entries::{TRIES, ensure_folder};
use crate::names::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::pending::Pending;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name, flushes it to the disk and renames it, over an older file of that name. A
/// failure leaves no file behind.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CacheError> {
    write_pending(path, bytes, &Pending::default())
}

/// As [`write_whole`], for a file of a folder with [`Pending`] files.
///
/// # Errors
/// When it cannot be written, or all writing into the folder was stopped.
pub fn write_pending(path: &Path, bytes: &[u8], pending: &Pending) -> Result<(), CacheError> {
    try_write(path, bytes, pending).map_err(|source| CacheError::Write { path: path.to_owned(), source })
}

/// As [`write_pending`], into a folder inside the cache, which is made if it is missing. Other processes may tidy up at
/// the same time.
///
/// # Errors
/// When it cannot be written, or all writing into the folder was stopped.
pub fn write_inside(path: &Path, bytes: &[u8], pending: &Pending) -> Result<(), CacheError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let failed = |source| CacheError::Write { path: path.to_owned(), source };
    let mut tries = 1;
    loop {
        let made = ensure_folder(folder);
        match made.and_then(|()| try_write(path, bytes, pending).map_err(failed)) {
            Err(CacheError::Write { source, .. }) if is_passing(&source) && tries < TRIES => tries += 1,
            result => return result,
        }
    }
}

/// Whether another process has just replaced or removed the file; network disks notice that late.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::StaleNetworkFileHandle
    )
}

/// Bytes flushed to the disk at a time: a process that ends waits for the flushes of its threads.
const PIECE: usize = 16 << 20;

fn try_write(path: &Path, bytes: &[u8], pending: &Pending) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    set_permissions(&mut builder);
    let mut file = pending.begin(&builder, folder)?;
    let filled = bytes.chunks(PIECE).try_for_each(|piece| {
        file.write_all(piece)?;
        file.as_file().sync_all()
    });
    pending.end(file, path, filled)
}

/// Temporary files are private by default, but a farm must read a cache: use the permissions of the user's umask.
#[cfg(unix)]
fn set_permissions(builder: &mut tempfile::Builder) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn set_permissions(_builder: &mut tempfile::Builder) {}
