//! Velocities of faces in and at walls, by which those between them and the matter follow the wall.
//!
//! Along a wall that holds matter the velocity grows in proportion to the distance s, so across the wall it grows as
//! s^2, by continuity. A quadratic spline of the values on a grid adds an eighth of their second difference: a
//! quarter of the velocity a cell off the wall, across the wall. The values given here are less by as much.
//!
//! A liquid that is thin for its speed and the width of a cell slips instead: what a wall holds of it is a layer far
//! thinner than a cell.

use super::cells::middle_of_face;
use super::friction::Friction;
use super::scatter::Sums;
use super::wall_motion::WallMotion;
use super::walls::{NearWalls, WallCell};
use super::wetting::Wetting;
use crate::boundary::Walls;
use crate::grid::{Fields, Level};
use glam::{IVec3, Vec3};

/// The width of a gap, in cells, in which particles go at the mean velocity.
const NARROW: f32 = 1.0;
/// How many cells on from one the walls of a narrow gap are looked for.
const WIDEST: i32 = 3;
/// How deep in a wall a face may lie, in cells, for a particle to read it.
const DEEPEST: f32 = 2.0;
/// How deep a face on a wall lies in it at most, in cells.
const ON_WALL: f32 = 0.01;
/// Cells between a face and a wall that matter is looked for in.
const FARTHEST: i32 = 4;
/// The part of the matter at a rim that its wall holds: of a liquid, whose fringe follows the pressure, and of matter
/// that keeps its shape. With these, slumps of both are alike within 5 % at three spacings.
const LIQUID_AT_RIM: f32 = 0.5;
const SOLID_AT_RIM: f32 = 0.25;
/// The Reynolds number of a cell at which half of the matter's velocity at a wall slips.
const HALF_SLIPS: f32 = 30.0;
/// The least wet part of a wall that matter sticks to, in a cell that it does not fill, that holds what is there.
const STICKS: f32 = 0.1;

/// What velocities near walls depend on.
#[derive(Debug, Clone, Copy)]
pub struct Ghosts<'a> {
    pub level: &'a Level,
    pub near: &'a NearWalls,
    pub wetting: &'a Wetting,
    pub walls: &'a Walls<'a>,
    pub wind: &'a WallMotion,
    pub sums: &'a Sums,
    pub friction: &'a Friction,
    /// Seconds of the step over the width of a cell, s/m.
    pub pace: f32,
    /// Whether none of the matter keeps its shape.
    pub is_liquid: bool,
    /// How far the stiffest of it is too stiff for the step, from 0 to 1.
    pub stiff: f32,
}

