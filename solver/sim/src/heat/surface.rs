//! Heat that the free surface gives to the ambient air by convection and radiation.
//!
//! A particle's part of the surface follows from the arrangement of its neighbours, walls as well as matter, in two
//! ways. At the edge of matter they pull to one side, even where matter is compressed under its weight. Sheets and
//! strands of one particle, and lone particles, are pulled to no side, but lack neighbours. The larger measure counts.
//! Both are scaled so that on a flat surface of the lattice that bodies are filled with, the areas of all rows add up
//! to the area that a particle of each row covers.
//!
//! The surface itself is colder than the particles next to it, which lie half a row deep: heat for the air has to be
//! conducted to the surface.

use super::air::{Air, Inflow};
use super::conduction::Conduction;
use crate::SmoothingKernel;
use crate::boundary::{Wall, WallKernel};
use crate::lattice::{between_layers, distances, half_space};
use crate::laws::around::Around;
use crate::laws::conduction::weight_at;
use dollop_scene::Ambient;
use glam::DVec3;

/// Part of the pull and of the lack on a flat surface that disorder alone may cause.
const DISORDER: f64 = 0.4;

/// Entries of the table of walls.
const ENTRIES: usize = 64;

/// Heat exchange between the free surface and the air.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatSurface {
    air: Air,
    /// Free surface, m^2, of a particle whose [exposure](Self::exposure) is 1.
    area: f64,
    /// Depth of the particles of the first row, m.
    depth: f64,
    /// Sum of weight times q^2 in the midst of matter.
    moment: f64,
    /// Pull and lack on a flat surface.
    flat: (f64, f64),
    cover: Cover,
}

/// The effect of walls as cover, by their share, which falls with their distance.
#[derive(Debug, Clone, PartialEq)]
struct Cover(Vec<Covered>);

/// The terms that a flat wall adds at some distance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Covered {
    /// Term of the sum over a kernel.
    share: f64,
    /// Term of the pull.
    pull: f64,
    /// Term of the moment.
    moment: f64,
}

impl Cover {
    fn new(conduction: &Conduction, kernel: &SmoothingKernel, spacing: f64) -> Self {
        let walls = WallKernel::new(kernel, spacing);
        let at = |entry: usize| {
            let distance = kernel.support() * entry as f64 / ENTRIES as f64;
            let (share, moment) = (walls.share(distance).0, f64::from(conduction.wall(distance).moment));
            Covered { share, pull: conduction.wall_pull(distance), moment }
        };
        Self((0..=ENTRIES).map(at).collect())
    }

    /// The terms of walls with a share; in proportion for a share above that of any flat wall, as in a corner.
    fn of(&self, share: f64) -> Covered {
        let after = self.0.partition_point(|covered| covered.share > share);
        let (a, b) = match after {
            0 => (self.0[0], Covered::default()),
            _ if share <= 0.0 || after == self.0.len() => return Covered::default(),
            _ => (self.0[after - 1], self.0[after]),
        };
        let part = (share - b.share) / (a.share - b.share);
        let between = |a: f64, b: f64| b + part * (a - b);
        Covered { share, pull: between(a.pull, b.pull), moment: between(a.moment, b.moment) }
    }
}

impl HeatSurface {
    /// The surface in some ambient air, for a kernel and a spacing, m.
    pub fn new(ambient: &Ambient, conduction: &Conduction, kernel: &SmoothingKernel, spacing: f64) -> Self {
        let h = kernel.smoothing_length();
        let (all, above) = (distances(kernel, spacing), half_space(kernel, spacing));
        let squared = |r: f64| weight_at(kernel, r) * (r / h).powi(2);
        let moment: f64 = all.iter().copied().map(squared).sum();
        let up = between_layers(kernel, spacing);
        // For row n below the surface, which lacks the particles more than n rows above.
        let lacking = |n: i32| above.iter().filter(move |offset| offset.z > (f64::from(n) + 0.5) * up);
        let of_row = |n: i32| {
            let pull: f64 = lacking(n).map(|o| weight_at(kernel, o.length()) * o.z / h).sum();
            let lack: f64 = lacking(n).map(|o| squared(o.length())).sum();
            (pull, lack / moment)
        };
        let volume = spacing.powi(3);
        let surface = Self {
            air: Air::new(ambient),
            area: 1.0,
            depth: up / 2.0,
            moment,
            flat: of_row(0),
            cover: Cover::new(conduction, kernel, spacing),
        };
        let rows = (kernel.support() / up).ceil() as i32;
        let exposures = (0..rows).map(of_row).map(|(pull, lack)| surface.exposed(pull, lack));
        Self { area: volume / up / exposures.sum::<f64>(), ..surface }
    }

    /// The exposure of a particle by its pull and its lack: 1 on a flat surface.
    fn exposed(&self, pull: f64, lack: f64) -> f64 {
        let over = |value: f64, flat: f64| ((value / flat - DISORDER) / (1.0 - DISORDER)).max(0.0);
        over(pull, self.flat.0).max(over(lack, self.flat.1))
    }

    /// Free surface, m^2, of a particle among others and walls.
    pub fn area(&self, around: &Around, wall: &Wall) -> f64 {
        let covered = self.cover.of(f64::from(wall.share));
        let pull = around.pull.as_dvec3() + wall.gradient.as_dvec3().normalize_or_zero() * covered.pull;
        let lack = 1.0 - (f64::from(around.moment()) + covered.moment) / self.moment;
        self.area * self.exposed(DVec3::length(pull), lack)
    }

    /// The heat flow into a particle from the air, given its free surface, m^2, its temperature, K, its conductivity,
    /// W/(m K), and its emissivity: as much as is conducted between the surface and the particle.
    pub fn inflow(&self, area: f64, temperature: f64, conductivity: f64, emissivity: f64) -> Inflow {
        if area <= 0.0 {
            return Inflow::default();
        }
        let Inflow { heat, conductance } = self.air.inflow(temperature, conductivity / self.depth, emissivity);
        Inflow { heat: area * heat, conductance: area * conductance }
    }
}
