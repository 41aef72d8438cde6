//! Minimises the energy of co-circularity, (29) of Tonnesen 1992: the sum of ((`n_i` + `n_j`) r)^2 over pairs. It is
//! zero on planes, spheres and cylinders. As an energy of third derivatives, it is small on all evenly bent surfaces.
//! With the seeds fixed, it gives the smoothest surface between them.
//!
//! The residuals are linear in each position and in each normal, so a step is a Gauss-Newton step: for every particle a
//! rotation of its normal and, unless it is a seed, a shift along it. Conjugate gradients solve each step.

use super::cloud::{Cloud, CloudNeighbours};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Largest number of iterations of conjugate gradients per step.
const MAX_ITERATIONS: usize = 300;

/// Iterations end at this fraction of the first residual.
const RELATIVE_TOLERANCE: f64 = 1e-4;

/// They also end when no particle alone would move further than this fraction of the tolerance.
const STEP_TOLERANCE: f64 = 0.1;

/// Damping of steps, so that particles without pairs stay.
const DAMPING: f64 = 1e-3;

/// Largest shift along a normal, and largest rotation of a normal, in one step.
const MAX_STEP: f64 = 0.5;

/// The root of the weight of a pair is 1 / (r^2 + this), as its residual grows with the cube of the length.
const SOFTENING: f64 = 0.3;

/// Length of a sequential sum.
const CHUNK: usize = 4096;

/// The step of a particle: a rotation of its normal, as a vector in the tangent plane, and a shift along it.
#[derive(Debug, Clone, Copy, Default)]
struct NormalStep {
    rotation: DVec3,
    shift: f64,
}

/// Takes some steps towards the least energy, until none exceeds a tolerance. Returns the largest change of a particle
/// in the last step.
pub(super) fn relax(cloud: &mut Cloud, neighbours: &CloudNeighbours, steps: usize, tolerance: f64) -> f64 {
    let mut farthest = 0.0;
    for _ in 0..steps {
        let steps_found = NormalEquations::new(cloud, neighbours).solve(tolerance);
        farthest = steps_found.par_iter().map(|step| step.size()).reduce(|| 0.0, f64::max);
        cloud.apply(&steps_found);
        if farthest <= tolerance {
            break;
        }
    }
    farthest
}

impl NormalStep {
    fn size(self) -> f64 {
        self.rotation.length().max(self.shift.abs())
    }
}

impl Cloud {
    fn apply(&mut self, steps: &[NormalStep]) {
        let all = self.positions.par_iter_mut().zip(&mut self.normals).zip(steps);
        all.for_each(|((position, normal), step)| {
            *position += *normal * step.shift.clamp(-MAX_STEP, MAX_STEP);
            *normal = (*normal + step.rotation.clamp_length_max(MAX_STEP)).normalize();
        });
    }
}

/// The normal equations of a step.
struct NormalEquations<'a> {
    cloud: &'a Cloud,
    neighbours: &'a CloudNeighbours,
    /// The derivatives of the residual of each neighbour entry.
    pairs: Vec<PairJacobian>,
}

/// The derivatives of a residual by the rotations of both normals, and by the difference of both shifts. Every
/// iteration reads it, so it is in single precision; the result of the steps does not depend on that.
#[derive(Debug, Clone, Copy)]
struct PairJacobian {
    by_rotation: Vec3,
    by_shift: f32,
}

impl PairJacobian {
    /// The derivatives, and the residual.
    fn new(cloud: &Cloud, one: usize, other: usize) -> (Self, f64) {
        let chord = cloud.positions[other] - cloud.positions[one];
        let (a, b) = (cloud.normals[one], cloud.normals[other]);
        let root = 1.0 / (chord.length_squared() + SOFTENING);
        // The sum of two unit vectors, projected on either.
        let pair = Self { by_rotation: (chord * root).as_vec3(), by_shift: ((1.0 + a.dot(b)) * root) as f32 };
        (pair, (a + b).dot(chord) * root)
    }

    fn by_rotation(&self) -> DVec3 {
        self.by_rotation.as_dvec3()
    }

    fn by_shift(&self) -> f64 {
        f64::from(self.by_shift)
    }
}

impl<'a> NormalEquations<'a> {
    fn new(cloud: &'a Cloud, neighbours: &'a CloudNeighbours) -> Self {
        Self { cloud, neighbours, pairs: neighbours.each(|one, other| PairJacobian::new(cloud, one, other).0) }
    }

