//! Files that are whole or not there.

use crate::CacheError;
use crate::names::{TEMPORARY_PREFIX, TEMPORARY_SUFFIX};
use crate::pending::Pending;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file under a temporary name, flushes it to the disk and gives it its name, over an older file of that name.
/// On failure nothing is left behind.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CacheError> {
    write_pending(path, bytes, &Pending::default())
}

/// As [`write_whole`], one of the files of a folder that are in the making.
///
/// # Errors
/// When it cannot be written, or all writing into the folder was ended.
pub fn write_pending(path: &Path, bytes: &[u8], pending: &Pending) -> Result<(), CacheError> {
    try_write(path, bytes, pending).map_err(|source| CacheError::Write { path: path.to_owned(), source })
}

/// How often a file is written again whose folder or temporary file somebody else took away meanwhile.
const TRIES: usize = 5;

/// As [`write_pending`], into a folder inside the cache that is made if it is not there. Others may tidy up at the same
/// time.
///
/// # Errors
/// When it cannot be written, or all writing into the folder was ended.
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

/// Whether somebody else has just replaced or removed what was looked for; network disks tell that late.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::StaleNetworkFileHandle
    )
}

/// What reads a file that others replace, once more where a network disk tells that it was replaced.
///
/// # Errors
/// That of the last try.
pub fn again<T>(read: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let is_stale = |error: &io::Error| error.kind() == io::ErrorKind::StaleNetworkFileHandle;
    (1..TRIES).find_map(|_| Some(read()).filter(|result| !result.as_ref().is_err_and(is_stale))).unwrap_or_else(read)
}

/// How much goes to the disk at a time, bytes: a process that ends waits for what its threads flush.
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

/// Temporary files are private by default, but a farm must read a cache: what the user's umask leaves.
#[cfg(unix)]
fn set_permissions(builder: &mut tempfile::Builder) {
    use std::os::unix::fs::PermissionsExt;
    builder.permissions(fs::Permissions::from_mode(0o666));
}

#[cfg(not(unix))]
fn set_permissions(_builder: &mut tempfile::Builder) {}

/// Makes a folder inside the cache, unless it is there; a link in its place is not followed.
pub fn ensure_folder(path: &Path) -> Result<(), CacheError> {
    let made = fs::create_dir(path);
    // Another thread may just have made it.
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => Ok(()),
        Ok(_) => Err(CacheError::NotAFolder(path.to_owned())),
        Err(source) => Err(CacheError::Write { path: path.to_owned(), source: made.err().unwrap_or(source) }),
    }
}

/// Names of what is in a folder, sorted; none if there is no folder of that name (a link to one does not count).
pub fn entries(folder: &Path) -> Result<Vec<String>, CacheError> {
    if !fs::symlink_metadata(folder).is_ok_and(|about| about.is_dir()) {
        return Ok(Vec::new());
    }
    let read = || -> io::Result<Vec<String>> {
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        names.collect()
    };
    let mut names = match again(read) {
        // Just taken away.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        read => read.map_err(|source| CacheError::Read { path: folder.to_owned(), source })?,
    };
    names.sort();
    Ok(names)
}

/// Removes those files of a folder whose names are chosen.
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
