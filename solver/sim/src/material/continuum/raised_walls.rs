//! Sheets that lie on walls, which are walls for the matter on them.
//!
//! A sheet's particle has a hundredth of the mass of one that lies on it, so what presses it against a wall would
//! squeeze it out, unless steps were as short as its mass asks. The wall bears the load in any case. So for the grid it
//! begins where matter touches the sheet.

use super::cells::Placing;
use super::half_cells::{BLOCK, HALVES, MARGIN, block_of, half_at, in_block, index, middle_at};
use super::step::CELL;
use super::wall_blocks::near_block;
use super::wall_distances::WallDistances;
use super::walls::REACH;
use crate::boundary::Walls;
use crate::lattice::nearest;
use crate::particles::Particles;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Farther from a wall, in cells, a particle does not lie on it, and nearer than this it does wholly; the same of
/// layers of sheets on each other.
const OFF: f32 = 0.5;
const ON: f32 = 0.35;
const LAYERS_OFF: f32 = 0.75;
const LAYERS_ON: f32 = 0.6;
/// Up to the first a sheet lies along a wall, from the second on it stands there: 1 less the cosine of the angle
/// between both normals.
const STEEP: [f32; 2] = [0.15, 0.4];
/// A particle lies on a wall wholly up to the first depth in it, in cells, and not at all from the second on.
const DEEP_IN: [f32; 2] = [0.1, 0.3];
/// Layers are farther apart than this, in cells.
const LEAST_APART: f32 = 0.25;
/// A particle raises a wall as far along it, in cells, and in part to the second distance.
const WHOLLY_BESIDE: f32 = 0.4;
const BESIDE: f32 = 0.8;
/// How far behind the surface of a wall distances matter, in cells.
const BEHIND: f32 = 1.5;
/// Where a wall is farther from a place than it would be if it were flat, by more than this, in cells, the place is on
/// its other side; where it is as much nearer, that side counts as wall.
const OTHER_SIDE: f32 = 0.4;
/// Where a particle at rest lies on a wall, in cells.
const RESTING: f32 = (0.5 / CELL) as f32;

/// A particle of a sheet that lies on a wall. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
struct OnWall {
    place: DVec3,
    /// Of the wall, and its number.
    normal: Vec3,
    collider: u32,
    /// From the wall.
    distance: f32,
    /// How much of it lies along the wall and before it.
    level: f32,
    /// How much of it lies on the wall.
    part: f32,
}

/// Walls on which sheets lie.
#[derive(Debug, Default)]
pub struct RaisedWalls {
    all: Vec<OnWall>,
    /// By block, those that matter there.
    blocks: FxHashMap<IVec3, Vec<u32>>,
}

impl RaisedWalls {
    /// Those of the particles in some slots, in the order of their numbers.
    pub fn find(particles: &Particles, slots: &[usize], walls: &Walls, placing: &Placing) -> Self {
        let colliders: Vec<usize> = (0..walls.count()).collect();
        let block = |slot: usize| placing.cell(particles.positions[slot]).map(block_of);
        let mut near: FxHashMap<IVec3, Vec<usize>> = FxHashMap::default();
        for at in slots.iter().filter_map(|&slot| block(slot)) {
            near.entry(at).or_insert_with(|| near_block(at, walls, &colliders, placing));
        }
        let on_wall = |&slot: &usize| {
            let place = particles.positions[slot];
            let distance = |&number: &usize| (walls.signed_distance(number, place), number);
            let (distance, number) =
                near[&block(slot)?].iter().map(distance).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
            let distance = (distance / placing.width) as f32;
            let normal = walls.normal(number, place).as_vec3();
            let across = (particles.orientations[slot] * DVec3::Z).as_vec3().dot(normal).abs();
            let level = fading(1.0 - across, STEEP) * fading(-distance, DEEP_IN);
            let part = fading(distance, [ON, OFF]) * level;
            Some(OnWall { place: placing.in_cells(place), normal, collider: number as u32, distance, level, part })
        };
        let near_walls: Vec<OnWall> = slots.par_iter().filter_map(on_wall).filter(|one| one.distance < REACH).collect();
        Self::of(with_layers(near_walls))
    }

    /// Those of particles, sorted into blocks.
    fn of(mut all: Vec<OnWall>) -> Self {
        all.retain(|one| one.part > 0.0);
        let mut blocks: FxHashMap<IVec3, Vec<u32>> = FxHashMap::default();
        let reach = DVec3::splat(f64::from(BESIDE.hypot(REACH + BEHIND)) + MARGIN as f64 / 2.0);
        for (number, one) in (0..).zip(&all) {
            let [low, high] = [one.place - reach, one.place + reach].map(|place| block_of(place.floor().as_ivec3()));
            let [x, y, z] = [0, 1, 2].map(|axis| low[axis]..=high[axis]);
            for at in
                x.flat_map(|x| y.clone().map(move |y| (x, y))).flat_map(|(x, y)| z.clone().map(move |z| [x, y, z]))
            {
                blocks.entry(IVec3::from_array(at)).or_default().push(number);
            }
        }
        Self { all, blocks }
    }

