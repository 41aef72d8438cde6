//! Conduction of heat between neighbours.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::{KernelShape, Real};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, columns, named};
use crate::neighbours::PackedPosition;
use crate::pairs::PairLaw;
use crate::{SmoothingKernel, with_shape};
use std::marker::PhantomData;
use std::ops::{Add, Div};

/// Softening of the weight near q = 0.
const SOFTENING: f32 = 0.01;

/// Prevents 0 / 0 in the mean of two conductivities of zero.
const LEAST: f32 = 1e-30;

/// The columns of a slot that the loop reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conductor {
    pub place: PackedPosition,
    /// Temperature, K, conductivity, W/(m K), [correction](super::conduction::Conduction), and free surface, m^2.
    pub row: Row,
}

/// Weight of a pair at q^2: -W'(q) / q, softened.
#[inline(always)]
pub fn weight<S: KernelShape, T: Real + Add<Output = T> + Div<Output = T>>(q: T) -> T {
    q.constant(-1.0) * S::slope(q) * q / (q * q + q.constant(SOFTENING))
}

/// The weight at a distance, m.
pub fn weight_at(kernel: &SmoothingKernel, distance: f64) -> f64 {
    with_shape!(kernel.kind(), S => weight::<S, f64>(distance / kernel.smoothing_length()))
}

/// Heat conducted from neighbours to a slot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Conducted {
    /// Sum of conductance times difference of temperature, K W/(m K).
    pub heat: f32,
    /// Sum of the conductances, W/(m K).
    pub conductance: f32,
}

/// Sums the conducted heat. Each product is bitwise the same, but for its sign, seen from either end: the gain of one
/// is the loss of the other.
pub struct Fluxes<'a, S> {
    /// Of the slots themselves.
    pub own: &'a [Conductor],
    /// Of their neighbours.
    pub rows: &'a [Conductor],
    pub shape: PhantomData<S>,
}

/// A slot, in lanes.
pub struct Conducting<E: Eight> {
    centre: Centre<E>,
    temperature: Lanes<E>,
    conductivity: Lanes<E>,
    correction: Lanes<E>,
}

/// Heat conducted to the slot so far, and the sum of the conductances, in lanes.
pub struct Given<E: Eight> {
    heat: Lanes<E>,
    conductance: Lanes<E>,
}

impl<S: KernelShape> PairLaw for Fluxes<'_, S> {
    type Sum = Conducted;
    type Own<E: Eight> = Conducting<E>;
    type Lanes<E: Eight> = Given<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Conducting<E>, Given<E>) {
        let Conductor { place, row } = &self.own[slot];
        let [temperature, conductivity, correction, _] = row.map(|value| Lanes::splat(eight, value));
        let (centre, zero) = (Centre::new(eight, slot, place), Lanes::splat(eight, 0.0));
        (Conducting { centre, temperature, conductivity, correction }, Given { heat: zero, conductance: zero })
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, own: &Conducting<E>, given: &mut Given<E>, group: &[u32; LANES]) {
        let rows = named(self.rows, group);
        let [x, y, z, _] = eight.turn_places(rows.map(|row| &row.place));
        let offsets = own.centre.offsets_to([x, y, z]);
        let [temperature, conductivity, correction, _] = columns(eight, rows.map(|row| &row.row));
        let both = own.conductivity + conductivity;
        // The mean of the corrections times the harmonic mean of the conductivities: the half of the former cancels the
        // double of the latter.
        let conductivity = (own.conductivity * conductivity) / (both + Lanes::splat(eight, LEAST));
        let conductance = (own.correction + correction) * conductivity * weight::<S, _>(offsets.squared.sqrt());
        given.heat = given.heat + conductance * (temperature - own.temperature);
        given.conductance = given.conductance + conductance;
    }

    #[inline(always)]
    fn end<E: Eight>(&self, given: &Given<E>, _slot: usize) -> Conducted {
        Conducted { heat: given.heat.sum(), conductance: given.conductance.sum() }
    }
}
