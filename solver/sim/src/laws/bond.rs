//! Bonds between particles: T92 (19), and DG95 (1) and (2) with exponents 8 and 4.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::curve::{Curve, CurveValue, LEAST_SQUARED, damping_shape, same};
use super::lanes::sum;
use super::masses::{MassWeights, Masses};
use crate::kernel::Real;
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, columns, named, numbers};
use crate::neighbours::{PackedPosition, TO_Q};
use crate::pairs::{PairLaw, Tags};
use glam::Vec3;

/// The columns of a sorted slot that the loop reads, in rows that are loaded at once.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(32))]
pub struct Bonded {
    /// Place, and tag.
    pub place: PackedPosition,
    /// Velocity, m/s, and the root of the dissociation energy, J.
    pub motion: Row,
}

/// Columns that the loop reads where matter differs: the [number](BondGroup::number) of its bond group, half the
/// damping, kg/s, the number of its well, below zero without a well, and how well it bonds with other groups, 0 to 1,
/// or the [lump](BondGroup::lump) that it has fused with.
pub type Kind = Row;

/// Friction of pairs: DG95 (2), damping that grows with their speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Friction {
    /// Damping over speed, kg/m.
    pub by_speed: f32,
    /// The largest damping, kg/s.
    pub most: f32,
}

/// A group of matter that bonds from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BondGroup {
    /// A body bonds with itself.
    Body(u32),
    /// A [piece](crate::material::soft) of soft matter bonds with itself.
    Piece(u32),
    /// Matter without bonds.
    None,
}

impl BondGroup {
    /// The number of the group: equal in particles of the same group.
    pub fn number(self) -> f32 {
        match self {
            Self::Body(source) => (source + 1) as f32,
            Self::Piece(piece) => -(piece as f32 + 1.0),
            Self::None => f32::NAN,
        }
    }

