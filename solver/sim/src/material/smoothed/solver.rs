//! Densities, then forces, of all particles.

use super::Law;
use super::sums::{BATCH, Columns, DensitySums, ForceSums, PairForces, ranges};
use crate::boundary::Wall;
use crate::kernel::Shape;
use crate::lanes::{self, SUPPORT_SQUARED};
use crate::lattice::Calibration;
use crate::neighbours::CellGrid;
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
    columns: Columns,
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
            columns: Columns::default(),
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
        grid: &CellGrid,
        velocities: &[DVec3],
        sources: &[u32],
        walls: &[Wall],
        out: &mut Evaluation,
    ) {
        let count = grid.order.len();
        out.density.resize(count, Density::default());
        out.acceleration.resize(count, Vec3::ZERO);
        out.wall_push.resize(count, Vec3::ZERO);
        out.step_over_h.resize(count, 0.0);
        with_shape!(self.kernel.kind(), S => self.densities::<S>(grid, walls, &mut out.density));
        self.gather_columns(grid, velocities, sources, &out.density);
        with_shape!(self.kernel.kind(), S => self.forces::<S>(grid, sources, walls, out));
    }

    /// DG96 (3), as a sum of volumes.
    fn densities<S: Shape>(&self, grid: &CellGrid, walls: &[Wall], density: &mut [Density]) {
        density.par_chunks_mut(BATCH).enumerate().for_each(|(batch, density)| {
            let sums = self.arch.dispatch(DensitySums::<S>::new(grid, batch * BATCH, density.len()));
            self.add_own_and_walls(grid, batch * BATCH, &sums, walls, density);
        });
    }

    fn add_own_and_walls(&self, grid: &CellGrid, first: usize, sums: &[f32], walls: &[Wall], density: &mut [Density]) {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let (own, wall_factor) = (self.calibration.own as f32, self.calibration.factor as f32);
        for ((&i, &sum), density) in grid.order[first..].iter().zip(sums).zip(density) {
            let matter = own + factor * sum;
            let wall = &walls[i as usize];
            density.total = matter + wall_factor * wall.share;
            density.held = matter + wall_factor * wall.adhesive_share;
        }
    }

    fn gather_columns(&mut self, grid: &CellGrid, velocities: &[DVec3], sources: &[u32], density: &[Density]) {
        let (laws, volume, columns) = (&self.laws, self.volume as f32, &mut self.columns);
        let count = grid.order.len();
        for (axis, column) in columns.velocity.iter_mut().enumerate() {
            column.fill(count, |slot| velocities[grid.order[slot] as usize][axis] as f32);
        }
        let law = |slot: usize| &laws[sources[grid.order[slot] as usize] as usize];
        let pressure_term = |slot: usize| law(slot).push(density[slot].total) + law(slot).pull(density[slot].held);
        columns.pressure_term.fill(count, pressure_term);
        columns.density.fill(count, |slot| law(slot).rest_density * density[slot].total);
        columns.mass.fill(count, |slot| law(slot).rest_density * volume);
        columns.viscosity.fill(count, |slot| law(slot).viscosity);
        columns.modulus.fill(count, |slot| law(slot).modulus);
    }

    fn forces<S: Shape>(&self, grid: &CellGrid, sources: &[u32], walls: &[Wall], out: &mut Evaluation) {
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let volume = self.volume as f32;
        let outputs = out
            .acceleration
            .par_chunks_mut(BATCH)
            .zip(out.wall_push.par_chunks_mut(BATCH))
            .zip(out.step_over_h.par_chunks_mut(BATCH));
        let density = &out.density;
        outputs.enumerate().for_each(|(batch, ((acceleration, wall_push), step_over_h))| {
            let first = batch * BATCH;
            let sums = self.arch.dispatch(PairForces::<S>::new(grid, &self.columns, first, acceleration.len()));
            for (n, sums) in sums[..acceleration.len()].iter().enumerate() {
                let i = grid.order[first + n] as usize;
                let law = &self.laws[sources[i] as usize];
                let mass = law.rest_density * volume;
                let (push, hold) = self.wall_forces(law, density[first + n], &walls[i]);
                wall_push[n] = push / mass;
                let pressure = sums.pressure * (slope * volume * volume);
                acceleration[n] = (push + hold - pressure) / mass - sums.viscosity * slope;
                step_over_h[n] = step_limit(law, sums) as f32;
            }
        });
    }

    /// The walls' push and hold on a particle, N: the gradient of its elastic energy.
    fn wall_forces(&self, law: &Law, density: Density, wall: &Wall) -> (Vec3, Vec3) {
        let factor = -(self.volume * self.calibration.factor) as f32;
        (wall.gradient * (factor * law.push(density.total)), wall.adhesive_gradient * (factor * law.pull(density.held)))
    }

    /// Mean number of neighbours within the support.
    pub fn mean_neighbours(&self, grid: &CellGrid) -> f64 {
        let count = |slot: usize| {
            let mut found = 0_u64;
            lanes::for_candidates(grid, slot, ranges(grid, slot), |_, offsets| {
                found += offsets.squared.iter().filter(|&&q2| q2 < SUPPORT_SQUARED).count() as u64;
            });
            found
        };
        let total: u64 = (0..grid.order.len()).into_par_iter().with_min_len(BATCH).map(count).sum();
        total as f64 / (grid.order.len().max(1)) as f64
    }

    /// Memory of the columns, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        8 * particles * size_of::<f32>()
    }
}

/// DG96 (8) with errata 3 and 4, over h, s/m. Next to stiffer matter, light matter is as quick as that makes it.
fn step_limit(law: &Law, sums: &ForceSums) -> f64 {
    let fastest =
        Law { modulus: law.modulus.max(sums.max_modulus), viscosity: law.viscosity.max(sums.max_viscosity), ..*law };
    let speed = f64::from(fastest.signal_speed());
    COURANT / (speed + 0.6 * (speed + 2.0 * f64::from(sums.max_mu)))
}
