//! Exact distances and velocities of walls, for a grid that meets them between its nodes.

use super::{MovingSurface, Placement, Pose, Section, Walls};
use crate::kernel::Dimensions;
use glam::DVec3;

/// What distances to a collider follow from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallState {
    /// That of the collider.
    pub number: usize,
    pose: Pose,
    /// Of one that changes its shape, s.
    time: Option<f64>,
}

impl Walls<'_> {
    /// Number of colliders.
    pub fn count(&self) -> usize {
        self.placements.len()
    }

    /// Whether a collider never moves or changes.
    pub fn stands(&self, number: usize) -> bool {
        self.placements[number].standing
    }

    /// What distances to a collider follow from.
    pub fn state(&self, number: usize) -> WallState {
        let (collider, placement) = (&self.boundary.colliders[number], &self.placements[number]);
        let time = (!collider.field.surface().is_rigid()).then_some(placement.time);
        WallState { number, pose: placement.now, time }
    }

    /// Whether no collider ever moves or changes.
    pub fn all_stand(&self) -> bool {
        self.all_stand
    }

    /// Signed distance of a place to the surface of a collider, m; negative inside. In a plane, along it.
    pub fn signed_distance(&self, number: usize, place: DVec3) -> f64 {
        let straight = self.straight_distance(number, place);
        match self.boundary.section {
            Section(Dimensions::Three) => straight,
            section => straight * section.longer(self.gradient(number, place)),
        }
    }

    /// The gradient of the straight distance.
    fn gradient(&self, number: usize, place: DVec3) -> DVec3 {
        // Far less than a spacing.
        let by = self.boundary.thin_margin;
        let slope = |axis: DVec3| {
            self.straight_distance(number, place + axis * by) - self.straight_distance(number, place - axis * by)
        };
        DVec3::from_array(DVec3::AXES.map(slope)) / (2.0 * by)
    }

    /// The direction in which the distance to a collider grows. In a plane, along it.
    pub fn normal(&self, number: usize, place: DVec3) -> DVec3 {
        self.boundary.section.direction(self.gradient(number, place)).normalize_or_zero()
    }

    fn straight_distance(&self, number: usize, place: DVec3) -> f64 {
        let (collider, placement) = (&self.boundary.colliders[number], &self.placements[number]);
        let pose = &placement.now;
        collider.field.exact_distance(pose.to_local(place), placement.time) * pose.scale
    }

    /// A distance, m, that a place is at least away from a collider; negative within the box around it. A collider with
    /// an inverted shape is everywhere near.
    pub fn at_least(&self, number: usize, place: DVec3) -> f64 {
        let (collider, pose) = (&self.boundary.colliders[number], &self.placements[number].now);
        collider.field.off_bounds(pose.to_local(place)) * pose.scale
    }

    /// Whether the straight way between two places leads deeper than so many m into a collider other than one or, where
    /// it begins in that, ends as much deeper. Each collider has carried the first place along for some seconds.
    pub fn pass(&self, [from, to]: [DVec3; 2], seconds: f64, depth: f64, other: Option<u32>) -> bool {
        let lies = |number: usize| {
            let from = if self.stands(number) { from } else { from + self.velocity(number, from) * seconds };
            let length = from.distance(to);
            if self.at_least(number, from) > length {
                return false;
            }
            let first = self.straight_distance(number, from);
            if first < -depth {
                return self.straight_distance(number, to) < first - depth;
            }
            let (mut clear, mut passed) = (first, 0.0);
            while clear >= -depth && passed < length {
                passed += clear.max(depth);
                clear = self.straight_distance(number, from.lerp(to, (passed / length).min(1.0)));
            }
            clear < -depth
        };
        (0..self.count()).filter(|&number| other.is_none_or(|other| other as usize != number)).any(lies)
    }

    /// A place beside a given one that is some distance, m, away from all colliders, or nearly so; none where there is
    /// none, as between two that close in.
    pub fn put_out(&self, place: DVec3, margin: f64) -> Option<DVec3> {
        const TIMES: usize = 6;
        let mut place = place;
        for _ in 0..TIMES {
            let near = (0..self.count()).filter(|&number| self.at_least(number, place) < margin);
            let distances = near.map(|number| (number, self.signed_distance(number, place)));
            let Some((number, distance)) = distances.min_by(|a, b| a.1.total_cmp(&b.1)) else { return Some(place) };
            if distance >= margin / 2.0 {
                return Some(place);
            }
            let away = self.boundary.section.within(self.gradient(number, place)).try_normalize()?;
            place += away * (margin - distance);
        }
        None
    }

    /// The speed of a collider's origin, m/s.
    pub fn speed_of_origin(&self, number: usize) -> f64 {
        self.velocity(number, self.placements[number].now.translation).length()
    }

    /// Velocity of a collider at a place, m/s.
    pub fn velocity(&self, number: usize, place: DVec3) -> DVec3 {
        let (collider, placement) = (&self.boundary.colliders[number], &self.placements[number]);
        let velocity = placement.velocity(collider, placement.now.to_local(place), self.boundary.velocity_interval);
        match self.boundary.section {
            Section(Dimensions::Three) => velocity,
            section => section.velocity(velocity, self.gradient(number, place)),
        }
    }

    /// The friction coefficient of a collider.
    pub fn friction(&self, number: usize) -> f64 {
        self.boundary.colliders[number].friction
    }

    /// How matter wets a collider, from 0 to 1.
    pub fn adhesion(&self, number: usize) -> f64 {
        self.boundary.colliders[number].adhesion
    }

    /// Whether matter that touches a collider sticks to it: what has no friction slides off, whatever its adhesion.
    pub fn is_sticky(&self, number: usize) -> bool {
        self.adhesion(number) > 0.0 && self.friction(number) > 0.0
    }
}

impl Placement {
    /// Velocity, m/s, of a collider's surface and what moves with it at a place in its own coordinates, by its pose
    /// some seconds later.
    pub(super) fn velocity(&self, collider: &MovingSurface, local: DVec3, interval: f64) -> DVec3 {
        let Some(later) = self.later else { return DVec3::ZERO };
        let soon = local + collider.field.surface().velocity(local, self.time) * interval;
        (later.to_world(soon) - self.now.to_world(local)) / interval
    }
}
