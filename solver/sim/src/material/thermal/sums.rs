//! The sums over bonded pairs, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::well::{Exponents, Well};
use crate::kernel::Real;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, Task, columns, named, numbers};
use crate::material::masses::{MassWeights, Masses};
use crate::material::tags::Tags;
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use glam::Vec3;

/// What the loop reads of a sorted slot, in rows that are loaded at once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct Bonded {
    /// Where it is, and its tag.
    pub place: Place,
    /// Velocity, m/s, and the root of the dissociation energy, J.
    pub motion: Row,
}

/// What it reads besides where matter differs: [kin](Kin::number), half the damping, kg/s, the number of its well, below zero where it has
/// none, and how well it bonds with other kin, 0 to 1, or the [lump](Kin::lump) that it has fused with.
pub type Kind = Row;

/// Which bodies bond from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kin {
    /// One body with itself.
    Body(u32),
    /// One [piece](crate::material::soft) of soft matter with itself.
    Piece(u32),
    /// With none.
    None,
}

impl Kin {
    /// Two are kin where their numbers are the same.
    pub fn number(self) -> f32 {
        match self {
            Self::Body(source) => (source + 1) as f32,
            Self::Piece(piece) => -(piece as f32 + 1.0),
            Self::None => f32::NAN,
        }
    }

    /// The number of a lump of soft matter, below zero: what has fused bonds with all of its own that has.
    pub fn lump(lump: u32) -> f32 {
        -(lump as f32 + 1.0)
    }
}

/// A well in units of the smoothing length, as the loop needs it: factors on the powers s^n and s^m, and bounds.
#[derive(Debug, Clone, Copy)]
pub struct Curve<T = f32> {
    exponents: Exponents,
    /// Square of the equilibrium separation, h^2.
    pub separation: T,
    /// One over where the core begins, 1/h^2.
    core: T,
    /// Where the switch begins, h^2, one over how far it goes, 1/h^2, and twelve times that.
    switch: (T, T, T),
    /// Of the potential.
    energy: (T, T),
    /// Of its slope, one for both.
    slope: T,
    /// Of its curvature.
    curvature: (T, T),
}

impl Curve {
    /// Of a well, for a smoothing length, m.
    pub fn new(well: &Well, smoothing_length: f64) -> Self {
        let squared = smoothing_length * smoothing_length;
        let (from, to) = well.switched();
        let (n, m) = (f64::from(well.exponents.n), f64::from(well.exponents.m));
        let slope = n * m / (n - m);
        Self {
            exponents: well.exponents,
            separation: (well.separation.powi(2) / squared) as f32,
            core: (squared / well.core.powi(2)) as f32,
            switch: ((from / squared) as f32, (squared / (to - from)) as f32, (12.0 * squared / (to - from)) as f32),
            energy: ((m / (n - m)) as f32, (n / (n - m)) as f32),
            slope: slope as f32,
            curvature: ((slope * (n + 1.0)) as f32, (slope * (m + 1.0)) as f32),
        }
    }

    /// The same in all lanes.
    #[inline(always)]
    pub fn splat<E: Eight>(&self, eight: E) -> Curve<Lanes<E>> {
        let all = |value: f32| Lanes::splat(eight, value);
        let both = |(a, b): (f32, f32)| (all(a), all(b));
        Curve {
            exponents: self.exponents,
            separation: all(self.separation),
            core: all(self.core),
            switch: (all(self.switch.0), all(self.switch.1), all(self.switch.2)),
            energy: both(self.energy),
            slope: all(self.slope),
            curvature: both(self.curvature),
        }
    }
}

/// A well at some distances, as parts of the dissociation energy.
pub struct Value<E: Eight> {
    /// The potential without the switch.
    pub energy: Lanes<E>,
    /// -1/r times its slope, 1/h^2.
    pub bare: Lanes<E>,
    /// The potential with the switch.
    pub potential: Lanes<E>,
    /// -1/r times its slope, 1/h^2.
    pub switched: Lanes<E>,
    /// Its curvature where that is positive, 1/h^2, but for what the switch adds.
    pub curvature: Lanes<E>,
}

