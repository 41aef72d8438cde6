//! Walls that are thin for the grid.
//!
//! A cell, and the kernel of a particle, reach through a wall of less than two cells, and what is behind it looks open.
//! So where matter lies on one side of such a wall only, the other counts as wall: as deep in it as it is away from the
//! side with matter. Which side that is follows in each step from the half cells that the matter reaches past no wall.

use super::half_cells::{HALVES, HalfCells, WHOLE, half_at, in_block, index, middle_at, place};
use super::near_colliders::NearColliders;
use super::walls::{REACH, WallCell};
use crate::grid::cells_around;
use glam::{DVec3, IVec3, Vec3};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The thickest wall that is thin, in cells.
const THICKEST: f32 = 2.0;
/// Walls thinner than this, in cells, have it as their thickness.
const THINNEST: f32 = 0.005;
/// The middles of half cells are so far apart, in cells.
const APART: f32 = 0.5;
/// Distances along a ray through a wall that are looked at.
const MOST_LOOKS: usize = 64;
/// Farther off than so many half cells nothing lies behind a thin wall.
pub const LOOK: i32 = 8;
/// Half cells past no wall that a particle counts: what its kernel reaches.
pub const STEPS: usize = 4;

/// A half cell whose middle counts as in a wall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Behind {
    /// Its number among the half cells of its block.
    half: u16,
    /// That of the wall.
    collider: u32,
    /// Bits of its distance, in cells.
    distance: u32,
}

/// What counts as wall in a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turned(pub Vec<Behind>);

impl Turned {
    /// Memory on the heap, bytes.
    pub fn memory(&self) -> usize {
        self.0.capacity() * size_of::<Behind>()
    }
}

/// The middle of a half cell at or in a thin wall.
#[derive(Debug, Clone, Copy)]
pub struct ThinPlace {
    /// Its number among the half cells of its block.
    half: u16,
    /// The collider that the other surface of the wall is of.
    collider: u32,
    /// Of the nearest surface.
    normal: Vec3,
    /// Of that surface, in cells.
    distance: f32,
    /// Of the wall, in cells.
    thickness: f32,
    /// The half cells before that surface and before the other one.
    pub sides: [IVec3; 2],
}

impl ThinPlace {
    /// The half cell before the surface on whose side a place beside the middle is, in cells.
    pub fn side_of(&self, beside: Vec3) -> IVec3 {
        let is_own = self.distance + self.normal.dot(beside) > -self.thickness / 2.0;
        self.sides[usize::from(!is_own)]
    }
}

/// A half cell that may be at or in a thin wall.
#[derive(Debug)]
struct Candidate {
    /// Its number among the half cells of its block.
    half: usize,
    /// Known once it has been asked for.
    place: OnceLock<Option<ThinPlace>>,
}

/// The thin walls of a block.
#[derive(Debug)]
pub struct ThinWalls {
    /// Of the middles of half cells.
    distances: HalfCells,
    /// The colliders nearest to them.
    nearest: Vec<u32>,
    /// By their half cells.
    candidates: Vec<Candidate>,
    /// Of half cells, as bits, the axes along which a wall lies between one and the next.
    pub parted: Box<[u8]>,
}

impl ThinWalls {
    /// The thin walls of a block near some colliders, given the distances of the middles of its half cells, and which
    /// are nearest to them.
    pub fn find(at: IVec3, distances: HalfCells, nearest: Vec<u32>, colliders: &NearColliders) -> Option<Self> {
        let is_near = |&half: &usize| (-THICKEST / 2.0..REACH).contains(&distances.0[half]);
        let candidates = (0..HALVES.pow(3)).filter(is_near).filter(|&half| !distances.are_thick(half));
        let candidates = candidates.map(|half| Candidate { half, place: OnceLock::new() }).collect();
        let mut walls = Self { distances, nearest, candidates, parted: Box::default() };
        // Those of particles beside a wall are always asked for, others seldom.
        let (beside, others): (Vec<_>, Vec<_>) = walls.candidates.iter().partition(|one| !walls.is_aside(one));
        let is_thin = |one: &&Candidate| walls.look(one, at, colliders).is_some();
        if beside.into_iter().filter(is_thin).count() == 0 && !others.iter().any(is_thin) {
            return None;
        }
        walls.parted = (0..HALVES.pow(3)).map(|half| walls.parted_from(half, at, colliders)).collect();
        Some(walls)
    }

    /// Whether all of a half cell is in the open on the side of its middle.
    fn is_aside(&self, candidate: &Candidate) -> bool {
        self.distances.0[candidate.half] > WHOLE
    }

