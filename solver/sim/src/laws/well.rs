//! The Lennard-Jones potential of a pair, T92 (19) with errata 7.
//!
//! | symbol | meaning |
//! |---|---|
//! | n, m | exponents of repulsion and attraction |
//! | `r_0` | equilibrium separation of a lone pair |
//! | s | `r_0` / r |
//! | S | switch: 1 up to 1.2 `r_0`, 0 from the kernel's support on |
//!
//! As a part of the dissociation energy the potential is u = (m s^n - n s^m) / (n - m) times S = 1 - t^2 (3 - 2 t),
//! where t goes linearly with r^2 from 0 to 1. So energy and force vanish at the cut-off, and the well keeps its depth,
//! its place and its curvature n m / `r_0`^2, unlike with a shift of the whole.
//!
//! Within a core of 0.9 `r_0` (less for wide wells, whose far neighbours press the lattice together) the potential
//! continues as a parabola in r^2 by its slope and curvature there. As printed it grows by orders of magnitude: struck
//! matter would need as many more steps, and matter that sets from a melt, whose particles are disordered, would fly
//! apart. Matter under even pressure at four fifths of its volume is still outside the core.

use crate::SmoothingKernel;
use crate::lattice::{distances, half_space};

/// Where the switch begins, in equilibrium separations.
const SWITCH: f64 = 1.2;

/// Where the core begins, in distances of nearest neighbours on the lattice.
const CORE: f64 = 0.93;

/// The cut-off of the wells of sheets, in distances of nearest neighbours: short of the second neighbours.
pub const PARTED: f64 = 1.7;

/// The range of equilibrium separations that is searched, in spacings.
const SEPARATIONS: (f64, f64) = (0.9, 2.2);

/// Exponents of repulsion, n, and attraction, m.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exponents {
    /// Of repulsion.
    pub n: u8,
    /// Of attraction.
    pub m: u8,
}

/// The potential of a pair as a part of its dissociation energy, by distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Well {
    /// The exponents, which set its steepness.
    pub exponents: Exponents,
    /// Equilibrium separation, m.
    pub separation: f64,
    /// The kernel's support, m.
    cut_off: f64,
    /// Where the core begins, m.
    pub core: f64,
}

/// A pair's potential and its derivatives, each times the power of r that makes it an energy, as parts of the
/// dissociation energy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WellValue {
    /// The potential.
    pub energy: f64,
    /// -r times its slope: positive where the pair repels.
    pub repulsion: f64,
    /// r^2 times its curvature, without the switch's part.
    pub curvature: f64,
}

impl Well {
    /// The well at which the initial lattice is at rest, for a kernel that reaches to the cut-off and a spacing, m.
    pub fn new(exponents: Exponents, kernel: &SmoothingKernel, spacing: f64) -> Self {
        let lattice = distances(kernel, spacing);
        let core = CORE * lattice.iter().copied().fold(f64::INFINITY, f64::min);
        let of = |separation| Self { exponents, separation, cut_off: kernel.support(), core };
        let repulsion = |separation: f64| lattice.iter().map(|&r| of(separation).value(r).repulsion).sum::<f64>();
        let (mut low, mut high) = (SEPARATIONS.0 * spacing, SEPARATIONS.1 * spacing);
        while high - low > 1e-12 * spacing {
            let middle = low.midpoint(high);
            if repulsion(middle) < 0.0 { low = middle } else { high = middle }
        }
        of(low.midpoint(high))
    }

    /// The well of a sheet at a distance of nearest neighbours, m: only these bind each other.
    pub fn in_sheet(exponents: Exponents, nearest: f64) -> Self {
        Self { exponents, separation: nearest, cut_off: PARTED * nearest, core: CORE * nearest }
    }

    /// The stretch factor at which a lone pair tears: where the attraction is greatest.
    pub fn tear_stretch(&self) -> f64 {
        let most = self.pulls().max_by(|a, b| a.1.total_cmp(&b.1));
        most.map_or(1.0, |(stretch, _)| stretch)
    }

    /// The stretch factor at which a lone pair pulls with some part of its greatest attraction.
    pub fn stretch_at(&self, part: f64) -> f64 {
        let most = self.greatest_pull();
        self.pulls().find(|(_, pull)| *pull >= part * most).map_or(1.0, |(stretch, _)| stretch)
    }

    /// The greatest attraction of a lone pair, over its depth and separation.
    pub fn greatest_pull(&self) -> f64 {
        self.pulls().map(|(_, pull)| pull).fold(0.0, f64::max)
    }

