//! From particles to the grid: affine particle-in-cell (Jiang et al. 2015) with quadratic splines.
//!
//! Particles are added cell by cell into sums of their own, which then go to the grid. Strips of rows, every other
//! one at the same time, are added by several threads: the order of all sums depends on the cells alone.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells, Point};
use super::weights::{Axis, Plane};
use crate::grid::{Field, Fields, Rows, zeros};
use crate::lanes::{Eight, Task, dispatch};
use glam::{IVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a strip; the rows that a strip adds to reach one beyond it on one side and two on the other.
const STRIP: i32 = 4;
/// Fields that are added to.
const FIELDS: usize = 8;

/// Sums over particles.
#[derive(Debug)]
pub struct Sums {
    /// Mass on faces over that of a full cell.
    pub mass: Fields,
    /// The same times velocity, m/s.
    pub momentum: Fields,
    /// Volume in cells over that of a cell, times viscosity over a unit.
    pub viscous: Field,
    /// Volume in cells over that of a cell.
    pub filled: Field,
}

impl Sums {
    /// What some momentum of faces changes of their velocities, m/s.
    pub fn per_mass(&self, momentum: &Fields) -> Fields {
        std::array::from_fn(|axis| {
            let of = |(momentum, mass): (&f32, &f32)| if *mass > 0.0 { momentum / mass } else { 0.0 };
            momentum[axis].iter().zip(&self.mass[axis]).map(of).collect()
        })
    }
}

/// What particles of a body bring.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// Mass of a particle over that of a full cell.
    pub mass: f32,
    /// Volume of a particle over that of a cell.
    pub volume: f32,
    /// The same times viscosity over a unit.
    pub viscous: f32,
}

/// The sums around one cell, by z, from the cell before on; faces along an axis reach one farther.
struct Around {
    mass: [[Plane; 4]; 3],
    momentum: [[Plane; 4]; 3],
    viscous: [Plane; 3],
    filled: [Plane; 3],
}

impl Around {
    const ZERO: Self = Self {
        mass: [[Plane::ZERO; 4]; 3],
        momentum: [[Plane::ZERO; 4]; 3],
        viscous: [Plane::ZERO; 3],
        filled: [Plane::ZERO; 3],
    };

    #[inline(always)]
    fn add(&mut self, point: &Point, share: &Share, is_flat: bool) {
        let [x, y, z] = axes_in_cells(point.part, is_flat);
        self.add_faces::<0, 3>(point, share, [&Axis::on_faces(point.part.x), &y, &z]);
        self.add_faces::<1, 3>(point, share, [&x, &Axis::on_faces(point.part.y), &z]);
        self.add_faces::<2, 4>(point, share, [&x, &y, &Axis::on_faces(point.part.z)]);
        let across = Plane::of(&x.weights, &y.weights);
        for n in 0..3 {
            self.viscous[n].add(&across, (share.viscous + point.viscous) * z.weights[n]);
            self.filled[n].add(&across, share.volume * z.weights[n]);
        }
    }

    /// Adds to the faces across an axis, of which so many along z are near.
    #[inline(always)]
    fn add_faces<const AXIS: usize, const ALONG_Z: usize>(
        &mut self,
        point: &Point,
        share: &Share,
        [x, y, z]: [&Axis; 3],
    ) {
        let (gradient, velocity) = (point.gradient[AXIS], point.velocity[AXIS]);
        let across = Plane::of(&x.weights, &y.weights);
        let mut speed = Plane::ZERO;
        for j in 0..4 {
            for i in 0..4 {
                speed.0[4 * j + i] = (velocity + gradient.x * x.offsets[i]) + gradient.y * y.offsets[j];
            }
        }
        for k in 0..ALONG_Z {
            let (weight, more) = (share.mass * z.weights[k], gradient.z * z.offsets[k]);
            let (mass, momentum) = (&mut self.mass[AXIS][k].0, &mut self.momentum[AXIS][k].0);
            for n in 0..16 {
                let part = weight * across.0[n];
                mass[n] += part;
                momentum[n] += part * (speed.0[n] + more);
            }
        }
    }
}

/// The weights of a place at the middles of cells.
#[inline(always)]
pub fn axes_in_cells(part: Vec3, is_flat: bool) -> [Axis; 3] {
    let along_y = if is_flat { Axis::ONE_CELL } else { Axis::in_cells(part.y) };
    [Axis::in_cells(part.x), along_y, Axis::in_cells(part.z)]
}

