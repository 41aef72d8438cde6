//! Layout of a file: a header, then one record after another, each with the positions of its parts.

use std::collections::HashMap;
use std::io::{Cursor, Seek, Write};

use crate::bytes::{put_i64, put_str, put_u32};
use crate::codec::{Encoder, GridCompression, GridPrecision};
use crate::error::Error;
use crate::grid::{Grid, GridValues};
use crate::leaves::{self, LeafError};
use crate::metadata::{self, MetaValue, Metadata};
use crate::sink::Sink;
use crate::topology;
use crate::tree::Tree;
use crate::value::VoxelValue;
use crate::values::ValuesEncoder;

const MAGIC: i64 = 0x5644_4220;
const FILE_VERSION: u32 = 224;
/// The version of OpenVDB that writes the same bytes.
const LIBRARY_VERSION: [u32; 2] = [10, 0];
const UUID_LENGTH: usize = 36;
/// Bounds of the active voxels if there are none, as OpenVDB writes them.
const EMPTY_BOUNDS: ([i32; 3], [i32; 3]) = ([i32::MAX; 3], [i32::MIN; 3]);
/// Separates a name and a counter in the name of a record.
const NAME_SEPARATOR: char = '\u{1e}';

/// Statistics of a written file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteStats {
    /// Length of the file.
    pub bytes: u64,
    /// Leaves of all grids.
    pub leaves: u64,
    /// Active voxels of all grids, those of tiles counted one by one.
    pub active_voxels: u64,
    /// Components of values that were beyond ±65504 in a half grid and were written as ±65504.
    pub clamped_values: u64,
}

/// Writes a file into memory.
///
/// # Errors
/// As [`write()`], except errors of a stream.
pub fn to_bytes(grids: &[Grid], compression: GridCompression) -> Result<(Vec<u8>, WriteStats), Error> {
    // Reserves the uncompressed size, so that the buffer does not move as it grows.
    let capacity = grids.iter().map(Grid::values_size).sum();
    let mut out = Cursor::new(Vec::with_capacity(capacity));
    let stats = write(grids, compression, &mut out)?;
    Ok((out.into_inner(), stats))
}

/// Writes a file of these grids at the position of the stream, which needs no buffer.
///
/// A counter in their records distinguishes grids with the same name, or without one. Programs show the name without
/// the counter.
///
/// # Errors
/// A value that is not finite, a name or transform or metadata that the format cannot hold, a stream that cannot be
/// written. After an error the content of the stream is not a valid file.
pub fn write(grids: &[Grid], compression: GridCompression, out: impl Write + Seek) -> Result<WriteStats, Error> {
    grids.iter().try_for_each(check)?;
    let mut sink = Sink::new(out)?;
    let uuid_at = write_header(&mut sink, grids.len())?;
    let mut stats = WriteStats::default();
    for (grid, record_name) in grids.iter().zip(record_names(grids)) {
        match &grid.values {
            GridValues::Scalar(tree) => write_grid(&mut sink, grid, tree, &record_name, compression, &mut stats)?,
            GridValues::Vector(tree, _) => write_grid(&mut sink, grid, tree, &record_name, compression, &mut stats)?,
        }
    }
    let uuid = uuid(sink.hash());
    sink.patch(uuid_at, uuid.as_bytes())?;
    sink.flush()?;
    Ok(WriteStats { bytes: sink.position(), ..stats })
}

/// Checks everything that can be checked before writing.
fn check(grid: &Grid) -> Result<(), Error> {
    if grid.name.contains(NAME_SEPARATOR) {
        return Err(Error::InvalidName { name: grid.name.clone() });
    }
    if !grid.transform.is_valid() {
        return Err(Error::InvalidTransform { grid: grid.name.clone() });
    }
    match grid.reserved_key() {
        Some(key) => Err(Error::ReservedKey { grid: grid.name.clone(), key: key.clone() }),
        None => Ok(()),
    }
}

/// Writes everything before the first record, with room for the uuid; returns the position of the uuid.
fn write_header(sink: &mut Sink<impl Write + Seek>, grids: usize) -> Result<u64, Error> {
    const HAS_GRID_OFFSETS: u8 = 1;
    let mut header = Vec::new();
    put_i64(&mut header, MAGIC);
    put_u32(&mut header, FILE_VERSION);
    for number in LIBRARY_VERSION {
        put_u32(&mut header, number);
    }
    header.push(HAS_GRID_OFFSETS);
    let uuid_at = header.len() as u64;
    header.extend_from_slice(&[b'0'; UUID_LENGTH]);
    metadata::put(&mut header, &Metadata::new());
    put_u32(&mut header, grids as u32);
    sink.write(&header)?;
    Ok(uuid_at)
}

