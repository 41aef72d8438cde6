//! Particles to sparse scalar fields, and fields to meshes and volume grids. Pure: no files, no printing, no clock.
//!
//! | module | what |
//! |---|---|
//! | `profile` | the smoothing kernel in units of cells |
//! | `lattice` | the lattice in blocks of 8^3 nodes, and what is sorted into them |
//! | `carried` | quantities carried from particles to vertices and voxels |
//! | `density` | the density of a frame on blocks, for volumes |
//! | `implicit` | the field whose iso-surface is the surface |
//! | [`options`] | options of surfaces |
//! | `table` | the cases of a surface in a cell, derived rather than listed |
//! | `extract` | field to mesh: dual marching cubes |
//! | `skin` | the skins of soft matter |
//! | `closest_point` | the closest point of a triangle |
//! | `remesh` | removes thin triangles, merges flat ones |
//! | [`quality`] | least angles of triangles |
//! | [`distance`] | distances from points to a mesh |
//! | [`fit`] | a surface through points |
//! | [`flicker`] | motion of surfaces beyond that of their matter |
//! | [`topology`] | whether a mesh is closed and manifold |
//! | `paths` | means along the paths of particles while a shutter is open |
//! | `motion_tiles` | velocities along long paths: one mean per block |
//! | `raster` | fields to grids |
//! | [`sheet`] | triangulates the oriented particles of sheets |
//! | [`level_set`] | the signed distance to the surface |
//! | [`mesh`], [`volume`] | the results and their entry points |
//!
//! Every loop gathers: a block sums its own particles in a fixed order, so results do not depend on the number of
//! threads.

mod carried;
mod closest_point;
mod density;
pub mod distance;
mod extract;
pub mod fit;
pub mod flicker;
mod implicit;
mod lattice;
pub mod level_set;
pub mod mesh;
mod motion_tiles;
pub mod options;
mod paths;
mod profile;
pub mod quality;
mod raster;
mod remesh;
pub mod sheet;
mod skin;
mod table;
pub mod topology;
pub mod volume;

/// Bounds and sizes from which callers estimate the memory of surfaces and volumes.
pub mod bounds {
    pub use crate::implicit::coarse::coarse_cell_size;
    pub use crate::motion_tiles::{LONGEST_PATH, MAX_TILES};
    pub use crate::paths::SHORT_PATH;
}

pub use carried::CARRIED;
pub use distance::{Distances, TriangleGrid};
pub use lattice::grid::{ScalarGrid, SparseGrid, VectorGrid, VoxelBlock, VoxelTile};
pub use level_set::LevelSet;
pub use mesh::{SurfaceMesh, extract_surface, other_field, soft_surface, surface_field, with_soft_field};
pub use options::{FieldKind, LevelKind, SurfaceOptions};
pub use quality::Quality;
pub use topology::Topology;
pub use volume::{GridData, GridKind, Volume, VolumeOptions, rasterize};
