//! The ties that hold a woven sheet together.

use super::cloth::{Between, Cloth, between};
use super::sheet::Sheet;
use crate::frame::parted;
use crate::lattice::nearest;
use crate::material::model;
use crate::particles::{Particles, Tie, Ties, slots};
use dollop_scene::Scene;
use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

/// A polygon with less than this ratio of its area to the sum of its corners' squared distances has no normal.
const FLAT: f64 = 0.05;

/// The numbers of the particles that one or two ties reach from either of two slots, given which ties count.
pub fn within_two(ties: &[Ties], slots: &[u32], from: [usize; 2], counts: impl Fn(&Tie) -> bool) -> Vec<u32> {
    let of = |slot: usize| ties[slot].iter().filter(&counts);
    let one = from.into_iter().flat_map(of);
    let two = one.clone().flat_map(|tie| of(slots[tie.number as usize] as usize));
    one.clone().chain(two).map(|tie| tie.number).collect()
}

/// Binds neighbours of woven sheets; particles stand in the order of their numbers. Empty where no sheet is woven.
pub fn weave(scene: &Scene, particles: &Particles) -> Vec<Ties> {
    let woven: Vec<bool> = scene.bodies.iter().map(|body| model(&body.material).is_woven()).collect();
    if !woven.contains(&true) {
        return Vec::new();
    }
    let cloth = Cloth::new(particles, |body| woven[body as usize], scene.particle_spacing);
    let of = |slot: usize| if woven[particles.sources[slot] as usize] { cloth.beside(slot) } else { Vec::new() };
    let wanted: Vec<Vec<Tie>> = (0..particles.len()).into_par_iter().map(of).collect();
    let wants = |tie: &Tie, slot: usize| wanted[tie.number as usize].iter().any(|back| back.number as usize == slot);
    let mutual = |(slot, beside): (usize, &Vec<Tie>)| Ties::of(beside.iter().copied().filter(|tie| wants(tie, slot)));
    wanted.iter().enumerate().map(mutual).collect()
}

/// The seams that tools have made, by particle numbers: the lower first, in order.
pub fn seams(particles: &Particles) -> Vec<[u32; 2]> {
    let sewn = particles.numbers.iter().zip(&particles.ties).flat_map(|(&number, ties)| {
        ties.iter().filter(move |tie| tie.sewn && tie.number > number).map(move |tie| [number, tie.number])
    });
    let mut seams: Vec<[u32; 2]> = sewn.collect();
    seams.sort_unstable();
    seams
}

/// Turns newly woven particles to the normals of frames, which on the edges of a mesh are between both sides, and
/// stores the curvature of the ties.
pub fn face(particles: &mut Particles, spacing: f64) {
    if particles.ties.is_empty() {
        return;
    }
    let normals = told_normals(particles);
    let Particles { orientations, ties, .. } = particles;
    let woven = orientations.iter_mut().zip(ties).zip(normals).filter(|((_, ties), _)| !ties.is_empty());
    for ((orientation, _), normal) in woven {
        *orientation = DQuat::from_rotation_arc(DVec3::Z, normal.as_dvec3().normalize());
    }
    change(particles, |particles, slot, other, tie| {
        let Between { curvature, skew, .. } = between(particles, slot, other);
        let (curvature, skew) = ((curvature * nearest(spacing)) as f32, (skew / nearest(spacing)) as f32);
        Some(Tie { curvature, skew, ..tie })
    });
}

/// Changes all ties, given the slots of both ends; a tie that becomes none ends.
pub fn change(particles: &mut Particles, new: impl Fn(&Particles, usize, usize, Tie) -> Option<Tie> + Sync) {
    let (mut ties, slots) = (std::mem::take(&mut particles.ties), slots(particles));
    let particles_now = &*particles;
    ties.par_iter_mut().enumerate().with_min_len(1024).for_each(|(slot, ties)| {
        let changed = ties.iter().filter_map(|tie| new(particles_now, slot, slots[tie.number as usize] as usize, tie));
        *ties = Ties::of(changed);
    });
    particles.ties = ties;
}

/// Normals of woven particles, in the order of the particles, and zero for others; empty where nothing is woven.
pub fn woven_normals(particles: &Particles) -> Vec<Vec3> {
    let of = |(orientation, ties): (&DQuat, &Ties)| {
        if ties.is_empty() { Vec3::ZERO } else { (*orientation * DVec3::Z).as_vec3() }
    };
    particles.orientations.iter().zip(&particles.ties).map(of).collect()
}

/// Normals as frames give them. For woven particles: the normal of the polygon of all bound neighbours, as a particle's
/// own lags where a blow folds the sheet sharply.
pub fn told_normals(particles: &Particles) -> Vec<Vec3> {
    let Particles { positions, orientations, ties, .. } = particles;
    let slots = if ties.is_empty() { Vec::new() } else { slots(particles) };
    let normal = |slot: usize| {
        let own = orientations[slot] * DVec3::Z;
        let Some(ties) = ties.get(slot) else { return own.as_vec3() };
        let offset = |number: u32| positions[slots[number as usize] as usize] - positions[slot];
        let corners: Vec<DVec3> = ties.iter().map(|tie| offset(tie.number)).collect();
        let next = corners.iter().cycle().skip(1);
        let polygon: DVec3 = corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum();
        let edges: f64 = corners.iter().map(|corner| corner.length_squared()).sum();
        if polygon.length() > FLAT * edges { polygon.normalize().as_vec3() } else { own.as_vec3() }
    };
    (0..orientations.len()).into_par_iter().with_min_len(1024).map(normal).collect()
}

/// Removes ties that are stretched beyond holding, at a spacing and within a support, m.
pub fn tear(particles: &mut Particles, sheets: &[Option<Sheet>], spacing: f64, support: f64) {
    if particles.ties.is_empty() {
        return;
    }
    let parted = parted(spacing);
    change(particles, |particles, slot, other, tie| {
        let lasts = !tie.joins && sheets[particles.sources[slot] as usize].is_some_and(|sheet| sheet.lasting);
        let reach = if lasts { support } else { support.min(parted * f64::from(tie.length)) };
        (particles.positions[slot].distance(particles.positions[other]) < reach).then_some(tie)
    });
}
