//! The soft bodies of a scene, and their changes at frames.

use super::contact::Touching;
use super::pieces::{divide, fuse};
use super::pressure::{Peak, on_pair};
use super::territory::{SoftParticle, Territories};
use super::volume::{Control, control};
use crate::frame::Skin;
use crate::material::model;
use crate::particles::{Membership, Particles, Renumbering, Volume, slots};
use dollop_scene::{Scene, Soft};
use glam::DVec3;
use std::collections::BTreeMap;

/// The skin of a material at a particle spacing, m.
pub fn skin_of(material: &Soft, spacing: f64) -> Skin {
    Skin::new(material.field, material.influence * spacing, spacing)
}

/// Constants of a soft body.
#[derive(Debug, Clone, Copy)]
pub struct SoftBody {
    skin: Skin,
    control: Control,
    /// Pressure at which it fuses, Pa; infinite where it never fuses.
    fusion_pressure: f64,
    touching: Touching,
}

impl SoftBody {
    /// The soft body of a material with particles at a spacing, m.
    pub fn new(soft: &Soft, spacing: f64) -> Self {
        let skin = skin_of(soft, spacing);
        Self {
            skin,
            control: Control { rate: soft.volume_rate, damping: soft.volume_damping },
            fusion_pressure: if soft.fusion_pressure > 0.0 { soft.fusion_pressure } else { f64::INFINITY },
            touching: Touching::new(soft, skin, spacing),
        }
    }
}

/// State of soft bodies outside the particle columns.
#[derive(Debug, Default)]
pub struct SoftBodies {
    /// The soft bodies by body; empty where none is soft.
    bodies: Vec<Option<SoftBody>>,
    /// The offset from each particle to the wall that its skin may lie on, m, by particle number; empty where none is
    /// known.
    walls: Vec<DVec3>,
    /// The peaks of the pressure on pairs of particles in the frame that ends, by their numbers.
    peaks: BTreeMap<[u32; 2], Peak>,
    /// Particle spacing, m.
    spacing: f64,
    /// The range of the forces between particles, m.
    support: f64,
}

impl SoftBodies {
    /// The soft bodies of a scene whose particles act on each other within a support, m.
    pub fn new(scene: &Scene, support: f64) -> Self {
        let spacing = scene.particle_spacing;
        let bodies: Vec<_> = scene.bodies.iter().map(|body| model(&body.material).soft_body(spacing)).collect();
        let bodies = if bodies.iter().any(Option::is_some) { bodies } else { Vec::new() };
        Self { bodies, walls: Vec::new(), peaks: BTreeMap::new(), spacing, support }
    }

    /// The largest distance of a wall that a skin lies on, m; zero where no matter is soft.
    pub fn wall_reach(&self) -> f64 {
        self.bodies.iter().flatten().map(|body| body.skin.image_reach()).fold(0.0, f64::max)
    }

    /// Takes the offsets from all particles to the walls that their skins may lie on, m, by particle number.
    pub fn set_walls(&mut self, walls: Vec<DVec3>) {
        self.walls = walls;
    }

    /// Takes the peaks of the pressure on pairs of particles in the frame that ends, by their numbers.
    pub fn set_peaks(&mut self, peaks: BTreeMap<[u32; 2], Peak>) {
        self.peaks = peaks;
    }

    /// Removes the entries of removed particles.
    pub fn renumber(&mut self, renumbering: &Renumbering) {
        renumbering.keep(&mut self.walls);
    }

    /// The offsets of soft particles to walls; zero for others.
    pub fn walls(&self) -> &[DVec3] {
        &self.walls
    }

    /// Whether no body is soft.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The skin of each body; empty where none is soft.
    pub fn skins(&self) -> Vec<Option<Skin>> {
        self.bodies.iter().map(|body| body.map(|body| body.skin)).collect()
    }

    /// How each body touches others; empty where none is soft.
    pub fn touchings(&self) -> Vec<Option<Touching>> {
        self.bodies.iter().map(|body| body.map(|body| body.touching)).collect()
    }

    /// Whether a body is soft.
    pub fn is_soft(&self, source: u32) -> bool {
        self.bodies.get(source as usize).is_some_and(Option::is_some)
    }