impl<E: Eight> Curve<Lanes<E>> {
    /// The switch at squares of distances, h^2, and its derivative by them.
    #[inline(always)]
    pub fn fade(&self, eight: E, squared: Lanes<E>) -> (Lanes<E>, Lanes<E>) {
        let (t, switch) = self.switched(eight, squared);
        (switch, t * (t - Lanes::splat(eight, 1.0)) * self.switch.2 * Lanes::splat(eight, 0.5))
    }

    /// How far squares of distances, h^2, are on the way of the switch, and the switch.
    #[inline(always)]
    fn switched(&self, eight: E, squared: Lanes<E>) -> (Lanes<E>, Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let t = ((squared - self.switch.0) * self.switch.1).positive().smaller(constant(1.0));
        (t, constant(1.0) - t * t * (constant(3.0) - t - t))
    }

    /// At distances whose squares, h^2, and their inverses are given.
    #[inline(always)]
    pub fn at(&self, eight: E, squared: Lanes<E>, inverse: Lanes<E>) -> Value<E> {
        let constant = |value: f32| Lanes::splat(eight, value);
        let inverse = inverse.smaller(self.core);
        let (n_power, m_power) = powers(self.separation * inverse, self.exponents);
        let repulsion = (n_power - m_power) * self.slope;
        let curvature = self.curvature.0 * n_power - self.curvature.1 * m_power;
        // How far they are in the core.
        let inside = (constant(1.0) - squared * inverse).positive();
        let stiffening = (curvature + repulsion) * constant(0.5) * inside;
        let energy = self.energy.0 * n_power - self.energy.1 * m_power
            + (repulsion + stiffening * constant(0.5)) * constant(0.5) * inside;
        let bare = repulsion + stiffening;
        let (t, switch) = self.switched(eight, squared);
        let switching = self.switch.2 * squared * t * (constant(1.0) - t);
        let switched = bare * switch + energy * switching;
        Value {
            energy,
            bare: bare * inverse,
            potential: energy * switch,
            switched: switched * inverse,
            curvature: (curvature * inverse).positive(),
        }
    }
}

/// The sums over the bonds of some slots of a batch, as a task for [`dispatch`](crate::lanes::dispatch). Where all are `ALIKE` the
/// first kind is that of all, and `SEVERAL` tells whether there are several wells.
pub struct Bonds<'a, const ALIKE: bool, const SEVERAL: bool> {
    pub rows: &'a [Bonded],
    pub kinds: &'a [Kind],
    pub lists: &'a BatchLists,
    pub slots: &'a [u32],
    /// The wells of the scene.
    pub curves: &'a [Curve],
    /// By how much the damping of a pair grows with its speed, kg/m, by well; empty where none does.
    pub rubs: &'a [f32],
    /// Where they differ.
    pub masses: Option<Masses<'a>>,
    /// Whether there are pieces of soft matter.
    pub pieces: bool,
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

impl<const ALIKE: bool, const SEVERAL: bool> Task for Bonds<'_, ALIKE, SEVERAL> {
    type Output = [BondSums; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [BondSums::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            *sum = if ALIKE { self.among_alike(eight, slot as usize) } else { self.among_all(eight, slot as usize) };
        }
        sums
    }
}

