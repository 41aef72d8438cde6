//! Reads the vertices and edges of a binary PLY file, little-endian, in blocks. The reader trusts a header only after
//! comparing it with the size of the file.

use crate::ply::EDGE;
use crate::read_fault::{ReadFault, content};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A number in each row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Number {
    kind: NumberKind,
    offset: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NumberKind {
    Float,
    Double,
    Int,
    UnsignedChar,
}

impl NumberKind {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "float" | "float32" => Some(Self::Float),
            "double" | "float64" => Some(Self::Double),
            "int" | "int32" => Some(Self::Int),
            "uchar" | "uint8" => Some(Self::UnsignedChar),
            _ => None,
        }
    }

    fn size(self) -> usize {
        match self {
            Self::Float | Self::Int => 4,
            Self::Double => 8,
            Self::UnsignedChar => 1,
        }
    }
}

impl Number {
    /// The number in a row; 32-bit floats exactly.
    #[inline]
    pub fn float(self, row: &[u8]) -> f32 {
        match self.kind {
            NumberKind::Float => f32::from_le_bytes(self.bytes(row)),
            NumberKind::Double => f64::from_le_bytes(self.bytes(row)) as f32,
            NumberKind::Int => i32::from_le_bytes(self.bytes(row)) as f32,
            NumberKind::UnsignedChar => f32::from(row[self.offset]),
        }
    }

    /// The number in a row, if it is a whole number from 0 to 2^31 - 1.
    #[inline]
    pub fn count(self, row: &[u8]) -> Option<u32> {
        match self.kind {
            NumberKind::Int => u32::try_from(i32::from_le_bytes(self.bytes(row))).ok(),
            _ => Some(self.float(row))
                .filter(|value| (0.0..2e9).contains(value) && value.fract() == 0.0)
                .map(|v| v as u32),
        }
    }

    #[inline]
    fn bytes<const N: usize>(self, row: &[u8]) -> [u8; N] {
        std::array::from_fn(|byte| row[self.offset + byte])
    }
}

/// The vertices of an open file, and the edges after them.
#[derive(Debug)]
pub struct Table {
    source: BufReader<File>,
    /// Number of vertices; the file has bytes for all of them.
    pub count: usize,
    row: usize,
    properties: Vec<(String, Number)>,
    edges: usize,
}

/// Maximum length of a header, bytes.
const LONGEST_HEADER: u64 = 1 << 16;
/// Rows per block: few enough for the processor's cache.
const ROWS: usize = 2048;

impl Table {
    /// Opens a file.
    ///
    /// # Errors
    /// When the file is not such a file, or is too short for its header.
    pub fn open(path: &Path) -> Result<Self, ReadFault> {
        // Opening a pipe could wait for ever.
        if !fs::metadata(path)?.is_file() {
            return Err(content("it is no file"));
        }
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        let mut source = BufReader::new(file);
        let (header, length) = Header::read(&mut source)?;
        let row: usize = header.properties.iter().map(|(_, number)| number.kind.size()).sum();
        let (count, edges) = header.check(row as u64, size - length.min(size))?;
        Ok(Self { source, count, row, properties: header.properties, edges })
    }

    /// The column of that name, if the vertices have it.
    pub fn number(&self, name: &str) -> Option<Number> {
        self.properties.iter().find(|(own, _)| own == name).map(|&(_, number)| number)
    }

    /// Reads all rows, block by block.
    ///
    /// # Errors
    /// When the file cannot be read to its end.
    pub fn rows(&mut self, mut take: impl FnMut(std::slice::ChunksExact<u8>)) -> Result<(), ReadFault> {
        let mut block = vec![0; self.row * ROWS.min(self.count)];
        let mut left = self.count;
        while left > 0 {
            let rows = left.min(ROWS);
            let bytes = &mut block[..rows * self.row];
            self.source.read_exact(bytes)?;
            take(bytes.chunks_exact(self.row));
            left -= rows;
        }
        Ok(())
    }

    /// Reads the edges, after the [rows](Self::rows).
    ///
    /// # Errors
    /// When the file cannot be read to its end, or an edge has a number below 0.
    pub fn edges(mut self) -> Result<Vec<[u32; 2]>, ReadFault> {
        let mut bytes = vec![0; self.edges * EDGE];
        self.source.read_exact(&mut bytes)?;
        let (numbers, _) = bytes.as_chunks::<4>();
        let end = |bytes: &[u8; 4]| u32::try_from(i32::from_le_bytes(*bytes)).ok();
        let edge = |ends: &[[u8; 4]; 2]| Some([end(&ends[0])?, end(&ends[1])?]);
        let edges: Option<_> = numbers.as_chunks::<2>().0.iter().map(edge).collect();
        edges.ok_or_else(|| content("an edge has a number below 0"))
    }
}

