//! The equations of a step, from sums over particles and from walls.

use super::cells::{Cells, Placing, moving_axes};
use super::cracks::Cracks;
use super::friction::{Friction, Holds};
use super::scatter::Sums;
use super::stiffness::{Stiffness, loosen, stiffen};
use super::surface::{Carried, Surface};
use super::wall_motion::WallMotion;
use super::walls::{NearWalls, WallCell};
use super::wetting::Wetting;
use crate::boundary::Walls;
use crate::grid::{Field, Fields, Flow, Level, Rows, pass_by, zeros};
use glam::{IVec3, Vec3};

/// The least mass of an unknown face over that of a full one.
const LEAST_MASS: f32 = 1e-5;
/// The least mass that counts in the pressure's Laplacian.
pub const LEAST_WEIGHT: f32 = 0.1;
/// A cell less open than this may hold liquid without a particle in it, if more than this part of its surroundings is
/// liquid.
const SLIVER: f32 = 0.75;
const AMID: f32 = 0.5;
/// Matter that fills less than this part of what a wall leaves around a cell has air between it and the wall.
const REACHES: f32 = 0.85;
/// How much matter must reach a wall to wet it.
const WETS: f32 = 0.5;
/// Cells away from a wall that tell how thick a film is.
const FILM: i32 = 3;
/// What a film of one cell adds to the drag of its wall: velocities bend between the wall and the middle of the first
/// cell. Fits the exact mean velocity of films of half a cell to five.
const BEND: f32 = 0.2;
/// The thinnest film, in cells, whose velocity bends so: a layer of particles.
const THINNEST: f32 = 0.5;
/// As how thick a layer of particles counts, and the least that a film of fewer does.
const SPARSE: f32 = 0.35;
const SPARSEST: f32 = 0.01;

/// What the equations of a step follow from.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    pub cells: &'a Cells,
    pub sums: &'a Sums,
    /// Of matter that keeps its shape; none of a liquid.
    pub stiffness: Option<&'a Stiffness>,
    pub near: &'a NearWalls,
    pub wetting: &'a Wetting,
    pub cracks: &'a Cracks,
    pub friction: &'a Friction,
    pub walls: &'a Walls<'a>,
    pub wind: &'a WallMotion,
    pub placing: Placing,
    /// In cells with particles, of the step before.
    pub earlier: &'a Field,
    /// What gravity adds to velocities in the step, m/s.
    pub gravity: Vec3,
    /// Seconds of the step over the width of a cell, s/m.
    pub pace: f32,
    /// Whether all matter has the same density.
    pub is_uniform: bool,
    /// Whether none of the matter keeps its shape.
    pub is_liquid: bool,
}

