//! The particles that may touch, and the contact forces of all.

use super::patch::{ContactCandidates, ContactMatter, Other, Overspeed, PatchForces, Pressed, memory_of_a_candidate};
use super::touching::{Touching, stiffness};
use super::{ContactParticle, FARTHEST, MARGIN};
use crate::hash_grid::HashGrid;
use crate::union::Union;
use glam::DVec3;
use rayon::prelude::*;

/// The contact candidates, and the last contact forces.
#[derive(Debug, Default)]
pub struct Nearness {
    candidates: Vec<ContactCandidates>,
    /// Numbers of all particles whose fields may be felt where pieces touch, in order.
    pub zone: Vec<u32>,
    /// The group of each particle of the zone. Particles of different groups do not act on each other.
    pub groups: Vec<u32>,
    /// The longest step over which the contact force of each group may be held, s.
    pub steps: Vec<f64>,
    /// Elastic contact forces on the particles of the zone, N.
    pub pushes: Vec<DVec3>,
    /// Friction on the particles of the zone, N.
    pub frictions: Vec<DVec3>,
    /// The load on each particle of the zone by its share of all patches, N.
    loads: Vec<f64>,
}

/// An instant at which contacts are found.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Tick of the frame.
    pub tick: u32,
    /// Seconds of a tick.
    pub second: f64,
    /// Whether each group is found.
    pub due: &'a [bool],
    /// Longest step of each group, s, where the step before is unknown.
    pub steps: &'a [f64],
}

/// Selects one field of [`PatchForces`].
type Parts = fn(&PatchForces) -> &Vec<DVec3>;

impl Nearness {
    /// Finds the candidates of some matter, in the order of numbers, at a spacing, m. They hold until two touching
    /// pieces have moved by more than [`MARGIN`] relative to each other.
    pub fn new(contact_particles: &[ContactParticle], bodies: &[Touching], spacing: f64) -> Self {
        let touched = touching(contact_particles, spacing);
        if touched.is_empty() {
            return Self::default();
        }
        let reach = |contact_particle: &ContactParticle| {
            bodies[contact_particle.body as usize].skin.reach + contact_particle.offset
        };
        let felt = felt_reach(contact_particles.iter().map(reach).fold(0.0, f64::max), spacing);
        let cells = HashGrid::new(felt, contact_particles.iter().map(|contact_particle| contact_particle.place));
        let candidate = |(own, others): (u32, Vec<u32>)| {
            let contact_particle = &contact_particles[own as usize];
            let mut pieces = vec![contact_particle.membership.piece];
            pieces.extend(others.iter().map(|&other| contact_particles[other as usize].membership.piece));
            pieces.sort_unstable();
            pieces.dedup();
            let is_near = |&other: &u32| {
                let it = &contact_particles[other as usize];
                it.place.distance_squared(contact_particle.place) < felt * felt
                    && pieces.binary_search(&it.membership.piece).is_ok()
            };
            let mut near: Vec<u32> = cells.around(contact_particle.place).filter(is_near).collect();
            near.sort_unstable();
            let at = |of: u32| near.partition_point(|&other| other < of) as u32;
            let other =
                |of: u32| Other { number: contact_particles[of as usize].number, at: at(of), held: DVec3::ZERO };
            let others = others.into_iter().map(other).collect();
            ContactCandidates {
                number: contact_particle.number,
                own: at(own),
                others,
                near,
                ..ContactCandidates::default()
            }
        };
        let candidates = touched.into_par_iter().map(candidate).collect();
        Self { candidates, ..Self::default() }.numbered(contact_particles).grouped(contact_particles, bodies, spacing)
    }

    /// Adds the zone, and turns the near particles' places into places in it.
    fn numbered(mut self, contact_particles: &[ContactParticle]) -> Self {
        let mut places = vec![u32::MAX; contact_particles.len()];
        self.candidates.iter().flat_map(|candidate| &candidate.near).for_each(|&at| places[at as usize] = 0);
        for (place, contact_particle) in places.iter_mut().zip(contact_particles).filter(|(place, _)| **place == 0) {
            *place = self.zone.len() as u32;
            self.zone.push(contact_particle.number);
        }
        for at in self.candidates.iter_mut().flat_map(|candidate| &mut candidate.near) {
            *at = places[*at as usize];
        }
        self
    }

    /// Adds the groups and their steps.
    fn grouped(mut self, contact_particles: &[ContactParticle], bodies: &[Touching], spacing: f64) -> Self {
        /// Part of the time that sound in the matter takes for a spacing.
        const STEP: f64 = 0.15;
        let mut union = Union::new(self.zone.len());
        for candidate in &self.candidates {
            candidate.near.windows(2).for_each(|pair| union.unite(pair[0], pair[1]));
        }
        self.groups = union.numbered();
        let count = self.groups.iter().max().map_or(0, |most| most + 1);
        let body = |number: u32| {
            let at = contact_particles.partition_point(|contact_particle| contact_particle.number < number);
            &bodies[contact_particles[at].body as usize]
        };
        let mut fastest = vec![0.0_f64; count as usize];
        for candidate in &mut self.candidates {
            candidate.group = self.groups[candidate.near[candidate.own as usize] as usize];
            let own = body(candidate.number);
            let stiffest = candidate.others.iter().map(|other| stiffness(own, body(other.number))).fold(0.0, f64::max);
            let of_group = &mut fastest[candidate.group as usize];
            *of_group = of_group.max(stiffest);
        }
        self.steps = fastest.into_iter().map(|fastest| STEP * spacing / fastest.sqrt()).collect();
        self
    }

