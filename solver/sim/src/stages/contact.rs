//! Contact of pieces of soft matter within a frame, DG95 section 5.
//!
//! The force of a patch of skin depends on many particles, so it is found for all of a touching group at once, whenever
//! the steps of the group end. All its particles take the same steps, so that both sides of a patch are pushed at the
//! same times.

use super::{Kept, Removal, Stage, World};
use crate::bounds::Bounds;
use crate::cost::Cause;
use crate::integrator::{Apart, Instant, Integrator, NoStepShortEnough};
use crate::material::Now;
use crate::material::soft::{
    ContactParticle, FARTHEST, MARGIN, Moment, Nearness, Overspeed, Pressures, SoftBodies, Touching, felt_reach,
};
use crate::particles::Particles;
use crate::reshape::Sheets;
use crate::timeline;
use glam::DVec3;
use rayon::prelude::*;

/// Pieces farther apart than this, spacings, are watched together.
const HORIZON: f64 = 16.0;

/// Lets pieces of soft matter push each other.
#[derive(Debug)]
pub struct SkinContact {
    /// Contact properties of soft bodies.
    bodies: Vec<Touching>,
    /// The index in `bodies` of each body of the scene; none for bodies that are not soft.
    indices: Vec<Option<u32>>,
    /// Particle spacing, m.
    spacing: f64,
    /// Its channel in the integrator.
    channel: usize,
    nearness: Nearness,
    /// State of the particles of the zone.
    contact_particles: Vec<ContactParticle>,
    /// Present pressures, and their peaks since the frame began.
    pressures: Pressures,
    /// The tick of the frame at which pressures were last found.
    tick: u32,
    /// The largest overspeed since the frame began.
    overspeed: Overspeed,
    /// The largest overspeed of all frames, and its frame.
    worst: (Overspeed, i32),
}

impl SkinContact {
    /// The contact of soft bodies with particles at a spacing, m; none where no matter is soft.
    pub fn new(soft: &SoftBodies, spacing: f64) -> Option<Self> {
        let touchings = soft.touchings();
        let bodies: Vec<Touching> = touchings.iter().copied().flatten().collect();
        let softest = bodies.iter().map(Touching::stiffness).fold(f64::INFINITY, f64::min);
        let mut count = 0..;
        let indices = touchings.iter().map(|touching| touching.and_then(|_| count.next())).collect();
        (!bodies.is_empty()).then(|| Self {
            bodies,
            indices,
            spacing,
            channel: 0,
            nearness: Nearness::default(),
            contact_particles: Vec::new(),
            pressures: Pressures::new(softest, spacing),
            tick: 0,
            overspeed: Overspeed::default(),
            worst: (Overspeed::default(), 0),
        })
    }

    /// Boxes around pieces, given all places by slot, m.
    fn boxes(apart: &Apart, particles: &Particles, places: &[DVec3]) -> Vec<Bounds> {
        let mut boxes = vec![Bounds::NONE; apart.len()];
        for (membership, &place) in particles.memberships.iter().zip(places) {
            if let Some(at) = apart.place(membership.piece) {
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
        apart: &Apart,
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
            let others = &others[apart.place(particles.memberships[slot].piece)?];
            let is_near = others.iter().any(|other| other.distance(places[slot]) < near);
            is_near
                .then(|| contact_particle(particles, slot, &now(slot), self.indices[particles.sources[slot] as usize]))
        };
        let each = (0..particles.len()).into_par_iter().with_min_len(1024);
        let mut contact_particles: Vec<ContactParticle> = each.filter_map(candidate).collect();
        contact_particles.par_sort_unstable_by_key(|contact_particle| contact_particle.number);
        contact_particles
    }

    /// Finds the contact candidates among all soft matter.
    fn look(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        let World { particles, integrator, .. } = world;
        // Displacements count from now on.
        integrator.take_all(particles, instant);
        let expectation = integrator.expectation(particles);
        let now = |slot: usize| expectation.now(instant, slot);
        let each = (0..particles.len()).into_par_iter().with_min_len(1024);
        let places: Vec<DVec3> = each.map(|slot| now(slot).position).collect();
        let boxes = Self::boxes(&integrator.apart, particles, &places);
        let pairs = self.pairs(&boxes);
        let contact_particles = self.near_others(&integrator.apart, particles, &places, &boxes, &pairs, now);
        integrator.apart.see(pairs, (HORIZON - FARTHEST) * self.spacing);
        let before = std::mem::take(&mut self.nearness);
        self.nearness = Nearness::new(&contact_particles, &self.bodies, self.spacing).after(&before);
        let Nearness { zone, groups, steps, .. } = &self.nearness;
        integrator.group(self.channel, particles, zone, groups, steps)
    }

    /// Finds the contact forces of the groups whose steps end.
    fn press(&mut self, particles: &Particles, integrator: &mut Integrator, instant: &Instant) {
        let due = integrator.due_groups(self.channel, instant);
        if !due.contains(&true) {
            return;
        }
        let Self { bodies, indices, nearness, contact_particles, pressures, .. } = self;
        let expectation = integrator.expectation(particles);
        let zone = integrator.channel(self.channel).slots();
        let contact_particle = |&slot: &u32| {
            let slot = slot as usize;
            contact_particle(
                particles,
                slot,
                &expectation.now(instant, slot),
                indices[particles.sources[slot] as usize],
            )
        };
        zone.par_iter().with_min_len(256).map(contact_particle).collect_into_vec(contact_particles);
        let steps = integrator.group_steps(self.channel);
        let second = timeline::seconds(1, integrator.interval);
        let moment = Moment { tick: instant.tick(), second, due: &due, steps: &steps };
        nearness.find(contact_particles, bodies, self.spacing, &moment);
        self.overspeed = self.overspeed.worse(nearness.overspeed());
        let since = instant.since(std::mem::replace(&mut self.tick, instant.tick()));
        pressures.add(since, nearness.pressed(&due));
        let forces = nearness
            .pushes
            .iter()
            .zip(&nearness.frictions)
            .zip(&nearness.groups)
            .map(|((push, friction), &group)| due[group as usize].then_some((*push, *friction)));
        integrator.push(self.channel, particles, forces);
    }
}

impl Stage for SkinContact {
    fn fill(&mut self, world: &mut World) {
        self.channel = world.integrator.open_channel(Cause::Skins);
    }

