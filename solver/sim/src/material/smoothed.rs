//! `smoothed`: soft, viscous matter of smoothed particles (Desbrun and Gascuel 1996, DG96).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V | volume of a particle at rest, spacing^3 | m^3 |
//! | m | mass, rest density times V | kg |
//! | delta | density over rest density | 1 |
//! | P | pressure | Pa |
//! | k | stiffness, the square of the speed of sound | m^2/s^2 |
//! | c | viscosity | m/s |
//! | q | r / h | 1 |
//!
//! Where this departs from print:
//! - (3) is summed as a volume, `delta_i = a + b sum_j V W_ij` over the *other* particles, and rho = rho0 delta. The
//!   paper's sum counts the particle itself by W(0), 60 % of the whole at h = spacing, so that it hardly answers to
//!   compression. a and b are such that matter on the close-packed lattice has delta = 1 and d delta / d ln V = -1
//!   ([`Calibration`]). Summing volumes instead of masses keeps bodies of unequal densities from pulling on each other.
//! - (7) divides by rho^2; where matter is thinner than at rest, the divisor stays rho0^2, as the pull of stray particles
//!   would grow without bound.
//! - (8) uses max |mu| over approaching neighbours, and max(c, sqrt k) for c (errata 3, 4).

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::SmoothingKernel;
use crate::boundary::Wall;
use crate::geometry::lattice_distances;
use crate::lanes::{self, LANES, Lanes, Offsets, Padded, SUPPORT_SQUARED};
use crate::neighbours::{CellGrid, Ranges};
use dollop_scene::{Kernel, Smoothed};
use glam::{DVec3, Vec3};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::marker::PhantomData;

/// Particles that one task handles.
const BATCH: usize = 256;

/// Softening of `mu_ij` near r = 0 (DG96 section 2.3: h^2 / 100), in units of h^2.
const SOFTENING: f32 = 0.01;

/// Corrections that make the density sum exact on the lattice that bodies are filled with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// What a particle adds to its own delta.
    pub own: f64,
    /// Factor on the kernel between particles.
    pub factor: f64,
}

impl Calibration {
    /// For a kernel and a spacing, m, by sums over the face-centred cubic lattice with one point for each spacing^3.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let distances = lattice_distances(spacing, kernel.support());
        let volume = spacing.powi(3);
        let (sum, response) = distances.fold((0.0, 0.0), |(sum, response), r| {
            (sum + volume * kernel.value(r), response - volume * r * kernel.derivative(r) / 3.0)
        });
        let factor = 1.0 / response;
        Self { own: 1.0 - factor * sum, factor }
    }
}

/// Constants of one body's matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Rest density, kg/m^3.
    pub rest_density: f32,
    /// k rho0, Pa.
    pub modulus: f32,
    /// Viscosity c, m/s.
    pub viscosity: f32,
    /// Speed that bounds the time step: max(c, sqrt k), m/s.
    pub signal_speed: f32,
    /// Factor on negative pressure.
    pub cohesion: f32,
}

impl Law {
    /// The law of a scene's material.
    pub fn new(material: &Smoothed) -> Self {
        Self {
            rest_density: material.rest_density as f32,
            modulus: (material.stiffness * material.rest_density) as f32,
            viscosity: material.viscosity as f32,
            signal_speed: material.viscosity.max(material.stiffness.sqrt()) as f32,
            cohesion: material.cohesion as f32,
        }
    }

    /// P / delta^2 by DG96 (6) where matter is pressed, Pa; zero elsewhere.
    pub fn push(&self, total: f32) -> f32 {
        let over = (total - 1.0).max(0.0);
        self.modulus * over / (total * total)
    }

    /// The pull where matter is thinner than at rest, Pa, not positive; zero elsewhere.
    pub fn pull(&self, held: f32) -> f32 {
        self.cohesion * self.modulus * (held - 1.0).min(0.0)
    }

    /// Pressure, Pa.
    pub fn pressure(&self, density: Density) -> f32 {
        self.push(density.total) * density.total.powi(2) + self.pull(density.held)
    }

    /// Elastic energy per volume at rest, J/m^3: the integral of push and pull.
    pub fn energy(&self, density: Density) -> f64 {
        let pressed = f64::from(density.total.max(1.0));
        let thinned = f64::from(1.0 - density.held).max(0.0);
        f64::from(self.modulus)
            * (pressed.ln() + 1.0 / pressed - 1.0 + f64::from(self.cohesion) * thinned.powi(2) / 2.0)
    }
}

/// Density over rest density at a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Density {
    /// With all that the walls stand for; it pushes.
    pub total: f32,
    /// With the part of the walls that the matter wets; it pulls.
    pub held: f32,
}

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

/// Sorted columns that the force loop reads.
#[derive(Debug, Default)]
struct Columns {
    velocity: [Padded<f32>; 3],
    pressure_term: Padded<f32>,
    density: Padded<f32>,
    mass: Padded<f32>,
    viscosity: Padded<f32>,
}

