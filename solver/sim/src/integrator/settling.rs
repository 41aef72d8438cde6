//! Matter comes to rest with itself before time begins.

use super::Integrator;
use super::instant::Instant;
use crate::material::smoothed::BodyLaw;
use crate::numbers::least;
use crate::particles::Particles;
use crate::timeline::BOUND_COURANT;
use glam::DVec3;
use rayon::prelude::*;

/// Most steps that matter is given to settle.
const MOST_STEPS: u32 = 240;
/// Matter has settled when its last motion had this part of the energy of all motions before it ...
const REMAINDER: f64 = 0.03;
/// ... or when its speed, as root mean square over the speed of sound, stayed below this.
const STILL: f64 = 2e-3;

/// Where settling stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settling {
    /// Steps done.
    pub step: u32,
    /// Most steps that there may be.
    pub most: u32,
}

impl Integrator {
    /// Lets matter come to rest with itself: what starts pressed against a wall or another body expands, and its free
    /// surface draws in by its cohesion, so that neither leaps in the first frame. Viscosity and gravity do not act,
    /// gases do not expand, walls stand still as at the first frame, and all stops whenever the motion has passed its peak
    /// (kinetic damping); velocities are those of before in the end. Time has its own pace for each particle, so that soft
    /// matter settles as far as it does without stiffer matter in the scene. `tell` hears before every step.
    pub fn settle(&mut self, particles: &mut Particles, tell: &mut dyn FnMut(Settling)) {
        let velocities = particles.by_number(particles.velocities.iter().copied());
        let spins = particles.by_number(particles.spins.iter().copied());
        particles.velocities.fill(DVec3::ZERO);
        let gravity = std::mem::take(&mut self.gravity);
        let settling = self.solver.laws().iter().map(BodyLaw::settling).collect();
        let laws = self.solver.replace_laws(settling);
        self.relax(particles, tell);
        self.solver.replace_laws(laws);
        self.gravity = gravity;
        let restored = particles.numbers.iter().map(|&number| velocities[number as usize]);
        particles.velocities = restored.collect();
        if !spins.is_empty() {
            particles.spins = particles.numbers.iter().map(|&number| spins[number as usize]).collect();
        }
    }

    fn relax(&mut self, particles: &mut Particles, tell: &mut dyn FnMut(Settling)) {
        self.approaches.clear();
        // Without bins, no step is too short.
        let _ = self.refresh(particles, &Instant::Settling(0.0));
        let mut peaks = Peaks::default();
        for step in 0..MOST_STEPS {
            tell(Settling { step, most: MOST_STEPS });
            let _ = self.step(particles, &Instant::Settling(self.longest_for_all(particles)));
            if peaks.passed(self.motion(particles)) {
                particles.velocities.fill(DVec3::ZERO);
                if peaks.are_low() {
                    break;
                }
            }
        }
    }

    /// The longest step that all particles can take, in units of pseudo time.
    fn longest_for_all(&self, particles: &Particles) -> f64 {
        let (limits, forces) = (self.limits(), &self.columns.forces);
        let longest = |slot: usize| limits.longest_paced(particles.velocities[slot], &forces[slot]);
        (0..particles.len()).into_par_iter().with_min_len(1024).map(longest).reduce(|| f64::INFINITY, least)
    }

    /// Mean square of speed over speed of sound, summed in the order of the particles for the same bits with any number of
    /// threads.
    fn motion(&self, particles: &Particles) -> f64 {
        // What is left of the Courant rule, (c + 0.6 c) dt = 0.3 h, where dt is the unit of pseudo time.
        let sound = BOUND_COURANT / 1.6 * self.smoothing_length;
        let squares = particles.velocities.iter().map(|velocity| velocity.length_squared() / sound.powi(2));
        squares.sum::<f64>() / particles.len() as f64
    }
}

/// The rises and falls of the kinetic energy.
#[derive(Debug, Default)]
struct Peaks {
    before: f64,
    last: f64,
    all: f64,
}

impl Peaks {
    /// Whether the energy has just begun to fall; it starts again from zero then.
    fn passed(&mut self, energy: f64) -> bool {
        let falls = energy < self.before;
        if falls {
            self.last = self.before;
            self.all += self.before;
        }
        self.before = if falls { 0.0 } else { energy };
        falls
    }

    fn are_low(&self) -> bool {
        self.last <= STILL * STILL || self.last <= REMAINDER * self.all
    }
}
