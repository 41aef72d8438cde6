//! How bodies that touch hold each other: they push, slide by Coulomb's law, and come apart.
//!
//! Each body is an island of its own, with velocities of its own (Bardenhagen, Brackbill, Sulsky 2000, "The
//! material-point method for granular materials", Computer Methods in Applied Mechanics and Engineering 187); where two
//! touch, one contact for each cell between them ties these in the solve.

use super::balance::Taken;
use super::cells::Cells;
use super::coulomb::{Coulomb, Found, Hold};
use crate::grid::{Flow, Level, Tie, Touched};
use glam::Vec3;
use std::collections::BTreeMap;

/// Nearer than this, in cells, matter touches, as particles lie among the cells; what sticks does while it is nearer
/// than the second.
const NONE: f32 = 0.03;
const STICKING: f32 = 0.7;
/// Farther from a contact, in cells, it does not tell on which side particles belong.
const NEAREST: f32 = 1.25;
/// How near particles may come to where bodies touch, in cells, the part of their way back that they go in a step, and
/// the most of that.
const KEPT_OUT: f32 = 0.1;
const BACK: f32 = 0.5;
const MOST_BACK: f32 = 0.1;
/// The least area, in faces of cells, that tells how hard bodies are pressed together.
const LEAST_FUSED: f32 = 3.0;
/// The most that a patch may gain in speed once friction is less, over what it has.
const MOST_LEFT: f32 = 4.0;

/// What an island touches.
#[derive(Debug, Clone, Copy)]
pub enum Other {
    /// Another of its group.
    Island(usize),
    /// A wall with a velocity, m/s.
    Wall { collider: u32, velocity: Vec3 },
}

impl Other {
    pub fn island(self) -> Option<usize> {
        if let Self::Island(island) = self { Some(island) } else { None }
    }
}

/// All contacts of an island with the same other: the island, whether that is a wall, and its number.
type Patch = (usize, bool, usize);

/// Where an island touches something, or nearly.
#[derive(Debug)]
pub struct Contact {
    pub island: usize,
    pub other: Other,
    /// In cells.
    pub place: Vec3,
    /// Toward the island.
    pub normal: Vec3,
    /// How far it is away, in cells.
    pub gap: f32,
    law: Coulomb,
    /// The pressure from which on both become one, in the unit of the equations; infinite if they never do.
    fusion_pressure: f32,
    /// The force that presses them together, by the stress of the matter before the step.
    pressing: f32,
    is_open: bool,
    traction: Vec3,
}

/// How a patch of contacts slides in a solve.
#[derive(Debug, Clone, Copy, Default)]
struct Slide {
    /// The friction that there should be, and that there is.
    wanted: f32,
    had: f32,
    /// The mean speed times the friction that there should be.
    slip: f32,
}

impl Slide {
    /// The part that is left of its speed once friction is what it should be, in proportion to what friction has taken
    /// since the solve before.
    fn left(&self, before: Option<&Self>) -> f32 {
        let speed = |slide: &Self| slide.slip / slide.wanted.max(f32::MIN_POSITIVE);
        let Some(before) = before.filter(|before| before.wanted > 0.0 && self.had > before.had) else { return 1.0 };
        let taken = (speed(before) - speed(self)) / (self.had - before.had);
        (1.0 - taken.max(0.0) * (self.wanted - self.had) / speed(self).max(f32::MIN_POSITIVE)).clamp(0.0, MOST_LEFT)
    }
}

/// What presses two islands together.
#[derive(Debug, Clone, Copy, Default)]
struct Pressing {
    /// In faces of cells.
    area: f32,
    force: f32,
    /// The force from which on they become one.
    needed: f32,
}

/// All contacts of islands that are solved together.
#[derive(Debug, Default)]
pub struct Contacts {
    all: Vec<Contact>,
    /// How patches slid in the solve before.
    before: BTreeMap<Patch, Slide>,
    pace: f32,
}

/// The number of a part of all matter for each body: those of the same have one velocity at a place. Solids are each
/// their own.
pub fn parts(bodies: impl Iterator<Item = bool>) -> Vec<u32> {
    (1..).zip(bodies).map(|(number, is_solid)| if is_solid { number } else { 0 }).collect()
}

impl Contact {
    pub fn new(island: usize, other: Other, [place, normal]: [Vec3; 2], gap: f32, law: Coulomb) -> Self {
        let (fusion_pressure, pressing, traction) = (f32::INFINITY, 0.0, Vec3::ZERO);
        Self { island, other, place, normal, gap, law, fusion_pressure, pressing, is_open: false, traction }
    }

    /// That of matter that becomes one from a pressure on, in the unit of the equations.
    pub fn fusing_at(self, fusion_pressure: f32) -> Self {
        Self { fusion_pressure, ..self }
    }

