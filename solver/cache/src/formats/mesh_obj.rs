use super::{Format, MeshSettings};
use crate::{Attribute, EncodeError};
use dollop_sim::Frame;
use dollop_surface::SurfaceMesh;
use glam::Vec3;
use std::fmt::Write;

/// A surface as Wavefront OBJ: positions, normals and faces, Z up.
#[derive(Debug, Clone, Copy)]
pub struct MeshObj;

/// Bytes of a line with three coordinates, and of a face: guesses that save growing the buffer.
const LINE: usize = 36;

impl Format<SurfaceMesh> for MeshObj {
    fn name(&self) -> &'static str {
        "obj"
    }

    fn description(&self) -> &'static str {
        "Wavefront OBJ: positions, normals and faces only, so no motion blur."
    }

    fn attributes(&self, _settings: &MeshSettings, _frame: &Frame) -> Vec<Attribute> {
        [Attribute::position(), Attribute::normal()]
            .map(|attribute| Attribute { properties: Vec::new(), ..attribute })
            .to_vec()
    }

    fn encode(&self, _settings: &MeshSettings, mesh: &SurfaceMesh) -> Result<Vec<u8>, EncodeError> {
        let (expected, found) = (mesh.positions.len(), mesh.normals.len());
        if expected != found {
            return Err(EncodeError::Length { name: "normal".into(), expected, found });
        }
        let mut text = String::with_capacity((2 * expected + mesh.triangles.len()) * LINE);
        text.push_str("# made by Dollop; metres, Z up\n");
        mesh.positions.iter().for_each(|position| vector(&mut text, "v", *position));
        mesh.normals.iter().for_each(|normal| vector(&mut text, "vn", *normal));
        for [a, b, c] in mesh.triangles.iter().map(|triangle| triangle.map(|vertex| u64::from(vertex) + 1)) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "f {a}//{a} {b}//{b} {c}//{c}");
        }
        Ok(text.into_bytes())
    }
}

fn vector(text: &mut String, keyword: &str, Vec3 { x, y, z }: Vec3) {
    let _ = writeln!(text, "{keyword} {x} {y} {z}");
}
