//! The meshes that a scene names, read from OBJ files.

mod faults;
mod obj;
mod weld;

use crate::failure::{Failure, FileLocation, LET_READ};
use crate::scene_file::SceneFile;
use dollop_scene::{JsonPath, Scene, Shape};
use dollop_sim::{MeshLibrary, TriangleMesh};
use obj::ObjFault;
pub use obj::{is_usable, unfolded, words};
use std::collections::btree_map::Entry;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// No mesh for filling with particles is larger.
const LARGEST: u64 = 4 << 30;

/// Reads every mesh that a scene names.
///
/// # Errors
/// When a file cannot be read, with its place in the scene; or holds no mesh, with its line.
pub fn load(file: &SceneFile) -> Result<MeshLibrary, Failure> {
    let mut library = MeshLibrary::new();
    for (place, path) in named(&file.scene) {
        if let Entry::Vacant(entry) = library.entry(path.to_owned()) {
            entry.insert(read(file, &place, path)?);
        }
    }
    Ok(library)
}

/// The path of the mesh at a place of the scene, such as `bodies[0].shape` or inside it; none if no mesh is there.
pub fn path_at<'a>(scene: &'a Scene, place: &JsonPath) -> Option<&'a str> {
    named(scene).find(|(shape, _)| place.steps().starts_with(shape.steps())).map(|(_, path)| path)
}

/// Place of the shape and path of the file, for every mesh of a scene.
pub fn named(scene: &Scene) -> impl Iterator<Item = (JsonPath, &str)> {
    let all =
        scene.placed().into_iter().flat_map(|(list, all)| all.into_iter().enumerate().map(move |one| (list, one)));
    all.filter_map(|(list, (index, one))| match one.shape() {
        Shape::Mesh { path } => Some((JsonPath::item(list, index).key("shape"), path.as_str())),
        _ => None,
    })
}

fn read(scene: &SceneFile, place: &JsonPath, path: &str) -> Result<TriangleMesh, Failure> {
    let file = scene.folder().join(path);
    let bytes = read_bytes(&file).map_err(|error| {
        let (reason, help) = unread(&error);
        let failure = scene.failure(&place.key("path"), format!("the mesh file {} {reason}", file.display()));
        Failure { help, ..failure }
    })?;
    obj::parse(&String::from_utf8_lossy(&bytes)).map_err(|fault| content_failure(&file, place, &fault))
}

/// The reason why a file was not read, and advice.
pub fn unread(error: &io::Error) -> (String, Option<String>) {
    match error.kind() {
        io::ErrorKind::NotFound => ("does not exist".into(), None),
        io::ErrorKind::PermissionDenied => ("may not be read: permission denied".into(), Some(LET_READ.into())),
        // The errors of [`read_bytes`].
        io::ErrorKind::Other => (error.to_string(), None),
        _ => (format!("cannot be read: {error}"), None),
    }
}

/// The bytes of a file.
///
/// # Errors
/// When it cannot be read, is not a file, or is larger than a mesh can be.
pub fn read_bytes(file: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(file)?;
    if about.is_dir() {
        return Err(io::Error::other("is a folder"));
    }
    // Opening a pipe could wait for ever.
    if !about.is_file() {
        return Err(io::Error::other("is a pipe or device, not a file"));
    }
    if about.len() > LARGEST {
        return Err(io::Error::other(format!("is larger than {} GiB", LARGEST >> 30)));
    }
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn content_failure(file: &Path, place: &JsonPath, fault: &ObjFault) -> Failure {
    let message = format!("{} (the mesh of {place})", fault.message);
    let help = fault.help.map(str::to_owned);
    Failure { help, ..Failure::input(FileLocation::line(file, fault.line), message) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreadable_mesh_is_reported_with_advice() {
        let (reason, help) = unread(&io::ErrorKind::PermissionDenied.into());
        assert_eq!((reason.as_str(), help.as_deref()), ("may not be read: permission denied", Some(LET_READ)));
        assert_eq!(unread(&io::ErrorKind::NotFound.into()), ("does not exist".into(), None));
    }
}
