//! Surface tension: matter moves as lowers the energy of its surface.
//!
//! The energy is the tension times the area of the free surface, less the tension times the cosine of the contact angle
//! times that of wet walls (Young 1805). Areas follow from the density c of particles, so the forces on these are the
//! exact slopes of the energy: they feed no motion that it does not pay for, and what is at rest is at a minimum. With
//! f(c) from 0 in air to 1 in matter, which ends below the density of matter so that disorder within does not count,
//!
//! ```text
//! E = sum over corners of half cells of  s^3 tension (w |grad f| - cos |grad w| f)
//! ```
//!
//! in which s is the particle spacing and w the open part of the space. Where liquids meet, the constants are means
//! over particles and move with them, so their slope counts as well: it is what draws a surface to where the tension is
//! higher (Marangoni). Near walls c is over what they leave open; in them it goes on as in a mirror, so that matter
//! meets a wall at a right angle if nothing draws it to there.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always)]

use super::balance::balance;
use super::cells::{CellPoints, Cells, Placing, Point, axes};
use super::density::{Density, NearHalf, around, half_cell_axes, near_halves, slope, weighted};
use super::fluids::Fluids;
use super::freedom::Freedom;
use super::gather::{CellAction, each_cell};
use super::scatter::{Pushes, on_faces};
use super::walls::NearWalls;
use crate::grid::{
    Field, Fields, Rows, corner_differences, corner_means, means_of_corners, smoothed, sums_of_differences,
    weighted_corners,
};
use glam::{IVec3, Vec3};

/// The density from which on there is matter alone: with less of it, edges of layers thinner than three spacings are
/// held too weakly and creep.
const FULL: f32 = 0.45;
/// Slopes of f over a spacing that are as small as this are disorder.
const SMOOTH: f32 = 0.02;
/// How deep in walls a half cell may lie, in cells, for corners that are not quite in the wall to read it.
const DEEPEST: f32 = 0.75;
/// The least density that constants of matter are means over.
const LEAST_WHOLE: f32 = 1e-3;
/// The least open part of a kernel that a density is told over.
const LEAST_OPEN: f32 = 0.05;

/// What surface tension follows from.
#[derive(Debug, Clone, Copy)]
pub struct Tension<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub density: &'a Density,
    pub near: &'a NearWalls,
    pub fluids: &'a Fluids<'a>,
    pub placing: Placing,
    pub seconds: f64,
    pub freedom: Freedom,
}

/// What surface tension does in a step.
#[derive(Debug)]
pub struct Tensed {
    /// On faces, as momentum over the mass of a full cell, m/s.
    pub forces: Fields,
    /// The smoothed density of half cells, which goes on in walls.
    pub density: Field,
}

/// A half cell in a wall, and those before the wall that it mirrors, with their weights.
struct Mirror {
    at: usize,
    of: Vec<(usize, f32)>,
}

/// How walls leave space open.
struct Openness {
    /// The open part of a kernel a spacing wide.
    part: Field,
    /// The same of the smoothed kernel, and at least [`LEAST_OPEN`].
    smooth: Field,
    mirrors: Vec<Mirror>,
}

