//! Contact of pieces of soft matter within a frame, DG95 section 5.
//!
//! What a patch of skin does depends on many particles, so it is found for all that touch at once: at ticks at equal times, where the steps of all of these end.
//! There it kicks them, by half at both ends of a frame: a leapfrog around that of the pairs (Tuckerman et al. 1992), which keeps energy
//! where forces that are held over a step would feed it.

use super::Integrator;
use super::account::Account;
use super::expectation::Expectation;
use super::instant::Instant;
use crate::boundary::{Missing, Times};
use crate::material::soft::{Contact, Kinship, Mover, Nearness, Pressures, Touching, longest_step};
use crate::neighbours::BATCH;
use crate::particles::{Particles, slots};
use crate::timeline::{self, MAX_BIN, TICKS};
use dollop_scene::{Material, Scene};
use glam::DVec3;
use rayon::prelude::*;

/// The contacts of a scene with soft matter.
#[derive(Debug)]
pub struct Contacts {
    /// How each body touches.
    bodies: Vec<Option<Touching>>,
    /// m.
    spacing: f64,
    /// s.
    longest_step: f64,
    /// Bin of the steps of this frame; none where all is of one piece.
    bin: Option<u8>,
    nearness: Nearness,
    /// As it was found last.
    contact: Contact,
    /// Those that this acts on.
    numbers: Vec<u32>,
    /// What has been pressed since they were [taken](Integrator::take_pressures).
    pressures: Pressures,
}

impl Contacts {
    /// Those of a scene; none where no matter is soft.
    pub fn new(scene: &Scene) -> Option<Self> {
        let spacing = scene.particle_spacing;
        let of = |material: &Material| match material {
            Material::Soft(soft) => Some(Touching::new(soft, spacing)),
            Material::Smoothed(_) | Material::Thermal(_) | Material::Oriented(_) => None,
        };
        let bodies: Vec<_> = scene.bodies.iter().map(|body| of(&body.material)).collect();
        let soft: Vec<Touching> = bodies.iter().copied().flatten().collect();
        (!soft.is_empty()).then(|| Self {
            bodies,
            spacing,
            longest_step: longest_step(&soft, spacing),
            bin: None,
            nearness: Nearness::default(),
            contact: Contact::default(),
            numbers: Vec::new(),
            pressures: Pressures::default(),
        })
    }

    /// Energy of all patches when they were found last, J.
    pub fn energy(&self) -> f64 {
        self.contact.energy
    }

    /// The tick at which they are to be found next.
    pub fn next(&self, tick: u32) -> u32 {
        self.bin.map_or(u32::MAX, |bin| timeline::end_after(bin, tick))
    }
}

impl Integrator {
    /// Finds the contacts at the start of a frame, and brings the steps of what touches together.
    pub(super) fn begin_contacts(&mut self, particles: &Particles, instant: &Instant) {
        let Some(mut contacts) = self.contacts.take() else { return };
        contacts.contact = Contact::default();
        contacts.nearness = Nearness::default();
        contacts.numbers.clear();
        let mut pieces = particles.kinships.iter().map(|kinship| kinship.piece).filter(|&piece| piece != u32::MAX);
        let first = pieces.next();
        contacts.bin = pieces.any(|piece| Some(piece) != first).then(|| {
            let ratio = self.interval / contacts.longest_step;
            timeline::bin(ratio * ratio).unwrap_or(MAX_BIN)
        });
        if contacts.bin.is_some() {
            self.find_contacts(&mut contacts, particles, instant);
            while self.match_all() {}
        }
        self.contacts = Some(contacts);
    }

    /// The kicks of the contacts as they were found at the start of a frame.
    pub(super) fn first_kick(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let Some(contacts) = self.contacts.take() else { return Account::default() };
        let account = self.kick_contacts(&contacts, particles, instant, 0.5);
        self.contacts = Some(contacts);
        account
    }

    /// Finds the contacts at a tick at which the steps of what touches have ended, and kicks it.
    pub(super) fn step_contacts(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let Some(mut contacts) = self.contacts.take() else { return Account::default() };
        self.find_contacts(&mut contacts, particles, instant);
        let seconds = contacts.seconds(self.interval);
        let part = if instant.tick() == TICKS { 0.5 } else { 1.0 };
        contacts.pressures.add(&contacts.contact.pressed, seconds);
        let account = self.kick_contacts(&contacts, particles, instant, part);
        self.contacts = Some(contacts);
        account
    }

