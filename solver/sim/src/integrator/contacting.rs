//! Contact of pieces of soft matter within a frame, DG95 section 5.
//!
//! The force of a patch of skin depends on many particles, so it is found for all of a touching group at once, whenever
//! the steps of the group end. All its particles take the same steps, so that both sides of a patch are pushed at the
//! same times.

use super::Integrator;
use super::apart::Apart;
use super::bins::NoStepShortEnough;
use super::expectation::Expectation;
use super::instant::Instant;
use crate::boundary::{Missing, Times};
use crate::bounds::Bounds;
use crate::material::Now;
use crate::material::soft::{
    ContactParticle, FARTHEST, MARGIN, Moment, Nearness, Overspeed, Peak, Pressures, Touching, felt_reach,
};
use crate::neighbours::BATCH;
use crate::particles::{Membership, Particles, slots};
use crate::timeline::{self, Timeline};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Pieces farther apart than this, spacings, are watched together.
const HORIZON: f64 = 16.0;

/// Acceleration by other pieces, m/s^2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Touched {
    /// By the stored energy of the contact.
    pub push: Vec3,
    /// By friction.
    pub friction: Vec3,
}

/// The contacts of a scene with soft matter.
#[derive(Debug)]
pub struct Contacts {
    /// Contact properties of soft bodies.
    bodies: Vec<Touching>,
    /// The index in `bodies` of each body of the scene; none for bodies that are not soft.
    places: Vec<Option<u32>>,
    /// Particle spacing, m.
    spacing: f64,
    apart: Apart,
    nearness: Nearness,
    /// Slots of the particles of the zone, and their state.
    zone: Vec<u32>,
    contact_particles: Vec<ContactParticle>,
    /// Bin of the longest steps of each group, and whether each group is due.
    bins: Vec<u8>,
    due: Vec<bool>,
    /// Present and peak pressures since they were last [taken](Integrator::take_peaks).
    pressures: Pressures,
    /// The tick of the frame at which pressures were last found.
    tick: u32,
    /// The largest overspeed since it was last [taken](Integrator::take_overspeed).
    overspeed: Overspeed,
}

impl Contacts {
    /// The contacts of bodies with some contact properties at a particle spacing, m; none where no matter is soft.
    pub fn new(touchings: &[Option<Touching>], spacing: f64) -> Option<Self> {
        let bodies: Vec<Touching> = touchings.iter().copied().flatten().collect();
        let softest = bodies.iter().map(Touching::stiffness).fold(f64::INFINITY, f64::min);
        let mut count = 0..;
        let places = touchings.iter().map(|touching| touching.and_then(|_| count.next())).collect();
        (!bodies.is_empty()).then(|| Self {
            bodies,
            places,
            spacing,
            apart: Apart::default(),
            nearness: Nearness::default(),
            zone: Vec::new(),
            contact_particles: Vec::new(),
            bins: Vec::new(),
            due: Vec::new(),
            pressures: Pressures::new(softest, spacing),
            tick: 0,
            overspeed: Overspeed::default(),
        })
    }

    /// The pressures between pieces.
    pub fn pressures(&self) -> &Pressures {
        &self.pressures
    }

    /// The pressures between pieces, to be set.
    pub fn pressures_mut(&mut self) -> &mut Pressures {
        &mut self.pressures
    }

