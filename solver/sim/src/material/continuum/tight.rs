//! Places between walls where a particle has no room.

use crate::boundary::{Stop, Touch, Walls};
use glam::DVec3;

/// The narrowest gap between two colliders that a particle enters, in cells: what stands on a floor stands tight.
const NARROWEST: f64 = 0.05;
/// How deep a way has to lead into a wall to pass it, in cells: a part of how thin walls may be.
const DEPTH: f64 = 0.001;

/// The room between walls for particles on cells of a width.
#[derive(Debug, Clone, Copy)]
pub struct Room<'a> {
    walls: &'a Walls<'a>,
    /// Of the narrowest gap, m.
    margin: f64,
    depth: f64,
}

impl<'a> Room<'a> {
    /// For cells of a width, m.
    pub fn new(walls: &'a Walls<'a>, width: f64) -> Self {
        Self { walls, margin: NARROWEST * width, depth: DEPTH * width }
    }

    /// Whether there is none where walls have stopped a particle since so many seconds.
    pub fn lacks(&self, from: DVec3, seconds: f64, touch: &Touch, last: &Stop) -> bool {
        let beside = touch.position + last.normal * self.margin;
        if self.walls.pass([touch.position, beside], 0.0, self.depth, Some(last.collider)) {
            return true;
        }
        // Put back by one, it may have been put through another.
        let by_several = touch.stops.iter().any(|stop| stop.collider != last.collider);
        by_several && self.walls.pass([from, touch.position], seconds, self.depth, None)
    }

    /// Where a particle goes that has none: beside the walls if it passes none on its way, or else with one of those
    /// that stopped it, or nowhere.
    pub fn find(&self, from: DVec3, seconds: f64, touch: &Touch) -> DVec3 {
        let passes = |to: DVec3, other: Option<u32>| self.walls.pass([from, to], seconds, self.depth, other);
        let beside = self.walls.put_out(touch.position, self.margin).filter(|beside| !passes(*beside, None));
        // Where walls that move overlap others, only one of them may take it along.
        let with = |stop: &Stop| Some(from + stop.velocity * seconds).filter(|to| !passes(*to, Some(stop.collider)));
        beside.or_else(|| touch.stops.iter().rev().find_map(with)).unwrap_or(from)
    }
}
