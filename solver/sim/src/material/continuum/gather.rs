//! From the grid to particles.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells, Point};
use super::scatter::axes_in_cells;
use super::weights::{Axis, Plane};
use crate::grid::{Fields, Rows};
use crate::lanes::{Eight, Task, dispatch};
use glam::{IVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// Velocities around a cell, by z.
type Around = [[Plane; 4]; 3];

/// Gives all particles the velocities of faces, and the gradients of these.
pub fn gather(cells: &mut Cells, rows: &Rows, u: &Fields, is_flat: bool) {
    let Cells { points, occupied, .. } = cells;
    each_cell(points, occupied, &Gather { rows, u, is_flat });
}

struct Gather<'a> {
    rows: &'a Rows,
    u: &'a Fields,
    is_flat: bool,
}

impl CellAction<Point> for Gather<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, points: &mut [Point]) {
        let around = around(self.rows, self.u, cell.cell);
        for point in points {
            take(point, &around, self.is_flat);
        }
    }
}

/// The value of its cell for each particle.
pub fn of_cells(cells: &Cells, value: impl Fn(&CellPoints) -> f32) -> Vec<f32> {
    let of = |cell: &CellPoints| (value(cell), cell.points.len());
    cells.occupied.iter().map(of).flat_map(|(value, count)| std::iter::repeat_n(value, count)).collect()
}

/// The values of a vector field on faces at the places of particles, linear between faces.
pub fn linear(cells: &Cells, rows: &Rows, u: &Fields) -> Vec<Vec3> {
    let mut found = vec![Vec3::ZERO; cells.points.len()];
    each_cell(&mut found, &cells.occupied, &Linear { cells, rows, u });
    found
}

struct Linear<'a> {
    cells: &'a Cells,
    rows: &'a Rows,
    u: &'a Fields,
}

impl CellAction<Vec3> for Linear<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, found: &mut [Vec3]) {
        let around = around(self.rows, self.u, cell.cell);
        for (found, point) in found.iter_mut().zip(self.cells.of(cell)) {
            let (on, within) = (point.part + 1.0, point.part + 0.5);
            *found = Vec3::new(
                at(&around[0], [on.x, within.y, within.z]),
                at(&around[1], [within.x, on.y, within.z]),
                at(&around[2], [within.x, within.y, on.z]),
            );
        }
    }
}

/// The value at a place among the nodes around a cell, linear between them.
#[inline(always)]
fn at(around: &[Plane; 4], place: [f32; 3]) -> f32 {
    let [(x, a), (y, b), (z, c)] = [low(place[0]), low(place[1]), low(place[2])];
    let along = |z: usize, y: usize| {
        let row = around[z].row(y);
        row[x] * (1.0 - a) + row[x + 1] * a
    };
    let across = |z: usize| along(z, y) * (1.0 - b) + along(z, y + 1) * b;
    across(z) * (1.0 - c) + across(z + 1) * c
}

/// The node below a place, of the first three of four, and how far the place is beyond it.
#[inline(always)]
fn low(place: f32) -> (usize, f32) {
    let node = (place as usize).min(2);
    (node, place - node as f32)
}

/// What is done for the particles of a cell.
pub trait CellAction<T>: Sync {
    /// Gets what is kept for the cell's particles.
    fn act(&self, cell: &CellPoints, own: &mut [T]);
}

/// Some cells with what is kept for their particles, as a task for [`dispatch`].
struct RunCells<'a, T, A> {
    cells: &'a [CellPoints],
    all: &'a mut [T],
    action: &'a A,
}

impl<T, A: CellAction<T>> Task for RunCells<'_, T, A> {
    type Output = ();

    #[inline(always)]
    fn run<E: Eight>(self, _: E) {
        let mut rest = self.all;
        for cell in self.cells {
            let (own, others) = rest.split_at_mut(cell.points.len());
            self.action.act(cell, own);
            rest = others;
        }
    }
}

/// Changes what is kept for particles, cell by cell, on all threads.
pub fn each_cell<T: Send>(all: &mut [T], cells: &[CellPoints], action: &impl CellAction<T>) {
    const AT_ONCE: usize = 64;
    let mut parts = Vec::with_capacity(cells.len() / AT_ONCE + 1);
    let mut rest = all;
    for some in cells.chunks(AT_ONCE) {
        let count: usize = some.iter().map(|cell| cell.points.len()).sum();
        parts.push((some, rest.split_off_mut(..count).unwrap_or_default()));
    }
    let arch = Arch::new();
    parts.into_par_iter().for_each(|(cells, all)| dispatch(arch, RunCells { cells, all, action }));
}

#[inline(always)]
fn around(rows: &Rows, u: &Fields, cell: IVec3) -> Around {
    let mut around = [[Plane::ZERO; 4]; 3];
    for z in 0..4 {
        for y in 0..4 {
            let Some(number) = rows.find(cell.y + y - 1, cell.z + z - 1) else { continue };
            let (y, z) = (y as usize, z as usize);
            for axis in 0..3 {
                if (y < 3 || axis == 1) && (z < 3 || axis == 2) {
                    let from = rows.stored(&u[axis], number, cell.x - 1..cell.x + 3);
                    around[axis][z].row_mut(y).copy_from_slice(from);
                }
            }
        }
    }
    around
}

#[inline(always)]
fn take(point: &mut Point, around: &Around, is_flat: bool) {
    let [x, y, z] = axes_in_cells(point.part, is_flat);
    let part = point.part;
    let along_x = value::<3>(&around[0], [&Axis::on_faces(part.x), &y, &z]);
    let along_y = value::<3>(&around[1], [&x, &Axis::on_faces(part.y), &z]);
    let along_z = value::<4>(&around[2], [&x, &y, &Axis::on_faces(part.z)]);
    point.velocity = Vec3::new(along_x.0, along_y.0, along_z.0);
    point.gradient = [along_x.1, along_y.1, along_z.1];
}

/// The value at a particle and its gradient, of nodes of which so many along z are near.
#[inline(always)]
fn value<const ALONG_Z: usize>(around: &[Plane; 4], [x, y, z]: [&Axis; 3]) -> (f32, Vec3) {
    let (mut sums, mut slopes) = (Plane::ZERO, Plane::ZERO);
    for k in 0..ALONG_Z {
        let (weight, slope) = (z.weights[k], z.weights[k] * z.offsets[k]);
        sums.add(&around[k], weight);
        slopes.add(&around[k], slope);
    }
    let slope = |axis: &Axis| {
        let ([a, b, c, d], [e, f, g, h]) = (axis.weights, axis.offsets);
        [a * e, b * f, c * g, d * h]
    };
    let gradient =
        Vec3::new(sums.sum(&slope(x), &y.weights), sums.sum(&x.weights, &slope(y)), slopes.sum(&x.weights, &y.weights));
    // The spline's second moment is a quarter.
    (sums.sum(&x.weights, &y.weights), gradient * 4.0)
}
