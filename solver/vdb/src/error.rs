//! Errors of grids and of writing.

/// Why a grid cannot be built or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The origin of a leaf or tile is not a multiple of its edge.
    #[error("the origin {origin:?} is not a multiple of {edge} voxels")]
    Unaligned {
        /// The origin given, in voxels.
        origin: [i32; 3],
        /// Edge length of the leaf or tile, in voxels.
        edge: i32,
    },
    /// Two leaves or tiles cover the same voxels.
    #[error("more than one leaf or tile covers voxel {voxel:?}")]
    Overlap {
        /// One of the voxels covered more than once.
        voxel: [i32; 3],
    },
    /// The background of a tree is NaN or infinite.
    #[error("the background is not finite")]
    BackgroundNotFinite,
    /// The value of a tile is NaN or infinite.
    #[error("the value of the tile at {origin:?} is not finite")]
    TileNotFinite {
        /// Lowest voxel of the tile.
        origin: [i32; 3],
    },
    /// The value of a voxel is NaN or infinite.
    #[error("the value of grid \"{grid}\" at voxel {voxel:?} is not finite")]
    NotFinite {
        /// Name of the grid.
        grid: String,
        /// Index coordinates of the voxel.
        voxel: [i32; 3],
    },
    /// A voxel size is not a positive finite number, or the translation is not finite.
    #[error("the transform of grid \"{grid}\" needs voxel sizes above zero and finite numbers")]
    InvalidTransform {
        /// Name of the grid.
        grid: String,
    },
    /// The name of a grid holds the character 0x1E, which separates name and counter inside the file.
    #[error("the grid name {name:?} holds the character U+001E")]
    InvalidName {
        /// The name given.
        name: String,
    },
    /// The metadata of a grid sets a key that the writer sets itself.
    #[error("the metadata key \"{key}\" of grid \"{grid}\" is set by the writer")]
    ReservedKey {
        /// Name of the grid.
        grid: String,
        /// The key.
        key: String,
    },
    /// The stream could not be written.
    #[error("cannot write the volume file")]
    Io(#[from] std::io::Error),
}
