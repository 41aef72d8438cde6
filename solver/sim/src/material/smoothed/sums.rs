//! The sums over pairs, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Shape;
use crate::lanes::{self, LANES, Lanes, Offsets, Padded, SUPPORT_SQUARED};
use crate::neighbours::{CellGrid, Ranges};
use glam::Vec3;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Particles that one task handles.
pub const BATCH: usize = 256;

/// Softening of `mu_ij` near r = 0 (DG96 section 2.3: h^2 / 100), in units of h^2.
const SOFTENING: f32 = 0.01;

/// Sorted columns that the force loop reads.
#[derive(Debug, Default)]
pub struct Columns {
    pub velocity: [Padded<f32>; 3],
    pub pressure_term: Padded<f32>,
    pub density: Padded<f32>,
    pub mass: Padded<f32>,
    pub viscosity: Padded<f32>,
    pub modulus: Padded<f32>,
}

/// Where a slot's candidates are.
#[inline(always)]
pub fn ranges(grid: &CellGrid, slot: usize) -> &Ranges {
    &grid.ranges[grid.cell[slot] as usize]
}

/// The density sums of a batch, as a task for [`Arch::dispatch`]: all that is inlined into it uses the machine's
/// vector instructions.
pub struct DensitySums<'a, S> {
    grid: &'a CellGrid,
    first: usize,
    count: usize,
    shape: PhantomData<S>,
}

impl<'a, S: Shape> DensitySums<'a, S> {
    pub fn new(grid: &'a CellGrid, first: usize, count: usize) -> Self {
        Self { grid, first, count, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for DensitySums<'_, S> {
    type Output = [f32; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [0.0; BATCH];
        for (slot, sum) in (self.first..).zip(&mut sums[..self.count]) {
            *sum = density_sum::<S>(self.grid, slot);
        }
        sums
    }
}

/// The pair sums of the forces on a batch, like [`DensitySums`].
pub struct PairForces<'a, S> {
    grid: &'a CellGrid,
    columns: &'a Columns,
    first: usize,
    count: usize,
    shape: PhantomData<S>,
}

impl<'a, S: Shape> PairForces<'a, S> {
    pub fn new(grid: &'a CellGrid, columns: &'a Columns, first: usize, count: usize) -> Self {
        Self { grid, columns, first, count, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for PairForces<'_, S> {
    type Output = [ForceSums; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [ForceSums::default(); BATCH];
        for (slot, sum) in (self.first..).zip(&mut sums[..self.count]) {
            *sum = force_sums::<S>(self.grid, self.columns, slot);
        }
        sums
    }
}

/// Sum of the kernel's shape over the other particles.
#[inline(always)]
fn density_sum<S: Shape>(grid: &CellGrid, slot: usize) -> f32 {
    let mut total: Lanes = [0.0; LANES];
    lanes::for_candidates(grid, slot, ranges(grid, slot), |_, offsets| {
        for (total, &q2) in total.iter_mut().zip(&offsets.squared) {
            *total += S::value(q2.sqrt());
        }
    });
    lanes::sum(&total)
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForceSums {
    /// Sum of `P_i / delta_i^2 + P_j / delta_j^2` times slope and direction, Pa.
    pub pressure: Vec3,
    /// Sum of `m_j Pi_ij` times slope and direction.
    pub viscosity: Vec3,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Largest bulk modulus among the neighbours, Pa.
    pub max_modulus: f32,
    /// Largest viscosity among the neighbours, m/s.
    pub max_viscosity: f32,
}

/// The pair sums of DG96 (4) and (5).
#[inline(always)]
fn force_sums<S: Shape>(grid: &CellGrid, columns: &Columns, slot: usize) -> ForceSums {
    let mut sums = LaneSums::default();
    let own = Own {
        velocity: [columns.velocity[0][slot], columns.velocity[1][slot], columns.velocity[2][slot]],
        pressure_term: columns.pressure_term[slot],
        density: columns.density[slot],
        viscosity: columns.viscosity[slot],
    };
    lanes::for_candidates(
        grid,
        slot,
        ranges(grid, slot),
        #[inline(always)]
        |at, offsets| {
            add_forces::<S>(&mut sums, &own, columns, at, offsets);
        },
    );
    let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes::sum(&lanes[0]), lanes::sum(&lanes[1]), lanes::sum(&lanes[2]));
    ForceSums {
        pressure: vector(&sums.pressure),
        viscosity: vector(&sums.viscosity),
        max_mu: lanes::max(&sums.max_mu),
        max_modulus: lanes::max(&sums.max_modulus),
        max_viscosity: lanes::max(&sums.max_viscosity),
    }
}

struct Own {
    velocity: [f32; 3],
    pressure_term: f32,
    density: f32,
    viscosity: f32,
}

#[derive(Default)]
struct LaneSums {
    pressure: [Lanes; 3],
    viscosity: [Lanes; 3],
    max_mu: Lanes,
    max_modulus: Lanes,
    max_viscosity: Lanes,
}

#[inline(always)]
fn add_forces<S: Shape>(sums: &mut LaneSums, own: &Own, columns: &Columns, at: usize, offsets: &Offsets) {
    let velocity = [0, 1, 2].map(|axis| lanes::load(&columns.velocity[axis], at));
    let pressure_term = lanes::load(&columns.pressure_term, at);
    let density = lanes::load(&columns.density, at);
    let mass = lanes::load(&columns.mass, at);
    let viscosity = lanes::load(&columns.viscosity, at);
    let modulus = lanes::load(&columns.modulus, at);
    for l in 0..LANES {
        let q2 = offsets.squared[l];
        let q = q2.sqrt();
        let approach = (own.velocity[0] - velocity[0][l]) * offsets.x[l]
            + (own.velocity[1] - velocity[1][l]) * offsets.y[l]
            + (own.velocity[2] - velocity[2][l]) * offsets.z[l];
        let near = q2 < SUPPORT_SQUARED;
        let approach = if near { approach.min(0.0) } else { 0.0 };
        let softened = q2 + SOFTENING;
        let mean_density = 0.5 * (own.density + density[l]);
        // One division for the three quotients below.
        let inverse = 1.0 / (q * (softened * mean_density));
        let mu = approach * inverse * (q * mean_density);
        let c = 0.5 * (own.viscosity + viscosity[l]);
        // The slope times the direction's length over q; coincident particles have no direction.
        let slope = if q2 > 0.0 { S::slope(q) * inverse } else { 0.0 };
        let mu = if q2 > 0.0 { mu } else { 0.0 };
        let pressure = (own.pressure_term + pressure_term[l]) * (slope * softened * mean_density);
        // DG96 (5): Pi = (-c mu + 2 mu^2) / mean density.
        let drag = mass[l] * (mu * (2.0 * mu - c)) * (slope * softened);
        sums.pressure[0][l] += pressure * offsets.x[l];
        sums.pressure[1][l] += pressure * offsets.y[l];
        sums.pressure[2][l] += pressure * offsets.z[l];
        sums.viscosity[0][l] += drag * offsets.x[l];
        sums.viscosity[1][l] += drag * offsets.y[l];
        sums.viscosity[2][l] += drag * offsets.z[l];
        sums.max_mu[l] = larger(sums.max_mu[l], -mu);
        sums.max_modulus[l] = larger(sums.max_modulus[l], if near { modulus[l] } else { 0.0 });
        sums.max_viscosity[l] = larger(sums.max_viscosity[l], if near { viscosity[l] } else { 0.0 });
    }
}

/// Unlike `f32::max` one instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}
