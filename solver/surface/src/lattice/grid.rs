//! Sparse grids of voxels, a voxel for each node of a lattice.

/// A sparse grid in blocks of 8^3 voxels, sorted by origin. Voxel (i, j, k) is sampled at `voxel_size * (i, j, k)`.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseGrid<T> {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// The blocks that hold an active voxel.
    pub blocks: Vec<VoxelBlock<T>>,
    /// Uniform blocks, sorted by origin, with all voxels active; none of them is among `blocks`.
    pub tiles: Vec<VoxelTile<T>>,
}

/// A block of 8^3 active voxels with one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelTile<T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// The value of all voxels.
    pub value: T,
}

/// A block of 8^3 voxels in the slot order of OpenVDB, `x << 6 | y << 3 | z`.
#[derive(Debug, Clone, PartialEq)]
pub struct VoxelBlock<T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// Active voxels: bit i & 63 of word i >> 6.
    pub active: [u64; 8],
    /// The values; zero if inactive.
    pub values: Box<[T; 512]>,
}

/// A grid of numbers.
pub type ScalarGrid = SparseGrid<f32>;
/// A grid of vectors.
pub type VectorGrid = SparseGrid<[f32; 3]>;

impl<T> SparseGrid<T> {
    /// A grid without voxels.
    pub(crate) fn empty(voxel_size: f64) -> Self {
        Self { voxel_size, blocks: vec![], tiles: vec![] }
    }
}
