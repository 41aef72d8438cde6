//! Reads the index of a cache folder.

use crate::entries::again;
use crate::records::records;
use crate::{CacheError, FORMAT, INDEX_FILE, Index, VERSION};
use serde::Deserialize;
use std::fs;
use std::io;
use std::path::Path;

/// The start of an index, which all versions share.
#[derive(Deserialize)]
struct Preamble {
    format: String,
    version: Version,
}

#[derive(Deserialize)]
struct Version {
    major: u32,
}

/// Reads the index of a cache folder, and adds the files of the records beside it.
///
/// # Errors
/// When there is no index, or it is damaged or of another major version.
pub fn read_index(root: &Path) -> Result<Index, CacheError> {
    // First: a process that merges records writes the index before it removes them.
    let records = records(root)?;
    let mut index = read_bare(root)?;
    for record in records {
        record.enter(&mut index);
    }
    Ok(index)
}

/// Reads the index alone.
pub fn read_bare(root: &Path) -> Result<Index, CacheError> {
    let path = root.join(INDEX_FILE);
    let bytes = again(|| fs::read(&path)).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => CacheError::NotACache(root.to_owned()),
        _ => CacheError::Read { path: path.clone(), source },
    })?;
    let text = str::from_utf8(&bytes).map_err(|error| not_text(&path, &bytes[..error.valid_up_to()]))?;
    let damaged = |error: serde_json::Error| {
        let (line, column) = (error.line(), error.column());
        let reason = error.to_string();
        let reason = reason.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&reason).to_owned();
        CacheError::Damaged { path: path.clone(), line, column, reason }
    };
    let preamble: Preamble = serde_json::from_str(text).map_err(damaged)?;
    if preamble.format != FORMAT {
        let reason = format!("its format is {:?}, not {FORMAT:?}", preamble.format);
        return Err(CacheError::Damaged { path: path.clone(), line: 1, column: 1, reason });
    }
    if preamble.version.major != VERSION.major {
        let (found, reads) = (preamble.version.major.to_string(), format!("{}.x", VERSION.major));
        return Err(CacheError::Version { path, found, reads });
    }
    let index: Index = serde_json::from_str(text).map_err(damaged)?;
    // These names become parts of paths.
    let unknown = index.outputs.iter().find_map(|output| output.kind.check_format(&output.format).err());
    unknown.map_or(Ok(index), |source| Err(CacheError::Format { path, source }))
}

/// The error for an index with a byte that is no text, after these bytes that are.
fn not_text(path: &Path, before: &[u8]) -> CacheError {
    let is_end = |byte: &u8| *byte == b'\n';
    let line = before.split(is_end).count();
    let column = before.rsplit(is_end).next().map_or(0, <[u8]>::len) + 1;
    CacheError::Damaged { path: path.to_owned(), line, column, reason: "it is not UTF-8 text".into() }
}
