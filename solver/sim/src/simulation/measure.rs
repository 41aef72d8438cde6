//! Energies, momentum and the other statistics of a frame.

use super::Simulation;
use crate::FrameStats;
use crate::boundary::{Impulse, Impulses};
use crate::frame::Reaction;
use crate::integrator::Stepped;
use crate::particles::share;

impl Simulation {
    /// The forces of the matter on colliders over a frame, given the time, s, of the colliders' poses.
    pub(super) fn reactions_by(&self, impulses: &Impulses, time: f64) -> Vec<Reaction> {
        let colliders = self.integrator.boundary.colliders();
        let reaction = |(collider, impulse): (u32, Impulse)| {
            let origin = colliders[collider as usize].motion.pose(time).translation;
            let (force, torque) = (impulse.linear, impulse.angular - origin.cross(impulse.linear));
            Reaction { collider, force: force / self.interval, torque: torque / self.interval }
        };
        impulses.iter().map(reaction).collect()
    }

    /// The statistics of the steps of a frame.
    pub(super) fn stats_of(stepped: &Stepped) -> FrameStats {
        FrameStats {
            steps: stepped.steps,
            force_evaluations: stepped.force_evaluations,
            global_force_evaluations: stepped.global_force_evaluations,
            smallest_step: stepped.smallest_step,
            particles_in_bins: stepped.in_bins,
            momentum_drift: stepped.account.impulse.length(),
            ..FrameStats::default()
        }
    }

    /// Elastic energy of all matter, J.
    fn elastic_energy(&self) -> f64 {
        let of_stages = self.stages.iter().map(|stage| stage.elastic_energy());
        self.integrator.elastic_energy(&self.particles) + of_stages.sum::<f64>()
    }

    /// Elastic energy plus potential energy by gravity, J.
    pub(super) fn potential_energy(&self) -> f64 {
        self.height_energy() + self.elastic_energy()
    }

    /// Potential energy by gravity, J.
    pub(super) fn height_energy(&self) -> f64 {
        let (particles, gravity) = (&self.particles, self.integrator.gravity);
        let places = particles.positions.iter().enumerate();
        places.map(|(slot, p)| -particles.mass(slot, &self.integrator.solver) * p.dot(gravity)).sum()
    }

    pub(super) fn measure(&mut self) {
        let particles = &self.particles;
        let solver = &self.integrator.solver;
        let speeds = particles.velocities.iter().map(|v| v.length());
        let moving = speeds.clone().enumerate().map(|(slot, speed)| (speed, particles.mass(slot, solver)));
        let inertia = |slot: usize| share(&particles.shares, slot) * solver.inertia(particles.sources[slot]);
        let turning =
            particles.spins.iter().enumerate().map(|(slot, spin)| 0.5 * inertia(slot) * spin.length_squared());
        self.stats.kinetic_energy =
            moving.clone().map(|(speed, mass)| 0.5 * mass * speed * speed).sum::<f64>() + turning.sum::<f64>();
        self.stats.momentum = moving.map(|(speed, mass)| mass * speed).sum();
        self.stats.elastic_energy = self.elastic_energy();
        self.stats.max_speed = speeds.fold(0.0, f64::max);
        let compressions = particles.densities.iter().map(|density| f64::from(density.total) - 1.0);
        self.stats.max_compression = compressions.reduce(f64::max).unwrap_or(0.0);
        self.stages.iter().for_each(|stage| stage.measure(particles, &mut self.stats));
        self.stats.neighbours = solver.mean_neighbours(&self.integrator.neighbours);
    }
}
