//! Forces of the stress of matter with strength.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::lanes::{splat, sum};
use crate::kernel::KernelShape;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, columns, named};
use crate::neighbours::PackedPosition;
use crate::pairs::PairLaw;
use glam::Vec3;
use std::marker::PhantomData;

/// T of a slot: rows, each followed by a number; the first by 1 for matter with strength, 0 for other.
pub type Tension = [Row; 3];

/// Sums the forces of tensions.
pub struct Pulls<'a, S> {
    pub places: &'a [PackedPosition],
    pub tensions: &'a [Tension],
    pub shape: PhantomData<S>,
}

/// A slot, in lanes.
pub struct Pulling<E: Eight> {
    centre: Centre<E>,
    own: [[Lanes<E>; 4]; 3],
}

impl<S: KernelShape> PairLaw for Pulls<'_, S> {
    type Sum = Vec3;
    type Own<E: Eight> = Pulling<E>;
    type Lanes<E: Eight> = [Lanes<E>; 3];

    #[inline(always)]
    fn acts_on(&self, slot: usize) -> bool {
        self.tensions[slot][0][3] > 0.0
    }

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Pulling<E>, [Lanes<E>; 3]) {
        let [x, y, z] = &self.tensions[slot];
        let own = Pulling {
            centre: Centre::new(eight, slot, &self.places[slot]),
            own: [splat(eight, x), splat(eight, y), splat(eight, z)],
        };
        (own, [Lanes::splat(eight, 0.0); 3])
    }

    #[inline(always)]
    fn meet<E: Eight>(
        &self,
        eight: E,
        Pulling { centre, own }: &Pulling<E>,
        sums: &mut [Lanes<E>; 3],
        group: &[u32; LANES],
    ) {
        let [x, y, z, _] = eight.turn_places(named(self.places, group));
        let offsets = centre.offsets_to([x, y, z]);
        let near = named(self.tensions, group);
        let of_x = columns(eight, near.map(|tension| &tension[0]));
        let of_y = columns(eight, near.map(|tension| &tension[1]));
        let of_z = columns(eight, near.map(|tension| &tension[2]));
        let weight = S::value(offsets.squared.sqrt()) * of_x[3];
        let [x, y, z] = offsets.along;
        let weighted = [x * weight, y * weight, z * weight];
        *sums = [
            sums[0] - along(own[0], of_x, weighted),
            sums[1] - along(own[1], of_y, weighted),
            sums[2] - along(own[2], of_z, weighted),
        ];
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &[Lanes<E>; 3], _slot: usize) -> Vec3 {
        sum(*sums)
    }
}

/// The sum of two rows times offsets.
#[inline(always)]
fn along<E: Eight>(own: [Lanes<E>; 4], of: [Lanes<E>; 4], [x, y, z]: [Lanes<E>; 3]) -> Lanes<E> {
    (own[0] + of[0]) * x + (own[1] + of[1]) * y + (own[2] + of[2]) * z
}
