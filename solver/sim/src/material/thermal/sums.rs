//! The sums over bonded pairs, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::well::{Exponents, Well};
use crate::kernel::Real;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, Task, columns, named, numbers};
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use crate::timeline::MAX_BIN;
use glam::Vec3;

/// What the loop reads of a sorted slot, in rows that are loaded at once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bonded {
    /// Where it is, and its tag.
    pub place: Place,
    /// Velocity, m/s, and half the dissociation energy, J.
    pub motion: Row,
    /// [Kin](Kin::number), half the damping, kg/s, the number of its well, and half the energy of its hard core, J.
    pub matter: Row,
}

/// With whom a particle bonds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kin {
    /// With all of a kind that has bonds.
    All,
    /// With those of its body, and with [`All`](Self::All).
    Body(u32),
    /// With none.
    None,
}

impl Kin {
    /// Two bond where their numbers are the same or one of them is zero.
    pub fn number(self) -> f32 {
        match self {
            Self::All => 0.0,
            Self::Body(source) => (source + 1) as f32,
            Self::None => f32::NAN,
        }
    }
}

/// A well in units of the smoothing length, as the loop needs it.
#[derive(Debug, Clone, Copy)]
pub struct Curve {
    exponents: Exponents,
    /// Square of the equilibrium separation, h^2.
    separation: f32,
    /// Where the core begins, h^2.
    core: f32,
    /// One over where the hard core begins, 1/h^2.
    hard_core: f32,
    /// Where the switch begins, h^2, and one over how far it goes, 1/h^2.
    switch: (f32, f32),
}

impl Curve {
    /// Of a well, for a smoothing length, m.
    pub fn new(well: &Well, smoothing_length: f64) -> Self {
        let squared = smoothing_length * smoothing_length;
        let (from, to) = well.switched();
        Self {
            exponents: well.exponents,
            separation: (well.separation.powi(2) / squared) as f32,
            core: (well.core.powi(2) / squared) as f32,
            hard_core: (squared / well.hard_core.powi(2)) as f32,
            switch: ((from / squared) as f32, (squared / (to - from)) as f32),
        }
    }
}

/// The sums over the bonds of some slots of a batch, as a task for [`dispatch`](crate::lanes::dispatch).
pub struct Bonds<'a, const SEVERAL: bool> {
    pub rows: &'a [Bonded],
    pub lists: &'a BatchLists,
    pub slots: &'a [u32],
    /// The wells of the scene, of which there is one unless `SEVERAL`.
    pub curves: &'a [Curve],
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct BondSums {
    /// Force by the wells, J over h.
    pub force: Vec3,
    /// Sum of force times distance, J.
    pub virial: f32,
    /// Half the sum of the own well's potentials, as parts of the dissociation energy: what that times this adds up to over
    /// all particles is the energy of all pairs.
    pub depth: f32,
    /// The same of hard cores.
    pub core: f32,
    /// Sum of damping times the velocities' part along the pair, N.
    pub drag: Vec3,
    /// Sum of the curvatures of all pairs that have a positive one, J / h^2.
    pub curvature: f32,
    /// Largest half of a damping among the neighbours, kg/s.
    pub half_damping: f32,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

impl<const SEVERAL: bool> Task for Bonds<'_, SEVERAL> {
    type Output = [BondSums; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [BondSums::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = bond_sums::<E, SEVERAL>(eight, self.rows, slot, self.lists.of(slot - self.lists.first), self.curves);
        }
        sums
    }
}

#[inline(always)]
fn bond_sums<E: Eight, const SEVERAL: bool>(
    eight: E,
    rows: &[Bonded],
    slot: usize,
    list: &[[u32; LANES]],
    curves: &[Curve],
) -> BondSums {
    let centre = Centre::new(eight, slot, &rows[slot].place);
    let own = Own { motion: splat(eight, &rows[slot].motion), matter: splat(eight, &rows[slot].matter) };
    let mut sums = LaneSums::new(eight);
    for group in list {
        let near = sums.add_drag(eight, &own, &centre, rows, group);
        if let (false, [curve]) = (SEVERAL, curves) {
            let strengths = (own.motion[3] + near.half_energy, own.matter[3] + near.half_core);
            let depths = sums.add_well(eight, curve, strengths, &near);
            sums.deepen(depths);
            continue;
        }
        for (number, curve) in curves.iter().enumerate() {
            let number = Lanes::splat(eight, number as f32);
            let (is_own, is_theirs) = (same(eight, own.matter[2], number), same(eight, near.well, number));
            let strengths = (
                own.motion[3].keep(is_own) + near.half_energy.keep(is_theirs),
                own.matter[3].keep(is_own) + near.half_core.keep(is_theirs),
            );
            let depths = sums.add_well(eight, curve, strengths, &near);
            sums.deepen(depths.map(|depth| depth.keep(is_own)));
        }
    }
    sums.ended(rows[slot].place[3] as u8)
}

