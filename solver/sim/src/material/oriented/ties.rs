//! What holds a woven sheet together.

use super::nearest;
use crate::particles::Particles;
use dollop_scene::{Material, Scene, Structure};
use glam::{DQuat, DVec3, I64Vec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Most neighbours that a particle is bound to.
pub const MOST_TIES: usize = 8;

/// How far neighbours are bound at the first frame, in distances of nearest ones.
const REACH: f64 = 1.45;

/// Neighbours around an edge of a mesh are bound where their normals have at least this cosine, and ways between them no higher part over
/// either's tangent plane than this: what faces the other way, or lies above, is another layer.
const SHARPEST: f64 = -0.3;
const STEEPEST: f64 = 0.9;

/// A polygon of less area than this part of the squares of its corners' distances has no side.
const FLAT: f64 = 0.05;

/// The number of nobody.
const NOBODY: u32 = u32::MAX;

/// The particles that one is bound to, by number, counter-clockwise as seen from where its normal points at the first frame, and how far from
/// them it is at rest, over the distance of nearest neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ties {
    numbers: [u32; MOST_TIES],
    lengths: [f32; MOST_TIES],
}

impl Default for Ties {
    fn default() -> Self {
        Self { numbers: [NOBODY; MOST_TIES], lengths: [1.0; MOST_TIES] }
    }
}

impl Ties {
    /// Numbers and lengths, in the order in which they are bound.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.numbers.iter().copied().zip(self.lengths).take_while(|&(number, _)| number != NOBODY)
    }

    /// Whether it is bound to nothing.
    fn is_empty(&self) -> bool {
        self.numbers[0] == NOBODY
    }

    fn of(ties: impl Iterator<Item = (u32, f32)>) -> Self {
        let mut all = Self::default();
        for (n, (number, length)) in ties.take(MOST_TIES).enumerate() {
            (all.numbers[n], all.lengths[n]) = (number, length);
        }
        all
    }
}

/// Binds what lies beside each other in woven sheets; particles stand in the order of their numbers. Empty where no sheet is woven.
pub fn weave(scene: &Scene, particles: &Particles) -> Vec<Ties> {
    let is_woven =
        |material: &Material| matches!(material, Material::Oriented(sheet) if sheet.structure == Structure::Woven);
    let woven: Vec<bool> = scene.bodies.iter().map(|body| is_woven(&body.material)).collect();
    if !woven.contains(&true) {
        return Vec::new();
    }
    let cloth = Cloth::new(particles, &woven, scene.particle_spacing);
    let wanted: Vec<Vec<(u32, f32)>> = (0..particles.len()).into_par_iter().map(|i| cloth.beside(i)).collect();
    let wants = |j: u32, i: usize| wanted[j as usize].iter().any(|&(number, _)| number as usize == i);
    let mutual =
        |(i, beside): (usize, &Vec<(u32, f32)>)| Ties::of(beside.iter().copied().filter(|&(j, _)| wants(j, i)));
    wanted.iter().enumerate().map(mutual).collect()
}

/// The particles of woven sheets by cells.
struct Cloth<'a> {
    particles: &'a Particles,
    nearest: f64,
    cells: FxHashMap<I64Vec3, Vec<u32>>,
}

impl<'a> Cloth<'a> {
    fn new(particles: &'a Particles, woven: &[bool], spacing: f64) -> Self {
        let mut cloth = Self { particles, nearest: nearest(spacing), cells: FxHashMap::default() };
        for (i, &position) in particles.positions.iter().enumerate() {
            if woven[particles.sources[i] as usize] {
                let cell = cloth.cell(position);
                cloth.cells.entry(cell).or_default().push(i as u32);
            }
        }
        cloth
    }

    fn cell(&self, position: DVec3) -> I64Vec3 {
        (position / (REACH * self.nearest)).floor().as_i64vec3()
    }