    fn begin_frame(&mut self, _world: &mut World) {
        self.overspeed = Overspeed::default();
        self.pressures.forget_peaks();
    }

    fn begin_steps(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        (self.nearness, self.tick) = (Nearness::default(), 0);
        world.integrator.apart.begin(world.particles);
        self.step(world, instant)
    }

    fn step(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        if !world.integrator.apart.is_watching() {
            return Ok(());
        }
        let is_new = !world.integrator.pieces_stay_apart(instant);
        if is_new {
            self.look(world, instant)?;
        }
        self.press(world.particles, world.integrator, instant);
        // Only after `press`: it would take particles whose steps go on to be where these began.
        if is_new {
            world.integrator.shorten_group_steps(instant);
        }
        Ok(())
    }

    fn end_frame(&mut self, world: &mut World) {
        let overspeed = std::mem::take(&mut self.overspeed);
        if overspeed.excess > self.worst.0.excess {
            self.worst = (overspeed, world.number);
        }
        world.soft.set_peaks(self.pressures.take_peaks());
    }

    fn elastic_energy(&self) -> f64 {
        self.nearness.energy()
    }

    /// As if a face of all matter lay on another.
    fn memory(&self, particles: usize) -> usize {
        let face = (particles as f64).powf(2.0 / 3.0) as usize;
        face * (Nearness::memory_of_a_hub() + 3 * (size_of::<ContactParticle>() + size_of::<u32>()))
    }

    /// The frame and numbers of the largest overspeed, then the running means: particle and piece, and force.
    fn kept(&self) -> Kept {
        let (Overspeed { speed, excess }, frame) = self.worst;
        let means = self.pressures.means();
        let numbers = means.keys().flat_map(|&(number, piece)| [number, piece]);
        let amounts = means.values().flat_map(DVec3::to_array);
        Kept {
            numbers: std::iter::once(frame.cast_unsigned()).chain(numbers).collect(),
            amounts: [speed, excess].into_iter().chain(amounts).collect(),
        }
    }

    fn fits(&self, kept: &Kept, particles: usize) -> bool {
        let (Some((_, names)), Some((_, forces))) = (kept.numbers.split_first(), kept.amounts.split_at_checked(2))
        else {
            return false;
        };
        let (names, odd) = names.as_chunks::<2>();
        odd.is_empty()
            && forces.len() == 3 * names.len()
            && names.as_flattened().iter().all(|&number| (number as usize) < particles)
            && names.is_sorted_by(|a, b| a < b)
            && kept.amounts.iter().all(|amount| amount.is_finite())
    }

    fn take_over(&mut self, kept: Kept) {
        let (names, forces) = (kept.numbers[1..].as_chunks::<2>().0, kept.amounts[2..].as_chunks::<3>().0);
        let means = names.iter().map(|&[number, piece]| (number, piece)).zip(forces.iter().map(|&force| force.into()));
        self.worst = (Overspeed { speed: kept.amounts[0], excess: kept.amounts[1] }, kept.numbers[0].cast_signed());
        self.pressures.set_means(means.collect());
    }

    fn removed(&mut self, removal: &Removal) {
        self.pressures.renumber(&removal.renumbering);
    }

    /// Warns of soft matter that contact could not stop.
    fn remarks(&self, _particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        let (Overspeed { speed, excess }, frame) = self.worst;
        if excess <= 1.0 {
            return Vec::new();
        }
        vec![format!(
            "in frame {frame} pieces of soft matter came upon each other at {speed:.1} m/s, {excess:.1} times what their contact \
             stops, and may have gone through each other; lower the speeds or raise their stiffness {:.1} times",
            excess * excess
        )]
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
