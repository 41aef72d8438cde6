//! Standing matter, which takes up its weight before time begins.

use super::Integrator;
use super::instant::Instant;
use super::settling::Peaks;
use crate::material::Force;
use crate::material::pressure::Equation;
use crate::neighbours::{BATCH, Neighbours};
use crate::particles::{Membership, Particles, Stress};
use crate::union::Union;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Particles within this distance are of the same group, in spacings: as neighbours are in a newly filled body.
const TOUCHING: f64 = 1.35;
/// Particles within this distance of a wall below stand on it, in spacings.
const ON_WALL: f64 = 0.75;
/// How far matter goes to come to rest, in spacings, besides the compression by its weight.
const MAX_DISTANCE: f64 = 1.0;
/// Part of the particles that may go farther.
const FEW: f64 = 0.02;

/// Whether each particle takes part while matter settles, by number; none if all do.
#[derive(Debug, Default)]
pub struct Participation(Option<Vec<bool>>);

impl Participation {
    /// Clears the force on a particle that takes no part.
    pub fn apply(&self, number: u32, force: &mut Force) {
        if self.0.as_ref().is_some_and(|bears| !bears[number as usize]) {
            let still = Vec3::ZERO;
            *force = Force { pairs: still, walls: still, dissipation: still, wall_push: still, weight: 0.0, ..*force };
        }
    }
}

/// Matter that comes to rest together.
#[derive(Debug, Default)]
pub struct Group {
    pub count: usize,
    peaks: Peaks,
    /// The distance that it may go, m.
    max_distance: f64,
    /// Whether all of it has a yield stress.
    yields: bool,
    state: SettlingState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SettlingState {
    #[default]
    Moves,
    /// The group has come to rest.
    Rests,
    /// The group does not come to rest, and is back in its place.
    GivenUp,
}

/// Groups of matter that settle.
#[derive(Debug, Default)]
pub struct Groups {
    /// The group of each particle, by number.
    of: Vec<Option<u32>>,
    pub all: Vec<Group>,
    /// Places of particles before, m, by number; empty where they may go any distance.
    pub places: Vec<DVec3>,
    /// Height of the highest standing group, m.
    pub height: f64,
}

impl Groups {
    /// Whether they take up their weight, and may not go far.
    pub fn bear_weight(&self) -> bool {
        !self.places.is_empty()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn of(&self, number: u32) -> Option<usize> {
        self.of[number as usize].map(|group| group as usize)
    }

    /// Particles take part whose group has neither come to rest nor been given up.
    pub fn participation(&self) -> Participation {
        let bears =
            |group: &Option<u32>| group.is_some_and(|group| self.all[group as usize].state == SettlingState::Moves);
        Participation(Some(self.of.iter().map(bears).collect()))
    }

    /// The groups with a yield stress throughout, to settle without weight.
    pub fn with_strength(&self) -> Self {
        let state = |group: &Group| if group.yields { SettlingState::Moves } else { SettlingState::Rests };
        let all = self.all.iter().map(|group| Group { count: group.count, state: state(group), ..Group::default() });
        Self { of: self.of.clone(), all: all.collect(), ..Self::default() }
    }

    /// All matter in no group, or in one that was given up, as one group.
    pub fn rest(&self) -> Self {
        let is_at_rest =
            |group: Option<u32>| group.is_some_and(|group| self.all[group as usize].state != SettlingState::GivenUp);
        let of: Vec<_> = self.of.iter().map(|&group| (!is_at_rest(group)).then_some(0)).collect();
        let count = of.iter().flatten().count();
        let all = if count > 0 { vec![Group { count, ..Group::default() }] } else { Vec::new() };
        Self { of, all, ..Self::default() }
    }

    pub fn are_done(&self) -> bool {
        self.all.iter().all(|group| group.state != SettlingState::Moves)
    }

    /// Stops the groups whose motion, the mean square of their speed, has passed its peak. Returns whether any of them
    /// has come to rest now.
    pub fn stop(&mut self, particles: &mut Particles, motions: &[f64]) -> bool {
        let (mut stopped, participation) = (vec![false; self.all.len()], self.bear_weight());
        let mut some_rest = false;
        for ((group, motion), stopped) in self.all.iter_mut().zip(motions).zip(&mut stopped) {
            *stopped = group.state == SettlingState::Moves && group.peaks.passed(*motion);
            if *stopped && group.peaks.are_low(participation) {
                group.state = SettlingState::Rests;
                some_rest = true;
            }
        }
        for (number, velocity) in particles.numbers.iter().zip(&mut particles.velocities) {
            if self.of(*number).is_some_and(|group| stopped[group]) {
                *velocity = DVec3::ZERO;
            }
        }
        some_rest
    }

    /// The groups that have gone farther than matter that comes to rest, by the means of neighbourhoods, as particles
    /// also change places. Matter that rises for lack of room between its walls does not flow away.
    pub fn gone_too_far(&self, particles: &Particles, neighbours: &Neighbours, down: DVec3) -> Vec<usize> {
        if !self.bear_weight() {
            return Vec::new();
        }
        let displacement = |slot: usize| particles.positions[slot] - self.places[particles.numbers[slot] as usize];
        let is_far = |slot: usize| {
            let group = self.of(particles.numbers[slot])?;
            let others = neighbours.of(slot).iter().map(|&other| other as usize).filter(|&other| other != slot);
            let (sum, count) =
                others.fold((displacement(slot), 1.0), |(sum, count), other| (sum + displacement(other), count + 1.0));
            let fallen = sum - sum.dot(down).min(0.0) * down;
            (fallen.length() > count * self.all[group].max_distance).then_some(group)
        };
        let far: Vec<_> = (0..particles.paired).into_par_iter().with_min_len(BATCH).map(is_far).collect();
        let mut gone = vec![0; self.all.len()];
        far.into_iter().flatten().for_each(|group| gone[group] += 1);
        let is_gone = |&group: &usize| {
            let Group { count, state, .. } = self.all[group];
            state == SettlingState::Moves && f64::from(gone[group]) > FEW * count as f64
        };
        (0..gone.len()).filter(is_gone).collect()
    }

    /// Puts the particles of a group back, unstressed.
    pub fn give_up(&mut self, group: usize, particles: &mut Particles) {
        self.all[group].state = SettlingState::GivenUp;
        for (&number, stress) in particles.numbers.iter().zip(&mut particles.stresses) {
            if self.of(number) == Some(group) {
                *stress = Stress::default();
            }
        }
        let Particles { numbers, positions, velocities, .. } = particles;
        for ((&number, position), velocity) in numbers.iter().zip(positions).zip(velocities) {
            if self.of(number) == Some(group) {
                (*position, *velocity) = (self.places[number as usize], DVec3::ZERO);
            }
        }
    }
}

impl Integrator {
    /// The standing matter, as it was filled: connected matter that [may stand](Self::may_stand) and has a wall below.
    pub(super) fn standing(&mut self, particles: &mut Particles, spacing: f64) -> Groups {
        let none = Groups { of: vec![None; particles.len()], ..Groups::default() };
        if self.gravity == DVec3::ZERO {
            return none;
        }
        let _ = self.refresh(particles, &Instant::Settling(0.0));
        let count = particles.paired;
        let may: Vec<bool> = (0..count).map(|slot| self.may_stand(slot, particles)).collect();
        let mut union = Union::new(count);
        for slot in (0..count).filter(|&slot| may[slot]) {
            let near = |&&other: &&u32| {
                let offset = particles.positions[other as usize] - particles.positions[slot];
                may[other as usize] && offset.length_squared() < (TOUCHING * spacing).powi(2)
            };
            self.neighbours.of(slot).iter().filter(near).for_each(|&other| union.unite(slot as u32, other));
        }
        let connected = union.numbered();
        let sets = self.sets(particles, &connected, &may, spacing);
        let mut groups = none;
        let mut numbers = Vec::with_capacity(sets.len());
        for set in &sets {
            let stands = set.stands && !set.is_mixed;
            numbers.push(stands.then_some(groups.all.len() as u32));
            if stands {
                groups.height = groups.height.max(set.high - set.low);
                let max_distance = MAX_DISTANCE * spacing + set.compression(self.gravity);
                groups.all.push(Group { count: set.count, max_distance, yields: set.yields, ..Group::default() });
            }
        }
        for (&number, &set) in particles.numbers.iter().zip(&connected) {
            groups.of[number as usize] = numbers[set as usize];
        }
        groups
    }

