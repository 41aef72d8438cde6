//! Lets matter come to rest by itself before time begins.

use super::Integrator;
use super::instant::Instant;
use super::standing::{Groups, Participation};
use crate::material::pressure::BodyLaw;
use crate::numbers::least;
use crate::particles::{Particles, Stress};
use crate::timeline::BOUND_COURANT;
use glam::DVec3;
use rayon::prelude::*;

/// Most steps for matter to settle ...
const MOST_STEPS: u32 = 240;
/// ... and to take up its weight, for which sound has to go all the way down more than once: least and most steps, and
/// between those the steps in which sound goes down this often.
const MOST_STEPS_BEARING: [u32; 2] = [720, 20_000];
const SOUND_PASSES: f64 = 12.0;
/// Steps between two checks of how far matter went.
const STEPS_A_LOOK: u32 = 8;
/// Matter has settled when the energy of its last motion was below this part of that of all motions before it ...
const REMAINDER: f64 = 0.03;
/// ... and has taken up its weight at this part: any remainder would be visible, as all of it moves the same way.
const REMAINDER_BEARING: f64 = 2e-4;
/// ... or when its speed, as root mean square over the speed of sound, stayed below this.
const STILL: f64 = 2e-3;

/// Progress of settling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settling {
    /// Steps done.
    pub step: u32,
    /// Most steps that settling may take.
    pub most: u32,
}

impl Integrator {
    /// Lets matter come to rest by itself: matter that starts pressed against a wall or another body expands, and its
    /// free surface draws in by its cohesion, so that neither leaps in the first frame. Standing matter takes up its
    /// weight meanwhile, by its strength if it has any, if that brings it to rest; matter that hangs in the air, moves
    /// or would flow away settles without weight and strength. Viscosity does not act, gases do not expand, walls stand
    /// still as at the first frame, and all matter stops whenever its motion has passed its peak (kinetic damping); in
    /// the end it has its previous velocities. Each particle has its own pace of time, so that soft matter settles as
    /// far as it does without stiffer matter in the scene. `tell` is called before every step.
    pub fn settle(&mut self, particles: &mut Particles, spacing: f64, tell: &mut dyn FnMut(Settling)) {
        let velocities = particles.by_number(particles.velocities.iter().copied());
        let spins = particles.by_number(particles.spins.iter().copied());
        let standing = self.standing(particles, spacing);
        particles.velocities.fill(DVec3::ZERO);
        let settling = self.solver.laws().iter().map(BodyLaw::settling).collect();
        let laws = self.solver.replace_laws(settling);
        self.solver.set_settling(true);
        // Matter with strength settles without weight before that, and groups that are given up settle after it.
        let most = if standing.is_empty() { MOST_STEPS } else { 2 * MOST_STEPS + self.steps_to_bear(&standing) };
        let mut steps = 0..;
        let mut tell = || tell(Settling { step: steps.next().unwrap_or(most).min(most), most });
        let rest = self.bear(particles, standing, &mut tell);
        self.float(particles, rest, &mut tell);
        self.solver.replace_laws(laws);
        self.solver.set_settling(false);
        let restored = particles.numbers.iter().map(|&number| velocities[number as usize]);
        particles.velocities = restored.collect();
        if !spins.is_empty() {
            particles.spins = particles.numbers.iter().map(|&number| spins[number as usize]).collect();
        }
    }

    /// Lets groups take up their weight. Groups with strength settle without weight first, as the draw of their
    /// surfaces would strain them. Puts back the groups that do not come to rest. Returns all matter that has not come
    /// to rest.
    fn bear(&mut self, particles: &mut Particles, mut groups: Groups, tell: &mut dyn FnMut()) -> Groups {
        if !groups.is_empty() {
            self.float(particles, groups.with_strength(), tell);
            groups.places = particles.by_number(particles.positions.iter().copied());
            self.relax(particles, &mut groups, tell);
        }
        groups.rest()
    }