impl Ghosts<'_> {
    /// Velocities by which those of particles are found, given the solved ones.
    pub fn velocities(&self, solved: &Fields) -> Fields {
        let mut u = solved.clone();
        for (cell, at, wall) in &self.near.cells {
            for axis in (0..3).filter(|&axis| self.level.free[axis][*at] > 0.0) {
                let touches = self.touching(*cell, wall, axis) > 0.0;
                let held = if touches { self.held(*cell, wall, axis, solved) } else { 0.0 };
                u[axis][*at] = self.at_middle((*cell, *at, wall), axis, solved, held);
            }
        }
        let known = u.clone();
        for (cell, at, wall) in &self.near.cells {
            for axis in (0..3).filter(|&axis| self.level.free[axis][*at] <= 0.0) {
                let distance = wall.distance_of_face(axis);
                if (-DEEPEST..0.1).contains(&distance) {
                    let motion = Vec3::from_array(std::array::from_fn(|of| self.wind.at(*at, of)));
                    let face = Face {
                        level: self.level,
                        normal: wall.normal_at_face(axis),
                        middle: middle_of_face(*cell, axis).as_vec3(),
                        distance,
                        stiff: self.stiff,
                    };
                    let part = self.touching(*cell, wall, axis);
                    let held = if part > 0.0 { self.held(*cell, wall, axis, solved) } else { 0.0 };
                    u[axis][*at] = motion[axis] + face.velocity(&known, solved, motion, [part, held])[axis];
                }
            }
        }
        u
    }

    /// The part of the velocity along a wall that the wall holds, from 0 where matter slips to 1.
    fn held(&self, cell: IVec3, wall: &WallCell, axis: usize, solved: &Fields) -> f32 {
        if self.walls.friction(wall.collider as usize) <= 0.0 {
            return 0.0;
        }
        let sticking = self.friction.at_face(&self.level.rows, cell, axis).sticking;
        if sticking <= 0.0 {
            return 0.0;
        }
        // A cell in the wall is held as the one before it is.
        let mut found = 1.0;
        for steps in 0..3 {
            let cell = cell + wall.away(axis).0 * steps;
            let Some(at) = self.level.rows.index(cell) else { break };
            let filled = self.sums.filled[at];
            let is_free = |axis: usize| self.level.free[axis][at] > 0.0;
            if filled > 0.0 && (0..3).any(is_free) {
                let relative =
                    |axis: usize| if is_free(axis) { solved[axis][at] - self.wind.at(at, axis) } else { 0.0 };
                let speed =
                    Vec3::new(relative(0), relative(1), relative(2)).reject_from(wall.normal_at_face(axis)).length();
                let reynolds = speed * self.pace * filled / self.sums.viscous[at].max(f32::MIN_POSITIVE);
                let open = self.near.at(at).map_or(1.0, |wall| wall.of_cell().0);
                found = self.unconfined(cell, open) / (1.0 + reynolds / HALF_SLIPS);
                break;
            }
        }
        sticking * found
    }

    /// From 0 for a liquid in a gap of a cell to 1 in one of two cells: held particles in a narrow gap would carry less
    /// than what flows through it. Pastes are held: their stress follows from how they are sheared.
    fn unconfined(&self, cell: IVec3, open: f32) -> f32 {
        if !self.is_liquid {
            return 1.0;
        }
        let opened = |step: IVec3| self.open_toward_wall(cell, step);
        let gap = |step: IVec3| Some(opened(step)? + open + opened(-step)?);
        let narrowest = IVec3::AXES.into_iter().filter_map(gap).fold(f32::INFINITY, f32::min);
        (narrowest - NARROW).clamp(0.0, 1.0)
    }

    /// How much is open beyond a cell up to a wall that the matter reaches, in cells.
    fn open_toward_wall(&self, cell: IVec3, step: IVec3) -> Option<f32> {
        let mut sum = 0.0;
        for steps in 1..=WIDEST {
            let at = self.level.rows.index(cell + step * steps)?;
            let wall = self.near.at(at)?;
            if wall.is_closed() {
                return Some(sum);
            }
            if self.level.full[at] <= 0.0 {
                return None;
            }
            sum += wall.of_cell().0;
        }
        None
    }

    /// How much of the matter at the low face of a cell across an axis reaches the wall. At a rim, where what is on one
    /// side of a face that stands on the wall does, a part: matter rolls over its rim.
    fn touching(&self, cell: IVec3, wall: &WallCell, axis: usize) -> f32 {
        let toward = -wall.away(axis).0;
        let reaches = |cell: IVec3| self.reaches(cell, toward, wall.collider);
        let before = cell - IVec3::AXES[axis];
        match toward[axis] {
            0 => match [reaches(cell), reaches(before)] {
                [true, true] => 1.0,
                [false, false] => 0.0,
                _ if self.walls.is_sticky(wall.collider as usize) => 1.0,
                _ if self.is_liquid => LIQUID_AT_RIM,
                _ => SOLID_AT_RIM,
            },
            1.. => f32::from(reaches(cell)),
            _ => f32::from(reaches(before)),
        }
    }

    /// Whether all cells from one on toward a wall are full; from a cell in the wall, the first one before it.
    fn reaches(&self, first: IVec3, toward: IVec3, collider: u32) -> bool {
        let Level { rows, full, .. } = self.level;
        let is_full = |cell: IVec3| rows.index(cell).is_some_and(|at| full[at] > 0.0 || self.sticks(at, collider));
        let is_closed = |cell: IVec3| rows.index(cell).and_then(|at| self.near.at(at)).is_some_and(WallCell::is_closed);
        if is_closed(first) {
            return (0..FARTHEST).map(|n| first - toward * n).find(|cell| !is_closed(*cell)).is_some_and(is_full);
        }
        (0..FARTHEST).map(|n| first + toward * n).take_while(|cell| !is_closed(*cell)).all(is_full)
    }

    /// Whether the matter in a cell sticks to a collider, though it does not fill the cell.
    fn sticks(&self, at: usize, collider: u32) -> bool {
        let is_wet = || self.wetting.part(self.near, [at]) > STICKS;
        let is_at = self.near.at(at).is_some_and(|wall| wall.collider == collider);
        is_at && self.walls.is_sticky(collider as usize) && is_wet() && !self.friction.is_off(at)
    }

    fn at_middle(&self, (cell, at, wall): (IVec3, usize, &WallCell), axis: usize, solved: &Fields, held: f32) -> f32 {
        let motion = self.wind.at(at, axis);
        let own = solved[axis][at] - motion;
        let next = self.level.rows.index(cell + wall.away(axis).0).filter(|&next| self.level.free[axis][next] > 0.0);
        let next = next.map_or(own, |next| solved[axis][next] - motion);
        let across = wall.normal_at_face(axis)[axis].powi(2);
        let distance = wall.distance_of_face(axis);
        let curved = if distance < 1.25 { own * (1.0 - 0.25 / (distance * distance)).max(0.0) } else { own };
        let there = (1.0 - across) * wall.at_middle(axis, own, next) + across * curved;
        motion + own + held * (there - own)
    }
}

