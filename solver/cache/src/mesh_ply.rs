use crate::ply::{Column, Values, encode};
use crate::{Attribute, AttributeKind, EncodeError, Format};
use dollop_sim::Frame;
use dollop_surface::SurfaceMesh;

/// A surface as binary PLY: `x y z nx ny nz vx vy vz [temperature] source` for each vertex, and triangles.
#[derive(Debug, Clone, Copy)]
pub struct MeshPly;

impl Format<SurfaceMesh> for MeshPly {
    fn extension(&self) -> &'static str {
        "ply"
    }

    fn attributes(&self, frame: &Frame) -> Vec<Attribute> {
        let temperatures = frame.temperatures().map(|_| Vec::new());
        let empty = SurfaceMesh { temperatures, ..SurfaceMesh::default() };
        let own = columns(&empty).into_iter().map(|column| column.attribute);
        own.map(|attribute| Attribute::field_of(frame, &attribute.name).unwrap_or(attribute)).collect()
    }

    fn encode(&self, mesh: &SurfaceMesh) -> Result<Vec<u8>, EncodeError> {
        encode(mesh.positions.len(), &columns(mesh), Some(&mesh.triangles))
    }
}

fn columns(mesh: &SurfaceMesh) -> Vec<Column<'_>> {
    let mut columns = vec![
        Column { attribute: Attribute::position(), values: Values::Vectors(&mesh.positions) },
        Column { attribute: Attribute::normal(), values: Values::Vectors(&mesh.normals) },
        Column { attribute: Attribute::velocity(), values: Values::Vectors(&mesh.velocities) },
    ];
    if let Some(temperatures) = &mesh.temperatures {
        // Its sentence comes from the frame.
        let attribute = Attribute::plain("temperature", AttributeKind::Float, "K", "Temperature.");
        columns.push(Column { attribute, values: Values::Floats(temperatures) });
    }
    columns.push(Column { attribute: Attribute::source(), values: Values::Integers(&mesh.sources) });
    columns
}