impl<const ALIKE: bool, const SEVERAL: bool> Bonds<'_, ALIKE, SEVERAL> {
    /// The sums of a slot among matter of one kind.
    #[inline(always)]
    fn among_alike<E: Eight>(&self, eight: E, slot: usize) -> BondSums {
        let ([curve, ..], [[_, half_damping, ..], ..]) = (self.curves, self.kinds) else { return BondSums::default() };
        let (own, curve) = (Own::new(eight, slot, &self.rows[slot]), curve.splat(eight));
        let mut sums = LaneSums::new(eight);
        for group in self.lists.of(slot - self.lists.first) {
            let near = Near::new(eight, &own, self.rows, group);
            sums.meet(eight, &near);
            if *half_damping > 0.0 {
                sums.add_drag(&near, None);
            }
            let depth = sums.add_well(eight, &curve, &near, None);
            sums.depth = sums.depth + depth;
        }
        let place = &self.rows[slot].place;
        let root = self.rows[slot].motion[3];
        sums.ended(place[3] as u8).times(root * root, 2.0 * half_damping)
    }

    /// The sums of a slot among matter of any kinds.
    #[inline(always)]
    fn among_all<E: Eight>(&self, eight: E, slot: usize) -> BondSums {
        let own = Own::new(eight, slot, &self.rows[slot]);
        let own_kind = self.kinds[slot].map(|value| Lanes::splat(eight, value));
        let mut sums = LaneSums::new(eight);
        for group in self.lists.of(slot - self.lists.first) {
            let near = Near::new(eight, &own, self.rows, group);
            sums.meet(eight, &near);
            let [kin, half_damping, well, weld] = columns(eight, named(self.kinds, group));
            let weights =
                self.masses.map_or_else(|| MassWeights::alike(eight), |masses| masses.weights(eight, slot, group));
            let mut damping = weights.damping(own_kind[1], half_damping);
            let mut largest = (own_kind[1] * weights.theirs).larger(half_damping * weights.own);
            if !self.rubs.is_empty() {
                let rub = self.half_rub(eight, (own_kind[2], well), &weights)
                    * (near.parting * near.parting * near.inverse).sqrt();
                (damping, largest) = (damping + rub + rub, largest + rub);
            }
            let one = Lanes::splat(eight, 1.0);
            let fused = if self.pieces { fused(eight, (own_kind[3], weld)) } else { Lanes::splat(eight, 0.0) };
            let meets = if self.pieces { meets(eight, (own_kind[0], kin), fused) } else { one };
            sums.half_damping = sums.half_damping.larger((largest * meets).keep(near.mask));
            sums.add_drag(&near, Some(damping * meets));
            // What is foreign is wetted as the weaker of the two is by itself.
            let (weaker, stronger) = (own.root.smaller(near.root), own.root.larger(near.root));
            let weld =
                own_kind[3].larger(weld).positive() * weaker / stronger.larger(Lanes::splat(eight, f32::MIN_POSITIVE));
            let bond = bond(eight, (own_kind[0], kin), weld.larger(fused));
            if let (false, [curve]) = (SEVERAL, self.curves) {
                let (strength, curve) = (own.root * near.root * meets, curve.splat(eight));
                let depth = sums.add_well(eight, &curve, &near, Some(Tie { strength, bond }));
                sums.depth = sums.depth + depth * near.root * meets;
                continue;
            }
            let half = Lanes::splat(eight, 0.5);
            for (number, curve) in self.curves.iter().enumerate() {
                let number = Lanes::splat(eight, number as f32);
                let (is_own, is_theirs) = (same(eight, own_kind[2], number), same(eight, well, number));
                let (curve, both) =
                    (curve.splat(eight), |own: Lanes<E>, their: Lanes<E>| own.keep(is_own) + their.keep(is_theirs));
                let share = both(half, half) * near.root * meets;
                let strength = share * own.root;
                let depth = sums.add_well(eight, &curve, &near, Some(Tie { strength, bond }));
                sums.depth = sums.depth + depth * share;
            }
        }
        let Bonded { place, motion: [_, _, _, root] } = self.rows[slot];
        let sums = sums.ended(place[3] as u8);
        // What has no bonds has none to lose.
        BondSums { depth: if root > 0.0 { sums.depth / root } else { 0.0 }, ..sums }
    }

    /// Half of what the damping of pairs grows by with their speed, kg/m, by the numbers of both wells.
    #[inline(always)]
    fn half_rub<E: Eight>(&self, eight: E, (own, their): (Lanes<E>, Lanes<E>), weights: &MassWeights<E>) -> Lanes<E> {
        let (mut of_own, mut of_theirs) = (Lanes::splat(eight, 0.0), Lanes::splat(eight, 0.0));
        for (number, &rub) in self.rubs.iter().enumerate() {
            let (number, quarter) = (Lanes::splat(eight, number as f32), Lanes::splat(eight, 0.25 * rub));
            of_own = of_own + quarter.keep(same(eight, own, number));
            of_theirs = of_theirs + quarter.keep(same(eight, their, number));
        }
        weights.damping(of_own, of_theirs)
    }
}

