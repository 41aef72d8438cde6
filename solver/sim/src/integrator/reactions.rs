//! Impulses between walls and matter in a kick, from the change of velocity.

use crate::boundary::{Impulses, Stop, Wall};
use crate::material::Force;
use glam::DVec3;

/// A particle that is kicked for some seconds between walls.
pub struct Kick<'a> {
    /// Mass with which it presses on walls, kg.
    pub mass: f64,
    /// Place, m.
    pub place: DVec3,
    /// Before and after, m/s.
    pub velocities: (DVec3, DVec3),
    pub force: &'a Force,
    /// Length, s.
    pub seconds: f64,
}

impl Kick<'_> {
    /// Adds the impulse of a wall, friction included.
    #[inline]
    pub fn press(&self, impulses: &mut Impulses, wall: &Wall, gravity: DVec3) {
        // Most particles touch no wall.
        if wall.share > 0.0 && self.seconds > 0.0 && self.mass > 0.0 {
            self.press_on(impulses, wall, gravity);
        }
    }

    fn press_on(&self, impulses: &mut Impulses, wall: &Wall, gravity: DVec3) {
        let Self { mass, place, velocities: (before, after), force, seconds } = *self;
        let impulse = (after - before - force.without_walls(gravity) * seconds) * mass;
        impulses.add(wall, place, impulse, mass * f64::from(force.wall_pressure) * seconds);
    }
}

/// Adds the impulses of stops on a particle of some mass, kg, at a place, m, with a velocity, m/s, one stop after the
/// other. Returns the remaining velocity.
pub fn stop<'a>(
    impulses: &mut Impulses,
    mass: f64,
    place: DVec3,
    velocity: DVec3,
    stops: impl Iterator<Item = &'a Stop>,
) -> DVec3 {
    stops.fold(velocity, |velocity, stop| {
        let stopped = stop.stopped(velocity);
        if mass > 0.0 {
            impulses.add_to(stop.collider, place, (stopped - velocity) * mass);
        }
        stopped
    })
}
