//! Particles to sparse scalar fields, and those to meshes and volume grids. Pure: no files, no printing, no clock.

pub mod mesh;
pub mod volume;

pub use mesh::{SurfaceMesh, extract_surface};
pub use volume::{ScalarGrid, VectorGrid, Volume, VolumeOptions, rasterize};
