//! The energy of a pair and its gradient, for any floating-point type.

// A function must be inlined into a task for `pulp::Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Real;

/// The least height of another layer of a sheet over a particle, in distances of nearest neighbours.
pub const LAYER: f64 = 0.65;

/// Energy of two coincident layers, in depths of a well: twice as stiff as contact at the onset, and soft within, where
/// particles beside each other are crowded.
const FIRM: f32 = 18.0;

/// Bound of the curvature of (1 - p)^2 by heights, over p (1 - p), where p is the [in-plane part](InPlane).
const TURN: f32 = 60.0;

/// One over the square of the height of another [layer](LAYER), 1/h^2, for a distance of nearest neighbours and a
/// smoothing length, m.
pub fn layer(nearest: f64, smoothing_length: f64) -> f64 {
    (smoothing_length / (LAYER * nearest)).powi(2)
}

/// The weights of the potentials of a pair in (32), J, with lengths in units of h, and the preferred curvature, 1/h.
#[derive(Debug, Clone, Copy)]
pub struct Weights<T> {
    pub planarity: T,
    pub normality: T,
    pub circularity: T,
    pub curvature: T,
}

/// A pair in (27) to (29): the square of r, a and b, in units of h, and c; with the constant of the [layer](layer)
/// weight.
#[derive(Debug, Clone, Copy)]
pub struct Pair<T> {
    pub layer: T,
    pub squared: T,
    pub a: T,
    pub b: T,
    pub c: T,
}

/// The energy of a pair, J, and its derivatives by the square of r, by a, b and c.
#[derive(Debug, Clone, Copy)]
pub struct Gradient<T> {
    pub energy: T,
    pub squared: T,
    pub a: T,
    pub b: T,
    pub c: T,
}

/// Curvatures of an energy, or upper bounds of these.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stiffness<T> {
    /// By places, J/h^2.
    pub by_places: T,
    /// By turns, J.
    pub by_turns: T,
}

/// A part of a well, as a function of the square of r.
#[derive(Debug, Clone, Copy)]
pub struct WellPart<T> {
    pub energy: T,
    /// Its derivative by that square.
    pub slope: T,
}

/// The weight of each ordered pair, as y^3 and y^4.
#[derive(Debug, Clone, Copy)]
pub struct Beta<T> {
    pub own: (T, T),
    pub their: (T, T),
}

impl<T: Real> Beta<T> {
    /// A weight that does not change with the pair.
    #[inline(always)]
    pub fn fixed(value: T) -> Self {
        Self { own: (value.constant(0.0), value), their: (value.constant(0.0), value) }
    }
}

/// The part of a well that attracts: the product of one factor for each height over the other's tangent plane.
#[derive(Debug, Clone, Copy)]
pub struct InPlane<T> {
    pub part: T,
    /// Its derivatives by a and b.
    pub a: T,
    pub b: T,
}

/// The push of [layers](Pair::layers), and upper bounds of its curvature by places, 1/h^2, and by turns.
#[derive(Debug, Clone, Copy)]
pub struct LayerPotentials<T> {
    pub gradient: Gradient<T>,
    pub by_places: T,
    pub by_turns: T,
}

/// (1 - t^2)^2 of the square t of a height over that of another layer, and its derivative by the height.
#[inline(always)]
fn flat<T: Real>(height: T, layer: T) -> (T, T) {
    let one = height.constant(1.0);
    let scaled = height * layer;
    let t = height * scaled;
    let room = (one - t * t).positive();
    (room * room, height.constant(-8.0) * room * t * scaled)
}

impl<T: Real> Pair<T> {
    /// The attracting part: pairs in both tangent planes attract.
    #[inline(always)]
    pub fn in_plane(&self) -> InPlane<T> {
        let ((own, own_slope), (their, their_slope)) = (flat(self.a, self.layer), flat(self.b, self.layer));
        InPlane { part: own * their, a: own_slope * their, b: own * their_slope }
    }

    /// The push between layers of one sheet, for sheets whose particles may lie nearer beside each other than layers:
    /// an energy in depths of a well and its derivatives. It ends at a distance of nearest neighbours, and is zero in
    /// one plane, so particles pressed to half of that distance are let in.
    #[inline(always)]
    pub fn layers(&self) -> LayerPotentials<T> {
        let InPlane { part, a, b } = self.in_plane();
        let one = part.constant(1.0);
        // One over the square of the distance of nearest neighbours.
        let short = self.layer * self.layer.constant((LAYER * LAYER) as f32);
        let (near, out) = ((one - self.squared * short).positive(), one - part);
        let energy = near * near * one.constant(FIRM);
        let tilt = one.constant(-2.0) * out * energy;
        let turned = energy * out * part * self.layer * one.constant(TURN);
        LayerPotentials {
            gradient: Gradient {
                energy: energy * out * out,
                squared: one.constant(-2.0 * FIRM) * near * short * out * out,
                a: tilt * a,
                b: tilt * b,
                c: one.constant(0.0),
            },
            // It is stiffest at the cut-off.
            by_places: one.constant(8.0 * FIRM) * short * out * out + turned,
            by_turns: turned * self.squared,
        }
    }

