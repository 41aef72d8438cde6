//! The stiffness of the differences of velocities on a grid: of liquids that of cells, of matter that keeps its shape
//! that of its particles.
//!
//! Particles store the energy of their own gradients, and each of these is a mean of differences on the grid. If a
//! difference is as stiff as the particles are that count it, by how much they do, then by Jensen's inequality the grid
//! takes a stretch along an axis to be no less stiff than they do; a shear as far as it counts the differences of both
//! velocities alike. With the stiffness of cells alone it took thin matter for half as stiff as it is, and what is
//! taken for less than half of it at the middle of a step gains energy from nothing.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells, Point, moving_axes};
use super::scatter::{Scatter, Share, Strip, StripAction, axes_in_cells, by_strips, rows_that_add};
use super::walls::NearWalls;
use super::weights::{Axis, Plane};
use crate::grid::{Field, Fields, Level, Rows, others, pass_by};
use glam::{IVec3, Vec3};

/// How much of the stiffness is that of differences, amid matter and where no particles are; the rest is that of cells.
/// As a bound from above, all of it makes waves slower than they are.
const BOUND: f32 = 0.9;
const BOUND_AT_EMPTY: f32 = 0.8;

/// Volume over that of a cell, times viscosity over a unit, of the differences on a grid.
#[derive(Debug)]
pub struct Stiffness {
    /// Of velocities along each axis, across cells.
    pub cells: Fields,
    /// At the edges along each axis, of velocities along both others.
    pub edges: Fields,
}

impl Stiffness {
    /// The sums over all particles, given what those of each body bring.
    pub fn of(cells: &Cells, rows: &Rows, shares: &[Share], is_flat: bool) -> Self {
        let mut fields: [Field; 6] = std::array::from_fn(|_| vec![0.0; rows.len()]);
        by_strips(cells, rows, &mut fields, rows_that_add, &Scatter { cells, rows, shares, is_flat });
        let [xx, yy, zz, yz, zx, xy] = fields;
        Self { cells: [xx, yy, zz], edges: [yz, zx, xy] }
    }

    /// Gives it to equations that have the stiffness of cells, away from walls on the grid: the parts of it that cells
    /// keep.
    pub fn put(&self, level: &mut Level, near: &NearWalls, kept: Option<&Field>, is_flat: bool) {
        let Level { rows, stretch, shear, full, .. } = level;
        for axis in moving_axes(is_flat) {
            mix(rows, &mut stretch[axis], [&self.cells[axis], full], 2.0, near, kept);
        }
        for axis in sheared_axes(is_flat) {
            let at_edges = |of: &Field| mean_at_edges(rows, of, axis);
            let (full, kept) = (at_edges(full), kept.map(at_edges));
            mix(rows, &mut shear[axis], [&self.edges[axis], &full], 1.0, near, kept.as_ref());
        }
    }
}

/// Brings a field nearer to a factor times another away from walls, given how full its places are and what they keep.
fn mix(
    rows: &Rows,
    field: &mut Field,
    [other, full]: [&Field; 2],
    factor: f32,
    near: &NearWalls,
    kept: Option<&Field>,
) {
    pass_by::<1, ()>(rows, [field], |(), row, [out]| {
        let known = rows.storage(row).zip(rows.own(other, row)).zip(rows.own(full, row));
        for (out, ((at, other), full)) in out.iter_mut().zip(known) {
            if near.at(at).is_none() {
                let part = BOUND_AT_EMPTY + (BOUND - BOUND_AT_EMPTY) * full;
                *out += part * (factor * other * kept.map_or(1.0, |kept| kept[at]) - *out);
            }
        }
    });
}

/// The sums around one cell, by z, from the cell before on.
struct Around {
    cells: [[Plane; 4]; 3],
    edges: [[Plane; 4]; 3],
}

impl Around {
    const ZERO: Self = Self { cells: [[Plane::ZERO; 4]; 3], edges: [[Plane::ZERO; 4]; 3] };

    #[inline(always)]
    fn add(&mut self, point: &Point, share: &Share, is_flat: bool) {
        let (viscous, on) = (share.viscous + point.viscous, OnAxes::of(point.part, is_flat));
        for axis in 0..3 {
            let ([b, c], is_across) = (others(axis), axis == 1);
            if !(is_flat && is_across) {
                let weights = by_axis([(axis, &on.differences_in_cells), (b, &on.cells), (c, &on.cells)]);
                add(&mut self.cells[axis], &weights, viscous);
            }
            if is_flat && !is_across {
                continue;
            }
            // Half by the differences of each of both velocities.
            for (along, across) in [(b, c), (c, b)] {
                let weights = by_axis([(axis, &on.cells), (along, &on.faces), (across, &on.differences_on_faces)]);
                add(&mut self.edges[axis], &weights, viscous / 2.0);
            }
        }
    }
}

