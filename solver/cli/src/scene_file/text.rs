//! A scene file's bytes as text.

use crate::failure::{ExitCode, Failure, FileLocation, LET_READ};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// A scene with a key for each of a million frames is much smaller.
const LARGEST: u64 = 512 << 20;
/// The name for standard input.
const STANDARD_INPUT: &str = "-";
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// Whether a scene file is read from standard input.
pub fn is_standard_input(file: &Path) -> bool {
    file == Path::new(STANDARD_INPUT)
}

/// Reads a scene file; `-` is standard input.
pub fn read(file: &Path) -> Result<String, Failure> {
    let bytes = bytes(file)?;
    let place = FileLocation::file(file);
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return Err(Failure::input(FileLocation::line(file, Some(1)), "the file starts with a byte order mark")
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
    if is_standard_input(file) {
        return limited(file, io::stdin().lock()).map_err(failed)?;
    }
    let about = fs::metadata(file).map_err(failed)?;
    if about.is_dir() {
        return Err(Failure::input(FileLocation::file(file), "this is a folder; name the scene file in it"));
    }
    // Opening a pipe could wait for ever.
    if !about.is_file() {
        return Err(Failure::input(FileLocation::file(file), "this is a pipe or device, not a file"));
    }
    if about.len() > LARGEST {
        return Err(too_large(file));
    }
    limited(file, File::open(file).map_err(failed)?).map_err(failed)?
}

/// All bytes of a source, up to the limit. A file may have grown since its size was read.
fn limited(file: &Path, source: impl Read) -> io::Result<Result<Vec<u8>, Failure>> {
    let mut bytes = Vec::new();
    source.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(if bytes.len() as u64 > LARGEST { Err(too_large(file)) } else { Ok(bytes) })
}

fn too_large(file: &Path) -> Failure {
    let message = format!("the file is larger than {} MiB, too large for a scene", LARGEST >> 20);
    Failure::input(FileLocation::file(file), message).with_help("meshes belong in OBJ files that the scene names")
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    let place = FileLocation::file(file);
    match error.kind() {
        ErrorKind::NotFound => Failure::input(place, "there is no such file"),
        ErrorKind::PermissionDenied => {
            Failure::input(place, "the file may not be read: permission denied").with_help(LET_READ)
        }
        ErrorKind::IsADirectory => Failure::input(place, "this is a folder; name the scene file in it"),
        _ => {
            Failure { code: ExitCode::Unexpected, ..Failure::input(place, format!("the file cannot be read: {error}")) }
        }
    }
}

fn not_text(file: &Path, bytes: &[u8], valid: usize) -> Failure {
    let line = bytes[..valid].split(|&byte| byte == b'\n').count();
    Failure::input(FileLocation::line(file, Some(line)), "the file is not UTF-8 text").with_help("save it as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_scene_is_reported_with_advice() {
        let failure = unreadable(Path::new("scene.json"), &ErrorKind::PermissionDenied.into());
        assert_eq!(
            failure.to_string(),
            format!("scene.json: the file may not be read: permission denied\n  help: {LET_READ}")
        );
        assert_eq!(unreadable(Path::new("scene.json"), &ErrorKind::NotFound.into()).help, None);
    }
}
