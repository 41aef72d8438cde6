//! The cost of a bake, and the cause of the shortest steps.

/// Causes of short steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The speed of sound in the matter.
    Stiffness,
    /// The stiffness of the matter's bonds.
    Bonds,
    /// The stiffness of a sheet against stretching, bending and contact.
    Sheet,
    /// The viscosity of the matter.
    Viscosity,
    /// Contact of pieces of soft matter.
    Skins,
    /// The speed of the matter, or its speed of approach to other matter.
    Speed,
    /// The speed of a collider that approaches the matter.
    Collider,
    /// The acceleration by gravity and forces.
    Acceleration,
    /// The speed that the matter will fall with.
    Fall,
    /// Waves on the surface of a liquid.
    Waves,
}

/// The particle that needs the shortest steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Number of its body.
    pub body: usize,
    /// The body that touches the particle, if one does.
    pub other: Option<usize>,
    /// The cause.
    pub cause: Cause,
}

/// Two bodies that need shorter steps once they have met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// Numbers of the bodies.
    pub bodies: [usize; 2],
    /// Time steps a frame of the particles with the shortest steps then; none where no step is short enough.
    pub steps_per_frame: Option<u64>,
}

/// The cost of a bake.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Particles of each body, in scene order.
    pub particles: Vec<usize>,
    /// Mean number of neighbours at the start.
    pub neighbours: f64,
    /// Memory of the simulation, bytes.
    pub memory: usize,
    /// Time steps a frame of the particles with the shortest steps, when nothing moves faster than at the start.
    pub steps_per_frame: u64,
    /// The cause of these steps; none where it was not looked for.
    pub limit: Option<Limit>,
    /// The two bodies that need the shortest steps once they have [met](crate::meeting), if these are shorter.
    pub meeting: Option<Meeting>,
    /// Warnings for the user: one sentence each, saying what to do.
    pub warnings: Vec<String>,
}
