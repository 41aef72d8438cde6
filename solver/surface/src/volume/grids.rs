//! The grids of a volume, and the options of what to make.

use crate::carried::Carried;
use crate::lattice::grid::{ScalarGrid, SparseGrid, VectorGrid};
use crate::level_set::LevelSet;
use crate::options::SurfaceOptions;
use dollop_sim::{FieldData, Frame};

/// A grid of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    /// Density relative to rest.
    Density,
    /// Velocity, m/s, which extends beyond the density.
    Velocity,
    /// The field with this name, one of [`CARRIED`](crate::CARRIED); only if the frame has it.
    Field(&'static str),
    /// Distance to the surface, m, negative inside.
    Surface,
}

/// The grids to make, and their resolution.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeOptions {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// The grids, in the order of the output.
    pub grids: Vec<GridKind>,
    /// The surface for distances.
    pub surface: SurfaceOptions,
}

/// The values of a grid.
#[derive(Debug, Clone, PartialEq)]
pub enum GridData {
    /// One number per voxel.
    Scalar(ScalarGrid),
    /// Three numbers per voxel.
    Vector(VectorGrid),
    /// Distances near a surface.
    LevelSet(LevelSet),
}

/// The grids of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Volume {
    /// The requested grids that the frame has, in the requested order.
    pub grids: Vec<(GridKind, GridData)>,
}

impl VolumeOptions {
    /// Options for some grids; the surface is [`SurfaceOptions::new`] on cells as wide as the voxels.
    pub fn new(voxel_size: f64, grids: &[GridKind]) -> Self {
        Self { voxel_size, grids: grids.to_vec(), surface: SurfaceOptions::new(voxel_size) }
    }

    /// The grids that a frame gets.
    pub fn grids_of(&self, frame: &Frame) -> impl Iterator<Item = GridKind> {
        let carried = Carried::new(frame);
        self.grids.iter().copied().filter(move |kind| match kind {
            GridKind::Field(name) => carried.range(name).is_some(),
            GridKind::Density | GridKind::Velocity | GridKind::Surface => true,
        })
    }
}

impl Volume {
    /// A grid, if the volume has it.
    pub fn grid(&self, kind: GridKind) -> Option<&GridData> {
        self.grids.iter().find(|(own, _)| *own == kind).map(|(_, values)| values)
    }

    /// A grid of numbers, if the volume has it.
    pub fn scalar(&self, kind: GridKind) -> Option<&ScalarGrid> {
        if let Some(GridData::Scalar(grid)) = self.grid(kind) { Some(grid) } else { None }
    }

    /// A grid of vectors, if the volume has it.
    pub fn vector(&self, kind: GridKind) -> Option<&VectorGrid> {
        if let Some(GridData::Vector(grid)) = self.grid(kind) { Some(grid) } else { None }
    }

    /// The distance to the surface, if the volume has it.
    pub fn level_set(&self) -> Option<&LevelSet> {
        if let Some(GridData::LevelSet(set)) = self.grid(GridKind::Surface) { Some(set) } else { None }
    }
}

impl GridKind {
    /// The name of the field of the frame behind a grid.
    pub(super) fn field(self) -> Option<&'static str> {
        if let Self::Field(name) = self { Some(name) } else { None }
    }
}

impl GridData {
    /// A grid without voxels.
    pub(super) fn empty(frame: &Frame, kind: GridKind, voxel_size: f64) -> Self {
        let field = frame.fields.iter().find(|field| Some(field.name) == kind.field());
        let is_vector = field.map_or(kind == GridKind::Velocity, |field| matches!(field.data, FieldData::Vector(_)));
        if is_vector {
            Self::Vector(SparseGrid::empty(voxel_size))
        } else {
            Self::Scalar(SparseGrid::empty(voxel_size))
        }
    }
}
