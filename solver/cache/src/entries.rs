//! Folders and their entries: makes, lists and removes them.

use crate::CacheError;
use std::fs;
use std::io;
use std::path::Path;

/// How often a file is read or written again after another process removed its folder or temporary file.
pub const TRIES: usize = 5;

/// Reads a file that other processes replace; tries again where a network disk reports that it was replaced.
///
/// # Errors
/// The error of the last try.
pub fn again<T>(read: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let is_stale = |error: &io::Error| error.kind() == io::ErrorKind::StaleNetworkFileHandle;
    (1..TRIES).find_map(|_| Some(read()).filter(|result| !result.as_ref().is_err_and(is_stale))).unwrap_or_else(read)
}

/// Makes a folder and its parents.
pub fn make_folder(root: &Path) -> Result<(), CacheError> {
    fs::create_dir_all(root).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => CacheError::IsAFile(root.to_owned()),
        _ => CacheError::Create { path: root.to_owned(), source },
    })
}

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
