//! A scene file's bytes as text.

use crate::failure::{ExitCode, Failure, Place};
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// A scene with a key for each of a million frames stays far below this.
const LARGEST: u64 = 512 << 20;
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// Reads a scene file.
pub fn read(file: &Path) -> Result<String, Failure> {
    let bytes = bytes(file)?;
    let place = Place::file(file);
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(Failure::input(Place::line(file, Some(1)), "the file starts with a byte order mark")
            .with_help("save it as UTF-8 without a byte order mark (BOM)"));
    }
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(
            Failure::input(place, "the file is empty").with_help("a scene is a JSON object; see docs/parameters.md")
        );
    }
    String::from_utf8(bytes).map_err(|error| not_text(file, error.as_bytes(), error.utf8_error().valid_up_to()))
}

fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| unreadable(file, &error);
    let about = fs::metadata(file).map_err(failed)?;
    if about.is_dir() {
        return Err(Failure::input(Place::file(file), "this is a folder; name the scene file in it"));
    }
    // To open a pipe could wait for ever.
    if !about.is_file() {
        return Err(Failure::input(Place::file(file), "this is a pipe or device, not a file"));
    }
    let mut bytes = Vec::new();
    if about.len() <= LARGEST {
        // It may grow meanwhile.
        let source = File::open(file).map_err(failed)?;
        source.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if about.len().max(bytes.len() as u64) > LARGEST {
        return Err(Failure::input(
            Place::file(file),
            format!("the file is larger than {} MiB, too large for a scene", LARGEST >> 20),
        )
        .with_help("meshes belong in OBJ files that the scene names"));
    }
    Ok(bytes)
}

fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    let place = Place::file(file);
    match error.kind() {
        ErrorKind::NotFound => Failure::input(place, "there is no such file"),
        ErrorKind::PermissionDenied => Failure::input(place, "the file may not be read: permission denied"),
        ErrorKind::IsADirectory => Failure::input(place, "this is a folder; name the scene file in it"),
        _ => {
            Failure { code: ExitCode::Unexpected, ..Failure::input(place, format!("the file cannot be read: {error}")) }
        }
    }
}

fn not_text(file: &Path, bytes: &[u8], valid: usize) -> Failure {
    let line = bytes[..valid].split(|&byte| byte == b'\n').count();
    Failure::input(Place::line(file, Some(line)), "the file is not UTF-8 text").with_help("save it as UTF-8")
}
