//! A seekable stream that counts and hashes the bytes written, and can overwrite earlier bytes.

use std::io::{Result, Seek, SeekFrom, Write};

use twox_hash::xxhash3_128::Hasher;

pub(crate) struct Sink<W> {
    out: W,
    start: u64,
    position: u64,
    hash: Hasher,
}

impl<W: Write + Seek> Sink<W> {
    pub(crate) fn new(mut out: W) -> Result<Self> {
        let start = out.stream_position()?;
        Ok(Self { out, start, position: 0, hash: Hasher::new() })
    }

    /// Bytes written so far.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.out.write_all(bytes)?;
        self.hash.write(bytes);
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Writes the buffer and empties it.
    pub(crate) fn drain(&mut self, buffer: &mut Vec<u8>) -> Result<()> {
        self.write(buffer)?;
        buffer.clear();
        Ok(())
    }

    /// Overwrites bytes written earlier, without hashing the new ones.
    pub(crate) fn patch(&mut self, position: u64, bytes: &[u8]) -> Result<()> {
        self.out.seek(SeekFrom::Start(self.start + position))?;
        self.out.write_all(bytes)?;
        self.out.seek(SeekFrom::Start(self.start + self.position))?;
        Ok(())
    }

    /// Hash of all bytes written.
    pub(crate) fn hash(&self) -> u128 {
        self.hash.finish_128()
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.out.flush()
    }
}
