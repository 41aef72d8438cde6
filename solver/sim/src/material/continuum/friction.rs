//! How walls hold solids on the grid, those that do not [touch](super::touching) them in contacts: by Coulomb's law
//! along them, and by what sticks across them.
//!
//! A wall holds what touches it as a liquid is held, by its viscosity and the stress that it has, up to a limit: the
//! coefficient of friction times the pressure, and what sticks. Beyond that the matter slides, and the limit is all
//! that the wall bears. What pulls harder than it sticks comes off. Liquids and pastes wet walls: they do not slide.
//!
//! Tractions are in the unit of pressures in the equations.

use super::cells::{CellPoints, Cells, Placing, Point, middle_of_face, moving_axes};
use super::coulomb::{Coulomb, Found, Hold, SLOW};
use super::elastic::{MeanPulls, Pull, pull_across, traction};
use super::fluids::Fluids;
use super::walls::{NearWalls, nearest_axis};
use crate::boundary::Walls;
use crate::grid::{Field, Fields, Flow, Level, Rows};
use crate::particles::Particles;
use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How far the middle of a cell that touches a wall may be from it, in cells.
const TOUCHES: f32 = 1.0;
/// Farther from a wall, in cells, no force acts through it.
const DEEPEST: f32 = 2.0;
/// The least weight of faces around a place that a force is given to.
const LEAST: f32 = 1e-3;

/// How a wall holds the matter at a face: the parts that stick and that are off, and the drag of what slides.
#[derive(Debug, Clone, Copy)]
pub struct Holds {
    pub sticking: f32,
    off: f32,
    pub drag: f32,
}

impl Holds {
    const STICK: Self = Self { sticking: 1.0, off: 0.0, drag: 0.0 };

    /// What a wall bears along an axis of the mean pull of matter: of what slides, what is across the wall.
    pub fn borne(&self, pull: &Pull, axis: usize, normal: Vec3) -> f32 {
        let sticking = self.sticking * pull[axis].dot(normal);
        let sliding = 1.0 - self.sticking - self.off;
        if sliding <= 0.0 {
            return sticking;
        }
        sticking + sliding * normal[axis] * pull_across(pull, normal).dot(normal)
    }
}

/// A cell of solid matter that touches a wall.
#[derive(Debug, Clone)]
struct Touching {
    cell: IVec3,
    at: usize,
    points: Range<u32>,
    normal: Vec3,
    /// What the pressure on the wall is more than in the middle of the cell, as the wall stops what is between.
    below: f32,
    /// The velocity of the wall, m/s.
    wall: Vec3,
    law: Coulomb,
}

/// How walls hold the solid matter of an island; liquids stick.
#[derive(Debug, Default)]
pub struct Friction {
    cells: Vec<Touching>,
    /// Numbers among these, by storage.
    numbers: FxHashMap<usize, u32>,
    /// Speed that is slow, m/s.
    slow: f32,
    is_flat: bool,
}

/// What the matter of an island touches walls with.
#[derive(Debug, Clone, Copy)]
pub struct Beside<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub near: &'a NearWalls,
    pub fluids: &'a Fluids<'a>,
    pub walls: &'a Walls<'a>,
    pub placing: Placing,
    /// Before the step.
    pub particles: &'a Particles,
    /// What gravity adds to velocities, m/s.
    pub gravity: Vec3,
    /// From Pa to the unit of the equations.
    pub scale: f32,
}

