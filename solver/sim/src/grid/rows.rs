//! The cells of an island of matter, stored as rows along x.
//!
//! A row is one span from its first active cell to its last, gaps included; a layer of rows is one span along y. What
//! is stored of a row also covers the spans of the eight rows beside it and one cell more at both ends, so that loops
//! over the active cells of a row read all neighbours without branches, as slices.

use glam::{IVec3, Vec3};
use std::ops::Range;

/// About so many cells are one thread's part of a pass. The cut depends on the rows alone, so that sums over parts have
/// the same bits for any number of threads.
const CELLS_OF_PART: usize = 8192;

/// A row of cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row {
    /// First active cell.
    from: i32,
    /// End of the active cells; not above the first in a row without any.
    to: i32,
    /// First stored cell, and where it is stored.
    start: i32,
    offset: u32,
    /// y and z.
    place: [i32; 2],
    /// Numbers of the rows below and above along z.
    below: u32,
    above: u32,
}

/// A layer of rows at one z.
#[derive(Debug, Clone, Copy, Default)]
struct Layer {
    /// y of the first row and the end of them.
    from: i32,
    to: i32,
    /// Number of the first row.
    first: u32,
}

/// A part of the rows, for one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowsPart {
    pub rows: Range<usize>,
    /// Where their cells are stored.
    pub storage: Range<usize>,
}

/// All rows of an island.
#[derive(Debug, Default)]
pub struct Rows {
    /// z of the first layer.
    low: i32,
    layers: Vec<Layer>,
    /// By z, then y.
    all: Vec<Row>,
    len: usize,
    parts: Vec<RowsPart>,
}

impl Row {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.from >= self.to
    }

    /// Number of active cells.
    #[inline(always)]
    pub fn len(&self) -> usize {
        (self.to - self.from).max(0) as usize
    }

    /// The active cells.
    #[inline(always)]
    pub fn span(&self) -> Range<i32> {
        self.from..self.to
    }

    /// Where a stored cell is.
    #[inline(always)]
    fn at(&self, x: i32) -> usize {
        self.offset as usize + (x - self.start) as usize
    }
}

/// A corner of a cell, by the bits of its number from 0 to 7.
pub const fn corner(number: i32) -> IVec3 {
    IVec3::new(number & 1, number >> 1 & 1, number >> 2 & 1)
}

/// The corners of a cell, each with what it counts at a place in the cell, from 0 to 1 along each axis, where values
/// go on in proportion between them.
pub fn weighted_corners(part: Vec3) -> impl Iterator<Item = (IVec3, f32)> {
    (0..8).map(corner).map(move |by| {
        let weight = |axis: usize| if by[axis] == 1 { part[axis] } else { 1.0 - part[axis] };
        (by, (0..3).map(weight).product())
    })
}

/// A cell and all that share a corner with it, by z, y, x.
#[inline(always)]
pub fn cells_around(cell: IVec3) -> impl DoubleEndedIterator<Item = IVec3> {
    cells_within(cell, 1)
}

/// A cell and all that are no more than so many away along each axis, by z, y, x.
#[inline(always)]
pub fn cells_within(cell: IVec3, reach: i32) -> impl DoubleEndedIterator<Item = IVec3> {
    let edge = 2 * reach + 1;
    (0..edge.pow(3)).map(move |n| cell + IVec3::new(n % edge, n / edge % edge, n / (edge * edge)) - reach)
}

/// Adds a span to another.
fn join(span: &mut Range<i32>, other: &Range<i32>) {
    if !other.is_empty() {
        *span =
            if Range::is_empty(span) { other.clone() } else { span.start.min(other.start)..span.end.max(other.end) };
    }
}

/// Spans along x by y, spans along y by z.
struct Spans {
    low: i32,
    layers: Vec<(i32, Vec<Range<i32>>)>,
}

impl Spans {
    /// The spans of cells.
    fn of(cells: impl Iterator<Item = IVec3> + Clone) -> Self {
        let (low, high) =
            cells.clone().fold((i32::MAX, i32::MIN), |(low, high), cell| (low.min(cell.z), high.max(cell.z)));
        let count = if low > high { 0 } else { (high - low + 1) as usize };
        let mut along_y = vec![0..0; count];
        for cell in cells.clone() {
            join(&mut along_y[(cell.z - low) as usize], &(cell.y..cell.y + 1));
        }
        let layers = along_y.into_iter().map(|span| (span.start, vec![0..0; span.len()]));
        let mut spans = Self { low, layers: layers.collect() };
        for cell in cells {
            let (first, rows) = &mut spans.layers[(cell.z - low) as usize];
            join(&mut rows[(cell.y - *first) as usize], &(cell.x..cell.x + 1));
        }
        spans
    }

