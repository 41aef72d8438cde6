//! Cuts: sheets are parted along the surface of a region's swept volume.

use crate::material::oriented::change;
use crate::particles::{Particles, slots};
use crate::region::{Displacement, Sweep};
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Ends the ties through the surface of a region's swept volume in a part of a frame, given the displacements of all
/// particles in it and the particles that the region holds.
pub fn cut(particles: &mut Particles, sweep: &Sweep, displacements: &[Displacement], held: &[bool]) {
    let cut = Cut { sweep, displacements, held, stays: FxHashMap::default() };
    let stays = cut.crumbs(particles);
    let cut = Cut { stays, ..cut };
    // At an instant nothing has moved past yet: moving matter is cut as it moves.
    let goes = |particles: &Particles, slot: usize| sweep.is_instant() && particles.velocities[slot] != DVec3::ZERO;
    change(particles, |particles, slot, other, tie| {
        let stays = goes(particles, slot) || goes(particles, other) || !cut.parts(particles, slot, other);
        stays.then_some(tie)
    });
}

/// The cut of a sheet.
struct Cut<'a> {
    sweep: &'a Sweep<'a>,
    /// Displacements by slots.
    displacements: &'a [Displacement],
    /// Whether the region holds each particle.
    held: &'a [bool],
    /// By the slot of each particle that would be left in no triangle: the slots of the side that it stays with.
    stays: FxHashMap<usize, Vec<usize>>,
}

impl Cut<'_> {
    /// Whether a tie of two slots ends.
    fn parts(&self, particles: &Particles, slot: usize, other: usize) -> bool {
        match (self.stays.get(&slot), self.stays.get(&other)) {
            (Some(side), None) => !side.contains(&other),
            (None, Some(side)) => !side.contains(&slot),
            (Some(own), Some(their)) => !own.iter().any(|on| their.contains(on)),
            (None, None) if self.held[slot] => !self.is_with(slot, other),
            (None, None) if self.held[other] => !self.is_with(other, slot),
            (None, None) => self.passes_between(particles, slot, other),
        }
    }

    /// Whether the region, as it passes a held particle, takes up another.
    fn is_with(&self, held: usize, other: usize) -> bool {
        self.held[other] || self.sweep.follows(self.displacements[held], self.displacements[other])
    }

    /// Whether the region passes between two particles that it does not hold, the same seen from both.
    fn passes_between(&self, particles: &Particles, slot: usize, other: usize) -> bool {
        let first = particles.numbers[slot] < particles.numbers[other];
        let ends = if first { [slot, other] } else { [other, slot] };
        self.sweep.parts(ends.map(|slot| self.displacements[slot]))
    }

    /// The side of each crumb. A blade thinner than the particle distance would cut single particles and rows out of
    /// the sheet: held particles that form no triangle, and neither soon will nor just did, stay with one side.
    fn crumbs(&self, particles: &Particles) -> FxHashMap<usize, Vec<usize>> {
        let slots = slots(particles);
        let beside = |slot: usize| particles.ties[slot].iter().map(|tie| slots[tie.number as usize] as usize);
        let bound = |slot: usize, other: usize| particles.ties[slot].has(particles.numbers[other]);
        let is_crumb = |&slot: &usize| {
            let is_in = |&other: &usize| self.is_with(slot, other);
            let with: Vec<usize> = beside(slot).filter(|_| self.held[slot]).filter(is_in).collect();
            self.held[slot] && !with.iter().any(|&a| with.iter().any(|&b| bound(a, b)))
        };
        let side = |slot: usize| {
            let mut out: Vec<usize> = beside(slot).filter(|&other| !self.held[other]).collect();
            // The side of the lowest number, so that all crumbs along a row choose the same.
            out.sort_by_key(|&other| particles.numbers[other]);
            let mut side: Vec<usize> = out.first().copied().into_iter().collect();
            let mut done = 0;
            while let Some(&on) = side.get(done) {
                done += 1;
                let joined = |other: &&usize| {
                    !side.contains(other) && bound(on, **other) && !self.passes_between(particles, on, **other)
                };
                let more: Vec<usize> = out.iter().filter(joined).copied().collect();
                side.extend(more);
            }
            (slot, side)
        };
        // A crumb without ties to the outside, as a strip of one row amid a region, stays as it is.
        let sides = (0..particles.len()).into_par_iter().with_min_len(256).filter(is_crumb).map(side);
        sides.filter(|(_, side)| !side.is_empty()).collect()
    }
}
