//! Contact of pieces of soft matter within a frame, DG95 section 5.
//!
//! What a patch of skin does depends on many particles, so it is found for all that touch at once, whenever the steps of these end. They all take
//! the same steps, so that both sides of a patch are pushed at the same times.

use super::Integrator;
use super::expectation::Expectation;
use super::instant::Instant;
use crate::boundary::{Missing, Times};
use crate::material::soft::{Contact, Kinship, Mover, Nearness, Peak, Pressures, Touching, longest_step};
use crate::neighbours::BATCH;
use crate::particles::{Particles, slots};
use crate::timeline::{self, MAX_BIN};
use dollop_scene::{Material, Scene};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Acceleration by other pieces, m/s^2.
#[derive(Debug, Clone, Copy, Default)]
pub struct Touched {
    /// By what is stored in the contact.
    pub push: Vec3,
    /// By friction.
    pub rub: Vec3,
}

/// The contacts of a scene with soft matter.
#[derive(Debug)]
pub struct Contacts {
    /// How each body touches.
    bodies: Vec<Option<Touching>>,
    /// m.
    spacing: f64,
    /// s.
    longest_step: f64,
    /// Bin of the longest steps of what touches in this frame; none where all is of one piece.
    bin: Option<u8>,
    nearness: Nearness,
    /// Slots of those that it acts on.
    zone: Vec<u32>,
    /// Energy of all patches when they were found last, J.
    energy: f64,
    /// The tick of the frame then.
    tick: u32,
    /// What presses, and has pressed since this was [taken](Integrator::take_peaks).
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
        let softest = soft.iter().map(Touching::stiffness).fold(f64::INFINITY, f64::min);
        (!soft.is_empty()).then(|| Self {
            bodies,
            spacing,
            longest_step: longest_step(&soft, spacing),
            bin: None,
            nearness: Nearness::default(),
            zone: Vec::new(),
            energy: 0.0,
            tick: 0,
            pressures: Pressures::new(softest, spacing),
        })
    }

    /// Energy of all patches when they were found last, J.
    pub fn energy(&self) -> f64 {
        self.energy
    }

    /// Begins a frame of some seconds.
    fn begin(&mut self, particles: &Particles, interval: f64) {
        let mut pieces = particles.kinships.iter().map(|kinship| kinship.piece).filter(|&piece| piece != u32::MAX);
        let first = pieces.next();
        let ratio = interval / self.longest_step;
        self.bin = pieces.any(|piece| Some(piece) != first).then(|| timeline::bin(ratio * ratio).unwrap_or(MAX_BIN));
        (self.nearness, self.energy, self.tick) = (Nearness::default(), 0.0, 0);
        self.zone.clear();
    }
}

impl Integrator {
    /// Finds the contacts of all matter at the start of a frame; while it settles there are none.
    pub(super) fn begin_contacts(&mut self, particles: &Particles, instant: &Instant) {
        self.columns.touched.clear();
        let Some(contacts) = &mut self.contacts else { return };
        contacts.begin(particles, self.interval);
        if contacts.bin.is_some() && matches!(instant, Instant::Tick { .. }) {
            self.columns.touched.resize(particles.len(), Touched::default());
            self.find_contacts(particles, instant);
        }
    }

    /// Finds the contacts at an instant at which steps of some that touch end.
    pub(super) fn find_contacts(&mut self, particles: &Particles, instant: &Instant) {
        let Some(mut contacts) = self.contacts.take() else { return };
        if let (Some(bin), Instant::Tick { .. }) = (contacts.bin, instant) {
            self.find_patches(&mut contacts, particles, instant, bin);
        }
        self.contacts = Some(contacts);
    }

    fn find_patches(&mut self, contacts: &mut Contacts, particles: &Particles, instant: &Instant, bin: u8) {
        let slots = slots(particles);
        let movers = self.movers(contacts, particles, instant, &slots);
        let slot = |at: u32| slots[movers[at as usize].number as usize];
        let holds = contacts.nearness.holds(&movers, contacts.spacing);
        if !holds {
            contacts.nearness = Nearness::new(&movers, contacts.spacing);
            self.columns.touched.fill(Touched::default());
        }
        // The particles may have been put into another order.
        contacts.zone = contacts.nearness.zone.iter().map(|&at| slot(at)).collect();
        if !holds {
            self.columns.hasten(&contacts.zone, bin);
        }
        let ends = |&slot: &u32| self.columns.bins[slot as usize] >= instant.least_bin();
        if !contacts.zone.iter().any(ends) {
            return;
        }
        let seconds = instant.since(contacts.tick);
        contacts.tick = instant.tick();
        let step = timeline::seconds(timeline::ticks(bin), self.interval);
        let Contact { energy, pushes, rubs, pressed } = contacts.nearness.contact(&movers, (step, contacts.spacing));
        contacts.energy = energy;
        let piece = |number: u32| particles.kinships[slots[number as usize] as usize].piece;
        contacts.pressures.add(&pressed, seconds, piece);
        for (&slot, (push, rub)) in contacts.zone.iter().zip(pushes.iter().zip(&rubs)) {
            let slot = slot as usize;
            let mass = particles.mass(slot, &self.solver);
            self.columns.touched[slot] = Touched { push: (*push / mass).as_vec3(), rub: (*rub / mass).as_vec3() };
        }
    }

    /// All soft matter as it is at an instant, in the order of particle numbers, whose slots are given.
    fn movers(&self, contacts: &Contacts, particles: &Particles, instant: &Instant, slots: &[u32]) -> Vec<Mover> {
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let mover = |number: u32| {
            let slot = slots[number as usize] as usize;
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
        (0..slots.len() as u32).into_par_iter().with_min_len(1024).filter_map(mover).collect()
    }

    /// Brings the steps of all that touches together: to the shortest of theirs. Tells whether there are any.
    pub(super) fn level_contacts(&mut self) -> bool {
        let Some(contacts) = &self.contacts else { return false };
        let Some(shortest) = contacts.zone.iter().map(|&slot| self.columns.bins[slot as usize]).max() else {
            return false;
        };
        for slot in contacts.zone.iter().map(|&slot| slot as usize).filter(|&slot| !self.columns.asleep[slot]) {
            self.columns.bins[slot] = shortest;
        }
        true
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

    /// What presses pieces of soft matter, where there is any.
    pub fn pressing(&mut self) -> Option<&mut Pressures> {
        self.contacts.as_mut().map(|contacts| &mut contacts.pressures)
    }

    /// The peaks of the pressure on pairs of particles, by their numbers, since this was asked last.
    pub fn take_peaks(&mut self) -> BTreeMap<[u32; 2], Peak> {
        self.contacts.as_mut().map(|contacts| contacts.pressures.take_peaks()).unwrap_or_default()
    }
}
