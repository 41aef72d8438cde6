//! Particles to sparse scalar fields, and those to meshes and volume grids. Pure: no files, no printing, no clock.
//!
//! | module | what |
//! |---|---|
//! | `profile` | the smoothing kernel in units of cells |
//! | `mask` | one bit a node, and its neighbours |
//! | `buckets` | which cubes hold something |
//! | `order` | entries sorted by cubes |
//! | `blocks` | the lattice in blocks of 8^3 nodes |
//! | `cells` | items sorted once, and those near a block |
//! | `splat` | sums over items near the nodes of a block |
//! | `field` | the density of a frame on blocks, for volumes |
//! | `implicit` | the field whose level is the surface |
//! | [`options`] | what a surface is to be like |
//! | `table` | how a surface crosses a cell, from first principles |
//! | `extract` | field to mesh |
//! | `coat` | the skins of soft matter |
//! | `nearest` | the nearest point of a triangle |
//! | `remesh` | thin triangles mended, flat ones merged |
//! | [`quality`] | how good the triangles of a mesh are |
//! | [`distance`] | how far points are from a mesh |
//! | [`fit`] | a surface through points |
//! | [`flicker`] | what surfaces move by beyond what their matter does |
//! | [`topology`] | is a mesh closed, is it manifold |
//! | `paths` | averages along the way of the matter while a shutter is open |
//! | `trails` | the velocity on long ways, one mean a block |
//! | `raster` | field to grids |
//! | [`sheet`] | oriented particles to the triangles of their sheet |
//! | [`level_set`] | the distance to the surface |
//! | [`mesh`], [`volume`] | the results, and what makes them |
//!
//! Every loop gathers: a block sums its own particles in their order, so results do not depend on the number of threads.

mod blocks;
mod buckets;
mod cells;
mod coat;
pub mod distance;
mod extract;
mod field;
pub mod fit;
pub mod flicker;
mod implicit;
pub mod level_set;
mod mask;
pub mod mesh;
mod nearest;
pub mod options;
mod order;
mod paths;
mod profile;
pub mod quality;
mod raster;
mod remesh;
pub mod sheet;
mod splat;
mod table;
pub mod topology;
mod trails;
pub mod volume;

/// Bounds and sizes that tell how much memory surfaces and volumes take.
pub mod bounds {
    pub use crate::implicit::survey::survey_cell;
    pub use crate::paths::SHORT_WAY;
    pub use crate::trails::{LONGEST_WAY, MOST_TILES};
}

pub use distance::{Distances, Triangles};
pub use extract::carried::CARRIED;
pub use level_set::LevelSet;
pub use mesh::{SurfaceMesh, extract_surface, other_field, soft_surface, surface_field, with_soft_field};
pub use options::{FieldKind, LevelKind, SurfaceOptions};
pub use quality::Quality;
pub use topology::Topology;
pub use volume::{
    Block, GridKind, GridValues, ScalarGrid, SparseGrid, Tile, VectorGrid, Volume, VolumeOptions, rasterize,
};