    /// Its area, in faces of cells: as many contacts lie in a plane as it goes through cells.
    pub fn area(&self) -> f32 {
        self.normal.abs().max_element()
    }

    fn patch(&self) -> Patch {
        match self.other {
            Other::Island(other) => (self.island, false, other),
            Other::Wall { collider, .. } => (self.island, true, collider as usize),
        }
    }

    /// What ties the island here; none where there is too little matter.
    fn tie(&self, levels: &[&Level], pace: f32) -> Option<Tie> {
        let is_closed = self.gap <= NONE || self.law.cohesion > 0.0;
        let velocity = if is_closed { 0.0 } else { -self.gap / pace };
        let mut tie = Tie::new(levels, self.island, self.touched(), self.place, self.normal, velocity)?;
        tie.revise(self.is_open, self.drag());
        Some(tie)
    }

    fn drag(&self) -> Option<f32> {
        if let Hold::Slides(drag) = self.law.hold { Some(drag) } else { None }
    }

    fn touched(&self) -> Touched {
        match self.other {
            Other::Island(island) => Touched::Island(island),
            Other::Wall { velocity, .. } => Touched::Wall(velocity),
        }
    }

    /// Whether what comes apart with a velocity does not press on each other in the step.
    fn stays_open(&self, parting: Vec3, pace: f32) -> bool {
        let velocity = parting.dot(self.normal);
        if self.gap > NONE { self.gap + pace * velocity > NONE } else { velocity >= 0.0 }
    }

    /// Before a solve, by about the traction. Returns whether there is enough matter for a contact.
    pub fn expect(&mut self, levels: &[&Level], flows: &[&Flow], pace: f32, traction: Vec3) -> bool {
        let Some(tie) = self.tie(levels, pace) else { return false };
        let parting = tie.parting(flows);
        self.law.slip = parting.reject_from_normalized(self.normal).length();
        let sticks = self.law.cohesion > 0.0 && self.gap < STICKING;
        self.is_open = !sticks && self.stays_open(parting, pace);
        let pressure = -traction.dot(self.normal);
        self.law.slide(pressure);
        self.pressing = pressure;
        if !self.is_open && self.law.cohesion <= 0.0 {
            self.traction = -self.normal * pressure.max(0.0);
        }
        true
    }

    /// What a solve found of a contact that is not open.
    fn found(&self, parting: Vec3) -> Found {
        let [slip, traction] = [parting, self.traction].map(|of| of.reject_from_normalized(self.normal).length());
        Found { traction, pressure: -self.traction.dot(self.normal), slip }
    }

    /// After a solve, finds whether it opens or closes. Returns whether that is otherwise than before.
    fn open(&mut self, parting: Vec3, pace: f32) -> bool {
        let was_open = self.is_open;
        let pulls = self.traction.dot(self.normal) > self.law.cohesion;
        self.is_open = if was_open { self.stays_open(parting, pace) } else { pulls };
        if self.is_open {
            self.traction = Vec3::ZERO;
        }
        self.is_open != was_open
    }
}

impl Contacts {
    /// Patches that are slow are first taken to stick, with a speed in m/s.
    pub fn new(all: Vec<Contact>, pace: f32, slow: f32) -> Self {
        let mut contacts = Self { all, pace, before: BTreeMap::new() };
        contacts.stick(slow);
        contacts
    }

    fn stick(&mut self, slow: f32) {
        let mut sums: BTreeMap<Patch, [f32; 2]> = BTreeMap::new();
        for contact in self.all.iter().filter(|contact| !contact.is_open) {
            let [slip, count] = sums.entry(contact.patch()).or_default();
            (*slip, *count) = (*slip + contact.law.slip, *count + 1.0);
        }
        let is_slow = |patch: Patch| sums.get(&patch).is_none_or(|[slip, count]| *slip <= slow * count);
        let slow = self.all.iter_mut().filter(|contact| contact.law.coefficient > 0.0 && is_slow(contact.patch()));
        slow.for_each(|contact| contact.law.hold = Hold::Sticks);
    }

    /// What ties islands in a solve, by contact.
    pub fn ties(&self, levels: &[&Level]) -> Vec<Tie> {
        self.all.iter().filter_map(|contact| contact.tie(levels, self.pace)).collect()
    }

    /// What contacts bear.
    pub fn tractions(&self) -> Vec<Vec3> {
        self.all.iter().map(|contact| contact.traction).collect()
    }

    /// Takes what a solve found that contacts bear.
    pub fn bear(&mut self, tractions: &[Vec3]) {
        self.all.iter_mut().zip(tractions).for_each(|(contact, traction)| contact.traction = *traction);
    }