    /// Lets groups settle without weight or strength: they begin unstressed.
    fn float(&mut self, particles: &mut Particles, mut groups: Groups, tell: &mut dyn FnMut()) {
        if groups.are_done() {
            return;
        }
        let gravity = std::mem::take(&mut self.gravity);
        let weak = self.solver.laws().iter().map(BodyLaw::without_strength).collect();
        let laws = self.solver.replace_laws(weak);
        let stresses = particles.by_number(particles.stresses.iter().copied());
        self.relax(particles, &mut groups, tell);
        for (number, stress) in particles.numbers.iter().zip(&mut particles.stresses) {
            *stress = if groups.of(*number).is_none() { stresses[*number as usize] } else { Stress::default() };
        }
        self.solver.replace_laws(laws);
        self.gravity = gravity;
    }

    /// Lets groups, and nothing else, come to rest.
    fn relax(&mut self, particles: &mut Particles, groups: &mut Groups, tell: &mut dyn FnMut()) {
        self.approaches.clear();
        let down = self.gravity.normalize_or_zero();
        self.participation = groups.participation();
        // Without bins, no step is too short.
        let _ = self.refresh(particles, &Instant::Settling(0.0));
        let most = if groups.bear_weight() { self.steps_to_bear(groups) } else { MOST_STEPS };
        for step in 1..=most {
            tell();
            let _ = self.step(particles, &Instant::Settling(self.longest_for_all(particles)));
            let looks = step % STEPS_A_LOOK == 0;
            let gone = if looks { groups.gone_too_far(particles, &self.neighbours, down) } else { Vec::new() };
            for &group in &gone {
                groups.give_up(group, particles);
            }
            let some_rest = groups.stop(particles, &self.motion(particles, groups));
            if groups.are_done() {
                break;
            }
            self.participation = groups.participation();
            // The last forces would still move particles that take no part any more.
            if some_rest || !gone.is_empty() {
                let _ = self.refresh(particles, &Instant::Settling(0.0));
            }
        }
        self.participation = Participation::default();
        // Some groups may have had too few steps.
        particles.velocities.fill(DVec3::ZERO);
    }

    /// Steps for groups to take up their weight.
    fn steps_to_bear(&self, groups: &Groups) -> u32 {
        let [least, most] = MOST_STEPS_BEARING;
        ((SOUND_PASSES * groups.height / self.distance_of_sound()) as u32).clamp(least, most)
    }

    /// Distance that sound goes in the unit of pseudo time, m, by the Courant rule, (c + 0.6 c) dt = 0.3 h.
    fn distance_of_sound(&self) -> f64 {
        BOUND_COURANT / 1.6 * self.smoothing_length
    }

    /// The longest step that all particles can take, in units of pseudo time.
    fn longest_for_all(&self, particles: &Particles) -> f64 {
        let (limits, forces) = (self.limits(), &self.columns.forces);
        let longest = |slot: usize| limits.longest_paced(particles.velocities[slot], &forces[slot]);
        (0..particles.paired).into_par_iter().with_min_len(1024).map(longest).reduce(|| f64::INFINITY, least)
    }

    /// Mean square of speed over speed of sound of each group, summed in the order of the particles for the same bits
    /// with any number of threads.
    fn motion(&self, particles: &Particles, groups: &Groups) -> Vec<f64> {
        let sound = self.distance_of_sound();
        let mut sums = vec![0.0; groups.all.len()];
        for (number, velocity) in particles.numbers.iter().zip(&particles.velocities) {
            if let Some(group) = groups.of(*number) {
                sums[group] += velocity.length_squared() / sound.powi(2);
            }
        }
        sums.iter().zip(&groups.all).map(|(sum, group)| sum / group.count as f64).collect()
    }
}

/// The rises and falls of the kinetic energy.
#[derive(Debug, Default)]
pub(super) struct Peaks {
    before: f64,
    last: f64,
    all: f64,
}

impl Peaks {
    /// Whether the energy has just begun to fall; it starts again from zero then.
    pub(super) fn passed(&mut self, energy: f64) -> bool {
        let falls = energy < self.before;
        if falls {
            self.last = self.before;
            self.all += self.before;
        }
        self.before = if falls { 0.0 } else { energy };
        falls
    }

    /// Whether little motion is left; `participation` tells that weight has to be borne.
    pub(super) fn are_low(&self, participation: bool) -> bool {
        if participation {
            self.last <= REMAINDER_BEARING * self.all
        } else {
            self.last <= STILL * STILL || self.last <= REMAINDER * self.all
        }
    }
}
