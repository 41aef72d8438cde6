//! The sums over pairs that conduct heat, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::{Real, Shape};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, Task, columns, named};
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use crate::{SmoothingKernel, with_shape};
use glam::{Mat3, Vec3};
use std::marker::PhantomData;
use std::ops::{Add, Div};

/// Softening of the weight near q = 0.
const SOFTENING: f32 = 0.01;

/// Keeps the mean of two conductivities of zero from being no number.
const LEAST: f32 = 1e-30;

/// What the loop reads of a slot.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conductor {
    pub place: Place,
    /// Temperature, K, conductivity, W/(m K), [correction](super::conduction::Conduction), and free surface, m^2.
    pub row: Row,
}

/// Weight of a pair at q^2: -W'(q) / q, softened.
#[inline(always)]
pub fn weight<S: Shape, T: Real + Add<Output = T> + Div<Output = T>>(q: T) -> T {
    q.constant(-1.0) * S::slope(q) * q / (q * q + q.constant(SOFTENING))
}

/// The weight at a distance, m.
pub fn weight_at(kernel: &SmoothingKernel, distance: f64) -> f64 {
    with_shape!(kernel.kind(), S => weight::<S, f64>(distance / kernel.smoothing_length()))
}

/// The axes of the products that [`Around`] sums.
const PRODUCTS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)];

/// How a slot's neighbours lie around it, in units of h.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Around {
    /// Sums of weight times products of the offset's components: xx, yy, zz, yz, xz, xy.
    pub moments: [f32; 6],
    /// Sum of weight times offset: towards where most of them are.
    pub pull: Vec3,
}

impl Around {
    /// Sum of weight times q^2.
    pub fn moment(&self) -> f32 {
        self.moments[..3].iter().sum()
    }

    /// Traces of the square and of the cube of the moments as a matrix, with something added to each of its diagonal.
    pub fn traces(&self, more: f32) -> (f32, f32) {
        let [xx, yy, zz, yz, xz, xy] = self.moments;
        let matrix = Mat3::from_cols(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        let matrix = matrix + Mat3::from_diagonal(Vec3::splat(more));
        let square = matrix * matrix;
        let trace = |m: Mat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        (trace(square), trace(square * matrix))
    }
}

/// How the neighbours of some slots of a batch lie, as a task for [`dispatch`](crate::lanes::dispatch).
pub struct Moments<'a, S> {
    places: &'a [Place],
    lists: &'a BatchLists,
    slots: &'a [u32],
    shape: PhantomData<S>,
}

impl<'a, S: Shape> Moments<'a, S> {
    pub fn new(places: &'a [Place], lists: &'a BatchLists, slots: &'a [u32]) -> Self {
        Self { places, lists, slots, shape: PhantomData }
    }
}

impl<S: Shape> Task for Moments<'_, S> {
    type Output = [Around; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [Around::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            let centre = Centre::new(eight, slot, &self.places[slot]);
            let (mut moments, mut pull) = ([Lanes::splat(eight, 0.0); 6], [Lanes::splat(eight, 0.0); 3]);
            for group in self.lists.of(slot - self.lists.first) {
                // The slot itself, which fills up its last group, has no weight.
                let [x, y, z, _] = eight.turn_places(named(self.places, group));
                let offsets = centre.offsets_to([x, y, z]);
                let weight = weight::<S, _>(offsets.squared.sqrt());
                let weighted = offsets.along.map(|along| weight * along);
                for (sum, (a, b)) in moments.iter_mut().zip(PRODUCTS) {
                    *sum = *sum + weighted[a] * offsets.along[b];
                }
                // Offsets are from the neighbour.
                (0..3).for_each(|axis| pull[axis] = pull[axis] - weighted[axis]);
            }
            let [x, y, z] = pull;
            let moments = moments.map(|sum| sum.sum() * TO_Q * TO_Q);
            *sum = Around { moments, pull: Vec3::new(x.sum(), y.sum(), z.sum()) * TO_Q };
        }
        sums
    }
}

/// What neighbours give to a slot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Conducted {
    /// Sum of conductance times difference of temperature, K W/(m K).
    pub heat: f32,
    /// Sum of the conductances, W/(m K).
    pub conductance: f32,
}

/// The sums of what neighbours conduct to some slots of a batch, like [`Moments`].
pub struct Fluxes<'a, S> {
    rows: &'a [Conductor],
    lists: &'a BatchLists,
    slots: &'a [u32],
    shape: PhantomData<S>,
}

impl<'a, S: Shape> Fluxes<'a, S> {
    pub fn new(rows: &'a [Conductor], lists: &'a BatchLists, slots: &'a [u32]) -> Self {
        Self { rows, lists, slots, shape: PhantomData }
    }
}

impl<S: Shape> Task for Fluxes<'_, S> {
    type Output = [Conducted; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [Conducted::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = conducted::<E, S>(eight, self.rows, slot, self.lists.of(slot - self.lists.first));
        }
        sums
    }
}

/// Each product is the same to the bit, but for its sign, seen from either end: what one gains the other loses.
#[inline(always)]
fn conducted<E: Eight, S: Shape>(eight: E, rows: &[Conductor], slot: usize, list: &[[u32; LANES]]) -> Conducted {
    let constant = |value: f32| Lanes::splat(eight, value);
    let centre = Centre::new(eight, slot, &rows[slot].place);
    let [own_temperature, own_conductivity, own_correction, _] = rows[slot].row.map(constant);
    let (mut heat, mut sum) = (constant(0.0), constant(0.0));
    for group in list {
        let rows = named(rows, group);
        let [x, y, z, _] = eight.turn_places(rows.map(|row| &row.place));
        let offsets = centre.offsets_to([x, y, z]);
        let [temperature, conductivity, correction, _] = columns(eight, rows.map(|row| &row.row));
        let both = own_conductivity + conductivity;
        // The mean of the corrections times the harmonic mean of the conductivities; the half of one is the double of the
        // other.
        let conductivity = (own_conductivity * conductivity) / (both + constant(LEAST));
        let conductance = (own_correction + correction) * conductivity * weight::<S, _>(offsets.squared.sqrt());
        heat = heat + conductance * (temperature - own_temperature);
        sum = sum + conductance;
    }
    Conducted { heat: heat.sum(), conductance: sum.sum() }
}
