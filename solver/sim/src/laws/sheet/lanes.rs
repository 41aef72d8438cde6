//! A slot, its neighbours and its sums in lanes.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::potentials::{Gradient, Pair, Stiffness, Weights};
use super::{OrientedRow, SheetSums};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, columns, named, numbers};
use crate::laws::curve::{LEAST_SQUARED, damping_shape, same};
use crate::laws::lanes::{dot, plain_sum};
use crate::neighbours::TO_Q;
use crate::pairs::Tags;
use glam::Vec3;

/// A slot in all lanes.
pub struct Own<E: Eight> {
    pub centre: Centre<E>,
    pub velocity: [Lanes<E>; 3],
    pub half_damping: Lanes<E>,
    pub normal: [Lanes<E>; 3],
    pub group_of_other: Lanes<E>,
    pub spin: [Lanes<E>; 3],
    pub root: Lanes<E>,
    pub layer: Lanes<E>,
    pub bend: [Lanes<E>; 4],
}

impl<E: Eight> Own<E> {
    #[inline(always)]
    pub fn new(eight: E, slot: usize, row: &OrientedRow, layer: f32) -> Self {
        let all = |row: Row| row.map(|value| Lanes::splat(eight, value));
        let ([vx, vy, vz, half_damping], [nx, ny, nz, group_of_other]) = (all(row.motion), all(row.normal));
        let [wx, wy, wz, root] = all(row.spin);
        Self {
            centre: Centre::new(eight, slot, &row.place),
            velocity: [vx, vy, vz],
            half_damping,
            normal: [nx, ny, nz],
            group_of_other,
            spin: [wx, wy, wz],
            root,
            layer: Lanes::splat(eight, layer),
            bend: all(row.bend),
        }
    }

    /// The weights of pairs, times a factor.
    #[inline(always)]
    pub fn weights_with(&self, eight: E, near: &SheetNear<E>, factor: Lanes<E>) -> Weights<Lanes<E>> {
        let ([p, n, c, k], [their_p, their_n, their_c, their_k]) = (self.bend, near.bend);
        Weights {
            planarity: p * their_p * factor,
            normality: n * their_n * factor,
            circularity: c * their_c * factor,
            curvature: (k + their_k) * Lanes::splat(eight, 0.5),
        }
    }
}

/// Eight neighbours as a slot sees them.
pub struct SheetNear<E: Eight> {
    /// Offset from the neighbour to the slot, in units of h.
    pub along: [Lanes<E>; 3],
    pub pair: Pair<Lanes<E>>,
    /// One over q^2, bounded for small q.
    pub inverse: Lanes<E>,
    /// The neighbours within the support.
    pub mask: E::Mask,
    pub tag: Lanes<E>,
    pub normal: [Lanes<E>; 3],
    pub spin: [Lanes<E>; 3],
    /// 1 for neighbours in the slot's sheet.
    pub mine: Lanes<E>,
    pub half_damping: Lanes<E>,
    pub root: Lanes<E>,
    pub bend: [Lanes<E>; 4],
    /// Parting speed times distance over h, m/s.
    pub parting: Lanes<E>,
}

impl<E: Eight> SheetNear<E> {
    #[inline(always)]
    pub fn new(eight: E, own: &Own<E>, rows: &[OrientedRow], group: &[u32; LANES]) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(rows, group);
        // The slot itself fills up its last group and adds nothing: it counts as far away.
        let places = eight.turn_places(rows.map(|row| &row.place));
        let offsets = own.centre.offsets(group, places);
        let along = offsets.along.map(|offset| offset * constant(TO_Q));
        let [vx, vy, vz, half_damping] = columns(eight, rows.map(|row| &row.motion));
        let [nx, ny, nz, group_of_other] = columns(eight, rows.map(|row| &row.normal));
        let [wx, wy, wz, root] = columns(eight, rows.map(|row| &row.spin));
        let (normal, squared) = ([nx, ny, nz], offsets.squared);
        let parted = [own.velocity[0] - vx, own.velocity[1] - vy, own.velocity[2] - vz];
        let none = constant(0.0);
        Self {
            pair: Pair {
                layer: own.layer,
                squared,
                a: none - dot(&own.normal, &along),
                b: none - dot(&normal, &along),
                c: dot(&own.normal, &normal),
            },
            inverse: constant(1.0) / squared.larger(constant(LEAST_SQUARED)),
            mask: squared.below(constant(SUPPORT_SQUARED)),
            tag: numbers(eight, places[3]),
            normal,
            spin: [wx, wy, wz],
            mine: constant(1.0).keep(same(eight, own.group_of_other, group_of_other)),
            half_damping,
            root,
            bend: columns(eight, rows.map(|row| &row.bend)),
            parting: dot(&parted, &along),
            along,
        }
    }

    /// 1 for neighbours of other matter within the support.
    #[inline(always)]
    pub fn is_other(&self, eight: E) -> Lanes<E> {
        let other = self.root.below(Lanes::splat(eight, 0.0));
        Lanes::splat(eight, 1.0).keep(other).keep(self.mask)
    }

    /// 1 for neighbours of any sheet within the support.
    #[inline(always)]
    pub fn is_sheet(&self, eight: E) -> Lanes<E> {
        let sheet = Lanes::splat(eight, 0.0).below(self.root);
        Lanes::splat(eight, 1.0).keep(sheet).keep(self.mask)
    }
}

