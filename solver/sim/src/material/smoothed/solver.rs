//! Densities, then forces, of all particles.

use super::Law;
use super::sums::{CountPairs, DensitySums, ForceSums, PairForces, Rows};
use crate::boundary::Wall;
use crate::kernel::Shape;
use crate::lattice::Calibration;
use crate::neighbours::{BATCH, Neighbours};
use crate::particles::Density;
use crate::timeline::COURANT;
use crate::{SmoothingKernel, with_shape};
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// What the law makes of the particles: one entry a sorted slot.
#[derive(Debug, Default)]
pub struct Evaluation {
    /// Densities.
    pub density: Vec<Density>,
    /// Acceleration without gravity, m/s^2.
    pub acceleration: Vec<Vec3>,
    /// Pressure of the walls, as an acceleration along their normal, m/s^2.
    pub wall_push: Vec<Vec3>,
    /// Pressure that the forces carry, over that of the ambient air, Pa.
    pub pressure: Vec<f32>,
    /// Longest step by DG96 (8) over h, s/m.
    pub step_over_h: Vec<f32>,
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

    /// Densities and accelerations of all particles, given their velocities and walls by particle number.
    pub fn evaluate(
        &mut self,
        neighbours: &Neighbours,
        velocities: &[DVec3],
        sources: &[u32],
        walls: &[Wall],
        out: &mut Evaluation,
    ) {
        let count = neighbours.order().len();
        out.density.resize(count, Density::default());
        out.acceleration.resize(count, Vec3::ZERO);
        out.wall_push.resize(count, Vec3::ZERO);
        out.pressure.resize(count, 0.0);
        out.step_over_h.resize(count, 0.0);
        with_shape!(self.kernel.kind(), S => self.densities::<S>(neighbours, sources, walls, &mut out.density));
        self.gather_rows(neighbours.order(), velocities, sources, walls, &out.density);
        with_shape!(self.kernel.kind(), S => self.forces::<S>(neighbours, sources, walls, out));
    }

    /// DG96 (3), as a sum of volumes.
    fn densities<S: Shape>(&self, neighbours: &Neighbours, sources: &[u32], walls: &[Wall], density: &mut [Density]) {
        density.par_chunks_mut(BATCH).zip(neighbours.batches()).for_each(|(density, lists)| {
            let sums = self.arch.dispatch(DensitySums::<S>::new(neighbours.places(), lists));
            self.add_own_and_walls(&neighbours.order()[lists.first..], &sums, sources, walls, density);
        });
    }

    fn add_own_and_walls(&self, order: &[u32], sums: &[f32], sources: &[u32], walls: &[Wall], density: &mut [Density]) {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let own = self.calibration.own as f32;
        for ((&i, &sum), density) in order.iter().zip(sums).zip(density) {
            let matter = own + factor * sum;
            let backing = self.law(sources[i as usize]).backing();
            let (wall, adhesive) = self.wall_parts(&walls[i as usize]);
            density.total = backing.density(matter, wall);
            density.held = backing.density(matter, adhesive);
        }
    }

    /// What the walls and those that matter wets add to a particle's density, over rest density.
    fn wall_parts(&self, wall: &Wall) -> (f32, f32) {
        let factor = self.calibration.factor as f32;
        (factor * wall.share, factor * wall.adhesive_share)
    }

    fn gather_rows(
        &mut self,
        order: &[u32],
        velocities: &[DVec3],
        sources: &[u32],
        walls: &[Wall],
        density: &[Density],
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let volume = self.volume as f32;
        let slots = order.par_iter().zip(density).with_min_len(1024);
        let motion_of = |(&i, density): (&u32, &Density)| {
            let velocity = velocities[i as usize].as_vec3();
            let (law, (wall, adhesive)) = (self.law(sources[i as usize]), self.wall_parts(&walls[i as usize]));
            let pressure_term = law.push(density.total) * law.backing().by_matter(wall)
                + law.pull(density.held) * law.backing().by_matter(adhesive);
            [velocity.x, velocity.y, velocity.z, pressure_term]
        };
        let matter_of = |(&i, density): (&u32, &Density)| {
            let (law, (wall, _)) = (self.law(sources[i as usize]), self.wall_parts(&walls[i as usize]));
            let modulus = law.local_modulus(*density) * law.backing().by_matter(wall);
            [law.rest_density * density.total, law.rest_density * volume, law.viscosity, modulus]
        };
        slots.clone().map(motion_of).collect_into_vec(&mut rows.motion);
        slots.map(matter_of).collect_into_vec(&mut rows.matter);
        self.rows = rows;
    }