/// Rows of particles, and the rows of the grid that they add to.
pub struct Strip<'a, const N: usize> {
    /// Rows of cells with particles.
    own: Vec<Range<usize>>,
    /// The number of each row, its first stored x, and its values.
    rows: Vec<(usize, i32, [&'a mut [f32]; N])>,
}

/// For four times four rows by z and y, their places among a strip's; none beyond all.
pub type Beside = [[Option<usize>; 4]; 4];

impl<const N: usize> Strip<'_, N> {
    /// The rows from those at y and z on.
    pub fn beside(&self, rows: &Rows, [y, z]: [i32; 2]) -> Beside {
        let at = |by_y: usize, by_z: usize| {
            let number = rows.find(y + by_y as i32, z + by_z as i32)?;
            self.rows.binary_search_by_key(&number, |row| row.0).ok()
        };
        std::array::from_fn(|z| std::array::from_fn(|y| at(y, z)))
    }

    /// Adds four values from x on to a field in a row.
    #[inline(always)]
    pub fn add(&mut self, at: usize, field: usize, x: i32, parts: &[f32; 4]) {
        let (_, start, fields) = &mut self.rows[at];
        let first = (x - *start) as usize;
        add_four(&mut fields[field][first..first + 4], parts);
    }

    /// Adds what is on the faces around a cell to fields from one on.
    #[inline(always)]
    pub fn add_faces(&mut self, beside: &Beside, from: usize, x: i32, around: &[[Plane; 4]; 3]) {
        for z in 0..4 {
            for y in 0..4 {
                let Some(at) = beside[z][y] else { continue };
                for axis in 0..3 {
                    if (y < 3 || axis == 1) && (z < 3 || axis == 2) {
                        self.add(at, from + axis, x - 1, around[axis][z].row(y));
                    }
                }
            }
        }
    }

    /// Adds what is in the cells around a cell to a field.
    #[inline(always)]
    pub fn add_cells(&mut self, beside: &Beside, field: usize, x: i32, around: &[Plane; 3]) {
        for z in 0..3 {
            for y in 0..3 {
                if let Some(at) = beside[z][y] {
                    self.add(at, field, x - 1, around[z].row(y));
                }
            }
        }
    }
}

#[inline(always)]
fn add_four(sums: &mut [f32], parts: &[f32; 4]) {
    let sums = &mut sums[..4];
    for n in 0..4 {
        sums[n] += parts[n];
    }
}

/// Adds the particles of a row of cells to a strip.
pub trait StripAction<const N: usize>: Sync {
    fn act(&self, strip: &mut Strip<N>, row: &[CellPoints]);
}

/// Particles, given what those of each body bring, and the rows that they add to.
pub struct Scatter<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub shares: &'a [Share],
    pub is_flat: bool,
}

impl StripAction<FIELDS> for Scatter<'_> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<FIELDS>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.rows, [y - 1, z - 1]);
        for cell in row {
            let mut around = Around::ZERO;
            for point in self.cells.of(cell) {
                around.add(point, &self.shares[point.source as usize], self.is_flat);
            }
            let x = cell.cell.x;
            strip.add_faces(&beside, 0, x, &around.mass);
            strip.add_faces(&beside, 3, x, &around.momentum);
            strip.add_cells(&beside, 6, x, &around.viscous);
            strip.add_cells(&beside, 7, x, &around.filled);
        }
    }
}

/// The rows of a strip, as a task for [`dispatch`].
struct RunStrip<'a, 'b, const N: usize, A> {
    cells: &'a Cells,
    strip: &'a mut Strip<'b, N>,
    action: &'a A,
}

impl<const N: usize, A: StripAction<N>> Task for RunStrip<'_, '_, N, A> {
    type Output = ();

    #[inline(always)]
    fn run<E: Eight>(self, _: E) {
        for row in std::mem::take(&mut self.strip.own) {
            self.action.act(self.strip, &self.cells.occupied[row]);
        }
    }
}

/// The sums over all particles, given what those of each body bring.
pub fn scatter(cells: &Cells, rows: &Rows, shares: &[Share], is_flat: bool) -> Sums {
    let mut fields: [Field; FIELDS] = std::array::from_fn(|_| vec![0.0; rows.len()]);
    by_strips(cells, rows, &mut fields, rows_that_add, &Scatter { cells, rows, shares, is_flat });
    let [mx, my, mz, px, py, pz, viscous, filled] = fields;
    Sums { mass: [mx, my, mz], momentum: [px, py, pz], viscous, filled }
}

/// What particles add to the faces around them.
pub trait OnFaces: Sync {
    /// Whether some points, by their numbers, add nothing.
    fn is_none(&self, points: Range<usize>) -> bool;

    /// Adds what a point, with its number, adds to the faces across an axis, given their weights along each.
    fn add(&self, point: (usize, &Point), axis: usize, around: &mut [Plane; 4], weights: [&Axis; 3]);
}

