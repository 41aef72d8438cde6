//! The folder of a render-farm job, inside the folder that the farm writes into. The file `farm/job.json` marks it.

use crate::entries::{ensure_folder, entries, make_folder, remove_chosen};
use crate::index_read::read_index;
use crate::ownership::{FARM_FILE, FARM_FOLDER, FARM_FORMAT, check_no_others, is_farm};
use crate::pending::Pending;
use crate::storage::{write_inside, write_whole};
use crate::{CacheError, INDEX_FILE};
use serde_json::{Value, json};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of a job.
#[derive(Debug)]
pub struct FarmFolder {
    folder: PathBuf,
}

impl FarmFolder {
    /// Makes the folder inside a folder that is new, empty, the cache of the scene with this hash, or holds a job that
    /// may be replaced. `own` lists the folders of any job, each with the extensions of the files that an older job may
    /// have left there.
    ///
    /// # Errors
    /// When the folder holds something else, or a job that `overwrite` does not allow to replace; or when it cannot be
    /// made.
    pub fn make(
        root: &Path,
        scene: Option<&str>,
        overwrite: bool,
        own: &[(&str, &[&str])],
    ) -> Result<Self, CacheError> {
        make_folder(root)?;
        let folder = root.join(FARM_FOLDER);
        let is_ours = is_farm(root);
        if is_ours && !overwrite {
            return Err(CacheError::HasJob(root.to_owned()));
        }
        check_cache(root, scene)?;
        if !is_ours {
            check_free(root)?;
        }
        ensure_folder(&folder)?;
        // First of all: from here on the folder is known as ours.
        write_whole(&folder.join(FARM_FILE), json!({"format": FARM_FORMAT}).to_string().as_bytes())?;
        for (name, extensions) in own {
            let is_old =
                |file: &str| file.rsplit_once('.').is_some_and(|(_, extension)| extensions.contains(&extension));
            remove_chosen(&folder.join(name), is_old)?;
            let _ = fs::remove_dir(folder.join(name));
        }
        Ok(Self { folder })
    }

    /// Writes a file by its name from the folder on, and returns its path. Missing folders are made; links in their
    /// place are not followed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, CacheError> {
        let path = self.folder.join(name);
        if !Path::new(name).components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(CacheError::NotAFolder(path));
        }
        let mut parent = self.folder.clone();
        for part in Path::new(name).parent().into_iter().flat_map(Path::components) {
            parent.push(part);
            ensure_folder(&parent)?;
        }
        write_inside(&path, bytes, &Pending::default())?;
        Ok(path)
    }

    /// Writes the description of the job.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn tell(&self, engine: &str, job: &Value) -> Result<(), CacheError> {
        let about = json!({"format": FARM_FORMAT, "version": 1, "engine": engine, "job": job});
        self.write(FARM_FILE, format!("{about:#}\n").as_bytes()).map(drop)
    }
}

/// A cache there must belong to the scene: else each task would be refused.
fn check_cache(root: &Path, scene: Option<&str>) -> Result<(), CacheError> {
    match read_index(root) {
        Err(CacheError::NotACache(_)) => Ok(()),
        Ok(index) if Some(index.scene.sha256.as_str()) == scene => Ok(()),
        Ok(_) => Err(CacheError::OtherScene(root.to_owned())),
        Err(error) => Err(error),
    }
}

fn check_free(root: &Path) -> Result<(), CacheError> {
    let names = entries(&fs::canonicalize(root).map_err(|source| CacheError::Read { path: root.to_owned(), source })?)?;
    if !names.iter().any(|name| name == INDEX_FILE) {
        return check_no_others(root, root, names);
    }
    match names.into_iter().find(|name| name == FARM_FOLDER) {
        Some(example) => Err(CacheError::Foreign { path: root.to_owned(), example }),
        None => Ok(()),
    }
}
