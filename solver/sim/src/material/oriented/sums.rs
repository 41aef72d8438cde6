//! The sums over pairs of oriented particles, eight neighbours at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::potentials::{Beta, Gradient, InPlane, Pair, Weights};
use super::sheet::Weave;
use super::ties::{MOST_TIES, Ties};
use crate::lanes::{Centre, Eight, LANES, Lanes, Row, SUPPORT_SQUARED, Task, columns, named, numbers};
use crate::material::masses::{MassWeights, Masses};
use crate::material::tags::Tags;
use crate::material::thermal::{Curve, LEAST_SQUARED, Value, damping_shape, same};
use crate::neighbours::{BATCH, BatchLists, Place, TO_Q};
use glam::Vec3;

/// What the loop reads of a sorted slot, in rows that are loaded at once; where it is of no sheet, the place, the motion and what it is pushed away by.
#[derive(Debug, Clone, Copy, Default)]
pub struct Oriented {
    /// Where it is, and its tag.
    pub place: Place,
    /// Velocity, m/s, and half the damping, kg/s.
    pub motion: Row,
    /// Normal, and the [number](crate::material::thermal::Kin::number) of its sheet.
    pub normal: Row,
    /// Angular velocity, rad/s, and the root of the depth of the well, J; that of what is no sheet is below zero.
    pub spin: Row,
    /// Roots of the weights of co-planarity, co-normality and co-circularity, J, and the preferred curvature, 1/h.
    pub bend: Row,
}

/// The sums over some slots of a batch, as a task for [`dispatch`](crate::lanes::dispatch). `SEVERAL` tells whether there is other matter
/// besides one sheet.
pub struct Pairs<'a, const SEVERAL: bool> {
    pub rows: &'a [Oriented],
    pub lists: &'a BatchLists,
    pub slots: &'a [u32],
    /// The well of each body.
    pub curves: &'a [Curve],
    /// What tells layers, 1/h^2.
    pub layer: f32,
    /// Smoothing length over the distance of nearest neighbours.
    pub wide: f32,
    /// The well by which sheets push each other, and the one that holds those that are joined.
    pub contact: &'a Curve,
    pub joint: &'a Curve,
    /// Body and number of each slot, and what it is bound to where sheets are woven.
    pub sources: &'a [u32],
    pub numbers: &'a [u32],
    pub ties: &'a [Ties],
    /// How each body is woven, if it is.
    pub woven: &'a [Option<Weave>],
    /// Where they differ.
    pub masses: Option<Masses<'a>>,
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
    /// Sum of the curvatures of the energy by places, J/h^2, and by turns, J.
    pub stiffness: (f32, f32),
    /// Largest damping of a pair, kg/s.
    pub damping: f32,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    pub max_mu: f32,
    /// Smallest and largest tag among the neighbours and the particle itself.
    pub tags: (u8, u8),
}

impl<const SEVERAL: bool> Task for Pairs<'_, SEVERAL> {
    type Output = [SheetSums; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let mut sums = [SheetSums::default(); BATCH];
        for (&slot, sum) in self.slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            *sum = if is_sheet(&self.rows[slot]) { self.of_slot(eight, slot) } else { self.of_stranger(eight, slot) };
        }
        sums
    }
}

