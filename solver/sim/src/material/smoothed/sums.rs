//! The sums over pairs, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Shape;
use crate::lanes::{self, LANES, Lanes, Offsets, SUPPORT_SQUARED};
use crate::neighbours::{BATCH, BatchLists, Place};
use glam::Vec3;
use pulp::{Simd, WithSimd};
use std::marker::PhantomData;

/// Softening of `mu_ij` near r = 0 (DG96 section 2.3: h^2 / 100), in units of h^2.
const SOFTENING: f32 = 0.01;

/// What the force loop reads of each sorted slot besides its place, four numbers a row: see [`lanes::gather`].
#[derive(Debug, Default)]
pub struct Rows {
    /// Velocity, m/s, and pressure term, Pa.
    pub motion: Vec<[f32; 4]>,
    /// Density, kg/m^3, mass, kg, viscosity, m/s, and local modulus, Pa.
    pub matter: Vec<[f32; 4]>,
}

/// The density sums of some slots of a batch, as a task for [`Arch::dispatch`](pulp::Arch::dispatch): all that is inlined into it uses
/// the machine's vector instructions.
pub struct DensitySums<'a, S> {
    places: &'a [Place],
    lists: &'a BatchLists,
    slots: &'a [u32],
    shape: PhantomData<S>,
}

impl<'a, S: Shape> DensitySums<'a, S> {
    pub fn new(places: &'a [Place], lists: &'a BatchLists, slots: &'a [u32]) -> Self {
        Self { places, lists, slots, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for DensitySums<'_, S> {
    type Output = [f32; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [0.0; BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = density_sum::<S>(self.places, slot, self.lists.of(slot - self.lists.first));
        }
        sums
    }
}

/// The pair sums of the forces on some slots of a batch, like [`DensitySums`].
pub struct PairForces<'a, S> {
    places: &'a [Place],
    lists: &'a BatchLists,
    slots: &'a [u32],
    rows: &'a Rows,
    shape: PhantomData<S>,
}

impl<'a, S: Shape> PairForces<'a, S> {
    pub fn new(places: &'a [Place], lists: &'a BatchLists, slots: &'a [u32], rows: &'a Rows) -> Self {
        Self { places, lists, slots, rows, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for PairForces<'_, S> {
    type Output = [ForceSums; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [ForceSums::default(); BATCH];
        for (&slot, sums) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sums = force_sums::<S>(self.places, self.rows, slot, self.lists.of(slot - self.lists.first));
        }
        sums
    }
}

/// Counts a batch's pairs within the support, like [`DensitySums`].
pub struct CountPairs<'a> {
    pub places: &'a [Place],
    pub lists: &'a BatchLists,
}

impl WithSimd for CountPairs<'_> {
    type Output = u64;

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> u64 {
        let groups = (0..self.lists.len()).flat_map(|n| self.lists.of(n).iter().map(move |group| (n, group)));
        let near = |(n, group)| {
            let offsets = lanes::offsets(self.places, self.lists.first + n, group);
            offsets.squared.iter().filter(|&&q2| q2 < SUPPORT_SQUARED).count() as u64
        };
        groups.map(near).sum()
    }
}

/// Sum of the kernel's shape over the other particles.
#[inline(always)]
fn density_sum<S: Shape>(places: &[Place], slot: usize, list: &[[u32; LANES]]) -> f32 {
    let mut total: Lanes = [0.0; LANES];
    for group in list {
        let offsets = lanes::offsets(places, slot, group);
        for (total, &q2) in total.iter_mut().zip(&offsets.squared) {
            *total += S::value(q2.sqrt());
        }
    }
    lanes::sum(&total)
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
    /// Largest local modulus among the neighbours, Pa.
    pub max_modulus: f32,
    /// Largest viscosity among the neighbours, m/s.
    pub max_viscosity: f32,
    /// Smallest and largest tag of a [`Place`] among the neighbours and the particle itself.
    pub tags: (i32, i32),
}

/// The pair sums of DG96 (4) and (5).
#[inline(always)]
fn force_sums<S: Shape>(places: &[Place], rows: &Rows, slot: usize, list: &[[u32; LANES]]) -> ForceSums {
    let own_tag = places[slot][3];
    let mut sums = LaneSums { min_tag: [own_tag; LANES], max_tag: [own_tag; LANES], ..LaneSums::default() };
    let ([vx, vy, vz, pressure_term], [density, _, viscosity, _]) = (rows.motion[slot], rows.matter[slot]);
    let own = Own { velocity: [vx, vy, vz], pressure_term, density, viscosity };
    for group in list {
        add_forces::<S>(&mut sums, &own, rows, group, &lanes::offsets(places, slot, group));
    }
    let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes::sum(&lanes[0]), lanes::sum(&lanes[1]), lanes::sum(&lanes[2]));
    ForceSums {
        pressure: vector(&sums.pressure),
        virial: lanes::sum(&sums.virial),
        viscosity: vector(&sums.viscosity),
        density_rate: lanes::sum(&sums.density_rate),
        max_mu: lanes::max(&sums.max_mu),
        max_modulus: lanes::max(&sums.max_modulus),
        max_viscosity: lanes::max(&sums.max_viscosity),
        tags: (sums.min_tag.into_iter().fold(own_tag, i32::min), sums.max_tag.into_iter().fold(own_tag, i32::max)),
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
    virial: Lanes,
    viscosity: [Lanes; 3],
    density_rate: Lanes,
    max_mu: Lanes,
    max_modulus: Lanes,
    max_viscosity: Lanes,
    min_tag: [i32; LANES],
    max_tag: [i32; LANES],
}

#[inline(always)]
fn add_forces<S: Shape>(sums: &mut LaneSums, own: &Own, rows: &Rows, group: &[u32; LANES], offsets: &Offsets) {
    let [vx, vy, vz, pressure_term] = lanes::gather(&rows.motion, group);
    let [density, mass, viscosity, modulus] = lanes::gather(&rows.matter, group);
    for l in 0..LANES {
        let q2 = offsets.squared[l];
        let q = q2.sqrt();
        let approach = (own.velocity[0] - vx[l]) * offsets.x[l]
            + (own.velocity[1] - vy[l]) * offsets.y[l]
            + (own.velocity[2] - vz[l]) * offsets.z[l];
        let near = q2 < SUPPORT_SQUARED;
        let parting = approach;
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
        sums.virial[l] += pressure * q2;
        sums.viscosity[0][l] += drag * offsets.x[l];
        sums.viscosity[1][l] += drag * offsets.y[l];
        sums.viscosity[2][l] += drag * offsets.z[l];
        sums.density_rate[l] += parting * (slope * softened * mean_density);
        sums.max_mu[l] = larger(sums.max_mu[l], -mu);
        sums.max_modulus[l] = larger(sums.max_modulus[l], if near { modulus[l] } else { 0.0 });
        sums.max_viscosity[l] = larger(sums.max_viscosity[l], if near { viscosity[l] } else { 0.0 });
        sums.min_tag[l] = if near && offsets.tag[l] < sums.min_tag[l] { offsets.tag[l] } else { sums.min_tag[l] };
        sums.max_tag[l] = if near && offsets.tag[l] > sums.max_tag[l] { offsets.tag[l] } else { sums.max_tag[l] };
    }
}

/// Unlike `f32::max` one instruction.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}
