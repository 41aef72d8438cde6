//! Connected components of particles: chains of links no longer than a given length.

use super::cubes::ParticleCubes;
use dollop_sim::Frame;
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The component of each particle. Components are numbered by their first particles.
#[derive(Debug, Default)]
pub(crate) struct Components {
    /// Component of each particle.
    pub labels: Vec<u32>,
    /// Number of components.
    pub count: usize,
}

/// The particles of a cube.
#[derive(Clone, Copy)]
struct CubeParticles<'a> {
    particles: &'a [u32],
    /// Their root, if they are all connected.
    root_of_all: Option<u32>,
}

/// A union-find that many threads use at once. The root of a set is its lowest number. The final sets do not depend on
/// the order of the unions (after Anderson and Woll, "Wait-free parallel algorithms for the union-find problem", 1991).
pub(crate) struct UnionFind(Vec<AtomicU32>);

impl Components {
    /// All particles as one component.
    pub fn one(count: usize) -> Self {
        Self { labels: vec![0; count], count: 1 }
    }

    /// The components of some particles of a frame, linked up to `link`, m. Each of the other particles is its own
    /// component.
    pub fn new(frame: &Frame, link: f64, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let cubes = ParticleCubes::new(frame, link, is_in);
        let sets = UnionFind::new(frame.len());
        let is_linked = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|particle| frame.positions[particle as usize].as_dvec3());
            a.distance_squared(b) <= link * link
        };
        let cube_particles = |cube: usize| {
            let particles = cubes.particles(cube);
            sets.join_within(particles, is_linked);
            CubeParticles { particles, root_of_all: sets.single_root(particles) }
        };
        let all: Vec<CubeParticles> = (0..cubes.len()).into_par_iter().map(cube_particles).collect();
        (0..cubes.len()).into_par_iter().for_each(|cube| {
            for adjacent in cubes.half_around(cube) {
                sets.join_across(all[cube], all[adjacent], is_linked);
            }
        });
        sets.components()
    }
}

impl UnionFind {
    /// Singleton sets.
    pub fn new(count: usize) -> Self {
        Self((0..count as u32).map(AtomicU32::new).collect())
    }

    fn parent(&self, node: u32) -> u32 {
        self.0[node as usize].load(Relaxed)
    }

    fn root(&self, mut node: u32) -> u32 {
        loop {
            let parent = self.parent(node);
            if parent == node {
                return node;
            }
            // A node with a parent always keeps one, and any former parent still leads to its root.
            let next = self.parent(parent);
            if next != parent {
                self.0[node as usize].store(next, Relaxed);
            }
            node = next;
        }
    }

    /// Unites the sets of two nodes.
    pub fn join(&self, a: u32, b: u32) {
        loop {
            let (a, b) = (self.root(a), self.root(b));
            // Fails if another thread has just given it a parent.
            let (low, high) = (a.min(b), a.max(b));
            if low == high || self.0[high as usize].compare_exchange(high, low, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn join_within(&self, particles: &[u32], is_linked: impl Fn(u32, u32) -> bool) {
        // While all earlier particles are connected, one link suffices. Otherwise crushed matter would cost the square
        // of its particles.
        let mut is_one = true;
        for (index, &a) in particles.iter().enumerate().skip(1) {
            let mut is_linked_to_any = false;
            for &b in &particles[..index] {
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

    fn join_across(&self, own: CubeParticles, other: CubeParticles, is_linked: impl Fn(u32, u32) -> bool) {
        let roots = own.root_of_all.zip(other.root_of_all);
        if roots.is_some_and(|(a, b)| self.root(a) == self.root(b)) {
            return;
        }
        for &a in own.particles {
            for &b in other.particles {
                if self.root(a) != self.root(b) && is_linked(a, b) {
                    self.join(a, b);
                    if roots.is_some() {
                        return;
                    }
                }
            }
        }
    }

    /// The common root of all particles, if there is one.
    fn single_root(&self, particles: &[u32]) -> Option<u32> {
        let first = self.root(*particles.first()?);
        particles.iter().all(|&particle| self.root(particle) == first).then_some(first)
    }

    /// The components, numbered by their first nodes.
    pub fn components(self) -> Components {
        let (mut labels, mut count) = (vec![0; self.0.len()], 0);
        for particle in 0..self.0.len() as u32 {
            let root = self.root(particle);
            // A root is the first node of its set.
            if root == particle {
                labels[particle as usize] = count;
                count += 1;
            } else {
                labels[particle as usize] = labels[root as usize];
            }
        }
        Components { labels, count: count as usize }
    }
}
