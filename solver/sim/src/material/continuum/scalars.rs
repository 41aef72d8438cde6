//! Numbers that particles carry besides their velocity: on the grid, and back.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells};
use super::gather::{CellAction, each_cell};
use super::scatter::{Strip, StripAction, axes_in_cells, by_strips, rows_that_add};
use super::weights::Plane;
use crate::grid::{Field, Rows};
use glam::IVec3;

/// In cells, the sums of what particles bring, by the weights of quadratic splines.
pub fn sums_in_cells<const N: usize>(cells: &Cells, rows: &Rows, brought: &[[f32; N]], is_flat: bool) -> [Field; N] {
    let mut fields: [Field; N] = std::array::from_fn(|_| vec![0.0; rows.len()]);
    by_strips(cells, rows, &mut fields, rows_that_add, &Bring { cells, rows, brought, is_flat });
    fields
}

struct Bring<'a, const N: usize> {
    cells: &'a Cells,
    rows: &'a Rows,
    brought: &'a [[f32; N]],
    is_flat: bool,
}

impl<const N: usize> StripAction<N> for Bring<'_, N> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<N>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.rows, [y - 1, z - 1]);
        for cell in row {
            let mut around = [[Plane::ZERO; 3]; N];
            let brought = &self.brought[cell.points.start as usize..cell.points.end as usize];
            for (point, brought) in self.cells.of(cell).iter().zip(brought) {
                let [x, y, z] = axes_in_cells(point.part, self.is_flat);
                let across = Plane::of(&x.weights, &y.weights);
                for k in 0..3 {
                    for field in 0..N {
                        around[field][k].add(&across, brought[field] * z.weights[k]);
                    }
                }
            }
            for field in 0..N {
                strip.add_cells(&beside, field, cell.cell.x, &around[field]);
            }
        }
    }
}

/// The values of a field of cells at the places of particles, by the same weights.
pub fn at_particles(cells: &Cells, rows: &Rows, field: &Field, is_flat: bool) -> Vec<f32> {
    let mut found = vec![0.0; cells.points.len()];
    each_cell(&mut found, &cells.occupied, &Take { cells, rows, field, is_flat });
    found
}

struct Take<'a> {
    cells: &'a Cells,
    rows: &'a Rows,
    field: &'a Field,
    is_flat: bool,
}

impl CellAction<f32> for Take<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, found: &mut [f32]) {
        let mut around = [Plane::ZERO; 3];
        for z in 0..3 {
            for y in 0..3 {
                let at = [cell.cell.y + y - 1, cell.cell.z + z - 1];
                let Some(number) = self.rows.find(at[0], at[1]) else { continue };
                let from = self.rows.stored(self.field, number, cell.cell.x - 1..cell.cell.x + 3);
                around[z as usize].row_mut(y as usize).copy_from_slice(from);
            }
        }
        for (found, point) in found.iter_mut().zip(self.cells.of(cell)) {
            let [x, y, z] = axes_in_cells(point.part, self.is_flat);
            let mut sum = Plane::ZERO;
            for k in 0..3 {
                sum.add(&around[k], z.weights[k]);
            }
            *found = sum.sum(&x.weights, &y.weights);
        }
    }
}
