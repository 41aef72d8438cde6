//! Sums over items at the nodes of a block, weighted by the smoothing kernel.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::blocks::{BlockKey, EDGE, SLOTS};
use super::cube_grid::CubeGrid;
use super::mask::BlockMask;
use super::vectorized::vectorized;
use dollop_sim::kernel::{Kernel, KernelShape};
use dollop_sim::with_shape;
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;

/// A shape; weights fall off with the distance from it. Lengths are in cells.
pub(crate) trait SplatShape: Copy + Send + Sync {
    /// Squared distance to a point, cells^2.
    fn distance_squared(&self, point: Vec3) -> f32;
    /// Lowest and highest coordinates of the shape.
    fn bounds(&self) -> (Vec3, Vec3);
    /// A bounding ball: centre and radius.
    fn ball(&self) -> (Vec3, f32);
    /// The shape, translated.
    fn moved(&self, by: Vec3) -> Self;
}

impl SplatShape for Vec3 {
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

/// An item that contributes to the sums.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplatItem<R> {
    /// Relative to the lowest node of its cube.
    pub shape: R,
    /// Factor of the kernel's polynomial.
    pub factor: f32,
    /// Number of its row of values.
    pub row: u32,
}

/// A table of numbers with rows of equal width.
#[derive(Debug, Default)]
pub(crate) struct NumberRows {
    pub width: usize,
    pub values: Vec<f32>,
}

/// Items to sum over.
pub(crate) struct Splat<R> {
    pub cells: CubeGrid<SplatItem<R>>,
    /// Distance at which weights are zero, cells.
    pub support: f32,
    /// Largest extent of a shape from the point that it is sorted by, along an axis, cells.
    pub extent: f32,
}

/// Sums over items at the nodes of a block.
pub(crate) struct Sums {
    /// Sum of V W.
    pub weight: [f32; SLOTS],
    /// Sums of V W times each number of the rows of the items.
    pub columns: Vec<[f32; SLOTS]>,
}

impl<R: SplatShape> Splat<R> {
    /// The blocks that items touch, sorted.
    pub fn blocks(&self) -> Vec<BlockKey> {
        let near = self.cells.blocks(self.support + self.extent);
        near.into_par_iter().filter(|&key| self.touching(key).next().is_some()).collect()
    }

    /// The items that touch a block, cube by cube, in block coordinates.
    fn touching(&self, key: BlockKey) -> impl Iterator<Item = SplatItem<R>> {
        let near = self.cells.near(key, self.support + self.extent);
        let in_block = near.flat_map(|(offset, items)| {
            items.iter().map(move |item| SplatItem { shape: item.shape.moved(offset), ..*item })
        });
        in_block.filter(|item| self.touches(&item.shape))
    }

    #[inline(always)]
    fn touches(&self, shape: &R) -> bool {
        let (low, high) = shape.bounds();
        let gap = (low - (EDGE - 1) as f32).max(-high).max(Vec3::ZERO);
        gap.length_squared() < self.support * self.support
    }

    /// The sums at the nodes of a block over the items that touch it; none if no item does. Rows along z whose nodes
    /// are all `known` may be skipped.
    pub fn sums(
        &self,
        key: BlockKey,
        known: BlockMask,
        kernel: Kernel,
        arch: Arch,
        rows: &NumberRows,
    ) -> Option<Box<Sums>> {
        let items: Vec<SplatItem<R>> = self.touching(key).collect();
        if items.is_empty() {
            return None;
        }
        let mut sums = Sums::zero(rows.width);
        with_shape!(kernel, S => vectorized(
            arch,
            #[inline(always)]
            || sums.add_all::<S, R>(&items, self.support, known, rows)
        ));
        Some(sums)
    }
}

impl Sums {
    pub fn zero(width: usize) -> Box<Self> {
        Box::new(Self { weight: [0.0; SLOTS], columns: vec![[0.0; SLOTS]; width] })
    }

    #[inline(always)]
    fn add_all<S: KernelShape, R: SplatShape>(
        &mut self,
        items: &[SplatItem<R>],
        support: f32,
        known: BlockMask,
        rows: &NumberRows,
    ) {
        for item in items {
            let row = item.row as usize * rows.width;
            self.add::<S, R>(item, support, known, &rows.values[row..row + rows.width]);
        }
    }

    /// Adds an item to the nodes within `support`, in rows of eight along z.
    #[inline(always)]
    fn add<S: KernelShape, R: SplatShape>(
        &mut self,
        item: &SplatItem<R>,
        support: f32,
        known: BlockMask,
        values: &[f32],
    ) {
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

    /// The weighted mean of a number at a node; zero without weight.
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
