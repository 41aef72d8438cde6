//! Binary PLY, little-endian: a table of vertices, and optional triangles or edges.

use crate::{Attribute, AttributeKind, EncodeError};
use dollop_sim::{Field, FieldData};
use glam::Vec3;
use std::fmt::Write;

/// One attribute with its values.
pub struct Column<'a> {
    /// Its name, type and unit.
    pub attribute: Attribute,
    /// Its values, one per vertex.
    pub values: Values<'a>,
}

/// The values of a column.
pub enum Values<'a> {
    /// Three floats per vertex.
    Vectors(&'a [Vec3]),
    /// One float per vertex.
    Floats(&'a [f32]),
    /// One integer per vertex; numbers of bodies, far below 2^31.
    Integers(&'a [u32]),
    /// The same float for all vertices.
    Constant(f32),
}

impl<'a> Column<'a> {
    /// A column of vectors.
    pub fn vectors(attribute: Attribute, values: &'a [Vec3]) -> Self {
        Self { attribute, values: Values::Vectors(values) }
    }

    /// A column of integers.
    pub fn integers(attribute: Attribute, values: &'a [u32]) -> Self {
        Self { attribute, values: Values::Integers(values) }
    }

    /// A field as its frame describes it.
    pub fn of_field(field: &'a Field) -> Self {
        let values = match &field.data {
            FieldData::Scalar(values) => Values::Floats(values),
            FieldData::Vector(values) => Values::Vectors(values),
        };
        Self { attribute: Attribute::of_field(field), values }
    }
}

impl Values<'_> {
    /// Number of values; none for a constant.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Vectors(values) => Some(values.len()),
            Self::Floats(values) => Some(values.len()),
            Self::Integers(values) => Some(values.len()),
            Self::Constant(_) => None,
        }
    }
}

/// Connections between vertices.
#[derive(Clone, Copy)]
pub enum Connectivity<'a> {
    /// Triangles, possibly none.
    Triangles(&'a [[u32; 3]]),
    /// Edges, if there are any.
    Edges(&'a [[u32; 2]]),
}

impl Connectivity<'_> {
    fn header(self) -> String {
        match self {
            Self::Triangles(all) => format!("element face {}\nproperty list uchar int vertex_indices\n", all.len()),
            Self::Edges([]) => String::new(),
            Self::Edges(all) => format!("element edge {}\nproperty int vertex1\nproperty int vertex2\n", all.len()),
        }
    }

    /// Its bytes in a file.
    fn len(self) -> usize {
        match self {
            Self::Triangles(all) => all.len() * TRIANGLE,
            Self::Edges(all) => all.len() * EDGE,
        }
    }

    fn add_to(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Edges(all) => bytes.extend(all.as_flattened().iter().flat_map(|vertex| vertex.to_le_bytes())),
            Self::Triangles(all) => {
                for vertices in all {
                    bytes.push(3);
                    bytes.extend(vertices.iter().flat_map(|vertex| vertex.to_le_bytes()));
                }
            }
        }
    }
}

/// Bytes of a number in the vertex table: all are 32 bits wide.
const NUMBER: usize = 4;
/// Bytes of a triangle: the count, then three vertex numbers.
const TRIANGLE: usize = 1 + 3 * NUMBER;
/// Bytes of an edge.
pub const EDGE: usize = 2 * NUMBER;

/// The bytes of a file.
///
/// # Errors
/// When a column does not have `count` values.
pub fn encode(count: usize, columns: &[Column], connected: Connectivity) -> Result<Vec<u8>, EncodeError> {
    check_lengths(count, columns)?;
    let mut bytes = header(count, columns, connected).into_bytes();
    let start = bytes.len();
    let row: usize = columns.iter().map(|column| width(&column.attribute)).sum();
    bytes.reserve_exact(count * row + connected.len());
    bytes.resize(start + count * row, 0);
    let mut offset = 0;
    for column in columns {
        fill(&mut bytes[start..], row, offset, &column.values);
        offset += width(&column.attribute);
    }
    connected.add_to(&mut bytes);
    Ok(bytes)
}

fn check_lengths(expected: usize, columns: &[Column]) -> Result<(), EncodeError> {
    let wrong = columns.iter().find_map(|column| {
        let found = column.values.len().filter(|&found| found != expected)?;
        Some(EncodeError::Length { name: column.attribute.name.to_string(), expected, found })
    });
    wrong.map_or(Ok(()), Err)
}

fn width(attribute: &Attribute) -> usize {
    attribute.columns().count() * NUMBER
}

fn header(count: usize, columns: &[Column], connected: Connectivity) -> String {
    let mut text = String::from("ply\nformat binary_little_endian 1.0\ncomment made by Dollop; SI units, Z up\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "element vertex {count}");
    for Column { attribute, .. } in columns {
        let kind = if attribute.kind == AttributeKind::Integer { "int" } else { "float" };
        for name in attribute.columns() {
            let _ = writeln!(text, "property {kind} {name}");
        }
    }
    text.push_str(&connected.header());
    text.push_str("end_header\n");
    text
}

/// Puts one column into the rows of the table.
fn fill(table: &mut [u8], row: usize, offset: usize, values: &Values) {
    let slots = table.chunks_exact_mut(row).map(|row| &mut row[offset..]);
    match values {
        Values::Vectors(values) => slots.zip(*values).for_each(|(slot, value)| {
            let parts = value.to_array().map(f32::to_le_bytes);
            slot[..3 * NUMBER].copy_from_slice(parts.as_flattened());
        }),
        Values::Floats(values) => {
            slots.zip(*values).for_each(|(slot, value)| slot[..NUMBER].copy_from_slice(&value.to_le_bytes()));
        }
        Values::Integers(values) => {
            slots.zip(*values).for_each(|(slot, value)| slot[..NUMBER].copy_from_slice(&value.to_le_bytes()));
        }
        Values::Constant(value) => slots.for_each(|slot| slot[..NUMBER].copy_from_slice(&value.to_le_bytes())),
    }
}
