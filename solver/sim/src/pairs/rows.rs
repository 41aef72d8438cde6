//! The rows that pair laws read, one per slot, made anew as the matter moves.

use crate::neighbours::{BATCH, Neighbours, PackedPosition, parts_of};
use rayon::prelude::*;

/// Makes the rows of the slots of some batches, and sets their places. `row` gets a slot, its place to be set, and its
/// old row.
pub fn take_rows<R: Copy + Default + Send>(
    neighbours: &mut Neighbours,
    batches: &[u32],
    rows: &mut Vec<R>,
    row: impl Fn(usize, &mut PackedPosition, &mut R) + Sync,
) {
    rows.resize(neighbours.places().len(), R::default());
    let parts = parts_of(rows, batches.iter().copied());
    let looks = neighbours.looks(batches);
    batches.par_iter().zip(parts).zip(looks).for_each(|((&batch, rows), look)| {
        for (slot, (place, own)) in (batch as usize * BATCH..).zip(look.places.iter_mut().zip(rows)) {
            row(slot, place, own);
        }
        look.done();
    });
}