impl<const SEVERAL: bool> Pairs<'_, SEVERAL> {
    #[inline(always)]
    fn of_slot<E: Eight>(&self, eight: E, slot: usize) -> SheetSums {
        let row = &self.rows[slot];
        let (own, mut sums) = (Own::new(eight, slot, row, self.layer), LaneSums::new(eight));
        let curve = self.curves[self.sources[slot] as usize].splat(eight);
        let contact = self.contact.splat(eight);
        let woven = self.woven[self.sources[slot] as usize]
            .map(|weave| Threads::new(eight, &self.ties[slot], self.wide, weave));
        for group in self.lists.of(slot - self.lists.first) {
            let near = Near::new(eight, &own, self.rows, group);
            sums.meet(eight, &near, Lanes::splat(eight, 1.0));
            let mine = near.mine.keep(near.mask);
            let (well, joined) = match &woven {
                Some(threads) => threads.well(eight, &near, &curve, named(self.numbers, group), threads.spring),
                None => (Well::free(eight, &near, &curve), Lanes::splat(eight, 0.0)),
            };
            let (mut gradient, mut stiffness) = bound(eight, &own, &near, &well, mine);
            if woven.as_ref().is_some_and(|threads| threads.crowded) {
                push_layers(&own, &near, mine - joined * mine, (&mut gradient, &mut stiffness));
            }
            let mut bond = mine;
            let mut sheet = mine;
            if SEVERAL {
                sheet = near.is_sheet(eight);
                if let Some(threads) = woven.as_ref().filter(|threads| threads.joined) {
                    // Wells of two sheets may differ, so what joins them is one of its own.
                    let other = joined.keep(near.mask) - joined * mine;
                    bond = bond + other;
                    let (well, _) =
                        threads.well(eight, &near, &self.joint.splat(eight), named(self.numbers, group), None);
                    let (more, stiff) = bound(eight, &own, &near, &well, other);
                    gradient = gradient.and(more);
                    stiffness = (stiffness.0 + stiff.0, stiffness.1 + stiff.1);
                }
                let (other, weights) = (near.is_other(eight), self.weights(eight, slot, group));
                let strange = (sheet - bond + other) * weights.stiffness();
                push_apart(eight, &own, &near, &contact, strange, (&mut gradient, &mut stiffness));
                let damping = weights.damping(own.half_damping, near.half_damping);
                sums.damp(&own, &near, damping * (sheet + other), bond);
            } else {
                sums.damp(&own, &near, (own.half_damping + near.half_damping) * sheet, bond);
            }
            sums.add(eight, &near, &gradient, stiffness);
        }
        sums.ended(row)
    }

    /// What sheets do to a slot of other matter.
    #[inline(always)]
    fn of_stranger<E: Eight>(&self, eight: E, slot: usize) -> SheetSums {
        let row = &self.rows[slot];
        let (own, mut sums) = (Own::new(eight, slot, row, self.layer), LaneSums::new(eight));
        let (contact, none) = (self.contact.splat(eight), Lanes::splat(eight, 0.0));
        for group in self.lists.of(slot - self.lists.first) {
            if group.iter().any(|&other| is_sheet(&self.rows[other as usize])) {
                let near = Near::new(eight, &own, self.rows, group);
                let (mut gradient, mut stiffness) =
                    (Gradient { energy: none, squared: none, a: none, b: none, c: none }, (none, none));
                let (sheet, weights) = (near.is_sheet(eight), self.weights(eight, slot, group));
                let strange = sheet * weights.stiffness();
                push_apart(eight, &own, &near, &contact, strange, (&mut gradient, &mut stiffness));
                sums.add(eight, &near, &gradient, stiffness);
                sums.damp(&own, &near, weights.damping(own.half_damping, near.half_damping) * sheet, none);
                sums.meet(eight, &near, sheet);
            }
        }
        sums.ended(row)
    }

    #[inline(always)]
    fn weights<E: Eight>(&self, eight: E, slot: usize, group: &[u32; LANES]) -> MassWeights<E> {
        self.masses.map_or_else(|| MassWeights::alike(eight), |masses| masses.weights(eight, slot, group))
    }
}

fn is_sheet(row: &Oriented) -> bool {
    row.spin[3] > 0.0
}

/// What the well is for some pairs, as parts of its depth: energies and derivatives by r^2, 1/h^2.
struct Well<E: Eight> {
    /// What weighs the potentials of bending.
    beta: Beta<Lanes<E>>,
    push: (Lanes<E>, Lanes<E>),
    pull: (Lanes<E>, Lanes<E>),
    /// How much of the pull acts.
    plane: InPlane<Lanes<E>>,
    curvature: Lanes<E>,
    /// How the sheet is bent at rest besides the curvature that it prefers, 1/h.
    bent: Lanes<E>,
    /// How far both lie off an arc at rest, h.
    skew: Lanes<E>,
    /// Which part of the bending acts, and its derivative by r^2.
    fade: (Lanes<E>, Lanes<E>),
}

