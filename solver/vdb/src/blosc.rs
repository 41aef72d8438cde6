//! A Blosc-1 frame of one block: bytes shuffled by significance, then compressed with LZ4.
//!
//! The frame is header, offset of the block, streams:
//!
//! | bytes | field |
//! |---|---|
//! | 4 | format version 2, LZ4 version 1, flags, type size |
//! | 4 | uncompressed length |
//! | 4 | block length, the same |
//! | 4 | frame length with this header |
//! | 4 | 20, where the block begins |
//! | - | streams: length and LZ4 block; or, if LZ4 does not shrink it, uncompressed length and bytes |

use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use crate::bytes::put_u32;

const FORMAT_VERSION: u8 = 2;
const LZ4_VERSION: u8 = 1;
const BYTE_SHUFFLE: u8 = 0x01;
const ONE_STREAM: u8 = 0x10;
const LZ4: u8 = 0x20;
const HEADER_LENGTH: usize = 16;
/// Below this number of bytes, Blosc neither compresses a block nor gives it a stream of its own.
const MIN_STREAM: usize = 128;

/// Makes frames and reuses its buffers.
pub(crate) struct Framer {
    table: CompressTable,
    shuffled: Vec<u8>,
    frame: Vec<u8>,
}

impl Framer {
    pub(crate) fn new() -> Self {
        Self { table: CompressTable::small(), shuffled: Vec::new(), frame: Vec::new() }
    }

    /// The frame of `raw`, a whole number of elements of `type_size` bytes (at most 16); none if it would not be
    /// smaller.
    pub(crate) fn frame(&mut self, raw: &[u8], type_size: usize) -> Option<&[u8]> {
        if raw.len() < MIN_STREAM {
            return None;
        }
        shuffle(raw, type_size, &mut self.shuffled);
        let elements = raw.len() / type_size;
        let (flags, stream_length) = if elements >= MIN_STREAM { (0, elements) } else { (ONE_STREAM, raw.len()) };
        self.begin(flags | LZ4 | BYTE_SHUFFLE, type_size, raw.len());
        for stream in self.shuffled.chunks_exact(stream_length) {
            put_stream(&mut self.frame, stream, &mut self.table);
        }
        let length = self.frame.len() as u32;
        self.frame[12..HEADER_LENGTH].copy_from_slice(&length.to_le_bytes());
        (self.frame.len() < raw.len()).then_some(&self.frame)
    }

    /// Writes the header and the offset of the block; the length of the frame is not known yet.
    fn begin(&mut self, flags: u8, type_size: usize, length: usize) {
        self.frame.clear();
        self.frame.extend_from_slice(&[FORMAT_VERSION, LZ4_VERSION, flags, type_size as u8]);
        put_u32(&mut self.frame, length as u32);
        put_u32(&mut self.frame, length as u32);
        put_u32(&mut self.frame, 0);
        put_u32(&mut self.frame, HEADER_LENGTH as u32 + 4);
    }
}

/// Reorders bytes: all first bytes of the elements, then all second bytes, and so on.
fn shuffle(raw: &[u8], type_size: usize, shuffled: &mut Vec<u8>) {
    shuffled.clear();
    for byte in 0..type_size {
        shuffled.extend(raw.chunks_exact(type_size).map(|element| element[byte]));
    }
}

fn put_stream(out: &mut Vec<u8>, stream: &[u8], table: &mut CompressTable) {
    let length_at = out.len();
    let data_at = length_at + 4;
    out.resize(data_at + get_maximum_output_size(stream.len()), 0);
    let length = match compress_into_with_table(stream, &mut out[data_at..], table) {
        Ok(length) if length < stream.len() => length,
        _ => {
            out[data_at..data_at + stream.len()].copy_from_slice(stream);
            stream.len()
        }
    };
    out.truncate(data_at + length);
    out[length_at..data_at].copy_from_slice(&(length as u32).to_le_bytes());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn u32_at(bytes: &[u8], at: usize) -> usize {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    }

    /// Reads a frame by the description of the format, independently of the code above.
    fn decode(frame: &[u8]) -> Vec<u8> {
        let (version, lz4, flags, type_size) = (frame[0], frame[1], frame[2], frame[3] as usize);
        assert_eq!((version, lz4), (2, 1));
        let length = u32_at(frame, 4);
        assert_eq!(u32_at(frame, 8), length);
        assert_eq!(u32_at(frame, 12), frame.len());
        let streams = match flags {
            0x21 => type_size,
            0x31 => 1,
            other => panic!("flags {other:#x}"),
        };
        let mut at = u32_at(frame, 16);
        let mut shuffled = Vec::new();
        for _ in 0..streams {
            let packed = u32_at(frame, at);
            let data = &frame[at + 4..at + 4 + packed];
            if packed == length / streams {
                shuffled.extend_from_slice(data);
            } else {
                shuffled.extend(lz4_flex::block::decompress(data, length / streams).unwrap());
            }
            at += 4 + packed;
        }
        assert_eq!(at, frame.len());
        let elements = length / type_size;
        (0..length).map(|i| shuffled[i % type_size * elements + i / type_size]).collect()
    }

    /// Bytes without a pattern.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 0x9e37_79b9_u32;
        std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        })
        .take(length)
        .collect()
    }

    #[test]
    fn frames_decode_to_what_was_put_in() {
        let mut framer = Framer::new();
        for type_size in [2, 4] {
            for elements in [64, 65, 127, 128, 129, 511, 512, 1536, 32768, 98304] {
                let smooth = (0..elements * type_size).map(|i| (i / type_size / 50) as u8).collect::<Vec<_>>();
                let frame = framer.frame(&smooth, type_size).unwrap();
                assert_eq!(decode(frame), smooth, "{elements} elements of {type_size} bytes");
            }
        }
    }

    #[test]
    fn a_stream_that_does_not_shrink_is_stored() {
        let mut framer = Framer::new();
        // Noise in the low byte, zero in the high byte.
        let raw = noise(512).into_iter().flat_map(|low| [low, 0]).collect::<Vec<_>>();
        let frame = framer.frame(&raw, 2).unwrap();
        assert_eq!(u32_at(frame, 20), 512);
        assert_eq!(decode(frame), raw);
    }

    #[test]
    fn short_or_random_bytes_make_no_frame() {
        let mut framer = Framer::new();
        assert!(framer.frame(&[0; 126], 2).is_none());
        assert!(framer.frame(&[], 2).is_none());
        assert!(framer.frame(&noise(2048), 4).is_none());
    }

    #[test]
    fn a_frame_does_not_depend_on_the_frames_before_it() {
        let raw = (0..2048_u32).flat_map(|i| (i / 7).to_le_bytes()).collect::<Vec<_>>();
        let alone = Framer::new().frame(&raw, 4).unwrap().to_vec();
        let mut framer = Framer::new();
        framer.frame(&noise(1024), 2);
        framer.frame(&[7; 4000], 4);
        assert_eq!(framer.frame(&raw, 4).unwrap(), alone);
    }
}
