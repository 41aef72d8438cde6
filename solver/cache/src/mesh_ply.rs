use crate::ply::{Column, Connected, encode};
use crate::{Attribute, EncodeError, Format};
use dollop_sim::Frame;
use dollop_surface::{CARRIED, SurfaceMesh};

/// A surface as binary PLY: `x y z nx ny nz vx vy vz`, the fields that it carries and `source` for each vertex, and
/// triangles.
#[derive(Debug, Clone, Copy)]
pub struct MeshPly;

impl Format<SurfaceMesh> for MeshPly {
    fn extension(&self) -> &'static str {
        "ply"
    }

    fn attributes(&self, frame: &Frame) -> Vec<Attribute> {
        let fields = frame.fields.iter().filter(|field| CARRIED.contains(&field.name)).map(Attribute::of_field);
        let [own @ .., source] =
            [Attribute::position(), Attribute::normal(), Attribute::velocity(), Attribute::source()];
        own.into_iter().chain(fields).chain([source]).collect()
    }

    fn encode(&self, mesh: &SurfaceMesh) -> Result<Vec<u8>, EncodeError> {
        let mut columns = vec![
            Column::vectors(Attribute::position(), &mesh.positions),
            Column::vectors(Attribute::normal(), &mesh.normals),
            Column::vectors(Attribute::velocity(), &mesh.velocities),
        ];
        columns.extend(mesh.fields.iter().map(Column::of_field));
        columns.push(Column::integers(Attribute::source(), &mesh.sources));
        encode(mesh.positions.len(), &columns, Connected::Triangles(&mesh.triangles))
    }
}
