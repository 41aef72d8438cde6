//! Volume grids: density, what the matter carries, and the distance to its surface, on sparse voxels.

use crate::extract::carried::Carried;
use crate::field::Field;
use crate::level_set::{LevelSet, level_set};
use crate::options::SurfaceOptions;
use crate::raster::{Wanted, sample};
use dollop_sim::{FieldData, Frame};

/// A grid of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridKind {
    /// Density relative to rest.
    Density,
    /// Velocity, m/s, reaching beyond the density.
    Velocity,
    /// The field of that name, one of [`CARRIED`](crate::CARRIED); only where the frame has it.
    Field(&'static str),
    /// Distance to the surface, m, negative inside.
    Surface,
}

/// Which grids to make, and how fine.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeOptions {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// The grids, in the order in which they are wanted.
    pub grids: Vec<GridKind>,
    /// The surface that distances are to.
    pub surface: SurfaceOptions,
}

/// A sparse grid in blocks of 8^3 voxels, sorted by origin. Voxel (i, j, k) is sampled at `voxel_size * (i, j, k)`.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseGrid<T> {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// The blocks that hold an active voxel.
    pub blocks: Vec<Block<T>>,
    /// Blocks of one value, sorted by origin, all of their voxels active; none of them is among `blocks`.
    pub tiles: Vec<Tile<T>>,
}

/// 8^3 active voxels of one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tile<T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// The value of all voxels.
    pub value: T,
}

/// 8^3 voxels in the slot order of OpenVDB, `x << 6 | y << 3 | z`.
#[derive(Debug, Clone, PartialEq)]
pub struct Block<T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// Active voxels: bit i & 63 of word i >> 6.
    pub active: [u64; 8],
    /// The values; zero where inactive.
    pub values: Box<[T; 512]>,
}

/// A grid of numbers.
pub type ScalarGrid = SparseGrid<f32>;
/// A grid of vectors.
pub type VectorGrid = SparseGrid<[f32; 3]>;

/// The values of a grid.
#[derive(Debug, Clone, PartialEq)]
pub enum GridValues {
    /// One number a voxel.
    Scalar(ScalarGrid),
    /// Three numbers a voxel.
    Vector(VectorGrid),
    /// Distances near a surface.
    LevelSet(LevelSet),
}

/// The grids of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Volume {
    /// Those asked for that the frame has, in that order.
    pub grids: Vec<(GridKind, GridValues)>,
}

impl VolumeOptions {
    /// Some grids; the surface is [`SurfaceOptions::new`] on cells as wide as the voxels.
    pub fn new(voxel_size: f64, grids: &[GridKind]) -> Self {
        Self { voxel_size, grids: grids.to_vec(), surface: SurfaceOptions::new(voxel_size) }
    }

    /// The grids that are made of a frame.
    pub fn grids_of(&self, frame: &Frame) -> impl Iterator<Item = GridKind> {
        let carried = Carried::new(frame);
        self.grids.iter().copied().filter(move |kind| match kind {
            GridKind::Field(name) => carried.place(name).is_some(),
            GridKind::Density | GridKind::Velocity | GridKind::Surface => true,
        })
    }
}

impl Volume {
    /// A grid, if the volume has it.
    pub fn grid(&self, kind: GridKind) -> Option<&GridValues> {
        self.grids.iter().find(|(own, _)| *own == kind).map(|(_, values)| values)
    }

    /// A grid of numbers, if the volume has it.
    pub fn scalar(&self, kind: GridKind) -> Option<&ScalarGrid> {
        if let Some(GridValues::Scalar(grid)) = self.grid(kind) { Some(grid) } else { None }
    }

    /// A grid of vectors, if the volume has it.
    pub fn vector(&self, kind: GridKind) -> Option<&VectorGrid> {
        if let Some(GridValues::Vector(grid)) = self.grid(kind) { Some(grid) } else { None }
    }

    /// The distance to the surface, if the volume has it.
    pub fn level_set(&self) -> Option<&LevelSet> {
        if let Some(GridValues::LevelSet(set)) = self.grid(GridKind::Surface) { Some(set) } else { None }
    }
}

/// Samples the matter of a frame on voxels.
///
/// - Density is the sum of V W over the particles (V: volume at rest, W: kernel). Its mean within matter at rest is 1,
///   as the kernel has integral 1, and its sum over the voxels times their volume is the volume of the matter at rest.
///   It is higher at the particles than between them. Active are the voxels where it is positive, and all next to
///   them, with zeros, so that a renderer's interpolation is not cut.
/// - A field is the mean weighted with V W, on the same voxels; on the border it goes on from the nearest matter.
/// - Velocity is the mean weighted with V W. It goes on beyond the density, to all sides by two voxels and, along the
///   way of each particle, from half an interval and one voxel before its place to half an interval and one voxel
///   after. So motion blur finds it wherever a shutter open over a whole frame takes the matter. On ways of more than
///   6 voxels to each side it is the mean in each block of 8^3 voxels, in tiles apart from the matter: a renderer that
///   steps back along it looks it up again where it comes out. Such ways end after 256 voxels to each side, and sooner,
///   all alike, where they would fill more than 128 times the blocks of the matter and its border.
/// - The surface is [`level_set`] of [`extract_surface`](crate::extract_surface).
///
/// Only the grids asked for are there, and fields only where the frame has them. Particles are left out as in
/// [`extract_surface`](crate::extract_surface); grids are empty where nothing is left, or if the voxel size or the
/// kernel's support is not a positive number.
pub fn rasterize(frame: &Frame, options: &VolumeOptions) -> Volume {
    let kinds: Vec<GridKind> = options.grids_of(frame).collect();
    let names: Vec<&str> = kinds.iter().filter_map(|kind| kind.field()).collect();
    let carried = Carried::some(frame, &names);
    let wanted: Vec<Wanted> = kinds.iter().filter_map(|kind| Wanted::new(*kind, &carried)).collect();
    let means = wanted.iter().any(Wanted::is_mean).then_some(&carried);
    let field = if wanted.is_empty() { None } else { Field::new(frame, options.voxel_size, means) };
    let mut sampled = field.map_or_else(Vec::new, |field| sample(&field, &wanted)).into_iter();
    let mut values = |kind: GridKind| match kind {
        GridKind::Surface => GridValues::LevelSet(level_set(frame, options)),
        _ => sampled.next().unwrap_or_else(|| GridValues::empty(frame, kind, options.voxel_size)),
    };
    Volume { grids: kinds.iter().map(|kind| (*kind, values(*kind))).collect() }
}

impl GridKind {
    /// The name of the field of a frame that it is a mean of.
    fn field(self) -> Option<&'static str> {
        if let Self::Field(name) = self { Some(name) } else { None }
    }
}

impl GridValues {
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

impl<T> SparseGrid<T> {
    fn empty(voxel_size: f64) -> Self {
        Self { voxel_size, blocks: vec![], tiles: vec![] }
    }
}
