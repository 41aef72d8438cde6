//! What a surface is to be like.

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

/// Where the field is cut.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LevelKind {
    /// Where each component of the matter encloses its own volume.
    #[default]
    Component,
    /// Where the matter of the frame as a whole encloses its volume.
    Frame,
    /// Where two particles part at the distance at which they cease to interact (DG96 section 4.2).
    Interaction,
}

/// How the surface of a frame is made.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceOptions {
    /// Edge length of a cell, m.
    pub cell_size: f64,
    /// The field.
    pub field: FieldKind,
    /// Where it is cut.
    pub level: LevelKind,
    /// Waves of the surface that are shorter than this are taken out, m; none at zero.
    pub smoothing: f64,
    /// About how far the surface may move where triangles are merged, m; none are at zero.
    pub deviation: f64,
    /// Components of fewer particles are left out.
    pub least_particles: usize,
    /// For each body the number of the surface that it is part of; one surface for all that are not named.
    pub surfaces: Vec<u32>,
}

impl SurfaceOptions {
    /// The number of the surface that a body is part of.
    pub fn surface_of(&self, body: u32) -> u32 {
        self.surfaces.get(body as usize).copied().unwrap_or_default()
    }

    /// A surface on cells of that edge length, m, not smoothed.
    pub fn new(cell_size: f64) -> Self {
        Self {
            cell_size,
            field: FieldKind::default(),
            level: LevelKind::default(),
            smoothing: 0.0,
            deviation: 0.0,
            least_particles: 0,
            surfaces: vec![],
        }
    }
}