/// A well-formed uuid (version 8, custom) from a hash.
fn uuid(hash: u128) -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0b11 << 62;
    let digits = format!("{:032x}", hash & !VERSION & !VARIANT | 8 << 76 | 0b10 << 62);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// The names of the records: those of the grids, with a counter if a name is empty or used twice.
fn record_names(grids: &[Grid]) -> Vec<String> {
    let mut uses = HashMap::<&str, usize>::new();
    for grid in grids {
        *uses.entry(&grid.name).or_default() += 1;
    }
    let mut counters = HashMap::<&str, usize>::new();
    let mut names = Vec::with_capacity(grids.len());
    for grid in grids {
        let counter = counters.entry(&grid.name).or_default();
        names.push(match uses[grid.name.as_str()] {
            1 if !grid.name.is_empty() => grid.name.clone(),
            _ => format!("{}{NAME_SEPARATOR}{counter}", grid.name),
        });
        *counter += 1;
    }
    names
}

fn write_grid<T: VoxelValue>(
    sink: &mut Sink<impl Write + Seek>,
    grid: &Grid,
    tree: &Tree<T>,
    record_name: &str,
    compression: GridCompression,
    stats: &mut WriteStats,
) -> Result<(), Error> {
    let positions_at = write_record_name(sink, record_name, &type_name::<T>(grid.precision))?;
    let grid_position = sink.position();

    let mut buffer = Vec::new();
    put_u32(&mut buffer, compression.flags());
    metadata::put(&mut buffer, &full_metadata(grid, tree, compression));
    grid.transform.put(&mut buffer);
    let mut encoder = ValuesEncoder::new(tree.background(), Encoder::new(grid.precision, compression));
    topology::put(&mut buffer, tree, &mut encoder, |buffer| sink.drain(buffer))?;
    sink.drain(&mut buffer)?;

    let block_position = sink.position();
    let clamped = leaves::put(tree, grid.precision, compression, |bytes| sink.write(bytes));
    let clamped = clamped.map_err(|failure| match failure {
        LeafError::NotFinite(voxel) => Error::NotFinite { grid: grid.name.clone(), voxel },
        LeafError::Io(error) => Error::Io(error),
    })?;

    for position in [grid_position, block_position, sink.position()] {
        put_i64(&mut buffer, position as i64);
    }
    sink.patch(positions_at, &buffer)?;
    stats.leaves += tree.leaves().len() as u64;
    stats.active_voxels += tree.active_voxels();
    stats.clamped_values += encoder.clamped() + clamped;
    Ok(())
}

/// Writes the name and type of a record, with room for the three positions; returns the position of that room.
fn write_record_name(sink: &mut Sink<impl Write + Seek>, name: &str, type_name: &str) -> Result<u64, Error> {
    const NO_INSTANCE: &str = "";
    let mut buffer = Vec::new();
    put_str(&mut buffer, name);
    put_str(&mut buffer, type_name);
    put_str(&mut buffer, NO_INSTANCE);
    let positions_at = sink.position() + buffer.len() as u64;
    buffer.extend_from_slice(&[0; 3 * size_of::<i64>()]);
    sink.write(&buffer)?;
    Ok(positions_at)
}

fn type_name<T: VoxelValue>(precision: GridPrecision) -> String {
    let suffix = match precision {
        GridPrecision::Full => "",
        GridPrecision::Half => "_HalfFloat",
    };
    format!("Tree_{}_5_4_3{suffix}", T::TYPE_NAME)
}

