//! Quadratic B-splines (Steffen et al. 2008): how much a particle counts at the nodes around it, along one axis.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

/// Weights at four nodes in a row, and the offsets of the nodes from the particle, in cells.
#[derive(Debug, Clone, Copy, Default)]
pub struct Axis {
    pub weights: [f32; 4],
    pub offsets: [f32; 4],
}

/// The spline at a distance, in cells.
#[inline(always)]
pub fn spline(distance: f32) -> f32 {
    let far = (1.5 - distance.abs()).max(0.0);
    let near = (0.5 - distance.abs()).max(0.0);
    0.5 * far * far - 1.5 * near * near
}

/// The part of the spline below a place, in cells from its middle.
pub fn spline_below(place: f32) -> f32 {
    let side = (1.5 - place.abs()).max(0.0);
    let tail =
        if place.abs() < 0.5 { 0.5 - 0.75 * place.abs() + place.abs().powi(3) / 3.0 } else { side.powi(3) / 6.0 };
    if place < 0.0 { tail } else { 1.0 - tail }
}

/// How much the difference of values a cell apart, at a distance from its middle, in cells, counts in the slope that
/// [gather](super::gather::gather) finds.
#[inline(always)]
fn slope_weight(distance: f32) -> f32 {
    let near = (1.0 - distance.abs()).max(0.0);
    near * near * (3.0 - 2.0 * near)
}

/// The first moment of the spline beyond a place: the integral of its values times their distances.
pub fn moment_beyond(place: f32) -> f32 {
    let far = place.abs().clamp(0.5, 1.5);
    let tail = |distance: f32| (1.5 - distance).powi(3) * (0.5 + distance) / 8.0;
    // The middle part, 3/4 - t^2.
    let near = place.abs().min(0.5);
    let middle = 0.375 * (0.25 - near * near) - (0.0625 - near.powi(4)) / 4.0;
    tail(far) + middle
}

/// Offsets of four nodes.
#[inline(always)]
fn in_a_row(first: f32) -> [f32; 4] {
    [first, first + 1.0, first + 2.0, first + 3.0]
}

impl Axis {
    /// At the faces of the cell of a particle that lies at a part of the cell: the nodes -1, 0, 1 and 2.
    #[inline(always)]
    pub fn on_faces(part: f32) -> Self {
        Self::at(-1.0 - part)
    }

    /// At the middles of the cell and of those before and behind; the fourth counts nothing.
    #[inline(always)]
    pub fn in_cells(part: f32) -> Self {
        Self::at(-0.5 - part)
    }

    /// Of the differences between the middles of cells, at the faces of the cell: how much each counts in the slope.
    #[inline(always)]
    pub fn differences_on_faces(part: f32) -> Self {
        Self::by(-1.0 - part, slope_weight)
    }

    /// Of the differences between faces, at the middles of cells.
    #[inline(always)]
    pub fn differences_in_cells(part: f32) -> Self {
        Self::by(-0.5 - part, slope_weight)
    }

    #[inline(always)]
    fn at(first: f32) -> Self {
        Self::by(first, spline)
    }

    #[inline(always)]
    fn by(first: f32, weight: impl Fn(f32) -> f32) -> Self {
        let offsets = in_a_row(first);
        let [a, b, c, d] = offsets;
        Self { weights: [weight(a), weight(b), weight(c), weight(d)], offsets }
    }

    /// Of the cell alone, for matter in a plane.
    pub const ONE_CELL: Self = Self { weights: [0.0, 1.0, 0.0, 0.0], offsets: [0.0; 4] };
}

/// Values at four times four nodes, by y, then x.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Plane(pub [f32; 16]);

impl Plane {
    pub const ZERO: Self = Self([0.0; 16]);

    /// The products of values along two axes.
    #[inline(always)]
    pub fn of(x: &[f32; 4], y: &[f32; 4]) -> Self {
        let mut plane = Self::ZERO;
        for j in 0..4 {
            for i in 0..4 {
                plane.0[4 * j + i] = x[i] * y[j];
            }
        }
        plane
    }

    /// Adds others times a factor.
    #[inline(always)]
    pub fn add(&mut self, others: &Self, factor: f32) {
        for n in 0..16 {
            self.0[n] += factor * others.0[n];
        }
    }

    /// The values at a y.
    #[inline(always)]
    pub fn row(&self, y: usize) -> &[f32; 4] {
        let (rows, _) = self.0.as_chunks::<4>();
        &rows[y]
    }

    #[inline(always)]
    pub fn row_mut(&mut self, y: usize) -> &mut [f32; 4] {
        let (rows, _) = self.0.as_chunks_mut::<4>();
        &mut rows[y]
    }