/// Courant number of DG96 (8).
const COURANT: f32 = 0.3;

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

    /// Sets the cohesions of all bodies, or takes them away, and returns those of before.
    pub fn replace_cohesions(&mut self, cohesions: Option<&[f32]>) -> Vec<f32> {
        let before = self.laws.iter().map(|law| law.cohesion).collect();
        for (number, law) in self.laws.iter_mut().enumerate() {
            law.cohesion = cohesions.map_or(0.0, |cohesions| cohesions[number]);
        }
        before
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
        self.densities(grid, walls, &mut out.density);
        self.gather_columns(grid, velocities, sources, &out.density);
        match self.kernel.kind() {
            Kernel::Spiky => self.forces::<Spiky>(grid, sources, walls, out),
            Kernel::CubicSpline => self.forces::<CubicSpline>(grid, sources, walls, out),
        }
    }

    fn densities(&self, grid: &CellGrid, walls: &[Wall], density: &mut [Density]) {
        match self.kernel.kind() {
            Kernel::Spiky => self.densities_of::<Spiky>(grid, walls, density),
            Kernel::CubicSpline => self.densities_of::<CubicSpline>(grid, walls, density),
        }
    }

    /// DG96 (3), as a sum of volumes.
    fn densities_of<S: Shape>(&self, grid: &CellGrid, walls: &[Wall], density: &mut [Density]) {
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
        let (laws, volume) = (&self.laws, self.volume as f32);
        let law = |i: u32| &laws[sources[i as usize] as usize];
        let count = grid.order.len();
        for (axis, column) in self.columns.velocity.iter_mut().enumerate() {
            column.fill(count, |slot| velocities[grid.order[slot] as usize][axis] as f32);
        }
        let columns = &mut self.columns;
        let law = |slot: usize| law(grid.order[slot]);
        columns
            .pressure_term
            .fill(count, |slot| law(slot).push(density[slot].total) + law(slot).pull(density[slot].held));
        columns.density.fill(count, |slot| law(slot).rest_density * density[slot].total);
        columns.mass.fill(count, |slot| law(slot).rest_density * volume);
        columns.viscosity.fill(count, |slot| law(slot).viscosity);
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
                // DG96 (8) with errata 3 and 4, over h.
                let speed = law.signal_speed;
                step_over_h[n] = COURANT / (speed + 0.6 * (speed + 2.0 * sums.max_mu));
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
            found - 1
        };
        let total: u64 = (0..grid.order.len()).into_par_iter().with_min_len(BATCH).map(count).sum();
        total as f64 / (grid.order.len().max(1)) as f64
    }

    /// Memory of the columns, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        7 * particles * size_of::<f32>()
    }
}

/// A kernel as a polynomial in q, and its slope over q.
trait Shape: Sync {
    /// W / normalization at q with q^2 given.
    fn value(q: f32) -> f32;
    /// dW/dq / normalization.
    fn slope(q: f32) -> f32;
}

struct Spiky;
impl Shape for Spiky {
    #[inline(always)]
    fn value(q: f32) -> f32 {
        let rest = (2.0 - q).max(0.0);
        rest * rest * rest
    }
    #[inline(always)]
    fn slope(q: f32) -> f32 {
        let rest = (2.0 - q).max(0.0);
        -3.0 * rest * rest
    }
}

struct CubicSpline;
impl Shape for CubicSpline {
    #[inline(always)]
    fn value(q: f32) -> f32 {
        // (2 - q)^3 / 4 - (1 - q)^3, each while positive, is the printed piecewise form.
        let (outer, inner) = ((2.0 - q).max(0.0), (1.0 - q).max(0.0));
        0.25 * outer * outer * outer - inner * inner * inner
    }
    #[inline(always)]
    fn slope(q: f32) -> f32 {
        let (outer, inner) = ((2.0 - q).max(0.0), (1.0 - q).max(0.0));
        3.0 * inner * inner - 0.75 * outer * outer
    }
}

#[inline(always)]
fn ranges(grid: &CellGrid, slot: usize) -> &Ranges {
    &grid.ranges[grid.cell[slot] as usize]
}

/// The density sums of a batch, as a task for [`Arch::dispatch`]: all that is inlined into it uses the machine's
/// vector instructions.
struct DensitySums<'a, S> {
    grid: &'a CellGrid,
    first: usize,
    count: usize,
    shape: PhantomData<S>,
}

impl<'a, S: Shape> DensitySums<'a, S> {
    fn new(grid: &'a CellGrid, first: usize, count: usize) -> Self {
        Self { grid, first, count, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for DensitySums<'_, S> {
    type Output = [f32; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [0.0; BATCH];
        for (slot, sum) in (self.first..).zip(&mut sums[..self.count]) {
            *sum = density_sum::<S>(self.grid, slot);
        }
        sums
    }
}

/// The pair sums of the forces on a batch, like [`DensitySums`].
struct PairForces<'a, S> {
    grid: &'a CellGrid,
    columns: &'a Columns,
    first: usize,
    count: usize,
    shape: PhantomData<S>,
}

impl<'a, S: Shape> PairForces<'a, S> {
    fn new(grid: &'a CellGrid, columns: &'a Columns, first: usize, count: usize) -> Self {
        Self { grid, columns, first, count, shape: PhantomData }
    }
}

impl<S: Shape> WithSimd for PairForces<'_, S> {
    type Output = [ForceSums; BATCH];

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) -> Self::Output {
        let mut sums = [ForceSums::default(); BATCH];
        for (slot, sum) in (self.first..).zip(&mut sums[..self.count]) {
            *sum = force_sums::<S>(self.grid, self.columns, slot);
        }
        sums
    }
}

