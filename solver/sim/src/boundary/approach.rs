//! Upper bounds for the speed at which moving walls come upon matter.

use super::{Boundary, MovingSurface, Pose};
use crate::bounds::Bounds;
use glam::{DMat3, DVec3};

/// The places that a collider reaches within some time, and its speed.
#[derive(Debug)]
pub struct Approach {
    /// The box around all places that the collider reaches.
    bounds: Bounds,
    a: Pose,
    b: Pose,
    /// Largest difference between the displacements of two points of the collider near each other, and the displacement
    /// by its deformation, m.
    spread: f64,
    /// Seconds, lengthened where the displacement is a chord of an arc.
    over: f64,
    /// For a plane that does not turn: it does not meet matter that stays on one side of it and farther away than this,
    /// m.
    flat: Option<f64>,
}

impl Approach {
    /// An upper bound for the speed of the collider where it meets matter at a place, m/s; zero where it does not meet
    /// any.
    pub fn speed(&self, p: DVec3) -> f64 {
        if !self.bounds.contains(p) || self.flat.is_some_and(|margin| self.passes_by(p, margin)) {
            return 0.0;
        }
        (self.b.to_world(self.a.to_local(p)).distance(p) + self.spread) / self.over
    }

    /// An upper bound for that speed in a box, m/s.
    pub fn fastest_in(&self, room: &Bounds) -> f64 {
        let met = Bounds { low: self.bounds.low.max(room.low), high: self.bounds.high.min(room.high) };
        if met.low.cmpgt(met.high).any() {
            return 0.0;
        }
        // Displacements are affine in the place, so they are largest at a corner.
        met.corners().into_iter().map(|corner| self.speed(corner)).fold(0.0, f64::max)
    }

    /// Whether a plane stays on one side of a place, and farther from it than `margin`, m.
    fn passes_by(&self, p: DVec3, margin: f64) -> bool {
        let height = |pose: &Pose| pose.to_local(p).z * pose.scale;
        let (from, to) = (height(&self.a), height(&self.b));
        from.min(to) > margin || from.max(to) < -margin
    }
}

impl Boundary {
    /// The moving colliders from one time to another of the same frame, s, for matter within `margin`, m, of them.
    pub fn approaches(&self, from: f64, to: f64, margin: f64) -> Vec<Approach> {
        let moving = self.colliders.iter().filter(|collider| !collider.stands());
        let approach = |collider: &MovingSurface| {
            let (a, b, surface) = (collider.motion.pose(from), collider.motion.pose(to), collider.field.surface());
            let (bounds, deformation) = (surface.bounds(), surface.max_speed(from, to) * a.scale.max(b.scale));
            if a == b && deformation == 0.0 {
                return None;
            }
            // The point of the collider that comes to a place later may now be as far off as the whole displacement.
            let turns = Pose { translation: b.translation, ..a } != b;
            let distance = margin + a.translation.distance(b.translation);
            Some(Approach {
                bounds: swept(bounds, &a, &b).wider(margin),
                spread: distance * stretch(&a, &b) + deformation * (to - from),
                over: (to - from) / arc_over_chord(&a, &b),
                flat: (!turns && surface.is_rigid() && !bounds.low.is_finite()).then_some(margin),
                a,
                b,
            })
        };
        moving.filter_map(approach).collect()
    }
}

/// The largest difference between the displacements of two points, over their distance.
fn stretch(a: &Pose, b: &Pose) -> f64 {
    let turn = DMat3::from_quat(b.rotation * a.rotation.inverse()) * (b.scale / a.scale) - DMat3::IDENTITY;
    // The Frobenius norm bounds the spectral one.
    turn.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A box around all places that a surface with some bounds reaches between two poses.
fn swept(bounds: Bounds, a: &Pose, b: &Pose) -> Bounds {
    let Bounds { low, high } = bounds;
    if !low.is_finite() {
        return bounds;
    }
    let centre = (low + high) / 2.0;
    let (from, to) = (a.to_world(centre), b.to_world(centre));
    // The centre may move along an arc, which bulges from its chord by less than half of the chord's length.
    let radius = (high - low).length() / 2.0 * a.scale.max(b.scale) + from.distance(to) / 2.0;
    Bounds { low: from.min(to), high: from.max(to) }.wider(radius)
}

/// Length of the arc that a point moves along when it turns from one pose to another, over the length of the chord.
fn arc_over_chord(a: &Pose, b: &Pose) -> f64 {
    let half = a.rotation.angle_between(b.rotation) / 2.0;
    if half > 1e-6 { half / half.sin() } else { 1.0 }
}
