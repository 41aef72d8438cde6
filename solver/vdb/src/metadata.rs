//! Named values stored with a grid.

use std::collections::BTreeMap;

use crate::bytes::{put_f32s, put_f64s, put_i32s, put_i64, put_str, put_u32};

/// Named values, written in the order of their keys.
pub type Metadata = BTreeMap<String, MetaValue>;

/// A value of the metadata.
#[derive(Debug, Clone, PartialEq)]
pub enum MetaValue {
    /// Text.
    String(String),
    /// A truth value.
    Bool(bool),
    /// A 32-bit integer.
    Int32(i32),
    /// A 64-bit integer.
    Int64(i64),
    /// A number in single precision.
    Float(f32),
    /// A number in double precision.
    Double(f64),
    /// Three integers, such as index coordinates.
    Vec3i([i32; 3]),
    /// Three numbers in double precision. There is no single precision: the Python module of OpenVDB 12 cannot read it.
    Vec3d([f64; 3]),
}

impl From<&str> for MetaValue {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl MetaValue {
    fn type_name(&self) -> &'static str {
        match self {
            Self::String(_) => "string",
            Self::Bool(_) => "bool",
            Self::Int32(_) => "int32",
            Self::Int64(_) => "int64",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Vec3i(_) => "vec3i",
            Self::Vec3d(_) => "vec3d",
        }
    }

    /// Appends the value without its size.
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::String(text) => out.extend_from_slice(text.as_bytes()),
            Self::Bool(truth) => out.push(u8::from(*truth)),
            Self::Int32(number) => put_i32s(out, &[*number]),
            Self::Int64(number) => put_i64(out, *number),
            Self::Float(number) => put_f32s(out, &[*number]),
            Self::Double(number) => put_f64s(out, &[*number]),
            Self::Vec3i(numbers) => put_i32s(out, numbers),
            Self::Vec3d(numbers) => put_f64s(out, numbers),
        }
    }
}

pub(crate) fn put(out: &mut Vec<u8>, metadata: &Metadata) {
    put_u32(out, metadata.len() as u32);
    for (key, value) in metadata {
        put_str(out, key);
        put_str(out, value.type_name());
        let size_at = out.len();
        put_u32(out, 0);
        value.put(out);
        let size = (out.len() - size_at - 4) as u32;
        out[size_at..size_at + 4].copy_from_slice(&size.to_le_bytes());
    }
}
