//! Changes of woven sheets between two parts of a frame: they give way, tear and grow.
//!
//! A frame is one part, unless growing sheets are drawn out fast: a sheet that is to give way at a time would have torn
//! before. Then the frame is halved as often as needed. A frame with damped sheets has four parts of unequal lengths.
//! The matter at the start of a part chooses the part, so a frame depends on nothing before it.

use crate::SmoothingKernel;
use crate::lattice::nearest;
use crate::material::oriented::{Sheet, births, damp, flow, is_damped, longest_part, sheets, tear};
use crate::particles::Particles;
use crate::timeline::{Timeline, halvings};
use dollop_scene::Scene;

/// The most times that a frame is halved.
const MOST_HALVINGS: u8 = 6;

/// How often a frame is halved for its first part where a sheet is damped; each later part is the longest that may
/// begin at its start. With whole frames, waves with a whole number of swings a frame, or half as many, would be damped
/// at their turning points alone, and never die.
const DAMPED_HALVINGS: u8 = 3;

/// State of sheets outside the particle columns.
#[derive(Debug)]
pub struct Sheets {
    /// The sheets by body; empty where no body is a sheet.
    pub bodies: Vec<Option<Sheet>>,
    /// Whether tools work on woven ones.
    pub are_worked: bool,
    /// Particle spacing, m.
    pub spacing: f64,
    /// The range of the forces between particles, m.
    pub support: f64,
}

impl Sheets {
    /// The sheets of a scene.
    pub fn new(scene: &Scene, kernel: &SmoothingKernel) -> Self {
        let bodies = sheets(scene, kernel);
        Self {
            bodies: if bodies.iter().any(Option::is_some) { bodies } else { Vec::new() },
            are_worked: !scene.tools.is_empty(),
            spacing: scene.particle_spacing,
            support: kernel.support(),
        }
    }

    fn of(&self, body: u32) -> Option<&Sheet> {
        self.bodies.get(body as usize)?.as_ref()
    }

    /// Whether each body is a sheet that does not tear; empty where no body is a sheet.
    pub fn lasting(&self) -> Vec<bool> {
        self.bodies.iter().map(|sheet| sheet.is_some_and(|sheet| sheet.lasting)).collect()
    }

    /// Whether a body grows.
    pub fn grows(&self, body: u32) -> bool {
        self.of(body).is_some_and(Sheet::grows)
    }

    /// Whether a body is a woven sheet whose ties may change.
    pub fn changes(&self, body: u32) -> bool {
        self.of(body).is_some_and(|sheet| sheet.grows() || sheet.woven && self.are_worked)
    }

    /// Whether any body [changes](Self::changes).
    pub fn change(&self) -> bool {
        (0..self.bodies.len() as u32).any(|body| self.changes(body))
    }

    /// How often a frame of some seconds is halved for the part that begins at a tick.
    pub fn halvings(&self, particles: &Particles, interval: f64, tick: u32) -> u8 {
        let longest_part = longest_part(particles, &self.bodies, nearest(self.spacing));
        let damped = tick == 0 && is_damped(particles, &self.bodies);
        let least = Timeline::HALVES.longest_at(tick).max(if damped { DAMPED_HALVINGS } else { 0 });
        halvings(least..MOST_HALVINGS, interval, longest_part)
    }

    /// Lets sheets give way, tear and grow as a part of some seconds begins at a time, s.
    pub fn grow(&mut self, particles: &mut Particles, time: f64, seconds: f64) {
        if particles.ties.is_empty() {
            return;
        }
        flow(particles, &self.bodies, nearest(self.spacing), seconds);
        tear(particles, &self.bodies, self.spacing, self.support);
        births(particles, &self.bodies, self.spacing, time);
    }

    /// Damps the stretching of sheets over a part of some seconds. Held particles keep their velocities.
    pub fn damp(&self, particles: &mut Particles, holds: impl Fn(u32) -> bool + Sync, seconds: f64) {
        damp(particles, &self.bodies, holds, seconds);
    }
}

#[cfg(test)]
mod tests;
