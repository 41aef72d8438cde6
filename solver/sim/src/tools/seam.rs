//! Seams: ties between the edges of sheets that lie beside each other.

use crate::material::oriented::{Cloth, Sheet, joint_well};
use crate::particles::{Particles, Tie, Ties, slots};
use rayon::prelude::*;
use std::f64::consts::PI;

/// A particle is on an edge of a sheet where its ties leave such an angle open.
const OPEN: f64 = 0.6 * PI;

/// The tension of a seam, over the greatest tension of its tie.
const DRAWN: f64 = 0.5;

/// Bounds of a seam's rest length, in distances of nearest neighbours: a seam joined from the largest distance tears
/// before the support ends.
const LENGTHS: (f64, f64) = (0.8, 1.45);

/// Binds edges of sheets that lie beside each other, among the particles that a region holds, at a spacing, m.
pub fn join(particles: &mut Particles, sheets: &[Option<Sheet>], held: &[bool], spacing: f64) {
    let is_in = |slot: usize| held[slot] && sheets[particles.sources[slot] as usize].is_some_and(|sheet| sheet.woven);
    let cloth = Cloth::of(particles, is_in, spacing);
    let by_number = slots(particles);
    let edge = |slot: usize| is_in(slot).then(|| open(particles, &cloth, &by_number, slot)).flatten();
    let edges: Vec<Option<(f64, f64)>> = (0..particles.len()).into_par_iter().with_min_len(256).map(edge).collect();
    let opens = |slot: usize, other: usize| {
        edges[slot].is_some_and(|(from, wide)| (cloth.angle(slot, other) - from).rem_euclid(2.0 * PI) < wide)
    };
    let mut found: Vec<(f64, [u32; 2], [usize; 2])> = Vec::new();
    for slot in (0..particles.len()).filter(|&slot| edges[slot].is_some()) {
        let number = particles.numbers[slot];
        for other in cloth.around(particles.positions[slot], 1).map(|other| other as usize) {
            let their = particles.numbers[other];
            let new = their > number && opens(slot, other) && opens(other, slot) && !particles.ties[slot].has(their);
            if let Some(distance) = cloth.distance(slot, other).filter(|_| new) {
                found.push((distance, [number, their], [slot, other]));
            }
        }
    }
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let sheet = |slot: usize| sheets[particles.sources[slot] as usize].as_ref();
    let new: Vec<_> = found.into_iter().map(|(_, _, pair)| (pair, joint(&cloth, sheet(pair[0]), pair))).collect();
    let angle = |slot: usize, tie: &Tie| cloth.angle(slot, by_number[tie.number as usize] as usize);
    let mut ties = particles.ties.clone();
    for ([slot, other], joint) in new {
        if ties[slot].is_full() || ties[other].is_full() {
            continue;
        }
        for (slot, other) in [(slot, other), (other, slot)] {
            let tie = Tie { number: particles.numbers[other], ..joint };
            let mut all: Vec<Tie> = ties[slot].iter().chain([tie]).collect();
            all.sort_by(|a, b| angle(slot, a).total_cmp(&angle(slot, b)));
            ties[slot] = Ties::of(all.into_iter());
        }
    }
    particles.ties = ties;
}

/// The tie of a seam: it draws two particles together with a part of its strength, and does not bend them.
fn joint(cloth: &Cloth, sheet: Option<&Sheet>, [slot, other]: [usize; 2]) -> Tie {
    let tie = cloth.tie(slot, other);
    let well = sheet.filter(|_| !tie.joins).map_or_else(|| joint_well(cloth.nearest), |sheet| sheet.well);
    let length = f64::from(tie.length) / well.stretch_at(DRAWN);
    Tie { length: length.clamp(LENGTHS.0, LENGTHS.1) as f32, curvature: 0.0, skew: 0.0, sewn: true, ..tie }
}

/// The widest angle that the ties of a particle leave open, if it is wide enough for an edge: its start and its width.
fn open(particles: &Particles, cloth: &Cloth, slots: &[u32], slot: usize) -> Option<(f64, f64)> {
    let ties = particles.ties[slot].iter();
    let mut angles: Vec<f64> = ties.map(|tie| cloth.angle(slot, slots[tie.number as usize] as usize)).collect();
    if angles.is_empty() {
        return Some((0.0, 2.0 * PI));
    }
    angles.sort_unstable_by(f64::total_cmp);
    let next = angles.iter().skip(1).copied().chain([angles[0] + 2.0 * PI]);
    let gaps = angles.iter().zip(next).map(|(&from, to)| (from, to - from));
    gaps.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|gap| gap.1 > OPEN)
}
