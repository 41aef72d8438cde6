//! Options of surfaces.

use dollop_sim::field::{AGE, COLOR, DAMAGE, REST_POSITION, TEMPERATURE};

/// Names of the fields of a frame that vertices and voxels can have.
pub const CARRIED: [&str; 5] = [TEMPERATURE.name, DAMAGE.name, AGE.name, REST_POSITION.name, COLOR.name];

/// The field whose iso-surface is the surface of the matter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FieldKind {
    /// The density of the model: the sum of the smoothing kernel (DG96 section 4).
    Density,
    /// Blinn's exponential (T92 section 6.2.1).
    Blinn,
    /// A bounded polynomial (T92 section 6.2.1).
    Polynomial,
    /// Ellipsoids that follow the shape of the matter (Yu and Turk 2013).
    #[default]
    Anisotropic,
}

/// The iso-level of the field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LevelKind {
    /// Each component of the matter encloses its own volume.
    #[default]
    Component,
    /// The matter of the frame as a whole encloses its volume.
    Frame,
    /// Two particles separate at the distance where they cease to interact (DG96 section 4.2).
    Interaction,
}

/// Options of the surface of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceOptions {
    /// Edge length of a cell, m.
    pub cell_size: f64,
    /// The field.
    pub field: FieldKind,
    /// The iso-level.
    pub level: LevelKind,
    /// Smoothing removes waves of the surface shorter than this, m; none if zero.
    pub smoothing: f64,
    /// Approximate limit on the motion of the surface when triangles merge, m; zero merges none.
    pub deviation: f64,
    /// Components with fewer particles are left out.
    pub least_particles: usize,
    /// For each body, the number of its surface. Bodies not listed share surface 0.
    pub surfaces: Vec<u32>,
    /// Names of the fields that vertices carry besides the velocity, of [`CARRIED`]; those that the frame lacks are
    /// left out.
    pub carried: Vec<&'static str>,
}

impl SurfaceOptions {
    /// The number of the surface of a body.
    pub fn surface_of(&self, body: u32) -> u32 {
        self.surfaces.get(body as usize).copied().unwrap_or_default()
    }

    /// A surface on cells of this edge length, m, without smoothing, whose vertices carry all fields.
    pub fn new(cell_size: f64) -> Self {
        Self {
            cell_size,
            field: FieldKind::default(),
            level: LevelKind::default(),
            smoothing: 0.0,
            deviation: 0.0,
            least_particles: 0,
            surfaces: vec![],
            carried: CARRIED.to_vec(),
        }
    }
}
