//! Files of pictures and plots: written completely, and over an existing file only if allowed.

use crate::failure::{ExitCode, Failure};
use dollop_cache::{CacheError, write_whole};
use dollop_preview::PreviewError;
use std::path::Path;

/// Makes a folder and its parents.
///
/// # Errors
/// When it cannot be made.
pub fn make_folder(folder: &Path) -> Result<(), Failure> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    if folder.exists() && !folder.is_dir() {
        return Err(cannot_write(&CacheError::IsAFile(folder.to_owned())));
    }
    let failed = |source| cannot_write(&CacheError::Create { path: folder.to_owned(), source });
    std::fs::create_dir_all(folder).map_err(failed)
}

/// Tells whether a file may be written.
///
/// # Errors
/// When it exists and may not be replaced, or is a folder.
pub fn check_free(file: &Path, overwrite: bool) -> Result<(), Failure> {
    let refused = |what: &str| Failure::new(ExitCode::Refused, format!("{}: {what}", file.display()));
    match file.symlink_metadata() {
        Ok(about) if about.is_dir() => Err(refused("is a folder").with_help("name a file with --out")),
        Ok(_) if !overwrite => {
            Err(refused("is there already").with_help("write elsewhere with --out, or replace it with --overwrite"))
        }
        _ => Ok(()),
    }
}

/// Writes a file, completely or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole(file, bytes).map_err(|error| cannot_write(&error))
}

fn cannot_write(error: &CacheError) -> Failure {
    Failure::new(ExitCode::CannotWrite, error.to_string())
        .with_help("make room, or choose a place that you may write to with --out")
}

/// Whether a file has an extension, in upper or lower case.
pub fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|end| end.eq_ignore_ascii_case(extension))
}

impl From<PreviewError> for Failure {
    fn from(error: PreviewError) -> Self {
        match error {
            PreviewError::NoField { .. } => {
                Self::new(ExitCode::BadInput, error.to_string()).with_help("name one of these with --color")
            }
            PreviewError::Png(_) | PreviewError::Gif(_) | PreviewError::Plot(_) => {
                Self::new(ExitCode::Internal, error.to_string())
            }
        }
    }
}
