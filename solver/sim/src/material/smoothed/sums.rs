//! The sums over pairs, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Shape;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, Task, columns, named, numbers};
use crate::material::tags::Tags;
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use glam::Vec3;
use std::marker::PhantomData;

/// Softening of `mu_ij` near r = 0 (DG96 section 2.3: h^2 / 100), in units of h^2.
const SOFTENING: f32 = 0.01;

/// What the force loop reads of a sorted slot, in rows that are loaded at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neighbour {
    /// Where it is, and its tag.
    pub place: Place,
    /// Velocity, m/s, and pressure term, Pa.
    pub motion: Row,
    /// Half the density, kg/m^3, mass, kg, half the viscosity, m/s, and local modulus, Pa.
    pub matter: Row,
}

/// The density sums of some slots of a batch, as a task for [`dispatch`](crate::lanes::dispatch).
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

impl<S: Shape> Task for DensitySums<'_, S> {
    type Output = [f32; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [0.0; BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = density_sum::<E, S>(eight, self.places, slot, self.lists.of(slot - self.lists.first));
        }
        sums
    }
}

/// The pair sums of the forces on some slots of a batch, like [`DensitySums`].
pub struct PairForces<'a, S> {
    rows: &'a [Neighbour],
    lists: &'a BatchLists,
    slots: &'a [u32],
    shape: PhantomData<S>,
}

impl<'a, S: Shape> PairForces<'a, S> {
    pub fn new(rows: &'a [Neighbour], lists: &'a BatchLists, slots: &'a [u32]) -> Self {
        Self { rows, lists, slots, shape: PhantomData }
    }
}

impl<S: Shape> Task for PairForces<'_, S> {
    type Output = [ForceSums; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [ForceSums::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = force_sums::<E, S>(eight, self.rows, slot, self.lists.of(slot - self.lists.first));
        }
        sums
    }
}

/// Counts a batch's pairs within the support, like [`DensitySums`].
pub struct CountPairs<'a> {
    pub places: &'a [Place],
    pub lists: &'a BatchLists,
}

impl Task for CountPairs<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> u64 {
        let mut total = Lanes::splat(eight, 0.0);
        let (one, limit) = (Lanes::splat(eight, 1.0), Lanes::splat(eight, SUPPORT_SQUARED));
        for n in 0..self.lists.len() {
            let centre = Centre::new(eight, self.lists.first + n, &self.places[self.lists.first + n]);
            for group in self.lists.of(n) {
                let offsets = centre.offsets(group, eight.turn_places(named(self.places, group)));
                total = total + one.keep(offsets.squared.below(limit));
            }
        }
        total.sum() as u64
    }
}

/// Sum of the kernel's shape over the other particles.
#[inline(always)]
fn density_sum<E: Eight, S: Shape>(eight: E, places: &[Place], slot: usize, list: &[[u32; LANES]]) -> f32 {
    let centre = Centre::new(eight, slot, &places[slot]);
    let mut total = Lanes::splat(eight, 0.0);
    let Some((last, whole)) = list.split_last() else { return 0.0 };
    for group in whole {
        let [x, y, z, _] = eight.turn_places(named(places, group));
        let offsets = centre.offsets_to([x, y, z]);
        total = total + S::value(offsets.squared.sqrt());
    }
    let offsets = centre.offsets(last, eight.turn_places(named(places, last)));
    (total + S::value(offsets.squared.sqrt())).sum()
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
    /// Largest local modulus among the neighbours, and perhaps its own, Pa.
    pub max_modulus: f32,
    /// Largest viscosity among the neighbours, and perhaps its own, m/s.
    pub max_viscosity: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

/// The pair sums of DG96 (4) and (5).
#[inline(always)]
fn force_sums<E: Eight, S: Shape>(eight: E, rows: &[Neighbour], slot: usize, list: &[[u32; LANES]]) -> ForceSums {
    let own = Own::new(eight, &rows[slot]);
    let centre = Centre::new(eight, slot, &rows[slot].place);
    let mut sums = LaneSums::new(eight);
    for group in list {
        add_forces::<E, S>(eight, &mut sums, &own, &centre, rows, group);
    }
    let vector = |[x, y, z]: [Lanes<E>; 3]| Vec3::new(x.sum(), y.sum(), z.sum()) * TO_Q;
    ForceSums {
        pressure: vector(sums.pressure),
        virial: sums.virial.sum(),
        viscosity: vector(sums.viscosity),
        density_rate: sums.density_rate.sum() * TO_Q,
        max_mu: sums.max_mu.max(),
        max_modulus: sums.max_modulus.max(),
        max_viscosity: 2.0 * sums.max_half_viscosity.max(),
        tags: sums.tags.with(rows[slot].place[3] as u8),
    }
}

struct Own<E: Eight> {
    velocity: [Lanes<E>; 3],
    pressure_term: Lanes<E>,
    half_density: Lanes<E>,
    half_viscosity: Lanes<E>,
}

impl<E: Eight> Own<E> {
    #[inline(always)]
    fn new(eight: E, row: &Neighbour) -> Self {
        let [vx, vy, vz, pressure_term] = row.motion.map(|value| Lanes::splat(eight, value));
        let [half_density, _, half_viscosity, _] = row.matter.map(|value| Lanes::splat(eight, value));
        Self { velocity: [vx, vy, vz], pressure_term, half_density, half_viscosity }
    }
}

/// [`ForceSums`] in lanes, of directions in units of support / 2^20.
struct LaneSums<E: Eight> {
    pressure: [Lanes<E>; 3],
    virial: Lanes<E>,
    viscosity: [Lanes<E>; 3],
    density_rate: Lanes<E>,
    max_mu: Lanes<E>,
    max_modulus: Lanes<E>,
    max_half_viscosity: Lanes<E>,
    tags: Tags<E>,
}

impl<E: Eight> LaneSums<E> {
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

#[inline(always)]
fn add_forces<E: Eight, S: Shape>(
    eight: E,
    sums: &mut LaneSums<E>,
    own: &Own<E>,
    centre: &Centre<E>,
    rows: &[Neighbour],
    group: &[u32; LANES],
) {
    let constant = |value: f32| Lanes::splat(eight, value);
    let rows = named(rows, group);
    // The slot itself, which fills up its last group, adds nothing: it is not apart from itself.
    let [x, y, z, tag] = eight.turn_places(rows.map(|row| &row.place));
    let tag = numbers(eight, tag);
    let offsets = centre.offsets_to([x, y, z]);
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
