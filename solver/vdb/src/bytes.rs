//! Little-endian numbers and length-prefixed strings, appended to a buffer.

use crate::value::Value;

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

/// The text's length in bytes, then the text.
pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put_u32(out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
}

/// A value at full width.
pub(crate) fn put_value<T: Value>(out: &mut Vec<u8>, value: T) {
    put_f32s(out, T::flatten(&[value]));
}
