//! Finds the level at which matter encloses its own volume, which DG96 section 4.2 leaves open.
//!
//! The volume above a level falls as the level rises, so bisection finds the level of each component on its own. It
//! samples the component's own field on a coarse lattice. Each node stands for the part of its cell above the level,
//! estimated from the slope of the field. Then each blob is divided by the level of its component, and the surface is
//! where the sum is 1. So components that come close blend without a seam.
//!
//! Most nodes of large components are deep inside. So all nodes are counted once above each level of a ladder. The
//! bisection continues with the nodes that are neither above nor below both ladder levels around the result.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::values::CompactValues;
use crate::lattice::blocks::SLOTS;
use crate::lattice::vectorized::vectorized;
use pulp::Arch;
use rayon::prelude::*;

/// Bounds of levels.
const LOWEST: f32 = 0.005;
const HIGHEST: f32 = 0.95;

/// Steps of the ladder, which replace some halvings.
const LADDER_HALVINGS: usize = 4;
const LADDER_STEPS: usize = 1 << LADDER_HALVINGS;

/// Halvings of the interval, finer than the coarse field resolves. The volume correction removes the rest of the error.
const HALVINGS: usize = 16;

/// Components with at least this many blocks use the ladder, and their blocks are counted in parallel.
const LARGE_COMPONENT: usize = 64;

/// Nodes of a row along z.
const ROW: usize = 8;

/// Least change of the field over a cell.
const MIN_CHANGE: f32 = 1e-9;

/// The field of a component, by its number, at the nodes of one block.
pub(crate) type ComponentValues<'a> = (u32, &'a CompactValues);

/// The nodes of a block that matter for levels in an interval.
struct LevelSamples {
    /// Number of nodes that are inside for all levels.
    inside: u32,
    /// The field at the other nodes, and its change over a cell.
    between: Vec<(f32, f32)>,
}

impl LevelSamples {
    fn new(arch: Arch, values: &[f32; SLOTS], low: f32, high: f32) -> Self {
        let changes = vectorized(
            arch,
            #[inline(always)]
            || changes(values),
        );
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

/// Fraction of a cell above a level, half a cell to either side of the node; exact if the surface is parallel to a side
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
    let adjacent = |at: usize| (at.saturating_sub(1), (at + 1).min(ROW - 1));
    let share = |(below, above): (usize, usize)| 1.0 / (above - below) as f32;
    for (row, changes) in changes.as_chunks_mut::<ROW>().0.iter_mut().enumerate() {
        let (x, y) = (row / ROW, row % ROW);
        let (xs, ys) = (adjacent(x), adjacent(y));
        for z in 0..ROW {
            let zs = adjacent(z);
            let dx = (rows[xs.1 * ROW + y][z] - rows[xs.0 * ROW + y][z]) * share(xs);
            let dy = (rows[x * ROW + ys.1][z] - rows[x * ROW + ys.0][z]) * share(ys);
            let dz = (rows[row][zs.1] - rows[row][zs.0]) * share(zs);
            changes[z] = (dx * dx + dy * dy + dz * dz).sqrt().max(MIN_CHANGE);
        }
    }
    changes
}

/// A level of the ladder.
fn ladder_level(step: usize) -> f32 {
    LOWEST + (HIGHEST - LOWEST) * (step as f32 / LADDER_STEPS as f32)
}

/// Number of cells of a block above each level of the ladder.
#[inline(always)]
fn cells_above_ladder(values: &[f32; SLOTS]) -> [f32; LADDER_STEPS] {
    let changes = changes(values);
    let mut counts = [0.0; LADDER_STEPS];
    for (step, count) in counts.iter_mut().enumerate() {
        let level = ladder_level(step);
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

/// The level of each component at which `cells` cells lie above it. The parts are sorted by component.
pub(crate) fn levels(arch: Arch, parts: &[ComponentValues], cells: &[f64]) -> Vec<f32> {
    let of = |component: usize| {
        let number = component as u32;
        let first = parts.partition_point(|part| part.0 < number);
        let count = parts[first..].partition_point(|part| part.0 == number);
        level(arch, &parts[first..first + count], cells[component])
    };
    (0..cells.len()).into_par_iter().map(of).collect()
}

fn level(arch: Arch, parts: &[ComponentValues], cells: f64) -> f32 {
    let is_large = parts.len() >= LARGE_COMPONENT;
    let (mut low, mut high) = if is_large { bracket(arch, parts, cells) } else { (LOWEST, HIGHEST) };
    let of = |part: &ComponentValues| LevelSamples::new(arch, part.1.all(&mut [0.0; SLOTS]), low, high);
    let samples: Vec<LevelSamples> =
        if is_large { parts.par_iter().map(of).collect() } else { parts.iter().map(of).collect() };
    for _ in if is_large { LADDER_HALVINGS } else { 0 }..HALVINGS {
        let middle = 0.5 * (low + high);
        // Sums over blocks in their order, for any number of threads.
        let count: f64 = if is_large {
            samples.par_iter().map(|samples| samples.above(middle)).collect::<Vec<_>>().iter().sum()
        } else {
            samples.iter().map(|samples| samples.above(middle)).sum()
        };
        if count > cells { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The ladder levels around the result.
fn bracket(arch: Arch, parts: &[ComponentValues], cells: f64) -> (f32, f32) {
    let of = |part: &ComponentValues| {
        let mut buffer = [0.0; SLOTS];
        let values = part.1.all(&mut buffer);
        vectorized(
            arch,
            #[inline(always)]
            || cells_above_ladder(values),
        )
    };
    let counts: Vec<[f32; LADDER_STEPS]> = parts.par_iter().map(of).collect();
    let is_below = |step: usize| counts.iter().map(|counts| f64::from(counts[step])).sum::<f64>() > cells;
    let step = (1..LADDER_STEPS).take_while(|step| is_below(*step)).last().unwrap_or(0);
    (ladder_level(step), ladder_level(step + 1))
}
