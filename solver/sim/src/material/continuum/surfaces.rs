//! The surfaces of matter at the interface of a grid and other matter, from the places of its particles.

use crate::hash_grid::HashGrid;
use crate::particles::Particles;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// The reach of what tells a normal, in spacings.
const REACH: f64 = 2.5;

/// The least one-sidedness of a surface. Inside of matter it is zero, as in a single layer; half a space has 0.5, and
/// an edge more.
const LEAST: f64 = 0.15;

/// The outward normal of the surface of a body at each of some slots, and how flat it is; zeros where it has none.
pub fn normals(particles: &Particles, at: &[usize], spacing: f64) -> Vec<(Vec3, f32)> {
    let Particles { positions, sources, .. } = particles;
    let reach = REACH * spacing;
    let near = near(particles, 0..particles.len(), at, reach);
    let grid = HashGrid::new(reach, near.iter().map(|&slot| positions[slot]));
    let normal = |&slot: &usize| {
        let (mut sum, mut size) = (DVec3::ZERO, 0.0);
        for other in grid.around(positions[slot]).map(|n| near[n as usize]) {
            let offset = positions[slot] - positions[other];
            let weight = 1.0 - offset.length_squared() / (reach * reach);
            if weight > 0.0 && sources[other] == sources[slot] {
                (sum, size) = (sum + offset * weight, size + offset.length() * weight);
            }
        }
        let one_sided = sum.length() / size;
        if one_sided > LEAST { (sum.normalize().as_vec3(), one_sided.recip() as f32) } else { (Vec3::ZERO, 0.0) }
    };
    at.par_iter().map(normal).collect()
}

/// The slots of a range within a distance, m, of some slots, and more, by number.
pub fn near(particles: &Particles, range: Range<usize>, at: &[usize], reach: f64) -> Vec<usize> {
    let these = HashGrid::new(reach, at.iter().map(|&slot| particles.positions[slot]));
    let is_near = |slot: &usize| these.around(particles.positions[*slot]).next().is_some();
    let mut near: Vec<usize> = range.into_par_iter().with_min_len(1024).filter(is_near).collect();
    near.sort_unstable_by_key(|&slot| particles.numbers[slot]);
    near
}