/// The metadata of the grid and of the writer.
fn full_metadata<T: VoxelValue>(grid: &Grid, tree: &Tree<T>, compression: GridCompression) -> Metadata {
    let creator = concat!("Dollop ", env!("CARGO_PKG_VERSION"));
    let mut metadata = Metadata::from([("creator".to_owned(), creator.into())]);
    metadata.extend(grid.metadata.clone());
    metadata.extend(grid.own_metadata());
    metadata.insert("file_compression".to_owned(), compression.description().into());
    metadata.insert("file_voxel_count".to_owned(), MetaValue::Int64(tree.active_voxels() as i64));
    let (low, high) = tree.active_bounds().unwrap_or(EMPTY_BOUNDS);
    metadata.insert("file_bbox_min".to_owned(), MetaValue::Vec3i(low));
    metadata.insert("file_bbox_max".to_owned(), MetaValue::Vec3i(high));
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::GridClass;
    use crate::transform::GridTransform;
    use crate::tree::{Leaf, Tree};

    fn grid<'a>(name: &str, leaves: &[Leaf<'a, f32>]) -> Result<Grid<'a>, Error> {
        let tree = Tree::new(0.0, leaves.iter().copied())?;
        Ok(Grid::scalar(name, GridClass::FogVolume, GridTransform::uniform(0.5), tree))
    }

    #[test]
    fn records_of_the_same_name_are_counted() -> Result<(), Error> {
        let grids = ["a", "b", "", "a"].map(|name| grid(name, &[]));
        let grids = grids.into_iter().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(record_names(&grids), ["a\u{1e}0", "b", "\u{1e}0", "a\u{1e}1"]);
        Ok(())
    }

    #[test]
    fn a_uuid_is_well_formed() {
        assert_eq!(uuid(0), "00000000-0000-8000-8000-000000000000");
        assert_eq!(uuid(u128::MAX), "ffffffff-ffff-8fff-bfff-ffffffffffff");
    }

    #[test]
    fn the_uuid_follows_the_content() -> Result<(), Error> {
        let uuid_of = |value: f32| -> Result<Vec<u8>, Error> {
            let values = [value; 512];
            let leaf = Leaf { origin: [0; 3], active: [1; 8], values: &values };
            Ok(to_bytes(&[grid("a", &[leaf])?], GridCompression::None)?.0[21..21 + UUID_LENGTH].to_vec())
        };
        assert_eq!(uuid_of(1.0)?, uuid_of(1.0)?);
        assert_ne!(uuid_of(1.0)?, uuid_of(2.0)?);
        Ok(())
    }

    #[test]
    fn faulty_grids_are_errors() -> Result<(), Error> {
        let fails = |grid: Grid| to_bytes(&[grid], GridCompression::None).err();
        assert!(matches!(fails(grid("a\u{1e}", &[])?), Some(Error::InvalidName { .. })));
        let reserved = grid("a", &[])?.with_metadata("file_voxel_count", "x");
        assert!(matches!(fails(reserved), Some(Error::ReservedKey { key, .. }) if key == "file_voxel_count"));
        for size in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
            let flat = Grid { transform: GridTransform::uniform(size), ..grid("a", &[])? };
            assert!(matches!(fails(flat), Some(Error::InvalidTransform { .. })), "{size}");
        }
        Ok(())
    }

    #[test]
    fn values_that_are_not_finite_are_errors_where_they_are_read() -> Result<(), Error> {
        let mut values = [0.0; 512];
        values[64 * 3 + 8 * 2 + 1] = f32::NAN;
        let active = |word| Leaf { origin: [-8, 0, 8], active: [word; 8], values: &values };
        let result = to_bytes(&[grid("a", &[active(u64::MAX)])?], GridCompression::Blosc);
        assert!(matches!(result, Err(Error::NotFinite { grid, voxel: [-5, 2, 9] }) if grid == "a"));
        assert!(to_bytes(&[grid("a", &[active(0)])?], GridCompression::Blosc).is_ok());
        let kept = GridValues::Scalar(Tree::new(0.0, [active(0)])?.keep_inactive());
        let result = to_bytes(&[Grid { values: kept, ..grid("a", &[])? }], GridCompression::Blosc);
        assert!(matches!(result, Err(Error::NotFinite { .. })));
        Ok(())
    }

    #[test]
    fn a_stream_that_is_full_is_an_error() -> Result<(), Error> {
        let values = [1.5; 512];
        let grids = [grid("a", &[Leaf { origin: [0; 3], active: [u64::MAX; 8], values: &values }])?];
        let length = to_bytes(&grids, GridCompression::Blosc)?.0.len();
        for room in [0, 50, 100, length - 1] {
            let mut space = vec![0; room];
            let result = write(&grids, GridCompression::Blosc, Cursor::new(&mut space[..]));
            assert!(matches!(result, Err(Error::Io(_))), "{room} bytes");
        }
        Ok(())
    }

    #[test]
    fn positions_count_from_the_start_of_the_file() -> Result<(), Error> {
        let grids = [grid("a", &[])?, grid("b", &[])?];
        let mut out = Cursor::new(vec![7; 100]);
        out.set_position(100);
        let stats = write(&grids, GridCompression::Blosc, &mut out)?;
        assert_eq!(out.position(), 100 + stats.bytes);
        assert_eq!(out.into_inner()[100..], to_bytes(&grids, GridCompression::Blosc)?.0);
        Ok(())
    }
}
