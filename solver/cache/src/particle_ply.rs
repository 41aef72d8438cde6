use crate::ply::{Column, Connected, Values, encode};
use crate::{Attribute, EncodeError, Format};
use dollop_sim::Frame;

/// Particles as binary PLY: `x y z vx vy vz`, the fields of the frame, `radius volume source`, `id` where
/// particles may be removed; and seams as edges, where there are some.
#[derive(Debug, Clone, Copy)]
pub struct ParticlePly;

impl Format<Frame> for ParticlePly {
    fn extension(&self) -> &'static str {
        "ply"
    }

    fn attributes(&self, frame: &Frame) -> Vec<Attribute> {
        columns(frame).into_iter().map(|column| column.attribute).collect()
    }

    fn encode(&self, frame: &Frame) -> Result<Vec<u8>, EncodeError> {
        encode(frame.len(), &columns(frame), Connected::Edges(&frame.seams))
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
