//! The push, the damping and the friction between matter on a grid and other matter.
//!
//! Both push each other as [sheets](super::sheet) push what they touch. Liquids hold on to what they touch by their
//! viscosity. Solids slide: their drag along the other is at most Coulomb's friction. All of it acts between two
//! particles, and is the same from either side but for its sign, so no momentum is lost.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::curve::{Curve, LEAST_SQUARED};
use super::lanes::{dot, plain_sum, splat};
use super::masses::{MassWeights, Masses};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, columns, named, numbers};
use crate::neighbours::{PackedPosition, TO_Q};
use crate::pairs::{PairLaw, Tags};
use glam::Vec3;

/// The distance at which damping and drag end, over that of contact.
pub const REACH: f32 = 1.25;
const REACH_SQUARED: f32 = REACH * REACH;

/// The cosine between a sheet's normal and the line to what touches it up to which that line counts, and from which on
/// the normal does.
const ASIDE: f32 = 0.25;
const ABOVE: f32 = 0.55;

/// What tells sides of the same flatness apart, for a root of 1 J, beside a difference that is none of rounding.
const ALIKE: f32 = 1e-20;

/// The columns of a slot that the loop reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterfaceRow {
    pub place: PackedPosition,
    /// Velocity, m/s, and root of the depth of the contact well, J: positive for matter on a grid, negative for other
    /// matter.
    pub motion: Row,
    /// Half the damping along the normal, kg/s, and of matter on a grid: the most drag across it, kg/s; the coefficient
    /// of friction or, where it holds on, its drag by viscosity, kg/s; 1 where it holds on.
    pub surface: Row,
    /// [Traction and press](crate::particles::Surface) of matter on a grid, N.
    pub traction: Row,
    /// Normal and flatness of the surface.
    pub normal: Row,
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
    /// The mass of the particle times a bound of the rates at which it and what it touches are slowed, kg/s.
    pub damping: f32,
    /// The same of the squares of the frequencies at which they swing, J/h^2.
    pub stiffness: f32,
    /// Sum of what presses, N.
    pub load: f32,
    /// Sum of the weights of contacts.
    pub touch: f32,
    /// Friction, N.
    pub friction: Vec3,
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
    traction: [Lanes<E>; 4],
    normal: [Lanes<E>; 4],
    contact: Curve<Lanes<E>>,
}

/// [`InterfaceSums`] in lanes.
pub struct InterfaceLanes<E: Eight> {
    force: [Lanes<E>; 3],
    drag: [Lanes<E>; 3],
    energy: Lanes<E>,
    curvature: Lanes<E>,
    damping: Lanes<E>,
    stiffness: Lanes<E>,
    load: Lanes<E>,
    touch: Lanes<E>,
    friction: [Lanes<E>; 3],
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
    traction: [Lanes<E>; 4],
    /// Of the pair, toward the slot.
    normal: [Lanes<E>; 3],
}

