//! Regions of sheets that are held: their particles go where the scene has them, whatever acts on them.
//!
//! A held particle acts on others as any. What they do to it something else bears: no acceleration is left of it, and
//! its power counts as that of a moving wall.

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

/// Which part of a frame the velocity of what holds is measured over.
const MOMENT: f64 = 1.0 / 1024.0;

/// What is held, and how that moves.
#[derive(Debug, Default)]
pub struct Pins {
    /// Of each pin, seconds from the first frame.
    motions: Vec<Motion>,
    /// What errors call each, and its place in the scene.
    titles: Vec<PinTitle>,
    /// Of each particle of the start by its id; empty where none is held.
    pinned: Vec<Option<PinnedParticle>>,
    /// The same by number, as particles are numbered now.
    held: Vec<Option<PinnedParticle>>,
    /// Seconds that velocities are measured over.
    moment: f64,
}

/// A pin as messages tell of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinTitle {
    /// Its own name and that of its body.
    pub name: String,
    /// Its place in the scene.
    pub path: JsonPath,
}

/// A particle that is held.
#[derive(Debug, Clone, Copy)]
struct PinnedParticle {
    pin: usize,
    /// Where it is at the first frame, m, and what it is turned to.
    position: DVec3,
    orientation: DQuat,
}

/// How a held particle stands and moves.
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
    /// The pins of a scene, given the particles as they stand at the first frame in the order of their numbers, and the
    /// pin of each, counted over all bodies.
    ///
    /// # Errors
    /// When a pin's scale changes unevenly, or nothing lies at its vertices.
    pub fn new(scene: &Scene, particles: &Particles, pinned: &[Option<u32>]) -> Result<Self, SetupError> {
        let interval = 1.0 / scene.frames.rate;
        let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) * interval;
        let (mut motions, mut titles) = (Vec::new(), Vec::new());
        for (path, body, pin) in named(scene) {
            let motion = motion((&path, "pin"), (&Transform::default(), &pin.motion), time_of)
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

    /// Finds the held particles by their ids, after the numbers have changed.
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

    /// How a particle stands and moves at a time, s, if it is held.
    pub fn hold(&self, number: u32, time: f64) -> Option<Hold> {
        let held = self.of(number)?;
        let motion = &self.motions[held.pin];
        let (from, now, soon) = (motion.pose(0.0), motion.pose(time), motion.pose(time + self.moment));
        // Where the scene has it to the last bit as long as nothing moves.
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

    /// Whether a particle is held by something that moves between two times, s.
    pub fn moves(&self, number: u32, from: f64, to: f64) -> bool {
        self.of(number).is_some_and(|held| {
            let motion = &self.motions[held.pin];
            motion.pose(from) != motion.pose(to)
        })
    }
}

/// A force of which a pin bears all, on a particle with a mass, kg, a moment of inertia, kg m^2, a velocity, m/s, and
/// an angular velocity, rad/s.
pub fn borne(force: Force, (mass, inertia): (f64, f64), (velocity, spin): (DVec3, DVec3)) -> Force {
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
