//! Files that are complete or absent.

use crate::CacheError;
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

/// How often a file is written again after another process removed its folder or temporary file.
const TRIES: usize = 5;

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

/// Reads a file that other processes replace; tries again where a network disk reports that it was replaced.
///
/// # Errors
/// The error of the last try.
pub fn again<T>(read: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let is_stale = |error: &io::Error| error.kind() == io::ErrorKind::StaleNetworkFileHandle;
    (1..TRIES).find_map(|_| Some(read()).filter(|result| !result.as_ref().is_err_and(is_stale))).unwrap_or_else(read)
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

/// Makes a folder inside the cache, unless it exists; does not follow a link in its place.
pub fn ensure_folder(path: &Path) -> Result<(), CacheError> {
    let made = fs::create_dir(path);
    // Another thread may just have made it.
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(CacheError::NotAFolder(path.to_owned())),
        Err(source) => Err(CacheError::Write { path: path.to_owned(), source: made.err().unwrap_or(source) }),
    }
}

/// Names of the entries of a folder, sorted; empty if the folder does not exist (a link to one does not count).
pub fn entries(folder: &Path) -> Result<Vec<String>, CacheError> {
    if !fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir()) {
        return Ok(Vec::new());
    }
    let read = || -> io::Result<Vec<String>> {
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    };
    let mut names = match again(read) {
        // Another process has just removed it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|source| CacheError::Read { path: folder.to_owned(), source })?,
    };
    names.sort();
    Ok(names)
}

/// Removes the chosen files of a folder.
pub fn remove_chosen(folder: &Path, is_chosen: impl Fn(&str) -> bool) -> Result<(), CacheError> {
    entries(folder)?.iter().filter(|name| is_chosen(name)).try_for_each(|name| remove(&folder.join(name)))
}

/// Removes a file or link, never a folder.
pub fn remove(path: &Path) -> Result<(), CacheError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(CacheError::Write { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
