//! The stretching rule (Tonnesen 1992, section 7; Szeliski and Tonnesen 1992, section 4.3): where two neighbours are
//! drawn so far apart that there is room between them, a particle is born.
//!
//! The newborn takes equal mass from each parent, with its momentum and heat, so the totals are conserved. It lies in
//! the middle of the arc between the parents, so their centre of mass stays but for the rise of the arc. It is bound to
//! its parents with the tension that bound them to each other, and to other particles beside it as they lie, so no
//! force changes.
//! changes.

use super::cloth::{Between, Cloth, between};
use super::flow::LENGTHS;
use super::rebinding::Rebinding;
use super::sheet::Sheet;
use super::ties::within_two;
use crate::hash_grid::HashGrid;
use crate::lattice::nearest;
use crate::laws::sheet::{Pair, layer};
use crate::particles::{Particles, Tie, share, slots};
use glam::{DQuat, DVec3};
use rayon::prelude::*;

/// The distance from which two bound particles may have room between them, and the least distance of the particles
/// around from the middle, in distances of nearest neighbours. Other matter, sheets and layers must be beyond their
/// contact distance.
const FROM: f64 = 1.36;
const ROOM: f64 = 0.45;

/// The least [in-plane part](crate::laws::sheet::InPlane) of two particles of one layer: the push between layers is
/// next to nothing there.
const BESIDE: f64 = 0.85;

/// The part of its mass that the lighter parent gives; the other gives the same mass.
const GIVEN: f32 = 1.0 / 3.0;

/// Two particles by their slots, and the place between them.
#[derive(Debug, Clone, Copy)]
pub struct Parents {
    pub slots: [usize; 2],
    pub numbers: [u32; 2],
    /// Distance of the parents, m.
    pub distance: f64,
    place: DVec3,
}

/// Lets particles be born at a spacing, m, and a time, s. Returns the parents' numbers of each, in the order of the
/// newborn particles' numbers.
pub fn births(particles: &mut Particles, sheets: &[Option<Sheet>], spacing: f64, time: f64) -> Vec<[u32; 2]> {
    let grows = |body: u32| sheets[body as usize].is_some_and(|sheet| sheet.grows());
    if particles.shares.is_empty() {
        return Vec::new();
    }
    let slots = slots(particles);
    let of = |slot: usize| drawn_out(particles, sheets, nearest(spacing), &slots, slot);
    let growing = (0..particles.len()).into_par_iter().with_min_len(256).filter(|&slot| grows(particles.sources[slot]));
    let mut all: Vec<Parents> = growing.flat_map_iter(of).collect();
    if all.is_empty() {
        return Vec::new();
    }
    let cloth = Cloth::near(particles, all.iter().map(|parents| parents.place), spacing);
    all = all.into_par_iter().filter(|parents| has_room(particles, sheets, &cloth, &slots, parents)).collect();
    all.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.numbers.cmp(&b.numbers)));
    let chosen = choose(particles.len(), all, ROOM * nearest(spacing));
    let first = particles.len();
    for parents in &chosen {
        spawn(particles, parents, time);
    }
    if !chosen.is_empty() {
        let ties = std::mem::take(&mut particles.ties);
        let cloth = Cloth::near(particles, chosen.iter().map(|parents| parents.place), spacing);
        let mut rebinding = Rebinding::new(particles, &cloth, ties);
        for (slot, parents) in (first..).zip(&chosen) {
            rebinding.insert(slot, parents);
        }
        particles.ties = rebinding.finish();
    }
    chosen.iter().map(|parents| parents.numbers).collect()
}

/// The bound pairs of a slot with particles of higher numbers that are far enough apart to have room between them, at a
/// distance of nearest neighbours, m.
fn drawn_out(
    particles: &Particles,
    sheets: &[Option<Sheet>],
    nearest: f64,
    slots: &[u32],
    slot: usize,
) -> Vec<Parents> {
    let number = particles.numbers[slot];
    let Some(sheet) = sheets[particles.sources[slot] as usize] else { return Vec::new() };
    let may_divide = |slot: usize| sheet.flow.may_grow(share(&particles.shares, slot) * f64::from(1.0 - GIVEN));
    if !may_divide(slot) {
        return Vec::new();
    }
    let tied = particles.ties[slot].iter().filter(|tie| !tie.sewn);
    let pair = |tie: Tie| {
        let (their, other) = (tie.number, slots[tie.number as usize] as usize);
        let Between { distance, curvature, .. } = between(particles, slot, other);
        // Around sharp edges some ties are longer as made than ties may grow to; such a pair gives no birth until it is
        // drawn out.
        let from = FROM * nearest * f64::from((tie.length / LENGTHS.1).max(1.0));
        let apart = their > number && distance > from && may_divide(other);
        let place = || middle(particles, slot, other, curvature);
        apart.then(|| Parents { slots: [slot, other], numbers: [number, their], distance, place: place() })
    };
    tied.filter_map(pair).collect()
}

