//! The second pass over a tree: encodes the values of its leaves in parallel and hands the bytes on in order.

use rayon::prelude::*;

use crate::codec::{Encoder, GridCompression, GridPrecision};
use crate::coord::voxel;
use crate::mask;
use crate::tree::{Leaf, Tree};
use crate::value::{VoxelValue, all_finite};
use crate::values::{Slots, ValuesEncoder};

/// Leaves encoded between two calls of `flush`; bounds the memory.
const BATCH: usize = 4096;
/// Leaves of one task, which share an encoder.
const CHUNK: usize = 64;

/// Why the pass ended early.
pub(crate) enum LeafError {
    /// The value of this voxel is not finite.
    NotFinite([i32; 3]),
    Io(std::io::Error),
}

/// Hands the bytes of all leaves to `flush`, piece by piece. Returns the count of values beyond the range of halves.
pub(crate) fn put<T: VoxelValue>(
    tree: &Tree<T>,
    precision: GridPrecision,
    compression: GridCompression,
    mut flush: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<u64, LeafError> {
    let encode = |leaves: &[&Leaf<T>]| {
        let encoder = ValuesEncoder::new(tree.background(), Encoder::new(precision, compression));
        encode_leaves(leaves, tree.inactive_kept(), encoder)
    };
    let mut clamped = 0;
    for batch in tree.leaves().chunks(BATCH) {
        let encoded = batch.par_chunks(CHUNK).map(encode).collect::<Vec<_>>();
        for result in encoded {
            let (bytes, more_clamped) = result.map_err(LeafError::NotFinite)?;
            flush(&bytes).map_err(LeafError::Io)?;
            clamped += more_clamped;
        }
    }
    Ok(clamped)
}

/// The bytes of some leaves and the count of clamped values; or the first voxel that is not finite.
fn encode_leaves<T: VoxelValue>(
    leaves: &[&Leaf<T>],
    inactive_kept: bool,
    mut encoder: ValuesEncoder<T>,
) -> Result<(Vec<u8>, u64), [i32; 3]> {
    let mut bytes = Vec::new();
    for leaf in leaves {
        check_finite(leaf, inactive_kept)?;
        mask::put(&mut bytes, &leaf.active);
        let slots = Slots { values: leaf.values, active: &leaf.active, children: &[] };
        if inactive_kept {
            encoder.put_all(&mut bytes, slots);
        } else {
            encoder.put_active(&mut bytes, slots);
        }
    }
    Ok((bytes, encoder.clamped()))
}

fn check_finite<T: VoxelValue>(leaf: &Leaf<T>, inactive_kept: bool) -> Result<(), [i32; 3]> {
    if all_finite(T::flatten(leaf.values)) {
        return Ok(());
    }
    let matters = |slot: &usize| inactive_kept || mask::contains(&leaf.active, *slot);
    match (0..leaf.values.len()).filter(matters).find(|&slot| !leaf.values[slot].is_finite()) {
        Some(slot) => Err(voxel(leaf.origin, slot)),
        None => Ok(()),
    }
}