impl<E: Eight> Well<E> {
    /// Binds what lies in both tangent planes.
    #[inline(always)]
    fn free(eight: E, near: &Near<E>, curve: &Curve<Lanes<E>>) -> Self {
        let beta = near.pair.beta();
        Self { plane: near.pair.in_plane(), beta, ..Self::at(eight, curve, near.pair.squared, near.inverse) }
    }

    /// At distances whose squares, h^2, and their inverses are given.
    #[inline(always)]
    fn at(eight: E, curve: &Curve<Lanes<E>>, squared: Lanes<E>, inverse: Lanes<E>) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let Value { energy, bare, potential, switched, curvature } = curve.at(eight, squared, inverse);
        let inner = squared.below(curve.separation);
        // -1/r times a slope is -2 times the derivative by r^2.
        let push = ((energy + constant(1.0)).keep(inner), (bare * constant(-0.5)).keep(inner));
        Self {
            beta: Beta::fixed(constant(0.0)),
            push,
            pull: (potential - push.0, switched * constant(-0.5) - push.1),
            plane: InPlane { part: constant(1.0), a: constant(0.0), b: constant(0.0) },
            curvature,
            bent: constant(0.0),
            skew: constant(0.0),
            fade: (constant(1.0), constant(0.0)),
        }
    }
}

impl<E: Eight> Well<E> {
    /// Lets a spring stand for what is drawn apart beyond the separation, h^2 as the distances: it never gives way. Where the spring is zero nothing acts.
    #[inline(always)]
    fn last(&mut self, eight: E, separation: Lanes<E>, squared: Lanes<E>, spring: Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let drawn = separation.below(squared);
        let stretch = (squared.larger(separation) / separation).sqrt();
        let more = stretch - constant(1.0);
        let slope = spring * more * constant(0.5) / (stretch * separation);
        let inner = |value: Lanes<E>| value - value.keep(drawn);
        self.pull = (
            inner(self.pull.0) + (spring * more * more * constant(0.5) - constant(1.0)).keep(drawn),
            inner(self.pull.1) + slope.keep(drawn),
        );
        self.curvature = inner(self.curvature) + (spring / separation).keep(drawn);
    }
}

/// What a slot of a woven sheet is bound to.
struct Threads<E: Eight> {
    numbers: [E::Integers; MOST_TIES],
    /// One over the square of each one's length at rest.
    scales: [Lanes<E>; MOST_TIES],
    squares: [Lanes<E>; MOST_TIES],
    /// Curvatures at rest, 1/h.
    bends: [Lanes<E>; MOST_TIES],
    /// [Skews](Tie::skew) at rest, h.
    skews: [Lanes<E>; MOST_TIES],
    /// Square of how far others are pushed away.
    room: Lanes<E>,
    /// The [spring](Weave::spring), if there is one.
    spring: Option<Lanes<E>>,
    /// Whether that is less than a distance of nearest neighbours.
    crowded: bool,
    count: usize,
    /// Whether some of them are of other sheets.
    joined: bool,
}

impl<E: Eight> Threads<E> {
    #[inline(always)]
    fn new(eight: E, ties: &Ties, wide: f32, weave: Weave) -> Self {
        let (mut numbers, one) = ([eight.splat_integer(-1); MOST_TIES], Lanes::splat(eight, 1.0));
        let (mut scales, mut squares, mut bends) = ([one; MOST_TIES], [one; MOST_TIES], [one; MOST_TIES]);
        let mut skews = [one; MOST_TIES];
        let (mut count, mut joined) = (0, false);
        for tie in ties.iter() {
            numbers[count] = eight.splat_integer(tie.number as i32);
            scales[count] = Lanes::splat(eight, 1.0 / (tie.length * tie.length));
            squares[count] = Lanes::splat(eight, tie.length * tie.length);
            bends[count] = Lanes::splat(eight, tie.curvature * wide);
            skews[count] = Lanes::splat(eight, tie.skew / wide);
            joined |= tie.joins;
            count += 1;
        }
        let room = Lanes::splat(eight, weave.room * weave.room);
        let spring = (weave.spring > 0.0).then(|| Lanes::splat(eight, weave.spring));
        Self { numbers, scales, squares, bends, skews, room, spring, crowded: weave.room < 1.0, count, joined }
    }

