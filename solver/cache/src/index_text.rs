//! The text of an index: compact, with a line for each field and each record, so that a frame adds one short line.

use crate::Index;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io::{self, Write};

/// The text of the index file.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn index_text(index: &Index) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    index.serialize(&mut Serializer::with_formatter(&mut text, Lines::default()))?;
    text.push(b'\n');
    Ok(text)
}

/// Starts a line for each key of the outermost object and each item of the lists directly in it.
#[derive(Default)]
struct Lines {
    depth: usize,
}

impl Lines {
    fn new_line<W: ?Sized + Write>(&self, writer: &mut W, depth: usize) -> io::Result<()> {
        if self.depth == depth { writer.write_all(b"\n") } else { Ok(()) }
    }
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        CompactFormatter.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.new_line(writer, 1)?;
        self.depth -= 1;
        CompactFormatter.end_object(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        CompactFormatter.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        CompactFormatter.end_array(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        CompactFormatter.begin_object_key(writer, first)?;
        self.new_line(writer, 1)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        CompactFormatter.begin_array_value(writer, first)?;
        self.new_line(writer, 2)
    }
}

/// Why a surface cannot be listed: JSON has no number for its volume.
pub fn no_volume(frame: i32) -> io::Error {
    io::Error::other(format!("the surface of frame {frame} has no finite volume"))
}
