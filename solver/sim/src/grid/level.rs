//! The equations of one step on a staggered grid (Harlow and Welch 1965), matrix-free.
//!
//! Unknown are velocities on the faces of cells, `u_a` of a cell on its low face across axis a, and pressures in
//! cells. With `d_a` the difference along axis a, a step solves (Batty and Bridson 2008; Larionov et al. 2017)
//!
//! ```text
//! m u + d (u - w) + K u + B p = m u*,   B' u = s,
//! u' K u = sum over cells of stretch (d_a u_a)^2 + sum over edges of shear (d_b u_c + d_c u_b)^2
//! ```
//!
//! in which B p is `d_a` p on the open parts of faces, and all is over the mass of a full cell: m is the filled part
//! of a face's volume; stretch is 2 dt eta V / (rho h^2) with V the filled part of a cell, shear is dt eta V / (rho
//! h^2) with V that of an edge's volume. Walls of velocity w drag by d = dt eta A / (rho l h^3) with A their area at
//! the matter of a face and l the distance of its middle, and displace what flows in through the covered parts of a
//! cell's faces, s.

use super::fields::{Field, Fields, RowAction, pass, pass_by, zeros};
use super::rows::{Rows, weighted_corners};
use glam::Vec3;

/// The coefficients of the equations.
#[derive(Debug)]
pub struct Level {
    pub rows: Rows,
    /// Masses of faces.
    pub mass: Fields,
    /// Friction of walls on faces; in a solve also what [stands in](super::Tie::stand_in_for) for walls in contact.
    pub drag: Fields,
    /// The parts of faces that walls cover, with matter or without.
    pub covered: Fields,
    /// 1 for unknown faces, 0 for those that walls cover and those without matter.
    pub free: Fields,
    /// Of cells along each axis; alike but on coarser levels.
    pub stretch: Fields,
    /// Of the edges along each axis, low across both others.
    pub shear: Fields,
    /// 1 for cells that keep their volume, 0 for others.
    pub full: Field,
    /// a^2 / m of free faces with a their open part: the weights of the pressure's Laplacian B' (1/m) B.
    pub lightness: Fields,
    /// Weights of the pressures of cells in the Laplacian, by faces to air that coarser levels do not have themselves.
    pub airy: Field,
    /// Inverse diagonals of m + K and of the Laplacian; zero where nothing is unknown.
    pub inverse: Fields,
    pub inverse_laplacian: Field,
}

/// Stresses in cells, and on the edges along each axis.
#[derive(Debug)]
pub struct Stresses {
    cells: Fields,
    edges: Fields,
}

impl Stresses {
    pub fn zeros(len: usize) -> Self {
        Self { cells: zeros(len), edges: zeros(len) }
    }
}

/// The other two axes, in cyclic order.
pub const fn others(axis: usize) -> [usize; 2] {
    [(axis + 1) % 3, (axis + 2) % 3]
}

impl Level {
    /// No matter in some rows.
    pub fn empty(rows: Rows) -> Self {
        let len = rows.len();
        let [mass, drag, covered, free, stretch, shear, lightness, inverse] = std::array::from_fn(|_| zeros(len));
        let [full, airy, inverse_laplacian] = std::array::from_fn(|_| vec![0.0; len]);
        Self { rows, mass, drag, covered, free, stretch, shear, full, lightness, airy, inverse, inverse_laplacian }
    }

    /// The free faces across an axis around a place, in cells, and their weights between them.
    pub fn free_faces_around(&self, axis: usize, place: Vec3) -> impl Iterator<Item = (usize, f32)> {
        let mut shifted = place - 0.5;
        shifted[axis] += 0.5;
        let low = shifted.floor();
        let near = weighted_corners(shifted - low);
        let faces = near.filter_map(move |(by, weight)| Some((self.rows.index(low.as_ivec3() + by)?, weight)));
        faces.filter(move |(at, _)| self.free[axis][*at] > 0.0)
    }