    /// Binds those neighbours, and pushes the others away. Tells which are bound.
    #[inline(always)]
    fn well(
        &self,
        eight: E,
        near: &Near<E>,
        curve: &Curve<Lanes<E>>,
        numbers: [&u32; LANES],
        spring: Option<Lanes<E>>,
    ) -> (Well<E>, Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let numbers = eight.load(&numbers.map(|number| *number as i32));
        let (mut bound, mut scale, mut square) = (constant(0.0), constant(0.0), constant(0.0));
        let (mut bent, mut skew) = (constant(0.0), constant(0.0));
        for n in 0..self.count {
            let is = eight.equal(numbers, self.numbers[n]);
            bound = bound + constant(1.0).keep(is);
            scale = scale + self.scales[n].keep(is);
            square = square + self.squares[n].keep(is);
            bent = bent + self.bends[n].keep(is);
            skew = skew + self.skews[n].keep(is);
        }
        let loose = constant(1.0) - bound;
        let square = square + loose * self.room;
        let scale = scale + loose * (constant(1.0) / self.room);
        let mut well = Well::at(eight, curve, near.pair.squared * scale, near.inverse * square);
        // What tears does so before its energy of bending ends with the support.
        let (fade, slope) = curve.fade(eight, near.pair.squared * scale);
        well.fade = (fade, slope * scale);
        if let Some(spring) = spring {
            well.fade = (constant(1.0), constant(0.0));
            well.last(eight, curve.separation, near.pair.squared * scale, spring * bound);
        }
        // The tension of a sheet is the same however fine it is, so the energy of a tie grows with its length.
        let length = square.sqrt();
        let well = Well {
            push: (well.push.0 * length, well.push.1 * scale * length),
            pull: (well.pull.0 * length, well.pull.1 * scale * length),
            plane: InPlane { part: bound, ..well.plane },
            // Memory tells who lies beside whom, whatever way they face.
            beta: Beta::fixed(bound),
            curvature: well.curvature * scale * length,
            bent,
            skew,
            fade: well.fade,
        };
        (well, bound)
    }
}

/// Curvatures of the energy by places, J/h^2, and by turns, J.
type Stiffness<E> = (Lanes<E>, Lanes<E>);

/// The energy of those pairs that are bound, J, and its curvatures by places, J/h^2, and by turns, J.
#[inline(always)]
fn bound<E: Eight>(
    eight: E,
    own: &Own<E>,
    near: &Near<E>,
    well: &Well<E>,
    bond: Lanes<E>,
) -> (Gradient<Lanes<E>>, Stiffness<E>) {
    let mut weights = own.weights_with(eight, near, bond);
    weights.curvature = weights.curvature + well.bent;
    let depth = own.root * near.root * bond;
    let times = |(energy, slope): (Lanes<E>, Lanes<E>)| (depth * energy, depth * slope);
    // As if both lay on the arc, were they as at rest.
    let pair = Pair { a: near.pair.a - well.skew, b: near.pair.b - well.skew, ..near.pair };
    let bending = pair.bending(&weights, &well.beta);
    let (fade, slope) = well.fade;
    let lost = bending.energy * slope;
    let bending = bending.times(fade);
    let gradient = Gradient { squared: bending.squared + lost, ..bending };
    let gradient = gradient.with_well(times(well.push), times(well.pull), &well.plane);
    let (by_places, by_turns) = near.pair.stiffness(&weights, &well.beta);
    (gradient, (depth * well.curvature + by_places, by_turns))
}

/// Adds what pushes layers of one sheet apart, where those in one plane may lie nearer.
#[inline(always)]
fn push_layers<E: Eight>(
    own: &Own<E>,
    near: &Near<E>,
    loose: Lanes<E>,
    (gradient, stiffness): (&mut Gradient<Lanes<E>>, &mut Stiffness<E>),
) {
    let (layers, depth) = (near.pair.layers(), own.root * near.root * loose);
    *gradient = gradient.and(layers.gradient.times(depth));
    *stiffness = (stiffness.0 + depth * layers.by_places, stiffness.1 + depth * layers.by_turns);
}

