//! The meeting of a drifting particle with one collider.

use super::{Boundary, Lookup, MovingSurface, Placement, Sample, Wall};
use glam::{DVec3, IVec3};

/// How far behind a surface a path may begin and count as before it, in margins.
const MOST_BEHIND: f64 = 4.0;

/// A particle's drift, corrected for collisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// The walls that stopped it; mostly none.
    pub stops: Vec<Stop>,
    /// The walls it feels there.
    pub wall: Wall,
}

/// The surface of a wall that a particle was put back to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Normal of the surface; points out of the wall.
    pub normal: DVec3,
    /// Velocity of the surface, m/s.
    pub velocity: DVec3,
    /// Number of the collider.
    pub collider: u32,
}

/// The motion of a particle over its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Position at the start, m.
    pub from: DVec3,
    /// Time at the start, s.
    pub since: f64,
    /// Position at the end if no wall stops the particle, m.
    pub to: DVec3,
    /// Its velocity, m/s.
    pub velocity: DVec3,
}

/// The contact of a particle with one collider.
#[derive(Debug)]
pub enum ContactResult {
    WallContact(WallContact),
    Nothing {
        /// Distance that the particle may go before it feels the collider, m.
        clear: f64,
    },
}

/// A wall as one particle meets it.
#[derive(Debug)]
pub struct WallContact {
    /// Distance, m.
    pub distance: f64,
    /// Gradient of the distance; points out of the wall.
    pub normal: DVec3,
    /// Velocity of the surface, m/s.
    pub velocity: DVec3,
}

/// A particle's place at one collider.
pub(super) struct Meeting<'a> {
    pub boundary: &'a Boundary,
    pub collider: &'a MovingSurface,
    /// Number of the collider.
    pub number: u32,
    pub placement: &'a Placement,
}

impl Meeting<'_> {
    /// Keeps the particle out of the collider, and returns its contact with the collider.
    ///
    /// # Errors
    /// The block of samples that has to be made first.
    pub fn contact(&self, drift: &Drift, touch: &mut Touch) -> Result<ContactResult, IVec3> {
        let (pose, section) = (&self.placement.now, self.boundary.section);
        let (field, time) = (&self.collider.field, self.placement.time);
        let mut local = pose.to_local(touch.position);
        let mut sample = match field.sample(local, pose.scale, time) {
            Lookup::Outside(clear) => return Ok(ContactResult::Nothing { clear: clear * pose.scale }),
            Lookup::Near(sample) => sample,
            Lookup::Missing(block) => return Err(block),
        };
        if sample.thin {
            local = self.before_thin(drift, local, touch);
            // The samples cannot tell the two sides apart; the triangles can.
            sample = field.surface().unsigned(local, time).unwrap_or(sample);
        }
        let surface_gradient = sample.gradient;
        sample = section.sample(sample, pose);
        if sample.distance < 0.0 {
            local = self.put_back(local, surface_gradient, &sample, touch);
            sample.distance = 0.0;
        }
        Ok(ContactResult::WallContact(WallContact {
            distance: sample.distance * pose.scale,
            normal: section.within(pose.rotation * sample.gradient),
            velocity: self.surface_velocity(local, surface_gradient),
        }))
    }

    /// Stops a particle before a thin wall that it would pass on its way to a place of the collider. Returns where it
    /// is then.
    fn before_thin(&self, drift: &Drift, local: DVec3, touch: &mut Touch) -> DVec3 {
        let start = self.before_surface(self.collider.motion.pose(drift.since).to_local(drift.from));
        let hit = self.collider.field.surface().first_hit(start, local, self.placement.time);
        let Some((share, normal)) = hit else { return local };
        let path = local - start;
        let share = (share - self.boundary.thin_margin / path.length().max(f64::MIN_POSITIVE)).max(0.0);
        let local = start + path * share;
        let against = if normal.dot(path) > 0.0 { -normal } else { normal };
        self.stop(local, against, against, touch);
        local
    }

    /// A place of the collider, or before its surface if it is on that or a little behind, as where samples have put a
    /// particle back to them: a path from there would meet nothing.
    fn before_surface(&self, local: DVec3) -> DVec3 {
        let (field, time, margin) = (&self.collider.field, self.placement.time, self.boundary.thin_margin);
        if !field.surface().is_closed() {
            return local;
        }
        let distance = field.exact_distance(local, time);
        if !(-MOST_BEHIND * margin..margin / 2.0).contains(&distance) {
            return local;
        }
        // On the surface itself the nearest place on it tells no direction.
        let outward = match field.surface().unsigned(local, time) {
            Some(nearest) if distance.abs() > 0.01 * margin => nearest.gradient * distance.signum(),
            _ => field.exact(local, time).gradient.normalize_or_zero(),
        };
        local + outward * (margin - distance)
    }

    /// Puts a particle inside the collider back to its surface. Returns where it is then.
    fn put_back(&self, local: DVec3, surface_gradient: DVec3, sample: &Sample, touch: &mut Touch) -> DVec3 {
        let steepness = sample.gradient.length_squared().max(0.25);
        let local = local - sample.gradient * (sample.distance / steepness);
        self.stop(local, sample.gradient.normalize_or(DVec3::Z), surface_gradient, touch);
        local
    }

    /// Stops a particle at a place of the collider with a normal.
    fn stop(&self, local: DVec3, normal: DVec3, surface_gradient: DVec3, touch: &mut Touch) {
        let (pose, section) = (&self.placement.now, self.boundary.section);
        let normal = section.direction(pose.rotation * normal);
        let velocity = self.surface_velocity(local, surface_gradient);
        touch.stop(section.within(pose.to_world(local)), Stop { normal, velocity, collider: self.number });
    }

    /// Velocity of the surface at a place of the collider, m/s.
    fn surface_velocity(&self, local: DVec3, gradient: DVec3) -> DVec3 {
        let velocity = self.placement.velocity(self.collider, local, self.boundary.velocity_interval);
        self.boundary.section.velocity(velocity, self.placement.now.rotation * gradient)
    }
}

impl Touch {
    /// Puts the particle on a surface and removes the velocity into it.
    fn stop(&mut self, position: DVec3, stop: Stop) {
        self.position = position;
        self.velocity = stop.stopped(self.velocity);
        self.stops.push(stop);
    }
}

impl Stop {
    /// A velocity without its part into the wall.
    pub fn stopped(&self, velocity: DVec3) -> DVec3 {
        let inwards = (velocity - self.velocity).dot(self.normal).min(0.0);
        velocity - self.normal * inwards
    }
}
