//! The values that colours show, and their scale.

use crate::PreviewError;
use crate::colour::{ColourMap, from_number, from_srgb, to_number};
use crate::outliers::range_without_outliers;
use dollop_sim::field::COLOR;
use dollop_sim::{FieldData, Frame};
use glam::Vec3;
use std::borrow::Cow;

/// One value per particle, with its unit.
pub(crate) struct ParticleValues<'a> {
    pub values: Cow<'a, [f32]>,
    pub unit: &'a str,
}

/// The values named `speed` (also `velocity`), `source`, or as a field of the frame. Vectors count by length, except
/// `color`, whose values are packed colours.
///
/// # Errors
/// If there is no such field; the error lists the names of the fields.
pub(crate) fn particle_values<'a>(frame: &'a Frame, name: &str) -> Result<ParticleValues<'a>, PreviewError> {
    match name {
        "speed" | "velocity" => Ok(ParticleValues { values: lengths(&frame.velocities), unit: "m/s" }),
        "source" => {
            Ok(ParticleValues { values: frame.sources.iter().map(|&source| source as f32).collect(), unit: "" })
        }
        _ => frame.fields.iter().find(|field| field.name == name).map_or_else(
            || Err(PreviewError::NoField { frame: frame.number, name: name.into(), known: field_names(frame) }),
            |field| {
                let values = match &field.data {
                    FieldData::Scalar(values) => values.into(),
                    FieldData::Vector(colours) if name == COLOR.name => {
                        colours.iter().copied().map(to_number).collect()
                    }
                    FieldData::Vector(vectors) => lengths(vectors),
                };
                Ok(ParticleValues { values, unit: field.unit })
            },
        ),
    }
}

fn lengths(vectors: &[Vec3]) -> Cow<'static, [f32]> {
    vectors.iter().map(|vector| vector.length()).collect()
}

fn field_names(frame: &Frame) -> String {
    let names: Vec<_> = frame.fields.iter().map(|field| field.name).chain(["speed", "source"]).collect();
    names.join(", ")
}

/// Smallest and largest value without outliers; none if there are no values.
pub(crate) fn range(values: &[f32]) -> Option<[f32; 2]> {
    range_without_outliers(values.iter().map(|&value| f64::from(value))).map(|range| range.map(|end| end as f32))
}

/// A colour map over a range of values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ColourScale {
    pub map: ColourMap,
    /// Values at the two ends of the map.
    pub range: [f32; 2],
}

impl ColourScale {
    /// Position of a value in the range, 0 to 1; 0 if the range is a single value. Body numbers and packed colours stay
    /// as they are.
    fn fraction(&self, value: f32) -> f32 {
        let [low, high] = self.range;
        match self.map {
            ColourMap::Categorical | ColourMap::Direct => value,
            _ if value.is_nan() => value,
            _ if high > low => (value - low) / (high - low),
            _ => 0.0,
        }
    }

    /// The colour of a value, sRGB.
    pub fn srgb(&self, value: f32) -> [u8; 3] {
        self.map.srgb(self.fraction(value))
    }

    /// The colour of a value in linear light.
    pub fn light(&self, value: f32) -> Vec3 {
        from_srgb(self.srgb(value))
    }

    /// The weighted mean of values; NaN if all weights are zero. For bodies, the number with the largest total weight.
    pub fn mean(&self, parts: impl Iterator<Item = (f32, f32)>) -> f32 {
        if self.map == ColourMap::Categorical {
            return heaviest(parts);
        }
        if self.map == ColourMap::Direct {
            let (sum, total) = parts.fold((Vec3::ZERO, 0.0), |(sum, total), (value, weight)| {
                (sum + weight * from_number(value), total + weight)
            });
            return to_number(sum / total);
        }
        let (sum, total) =
            parts.fold((0.0, 0.0), |(sum, total), (value, weight)| (sum + value * weight, total + weight));
        sum / total
    }
}

/// The value with the largest total weight; of equals the smallest value.
fn heaviest(parts: impl Iterator<Item = (f32, f32)>) -> f32 {
    let mut totals: Vec<(f32, f32)> = Vec::new();
    for (value, weight) in parts {
        match totals.iter_mut().find(|(other, _)| other.to_bits() == value.to_bits()) {
            Some((_, sum)) => *sum += weight,
            None => totals.push((value, weight)),
        }
    }
    let largest = totals.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0)));
    largest.map_or(f32::NAN, |(value, _)| value)
}
