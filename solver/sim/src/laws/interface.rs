//! The push, the damping and the friction between matter on a grid and other matter.
//!
//! Both push each other as [sheets](super::sheet) push what they touch. Liquids grip what they touch: their drag acts
//! on all relative motion. Solids slide: their drag along the other is at most Coulomb's friction. All of it acts
//! between two particles, and is the same from either side but for its sign, so no momentum is lost.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::curve::{Curve, LEAST_SQUARED};
use super::lanes::plain_sum;
use super::masses::{MassWeights, Masses};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, columns, named, numbers};
use crate::neighbours::{PackedPosition, TO_Q};
use crate::pairs::{PairLaw, Tags};
use glam::Vec3;

/// The distance at which damping and drag end, over that of contact.
pub const REACH: f32 = 1.25;
const REACH_SQUARED: f32 = REACH * REACH;

/// Bounds the drag of what grips nothing less than any force would.
const UNBOUNDED: f32 = 1e30;

/// The columns of a slot that the loop reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterfaceRow {
    pub place: PackedPosition,
    /// Velocity, m/s, and root of the depth of the contact well, J: positive for matter on a grid, negative for other
    /// matter.
    pub motion: Row,
    /// Half the damping along the line between two particles, kg/s; drag across it, kg/s, coefficient of friction, and
    /// 1 where matter grips, all three zero for other matter.
    pub surface: Row,
}

/// Sums over the neighbours of a slot on the other side.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterfaceSums {
    /// J/h.
    pub force: Vec3,
    /// Damping and drag, N.
    pub drag: Vec3,
    /// Half of the energy of the pairs, J.
    pub energy: f32,
    /// Of the energy, J/h^2.
    pub curvature: f32,
    /// Sum of all dampings and drags, kg/s.
    pub damping: f32,
    /// Largest speed of approach over the distance, times h, m/s.
    pub max_mu: f32,
    /// Lowest and highest tag of the neighbours and the particle itself.
    pub tags: (u8, u8),
}

/// The sums over what is on the other side.
pub struct Interface<'a> {
    pub rows: &'a [InterfaceRow],
    pub contact: &'a Curve,
    /// Masses, if they differ.
    pub masses: Option<Masses<'a>>,
    /// 1/m.
    pub over_h: f32,
}

/// A slot, in lanes.
pub struct Own<E: Eight> {
    slot: usize,
    centre: Centre<E>,
    velocity: [Lanes<E>; 3],
    root: Lanes<E>,
    surface: [Lanes<E>; 4],
    contact: Curve<Lanes<E>>,
}

/// [`InterfaceSums`] in lanes.
pub struct InterfaceLanes<E: Eight> {
    force: [Lanes<E>; 3],
    drag: [Lanes<E>; 3],
    energy: Lanes<E>,
    curvature: Lanes<E>,
    damping: Lanes<E>,
    max_mu: Lanes<E>,
    tags: Tags<E>,
}

/// Eight neighbours as a slot sees them.
struct Near<E: Eight> {
    /// Offset from the neighbour to the slot, h.
    along: [Lanes<E>; 3],
    squared: Lanes<E>,
    /// One over the square of the distance, 1/h^2, bounded for near pairs.
    inverse: Lanes<E>,
    /// Relative velocity, m/s.
    parting: [Lanes<E>; 3],
    root: Lanes<E>,
    surface: [Lanes<E>; 4],
}