    /// Takes over the spring forces of the candidates before.
    #[must_use]
    pub fn after(mut self, before: &Self) -> Self {
        for candidate in &mut self.candidates {
            let Ok(at) = before.candidates.binary_search_by_key(&candidate.number, |candidate| candidate.number) else {
                continue;
            };
            let known = &before.candidates[at];
            candidate.tick = known.tick;
            for other in &mut candidate.others {
                if let Ok(at) = known.others.binary_search_by_key(&other.number, |other| other.number) {
                    other.held = known.others[at].held;
                }
            }
        }
        self
    }

    /// Finds the contact forces between pieces in the due groups, given the particles of the [zone](Self::zone) and all
    /// bodies at a spacing, m.
    pub fn find(
        &mut self,
        contact_particles: &[ContactParticle],
        bodies: &[Touching],
        spacing: f64,
        moment: &Moment<'_>,
    ) {
        let matter = ContactMatter { contact_particles, bodies, spacing };
        let due = |candidate: &&mut ContactCandidates| moment.due[candidate.group as usize];
        let candidates = self.candidates.par_iter_mut().with_min_len(4);
        candidates.filter(due).for_each(|candidate| {
            let since = candidate.tick.map_or(0, |tick| moment.tick - tick);
            (candidate.tick, candidate.seconds) = (Some(moment.tick), f64::from(since) * moment.second);
            candidate.find(&matter);
        });
        let is_due = |candidate: &&ContactCandidates| moment.due[candidate.group as usize];
        self.loads.clear();
        self.loads.resize(self.zone.len(), 0.0);
        for candidate in self.candidates.iter().filter(is_due) {
            candidate.near.iter().zip(&candidate.found.loads).for_each(|(&at, load)| self.loads[at as usize] += load);
        }
        let loads = &self.loads;
        self.candidates.par_iter_mut().with_min_len(4).filter(due).for_each(|candidate| {
            let seconds =
                if candidate.seconds > 0.0 { candidate.seconds } else { moment.steps[candidate.group as usize] };
            candidate.friction(&matter, loads, seconds);
        });
        for (sums, parts) in
            [(&mut self.pushes, PatchForces::pushes as Parts), (&mut self.frictions, PatchForces::frictions)]
        {
            sums.clear();
            sums.resize(self.zone.len(), DVec3::ZERO);
            for candidate in self.candidates.iter().filter(is_due) {
                candidate.near.iter().zip(parts(&candidate.found)).for_each(|(&at, part)| sums[at as usize] += *part);
            }
        }
    }

    /// Energy of all patches when last found, J.
    pub fn energy(&self) -> f64 {
        self.candidates.iter().map(|candidate| candidate.found.energy).sum()
    }

    /// The pressed patches of the due groups, and for how many seconds each was pressed.
    pub fn pressed<'a>(&'a self, due: &'a [bool]) -> impl Iterator<Item = (&'a [Pressed], f64)> + Clone {
        let candidates = self.candidates.iter().filter(|candidate| due[candidate.group as usize]);
        candidates.map(|candidate| (candidate.found.pressed.as_slice(), candidate.seconds))
    }

    /// Memory of a particle of a face that lies on another, bytes: half a candidate with some twelve others and sixty
    /// near.
    pub fn memory_of_a_hub() -> usize {
        const OTHERS: usize = 12;
        const NEAR: usize = 60;
        memory_of_a_candidate(OTHERS, NEAR) / 2
    }

    /// The largest overspeed when contacts were last found.
    pub fn overspeed(&self) -> Overspeed {
        self.candidates.iter().map(|candidate| candidate.found.overspeed).fold(Overspeed::default(), Overspeed::worse)
    }
}

/// The particles that may touch others of another piece and with higher places, with these others, in order.
fn touching(contact_particles: &[ContactParticle], spacing: f64) -> Vec<(u32, Vec<u32>)> {
    let pair = (FARTHEST + MARGIN) * spacing;
    let cells = HashGrid::new(pair, contact_particles.iter().map(|contact_particle| contact_particle.place));
    let touched = |own: usize| {
        let contact_particle = &contact_particles[own];
        let touches = |&other: &u32| {
            let it = &contact_particles[other as usize];
            other as usize > own
                && !it.membership.blends(&contact_particle.membership)
                && it.place.distance_squared(contact_particle.place) < pair * pair
        };
        let mut others: Vec<u32> = cells.around(contact_particle.place).filter(touches).collect();
        others.sort_unstable();
        (!others.is_empty()).then_some((own as u32, others))
    };
    (0..contact_particles.len()).into_par_iter().with_min_len(256).filter_map(touched).collect()
}

/// The distance from a touching particle within which fields may be felt between it and others, m, given their largest
/// reach.
pub fn felt_reach(reach: f64, spacing: f64) -> f64 {
    (reach + (FARTHEST / 2.0 + MARGIN) * spacing).max((FARTHEST + MARGIN) * spacing)
}
