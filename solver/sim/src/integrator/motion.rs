//! Leapfrog of the particles whose step ends.
//!
//! | symbol | meaning |
//! |---|---|
//! | x, v, a | position, velocity and acceleration where a particle's step began |
//! | s | seconds since then |
//!
//! DG96 (9) and (10) in the form that is synchronous at both ends of a step (kick, drift, kick): x(s) = x + s u with u
//! = v + a s / 2, and v(s) = u + a(s) s / 2. At any s within a step that is the path of the particle to second order,
//! so its neighbours see it where it is, and a step may be cut short at any time: the old acceleration then counts in
//! the second kick until the cut, a(s) from there on. A wall that stopped a particle in its drift stops it again after
//! the second kick, so that v(s) is the velocity with which it goes on. The correction of the position that DG96 makes
//! when a step changes, (`s_new`^2 - `s_old`^2) a / 8, is between positions of two of its half steps; here no position
//! is half a step off, and it is zero.

use super::Integrator;
use super::account::Account;
use super::bins::NoStepShortEnough;
use super::columns::StepColumns;
use super::drift::WallEffect;
use super::groups::Channel;
use super::instant::Instant;
use crate::boundary::Wall;
use crate::material::Force;
use crate::particles::{Density, Particles};
use glam::{DQuat, DVec3, Vec3};

impl Integrator {
    /// A step without stages: [moves](Self::move_active) the particles whose steps end and [evaluates](Self::end_steps)
    /// them.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn step(&mut self, particles: &mut Particles, instant: &Instant) -> Result<Account, NoStepShortEnough> {
        let drifted = self.move_active(particles, instant);
        Ok(drifted + self.end_steps(particles, instant)?)
    }

    /// Moves the particles whose steps end to their new places, among the expected places of all others.
    pub fn move_active(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        self.choose_active(instant);
        let drifted = self.drift(particles, instant, WallEffect::Stops);
        self.look_around(particles, instant);
        drifted
    }

    /// Evaluates the particles that have [moved](Self::move_active), and begins their next steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn end_steps(&mut self, particles: &mut Particles, instant: &Instant) -> Result<Account, NoStepShortEnough> {
        let evaluated = self.evaluate(particles, instant)?;
        if self.level_groups(instant) && self.begins_anew(instant) {
            while self.match_all() {}
        }
        Ok(evaluated)
    }

    /// Takes and evaluates all matter at an instant, without stages.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn refresh(&mut self, particles: &mut Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.take_anew(particles, instant);
        self.begin_steps(particles, instant)
    }

    /// Sorts and takes all matter at an instant. All that follows depends on the columns of particles alone.
    pub fn take_anew(&mut self, particles: &mut Particles, instant: &Instant) {
        particles.densities.resize(particles.len(), Density::AT_REST);
        self.put_led_last(particles);
        let (count, positions) = (particles.paired, &particles.positions);
        self.neighbours.sort(|slot| positions[slot], &particles.numbers[..count]);
        particles.reorder_paired(self.neighbours.order());
        self.columns.renew(count, instant.tick());
        if self.interface.is_empty() {
            self.columns.received.clear();
        }
        self.channels.iter_mut().for_each(Channel::clear);
        self.apart.clear();
        self.active.choose_all(count);
        self.drift(particles, instant, WallEffect::IsFelt);
        self.neighbours.prepare(&self.active);
        self.take_all(particles, instant);
    }

    /// Brings the particles that stages move behind all others: those of grids, but for those that [lie at other
    /// matter](Self::interface).
    pub fn put_led_last(&self, particles: &mut Particles) {
        let at_interface = |number: u32| self.interface.get(number as usize).is_some_and(Option::is_some);
        let all = particles.sources.iter().zip(&particles.numbers);
        let led: Vec<bool> =
            all.map(|(&source, &number)| self.solver.is_led(source) && !at_interface(number)).collect();
        particles.put_last(&led);
    }

    /// Evaluates all matter that was [taken](Self::take_anew), and begins its first steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn begin_steps(&mut self, particles: &mut Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.evaluate(particles, instant)?;
        if self.level_groups(instant) {
            while self.match_all() {}
        }
        Ok(())
    }

    /// Marks the particles whose steps end as active.
    pub(super) fn choose_active(&mut self, instant: &Instant) {
        let StepColumns { bins, asleep, .. } = &self.columns;
        // A sleeping particle has the longest step, which does not end.
        if instant.least_bin() == 0 && asleep.contains(&true) {
            self.active.choose_these((0..).zip(asleep).filter(|(_, asleep)| !**asleep).map(|(slot, _)| slot));
        } else {
            self.active.choose(bins, instant.least_bin());
        }
    }
}

impl Force {
    /// The whole acceleration, m/s^2.
    pub fn acceleration(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.held + self.walls).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// DG96 (10) over some seconds, then friction by the walls' push.
pub(super) fn kicked(velocity: DVec3, force: &Force, gravity: DVec3, wall: &Wall, dt: f64) -> DVec3 {
    let velocity = velocity + force.acceleration(gravity) * dt;
    if force.wall_push == Vec3::ZERO { velocity } else { friction(velocity, wall, force.wall_push.as_dvec3(), dt) }
}

/// T92 (38) to (41) with errata 9: turned by a rotation vector about the world's axes.
pub(super) fn turned(orientation: DQuat, by: DVec3) -> DQuat {
    (DQuat::from_scaled_axis(by) * orientation).normalize()
}

/// Coulomb friction: reduces sliding, at most by the friction coefficient times the push.
fn friction(velocity: DVec3, wall: &Wall, push: DVec3, dt: f64) -> DVec3 {
    let strength = push.length();
    let normal = push / strength;
    let relative = velocity - wall.velocity.as_dvec3();
    let sliding = relative - normal * relative.dot(normal);
    let speed = sliding.length();
    let loss = f64::from(wall.friction) * strength * dt;
    velocity - sliding * (loss / speed.max(f64::MIN_POSITIVE)).min(1.0)
}