impl Beside<'_> {
    /// The cells of solid matter that touch walls.
    pub fn find(&self) -> Friction {
        let cells: Vec<Touching> = self.cells.occupied.iter().filter_map(|cell| self.touching(cell)).collect();
        if cells.is_empty() {
            return Friction::default();
        }
        let own: FxHashMap<usize, u32> = cells.iter().map(|touching| touching.at).zip(0..).collect();
        let numbers = own.iter().map(|(&at, &number)| (at, number)).chain(self.around(&own)).collect();
        Friction { cells, numbers, slow: SLOW * self.gravity.length(), is_flat: self.placing.is_flat }
    }

    /// Cells at walls without particles, to which those around them count, with the number of the nearest that touches.
    fn around<'b>(&'b self, own: &'b FxHashMap<usize, u32>) -> impl Iterator<Item = (usize, u32)> + 'b {
        let occupied = self.near.occupied(self.cells);
        let mut ways: Vec<IVec3> = (0..27).map(|n| IVec3::new(n % 3, n / 3 % 3, n / 9) - 1).collect();
        ways.sort_by_key(|by| by.length_squared());
        let empty =
            self.near.cells.iter().filter(move |(_, at, wall)| wall.distance() < TOUCHES && !occupied.contains(at));
        empty.filter_map(move |(cell, at, _)| {
            let number = |by: &IVec3| own.get(&self.rows.index(cell + *by)?).copied();
            Some((*at, ways.iter().find_map(number)?))
        })
    }

    fn touching(&self, cell: &CellPoints) -> Option<Touching> {
        let wall = self.near.at(cell.at).filter(|wall| wall.distance() < TOUCHES)?;
        let own = self.cells.of(cell);
        let count = own.len() as f32;
        let solid = own.iter().filter(|point| self.fluids.slides(point, self.particles)).count();
        if 2 * solid < own.len() {
            return None;
        }
        let collider = wall.collider as usize;
        let place = self.placing.place(cell.cell.as_dvec3() + 0.5);
        let (motion, normal) = (self.walls.velocity(collider, place).as_vec3(), wall.normal());
        let brought = own.iter().map(|point| point.velocity).sum::<Vec3>() / count + self.gravity;
        let mass = own.iter().map(|point| self.fluids.shares[point.source as usize].mass).sum::<f32>();
        let density = mass / (count * self.fluids.volume as f32);
        Some(Touching {
            cell: cell.cell,
            at: cell.at,
            points: cell.points.clone(),
            normal,
            below: (motion - brought).dot(normal) * density * wall.distance().max(0.0),
            wall: motion,
            law: Coulomb {
                coefficient: self.walls.friction(collider) as f32,
                cohesion: self.fluids.cohesion(own, self.particles, self.walls.adhesion(collider)) * self.scale,
                slip: (brought - motion).reject_from_normalized(normal).length(),
                hold: Hold::Sticks,
            },
        })
    }
}

/// What the known stress of the matter would have the wall bear along itself, and the pressure on it.
#[derive(Debug, Clone, Copy)]
struct Load {
    traction: Vec3,
    pressure: f32,
}

/// What stresses in cells follow from.
#[derive(Debug, Clone, Copy)]
pub struct Loads<'a> {
    pub cells: &'a Cells,
    pub fluids: &'a Fluids<'a>,
    pub pulls: &'a MeanPulls,
}

impl Loads<'_> {
    /// The load on a wall by the matter of a cell, given pressures in cells.
    fn on(&self, touching: &Touching, pressures: &Field) -> Load {
        let (at, normal) = (touching.at, touching.normal);
        let stress = traction(&self.pulls[&at], normal);
        let across = stress.dot(normal);
        let pressure = pressures[at] + touching.below - across - self.viscous(touching);
        Load { traction: normal * across - stress, pressure }
    }

    /// The mean viscous stress across the wall.
    fn viscous(&self, Touching { points, normal, .. }: &Touching) -> f32 {
        let own = &self.cells.points[points.start as usize..points.end as usize];
        let of = |point: &Point| {
            let viscous = self.fluids.shares[point.source as usize].viscous + point.viscous;
            2.0 * viscous * point.velocity_added(*normal).dot(*normal)
        };
        own.iter().map(of).sum::<f32>() / (own.len() as f32 * self.fluids.volume as f32)
    }
}

impl Friction {
    /// Finds what slides, by what is known before a solve: the pressures of the step before, and stresses.
    pub fn expect(&mut self, loads: &Loads, earlier: &Field) {
        for touching in &mut self.cells {
            let Load { traction, pressure } = loads.on(touching, earlier);
            touching.law.expect(traction.length(), pressure, self.slow);
        }
    }

    /// Finds what slides in a flow, or comes off. Returns whether that is otherwise than before.
    pub fn revise(&mut self, loads: &Loads, level: &Level, flow: &Flow) -> bool {
        let mut is_new = false;
        for touching in &mut self.cells {
            let (slip, dragged) = moved(touching, level, &flow.u, self.is_flat);
            let Load { traction, pressure } = loads.on(touching, &flow.p);
            is_new |= touching.law.revise(&Found { traction: (traction - dragged).length(), pressure, slip });
        }
        is_new
    }