/// The sums on faces of what all points add.
pub fn on_faces(cells: &Cells, rows: &Rows, is_flat: bool, what: &impl OnFaces) -> Fields {
    let mut sums = zeros(rows.len());
    by_strips(cells, rows, &mut sums, rows_that_add, &AroundPoints { cells, rows, is_flat, what });
    sums
}

struct AroundPoints<'a, W> {
    cells: &'a Cells,
    rows: &'a Rows,
    is_flat: bool,
    what: &'a W,
}

impl<W: OnFaces> StripAction<3> for AroundPoints<'_, W> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<3>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.rows, [y - 1, z - 1]);
        for cell in row {
            let points = cell.points.start as usize..cell.points.end as usize;
            if self.what.is_none(points.clone()) {
                continue;
            }
            let mut around = [[Plane::ZERO; 4]; 3];
            for point in points.zip(self.cells.of(cell)) {
                let part = point.1.part;
                let [x, y, z] = axes_in_cells(part, self.is_flat);
                self.what.add(point, 0, &mut around[0], [&Axis::on_faces(part.x), &y, &z]);
                self.what.add(point, 1, &mut around[1], [&x, &Axis::on_faces(part.y), &z]);
                self.what.add(point, 2, &mut around[2], [&x, &y, &Axis::on_faces(part.z)]);
            }
            strip.add_faces(&beside, 0, cell.cell.x, &around);
        }
    }
}

/// Changes of the velocities of all points, as momentum.
pub struct Pushes<'a> {
    pub shares: &'a [Share],
    pub changes: &'a [Vec3],
}

impl OnFaces for Pushes<'_> {
    #[inline(always)]
    fn is_none(&self, points: Range<usize>) -> bool {
        self.changes[points].iter().all(|change| *change == Vec3::ZERO)
    }

    #[inline(always)]
    fn add(&self, (number, point): (usize, &Point), axis: usize, around: &mut [Plane; 4], [x, y, z]: [&Axis; 3]) {
        let momentum = self.changes[number][axis] * self.shares[point.source as usize].mass;
        let across = Plane::of(&x.weights, &y.weights);
        for k in 0..4 {
            around[k].add(&across, momentum * z.weights[k]);
        }
    }
}

/// The rows of particles that may add to a row of faces and cells: particles reach from one row before theirs to two
/// behind it.
pub fn rows_that_add(to: i32) -> [i32; 4] {
    [to, to + 1, to - 1, to - 2]
}

/// Adds to fields by rows of cells with particles, on all threads. `from` are rows of particles, along y or z, that
/// may add to a row; those of one row add to at most four in a row, from at most one row of cells before it on.
pub fn by_strips<const N: usize>(
    cells: &Cells,
    rows: &Rows,
    fields: &mut [Field; N],
    from: impl Fn(i32) -> [i32; 4],
    action: &impl StripAction<N>,
) {
    let first = |row: &Range<usize>| cells.occupied[row.start].cell;
    let extent = |of: fn(IVec3) -> i32| {
        let along = cells.rows.iter().map(|row| of(first(row)));
        along.clone().min().unwrap_or(0)..along.max().map_or(0, |last| last + 1)
    };
    let (along_y, along_z) = (extent(|cell| cell.y), extent(|cell| cell.z));
    let by_z = along_z.len() > along_y.len();
    let along = if by_z { along_z } else { along_y };
    let of = |y: i32, z: i32| if by_z { z } else { y };
    for odd in 0..2 {
        let mut strips: Vec<Strip<N>> = Vec::new();
        strips.resize_with(along.len() / STRIP as usize + 1, || Strip { own: Vec::new(), rows: Vec::new() });
        let strip_of = |at: i32| {
            let strip = (at - along.start).div_euclid(STRIP);
            (along.contains(&at) && strip % 2 == odd).then_some(strip as usize)
        };
        for row in &cells.rows {
            if let Some(strip) = strip_of(of(first(row).y, first(row).z)) {
                strips[strip].own.push(row.clone());
            }
        }
        let mut rest = fields.each_mut().map(Vec::as_mut_slice);
        for number in 0..rows.count() {
            let (start, storage) = rows.whole(number);
            let slices = rest.each_mut().map(|field| field.split_off_mut(..storage.len()).unwrap_or_default());
            let [y, z] = rows.place(number);
            if let Some(strip) = from(of(y, z)).into_iter().find_map(strip_of) {
                strips[strip].rows.push((number, start, slices));
            }
        }
        let arch = Arch::new();
        strips.par_iter_mut().for_each(|strip| dispatch(arch, RunStrip { cells, strip, action }));
    }
}