impl Tension<'_> {
    /// What it does in the step; none where there is no tension.
    pub fn act(&self) -> Option<Tensed> {
        let (pushes, density) = self.pushes()?;
        let pushes = Pushes { shares: &self.fluids.shares, changes: &pushes };
        Some(Tensed { forces: on_faces(self.cells, self.rows, self.placing.is_flat, &pushes), density })
    }

    /// The velocities that surface tension gives to particles, m/s, and the smoothed density.
    fn pushes(&self) -> Option<(Vec<Vec3>, Field)> {
        let has_tension = |body: u32| self.fluids.tensions[body as usize][0] > 0.0;
        if self.cells.points.len() < 2 || !self.cells.points.iter().any(|point| has_tension(point.source)) {
            return None;
        }
        let (Potentials { by_density, by_constants }, density) = self.potentials();
        let spacing = self.placing.width / 2.0;
        let scale = self.seconds / (spacing * spacing);
        let factors: Vec<f32> = self.fluids.densities().map(|density| (-scale / density) as f32).collect();
        let mut pushes = vec![Vec3::ZERO; self.cells.points.len()];
        let mut push = |potential: &Field, factors: &[f32]| {
            let (cells, halves, is_flat) = (self.cells, &self.density.halves, self.placing.is_flat);
            each_cell(&mut pushes, &cells.occupied, &Push { cells, halves, potential, factors, is_flat });
        };
        push(&by_density, &factors);
        for (n, potential) in by_constants.iter().flatten().enumerate() {
            let own = self.fluids.tensions.iter().zip(&factors).map(|(constants, factor)| constants[n] * factor);
            push(potential, &own.collect::<Vec<f32>>());
        }
        balance(self.cells, self.fluids, self.freedom, &mut pushes);
        Some((pushes, density))
    }

    fn axes(&self) -> &'static [usize] {
        axes(self.placing.is_flat)
    }

    /// How the energy grows with what particles bring to half cells, and the smoothed density, which goes on in walls.
    fn potentials(&self) -> (Potentials, Field) {
        let (axes, halves) = (self.axes(), &self.density.halves);
        let openness = (!self.near.cells.is_empty()).then(|| self.openness());
        let mut density = smoothed(halves, &self.density.values, axes);
        if let Some(openness) = &openness {
            openness.complete(&mut density);
        }
        let constants = self.constants();
        let filled: Field = density.iter().map(|&density| filled(density)).collect();
        let mut normals = corner_differences(halves, &filled, axes);
        let open = openness.as_ref().map(|openness| corner_means(halves, &openness.part, axes));
        let mut areas = constants.fields(halves);
        let [x, y, z] = &mut normals;
        for (n, ((x, y), z)) in x.iter_mut().zip(y).zip(z).enumerate() {
            let size = (*x * *x + *y * *y + *z * *z + SMOOTH * SMOOTH).sqrt();
            let open = open.as_ref().map_or(1.0, |open| open[n]);
            let factor = constants.at(n)[0] * open / size;
            (*x, *y, *z) = (*x * factor, *y * factor, *z * factor);
            if let Some([areas, _]) = &mut areas {
                areas[n] = open * (size - SMOOTH);
            }
        }
        let mut energy = sums_of_differences(halves, &normals, axes);
        if let Some(openness) = &openness {
            let mut walls = openness.areas(halves, axes);
            if let Some([_, wet]) = &mut areas {
                let filled = corner_means(halves, &filled, axes);
                *wet = walls.iter().zip(&filled).map(|(area, filled)| -area * filled).collect();
            }
            walls.iter_mut().enumerate().for_each(|(n, area)| *area *= constants.at(n)[1]);
            let wet = means_of_corners(halves, &walls, axes);
            energy.iter_mut().zip(&wet).for_each(|(energy, wet)| *energy -= wet);
        }
        energy.iter_mut().zip(&density).for_each(|(energy, density)| *energy *= slope_of_filled(*density));
        if let Some(openness) = &openness {
            openness.transpose(&mut energy);
        }
        let mut by_density = smoothed(halves, &energy, axes);
        let by_constants = constants.slopes(areas).map(|(slopes, by_whole)| {
            let at_particles = |field: &Field| smoothed(halves, &means_of_corners(halves, field, axes), axes);
            by_density.iter_mut().zip(at_particles(&by_whole)).for_each(|(sum, more)| *sum += more);
            slopes.map(|slope| at_particles(&slope))
        });
        (Potentials { by_density, by_constants }, density)
    }

    /// The surface tension at corners, and the same times the cosine of the contact angle, N/m.
    fn constants(&self) -> Constants {
        let all = &self.fluids.tensions;
        let of = |point: &Point| all[point.source as usize];
        let first = self.cells.points.first().map_or([0.0; 2], of);
        if self.cells.points.iter().all(|point| of(point).map(f32::to_bits) == first.map(f32::to_bits)) {
            return Constants::Same(first);
        }
        let (halves, is_flat) = (&self.density.halves, self.placing.is_flat);
        let at_corners = |field: Field| corner_means(halves, &smoothed(halves, &field, self.axes()), self.axes());
        let whole = at_corners(self.density.values.clone());
        let means = [0, 1].map(|n| {
            let weights: Vec<f32> = all.iter().map(|constants| constants[n]).collect();
            let mut sums = at_corners(weighted(self.cells, halves, Some(&weights), is_flat));
            sums.iter_mut().zip(&whole).for_each(|(sum, whole)| *sum /= whole.max(LEAST_WHOLE));
            sums
        });
        Constants::Mixed { means, whole }
    }

    fn openness(&self) -> Openness {
        let halves = &self.density.halves;
        // Beyond the active cells nothing is open: no surface ends there.
        let mut part = vec![0.0; halves.len()];
        halves.cells().for_each(|(_, at)| part[at] = 1.0);
        let mut in_walls = Vec::new();
        for NearHalf { half, at, wall, distance, part: open } in near_halves(halves, self.near) {
            part[at] = open;
            if distance <= 0.0 && distance > -DEEPEST {
                in_walls.push((at, half, wall.normal() * (-4.0 * distance)));
            }
        }
        let mut smooth = smoothed(halves, &part, self.axes());
        for open in &mut smooth {
            *open = open.max(LEAST_OPEN);
        }
        let mut is_open = vec![true; halves.len()];
        for (at, _, _) in &in_walls {
            is_open[*at] = false;
        }
        let mirrors =
            in_walls.iter().filter_map(|&(at, half, away)| Mirror::of(at, half, away, halves, &is_open)).collect();
        Openness { part, smooth, mirrors }
    }
}

