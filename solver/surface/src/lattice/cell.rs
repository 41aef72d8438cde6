//! The corners and edges of a cell between nodes. Corner c is at (c & 1, c >> 1 & 1, c >> 2 & 1).

use glam::Vec3;

/// An edge of a cell: it goes from corner `low` up `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellEdge {
    pub low: usize,
    pub axis: usize,
}

impl CellEdge {
    /// The edge with a number below 12: the axis, and the index of the low corner among the four without that axis.
    pub fn new(number: usize) -> Self {
        let (axis, index) = (number >> 2, number & 3);
        let below = (1 << axis) - 1;
        Self { low: index & below | (index & !below) << 1, axis }
    }

    /// The number of the edge.
    pub fn number(self) -> usize {
        Self::between(self.low, self.low | 1 << self.axis)
    }

    /// The number of the edge between two corners.
    pub fn between(a: usize, b: usize) -> usize {
        let (low, axis) = (a & b, (a ^ b).trailing_zeros() as usize);
        let below = (1 << axis) - 1;
        axis << 2 | low & below | (low & !below) >> 1
    }

    /// The position of a corner of a cell, cells.
    pub fn corner(corner: usize) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|axis| (corner >> axis & 1) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edge_numbers_are_one_to_one() {
        for number in 0..12 {
            let edge = CellEdge::new(number);
            assert_eq!(edge.low >> edge.axis & 1, 0);
            assert_eq!(CellEdge::between(edge.low, edge.low | 1 << edge.axis), number);
        }
    }
}