    /// What a half cell of the block at a place has behind the nearest surface, if that is of a thin wall.
    fn look<'a>(&self, candidate: &'a Candidate, at: IVec3, colliders: &NearColliders) -> Option<&'a ThinPlace> {
        let half = candidate.half;
        let find = || {
            let middle = middle_at(at, half);
            thin_place(half, self.distances.0[half], middle, &colliders.around(middle))
        };
        candidate.place.get_or_init(find).as_ref()
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.nearest.len() * (size_of::<f32>() + size_of::<u32>())
            + size_of_val(&*self.candidates)
            + size_of_val(&*self.parted)
    }

    /// The cells of the block if some of it counts as wall.
    pub fn turned(&self, turned: &Turned) -> Box<[Option<WallCell>]> {
        let (mut distances, mut nearest) = (self.distances.clone(), self.nearest.clone());
        for behind in &turned.0 {
            distances.0[usize::from(behind.half)] = f32::from_bits(behind.distance);
            nearest[usize::from(behind.half)] = behind.collider;
        }
        distances.cells(&nearest)
    }

    /// What counts as wall in the block at a place for matter that reaches some half cells: what has thin walls between
    /// it and the matter, and a little of the open behind them. Elsewhere than `may_reach` no matter is within
    /// [`LOOK`].
    pub fn behind(
        &self,
        at: IVec3,
        colliders: &NearColliders,
        is_reached: impl Fn(IVec3) -> bool,
        may_reach: impl Fn(IVec3) -> bool,
    ) -> Turned {
        let mut found: BTreeMap<usize, (f32, &ThinPlace)> = BTreeMap::new();
        let mut edge = Vec::new();
        // What is reached itself is not behind a wall.
        let may_be_behind = |half: IVec3| may_reach(half) && !is_reached(half);
        let asked = |one: &&Candidate| !self.is_aside(one) || may_be_behind(half_at(at, one.half));
        let places = self.candidates.iter().filter(asked).filter_map(|one| self.look(one, at, colliders));
        for place in places.filter(|place| place.sides.map(&is_reached) == [false, true]) {
            let half = usize::from(place.half);
            found.insert(half, (-(place.distance + place.thickness), place));
            if place.distance > 0.0 {
                edge.push(half);
            }
        }
        for _ in 0..STEPS {
            let mut next: BTreeMap<usize, (f32, &ThinPlace)> = BTreeMap::new();
            for half in edge {
                let (distance, place) = found[&half];
                for (other, by) in self.beside(half) {
                    // As if the wall were flat.
                    let there = distance - place.normal.dot(by);
                    let is_new = there < 0.0 && !found.contains_key(&other) && !is_reached(half_at(at, other));
                    if is_new && next.get(&other).is_none_or(|(known, _)| there > *known) {
                        next.insert(other, (there, place));
                    }
                }
            }
            edge = next.keys().copied().collect();
            found.extend(next);
        }
        let behind = |(half, (distance, place)): (usize, (f32, &ThinPlace))| Behind {
            half: half as u16,
            collider: place.collider,
            distance: distance.to_bits(),
        };
        Turned(found.into_iter().map(behind).collect())
    }

    /// The half cells beside one that no wall parts from it, and the ways there, in cells.
    fn beside(&self, half: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        (0..6).filter_map(move |n| {
            let (axis, is_high, mut at) = (n / 2, n % 2 == 1, place(half));
            at[axis] = if is_high { at[axis] + 1 } else { at[axis].checked_sub(1)? };
            let other = (at[axis] < HALVES).then(|| index(at))?;
            let way = Vec3::AXES[axis] * if is_high { 0.5 } else { -0.5 };
            (self.parted[half.min(other)] >> axis & 1 == 0).then_some((other, way))
        })
    }

    /// The way from a half cell of the block, in half cells, to the most open one that shares a face with it, or a
    /// corner; none where its own middle is in the open.
    pub fn way_out(&self, half: IVec3) -> IVec3 {
        let open = |by: &IVec3| self.distances.0[in_block(half + *by)];
        if open(&IVec3::ZERO) > 0.0 {
            return IVec3::ZERO;
        }
        let most = |reach: i32| {
            let near = cells_around(IVec3::ZERO).filter(move |by| by.length_squared() <= reach && open(by) > 0.0);
            near.max_by(|a, b| open(a).total_cmp(&open(b)))
        };
        most(1).or_else(|| most(3)).unwrap_or(IVec3::ZERO)
    }

    /// What a half cell of the block is at or in, where that tells on which side of a wall something in it is.
    pub fn place(&self, half: usize) -> Option<&ThinPlace> {
        let found = self.candidates.binary_search_by_key(&half, |one| one.half).ok()?;
        let candidate = Some(&self.candidates[found]).filter(|one| !self.is_aside(one))?;
        candidate.place.get()?.as_ref()
    }

    /// The axes along which a wall lies between a half cell and the next, as bits.
    fn parted_from(&self, half: usize, block: IVec3, colliders: &NearColliders) -> u8 {
        let is_parted = |axis: &usize| {
            let mut at = place(half);
            at[*axis] += 1;
            if at[*axis] == HALVES {
                return true;
            }
            let other = index(at);
            let distances = [half, other].map(|half| self.distances.0[half]);
            if distances.iter().any(|distance| *distance <= 0.0) {
                return true;
            }
            // Mostly there is nothing to look at.
            distances[0] + distances[1] < APART && {
                let middles = [half, other].map(|half| middle_at(block, half));
                are_parted(middles, distances, &colliders.around(middles[0]), 0)
            }
        };
        (0..3).filter(is_parted).map(|axis| 1 << axis).sum()
    }
}