/// Where two whole numbers are the same.
#[inline(always)]
pub fn same<E: Eight>(eight: E, a: Lanes<E>, b: Lanes<E>) -> E::Mask {
    let difference = a - b;
    (difference * difference).below(Lanes::splat(eight, 0.25))
}

/// How well two bond: 1 where they are kin, or as they weld.
#[inline(always)]
fn bond<E: Eight>(eight: E, (own, kin): (Lanes<E>, Lanes<E>), weld: Lanes<E>) -> Lanes<E> {
    Lanes::splat(eight, 1.0).keep(same(eight, own, kin)).larger(weld)
}

/// 0 for two pieces of soft matter, which meet by their [skins](crate::material::soft), but for what has fused; 1 for others.
#[inline(always)]
fn meets<E: Eight>(eight: E, (own, kin): (Lanes<E>, Lanes<E>), fused: Lanes<E>) -> Lanes<E> {
    let (zero, one) = (Lanes::splat(eight, 0.0), Lanes::splat(eight, 1.0));
    // What has no kin is below nothing.
    let is_piece = |kin: Lanes<E>| one.keep(kin.below(zero));
    one - is_piece(own) * is_piece(kin) * (one - one.keep(same(eight, own, kin)).larger(fused))
}

/// 1 for two that have fused with the same [lump](Kin::lump); 0 for others.
#[inline(always)]
fn fused<E: Eight>(eight: E, (own, their): (Lanes<E>, Lanes<E>)) -> Lanes<E> {
    Lanes::splat(eight, 1.0).keep(same(eight, own, their)).keep(own.below(Lanes::splat(eight, 0.0)))
}

struct Own<E: Eight> {
    centre: Centre<E>,
    velocity: [Lanes<E>; 3],
    root: Lanes<E>,
}

impl<E: Eight> Own<E> {
    #[inline(always)]
    fn new(eight: E, slot: usize, row: &Bonded) -> Self {
        let [x, y, z, root] = row.motion.map(|value| Lanes::splat(eight, value));
        Self { centre: Centre::new(eight, slot, &row.place), velocity: [x, y, z], root }
    }
}

/// Eight neighbours as a slot sees them.
struct Near<E: Eight> {
    along: [Lanes<E>; 3],
    /// q^2, and its inverse where that is not too small.
    squared: Lanes<E>,
    inverse: Lanes<E>,
    /// Which are within the support.
    mask: E::Mask,
    tag: Lanes<E>,
    root: Lanes<E>,
    /// How fast they part, times their distance over h, m/s.
    parting: Lanes<E>,
}

impl<E: Eight> Near<E> {
    #[inline(always)]
    fn new(eight: E, own: &Own<E>, rows: &[Bonded], group: &[u32; LANES]) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(rows, group);
        // The slot itself, which fills up its last group, adds nothing: it counts as far away.
        let places = eight.turn_places(rows.map(|row| &row.place));
        let offsets = own.centre.offsets(group, places);
        let [x, y, z] = offsets.along;
        let [vx, vy, vz, root] = columns(eight, rows.map(|row| &row.motion));
        let parting = (own.velocity[0] - vx) * x + (own.velocity[1] - vy) * y + (own.velocity[2] - vz) * z;
        let squared = offsets.squared;
        Self {
            along: offsets.along,
            squared,
            inverse: constant(1.0) / squared.larger(constant(LEAST_SQUARED)),
            mask: squared.below(constant(SUPPORT_SQUARED)),
            tag: numbers(eight, places[3]),
            root,
            parting: parting * constant(TO_Q),
        }
    }
}

/// What binds pairs.
#[derive(Clone, Copy)]
struct Tie<E: Eight> {
    /// Dissociation energies, J.
    strength: Lanes<E>,
    /// 1 for those that bond, 0 for others.
    bond: Lanes<E>,
}

