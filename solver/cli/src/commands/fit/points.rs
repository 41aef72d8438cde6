//! Points with or without normals, from a file of any of three kinds; the content decides the kind.

use super::{obj, ply, table};
use crate::failure::{Failure, FileLocation};
use crate::meshes::{read_bytes, unread};
use glam::DVec3;
use std::path::Path;

/// Points as a file lists them.
#[derive(Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Normals, one per point, zero where a point has none; empty if the file has none.
    pub normals: Vec<DVec3>,
    /// Whether the file has normals that could not be assigned to points.
    pub has_stray_normals: bool,
}

/// The fault of a file and its line, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct PointFault {
    pub line: Option<usize>,
    pub message: String,
}

impl PointFault {
    pub fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line: Some(line), message: message.into() }
    }

    pub fn whole(message: impl Into<String>) -> Self {
        Self { line: None, message: message.into() }
    }
}

/// The accepted layouts of points, for error messages.
const KINDS: &str =
    "points come as OBJ (v, and vn), PLY (x y z, and nx ny nz), or a table of three or six numbers a line";

/// Reads points.
///
/// # Errors
/// When the file cannot be read or holds no points, with the line.
pub fn read(file: &Path) -> Result<PointCloud, Failure> {
    let bytes = read_bytes(file).map_err(|error| {
        let (reason, help) = unread(&error);
        let help = help.or_else(|| Some(format!("give the path of a file of points; {KINDS}")));
        Failure { help, ..Failure::input(FileLocation::file(file), format!("the file {reason}")) }
    })?;
    parse(&bytes).map_err(|fault| Failure::input(FileLocation::line(file, fault.line), fault.message).with_help(KINDS))
}

fn parse(bytes: &[u8]) -> Result<PointCloud, PointFault> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(PointFault::whole("the file is empty"));
    }
    let cloud = if bytes.starts_with(b"ply") {
        ply::parse(bytes)
    } else {
        let text = String::from_utf8_lossy(bytes);
        if text.contains('\0') {
            return Err(PointFault::whole("this is no file of points"));
        }
        if obj::is_obj(&text) { obj::parse(&text) } else { table::parse(&text) }
    }?;
    if cloud.positions.is_empty() { Err(PointFault::whole("there are no points in it")) } else { Ok(cloud) }
}

/// Whether all numbers are valid coordinates.
pub fn are_usable(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| crate::meshes::is_usable(*number))
}

/// The message for a word that is no such number.
pub fn no_number(word: &str) -> String {
    format!("a coordinate must be a finite number of metres within 1e9 of zero, but is {word:?}")
}

