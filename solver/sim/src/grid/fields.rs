//! Fields on the cells of an island, and passes over them on all threads.

use super::rows::{Rows, RowsPart};
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// A number for each stored cell: of the cell, or of its low face or edge across axes. Zero where nothing is active.
pub type Field = Vec<f32>;

/// A field of each axis.
pub type Fields = [Field; 3];

/// Fields of zeros.
pub fn zeros(len: usize) -> Fields {
    std::array::from_fn(|_| vec![0.0; len])
}

/// The part of some fields that one thread changes.
struct Part<'a, const N: usize> {
    rows: &'a Range<usize>,
    fields: [&'a mut [f32]; N],
    /// Where the part's storage begins.
    start: usize,
}

/// Cuts fields into the parts of their rows.
fn parts<'a, const N: usize>(rows: &'a Rows, fields: [&'a mut Field; N]) -> Vec<Part<'a, N>> {
    let mut rest = fields.map(Vec::as_mut_slice);
    let cut = |RowsPart { rows, storage }: &'a RowsPart| {
        let fields = rest.each_mut().map(|field| field.split_off_mut(..storage.len()).unwrap_or_default());
        Part { rows, fields, start: storage.start }
    };
    rows.parts().iter().map(cut).collect()
}

/// Changes fields row by row, in parts by several threads. `act` gets what its part has found so far, the number of a
/// row, and the values of the fields in its active cells. Returns what the parts have found, in order.
pub fn pass<const N: usize, R: Default + Send>(
    rows: &Rows,
    fields: [&mut Field; N],
    act: impl Fn(&mut R, usize, [&mut [f32]; N]) + Sync,
) -> Vec<R> {
    let arch = Arch::new();
    let run = |mut part: Part<'_, N>| {
        let mut found = R::default();
        arch.dispatch(|| {
            for number in part.rows.clone().filter(|number| !rows.row(*number).is_empty()) {
                let Range { start, end } = rows.storage(number);
                let own = start - part.start..end - part.start;
                act(&mut found, number, part.fields.each_mut().map(|field| &mut field[own.clone()]));
            }
        });
        found
    };
    let parts = parts(rows, fields);
    if parts.len() == 1 { parts.into_iter().map(run).collect() } else { parts.into_par_iter().map(run).collect() }
}

/// Numbers that are summed side by side.
const LANES: usize = 8;

/// The scalar product of two rows, summed in a fixed order.
#[inline(always)]
pub fn product(a: &[f32], b: &[f32]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0; LANES];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += f64::from(*a) * f64::from(*b);
        }
    }
    for ((sum, a), b) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += f64::from(*a) * f64::from(*b);
    }
    sums.iter().sum()
}