/// Sum of the kernel's shape over the other particles.
#[inline(always)]
fn density_sum<S: Shape>(grid: &CellGrid, slot: usize) -> f32 {
    let mut total: Lanes = [0.0; LANES];
    lanes::for_candidates(grid, slot, ranges(grid, slot), |_, offsets| {
        for (total, &q2) in total.iter_mut().zip(&offsets.squared) {
            let value = S::value(q2.sqrt());
            // Not the particle itself.
            *total += if q2 > 0.0 { value } else { 0.0 };
        }
    });
    lanes::sum(&total)
}

/// Sums over a particle's neighbours.
#[derive(Debug, Clone, Copy, Default)]
struct ForceSums {
    /// Sum of `P_i / delta_i^2 + P_j / delta_j^2` times slope and direction, Pa.
    pressure: Vec3,
    /// Sum of `m_j Pi_ij` times slope and direction.
    viscosity: Vec3,
    /// Largest `|mu_ij|` over approaching neighbours, m/s.
    max_mu: f32,
}

/// The pair sums of DG96 (4) and (5).
#[inline(always)]
fn force_sums<S: Shape>(grid: &CellGrid, columns: &Columns, slot: usize) -> ForceSums {
    let mut sums = LaneSums::default();
    let own = Own {
        velocity: [columns.velocity[0][slot], columns.velocity[1][slot], columns.velocity[2][slot]],
        pressure_term: columns.pressure_term[slot],
        density: columns.density[slot],
        viscosity: columns.viscosity[slot],
    };
    lanes::for_candidates(
        grid,
        slot,
        ranges(grid, slot),
        #[inline(always)]
        |at, offsets| {
            add_forces::<S>(&mut sums, &own, columns, at, offsets);
        },
    );
    let vector = |lanes: &[Lanes; 3]| Vec3::new(lanes::sum(&lanes[0]), lanes::sum(&lanes[1]), lanes::sum(&lanes[2]));
    ForceSums { pressure: vector(&sums.pressure), viscosity: vector(&sums.viscosity), max_mu: lanes::max(&sums.max_mu) }
}

struct Own {
    velocity: [f32; 3],
    pressure_term: f32,
    density: f32,
    viscosity: f32,
}

#[derive(Default)]
struct LaneSums {
    pressure: [Lanes; 3],
    viscosity: [Lanes; 3],
    max_mu: Lanes,
}

#[inline(always)]
fn add_forces<S: Shape>(sums: &mut LaneSums, own: &Own, columns: &Columns, at: usize, offsets: &Offsets) {
    let velocity = [0, 1, 2].map(|axis| lanes::load(&columns.velocity[axis], at));
    let pressure_term = lanes::load(&columns.pressure_term, at);
    let density = lanes::load(&columns.density, at);
    let mass = lanes::load(&columns.mass, at);
    let viscosity = lanes::load(&columns.viscosity, at);
    for l in 0..LANES {
        let q2 = offsets.squared[l];
        let q = q2.sqrt();
        let approach = (own.velocity[0] - velocity[0][l]) * offsets.x[l]
            + (own.velocity[1] - velocity[1][l]) * offsets.y[l]
            + (own.velocity[2] - velocity[2][l]) * offsets.z[l];
        let approach = if q2 < SUPPORT_SQUARED { approach.min(0.0) } else { 0.0 };
        let softened = q2 + SOFTENING;
        let mean_density = 0.5 * (own.density + density[l]);
        // One division for the three quotients below.
        let inverse = 1.0 / (q * (softened * mean_density));
        let mu = approach * inverse * (q * mean_density);
        let c = 0.5 * (own.viscosity + viscosity[l]);
        // The slope times the direction's length over q; none for the particle itself.
        let slope = if q2 > 0.0 { S::slope(q) * inverse } else { 0.0 };
        let mu = if q2 > 0.0 { mu } else { 0.0 };
        let pressure = (own.pressure_term + pressure_term[l]) * (slope * softened * mean_density);
        // DG96 (5): Pi = (-c mu + 2 mu^2) / mean density.
        let drag = mass[l] * (mu * (2.0 * mu - c)) * (slope * softened);
        sums.pressure[0][l] += pressure * offsets.x[l];
        sums.pressure[1][l] += pressure * offsets.y[l];
        sums.pressure[2][l] += pressure * offsets.z[l];
        sums.viscosity[0][l] += drag * offsets.x[l];
        sums.viscosity[1][l] += drag * offsets.y[l];
        sums.viscosity[2][l] += drag * offsets.z[l];
        sums.max_mu[l] = if -mu > sums.max_mu[l] { -mu } else { sums.max_mu[l] };
    }
}