impl Sources<'_> {
    /// The coefficients of the equations, 1 for cells more than one cell deep in matter and walls, and what the surface
    /// of a liquid carries.
    pub fn level(&self, rows: Rows) -> (Level, Field, Carried) {
        let mut level = Level::empty(rows);
        for cell in &self.cells.occupied {
            level.full[cell.at] = 1.0;
        }
        let occupied = level.full.clone();
        let mut viscous = self.sums.viscous.clone();
        for (_, at, wall) in &self.near.cells {
            let (open, part) = wall.of_cell();
            viscous[*at] /= self.wetting.open_part(self.near, [*at], part);
            // What a wall leaves of a cell may be too little for a particle, and yet liquid is all around.
            let is_sliver = open < SLIVER && self.sums.filled[*at] > AMID * part;
            level.full[*at] = f32::from(open > 0.0 && (is_sliver || level.full[*at] > 0.0));
        }
        for (cell, at, wall) in &self.near.cells {
            // A sliver without particles is pressed as the cell before it is.
            let pressed =
                if occupied[*at] > 0.0 { Some(*at) } else { level.rows.index(cell + wall.away_from_middle()) };
            let pressed = pressed.is_some_and(|at| self.earlier[at] > 0.0);
            if level.full[*at] > 0.0 && self.leaves(&level.rows, *cell, *at, wall, pressed) {
                level.full[*at] = 0.0;
            }
        }
        let kept = self.cracks.let_go(&mut level, &mut viscous);
        self.friction.off().for_each(|at| level.full[at] = 0.0);
        let find = || Surface::new(&level.rows, self.sums, self.near, self.gravity, self.placing.is_flat);
        let surface = self.is_liquid.then(find).flatten();
        if let Some(surface) = &surface {
            surface.open(&mut level);
        }
        self.find_masses(&mut level);
        let amid = self.amid(&level);
        self.even_out(&mut level, &amid);
        self.meet_walls(&mut level, &amid, &viscous);
        stiffen(&mut level, &viscous, self.placing.is_flat);
        if let Some(stiffness) = self.stiffness {
            stiffness.put(&mut level, self.near, kept.as_ref(), self.placing.is_flat);
        }
        loosen(&mut level);
        for (cell, at, wall) in &self.near.cells {
            let open = wall.of_cell().0;
            let reach = self.wetting.reach(self.near, [*at]);
            for axis in 0..3 {
                let is_held = |at: usize| level.free[axis][at] <= 0.0;
                let ends = is_held(*at) || level.rows.index(cell + IVec3::AXES[axis]).is_some_and(is_held);
                level.stretch[axis][*at] *= if ends { open * reach } else { open };
                level.shear[axis][*at] *= wall.shear(axis);
            }
        }
        let carried = surface.map_or_else(Carried::default, |surface| surface.carry(&mut level));
        level.invert_diagonals();
        let deep = self.within(&level.rows, &amid);
        (level, deep, carried)
    }

    /// Whether air stays between a wall and the matter in a cell, which does not quite fill what the wall leaves: its
    /// last layer is away from the wall and comes no closer than that in the step, or at the wall and goes away, having
    /// not pressed on it in the step before. Walls push, but do not pull, unless matter sticks to them.
    fn leaves(&self, rows: &Rows, cell: IVec3, at: usize, wall: &WallCell, pressed: bool) -> bool {
        let holds = self.walls.adhesion(wall.collider as usize) > 0.0;
        let lack = wall.of_cell().1 - self.sums.filled[at];
        if wall.distance() >= 1.0 || lack <= (1.0 - REACHES) * wall.of_cell().1 {
            return false;
        }
        let inflow = self.inflow(rows, cell, at);
        if self.wetting.reach(self.near, [at]) < WETS {
            inflow * self.pace < lack
        } else {
            !(pressed || holds) && inflow <= 0.0
        }
    }

    /// What flows into a cell with the velocities that particles bring and with walls, times a cell's area, m/s.
    fn inflow(&self, rows: &Rows, cell: IVec3, at: usize) -> f32 {
        let covered = |at: usize, axis: usize| self.near.at(at).map_or(0.0, |wall| wall.covered(axis));
        let through = |cell: IVec3, axis: usize| {
            let Some(at) = rows.index(cell) else { return 0.0 };
            let (mass, momentum) = (self.sums.mass[axis][at], self.sums.momentum[axis][at]);
            let own = if mass > LEAST_MASS { momentum / mass + self.gravity[axis] } else { 0.0 };
            (1.0 - covered(at, axis)) * own
        };
        let along = |axis: usize| through(cell, axis) - through(cell + IVec3::AXES[axis], axis);
        moving_axes(self.placing.is_flat).map(along).sum::<f32>() + self.wind.inflow(rows, at, covered)
    }

    /// Masses, as if there were no walls.
    fn find_masses(&self, level: &mut Level) {
        let Level { rows, mass, free, lightness, .. } = level;
        for axis in 0..3 {
            if self.placing.is_flat && axis == 1 {
                level.covered[axis].iter_mut().for_each(|covered| *covered = 1.0);
                continue;
            }
            let sums = &self.sums.mass[axis];
            pass_by::<3, ()>(
                rows,
                [&mut mass[axis], &mut free[axis], &mut lightness[axis]],
                |(), row, [mass, free, light]| {
                    for (((sum, mass), free), light) in rows.own(sums, row).iter().zip(mass).zip(free).zip(light) {
                        let is_free = *sum > LEAST_MASS;
                        *mass = *sum;
                        *free = f32::from(is_free);
                        *light = if is_free { 1.0 / sum.max(LEAST_WEIGHT) } else { 0.0 };
                    }
                },
            );
        }
    }

    /// 1 in cells amid matter and walls, 0 at the surface.
    fn amid(&self, level: &Level) -> Field {
        let rows = &level.rows;
        let mut taken = level.full.clone();
        for (_, at, _) in self.near.cells.iter().filter(|(_, _, wall)| wall.is_closed()) {
            taken[*at] = 1.0;
        }
        self.within(rows, &taken)
    }

    /// 1 where a mask is 1 in a cell and all that it shares a face with.
    fn within(&self, rows: &Rows, mask: &Field) -> Field {
        let mut within = vec![0.0; rows.len()];
        pass_by::<1, ()>(rows, [&mut within], |(), row, [within]| {
            within.copy_from_slice(rows.own(mask, row));
            for axis in moving_axes(self.placing.is_flat) {
                for by in [-1, 1] {
                    within.iter_mut().zip(rows.beside(mask, row, axis, by)).for_each(|(within, mask)| *within *= mask);
                }
            }
        });
        within
    }

    /// Gives faces amid matter the mass that fits in: what particles there are too many or too few for a while has no
    /// weight that would stir the matter.
    fn even_out(&self, level: &mut Level, amid: &Field) {
        let Level { rows, mass, lightness, .. } = level;
        for axis in moving_axes(self.placing.is_flat) {
            let sums = &self.sums.filled;
            pass_by::<2, ()>(rows, [&mut mass[axis], &mut lightness[axis]], |(), row, [mass, lightness]| {
                let both = rows.own(amid, row).iter().zip(rows.beside(amid, row, axis, -1));
                let filled = rows.own(sums, row).iter().zip(rows.beside(sums, row, axis, -1));
                for (((mass, light), both), filled) in mass.iter_mut().zip(lightness).zip(both).zip(filled) {
                    if both.0 * both.1 > 0.0 {
                        let filled = filled.0 + filled.1;
                        // In walls, where nothing is filled, any mass will do that is a number.
                        *mass = if self.is_uniform || filled <= 0.0 { 1.0 } else { *mass * 2.0 / filled };
                        *light = 1.0 / *mass;
                    }
                }
            });
        }
    }

    /// What walls change of masses, and their drag.
    fn meet_walls(&self, level: &mut Level, amid: &Field, viscous: &Field) {
        for (cell, at, wall) in &self.near.cells {
            let drags = self.walls.friction(wall.collider as usize) > 0.0;
            for axis in moving_axes(self.placing.is_flat) {
                let at = *at;
                let before = level.rows.index(*cell - IVec3::AXES[axis]);
                let both = [Some(at), before].into_iter().flatten();
                let part = self.wetting.open_part(self.near, both, wall.part_of_face(axis));
                let covered = wall.covered(axis);
                let is_amid = amid[at] > 0.0 && before.is_some_and(|before| amid[before] > 0.0);
                let whole = if is_amid { level.mass[axis][at] } else { self.sums.mass[axis][at] / part };
                // As much as its pressure acts on: so a liquid at rest stays at rest.
                let mass = whole * (1.0 - covered);
                // A face amid matter that no particle reaches has no velocity to begin with.
                let is_free = mass > LEAST_MASS && self.sums.mass[axis][at] > LEAST_MASS;
                level.mass[axis][at] = mass;
                level.covered[axis][at] = covered;
                level.free[axis][at] = f32::from(is_free);
                level.lightness[axis][at] =
                    if is_free { (1.0 - covered).powi(2) / mass.max(LEAST_WEIGHT) } else { 0.0 };
                if is_free && drags {
                    level.drag[axis][at] = self.drag(level, *cell, axis, wall, viscous);
                }
            }
        }
    }

    /// The drag of a wall on a face: of what sticks by its viscosity, of what slides by friction.
    fn drag(&self, level: &Level, cell: IVec3, axis: usize, wall: &WallCell, viscous: &Field) -> f32 {
        let Holds { sticking, drag: sliding, .. } = self.friction.at_face(&level.rows, cell, axis);
        let drag = if sticking > 0.0 { sticking * wall.drag(axis) } else { 0.0 };
        let of_sticking = if drag > 0.0 { drag * self.wetted(&level.rows, cell, axis, wall, viscous) } else { 0.0 };
        let area = if sliding > 0.0 { wall.dragged_area(axis) } else { 0.0 };
        if area <= 0.0 {
            return of_sticking;
        }
        let filled = mean_at_face(&level.rows, &self.sums.filled, cell, axis) / wall.of_cell().1;
        of_sticking + sliding * area * self.wet_part(&level.rows, cell, axis, filled)
    }

    /// The viscosity of the matter that wets the wall at a face, times the wetted part of the wall, and more for a
    /// film, the velocity of which bends.
    fn wetted(&self, rows: &Rows, cell: IVec3, axis: usize, wall: &WallCell, viscous: &Field) -> f32 {
        let filled = &self.sums.filled;
        let sum = |field: &Field, cell: IVec3| mean_at_face(rows, field, cell, axis);
        let part = wall.of_cell().1;
        let (own, thick) = (sum(filled, cell) / part, sum(viscous, cell));
        if own <= 0.0 {
            return 0.0;
        }
        let (by, _) = wall.away(axis);
        let depth = own.min(1.0) + (1..FILM).map(|n| sum(filled, cell + by * n).min(1.0)).sum::<f32>();
        let bent = 1.0 + BEND / depth.max(THINNEST).powi(2).max(0.5);
        // What is thinner than a layer of particles is held the more.
        let bent = bent * (SPARSE / depth.max(SPARSEST)).max(1.0);
        thick / own * self.wet_part(rows, cell, axis, own) * bent
    }

    /// The wet part of the wall at a face, given how much of what the wall leaves there is filled.
    fn wet_part(&self, rows: &Rows, cell: IVec3, axis: usize, filled: f32) -> f32 {
        let both = [cell, cell - IVec3::AXES[axis]].into_iter().filter_map(|cell| rows.index(cell));
        // Where matter fills all that the wall leaves, its last layer may yet lack some particles.
        let filled = ((filled - REACHES) / (1.0 - REACHES) * 2.0).clamp(0.0, 1.0);
        self.wetting.part(self.near, both).max(filled)
    }

    /// The velocities that the particles bring to free faces, with what gravity adds: at the middles of what walls
    /// leave of them.
    pub fn brought(&self, level: &Level) -> Fields {
        let mut brought = self.at_middles(level);
        let known = brought.clone();
        for (cell, at, wall) in &self.near.cells {
            if self.walls.friction(wall.collider as usize) <= 0.0 {
                continue;
            }
            for (axis, known) in known.iter().enumerate() {
                let Some(next) = level.rows.index(*cell + wall.away(axis).0) else { continue };
                if level.free[axis][*at] > 0.0 && level.free[axis][next] > 0.0 {
                    let (own, other) = (known[*at], known[next]);
                    brought[axis][*at] = own + wall.toward_next(axis) * (other - own);
                }
            }
        }
        brought
    }

    /// The same at the middles of faces.
    fn at_middles(&self, level: &Level) -> Fields {
        let (rows, sums) = (&level.rows, self.sums);
        let mut brought = zeros(rows.len());
        let [x, y, z] = &mut brought;
        pass_by::<3, ()>(rows, [x, y, z], |(), row, out| {
            for (axis, out) in out.into_iter().enumerate() {
                let (mass, momentum) = (rows.own(&sums.mass[axis], row), rows.own(&sums.momentum[axis], row));
                let free = rows.own(&level.free[axis], row);
                for (((out, mass), momentum), free) in out.iter_mut().zip(mass).zip(momentum).zip(free) {
                    *out = if *free > 0.0 { momentum / mass + self.gravity[axis] } else { 0.0 };
                }
            }
        });
        brought
    }

    /// The flow that a solve begins with: the brought velocities, with the pressures of the step before.
    pub fn first_guess(&self, level: &Level, brought: Fields) -> Flow {
        let p = self.earlier.iter().zip(&level.full).map(|(pressure, full)| pressure * full).collect();
        let mut flow = Flow { u: brought, p };
        self.wind.put(level, &mut flow.u);
        flow
    }
}