/// The weights of a point along each axis.
struct OnAxes {
    cells: [[f32; 4]; 3],
    faces: [[f32; 4]; 3],
    differences_in_cells: [[f32; 4]; 3],
    differences_on_faces: [[f32; 4]; 3],
}

impl OnAxes {
    #[inline(always)]
    fn of(part: Vec3, is_flat: bool) -> Self {
        let [x, y, z] = axes_in_cells(part, is_flat);
        let of = |weights: fn(f32) -> Axis| [weights(part.x).weights, weights(part.y).weights, weights(part.z).weights];
        Self {
            cells: [x.weights, y.weights, z.weights],
            faces: of(Axis::on_faces),
            differences_in_cells: of(Axis::differences_in_cells),
            differences_on_faces: of(Axis::differences_on_faces),
        }
    }
}

/// Weights by axis, each of another kind.
#[inline(always)]
fn by_axis(kinds: [(usize, &[[f32; 4]; 3]); 3]) -> [[f32; 4]; 3] {
    let mut weights = [[0.0; 4]; 3];
    for (axis, of) in kinds {
        weights[axis] = of[axis];
    }
    weights
}

#[inline(always)]
fn add(sums: &mut [Plane; 4], [x, y, z]: &[[f32; 4]; 3], factor: f32) {
    let across = Plane::of(x, y);
    for k in 0..4 {
        sums[k].add(&across, factor * z[k]);
    }
}

impl StripAction<6> for Scatter<'_> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<6>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.rows, [y - 1, z - 1]);
        for cell in row {
            let mut around = Around::ZERO;
            for point in self.cells.of(cell) {
                around.add(point, &self.shares[point.source as usize], self.is_flat);
            }
            for z in 0..4 {
                for y in 0..4 {
                    let Some(at) = beside[z][y] else { continue };
                    for axis in 0..3 {
                        strip.add(at, axis, cell.cell.x - 1, around.cells[axis][z].row(y));
                        strip.add(at, 3 + axis, cell.cell.x - 1, around.edges[axis][z].row(y));
                    }
                }
            }
        }
    }
}

/// Finds the stiffness of cells and edges by that of cells.
pub fn stiffen(level: &mut Level, viscous: &Field, is_flat: bool) {
    let Level { rows, stretch, shear, .. } = level;
    for axis in 0..3 {
        pass_by::<1, ()>(rows, [&mut stretch[axis]], |(), row, [out]| {
            out.iter_mut().zip(rows.own(viscous, row)).for_each(|(out, viscous)| *out = 2.0 * viscous);
        });
    }
    for axis in sheared_axes(is_flat) {
        shear[axis] = mean_at_edges(rows, viscous, axis);
    }
}

/// The axes along which edges are sheared.
fn sheared_axes(is_flat: bool) -> impl Iterator<Item = usize> {
    (0..3).filter(move |axis| !is_flat || *axis == 1)
}

/// Means of a field of cells at the edges along an axis.
fn mean_at_edges(rows: &Rows, field: &Field, axis: usize) -> Field {
    let [b, c] = others(axis);
    let sums = |field: &Field, along: usize, part: f32| {
        let mut sums = vec![0.0; rows.len()];
        pass_by::<1, ()>(rows, [&mut sums], |(), row, [out]| {
            let both = rows.own(field, row).iter().zip(rows.beside(field, row, along, -1));
            out.iter_mut().zip(both).for_each(|(out, (own, other))| *out = part * (own + other));
        });
        sums
    };
    sums(&sums(field, c, 1.0), b, 0.25)
}

/// Takes the stiffness from cells and edges beside faces without a velocity that other matter could stretch or shear
/// against: those without matter. Covered faces have that of their wall.
pub fn loosen(level: &mut Level) {
    let Level { rows, free, covered, stretch, shear, .. } = level;
    for axis in 0..3 {
        let (free_faces, covered) = (&free[axis], &covered[axis]);
        pass_by::<1, ()>(rows, [&mut stretch[axis]], |(), row, [out]| {
            let low = rows.own(free_faces, row).iter().zip(rows.own(covered, row));
            let high = rows.beside(free_faces, row, axis, 1).iter().zip(rows.beside(covered, row, axis, 1));
            let is_known = |(free, covered): (&f32, &f32)| *free > 0.0 || *covered >= 1.0;
            for ((out, low), high) in out.iter_mut().zip(low).zip(high) {
                *out = if is_known(low) && is_known(high) { *out } else { 0.0 };
            }
        });
        let [b, c] = others(axis);
        pass_by::<1, ()>(rows, [&mut shear[axis]], |(), row, [out]| {
            let faces = [
                rows.own(&free[b], row),
                rows.beside(&free[b], row, c, -1),
                rows.own(&free[c], row),
                rows.beside(&free[c], row, b, -1),
            ];
            for face in faces {
                out.iter_mut().zip(face).for_each(|(out, free)| *out *= free);
            }
        });
    }
}
