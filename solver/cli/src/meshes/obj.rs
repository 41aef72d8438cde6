//! Wavefront OBJ: positions and faces, all objects of a file as one mesh.

use super::{faults, weld::weld};
use dollop_sim::TriangleMesh;
use glam::DVec3;
use std::borrow::Cow;
use tobj::{LoadError, LoadOptions, Mesh};

/// Why a file holds no mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjFault {
    /// Line, from 1, if one is at fault.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
    /// Advice.
    pub help: Option<&'static str>,
}

/// First words of lines in OBJ files; a file without any of them is not one.
const KEYWORDS: [&str; 12] = ["v", "vt", "vn", "vp", "f", "l", "p", "o", "g", "s", "mtllib", "usemtl"];

impl ObjFault {
    fn whole(message: &str, help: Option<&'static str>) -> Self {
        Self { line: None, message: message.into(), help }
    }
}

/// Parses a file. Polygons become fans of triangles. Vertices at the same position are merged, and triangles that
/// thereby lose a corner are dropped.
pub fn parse(text: &str) -> Result<TriangleMesh, ObjFault> {
    if text.trim().is_empty() {
        return Err(ObjFault::whole("the file is empty", Some("export the object as OBJ, in metres and Z up")));
    }
    if text.contains('\0') || !text.lines().any(|line| KEYWORDS.contains(&words(line).next().unwrap_or_default())) {
        return Err(ObjFault::whole(
            "this is not an OBJ file",
            Some("export the object as Wavefront OBJ, in metres and Z up; other formats are not read"),
        ));
    }
    let text = &*unfolded(text);
    let geometry = geometry_only(text);
    let meshes = load(&geometry).map_err(|error| blame(text, error))?;
    let mesh = weld(&join(&meshes));
    if mesh.positions.iter().any(|position| !position.to_array().into_iter().all(is_usable)) {
        return Err(blame(text, LoadError::PositionParseError));
    }
    if mesh.triangles.is_empty() {
        return Err(ObjFault::whole(
            "there are no faces in it",
            Some("export the object with its faces; curves and points have none"),
        ));
    }
    Ok(mesh)
}

/// Only the lines that define the shape: colours, texture coordinates, materials and groups are ignored, so a fault in
/// them must not matter either.
fn geometry_only(text: &str) -> String {
    let mut geometry = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = words(line);
        match words.next() {
            Some("v") => push(&mut geometry, "v", words.take(3)),
            Some("f") => push(&mut geometry, "f", words.map(|word| word.split('/').next().unwrap_or_default())),
            _ => {}
        }
    }
    geometry
}

/// Larger coordinates are a mistake, and would be lost in rounding, m.
const FARTHEST: f64 = 1e9;

/// Whether a coordinate is a number that a mesh may have.
pub fn is_usable(coordinate: f64) -> bool {
    coordinate.abs() <= FARTHEST
}

/// Joins lines that end in a backslash with the next, and adds an empty line for each, so that line numbers stay.
/// Comments, which may end in the path of a folder, are not joined.
pub fn unfolded(text: &str) -> Cow<'_, str> {
    let start = |line: &str| if line.contains('#') { None } else { line.strip_suffix('\\').map(str::len) };
    if !text.lines().any(|line| start(line).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut folded = 0;
    for line in text.lines() {
        if let Some(length) = start(line) {
            joined.push_str(&line[..length]);
            joined.push(' ');
            folded += 1;
        } else {
            joined.push_str(line);
            joined.extend(std::iter::repeat_n('\n', folded + 1));
            folded = 0;
        }
    }
    Cow::Owned(joined)
}

/// The words of a line, without its comment.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split('#').next().unwrap_or_default().split_whitespace()
}

fn push<'a>(geometry: &mut String, keyword: &str, words: impl Iterator<Item = &'a str>) {
    geometry.push_str(keyword);
    for word in words {
        geometry.push(' ');
        geometry.push_str(word);
    }
    geometry.push('\n');
}