/// A face in a wall.
struct Face<'a> {
    level: &'a Level,
    normal: Vec3,
    middle: Vec3,
    distance: f32,
    stiff: f32,
}

impl Face<'_> {
    /// The velocity relative to the wall: that of the mirrored place, where it slips with the same one along the wall
    /// and the opposite one across it; where it is held with the opposite one along the wall. The part that does not
    /// reach the wall goes on as it is.
    fn velocity(&self, known: &Fields, solved: &Fields, motion: Vec3, [part, held]: [f32; 2]) -> Vec3 {
        let normal = self.normal;
        let at = |u: &Fields, distance: f32| self.sample(u, self.middle + normal * (distance - self.distance)) - motion;
        let mirrored = at(known, -self.distance);
        if part <= 0.0 {
            // A face on the wall mirrors itself, and so stands: that strains matter which comes near, and no force
            // resists it. What is too stiff for the step would get the energy of that.
            let free = if self.distance > -ON_WALL { at(known, 1.0) } else { mirrored };
            return mirrored + self.stiff * (free - mirrored);
        }
        let across = mirrored.dot(normal);
        let along = mirrored - normal * across;
        let square = (self.distance * self.distance - 0.25).min(1.0);
        let of_held = normal * (at(solved, 1.0).dot(normal) * square) - along;
        let of_slipping = along - normal * across;
        let touching = of_slipping + held * (of_held - of_slipping);
        mirrored + part * (touching - mirrored)
    }

    fn sample(&self, u: &Fields, place: Vec3) -> Vec3 {
        Vec3::from_array(std::array::from_fn(|axis| sample(u, self.level, axis, place)))
    }
}

/// The velocity along an axis at a place, in cells, between the free faces around it.
fn sample(u: &Fields, level: &Level, axis: usize, place: Vec3) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (at, weight) in level.free_faces_around(axis, place) {
        sum += weight * u[axis][at];
        weights += weight;
    }
    if weights > 1e-6 { sum / weights } else { 0.0 }
}
