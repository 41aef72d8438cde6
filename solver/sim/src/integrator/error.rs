//! Matter for which no time step is short enough.

use crate::SetupError;
use crate::pins::PinTitle;
use dollop_scene::JsonPath;
use glam::DVec3;

/// Matter for which no time step is short enough.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct SimulationError {
    /// Number of the particle that needs the shortest step.
    pub particle: usize,
    /// Name of its body.
    pub body: String,
    /// Its speed, m/s; infinite when it is not a number.
    pub speed: f64,
    /// Its position, m.
    pub position: DVec3,
    /// Speed of the collider that needs that step, m/s; zero where the cause is another.
    pub wall_speed: f64,
    /// The pin that needs that step, and its speed, m/s.
    pub pin: Option<(Box<PinTitle>, f64)>,
    /// The step that would be short enough, s.
    pub step: f64,
    /// Whether the particle moves on a grid, where no stiffness or viscosity asks for steps.
    pub is_on_grid: bool,
}

impl SimulationError {
    fn is_for_a_collider(&self) -> bool {
        self.wall_speed > self.speed
    }

    /// The place in the scene of the setting to blame.
    fn place(&self) -> JsonPath {
        match &self.pin {
            Some((pin, _)) => pin.path.key("motion"),
            None if self.is_for_a_collider() => JsonPath::default().key("colliders"),
            None => JsonPath::default().key("bodies"),
        }
    }

    fn sentence(&self) -> String {
        let Self { particle, body, step, .. } = self;
        if !step.is_nan() {
            return format!("the matter needs steps of {step:.1e} s, shorter than the shortest; {}", self.cause());
        }
        let lower = if self.is_on_grid {
            "its velocity, its viscosity or its stiffness, or the velocity of the colliders that press it"
        } else {
            "the stiffness, the viscosity or the friction of what touches it"
        };
        format!(
            "the matter flew apart: particle {particle} of body \"{body}\" has no place any more; lower {lower}, or use \
             a larger particle_spacing"
        )
    }

    fn cause(&self) -> String {
        let Self { particle, body, speed, position: DVec3 { x, y, z }, wall_speed, pin, .. } = self;
        if let Some((pin, speed)) = pin {
            return format!("the pin {} moves at {speed:.3e} m/s; give its motion more frames", pin.name);
        }
        if self.is_for_a_collider() {
            return format!("a collider moves by it at {wall_speed:.3e} m/s; give its motion more frames");
        }
        let help = if self.is_on_grid {
            "lower the velocities or the gravity, let no colliders close in on it, or use a larger particle_spacing or a \
             higher frames.rate"
        } else {
            "lower the velocities, the gravity, the stiffness or the viscosity, or use a larger particle_spacing"
        };
        format!(
            "particle {particle} of body \"{body}\" asks for them, which moves at {speed:.3e} m/s at ({x:.3}, {y:.3}, \
             {z:.3}); {help}"
        )
    }
}

impl From<SimulationError> for SetupError {
    fn from(error: SimulationError) -> Self {
        Self::new(error.place(), error.to_string())
    }
}
