//! The stresses of particles of matter that keeps its shape, in a step.
//!
//! A step takes the stress at a part q of it, s = (1 - q) s0 + q s1, of what it is before and after; s1 follows from b
//! after the step, by gradients of velocity at the same part. About a guess of the gradient at the end, D', and with r
//! the part of the stress that the flow leaves,
//!
//! ```text
//! s = (1 - q) s0 + q s1' + 2 q^2 r G dt (D - D')
//! ```
//!
//! so the solve has the viscosity q^2 r G dt besides, and the rest as known stress. That acts on the faces around
//! particles (Hu et al. 2018, "A moving least squares material point method", ACM Transactions on Graphics 37, equation
//! 18): its work on the gradients of particles is the energy that these store. Where matter reaches a wall it goes on
//! behind it with the same stress, or half of what the wall bears would be missing.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always, clippy::needless_range_loop)]

use super::cells::{CellPoints, Cells, Point, moving_axes};
use super::fluids::{Fluids, most_damaged};
use super::fracture::{Broken, Loaded};
use super::friction::Friction;
use super::law::{Deformed, Law, Stretch, UNSTRETCHED, longest, matrix, packed};
use super::scatter::{OnFaces, on_faces};
use super::walls::NearWalls;
use super::weights::{Axis, Plane, moment_beyond};
use super::wetting::Wetting;
use crate::grid::{Fields, Rows};
use crate::particles::Particles;
use glam::{DMat3, DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The elastic stiffness of a cell in a step, G dt^2 / (rho h^2), at which the stress is taken half way between the
/// middle of the step, which keeps the energy of waves, and its end, which damps those that are too fast for the step.
const TOO_STIFF: f64 = 30.0;
/// Particles that lie apart, by the part of a cell that they fill, bear no stress: what the grid makes of it would
/// fling them from walls.
const CRUMB: f64 = 0.5;

/// What the stresses of a step follow from.
#[derive(Debug, Clone, Copy)]
pub struct Elastic<'a> {
    pub fluids: &'a Fluids<'a>,
    /// Before the step.
    pub particles: &'a Particles,
    /// Of points, Pa; none where no matter is of grains.
    pub pressures: &'a [f32],
    pub seconds: f64,
    /// Width of a cell, m.
    pub width: f64,
    pub is_flat: bool,
}

/// What a step makes of the particles of matter that keeps its shape.
#[derive(Debug, Default)]
pub struct Strained {
    pub stretches: Vec<Stretch>,
    /// None where no matter breaks.
    pub damages: Vec<f32>,
    /// Whether any flowed or broke.
    pub flowed: bool,
}

/// A known stress, as what the momentum of a face grows by for each cell that it lies off the particle, over the mass
/// of a full cell: rows, m/s.
pub type Pull = [Vec3; 3];

/// From a pull to the stress that it is of.
const OF_PULL: f32 = -0.25;

/// What a pull is across a plane with a normal.
pub fn pull_across(pull: &Pull, normal: Vec3) -> Vec3 {
    let [x, y, z] = pull;
    Vec3::new(x.dot(normal), y.dot(normal), z.dot(normal))
}

/// The traction on a plane with a normal, in the unit of pressures in the equations, of the stress that the pull of a
/// full cell is of.
pub fn traction(pull: &Pull, normal: Vec3) -> Vec3 {
    pull_across(pull, normal) * OF_PULL
}

/// Mean pulls of the matter of full cells, by storage.
pub type MeanPulls = FxHashMap<usize, Pull>;

/// The known stresses of an island.
#[derive(Debug, Clone, Copy)]
pub struct Stressed<'a> {
    pub cells: &'a Cells,
    pub near: &'a NearWalls,
    pub wetting: &'a Wetting,
    /// Of particles.
    pub pulls: &'a [Pull],
    /// Of cells near walls.
    pub means: &'a MeanPulls,
}

