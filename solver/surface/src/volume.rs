//! Volume grids: density, temperature and velocity on sparse voxels.

use crate::field::Field;
use crate::raster::sample;
use dollop_sim::Frame;

/// Which grids to make, and how fine.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeOptions {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// Density relative to rest.
    pub density: bool,
    /// Temperature, K; only where the frame has temperatures.
    pub temperature: bool,
    /// Velocity, m/s.
    pub velocity: bool,
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

/// The grids of one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Volume {
    /// Density relative to rest.
    pub density: Option<ScalarGrid>,
    /// Temperature, K.
    pub temperature: Option<ScalarGrid>,
    /// Velocity, m/s, reaching beyond the density.
    pub velocity: Option<VectorGrid>,
}

/// Samples the matter of a frame on voxels.
///
/// - Density is the sum of V W over the particles (V: volume at rest, W: kernel). Its mean within matter at rest is 1,
///   as the kernel has integral 1, and its sum over the voxels times their volume is the volume of the matter at rest.
///   It is higher at the particles than between them. Active are the voxels where it is positive, and all next to
///   them, with zeros, so that a renderer's interpolation is not cut.
/// - Temperature is the mean weighted with V W, on the same voxels; on the border it goes on from the nearest matter.
/// - Velocity is the mean weighted with V W. It goes on beyond the density, to all sides by two voxels and, along the
///   way of each particle, from half an interval and one voxel before its place to half an interval and one voxel
///   after. So motion blur finds it wherever a shutter open over a whole frame takes the matter. On ways of more than
///   6 voxels to each side it is the mean in each block of 8^3 voxels, in tiles apart from the matter: a renderer that
///   steps back along it looks it up again where it comes out. Such ways end after 256 voxels to each side, and sooner,
///   all alike, where they would fill more than 128 times the blocks of the matter and its border.
///
/// Only the grids asked for are there, and temperature only where the frame has it. Particles are left out as in
/// [`extract_surface`](crate::extract_surface); grids are empty where nothing is left, or if the voxel size or the
/// kernel's support is not a positive number.
pub fn rasterize(frame: &Frame, options: &VolumeOptions) -> Volume {
    let temperature = options.temperature && frame.temperatures().is_some();
    let options = VolumeOptions { temperature, ..options.clone() };
    Field::new(frame, options.voxel_size)
        .map_or_else(|| Volume::without_voxels(&options), |field| sample(&field, &options))
}

impl Volume {
    fn without_voxels(options: &VolumeOptions) -> Self {
        Self {
            density: options.density.then(|| SparseGrid::empty(options.voxel_size)),
            temperature: options.temperature.then(|| SparseGrid::empty(options.voxel_size)),
            velocity: options.velocity.then(|| SparseGrid::empty(options.voxel_size)),
        }
    }
}

impl<T> SparseGrid<T> {
    fn empty(voxel_size: f64) -> Self {
        Self { voxel_size, blocks: vec![], tiles: vec![] }
    }
}
