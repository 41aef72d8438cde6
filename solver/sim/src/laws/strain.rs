//! The strain of matter with strength: sums of velocities times offsets over neighbours with strength.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::lanes::{splat, sum};
use crate::kernel::KernelShape;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, columns, named};
use crate::neighbours::{BATCH, PackedPosition, TO_Q};
use crate::pairs::PairLaw;
use glam::{DMat3, DVec3, Vec3};
use std::marker::PhantomData;

/// The motion of a slot.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct StrainMotion {
    /// Velocity, m/s, and 1 for matter with strength, 0 for other.
    pub velocity: Row,
    /// Acceleration, m/s^2.
    pub acceleration: Row,
}

/// Sums over a particle's neighbours, with offsets in units of h.
#[derive(Debug, Clone, Copy, Default)]
pub struct Strain {
    /// Of velocity along x, y and z, in the middle of the step, times offset.
    velocities: [Vec3; 3],
    /// Of offset times offset: xx, yy, zz, and
    diagonal: Vec3,
    /// xy, xz, yz.
    beside: Vec3,
}

impl Strain {
    /// The sum of velocities, m/s, times offsets, and the moment.
    pub fn matrices(&self) -> (DMat3, DMat3) {
        let ([x, y, z], [xy, xz, yz]) = (self.velocities, self.beside.as_dvec3().to_array());
        let beside = DMat3::from_cols(DVec3::new(0.0, xy, xz), DVec3::new(xy, 0.0, yz), DVec3::new(xz, yz, 0.0));
        let velocities = DMat3::from_cols(x.as_dvec3(), y.as_dvec3(), z.as_dvec3()).transpose();
        (velocities, DMat3::from_diagonal(self.diagonal.as_dvec3()) + beside)
    }
}

/// Sums displacements and offsets.
pub struct Strains<'a, S> {
    pub places: &'a [PackedPosition],
    pub motions: &'a [StrainMotion],
    /// Half of the seconds of the step of each slot of the batch.
    pub halves: &'a [f32; BATCH],
    pub shape: PhantomData<S>,
}

/// A slot, in lanes.
pub struct Moving<E: Eight> {
    centre: Centre<E>,
    half: Lanes<E>,
    velocity: [Lanes<E>; 4],
    acceleration: [Lanes<E>; 4],
}

/// The sums of a slot, in lanes.
pub struct Straining<E: Eight> {
    velocities: [[Lanes<E>; 3]; 3],
    diagonal: [Lanes<E>; 3],
    beside: [Lanes<E>; 3],
}

impl<S: KernelShape> PairLaw for Strains<'_, S> {
    type Sum = Strain;
    type Own<E: Eight> = Moving<E>;
    type Lanes<E: Eight> = Straining<E>;

    #[inline(always)]
    fn acts_on(&self, slot: usize) -> bool {
        self.motions[slot].velocity[3] > 0.0
    }

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Moving<E>, Straining<E>) {
        let zero = [Lanes::splat(eight, 0.0); 3];
        let own = Moving {
            centre: Centre::new(eight, slot, &self.places[slot]),
            half: Lanes::splat(eight, self.halves[slot % BATCH]),
            velocity: splat(eight, &self.motions[slot].velocity),
            acceleration: splat(eight, &self.motions[slot].acceleration),
        };
        (own, Straining { velocities: [zero; 3], diagonal: zero, beside: zero })
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, own: &Moving<E>, sums: &mut Straining<E>, group: &[u32; LANES]) {
        // The slot itself fills up its last group and adds nothing: its offset is zero.
        let [x, y, z, _] = eight.turn_places(named(self.places, group));
        let offsets = own.centre.offsets_to([x, y, z]);
        let near = named(self.motions, group);
        let [vx, vy, vz, strong] = columns(eight, near.map(|motion| &motion.velocity));
        let [ax, ay, az, _] = columns(eight, near.map(|motion| &motion.acceleration));
        let weight = S::value(offsets.squared.sqrt()) * strong;
        let [x, y, z] = offsets.along;
        let weighted = [x * weight, y * weight, z * weight];
        let (velocity, acceleration) = ([vx, vy, vz], [ax, ay, az]);
        for (axis, sum) in sums.velocities.iter_mut().enumerate() {
            let parting =
                (own.velocity[axis] - velocity[axis]) - (own.acceleration[axis] - acceleration[axis]) * own.half;
            add(sum, parting, weighted);
        }
        let ([wx, wy, wz], [xx, yy, zz], [xy, xz, yz]) = (weighted, sums.diagonal, sums.beside);
        sums.diagonal = [xx + x * wx, yy + y * wy, zz + z * wz];
        sums.beside = [xy + x * wy, xz + x * wz, yz + y * wz];
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &Straining<E>, _slot: usize) -> Strain {
        Strain {
            velocities: sums.velocities.map(sum),
            diagonal: sum(sums.diagonal) * TO_Q,
            beside: sum(sums.beside) * TO_Q,
        }
    }
}

/// Adds a value times each of three components.
#[inline(always)]
fn add<E: Eight>(sums: &mut [Lanes<E>; 3], value: Lanes<E>, [x, y, z]: [Lanes<E>; 3]) {
    *sums = [sums[0] + value * x, sums[1] + value * y, sums[2] + value * z];
}