/// The numbers of a line.
pub fn numbers(line: usize, words: &[&str]) -> Result<Vec<f64>, PointFault> {
    let number = |word: &&str| {
        let number = word.parse().ok().filter(|number| are_usable(&[*number]));
        number.ok_or_else(|| PointFault::at(line, no_number(word)))
    };
    words.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn three_kinds_of_files_hold_the_same_points() {
        let positions = vec![DVec3::new(0.0, 0.5, 1.0), DVec3::new(-1.0, 2.0, 3e-3)];
        let normals = vec![DVec3::Z, DVec3::ZERO];
        let table = "# two points\n0 0.5 1 0 0 1\n\n-1,2,3e-3\n";
        let obj = "o a\nv 0 0.5 1\nv -1 2 3e-3\nvn 0 0 1\nvn 0 0 0\n";
        let ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float nx\nproperty float ny\nproperty float nz\nproperty double x\n\
                   property double y\nproperty double z\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n\
                   0 0 1 0 0.5 1\n0 0 0 -1 2 3e-3\n";
        for text in [table, obj, ply] {
            let cloud = parse(text.as_bytes()).unwrap();
            assert_eq!((&cloud.positions, &cloud.normals), (&positions, &normals), "{text}");
        }
        let mut bytes = b"ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n".to_vec();
        bytes.extend([1.0_f32, -2.0, 0.5].into_iter().flat_map(f32::to_be_bytes));
        assert_eq!(parse(&bytes).unwrap().positions, [DVec3::new(1.0, -2.0, 0.5)]);
    }

    #[test]
    fn faces_of_obj_files_assign_normals_too() {
        let cloud = parse(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 2\nf 1//1 2//1 3//-1\n").unwrap();
        assert_eq!(cloud.normals, [DVec3::Z; 3]);
        let stray = parse(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 2\n").unwrap();
        assert!(stray.normals.is_empty() && stray.has_stray_normals);
    }

    /// There are as many normals as vertices, but in another order.
    #[test]
    fn faces_go_before_the_order_of_normals() {
        let (vertices, normals) = ("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "vn 1 0 0\nvn 0 1 0\nvn 0 0 1\n");
        let told = |faces: &str| parse(format!("{vertices}{normals}{faces}").as_bytes()).unwrap().normals;
        let turned = [DVec3::Z, DVec3::X, DVec3::Y];
        for faces in ["f 1//3 2//1 3//2\n", "f 1/1/3 2/1/1 3/1/2\n", "f -3//-1 -2//-3 -1//-2\n"] {
            assert_eq!(told(faces), turned, "{faces}");
        }
        assert_eq!(told("f 1//3 2//1 3\n"), [DVec3::Z, DVec3::X, DVec3::ZERO]);
        assert_eq!(told("f 1 2 3\nl 1/1 2/2\n"), DVec3::AXES, "no face names any");
        assert_eq!(told("f 1//9 2//0 9//1\n"), DVec3::AXES, "none that is there");
    }

    /// Cut into triangles, so that some corners name a side twice.
    #[test]
    fn a_corner_of_a_flat_shaded_cube_looks_between_its_sides() {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|n| [n & 1, n >> 1 & 1, n >> 2]);
        let mut lines: Vec<String> = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}")).collect();
        for (side, axis) in [0, 0, 1, 1, 2, 2].into_iter().enumerate() {
            let mut normal = [0, 0, 0];
            normal[axis] = if side % 2 == 1 { 3 } else { -3 };
            lines.push(format!("vn {} {} {}", normal[0], normal[1], normal[2]));
            let on: Vec<usize> = (0..8).filter(|&n| corners[n][axis] == side % 2).map(|n| n + 1).collect();
            for triangle in [[on[0], on[1], on[2]], [on[1], on[2], on[3]]] {
                lines.push(format!("f {}", triangle.map(|corner| format!("{corner}//{}", side + 1)).join(" ")));
            }
        }
        let cloud = parse(lines.join("\n").as_bytes()).unwrap();
        for (corner, normal) in cloud.positions.iter().zip(&cloud.normals) {
            assert!(normal.distance((*corner - 0.5).normalize()) < 1e-12, "{corner} {normal}");
        }
        let both =
            parse(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 0 -1\nf 1//1 2//1 3//1\nf 1//2 3//2 2//1\n").unwrap();
        assert_eq!(both.normals, [DVec3::ZERO, DVec3::Z, DVec3::ZERO], "two sides tell none");
    }

    #[test]
    fn faults_are_reported_with_their_line() {
        let told = |text: &str, line: Option<usize>, words: &str| {
            let fault = parse(text.as_bytes()).unwrap_err();
            assert_eq!(fault.line, line, "{fault:?}");
            assert!(fault.message.contains(words), "{words:?} is not in {fault:?}");
        };
        told(" \n", None, "empty");
        told("0 0 0\n1 2\n", Some(2), "three or six numbers, but has 2");
        told("0 0 0\n1 x 3\n", Some(2), "\"x\"");
        told("0 0 0\n1 nan 3\n", Some(2), "\"nan\"");
        told("v 0 0 0\nv 1 2\n", Some(2), "three coordinates");
        told("v 0 0 inf\n", Some(1), "\"inf\"");
        told("v 0 0 0\nvn 0 0\n", Some(2), "three coordinates");
        told("# nothing\n", None, "no points");
        told("o a\nvn 0 0 1\n", None, "no points");
        told("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", None, "x, y and z");
        told("ply\nformat ascii 1.0\nelement vertex 999999999999\nend_header\n", None, "more than the file holds");
        let xyz = "property float x\nproperty float y\nproperty float z\n";
        told(&format!("ply\nformat ascii 1.0\nelement vertex 2\n{xyz}end_header\n1 2 3\n1 2 nan\n"), None, "Line 9");
        told(&format!("ply\nformat ascii 1.0\nelement vertex 2\n{xyz}end_header\n1 2 3\n"), None, "PLY");
        told("\u{0}PNG\n", None, "no file of points");
    }
}
