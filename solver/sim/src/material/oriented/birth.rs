//! The stretching rule (Tonnesen 1992, section 7; Szeliski and Tonnesen 1992, section 4.3): where neighbours are drawn so far apart that
//! there is room for another between them, one is born.
//!
//! It takes its mass, momentum and heat from both, so that nothing is made of nothing, and lies on the arc between them. It is bound to
//! its parents with the tension that bound them to each other, and to others beside it as they lie, so that no force changes.

use super::cloth::{Cloth, between};
use super::sheet::Sheet;
use super::ties::{Tie, Ties, slots};
use crate::particles::{Particles, share};
use glam::{DQuat, DVec3, I64Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// From which distance on there may be room between two that are bound, and how far others are from its midst at least, in distances of
/// nearest neighbours.
const FROM: f64 = 1.36;
const ROOM: f64 = 0.55;

/// Whoever is nearer than this to one that is born is bound to it, in distances of nearest neighbours; of others those that both its parents
/// are bound to.
const NEAR: f64 = 1.2;

/// Two particles by their slots, and the place between them.
#[derive(Debug, Clone, Copy)]
struct Parents {
    slots: [usize; 2],
    numbers: [u32; 2],
    distance: f64,
    place: DVec3,
}

/// Lets particles be born at a spacing, m; tells the numbers of the parents of each, in the order of their own numbers.
pub fn births(particles: &mut Particles, sheets: &[Option<Sheet>], spacing: f64) -> Vec<[u32; 2]> {
    let grows = |body: u32| sheets[body as usize].is_some_and(|sheet| sheet.grows());
    if particles.shares.is_empty() {
        return Vec::new();
    }
    let cloth = Cloth::new(particles, grows, spacing);
    let slots = slots(particles);
    let of = |slot: usize| candidates(particles, sheets, &cloth, &slots, slot);
    let mut all: Vec<Parents> = (0..particles.len()).into_par_iter().with_min_len(256).flat_map_iter(of).collect();
    all.sort_unstable_by(|a, b| b.distance.total_cmp(&a.distance).then(a.numbers.cmp(&b.numbers)));
    let chosen = choose(particles.len(), all, ROOM * cloth.nearest);
    for parents in &chosen {
        deliver(particles, parents);
    }
    if !chosen.is_empty() {
        bind(particles, sheets, &chosen, spacing);
    }
    chosen.iter().map(|parents| parents.numbers).collect()
}

/// The pairs of a slot with others of higher numbers that have room between them.
fn candidates(
    particles: &Particles,
    sheets: &[Option<Sheet>],
    cloth: &Cloth,
    slots: &[u32],
    slot: usize,
) -> Vec<Parents> {
    let number = particles.numbers[slot];
    let Some(sheet) = sheets[particles.sources[slot] as usize] else { return Vec::new() };
    let fertile = |slot: usize| sheet.flow.may_grow(share(&particles.shares, slot) * 2.0 / 3.0);
    if !fertile(slot) {
        return Vec::new();
    }
    let tied = particles.ties[slot].iter().filter(|tie| !tie.joins);
    let pair = |other: usize| {
        let their = particles.numbers[other];
        let (distance, curvature) = between(particles, slot, other);
        let apart = their > number && distance > FROM * cloth.nearest;
        if !apart || !fertile(other) {
            return None;
        }
        let place = middle(particles, slot, other, curvature);
        let mut near = cloth.around(place, 1);
        let free = near.all(|near| particles.positions[near as usize].distance(place) > ROOM * cloth.nearest);
        free.then_some(Parents { slots: [slot, other], numbers: [number, their], distance, place })
    };
    tied.filter_map(|tie| pair(slots[tie.number as usize] as usize)).collect()
}

/// The middle of the arc between two.
fn middle(particles: &Particles, slot: usize, other: usize, curvature: f64) -> DVec3 {
    let Particles { positions, orientations, .. } = particles;
    let normal = (orientations[slot] * DVec3::Z + orientations[other] * DVec3::Z).normalize_or_zero();
    let (a, b) = (positions[slot], positions[other]);
    a.midpoint(b) + normal * (curvature * a.distance_squared(b) / 8.0)
}

/// Those pairs, the first of them first, of which neither is a parent before nor one is born too near, m.
fn choose(count: usize, all: Vec<Parents>, free: f64) -> Vec<Parents> {
    let mut is_parent = vec![false; count];
    let mut born = FxHashMap::<I64Vec3, Vec<DVec3>>::default();
    let cell = |place: DVec3| (place / free).floor().as_i64vec3();
    let mut chosen = Vec::new();
    for parents in all {
        let at = cell(parents.place);
        let mut around = (0..27).filter_map(|n| born.get(&(at + I64Vec3::new(n / 9, n / 3 % 3, n % 3) - 1))).flatten();
        let too_near = around.any(|place| place.distance(parents.place) <= free);
        if too_near || parents.slots.iter().any(|&slot| is_parent[slot]) {
            continue;
        }
        parents.slots.iter().for_each(|&slot| is_parent[slot] = true);
        born.entry(at).or_default().push(parents.place);
        chosen.push(parents);
    }
    chosen
}

/// Adds a particle, with a third of what both have.
fn deliver(particles: &mut Particles, parents: &Parents) {
    let [a, b] = parents.slots;
    let (own, their) = (share(&particles.shares, a), share(&particles.shares, b));
    let part = own / (own + their);
    let mean = |a: f64, b: f64| a * part + b * (1.0 - part);
    let number = particles.len() as u32;
    let Particles { positions, velocities, orientations, spins, ties, sources, numbers, shares, .. } = particles;
    let normal = (orientations[a] * DVec3::Z + orientations[b] * DVec3::Z).normalize_or(orientations[a] * DVec3::Z);
    numbers.push(number);
    positions.push(parents.place);
    velocities.push(velocities[b].lerp(velocities[a], part));
    orientations.push(DQuat::from_rotation_arc(DVec3::Z, normal));
    spins.push(spins[b].lerp(spins[a], part));
    sources.push(sources[a]);
    ties.push(Ties::default());
    for slot in [a, b] {
        shares[slot] *= 2.0 / 3.0;
    }
    shares.push(((own + their) / 3.0) as f32);
    let Particles { temperatures, heats, melted, welds, stresses, densities, .. } = particles;
    for column in [temperatures, melted, welds] {
        if !column.is_empty() {
            column.push(mean(f64::from(column[a]), f64::from(column[b])) as f32);
        }
    }
    if !heats.is_empty() {
        heats.push(mean(heats[a], heats[b]));
    }
    if !stresses.is_empty() {
        stresses.push(stresses[a]);
    }
    densities.push(densities[a]);
}

/// Binds those of woven sheets that were born, which are the last particles.
fn bind(particles: &mut Particles, sheets: &[Option<Sheet>], born: &[Parents], spacing: f64) {
    let grows = |body: u32| sheets[body as usize].is_some_and(|sheet| sheet.grows());
    let slots = slots(particles);
    let mut ties = std::mem::take(&mut particles.ties);
    let cloth = Cloth::new(particles, grows, spacing);
    let mut touched = Vec::new();
    let first = particles.len() - born.len();
    for (slot, parents) in (first..).zip(born) {
        let [a, b] = parents.slots;
        let [own, their] = parents.numbers;
        let before = ties[a].iter().find(|tie| tie.number == their);
        let others = beside(particles, &cloth, slot, |number| ties[a].has(number) && ties[b].has(number));
        ties[a] = Ties::of(ties[a].iter().filter(|tie| tie.number != their));
        ties[b] = Ties::of(ties[b].iter().filter(|tie| tie.number != own));
        for other in others {
            let tie = match before {
                Some(before) if parents.slots.contains(&other) => {
                    halved(&cloth, before, (slot, other), parents.distance)
                }
                _ => cloth.tie(slot, other),
            };
            if ties[slot].is_full() || ties[other].is_full() || ties[slot].has(tie.number) {
                continue;
            }
            let back = Tie { number: particles.numbers[slot], ..tie };
            for (slot, tie) in [(slot, tie), (other, back)] {
                ties[slot] = Ties::of(ties[slot].iter().chain([tie]));
                touched.push(slot);
            }
        }
        touched.extend([a, b]);
    }
    for slot in touched {
        let mut sorted: Vec<(f64, Tie)> =
            ties[slot].iter().map(|tie| (cloth.angle(slot, slots[tie.number as usize] as usize), tie)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        ties[slot] = Ties::of(sorted.into_iter().map(|(_, tie)| tie));
    }
    particles.ties = ties;
}

/// What binds one to a parent that was bound to the other at some distance, m.
fn halved(cloth: &Cloth, before: Tie, (slot, parent): (usize, usize), distance: f64) -> Tie {
    let tie = cloth.tie(slot, parent);
    let part = f64::from(tie.length) * cloth.nearest / distance;
    Tie { length: before.length * part as f32, curvature: before.curvature, ..tie }
}

/// Those that one that was born is bound to, the nearest first, given whether both parents are bound to the one of a number.
fn beside(particles: &Particles, cloth: &Cloth, slot: usize, is_common: impl Fn(u32) -> bool) -> Vec<usize> {
    let around = cloth.around(particles.positions[slot], 1).map(|other| other as usize);
    let own = around.filter(|&other| particles.sources[other] == particles.sources[slot]);
    let near = own.filter_map(|other| cloth.distance(slot, other).map(|distance| (distance, other)));
    let numbers = &particles.numbers;
    let chosen = |&(distance, other): &(f64, usize)| distance < NEAR * cloth.nearest || is_common(numbers[other]);
    let mut near: Vec<(f64, usize)> = near.filter(chosen).collect();
    near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(numbers[a.1].cmp(&numbers[b.1])));
    near.into_iter().map(|(_, other)| other).collect()
}