impl PairLaw for Interface<'_> {
    type Sum = InterfaceSums;
    type Own<E: Eight> = Own<E>;
    type Lanes<E: Eight> = InterfaceLanes<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Own<E>, InterfaceLanes<E>) {
        let InterfaceRow { place, motion, surface, traction, normal } = &self.rows[slot];
        let [x, y, z, root] = splat(eight, motion);
        let own = Own {
            slot,
            centre: Centre::new(eight, slot, place),
            velocity: [x, y, z],
            root,
            surface: splat(eight, surface),
            traction: splat(eight, traction),
            normal: splat(eight, normal),
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
        // Only what is on the other side has a root of the other sign.
        let across = (own.root * root).below(none);
        let is_near = offsets.squared.below(own.contact.separation * Lanes::splat(eight, REACH_SQUARED));
        if !eight.any(none.below(Lanes::splat(eight, 1.0).keep(across).keep(is_near))) {
            return;
        }
        let along = offsets.along.map(|offset| offset * Lanes::splat(eight, TO_Q));
        let inverse = Lanes::splat(eight, 1.0) / offsets.squared.larger(Lanes::splat(eight, LEAST_SQUARED));
        let line = along.map(|along| along * inverse.sqrt());
        let near = Near {
            along,
            squared: offsets.squared,
            inverse,
            parting: [own.velocity[0] - vx, own.velocity[1] - vy, own.velocity[2] - vz],
            root,
            surface: columns(eight, rows.map(|row| &row.surface)),
            traction: columns(eight, rows.map(|row| &row.traction)),
            normal: normal(eight, own, columns(eight, rows.map(|row| &row.normal)), line),
        };
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
            stiffness: sums.stiffness.sum(),
            load: sums.load.sum(),
            touch: sums.touch.sum(),
            friction: plain_sum(sums.friction),
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
            stiffness: zero,
            load: zero,
            touch: zero,
            friction: [zero; 3],
            max_mu: zero,
            tags: Tags::new(eight),
        }
    }

    /// Adds the push of neighbours across the interface: the inner side of a well, lifted to end at zero. Returns the
    /// size of each, J/h.
    #[inline(always)]
    fn push(&mut self, eight: E, own: &Own<E>, near: &Near<E>, weights: &MassWeights<E>, across: E::Mask) -> Lanes<E> {
        let value = own.contact.at(eight, near.squared, near.inverse);
        let depth = Lanes::splat(eight, 0.0) - own.root * near.root;
        let depth = (depth * weights.stiffness()).keep(across).keep(near.squared.below(own.contact.separation));
        let push = depth * value.bare;
        let size = push * near.squared.sqrt();
        for (force, normal) in self.force.iter_mut().zip(near.normal) {
            *force = *force + size * normal;
        }
        self.energy = self.energy + depth * (value.energy + Lanes::splat(eight, 1.0));
        let curvature = depth * value.curvature;
        self.curvature = self.curvature + curvature;
        self.stiffness = self.stiffness + curvature * (Lanes::splat(eight, 1.0) + weights.root_of_ratio());
        size
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
        let one = constant(1.0);
        // Only one side has any but the first.
        let [half, drag, coefficient, holds] = own.surface;
        let [their_half, their_drag, their_coefficient, they_hold] = near.surface;
        let (coefficient, holds) = (coefficient + their_coefficient, holds + they_hold);
        let press = own.traction[3] + near.traction[3];
        // 1 in contact, and falling to zero beyond it.
        let separation = own.contact.separation;
        let room = separation * constant(REACH_SQUARED - 1.0);
        let weight = (separation * constant(REACH_SQUARED) - near.squared) / room;
        let weight = weight.larger(none).smaller(one).keep(across);
        let rate = dot(&near.parting, &near.along) * near.inverse;
        let normal = near.normal;
        let across_speed = dot(&near.parting, &normal);
        // Nothing pulls solids back.
        let acts = one.keep(rate.below(none)).larger(holds);
        let damping = weights.damping(half, their_half) * weight * acts;
        let along = normal.map(|normal| normal * across_speed);
        let aside = [0, 1, 2].map(|axis| near.parting[axis] - along[axis]);
        let load = push + damping * (none - across_speed).larger(none);
        // Pushes come in jerks, so the mean counts, once there is one.
        let mean = (press * weight).larger(none) + load.keep(press.below(none));
        let most = coefficient * mean + holds * constant(f32::MAX);
        let by_viscosity = coefficient + (one - holds) * constant(f32::MAX);
        // What the matter bore before, and a drag besides.
        let borne = [0, 1, 2].map(|axis| own.traction[axis] - near.traction[axis]);
        let through = dot(&borne, &normal);
        let drag = weights.damping(drag, their_drag).smaller(by_viscosity) * weight;
        let friction = [0, 1, 2].map(|axis| drag * aside[axis] - weight * (borne[axis] - through * normal[axis]));
        let size = dot(&friction, &friction).sqrt().larger(constant(f32::MIN_POSITIVE));
        let kept = (most / size).smaller(one);
        for axis in 0..3 {
            let friction = kept * friction[axis];
            self.friction[axis] = self.friction[axis] - friction;
            self.drag[axis] = self.drag[axis] + damping * along[axis] + friction;
        }
        self.load = self.load + load;
        self.touch = self.touch + weight;
        // By Gershgorin's theorem for velocities times roots of masses. Damping and drag act at right angles.
        self.damping = self.damping + damping.larger(drag) * (one + weights.root_of_ratio());
        self.max_mu = self.max_mu.larger((none - rate).keep(none.below(weight)));
    }
}

/// The normals of pairs, toward the slot: that of the flatter side where its particle lies below or above the other, as
/// lines between particles would make bumps of all of them; elsewhere these lines.
#[inline(always)]
fn normal<E: Eight>(eight: E, own: &Own<E>, theirs: [Lanes<E>; 4], line: [Lanes<E>; 3]) -> [Lanes<E>; 3] {
    let constant = |value: f32| Lanes::splat(eight, value);
    // Where both are as flat, that of the grid, from either side.
    let flatter = own.normal[3] - theirs[3] + own.root * constant(ALIKE);
    let is_own = constant(0.0).below(flatter);
    let of_surface = [0, 1, 2].map(|axis| theirs[axis] + (own.normal[axis] - theirs[axis]).keep(is_own));
    let cosine = dot(&line, &of_surface);
    let size = cosine.larger(constant(0.0) - cosine);
    let part = ((size - constant(ASIDE)) / constant(ABOVE - ASIDE)).larger(constant(0.0)).smaller(constant(1.0));
    let side = constant(2.0).keep(constant(0.0).below(cosine)) - constant(1.0);
    [0, 1, 2].map(|axis| line[axis] + part * (of_surface[axis] * side - line[axis]))
}