/// The content of a header.
#[derive(Default)]
struct Header {
    count: u64,
    properties: Vec<(String, Number)>,
    /// Elements so far.
    elements: usize,
    /// Number of edges, if they are the second element.
    edges: Option<u64>,
    /// Properties of the second element.
    ends: Vec<String>,
}

impl Header {
    /// A header, and its length in bytes.
    fn read(source: &mut impl BufRead) -> Result<(Self, u64), ReadFault> {
        let mut header = Self::default();
        let mut source = source.take(LONGEST_HEADER);
        let mut line = Vec::new();
        for number in 0.. {
            line.clear();
            source.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Err(content(if number == 0 { NO_PLY } else { "its header does not end" }));
            }
            let text = String::from_utf8_lossy(&line);
            let words: Vec<_> = text.split_ascii_whitespace().collect();
            match (number, words.as_slice()) {
                (0, ["ply"]) | (1, ["format", "binary_little_endian", "1.0"]) => {}
                (0, _) => return Err(content(NO_PLY)),
                (1, _) => {
                    return Err(content(format!("its second line is {:?}, not {FORMAT_LINE:?}", text.trim_end())));
                }
                (_, ["end_header"]) => break,
                (_, words) => header.add(words, text.trim_end())?,
            }
        }
        Ok((header, LONGEST_HEADER - source.limit()))
    }

    fn add(&mut self, words: &[&str], line: &str) -> Result<(), ReadFault> {
        match *words {
            ["comment" | "obj_info", ..] => {}
            ["element", name, count] => {
                let count = count.parse().map_err(|_| content(format!("its header counts {count:?} of {name:?}")))?;
                if self.elements == 0 {
                    if name != "vertex" {
                        return Err(content(format!("its first element is {name:?}, not \"vertex\"")));
                    }
                    self.count = count;
                } else if self.elements == 1 && name == "edge" {
                    self.edges = Some(count);
                }
                self.elements += 1;
            }
            ["property", ..] if self.elements == 2 => self.ends.push(line.to_owned()),
            // Later elements are not read.
            ["property", ..] if self.elements > 1 => {}
            ["property", kind, name] if self.elements == 1 => {
                let kind = NumberKind::parse(kind)
                    .ok_or_else(|| content(format!("its property `{name}` is of the unknown kind {kind:?}")))?;
                let offset = self.properties.last().map_or(0, |(_, last)| last.offset + last.kind.size());
                self.properties.push((name.to_owned(), Number { kind, offset }));
            }
            _ => return Err(content(format!("its header has the line {line:?}"))),
        }
        Ok(())
    }

    /// The numbers of vertices and edges, if the bytes after the header agree with them.
    fn check(&self, row: u64, bytes: u64) -> Result<(usize, usize), ReadFault> {
        let (edges, read) = (self.edges.unwrap_or(0), 1 + usize::from(self.edges.is_some()));
        if self.edges.is_some() && self.ends != ENDS {
            return Err(content(format!("its edges have the properties {:?}, not {ENDS:?}", self.ends)));
        }
        let rows = self.count.checked_mul(row);
        let needed = rows.zip(edges.checked_mul(EDGE as u64)).and_then(|(rows, edges)| rows.checked_add(edges));
        match needed {
            Some(needed) if needed == bytes || (needed < bytes && self.elements > read) => {
                let size = |count| usize::try_from(count).map_err(|_| content("it is too large for this machine"));
                Ok((size(self.count)?, size(edges)?))
            }
            Some(needed) if needed < bytes => {
                Err(content(format!("it has {} bytes more than its header says", bytes - needed)))
            }
            _ => Err(content(format!(
                "it is cut short or damaged: its header says {} rows of {row} bytes{}, and {bytes} bytes follow",
                self.count,
                if edges > 0 { format!(" and {edges} edges of {EDGE}") } else { String::new() }
            ))),
        }
    }
}

/// The properties of an edge.
const ENDS: [&str; 2] = ["property int vertex1", "property int vertex2"];
const NO_PLY: &str = "it is no PLY file";
const FORMAT_LINE: &str = "format binary_little_endian 1.0";