/// [`SheetSums`] in lanes.
pub struct SheetLaneSums<E: Eight> {
    pub force: [Lanes<E>; 3],
    /// The vector towards which the normal is drawn, and the strength of the draw along the normal.
    pub pull: [Lanes<E>; 3],
    pub lift: Lanes<E>,
    pub energy: Lanes<E>,
    pub drag: [Lanes<E>; 3],
    pub spin_drag: [Lanes<E>; 3],
    pub stiffness: Stiffness<Lanes<E>>,
    pub damping: Lanes<E>,
    pub max_mu: Lanes<E>,
    pub tags: Tags<E>,
}

impl<E: Eight> SheetLaneSums<E> {
    #[inline(always)]
    pub fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            force: [zero; 3],
            pull: [zero; 3],
            lift: zero,
            energy: zero,
            drag: [zero; 3],
            spin_drag: [zero; 3],
            stiffness: Stiffness { by_places: zero, by_turns: zero },
            damping: zero,
            max_mu: zero,
            tags: Tags::new(eight),
        }
    }

    /// Updates the approach speed with the eight neighbours that act, 1 or 0, and the step limits with all.
    #[inline(always)]
    pub fn meet(&mut self, eight: E, near: &SheetNear<E>, acts: Lanes<E>) {
        let approach = Lanes::splat(eight, 0.0) - near.parting * near.inverse;
        self.max_mu = self.max_mu.larger(approach.keep(near.mask) * acts);
        self.tags.meet(near.tag, near.mask);
    }

    /// Adds the drag of eight neighbours on the slot's motion by some damping and, for neighbours in its sheet, on its
    /// spin.
    #[inline(always)]
    pub fn damp(&mut self, own: &Own<E>, near: &SheetNear<E>, damping: Lanes<E>, bond: Lanes<E>) {
        self.damping = self.damping.larger(damping);
        let damping = damping * damping_shape(near.pair.squared);
        let (drag, spin_drag) = (damping * near.parting * near.inverse, damping * bond);
        for axis in 0..3 {
            self.drag[axis] = self.drag[axis] + drag * near.along[axis];
            self.spin_drag[axis] = self.spin_drag[axis] + spin_drag * (own.spin[axis] - near.spin[axis]);
        }
    }

    #[inline(always)]
    pub fn add(
        &mut self,
        eight: E,
        near: &SheetNear<E>,
        gradient: &Gradient<Lanes<E>>,
        stiffness: Stiffness<Lanes<E>>,
    ) {
        let Gradient { energy, squared, a, b, c } = *gradient;
        let central = Lanes::splat(eight, -2.0) * squared;
        for axis in 0..3 {
            self.force[axis] = self.force[axis] + central * near.along[axis] + b * near.normal[axis];
            self.pull[axis] = self.pull[axis] + c * near.normal[axis] - a * near.along[axis];
        }
        self.lift = self.lift + a;
        self.energy = self.energy + energy;
        self.stiffness = self.stiffness.and(stiffness);
    }

    #[inline(always)]
    pub fn ended(&self, row: &OrientedRow) -> SheetSums {
        let [nx, ny, nz, _] = row.normal;
        let normal = Vec3::new(nx, ny, nz);
        SheetSums {
            force: plain_sum(self.force) + normal * self.lift.sum(),
            torque: -normal.cross(plain_sum(self.pull)),
            energy: 0.5 * self.energy.sum(),
            drag: plain_sum(self.drag),
            spin_drag: plain_sum(self.spin_drag),
            stiffness: Stiffness { by_places: self.stiffness.by_places.sum(), by_turns: self.stiffness.by_turns.sum() },
            damping: self.damping.max(),
            max_mu: self.max_mu.max(),
            tags: self.tags.with(row.place[3] as u8),
        }
    }
}