    fn forces<S: Shape>(&self, neighbours: &Neighbours, sources: &[u32], walls: &[Wall], out: &mut Evaluation) {
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let volume = self.volume as f32;
        let outputs = out
            .acceleration
            .par_chunks_mut(BATCH)
            .zip(out.wall_push.par_chunks_mut(BATCH))
            .zip(out.pressure.par_chunks_mut(BATCH))
            .zip(out.step_over_h.par_chunks_mut(BATCH));
        let density = &out.density;
        outputs.zip(neighbours.batches()).for_each(|((((acceleration, wall_push), pressure), step_over_h), lists)| {
            let sums = self.arch.dispatch(PairForces::<S>::new(neighbours.places(), lists, &self.rows));
            for (n, sums) in sums[..lists.len()].iter().enumerate() {
                let i = neighbours.order()[lists.first + n] as usize;
                let law = &self.laws[sources[i] as usize];
                let mass = law.rest_density * volume;
                let slot = lists.first + n;
                let (push, hold) = self.wall_forces(law, density[slot], &walls[i]);
                let [vx, vy, vz, _] = self.rows.motion[slot];
                let (impact, approach) = self.impact(law, Vec3::new(vx, vy, vz), &walls[i]);
                wall_push[n] = push / mass + impact;
                let pairs = sums.pressure * (slope * volume * volume);
                acceleration[n] = (push + hold - pairs) / mass + impact - sums.viscosity * slope;
                pressure[n] = self.virial_pressure(law, density[slot], sums.virial, &walls[i]);
                step_over_h[n] = step_limit(law, self.rows.matter[slot][3], sums, approach) as f32;
            }
        });
    }

    /// The walls' push and hold on a particle, N: the gradient of its elastic energy.
    fn wall_forces(&self, law: &Law, density: Density, wall: &Wall) -> (Vec3, Vec3) {
        let factor = -(self.volume * self.calibration.factor) as f32;
        let (push, pull) = self.wall_terms(law, density, wall);
        (wall.gradient * (factor * push), wall.adhesive_gradient * (factor * pull))
    }

    /// Derivatives of a particle's elastic energy per volume at rest by the walls' parts of its density, Pa.
    fn wall_terms(&self, law: &Law, density: Density, wall: &Wall) -> (f32, f32) {
        let (part, adhesive) = self.wall_parts(wall);
        let backing = law.backing();
        (
            law.push(density.total) * backing.by_wall(density.total, part),
            law.pull(density.held) * backing.by_wall(density.held, adhesive),
        )
    }

    /// Pressure that a particle's forces carry, Pa: the virial of its halves of the pair forces and of the walls' forces,
    /// over its volume. On the lattice that the density is calibrated on it is the pressure of the state equation;
    /// settled matter is packed otherwise, and there only this one is in balance with the weight above.
    fn virial_pressure(&self, law: &Law, density: Density, pairs: f32, wall: &Wall) -> f32 {
        let factor = self.calibration.factor as f32;
        let strength = factor * (self.kernel.normalization() * self.volume) as f32;
        let (push, pull) = self.wall_terms(law, density, wall);
        let walls = factor * (push * wall.dilation + pull * wall.adhesive_dilation);
        density.total * (walls / 3.0 - strength * pairs / 6.0)
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

    /// Mean number of neighbours within the support.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let places = neighbours.places();
        let count = |lists| self.arch.dispatch(CountPairs { places, lists });
        let total: u64 = neighbours.batches().par_iter().map(count).sum();
        total as f64 / (places.len().max(1)) as f64
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        8 * particles * size_of::<f32>()
    }
}

/// DG96 (8) with errata 3 and 4, over h, s/m, for matter of a local modulus, Pa. Next to stiffer matter, light matter is as
/// quick as that makes it.
fn step_limit(law: &Law, modulus: f32, sums: &ForceSums, wall_approach: f32) -> f64 {
    let fastest = Law { viscosity: law.viscosity.max(sums.max_viscosity), ..*law };
    let speed = f64::from(fastest.signal_speed(modulus.max(sums.max_modulus)));
    COURANT / (speed + 0.6 * (speed + 2.0 * f64::from(sums.max_mu.max(wall_approach))))
}
