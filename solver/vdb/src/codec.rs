//! Encodes the numbers of a node: precision, then compression.

use flate2::{Compress, FlushCompress, Status};
use half::f16;
use half::slice::HalfFloatSliceExt;

use crate::blosc::Framer;
use crate::bytes::{put_f32s, put_i64};

/// Bits per number in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridPrecision {
    /// 32 bits; every value survives unchanged.
    #[default]
    Full,
    /// 16 bits, rounded to nearest even; finite values beyond ±65504 become ±65504.
    Half,
}

impl GridPrecision {
    /// The number that a reader gets.
    pub(crate) fn round(self, number: f32) -> f32 {
        match self {
            Self::Full => number,
            Self::Half => f16::from_f32(clamp_to_half(number)).to_f32(),
        }
    }
}

fn clamp_to_half(number: f32) -> f32 {
    const LARGEST: f32 = 65504.0;
    number.clamp(-LARGEST, LARGEST)
}

/// Compression of values. Smooth fields shrink by a half to three quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridCompression {
    /// Active values only, uncompressed.
    None,
    /// Active values compressed by zlib: the smallest files, and the slowest.
    Zip,
    /// Active values compressed by Blosc with LZ4: fast; the usual choice.
    #[default]
    Blosc,
}

impl GridCompression {
    /// The compression flags of a grid's record. The mask of active values is always used.
    pub(crate) fn flags(self) -> u32 {
        const ACTIVE_MASK: u32 = 2;
        ACTIVE_MASK
            | match self {
                Self::None => 0,
                Self::Zip => 1,
                Self::Blosc => 4,
            }
    }

    /// OpenVDB's description of the flags.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::None => "active values",
            Self::Zip => "zip + active values",
            Self::Blosc => "blosc + active values",
        }
    }
}

/// Encodes the numbers of one node after another.
pub(crate) struct Encoder {
    pub(crate) precision: GridPrecision,
    /// Count of encoded numbers beyond the range of halves.
    pub(crate) clamped: u64,
    codec: Codec,
    limited: Vec<f32>,
    halves: Vec<f16>,
    raw: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new(precision: GridPrecision, compression: GridCompression) -> Self {
        let codec = Codec::new(compression);
        Self { precision, clamped: 0, codec, limited: Vec::new(), halves: Vec::new(), raw: Vec::new() }
    }

    /// Appends finite numbers, encoded.
    pub(crate) fn put(&mut self, out: &mut Vec<u8>, numbers: &[f32]) {
        self.raw.clear();
        match self.precision {
            GridPrecision::Full => {
                put_f32s(&mut self.raw, numbers);
                self.codec.put(out, &self.raw, 4);
            }
            // In a half grid, readers expect nothing at all for a node without values, not even a length.
            GridPrecision::Half if numbers.is_empty() => {}
            GridPrecision::Half => {
                self.put_halves(numbers);
                self.codec.put(out, &self.raw, 2);
            }
        }
    }

    fn put_halves(&mut self, numbers: &[f32]) {
        self.limited.clear();
        self.limited.extend(numbers.iter().copied().map(clamp_to_half));
        let changed = |(before, after): (&f32, &f32)| u64::from(before.to_bits() != after.to_bits());
        self.clamped += numbers.iter().zip(&self.limited).map(changed).sum::<u64>();
        self.halves.resize(numbers.len(), f16::ZERO);
        self.halves.convert_from_f32_slice(&self.limited);
        self.raw.extend(self.halves.iter().flat_map(|half| half.to_le_bytes()));
    }
}

enum Codec {
    None,
    Zip(Box<Zip>),
    Blosc(Box<Framer>),
}

impl Codec {
    fn new(compression: GridCompression) -> Self {
        match compression {
            GridCompression::None => Self::None,
            GridCompression::Zip => Self::Zip(Box::new(Zip::new())),
            GridCompression::Blosc => Self::Blosc(Box::new(Framer::new())),
        }
    }

    fn put(&mut self, out: &mut Vec<u8>, raw: &[u8], type_size: usize) {
        match self {
            Self::None => out.extend_from_slice(raw),
            Self::Zip(zip) => put_chunk(out, zip.pack(raw), raw),
            Self::Blosc(framer) => put_chunk(out, framer.frame(raw, type_size), raw),
        }
    }
}

