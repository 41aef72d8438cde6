//! Densities, then forces, of all particles.

use super::Law;
use super::sums::{CountPairs, DensitySums, ForceSums, Neighbour, PairForces};
use crate::boundary::Wall;
use crate::kernel::Shape;
use crate::lanes::dispatch;
use crate::lattice::Calibration;
use crate::neighbours::{BATCH, Neighbours, Place};
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
    rows: Vec<Neighbour>,
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
            rows: Vec::new(),
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
        out.step_over_h.resize(count, 0.0);
        with_shape!(self.kernel.kind(), S => self.densities::<S>(neighbours, velocities, sources, walls, &mut out.density));
        with_shape!(self.kernel.kind(), S => self.forces::<S>(neighbours, sources, walls, out));
    }

    /// DG96 (3), as a sum of volumes, and with the densities the rows that the force loop reads.
    fn densities<S: Shape>(
        &mut self,
        neighbours: &Neighbours,
        velocities: &[DVec3],
        sources: &[u32],
        walls: &[Wall],
        density: &mut [Density],
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(density.len(), Neighbour::default());
        let batches = density.par_chunks_mut(BATCH).zip(rows.par_chunks_mut(BATCH)).zip(neighbours.batches());
        batches.for_each(|((density, rows), lists)| {
            let sums = dispatch(self.arch, DensitySums::<S>::new(neighbours.places(), lists));
            let slots = neighbours.order()[lists.first..].iter().zip(&neighbours.places()[lists.first..]).zip(sums);
            for (((&i, place), sum), (density, row)) in slots.zip(density.iter_mut().zip(rows)) {
                let (i, wall) = (i as usize, &walls[i as usize]);
                *density = self.density(sum, wall);
                *row = self.row(place, velocities[i], &self.laws[sources[i] as usize], *density, wall);
            }
        });
        self.rows = rows;
    }

    /// The density by the sum over the others, with the particle's own part and that of the walls.
    fn density(&self, sum: f32, wall: &Wall) -> Density {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let wall_factor = self.calibration.factor as f32;
        let matter = self.calibration.own as f32 + factor * sum;
        Density { total: matter + wall_factor * wall.share, held: matter + wall_factor * wall.adhesive_share }
    }

    fn row(&self, &[x, y, z, _]: &Place, velocity: DVec3, law: &Law, density: Density, wall: &Wall) -> Neighbour {
        let velocity = velocity.as_vec3();
        let pressure_term = law.push(density.total) + law.pull(density.held);
        let (half_density, mass) = (0.5 * law.rest_density * density.total, law.rest_density * self.volume as f32);
        Neighbour {
            place: [x, y, z, i32::from(wall.share > 0.0)],
            motion: [velocity.x, velocity.y, velocity.z, pressure_term],
            matter: [half_density, mass, 0.5 * law.viscosity, law.modulus],
        }
    }

    fn forces<S: Shape>(&self, neighbours: &Neighbours, sources: &[u32], walls: &[Wall], out: &mut Evaluation) {
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let volume = self.volume as f32;
        let outputs = out
            .acceleration
            .par_chunks_mut(BATCH)
            .zip(out.wall_push.par_chunks_mut(BATCH))
            .zip(out.step_over_h.par_chunks_mut(BATCH));
        let density = &out.density;
        outputs.zip(neighbours.batches()).for_each(|(((acceleration, wall_push), step_over_h), lists)| {
            let sums = dispatch(self.arch, PairForces::<S>::new(&self.rows, lists));
            let order = &neighbours.order()[lists.first..];
            for (n, (sums, &i)) in sums[..lists.len()].iter().zip(order).enumerate() {
                let row = &self.rows[lists.first + n];
                let law = &self.laws[sources[i as usize] as usize];
                let mass = law.rest_density * volume;
                let pressure = sums.pressure * (slope * volume * volume);
                acceleration[n] = pressure / -mass - sums.viscosity * slope;
                let mut approach = 0.0;
                wall_push[n] = Vec3::ZERO;
                // Few feel a wall, and theirs lie far apart in memory.
                if row.place[3] != 0 {
                    let wall = &walls[i as usize];
                    let (push, hold) = self.wall_forces(law, density[lists.first + n], wall);
                    let [vx, vy, vz, _] = row.motion;
                    let (impact, speed) = self.impact(law, Vec3::new(vx, vy, vz), wall);
                    wall_push[n] = push / mass + impact;
                    acceleration[n] += (push + hold) / mass + impact;
                    approach = speed;
                }
                step_over_h[n] = step_limit(law, sums, approach);
            }
        });
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

    /// Mean number of neighbours within the support.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let places = neighbours.places();
        let count = |lists| dispatch(self.arch, CountPairs { places, lists });
        let total: u64 = neighbours.batches().par_iter().map(count).sum();
        total as f64 / (places.len().max(1)) as f64
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        particles * size_of::<Neighbour>()
    }
}

/// DG96 (8) with errata 3 and 4, over h, s/m. Next to stiffer matter, light matter is as quick as that makes it.
fn step_limit(law: &Law, sums: &ForceSums, wall_approach: f32) -> f32 {
    let fastest =
        Law { modulus: law.modulus.max(sums.max_modulus), viscosity: law.viscosity.max(sums.max_viscosity), ..*law };
    let speed = fastest.signal_speed();
    COURANT as f32 / (speed + 0.6 * (speed + 2.0 * sums.max_mu.max(wall_approach)))
}
