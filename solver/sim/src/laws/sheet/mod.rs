//! Forces in a sheet, between sheets, and between sheets and other matter (T92, sections 4 and 5).

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

mod lanes;
mod potentials;
mod well;

pub use potentials::*;
pub use well::Weave;

use super::curve::Curve;
use super::masses::{MassWeights, Masses};
use crate::lanes::{Eight, LANES, Lanes, Row, named};
use crate::neighbours::PackedPosition;
use crate::pairs::PairLaw;
use crate::particles::Ties;
use glam::Vec3;
use lanes::{Own, SheetLaneSums, SheetNear};
use well::{SheetWell, Threads, bound, push_apart, push_layers};

/// The columns of a sorted slot that the loop reads, in rows that are loaded at once. Other matter only has the place,
/// the motion and its contact with sheets.
#[derive(Debug, Clone, Copy, Default)]
pub struct OrientedRow {
    /// Place, and tag.
    pub place: PackedPosition,
    /// Velocity, m/s, and half the damping, kg/s.
    pub motion: Row,
    /// Normal, and the [number](crate::material::thermal::BondGroup::number) of its sheet.
    pub normal: Row,
    /// Angular velocity, rad/s, and the root of the depth of the well, J; below zero for other matter.
    pub spin: Row,
    /// Roots of the weights of co-planarity, co-normality and co-circularity, J, and the preferred curvature, 1/h.
    pub bend: Row,
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct SheetSums {
    /// Force of the potentials, J over h.
    pub force: Vec3,
    /// Torque of the potentials, J.
    pub torque: Vec3,
    /// Half the energy of the pairs, J.
    pub energy: f32,
    /// Sum of damping times the velocities' part along the pair, N.
    pub drag: Vec3,
    /// Sum of damping times the differences of angular velocities, kg rad/s^2.
    pub spin_drag: Vec3,
    /// Sum of the curvatures of the energy.
    pub stiffness: Stiffness<f32>,
    /// Largest damping of a pair, kg/s.
    pub damping: f32,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

/// The sums over slots of sheets; `SEVERAL` tells whether there is other matter besides one sheet.
pub struct SheetLaw<'a, const SEVERAL: bool> {
    pub rows: &'a [OrientedRow],
    /// The well of each body.
    pub curves: &'a [Curve],
    /// Constant of the layer weight, 1/h^2.
    pub layer: f32,
    /// Smoothing length over the distance of nearest neighbours.
    pub wide: f32,
    /// The well by which sheets push each other, and the well that holds joined sheets.
    pub contact: &'a Curve,
    pub joint: &'a Curve,
    /// Body and number of each slot, and its ties where sheets are woven.
    pub sources: &'a [u32],
    pub numbers: &'a [u32],
    pub ties: &'a [Ties],
    /// The weave of each body, if it is woven.
    pub woven: &'a [Option<Weave>],
    /// Masses, if they differ.
    pub masses: Option<Masses<'a>>,
}

/// A slot of a sheet, in lanes.
pub struct InSheet<'a, E: Eight> {
    slot: usize,
    own: Own<E>,
    curve: Curve<Lanes<E>>,
    contact: Curve<Lanes<E>>,
    woven: Option<Threads<'a, E>>,
}

impl<'a, const SEVERAL: bool> PairLaw for SheetLaw<'a, SEVERAL> {
    type Sum = SheetSums;
    type Own<E: Eight> = InSheet<'a, E>;
    type Lanes<E: Eight> = SheetLaneSums<E>;