impl PairLaw for Interface<'_> {
    type Sum = InterfaceSums;
    type Own<E: Eight> = Own<E>;
    type Lanes<E: Eight> = InterfaceLanes<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Own<E>, InterfaceLanes<E>) {
        let InterfaceRow { place, motion, surface } = &self.rows[slot];
        let all = |row: &Row| row.map(|value| Lanes::splat(eight, value));
        let [x, y, z, root] = all(motion);
        let own = Own {
            slot,
            centre: Centre::new(eight, slot, place),
            velocity: [x, y, z],
            root,
            surface: all(surface),
            contact: self.contact.splat(eight),
        };
        (own, InterfaceLanes::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, own: &Own<E>, sums: &mut InterfaceLanes<E>, group: &[u32; LANES]) {
        let none = Lanes::splat(eight, 0.0);
        let rows = named(self.rows, group);
        let places = eight.turn_places(rows.map(|row| &row.place));
        let [vx, vy, vz, root] = columns(eight, rows.map(|row| &row.motion));
        let offsets = own.centre.offsets(group, places);
        sums.tags.meet(numbers(eight, places[3]), offsets.squared.below(Lanes::splat(eight, SUPPORT_SQUARED)));
        let near = Near {
            along: offsets.along.map(|offset| offset * Lanes::splat(eight, TO_Q)),
            squared: offsets.squared,
            inverse: Lanes::splat(eight, 1.0) / offsets.squared.larger(Lanes::splat(eight, LEAST_SQUARED)),
            parting: [own.velocity[0] - vx, own.velocity[1] - vy, own.velocity[2] - vz],
            root,
            surface: columns(eight, rows.map(|row| &row.surface)),
        };
        // Only what is on the other side has a root of the other sign.
        let across = (own.root * near.root).below(none);
        let weights = match self.masses {
            Some(masses) => masses.weights(eight, own.slot, group),
            None => MassWeights::alike(eight),
        };
        let push = sums.push(eight, own, &near, &weights, across);
        sums.slow(eight, own, &near, &weights, across, push * Lanes::splat(eight, self.over_h));
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &InterfaceLanes<E>, slot: usize) -> InterfaceSums {
        InterfaceSums {
            force: plain_sum(sums.force),
            drag: plain_sum(sums.drag),
            energy: 0.5 * sums.energy.sum(),
            curvature: sums.curvature.sum(),
            damping: sums.damping.sum(),
            max_mu: sums.max_mu.max(),
            tags: sums.tags.with(self.rows[slot].place[3] as u8),
        }
    }
}

impl<E: Eight> InterfaceLanes<E> {
    #[inline(always)]
    fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            force: [zero; 3],
            drag: [zero; 3],
            energy: zero,
            curvature: zero,
            damping: zero,
            max_mu: zero,
            tags: Tags::new(eight),
        }
    }

    /// Adds the push of neighbours across the interface: the inner side of a well, lifted to end at zero. Returns the
    /// size of each, J/h.
    #[inline(always)]
    fn push(
        &mut self,
        eight: E,
        own: &Own<E>,
        near: &Near<E>,
        weights: &MassWeights<E>,
        across: E::Mask,
    ) -> Lanes<E> {
        let value = own.contact.at(eight, near.squared, near.inverse);
        let depth = Lanes::splat(eight, 0.0) - own.root * near.root;
        let depth = (depth * weights.stiffness()).keep(across).keep(near.squared.below(own.contact.separation));
        let push = depth * value.bare;
        for axis in 0..3 {
            self.force[axis] = self.force[axis] + push * near.along[axis];
        }
        self.energy = self.energy + depth * (value.energy + Lanes::splat(eight, 1.0));
        self.curvature = self.curvature + depth * value.curvature;
        push * near.squared.sqrt()
    }

    /// Adds the damping and the drag of neighbours across the interface that push, N.
    #[inline(always)]
    fn slow(
        &mut self,
        eight: E,
        own: &Own<E>,
        near: &Near<E>,
        weights: &MassWeights<E>,
        across: E::Mask,
        push: Lanes<E>,
    ) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let none = constant(0.0);
        let [half, drag, friction, grip] = own.surface;
        let [their_half, their_drag, their_friction, their_grip] = near.surface;
        // 1 in contact, and falling to zero beyond it.
        let separation = own.contact.separation;
        let room = separation * constant(REACH_SQUARED - 1.0);
        let weight = (separation * constant(REACH_SQUARED) - near.squared) / room;
        let weight = weight.larger(none).smaller(constant(1.0)).keep(across);
        let rate = near.parting.iter().zip(&near.along).fold(none, |sum, (v, along)| sum + *v * *along) * near.inverse;
        let damping = weights.damping(half, their_half) * weight;
        let along = near.along.map(|along| along * rate);
        let aside = [0, 1, 2].map(|axis| near.parting[axis] - along[axis]);
        let speed = aside.iter().fold(none, |sum, v| sum + *v * *v).sqrt();
        let drag = weights.damping(drag, their_drag) * weight;
        let most = (friction + their_friction) * push + (grip + their_grip) * constant(UNBOUNDED);
        let drag = drag.smaller(most / speed.larger(constant(f32::MIN_POSITIVE)));
        for axis in 0..3 {
            self.drag[axis] = self.drag[axis] + damping * along[axis] + drag * aside[axis];
        }
        self.damping = self.damping + damping + drag;
        self.max_mu = self.max_mu.larger((none - rate).keep(none.below(weight)));
    }
}