    fn solve(&self, tolerance: f64) -> Vec<NormalStep> {
        let inverse = self.each(|particle| self.inverse_diagonal(particle));
        let mut solution = vec![NormalStep::default(); self.cloud.len()];
        let mut residual = self.each(|particle| self.right_hand_side(particle));
        let mut preconditioned = scaled(&inverse, &residual);
        let mut direction = preconditioned.clone();
        let mut squared_residual = dot(&residual, &preconditioned);
        let first = squared_residual;
        for _ in 0..MAX_ITERATIONS {
            let is_converged = || preconditioned.par_iter().all(|step| step.size() <= STEP_TOLERANCE * tolerance);
            if squared_residual <= RELATIVE_TOLERANCE * RELATIVE_TOLERANCE * first || is_converged() {
                break;
            }
            let product = self.each(|particle| self.product(particle, &direction));
            let step_length = squared_residual / dot(&direction, &product);
            if !step_length.is_finite() {
                break;
            }
            add(&mut solution, &direction, step_length);
            add(&mut residual, &product, -step_length);
            preconditioned = scaled(&inverse, &residual);
            let next = dot(&residual, &preconditioned);
            let beta = next / squared_residual;
            direction.par_iter_mut().zip(&preconditioned).for_each(|(direction, preconditioned)| {
                *direction = NormalStep {
                    rotation: preconditioned.rotation + direction.rotation * beta,
                    shift: preconditioned.shift + direction.shift * beta,
                };
            });
            squared_residual = next;
        }
        solution
    }

    fn each(&self, of: impl Fn(usize) -> NormalStep + Send + Sync) -> Vec<NormalStep> {
        (0..self.cloud.len()).into_par_iter().with_min_len(256).map(of).collect()
    }

    /// Projects a step on the allowed changes of a particle.
    fn allowed(&self, particle: usize, step: NormalStep) -> NormalStep {
        let normal = self.cloud.normals[particle];
        NormalStep {
            rotation: if self.cloud.is_normal_given(particle) {
                DVec3::ZERO
            } else {
                step.rotation - normal * normal.dot(step.rotation)
            },
            shift: if self.cloud.is_seed(particle) { 0.0 } else { step.shift },
        }
    }

    fn right_hand_side(&self, particle: usize) -> NormalStep {
        let mut sum = NormalStep::default();
        for &other in self.neighbours.of(particle) {
            let (pair, residual) = PairJacobian::new(self.cloud, particle, other as usize);
            sum.rotation -= pair.by_rotation() * residual;
            sum.shift += pair.by_shift() * residual;
        }
        self.allowed(particle, sum)
    }

    fn pairs_of(&self, particle: usize) -> &[PairJacobian] {
        &self.pairs[self.neighbours.range(particle)]
    }

    fn product(&self, particle: usize, steps: &[NormalStep]) -> NormalStep {
        let own = steps[particle];
        let mut sum = NormalStep { rotation: own.rotation * DAMPING, shift: own.shift * DAMPING };
        for (pair, &other) in self.pairs_of(particle).iter().zip(self.neighbours.of(particle)) {
            let their = steps[other as usize];
            let change =
                pair.by_rotation().dot(own.rotation + their.rotation) + pair.by_shift() * (their.shift - own.shift);
            sum.rotation += pair.by_rotation() * change;
            sum.shift -= pair.by_shift() * change;
        }
        self.allowed(particle, sum)
    }

    /// Approximate inverse of the diagonal; the two directions of rotation share their mean.
    fn inverse_diagonal(&self, particle: usize) -> NormalStep {
        let normal = self.cloud.normals[particle];
        let (mut rotation, mut shift) = (DAMPING, DAMPING);
        for pair in self.pairs_of(particle) {
            rotation += pair.by_rotation().reject_from_normalized(normal).length_squared() / 2.0;
            shift += pair.by_shift().powi(2);
        }
        NormalStep { rotation: DVec3::splat(1.0 / rotation), shift: 1.0 / shift }
    }
}

fn scaled(by: &[NormalStep], steps: &[NormalStep]) -> Vec<NormalStep> {
    by.par_iter()
        .zip(steps)
        .map(|(by, step)| NormalStep { rotation: by.rotation * step.rotation, shift: by.shift * step.shift })
        .collect()
}

fn add(sum: &mut [NormalStep], steps: &[NormalStep], by: f64) {
    sum.par_iter_mut().zip(steps).for_each(|(sum, step)| {
        sum.rotation += step.rotation * by;
        sum.shift += step.shift * by;
    });
}

/// The dot product, in an order that does not depend on threads.
fn dot(a: &[NormalStep], b: &[NormalStep]) -> f64 {
    let of = |(a, b): (&[NormalStep], &[NormalStep])| {
        a.iter().zip(b).map(|(a, b)| a.rotation.dot(b.rotation) + a.shift * b.shift).sum::<f64>()
    };
    let parts: Vec<f64> = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(of).collect();
    parts.into_iter().sum()
}
