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
        let width = |field: &&Field| if matches!(field.data, FieldData::Scalar(_)) { 1 } else { 3 };
        let width = 3 + fields.iter().map(width).sum::<usize>();
        Self { frame, fields, width }
    }

    /// The rows of some particles, one after another.
    pub fn rows(&self, particles: &[u32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(particles.len() * self.width);
        for &particle in particles {
            let particle = particle as usize;
            rows.extend(self.frame.velocities[particle].to_array());
            for field in &self.fields {
                match &field.data {
                    FieldData::Scalar(values) => rows.push(values[particle]),
                    FieldData::Vector(values) => rows.extend(values[particle].to_array()),
                }
            }
        }
        rows
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
            at += if matches!(field.data, FieldData::Scalar(_)) { 1 } else { 3 };
            Field { name: field.name, unit: field.unit, description: field.description, data }
        };
        (vectors(0), self.fields.iter().map(column).collect())
    }
}