    /// The number of cells.
    fn cells(&self) -> usize {
        self.layers.iter().flat_map(|(_, rows)| rows).map(Range::len).sum()
    }

    /// The spans of the cells and of all cells beside them.
    fn wider(&self) -> Self {
        let layers = (-1..=self.layers.len() as i32).map(|at| {
            let beside = || (at - 1..=at + 1).filter_map(|at| self.layers.get(usize::try_from(at).ok()?));
            let mut along_y = 0..0;
            beside().for_each(|(first, rows)| join(&mut along_y, &(*first..first + rows.len() as i32)));
            if along_y.is_empty() {
                return (0, Vec::new());
            }
            let mut rows = vec![0..0; along_y.len() + 2];
            for (first, others) in beside() {
                for (other, y) in others.iter().zip(first - along_y.start..).filter(|(other, _)| !other.is_empty()) {
                    // Row y - 1 of the wider layer is number y.
                    let other = other.start - 1..other.end + 1;
                    rows[y as usize..y as usize + 3].iter_mut().for_each(|row| join(row, &other));
                }
            }
            (along_y.start - 1, rows)
        });
        Self { low: self.low - 1, layers: layers.collect() }
    }
}

impl Rows {
    /// The rows in which all cells within `margin` cells of some are active; none if there are more than `most` cells
    /// to store.
    pub fn around(cells: impl Iterator<Item = IVec3> + Clone, margin: usize, most: usize) -> Option<Self> {
        let bounds = cells.clone().fold((IVec3::MAX, IVec3::MIN), |(low, high), cell| (low.min(cell), high.max(cell)));
        let size = (bounds.1 - bounds.0).max(IVec3::ZERO).as_i64vec3() + 1 + 2 * margin as i64;
        if size.y * size.z > most as i64 {
            return None;
        }
        let mut spans = Spans::of(cells);
        for _ in 0..margin {
            if spans.cells() > most {
                return None;
            }
            spans = spans.wider();
        }
        (spans.cells() <= most).then(|| Self::of(&spans))
    }

    /// The rows of cells twice as wide in which all that cover these are active, and the cells beside them, from
    /// which a linear interpolation reads.
    pub fn coarse(&self) -> Self {
        let ends = |layer: i32| self.cells_of_layer(layer).map(|cell| cell.div_euclid(IVec3::splat(2)));
        let cells = (0..self.layers.len() as i32).flat_map(ends);
        Self::of(&Spans::of(cells).wider())
    }

    /// The rows of cells half as wide in all that are active.
    pub fn halved(&self) -> Self {
        let corners = |cell: IVec3| (0..8).map(move |n| 2 * cell + corner(n));
        let layers = 0..self.layers.len() as i32;
        Self::of(&Spans::of(layers.flat_map(|layer| self.cells_of_layer(layer)).flat_map(corners)))
    }

