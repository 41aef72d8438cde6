//! Heat that flows from particle to particle, and through walls.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | T | temperature | K |
//! | k | conductivity | W/(m K) |
//! | V | volume of a particle at rest | m^3 |
//! | D | dimensions, 2 or 3 | 1 |
//! | w | weight of a pair, -W'(q) / q | 1 |
//! | `S_0` | sum of w q^2 over the lattice that bodies are filled with | 1 |
//! | M | sum of w q q^T over a particle's neighbours | 1 |
//! | c | correction of a particle, `S_0` / D tr `M^2` / tr `M^3` | 1 |
//!
//! A particle gains, in W, V 2 D / (`S_0` h^2) `sum_j` c k w (`T_j` - `T_i`), with the mean of the pair's c and the
//! harmonic mean of its k (Cleary and Monaghan, Conduction modelling using smoothed particle hydrodynamics, 1999). T92
//! (25) and (26), with errata 8, are the case of one common w for the nearest neighbours of a perfect lattice: there
//! the gain is k V times the Laplacian to second order, where M is `S_0` / D in all directions. Elsewhere the
//! corrections make up for missing neighbours in the directions in which most neighbours are left: along surfaces,
//! sheets and strands, which then conduct along themselves as bulk does. Disorder has no first order effect on the
//! corrections. Each pair's exchange is the same from both ends, so no heat is lost.
//!
//! A wall with a temperature stands for matter of the same kind in which the temperature profile goes on straight: it
//! gives what the missing half of the sum would give if T were linear between the particle and the wall's surface. For
//! the corrections its side counts as filled as the matter's own; its own conduction is not corrected. The table is
//! scaled to be exact for the lowest close-packed row on a flat wall.

use crate::boundary::{moment_of_half_space, over_half_space};
use crate::lattice::{RestingRow, distances, half_space};
use crate::laws::around::{Around, Surroundings};
use crate::laws::conduction::{Conducted, Conductor, Fluxes, weight_at};
use crate::neighbours::{BATCH, Neighbours};
use crate::pairs::gather;
use crate::{SmoothingKernel, with_shape};
use pulp::Arch;
use std::marker::PhantomData;

/// Entries of the walls' table over one support radius.
const ENTRIES: usize = 128;

/// Least distance of a particle from a wall for conduction, in spacings: the particle itself is as wide.
const NEAREST: f64 = 0.25;

/// Upper limit of a correction: that of a lone pair.
const MOST: f32 = 12.0;

/// The terms that a wall adds to the sums of a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WallPart {
    /// Term of the sum of w q^2.
    pub moment: f32,
    /// Term of the sum of w that multiplies the wall's temperature at its surface.
    pub weight: f32,
}

/// Conduction between the particles of a scene.
#[derive(Debug)]
pub struct Conduction {
    kernel: SmoothingKernel,
    arch: Arch,
    /// `S_0`.
    moment: f64,
    /// Sum of w over the lattice.
    weights: f64,
    /// V 2 D / (`S_0` h^2), m.
    pub factor: f64,
    support: f64,
    /// [`NEAREST`], m.
    nearest: f64,
    walls: Vec<WallPart>,
}

impl Conduction {
    /// The conduction for a kernel and a spacing, m.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let h = kernel.smoothing_length();
        let of = |r: f64| weight_at(kernel, r);
        let squared = |r: f64| of(r) * (r / h).powi(2);
        let moment: f64 = distances(kernel, spacing).into_iter().map(squared).sum();
        let weights: f64 = distances(kernel, spacing).into_iter().map(of).sum();
        let factor = spacing.powi(3) * 2.0 * kernel.dimension_count() / (moment * h * h);
        let row = RestingRow::new(kernel, spacing).distance;
        let above = half_space(kernel, spacing);
        let missing = moment - above.iter().map(|offset| squared(offset.length())).sum::<f64>();
        let pull: f64 = above.iter().map(|offset| of(offset.length()) * offset.z).sum();
        let (by_moment, by_pull) =
            (missing / over_half_space(kernel, row, squared), pull / moment_of_half_space(kernel, row, of));
        let nearest = NEAREST * spacing;
        let part = |entry: usize| {
            let distance = kernel.support() * entry as f64 / ENTRIES as f64;
            WallPart {
                moment: (by_moment * over_half_space(kernel, distance, squared)) as f32,
                weight: (by_pull * moment_of_half_space(kernel, distance, of) / distance.max(nearest)) as f32,
            }
        };
        let walls = (0..=ENTRIES).map(part).collect();
        Self { kernel: *kernel, arch: Arch::new(), moment, weights, factor, support: kernel.support(), nearest, walls }
    }

    /// The terms that a flat wall at a distance, m, adds to a particle's sums.
    pub fn wall(&self, distance: f64) -> WallPart {
        let at = distance.max(0.0) / self.support * ENTRIES as f64;
        let entry = at as usize;
        if entry >= ENTRIES {
            return WallPart::default();
        }
        let (part, before, after) = ((at - entry as f64) as f32, self.walls[entry], self.walls[entry + 1]);
        WallPart {
            moment: before.moment + part * (after.moment - before.moment),
            weight: before.weight + part * (after.weight - before.weight),
        }
    }

    /// The term that a flat wall at a distance, m, adds to the [pull](Around::pull) on a particle.
    pub fn wall_pull(&self, distance: f64) -> f64 {
        f64::from(self.wall(distance).weight) * distance.max(self.nearest) / self.kernel.smoothing_length()
    }

    /// The arrangement of the neighbours of some slots of a batch, the first slot first.
    pub fn around(&self, neighbours: &Neighbours, slots: &[u32]) -> [Around; BATCH] {
        let (places, lists) = (neighbours.places(), neighbours.lists_of(slots));
        with_shape!(self.kernel.kind(), S => gather(self.arch, &Surroundings::<S> { places, shape: PhantomData }, lists, slots))
    }

    /// The correction of a particle, given the terms that walls with a temperature add to its moment.
    pub fn correction(&self, around: &Around, walls: f32) -> f32 {
        let (all, dimensions) = (self.moment as f32, self.kernel.dimension_count() as f32);
        // The wall's side counts as filled to the same part as the particle's own side.
        let filled = (around.moment() / (all - walls).max(f32::MIN_POSITIVE)).min(1.0);
        let (square, cube) = around.traces(walls * filled / dimensions);
        (all / dimensions * square / cube.max(f32::MIN_POSITIVE)).min(MOST)
    }

    /// The heat that neighbours, as given in rows, conduct to some slots of a batch, as given in rows of their own, the
    /// first slot first, over the [factor](Self::factor).
    pub fn fluxes(
        &self,
        neighbours: &Neighbours,
        own: &[Conductor],
        rows: &[Conductor],
        slots: &[u32],
    ) -> [Conducted; BATCH] {
        let lists = neighbours.lists_of(slots);
        with_shape!(self.kernel.kind(), S => {
            gather(self.arch, &Fluxes::<S> { own, rows, shape: PhantomData }, lists, slots)
        })
    }

    /// The conductance of all neighbours of a particle in the midst of matter of a conductivity, W/(m K), in W/K.
    pub fn in_bulk(&self, conductivity: f64) -> f64 {
        conductivity * self.factor * self.weights
    }
}
