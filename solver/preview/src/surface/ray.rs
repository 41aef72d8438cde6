//! The first intersection of a ray with an implicit surface (T92 section 6.2.1, direct rendering).
//!
//! A ray walks from block to block, and cell by cell within blocks whose field reaches the level. T92 brackets the
//! first root by monotonic field functions. On a grid, the bracket is the first step over which the field rises through
//! the level. The root is then found by iteration, as in T92.

use super::blocks::{BlockField, BlockKey, EDGE, key_of};
use glam::Vec3;

/// Length of a step within a block, cells. A grazing ray may miss a cap of height 1 / (8 r) on matter of radius r.
const STEP: f32 = 1.0;

/// Iterations within the bracket. Each at least halves it, and the field is nearly linear in it.
const ITERATIONS: usize = 5;

/// A ray in the coordinates of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    /// Origin, cells.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

impl Ray {
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// The interval of the ray within the box from zero to a corner, if they meet.
    pub fn within(&self, corner: Vec3) -> Option<(f32, f32)> {
        let (mut first, mut last) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (from, along) = (self.origin[axis], self.direction[axis]);
            if along == 0.0 {
                if !(0.0..corner[axis]).contains(&from) {
                    return None;
                }
                continue;
            }
            let (a, b) = (-from / along, (corner[axis] - from) / along);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
        (first < last && last.is_finite()).then_some((first, last))
    }
}

/// Distance along a ray where the field first reaches a positive level, cells; none if nowhere.
pub(crate) fn first_hit(field: &BlockField, ray: &Ray, level: f32) -> Option<f32> {
    let (first, last) = ray.within(field.far_corner())?;
    let mut block_walk = BlockWalk::new(ray, first);
    let mut distance = first;
    // The loop is bounded: rounding could keep the walk at a border forever.
    for _ in 0..field.max_blocks_along_ray() {
        if distance >= last {
            break;
        }
        let end = block_walk.next_border().min(last);
        if let Some(block) = field.block_reaching(block_walk.key, level)
            && let Some(hit) =
                hit_within(field, ray, level, &BlockSpan { block, key: block_walk.key, start: distance, end })
        {
            return Some(hit);
        }
        distance = end.max(distance);
        block_walk.step();
    }
    None
}

/// The part of a ray within a block.
struct BlockSpan {
    block: usize,
    key: BlockKey,
    /// Distances along the ray, cells.
    start: f32,
    end: f32,
}

fn hit_within(field: &BlockField, ray: &Ray, level: f32, span: &BlockSpan) -> Option<f32> {
    let &BlockSpan { block, key, start, end } = span;
    let value = |distance: f32| field.value_within(block, key, ray.at(distance)) - level;
    let at = |distance: f32| RayPoint { distance, value: value(distance) };
    let mut low = at(start);
    if low.value >= 0.0 {
        return Some(start);
    }
    let steps = ((end - start) / STEP).ceil().max(1.0);
    for step in 1..=steps as usize {
        let high = at(start + (end - start) * step as f32 / steps);
        if high.value >= 0.0 {
            return Some(root(low, high, at));
        }
        low = high;
    }
    None
}

/// A point of a ray.
#[derive(Clone, Copy)]
struct RayPoint {
    /// Distance along the ray, cells.
    distance: f32,
    /// Value of the field over the level.
    value: f32,
}

/// The root of a function in a bracket of two points with opposite signs. Takes the secant, clamped away from the ends
/// of the bracket.
fn root(mut low: RayPoint, mut high: RayPoint, at: impl Fn(f32) -> RayPoint) -> f32 {
    for _ in 0..ITERATIONS {
        let part = (low.value / (low.value - high.value)).clamp(0.1, 0.9);
        let there = at(low.distance + (high.distance - low.distance) * part);
        if there.value >= 0.0 {
            high = there;
        } else {
            low = there;
        }
    }
    low.distance + (high.distance - low.distance) * (low.value / (low.value - high.value)).clamp(0.0, 1.0)
}

/// The blocks along a ray, one after another.
struct BlockWalk {
    key: BlockKey,
    sides: [i32; 3],
    /// Distance along the ray to the next border across each axis, cells.
    borders: Vec3,
    /// Distance between borders across each axis, cells.
    strides: Vec3,
}

impl BlockWalk {
    fn new(ray: &Ray, start: f32) -> Self {
        let edge = EDGE as f32;
        // If rounding leaves the start just outside, take the block that the ray enters.
        let key = key_of(ray.at(start + 1e-3));
        let sides = ray.direction.to_array().map(|along| if along < 0.0 { -1 } else { 1 });
        let border = |axis: usize| {
            let along = ray.direction[axis];
            let next = key[axis] + i32::from(sides[axis] > 0);
            if along == 0.0 { f32::INFINITY } else { (next as f32 * edge - ray.origin[axis]) / along }
        };
        let borders = Vec3::new(border(0), border(1), border(2));
        // Infinite along an axis perpendicular to the ray.
        Self { key, sides, borders, strides: edge / ray.direction.abs() }
    }

