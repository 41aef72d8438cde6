use crate::ply::{Column, Values, encode};
use crate::{Attribute, EncodeError, Format};
use dollop_sim::{FieldData, Frame};

/// Particles as binary PLY: `x y z vx vy vz`, the fields of the frame, `radius source`.
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
        encode(frame.len(), &columns(frame), None)
    }
}

fn columns(frame: &Frame) -> Vec<Column<'_>> {
    let fields = frame.fields.iter().map(|field| {
        let FieldData::Scalar(values) = &field.data;
        Column { attribute: Attribute::of_field(field), values: Values::Floats(values) }
    });
    let mut columns = vec![
        Column { attribute: Attribute::position(), values: Values::Vectors(&frame.positions) },
        Column { attribute: Attribute::velocity(), values: Values::Vectors(&frame.velocities) },
    ];
    columns.extend(fields);
    columns.push(Column { attribute: Attribute::radius(), values: Values::Constant((frame.spacing / 2.0) as f32) });
    columns.push(Column { attribute: Attribute::source(), values: Values::Integers(&frame.sources) });
    columns
}