/// [`BondSums`] in lanes, of directions in units of support / 2^20.
struct LaneSums<E: Eight> {
    force: [Lanes<E>; 3],
    virial: Lanes<E>,
    depth: Lanes<E>,
    drag: [Lanes<E>; 3],
    curvature: Lanes<E>,
    half_damping: Lanes<E>,
    max_mu: Lanes<E>,
    tags: Tags<E>,
}

impl<E: Eight> LaneSums<E> {
    #[inline(always)]
    fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            force: [zero; 3],
            virial: zero,
            depth: zero,
            drag: [zero; 3],
            curvature: zero,
            half_damping: zero,
            max_mu: zero,
            tags: Tags::new(eight),
        }
    }

    /// Notes how fast eight neighbours come near, and how long their steps are.
    #[inline(always)]
    fn meet(&mut self, eight: E, near: &Near<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        self.max_mu = self.max_mu.larger((constant(0.0) - near.parting * near.inverse).keep(near.mask));
        self.tags.meet(near.tag, near.mask);
    }

    /// Adds what eight neighbours take of the slot's motion by some damping, or by 1.
    #[inline(always)]
    fn add_drag(&mut self, near: &Near<E>, damping: Option<Lanes<E>>) {
        let drag = damping_shape(near.squared) * near.parting * near.inverse;
        let drag = damping.map_or(drag, |damping| damping * drag);
        for (axis, along) in near.along.into_iter().enumerate() {
            self.drag[axis] = self.drag[axis] + drag * along;
        }
    }

    /// Adds what one well makes of eight neighbours, tied in some way, or all by 1. Tells the potentials as parts of the
    /// dissociation energies.
    #[inline(always)]
    fn add_well(&mut self, eight: E, curve: &Curve<Lanes<E>>, near: &Near<E>, tie: Option<Tie<E>>) -> Lanes<E> {
        let constant = |value: f32| Lanes::splat(eight, value);
        let Value { energy, bare, potential, switched, curvature } = curve.at(eight, near.squared, near.inverse);
        let Some(Tie { strength, bond }) = tie else {
            self.push(near, switched, curvature);
            return potential;
        };
        // Those without a bond only push each other apart: the well's inner side, lifted to end at zero.
        let pushes = (constant(1.0) - bond).keep(near.squared.below(curve.separation));
        self.push(near, strength * (switched * bond + bare * pushes), strength * curvature);
        potential * bond + (energy + constant(1.0)) * pushes
    }

    /// Adds forces over distances, and curvatures.
    #[inline(always)]
    fn push(&mut self, near: &Near<E>, force: Lanes<E>, curvature: Lanes<E>) {
        for (axis, along) in near.along.into_iter().enumerate() {
            self.force[axis] = self.force[axis] + force * along;
        }
        self.virial = self.virial + force * near.squared;
        self.curvature = self.curvature + curvature;
    }

    #[inline(always)]
    fn ended(self, own_tag: u8) -> BondSums {
        let vector = |[x, y, z]: [Lanes<E>; 3]| Vec3::new(x.sum(), y.sum(), z.sum()) * TO_Q;
        BondSums {
            force: vector(self.force),
            virial: self.virial.sum(),
            depth: 0.5 * self.depth.sum(),
            drag: vector(self.drag),
            curvature: self.curvature.sum(),
            half_damping: self.half_damping.max(),
            max_mu: self.max_mu.max(),
            tags: self.tags.with(own_tag),
        }
    }
}

impl BondSums {
    /// With wells that many times as deep, J, and with a damping as high, kg/s.
    #[inline(always)]
    fn times(self, strength: f32, damping: f32) -> Self {
        Self {
            force: self.force * strength,
            virial: self.virial * strength,
            drag: self.drag * damping,
            curvature: self.curvature * strength,
            ..self
        }
    }
}

/// No pair counts as nearer than this q^2.
pub const LEAST_SQUARED: f32 = 0.01;

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
