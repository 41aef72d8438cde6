//! The energy of co-circularity made least, (29) of Tonnesen 1992: the sum of ((`n_i` + `n_j`) r)^2 over pairs. It is zero
//! on planes, spheres and cylinders and, as an energy of third derivatives, small on all that is evenly bent; with the seeds held it is what
//! goes on between them as smoothly as can be.
//!
//! The residues are linear in each place and in each normal, so steps are those of Gauss and Newton: for every particle a turn of its
//! normal and, unless it is a seed, a way along it. Each is solved by conjugate gradients.

use super::cloud::{Cloud, Lists};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Most iterations of conjugate gradients a step.
const MOST: usize = 300;

/// They end when the residue is so small a part of the first.
const ENOUGH: f64 = 1e-4;

/// They end, too, when no particle by itself would go further than such a part of the tolerance.
const PART: f64 = 0.1;

/// What steps cost, so that what no pair feels stays.
const DAMPING: f64 = 1e-3;

/// The farthest that a particle goes along its normal in one step, and how far the normal turns.
const FARTHEST: f64 = 0.5;

/// Of a pair the root of the weight is 1 / (r^2 + this): its residue grows with the cube of the length.
const SOFTENED: f64 = 0.3;

/// Numbers that are summed one after the other.
const CHUNK: usize = 4096;

/// A turn of the normal within the tangent plane, and the way along it.
#[derive(Debug, Clone, Copy, Default)]
struct Step {
    turn: DVec3,
    way: f64,
}

/// Some steps towards the least energy, until none goes further than a tolerance; tells the farthest that a particle went in the last.
pub(super) fn settle(cloud: &mut Cloud, lists: &Lists, steps: usize, tolerance: f64) -> f64 {
    let mut farthest = 0.0;
    for _ in 0..steps {
        let found = System::new(cloud, lists).solve(tolerance);
        farthest = found.par_iter().map(|step| step.size()).reduce(|| 0.0, f64::max);
        cloud.take(&found);
        if farthest <= tolerance {
            break;
        }
    }
    farthest
}

impl Step {
    fn size(self) -> f64 {
        self.turn.length().max(self.way.abs())
    }
}

impl Cloud {
    fn take(&mut self, steps: &[Step]) {
        let all = self.places.par_iter_mut().zip(&mut self.normals).zip(steps);
        all.for_each(|((place, normal), step)| {
            *place += *normal * step.way.clamp(-FARTHEST, FARTHEST);
            *normal = (*normal + step.turn.clamp_length_max(FARTHEST)).normalize();
        });
    }
}

/// The normal equations of one step.
struct System<'a> {
    cloud: &'a Cloud,
    lists: &'a Lists,
    /// As listed, how the residue of each changes.
    pairs: Vec<Pair>,
}

/// How a residue changes: by the turns of both normals along `way`, and by how much further the other goes along its own, times `rise`.
/// It is looked up in every iteration, so in single precision; what the steps lead to does not depend on that.
#[derive(Debug, Clone, Copy)]
struct Pair {
    way: Vec3,
    rise: f32,
}

impl Pair {
    /// With the residue.
    fn new(cloud: &Cloud, one: usize, other: usize) -> (Self, f64) {
        let way = cloud.places[other] - cloud.places[one];
        let (a, b) = (cloud.normals[one], cloud.normals[other]);
        let root = 1.0 / (way.length_squared() + SOFTENED);
        // The sum of two unit vectors along either.
        let pair = Self { way: (way * root).as_vec3(), rise: ((1.0 + a.dot(b)) * root) as f32 };
        (pair, (a + b).dot(way) * root)
    }

    fn way(&self) -> DVec3 {
        self.way.as_dvec3()
    }

    fn rise(&self) -> f64 {
        f64::from(self.rise)
    }
}

impl<'a> System<'a> {
    fn new(cloud: &'a Cloud, lists: &'a Lists) -> Self {
        Self { cloud, lists, pairs: lists.each(|one, other| Pair::new(cloud, one, other).0) }
    }

