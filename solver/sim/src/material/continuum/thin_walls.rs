//! Walls that are thin for the grid.
//!
//! A cell, and the kernel of a particle, reach through a wall of less than two cells, and what is behind it looks open.
//! So where matter lies on one side of such a wall only, the other counts as wall: as deep in it as it is away from the
//! side with matter. Which side that is follows in each step from the half cells that the matter reaches past no wall.

use super::half_cells::{EDGE, HALVES, HalfCells, WHOLE, half_at, in_block, index, middle_at, place};
use super::near_colliders::{NearColliders, ROUNDING};
use super::wall_distances::WallDistances;
use super::walls::{REACH, WallCell};
use crate::grid::cells_around;
use glam::{DVec3, IVec3, Vec3};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// The thickest wall that is thin, in cells.
const THICKEST: f32 = 2.0;
/// Walls thinner than this, in cells, have it as their thickness.
const THINNEST: f32 = 0.005;
/// The middles of half cells are so far apart, in cells.
const APART: f32 = 0.5;
/// A place counts as deeper where that is so by more than this, in cells.
const LEAST_DEEPER: f32 = 0.05;
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
#[derive(Debug, Clone, Copy, PartialEq)]
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

/// Half cells of a block that count as wall: their distances, in cells, and the thin places that these follow from.
type Found<'a> = BTreeMap<usize, (f32, &'a ThinPlace)>;

/// What a look at a half cell found.
#[derive(Debug, Clone, Copy)]
struct Look {
    place: Option<ThinPlace>,
    /// Whatever is farther off than this, in cells, does not change it.
    clear: f32,
}

/// A half cell that may be at or in a thin wall.
#[derive(Debug)]
struct Candidate {
    /// Its number among the half cells of its block.
    half: usize,
    /// Known once it has been asked for.
    look: OnceLock<Look>,
}

/// The walls of a block, with those that are thin.
#[derive(Debug)]
pub struct ThinWalls {
    walls: WallDistances,
    /// By their half cells.
    candidates: Vec<Candidate>,
    /// Of half cells, as bits, the axes along which a wall lies between one and the next; once it has been asked for.
    parted: OnceLock<Box<[u8]>>,
    /// The same of those walls alone that stand.
    standing: Option<Arc<Self>>,
}

impl ThinWalls {
    /// Those of a block with some distances from walls. Where some of them move, those that stand may be given alone.
    pub fn new(walls: WallDistances, standing: Option<Arc<Self>>) -> Self {
        let is_near = |&half: &usize| (-THICKEST / 2.0..REACH).contains(&walls.distances.0[half]);
        let candidates = (0..HALVES.pow(3)).filter(is_near).filter(|&half| !walls.distances.are_thick(half));
        let candidates = candidates.map(|half| Candidate { half, look: OnceLock::new() }).collect();
        Self { walls, candidates, parted: OnceLock::new(), standing }
    }

    /// The same with walls that move.
    pub fn with_moving(self: &Arc<Self>, at: IVec3, colliders: &NearColliders) -> Self {
        Self::new(self.walls.with(at, &colliders.moving()), Some(self.clone()))
    }

    /// Whether any is thin. If so, finds what they part.
    pub fn are_thin(&self, at: IVec3, colliders: &NearColliders) -> bool {
        // Those of particles beside a wall are always asked for, others seldom.
        let (beside, others): (Vec<_>, Vec<_>) = self.candidates.iter().partition(|one| !self.is_aside(one));
        let is_thin = |one: &&Candidate| self.look(one, at, colliders).place.is_some();
        let are_thin = beside.into_iter().filter(is_thin).count() > 0 || others.iter().any(is_thin);
        if are_thin {
            self.find_parted(at, colliders);
        }
        are_thin
    }

    /// Whether all of a half cell is in the open on the side of its middle.
    fn is_aside(&self, candidate: &Candidate) -> bool {
        self.walls.distances.0[candidate.half] > WHOLE
    }

