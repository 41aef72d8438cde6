use super::{Format, ParticleReader};
use crate::particle_table::ParticleTable;
use crate::ply::{Column, Connectivity, Values, encode};
use crate::ply_table::{Number, Table};
use crate::read_fault::{ReadFault, content};
use crate::{Attribute, EncodeError};
use dollop_sim::field::QUANTITIES;
use dollop_sim::{Field, FieldData, Frame};
use glam::Vec3;
use std::path::Path;

/// Particles as binary PLY: `x y z vx vy vz`, the fields of the frame, `radius volume source`, `id` if particles may be
/// removed; and seams as edges, if there are any.
#[derive(Debug, Clone, Copy)]
pub struct ParticlePly;

impl Format<Frame> for ParticlePly {
    fn name(&self) -> &'static str {
        "ply"
    }

    fn description(&self) -> &'static str {
        "Binary PLY with velocity, temperature, age, position at rest, colour, radius, volume and source. Meshes and volumes can be \
         made from it without simulating again."
    }

    fn attributes(&self, (): &(), frame: &Frame) -> Vec<Attribute> {
        columns(frame).into_iter().map(|column| column.attribute).collect()
    }

    fn encode(&self, (): &(), frame: &Frame) -> Result<Vec<u8>, EncodeError> {
        encode(frame.len(), &columns(frame), Connectivity::Edges(&frame.seams))
    }

    fn reader(&self) -> Option<ParticleReader> {
        Some(read)
    }
}

fn columns(frame: &Frame) -> Vec<Column<'_>> {
    let mut columns = vec![
        Column::vectors(Attribute::position(), &frame.positions),
        Column::vectors(Attribute::velocity(), &frame.velocities),
    ];
    columns.extend(frame.fields.iter().map(Column::of_field));
    columns.push(Column { attribute: Attribute::radius(), values: Values::Constant((frame.spacing / 2.0) as f32) });
    columns.push(Column { attribute: Attribute::volume(), values: Values::Floats(&frame.rest_volumes) });
    columns.push(Column::integers(Attribute::source(), &frame.sources));
    if !frame.ids.is_empty() {
        columns.push(Column::integers(Attribute::id(), &frame.ids));
    }
    columns
}

/// Reads a file of so many particles.
fn read(path: &Path, expected: usize) -> Result<ParticleTable, ReadFault> {
    let mut table = Table::open(path)?;
    let count = table.count;
    if count != expected {
        return Err(content(format!("it has {count} particles, and the index lists {expected}")));
    }
    let own = |name: &str| table.number(name).ok_or_else(|| content(format!("it has no property `{name}`")));
    let vector = |[x, y, z]: [&str; 3]| Ok::<_, ReadFault>([own(x)?, own(y)?, own(z)?]);
    let (position, velocity) = (vector(["x", "y", "z"])?, vector(["vx", "vy", "vz"])?);
    let (volume, source, id) = (own("volume")?, own("source")?, table.number("particle_id"));
    let mut fields = fields(&table)?;
    let mut columns = ParticleTable {
        positions: Vec::with_capacity(count),
        velocities: Vec::with_capacity(count),
        volumes: Vec::with_capacity(count),
        sources: Vec::with_capacity(count),
        ids: Vec::new(),
        seams: Vec::new(),
        fields: Vec::new(),
    };
    let (mut has_sources, mut has_ids) = (true, true);
    table.rows(|rows| {
        columns.positions.extend(rows.clone().map(|row| vector_in(position, row)));
        columns.velocities.extend(rows.clone().map(|row| vector_in(velocity, row)));
        columns.volumes.extend(rows.clone().map(|row| volume.float(row)));
        has_sources &= extend_whole(&mut columns.sources, source, rows.clone());
        has_ids &= id.is_none_or(|id| extend_whole(&mut columns.ids, id, rows.clone()));
        for (numbers, field) in &mut fields {
            numbers.extend(&mut field.data, rows.clone());
        }
    })?;
    columns.seams = table.edges()?;
    if !has_sources {
        return Err(content("a `source` is no number of a body"));
    }
    if !has_ids {
        return Err(content("an `id` is no whole number from 0 on"));
    }
    columns.fields = fields.into_iter().map(|(_, field)| field).collect();
    Ok(columns)
}

/// The offsets of the values of a field within a row.
enum Numbers {
    Scalar(Number),
    Vector([Number; 3]),
}

impl Numbers {
    fn extend(&self, data: &mut FieldData, rows: std::slice::ChunksExact<u8>) {
        match (self, data) {
            (Self::Scalar(number), FieldData::Scalar(values)) => values.extend(rows.map(|row| number.float(row))),
            (Self::Vector(numbers), FieldData::Vector(values)) => {
                values.extend(rows.map(|row| vector_in(*numbers, row)));
            }
            // Their columns were made together, of the same kind.
            _ => {}
        }
    }
}

/// Adds the whole number of each row; returns whether every row holds one.
fn extend_whole(whole: &mut Vec<u32>, number: Number, rows: std::slice::ChunksExact<u8>) -> bool {
    let before = whole.len();
    let count = rows.len();
    whole.extend(rows.map_while(|row| number.count(row)));
    whole.len() == before + count
}

#[inline]
fn vector_in([x, y, z]: [Number; 3], row: &[u8]) -> Vec3 {
    Vec3::new(x.float(row), y.float(row), z.float(row))
}

/// The fields of a file, still without values.
fn fields(table: &Table) -> Result<Vec<(Numbers, Field)>, ReadFault> {
    let numbers = |quantity: &dollop_sim::Quantity| match quantity.components {
        None => Ok(table.number(quantity.name).map(Numbers::Scalar)),
        Some(names) => match names.map(|name| table.number(name)) {
            [Some(x), Some(y), Some(z)] => Ok(Some(Numbers::Vector([x, y, z]))),
            [None, None, None] => Ok(None),
            _ => Err(content(format!("it has not all of the properties `{}`", names.join("`, `")))),
        },
    };
    let mut fields = vec![];
    for quantity in &QUANTITIES {
        if let Some(numbers) = numbers(quantity)? {
            let data = match numbers {
                Numbers::Scalar(_) => FieldData::Scalar(Vec::with_capacity(table.count)),
                Numbers::Vector(_) => FieldData::Vector(Vec::with_capacity(table.count)),
            };
            fields.push((numbers, quantity.with(data)));
        }
    }
    Ok(fields)
}