    /// A slot of the zone with the shortest steps, and these, s; none where nothing touches.
    pub(super) fn shortest(&self) -> Option<(usize, f64)> {
        let steps = self.zone.iter().zip(&self.nearness.groups);
        let steps = steps.map(|(&slot, &group)| (slot as usize, self.nearness.steps[group as usize]));
        steps.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Energy of all patches when last found, J.
    pub fn energy(&self) -> f64 {
        self.nearness.energy()
    }

    /// Memory for a number of particles, bytes: as if a face of all matter lay on another.
    pub fn memory(&self, count: usize) -> usize {
        let face = (count as f64).powf(2.0 / 3.0) as usize;
        self.apart.memory()
            + face * (Nearness::memory_of_a_hub() + 3 * (size_of::<ContactParticle>() + size_of::<u32>()))
    }

    /// Adds boxes of further displacements to those of some batches.
    pub(super) fn go(&mut self, gone: impl Iterator<Item = (usize, Bounds)>) {
        if self.apart.len() > 1 {
            gone.for_each(|(batch, gone)| self.apart.go(batch, gone));
        }
    }

    /// Begins a frame.
    fn begin(&mut self, particles: &Particles) {
        self.apart.begin(particles);
        (self.nearness, self.tick) = (Nearness::default(), 0);
        self.zone.clear();
    }

    /// Boxes around pieces, given all places by slot, m.
    fn boxes(&self, particles: &Particles, places: &[DVec3]) -> Vec<Bounds> {
        let mut boxes = vec![Bounds::NONE; self.apart.len()];
        for (membership, &place) in particles.memberships.iter().zip(places) {
            if let Some(at) = self.apart.place(membership.piece) {
                boxes[at] = boxes[at].with(place);
            }
        }
        boxes
    }

    /// Pairs of near boxes, and how far their displacements may differ before they may touch in new places, m.
    fn pairs(&self, boxes: &[Bounds]) -> Vec<([u32; 2], f64)> {
        let room = |gap: f64| (gap - FARTHEST * self.spacing).max(MARGIN * self.spacing);
        let near = |a: usize| {
            let others = (a + 1..boxes.len()).map(move |b| (b, boxes[a].gap(&boxes[b])));
            let others = others.filter(|&(_, gap)| gap < HORIZON * self.spacing);
            others.map(move |(b, gap)| ([a as u32, b as u32], room(gap)))
        };
        (0..boxes.len()).flat_map(near).collect()
    }

    /// The particles, in the order of their numbers, that may touch others or be felt where these touch, given all
    /// places by slot and the boxes of near pieces.
    fn near_others(
        &self,
        particles: &Particles,
        places: &[DVec3],
        boxes: &[Bounds],
        pairs: &[([u32; 2], f64)],
        now: impl Fn(usize) -> Now + Sync,
    ) -> Vec<ContactParticle> {
        let touch = (FARTHEST + MARGIN) * self.spacing;
        let mut others = vec![Vec::new(); boxes.len()];
        for [a, b] in pairs.iter().map(|&(pair, _)| pair.map(|at| at as usize)) {
            if boxes[a].gap(&boxes[b]) < touch {
                others[a].push(boxes[b]);
                others[b].push(boxes[a]);
            }
        }
        if others.iter().all(Vec::is_empty) {
            return Vec::new();
        }
        let offset = particles.volumes.iter().map(|volume| f64::from(volume.offset)).fold(0.0, f64::max);
        let reach = self.bodies.iter().map(|body| body.skin.reach).fold(0.0, f64::max) + offset;
        let near = touch + felt_reach(reach, self.spacing);
        let candidate = |slot: usize| {
            let others = &others[self.apart.place(particles.memberships[slot].piece)?];
            let is_near = others.iter().any(|other| other.distance(places[slot]) < near);
            is_near
                .then(|| contact_particle(particles, slot, &now(slot), self.places[particles.sources[slot] as usize]))
        };
        let each = (0..particles.len()).into_par_iter().with_min_len(1024);
        let mut contact_particles: Vec<ContactParticle> = each.filter_map(candidate).collect();
        contact_particles.par_sort_unstable_by_key(|contact_particle| contact_particle.number);
        contact_particles
    }

    /// Chooses the longest steps of each group.
    ///
    /// # Errors
    /// When no step is short enough for a group.
    fn choose_bins(&mut self, interval: f64, timeline: Timeline) -> Result<(), NoStepShortEnough> {
        let Self { nearness, zone, bins, .. } = self;
        bins.clear();
        for (group, &wanted) in (0..).zip(&nearness.steps) {
            let first = || nearness.groups.iter().position(|&of| of == group).map_or(0, |at| zone[at] as usize);
            let ratio = interval / wanted;
            bins.push(timeline.bin(ratio * ratio).map_err(|_| NoStepShortEnough { slot: first(), wanted })?);
        }
        Ok(())
    }

    /// The slots of the zone, and the bin of the longest steps that each may take.
    fn least_bins(&self) -> impl Iterator<Item = (u32, u8)> {
        self.zone.iter().zip(&self.nearness.groups).map(|(&slot, &group)| (slot, self.bins[group as usize]))
    }

    /// Finds the slots of the zone, after the particles were reordered.
    fn locate(&mut self, particles: &Particles) {
        if self.nearness.zone.is_empty() {
            self.zone.clear();
            return;
        }
        let slots = slots(particles);
        self.zone = self.nearness.zone.iter().map(|&number| slots[number as usize]).collect();
    }
}

impl Integrator {
    /// Finds the contacts of all matter at the start of a frame; settling matter has none.
    ///
    /// # Errors
    /// When no step is short enough for a contact.
    pub(super) fn begin_contacts(&mut self, particles: &Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.columns.touched.clear();
        let Some(contacts) = &mut self.contacts else { return Ok(()) };
        contacts.begin(particles);
        if contacts.apart.len() > 1 && matches!(instant, Instant::Tick { .. }) {
            self.columns.touched.resize(particles.len(), Touched::default());
        }
        self.find_contacts(particles, instant)
    }