    /// What a half cell of the block at a place has behind the nearest surface, if that is of a thin wall.
    fn look<'a>(&self, candidate: &'a Candidate, at: IVec3, colliders: &NearColliders) -> &'a Look {
        let half = candidate.half;
        let find = || {
            let look =
                || Look::find(half, self.walls.at(half).0, middle_at(at, half), &self.around(half, at, colliders));
            self.look_at_standing(half, at, colliders).unwrap_or_else(look)
        };
        candidate.look.get_or_init(find)
    }

    /// The same where walls that move are too far off to matter; none elsewhere.
    fn look_at_standing(&self, half: usize, at: IVec3, colliders: &NearColliders) -> Option<Look> {
        let standing = self.standing.as_ref().filter(|_| !colliders.placing.is_flat)?;
        let candidate = standing.candidate(half)?;
        let moving = colliders.moving().nearest(middle_at(at, half)).0;
        let may_be_clear = moving > standing.walls.distances.0[half];
        let look = may_be_clear.then(|| standing.look(candidate, at, &colliders.standing()))?;
        (moving > look.clear).then_some(*look)
    }

    /// The walls around a half cell of the block at a place.
    fn around<'a>(
        &self,
        half: usize,
        at: IVec3,
        colliders: &NearColliders<'a>,
    ) -> impl Fn(DVec3) -> (f32, u32) + use<'a> {
        let standing = self.standing.as_ref().map_or(&self.walls, |standing| &standing.walls);
        colliders.around(middle_at(at, half), [self.walls.at(half), standing.at(half)])
    }

    fn candidate(&self, half: usize) -> Option<&Candidate> {
        let found = self.candidates.binary_search_by_key(&half, |one| one.half).ok()?;
        Some(&self.candidates[found])
    }

    /// Memory, bytes, without that of the walls that stand alone.
    pub fn memory(&self) -> usize {
        let parted = self.parted.get().map_or(0, |parted| size_of_val(&**parted));
        size_of::<Self>() + self.walls.memory() + size_of_val(&*self.candidates) + parted
    }

    /// The distances of the block.
    pub fn distances(&self) -> &WallDistances {
        &self.walls
    }

    /// The cells of the block.
    pub fn cells(&self) -> Box<[Option<WallCell>]> {
        self.walls.cells()
    }

    /// The same if some of it counts as wall.
    pub fn turned(&self, turned: &Turned) -> Box<[Option<WallCell>]> {
        self.turned_distances(turned).cells()
    }

    /// The distances of the block if some of it counts as wall.
    pub fn turned_distances(&self, turned: &Turned) -> WallDistances {
        let mut walls = self.walls.clone();
        for behind in &turned.0 {
            walls.set(usize::from(behind.half), (f32::from_bits(behind.distance), behind.collider));
        }
        walls
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
        let mut found = Found::new();
        let mut edge = Vec::new();
        // What is reached itself is not behind a wall.
        let may_be_behind = |half: IVec3| may_reach(half) && !is_reached(half);
        let asked = |one: &&Candidate| !self.is_aside(one) || may_be_behind(half_at(at, one.half));
        let places =
            self.candidates.iter().filter(asked).filter_map(|one| self.look(one, at, colliders).place.as_ref());
        for place in places.filter(|place| place.sides.map(&is_reached) == [false, true]) {
            let half = usize::from(place.half);
            found.insert(half, (-(place.distance + place.thickness), place));
            if place.distance > 0.0 {
                edge.push(half);
            }
        }
        let beside = |half: usize| self.beside(half);
        spread(&mut found, edge, beside, |other, there| there < 0.0 && !is_reached(half_at(at, other)));
        self.find_joined(at, &mut found, &is_reached);
        let behind = |(half, (distance, place)): (usize, (f32, &ThinPlace))| Behind {
            half: half as u16,
            collider: place.collider,
            distance: distance.to_bits(),
        };
        Turned(found.into_iter().map(behind).collect())
    }

    /// Goes on from what is found to where thin walls are joined: a line through one there runs along the other, so
    /// none of their own surfaces tells how deep a place lies.
    fn find_joined<'a>(&'a self, at: IVec3, found: &mut Found<'a>, is_reached: impl Fn(IVec3) -> bool) {
        let distance = |half: usize| self.walls.distances.0[half];
        let in_wall = |half: &usize| distance(*half) <= 0.0;
        let edge = found.keys().copied().filter(in_wall).collect();
        let beside = |half: usize| neighbours(half).map(|(_, other, way)| (other, way));
        let is_deeper = |other: usize, there: f32| {
            in_wall(&other)
                && there < distance(other) - LEAST_DEEPER
                && self.out_of(at, other).is_none_or(|out| !is_reached(out))
        };
        spread(found, edge, beside, is_deeper);
    }

    /// The most open half cell beside one in a wall of the block at a place; none where none is open.
    fn out_of(&self, at: IVec3, half: usize) -> Option<IVec3> {
        let is_within = place(half).iter().all(|n| (1..HALVES - 1).contains(n));
        let (own, block) = (half_at(at, half), EDGE * at);
        let way = if is_within { self.way_out(own - block) } else { IVec3::ZERO };
        (way != IVec3::ZERO).then_some(own + way)
    }

    /// The half cells beside one that no wall parts from it, and the ways there, in cells.
    fn beside(&self, half: usize) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let together = move |(axis, other, _): &(usize, usize, Vec3)| !self.are_parted(half.min(*other), *axis);
        neighbours(half).filter(together).map(|(_, other, way)| (other, way))
    }

    /// The way from a half cell of the block, in half cells, to the most open one that shares a face with it, or a
    /// corner; none where its own middle is in the open.
    pub fn way_out(&self, half: IVec3) -> IVec3 {
        let open = |by: &IVec3| self.walls.distances.0[in_block(half + *by)];
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
        self.candidate(half).filter(|one| !self.is_aside(one))?.look.get()?.place.as_ref()
    }

    /// Whether a wall lies between a half cell and the next along an axis.
    pub fn are_parted(&self, half: usize, axis: usize) -> bool {
        self.parted.get().is_some_and(|parted| parted[half] >> axis & 1 == 1)
    }

    /// Finds what walls part in the block at a place.
    fn find_parted(&self, at: IVec3, colliders: &NearColliders) -> &[u8] {
        let find = || (0..HALVES.pow(3)).map(|half| self.parted_from(half, at, colliders)).collect();
        self.parted.get_or_init(find)
    }

    /// The axes along which a wall lies between a half cell and the next, as bits.
    fn parted_from(&self, half: usize, block: IVec3, colliders: &NearColliders) -> u8 {
        let standing = OnceCell::new();
        let is_parted = |axis: &usize| {
            let mut at = place(half);
            at[*axis] += 1;
            if at[*axis] == HALVES {
                return true;
            }
            let other = index(at);
            let distances = [half, other].map(|half| self.walls.distances.0[half]);
            if distances.iter().any(|distance| *distance <= 0.0) {
                return true;
            }
            // Mostly there is nothing to look at.
            distances[0] + distances[1] < APART && {
                let known = standing.get_or_init(|| self.parted_by_standing(half, block, colliders));
                let look = || {
                    let middles = [half, other].map(|half| middle_at(block, half));
                    are_parted(middles, distances, &self.around(half, block, colliders), 0)
                };
                known.map_or_else(look, |parted| parted >> axis & 1 == 1)
            }
        };
        (0..3).filter(is_parted).map(|axis| 1 << axis).sum()
    }

    /// The same where walls that move are too far off to matter; none elsewhere.
    fn parted_by_standing(&self, half: usize, at: IVec3, colliders: &NearColliders) -> Option<u8> {
        let standing = self.standing.as_ref().filter(|_| !colliders.placing.is_flat)?;
        // On the way to the next half cell a wall that stands gets farther by at most that way, one that moves nearer.
        let clear = standing.walls.distances.0[half] + 2.0 * APART + ROUNDING;
        let is_clear = colliders.moving().nearest(middle_at(at, half)).0 > clear;
        is_clear.then(|| standing.find_parted(at, &colliders.standing())[half])
    }
}