    /// How much narrower (31) is in z than in x and y: 1 / b^2 - 1 / a^2 in units of 1 / a^2, where h = sqrt(2) a. A
    /// particle as high as another layer has no weight, however near.
    #[inline(always)]
    fn flatness(&self) -> T {
        self.layer * self.layer.constant(4.0) - self.layer.constant(1.0)
    }

    /// y^3 and y^4, where the weight beta is y^4, of a pair as one particle sees it, given the other's height over its
    /// tangent plane.
    #[inline(always)]
    pub fn weight(&self, height: T) -> (T, T) {
        let s = self.squared + height * height * self.flatness();
        let y = (height.constant(1.0) - s * height.constant(0.25)).positive();
        let cube = y * y * y;
        (cube, cube * y)
    }

    /// The weights beta of both ordered pairs (31), as they see each other.
    #[inline(always)]
    pub fn beta(&self) -> Beta<T> {
        Beta { own: self.weight(self.a), their: self.weight(self.b) }
    }

    /// Co-planarity (27), co-normality (28) and co-circularity (29) of both ordered pairs, weighted by (31) and (32).
    #[inline(always)]
    pub fn bending(&self, weights: &Weights<T>, beta: &Beta<T>) -> Gradient<T> {
        let Self { squared, a, b, c, .. } = *self;
        let Weights { planarity, normality, circularity, curvature } = *weights;
        let (two, bent) = (a.constant(2.0), curvature * squared);
        let Beta { own: (own_cube, own), their: (their_cube, their) } = *beta;
        let both = own + their;
        // The deviation of each from the preferred curvature.
        let (off, their_off) = (a + bent * a.constant(0.5), bent * a.constant(0.5) - b);
        let turn = two - two * c - two * curvature * (b - a) + curvature * bent;
        let even = a + b;
        let common = normality * turn + circularity * even * even;
        let (flat, their_flat) = (planarity * off, planarity * their_off);
        let (lost, their_lost) = (own_cube * (flat * off + common), their_cube * (their_flat * their_off + common));
        let even_slope = two * circularity * even * both;
        let turn_slope = two * normality * curvature * both;
        let closer = two * self.flatness();
        Gradient {
            energy: flat * off * own + their_flat * their_off * their + common * both,
            squared: curvature * (flat * own + their_flat * their) + normality * curvature * curvature * both
                - lost
                - their_lost,
            a: two * flat * own + turn_slope + even_slope - closer * a * lost,
            b: even_slope - two * their_flat * their - turn_slope - closer * b * their_lost,
            c: a.constant(-2.0) * normality * both,
        }
    }

    /// Upper bounds of the curvatures of the [bending](Self::bending) energy.
    #[inline(always)]
    pub fn stiffness(&self, weights: &Weights<T>, beta: &Beta<T>) -> Stiffness<T> {
        let (two, both) = (self.a.constant(2.0), beta.own.1 + beta.their.1);
        let firm = weights.planarity + two * weights.circularity;
        Stiffness {
            by_places: two * firm * both,
            by_turns: (two * firm * self.squared + two * weights.normality) * both,
        }
    }
}

impl<T: Real> Stiffness<T> {
    /// The sum of two.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { by_places: self.by_places + other.by_places, by_turns: self.by_turns + other.by_turns }
    }
}

impl<T: Real> Gradient<T> {
    /// The sum of two gradients.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            energy: self.energy + other.energy,
            squared: self.squared + other.squared,
            a: self.a + other.a,
            b: self.b + other.b,
            c: self.c + other.c,
        }
    }

    /// The gradient times a factor.
    #[inline(always)]
    #[must_use]
    pub fn times(self, factor: T) -> Self {
        Self {
            energy: self.energy * factor,
            squared: self.squared * factor,
            a: self.a * factor,
            b: self.b * factor,
            c: self.c * factor,
        }
    }

    /// Adds a well, given its repulsive and its attractive part.
    #[inline(always)]
    #[must_use]
    pub fn with_well(self, push: WellPart<T>, pull: WellPart<T>, plane: &InPlane<T>) -> Self {
        Self {
            energy: self.energy + push.energy + plane.part * pull.energy,
            squared: self.squared + push.slope + plane.part * pull.slope,
            a: self.a + plane.a * pull.energy,
            b: self.b + plane.b * pull.energy,
            ..self
        }
    }
}
