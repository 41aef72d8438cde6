//! A writer of OpenVDB files (file version 224, tree 5-4-3), in pure Rust and with no physics in it.

/// Values that a grid can hold.
pub trait Value: Copy + PartialEq + Send + Sync {}
impl Value for f32 {}
impl Value for [f32; 3] {}

/// A leaf of 8^3 voxels. Slot order is OpenVDB's: `x << 6 | y << 3 | z`, z fastest.
#[derive(Debug, Clone)]
pub struct Leaf<T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// Active voxels, bit i of the mask in word i >> 6.
    pub active: [u64; 8],
    /// The 512 values; those of inactive voxels are not kept unless they matter (level sets).
    pub values: Box<[T; 512]>,
}
