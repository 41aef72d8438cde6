//! Pressure and viscosity of smoothed matter, DG96 (4) and (5).

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::lanes::sum;
use crate::SmoothingKernel;
use crate::kernel::KernelShape;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, columns, named, numbers};
use crate::lattice::{Calibration, distances};
use crate::neighbours::{PackedPosition, TO_Q};
use crate::pairs::{PairLaw, Tags};
use glam::Vec3;
use std::marker::PhantomData;

/// Softening of `mu_ij` near r = 0 (DG96 section 2.3: h^2 / 100), in units of h^2.
const SOFTENING: f32 = 0.01;

/// The rate, times h, m, at which a viscosity of 1 m/s slows a particle on the lattice among neighbours at rest, DG96
/// (5): about 1, and higher with more neighbours.
pub fn friction(kernel: &SmoothingKernel, spacing: f64) -> f64 {
    let squared = kernel.smoothing_length().powi(2);
    let pair = |r: f64| -kernel.derivative(r) * r / (r * r + f64::from(SOFTENING) * squared);
    let sum: f64 = distances(kernel, spacing).into_iter().map(pair).sum();
    squared * Calibration::new(kernel, spacing).factor * spacing.powi(3) * sum / kernel.dimension_count()
}

/// The columns of a sorted slot that the force loop reads, in rows that are loaded at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neighbour {
    /// Place, and tag.
    pub place: PackedPosition,
    /// Velocity, m/s, and pressure term, Pa.
    pub motion: Row,
    /// Half the density, kg/m^3, mass, kg, half the viscosity, m/s, and local modulus, Pa.
    pub matter: Row,
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct ForceSums {
    /// Sum of `P_i / delta_i^2 + P_j / delta_j^2` times slope and direction, Pa.
    pub pressure: Vec3,
    /// The same sum of terms times slope and q, Pa: six times the virial of the pair forces.
    pub virial: f32,
    /// Sum of `m_j Pi_ij` times slope and direction.
    pub viscosity: Vec3,
    /// Sum of `(v_i - v_j) . grad W_ij` without its factors: the rate of the density sum.
    pub density_rate: f32,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Largest local modulus among the neighbours, possibly including its own, Pa.
    pub max_modulus: f32,
    /// Largest viscosity among the neighbours, possibly including its own, m/s.
    pub max_viscosity: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

/// The sums of pressure and viscosity.
pub struct Forces<'a, S> {
    pub rows: &'a [Neighbour],
    pub shape: PhantomData<S>,
}

impl<S: KernelShape> PairLaw for Forces<'_, S> {
    type Sum = ForceSums;
    type Own<E: Eight> = Own<E>;
    type Lanes<E: Eight> = ForceLaneSums<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Own<E>, ForceLaneSums<E>) {
        (Own::new(eight, slot, &self.rows[slot]), ForceLaneSums::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, own: &Own<E>, sums: &mut ForceLaneSums<E>, group: &[u32; LANES]) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(self.rows, group);
        // The slot itself fills up its last group and adds nothing: it is not apart from itself.
        let [x, y, z, tag] = eight.turn_places(rows.map(|row| &row.place));
        let tag = numbers(eight, tag);
        let offsets = own.centre.offsets_to([x, y, z]);
        let [x, y, z] = offsets.along;
        let q2 = offsets.squared;
        let q = q2.sqrt();
        let near = q2.below(constant(SUPPORT_SQUARED));
        // Coincident particles have no direction.
        let apart = constant(0.0).below(q2);
        let [vx, vy, vz, pressure_term] = columns(eight, rows.map(|row| &row.motion));
        let [half_density, mass, half_viscosity, modulus] = columns(eight, rows.map(|row| &row.matter));
        let parting = (own.velocity[0] - vx) * x + (own.velocity[1] - vy) * y + (own.velocity[2] - vz) * z;
        let approach = (parting * constant(TO_Q)).negative().keep(near);
        let softened = q2 + constant(SOFTENING);
        let density = own.half_density + half_density;
        // One division for the three quotients below.
        let softened_density = softened * density;
        let inverse = constant(1.0) / (q * softened_density);
        let mu = (approach * inverse * (q * density)).keep(apart);
        // The slope times the direction's length over q.
        let slope = (S::slope(q) * inverse).keep(apart);
        let along_slope = slope * softened_density;
        let pressure = (own.pressure_term + pressure_term) * along_slope;
        // DG96 (5): Pi = (-c mu + 2 mu^2) / mean density.
        let c = own.half_viscosity + half_viscosity;
        let drag = mass * (mu * (mu + mu - c)) * (slope * softened);
        for (axis, along) in [x, y, z].into_iter().enumerate() {
            sums.pressure[axis] = sums.pressure[axis] + pressure * along;
            sums.viscosity[axis] = sums.viscosity[axis] + drag * along;
        }
        sums.virial = sums.virial + pressure * q2;
        sums.density_rate = sums.density_rate + parting * along_slope;
        sums.max_mu = sums.max_mu.larger(constant(0.0) - mu);
        sums.max_modulus = sums.max_modulus.larger(modulus.keep(near));
        sums.max_half_viscosity = sums.max_half_viscosity.larger(half_viscosity.keep(near));
        sums.tags.meet(tag, near);
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &ForceLaneSums<E>, slot: usize) -> ForceSums {
        ForceSums {
            pressure: sum(sums.pressure),
            virial: sums.virial.sum(),
            viscosity: sum(sums.viscosity),
            density_rate: sums.density_rate.sum() * TO_Q,
            max_mu: sums.max_mu.max(),
            max_modulus: sums.max_modulus.max(),
            max_viscosity: 2.0 * sums.max_half_viscosity.max(),
            tags: sums.tags.with(self.rows[slot].place[3] as u8),
        }
    }
}

/// A slot in all lanes.
pub struct Own<E: Eight> {
    centre: Centre<E>,
    velocity: [Lanes<E>; 3],
    pressure_term: Lanes<E>,
    half_density: Lanes<E>,
    half_viscosity: Lanes<E>,
}

impl<E: Eight> Own<E> {
    #[inline(always)]
    fn new(eight: E, slot: usize, row: &Neighbour) -> Self {
        let [vx, vy, vz, pressure_term] = row.motion.map(|value| Lanes::splat(eight, value));
        let [half_density, _, half_viscosity, _] = row.matter.map(|value| Lanes::splat(eight, value));
        let centre = Centre::new(eight, slot, &row.place);
        Self { centre, velocity: [vx, vy, vz], pressure_term, half_density, half_viscosity }
    }
}

/// [`ForceSums`] in lanes, of directions in units of support / 2^20.
pub struct ForceLaneSums<E: Eight> {
    pressure: [Lanes<E>; 3],
    virial: Lanes<E>,
    viscosity: [Lanes<E>; 3],
    density_rate: Lanes<E>,
    max_mu: Lanes<E>,
    max_modulus: Lanes<E>,
    max_half_viscosity: Lanes<E>,
    tags: Tags<E>,
}

impl<E: Eight> ForceLaneSums<E> {
    #[inline(always)]
    fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            pressure: [zero; 3],
            virial: zero,
            viscosity: [zero; 3],
            density_rate: zero,
            max_mu: zero,
            max_modulus: zero,
            max_half_viscosity: zero,
            tags: Tags::new(eight),
        }
    }
}
