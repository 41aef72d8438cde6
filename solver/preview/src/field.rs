//! The values to colour by.

use crate::PreviewError;
use crate::colour::{ColourMap, from_number, from_srgb, to_number};
use crate::typical::typical;
use dollop_sim::field::COLOR;
use dollop_sim::{FieldData, Frame};
use glam::Vec3;
use std::borrow::Cow;

/// One value a particle, with its unit.
pub(crate) struct Column<'a> {
    pub values: Cow<'a, [f32]>,
    pub unit: &'a str,
}

/// The field of a name: `speed` (also `velocity`), `source`, or one that the frame has. Vectors count by their length, but for
/// `color`, whose values are the numbers of colours.
///
/// # Errors
/// When there is none, with the names of those there are.
pub(crate) fn column<'a>(frame: &'a Frame, name: &str) -> Result<Column<'a>, PreviewError> {
    match name {
        "speed" | "velocity" => Ok(Column { values: lengths(&frame.velocities), unit: "m/s" }),
        "source" => Ok(Column { values: frame.sources.iter().map(|&source| source as f32).collect(), unit: "" }),
        _ => frame.fields.iter().find(|field| field.name == name).map_or_else(
            || Err(PreviewError::NoField { frame: frame.number, name: name.into(), known: known(frame) }),
            |field| {
                let values = match &field.data {
                    FieldData::Scalar(values) => values.into(),
                    FieldData::Vector(colours) if name == COLOR.name => {
                        colours.iter().copied().map(to_number).collect()
                    }
                    FieldData::Vector(vectors) => lengths(vectors),
                };
                Ok(Column { values, unit: field.unit })
            },
        ),
    }
}

fn lengths(vectors: &[Vec3]) -> Cow<'static, [f32]> {
    vectors.iter().map(|vector| vector.length()).collect()
}

fn known(frame: &Frame) -> String {
    let names: Vec<_> = frame.fields.iter().map(|field| field.name).chain(["speed", "source"]).collect();
    names.join(", ")
}

/// Smallest and largest number of a column, but for a few far from all others; none where there are none.
pub(crate) fn range(values: &[f32]) -> Option<[f32; 2]> {
    typical(values.iter().map(|&value| f64::from(value))).map(|range| range.map(|end| end as f32))
}

/// How the values of a field become colours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    pub map: ColourMap,
    /// Values at the two ends.
    pub range: [f32; 2],
}

impl Scale {
    /// Where a value lies in the range, 0 to 1; 0 where the range is a single value. Of bodies and colours, their number.
    fn part(&self, value: f32) -> f32 {
        let [low, high] = self.range;
        match self.map {
            ColourMap::Bodies | ColourMap::Own => value,
            _ if value.is_nan() => value,
            _ if high > low => (value - low) / (high - low),
            _ => 0.0,
        }
    }

    /// The colour of a value, sRGB.
    pub fn srgb(&self, value: f32) -> [u8; 3] {
        self.map.srgb(self.part(value))
    }

    /// The colour of a value in linear light.
    pub fn light(&self, value: f32) -> Vec3 {
        from_srgb(self.srgb(value))
    }

    /// The mean of values by their weights, not a number where all weigh nothing; of bodies, the one that weighs most.
    pub fn mean(&self, parts: impl Iterator<Item = (f32, f32)>) -> f32 {
        if self.map == ColourMap::Bodies {
            return heaviest(parts);
        }
        if self.map == ColourMap::Own {
            let (sum, weight) = parts.fold((Vec3::ZERO, 0.0), |(sum, weight), (value, part)| {
                (sum + part * from_number(value), weight + part)
            });
            return to_number(sum / weight);
        }
        let (sum, weight) = parts.fold((0.0, 0.0), |(sum, weight), (value, part)| (sum + value * part, weight + part));
        sum / weight
    }
}

/// The value whose weights are most together; of equals the smallest.
fn heaviest(parts: impl Iterator<Item = (f32, f32)>) -> f32 {
    let mut accounts: Vec<(f32, f32)> = Vec::new();
    for (value, part) in parts {
        match accounts.iter_mut().find(|(other, _)| other.to_bits() == value.to_bits()) {
            Some((_, sum)) => *sum += part,
            None => accounts.push((value, part)),
        }
    }
    let most = accounts.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)));
    most.map_or(f32::NAN, |(value, _)| value)
}
