//! Densities, then forces, of all particles.

use super::Law;
use super::sums::{CountPairs, DensitySums, ForceSums, PairForces, Rows};
use crate::boundary::Wall;
use crate::kernel::Shape;
use crate::lattice::Calibration;
use crate::neighbours::{Active, BATCH, Neighbours};
use crate::particles::Density;
use crate::timeline::COURANT;
use crate::{SmoothingKernel, with_shape};
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// How many times the approach of neighbours has to be as fast as sound to be a shock.
const SHOCK: f32 = 2.0;

/// What acts on a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Force {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// Acceleration by walls, m/s^2.
    pub walls: Vec3,
    /// The part of both that takes energy instead of storing it: viscosity and the walls' damping, m/s^2.
    pub dissipation: Vec3,
    /// The part of the walls' that presses matter on them, which friction grows with, m/s^2.
    pub wall_push: Vec3,
    /// Power that moving walls do on the particle's elastic energy, W.
    pub wall_power: f32,
    /// Rate of the densities, 1/s.
    pub density_rate: Density,
    /// Longest step by DG96 (8) over h, s/m.
    pub step_over_h: f32,
    /// Lowest and highest tag of a [`Place`](crate::neighbours::Place) among the neighbours and the particle itself.
    pub tags: (u8, u8),
    /// Whether neighbours come upon it about as fast as sound or faster.
    pub shocked: bool,
}

/// The matter to be evaluated: one entry a slot.
#[derive(Debug)]
pub struct Matter<'a> {
    /// Velocities, m/s.
    pub velocities: &'a [DVec3],
    /// Densities; those of active slots are replaced.
    pub densities: &'a mut [Density],
    /// Bodies.
    pub sources: &'a [u32],
    /// Walls; only those of active slots are read.
    pub walls: &'a [Wall],
}

/// The solver of this material for one scene.
#[derive(Debug)]
pub struct SmoothedSolver {
    kernel: SmoothingKernel,
    calibration: Calibration,
    /// Volume of a particle at rest, m^3.
    volume: f64,
    laws: Vec<Law>,
    arch: Arch,
    rows: Rows,
}

impl SmoothedSolver {
    /// A solver for bodies with these laws.
    pub fn new(kernel: SmoothingKernel, spacing: f64, laws: Vec<Law>) -> Self {
        Self {
            kernel,
            calibration: Calibration::new(&kernel, spacing),
            volume: spacing.powi(3),
            laws,
            arch: Arch::new(),
            rows: Rows::default(),
        }
    }

    /// Sets the laws of all bodies, and returns those of before.
    pub fn replace_laws(&mut self, laws: Vec<Law>) -> Vec<Law> {
        std::mem::replace(&mut self.laws, laws)
    }

    /// The laws of all bodies.
    pub fn laws(&self) -> &[Law] {
        &self.laws
    }

    /// The law of a body.
    pub fn law(&self, source: u32) -> &Law {
        &self.laws[source as usize]
    }

    /// Densities and forces of the active slots, among all matter as it stands.
    pub fn evaluate(&mut self, neighbours: &Neighbours, active: &Active, mut matter: Matter, forces: &mut [Force]) {
        with_shape!(self.kernel.kind(), S => self.densities::<S>(neighbours, active, &mut matter));
        self.gather_rows(&matter);
        with_shape!(self.kernel.kind(), S => self.forces::<S>(neighbours, active, &matter, forces));
    }

    /// DG96 (3), as a sum of volumes.
    fn densities<S: Shape>(&self, neighbours: &Neighbours, active: &Active, matter: &mut Matter) {
        let walls = matter.walls;
        let batches = matter.densities.par_chunks_mut(BATCH).zip(neighbours.batches()).enumerate();
        batches.for_each(|(batch, (densities, lists))| {
            let slots = active.of(batch);
            let sums = self.arch.dispatch(DensitySums::<S>::new(neighbours.places(), lists, slots));
            for (&slot, sum) in slots.iter().zip(sums) {
                densities[slot as usize % BATCH] = self.density(sum, &walls[slot as usize]);
            }
        });
    }

    fn density(&self, sum: f32, wall: &Wall) -> Density {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let matter = self.calibration.own as f32 + factor * sum;
        let wall_factor = self.calibration.factor as f32;
        Density { total: matter + wall_factor * wall.share, held: matter + wall_factor * wall.adhesive_share }
    }

    fn gather_rows(&mut self, matter: &Matter) {
        let (laws, volume, rows) = (&self.laws, self.volume as f32, &mut self.rows);
        let law = |source: u32| &laws[source as usize];
        let columns = matter.sources.par_iter().zip(&*matter.densities).with_min_len(1024);
        let motion_of = |((&source, &density), velocity): ((&u32, &Density), &DVec3)| {
            let velocity = velocity.as_vec3();
            [velocity.x, velocity.y, velocity.z, law(source).push(density.total) + law(source).pull(density.held)]
        };
        let matter_of = |(&source, density): (&u32, &Density)| {
            let law = law(source);
            [law.rest_density * density.total, law.rest_density * volume, law.viscosity, law.modulus]
        };
        columns.clone().zip(matter.velocities).map(motion_of).collect_into_vec(&mut rows.motion);
        columns.map(matter_of).collect_into_vec(&mut rows.matter);
    }

