//! A writer of OpenVDB files (file version 224, tree 5-4-3), in pure Rust and with no physics in it.
//!
//! A [`Grid`] is a [`Tree`] of values with a name, a class, a transform and metadata. A tree is built from leaves of
//! 8^3 voxels, which borrow their values, and from tiles of one value; both in any order. [`write()`] puts grids into a
//! seekable stream, [`to_bytes`] into memory:
//!
//! ```
//! use dollop_vdb::{GridCompression, Grid, GridClass, GridTransform, Leaf, GridPrecision, Tree};
//!
//! let values = [1.0_f32; 512];
//! let leaf = Leaf { origin: [-8, 0, 16], active: [u64::MAX; 8], values: &values };
//! let tree = Tree::new(0.0, [leaf])?;
//! let grid = Grid::scalar("density", GridClass::FogVolume, GridTransform::uniform(0.1), tree);
//! let grid = grid.with_precision(GridPrecision::Half);
//! let (bytes, stats) = dollop_vdb::to_bytes(&[grid], GridCompression::Blosc)?;
//! assert_eq!(stats.active_voxels, 512);
//! assert_eq!(&bytes[..4], b" BDV");
//! # Ok::<(), dollop_vdb::Error>(())
//! ```
//!
//! All files of this writer have this in common:
//! - the bytes depend only on the grids, not on the number of threads, the clock or the machine; the uuid of the file
//!   is a content hash;
//! - only active values are stored (`ACTIVE_MASK`), whatever the codec;
//! - a value that is not finite is an error ([`Error::NotFinite`]); in half precision, finite values beyond ±65504 are
//!   written as ±65504 and counted in [`WriteStats::clamped_values`].
//!
//! Terms of the format: the *root* holds *upper* nodes (32^3 children, 4096 voxels wide). They hold *lower* nodes (16^3
//! children, 128 voxels wide), which hold *leaves* (8^3 voxels).

mod archive;
mod blosc;
mod bytes;
mod codec;
mod coord;
mod error;
mod grid;
mod leaves;
mod mask;
mod metadata;
mod sink;
mod topology;
mod transform;
mod tree;
mod value;
mod values;

pub use archive::{WriteStats, to_bytes, write};
pub use codec::{GridCompression, GridPrecision};
pub use error::Error;
pub use grid::{Grid, GridClass, GridValues, VectorType};
pub use metadata::{MetaValue, Metadata};
pub use transform::GridTransform;
pub use tree::{Leaf, Tile, TileEdge, Tree};
pub use value::VoxelValue;
