//! Which particles hang together: chains of steps no longer than a given length.

use super::cubes::Cubes;
use dollop_sim::Frame;
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The component of each particle, numbered by their first particles.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// For each particle.
    pub of: Vec<u32>,
    /// Number of components.
    pub count: usize,
}

/// The particles of a cube.
#[derive(Clone, Copy)]
struct Crowd<'a> {
    particles: &'a [u32],
    /// One of them, if all hang together.
    head: Option<u32>,
}

/// Union by lowest number, by many threads at once: what hangs together in the end, and its root, which is the first of it, do
/// not depend on the order of the unions (after Anderson and Woll, "Wait-free parallel algorithms for the union-find problem",
/// 1991).
pub(crate) struct Forest(Vec<AtomicU32>);

impl Components {
    /// All particles as one.
    pub fn one(count: usize) -> Self {
        Self { of: vec![0; count], count: 1 }
    }

    /// The components of some of a frame's particles that are linked up to that distance, m. Each of the others is a component
    /// of its own.
    pub fn new(frame: &Frame, link: f64, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let cubes = Cubes::new(frame, link, is_in);
        let forest = Forest::new(frame.len());
        let is_linked = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|particle| frame.positions[particle as usize].as_dvec3());
            a.distance_squared(b) <= link * link
        };
        let crowd = |cube: usize| {
            let particles = cubes.particles(cube);
            forest.join_within(particles, is_linked);
            Crowd { particles, head: forest.single_root(particles) }
        };
        let crowds: Vec<Crowd> = (0..cubes.len()).into_par_iter().map(crowd).collect();
        (0..cubes.len()).into_par_iter().for_each(|cube| {
            for beside in cubes.half_around(cube) {
                forest.join_across(crowds[cube], crowds[beside], is_linked);
            }
        });
        forest.components()
    }
}

impl Forest {
    /// Each by itself.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).map(AtomicU32::new).collect())
    }

    fn above(&self, of: u32) -> u32 {
        self.0[of as usize].load(Relaxed)
    }

    fn root(&self, mut of: u32) -> u32 {
        loop {
            let above = self.above(of);
            if above == of {
                return of;
            }
            // What has something above it always will, and whatever was above it once always leads to its root.
            let next = self.above(above);
            if next != above {
                self.0[of as usize].store(next, Relaxed);
            }
            of = next;
        }
    }

    /// Makes two belong together.
    pub fn join(&self, a: u32, b: u32) {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            // Fails where another thread has just put something above it.
            let (low, high) = (a.min(b), a.max(b));
            if low == high || self.0[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn join_within(&self, particles: &[u32], is_linked: impl Fn(u32, u32) -> bool) {
        // While all before one hang together, one link is enough: crushed matter would take the square of its particles.
        let mut is_one = true;
        for (place, &a) in particles.iter().enumerate().skip(1) {
            let mut is_linked_to_any = false;
            for &b in &particles[..place] {
                if self.root(a) != self.root(b) && is_linked(a, b) {
                    self.join(a, b);
                }
                is_linked_to_any |= self.root(a) == self.root(b);
                if is_one && is_linked_to_any {
                    break;
                }
            }
            is_one &= is_linked_to_any;
        }
    }

    fn join_across(&self, own: Crowd, other: Crowd, is_linked: impl Fn(u32, u32) -> bool) {
        let heads = own.head.zip(other.head);
        if heads.is_some_and(|(a, b)| self.root(a) == self.root(b)) {
            return;
        }
        for &a in own.particles {
            for &b in other.particles {
                if self.root(a) != self.root(b) && is_linked(a, b) {
                    self.join(a, b);
                    if heads.is_some() {
                        return;
                    }
                }
            }
        }
    }

    /// The root of all particles, if it is one.
    fn single_root(&self, particles: &[u32]) -> Option<u32> {
        let first = self.root(*particles.first()?);
        particles.iter().all(|&particle| self.root(particle) == first).then_some(first)
    }

    /// What belongs together, numbered by the first of each.
    pub fn components(self) -> Components {
        let (mut of, mut count) = (vec![0; self.0.len()], 0);
        for particle in 0..self.0.len() as u32 {
            let root = self.root(particle);
            // A root is the first of its particles.
            if root == particle {
                of[particle as usize] = count;
                count += 1;
            } else {
                of[particle as usize] = of[root as usize];
            }
        }
        Components { of, count: count as usize }
    }
}