    /// The number of a lump of soft matter, below zero: fused particles bond with all fused particles of their lump.
    pub fn lump(lump: u32) -> f32 {
        -(lump as f32 + 1.0)
    }
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
pub struct BondSums {
    /// Force by the wells, J over h.
    pub force: Vec3,
    /// Sum of force times distance, J.
    pub virial: f32,
    /// Half the sum of the own well's potentials, as parts of the dissociation energy. Its sum over all particles,
    /// times that energy, is the energy of all pairs.
    pub depth: f32,
    /// Sum of damping times the velocities' part along the pair, N.
    pub drag: Vec3,
    /// Sum of the positive curvatures of pairs, J / h^2.
    pub curvature: f32,
    /// Largest half of a damping among the neighbours, kg/s.
    pub half_damping: f32,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

/// The sums of bonds among matter of one kind.
pub struct AlikeBonds<'a> {
    pub rows: &'a [Bonded],
    /// The well of all particles.
    pub curve: Curve,
    /// Half the damping of each particle, kg/s.
    pub half_damping: f32,
}

/// A slot among matter of one kind, in lanes.
pub struct AlikeBonding<E: Eight> {
    own: Own<E>,
    curve: Curve<Lanes<E>>,
}

impl PairLaw for AlikeBonds<'_> {
    type Sum = BondSums;
    type Own<E: Eight> = AlikeBonding<E>;
    type Lanes<E: Eight> = BondLaneSums<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (AlikeBonding<E>, BondLaneSums<E>) {
        let own = AlikeBonding { own: Own::new(eight, slot, &self.rows[slot]), curve: self.curve.splat(eight) };
        (own, BondLaneSums::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(
        &self,
        eight: E,
        AlikeBonding { own, curve }: &AlikeBonding<E>,
        sums: &mut BondLaneSums<E>,
        group: &[u32; LANES],
    ) {
        let near = BondNear::new(eight, own, self.rows, group);
        sums.meet(eight, &near);
        if self.half_damping > 0.0 {
            sums.add_drag(&near, None);
        }
        let depth = sums.add_well(eight, curve, &near, None);
        sums.depth = sums.depth + depth;
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &BondLaneSums<E>, slot: usize) -> BondSums {
        let Bonded { place, motion: [_, _, _, root] } = self.rows[slot];
        sums.ended(place[3] as u8).times(root * root, 2.0 * self.half_damping)
    }
}

/// The sums of bonds among matter of any kinds; `SEVERAL` tells whether there are several wells.
pub struct Bonds<'a, const SEVERAL: bool> {
    pub rows: &'a [Bonded],
    pub kinds: &'a [Kind],
    /// The wells of the scene.
    pub curves: &'a [Curve],
    /// Friction by well; empty where there is none.
    pub friction: &'a [Friction],
    /// Masses, if they differ.
    pub masses: Option<Masses<'a>>,
    /// Whether there are pieces of soft matter.
    pub pieces: bool,
}

/// A slot among matter of any kinds, in lanes.
pub struct Bonding<E: Eight> {
    slot: usize,
    own: Own<E>,
    own_kind: [Lanes<E>; 4],
}

impl<const SEVERAL: bool> PairLaw for Bonds<'_, SEVERAL> {
    type Sum = BondSums;
    type Own<E: Eight> = Bonding<E>;
    type Lanes<E: Eight> = BondLaneSums<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Bonding<E>, BondLaneSums<E>) {
        let own = Bonding {
            slot,
            own: Own::new(eight, slot, &self.rows[slot]),
            own_kind: self.kinds[slot].map(|value| Lanes::splat(eight, value)),
        };
        (own, BondLaneSums::new(eight))
    }

    #[inline(always)]
    fn meet<E: Eight>(
        &self,
        eight: E,
        Bonding { slot, own, own_kind }: &Bonding<E>,
        sums: &mut BondLaneSums<E>,
        group: &[u32; LANES],
    ) {
        let near = BondNear::new(eight, own, self.rows, group);
        sums.meet(eight, &near);
        let [group_of_other, half_damping, well, weld] = columns(eight, named(self.kinds, group));
        let weights =
            self.masses.map_or_else(|| MassWeights::alike(eight), |masses| masses.weights(eight, *slot, group));
        let mut damping = weights.damping(own_kind[1], half_damping);
        let mut largest = (own_kind[1] * weights.theirs).larger(half_damping * weights.own);
        if !self.friction.is_empty() {
            let speed = (near.parting * near.parting * near.inverse).sqrt();
            let half = self.half_friction(eight, own_kind[2], well, speed, &weights);
            (damping, largest) = (damping + half + half, largest + half);
        }
        let one = Lanes::splat(eight, 1.0);
        let fused = if self.pieces { fused(eight, own_kind[3], weld) } else { Lanes::splat(eight, 0.0) };
        let meets = if self.pieces { meets(eight, own_kind[0], group_of_other, fused) } else { one };
        sums.half_damping = sums.half_damping.larger((largest * meets).keep(near.mask));
        sums.add_drag(&near, Some(damping * meets));
        // Foreign matter is wetted with the weaker of the two energies.
        let (weaker, stronger) = (own.root.smaller(near.root), own.root.larger(near.root));
        let weld =
            own_kind[3].larger(weld).positive() * weaker / stronger.larger(Lanes::splat(eight, f32::MIN_POSITIVE));
        let bond = bond(eight, own_kind[0], group_of_other, weld.larger(fused));
        if let (false, [curve]) = (SEVERAL, self.curves) {
            let (strength, curve) = (own.root * near.root * meets, curve.splat(eight));
            let depth = sums.add_well(eight, &curve, &near, Some(BondTie { strength, bond }));
            sums.depth = sums.depth + depth * near.root * meets;
            return;
        }
        let half = Lanes::splat(eight, 0.5);
        for (number, curve) in self.curves.iter().enumerate() {
            let number = Lanes::splat(eight, number as f32);
            let (is_own, is_theirs) = (same(eight, own_kind[2], number), same(eight, well, number));
            let (curve, both) =
                (curve.splat(eight), |own: Lanes<E>, their: Lanes<E>| own.keep(is_own) + their.keep(is_theirs));
            let share = both(half, half) * near.root * meets;
            let strength = share * own.root;
            let depth = sums.add_well(eight, &curve, &near, Some(BondTie { strength, bond }));
            sums.depth = sums.depth + depth * share;
        }
    }

    #[inline(always)]
    fn end<E: Eight>(&self, sums: &BondLaneSums<E>, slot: usize) -> BondSums {
        let Bonded { place, motion: [_, _, _, root] } = self.rows[slot];
        let sums = sums.ended(place[3] as u8);
        // Matter without bonds has no bond energy.
        BondSums { depth: if root > 0.0 { sums.depth / root } else { 0.0 }, ..sums }
    }
}

impl<const SEVERAL: bool> Bonds<'_, SEVERAL> {
    /// Half the addition of friction to the damping of pairs at their speeds, m/s, kg/s, by the numbers of both wells.
    #[inline(always)]
    fn half_friction<E: Eight>(
        &self,
        eight: E,
        own: Lanes<E>,
        their: Lanes<E>,
        speed: Lanes<E>,
        weights: &MassWeights<E>,
    ) -> Lanes<E> {
        let (mut of_own, mut of_theirs) = (Lanes::splat(eight, 0.0), Lanes::splat(eight, 0.0));
        for (number, &Friction { by_speed, most }) in self.friction.iter().enumerate() {
            let number = Lanes::splat(eight, number as f32);
            let quarter = (Lanes::splat(eight, 0.25 * by_speed) * speed).smaller(Lanes::splat(eight, 0.25 * most));
            of_own = of_own + quarter.keep(same(eight, own, number));
            of_theirs = of_theirs + quarter.keep(same(eight, their, number));
        }
        weights.damping(of_own, of_theirs)
    }
}

/// How well two particles bond: 1 in the same group, elsewhere as they weld.
#[inline(always)]
fn bond<E: Eight>(eight: E, own: Lanes<E>, group_of_other: Lanes<E>, weld: Lanes<E>) -> Lanes<E> {
    Lanes::splat(eight, 1.0).keep(same(eight, own, group_of_other)).larger(weld)
}

