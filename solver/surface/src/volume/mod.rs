//! Volume grids: density, quantities that the matter carries, and the distance to its surface, on sparse voxels.
//!
//! | module | what |
//! |---|---|
//! | `grids` | the grids of a volume, and the options of what to make |
//! | `profile` | the smoothing kernel in units of cells |
//! | `density` | the density of a frame on blocks |
//! | `paths` | means along the paths of particles while a shutter is open |
//! | `motion_tiles` | velocities along long paths: one mean per block |
//! | `raster` | fields to grids |

mod density;
mod grids;
pub(crate) mod motion_tiles;
pub(crate) mod paths;
mod profile;
mod raster;

use crate::carried::Carried;
use crate::level_set::LevelSet;
use crate::surface::extract_surface;
use density::DensityField;
use dollop_sim::Frame;
use raster::{GridSource, sample};

pub use grids::{GridData, GridKind, Volume, VolumeOptions};

/// Samples the matter of a frame on voxels.
///
/// - Density is the sum of V W over the particles (V: volume at rest, W: kernel). Its mean within matter at rest is 1,
///   as the kernel has integral 1. Its sum over the voxels, times their volume, is the volume of the matter at rest. It
///   is higher at particles than between them. Voxels are active where it is positive, and next to those, with zeros,
///   so that the interpolation of a renderer is not cut off.
/// - A field is the mean weighted with V W, on the same voxels; on the border it continues from the nearest matter.
/// - Velocity is the mean weighted with V W. It extends beyond the density by two voxels on all sides and along the
///   path of each particle, from half an interval and one voxel before its position to half an interval and one voxel
///   after. So motion blur finds it wherever a shutter open over a whole frame meets the matter. On paths of more than
///   6 voxels to each side it is the mean in each block of 8^3 voxels, in tiles apart from the matter. A renderer that
///   steps back along it looks it up again at the end of the step. Such paths end after 256 voxels to each side. They
///   end sooner, all alike, if they would fill more than 128 times the blocks of the matter and its border.
/// - The surface is the [`LevelSet`] of [`extract_surface`].
///
/// Only requested grids exist, and fields only if the frame has them. Particles are left out as in
/// [`extract_surface`]. Grids are empty if nothing is left, or if the voxel size or the kernel's support is not a
/// positive number.
pub fn rasterize(frame: &Frame, options: &VolumeOptions) -> Volume {
    let kinds: Vec<GridKind> = options.grids_of(frame).collect();
    let names: Vec<&str> = kinds.iter().filter_map(|kind| kind.field()).collect();
    let carried = Carried::some(frame, &names);
    let sources: Vec<GridSource> = kinds.iter().filter_map(|kind| GridSource::new(*kind, &carried)).collect();
    let means = sources.iter().any(GridSource::is_mean).then_some(&carried);
    let field = if sources.is_empty() { None } else { DensityField::new(frame, options.voxel_size, means) };
    let mut sampled = field.map_or_else(Vec::new, |field| sample(&field, &sources)).into_iter();
    let mut values = |kind: GridKind| match kind {
        GridKind::Surface => GridData::LevelSet(level_set(frame, options)),
        _ => sampled.next().unwrap_or_else(|| GridData::empty(frame, kind, options.voxel_size)),
    };
    Volume { grids: kinds.iter().map(|kind| (*kind, values(*kind))).collect() }
}

/// The distance to the surface of a frame, with one surface for all matter. Empty if there is no surface, or if the
/// voxel size is not a positive number.
fn level_set(frame: &Frame, options: &VolumeOptions) -> LevelSet {
    LevelSet::of_mesh(&extract_surface(frame, &options.surface), options.voxel_size)
}