    /// The first and the last active cell of each row of a layer.
    fn cells_of_layer(&self, layer: i32) -> impl Iterator<Item = IVec3> + Clone + '_ {
        let Layer { from, to, first } = self.layers[layer as usize];
        let z = self.low + layer;
        let rows = self.all[first as usize..].iter().zip(from..to).filter(|(row, _)| !row.is_empty());
        rows.flat_map(move |(row, y)| [IVec3::new(row.from, y, z), IVec3::new(row.to - 1, y, z)])
    }

    fn of(active: &Spans) -> Self {
        let stored = active.wider();
        let mut rows = Self { low: stored.low, ..Self::default() };
        let mut offset = 0;
        for (z, (first, spans)) in (stored.low..).zip(&stored.layers) {
            let layer = Layer { from: *first, to: first + spans.len() as i32, first: rows.all.len() as u32 };
            let own = usize::try_from(z - active.low).ok().and_then(|z| active.layers.get(z));
            for (y, span) in (*first..).zip(spans) {
                let active = own.and_then(|(first, rows)| rows.get(usize::try_from(y - first).ok()?));
                let Range { start: from, end: to } = active.cloned().unwrap_or(0..0);
                rows.all.push(Row { from, to, start: span.start, offset, place: [y, z], below: 0, above: 0 });
                offset += span.len() as u32;
            }
            rows.layers.push(layer);
        }
        rows.len = offset as usize;
        rows.connect();
        rows.cut();
        rows
    }

    /// Finds the rows below and above each that has active cells.
    fn connect(&mut self) {
        for (z, layer) in self.layers.iter().enumerate() {
            for (number, y) in (layer.first as usize..).zip(layer.from..layer.to) {
                if !self.all[number].is_empty() {
                    let at = |layer: &Layer| layer.first + (y - layer.from) as u32;
                    let (below, above) = (at(&self.layers[z - 1]), at(&self.layers[z + 1]));
                    (self.all[number].below, self.all[number].above) = (below, above);
                }
            }
        }
    }

    fn cut(&mut self) {
        let (mut first, mut start) = (0, 0);
        for number in 0..self.all.len() {
            let end = self.end_of(number);
            if end - start >= CELLS_OF_PART || number + 1 == self.all.len() {
                self.parts.push(RowsPart { rows: first..number + 1, storage: start..end });
                (first, start) = (number + 1, end);
            }
        }
    }

    /// Where the storage of a row ends.
    #[inline(always)]
    fn end_of(&self, number: usize) -> usize {
        self.all.get(number + 1).map_or(self.len, |next| next.offset as usize)
    }

    /// Stored cells: the length of a field.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Number of active cells.
    pub fn active(&self) -> usize {
        self.all.iter().map(Row::len).sum()
    }

    pub fn parts(&self) -> &[RowsPart] {
        &self.parts
    }

    #[inline(always)]
    pub fn row(&self, number: usize) -> Row {
        self.all[number]
    }

    /// The number of the row at y and z; none where there is none.
    #[inline(always)]
    pub fn find(&self, y: i32, z: i32) -> Option<usize> {
        let layer = self.layers.get(usize::try_from(z.checked_sub(self.low)?).ok()?)?;
        (layer.from..layer.to).contains(&y).then(|| layer.first as usize + (y - layer.from) as usize)
    }

    /// Where a cell is stored; none where it is not.
    pub fn index(&self, cell: IVec3) -> Option<usize> {
        let number = self.find(cell.y, cell.z)?;
        let row = self.all[number];
        let at = usize::try_from(cell.x.checked_sub(row.start)?).ok()? + row.offset as usize;
        (at < self.end_of(number)).then_some(at)
    }

    /// y and z of a row.
    pub fn place(&self, number: usize) -> [i32; 2] {
        self.all[number].place
    }

    /// All active cells, and where they are stored.
    pub fn cells(&self) -> impl Iterator<Item = (IVec3, usize)> + '_ {
        self.all.iter().flat_map(|row| {
            let [y, z] = row.place;
            row.span().map(move |x| (IVec3::new(x, y, z), row.at(x)))
        })
    }

    /// The values of a field in the active cells of a row.
    #[inline(always)]
    pub fn own<'a>(&self, field: &'a [f32], number: usize) -> &'a [f32] {
        let row = self.all[number];
        let at = row.at(row.from);
        &field[at..at + row.len()]
    }

    /// The values of a field beside the active cells of a row, one cell on (1) or back (-1) along an axis.
    #[inline(always)]
    pub fn beside<'a>(&self, field: &'a [f32], number: usize, axis: usize, by: i32) -> &'a [f32] {
        let row = self.all[number];
        let (other, x) = match (axis, by) {
            (0, _) => (row, row.from + by),
            (1, _) => (self.all[(number as i64 + i64::from(by)) as usize], row.from),
            (_, 1) => (self.all[row.above as usize], row.from),
            _ => (self.all[row.below as usize], row.from),
        };
        let at = other.at(x);
        &field[at..at + row.len()]
    }

    /// The values of a field in some stored cells of a row.
    #[inline(always)]
    pub fn stored<'a>(&self, field: &'a [f32], number: usize, span: Range<i32>) -> &'a [f32] {
        let at = self.all[number].at(span.start);
        &field[at..at + span.len()]
    }

    /// Number of rows, also of those without active cells.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The first stored cell of a row, and where all of its stored cells are.
    pub fn whole(&self, number: usize) -> (i32, Range<usize>) {
        let row = self.all[number];
        (row.start, row.offset as usize..self.end_of(number))
    }

    /// Where the active cells of a row are stored.
    #[inline(always)]
    pub fn storage(&self, number: usize) -> Range<usize> {
        let row = self.all[number];
        let at = row.at(row.from);
        at..at + row.len()
    }
}
