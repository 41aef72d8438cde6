//! Particles to sparse scalar fields, and fields to meshes and volume grids. Pure: no files, no printing, no clock.
//!
//! | module | what |
//! |---|---|
//! | `lattice` | the lattice in blocks of 8^3 nodes, and what is sorted into them |
//! | [`options`] | options of surfaces |
//! | `carried` | quantities carried from particles to vertices and voxels |
//! | `field` | the fields whose iso-surface is the surface |
//! | [`mesh`] | meshes: made of fields, changed and measured |
//! | [`sheet`] | triangulates the oriented particles of sheets |
//! | `skin` | the skins of soft matter as a mesh |
//! | `surface` | the surface of all matter of a frame |
//! | [`level_set`] | the signed distance to a surface |
//! | [`volume`] | volume grids |
//! | [`fit`] | a surface through points |
//!
//! Every loop gathers: a block sums its own particles in a fixed order, so results do not depend on the number of
//! threads.

mod carried;
mod field;
pub mod fit;
mod lattice;
pub mod level_set;
pub mod mesh;
pub mod options;
pub mod sheet;
mod skin;
mod surface;
pub mod volume;

/// Bounds and sizes from which callers estimate the memory of surfaces and volumes.
pub mod bounds {
    pub use crate::field::blobs::coarse::coarse_cell_size;
    pub use crate::volume::motion_tiles::{LONGEST_PATH, MAX_TILES};
    pub use crate::volume::paths::SHORT_PATH;
}

pub use lattice::grid::{ScalarGrid, SparseGrid, VectorGrid, VoxelBlock, VoxelTile};
pub use level_set::LevelSet;
pub use mesh::SurfaceMesh;
pub use mesh::distance::{Distances, TriangleGrid};
pub use mesh::quality::Quality;
pub use mesh::topology::Topology;
pub use options::{CARRIED, FieldKind, LevelKind, SurfaceOptions};
pub use surface::{extract_surface, other_field, soft_surface, surface_field, with_soft_field};
pub use volume::{GridData, GridKind, Volume, VolumeOptions, rasterize};