    /// Finds the contacts at an instant at which steps of touching particles end.
    ///
    /// # Errors
    /// When no step is short enough for a contact.
    pub(super) fn find_contacts(&mut self, particles: &Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        if !matches!(instant, Instant::Tick { .. }) {
            return Ok(());
        }
        let Some(mut contacts) = self.contacts.take_if(|contacts| contacts.apart.len() > 1) else { return Ok(()) };
        let found = self.find_patches(&mut contacts, particles, instant);
        self.contacts = Some(contacts);
        found
    }

    fn find_patches(
        &mut self,
        contacts: &mut Contacts,
        particles: &Particles,
        instant: &Instant,
    ) -> Result<(), NoStepShortEnough> {
        let (time, velocities) = (instant.time(), &self.velocities);
        let is_new = !contacts.apart.holds(|batch| velocities[batch].gone(time));
        if is_new {
            self.look_for_contacts(contacts, particles, instant)?;
        }
        self.press(contacts, particles, instant);
        // Only after `press`: it would take particles whose steps go on to be where these began.
        if is_new {
            self.columns.shorten_steps(contacts.least_bins(), instant);
        }
        Ok(())
    }

    /// Finds the contact forces of the groups whose steps end.
    fn press(&mut self, contacts: &mut Contacts, particles: &Particles, instant: &Instant) {
        let Contacts { bodies, nearness, zone, contact_particles, bins, due, .. } = contacts;
        due.clear();
        due.resize(bins.len(), false);
        for (&slot, &group) in zone.iter().zip(&nearness.groups) {
            due[group as usize] |= self.columns.bins[slot as usize] >= instant.least_bin();
        }
        if !due.contains(&true) {
            return;
        }
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let zoned = zone.par_iter().with_min_len(256);
        zoned
            .map(|&slot| {
                let slot = slot as usize;
                contact_particle(
                    particles,
                    slot,
                    &expectation.now(instant, slot),
                    contacts.places[particles.sources[slot] as usize],
                )
            })
            .collect_into_vec(contact_particles);
        let steps: Vec<f64> =
            bins.iter().map(|&bin| timeline::seconds(self.timeline.ticks(bin), self.interval)).collect();
        let moment = Moment { tick: instant.tick(), second: timeline::seconds(1, self.interval), due, steps: &steps };
        nearness.find(contact_particles, bodies, contacts.spacing, &moment);
        contacts.overspeed = contacts.overspeed.worse(nearness.overspeed());
        let since = instant.since(std::mem::replace(&mut contacts.tick, instant.tick()));
        contacts.pressures.add(since, nearness.pressed(due));
        let forces = nearness.pushes.iter().zip(&nearness.frictions);
        for ((&slot, &group), (push, friction)) in zone.iter().zip(&nearness.groups).zip(forces) {
            if due[group as usize] {
                let mass = particles.mass(slot as usize, &self.solver);
                let touched = Touched { push: (*push / mass).as_vec3(), friction: (*friction / mass).as_vec3() };
                self.columns.touched[slot as usize] = touched;
            }
        }
    }

    /// Finds the contact candidates among all soft matter.
    fn look_for_contacts(
        &mut self,
        contacts: &mut Contacts,
        particles: &Particles,
        instant: &Instant,
    ) -> Result<(), NoStepShortEnough> {
        // Displacements count from now on.
        self.take_all(particles, instant);
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let now = |slot: usize| expectation.now(instant, slot);
        let each = (0..particles.len()).into_par_iter().with_min_len(1024);
        let places: Vec<DVec3> = each.map(|slot| now(slot).position).collect();
        let boxes = contacts.boxes(particles, &places);
        let pairs = contacts.pairs(&boxes);
        let contact_particles = contacts.near_others(particles, &places, &boxes, &pairs, now);
        contacts.apart.see(pairs, (HORIZON - FARTHEST) * contacts.spacing);
        for &slot in &contacts.zone {
            self.columns.touched[slot as usize] = Touched::default();
        }
        let before = std::mem::take(&mut contacts.nearness);
        contacts.nearness = Nearness::new(&contact_particles, &contacts.bodies, contacts.spacing).after(&before);
        contacts.locate(particles);
        contacts.choose_bins(self.interval, self.timeline)
    }

