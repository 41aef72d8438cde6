//! The text of an index: compact, with a line for each field and each record, so that a frame adds one short line.

use crate::{FORMAT, Index, VERSION};
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use std::io::{self, Write};

/// The text of the index file.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn index_text(index: &Index) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    index.serialize(&mut Serializer::with_formatter(&mut text, IndexLines::default()))?;
    text.push(b'\n');
    Ok(text)
}

/// Whether a text begins as an index does, apart from blanks: an index that is damaged further on is still ours.
pub fn begins_as_index(text: &[u8]) -> bool {
    let opening = format!("{{\"format\":\"{FORMAT}\",\"version\":{{\"major\":{},", VERSION.major);
    let found = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    found.take(opening.len()).eq(opening.as_bytes())
}

/// Starts a line for each key of the outermost object and each item of the lists directly in it.
#[derive(Default)]
struct IndexLines {
    depth: usize,
}

impl IndexLines {
    fn new_line<W: ?Sized + Write>(&self, writer: &mut W, depth: usize) -> io::Result<()> {
        if self.depth == depth { writer.write_all(b"\n") } else { Ok(()) }
    }
}

impl Formatter for IndexLines {
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