impl HalfCells {
    /// Whether the wall nearest to the middle of a half cell is thick for sure: deep in it are half cells.
    fn are_thick(&self, half: usize) -> bool {
        let at = place(half);
        let step = |axis: usize| {
            let side = |by: usize| {
                let mut beside = at;
                beside[axis] = (at[axis] + by).saturating_sub(1).min(HALVES - 1);
                self.0[index(beside)]
            };
            side(2) - side(0)
        };
        let slope = Vec3::new(step(0), step(1), step(2));
        // Less where another surface is as near.
        if slope.length() < 0.9 {
            return false;
        }
        let slope = slope.normalize();
        let deep = Vec3::from_array(at.map(|n| n as f32)) - slope * (2.0 * (self.0[half] + 1.5));
        let deep = deep.round().as_ivec3().to_array();
        let is_within = deep.iter().all(|n| (0..HALVES as i32).contains(n));
        is_within && self.0[index(deep.map(|n| n as usize))] < -THICKEST / 2.0
    }
}

/// What a place, in cells, at a distance from a wall has behind the nearest surface, if that is of a thin wall.
fn thin_place(half: usize, distance: f32, middle: DVec3, look: &impl Fn(DVec3) -> (f32, u32)) -> Option<ThinPlace> {
    const BY: f64 = 0.002;
    // A little beside the middle, which may lie as near to two surfaces.
    let beside = middle + DVec3::new(0.013, 0.007, 0.003);
    let there = look(beside).0;
    let slope = DVec3::AXES.map(|axis| f64::from(look(beside + axis * BY).0 - there));
    let normal = DVec3::from_array(slope).try_normalize()?;
    let surface = beside - normal * f64::from(there);
    let mut depth = (-distance).max(THINNEST);
    for _ in 0..MOST_LOOKS {
        if depth > THICKEST || depth + distance > THICKEST {
            return None;
        }
        let (inside, collider) = look(surface - normal * f64::from(depth));
        if inside > -THINNEST / 2.0 {
            // Before both surfaces, by so much that the middle of the half cell there is in the open, too.
            let before = |from: DVec3| (2.0 * from).floor().as_ivec3();
            let own = if distance > 0.0 { middle } else { surface + normal * 0.45 };
            let other = surface - normal * (f64::from(depth) + 0.45);
            return Some(ThinPlace {
                half: half as u16,
                collider,
                normal: normal.as_vec3(),
                distance,
                thickness: depth,
                sides: [before(own), before(other)],
            });
        }
        depth += (-inside).max(THINNEST / 2.0);
    }
    None
}

/// Whether a wall lies between two places in the open, in cells, at some distances from walls.
fn are_parted(places: [DVec3; 2], distances: [f32; 2], look: &impl Fn(DVec3) -> (f32, u32), depth: usize) -> bool {
    const DEEPEST: usize = 6;
    let [a, b] = places;
    if f64::from(distances[0] + distances[1]) >= a.distance(b) {
        return false;
    }
    let middle = a.midpoint(b);
    let between = look(middle).0;
    between <= 0.0
        || depth == DEEPEST
        || are_parted([a, middle], [distances[0], between], look, depth + 1)
        || are_parted([middle, b], [between, distances[1]], look, depth + 1)
}
