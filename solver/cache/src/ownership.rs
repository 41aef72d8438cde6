//! Whether the content of a folder is ours: a cache, a job for a farm, or what may stay beside them.

use crate::entries::entries;
use crate::index_read::read_index;
use crate::index_text::begins_as_index;
use crate::names::is_transient;
use crate::{CacheError, INDEX_FILE};
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Name of the folder of a render-farm job.
pub const FARM_FOLDER: &str = "farm";
/// The file in it that describes the job and marks the folder as ours.
pub const FARM_FILE: &str = "job.json";
/// The `format` of that file.
pub const FARM_FORMAT: &str = "dollop-farm";

/// Files that desktops leave in any folder they show.
const DESKTOP_FILES: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];

/// Whether the folder holds a bake that may be overwritten; false for an empty folder.
pub fn check_owned(root: &Path, inside: &Path, overwrite: bool) -> Result<bool, CacheError> {
    let names = entries(inside)?;
    if names.iter().any(|name| name == INDEX_FILE) {
        check_index(root, inside, overwrite)?;
        return if overwrite { Ok(true) } else { Err(CacheError::Exists(root.to_owned())) };
    }
    check_no_others(root, inside, names).map(|()| false)
}

/// Checks that an index can be read or, if it will be replaced, that it was an index before it was damaged.
fn check_index(root: &Path, inside: &Path, overwrite: bool) -> Result<(), CacheError> {
    match read_index(root) {
        // The file may belong to another program.
        Err(CacheError::Damaged { .. }) if !has_our_index(inside) => {
            Err(CacheError::Foreign { path: root.to_owned(), example: INDEX_FILE.into() })
        }
        Err(CacheError::Damaged { .. }) if overwrite => Ok(()),
        read => read.map(drop),
    }
}

/// More bytes of an index than needed to recognise it.
const OPENING: u64 = 256;

fn has_our_index(inside: &Path) -> bool {
    let mut opening = Vec::new();
    let read = fs::File::open(inside.join(INDEX_FILE)).and_then(|file| file.take(OPENING).read_to_end(&mut opening));
    read.is_ok() && begins_as_index(&opening)
}

/// Checks that the content of a folder without a cache may stay beside one.
pub fn check_no_others(root: &Path, inside: &Path, names: Vec<String>) -> Result<(), CacheError> {
    // An older job may have been of wedges, each a cache in its own folder.
    let has_farm = is_farm(inside);
    let is_ours = |name: &str| {
        is_transient(name)
            || DESKTOP_FILES.contains(&name)
            || (has_farm && (name == FARM_FOLDER || inside.join(name).join(INDEX_FILE).is_file()))
    };
    match names.into_iter().find(|name| !is_ours(name)) {
        Some(example) => Err(CacheError::Foreign { path: root.to_owned(), example }),
        None => Ok(()),
    }
}

/// Whether a folder contains the folder of a job.
pub fn is_farm(root: &Path) -> bool {
    let folder = root.join(FARM_FOLDER);
    let is_folder = fs::symlink_metadata(&folder).is_ok_and(|about| about.is_dir());
    let about = || serde_json::from_slice::<Value>(&fs::read(folder.join(FARM_FILE)).ok()?).ok();
    is_folder && about().is_some_and(|about| about["format"] == FARM_FORMAT)
}
