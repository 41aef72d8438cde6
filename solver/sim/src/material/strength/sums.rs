//! The sums over neighbours with strength, eight at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Shape;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, Task, columns, named};
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
    /// Of velocity, in the middle of the step, times offset: x by x, y, z; y by x, y, z; z by x, y, z.
    ways: [f32; 9],
    /// Of offset times offset: xx, yy, zz, xy, xz, yz.
    moment: [f32; 6],
}

impl Strain {
    /// The sum of velocities, m/s, times offsets, and the moment.
    pub fn matrices(&self) -> (DMat3, DMat3) {
        let [xx, yy, zz, xy, xz, yz] = self.moment.map(f64::from);
        let moment = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
        (DMat3::from_cols_array(&self.ways.map(f64::from)).transpose(), moment)
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
        let all = |value: f32| Lanes::splat(eight, value);
        let half = all(half);
        let [own_vx, own_vy, own_vz, _] = self.motions[slot].velocity.map(all);
        let [own_ax, own_ay, own_az, _] = self.motions[slot].acceleration.map(all);
        let (mut ways, mut moment) = ([all(0.0); 9], [all(0.0); 6]);
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
            let along = [
                (own_vx - vx) - (own_ax - ax) * half,
                (own_vy - vy) - (own_ay - ay) * half,
                (own_vz - vz) - (own_az - az) * half,
            ];
            for row in 0..3 {
                for column in 0..3 {
                    ways[3 * row + column] = ways[3 * row + column] + along[row] * weighted[column];
                }
            }
            for (n, value) in [x * weighted[0], y * weighted[1], z * weighted[2]].into_iter().enumerate() {
                moment[n] = moment[n] + value;
            }
            for (n, value) in [x * weighted[1], x * weighted[2], y * weighted[2]].into_iter().enumerate() {
                moment[n + 3] = moment[n + 3] + value;
            }
        }
        Strain { ways: ways.map(|sum| sum.sum() * TO_Q), moment: moment.map(|sum| sum.sum() * (TO_Q * TO_Q)) }
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
        let all = |value: f32| Lanes::splat(eight, value);
        let own = self.tensions[slot].map(|row| row.map(all));
        let mut sums = [all(0.0); 3];
        for group in self.lists.of(slot - self.lists.first) {
            let [x, y, z, _] = eight.turn_places(named(self.places, group));
            let offsets = centre.offsets_to([x, y, z]);
            let near = named(self.tensions, group);
            let rows = [0, 1, 2].map(|n| columns(eight, row_of(near, n)));
            let weight = S::value(offsets.squared.sqrt()) * rows[0][3];
            let [x, y, z] = offsets.along;
            for n in 0..3 {
                let ([own_x, own_y, own_z, _], [of_x, of_y, of_z, _]) = (own[n], rows[n]);
                let pull = (own_x + of_x) * x + (own_y + of_y) * y + (own_z + of_z) * z;
                sums[n] = sums[n] - pull * weight;
            }
        }
        Vec3::from_array(sums.map(|sum| sum.sum() * TO_Q))
    }
}

/// One row of each of eight tensions.
#[inline(always)]
fn row_of<'a>(near: [&'a Tension; LANES], n: usize) -> [&'a Row; LANES] {
    near.map(|tension| &tension[n])
}