    fn solve(&self, tolerance: f64) -> Vec<Step> {
        let inverse = self.each(|particle| self.diagonal(particle));
        let mut found = vec![Step::default(); self.cloud.len()];
        let mut residue = self.each(|particle| self.downhill(particle));
        let mut ahead = scaled(&inverse, &residue);
        let mut direction = ahead.clone();
        let mut left = dot(&residue, &ahead);
        let first = left;
        for _ in 0..MOST {
            let is_settled = || ahead.par_iter().all(|step| step.size() <= PART * tolerance);
            if left <= ENOUGH * ENOUGH * first || is_settled() {
                break;
            }
            let image = self.each(|particle| self.image(particle, &direction));
            let by = left / dot(&direction, &image);
            if !by.is_finite() {
                break;
            }
            add(&mut found, &direction, by);
            add(&mut residue, &image, -by);
            ahead = scaled(&inverse, &residue);
            let next = dot(&residue, &ahead);
            let kept = next / left;
            direction.par_iter_mut().zip(&ahead).for_each(|(direction, ahead)| {
                *direction = Step { turn: ahead.turn + direction.turn * kept, way: ahead.way + direction.way * kept };
            });
            left = next;
        }
        found
    }

    fn each(&self, of: impl Fn(usize) -> Step + Send + Sync) -> Vec<Step> {
        (0..self.cloud.len()).into_par_iter().with_min_len(256).map(of).collect()
    }

    /// What of a step a particle may take.
    fn allowed(&self, particle: usize, step: Step) -> Step {
        let normal = self.cloud.normals[particle];
        Step {
            turn: if self.cloud.is_told(particle) { DVec3::ZERO } else { step.turn - normal * normal.dot(step.turn) },
            way: if self.cloud.is_seed(particle) { 0.0 } else { step.way },
        }
    }

    fn downhill(&self, particle: usize) -> Step {
        let mut sum = Step::default();
        for &other in self.lists.of(particle) {
            let (pair, residue) = Pair::new(self.cloud, particle, other as usize);
            sum.turn -= pair.way() * residue;
            sum.way += pair.rise() * residue;
        }
        self.allowed(particle, sum)
    }

    fn pairs_of(&self, particle: usize) -> &[Pair] {
        &self.pairs[self.lists.range(particle)]
    }

    fn image(&self, particle: usize, steps: &[Step]) -> Step {
        let own = steps[particle];
        let mut sum = Step { turn: own.turn * DAMPING, way: own.way * DAMPING };
        for (pair, &other) in self.pairs_of(particle).iter().zip(self.lists.of(particle)) {
            let their = steps[other as usize];
            let change = pair.way().dot(own.turn + their.turn) + pair.rise() * (their.way - own.way);
            sum.turn += pair.way() * change;
            sum.way -= pair.rise() * change;
        }
        self.allowed(particle, sum)
    }

    /// One over the diagonal, about: the mean of both turns.
    fn diagonal(&self, particle: usize) -> Step {
        let normal = self.cloud.normals[particle];
        let (mut turn, mut way) = (DAMPING, DAMPING);
        for pair in self.pairs_of(particle) {
            turn += pair.way().reject_from_normalized(normal).length_squared() / 2.0;
            way += pair.rise().powi(2);
        }
        Step { turn: DVec3::splat(1.0 / turn), way: 1.0 / way }
    }
}

fn scaled(by: &[Step], steps: &[Step]) -> Vec<Step> {
    by.par_iter().zip(steps).map(|(by, step)| Step { turn: by.turn * step.turn, way: by.way * step.way }).collect()
}

fn add(sum: &mut [Step], steps: &[Step], by: f64) {
    sum.par_iter_mut().zip(steps).for_each(|(sum, step)| {
        sum.turn += step.turn * by;
        sum.way += step.way * by;
    });
}

/// In an order that does not depend on threads.
fn dot(a: &[Step], b: &[Step]) -> f64 {
    let of = |(a, b): (&[Step], &[Step])| a.iter().zip(b).map(|(a, b)| a.turn.dot(b.turn) + a.way * b.way).sum::<f64>();
    let parts: Vec<f64> = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).map(of).collect();
    parts.into_iter().sum()
}
