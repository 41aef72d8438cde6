//! Particles go with their new velocities, as far as walls let them.

use super::cells::Point;
use super::step::Advanced;
use super::tight::Room;
use crate::boundary::{Boundary, Drift, Impulses, Missing, Section, Times, Touch, Walls};
use crate::material::MatterSolver;
use crate::particles::Particles;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The farthest that crowding displaces a particle in a step, in cells.
const FARTHEST: f32 = 0.25;
/// The longest that a particle goes at once near walls, in cells, and the most pieces of a way.
const PIECE: f64 = 0.25;
const MOST_PIECES: f64 = 64.0;
/// The longest way, in cells, that is gone in pieces no longer than they should be.
pub const FARTHEST_AT_ONCE: f64 = PIECE * MOST_PIECES;
/// Particles that are moved together; their sums are added in order.
const AT_ONCE: usize = 1024;

/// The particles of an island at the end of a step.
pub struct Settled {
    ends: Vec<End>,
    pub change: Change,
}

/// Where a particle's step ends.
#[derive(Debug, Clone, Copy)]
struct End {
    position: DVec3,
    velocity: DVec3,
    /// How far it may go without feeling a wall, m.
    clear: f32,
}

/// How the particles of an island change in a step.
#[derive(Debug, Default)]
pub struct Change {
    /// Their mass, kg.
    pub mass: f64,
    /// What their momentum grows by, N s.
    pub momentum: DVec3,
    /// Mass times the way of each, kg m.
    pub shift: DVec3,
    /// By which walls stop them.
    pub impulses: Impulses,
}

/// A step's way of moving particles.
#[derive(Debug, Clone, Copy)]
pub struct Advection {
    /// Of a cell, m.
    pub width: f64,
    /// Time at the start, s.
    pub start: f64,
    pub seconds: f64,
    pub section: Section,
}

impl Advection {
    /// Finds where the particles of each island end. `clear` is how far each may go without feeling a wall, m, by
    /// number.
    pub fn settle(
        &self,
        islands: &[Advanced],
        particles: &Particles,
        clear: &mut Vec<f32>,
        boundary: &mut Boundary,
        matter: &MatterSolver,
    ) -> Vec<Settled> {
        clear.resize(particles.len(), 0.0);
        let world = World { particles, clear, matter };
        islands.iter().map(|island| self.settle_island(island, &world, boundary)).collect()
    }

    fn settle_island(&self, island: &Advanced, world: &World, boundary: &mut Boundary) -> Settled {
        let points = &island.cells.points;
        let mut parts: Vec<Option<Settled>> = Vec::new();
        parts.resize_with(points.len().div_ceil(AT_ONCE), || None);
        loop {
            let walls = boundary.at(Times::At(self.start + self.seconds));
            let settle = |(n, part): (usize, &mut Option<Settled>)| {
                let span = n * AT_ONCE..points.len().min((n + 1) * AT_ONCE);
                if part.is_some() {
                    return Vec::new();
                }
                match self.settle_part(&points[span.clone()], &island.moves[span], world, &walls) {
                    Ok(settled) => *part = Some(settled),
                    Err(missing) => return missing,
                }
                Vec::new()
            };
            let missing: Vec<Missing> = parts.par_iter_mut().enumerate().flat_map_iter(settle).collect();
            if missing.is_empty() {
                break;
            }
            boundary.make(&missing);
        }
        let mut all = Settled { ends: Vec::with_capacity(points.len()), change: Change::default() };
        for Settled { ends, change } in parts.into_iter().flatten() {
            all.ends.extend(ends);
            all.change.mass += change.mass;
            all.change.momentum += change.momentum;
            all.change.shift += change.shift;
            all.change.impulses.add_all(&change.impulses);
        }
        all
    }

    /// Finds where some particles end, given how crowding displaces them.
    fn settle_part(
        &self,
        points: &[Point],
        moves: &[Vec3],
        world: &World,
        walls: &Walls,
    ) -> Result<Settled, Vec<Missing>> {
        let mut settled = Settled { ends: Vec::with_capacity(points.len()), change: Change::default() };
        let mut missing = Vec::new();
        for (point, aside) in points.iter().zip(moves) {
            match self.settle_point(point, *aside, world, walls, &mut settled.change) {
                Ok(end) => settled.ends.push(end),
                Err(block) => missing.push(block),
            }
        }
        if missing.is_empty() { Ok(settled) } else { Err(missing) }
    }

    fn settle_point(
        &self,
        point: &Point,
        aside: Vec3,
        World { particles, clear, matter }: &World,
        walls: &Walls,
        change: &mut Change,
    ) -> Result<End, Missing> {
        let slot = point.slot as usize;
        let (from, before) = (particles.positions[slot], particles.velocities[slot]);
        let mass = particles.mass(slot, matter);
        let (way, velocity) = self.way(point, aside);
        let start = End { position: from, velocity, clear: clear[particles.numbers[slot] as usize] };
        let end = self.go(start, way, mass, walls, &mut change.impulses)?;
        change.mass += mass;
        change.momentum += (end.velocity - before) * mass;
        change.shift += (end.position - from) * mass;
        Ok(end)
    }

