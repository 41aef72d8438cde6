//! The folder of a job for a render farm, inside the folder that the farm writes into: `farm/job.json` says whose it is.

use crate::folder::{DESKTOP_FILES, make};
use crate::names::is_transient;
use crate::storage::{ensure_folder, entries, remove_chosen};
use crate::{CacheError, INDEX_FILE};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Name of the folder.
pub const FARM_FOLDER: &str = "farm";
/// The file in it that tells of the job, and that the folder is ours.
pub const FARM_FILE: &str = "job.json";
/// What its `format` says.
pub const FARM_FORMAT: &str = "dollop-farm";
/// The scenes in it.
const SCENES: &str = "scenes";

/// Makes the folder of a job inside a folder that is new, empty, a cache, or has a job that may be replaced.
///
/// # Errors
/// When the folder holds something else, or a job and `overwrite` does not allow to replace it; or it cannot be made.
pub fn make_farm_folder(root: &Path, overwrite: bool) -> Result<PathBuf, CacheError> {
    make(root)?;
    let folder = root.join(FARM_FOLDER);
    match (is_farm(root), overwrite) {
        (true, false) => return Err(CacheError::HasJob(root.to_owned())),
        (true, true) => remove_chosen(&folder.join(SCENES), |name| name.strip_suffix(".json").is_some())?,
        (false, _) => check_free(root)?,
    }
    ensure_folder(&folder)?;
    ensure_folder(&folder.join(SCENES))?;
    Ok(folder)
}

/// Whether a folder has one of a job in it.
pub(crate) fn is_farm(root: &Path) -> bool {
    let folder = root.join(FARM_FOLDER);
    let is_folder = fs::symlink_metadata(&folder).is_ok_and(|about| about.is_dir());
    let about = || serde_json::from_slice::<Value>(&fs::read(folder.join(FARM_FILE)).ok()?).ok();
    is_folder && about().is_some_and(|about| about["format"] == FARM_FORMAT)
}

fn check_free(root: &Path) -> Result<(), CacheError> {
    let names = entries(&fs::canonicalize(root).map_err(|source| CacheError::Read { path: root.to_owned(), source })?)?;
    let is_cache = names.iter().any(|name| name == INDEX_FILE);
    let is_foreign = |name: &String| !is_transient(name) && !DESKTOP_FILES.contains(&name.as_str());
    let foreign = |name: &String| if is_cache { name == FARM_FOLDER } else { is_foreign(name) };
    match names.into_iter().find(foreign) {
        Some(example) => Err(CacheError::Foreign { path: root.to_owned(), example }),
        None => Ok(()),
    }
}
