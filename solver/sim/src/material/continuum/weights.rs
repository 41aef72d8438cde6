//! Quadratic B-splines (Steffen et al. 2008): how much a particle counts at the nodes around it, along one axis.

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

impl Axis {
    /// At the faces of the cell of a particle that lies at a part of the cell: the nodes -1, 0, 1 and 2.
    #[inline(always)]
    pub fn on_faces(part: f32) -> Self {
        Self::at(std::array::from_fn(|n| n as f32 - 1.0 - part))
    }

    /// At the middles of the cell and of those before and behind; the fourth counts nothing.
    #[inline(always)]
    pub fn in_cells(part: f32) -> Self {
        Self::at(std::array::from_fn(|n| n as f32 - 0.5 - part))
    }

    #[inline(always)]
    fn at(offsets: [f32; 4]) -> Self {
        Self { weights: offsets.map(spline), offsets }
    }

    /// Of the cell alone, for matter in a plane.
    pub const ONE_CELL: Self = Self { weights: [0.0, 1.0, 0.0, 0.0], offsets: [0.0; 4] };
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
        let offsets: [f32; 4] = std::array::from_fn(|n| n as f32 - 0.5 - 2.0 * part);
        // The weight of a node before the place falls as the place moves on.
        let slope = |offset: f32| {
            let (far, near) = ((1.5 - offset.abs()).max(0.0), (0.5 - offset.abs()).max(0.0));
            (far - 3.0 * near) * offset.signum()
        };
        Self { weights: offsets.map(spline), slopes: offsets.map(slope) }
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