    /// Finds what opens, slides or sticks in the flows of a solve, and what closes if anything may. Returns whether
    /// that is otherwise than before.
    pub fn revise(&mut self, ties: &mut [Tie], flows: &[&Flow], may_close: bool) -> bool {
        let partings: Vec<Vec3> = ties.iter().map(|tie| tie.parting(flows)).collect();
        let mut is_new = self.revise_patches(&partings);
        for (contact, parting) in self.all.iter_mut().zip(partings) {
            if may_close || !contact.is_open {
                is_new |= contact.open(parting, self.pace);
            }
        }
        for (contact, tie) in self.all.iter().zip(ties) {
            tie.revise(contact.is_open, contact.drag());
        }
        is_new
    }

    fn revise_patches(&mut self, partings: &[Vec3]) -> bool {
        let holding = || self.all.iter().zip(partings).filter(|(contact, _)| !contact.is_open);
        let mut sums: BTreeMap<Patch, Slide> = BTreeMap::new();
        for (contact, parting) in holding() {
            let found = contact.found(*parting);
            let [wanted, had] = contact.law.resisted(&found);
            let sum = sums.entry(contact.patch()).or_default();
            *sum = Slide { wanted: sum.wanted + wanted, had: sum.had + had, slip: sum.slip + found.slip * wanted };
        }
        let mut is_new = false;
        for (contact, parting) in self.all.iter_mut().zip(partings).filter(|(contact, _)| !contact.is_open) {
            let found = contact.found(*parting);
            let left = sums[&contact.patch()].left(self.before.get(&contact.patch()));
            is_new |= contact.law.revise_in_patch(&found, left);
        }
        self.before = sums;
        is_new
    }

    /// Pairs of islands that are pressed together so hard that they become one: by the mean pressure where they touch,
    /// as a single contact bears by how particles lie among the cells, and by the stress of the matter, as what a solve
    /// lets them bear swings.
    pub fn fused(&self) -> Vec<[usize; 2]> {
        let mut sums: BTreeMap<[usize; 2], Pressing> = BTreeMap::new();
        for contact in self.all.iter().filter(|contact| !contact.is_open && contact.law.cohesion <= 0.0) {
            let Some(other) = contact.other.island() else { continue };
            let sum = sums.entry([contact.island, other]).or_default();
            sum.area += contact.area();
            sum.force += contact.pressing;
            sum.needed += contact.fusion_pressure * contact.area();
        }
        let fuses = |sum: &Pressing| sum.area >= LEAST_FUSED && sum.force >= sum.needed;
        sums.into_iter().filter(|(_, sum)| fuses(sum)).map(|(pair, _)| pair).collect()
    }

    /// The islands that one touches.
    pub fn touched_by(&self, island: usize) -> Vec<usize> {
        let other = |contact: &Contact| {
            let second = contact.other.island()?;
            if contact.island == island { Some(second) } else { (second == island).then_some(contact.island) }
        };
        let mut others: Vec<usize> = self.all.iter().filter_map(other).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Displacements of the particles of an island that are beyond where it touches another, in cells; none where it
    /// touches none. Velocities keep bodies apart as a whole, not each particle.
    pub fn keep_out(&self, island: usize, cells: &Cells) -> Vec<Vec3> {
        let is_own = |contact: &&Contact| contact.island == island || contact.other.island() == Some(island);
        let own = || self.all.iter().filter(is_own);
        if own().next().is_none() {
            return Vec::new();
        }
        let mut nearest = vec![(NEAREST, Vec3::ZERO); cells.points.len()];
        for &Contact { island: first, place, normal, .. } in own() {
            let outward = if first == island { normal } else { -normal };
            for neighbour in cells.around(place.floor().as_ivec3()) {
                let (nearest, off) = (&mut nearest[neighbour.number], neighbour.place - place.fract_gl());
                if off.length() < nearest.0 {
                    let depth = KEPT_OUT - off.dot(outward);
                    *nearest = (off.length(), outward * (depth * BACK).clamp(0.0, MOST_BACK));
                }
            }
        }
        nearest.into_iter().map(|(_, way)| way).collect()
    }

    /// What an island gives to other islands.
    pub fn taken(&self, island: usize) -> Taken {
        let mut taken = Taken::default();
        for Contact { island: first, other, place, traction, .. } in &self.all {
            let Some(second) = other.island() else { continue };
            let sign = f64::from(i8::from(*first == island) - i8::from(second == island));
            let traction = traction.as_dvec3() * sign;
            taken.momentum += traction;
            taken.angular_momentum += place.as_dvec3().cross(traction);
        }
        taken
    }

    /// What an island gives to walls, over the mass of a full cell, m/s: the collider, the place, in cells, and the
    /// impulse.
    pub fn on_walls(&self, island: usize) -> impl Iterator<Item = (u32, Vec3, Vec3)> {
        let own = self.all.iter().filter(move |contact| contact.island == island && !contact.is_open);
        own.filter_map(|contact| match contact.other {
            Other::Wall { collider, .. } => Some((collider, contact.place, contact.traction)),
            Other::Island(_) => None,
        })
    }
}
