//! Pinned regions of sheets: their particles move as the scene says, whatever forces act on them.
//!
//! A pinned particle acts on others as any particle does. The pin bears all forces on it: they do not accelerate it,
//! and their power counts as that of a moving wall.

mod load;
mod region;

pub use load::weak;
pub use region::Regions;

use crate::SetupError;
use crate::boundary::Motion;
use crate::material::Force;
use crate::particles::Particles;
use crate::region::motion;
use dollop_scene::{Body, JsonPath, Pin, Scene, Transform};
use glam::{DQuat, DVec3, Vec3};

/// Part of a frame over which the velocity of pins is measured.
const MOMENT: f64 = 1.0 / 1024.0;

/// The pins of the scene, with their motion.
#[derive(Debug, Default)]
pub struct Pins {
    /// The motion of each pin, in seconds from the first frame.
    motions: Vec<Motion>,
    /// Name for messages, and place in the scene, of each pin.
    titles: Vec<PinTitle>,
    /// The pin of each particle of the start by its id; empty where none is pinned.
    pinned: Vec<Option<PinnedParticle>>,
    /// The same by present particle number.
    held: Vec<Option<PinnedParticle>>,
    /// Seconds that velocities are measured over.
    moment: f64,
}

/// The title of a pin in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinTitle {
    /// Its own name and the name of its body.
    pub name: String,
    /// Its place in the scene.
    pub path: JsonPath,
}

/// A particle that a pin holds.
#[derive(Debug, Clone, Copy)]
struct PinnedParticle {
    pin: usize,
    /// Position at the first frame, m, and orientation.
    position: DVec3,
    orientation: DQuat,
}

/// Position and motion of a held particle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Rotation from the world's axes to its own.
    pub orientation: DQuat,
    /// Angular velocity, rad/s.
    pub spin: DVec3,
}

impl Pins {
    /// The pins of a scene, given the particles at the first frame in the order of their numbers, and the pin of each,
    /// counted over all bodies.
    ///
    /// # Errors
    /// When a pin's scale changes unevenly, or nothing lies at its vertices.
    pub fn new(scene: &Scene, particles: &Particles, pinned: &[Option<u32>]) -> Result<Self, SetupError> {
        let interval = 1.0 / scene.frames.rate;
        let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) * interval;
        let (mut motions, mut titles) = (Vec::new(), Vec::new());
        for (path, body, pin) in named(scene) {
            let motion = motion(&path, "pin", &Transform::default(), &pin.motion, time_of)
                .map_err(|error| SetupError { message: format!("{}; it is not followed", error.message), ..error })?;
            let number = motions.len() as u32;
            if !pinned.contains(&Some(number)) {
                return Err(SetupError::new(
                    path.key("vertices"),
                    "no particle of the sheet lies there that no other pin holds; pin more vertices, or use a smaller particle_spacing",
                ));
            }
            motions.push(motion);
            titles.push(PinTitle { name: format!("\"{}\" of body \"{}\"", pin.name, body.name), path });
        }
        if motions.is_empty() {
            return Ok(Self::default());
        }
        let held = |(number, pin): (usize, &Option<u32>)| {
            let (position, orientation) = (particles.positions[number], particles.orientations[number]);
            pin.map(|pin| PinnedParticle { pin: pin as usize, position, orientation })
        };
        let held: Vec<Option<PinnedParticle>> = pinned.iter().enumerate().map(held).collect();
        Ok(Self { motions, titles, pinned: held.clone(), held, moment: MOMENT * interval })
    }

    /// Finds the held particles by their ids after numbers have changed.
    pub fn locate(&mut self, particles: &Particles) {
        if !self.pinned.is_empty() {
            let pinned = |slot| self.pinned.get(particles.id(slot) as usize).copied().flatten();
            self.held = particles.by_number((0..particles.len()).map(pinned));
        }
    }

    fn of(&self, number: u32) -> Option<&PinnedParticle> {
        self.held.get(number as usize)?.as_ref()
    }

    /// Whether a particle is held.
    pub fn holds(&self, number: u32) -> bool {
        self.of(number).is_some()
    }

    /// The pin that holds a particle.
    pub fn title(&self, number: u32) -> Option<&PinTitle> {
        self.of(number).map(|held| &self.titles[held.pin])
    }

    /// Position and motion of a particle at a time, s, if a pin holds it.
    pub fn hold(&self, number: u32, time: f64) -> Option<Hold> {
        let held = self.of(number)?;
        let motion = &self.motions[held.pin];
        let (from, now, soon) = (motion.pose(0.0), motion.pose(time), motion.pose(time + self.moment));
        // Equal to the scene's position to the last bit as long as nothing moves.
        if from == now && now == soon {
            let PinnedParticle { position, orientation, .. } = *held;
            return Some(Hold { position, velocity: DVec3::ZERO, orientation, spin: DVec3::ZERO });
        }
        let own = from.rotation.inverse() * (held.position - from.translation);
        let place = |translation: DVec3, rotation: DQuat| translation + rotation * own;
        let position = place(now.translation, now.rotation);
        let later = place(soon.translation, soon.rotation);
        let turn = soon.rotation * now.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Some(Hold {
            position,
            velocity: (later - position) / self.moment,
            orientation: (now.rotation * from.rotation.inverse() * held.orientation).normalize(),
            spin: turn.to_scaled_axis() / self.moment,
        })
    }

    /// Whether a pin that moves between two times, s, holds a particle.
    pub fn moves(&self, number: u32, from: f64, to: f64) -> bool {
        self.of(number).is_some_and(|held| {
            let motion = &self.motions[held.pin];
            motion.pose(from) != motion.pose(to)
        })
    }
}

/// A force on a particle that a pin bears in full, given mass, kg, moment of inertia, kg m^2, velocity, m/s, and
/// angular velocity, rad/s, of the particle.
pub fn borne(force: Force, mass: f64, inertia: f64, velocity: DVec3, spin: DVec3) -> Force {
    let storing = (force.pairs + force.walls - force.dissipation).as_dvec3();
    let turning = (force.turn - force.turn_dissipation).as_dvec3();
    let power = mass * storing.dot(velocity) + inertia * turning.dot(spin);
    Force {
        walls: -force.pairs,
        dissipation: Vec3::ZERO,
        wall_push: Vec3::ZERO,
        wall_power: -power as f32,
        weight: 0.0,
        turn: Vec3::ZERO,
        turn_dissipation: Vec3::ZERO,
        ..force
    }
}

/// All pins of a scene with their places in it.
fn named(scene: &Scene) -> impl Iterator<Item = (JsonPath, &Body, &Pin)> {
    scene.bodies.iter().enumerate().flat_map(|(number, body)| {
        body.pins
            .iter()
            .enumerate()
            .map(move |(pin, of)| (JsonPath::item("bodies", number).key("pins").index(pin), body, of))
    })
}