    /// Where a particle of a mass, kg, ends that goes a way, m: near walls in pieces, as a wall may not be thicker than
    /// two of them.
    fn go(
        &self,
        start: End,
        mut way: DVec3,
        mass: f64,
        walls: &Walls,
        impulses: &mut Impulses,
    ) -> Result<End, Missing> {
        let End { position: mut from, mut velocity, mut clear } = start;
        let length = way.length();
        // What is clear is so of walls that stand.
        let is_near = f64::from(clear) < length || !walls.all_stand();
        let pieces = if is_near { (length / (PIECE * self.width)).ceil().clamp(1.0, MOST_PIECES) } else { 1.0 };
        let (to, mut is_free) = (from + way, true);
        for piece in 0..pieces as usize {
            // The first piece meets all of the walls' own motion.
            let since = if piece == 0 { self.start } else { self.start + self.seconds };
            let drift = Drift { from, since, to: from + way / pieces, velocity };
            let Some(touch) = walls.touch(&drift, &mut clear)? else {
                from = drift.to;
                continue;
            };
            is_free = false;
            let touch = again(touch, &drift, walls, &mut clear)?;
            if let Some(stop) = touch.stops.last() {
                impulses.add_to(stop.collider, touch.position, (touch.velocity - velocity) * mass);
                let carried = if piece == 0 { self.seconds } else { 0.0 };
                let room = Room::new(walls, self.width);
                if room.lacks(from, carried, &touch, stop) {
                    (from, velocity) = (room.find(from, carried, &touch), touch.velocity);
                    break;
                }
                way = stop.stopped(way / self.seconds) * self.seconds;
            }
            (from, velocity) = (touch.position, touch.velocity);
        }
        // A particle that meets no wall ends as if it had gone at once: what it knows to be clear is no part of the
        // state.
        Ok(End { position: if is_free { to } else { from }, velocity, clear })
    }

    /// The way of a particle if no wall stops it, m, and its velocity then, m/s.
    fn way(&self, point: &Point, aside: Vec3) -> (DVec3, DVec3) {
        let half = point.velocity * (self.seconds / (2.0 * self.width)) as f32;
        // The velocity half way.
        let turn = point.velocity_added(half);
        let aside = aside.clamp_length_max(FARTHEST);
        let way = (point.velocity + turn).as_dvec3() * self.seconds + aside.as_dvec3() * self.width;
        (self.section.within(way), self.section.within(point.velocity.as_dvec3()))
    }

    /// Moves all particles to where they end.
    pub fn move_all(&self, islands: &[Advanced], settled: &[Settled], particles: &mut Particles, clear: &mut [f32]) {
        let slots = islands.iter().flat_map(|island| island.cells.slots());
        let (first, end) = slots.fold((usize::MAX, 0), |(low, high), slot| (low.min(slot), high.max(slot + 1)));
        if first >= end {
            return;
        }
        // The island and the point of each slot; none of a particle that takes no step.
        let mut places = vec![(u32::MAX, 0); end - first];
        for (number, (island, settled)) in (0..).zip(islands.iter().zip(settled)) {
            for (at, (point, end)) in (0..).zip(island.cells.points.iter().zip(&settled.ends)) {
                places[point.slot as usize - first] = (number, at);
                clear[particles.numbers[point.slot as usize] as usize] = end.clear;
            }
        }
        let rate = (1.0 / self.width) as f32;
        deform(islands, particles);
        let Particles { positions, velocities, gradients, pressures, .. } = particles;
        let columns = positions[first..end].par_iter_mut().zip(&mut velocities[first..end]);
        let columns = columns.zip(&mut gradients[first..end]).zip(&mut pressures[first..end]);
        columns.zip(&places).with_min_len(4096).for_each(|(column, &(number, at))| {
            let Some(island) = islands.get(number as usize) else { return };
            let (((position, velocity), gradient), pressure) = column;
            let (at, end) = (at as usize, &settled[number as usize].ends[at as usize]);
            (*position, *velocity) = (end.position, end.velocity);
            *gradient = island.cells.points[at].gradient.map(|row| (row * rate).to_array());
            *pressure = island.pressures[at];
        });
    }
}

/// The first slot of the particles whose place or velocity is no number.
pub fn lost(islands: &[Advanced], settled: &[Settled]) -> Option<usize> {
    let ends = islands.iter().zip(settled).flat_map(|(island, settled)| island.cells.slots().zip(&settled.ends));
    ends.filter(|(_, end)| !(end.position + end.velocity).is_finite()).map(|(slot, _)| slot).min()
}

/// A touch after which no wall lies on the way: one may be put back by one wall to behind another.
fn again(mut touch: Touch, drift: &Drift, walls: &Walls, clear: &mut f32) -> Result<Touch, Missing> {
    const TIMES: usize = 3;
    for _ in 0..TIMES {
        if touch.stops.is_empty() {
            break;
        }
        let drift = Drift { to: touch.position, velocity: touch.velocity, ..*drift };
        let Some(mut next) = walls.touch(&drift, clear)?.filter(|next| !next.stops.is_empty()) else { break };
        touch.stops.append(&mut next.stops);
        touch = Touch { stops: touch.stops, ..next };
    }
    Ok(touch)
}

/// What the motion of a particle depends on.
struct World<'a> {
    particles: &'a Particles,
    clear: &'a [f32],
    matter: &'a MatterSolver,
}

/// Gives all particles the deformations and damages that they end with.
fn deform(islands: &[Advanced], particles: &mut Particles) {
    for island in islands {
        for (point, stretch) in island.cells.points.iter().zip(&island.stretches) {
            particles.stretches[point.slot as usize] = *stretch;
        }
        for (point, damage) in island.cells.points.iter().zip(&island.damages) {
            particles.damages[point.slot as usize] = *damage;
        }
    }
}
