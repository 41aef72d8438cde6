//! Sums over items near the nodes of a block, weighted by the smoothing kernel.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::blocks::{BlockKey, EDGE, SLOTS};
use crate::cells::Cells;
use crate::field::Field;
use crate::mask::BlockMask;
use dollop_sim::kernel::Shape;
use dollop_sim::with_shape;
use glam::Vec3;
use rayon::prelude::*;

/// A shape by distance to which weights fall off, in cells.
pub(crate) trait Reach: Copy + Send + Sync {
    /// Squared distance to a point, cells^2.
    fn distance_squared(&self, point: Vec3) -> f32;
    /// Lowest and highest coordinates of the shape.
    fn bounds(&self) -> (Vec3, Vec3);
    /// A point, and how far the shape reaches from it.
    fn ball(&self) -> (Vec3, f32);
    /// The same elsewhere.
    fn moved(&self, by: Vec3) -> Self;
}

impl Reach for Vec3 {
    #[inline(always)]
    fn distance_squared(&self, point: Vec3) -> f32 {
        (point - *self).length_squared()
    }

    #[inline(always)]
    fn bounds(&self) -> (Vec3, Vec3) {
        (*self, *self)
    }

    #[inline(always)]
    fn ball(&self) -> (Vec3, f32) {
        (*self, 0.0)
    }

    #[inline(always)]
    fn moved(&self, by: Vec3) -> Self {
        *self + by
    }
}

/// Something that weighs in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<R> {
    /// Relative to the lowest node of its cube.
    pub shape: R,
    /// What the kernel's polynomial is multiplied by.
    pub factor: f32,
    /// Place of its row of values.
    pub row: u32,
}

/// Rows of numbers, of one width.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub width: usize,
    pub values: Vec<f32>,
}

/// Items whose sums are wanted.
pub(crate) struct Splat<R> {
    pub cells: Cells<Item<R>>,
    /// Distance at which weights are zero, cells.
    pub support: f32,
    /// No shape reaches further from where it is sorted in, cells.
    pub extent: f32,
}

/// Sums over items at the nodes of a block.
pub(crate) struct Sums {
    /// Sum of V W.
    pub weight: [f32; SLOTS],
    /// Sums of V W times each number of the items' rows.
    pub columns: Vec<[f32; SLOTS]>,
}

impl<R: Reach> Splat<R> {
    /// The blocks that items touch, sorted.
    pub fn blocks(&self) -> Vec<BlockKey> {
        let near = self.cells.blocks(self.support + self.extent);
        near.into_par_iter().filter(|&key| self.touching(key).next().is_some()).collect()
    }

    /// The items that touch a block, cube by cube, as seen from it.
    fn touching(&self, key: BlockKey) -> impl Iterator<Item = Item<R>> {
        let near = self.cells.near(key, self.support + self.extent);
        let seen = near.flat_map(|(offset, items)| {
            items.iter().map(move |item| Item { shape: item.shape.moved(offset), ..*item })
        });
        seen.filter(|item| self.touches(&item.shape))
    }

    #[inline(always)]
    fn touches(&self, shape: &R) -> bool {
        let (low, high) = shape.bounds();
        let gap = (low - (EDGE - 1) as f32).max(-high).max(Vec3::ZERO);
        gap.length_squared() < self.support * self.support
    }

    /// The sums at the nodes of a block over the items that touch it; none where none does. Rows along z of nodes that are all
    /// `known` may be left out.
    pub fn sums(&self, key: BlockKey, known: BlockMask, field: &Field) -> Option<Box<Sums>> {
        let Field { profile, arch, rows, .. } = field;
        let items: Vec<Item<R>> = self.touching(key).collect();
        if items.is_empty() {
            return None;
        }
        let mut sums = Sums::zero(rows.width);
        with_shape!(profile.kind, S => arch.dispatch(|| sums.add_all::<S, R>(&items, self.support, known, rows)));
        Some(sums)
    }
}

impl Sums {
    pub fn zero(width: usize) -> Box<Self> {
        Box::new(Self { weight: [0.0; SLOTS], columns: vec![[0.0; SLOTS]; width] })
    }

    #[inline(always)]
    fn add_all<S: Shape, R: Reach>(&mut self, items: &[Item<R>], support: f32, known: BlockMask, rows: &Rows) {
        for item in items {
            let row = item.row as usize * rows.width;
            self.add::<S, R>(item, support, known, &rows.values[row..row + rows.width]);
        }
    }

    /// Adds one item to the nodes within `support` of it, in rows of eight along z.
    #[inline(always)]
    fn add<S: Shape, R: Reach>(&mut self, item: &Item<R>, support: f32, known: BlockMask, values: &[f32]) {
        let (low, high) = item.shape.bounds();
        let range = |axis: usize| {
            let first = (low[axis] - support).ceil().max(0.0) as usize;
            let last = (high[axis] + support).floor().min((EDGE - 1) as f32);
            first..(last + 1.0).max(0.0) as usize
        };
        let scale = 2.0 / support;
        let (centre, radius) = item.shape.ball();
        for x in range(0) {
            for y in range(1) {
                let (dx, dy, reach) = (x as f32 - centre.x, y as f32 - centre.y, support + radius);
                if dx * dx + dy * dy >= reach * reach || known.has_row(x, y) {
                    continue;
                }
                let mut parts = [0.0; EDGE as usize];
                for (z, part) in parts.iter_mut().enumerate() {
                    let squared = item.shape.distance_squared(Vec3::new(x as f32, y as f32, z as f32));
                    *part = item.factor * S::value(squared.sqrt() * scale);
                }
                let row = x << 6 | y << 3;
                add_row(&mut self.weight, row, &parts, 1.0);
                for (column, &value) in self.columns.iter_mut().zip(values) {
                    add_row(column, row, &parts, value);
                }
            }
        }
    }

    /// The weighted mean of a number at a node; zero where nothing reaches.
    pub fn mean(&self, column: usize, slot: usize) -> f32 {
        let weight = self.weight[slot];
        if weight > 0.0 { self.columns[column][slot] / weight } else { 0.0 }
    }
}

#[inline(always)]
fn add_row(column: &mut [f32; SLOTS], row: usize, parts: &[f32; EDGE as usize], value: f32) {
    for (sum, part) in column[row..][..EDGE as usize].iter_mut().zip(parts) {
        *sum += part * value;
    }
}