    fn next_border(&self) -> f32 {
        self.borders.min_element()
    }

    fn step(&mut self) {
        let axis = self.borders.min_position();
        self.key[axis] += self.sides[axis];
        self.borders[axis] += self.strides[axis];
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dollop_surface::{ScalarGrid, VoxelBlock};
    use glam::{DVec3, IVec3};

    const RADIUS: f32 = 9.3;
    const CELL: f64 = 0.25;

    /// A field that falls by 1 per cell from a centre: 5 on a sphere, zero from 5 cells outside it.
    fn field(centre: Vec3) -> BlockField {
        let value = |node: Vec3| (RADIUS + 5.0 - node.distance(centre)).max(0.0);
        let middle = (centre / 8.0).floor().as_ivec3();
        let keys = (-3..=3).flat_map(|x| (-3..=3).flat_map(move |y| (-3..=3).map(move |z| IVec3::new(x, y, z))));
        let block = |key: IVec3| {
            let origin = (middle + key) * 8;
            let node = |slot: i32| origin + IVec3::new(slot >> 6, slot >> 3 & 7, slot & 7);
            let values = Box::new(std::array::from_fn(|slot| value(node(slot as i32).as_vec3())));
            VoxelBlock { origin: origin.to_array(), active: [u64::MAX; 8], values }
        };
        let mut blocks: Vec<_> = keys.map(block).collect();
        blocks.retain(|block| block.values.iter().any(|&value| value > 0.0));
        blocks.sort_by_key(|block| block.origin);
        BlockField::new(&ScalarGrid { voxel_size: CELL, blocks, tiles: vec![] }, centre.as_dvec3() * CELL, |_| true)
    }

    /// Rays from all directions hit the sphere within 0.03 cells of the exact distance. The field bends by 1 / (8
    /// radius) = 0.013 over a cell. Rays that pass the sphere by more than that miss it.
    #[test]
    fn rays_hit_a_sphere_at_the_exact_distance() {
        for centre in [Vec3::new(0.2, -0.4, 0.6), Vec3::new(-4003.7, 17.1, 90_000.3)] {
            let field = field(centre);
            let middle = field.local(centre.as_dvec3() * CELL);
            for n in 0..400 {
                let (z, turn) = (1.0 - (n as f32 + 0.5) / 200.0, n as f32 * 2.399_963);
                let away = Vec3::new(turn.cos() * (1.0 - z * z).sqrt(), turn.sin() * (1.0 - z * z).sqrt(), z);
                let (side, _) = away.any_orthonormal_pair();
                let off = (n % 20) as f32 / 20.0 * RADIUS * 1.4;
                let ray = Ray { origin: middle + away * 60.0 + side * off, direction: -away };
                let hit = first_hit(&field, &ray, 5.0);
                if off > RADIUS + 0.1 {
                    assert_eq!(hit, None, "{centre} {n}");
                } else {
                    let distance = 60.0 - (RADIUS * RADIUS - off * off).sqrt();
                    let tolerance = 0.03 * RADIUS / (RADIUS * RADIUS - off * off).sqrt() + 1e-2;
                    assert!((hit.unwrap() - distance).abs() < tolerance, "{centre} {n}: {hit:?} for {distance}");
                    let outward = -field.gradient(ray.at(distance)).normalize();
                    assert!(outward.distance((ray.at(distance) - middle) / RADIUS) < 0.02, "{centre} {n}: {outward}");
                }
            }
        }
    }

    #[test]
    fn rays_along_the_axes_and_from_inside_hit() {
        let field = field(Vec3::splat(0.5));
        let middle = field.local(DVec3::splat(0.5) * CELL);
        for direction in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z] {
            let ray = Ray { origin: middle - direction * 40.0, direction };
            assert!((first_hit(&field, &ray, 5.0).unwrap() - 40.0 + RADIUS).abs() < 0.03);
            assert_eq!(first_hit(&field, &Ray { direction: -direction, ..ray }, 5.0), None, "it lies behind");
            assert_eq!(first_hit(&field, &Ray { origin: middle, direction }, 5.0), Some(0.0), "it begins inside");
        }
    }

    #[test]
    fn rays_miss_an_empty_field() {
        let empty =
            BlockField::new(&ScalarGrid { voxel_size: CELL, blocks: vec![], tiles: vec![] }, DVec3::ZERO, |_| true);
        for direction in [Vec3::X, Vec3::ONE.normalize(), Vec3::NAN] {
            assert_eq!(first_hit(&empty, &Ray { origin: Vec3::ZERO, direction }, 5.0), None);
            let ray = Ray { origin: Vec3::NAN, direction };
            assert_eq!(first_hit(&field(Vec3::ZERO), &ray, 5.0), None);
        }
    }
}
