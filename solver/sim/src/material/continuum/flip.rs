//! Short steps of thin liquids lose no more of their motion than long ones.
//!
//! What particles bring to the grid and take from it is smoothed in each step, so a liquid in steps ten times shorter
//! than it needs was ten times as thick. Where other matter asks for short steps, particles keep a part of their own
//! velocities, and take what the grid changes besides: FLIP (Zhu, Bridson 2005), with affine particle-in-cell in
//! proportion to the length of the step (Hammerquist, Nairn 2017, tell of particle-in-cell as damping by a rate). Both
//! keep momentum and angular momentum, so their mean does.

use super::cells::{Cells, Point, motion_of};
use super::fluids::Fluids;
use super::gather::gather;
use super::interface::{Displaced, find};
use super::scatter::{Pushes, Sums, on_faces};
use super::surface::THIN;
use crate::grid::{Field, Fields, Rows};
use crate::particles::Particles;
use glam::Vec3;
use rayon::prelude::*;

/// How particles get their velocities in a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Flip<'a> {
    /// The part of their own velocities that they keep, from 0 to 1.
    pub part: f32,
    /// What other matter did to them before the step. That is no velocity of their own: the grid takes all of it.
    pub pushes: &'a [Displaced],
}

/// What the velocities of an island follow from.
#[derive(Debug, Clone, Copy)]
pub struct Moved<'a> {
    pub rows: &'a Rows,
    pub fluids: &'a Fluids<'a>,
    pub particles: &'a Particles,
    pub sums: &'a Sums,
    /// Velocities of faces after the solve, m/s.
    pub given: &'a Fields,
    /// What gravity adds, m/s.
    pub gravity: Vec3,
    /// Width of a cell, m.
    pub width: f32,
    pub is_flat: bool,
}

impl Flip<'_> {
    /// Gives particles their velocities. Returns what the grid, which carries them, is faster than each, m/s; nothing
    /// where they have its velocities.
    pub fn take(&self, cells: &mut Cells, moved: &Moved) -> Vec<Vec3> {
        let Moved { rows, given, particles, gravity, width, is_flat, .. } = *moved;
        let part = if self.part > 0.0 { self.part * self.thin(moved.sums) } else { 0.0 };
        if part <= 0.0 {
            gather(cells, rows, given, is_flat);
            return Vec::new();
        }
        let pushes = self.pushes(cells, particles);
        gather(cells, rows, &changes(cells, &pushes, moved), is_flat);
        let own = |(at, point): (usize, &Point)| {
            let (velocity, gradient) = motion_of(particles, point.slot as usize, width);
            let push = pushes.get(at).copied().unwrap_or(Vec3::ZERO);
            let gradient = [0, 1, 2].map(|row| gradient[row] + point.gradient[row]);
            (velocity - push + gravity + point.velocity, gradient)
        };
        let own: Vec<(Vec3, [Vec3; 3])> = cells.points.par_iter().with_min_len(1024).enumerate().map(own).collect();
        gather(cells, rows, given, is_flat);
        let points = cells.points.par_iter_mut().with_min_len(1024).zip(own);
        let keep = |(point, (velocity, gradient)): (&mut Point, (Vec3, [Vec3; 3]))| {
            let more = (velocity - point.velocity) * part;
            point.velocity += more;
            point.gradient = [0, 1, 2].map(|row| point.gradient[row].lerp(gradient[row], part));
            -more
        };
        points.map(keep).collect()
    }

    /// How thin a liquid is, from 1 to 0 where its own viscosity smooths more than a long step would.
    fn thin(&self, Sums { viscous, filled, .. }: &Sums) -> f32 {
        let of = |field: &Field| field.iter().map(|value| f64::from(*value)).sum::<f64>();
        // Viscosity counts in proportion to the step.
        let of_long_step = of(viscous) / f64::from((1.0 - self.part).max(f32::EPSILON));
        (1.0 - of_long_step / (f64::from(THIN) * of(filled))).clamp(0.0, 1.0) as f32
    }

    /// What was done to each point, m/s; empty where nothing was.
    fn pushes(&self, cells: &Cells, particles: &Particles) -> Vec<Vec3> {
        let push = |number: u32| find(self.pushes, number).map_or(Vec3::ZERO, |one| one.push.as_vec3());
        let pushes: Vec<Vec3> = cells
            .points
            .par_iter()
            .with_min_len(1024)
            .map(|point| push(particles.numbers[point.slot as usize]))
            .collect();
        if pushes.iter().all(|push| *push == Vec3::ZERO) { Vec::new() } else { pushes }
    }
}

/// What a step changes of the velocities of faces, with pushes from before it, m/s.
fn changes(cells: &Cells, pushes: &[Vec3], moved: &Moved) -> Fields {
    let Moved { rows, fluids, sums, given, gravity, is_flat, .. } = *moved;
    let momentum = if pushes.is_empty() {
        sums.momentum.clone()
    } else {
        let pushed = on_faces(cells, rows, is_flat, &Pushes { shares: &fluids.shares, changes: pushes });
        std::array::from_fn(|axis| {
            sums.momentum[axis].iter().zip(&pushed[axis]).map(|(all, push)| all - push).collect()
        })
    };
    let mut changes = sums.per_mass(&momentum);
    for axis in 0..3 {
        for (change, given) in changes[axis].iter_mut().zip(&given[axis]) {
            *change = given - *change - gravity[axis];
        }
    }
    changes
}
