//! Little-endian numbers and length-prefixed strings, appended to a buffer.

use crate::value::VoxelValue;

pub(crate) fn put_u32(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_i64(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_i32s(out: &mut Vec<u8>, numbers: &[i32]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

pub(crate) fn put_f32s(out: &mut Vec<u8>, numbers: &[f32]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

pub(crate) fn put_f64s(out: &mut Vec<u8>, numbers: &[f64]) {
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// Appends the length of the text in bytes, then the text.
pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put_u32(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a value in full precision.
pub(crate) fn put_value<T: VoxelValue>(out: &mut Vec<u8>, value: T) {
    put_f32s(out, T::flatten(&[value]));
}
