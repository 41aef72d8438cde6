//! How bodies touch each other: the energy of a patch of their skins.

use super::FARTHEST;
use crate::frame::Skin;
use crate::lattice::{between_layers_in_space, close_packed_half_space};
use glam::DVec3;

/// The distance within which pairs push each other, blending or not, spacings; and the energy at zero distance over m
/// k.
const CORE: f64 = 0.75;
const CORE_ENERGY: f64 = 0.5;

/// Overlap of flat faces at which they are as stiff as the matter, as a part of the distance of layers; and the number
/// of offsets of one face on the other that are sampled, on either side.
pub const PRESSED: f64 = 0.1;
const SHIFTS: u32 = 4;

/// How a body touches others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touching {
    /// Its skin.
    pub skin: Skin,
    /// Mass of a particle, kg.
    pub mass: f64,
    /// m k, J.
    pub energy: f64,
    /// S over m k.
    pub strength: f64,
    /// Coulomb friction coefficient.
    pub friction: f64,
}

impl Touching {
    /// The contact of a material with some skin at a spacing, m.
    pub fn new(material: &dollop_scene::Soft, skin: Skin, spacing: f64) -> Self {
        let mass = material.rest_density * spacing.powi(3);
        let energy = mass * material.stiffness;
        Self { skin, mass, energy, strength: strength(&skin, spacing), friction: material.contact_friction }
    }

    /// k, m^2/s^2.
    pub fn stiffness(&self) -> f64 {
        self.energy / self.mass
    }
}

/// m k of a pair over the lighter particle's mass, m^2/s^2.
pub fn stiffness(a: &Touching, b: &Touching) -> f64 {
    (a.energy * b.energy).sqrt() / a.mass.min(b.mass)
}

/// S over m k: two half spaces that overlap by a part e of the distance of their layers store m k e^2 / 2 for each
/// particle of a face.
fn strength(skin: &Skin, spacing: f64) -> f64 {
    let (layers, [a, b]) = close_packed_half_space(skin.reach + FARTHEST * spacing, spacing);
    let apart = between_layers_in_space(spacing) * (1.0 - PRESSED);
    let stored = |shift: DVec3| {
        let other: Vec<DVec3> = layers.iter().map(|&p| DVec3::new(p.x, p.y, -p.z - apart) + shift).collect();
        let value = |side: &[DVec3], point: DVec3| {
            side.iter().map(|p| skin.value(p.distance(point))).sum::<f64>() / skin.isovalue - 1.0
        };
        let near = other.iter().filter(|p| p.length() < FARTHEST * spacing);
        let patch = |p: &DVec3| {
            let middle = *p / 2.0;
            Overlap::of(value(&layers, middle), value(&other, middle)).u.powi(2) * weight(p.length() / spacing).0
        };
        near.map(patch).sum::<f64>()
    };
    let part = |n: u32| (f64::from(n) + 0.5) / f64::from(SHIFTS);
    let shifts = (0..SHIFTS * SHIFTS).map(|n| a * part(n / SHIFTS) + b * part(n % SHIFTS));
    let mean = shifts.map(stored).sum::<f64>() / f64::from(SHIFTS * SHIFTS);
    PRESSED * PRESSED / 2.0 / mean
}

/// u and its derivatives by a and b.
#[derive(Default)]
pub struct Overlap {
    pub u: f64,
    pub by_a: f64,
    pub by_b: f64,
}

impl Overlap {
    pub fn of(a: f64, b: f64) -> Self {
        if a <= 0.0 || b <= 0.0 {
            return Self::default();
        }
        let sum = a + b;
        Self { u: a * b / sum, by_a: (b / sum).powi(2), by_b: (a / sum).powi(2) }
    }
}

/// w at a distance, spacings, and its slope.
pub fn weight(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / FARTHEST).powi(2)).max(0.0);
    (rest * rest, -4.0 * rest * distance / (FARTHEST * FARTHEST))
}

/// Energy over m k of a pair within the core, and its slope, 1/spacing.
pub fn core(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / CORE).powi(2)).max(0.0);
    (CORE_ENERGY * rest * rest, -4.0 * CORE_ENERGY * rest * distance / (CORE * CORE))
}