impl Mirror {
    /// Half cells that are open around the middle of a half cell moved by some half cells; none where there are none.
    fn of(at: usize, half: IVec3, away: Vec3, halves: &Rows, is_open: &[bool]) -> Option<Self> {
        let part = away - away.floor();
        let low = half + away.floor().as_ivec3();
        let found = weighted_corners(part).filter_map(|(by, weight)| halves.index(low + by).map(|of| (of, weight)));
        let mut of: Vec<(usize, f32)> = found.filter(|(of, weight)| is_open[*of] && *weight > 0.0).collect();
        let sum: f32 = of.iter().map(|(_, weight)| weight).sum();
        for (_, weight) in &mut of {
            *weight /= sum;
        }
        (sum > 0.1).then_some(Self { at, of })
    }
}

impl Openness {
    /// Makes the density of particles one over what is open, which goes on in walls.
    fn complete(&self, density: &mut Field) {
        density.iter_mut().zip(&self.smooth).for_each(|(density, open)| *density /= open);
        for Mirror { at, of } in &self.mirrors {
            density[*at] = of.iter().map(|(of, weight)| density[*of] * weight).sum();
        }
    }

    /// The transpose of [`complete`](Self::complete).
    fn transpose(&self, energy: &mut Field) {
        for Mirror { at, of } in &self.mirrors {
            let own = std::mem::take(&mut energy[*at]);
            for (of, weight) in of {
                energy[*of] += own * weight;
            }
        }
        energy.iter_mut().zip(&self.smooth).for_each(|(energy, open)| *energy /= open);
    }

    /// Areas of walls around corners, over those of the sides of half cells.
    fn areas(&self, halves: &Rows, axes: &[usize]) -> Field {
        let [x, y, z] = corner_differences(halves, &self.part, axes);
        x.iter().zip(&y).zip(&z).map(|((x, y), z)| (x * x + y * y + z * z).sqrt()).collect()
    }
}

/// How the energy grows with what particles bring to half cells, over the volume of one: times the spacing, N/m.
struct Potentials {
    by_density: Field,
    /// With the density times each of the [constants](Constants); none of matter of one kind.
    by_constants: Option<[Field; 2]>,
}

/// The surface tension, and the same times the cosine of the contact angle, N/m: of matter of one kind, or at corners
/// that several share.
enum Constants {
    Same([f32; 2]),
    /// Means over particles, and the density that these are over.
    Mixed {
        means: [Field; 2],
        whole: Field,
    },
}

impl Constants {
    fn at(&self, corner: usize) -> [f32; 2] {
        match self {
            Self::Same(values) => *values,
            Self::Mixed { means: [tension, pull], .. } => [tension[corner], pull[corner]],
        }
    }

    /// For what counts with each of them at corners, zero; none of matter of one kind.
    fn fields(&self, halves: &Rows) -> Option<[Field; 2]> {
        matches!(self, Self::Mixed { .. }).then(|| [(); 2].map(|()| vec![0.0; halves.len()]))
    }

    /// How the energy grows at corners with the sums that the means are made of, and with what these are over, given
    /// how it grows with the means.
    fn slopes(&self, areas: Option<[Field; 2]>) -> Option<([Field; 2], Field)> {
        let (Self::Mixed { means, whole }, Some(mut areas)) = (self, areas) else { return None };
        let mut by_whole = vec![0.0; whole.len()];
        for (areas, means) in areas.iter_mut().zip(means) {
            for (((area, mean), whole), by_whole) in areas.iter_mut().zip(means).zip(whole).zip(&mut by_whole) {
                *area /= whole.max(LEAST_WHOLE);
                if *whole > LEAST_WHOLE {
                    *by_whole -= mean * *area;
                }
            }
        }
        Some((areas, by_whole))
    }
}

