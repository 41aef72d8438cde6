//! How dense particles lie in half cells, a spacing wide.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells};
use super::scatter::{Strip, StripAction, by_strips, rows_that_add};
use super::walls::{NearWalls, WallCell};
use super::weights::{HalfCellAxis, Plane};
use crate::grid::{Field, Rows, corner};
use glam::{IVec3, Vec3};

/// Values in the half cells from one before a cell to one behind it, by z.
pub type Around = [Plane; 4];

/// Particles in half cells over those that fit in.
#[derive(Debug)]
pub struct Density {
    /// The rows of half cells.
    pub halves: Rows,
    pub values: Field,
}

impl Density {
    /// The density of particles in some rows of cells.
    pub fn of(cells: &Cells, rows: &Rows, is_flat: bool) -> Self {
        let halves = rows.halved();
        let values = weighted(cells, &halves, None, is_flat);
        Self { halves, values }
    }
}

/// The same of particles that count with a weight each, by body.
pub fn weighted(cells: &Cells, halves: &Rows, weights: Option<&[f32]>, is_flat: bool) -> Field {
    let mut fields = [vec![0.0; halves.len()]];
    let from = |at: i32| rows_that_add(at).map(|at| at.div_euclid(2));
    by_strips(cells, halves, &mut fields, from, &Count { cells, halves, weights, is_flat });
    let [density] = fields;
    density
}

struct Count<'a> {
    cells: &'a Cells,
    halves: &'a Rows,
    weights: Option<&'a [f32]>,
    is_flat: bool,
}

impl StripAction<1> for Count<'_> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<1>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.halves, [2 * y - 1, 2 * z - 1]);
        for cell in row {
            let mut around = [Plane::ZERO; 4];
            for point in self.cells.of(cell) {
                let [x, y, z] = half_cell_axes(point.part, self.is_flat);
                let across = Plane::of(&x.weights, &y.weights);
                let weight = self.weights.map_or(1.0, |weights| weights[point.source as usize]);
                for k in 0..4 {
                    around[k].add(&across, weight * z.weights[k]);
                }
            }
            for z in 0..4 {
                for y in 0..4 {
                    if let Some(at) = beside[z][y] {
                        strip.add(at, 0, 2 * cell.cell.x - 1, around[z].row(y));
                    }
                }
            }
        }
    }
}

/// A half cell in a cell near walls.
#[derive(Debug, Clone, Copy)]
pub struct NearHalf<'a> {
    pub half: IVec3,
    /// Where it is stored.
    pub at: usize,
    pub wall: &'a WallCell,
    /// The distance of its middle from the wall, in cells.
    pub distance: f32,
    /// How much of a kernel a spacing wide is open there.
    pub part: f32,
}

/// The half cells in cells near walls.
pub fn near_halves<'a>(halves: &'a Rows, near: &'a NearWalls) -> impl Iterator<Item = NearHalf<'a>> {
    near.cells.iter().flat_map(move |(cell, _, wall)| {
        (0..8).filter_map(move |n| {
            let half = 2 * *cell + corner(n);
            let (distance, part) = wall.of_half(n as usize);
            Some(NearHalf { half, at: halves.index(half)?, wall, distance, part })
        })
    })
}

/// The weights of a place in a cell at the half cells around it.
#[inline(always)]
pub fn half_cell_axes(part: Vec3, is_flat: bool) -> [HalfCellAxis; 3] {
    let along_y = if is_flat { HalfCellAxis::FIRST } else { HalfCellAxis::of(part.y) };
    [HalfCellAxis::of(part.x), along_y, HalfCellAxis::of(part.z)]
}

/// The values of a field around a cell.
#[inline(always)]
pub fn around(halves: &Rows, field: &Field, cell: IVec3) -> Around {
    let mut around = [Plane::ZERO; 4];
    for z in 0..4 {
        for y in 0..4 {
            if let Some(number) = halves.find(2 * cell.y - 1 + y, 2 * cell.z - 1 + z) {
                let from = halves.stored(field, number, 2 * cell.x - 1..2 * cell.x + 3);
                around[z as usize].row_mut(y as usize).copy_from_slice(from);
            }
        }
    }
    around
}

/// The value of a field at a place, by the values around its cell.
#[inline(always)]
pub fn value(around: &Around, [x, y, z]: &[HalfCellAxis; 3]) -> f32 {
    let mut sums = Plane::ZERO;
    for k in 0..4 {
        sums.add(&around[k], z.weights[k]);
    }
    sums.sum(&x.weights, &y.weights)
}

/// The slope of a field at a place, by the values around its cell, over the width of a half cell.
#[inline(always)]
pub fn slope(around: &Around, [x, y, z]: &[HalfCellAxis; 3]) -> Vec3 {
    let (mut sums, mut slopes) = (Plane::ZERO, Plane::ZERO);
    for k in 0..4 {
        sums.add(&around[k], z.weights[k]);
        slopes.add(&around[k], z.slopes[k]);
    }
    Vec3::new(sums.sum(&x.slopes, &y.weights), sums.sum(&x.weights, &y.slopes), slopes.sum(&x.weights, &y.weights))
}
