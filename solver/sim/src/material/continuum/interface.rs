//! Particles of a grid at its interface with other matter.
//!
//! For a part of a frame these move as other matter does, by [forces between pairs](super::interface_forces), from the
//! velocities that the grid gave them. What they are pushed meanwhile is part of their momentum as the grid takes it
//! next. So both sides get the same impulse, and other matter meets no more mass at once than it touches.

use super::cells::Cells;
use super::islands::SortedIslands;
use crate::bounds::Bounds;
use crate::hash_grid::HashGrid;
use crate::lattice::nearest;
use crate::laws::interface::REACH;
use crate::particles::Particles;
use glam::DVec3;
use rayon::prelude::*;

/// How far matter goes towards other matter in a step, in spacings.
const APPROACH: f64 = 0.5;
/// How far what other matter pushes may go by that push in a step, in spacings: the grid knows of the push afterwards.
const PUSHED: f64 = 0.05;
/// The part of the way of a step that is added to the reach, for what speeds up meanwhile, and its least, in spacings.
const AHEAD: f64 = 1.5;
const LEAST_AHEAD: f64 = 0.25;

/// The interface of matter on a grid and other matter.
#[derive(Debug)]
pub struct Interface {
    /// Particle spacing, m.
    spacing: f64,
    /// The particles there by number, with the velocities that the grid gave them, m/s.
    given: Vec<(u32, DVec3)>,
    /// Length of the part of the frame for which they are there, s.
    seconds: f64,
    /// Acceleration by other matter in the last part of a frame, root of the mean square of those that were pushed,
    /// m/s^2.
    pub pushed: f64,
}

/// An island as other matter comes upon it.
struct Target {
    bounds: Bounds,
    /// Mean velocity, m/s.
    velocity: DVec3,
}

impl Interface {
    /// None there yet.
    pub fn new(spacing: f64) -> Self {
        Self { spacing, given: Vec::new(), seconds: 0.0, pushed: 0.0 }
    }

    /// The distance within which particles act across the interface, m.
    fn reach(&self) -> f64 {
        f64::from(REACH) * nearest(self.spacing)
    }

    /// The longest step, s, up to a given one, for what comes together, and for what is pushed.
    pub fn longest(&self, islands: &SortedIslands, particles: &Particles, longest: f64) -> f64 {
        let by_push = (2.0 * PUSHED * self.spacing / self.pushed).sqrt();
        let longest = longest.min(by_push);
        let targets: Vec<Target> = islands.iter().map(|(cells, _)| Target::of(cells, particles)).collect();
        let margin = self.reach() + self.spacing;
        let approach = |slot: usize| {
            let (place, velocity) = (particles.positions[slot], particles.velocities[slot]);
            let towards = |target: &Target| {
                let relative = velocity - target.velocity;
                let path = Bounds::NONE.with(place).with(place + relative * longest);
                if target.bounds.gap(&path) < margin { relative.length() } else { 0.0 }
            };
            targets.iter().map(towards).fold(0.0, f64::max)
        };
        let fastest = (0..particles.paired).into_par_iter().with_min_len(1024).map(approach).reduce(|| 0.0, f64::max);
        longest.min(APPROACH * self.spacing / fastest.max(f64::MIN_POSITIVE))
    }

    /// Chooses the particles of the grid that other matter may touch within some seconds. Returns whether each is one,
    /// by number; empty where none is.
    pub fn choose(&mut self, particles: &Particles, seconds: f64) -> Vec<bool> {
        self.seconds = seconds;
        let Particles { positions, velocities, numbers, paired, .. } = particles;
        let reach = self.reach() + LEAST_AHEAD * self.spacing;
        let farthest = reach + AHEAD * APPROACH * self.spacing;
        let others = HashGrid::new(farthest, positions[..*paired].iter().copied());
        let is_near = |&slot: &usize| {
            let (place, velocity) = (positions[slot], velocities[slot]);
            others.around(place).map(|other| other as usize).any(|other| {
                let way = (velocities[other] - velocity).length() * seconds;
                positions[other].distance_squared(place) < (reach + AHEAD * way).min(farthest).powi(2)
            })
        };
        let slots = (*paired..particles.len()).into_par_iter().with_min_len(1024);
        let chosen: Vec<usize> = slots.filter(is_near).collect();
        if chosen.is_empty() {
            return Vec::new();
        }
        let mut all = vec![false; particles.len()];
        chosen.iter().for_each(|&slot| all[numbers[slot] as usize] = true);
        all
    }

    /// Notes the velocities with which the chosen particles leave the grid. Returns the mass times the way that these
    /// lead them, of all, kg m, for particles of some masses by body, kg.
    pub fn leave(&mut self, particles: &Particles, chosen: &[bool], mass: impl Fn(u32) -> f64) -> DVec3 {
        let slots = particles.numbers.iter().zip(&particles.velocities);
        let slots = slots.zip(&particles.sources);
        let left = slots.filter(|((number, _), _)| chosen.get(**number as usize).copied().unwrap_or(false));
        let mut left: Vec<(u32, DVec3, u32)> =
            left.map(|((&number, &velocity), &source)| (number, velocity, source)).collect();
        left.sort_unstable_by_key(|(number, ..)| *number);
        self.given = left.iter().map(|&(number, velocity, _)| (number, velocity)).collect();
        left.into_iter().map(|(_, velocity, source)| velocity * (mass(source) * self.seconds)).sum()
    }

    /// Finds how hard the particles that left were pushed since.
    pub fn come_back(&mut self, particles: &Particles) {
        let given = std::mem::take(&mut self.given);
        if given.is_empty() {
            return;
        }
        let slots = crate::particles::slots(particles);
        let gained = given.iter().map(|&(number, velocity)| {
            (particles.velocities[slots[number as usize] as usize] - velocity).length_squared()
        });
        let (count, sum) = gained.filter(|gain| *gain > 0.0).fold((0.0, 0.0), |(n, sum), gain| (n + 1.0, sum + gain));
        self.pushed = if count > 0.0 { (sum / count).sqrt() / self.seconds } else { 0.0 };
    }
}

impl Target {
    fn of(cells: &Cells, particles: &Particles) -> Self {
        let (mut bounds, mut sum) = (Bounds::NONE, DVec3::ZERO);
        for point in &cells.points {
            bounds = bounds.with(particles.positions[point.slot as usize]);
            sum += particles.velocities[point.slot as usize];
        }
        Self { bounds, velocity: sum / cells.points.len() as f64 }
    }
}