/// f: concave, so that what is thinner than the kernel holds together.
fn filled(density: f32) -> f32 {
    let part = (density / FULL).clamp(0.0, 1.0);
    part * (2.0 - part)
}

fn slope_of_filled(density: f32) -> f32 {
    2.0 * (1.0 - (density / FULL).clamp(0.0, 1.0)) / FULL
}

struct Push<'a> {
    cells: &'a Cells,
    halves: &'a Rows,
    potential: &'a Field,
    /// What slopes count, by body.
    factors: &'a [f32],
    is_flat: bool,
}

impl CellAction<Vec3> for Push<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, pushes: &mut [Vec3]) {
        let around = around(self.halves, self.potential, cell.cell);
        if around.iter().any(|plane| plane.0.iter().any(|value| *value != 0.0)) {
            for (push, point) in pushes.iter_mut().zip(self.cells.of(cell)) {
                *push +=
                    slope(&around, &half_cell_axes(point.part, self.is_flat)) * self.factors[point.source as usize];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::islands::find_islands;
    use super::super::model::{Fluid, Rheology};
    use super::*;
    use crate::particles::Particles;
    use glam::{DMat3, DVec3};

    const SPACING: f64 = 0.001;

    fn liquid(tension: f64) -> Fluid {
        let solid = Rheology { viscosity: 1e-3, law: None };
        Fluid {
            density: 1000.0,
            tension,
            contact_angle: 1.0,
            fracture: None,
            slides: false,
            is_apart: false,
            contact_friction: 0.0,
            fusion_pressure: f64::INFINITY,
            solid,
            molten: None,
        }
    }

    /// Two blocks side by side along x, moved by some spacings.
    fn two_blocks(by: f64) -> Particles {
        let place = |n: i32| (IVec3::new(n % 12, n / 12 % 7, n / 84).as_dvec3() + DVec3::new(by, 0.1, 0.4)) * SPACING;
        let all = 0..12 * 7 * 6;
        Particles {
            numbers: all.clone().map(|n| n as u32).collect(),
            positions: all.clone().map(place).collect(),
            velocities: vec![DVec3::ZERO; all.len()],
            gradients: vec![[[0.0; 3]; 3]; all.len()],
            sources: all.map(|n| u32::from(n % 12 >= 6)).collect(),
            ..Particles::default()
        }
    }

    /// What blocks of two tensions give themselves along x, unbalanced, over all that their particles get.
    fn own_push(tensions: [f64; 2], by: f64) -> f64 {
        let (particles, placing) = (two_blocks(by), Placing { width: 2.0 * SPACING, is_flat: false });
        let all = tensions.map(|tension| Some(liquid(tension)));
        let fluids = &Fluids::new(&all, 1.0 / 8.0, 1e-3, placing.width);
        let islands = find_islands(&particles, &particles.numbers, &placing);
        let [(cells, rows)] = &islands[..] else { panic!("{} islands", islands.len()) };
        let near = &NearWalls { numbers: vec![u32::MAX; rows.len()], cells: Vec::new() };
        let density = &Density::of(cells, rows, false);
        let freedom = Freedom::beside(DMat3::IDENTITY * 1e6);
        let tension = Tension { cells, rows, density, near, fluids, placing, seconds: 1e-3, freedom };
        let (pushes, _) = tension.pushes().unwrap_or_default();
        let all: f64 = pushes.iter().map(|push| f64::from(push.length())).sum();
        pushes.iter().map(|push| f64::from(push.x)).sum::<f64>() / all
    }

    /// The energy is the same a spacing farther, so the force on all is nothing on the way there, on average.
    #[test]
    fn mixed_tensions_drive_nothing_on_the_whole() {
        const PLACES: i32 = 16;
        let mean = |tensions: [f64; 2]| {
            (0..PLACES).map(|n| own_push(tensions, f64::from(n) / f64::from(PLACES))).sum::<f64>() / f64::from(PLACES)
        };
        let [same, mixed] = [mean([0.07; 2]), mean([0.07, 0.02])];
        assert!(same.abs() < 1e-3 && mixed.abs() < 1e-3, "{same}, {mixed}");
    }
}