    /// Whether no sheet lies on any wall.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether any matters in the block at a place.
    pub fn reach(&self, at: &IVec3) -> bool {
        self.blocks.contains_key(at)
    }

    /// The walls of the block at a place, raised.
    pub fn raise(&self, at: IVec3, walls: &WallDistances) -> WallDistances {
        let mut raises = vec![Raise::default(); HALVES.pow(3)];
        for &number in self.blocks.get(&at).into_iter().flatten() {
            let one = &self.all[number as usize];
            if !one.is_behind(at, walls) {
                one.add_to(at, walls, &mut raises);
            }
        }
        let mut walls = walls.clone();
        for (half, raise) in raises.iter().enumerate().filter(|(_, raise)| raise.most > 0.0) {
            let (distance, collider) = walls.at(half);
            walls.set(half, (distance - raise.heights / raise.weights * raise.most, collider));
        }
        walls
    }
}

/// How far a wall is raised in a half cell.
#[derive(Debug, Clone, Copy, Default)]
struct Raise {
    /// Sums over particles of their weights, and of these times their heights.
    weights: f32,
    heights: f32,
    /// The most of the weights.
    most: f32,
}

impl OnWall {
    /// How high matter on it has its surface above the wall.
    fn height(&self) -> f32 {
        self.distance.max(RESTING) + (nearest(1.0) / CELL) as f32 - RESTING
    }

    /// How far a place is along the wall, and away from it.
    fn off(&self, place: DVec3) -> (f32, f32) {
        let off = (place - self.place).as_vec3();
        let away = off.dot(self.normal);
        ((off - self.normal * away).length(), away)
    }

    /// Whether it lies behind a thin wall, whose other side counts as wall in a block.
    fn is_behind(&self, at: IVec3, walls: &WallDistances) -> bool {
        let half = (2.0 * self.place).floor().as_ivec3() - half_at(at, 0);
        if half.min_element() < 0 || half.max_element() >= HALVES as i32 {
            return false;
        }
        let half = index(half.to_array().map(|n| n as usize));
        let expected = self.distance + self.off(middle_at(at, half)).1;
        walls.at(half).0 < expected - OTHER_SIDE
    }

    /// Raises the walls in half cells of a block.
    fn add_to(&self, at: IVec3, walls: &WallDistances, raises: &mut [Raise]) {
        // Along each axis, of the cylinder over which it matters.
        let beside = (Vec3::ONE - self.normal * self.normal).max(Vec3::ZERO);
        let beside = Vec3::from(beside.to_array().map(f32::sqrt)) * BESIDE;
        let (low, high) = (-BEHIND - self.distance, REACH + self.height() - self.distance);
        let ends = [self.normal * low, self.normal * high];
        let middle = ((self.place - (BLOCK * at).as_dvec3()) * 2.0).as_vec3();
        let corner = |corner: Vec3| (middle + corner * 2.0).floor().as_ivec3() + MARGIN as i32;
        let least = corner(ends[0].min(ends[1]) - beside).max(IVec3::ZERO);
        let most = corner(ends[0].max(ends[1]) + beside).min(IVec3::splat(HALVES as i32 - 1));
        for z in least.z..=most.z {
            for y in least.y..=most.y {
                for x in least.x..=most.x {
                    let half = in_block(IVec3::new(x, y, z) - MARGIN as i32);
                    let (distance, collider) = walls.at(half);
                    let (beside, away) = self.off(middle_at(at, half));
                    if collider != self.collider || distance > self.distance + away + OTHER_SIDE {
                        continue;
                    }
                    let weight = self.part * fading(beside, [WHOLLY_BESIDE, BESIDE]);
                    let raise = &mut raises[half];
                    raise.weights += weight;
                    raise.heights += weight * self.height();
                    raise.most = raise.most.max(weight);
                }
            }
        }
    }
}

/// From 1 up to the first distance to 0 from the second on.
fn fading(distance: f32, [whole, none]: [f32; 2]) -> f32 {
    ((none - distance) / (none - whole)).clamp(0.0, 1.0)
}

/// Adds what lies on others that lie on walls.
fn with_layers(mut all: Vec<OnWall>) -> Vec<OnWall> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|&a, &b| all[a].distance.total_cmp(&all[b].distance));
    let grid = crate::hash_grid::HashGrid::new(f64::from(LAYERS_OFF), all.iter().map(|one| one.place));
    for number in order {
        let own = all[number];
        let below = |other: u32| {
            let other = &all[other as usize];
            let (beside, away) = other.off(own.place);
            let is_below = other.collider == own.collider && away > LEAST_APART && beside < WHOLLY_BESIDE;
            if is_below { other.part * fading(away, [LAYERS_ON, LAYERS_OFF]) } else { 0.0 }
        };
        let on_others = grid.around(own.place).map(below).fold(0.0, f32::max);
        all[number].part = own.part.max(own.level * on_others);
    }
    all
}