    /// Gives touching particles the longest steps that the frame's division has for them.
    pub(super) fn shorten_contact_steps(&mut self, instant: &Instant) {
        let Some(contacts) = self.contacts.as_mut().filter(|contacts| contacts.apart.len() > 1) else { return };
        // An error for a step too short was already returned.
        let _ = contacts.choose_bins(self.interval, self.timeline);
        self.columns.shorten_steps(contacts.least_bins(), instant);
    }

    /// The square of the frame's length over the longest step that contact allows each of some particles, by slot;
    /// empty where nothing touches.
    pub(super) fn steps_of_contacts(&self, count: usize) -> Vec<f64> {
        let Some(contacts) = self.contacts.as_ref().filter(|contacts| !contacts.zone.is_empty()) else {
            return Vec::new();
        };
        let mut squared = vec![0.0; count];
        for (&slot, &group) in contacts.zone.iter().zip(&contacts.nearness.groups) {
            squared[slot as usize] = (self.interval / contacts.nearness.steps[group as usize]).powi(2);
        }
        squared
    }

    /// Sets the steps of each touching group to the shortest of its particles. Returns whether there are any groups.
    pub(super) fn level_contacts(&mut self, instant: &Instant) -> bool {
        let Some(contacts) = &self.contacts else { return false };
        let mut shortest = vec![0; contacts.bins.len()];
        let zone = || contacts.zone.iter().map(|&slot| slot as usize).zip(&contacts.nearness.groups);
        for (slot, &group) in zone() {
            shortest[group as usize] = self.columns.bins[slot].max(shortest[group as usize]);
        }
        for (slot, &group) in zone() {
            if !self.columns.asleep[slot] {
                self.columns.cut_short(slot, shortest[group as usize], instant);
            }
        }
        !contacts.zone.is_empty()
    }

    /// Call before particles are reordered.
    pub(super) fn leave_batches(&mut self, instant: &Instant) {
        let (velocities, time) = (&mut self.velocities, instant.time());
        let Some(contacts) = self.contacts.as_mut().filter(|contacts| contacts.apart.len() > 1) else { return };
        contacts.apart.leave(|batch| velocities[batch].gone(time));
    }

    /// Call after particles were reordered.
    pub(super) fn join_batches(&mut self, particles: &Particles) {
        let Some(contacts) = self.contacts.as_mut().filter(|contacts| contacts.apart.len() > 1) else { return };
        contacts.apart.join(particles);
        contacts.locate(particles);
        // Earlier velocities no longer count in displacements.
        self.velocities.clear();
    }

    /// The largest overspeed since the last call.
    pub fn take_overspeed(&mut self) -> Overspeed {
        self.contacts.as_mut().map(|contacts| std::mem::take(&mut contacts.overspeed)).unwrap_or_default()
    }

    /// The offsets from all particles of soft matter to walls within reach, m, by particle number, at a time, s; zero
    /// where there is no wall.
    pub fn offsets_to_walls(&mut self, particles: &Particles, reach: f64, time: f64) -> Vec<DVec3> {
        if reach <= 0.0 {
            return Vec::new();
        }
        loop {
            let walls = self.boundary.at(Times::Still(time));
            let displacement = |slot: usize| -> Result<DVec3, Missing> {
                if particles.memberships[slot] == Membership::NONE {
                    return Ok(DVec3::ZERO);
                }
                Ok(walls.nearest(particles.positions[slot], reach)?.unwrap_or(DVec3::ZERO))
            };
            let displacements: Vec<_> =
                (0..particles.len()).into_par_iter().with_min_len(BATCH).map(displacement).collect();
            let missing: Vec<Missing> = displacements.iter().filter_map(|one| one.err()).collect();
            if missing.is_empty() {
                return particles.by_number(displacements.into_iter().map(Result::unwrap_or_default));
            }
            self.boundary.make(&missing);
        }
    }

    /// The peaks of the pressure on pairs of particles, by their numbers, since the last call.
    pub fn take_peaks(&mut self) -> BTreeMap<[u32; 2], Peak> {
        self.contacts.as_mut().map(|contacts| contacts.pressures.take_peaks()).unwrap_or_default()
    }
}

/// The contact state of a soft particle in some slot.
fn contact_particle(particles: &Particles, slot: usize, now: &Now, body: Option<u32>) -> ContactParticle {
    ContactParticle {
        number: particles.numbers[slot],
        place: now.position,
        velocity: now.velocity,
        offset: f64::from(particles.volumes[slot].offset),
        membership: particles.memberships[slot],
        body: body.unwrap_or(0),
    }
}
