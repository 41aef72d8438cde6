//! Moves vertices of skins out of other lumps.

use crate::field::FieldSample;
use crate::field::skins::{SkinEvaluator, SkinParticle, SkinParticles};
use crate::lattice::blocks::{BlockKey, EDGE, origin};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Tolerance on the margin over another lump at a vertex: less than a thousandth of a spacing.
const MARGIN_TOLERANCE: f32 = 1e-3;

/// Target margin over another lump at vertices that do not touch it, if the skin is that far away: triangles between
/// vertices cut corners off.
const TARGET_MARGIN: f32 = 0.05;

/// Largest number of steps out of another lump, and the longest step, cells.
const MAX_STEPS: usize = 12;
const MAX_STEP: f32 = 0.5;

/// Moves vertices of the surface of a lump, m, out of other lumps, as far as they are not fixed. Returns the
/// vertices that it moved.
pub(super) fn separate(
    particles: &SkinParticles,
    lump: u32,
    positions: &mut [Vec3],
    fixed: &[f32],
    cell_size: f64,
) -> Vec<u32> {
    let to_cells = |position: Vec3| position.as_dvec3() / cell_size;
    let key = |&vertex: &u32| {
        let cell = to_cells(positions[vertex as usize]).floor().as_ivec3();
        cell.to_array().map(|c| c.div_euclid(EDGE))
    };
    let mut vertices: Vec<(BlockKey, u32)> = (0..positions.len() as u32).map(|vertex| (key(&vertex), vertex)).collect();
    vertices.par_sort_unstable();
    let blocks: Vec<&[(BlockKey, u32)]> = vertices.chunk_by(|a, b| a.0 == b.0).collect();
    let of_block = |block: &&[(BlockKey, u32)]| {
        let near = particles.near(block[0].0, -1.0, EDGE as f32 + 1.0);
        let lowest = DVec3::from_array(origin(block[0].0).map(f64::from));
        let mut evaluator = SkinEvaluator::default();
        let mut separate_vertex = |&(_, vertex): &(BlockKey, u32)| {
            let point = (to_cells(positions[vertex as usize]) - lowest).as_vec3();
            let margin = (1.0 - fixed[vertex as usize]).min(TARGET_MARGIN);
            let point = separated_point(&near, lump, point, margin, &mut evaluator)?;
            Some((vertex, ((lowest + point.as_dvec3()) * cell_size).as_vec3()))
        };
        let has_others = near.iter().any(|particle| particle.lump != lump);
        if has_others { block.iter().filter_map(&mut separate_vertex).collect() } else { vec![] }
    };
    let moved: Vec<(u32, Vec3)> = blocks.par_iter().flat_map_iter(of_block).collect();
    for &(vertex, position) in &moved {
        positions[vertex as usize] = position;
    }
    moved.into_iter().map(|(vertex, _)| vertex).collect()
}

/// Moves a point along the gradient until the field of its lump exceeds that of any other by `margin`. None if it
/// already does.
fn separated_point(
    near: &[SkinParticle],
    lump: u32,
    mut point: Vec3,
    margin: f32,
    evaluator: &mut SkinEvaluator,
) -> Option<Vec3> {
    for step in 0..MAX_STEPS {
        evaluator.sample_with_margin(near, lump, point);
        let FieldSample { value, gradient } =
            FieldSample { value: evaluator.margin.value - margin, ..evaluator.margin };
        let correction = gradient * (-value / gradient.length_squared());
        if value >= -MARGIN_TOLERANCE || !correction.is_finite() {
            return (step > 0).then_some(point);
        }
        point += correction.clamp_length_max(MAX_STEP);
    }
    Some(point)
}