impl Elastic<'_> {
    /// How far the stiffest particle of some cells is too stiff for the step, from 0 to 1; none where none keeps its
    /// shape.
    pub fn stiffest(&self, cells: &Cells) -> Option<f32> {
        if self.particles.stretches.is_empty() {
            return None;
        }
        let too_stiff = |point: &Point| self.law_of(point).map(|(_, at)| (2.0 * at - 1.0) as f32);
        cells.points.par_iter().with_min_len(1024).filter_map(too_stiff).reduce_with(f32::max)
    }

    /// The law of a particle, and q of its body.
    fn law_of(&self, point: &Point) -> Option<(Law, f64)> {
        let (law, density) = self.fluids.law(point, self.particles)?;
        let stiffness = law.shear_modulus * (self.seconds / self.width).powi(2) / density;
        Some((law, 0.5 + 0.5 * stiffness.powi(2) / (stiffness.powi(2) + TOO_STIFF.powi(2))))
    }

    /// Gives particles what they bring to a solve: their velocities before the step, and viscosity. `is_first` is
    /// whether nothing is known of gradients at the end but those before. Returns the known stresses of particles.
    pub fn load(&self, cells: &mut Cells, is_first: bool) -> Vec<Pull> {
        let points = cells.points.par_iter_mut().with_min_len(256).enumerate();
        points.map(|(number, point)| self.load_point(number, point, is_first)).collect()
    }

    fn load_point(&self, number: usize, point: &mut Point, is_first: bool) -> Pull {
        let slot = point.slot as usize;
        let before = self.gradient_before(slot);
        let guess = if is_first { before } else { self.gradient_of(point) };
        point.velocity = self.particles.velocities[slot].as_vec3();
        point.gradient = rows(before * self.width);
        let Some((law, at)) = self.law_of(point) else {
            point.viscous = self.fluids.viscous_with(point, self.particles, 0.0, 0.0);
            return Pull::default();
        };
        let stretch = matrix(self.particles.stretches[slot]);
        let displaced = self.displaced(before, guess, at);
        let Broken { deformed: Deformed { stretch: after, kept }, kept: unbroken, .. } =
            self.deformed(number, point, &law, displaced);
        let viscosity = at * at * kept * law.shear_modulus * self.seconds * longest(after);
        let strain = (guess + guess.transpose()) * 0.5;
        let known = law.stress(stretch) * (1.0 - at) + law.stress(after) * at - strain * (2.0 * viscosity);
        point.viscous = self.fluids.viscous_with(point, self.particles, viscosity, (1.0 - unbroken) as f32);
        rows(known * (-4.0 * self.fluids.volume * self.seconds / (self.fluids.unit * self.width)))
    }

    /// The forces of known stresses on faces, as momentum over the mass of a full cell, m/s.
    pub fn forces(&self, known: &Stressed, rows: &Rows, friction: &Friction) -> Fields {
        let Stressed { cells, near, wetting, pulls, means } = known;
        let mut forces = on_faces(cells, rows, self.is_flat, &Pulls(pulls));
        let mean = |at: Option<usize>| at.and_then(|at| means.get(&at)).copied();
        for (cell, at, wall) in &near.cells {
            for axis in moving_axes(self.is_flat) {
                let before = rows.index(cell - IVec3::AXES[axis]);
                let beyond = moment_beyond(wall.distance_of_face(axis));
                if beyond <= 0.0 {
                    continue;
                }
                let both = [mean(Some(*at)), mean(before)].into_iter().flatten();
                let add = |(count, sum): (f32, Pull), pull: Pull| (count + 1.0, [0, 1, 2].map(|n| sum[n] + pull[n]));
                let (count, sum) = both.fold((0.0, Pull::default()), add);
                if count > 0.0 {
                    let reach = wetting.reach(near, [Some(*at), before].into_iter().flatten());
                    let holds = friction.at_face(rows, *cell, axis);
                    let pull = sum.map(|sum| sum / count);
                    forces[axis][*at] += holds.borne(&pull, axis, wall.normal_at_face(axis)) * (beyond * reach);
                }
            }
        }
        forces
    }

    /// The mean pull of the matter of a full cell in each cell near walls, by storage.
    pub fn mean_pulls(&self, cells: &Cells, near: &NearWalls, pulls: &[Pull]) -> MeanPulls {
        let mean = |cell: &CellPoints| {
            let own = &pulls[cell.points.start as usize..cell.points.end as usize];
            let factor = 1.0 / (own.len() as f32 * self.fluids.volume as f32);
            (cell.at, [0, 1, 2].map(|axis| own.iter().map(|pull| pull[axis]).sum::<Vec3>() * factor))
        };
        cells.occupied.iter().filter(|cell| near.at(cell.at).is_some()).map(mean).collect()
    }

    /// What the step makes of particles, by the velocities that they have got.
    pub fn after(&self, cells: &Cells) -> Strained {
        let of = |(number, point): (usize, &Point)| {
            let slot = point.slot as usize;
            let Some((law, at)) = self.law_of(point) else {
                return (self.particles.stretches[slot], self.damage(slot), false);
            };
            let displaced = self.displaced(self.gradient_before(slot), self.gradient_of(point), at);
            let Broken { deformed: Deformed { stretch, kept }, damage, .. } =
                self.deformed(number, point, &law, displaced);
            (packed(stretch), (damage as f32).min(most_damaged(self.particles, slot)), kept < 1.0)
        };
        let all: Vec<(Stretch, f32, bool)> = cells.points.par_iter().with_min_len(256).enumerate().map(of).collect();
        let mut stretches: Vec<Stretch> = all.iter().map(|&(stretch, ..)| stretch).collect();
        for cell in cells.occupied.iter().filter(|cell| self.is_crumb(cells, cell)) {
            stretches[cell.points.start as usize..cell.points.end as usize].fill(UNSTRETCHED);
        }
        Strained {
            stretches,
            damages: all.iter().filter(|_| self.breaks()).map(|&(_, damage, _)| damage).collect(),
            flowed: all.iter().any(|&(.., flowed)| flowed),
        }
    }

    /// Whether the particles of a cell lie apart from all others but a few.
    fn is_crumb(&self, cells: &Cells, cell: &CellPoints) -> bool {
        let few = CRUMB / self.fluids.volume;
        let is_few = |count: usize| (count as f64) < few;
        is_few(cell.points.len()) && is_few(cells.around(cell.cell).count())
    }

    /// Whether any matter breaks.
    pub fn breaks(&self) -> bool {
        !self.particles.damages.is_empty()
    }

    /// Breaks points that something cuts, by their numbers.
    pub fn cut(&self, cells: &Cells, cut: &[u32], damages: &mut [f32]) {
        for &number in cut {
            let point = &cells.points[number as usize];
            if self.fluids.fracture(point, self.particles).is_some() {
                damages[number as usize] = most_damaged(self.particles, point.slot as usize);
            }
        }
    }

    /// What a gradient of displacements in the step makes of a particle.
    fn deformed(&self, number: usize, point: &Point, law: &Law, displaced: DMat3) -> Broken {
        let slot = point.slot as usize;
        let law = &law.pressed(self.pressures.get(number).map_or(0.0, |&pressure| f64::from(pressure)));
        let deformed = law.after(matrix(self.particles.stretches[slot]), displaced, self.seconds);
        let Some(fracture) = self.fluids.fracture(point, self.particles) else {
            return Broken { deformed, damage: 0.0, kept: 1.0 };
        };
        let (pressure, damage) = (f64::from(self.particles.pressures[slot]), f64::from(self.damage(slot)));
        let twice = 2.0 * self.fluids.own_viscosity(point, self.particles) / self.seconds;
        let strain = (displaced + displaced.transpose()) * 0.5;
        let loaded = Loaded { pressure, damage, band: self.width, viscous: strain * twice, yielding: twice.recip() };
        fracture.after(law, deformed, &loaded)
    }

    fn damage(&self, slot: usize) -> f32 {
        self.particles.damages.get(slot).copied().unwrap_or(0.0)
    }

    /// The gradient of displacements in the step.
    fn displaced(&self, before: DMat3, after: DMat3, at: f64) -> DMat3 {
        (before * (1.0 - at) + after * at) * self.seconds
    }

    /// 1/s.
    fn gradient_before(&self, slot: usize) -> DMat3 {
        of_rows(self.particles.gradients[slot].map(|row| Vec3::from(row).as_dvec3()))
    }

    /// 1/s.
    fn gradient_of(&self, point: &Point) -> DMat3 {
        of_rows(point.gradient.map(|row| row.as_dvec3() / self.width))
    }
}