    /// The ways from all particles of soft matter to walls within reach, m, by particle number, at a time, s; zero where there is none.
    pub fn ways_to_walls(&mut self, particles: &Particles, reach: f64, time: f64) -> Vec<DVec3> {
        if reach <= 0.0 {
            return Vec::new();
        }
        loop {
            let walls = self.boundary.at(Times::Still(time));
            let way = |slot: usize| -> Result<DVec3, Missing> {
                if particles.kinships[slot] == Kinship::NONE {
                    return Ok(DVec3::ZERO);
                }
                Ok(walls.nearest(particles.positions[slot], reach)?.unwrap_or(DVec3::ZERO))
            };
            let ways: Vec<_> = (0..particles.len()).into_par_iter().with_min_len(BATCH).map(way).collect();
            let missing: Vec<Missing> = ways.iter().filter_map(|way| way.err()).collect();
            if missing.is_empty() {
                return particles.by_number(ways.into_iter().map(Result::unwrap_or_default));
            }
            self.boundary.make(&missing);
        }
    }

    /// What was pressed since this was asked last.
    pub fn take_pressures(&mut self) -> Pressures {
        self.contacts.as_mut().map(|contacts| std::mem::take(&mut contacts.pressures)).unwrap_or_default()
    }

    fn find_contacts(&mut self, contacts: &mut Contacts, particles: &Particles, instant: &Instant) {
        let slots = slots(particles);
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let mover = |(number, &slot): (u32, &u32)| {
            let slot = slot as usize;
            let touching = contacts.bodies[particles.sources[slot] as usize]?;
            let now = expectation.now(instant, slot);
            Some(Mover {
                number,
                place: now.position,
                velocity: now.velocity,
                offset: f64::from(particles.volumes[slot].offset),
                kinship: particles.kinships[slot],
                touching,
            })
        };
        let numbered: Vec<(u32, &u32)> = (0..).zip(&slots).collect();
        let movers: Vec<Mover> = numbered.into_par_iter().with_min_len(1024).filter_map(mover).collect();
        if !contacts.nearness.holds(&movers, contacts.spacing) {
            contacts.nearness = Nearness::new(&movers, contacts.spacing);
            let zone = contacts.nearness.zone.iter().map(|&at| slots[movers[at as usize].number as usize]);
            self.columns.hasten(zone, contacts.bin.unwrap_or(0));
        }
        let seconds = contacts.seconds(self.interval);
        contacts.contact = contacts.nearness.contact(&movers, (seconds, contacts.spacing));
        contacts.numbers = contacts.nearness.zone.iter().map(|&at| movers[at as usize].number).collect();
    }

    /// Kicks what touches over a part of the time between two kicks.
    fn kick_contacts(
        &mut self,
        contacts: &Contacts,
        particles: &mut Particles,
        instant: &Instant,
        part: f64,
    ) -> Account {
        let mut account = Account::default();
        if contacts.numbers.is_empty() {
            return account;
        }
        let (slots, seconds) = (slots(particles), part * contacts.seconds(self.interval));
        let forces = contacts.contact.pushes.iter().zip(&contacts.contact.rubs);
        for (&number, (&push, &rub)) in contacts.numbers.iter().zip(forces) {
            let slot = slots[number as usize] as usize;
            // What sleeps is held by all that acts on it.
            if self.columns.asleep[slot] || (push + rub).length_squared() == 0.0 {
                continue;
            }
            let mass = particles.mass(slot, &self.solver);
            let before = particles.velocities[slot];
            let after = before + (push + rub) * (seconds / mass);
            account.work += push.dot(before.midpoint(after)) * seconds;
            account.impulse += (push + rub) * seconds;
            particles.velocities[slot] = after;
            let (force, wall) = (&self.columns.forces[slot], self.columns.walls.of(slot));
            let until = instant.until_end(self.columns.bins[slot], self.columns.began[slot]);
            let range = self.limits().velocities(until, after, force, wall);
            let of_batch = &mut self.velocities[slot / BATCH].range;
            *of_batch = of_batch.union(range);
        }
        account
    }
}

impl Contacts {
    /// Seconds between two kicks in a frame of some seconds.
    fn seconds(&self, interval: f64) -> f64 {
        self.bin.map_or(0.0, |bin| timeline::seconds(timeline::ticks(bin), interval))
    }
}