    #[inline(always)]
    fn acts_on(&self, slot: usize) -> bool {
        is_sheet(&self.rows[slot])
    }

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (InSheet<'a, E>, SheetLaneSums<E>) {
        let source = self.sources[slot] as usize;
        let own = InSheet {
            slot,
            own: Own::new(eight, slot, &self.rows[slot], self.layer),
            curve: self.curves[source].splat(eight),
            contact: self.contact.splat(eight),
            woven: self.woven[source].map(|weave| Threads::new(eight, &self.ties[slot], self.wide, weave)),
        };
        (own, SheetLaneSums::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, of: &InSheet<'a, E>, sums: &mut SheetLaneSums<E>, group: &[u32; LANES]) {
        let InSheet { slot, own, curve, contact, woven } = of;
        let near = SheetNear::new(eight, own, self.rows, group);
        sums.meet(eight, &near, Lanes::splat(eight, 1.0));
        let mine = near.mine.keep(near.mask);
        let (well, joined) = match woven {
            Some(threads) => threads.well(eight, &near, curve, named(self.numbers, group), threads.spring),
            None => (SheetWell::free(eight, &near, curve), Lanes::splat(eight, 0.0)),
        };
        let (mut gradient, mut stiffness) = bound(eight, own, &near, &well, mine);
        if woven.as_ref().is_some_and(|threads| threads.crowded) {
            push_layers(own, &near, mine - joined * mine, &mut gradient, &mut stiffness);
        }
        let mut bond = mine;
        let mut sheet = mine;
        if SEVERAL {
            sheet = near.is_sheet(eight);
            if let Some(threads) = woven.as_ref().filter(|threads| threads.joined) {
                // Wells of two sheets may differ, so a joint has a well of its own.
                let other = joined.keep(near.mask) - joined * mine;
                bond = bond + other;
                let (well, _) = threads.well(eight, &near, &self.joint.splat(eight), named(self.numbers, group), None);
                let (more, stiff) = bound(eight, own, &near, &well, other);
                gradient = gradient.and(more);
                stiffness = stiffness.and(stiff);
            }
            let (other, weights) = (near.is_other(eight), weights(eight, self.masses, *slot, group));
            let strange = (sheet - bond + other) * weights.stiffness();
            push_apart(eight, own, &near, contact, strange, &mut gradient, &mut stiffness);
            let damping = weights.damping(own.half_damping, near.half_damping);
            sums.damp(own, &near, damping * (sheet + other), bond);
        } else {
            sums.damp(own, &near, (own.half_damping + near.half_damping) * sheet, bond);
        }
        sums.add(eight, &near, &gradient, stiffness);
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &SheetLaneSums<E>, slot: usize) -> SheetSums {
        sums.ended(&self.rows[slot])
    }
}

/// Sums of the forces of sheets on slots of other matter.
pub struct SheetOnOthers<'a> {
    pub rows: &'a [OrientedRow],
    /// Constant of the layer weight, 1/h^2.
    pub layer: f32,
    /// The well by which sheets push.
    pub contact: &'a Curve,
    /// Masses, if they differ.
    pub masses: Option<Masses<'a>>,
}

/// A slot of other matter, in lanes.
pub struct BesideSheet<E: Eight> {
    slot: usize,
    own: Own<E>,
    contact: Curve<Lanes<E>>,
}

impl PairLaw for SheetOnOthers<'_> {
    type Sum = SheetSums;
    type Own<E: Eight> = BesideSheet<E>;
    type Lanes<E: Eight> = SheetLaneSums<E>;

    #[inline(always)]
    fn acts_on(&self, slot: usize) -> bool {
        !is_sheet(&self.rows[slot])
    }

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (BesideSheet<E>, SheetLaneSums<E>) {
        let own = Own::new(eight, slot, &self.rows[slot], self.layer);
        (BesideSheet { slot, own, contact: self.contact.splat(eight) }, SheetLaneSums::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(
        &self,
        eight: E,
        BesideSheet { slot, own, contact }: &BesideSheet<E>,
        sums: &mut SheetLaneSums<E>,
        group: &[u32; LANES],
    ) {
        if !group.iter().any(|&other| is_sheet(&self.rows[other as usize])) {
            return;
        }
        let none = Lanes::splat(eight, 0.0);
        let near = SheetNear::new(eight, own, self.rows, group);
        let mut gradient = Gradient { energy: none, squared: none, a: none, b: none, c: none };
        let mut stiffness = Stiffness { by_places: none, by_turns: none };
        let (sheet, weights) = (near.is_sheet(eight), weights(eight, self.masses, *slot, group));
        let strange = sheet * weights.stiffness();
        push_apart(eight, own, &near, contact, strange, &mut gradient, &mut stiffness);
        sums.add(eight, &near, &gradient, stiffness);
        sums.damp(own, &near, weights.damping(own.half_damping, near.half_damping) * sheet, none);
        sums.meet(eight, &near, sheet);
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &SheetLaneSums<E>, slot: usize) -> SheetSums {
        sums.ended(&self.rows[slot])
    }
}

#[inline(always)]
fn weights<E: Eight>(eight: E, masses: Option<Masses>, slot: usize, group: &[u32; LANES]) -> MassWeights<E> {
    masses.map_or_else(|| MassWeights::alike(eight), |masses| masses.weights(eight, slot, group))
}

/// Whether a row belongs to a slot of a sheet.
pub fn is_sheet(row: &OrientedRow) -> bool {
    row.spin[3] > 0.0
}