/// Adds what pushes sheets apart, and other matter: the inner side of a well, lifted to end at zero.
#[inline(always)]
fn push_apart<E: Eight>(
    eight: E,
    own: &Own<E>,
    near: &Near<E>,
    contact: &Curve<Lanes<E>>,
    strange: Lanes<E>,
    (gradient, stiffness): (&mut Gradient<Lanes<E>>, &mut Stiffness<E>),
) {
    let value = contact.at(eight, near.pair.squared, near.inverse);
    // One of them may be no sheet.
    let depth = own.root * near.root;
    let depth = depth.larger(Lanes::splat(eight, 0.0) - depth);
    let strength = (depth * strange).keep(near.pair.squared.below(contact.separation));
    gradient.energy = gradient.energy + strength * (value.energy + Lanes::splat(eight, 1.0));
    gradient.squared = gradient.squared - strength * value.bare * Lanes::splat(eight, 0.5);
    stiffness.0 = stiffness.0 + strength * value.curvature;
}

struct Own<E: Eight> {
    centre: Centre<E>,
    velocity: [Lanes<E>; 3],
    half_damping: Lanes<E>,
    normal: [Lanes<E>; 3],
    kin: Lanes<E>,
    spin: [Lanes<E>; 3],
    root: Lanes<E>,
    layer: Lanes<E>,
    bend: [Lanes<E>; 4],
}

impl<E: Eight> Own<E> {
    #[inline(always)]
    fn new(eight: E, slot: usize, row: &Oriented, layer: f32) -> Self {
        let all = |row: Row| row.map(|value| Lanes::splat(eight, value));
        let ([vx, vy, vz, half_damping], [nx, ny, nz, kin]) = (all(row.motion), all(row.normal));
        let [wx, wy, wz, root] = all(row.spin);
        Self {
            centre: Centre::new(eight, slot, &row.place),
            velocity: [vx, vy, vz],
            half_damping,
            normal: [nx, ny, nz],
            kin,
            spin: [wx, wy, wz],
            root,
            layer: Lanes::splat(eight, layer),
            bend: all(row.bend),
        }
    }

    /// The weights of pairs, times some factor.
    #[inline(always)]
    fn weights_with(&self, eight: E, near: &Near<E>, factor: Lanes<E>) -> Weights<Lanes<E>> {
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
struct Near<E: Eight> {
    /// From there to the slot, in units of h.
    along: [Lanes<E>; 3],
    pair: Pair<Lanes<E>>,
    /// One over q^2, where that is not too small.
    inverse: Lanes<E>,
    /// Which are within the support.
    mask: E::Mask,
    tag: Lanes<E>,
    normal: [Lanes<E>; 3],
    spin: [Lanes<E>; 3],
    /// 1 where they are of the slot's sheet.
    mine: Lanes<E>,
    half_damping: Lanes<E>,
    root: Lanes<E>,
    bend: [Lanes<E>; 4],
    /// How fast they part, times their distance over h, m/s.
    parting: Lanes<E>,
}

#[inline(always)]
fn dot<E: Eight>(a: &[Lanes<E>; 3], b: &[Lanes<E>; 3]) -> Lanes<E> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl<E: Eight> Near<E> {
    #[inline(always)]
    fn new(eight: E, own: &Own<E>, rows: &[Oriented], group: &[u32; LANES]) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let rows = named(rows, group);
        // The slot itself, which fills up its last group, adds nothing: it counts as far away.
        let places = eight.turn_places(rows.map(|row| &row.place));
        let offsets = own.centre.offsets(group, places);
        let along = offsets.along.map(|way| way * constant(TO_Q));
        let [vx, vy, vz, half_damping] = columns(eight, rows.map(|row| &row.motion));
        let [nx, ny, nz, kin] = columns(eight, rows.map(|row| &row.normal));
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
            mine: constant(1.0).keep(same(eight, own.kin, kin)),
            half_damping,
            root,
            bend: columns(eight, rows.map(|row| &row.bend)),
            parting: dot(&parted, &along),
            along,
        }
    }

