//! The density of a frame (DG96 equation (3), relative to rest), sampled on blocks.
//!
//! | symbol | meaning |
//! |---|---|
//! | f | density over rest density, sum over j of `V_j W(abs(x - x_j))` |
//! | V | volume of a particle at rest, m^3 |
//! | W | smoothing kernel of support 2 h, 1/m^3 |
//!
//! As the kernel has integral 1, f has mean 1 within matter at rest whatever the packing, and integral `sum V_j`: nothing
//! else is to be normalised. At the particles themselves f is higher than between them.

use crate::blocks::INDEX_LIMIT;
use crate::cells::{Cells, in_cube};
use crate::extract::carried::Carried;
use crate::profile::Profile;
use crate::splat::{Item, Rows, Splat};
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// The particles of a frame that count, on a lattice.
pub(crate) struct Field<'a> {
    pub frame: &'a Frame,
    /// Edge length of a cell, m.
    pub cell_size: f64,
    pub profile: Profile,
    pub arch: Arch,
    /// The particles, each at its place.
    pub matter: Splat<Vec3>,
    /// Which they are.
    pub particles: Vec<u32>,
    /// What is averaged over them.
    pub rows: Rows,
}

impl<'a> Field<'a> {
    /// A field and what it carries, if anything. None where the cell size or the kernel makes no sense. Particles whose
    /// position is not finite or lies more than 2^30 cells from the origin, or whose volume is not positive, are left out.
    pub fn new(frame: &'a Frame, cell_size: f64, carried: Option<&Carried>) -> Option<Self> {
        let sensible = |x: f64| x.is_finite() && x > 0.0;
        let profile = Profile::new(&frame.kernel, cell_size);
        if !sensible(cell_size) || !sensible(f64::from(profile.support)) {
            return None;
        }
        let place = |particle: usize| {
            let at = lattice_position(frame, cell_size, particle).filter(|_| has_volume(frame, particle))?;
            Some((in_cube(at).0, particle as u32))
        };
        let entries: Vec<_> = (0..frame.len()).into_par_iter().filter_map(place).collect();
        let cells = Cells::new(entries, |particle| particle);
        let particles = cells.items().to_vec();
        let item = |row: usize, particle: u32| {
            let at = lattice_position(frame, cell_size, particle as usize).unwrap_or_default();
            Item { shape: in_cube(at).1, factor: factor(frame, &profile, particle as usize), row: row as u32 }
        };
        let matter = Splat { cells: cells.map(item), support: profile.support, extent: 0.0 };
        let rows = carried.map_or_else(Rows::default, |carried| carried.all_rows(&particles));
        Some(Self { frame, cell_size, profile, arch: Arch::new(), matter, particles, rows })
    }

    /// Position in lattice coordinates of a particle that counts.
    pub fn position(&self, row: usize) -> DVec3 {
        lattice_position(self.frame, self.cell_size, self.particles[row] as usize).unwrap_or_default()
    }

    /// What the kernel's polynomial is multiplied by to give its part of the density.
    pub fn factor(&self, row: usize) -> f32 {
        self.matter.cells.items()[row].factor
    }

    /// Its velocity, m/s.
    pub fn velocity(&self, row: usize) -> DVec3 {
        self.frame.velocities[self.particles[row] as usize].as_dvec3()
    }
}

/// Position of a particle in lattice coordinates, if it is within the range of node numbers.
fn lattice_position(frame: &Frame, cell_size: f64, particle: usize) -> Option<DVec3> {
    let at = frame.positions[particle].as_dvec3() / cell_size;
    // Comparisons with NaN are false, and so is the largest of several that are not numbers.
    (at.is_finite() && at.abs().max_element() < INDEX_LIMIT).then_some(at)
}

fn has_volume(frame: &Frame, particle: usize) -> bool {
    let volume = frame.rest_volumes[particle];
    volume.is_finite() && volume > 0.0
}

fn factor(frame: &Frame, profile: &Profile, particle: usize) -> f32 {
    (f64::from(frame.rest_volumes[particle]) * profile.normalization) as f32
}