fn load(geometry: &str) -> Result<Vec<Mesh>, LoadError> {
    let options = LoadOptions { triangulate: true, ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let no_materials = |_: &std::path::Path| Err(LoadError::OpenFileFailed);
    let (models, _) = tobj::load_obj_buf(&mut geometry.as_bytes(), &options, no_materials)?;
    Ok(models.into_iter().map(|model| model.mesh).collect())
}

fn join(meshes: &[Mesh]) -> TriangleMesh {
    let mut joined = TriangleMesh::default();
    for mesh in meshes {
        let first = joined.positions.len() as u32;
        joined.positions.extend(mesh.positions.as_chunks::<3>().0.iter().copied().map(DVec3::from_array));
        joined
            .triangles
            .extend(mesh.indices.as_chunks::<3>().0.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    joined
}

/// The parser reports the fault, but not the place.
fn blame(text: &str, error: LoadError) -> ObjFault {
    match faults::find(text) {
        Some((line, message)) => ObjFault { line: Some(line), message, help: None },
        None => ObjFault::whole(&format!("the file cannot be read as OBJ: {error}"), None),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const QUADS: &str = "mtllib missing.mtl\no a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl none\nf 1/9/9 2/9/9 3 4 # quad\n\
                         o b\nv 0 0 0\nv 0 1 0\nv 0 0 1\nvn nonsense\nf -3//1 -2//1 -1//1\nl 1 2\n";

    #[test]
    fn objects_are_joined_and_split_vertices_welded() {
        let mesh = parse(QUADS).unwrap();
        assert_eq!(mesh.positions.len(), 5);
        assert_eq!(mesh.triangles.len(), 3);
        assert_eq!(mesh.triangles[..2], [[0, 1, 2], [0, 2, 3]]);
        let corners = mesh.triangles[2].map(|corner| mesh.positions[corner as usize]);
        assert_eq!(corners, [DVec3::ZERO, DVec3::Y, DVec3::Z]);
    }

    #[test]
    fn positions_keep_double_precision() {
        let mesh = parse("v 1.23456789012345 0 0\nv 1 0 0\nv 0 1 -0\nf 1 2 3").unwrap();
        assert_eq!(mesh.positions[0].x.to_bits(), 1.234_567_890_123_45_f64.to_bits());
    }

    #[test]
    fn polygons_become_fans() {
        let mesh = parse("v 0 0 0\nv 1 0 0\nv 2 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5").unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }

    #[test]
    fn lines_may_go_on_after_a_backslash() {
        let mesh = parse("v 0 0 0\nv 1 \\\n0 0\nv 0 1 0\nf 1 2 \\\r\n 3\n").unwrap();
        assert_eq!((mesh.positions[1], mesh.triangles.len()), (DVec3::X, 1));
        let mesh = parse("# C:\\models\\\nv 0 0 0\nv 1 0 0\nv 0 1 0 # \\\nf 1 2 \\\n 3\n").unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (3, 1));
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        let told = |text: &str, line: Option<usize>, words: &str| {
            let fault = parse(text).unwrap_err();
            assert_eq!(fault.line, line, "{fault:?}");
            assert!(fault.message.contains(words), "{words:?} is not in {fault:?}");
        };
        told("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", Some(5), "vertex 4, but there are 3");
        told("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", Some(4), "vertex 0");
        told("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n", Some(4), "vertex -4");
        told("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 two 3\n", Some(4), "\"two\"");
        told("v 0 0 0\nf\n", Some(2), "face");
        told("# c\nv 0 0\n", Some(2), "three coordinates");
        told("v 0 0 0\nv 0 x 0\n", Some(2), "\"x\"");
        told("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", Some(2), "\"nan\"");
        told("v 0 0 0\nv 1e999 0 0\nv 0 1 0\nf 1 2 3\n", Some(2), "finite");
        told("v 0 0 0\nv 0 -1e30 0\nv 0 1 0\nf 1 2 3\n", Some(2), "within 1e9");
        told("v 0 0 0\nv 1 0 0\nf 1 \\\n 2 \\\n 1\nf 1 2 9\n", Some(6), "vertex 9");
        told("v 0 0 0\nv 1 0 0\nl 1 2\n", None, "no faces");
        told("v 0 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", None, "no faces");
        told(" \n", None, "empty");
        told("\u{fffd}\u{0}PNG\n", None, "not an OBJ file");
        told("ply\nformat ascii 1.0\nend_header\n0 0 0\n", None, "not an OBJ file");
        told("solid cube\nfacet normal 0 0 1\n", None, "not an OBJ file");
    }
}