    /// The sum of all, each times the weights of its x and y, in a fixed order.
    #[inline(always)]
    pub fn sum(&self, x: &[f32; 4], y: &[f32; 4]) -> f32 {
        let mut along = [0.0; 4];
        for i in 0..4 {
            let of = |j: usize| self.0[4 * j + i] * y[j];
            along[i] = ((of(0) + of(1)) + (of(2) + of(3))) * x[i];
        }
        (along[0] + along[1]) + (along[2] + along[3])
    }
}

/// Weights at four nodes a width apart, from one to four halves before and behind: of a place among half cells, from
/// half a cell before its cell on, and their slopes.
#[derive(Debug, Clone, Copy, Default)]
pub struct HalfCellAxis {
    pub weights: [f32; 4],
    pub slopes: [f32; 4],
}

impl HalfCellAxis {
    /// Of a place that lies at a part of its cell.
    #[inline(always)]
    pub fn of(part: f32) -> Self {
        let offsets = in_a_row(-0.5 - 2.0 * part);
        // The weight of a node before the place falls as the place moves on.
        let slope = |offset: f32| {
            let (far, near) = ((1.5 - offset.abs()).max(0.0), (0.5 - offset.abs()).max(0.0));
            (far - 3.0 * near) * offset.signum()
        };
        let [a, b, c, d] = offsets;
        Self { weights: [spline(a), spline(b), spline(c), spline(d)], slopes: [slope(a), slope(b), slope(c), slope(d)] }
    }

    /// Of the first half of a cell alone, for matter in a plane.
    pub const FIRST: Self = Self { weights: [0.0, 1.0, 0.0, 0.0], slopes: [0.0; 4] };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_add_up_to_one_and_keep_the_place() {
        for part in [0.0, 0.1, 0.49, 0.5, 0.77, 0.999] {
            for axis in [Axis::on_faces(part), Axis::in_cells(part)] {
                let sum: f32 = axis.weights.iter().sum();
                let mean: f32 = axis.weights.iter().zip(axis.offsets).map(|(w, d)| w * d).sum();
                let square: f32 = axis.weights.iter().zip(axis.offsets).map(|(w, d)| w * d * d).sum();
                assert!((sum - 1.0).abs() < 1e-6 && mean.abs() < 1e-6 && (square - 0.25).abs() < 1e-6);
            }
        }
    }

    /// The slope at a point is the mean of the differences beside it, by their weights.
    #[test]
    fn weights_of_differences_make_the_slope() {
        for part in [0.0, 0.2, 0.49, 0.5, 0.8, 0.999] {
            let pairs = [
                (Axis::on_faces(part), Axis::differences_in_cells(part), 0),
                (Axis::in_cells(part), Axis::differences_on_faces(part), 1),
            ];
            for (nodes, differences, shift) in pairs {
                let sum: f32 = differences.weights.iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{part}: {sum}");
                // Of a step between two nodes.
                for n in 0..3 {
                    let slope: f32 = (n + 1..4).map(|m| 4.0 * nodes.weights[m] * nodes.offsets[m]).sum();
                    let own = differences.weights[n + shift];
                    assert!((slope - own).abs() < 1e-6, "{part} {n}: {slope} {own}");
                }
            }
        }
    }

    #[test]
    fn parts_and_moments_of_the_spline_are_its_integrals() {
        const STEP: f32 = 1e-3;
        let (mut below, mut beyond) = (0.0, 0.0);
        for n in -1500..1500 {
            let place = n as f32 * STEP;
            assert!((spline_below(place) - below).abs() < 1e-3, "{place}: {} {below}", spline_below(place));
            below += spline(place + STEP / 2.0) * STEP;
        }
        for n in (-1500..1500).rev() {
            let place = n as f32 * STEP;
            beyond += spline(place + STEP / 2.0) * (place + STEP / 2.0) * STEP;
            assert!((moment_beyond(place) - beyond).abs() < 1e-3, "{place}: {} {beyond}", moment_beyond(place));
        }
    }

    #[test]
    fn slopes_are_those_of_the_weights() {
        for part in [0.1, 0.3, 0.49, 0.6, 0.9] {
            let (low, high, own) =
                (HalfCellAxis::of(part - 1e-3), HalfCellAxis::of(part + 1e-3), HalfCellAxis::of(part));
            for n in 0..4 {
                let slope = (high.weights[n] - low.weights[n]) / 4e-3;
                assert!((own.slopes[n] - slope).abs() < 1e-3, "{part} {n}: {} {slope}", own.slopes[n]);
            }
        }
    }
}