    /// Stretch factors from rest to the cut-off, and the pull of a pair at each, over its depth and separation.
    fn pulls(&self) -> impl Iterator<Item = (f64, f64)> {
        const STEPS: u32 = 1000;
        let widest = self.cut_off / self.separation - 1.0;
        (0..=STEPS).map(move |n| {
            let stretch = 1.0 + widest * f64::from(n) / f64::from(STEPS);
            (stretch, -self.value(stretch * self.separation).repulsion / stretch)
        })
    }

    /// The square of the distance where the switch begins, m^2, and the square of the cut-off.
    pub fn switched(&self) -> (f64, f64) {
        // Never empty, however short the cut-off is.
        let from = (SWITCH * self.separation).min(0.9 * self.cut_off);
        (from * from, self.cut_off * self.cut_off)
    }

    /// Depth of the potentials of the lattice particles that a row at rest on a flat wall lacks on the wall's side.
    pub fn lacking(&self, kernel: &SmoothingKernel, spacing: f64) -> f64 {
        let of = |r: f64| -self.value(r).energy;
        let above = half_space(kernel, spacing).into_iter().map(|offset| of(offset.length()));
        distances(kernel, spacing).into_iter().map(of).sum::<f64>() - above.sum::<f64>()
    }

    /// The potential at a distance, m.
    pub fn value(&self, r: f64) -> WellValue {
        let Exponents { n, m } = self.exponents;
        let outside = r.max(self.core);
        // Depth within the core.
        let inside = 1.0 - (r / outside).powi(2);
        let s = self.separation / outside;
        let (n_power, m_power) = (s.powi(i32::from(n)), s.powi(i32::from(m)));
        let (n, m) = (f64::from(n), f64::from(m));
        let (from, to) = self.switched();
        let t = ((r * r - from) / (to - from)).clamp(0.0, 1.0);
        let switch = 1.0 - t * t * (3.0 - 2.0 * t);
        let repulsion = n * m / (n - m) * (n_power - m_power);
        let curvature = n * m / (n - m) * ((n + 1.0) * n_power - (m + 1.0) * m_power);
        let stiffening = curvature.midpoint(repulsion) * inside;
        let energy = (m * n_power - n * m_power) / (n - m) + (repulsion / 2.0 + stiffening / 4.0) * inside;
        WellValue {
            energy: energy * switch,
            repulsion: (repulsion + stiffening) * (1.0 - inside) * switch
                + energy * 12.0 * r * r * t * (1.0 - t) / (to - from),
            curvature: curvature * switch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;

    fn wells() -> impl Iterator<Item = Well> {
        let kernel = |smoothing_length| SmoothingKernel::new(Kernel::Spiky, smoothing_length * 0.1);
        let kernels = [kernel(0.9), kernel(1.25), kernel(2.0), SmoothingKernel::in_plate(Kernel::Spiky, 0.125, 0.1)];
        let exponents =
            [(12, 6), (5, 3), (5, 4), (8, 4), (9, 3), (24, 3), (24, 12), (24, 23)].map(|(n, m)| Exponents { n, m });
        kernels.into_iter().flat_map(move |kernel| exponents.map(|exponents| Well::new(exponents, &kernel, 0.1)))
    }

    #[test]
    fn a_pair_is_bound_by_its_dissociation_energy() {
        for well in wells() {
            let bottom = well.value(well.separation);
            assert!((bottom.energy + 1.0).abs() < 1e-12 && bottom.repulsion.abs() < 1e-12, "{well:?} {bottom:?}");
            assert!(
                (bottom.curvature - f64::from(well.exponents.n) * f64::from(well.exponents.m)).abs() < 1e-9,
                "{well:?} {bottom:?}"
            );
            let end = well.value(well.cut_off);
            assert!(end.energy == 0.0 && end.repulsion == 0.0, "{well:?} {end:?}");
        }
    }

    #[test]
    fn repulsion_is_the_slope() {
        for well in wells() {
            for r in (45..260).map(|n| f64::from(n) * 0.001 + 2e-4) {
                let h = 1e-6;
                let slope = (well.value(r + h).energy - well.value(r - h).energy) / (2.0 * h);
                let value = well.value(r);
                assert!((value.repulsion + r * slope).abs() < 1e-4 * (1.0 + value.repulsion.abs()), "{well:?} {r}");
            }
        }
    }

    #[test]
    fn the_lattice_is_at_rest() {
        for well in wells() {
            assert!((1.0..1.6).contains(&(well.separation / 0.1)), "{well:?}");
        }
    }
}
