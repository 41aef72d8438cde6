//! The sums over neighbours with strength, eight at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Shape;
use crate::lanes::{Centre, Eight, Lanes, Row, Task, columns, named};
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use glam::{DMat3, DVec3, Vec3};
use std::marker::PhantomData;

/// How a slot moves.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct Motion {
    /// Velocity, m/s, and 1 for matter with strength, 0 for other.
    pub velocity: Row,
    /// Acceleration, m/s^2.
    pub acceleration: Row,
}

/// T of a slot: rows, each followed by a number; the first by 1 for matter with strength, 0 for other.
pub type Tension = [Row; 3];

/// Sums of ways and offsets over the neighbours of some slots of a batch, as a task for [`dispatch`](crate::lanes::dispatch).
pub struct Strains<'a, S> {
    pub places: &'a [Place],
    pub motions: &'a [Motion],
    pub lists: &'a BatchLists,
    pub slots: &'a [u32],
    /// Half of the seconds of each slot's step.
    pub halves: &'a [f32; BATCH],
    pub shape: PhantomData<S>,
}

/// Sums over a particle's neighbours, with offsets in units of h.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strain {
    /// Of velocity along x, y and z, in the middle of the step, times offset.
    ways: [Vec3; 3],
    /// Of offset times offset: xx, yy, zz, and
    diagonal: Vec3,
    /// xy, xz, yz.
    beside: Vec3,
}

impl Strain {
    /// The sum of velocities, m/s, times offsets, and the moment.
    pub fn matrices(&self) -> (DMat3, DMat3) {
        let ([x, y, z], [xy, xz, yz]) = (self.ways, self.beside.as_dvec3().to_array());
        let beside = DMat3::from_cols(DVec3::new(0.0, xy, xz), DVec3::new(xy, 0.0, yz), DVec3::new(xz, yz, 0.0));
        let ways = DMat3::from_cols(x.as_dvec3(), y.as_dvec3(), z.as_dvec3()).transpose();
        (ways, DMat3::from_diagonal(self.diagonal.as_dvec3()) + beside)
    }
}

impl<S: Shape> Task for Strains<'_, S> {
    type Output = [Strain; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [Strain::default(); BATCH];
        for ((&slot, &half), sum) in self.slots.iter().zip(self.halves).zip(&mut sums) {
            if self.motions[slot as usize].velocity[3] > 0.0 {
                *sum = self.strain(eight, slot as usize, half);
            }
        }
        sums
    }
}

impl<S: Shape> Strains<'_, S> {
    #[inline(always)]
    fn strain<E: Eight>(&self, eight: E, slot: usize, half: f32) -> Strain {
        let centre = Centre::new(eight, slot, &self.places[slot]);
        let (half, zero) = (Lanes::splat(eight, half), Lanes::splat(eight, 0.0));
        let [own_vx, own_vy, own_vz, _] = splat(eight, &self.motions[slot].velocity);
        let [own_ax, own_ay, own_az, _] = splat(eight, &self.motions[slot].acceleration);
        let (mut by_x, mut by_y, mut by_z) = ([zero; 3], [zero; 3], [zero; 3]);
        let (mut diagonal, mut beside) = ([zero; 3], [zero; 3]);
        for group in self.lists.of(slot - self.lists.first) {
            // The slot itself, which fills up its last group, adds nothing: its offset is zero.
            let [x, y, z, _] = eight.turn_places(named(self.places, group));
            let offsets = centre.offsets_to([x, y, z]);
            let near = named(self.motions, group);
            let [vx, vy, vz, strong] = columns(eight, near.map(|motion| &motion.velocity));
            let [ax, ay, az, _] = columns(eight, near.map(|motion| &motion.acceleration));
            let weight = S::value(offsets.squared.sqrt()) * strong;
            let [x, y, z] = offsets.along;
            let weighted = [x * weight, y * weight, z * weight];
            add(&mut by_x, (own_vx - vx) - (own_ax - ax) * half, weighted);
            add(&mut by_y, (own_vy - vy) - (own_ay - ay) * half, weighted);
            add(&mut by_z, (own_vz - vz) - (own_az - az) * half, weighted);
            let [wx, wy, wz] = weighted;
            diagonal = [diagonal[0] + x * wx, diagonal[1] + y * wy, diagonal[2] + z * wz];
            beside = [beside[0] + x * wy, beside[1] + x * wz, beside[2] + y * wz];
        }
        Strain { ways: [sum(by_x), sum(by_y), sum(by_z)], diagonal: sum(diagonal) * TO_Q, beside: sum(beside) * TO_Q }
    }
}