/// Whether there is room between two particles among all matter around.
fn has_room(particles: &Particles, sheets: &[Option<Sheet>], cloth: &Cloth, slots: &[u32], parents: &Parents) -> bool {
    let own = particles.sources[parents.slots[0]];
    let beside = sheets[own as usize].and_then(|sheet| sheet.weave()).map_or(1.0, |weave| f64::from(weave.room));
    let around = within_two(&particles.ties, slots, parents.slots, |_| true);
    let normal = upright(particles, parents.slots);
    let in_plane = |near: usize| {
        let offset = (particles.positions[near] - parents.place) / cloth.nearest;
        let their = particles.orientations[near] * DVec3::Z;
        let (a, b, c) = (normal.dot(offset), their.dot(offset), normal.dot(their));
        Pair { layer: layer(1.0, 1.0), squared: offset.length_squared(), a, b, c }.in_plane().part > BESIDE
    };
    let least = |near: usize| match particles.sources[near] == own {
        _ if around.contains(&particles.numbers[near]) => ROOM,
        true if in_plane(near) => beside,
        _ => 1.0,
    };
    let mut near = cloth.around(parents.place, 1).map(|near| near as usize);
    near.all(|near| particles.positions[near].distance(parents.place) > least(near) * cloth.nearest)
}

/// The middle of the arc between two particles.
fn middle(particles: &Particles, slot: usize, other: usize, curvature: f64) -> DVec3 {
    let (a, b) = (particles.positions[slot], particles.positions[other]);
    a.midpoint(b) + upright(particles, [slot, other]) * (curvature * a.distance_squared(b) / 8.0)
}

/// The mean normal of two particles.
fn upright(particles: &Particles, slots: [usize; 2]) -> DVec3 {
    let [a, b] = slots.map(|slot| particles.orientations[slot] * DVec3::Z);
    (a + b).normalize_or(a)
}

/// Chooses pairs in their order. Drops a pair if one of its particles already is a parent, or if a chosen birth is too
/// near, m.
fn choose(count: usize, all: Vec<Parents>, free: f64) -> Vec<Parents> {
    let mut is_parent = vec![false; count];
    let mut births = HashGrid::empty(free);
    let mut chosen: Vec<Parents> = Vec::new();
    for parents in all {
        let is_near = |birth: u32| chosen[birth as usize].place.distance(parents.place) <= free;
        let too_near = births.around(parents.place).any(is_near);
        if too_near || parents.slots.iter().any(|&slot| is_parent[slot]) {
            continue;
        }
        parents.slots.iter().for_each(|&slot| is_parent[slot] = true);
        births.push(parents.place);
        chosen.push(parents);
    }
    chosen
}

/// Adds a particle at a time, s, with half of its mass from each parent.
fn spawn(particles: &mut Particles, parents: &Parents, time: f64) {
    let [a, b] = parents.slots;
    let normal = upright(particles, parents.slots);
    let born = particles.spawn(a);
    let Particles { positions, velocities, orientations, spins, shares, births, .. } = particles;
    positions[born] = parents.place;
    velocities[born] = velocities[a].midpoint(velocities[b]);
    orientations[born] = DQuat::from_rotation_arc(DVec3::Z, normal);
    spins[born] = spins[a].midpoint(spins[b]);
    births[born] = time;
    let given = GIVEN * shares[a].min(shares[b]);
    for slot in [a, b] {
        shares[slot] -= given;
    }
    shares[born] = 2.0 * given;
    let Particles { rest_positions, rest_normals, temperatures, heats, melted, welds, .. } = particles;
    rest_positions[born] = rest_positions[a].midpoint(rest_positions[b]);
    if !rest_normals.is_empty() {
        rest_normals[born] = (rest_normals[a] + rest_normals[b]).normalize_or(rest_normals[a]);
    }
    for column in [temperatures, melted, welds].into_iter().filter(|column| !column.is_empty()) {
        column[born] = column[a].midpoint(column[b]);
    }
    if !heats.is_empty() {
        heats[born] = heats[a].midpoint(heats[b]);
    }
}
