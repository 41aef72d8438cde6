//! The well of a pair in a sheet, by distance or by its tie, and the push between layers and other matter.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::lanes::{Own, SheetNear};
use super::potentials::{Beta, Gradient, InPlane, Pair, Stiffness, WellPart};
use crate::lanes::{Eight, LANES, Lanes};
use crate::laws::curve::{Curve, CurveValue};
use crate::particles::{Tie, Ties};

/// The constants of a woven sheet besides its well.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weave {
    /// The contact distance of unbound particles in one plane, in distances of nearest neighbours.
    pub room: f32,
    /// Of a sheet that never tears: the well's curvature times the square of its separation, over its depth. A spring
    /// replaces the well where neighbours are drawn apart. Zero for sheets that may tear.
    pub spring: f32,
}

/// The values of the well for some pairs, as parts of its depth: energies and derivatives by r^2, 1/h^2.
pub struct SheetWell<E: Eight> {
    /// The weights of the potentials of bending.
    beta: Beta<Lanes<E>>,
    push: WellPart<Lanes<E>>,
    pull: WellPart<Lanes<E>>,
    /// The part of the pull that acts.
    plane: InPlane<Lanes<E>>,
    curvature: Lanes<E>,
    /// Curvature of the sheet at rest besides the preferred one, 1/h.
    bent: Lanes<E>,
    /// How far both particles lie off an arc at rest, h.
    skew: Lanes<E>,
    /// The part of the bending that acts, and its derivative by r^2.
    fade: (Lanes<E>, Lanes<E>),
}

impl<E: Eight> SheetWell<E> {
    /// Binds pairs in both tangent planes.
    #[inline(always)]
    pub fn free(eight: E, near: &SheetNear<E>, curve: &Curve<Lanes<E>>) -> Self {
        let beta = near.pair.beta();
        Self { plane: near.pair.in_plane(), beta, ..Self::at(eight, curve, near.pair.squared, near.inverse) }
    }

    /// The well at distances whose squares, h^2, and their inverses are given.
    #[inline(always)]
    fn at(eight: E, curve: &Curve<Lanes<E>>, squared: Lanes<E>, inverse: Lanes<E>) -> Self {
        let constant = |value: f32| Lanes::splat(eight, value);
        let CurveValue { energy, bare, potential, switched, curvature } = curve.at(eight, squared, inverse);
        let inner = squared.below(curve.separation);
        // -1/r times a slope is -2 times the derivative by r^2.
        let push =
            WellPart { energy: (energy + constant(1.0)).keep(inner), slope: (bare * constant(-0.5)).keep(inner) };
        Self {
            beta: Beta::fixed(constant(0.0)),
            push,
            pull: WellPart { energy: potential - push.energy, slope: switched * constant(-0.5) - push.slope },
            plane: InPlane { part: constant(1.0), a: constant(0.0), b: constant(0.0) },
            curvature,
            bent: constant(0.0),
            skew: constant(0.0),
            fade: (constant(1.0), constant(0.0)),
        }
    }
}

impl<E: Eight> SheetWell<E> {
    /// Replaces the well beyond the separation, h^2 as the distances, by a spring that never gives way. A spring of
    /// zero exerts no force.
    #[inline(always)]
    fn last(&mut self, eight: E, separation: Lanes<E>, squared: Lanes<E>, spring: Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let drawn = separation.below(squared);
        let stretch = (squared.larger(separation) / separation).sqrt();
        let more = stretch - constant(1.0);
        let slope = spring * more * constant(0.5) / (stretch * separation);
        let inner = |value: Lanes<E>| value - value.keep(drawn);
        self.pull = WellPart {
            energy: inner(self.pull.energy) + (spring * more * more * constant(0.5) - constant(1.0)).keep(drawn),
            slope: inner(self.pull.slope) + slope.keep(drawn),
        };
        self.curvature = inner(self.curvature) + (spring / separation).keep(drawn);
    }
}

/// The ties of a slot of a woven sheet.
pub struct Threads<'a, E: Eight> {
    /// As they lie in memory: a table of them in lanes would push the slot's values out of registers.
    ties: &'a [Tie],
    /// Smoothing length over the distance of nearest neighbours.
    wide: Lanes<E>,
    /// Square of the contact distance of others.
    room: Lanes<E>,
    /// The [spring](Weave::spring), if there is one.
    pub spring: Option<Lanes<E>>,
    /// Whether that distance is less than the distance of nearest neighbours.
    pub crowded: bool,
    /// Whether some ties lead to other sheets.
    pub joined: bool,
}

impl<'a, E: Eight> Threads<'a, E> {
    #[inline(always)]
    pub fn new(eight: E, ties: &'a Ties, wide: f32, weave: Weave) -> Self {
        let (ties, mut joined) = (ties.bound(), false);
        for tie in ties {
            joined |= tie.joins;
        }
        let wide = Lanes::splat(eight, wide);
        let room = Lanes::splat(eight, weave.room * weave.room);
        let spring = (weave.spring > 0.0).then(|| Lanes::splat(eight, weave.spring));
        Self { ties, wide, room, spring, crowded: weave.room < 1.0, joined }
    }