    /// Finds the weights of the pressure's Laplacian and the inverse diagonals from the other coefficients.
    pub fn invert_diagonals(&mut self) {
        let Self { rows, mass, drag, free, stretch, shear, full, lightness, airy, inverse, inverse_laplacian, .. } =
            self;
        let [x, y, z] = inverse;
        pass_by::<3, ()>(rows, [x, y, z], |(), row, out| {
            for (axis, out) in out.into_iter().enumerate() {
                let [b, c] = others(axis);
                out.copy_from_slice(rows.own(&mass[axis], row));
                let parts = [
                    rows.own(&drag[axis], row),
                    rows.own(&stretch[axis], row),
                    rows.beside(&stretch[axis], row, axis, -1),
                    rows.own(&shear[c], row),
                    rows.beside(&shear[c], row, b, 1),
                    rows.own(&shear[b], row),
                    rows.beside(&shear[b], row, c, 1),
                ];
                for part in parts {
                    add(out, part);
                }
                invert(out, rows.own(&free[axis], row));
            }
        });
        pass_by::<1, ()>(rows, [inverse_laplacian], |(), row, [out]| {
            out.copy_from_slice(rows.own(airy, row));
            for (axis, lightness) in lightness.iter().enumerate() {
                add(out, rows.own(lightness, row));
                add(out, rows.beside(lightness, row, axis, 1));
            }
            invert(out, rows.own(full, row));
        });
    }

    /// Adds to the drag of a face.
    pub fn add_drag(&mut self, axis: usize, at: usize, drag: f32) {
        self.drag[axis][at] += drag;
        let inverse = &mut self.inverse[axis][at];
        *inverse /= 1.0 + drag * *inverse;
    }

    /// Finds the stresses of some velocities.
    pub fn find_stresses(&self, u: &Fields, stresses: &mut Stresses) {
        let Stresses { cells: [xx, yy, zz], edges: [yz, zx, xy] } = stresses;
        pass(&self.rows, [xx, yy, zz, yz, zx, xy], &OfStresses { level: self, u });
    }

    /// (m + d + K) u on the faces of a row across an axis, also those that are not free, by the stresses of u; `u`
    /// are the velocities of these faces.
    #[inline(always)]
    pub fn forces(&self, axis: usize, row: usize, u: &[f32], stresses: &Stresses, out: &mut [f32]) {
        let [b, c] = others(axis);
        let (rows, Stresses { cells, edges }) = (&self.rows, stresses);
        let normal = [rows.own(&cells[axis], row), rows.beside(&cells[axis], row, axis, -1)];
        let along_c = [rows.own(&edges[c], row), rows.beside(&edges[c], row, b, 1)];
        let along_b = [rows.own(&edges[b], row), rows.beside(&edges[b], row, c, 1)];
        balance(out, rows.own(&self.mass[axis], row), rows.own(&self.drag[axis], row), u, normal, along_c, along_b);
    }

    /// (m + d + K) u + B p on the free faces of a row across an axis, by the stresses of u; `u` are the velocities of
    /// these faces.
    #[inline(always)]
    pub fn momentum(&self, axis: usize, row: usize, u: &[f32], stresses: &Stresses, p: &Field, out: &mut [f32]) {
        self.forces(axis, row, u, stresses, out);
        let free = self.rows.own(&self.free[axis], row);
        keep(out, free);
        self.add_gradient(axis, row, p, 1.0, out);
    }

    /// Adds a factor times B p on the free faces of a row across an axis.
    #[inline(always)]
    pub fn add_gradient(&self, axis: usize, row: usize, p: &Field, factor: f32, out: &mut [f32]) {
        let rows = &self.rows;
        let across = [rows.own(p, row), rows.beside(p, row, axis, -1)];
        add_gradient(out, across, [rows.own(&self.free[axis], row), rows.own(&self.covered[axis], row)], factor);
    }

    /// B' u in the full cells of a row: the negative of the divergence.
    #[inline(always)]
    pub fn convergence(&self, row: usize, u: &Fields, out: &mut [f32]) {
        let rows = &self.rows;
        out.fill(0.0);
        for (axis, (u, covered)) in u.iter().zip(&self.covered).enumerate() {
            let [low, high] = [rows.own(u, row), rows.beside(u, row, axis, 1)];
            add_inflow(out, [low, high], [rows.own(covered, row), rows.beside(covered, row, axis, 1)]);
        }
        keep(out, rows.own(&self.full, row));
    }