    /// Makes each body one piece as far as its influence is connected.
    pub fn begin(&self, particles: &mut Particles) {
        if self.is_empty() {
            return;
        }
        let membership =
            |&source: &u32| self.bodies[source as usize].map_or(Membership::NONE, |_| Membership::of(source));
        particles.memberships = particles.sources.iter().map(membership).collect();
        particles.volumes = vec![Volume::default(); particles.len()];
        let mut soft_particles = self.soft_particles(particles);
        self.divide(particles, &mut soft_particles, |_, _| false);
    }

    /// Divides disconnected pieces, given the pairs that walls separate, and stores the present territory volumes as
    /// those to keep: once matter has settled.
    pub fn keep_volumes(&self, particles: &mut Particles, is_parted: impl Fn(DVec3, DVec3) -> bool) {
        if self.is_empty() {
            return;
        }
        let mut soft_particles = self.soft_particles(particles);
        self.divide(particles, &mut soft_particles, is_parted);
        if !self.controls() {
            return;
        }
        let territories = Territories::new(&soft_particles).all();
        let slots = slots(particles);
        for (soft_particle, territory) in soft_particles.iter().zip(&territories) {
            particles.volumes[slots[soft_particle.number as usize] as usize] = Volume::new(territory);
        }
    }

    /// Ends a frame of some seconds: fuses pairs pressed hard enough, divides disconnected pieces, given the pairs that
    /// walls separate, and sets the offsets.
    pub fn end_frame(&self, particles: &mut Particles, is_parted: impl Fn(DVec3, DVec3) -> bool, seconds: f64) {
        if self.is_empty() {
            return;
        }
        let mut soft_particles = self.soft_particles(particles);
        fuse(&mut soft_particles, &self.pressed(particles));
        self.divide(particles, &mut soft_particles, is_parted);
        if !self.controls() {
            return;
        }
        let slots = slots(particles);
        let Particles { volumes, sources, .. } = particles;
        let followed: Vec<(Volume, Control)> = soft_particles
            .iter()
            .filter_map(|soft_particle| {
                let slot = slots[soft_particle.number as usize] as usize;
                Some((volumes[slot], self.bodies[sources[slot] as usize]?.control))
            })
            .collect();
        for (soft_particle, volume) in
            soft_particles.iter().zip(control(&soft_particles, &followed, seconds, self.spacing))
        {
            volumes[slots[soft_particle.number as usize] as usize] = volume;
        }
    }

    /// Whether the volume of any body is controlled.
    fn controls(&self) -> bool {
        self.bodies.iter().flatten().any(|body| body.control.rate > 0.0)
    }

    /// Divides disconnected pieces of soft matter.
    fn divide(
        &self,
        particles: &mut Particles,
        soft_particles: &mut [SoftParticle],
        is_parted: impl Fn(DVec3, DVec3) -> bool,
    ) {
        divide(soft_particles, self.support, is_parted);
        let slots = slots(particles);
        for soft_particle in soft_particles {
            particles.memberships[slots[soft_particle.number as usize] as usize] = soft_particle.membership;
        }
    }

    /// Pairs of particles that were pressed together hard enough to fuse.
    fn pressed(&self, particles: &Particles) -> Vec<[u32; 2]> {
        let slots = slots(particles);
        let slot = |number: u32| slots[number as usize] as usize;
        let threshold = |number: u32| {
            self.bodies[particles.sources[slot(number)] as usize].map_or(f64::INFINITY, |body| body.fusion_pressure)
        };
        let is_enough = |(&pair, &peak): (&[u32; 2], &Peak)| {
            let fused = pair.map(|number| particles.memberships[slot(number)].fused);
            let [a, b] = pair.map(threshold);
            (on_pair(peak, fused) >= a.max(b)).then_some(pair)
        };
        self.peaks.iter().filter_map(is_enough).collect()
    }

    /// All soft particles, in the order of their numbers.
    fn soft_particles(&self, particles: &Particles) -> Vec<SoftParticle> {
        let slots = slots(particles);
        let soft_particle = |(number, &slot): (u32, &u32)| {
            let slot = slot as usize;
            let skin = self.bodies[particles.sources[slot] as usize]?.skin;
            let wall = self.walls.get(number as usize).copied().unwrap_or(DVec3::ZERO);
            let (place, membership) = (particles.positions[slot], particles.memberships[slot]);
            Some(SoftParticle { number, place, membership, offset: particles.volumes[slot].offset, skin, wall })
        };
        (0..).zip(&slots).filter_map(soft_particle).collect()
    }
}