/// 0 for two pieces of soft matter that have not fused, which meet by their [skins](crate::material::soft); 1 for
/// others.
#[inline(always)]
fn meets<E: Eight>(eight: E, own: Lanes<E>, group_of_other: Lanes<E>, fused: Lanes<E>) -> Lanes<E> {
    let (zero, one) = (Lanes::splat(eight, 0.0), Lanes::splat(eight, 1.0));
    // The number of a piece is below zero.
    let is_piece = |group_of_other: Lanes<E>| one.keep(group_of_other.below(zero));
    one - is_piece(own) * is_piece(group_of_other) * (one - one.keep(same(eight, own, group_of_other)).larger(fused))
}

/// 1 for two particles fused with the same [lump](BondGroup::lump); 0 for others.
#[inline(always)]
fn fused<E: Eight>(eight: E, own: Lanes<E>, their: Lanes<E>) -> Lanes<E> {
    Lanes::splat(eight, 1.0).keep(same(eight, own, their)).keep(own.below(Lanes::splat(eight, 0.0)))
}

/// A slot in all lanes.
pub struct Own<E: Eight> {
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
struct BondNear<E: Eight> {
    along: [Lanes<E>; 3],
    /// q^2, and its inverse, bounded for small q.
    squared: Lanes<E>,
    inverse: Lanes<E>,
    /// The neighbours within the support.
    mask: E::Mask,
    tag: Lanes<E>,
    root: Lanes<E>,
    /// Parting speed times distance over h, m/s.
    parting: Lanes<E>,
}

impl<E: Eight> BondNear<E> {
    #[inline(always)]
    fn new(eight: E, own: &Own<E>, rows: &[Bonded], group: &[u32; LANES]) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(rows, group);
        // The slot itself fills up its last group and adds nothing: it counts as far away.
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

/// Strength and presence of a pair's bond.
#[derive(Clone, Copy)]
struct BondTie<E: Eight> {
    /// Dissociation energies, J.
    strength: Lanes<E>,
    /// 1 for bonded pairs, 0 for others.
    bond: Lanes<E>,
}

/// [`BondSums`] in lanes, of directions in units of support / 2^20.
pub struct BondLaneSums<E: Eight> {
    force: [Lanes<E>; 3],
    virial: Lanes<E>,
    depth: Lanes<E>,
    drag: [Lanes<E>; 3],
    curvature: Lanes<E>,
    half_damping: Lanes<E>,
    max_mu: Lanes<E>,
    tags: Tags<E>,
}

impl<E: Eight> BondLaneSums<E> {
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

    /// Updates the approach speed and the step limits with eight neighbours.
    #[inline(always)]
    fn meet(&mut self, eight: E, near: &BondNear<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        self.max_mu = self.max_mu.larger((constant(0.0) - near.parting * near.inverse).keep(near.mask));
        self.tags.meet(near.tag, near.mask);
    }

    /// Adds the drag of eight neighbours on the slot's motion by some damping, or by 1.
    #[inline(always)]
    fn add_drag(&mut self, near: &BondNear<E>, damping: Option<Lanes<E>>) {
        let drag = damping_shape(near.squared) * near.parting * near.inverse;
        let drag = damping.map_or(drag, |damping| damping * drag);
        for (axis, along) in near.along.into_iter().enumerate() {
            self.drag[axis] = self.drag[axis] + drag * along;
        }
    }

    /// Adds the force of one well for eight neighbours, with their ties, or all tied by 1. Returns the potentials as
    /// parts of the dissociation energies.
    #[inline(always)]
    fn add_well(&mut self, eight: E, curve: &Curve<Lanes<E>>, near: &BondNear<E>, tie: Option<BondTie<E>>) -> Lanes<E> {
        let constant = |value: f32| Lanes::splat(eight, value);
        let CurveValue { energy, bare, potential, switched, curvature } = curve.at(eight, near.squared, near.inverse);
        let Some(BondTie { strength, bond }) = tie else {
            self.push(near, switched, curvature);
            return potential;
        };
        // Pairs without a bond only push each other apart: the well's inner side, lifted to end at zero.
        let pushes = (constant(1.0) - bond).keep(near.squared.below(curve.separation));
        self.push(near, strength * (switched * bond + bare * pushes), strength * curvature);
        potential * bond + (energy + constant(1.0)) * pushes
    }

    /// Adds forces over distances, and curvatures.
    #[inline(always)]
    fn push(&mut self, near: &BondNear<E>, force: Lanes<E>, curvature: Lanes<E>) {
        for (axis, along) in near.along.into_iter().enumerate() {
            self.force[axis] = self.force[axis] + force * along;
        }
        self.virial = self.virial + force * near.squared;
        self.curvature = self.curvature + curvature;
    }

    #[inline(always)]
    fn ended(&self, own_tag: u8) -> BondSums {
        BondSums {
            force: sum(self.force),
            virial: self.virial.sum(),
            depth: 0.5 * self.depth.sum(),
            drag: sum(self.drag),
            curvature: self.curvature.sum(),
            half_damping: self.half_damping.max(),
            max_mu: self.max_mu.max(),
            tags: self.tags.with(own_tag),
        }
    }
}

impl BondSums {
    /// Scales the forces by a depth of the wells, J, and the drag by a damping, kg/s.
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
