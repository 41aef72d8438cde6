//! Fields on the cells of an island, and passes over them on all threads.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions.
#![allow(clippy::inline_always)]

use super::rows::{Rows, RowsPart};
use crate::lanes::{Eight, Task, dispatch};
use pulp::Arch;
use rayon::prelude::*;
use std::marker::PhantomData;
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

/// What a pass does to a row.
pub trait RowAction<const N: usize>: Sync {
    /// What the rows of a part find together.
    type Found: Default + Send;

    /// Gets what the part of the row has found so far, the number of the row, and the values of the changed fields in
    /// its active cells.
    fn act(&self, found: &mut Self::Found, row: usize, fields: [&mut [f32]; N]);
}

/// An action by a closure, which is not inlined where it is long.
struct Closure<F, R>(F, PhantomData<fn() -> R>);

impl<const N: usize, R: Default + Send, F: Fn(&mut R, usize, [&mut [f32]; N]) + Sync> RowAction<N> for Closure<F, R> {
    type Found = R;

    #[inline(always)]
    fn act(&self, found: &mut R, row: usize, fields: [&mut [f32]; N]) {
        self.0(found, row, fields);
    }
}

/// The rows of a part, as a task for [`dispatch`].
struct RunPart<'a, const N: usize, A> {
    rows: &'a Rows,
    part: Part<'a, N>,
    action: &'a A,
}

impl<const N: usize, A: RowAction<N>> Task for RunPart<'_, N, A> {
    type Output = A::Found;

    #[inline(always)]
    fn run<E: Eight>(mut self, _: E) -> A::Found {
        let mut found = A::Found::default();
        for number in self.part.rows.clone() {
            if !self.rows.row(number).is_empty() {
                let Range { start, end } = self.rows.storage(number);
                let (start, end) = (start - self.part.start, end - self.part.start);
                // `map` would not be inlined.
                let mut own: [&mut [f32]; N] = std::array::from_fn(|_| Default::default());
                for (own, field) in own.iter_mut().zip(&mut self.part.fields) {
                    *own = &mut field[start..end];
                }
                self.action.act(&mut found, number, own);
            }
        }
        found
    }
}

/// Changes fields row by row, in parts by several threads. Returns what the parts have found, in order.
pub fn pass<const N: usize, A: RowAction<N>>(rows: &Rows, fields: [&mut Field; N], action: &A) -> Vec<A::Found> {
    let arch = Arch::new();
    let run = |part: Part<'_, N>| dispatch(arch, RunPart { rows, part, action });
    let parts = parts(rows, fields);
    if parts.len() == 1 { parts.into_iter().map(run).collect() } else { parts.into_par_iter().map(run).collect() }
}

/// A [`pass`] by a closure, for what is seldom done.
pub fn pass_by<const N: usize, R: Default + Send>(
    rows: &Rows,
    fields: [&mut Field; N],
    act: impl Fn(&mut R, usize, [&mut [f32]; N]) + Sync,
) -> Vec<R> {
    pass(rows, fields, &Closure(act, PhantomData))
}

/// Numbers that are summed side by side.
const LANES: usize = 8;

/// The scalar product of two rows, summed in a fixed order.
#[inline(always)]
pub fn product(a: &[f32], b: &[f32]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let (chunks, rest) = (a.len(), a_rest.len());
    let (b, b_rest) = (&b[..chunks], &b_rest[..rest]);
    let mut sums = [0.0; LANES];
    for n in 0..chunks {
        for lane in 0..LANES {
            sums[lane] += f64::from(a[n][lane]) * f64::from(b[n][lane]);
        }
    }
    for lane in 0..rest {
        sums[lane] += f64::from(a_rest[lane]) * f64::from(b_rest[lane]);
    }
    ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}