/// Forces of tensions on some slots of a batch, like [`Strains`].
pub struct Pulls<'a, S> {
    pub places: &'a [Place],
    pub tensions: &'a [Tension],
    pub lists: &'a BatchLists,
    pub slots: &'a [u32],
    pub shape: PhantomData<S>,
}

impl<S: Shape> Task for Pulls<'_, S> {
    type Output = [Vec3; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [Vec3::ZERO; BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            if self.tensions[slot as usize][0][3] > 0.0 {
                *sum = self.pull(eight, slot as usize);
            }
        }
        sums
    }
}

impl<S: Shape> Pulls<'_, S> {
    #[inline(always)]
    fn pull<E: Eight>(&self, eight: E, slot: usize) -> Vec3 {
        let centre = Centre::new(eight, slot, &self.places[slot]);
        let [x_row, y_row, z_row] = &self.tensions[slot];
        let own = [splat(eight, x_row), splat(eight, y_row), splat(eight, z_row)];
        let zero = Lanes::splat(eight, 0.0);
        let mut sums = [zero; 3];
        for group in self.lists.of(slot - self.lists.first) {
            let [x, y, z, _] = eight.turn_places(named(self.places, group));
            let offsets = centre.offsets_to([x, y, z]);
            let near = named(self.tensions, group);
            let of_x = columns(eight, near.map(|tension| &tension[0]));
            let of_y = columns(eight, near.map(|tension| &tension[1]));
            let of_z = columns(eight, near.map(|tension| &tension[2]));
            let weight = S::value(offsets.squared.sqrt()) * of_x[3];
            let [x, y, z] = offsets.along;
            let weighted = [x * weight, y * weight, z * weight];
            sums = [
                sums[0] - along(own[0], of_x, weighted),
                sums[1] - along(own[1], of_y, weighted),
                sums[2] - along(own[2], of_z, weighted),
            ];
        }
        sum(sums)
    }
}

/// A row in all lanes.
#[inline(always)]
fn splat<E: Eight>(eight: E, row: &Row) -> [Lanes<E>; 4] {
    let [a, b, c, d] = *row;
    [Lanes::splat(eight, a), Lanes::splat(eight, b), Lanes::splat(eight, c), Lanes::splat(eight, d)]
}

/// Adds a value times each of three.
#[inline(always)]
fn add<E: Eight>(sums: &mut [Lanes<E>; 3], value: Lanes<E>, [x, y, z]: [Lanes<E>; 3]) {
    *sums = [sums[0] + value * x, sums[1] + value * y, sums[2] + value * z];
}

/// The sum of two rows times offsets.
#[inline(always)]
fn along<E: Eight>(own: [Lanes<E>; 4], of: [Lanes<E>; 4], [x, y, z]: [Lanes<E>; 3]) -> Lanes<E> {
    (own[0] + of[0]) * x + (own[1] + of[1]) * y + (own[2] + of[2]) * z
}

/// Sums over the lanes of three, with offsets in units of h.
#[inline(always)]
fn sum<E: Eight>([x, y, z]: [Lanes<E>; 3]) -> Vec3 {
    Vec3::new(x.sum(), y.sum(), z.sum()) * TO_Q
}
