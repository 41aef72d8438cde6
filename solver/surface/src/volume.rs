//! Volume grids: density, temperature and velocity on sparse voxels.

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

/// A sparse grid in blocks of 8^3 voxels, sorted by origin. Voxel (i, j, k) is sampled at voxel_size * (i, j, k).
#[derive(Debug, Clone)]
pub struct SparseGrid<T> {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// The blocks that hold an active voxel.
    pub blocks: Vec<Block<T>>,
}

/// 8^3 voxels in the slot order of OpenVDB, `x << 6 | y << 3 | z`.
#[derive(Debug, Clone)]
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
#[derive(Debug, Clone, Default)]
pub struct Volume {
    /// Density relative to rest.
    pub density: Option<ScalarGrid>,
    /// Temperature, K.
    pub temperature: Option<ScalarGrid>,
    /// Velocity, m/s, reaching beyond the density.
    pub velocity: Option<VectorGrid>,
}

/// Samples the matter of a frame on voxels.
pub fn rasterize(_frame: &Frame, _options: &VolumeOptions) -> Volume {
    Volume::default()
}