    /// Whether a particle may stand: sheets, gases, and moving or floating matter may not. Matter that touches these
    /// stands beside them while they are held.
    fn may_stand(&self, slot: usize, particles: &Particles) -> bool {
        let source = particles.sources[slot];
        let is_gas = matches!(self.solver.law(source).equation, Equation::IdealGas { .. });
        let weighs = self.columns.forces[slot].weight > 0.0;
        !is_gas && weighs && !self.solver.is_sheet(source) && particles.velocities[slot] == DVec3::ZERO
    }

    /// The properties of each set of slots.
    fn sets(&mut self, particles: &Particles, connected: &[u32], may: &[bool], spacing: f64) -> Vec<Set> {
        let count = connected.iter().max().map_or(0, |&last| last as usize + 1);
        let mut sets = vec![Set::default(); count];
        let distances = self.boundary.distances(&particles.positions);
        let down = self.gravity.normalize_or_zero();
        for (slot, &set) in connected.iter().enumerate() {
            let set = &mut sets[set as usize];
            let (depth, law) = (particles.positions[slot].dot(down), self.solver.law(particles.sources[slot]));
            set.count += 1;
            set.low = set.low.min(depth);
            set.high = set.high.max(depth);
            set.stiffness = set.stiffness.min(f64::from(law.modulus / law.rest_density));
            set.yields &= law.yield_stress > 0.0;
            let below = self.columns.walls.of(slot).gradient.as_dvec3().dot(down) > 0.0;
            set.stands |= may[slot] && below && distances[slot] < ON_WALL * spacing;
            // Contact between pieces of soft matter is not felt while it settles.
            let piece = particles.memberships.get(slot).map_or(Membership::NONE.piece, |membership| membership.piece);
            set.is_mixed |= *set.piece.get_or_insert(piece) != piece;
        }
        sets
    }
}

/// Connected particles.
#[derive(Debug, Clone, Copy)]
struct Set {
    count: usize,
    /// Whether a wall is below some of it.
    stands: bool,
    /// Whether it has several pieces of soft matter, or soft and other matter.
    is_mixed: bool,
    /// Least and largest depth, m.
    low: f64,
    high: f64,
    /// The least stiffness in it, m^2/s^2.
    stiffness: f64,
    /// Whether all of it has a yield stress.
    yields: bool,
    /// Its piece of soft matter.
    piece: Option<u32>,
}

impl Default for Set {
    fn default() -> Self {
        let (low, high, stiffness) = (f64::INFINITY, f64::NEG_INFINITY, f64::INFINITY);
        Self { count: 0, stands: false, is_mixed: false, low, high, stiffness, yields: true, piece: None }
    }
}

impl Set {
    /// Approximate displacement by compression and lateral spread under its weight, m.
    fn compression(&self, gravity: DVec3) -> f64 {
        gravity.length() * (self.high - self.low).powi(2) / self.stiffness
    }
}