/// Appends the length of the packed bytes and the packed bytes; or the negative length of the raw bytes and the raw
/// bytes.
fn put_chunk(out: &mut Vec<u8>, packed: Option<&[u8]>, raw: &[u8]) {
    put_i64(out, packed.map_or(-(raw.len() as i64), |bytes| bytes.len() as i64));
    out.extend_from_slice(packed.unwrap_or(raw));
}

struct Zip {
    state: Compress,
    packed: Vec<u8>,
}

impl Zip {
    fn new() -> Self {
        const LEVEL: u32 = 6;
        Self { state: Compress::new(flate2::Compression::new(LEVEL), true), packed: Vec::new() }
    }

    /// The zlib stream of `raw`; none if it would not be smaller.
    fn pack(&mut self, raw: &[u8]) -> Option<&[u8]> {
        self.state.reset();
        self.packed.clear();
        self.packed.reserve(raw.len());
        let status = self.state.compress_vec(raw, &mut self.packed, FlushCompress::Finish);
        let smaller = matches!(status, Ok(Status::StreamEnd)) && self.packed.len() < raw.len();
        smaller.then_some(&self.packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(precision: GridPrecision, compression: GridCompression, numbers: &[f32]) -> Vec<u8> {
        let mut out = Vec::new();
        Encoder::new(precision, compression).put(&mut out, numbers);
        out
    }

    #[test]
    fn no_values_are_an_empty_chunk_or_nothing_at_all() {
        assert_eq!(encode(GridPrecision::Full, GridCompression::None, &[]), []);
        for compression in [GridCompression::Zip, GridCompression::Blosc] {
            assert_eq!(encode(GridPrecision::Full, compression, &[]), [0; 8]);
        }
        for compression in [GridCompression::None, GridCompression::Zip, GridCompression::Blosc] {
            assert_eq!(encode(GridPrecision::Half, compression, &[]), []);
        }
    }

    #[test]
    fn values_that_do_not_shrink_are_stored() {
        let stored = [&(-4_i64).to_le_bytes()[..], &1.5_f32.to_le_bytes()].concat();
        assert_eq!(encode(GridPrecision::Full, GridCompression::Zip, &[1.5]), stored);
        assert_eq!(encode(GridPrecision::Full, GridCompression::Blosc, &[1.5]), stored);
    }

    #[test]
    fn halves_round_to_even_and_stay_finite() {
        let mut encoder = Encoder::new(GridPrecision::Half, GridCompression::None);
        let mut out = Vec::new();
        let tie = 1.0 + f32::powi(2.0, -11);
        let numbers = [tie, 1.0 + 3.0 * f32::powi(2.0, -11), 65504.0, 65519.0, f32::MAX, f32::MIN, -0.0, 1e-9];
        encoder.put(&mut out, &numbers);
        let halves = out.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>();
        assert_eq!(halves, [0x3c00, 0x3c02, 0x7bff, 0x7bff, 0x7bff, 0xfbff, 0x8000, 0]);
        assert_eq!(encoder.clamped, 3);
        for (number, half) in numbers.into_iter().zip(halves) {
            assert_eq!(GridPrecision::Half.round(number).to_bits(), f16::from_bits(half).to_f32().to_bits());
        }
    }

    #[test]
    fn a_zlib_stream_decodes_whatever_was_packed_before() {
        use std::io::Read;
        let numbers = (0..512).map(|i| (i / 9) as f32).collect::<Vec<_>>();
        let mut encoder = Encoder::new(GridPrecision::Full, GridCompression::Zip);
        let mut out = Vec::new();
        encoder.put(&mut out, &[3.0; 700]);
        out.clear();
        encoder.put(&mut out, &numbers);
        assert_eq!(out, encode(GridPrecision::Full, GridCompression::Zip, &numbers));
        let mut raw = Vec::new();
        assert!(flate2::read::ZlibDecoder::new(&out[8..]).read_to_end(&mut raw).is_ok());
        assert_eq!(raw, numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>());
    }
}
