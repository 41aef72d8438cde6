//! From the grid to particles.

use super::cells::{CellPoints, Cells, Point};
use super::scatter::axes_in_cells;
use super::weights::Axis;
use crate::grid::{Field, Fields, Rows};
use glam::{IVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// Velocities around a cell, by z, then y, then x.
type Around = [[[[f32; 4]; 4]; 4]; 3];

/// Gives all particles the velocities of faces, and the gradients of these.
pub fn gather(cells: &mut Cells, rows: &Rows, u: &Fields, is_flat: bool) {
    let Cells { points, occupied, .. } = cells;
    each_cell(points, occupied, |cell, points| {
        let around = around(rows, u, cell.cell);
        for point in points {
            take(point, &around, is_flat);
        }
    });
}

/// The value of a field in the cell of each particle.
pub fn in_cells(cells: &Cells, field: &Field) -> Vec<f32> {
    let of = |cell: &CellPoints| (field[cell.at], cell.points.len());
    cells.occupied.iter().map(of).flat_map(|(value, count)| std::iter::repeat_n(value, count)).collect()
}

/// The values of a vector field on faces at the places of particles, linear between faces.
pub fn linear(cells: &Cells, rows: &Rows, u: &Fields) -> Vec<Vec3> {
    let mut found = vec![Vec3::ZERO; cells.points.len()];
    each_cell(&mut found, &cells.occupied, |cell, found| {
        let around = around(rows, u, cell.cell);
        for (found, point) in found.iter_mut().zip(cells.of(cell)) {
            *found = Vec3::from_array(std::array::from_fn(|axis| {
                // The four nodes of an axis begin one cell before that of the particle.
                let corner = |of: usize| {
                    let at = if of == axis { point.part[of] + 1.0 } else { point.part[of] + 0.5 };
                    let low = at.floor();
                    (low as usize, at - low)
                };
                let ([(x, a), (y, b), (z, c)], values) = ([corner(0), corner(1), corner(2)], &around[axis]);
                let along = |z: usize, y: usize| values[z][y][x] * (1.0 - a) + values[z][y][x + 1] * a;
                let across = |z: usize| along(z, y) * (1.0 - b) + along(z, y + 1) * b;
                across(z) * (1.0 - c) + across(z + 1) * c
            }));
        }
    });
    found
}

/// Changes what is kept for particles, cell by cell, on all threads.
pub fn each_cell<T: Send>(all: &mut [T], cells: &[CellPoints], act: impl Fn(&CellPoints, &mut [T]) + Sync) {
    const AT_ONCE: usize = 64;
    let mut parts = Vec::with_capacity(cells.len() / AT_ONCE + 1);
    let mut rest = all;
    for some in cells.chunks(AT_ONCE) {
        let count: usize = some.iter().map(|cell| cell.points.len()).sum();
        parts.push((some, rest.split_off_mut(..count).unwrap_or_default()));
    }
    parts.into_par_iter().for_each(|(some, mut rest)| {
        Arch::new().dispatch(|| {
            for cell in some {
                act(cell, rest.split_off_mut(..cell.points.len()).unwrap_or_default());
            }
        });
    });
}

#[inline(always)]
fn around(rows: &Rows, u: &Fields, cell: IVec3) -> Around {
    let mut around = Around::default();
    for z in 0..4 {
        for y in 0..4 {
            let Some(number) = rows.find(cell.y + y - 1, cell.z + z - 1) else { continue };
            let (y, z) = (y as usize, z as usize);
            for axis in 0..3 {
                if (y < 3 || axis == 1) && (z < 3 || axis == 2) {
                    let from = rows.stored(&u[axis], number, cell.x - 1..cell.x + 3);
                    around[axis][z][y].copy_from_slice(from);
                }
            }
        }
    }
    around
}

#[inline(always)]
fn take(point: &mut Point, around: &Around, is_flat: bool) {
    let in_cells = axes_in_cells(point.part, is_flat);
    for axis in 0..3 {
        let mut axes = in_cells;
        axes[axis] = Axis::on_faces(point.part[axis]);
        let (ends_y, ends_z) = (if axis == 1 { 4 } else { 3 }, if axis == 2 { 4 } else { 3 });
        let (mut value, mut along_y, mut along_z) = ([0.0f32; 4], [0.0f32; 4], [0.0f32; 4]);
        for (z, around) in around[axis].iter().enumerate().take(ends_z) {
            for (y, around) in around.iter().enumerate().take(ends_y) {
                let weight = axes[1].weights[y] * axes[2].weights[z];
                for x in 0..4 {
                    let part = weight * around[x];
                    value[x] += part;
                    along_y[x] += part * axes[1].offsets[y];
                    along_z[x] += part * axes[2].offsets[z];
                }
            }
        }
        let [wx, dx] = [axes[0].weights, axes[0].offsets];
        let sum = |parts: [f32; 4]| (parts[0] + parts[1]) + (parts[2] + parts[3]);
        let weighted = |parts: [f32; 4]| sum(std::array::from_fn(|n| wx[n] * parts[n]));
        point.velocity[axis] = weighted(value);
        let along_x = sum(std::array::from_fn(|n| wx[n] * dx[n] * value[n]));
        // The spline's second moment is a quarter.
        point.gradient[axis] = Vec3::new(along_x, weighted(along_y), weighted(along_z)) * 4.0;
    }
}