    /// 1 where they are of no sheet, within the support.
    #[inline(always)]
    fn is_other(&self, eight: E) -> Lanes<E> {
        let other = self.root.below(Lanes::splat(eight, 0.0));
        Lanes::splat(eight, 1.0).keep(other).keep(self.mask)
    }

    /// 1 where they are of any sheet within the support.
    #[inline(always)]
    fn is_sheet(&self, eight: E) -> Lanes<E> {
        let sheet = Lanes::splat(eight, 0.0).below(self.root);
        Lanes::splat(eight, 1.0).keep(sheet).keep(self.mask)
    }
}

/// [`SheetSums`] in lanes.
struct LaneSums<E: Eight> {
    force: [Lanes<E>; 3],
    /// What the normal is drawn to, and how strongly along it.
    pull: [Lanes<E>; 3],
    lift: Lanes<E>,
    energy: Lanes<E>,
    drag: [Lanes<E>; 3],
    spin_drag: [Lanes<E>; 3],
    stiffness: (Lanes<E>, Lanes<E>),
    damping: Lanes<E>,
    max_mu: Lanes<E>,
    tags: Tags<E>,
}

impl<E: Eight> LaneSums<E> {
    #[inline(always)]
    fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self {
            force: [zero; 3],
            pull: [zero; 3],
            lift: zero,
            energy: zero,
            drag: [zero; 3],
            spin_drag: [zero; 3],
            stiffness: (zero, zero),
            damping: zero,
            max_mu: zero,
            tags: Tags::new(eight),
        }
    }

    /// Notes how fast those of eight neighbours come near that it acts on, 1 or 0, and how long the steps of all are.
    #[inline(always)]
    fn meet(&mut self, eight: E, near: &Near<E>, acts: Lanes<E>) {
        let approach = Lanes::splat(eight, 0.0) - near.parting * near.inverse;
        self.max_mu = self.max_mu.larger(approach.keep(near.mask) * acts);
        self.tags.meet(near.tag, near.mask);
    }

    /// Adds what eight neighbours take of the slot's motion by some damping and, of one sheet with it, of its spin.
    #[inline(always)]
    fn damp(&mut self, own: &Own<E>, near: &Near<E>, damping: Lanes<E>, bond: Lanes<E>) {
        self.damping = self.damping.larger(damping);
        let damping = damping * damping_shape(near.pair.squared);
        let (drag, spin_drag) = (damping * near.parting * near.inverse, damping * bond);
        for axis in 0..3 {
            self.drag[axis] = self.drag[axis] + drag * near.along[axis];
            self.spin_drag[axis] = self.spin_drag[axis] + spin_drag * (own.spin[axis] - near.spin[axis]);
        }
    }

    #[inline(always)]
    fn add(&mut self, eight: E, near: &Near<E>, gradient: &Gradient<Lanes<E>>, stiffness: (Lanes<E>, Lanes<E>)) {
        let Gradient { energy, squared, a, b, c } = *gradient;
        let central = Lanes::splat(eight, -2.0) * squared;
        for axis in 0..3 {
            self.force[axis] = self.force[axis] + central * near.along[axis] + b * near.normal[axis];
            self.pull[axis] = self.pull[axis] + c * near.normal[axis] - a * near.along[axis];
        }
        self.lift = self.lift + a;
        self.energy = self.energy + energy;
        self.stiffness = (self.stiffness.0 + stiffness.0, self.stiffness.1 + stiffness.1);
    }

    #[inline(always)]
    fn ended(self, row: &Oriented) -> SheetSums {
        let vector = |[x, y, z]: [Lanes<E>; 3]| Vec3::new(x.sum(), y.sum(), z.sum());
        let [nx, ny, nz, _] = row.normal;
        let normal = Vec3::new(nx, ny, nz);
        SheetSums {
            force: vector(self.force) + normal * self.lift.sum(),
            torque: -normal.cross(vector(self.pull)),
            energy: 0.5 * self.energy.sum(),
            drag: vector(self.drag),
            spin_drag: vector(self.spin_drag),
            stiffness: (self.stiffness.0.sum(), self.stiffness.1.sum()),
            damping: self.damping.max(),
            max_mu: self.max_mu.max(),
            tags: self.tags.with(row.place[3] as u8),
        }
    }
}