#[inline(always)]
fn splat<E: Eight>(eight: E, row: &Row) -> [Lanes<E>; 4] {
    row.map(|value| Lanes::splat(eight, value))
}

/// Where two whole numbers are the same.
#[inline(always)]
fn same<E: Eight>(eight: E, a: Lanes<E>, b: Lanes<E>) -> E::Mask {
    let difference = a - b;
    (difference * difference).below(Lanes::splat(eight, 0.25))
}

struct Own<E: Eight> {
    motion: [Lanes<E>; 4],
    matter: [Lanes<E>; 4],
}

/// What the wells need of eight neighbours.
struct Near<E: Eight> {
    along: [Lanes<E>; 3],
    /// q^2, and its inverse where that is not too small.
    squared: Lanes<E>,
    inverse: Lanes<E>,
    half_energy: Lanes<E>,
    half_core: Lanes<E>,
    well: Lanes<E>,
    /// 1 for those that it bonds with, 0 for others.
    bond: Lanes<E>,
}

/// [`BondSums`] in lanes, of directions in units of support / 2^20.
struct LaneSums<E: Eight> {
    force: [Lanes<E>; 3],
    virial: Lanes<E>,
    depth: Lanes<E>,
    core: Lanes<E>,
    drag: [Lanes<E>; 3],
    curvature: Lanes<E>,
    half_damping: Lanes<E>,
    max_mu: Lanes<E>,
    max_tag: Lanes<E>,
    /// Largest of what tags are below [`MAX_BIN`].
    max_room: Lanes<E>,
}

