//! Velocities beyond walls that solids touch.
//!
//! Matter that ends at a wall counts at faces up to a cell and a half beyond it. These have next to no mass, and no
//! contact holds them: what presses on the wall would push them away, and by them the matter into the wall. So
//! velocities go on there as they are before the wall, and forces there act by the same weights before it, as with
//! weighted extended B-splines (Hoellig, Reif, Wipper 2001, SIAM Journal on Numerical Analysis 39).

use super::cells::middle_of_face;
use super::walls::NearWalls;
use crate::grid::{Fields, Level};
use glam::Vec3;

/// Faces this deep in a wall, in cells, are beyond it, and as far as the second they count.
const DEEP: f32 = 0.6;
const DEEPEST: f32 = 2.0;
/// The least weight of faces around a place.
const LEAST: f32 = 1e-3;

/// A face, and what others make of it.
#[derive(Debug)]
struct Face {
    axis: usize,
    at: usize,
    from: Vec<(usize, f32)>,
}

/// Faces beyond walls.
#[derive(Debug, Default)]
pub struct Beyond(Vec<Face>);

impl Beyond {
    pub fn find(near: &NearWalls, level: &Level) -> Self {
        let is_deep = |distance: f32| (-DEEPEST..-DEEP).contains(&distance);
        let mut found = Vec::new();
        for (cell, at, wall) in &near.cells {
            for axis in 0..3 {
                let (distance, normal) = (wall.distance_of_face(axis), wall.normal_at_face(axis));
                if is_deep(distance) && level.free[axis][*at] > 0.0 {
                    let surface = middle_of_face(*cell, axis).as_vec3() - normal * distance;
                    let is_before = |at: usize| !near.at(at).is_some_and(|wall| is_deep(wall.distance_of_face(axis)));
                    let from = continued(level, axis, [surface, surface - normal * distance], is_before);
                    found.push(Face { axis, at: *at, from });
                }
            }
        }
        Self(found)
    }

    /// Continues velocities.
    pub fn extend(&self, u: &mut Fields) {
        for Face { axis, at, from } in self.0.iter().filter(|face| !face.from.is_empty()) {
            u[*axis][*at] = from.iter().map(|(face, weight)| u[*axis][*face] * weight).sum();
        }
    }

    /// Takes forces to the faces that velocities are continued from.
    pub fn fold(&self, forces: &mut Fields) {
        for Face { axis, at, from } in self.0.iter().filter(|face| !face.from.is_empty()) {
            let force = std::mem::take(&mut forces[*axis][*at]);
            for (face, weight) in from {
                forces[*axis][*face] += force * weight;
            }
        }
    }
}

/// What velocities are that go on beyond a place as between that and one as far before it; none where there is no
/// matter at both.
fn continued(
    level: &Level,
    axis: usize,
    [place, before]: [Vec3; 2],
    is_before: impl Fn(usize) -> bool,
) -> Vec<(usize, f32)> {
    let mut from = Vec::new();
    for (place, factor) in [(place, 2.0), (before, -1.0)] {
        let around = || level.free_faces_around(axis, place).filter(|(at, _)| is_before(*at));
        let all: f32 = around().map(|(_, weight)| weight).sum();
        if all <= LEAST {
            return Vec::new();
        }
        from.extend(around().map(|(at, weight)| (at, factor * weight / all)));
    }
    from
}