    /// The nearest of those that lie beside a particle in its sheet, and how far, over the distance of nearest neighbours.
    fn beside(&self, i: usize) -> Vec<(u32, f32)> {
        let cell = self.cell(self.particles.positions[i]);
        let around = (0..27).map(|n| cell + I64Vec3::new(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
        let others = around.filter_map(|cell| self.cells.get(&cell)).flatten();
        let mut beside: Vec<(f64, u32)> =
            others.filter_map(|&j| self.distance(i, j as usize).map(|distance| (distance, j))).collect();
        beside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        beside.truncate(MOST_TIES);
        beside.sort_by(|a, b| self.angle(i, a.1).total_cmp(&self.angle(i, b.1)));
        beside.into_iter().map(|(distance, j)| (j, (distance / self.nearest) as f32)).collect()
    }

    /// The angle at which one sees another, counter-clockwise as seen from where its normal points.
    fn angle(&self, i: usize, j: u32) -> f64 {
        let Particles { positions, orientations, .. } = self.particles;
        let way = orientations[i].inverse() * (positions[j as usize] - positions[i]);
        way.y.atan2(way.x)
    }

    /// How far another particle is that lies beside one, m.
    fn distance(&self, i: usize, j: usize) -> Option<f64> {
        let Particles { positions, orientations, sources, .. } = self.particles;
        let way = positions[j] - positions[i];
        let distance = way.length();
        let (own, their) = (orientations[i] * DVec3::Z, orientations[j] * DVec3::Z);
        let steep = own.dot(way).abs().max(their.dot(way).abs()) > STEEPEST * distance;
        let bound = i != j && sources[i] == sources[j] && own.dot(their) > SHARPEST && !steep;
        (bound && distance < REACH * self.nearest).then_some(distance)
    }
}

/// Turns what has just been woven to the normals that frames tell: along the edges of a mesh those between both sides.
pub fn face(particles: &mut Particles) {
    if particles.ties.is_empty() {
        return;
    }
    let normals = told_normals(particles);
    let Particles { orientations, ties, .. } = particles;
    let woven = orientations.iter_mut().zip(ties).zip(normals).filter(|((_, ties), _)| !ties.is_empty());
    for ((orientation, _), normal) in woven {
        *orientation = DQuat::from_rotation_arc(DVec3::Z, normal.as_dvec3().normalize());
    }
}

/// Normals of what has just been woven, in the order of the particles, and zero for what has not; empty where nothing has.
pub fn woven_normals(particles: &Particles) -> Vec<Vec3> {
    let of = |(orientation, ties): (&DQuat, &Ties)| {
        if ties.is_empty() { Vec3::ZERO } else { (*orientation * DVec3::Z).as_vec3() }
    };
    particles.orientations.iter().zip(&particles.ties).map(of).collect()
}

/// Normals as frames tell them: of what is woven that of the polygon of all that a particle is bound to, as its own lags behind where a blow folds
/// the sheet sharply.
pub fn told_normals(particles: &Particles) -> Vec<Vec3> {
    let Particles { positions, orientations, ties, .. } = particles;
    let slots = if ties.is_empty() { Vec::new() } else { slots(particles) };
    let normal = |slot: usize| {
        let own = orientations[slot] * DVec3::Z;
        let Some(ties) = ties.get(slot) else { return own.as_vec3() };
        let way = |number: u32| positions[slots[number as usize] as usize] - positions[slot];
        let corners: Vec<DVec3> = ties.iter().map(|(number, _)| way(number)).collect();
        let next = corners.iter().cycle().skip(1);
        let polygon: DVec3 = corners.iter().zip(next).map(|(a, b)| a.cross(*b)).sum();
        let edges: f64 = corners.iter().map(|corner| corner.length_squared()).sum();
        if polygon.length() > FLAT * edges { polygon.normalize().as_vec3() } else { own.as_vec3() }
    };
    (0..orientations.len()).into_par_iter().with_min_len(1024).map(normal).collect()
}

/// The slot of each particle number.
fn slots(particles: &Particles) -> Vec<u32> {
    let mut slots = vec![0; particles.len()];
    particles.numbers.iter().zip(0..).for_each(|(&number, slot)| slots[number as usize] = slot);
    slots
}

/// Forgets what is drawn apart so far, m, that nothing holds it.
pub fn tear(particles: &mut Particles, parted: f64) {
    if particles.ties.is_empty() {
        return;
    }
    let slots = slots(particles);
    let Particles { positions, ties, .. } = particles;
    let positions = &*positions;
    ties.par_iter_mut().enumerate().with_min_len(1024).for_each(|(slot, ties)| {
        let holds = |&(number, length): &(u32, f32)| {
            let other = positions[slots[number as usize] as usize];
            positions[slot].distance(other) < parted * f64::from(length)
        };
        if !ties.iter().all(|tie| holds(&tie)) {
            *ties = Ties::of(ties.iter().filter(holds));
        }
    });
}