    /// The weights of the pressure's Laplacian on faces between full cells, and those of the pressures of full cells by
    /// their faces to others.
    pub fn inner_and_airy(&self) -> (Fields, Field) {
        let mut airy = self.airy.clone();
        let inner = std::array::from_fn(|axis| self.split(&self.lightness[axis], &self.full, axis, -1, &mut airy));
        (inner, airy)
    }

    /// The stretch of cells between two free faces, and the drag of faces with that of cells that end at others.
    pub fn inner_and_held(&self, axis: usize) -> (Field, Field) {
        let mut held = self.drag[axis].clone();
        let inner = self.split(&self.stretch[axis], &self.free[axis], axis, 1, &mut held);
        (inner, held)
    }

    /// The coefficients of differences between two unknowns. Those of differences between an unknown and what is none,
    /// by a mask, are added to the unknown's own. A coefficient lies between an entry and the one `by` beside it along
    /// an axis.
    fn split(&self, all: &Field, mask: &Field, axis: usize, by: i32, own: &mut Field) -> Field {
        let (rows, mut inner) = (&self.rows, all.clone());
        pass_by::<2, ()>(rows, [&mut inner, own], |(), row, [inner, own]| {
            let masks = [rows.own(mask, row), rows.beside(mask, row, axis, by), rows.beside(mask, row, axis, -by)];
            split(inner, own, rows.beside(all, row, axis, -by), masks);
        });
        inner
    }

    /// Finds what flows through faces by a pressure, (a/m) B p.
    pub fn find_flows(&self, p: &Field, flows: &mut Fields) {
        let [x, y, z] = flows;
        pass(&self.rows, [x, y, z], &OfFlows { level: self, p });
    }

    /// B' of flows in the full cells of a row.
    #[inline(always)]
    pub fn outflow(&self, row: usize, flows: &Fields, out: &mut [f32]) {
        out.fill(0.0);
        let full = self.rows.own(&self.full, row);
        for (axis, flow) in flows.iter().enumerate() {
            add_difference(out, [self.rows.own(flow, row), self.rows.beside(flow, row, axis, 1)], full);
        }
    }
}

/// Finds [stresses](Level::find_stresses).
struct OfStresses<'a> {
    level: &'a Level,
    u: &'a Fields,
}

impl RowAction<6> for OfStresses<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, [xx, yy, zz, yz, zx, xy]: [&mut [f32]; 6]) {
        let Self { level, u } = *self;
        stretch(level, u, row, 0, xx);
        stretch(level, u, row, 1, yy);
        stretch(level, u, row, 2, zz);
        shear(level, u, row, 0, yz);
        shear(level, u, row, 1, zx);
        shear(level, u, row, 2, xy);
    }
}

#[inline(always)]
fn stretch(level: &Level, u: &Fields, row: usize, axis: usize, out: &mut [f32]) {
    let rows = &level.rows;
    let [low, high] = [rows.own(&u[axis], row), rows.beside(&u[axis], row, axis, 1)];
    stretching(out, rows.own(&level.stretch[axis], row), low, high);
}

#[inline(always)]
fn shear(level: &Level, u: &Fields, row: usize, axis: usize, out: &mut [f32]) {
    let (rows, [b, c]) = (&level.rows, others(axis));
    let of_b = [rows.own(&u[b], row), rows.beside(&u[b], row, c, -1)];
    let of_c = [rows.own(&u[c], row), rows.beside(&u[c], row, b, -1)];
    shearing(out, rows.own(&level.shear[axis], row), of_b, of_c);
}

/// Finds [flows](Level::find_flows).
struct OfFlows<'a> {
    level: &'a Level,
    p: &'a Field,
}

impl RowAction<3> for OfFlows<'_> {
    type Found = ();

    #[inline(always)]
    fn act(&self, (): &mut (), row: usize, out: [&mut [f32]; 3]) {
        let Self { level: Level { rows, lightness, .. }, p } = self;
        let own = rows.own(p, row);
        for (axis, out) in out.into_iter().enumerate() {
            stretching(out, rows.own(&lightness[axis], row), rows.beside(p, row, axis, -1), own);
        }
    }
}

#[inline(always)]
fn add(out: &mut [f32], part: &[f32]) {
    let n = out.len();
    let part = &part[..n];
    for i in 0..n {
        out[i] += part[i];
    }
}

