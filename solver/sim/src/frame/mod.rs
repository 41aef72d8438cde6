//! A frame: the matter at one instant, for files and surfaces.

pub mod field;
mod reaction;
mod skin;
mod statistics;
pub mod wall;

pub use dollop_scene::SoftField;
pub use field::{Field, FieldData};
pub use reaction::Reaction;
pub use skin::Skin;
pub use statistics::{Amount, FrameStats, HeatStats, STATISTICS, Statistic};

use crate::SmoothingKernel;
use crate::lattice::nearest;
use crate::laws::well::PARTED;
use crate::particles::MOST_TIES;
use field::NORMAL;
use glam::Vec3;

/// The most particles that tools can bind to one particle.
pub const MOST_SEAMS: usize = MOST_TIES;

/// The matter at one frame. All columns have one entry per particle, in the order of particle numbers. The order stays
/// the same over the whole bake, apart from removed particles. SI units, Z up.
#[derive(Debug, Clone)]
pub struct Frame {
    /// Frame number, as in the scene.
    pub number: i32,
    /// Seconds since the first frame.
    pub time: f64,
    /// Seconds from one frame to the next.
    pub interval: f64,
    /// Particle spacing, m: each particle stands for a cube of this edge at rest.
    pub spacing: f64,
    /// The kernel in space whose density defines the surface (DG96 section 4).
    pub kernel: SmoothingKernel,
    /// Identities, which stay when other particles are removed; empty where no particle is ever removed, as the number
    /// is the identity there.
    pub ids: Vec<u32>,
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// Volume of each particle at rest, m^3: its mass over the rest density of its matter.
    pub rest_volumes: Vec<f32>,
    /// Number of the body that each particle came from, counted from 0 as in the scene.
    pub sources: Vec<u32>,
    /// Names of the bodies, by number.
    pub source_names: Vec<String>,
    /// Whether each body is a sheet that does not tear, by number; a body that is not listed tears.
    pub lasting: Vec<bool>,
    /// Whether each body is solid matter that keeps apart from all other, by number; a body that is not listed is one
    /// with what it touches.
    pub apart: Vec<bool>,
    /// Where solid bodies have fused, for each body the first of those that it is one with, by number; none of a body
    /// that is one with all that it touches. Empty where none have.
    pub fused_bodies: Vec<Option<u32>>,
    /// The skin of each body of soft matter, by number; a body that is not listed has none.
    pub skins: Vec<Option<Skin>>,
    /// Pairs of particles that tools have bound to each other, by their numbers: the lower first, in order; at most
    /// [`MOST_SEAMS`] of each.
    pub seams: Vec<[u32; 2]>,
    /// Further fields: those of the [`QUANTITIES`](crate::frame::field::QUANTITIES) that the matter has.
    pub fields: Vec<Field>,
    /// Statistics of the step from the frame before; zeros at the first frame.
    pub stats: FrameStats,
    /// The force of the matter on each collider that it touched since the frame before, in the order of the scene.
    pub reactions: Vec<Reaction>,
}

/// Distance, m, up to which neighbours in a sheet of a particle spacing, m, can be drawn apart before the sheet parts
/// there.
pub fn parted(spacing: f64) -> f64 {
    PARTED * nearest(spacing)
}

impl Frame {
    /// A first frame of one body, "matter", whose particles stand at some places, m, and nothing else: the frame that
    /// surfaces and files of bare points are made of.
    pub fn of_points(positions: Vec<Vec3>, spacing: f64, kernel: SmoothingKernel) -> Self {
        let count = positions.len();
        Self {
            number: 1,
            time: 0.0,
            interval: 1.0 / 24.0,
            spacing,
            kernel,
            ids: Vec::new(),
            positions,
            velocities: vec![Vec3::ZERO; count],
            rest_volumes: vec![spacing.powi(3) as f32; count],
            sources: vec![0; count],
            source_names: vec!["matter".into()],
            lasting: Vec::new(),
            apart: Vec::new(),
            fused_bodies: Vec::new(),
            skins: Vec::new(),
            seams: Vec::new(),
            fields: Vec::new(),
            stats: FrameStats::default(),
            reactions: Vec::new(),
        }
    }

    /// Whether a body keeps apart from all other matter with which it has not fused.
    pub fn is_apart(&self, body: u32) -> bool {
        self.apart.get(body as usize) == Some(&true)
    }

    /// The first of the bodies that a body has fused with, itself if with none; none of a body that is one with all
    /// that it touches.
    pub fn solid(&self, body: u32) -> Option<u32> {
        let fused = self.fused_bodies.get(body as usize).copied();
        if self.is_apart(body) { fused.unwrap_or(Some(body)) } else { None }
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no matter.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The numbers of a field, one per particle, if this frame has that field.
    pub fn scalar(&self, name: &str) -> Option<&[f32]> {
        match self.data(name) {
            Some(FieldData::Scalar(values)) => Some(values),
            _ => None,
        }
    }

    /// The vectors of a field, one per particle, if this frame has that field.
    pub fn vector(&self, name: &str) -> Option<&[Vec3]> {
        match self.data(name) {
            Some(FieldData::Vector(values)) => Some(values),
            _ => None,
        }
    }

    fn data(&self, name: &str) -> Option<&FieldData> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.data)
    }

    /// Normals of the particles of sheets, zero for others; none where no body is a sheet.
    pub fn normals(&self) -> Option<&[Vec3]> {
        self.vector(NORMAL.name)
    }

    /// Temperatures in K, if the scene has some.
    pub fn temperatures(&self) -> Option<&[f32]> {
        self.scalar("temperature")
    }
}
