//! The soft bodies of a scene, and what happens to them at frames.

use super::pieces::{Kinship, divide};
use super::skin::Skin;
use super::territory::{Coat, Territories};
use super::volume::{Control, Volume, control};
use crate::particles::{Particles, slots};
use dollop_scene::{Material, Scene};

/// What is not seen of soft bodies in their particles.
#[derive(Debug, Default)]
pub struct SoftBodies {
    /// By body; empty where none is soft.
    bodies: Vec<Option<(Skin, Control)>>,
    /// m.
    spacing: f64,
    /// How far particles act on each other, m.
    support: f64,
}

impl SoftBodies {
    /// Those of a scene whose particles act on each other within a support, m.
    pub fn new(scene: &Scene, support: f64) -> Self {
        let spacing = scene.particle_spacing;
        let of = |material: &Material| match material {
            Material::Soft(soft) => {
                let control = Control { rate: soft.volume_rate, damping: soft.volume_damping };
                Some((Skin::new(soft, spacing), control))
            }
            Material::Smoothed(_) | Material::Thermal(_) | Material::Oriented(_) => None,
        };
        let bodies: Vec<_> = scene.bodies.iter().map(|body| of(&body.material)).collect();
        Self { bodies: if bodies.iter().any(Option::is_some) { bodies } else { Vec::new() }, spacing, support }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The skin of each body; empty where none is soft.
    pub fn skins(&self) -> Vec<Option<Skin>> {
        self.bodies.iter().map(|body| body.map(|(skin, _)| skin)).collect()
    }

    /// Makes each body one piece as far as its influence hangs together.
    pub fn begin(&self, particles: &mut Particles) {
        if self.is_empty() {
            return;
        }
        let kinship = |&source: &u32| self.bodies[source as usize].map_or(Kinship::NONE, |_| Kinship::of(source));
        particles.kinships = particles.sources.iter().map(kinship).collect();
        particles.volumes = vec![Volume::default(); particles.len()];
        self.divide(particles);
    }

    /// Parts what has lost touch, and takes the volumes of all territories for those that they are to keep: once matter has settled.
    pub fn keep_volumes(&self, particles: &mut Particles) {
        if self.is_empty() {
            return;
        }
        let coats = self.divide(particles);
        if !self.controls() {
            return;
        }
        let territories = Territories::new(&coats).all();
        let slots = slots(particles);
        for (coat, territory) in coats.iter().zip(&territories) {
            particles.volumes[slots[coat.number as usize] as usize] = Volume::new(territory);
        }
    }

    /// Ends a frame of some seconds: parts what has lost touch, and sets the offsets.
    pub fn end_frame(&self, particles: &mut Particles, seconds: f64) {
        if self.is_empty() {
            return;
        }
        let coats = self.divide(particles);
        if !self.controls() {
            return;
        }
        let slots = slots(particles);
        let Particles { volumes, sources, .. } = particles;
        let followed: Vec<(Volume, Control)> = coats
            .iter()
            .filter_map(|coat| {
                let slot = slots[coat.number as usize] as usize;
                Some((volumes[slot], self.bodies[sources[slot] as usize]?.1))
            })
            .collect();
        for (coat, volume) in coats.iter().zip(control(&coats, &followed, (seconds, self.spacing))) {
            volumes[slots[coat.number as usize] as usize] = volume;
        }
    }

    /// Whether the volume of any body is controlled.
    fn controls(&self) -> bool {
        self.bodies.iter().flatten().any(|(_, control)| control.rate > 0.0)
    }

    /// Parts what has lost touch. Tells all soft particles as they are then.
    fn divide(&self, particles: &mut Particles) -> Vec<Coat> {
        let mut coats = self.coats(particles);
        divide(&mut coats, self.support);
        let slots = slots(particles);
        for coat in &coats {
            particles.kinships[slots[coat.number as usize] as usize] = coat.kinship;
        }
        coats
    }

    /// All soft particles, in the order of their numbers.
    fn coats(&self, particles: &Particles) -> Vec<Coat> {
        let slots = slots(particles);
        let coat = |(number, &slot): (u32, &u32)| {
            let slot = slot as usize;
            let (skin, _) = self.bodies[particles.sources[slot] as usize]?;
            let (place, kinship) = (particles.positions[slot], particles.kinships[slot]);
            Some(Coat { number, place, kinship, offset: particles.volumes[slot].offset, skin })
        };
        (0..).zip(&slots).filter_map(coat).collect()
    }
}