    fn forces<S: Shape>(&self, neighbours: &Neighbours, active: &Active, matter: &Matter, forces: &mut [Force]) {
        let batches = forces.par_chunks_mut(BATCH).zip(neighbours.batches()).enumerate();
        batches.for_each(|(batch, (forces, lists))| {
            let slots = active.of(batch);
            let sums = self.arch.dispatch(PairForces::<S>::new(neighbours.places(), lists, slots, &self.rows));
            for (&slot, sums) in slots.iter().zip(&sums) {
                forces[slot as usize % BATCH] = self.force(slot as usize, sums, matter);
            }
        });
    }

    fn force(&self, slot: usize, sums: &ForceSums, matter: &Matter) -> Force {
        let (law, wall, density) = (self.law(matter.sources[slot]), &matter.walls[slot], matter.densities[slot]);
        let (volume, factor) = (self.volume as f32, self.calibration.factor as f32);
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let mass = law.rest_density * volume;
        let (push, hold) = self.wall_forces(law, density, wall);
        let [vx, vy, vz, _] = self.rows.motion[slot];
        let velocity = Vec3::new(vx, vy, vz);
        let (impact, approach) = self.impact(law, velocity, wall);
        let rate = sums.density_rate * (slope * volume);
        let signal_speed = signal_speed(law, sums);
        Force {
            pairs: sums.pressure * (-slope * volume * volume / mass) - sums.viscosity * slope,
            walls: (push + hold) / mass + impact,
            dissipation: impact - sums.viscosity * slope,
            wall_push: push / mass + impact,
            wall_power: volume * factor * law.push(density.total) * wall.closing,
            density_rate: Density {
                total: rate + factor * (wall.gradient.dot(velocity) + wall.closing),
                held: rate + factor * wall.adhesive_gradient.dot(velocity - wall.velocity),
            },
            step_over_h: step_limit(signal_speed, sums.max_mu.max(approach)),
            tags: (sums.tags.0 as u8, sums.tags.1 as u8),
            shocked: SHOCK * sums.max_mu > signal_speed,
        }
    }

    /// The walls' push and hold on a particle, N: the gradient of its elastic energy.
    fn wall_forces(&self, law: &Law, density: Density, wall: &Wall) -> (Vec3, Vec3) {
        let factor = -(self.volume * self.calibration.factor) as f32;
        (wall.gradient * (factor * law.push(density.total)), wall.adhesive_gradient * (factor * law.pull(density.held)))
    }

    /// What a wall takes of the speed of matter that comes upon it, m/s^2, and that speed, m/s: DG96 (5) between the
    /// particle and the like matter that the wall stands for. Without it a lone particle would bounce for ever, as its
    /// push is the gradient of an energy.
    fn impact(&self, law: &Law, velocity: Vec3, wall: &Wall) -> (Vec3, f32) {
        let Some(into_wall) = wall.gradient.try_normalize() else { return (Vec3::ZERO, 0.0) };
        // How fast the share grows: walls that slide along themselves do not count, and two in a corner count each for its own.
        let speed = (velocity.dot(into_wall) + wall.closing / wall.gradient.length()).max(0.0);
        let rate = (law.viscosity + 2.0 * speed) * self.calibration.factor as f32;
        (wall.gradient * (-rate * speed), speed)
    }

    /// Mean number of neighbours within the support, once all lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let places = neighbours.places();
        let count = |lists| self.arch.dispatch(CountPairs { places, lists });
        let total: u64 = neighbours.batches().par_iter().map(count).sum();
        total as f64 / (places.len().max(1)) as f64
    }

    /// Mass of a particle of a body, kg.
    pub fn mass(&self, source: u32) -> f64 {
        f64::from(self.law(source).rest_density) * self.volume
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        8 * particles * size_of::<f32>()
    }
}

/// max(c, sqrt k), m/s: next to stiffer matter, light matter is as quick as that makes it.
fn signal_speed(law: &Law, sums: &ForceSums) -> f32 {
    let fastest =
        Law { modulus: law.modulus.max(sums.max_modulus), viscosity: law.viscosity.max(sums.max_viscosity), ..*law };
    fastest.signal_speed()
}

/// DG96 (8) with errata 3 and 4, over h, s/m.
fn step_limit(signal_speed: f32, max_mu: f32) -> f32 {
    COURANT as f32 / (signal_speed + 0.6 * (signal_speed + 2.0 * max_mu))
}