    /// Binds the tied neighbours, and pushes the others away. Returns the tied ones.
    #[inline(always)]
    pub fn well(
        &self,
        eight: E,
        near: &SheetNear<E>,
        curve: &Curve<Lanes<E>>,
        numbers: [&u32; LANES],
        spring: Option<Lanes<E>>,
    ) -> (SheetWell<E>, Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let numbers = eight.load(&numbers.map(|number| *number as i32));
        let (mut bound, mut length) = (constant(0.0), constant(0.0));
        let (mut bent, mut skew) = (constant(0.0), constant(0.0));
        for tie in self.ties {
            let is = eight.equal(numbers, eight.splat_integer(tie.number as i32));
            bound = bound + constant(1.0).keep(is);
            length = length + constant(tie.length).keep(is);
            bent = bent + constant(tie.curvature).keep(is);
            skew = skew + constant(tie.skew).keep(is);
        }
        let square = length * length;
        let scale = (constant(1.0) / square).keep(constant(0.0).below(bound));
        let (bent, skew) = (bent * self.wide, skew / self.wide);
        let loose = constant(1.0) - bound;
        let square = square + loose * self.room;
        let scale = scale + loose * (constant(1.0) / self.room);
        let mut well = SheetWell::at(eight, curve, near.pair.squared * scale, near.inverse * square);
        // A tie tears before its energy of bending ends with the support.
        let (fade, slope) = curve.fade(eight, near.pair.squared * scale);
        well.fade = (fade, slope * scale);
        if let Some(spring) = spring {
            well.fade = (constant(1.0), constant(0.0));
            well.last(eight, curve.separation, near.pair.squared * scale, spring * bound);
        }
        // The tension of a sheet is independent of its spacing, so the energy of a tie grows with its length.
        let length = square.sqrt();
        let well = SheetWell {
            push: WellPart { energy: well.push.energy * length, slope: well.push.slope * scale * length },
            pull: WellPart { energy: well.pull.energy * length, slope: well.pull.slope * scale * length },
            plane: InPlane { part: bound, ..well.plane },
            // Ties tell the neighbours in the sheet, whichever way these face.
            beta: Beta::fixed(bound),
            curvature: well.curvature * scale * length,
            bent,
            skew,
            fade: well.fade,
        };
        (well, bound)
    }
}

/// The energy of bound pairs, J, and its curvatures.
#[inline(always)]
pub fn bound<E: Eight>(
    eight: E,
    own: &Own<E>,
    near: &SheetNear<E>,
    well: &SheetWell<E>,
    bond: Lanes<E>,
) -> (Gradient<Lanes<E>>, Stiffness<Lanes<E>>) {
    let mut weights = own.weights_with(eight, near, bond);
    weights.curvature = weights.curvature + well.bent;
    let depth = own.root * near.root * bond;
    let times = |part: WellPart<Lanes<E>>| WellPart { energy: depth * part.energy, slope: depth * part.slope };
    // As if both lay on the arc when at rest.
    let pair = Pair { a: near.pair.a - well.skew, b: near.pair.b - well.skew, ..near.pair };
    let bending = pair.bending(&weights, &well.beta);
    let (fade, slope) = well.fade;
    let lost = bending.energy * slope;
    let bending = bending.times(fade);
    let gradient = Gradient { squared: bending.squared + lost, ..bending };
    let gradient = gradient.with_well(times(well.push), times(well.pull), &well.plane);
    let Stiffness { by_places, by_turns } = near.pair.stiffness(&weights, &well.beta);
    (gradient, Stiffness { by_places: depth * well.curvature + by_places, by_turns })
}

/// Adds the push of layers of a sheet in which particles in one plane may lie nearer.
#[inline(always)]
pub fn push_layers<E: Eight>(
    own: &Own<E>,
    near: &SheetNear<E>,
    loose: Lanes<E>,
    gradient: &mut Gradient<Lanes<E>>,
    stiffness: &mut Stiffness<Lanes<E>>,
) {
    let (layers, depth) = (near.pair.layers(), own.root * near.root * loose);
    *gradient = gradient.and(layers.gradient.times(depth));
    stiffness.by_places = stiffness.by_places + depth * layers.by_places;
    stiffness.by_turns = stiffness.by_turns + depth * layers.by_turns;
}

/// Adds the push of other sheets and other matter: the inner side of a well, lifted to end at zero.
#[inline(always)]
pub fn push_apart<E: Eight>(
    eight: E,
    own: &Own<E>,
    near: &SheetNear<E>,
    contact: &Curve<Lanes<E>>,
    strange: Lanes<E>,
    gradient: &mut Gradient<Lanes<E>>,
    stiffness: &mut Stiffness<Lanes<E>>,
) {
    let value = contact.at(eight, near.pair.squared, near.inverse);
    // One of the two may be other matter, whose root is negative.
    let depth = own.root * near.root;
    let depth = depth.larger(Lanes::splat(eight, 0.0) - depth);
    let strength = (depth * strange).keep(near.pair.squared.below(contact.separation));
    gradient.energy = gradient.energy + strength * (value.energy + Lanes::splat(eight, 1.0));
    gradient.squared = gradient.squared - strength * value.bare * Lanes::splat(eight, 0.5);
    stiffness.by_places = stiffness.by_places + strength * value.curvature;
}
