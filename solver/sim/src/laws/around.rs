//! The arrangement of a particle's neighbours, as conduction weighs them.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::conduction::weight;
use super::lanes::sum;
use crate::kernel::KernelShape;
use crate::lanes::{Centre, Eight, LANES, Lanes, named};
use crate::neighbours::{PackedPosition, TO_Q};
use crate::pairs::PairLaw;
use glam::{Mat3, Vec3};
use std::marker::PhantomData;

/// The axes of the products that [`Around`] sums.
const PRODUCTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// Sums over the arrangement of a slot's neighbours, in units of h.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Around {
    /// Sums of weight times products of the offset's components: xx, yy, zz, yz, xz, xy.
    pub moments: [f32; 6],
    /// Sum of weight times offset: it points to where most neighbours are.
    pub pull: Vec3,
}

impl Around {
    /// Sum of weight times q^2.
    pub fn moment(&self) -> f32 {
        self.moments[..3].iter().sum()
    }

    /// Traces of the square and of the cube of the moments as a matrix, with a number added to its diagonal.
    pub fn traces(&self, more: f32) -> (f32, f32) {
        let [xx, yy, zz, yz, xz, xy] = self.moments;
        let matrix = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        let matrix = matrix + Mat3::from_diagonal(Vec3::splat(more));
        let square = matrix * matrix;
        let trace = |m: Mat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        (trace(square), trace(square * matrix))
    }
}

/// Sums the moments and the pull.
pub struct Surroundings<'a, S> {
    pub places: &'a [PackedPosition],
    pub shape: PhantomData<S>,
}

/// Sums of a slot, in lanes.
pub struct Surrounding<E: Eight> {
    moments: [Lanes<E>; 6],
    pull: [Lanes<E>; 3],
}

impl<S: KernelShape> PairLaw for Surroundings<'_, S> {
    type Sum = Around;
    type Own<E: Eight> = Centre<E>;
    type Lanes<E: Eight> = Surrounding<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Centre<E>, Surrounding<E>) {
        let (centre, zero) = (Centre::new(eight, slot, &self.places[slot]), Lanes::splat(eight, 0.0));
        (centre, Surrounding { moments: [zero; 6], pull: [zero; 3] })
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, centre: &Centre<E>, sums: &mut Surrounding<E>, group: &[u32; LANES]) {
        // The slot itself, which fills up its last group, has no weight.
        let [x, y, z, _] = eight.turn_places(named(self.places, group));
        let offsets = centre.offsets_to([x, y, z]);
        let weight = weight::<S, _>(offsets.squared.sqrt());
        let weighted = offsets.along.map(|along| weight * along);
        for (sum, (a, b)) in sums.moments.iter_mut().zip(PRODUCTS) {
            *sum = *sum + weighted[a] * offsets.along[b];
        }
        // Offsets are from the neighbour.
        (0..3).for_each(|axis| sums.pull[axis] = sums.pull[axis] - weighted[axis]);
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &Surrounding<E>, _slot: usize) -> Around {
        let moments = sums.moments.map(|sum| sum.sum() * TO_Q * TO_Q);
        Around { moments, pull: sum(sums.pull) }
    }
}