    /// How a wall holds the matter in a cell, by its storage; none where no solid touches a wall.
    fn at(&self, at: usize) -> Option<Hold> {
        let number = *self.numbers.get(&at)?;
        Some(self.cells[number as usize].law.hold)
    }

    /// How a wall holds the matter at the low face of a cell across an axis.
    pub fn at_face(&self, rows: &Rows, cell: IVec3, axis: usize) -> Holds {
        if self.cells.is_empty() {
            return Holds::STICK;
        }
        let both = [cell, cell - IVec3::AXES[axis]].map(|cell| rows.index(cell).and_then(|at| self.at(at)));
        let count = both.iter().flatten().count() as f32;
        if count <= 0.0 {
            return Holds::STICK;
        }
        let mut sum = Holds { sticking: 0.0, off: 0.0, drag: 0.0 };
        for hold in both.into_iter().flatten() {
            match hold {
                Hold::Sticks => sum.sticking += 1.0 / count,
                Hold::Slides(drag) => sum.drag += drag / count,
                Hold::Off => sum.off += 1.0 / count,
            }
        }
        sum
    }

    /// Gives the forces of known stresses that act behind walls back to matter that slides, along these, or that is
    /// off: at the mirrored places.
    pub fn give_back(&self, near: &NearWalls, level: &Level, forces: &Fields, right: &mut Flow) {
        if self.cells.iter().all(|touching| touching.law.hold == Hold::Sticks) {
            return;
        }
        for (cell, at, wall) in &near.cells {
            for axis in moving_axes(self.is_flat) {
                let Holds { sticking, off, .. } = self.at_face(&level.rows, *cell, axis);
                let covered = if level.free[axis][*at] > 0.0 { level.covered[axis][*at] } else { 1.0 };
                let lost = forces[axis][*at] * covered * (1.0 - sticking);
                let distance = wall.distance_of_face(axis);
                if lost == 0.0 || distance >= DEEPEST {
                    continue;
                }
                let normal = wall.normal_at_face(axis);
                let across = normal * (normal[axis] * (1.0 - off / (1.0 - sticking)));
                let force = (Vec3::AXES[axis] - across) * lost;
                let mirrored = middle_of_face(*cell, axis).as_vec3() + normal * (distance.abs() - distance);
                moving_axes(self.is_flat)
                    .for_each(|axis| spread(level, axis, mirrored, force[axis], &mut right.u[axis]));
            }
        }
    }

    /// Whether the matter of a cell, by its storage, came off its wall.
    pub fn is_off(&self, at: usize) -> bool {
        !self.cells.is_empty() && self.at(at) == Some(Hold::Off)
    }

    /// The cells that came off.
    pub fn off(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().filter(|touching| touching.law.hold == Hold::Off).map(|touching| touching.at)
    }
}

/// Adds a force along an axis to the free faces around a place, in cells.
fn spread(level: &Level, axis: usize, place: Vec3, force: f32, out: &mut Field) {
    let all: f32 = level.free_faces_around(axis, place).map(|(_, weight)| weight).sum();
    if all > LEAST {
        level.free_faces_around(axis, place).for_each(|(at, weight)| out[at] += force * weight / all);
    }
}

/// The speed along a wall, relative to it, of the matter in a cell, and what the wall drags it with.
fn moved(touching: &Touching, level: &Level, u: &Fields, is_flat: bool) -> (f32, Vec3) {
    let (mut slip, mut dragged) = (Vec3::ZERO, Vec3::ZERO);
    let toward = -nearest_axis(touching.normal);
    for axis in moving_axes(is_flat) {
        let relative = |at: usize| u[axis][at] - touching.wall[axis];
        let faces = |cell: IVec3| [cell, cell + IVec3::AXES[axis]].map(|cell| level.rows.index(cell));
        let free = |at: &usize| level.free[axis][*at] > 0.0;
        let own: Vec<usize> = faces(touching.cell).into_iter().flatten().filter(free).collect();
        slip[axis] = own.iter().map(|&at| relative(at)).sum::<f32>() / own.len().max(1) as f32;
        let all = [touching.cell, touching.cell + toward].into_iter().flat_map(faces).flatten();
        dragged[axis] = all.filter(free).map(|at| level.drag[axis][at] * relative(at)).sum::<f32>() / 2.0;
    }
    (slip.reject_from_normalized(touching.normal).length(), dragged.reject_from_normalized(touching.normal))
}