/// The mean of a field of cells on both sides of the low face of one.
fn mean_at_face(rows: &Rows, field: &Field, cell: IVec3, axis: usize) -> f32 {
    let [own, before] = [cell, cell - IVec3::AXES[axis]].map(|cell| rows.index(cell).map_or(0.0, |at| field[at]));
    f32::midpoint(own, before)
}

/// The right sides of the equations, given the velocities that particles bring.
pub fn right_sides(level: &Level, brought: &Fields, wind: &WallMotion) -> Flow {
    let mut right = Flow::zeros(level.rows.len());
    let rows = &level.rows;
    let [x, y, z] = &mut right.u;
    pass_by::<3, ()>(rows, [x, y, z], |(), row, out| {
        for (axis, out) in out.into_iter().enumerate() {
            let (mass, brought) = (rows.own(&level.mass[axis], row), rows.own(&brought[axis], row));
            out.iter_mut().zip(mass).zip(brought).for_each(|((out, mass), brought)| *out = mass * brought);
        }
    });
    wind.push(level, &mut right);
    right
}

/// Adds forces on what walls leave of free faces to the right sides.
pub fn push(level: &Level, forces: &Fields, right: &mut Flow) {
    for (axis, right) in right.u.iter_mut().enumerate() {
        let (free, covered) = (&level.free[axis], &level.covered[axis]);
        for (((right, force), free), covered) in right.iter_mut().zip(&forces[axis]).zip(free).zip(covered) {
            *right += force * free * (1.0 - covered);
        }
    }
}

/// Adds changes of velocities to the right sides.
pub fn accelerate(level: &Level, changes: &Fields, right: &mut Flow) {
    for (axis, right) in right.u.iter_mut().enumerate() {
        let (free, mass) = (&level.free[axis], &level.mass[axis]);
        for (((right, change), free), mass) in right.iter_mut().zip(&changes[axis]).zip(free).zip(mass) {
            *right += change * free * mass;
        }
    }
}
