//! What the matter carries to the vertices of its surface: means over the particles, weighted as the field is.

use dollop_sim::field::{AGE, COLOR, REST_POSITION, TEMPERATURE};
use dollop_sim::{Field, FieldData, Frame};
use glam::Vec3;

/// Names of the fields of a frame that vertices have, too.
pub const CARRIED: [&str; 4] = [TEMPERATURE.name, AGE.name, REST_POSITION.name, COLOR.name];

/// The columns of a frame that are carried, as rows of numbers: the velocity, then the fields.
pub(crate) struct Carried<'a> {
    frame: &'a Frame,
    fields: Vec<&'a Field>,
    /// Numbers in a row.
    pub width: usize,
}

impl<'a> Carried<'a> {
    pub fn new(frame: &'a Frame) -> Self {
        let fields: Vec<_> = frame.fields.iter().filter(|field| CARRIED.contains(&field.name)).collect();
        let width = 3 + fields.iter().map(|field| width(&field.data)).sum::<usize>();
        Self { frame, fields, width }
    }

    /// Writes the row of a particle.
    pub fn write_row(&self, particle: u32, row: &mut [f32]) {
        let particle = particle as usize;
        row[..3].copy_from_slice(&self.frame.velocities[particle].to_array());
        let mut at = 3;
        for field in &self.fields {
            match &field.data {
                FieldData::Scalar(values) => row[at] = values[particle],
                FieldData::Vector(values) => row[at..at + 3].copy_from_slice(&values[particle].to_array()),
            }
            at += width(&field.data);
        }
    }

    /// Velocities and fields from rows.
    pub fn columns(&self, rows: &[f32]) -> (Vec<Vec3>, Vec<Field>) {
        let vectors = |at: usize| rows.chunks_exact(self.width).map(move |row| Vec3::from_slice(&row[at..])).collect();
        let mut at = 3;
        let column = |field: &&Field| {
            let data = match field.data {
                FieldData::Scalar(_) => FieldData::Scalar(rows.chunks_exact(self.width).map(|row| row[at]).collect()),
                FieldData::Vector(_) => FieldData::Vector(vectors(at)),
            };
            at += width(&field.data);
            Field { name: field.name, unit: field.unit, description: field.description, data }
        };
        (vectors(0), self.fields.iter().map(column).collect())
    }
}

/// Numbers a particle.
fn width(data: &FieldData) -> usize {
    match data {
        FieldData::Scalar(_) => 1,
        FieldData::Vector(_) => 3,
    }
}