impl Look {
    /// At a half cell whose middle is at a distance from walls.
    fn find(half: usize, distance: f32, middle: DVec3, look: &impl Fn(DVec3) -> (f32, u32)) -> Self {
        let clear = Cell::new(distance);
        let noted = |place: DVec3| {
            let found = look(place);
            clear.set(clear.get().max(found.0 + middle.distance(place) as f32));
            found
        };
        let place = thin_place(half, distance, middle, &noted);
        Self { place, clear: clear.get() + ROUNDING }
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

/// Goes on from half cells at the edge of what is found to some of those beside them, as if the wall of each were flat.
fn spread<Beside: Iterator<Item = (usize, Vec3)>>(
    found: &mut Found,
    mut edge: Vec<usize>,
    beside: impl Fn(usize) -> Beside,
    is_wanted: impl Fn(usize, f32) -> bool,
) {
    for _ in 0..STEPS {
        let mut next = Found::new();
        for half in edge {
            let (distance, place) = found[&half];
            for (other, by) in beside(half).filter(|(other, _)| !found.contains_key(other)) {
                let there = distance - place.normal.dot(by);
                if next.get(&other).is_none_or(|(known, _)| there > *known) && is_wanted(other, there) {
                    next.insert(other, (there, place));
                }
            }
        }
        edge = next.keys().copied().collect();
        found.extend(next);
    }
}

/// The half cells of a block that share a face with one: along which axis, which, and the way there, in cells.
fn neighbours(half: usize) -> impl Iterator<Item = (usize, usize, Vec3)> {
    (0..6).filter_map(move |n| {
        let (axis, is_high, mut at) = (n / 2, n % 2 == 1, place(half));
        at[axis] = if is_high { at[axis] + 1 } else { at[axis].checked_sub(1)? };
        let way = Vec3::AXES[axis] * if is_high { 0.5 } else { -0.5 };
        (at[axis] < HALVES).then(|| (axis, index(at), way))
    })
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
