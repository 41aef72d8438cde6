//! Volume grids: density, quantities that the matter carries, and the distance to its surface, on sparse voxels.

use crate::carried::Carried;
use crate::density::DensityField;
use crate::lattice::grid::{ScalarGrid, SparseGrid, VectorGrid};
use crate::level_set::LevelSet;
use crate::options::SurfaceOptions;
use crate::raster::{GridSource, sample};
use crate::surface::extract_surface;
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

/// Samples the matter of a frame on voxels.
///
/// - Density is the sum of V W over the particles (V: volume at rest, W: kernel). Its mean within matter at rest is 1,
///   as the kernel has integral 1. Its sum over the voxels, times their volume, is the volume of the matter at rest. It
///   is higher at particles than between them. Voxels are active where it is positive, and next to those, with zeros,
///   so that the interpolation of a renderer is not cut off.
/// - A field is the mean weighted with V W, on the same voxels; on the border it continues from the nearest matter.
/// - Velocity is the mean weighted with V W. It extends beyond the density by two voxels on all sides and along the
///   path of each particle, from half an interval and one voxel before its position to half an interval and one voxel
///   after. So motion blur finds it wherever a shutter open over a whole frame meets the matter. On paths of more than
///   6 voxels to each side it is the mean in each block of 8^3 voxels, in tiles apart from the matter. A renderer that
///   steps back along it looks it up again at the end of the step. Such paths end after 256 voxels to each side. They
///   end sooner, all alike, if they would fill more than 128 times the blocks of the matter and its border.
/// - The surface is the [`LevelSet`] of [`extract_surface`].
///
/// Only requested grids exist, and fields only if the frame has them. Particles are left out as in
/// [`extract_surface`]. Grids are empty if nothing is left, or if the voxel size or the kernel's support is not a
/// positive number.
pub fn rasterize(frame: &Frame, options: &VolumeOptions) -> Volume {
    let kinds: Vec<GridKind> = options.grids_of(frame).collect();
    let names: Vec<&str> = kinds.iter().filter_map(|kind| kind.field()).collect();
    let carried = Carried::some(frame, &names);
    let sources: Vec<GridSource> = kinds.iter().filter_map(|kind| GridSource::new(*kind, &carried)).collect();
    let means = sources.iter().any(GridSource::is_mean).then_some(&carried);
    let field = if sources.is_empty() { None } else { DensityField::new(frame, options.voxel_size, means) };
    let mut sampled = field.map_or_else(Vec::new, |field| sample(&field, &sources)).into_iter();
    let mut values = |kind: GridKind| match kind {
        GridKind::Surface => GridData::LevelSet(level_set(frame, options)),
        _ => sampled.next().unwrap_or_else(|| GridData::empty(frame, kind, options.voxel_size)),
    };
    Volume { grids: kinds.iter().map(|kind| (*kind, values(*kind))).collect() }
}

/// The distance to the surface of a frame, with one surface for all matter. Empty if there is no surface, or if the
/// voxel size is not a positive number.
fn level_set(frame: &Frame, options: &VolumeOptions) -> LevelSet {
    LevelSet::of_mesh(&extract_surface(frame, &options.surface), options.voxel_size)
}

impl GridKind {
    /// The name of the field of the frame behind a grid.
    fn field(self) -> Option<&'static str> {
        if let Self::Field(name) = self { Some(name) } else { None }
    }
}

impl GridData {
    fn empty(frame: &Frame, kind: GridKind, voxel_size: f64) -> Self {
        let field = frame.fields.iter().find(|field| Some(field.name) == kind.field());
        let is_vector = field.map_or(kind == GridKind::Velocity, |field| matches!(field.data, FieldData::Vector(_)));
        if is_vector {
            Self::Vector(SparseGrid::empty(voxel_size))
        } else {
            Self::Scalar(SparseGrid::empty(voxel_size))
        }
    }
}
