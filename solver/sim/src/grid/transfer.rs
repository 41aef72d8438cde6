//! Between a level and the next coarser one, whose cells are twice as wide.

use super::fields::{Field, RowAction, pass};
use super::rows::Rows;

/// Weights of the cells 2X - 1 to 2X + 2 in coarse cell X along an axis.
pub type Weights = [f32; 4];

/// Of linear interpolation, transposed, along an axis on whose low faces the values lie.
pub const ON_FACES: Weights = [0.5, 1.0, 0.5, 0.0];
/// The same for values in the middle of cells.
pub const IN_CELLS: Weights = [0.25, 0.75, 0.75, 0.25];
/// Of the two cells inside.
pub const INSIDE: Weights = [0.0, 1.0, 1.0, 0.0];
/// Of the cell whose low face is that of the coarse one.
pub const SAME: Weights = [0.0, 1.0, 0.0, 0.0];

/// Sets coarse values to weighted sums of fine ones, times a factor.
pub fn restrict([fine, coarse]: [&Rows; 2], weights: [Weights; 3], from: &Field, factor: f32, to: &mut Field) {
    pass(coarse, [to], &Restrict { fine, coarse, weights, from, factor });
}

struct Restrict<'a> {
    fine: &'a Rows,
    coarse: &'a Rows,
    weights: [Weights; 3],
    from: &'a Field,
    factor: f32,
}

impl RowAction<1> for Restrict<'_> {
    /// Sums over fine rows.
    type Found = Vec<f32>;

    #[inline(always)]
    fn act(&self, sums: &mut Vec<f32>, number: usize, [out]: [&mut [f32]; 1]) {
        let Self { fine, coarse, weights, from, factor } = self;
        let (start, [y, z]) = (2 * coarse.row(number).span().start - 1, coarse.place(number));
        sums.clear();
        sums.resize(2 * out.len() + 2, 0.0);
        for (wz, z) in weights[2].into_iter().zip(2 * z - 1..) {
            for (wy, y) in weights[1].into_iter().zip(2 * y - 1..) {
                if let Some(other) = fine.find(y, z).filter(|_| wy * wz != 0.0) {
                    add_common(sums, start, fine, other, from, wy * wz);
                }
            }
        }
        halve(out, sums, weights[0], *factor);
    }
}

/// Adds the active cells of a row, as far as they are among those from `start` on.
#[inline(always)]
fn add_common(sums: &mut [f32], start: i32, rows: &Rows, number: usize, field: &Field, weight: f32) {
    let span = rows.row(number).span();
    let (from, to) = (span.start.max(start), span.end.min(start + sums.len() as i32));
    if from < to {
        let sums = &mut sums[(from - start) as usize..(to - start) as usize];
        add_scaled(sums, rows.stored(field, number, from..to), weight);
    }
}

#[inline(always)]
fn add_scaled(sums: &mut [f32], values: &[f32], weight: f32) {
    let n = sums.len();
    let values = &values[..n];
    for i in 0..n {
        sums[i] += weight * values[i];
    }
}

#[inline(always)]
fn halve(out: &mut [f32], sums: &[f32], [a, b, c, d]: Weights, factor: f32) {
    let n = out.len();
    let sums = &sums[..2 * n + 2];
    for i in 0..n {
        out[i] = factor * ((a * sums[2 * i] + b * sums[2 * i + 1]) + (c * sums[2 * i + 2] + d * sums[2 * i + 3]));
    }
}

/// Where values lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    /// On the faces across an axis.
    Faces(usize),
    Cells,
}

/// Adds coarse values, interpolated linearly, to fine ones where a mask is 1.
pub fn interpolate([fine, coarse]: [&Rows; 2], location: Location, from: &Field, mask: &Field, to: &mut Field) {
    pass(fine, [to], &Interpolate { fine, coarse, location, from, mask });
}

struct Interpolate<'a> {
    fine: &'a Rows,
    coarse: &'a Rows,
    location: Location,
    from: &'a Field,
    mask: &'a Field,
}

impl RowAction<1> for Interpolate<'_> {
    /// Sums over coarse rows.
    type Found = Vec<f32>;

    #[inline(always)]
    fn act(&self, sums: &mut Vec<f32>, number: usize, [out]: [&mut [f32]; 1]) {
        let Self { fine, coarse, location, from, mask } = *self;
        let (span, [y, z]) = (fine.row(number).span(), fine.place(number));
        let start = span.start.div_euclid(2) - 1;
        let end = span.end.div_euclid(2) + 2;
        sums.clear();
        sums.resize((end - start) as usize, 0.0);
        for (z, wz) in sources(location == Location::Faces(2), z) {
            for (y, wy) in sources(location == Location::Faces(1), y) {
                if let Some(other) = coarse.find(y, z).filter(|_| wy * wz != 0.0) {
                    add_scaled(sums, coarse.stored(from, other, start..end), wy * wz);
                }
            }
        }
        double(out, sums, span.start - 2 * start, location == Location::Faces(0), fine.own(mask, number));
    }
}

/// The two coarse cells that a fine one lies between along an axis, with their weights.
#[inline(always)]
fn sources(on_faces: bool, at: i32) -> [(i32, f32); 2] {
    let half = at.div_euclid(2);
    match (on_faces, at.rem_euclid(2)) {
        (true, 0) => [(half, 1.0), (half, 0.0)],
        (true, _) => [(half, 0.5), (half + 1, 0.5)],
        (false, 0) => [(half, 0.75), (half - 1, 0.25)],
        (false, _) => [(half, 0.75), (half + 1, 0.25)],
    }
}

/// Adds values between coarse ones; `first` is where the first of them lies, in fine cells from the first coarse one
/// on.
#[inline(always)]
fn double(out: &mut [f32], sums: &[f32], first: i32, on_faces: bool, mask: &[f32]) {
    let mut add = |at: usize, x: i32| {
        let [(a, of_a), (b, of_b)] = sources(on_faces, x);
        out[at] += mask[at] * (of_a * sums[a as usize] + of_b * sums[b as usize]);
    };
    let (odd, n) = ((first & 1) as usize, mask.len());
    if odd == 1 && n > 0 {
        add(0, first);
    }
    let pairs = n.saturating_sub(odd) / 2;
    if odd + 2 * pairs < n {
        add(n - 1, first + n as i32 - 1);
    }
    let half = (first as usize).div_ceil(2);
    let (out, mask) = (&mut out[odd..odd + 2 * pairs], &mask[odd..odd + 2 * pairs]);
    let (before, own, after) = (&sums[half - 1..][..pairs], &sums[half..][..pairs], &sums[half + 1..][..pairs]);
    if on_faces {
        for i in 0..pairs {
            out[2 * i] += mask[2 * i] * own[i];
            out[2 * i + 1] += mask[2 * i + 1] * (0.5 * own[i] + 0.5 * after[i]);
        }
    } else {
        for i in 0..pairs {
            out[2 * i] += mask[2 * i] * (0.75 * own[i] + 0.25 * before[i]);
            out[2 * i + 1] += mask[2 * i + 1] * (0.75 * own[i] + 0.25 * after[i]);
        }
    }
}