impl<E: Eight> LaneSums<E> {
    #[inline(always)]
    fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            force: [zero; 3],
            virial: zero,
            depth: zero,
            core: zero,
            drag: [zero; 3],
            curvature: zero,
            half_damping: zero,
            max_mu: zero,
            max_tag: zero,
            max_room: zero,
        }
    }

    /// Adds what eight neighbours take of the slot's motion, and tells what wells need of them.
    #[inline(always)]
    fn add_drag(
        &mut self,
        eight: E,
        own: &Own<E>,
        centre: &Centre<E>,
        rows: &[Bonded],
        group: &[u32; LANES],
    ) -> Near<E> {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(rows, group);
        // The slot itself, which fills up its last group, adds nothing: it counts as far away.
        let places = eight.turn_places(rows.map(|row| &row.place));
        let tag = numbers(eight, places[3]);
        let offsets = centre.offsets(group, places);
        let [x, y, z] = offsets.along;
        let [vx, vy, vz, half_energy] = columns(eight, rows.map(|row| &row.motion));
        let [kin, half_damping, well, half_core] = columns(eight, rows.map(|row| &row.matter));
        let squared = offsets.squared;
        let near = squared.below(constant(SUPPORT_SQUARED));
        let inverse = constant(1.0) / squared.larger(constant(LEAST_SQUARED));
        let parting = ((own.motion[0] - vx) * x + (own.motion[1] - vy) * y + (own.motion[2] - vz) * z) * constant(TO_Q);
        let drag = (own.matter[1] + half_damping) * damping_shape(squared) * parting * inverse;
        for (axis, along) in [x, y, z].into_iter().enumerate() {
            self.drag[axis] = self.drag[axis] + drag * along;
        }
        self.max_mu = self.max_mu.larger((constant(0.0) - parting * inverse).keep(near));
        self.half_damping = self.half_damping.larger(half_damping.keep(near));
        self.max_tag = self.max_tag.larger(tag.keep(near));
        self.max_room = self.max_room.larger((constant(f32::from(MAX_BIN)) - tag).keep(near));
        let alone = own.matter[0] * kin;
        let one = constant(1.0);
        let bond = one.keep(same(eight, own.matter[0], kin)).larger(one.keep((alone * alone).below(constant(0.25))));
        Near { along: [x, y, z], squared, inverse, half_energy, half_core, well, bond }
    }

    /// Adds what one well makes of eight neighbours, bound by some energy and with hard cores of another. Tells both potentials as
    /// parts of these.
    #[inline(always)]
    fn add_well(
        &mut self,
        eight: E,
        curve: &Curve,
        (strength, core): (Lanes<E>, Lanes<E>),
        near: &Near<E>,
    ) -> [Lanes<E>; 2] {
        let constant = |value: f32| Lanes::splat(eight, value);
        let Exponents { n, m } = curve.exponents;
        let (n, m) = (f32::from(n), f32::from(m));
        let (part, stiffness) = (constant(1.0 / (n - m)), constant(n * m / (n - m)));
        let inverse = near.inverse.smaller(constant(1.0 / curve.core));
        let (n_power, m_power) = powers(constant(curve.separation) * inverse, curve.exponents);
        let repulsion = (n_power - m_power) * stiffness;
        let curvature = (constant(n + 1.0) * n_power - constant(m + 1.0) * m_power) * stiffness;
        // How far they are in the core.
        let inside = (constant(1.0) - near.squared * inverse).positive();
        let stiffening = (curvature + repulsion) * constant(0.5) * inside;
        let energy = (constant(m) * n_power - constant(n) * m_power) * part
            + (repulsion + stiffening * constant(0.5)) * constant(0.5) * inside;
        let bare = repulsion + stiffening;
        let t =
            ((near.squared - constant(curve.switch.0)) * constant(curve.switch.1)).positive().smaller(constant(1.0));
        let switch = constant(1.0) - t * t * (constant(3.0) - t - t);
        let switching = constant(12.0 * curve.switch.1) * near.squared * t * (constant(1.0) - t);
        // Those without a bond only push each other apart: the well's inner side, lifted to end at zero.
        let pushes = (constant(1.0) - near.bond).keep(near.squared.below(constant(curve.separation)));
        let hard = (constant(1.0) - near.squared * constant(curve.hard_core)).positive();
        let hardness = core * constant(4.0 * curve.hard_core);
        let force =
            strength * ((bare * switch + energy * switching) * near.bond + bare * pushes) * inverse + hardness * hard;
        for (axis, along) in near.along.into_iter().enumerate() {
            self.force[axis] = self.force[axis] + force * along;
        }
        self.virial = self.virial + force * near.squared;
        let stiff = strength * curvature * inverse + (hardness + hardness).keep(constant(0.0).below(hard));
        self.curvature = self.curvature + stiff.positive();
        [energy * switch * near.bond + (energy + constant(1.0)) * pushes, hard * hard]
    }

    #[inline(always)]
    fn deepen(&mut self, [depth, core]: [Lanes<E>; 2]) {
        (self.depth, self.core) = (self.depth + depth, self.core + core);
    }

    #[inline(always)]
    fn ended(self, own_tag: u8) -> BondSums {
        let (least, most) = (f32::from(MAX_BIN) - self.max_room.max(), self.max_tag.max());
        let vector = |[x, y, z]: [Lanes<E>; 3]| Vec3::new(x.sum(), y.sum(), z.sum()) * TO_Q;
        BondSums {
            force: vector(self.force),
            virial: self.virial.sum(),
            depth: 0.5 * self.depth.sum(),
            core: 0.5 * self.core.sum(),
            drag: vector(self.drag),
            curvature: self.curvature.sum(),
            half_damping: self.half_damping.max(),
            max_mu: self.max_mu.max(),
            tags: (own_tag.min(least as u8), own_tag.max(most as u8)),
        }
    }
}

/// No pair counts as nearer than this q^2.
const LEAST_SQUARED: f32 = 0.01;

/// How damping falls with q^2: (1 - q^2 / 4)^2, zero from the support on.
#[inline(always)]
pub fn damping_shape<T: Real>(squared: T) -> T {
    let room = (squared.constant(1.0) - squared * squared.constant(0.25)).positive();
    room * room
}

/// s^n and s^m for the square of s.
#[inline(always)]
fn powers<E: Eight>(s2: Lanes<E>, exponents: Exponents) -> (Lanes<E>, Lanes<E>) {
    match exponents {
        Exponents { n: 12, m: 6 } => {
            let m_power = s2 * s2 * s2;
            (m_power * m_power, m_power)
        }
        Exponents { n, m } => (power(s2, n), power(s2, m)),
    }
}

#[inline(always)]
fn power<E: Eight>(s2: Lanes<E>, exponent: u8) -> Lanes<E> {
    let mut result = if exponent & 1 == 1 { s2.sqrt() } else { s2.constant(1.0) };
    let (mut base, mut left) = (s2, exponent >> 1);
    while left > 0 {
        if left & 1 == 1 {
            result = result * base;
        }
        base = base * base;
        left >>= 1;
    }
    result
}
