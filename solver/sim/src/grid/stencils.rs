//! Means and differences of fields between neighbours.
//!
//! Corners are told by the cell that they are the high corner of. Along axes that are left out nothing changes: there,
//! a mean is the value itself.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::fields::{Field, Fields, RowAction, pass};
use super::rows::Rows;

const MEAN: [f32; 2] = [0.5, 0.5];
const DIFFERENCE: [f32; 2] = [-1.0, 1.0];

/// The field with a binomial filter, 1/4, 1/2, 1/4, along some axes.
pub fn smoothed(rows: &Rows, field: &Field, axes: &[usize]) -> Field {
    axes.iter().fold(field.clone(), |field, &axis| {
        let low = weighted(rows, &field, axis, -1, MEAN);
        weighted(rows, &low, axis, 1, MEAN)
    })
}

/// The means of the cells around corners.
pub fn corner_means(rows: &Rows, field: &Field, axes: &[usize]) -> Field {
    means(rows, field, axes, 1)
}

/// For each cell the mean of what is at its corners: the transpose of [`corner_means`].
pub fn means_of_corners(rows: &Rows, field: &Field, axes: &[usize]) -> Field {
    means(rows, field, axes, -1)
}

/// The differences of the cells around corners along some axes, over the width of a cell; zero along others.
pub fn corner_differences(rows: &Rows, field: &Field, axes: &[usize]) -> Fields {
    std::array::from_fn(|along| {
        if axes.contains(&along) { differences(rows, field, axes, along, 1) } else { vec![0.0; rows.len()] }
    })
}

/// The transpose of [`corner_differences`].
pub fn sums_of_differences(rows: &Rows, fields: &Fields, axes: &[usize]) -> Field {
    let mut sum = vec![0.0; rows.len()];
    for &along in axes {
        let part = differences(rows, &fields[along], axes, along, -1);
        sum.iter_mut().zip(&part).for_each(|(sum, part)| *sum += part);
    }
    sum
}

/// Means of cells and those one on (1) or back (-1) along axes.
fn means(rows: &Rows, field: &Field, axes: &[usize], by: i32) -> Field {
    axes.iter().fold(field.clone(), |field, &axis| weighted(rows, &field, axis, by, MEAN))
}

/// Differences along one axis of what lies one on (1) or back (-1) to cells, by means along the others: one back, a
/// corner counts down for the cell before it, and up for the one behind.
fn differences(rows: &Rows, field: &Field, axes: &[usize], along: usize, by: i32) -> Field {
    let step =
        |field: Field, &axis: &usize| weighted(rows, &field, axis, by, if axis == along { DIFFERENCE } else { MEAN });
    axes.iter().fold(field.clone(), step)
}

/// The weighted sum of the values of cells and of those one on (1) or back (-1) along an axis.
fn weighted(rows: &Rows, field: &Field, axis: usize, by: i32, weights: [f32; 2]) -> Field {
    let mut sums = vec![0.0; rows.len()];
    pass(rows, [&mut sums], &Weighted { rows, field, axis, by, weights });
    sums
}

struct Weighted<'a> {
    rows: &'a Rows,
    field: &'a Field,
    axis: usize,
    by: i32,
    weights: [f32; 2],
}

impl RowAction<1> for Weighted<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [out]: [&mut [f32]; 1]) {
        let (own, beside) = (self.rows.own(self.field, row), self.rows.beside(self.field, row, self.axis, self.by));
        let (n, [a, b]) = (out.len(), self.weights);
        let (own, beside) = (&own[..n], &beside[..n]);
        for i in 0..n {
            out[i] = a * own[i] + b * beside[i];
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::grid::{corner, zeros};
    use glam::IVec3;

    /// Two fields of numbers without order on the inner cells of some rows.
    fn disordered() -> (Rows, [Field; 2]) {
        let inner: Vec<IVec3> = (0..8).map(|n| corner(n) * IVec3::new(3, 1, 2)).collect();
        let rows = Rows::around(inner.iter().copied(), 2, 10_000).unwrap();
        let mut state = 1_u32;
        let fields = [0, 1].map(|_| {
            let mut field = vec![0.0; rows.len()];
            for cell in &inner {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                field[rows.index(*cell).unwrap()] = (state >> 8) as f32 / (1 << 24) as f32;
            }
            field
        });
        (rows, fields)
    }

    fn product(a: &Field, b: &Field) -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
    }

    #[test]
    fn transposes_are_those_of_their_operators() {
        let (rows, [a, b]) = disordered();
        for axes in [&[0, 1, 2][..], &[0, 2]] {
            let [mean, other] =
                [product(&b, &corner_means(&rows, &a, axes)), product(&means_of_corners(&rows, &b, axes), &a)];
            assert!((mean - other).abs() < 1e-6 && mean > 0.0, "{mean} {other}");
            let differences = corner_differences(&rows, &a, axes);
            for along in axes {
                let mut only = zeros(rows.len());
                only[*along].clone_from(&b);
                let [own, other] =
                    [product(&b, &differences[*along]), product(&sums_of_differences(&rows, &only, axes), &a)];
                assert!((own - other).abs() < 1e-6 && own != 0.0, "{own} {other}");
            }
        }
    }

    #[test]
    fn a_filter_keeps_the_sum() {
        let (rows, [a, _]) = disordered();
        let [before, after] = [&a, &smoothed(&rows, &a, &[0, 1, 2])].map(|field| field.iter().sum::<f32>());
        assert!((before - after).abs() < 1e-5 * before, "{before} {after}");
    }
}
