//! Quantities carried from particles to the vertices of a surface and to the voxels of a volume: means over particles
//! with the weights of the field.

use crate::lattice::splat::NumberRows;
use crate::options::{CARRIED, SurfaceOptions};
use dollop_sim::{Field, FieldData, Frame};
use glam::Vec3;
use rayon::prelude::*;
use std::ops::Range;

/// The carried columns of a frame as rows of numbers: the velocity, then the fields.
pub(crate) struct Carried<'a> {
    frame: &'a Frame,
    fields: Vec<&'a Field>,
    /// Numbers in a row.
    pub width: usize,
}

impl<'a> Carried<'a> {
    /// All fields that can be carried.
    pub fn new(frame: &'a Frame) -> Self {
        Self::some(frame, &CARRIED)
    }

    /// Those that the vertices of a surface are to have.
    pub fn of(frame: &'a Frame, options: &SurfaceOptions) -> Self {
        Self::some(frame, &options.carried)
    }

    /// The velocity, and the fields with these names.
    pub fn some(frame: &'a Frame, names: &[&str]) -> Self {
        let wanted = |field: &&Field| CARRIED.contains(&field.name) && names.contains(&field.name);
        let fields: Vec<_> = frame.fields.iter().filter(wanted).collect();
        let width = 3 + fields.iter().map(|field| width(field)).sum::<usize>();
        Self { frame, fields, width }
    }

    /// The column range of a field in a row, if it is carried.
    pub fn range(&self, name: &str) -> Option<Range<usize>> {
        let mut start = 3;
        for field in &self.fields {
            let end = start + width(field);
            if field.name == name {
                return Some(start..end);
            }
            start = end;
        }
        None
    }

    /// The rows of some particles.
    pub fn all_rows(&self, particles: &[u32]) -> NumberRows {
        const MIN_ROWS_PER_TASK: usize = 1024;
        let mut values = vec![0.0; particles.len() * self.width];
        let rows = values.par_chunks_mut(self.width).zip(particles).with_min_len(MIN_ROWS_PER_TASK);
        rows.for_each(|(row, &particle)| self.write_row(particle, row));
        NumberRows { width: self.width, values }
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
            at += width(field);
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
            at += width(field);
            Field { name: field.name, unit: field.unit, description: field.description, data }
        };
        (vectors(0), self.fields.iter().map(column).collect())
    }
}

/// Number of columns of a field.
fn width(field: &Field) -> usize {
    match field.data {
        FieldData::Scalar(_) => 1,
        FieldData::Vector(_) => 3,
    }
}
