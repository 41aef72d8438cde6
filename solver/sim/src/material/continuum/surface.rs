//! The free surface of thin liquids that lie on more of their kind: it is where it is, and not where cells end.
//!
//! Particles reach farther than they are wide, so some of their mass is on faces above the last full cell, which no
//! pressure holds: these fell by themselves and pressed the topmost layer together. And as particles crossed the
//! boundary of a cell, all that they reach began or ceased to weigh on the liquid below, and stirred it. So what is
//! above the middle of a cell is counted on the face above it, up to a whole cell, and moves with that face: the
//! pressure in a cell is the weight above its middle.

use super::assembly::LEAST_WEIGHT;
use super::cells::moving_axes;
use super::scatter::Sums;
use super::walls::{NearWalls, nearest_axis};
use crate::grid::{Fields, Level, Rows};
use glam::{IVec3, Vec3};

/// The most viscosity of a thin liquid, over what spreads momentum through a cell in a step: with more, waves two cells
/// long die down within the step, 2 nu k^2 dt = 1 with k = pi / h, and the surface holds together by itself.
pub const THIN: f32 = 0.05;
/// The mass that faces above full cells keep.
const KEPT: f32 = 0.02;

/// What the surface follows from.
#[derive(Debug)]
pub struct Surface<'a> {
    /// All cells with their storage, those that gravity presses on first.
    cells: Vec<(IVec3, usize)>,
    sums: &'a Sums,
    near: &'a NearWalls,
    /// The axis that is most along gravity.
    axis: usize,
    /// The step to the next cell that gravity presses on.
    down: IVec3,
    is_flat: bool,
}

/// Faces whose matter counts on others.
#[derive(Debug, Default)]
pub struct Carried(Vec<Carry>);

#[derive(Debug, Clone, Copy)]
struct Carry {
    axis: usize,
    /// The face and the one that carries it, by storage.
    from: usize,
    by: usize,
    /// The part of the face's mass that is carried.
    part: f32,
    /// The mass of the face, as if alone.
    mass: f32,
    /// What the face's velocity was more than that of the other, m/s.
    faster: f32,
}

impl<'a> Surface<'a> {
    /// None without gravity or thin liquid.
    pub fn new(rows: &Rows, sums: &'a Sums, near: &'a NearWalls, gravity: Vec3, is_flat: bool) -> Option<Self> {
        let size = gravity.abs();
        let axis = size.max_position();
        let down = nearest_axis(gravity);
        let any = sums.viscous.iter().zip(&sums.filled).any(|(viscous, filled)| *viscous < THIN * filled);
        if size[axis] <= 0.0 || !any {
            return None;
        }
        let mut cells: Vec<(IVec3, usize)> = rows.cells().collect();
        if down[axis] > 0 {
            cells.reverse();
        }
        Some(Self { cells, sums, near, axis, down, is_flat })
    }

    fn is_thin(&self, at: usize) -> bool {
        self.sums.viscous[at] < THIN * self.sums.filled[at]
    }

    /// Empties cells below whose middle the surface is: the liquid does not press there.
    pub fn open(&self, level: &mut Level) {
        for &(cell, at) in self.cells.iter().rev() {
            let is_top = level.full[at] > 0.0 && !is_full(level, cell - self.down) && is_full(level, cell + self.down);
            if is_top && self.is_thin(at) && self.above_next(level, cell, at).is_some_and(|above| above <= 1.0) {
                level.full[at] = 0.0;
            }
        }
    }

    /// How much liquid there is above the middle of the cell below one at the surface.
    fn above_next(&self, level: &Level, cell: IVec3, at: usize) -> Option<f32> {
        let part = |at: usize| self.near.at(at).map_or(1.0, |wall| wall.part_of_face(self.axis));
        let mass = |at: usize| self.sums.mass[self.axis][at] / part(at);
        Some(mass(at) + mass(level.rows.index(cell + IVec3::AXES[self.axis])?))
    }

    /// Moves masses to the faces that carry them.
    pub fn carry(&self, level: &mut Level) -> Carried {
        let mut all = Vec::new();
        for axis in moving_axes(self.is_flat) {
            for &(cell, from) in &self.cells {
                if level.free[axis][from] > 0.0 {
                    all.extend(self.carried(level, axis, cell, from));
                }
            }
        }
        Carried(all)
    }

    /// Moves mass from a face to the one below it.
    fn carried(&self, level: &mut Level, axis: usize, cell: IVec3, from: usize) -> Option<Carry> {
        let by = level.rows.index(cell + self.down).filter(|&by| level.free[axis][by] > 0.0)?;
        let is_outer = !touches(level, axis, cell);
        let is_carried = self.is_thin(by)
            && if is_outer { touches(level, axis, cell + self.down) } else { self.is_on_top(level, axis, cell) };
        if !is_carried {
            return None;
        }
        let [own, other] = [from, by].map(|at| 1.0 - level.covered[axis][at]);
        let (mass, room) = (level.mass[axis][from], (other - level.mass[axis][by]).max(0.0));
        // A face that full cells press on needs some mass of its own.
        let moved = if is_outer { mass.min(room) } else { (mass - KEPT * own).clamp(0.0, room) };
        let part = if is_outer { 1.0 } else { moved / mass };
        level.mass[axis][by] += moved;
        if !is_outer {
            level.mass[axis][from] -= moved;
        }
        for (at, open) in [(from, own), (by, other)] {
            level.lightness[axis][at] = open * open / level.mass[axis][at].max(LEAST_WEIGHT);
        }
        Some(Carry { axis, from, by, part, mass, faster: 0.0 })
    }

    /// Whether a face is that above a full cell at the surface, which lies on another.
    fn is_on_top(&self, level: &Level, axis: usize, cell: IVec3) -> bool {
        let below = if self.down[axis] < 0 { cell + self.down } else { cell };
        axis == self.axis
            && is_full(level, below)
            && is_full(level, below + self.down)
            && !is_full(level, below - self.down)
    }
}

impl Carried {
    /// Notes what velocities particles bring to faces.
    pub fn note(&mut self, brought: &Fields) {
        for Carry { axis, from, by, faster, .. } in &mut self.0 {
            *faster = brought[*axis][*from] - brought[*axis][*by];
        }
    }

    /// Lets what changes the velocities of carried faces change those that carry them.
    pub fn load(&self, level: &Level, changes: &mut Fields) {
        for &Carry { axis, from, by, part, mass, .. } in &self.0 {
            let changes = &mut changes[axis];
            let share = (part * mass / level.mass[axis][by]).min(1.0);
            changes[by] += share * (changes[from] - changes[by]);
        }
    }

    /// Changes the velocities of carried faces as those that carry them have changed; those that viscosity holds follow
    /// it.
    pub fn follow(&self, level: &Level, u: &mut Fields) {
        for &Carry { axis, from, by, part, mass, faster } in &self.0 {
            let held = (1.0 / level.inverse[axis][from] - level.mass[axis][from]).max(0.0);
            let part = part * mass / (mass + held);
            let u = &mut u[axis];
            u[from] += part * (u[by] + faster - u[from]);
        }
    }
}

fn is_full(level: &Level, cell: IVec3) -> bool {
    level.rows.index(cell).is_some_and(|at| level.full[at] > 0.0)
}

/// Whether a full cell is beside the low face of a cell.
fn touches(level: &Level, axis: usize, cell: IVec3) -> bool {
    is_full(level, cell) || is_full(level, cell - IVec3::AXES[axis])
}
