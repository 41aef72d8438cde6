//! The level at which matter encloses its own volume: what DG96 section 4.2 leaves open.
//!
//! The volume above a level falls as the level rises, so bisection finds the level for each component by itself. It is
//! taken from samples of the component's own field on a coarse lattice, where each node stands for the part of its cell
//! that lies above the level, by the slope of the field there. Then each particle's blob is divided by the level of
//! its component, and the surface is where the sum is 1: components that come near each other blend without a seam.

use crate::blocks::{SLOTS, node, slot};
use rayon::prelude::*;

/// No level lies beyond these.
const LOWEST: f32 = 0.005;
const HIGHEST: f32 = 0.95;

/// Halvings of the interval: finer than the survey tells; what lacks is mended.
const HALVINGS: usize = 16;

/// From so many blocks on they are counted side by side.
const MANY: usize = 64;

/// The field of one component at nodes of one block.
pub(crate) struct Samples {
    pub component: u32,
    /// Nodes that are inside whatever the level.
    inside: u32,
    /// The field at the others, and by how much it changes over a cell.
    between: Vec<(f32, f32)>,
}

impl Samples {
    /// None at all.
    pub fn none(component: u32) -> Self {
        Self { component, inside: 0, between: vec![] }
    }

    pub fn new(component: u32, values: &[f32; SLOTS]) -> Self {
        let (mut inside, mut between) = (0, vec![]);
        for (slot, &value) in values.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            let change = change(values, slot);
            if value - 0.5 * change >= HIGHEST { inside += 1 } else { between.push((value, change)) }
        }
        Self { component, inside, between }
    }

    /// Number of cells above a level.
    fn above(&self, level: f32) -> f64 {
        let part = |&(value, change): &(f32, f32)| {
            let above = value - level;
            // Half a cell to either side; exact where the surface lies along a side of the cell.
            if above.abs() < 0.5 * change { f64::from(0.5 + above / change) } else { f64::from(u8::from(above > 0.0)) }
        };
        f64::from(self.inside) + self.between.iter().map(part).sum::<f64>()
    }
}

/// Length of the gradient per cell, from differences within the block.
fn change(values: &[f32; SLOTS], at: usize) -> f32 {
    let place = node(at);
    let along = |axis: usize| {
        let [below, above] = [place[axis].saturating_sub(1), (place[axis] + 1).min(7)];
        let value = |c: usize| values[slot(std::array::from_fn(|a| if a == axis { c } else { place[a] }))];
        (value(above) - value(below)) / (above - below) as f32
    };
    (0..3).map(|axis| along(axis).powi(2)).sum::<f32>().sqrt()
}

/// The level of each component at which so many cells lie above it. Samples are sorted by component.
pub(crate) fn levels(samples: &[Samples], cells: &[f64]) -> Vec<f32> {
    let of = |component: usize| {
        let number = component as u32;
        let first = samples.partition_point(|s| s.component < number);
        let count = samples[first..].partition_point(|s| s.component == number);
        level(&samples[first..first + count], cells[component])
    };
    (0..cells.len()).into_par_iter().map(of).collect()
}

fn level(samples: &[Samples], cells: f64) -> f32 {
    let (mut low, mut high) = (LOWEST, HIGHEST);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        // Blocks are summed in their order, whoever counts them.
        let count: f64 = if samples.len() < MANY {
            samples.iter().map(|samples| samples.above(middle)).sum()
        } else {
            samples.par_iter().map(|samples| samples.above(middle)).collect::<Vec<_>>().iter().sum()
        };
        if count > cells { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
