//! The density of a frame (DG96 equation (3), relative to rest), sampled on blocks.
//!
//! | symbol | meaning |
//! |---|---|
//! | f | density over rest density, sum over j of `V_j W(abs(x - x_j))` |
//! | V | volume of a particle at rest, m^3 |
//! | W | smoothing kernel of support 2 h, 1/m^3 |
//!
//! The kernel has integral 1, so f has mean 1 within matter at rest for any packing, and integral `sum V_j`. No further
//! normalisation is needed. At particles f is higher than between them.

use super::profile::Profile;
use crate::carried::Carried;
use crate::lattice::blocks::{BlockKey, INDEX_LIMIT};
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::mask::BlockMask;
use crate::lattice::splat::{NumberRows, Splat, SplatItem, SplatShape, Sums};
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// The density field of a frame on a lattice, over all valid particles.
pub(crate) struct DensityField<'a> {
    pub frame: &'a Frame,
    /// Edge length of a cell, m.
    pub cell_size: f64,
    pub profile: Profile,
    pub arch: Arch,
    /// The particles as points.
    pub matter: Splat<Vec3>,
    /// Numbers of the particles.
    pub particles: Vec<u32>,
    /// The values to average over the particles.
    pub rows: NumberRows,
}

impl<'a> DensityField<'a> {
    /// The field, and the values that it carries, if any. None if the cell size or the kernel is invalid. Particles are
    /// left out if their position is not finite or more than 2^30 cells from the origin, or if their volume is not
    /// positive.
    pub fn new(frame: &'a Frame, cell_size: f64, carried: Option<&Carried>) -> Option<Self> {
        let sensible = |x: f64| x.is_finite() && x > 0.0;
        let profile = Profile::new(&frame.kernel, cell_size);
        if !sensible(cell_size) || !sensible(f64::from(profile.support)) {
            return None;
        }
        let entry = |particle: usize| {
            let at = lattice_position(frame, cell_size, particle).filter(|_| has_volume(frame, particle))?;
            Some((in_cube(at).0, particle as u32))
        };
        let entries: Vec<_> = (0..frame.len()).into_par_iter().filter_map(entry).collect();
        let cells = CubeGrid::new(entries, |particle| particle);
        let particles = cells.items().to_vec();
        let item = |row: usize, particle: u32| {
            let at = lattice_position(frame, cell_size, particle as usize).unwrap_or_default();
            SplatItem { shape: in_cube(at).1, factor: factor(frame, &profile, particle as usize), row: row as u32 }
        };
        let matter = Splat { cells: cells.map(item), support: profile.support, extent: 0.0 };
        let rows = carried.map_or_else(NumberRows::default, |carried| carried.all_rows(&particles));
        Some(Self { frame, cell_size, profile, arch: Arch::new(), matter, particles, rows })
    }

    /// The sums over items at the nodes of a block, with the kernel and the values of the field; see [`Splat::sums`].
    pub fn sums<R: SplatShape>(&self, items: &Splat<R>, key: BlockKey, known: BlockMask) -> Option<Box<Sums>> {
        items.sums(key, known, self.profile.kind, self.arch, &self.rows)
    }

    /// Position of a particle in lattice coordinates.
    pub fn position(&self, row: usize) -> DVec3 {
        lattice_position(self.frame, self.cell_size, self.particles[row] as usize).unwrap_or_default()
    }

    /// Factor of the kernel's polynomial in the density of a particle.
    pub fn factor(&self, row: usize) -> f32 {
        self.matter.cells.items()[row].factor
    }

    /// Velocity of a particle, m/s.
    pub fn velocity(&self, row: usize) -> DVec3 {
        self.frame.velocities[self.particles[row] as usize].as_dvec3()
    }
}

/// Position of a particle in lattice coordinates, if it is within the range of node numbers.
fn lattice_position(frame: &Frame, cell_size: f64, particle: usize) -> Option<DVec3> {
    let at = frame.positions[particle].as_dvec3() / cell_size;
    // Comparisons with NaN are false, and the largest of several NaN is NaN.
    (at.is_finite() && at.abs().max_element() < INDEX_LIMIT).then_some(at)
}

fn has_volume(frame: &Frame, particle: usize) -> bool {
    let volume = frame.rest_volumes[particle];
    volume.is_finite() && volume > 0.0
}

fn factor(frame: &Frame, profile: &Profile, particle: usize) -> f32 {
    (f64::from(frame.rest_volumes[particle]) * profile.normalization) as f32
}
