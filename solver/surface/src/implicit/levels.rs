//! The level at which matter encloses its own volume: what DG96 section 4.2 leaves open.
//!
//! The volume above a level falls as the level rises, so bisection finds the level for each component by itself. It is
//! taken from samples of the component's own field on a coarse lattice, where each node stands for the part of its cell
//! that lies above the level, by the slope of the field there. Then each particle's blob is divided by the level of
//! its component, and the surface is where the sum is 1: components that come near each other blend without a seam.
//!
//! Most nodes of large components are deep inside. So all are counted once, above each rung of a ladder of levels, and only
//! those that are neither above nor below both of the rungs around the level are kept for the rest of the bisection.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::values::Values;
use crate::blocks::SLOTS;
use pulp::Arch;
use rayon::prelude::*;

/// No level lies beyond these.
const LOWEST: f32 = 0.005;
const HIGHEST: f32 = 0.95;

/// Parts of that interval that a ladder tells apart: as many as some halvings do.
const LADDER_HALVINGS: usize = 4;
const STEPS: usize = 1 << LADDER_HALVINGS;

/// Halvings of the interval: finer than the survey tells; what lacks is mended.
const HALVINGS: usize = 16;

/// From so many blocks on there is a ladder, and they are counted side by side.
const MANY: usize = 64;

/// Nodes of a row along z.
const ROW: usize = 8;

/// A change of the field over a cell is taken for no less.
const LEAST_CHANGE: f32 = 1e-9;

/// The field of a component, by its number, at the nodes of one block.
pub(crate) type Part<'a> = (u32, &'a Values);

/// The nodes of one block that matter to levels of an interval.
struct Samples {
    /// Nodes that are inside whatever the level.
    inside: u32,
    /// The field at those where it depends, and by how much it changes over a cell.
    between: Vec<(f32, f32)>,
}

impl Samples {
    fn new(arch: Arch, values: &[f32; SLOTS], (low, high): (f32, f32)) -> Self {
        let changes = arch.dispatch(|| changes(values));
        let (mut inside, mut between) = (0, vec![]);
        for (&value, &change) in values.iter().zip(&changes).filter(|(value, _)| **value > 0.0) {
            if value - 0.5 * change >= high {
                inside += 1;
            } else if value + 0.5 * change > low {
                between.push((value, change));
            }
        }
        Self { inside, between }
    }

    /// Number of cells above a level.
    fn above(&self, level: f32) -> f64 {
        let parts = self.between.iter().map(|&(value, change)| f64::from(part_above(value, change, level)));
        f64::from(self.inside) + parts.sum::<f64>()
    }
}

/// The part of a cell that lies above a level: half a cell to either side of the node; exact where the surface lies along a side
/// of the cell.
#[inline(always)]
fn part_above(value: f32, change: f32, level: f32) -> f32 {
    (0.5 + (value - level) / change).clamp(0.0, 1.0)
}

/// Lengths of the gradient per cell, from differences within the block.
#[inline(always)]
fn changes(values: &[f32; SLOTS]) -> [f32; SLOTS] {
    let mut changes = [0.0; SLOTS];
    let (rows, _) = values.as_chunks::<ROW>();
    let beside = |at: usize| (at.saturating_sub(1), (at + 1).min(ROW - 1));
    let share = |(below, above): (usize, usize)| 1.0 / (above - below) as f32;
    for (place, changes) in changes.as_chunks_mut::<ROW>().0.iter_mut().enumerate() {
        let (x, y) = (place / ROW, place % ROW);
        let (xs, ys) = (beside(x), beside(y));
        for z in 0..ROW {
            let zs = beside(z);
            let dx = (rows[xs.1 * ROW + y][z] - rows[xs.0 * ROW + y][z]) * share(xs);
            let dy = (rows[x * ROW + ys.1][z] - rows[x * ROW + ys.0][z]) * share(ys);
            let dz = (rows[place][zs.1] - rows[place][zs.0]) * share(zs);
            changes[z] = (dx * dx + dy * dy + dz * dz).sqrt().max(LEAST_CHANGE);
        }
    }
    changes
}

/// A rung between two steps of the ladder.
fn rung(step: usize) -> f32 {
    LOWEST + (HIGHEST - LOWEST) * (step as f32 / STEPS as f32)
}

/// Number of cells of a block above each rung.
#[inline(always)]
fn above_rungs(values: &[f32; SLOTS]) -> [f32; STEPS] {
    let changes = changes(values);
    let mut counts = [0.0; STEPS];
    for (step, count) in counts.iter_mut().enumerate() {
        let level = rung(step);
        let mut sums = [0.0; 2 * ROW];
        let rows = values.as_chunks::<{ 2 * ROW }>().0.iter().zip(changes.as_chunks::<{ 2 * ROW }>().0);
        for (values, changes) in rows {
            for lane in 0..2 * ROW {
                let part = part_above(values[lane], changes[lane], level);
                sums[lane] += if values[lane] > 0.0 { part } else { 0.0 };
            }
        }
        *count = sums.iter().sum();
    }
    counts
}

/// The level of each component at which so many cells lie above it. Parts are sorted by component.
pub(crate) fn levels(arch: Arch, parts: &[Part], cells: &[f64]) -> Vec<f32> {
    let of = |component: usize| {
        let number = component as u32;
        let first = parts.partition_point(|part| part.0 < number);
        let count = parts[first..].partition_point(|part| part.0 == number);
        level(arch, &parts[first..first + count], cells[component])
    };
    (0..cells.len()).into_par_iter().map(of).collect()
}

fn level(arch: Arch, parts: &[Part], cells: f64) -> f32 {
    let are_many = parts.len() >= MANY;
    let (mut low, mut high) = if are_many { climb(arch, parts, cells) } else { (LOWEST, HIGHEST) };
    let of = |part: &Part| Samples::new(arch, part.1.all(&mut [0.0; SLOTS]), (low, high));
    let samples: Vec<Samples> =
        if are_many { parts.par_iter().map(of).collect() } else { parts.iter().map(of).collect() };
    for _ in if are_many { LADDER_HALVINGS } else { 0 }..HALVINGS {
        let middle = 0.5 * (low + high);
        // Blocks are summed in their order, whoever counts them.
        let count: f64 = if are_many {
            samples.par_iter().map(|samples| samples.above(middle)).collect::<Vec<_>>().iter().sum()
        } else {
            samples.iter().map(|samples| samples.above(middle)).sum()
        };
        if count > cells { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The rungs around the level.
fn climb(arch: Arch, parts: &[Part], cells: f64) -> (f32, f32) {
    let of = |part: &Part| arch.dispatch(|| above_rungs(part.1.all(&mut [0.0; SLOTS])));
    let counts: Vec<[f32; STEPS]> = parts.par_iter().map(of).collect();
    let is_below = |step: usize| counts.iter().map(|counts| f64::from(counts[step])).sum::<f64>() > cells;
    let step = (1..STEPS).take_while(|step| is_below(*step)).last().unwrap_or(0);
    (rung(step), rung(step + 1))
}