/// The pulls of all points.
struct Pulls<'a>(&'a [Pull]);

impl OnFaces for Pulls<'_> {
    #[inline(always)]
    fn is_none(&self, points: Range<usize>) -> bool {
        self.0[points].iter().all(|pull| *pull == Pull::default())
    }

    /// Adds a pull times the offsets of nodes and their weights.
    #[inline(always)]
    fn add(&self, (number, _): (usize, &Point), axis: usize, around: &mut [Plane; 4], [x, y, z]: [&Axis; 3]) {
        let pull = self.0[number][axis];
        let across = Plane::of(&x.weights, &y.weights);
        for k in 0..4 {
            let (weight, along_z) = (z.weights[k], pull.z * z.offsets[k]);
            for j in 0..4 {
                for i in 0..4 {
                    let along = (pull.x * x.offsets[i] + pull.y * y.offsets[j]) + along_z;
                    around[k].0[4 * j + i] += weight * across.0[4 * j + i] * along;
                }
            }
        }
    }
}

fn of_rows([x, y, z]: [DVec3; 3]) -> DMat3 {
    DMat3::from_cols(x, y, z).transpose()
}

fn rows(matrix: DMat3) -> [Vec3; 3] {
    [0, 1, 2].map(|row| matrix.row(row).as_vec3())
}