#[inline(always)]
fn invert(out: &mut [f32], unknown: &[f32]) {
    for (out, unknown) in out.iter_mut().zip(unknown) {
        *out = if *unknown > 0.0 && *out > 0.0 { 1.0 / *out } else { 0.0 };
    }
}

/// Takes the coefficients of differences to what is no unknown from `inner` and adds them to the unknowns' own, with
/// those of the differences on their other side.
#[inline(always)]
fn split(inner: &mut [f32], own: &mut [f32], other: &[f32], [mask, beside, behind]: [&[f32]; 3]) {
    let n = inner.len();
    let (own, other) = (&mut own[..n], &other[..n]);
    let (mask, beside, behind) = (&mask[..n], &beside[..n], &behind[..n]);
    for i in 0..n {
        own[i] += mask[i] * (inner[i] * (1.0 - beside[i]) + other[i] * (1.0 - behind[i]));
        inner[i] *= mask[i] * beside[i];
    }
}

/// Sets all to zero where a mask is 0.
#[inline(always)]
pub fn keep(out: &mut [f32], mask: &[f32]) {
    let n = out.len();
    let mask = &mask[..n];
    for i in 0..n {
        out[i] *= mask[i];
    }
}

#[inline(always)]
fn stretching(out: &mut [f32], stiffness: &[f32], low: &[f32], high: &[f32]) {
    let n = out.len();
    let (stiffness, low, high) = (&stiffness[..n], &low[..n], &high[..n]);
    for i in 0..n {
        out[i] = stiffness[i] * (high[i] - low[i]);
    }
}

#[inline(always)]
fn shearing(out: &mut [f32], stiffness: &[f32], [b, b_before]: [&[f32]; 2], [c, c_before]: [&[f32]; 2]) {
    let n = out.len();
    let (stiffness, b, c) = (&stiffness[..n], &b[..n], &c[..n]);
    let (b_before, c_before) = (&b_before[..n], &c_before[..n]);
    for i in 0..n {
        out[i] = stiffness[i] * ((b[i] - b_before[i]) + (c[i] - c_before[i]));
    }
}

#[inline(always)]
fn balance(
    out: &mut [f32],
    mass: &[f32],
    drag: &[f32],
    u: &[f32],
    [normal, before]: [&[f32]; 2],
    [p, p_after]: [&[f32]; 2],
    [q, q_after]: [&[f32]; 2],
) {
    let n = out.len();
    let (mass, drag, u, normal, before) = (&mass[..n], &drag[..n], &u[..n], &normal[..n], &before[..n]);
    let (p, p_after, q, q_after) = (&p[..n], &p_after[..n], &q[..n], &q_after[..n]);
    for i in 0..n {
        out[i] = (mass[i] + drag[i]) * u[i] + (before[i] - normal[i]) + (p[i] - p_after[i]) + (q[i] - q_after[i]);
    }
}

/// Adds a factor times a - b times masks.
#[inline(always)]
fn add_gradient(out: &mut [f32], [a, b]: [&[f32]; 2], [free, covered]: [&[f32]; 2], factor: f32) {
    let n = out.len();
    let (a, b, free, covered) = (&a[..n], &b[..n], &free[..n], &covered[..n]);
    for i in 0..n {
        out[i] += factor * (free[i] * (1.0 - covered[i])) * (a[i] - b[i]);
    }
}

/// Adds what flows in through open parts of the low and the high face.
#[inline(always)]
fn add_inflow(out: &mut [f32], [low, high]: [&[f32]; 2], [covered_low, covered_high]: [&[f32]; 2]) {
    let n = out.len();
    let (low, high) = (&low[..n], &high[..n]);
    let (covered_low, covered_high) = (&covered_low[..n], &covered_high[..n]);
    for i in 0..n {
        out[i] += (1.0 - covered_low[i]) * low[i] - (1.0 - covered_high[i]) * high[i];
    }
}

/// Adds a - b where a mask is 1.
#[inline(always)]
fn add_difference(out: &mut [f32], [a, b]: [&[f32]; 2], mask: &[f32]) {
    let n = out.len();
    let (a, b, mask) = (&a[..n], &b[..n], &mask[..n]);
    for i in 0..n {
        out[i] += mask[i] * (a[i] - b[i]);
    }
}
