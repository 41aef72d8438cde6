//! Whether the files of a cache folder are those that its index lists.

use crate::entries::entries;
use crate::{CacheError, FrameRecord, Index, OutputKind, OutputRecord, file_name};
use std::fs;
use std::path::Path;

/// Differences between an index and its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// Files that the index lists and that are missing or have another size.
    pub missing: Vec<String>,
    /// Files of frames that the index does not list.
    pub stray: Vec<String>,
}

/// Whether the file of a frame exists, with the size in the index.
pub fn is_whole(root: &Path, frame: &FrameRecord, output: &OutputRecord) -> bool {
    let name = file_name(output.kind, frame.frame, &output.format);
    let size = fs::metadata(root.join(name)).ok().map(|about| about.len());
    frame.files.get(&output.kind).is_some_and(|&bytes| size == Some(bytes))
}

/// Compares the index of a cache folder with its files.
///
/// # Errors
/// When a folder cannot be read.
pub fn audit(root: &Path, index: &Index) -> Result<Audit, CacheError> {
    let mut audit = Audit::default();
    let mut listed = Vec::new();
    for frame in &index.done {
        for output in &index.outputs {
            let name = file_name(output.kind, frame.frame, &output.format);
            if !is_whole(root, frame, output) {
                audit.missing.push(name.clone());
            }
            listed.push(name);
        }
    }
    listed.sort();
    for kind in OutputKind::ALL {
        let names = entries(&root.join(kind.name()))?.into_iter().map(|name| format!("{kind}/{name}"));
        audit.stray.extend(names.filter(|name| listed.binary_search(name).is_err()));
    }
    Ok(audit)
}
