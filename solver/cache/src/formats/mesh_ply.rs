use super::{Format, MeshSettings};
use crate::ply::{Column, Connectivity, encode};
use crate::{Attribute, EncodeError};
use dollop_sim::{Field, Frame};
use dollop_surface::{CARRIED, SurfaceMesh};

/// A surface as binary PLY: `x y z`, for each vertex the requested ones of `nx ny nz`, `vx vy vz`, carried fields and
/// `source`, and triangles.
#[derive(Debug, Clone, Copy)]
pub struct MeshPly;

impl MeshSettings {
    fn has(&self, name: &str) -> bool {
        self.attributes.contains(&name)
    }

    fn has_field(&self, field: &Field) -> bool {
        CARRIED.contains(&field.name) && self.has(field.name)
    }
}

impl Format<SurfaceMesh> for MeshPly {
    fn name(&self) -> &'static str {
        "ply"
    }

    fn description(&self) -> &'static str {
        "Binary PLY with the `attributes` for each vertex."
    }

    fn attributes(&self, settings: &MeshSettings, frame: &Frame) -> Vec<Attribute> {
        let own = [Attribute::normal(), Attribute::velocity()].into_iter();
        let fields = frame.fields.iter().filter(|field| settings.has_field(field)).map(Attribute::of_field);
        let wanted = own.chain([Attribute::source()]).filter(|attribute| settings.has(&attribute.name));
        let (mut own, source): (Vec<_>, Vec<_>) = wanted.partition(|attribute| attribute.name != "source");
        own.insert(0, Attribute::position());
        own.into_iter().chain(fields).chain(source).collect()
    }

    fn encode(&self, settings: &MeshSettings, mesh: &SurfaceMesh) -> Result<Vec<u8>, EncodeError> {
        let own = [
            Column::vectors(Attribute::position(), &mesh.positions),
            Column::vectors(Attribute::normal(), &mesh.normals),
            Column::vectors(Attribute::velocity(), &mesh.velocities),
        ];
        let is_wanted = |column: &Column<'_>| {
            let name = &column.attribute.name;
            name == "position" || settings.has(name)
        };
        let mut columns: Vec<_> = own.into_iter().filter(is_wanted).collect();
        columns.extend(mesh.fields.iter().filter(|field| settings.has_field(field)).map(Column::of_field));
        columns.extend([Column::integers(Attribute::source(), &mesh.sources)].into_iter().filter(is_wanted));
        encode(mesh.positions.len(), &columns, Connectivity::Triangles(&mesh.triangles))
    }
}
