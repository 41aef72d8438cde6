//! The signed distance to the surface of the matter, in a narrow band of voxels around it, as OpenVDB keeps level sets.
//!
//! | module | what |
//! |---|---|
//! | `columns` | inside or outside: winding numbers along columns of voxels |
//! | `triangle_distance` | the distance to the closest triangle |

mod columns;
mod triangle_distance;

use crate::lattice::blocks::{BlockKey, EDGE, SLOTS, origin};
use crate::lattice::grid::VoxelBlock;
use crate::lattice::mask::BlockMask;
use crate::mesh::SurfaceMesh;
use columns::VoxelColumns;
use glam::DVec3;
use rayon::prelude::*;
use triangle_distance::TriangleDistances;

/// Half the width of the band, voxels; the default of OpenVDB.
pub const BAND: f32 = 3.0;

/// Distances to a closed surface, m, negative inside, at the voxels of a [`SparseGrid`](crate::SparseGrid). They are
/// exact for the triangles up to rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct LevelSet {
    /// Edge length of a voxel, m.
    pub voxel_size: f64,
    /// Half the width of the band, m. Voxels further outside have this value, voxels further inside its negative.
    pub band: f32,
    /// The blocks that hold a voxel of the band, sorted by origin. The voxels of the band are active.
    pub blocks: Vec<VoxelBlock<f32>>,
    /// The origins of the other blocks inside, sorted.
    pub inside: Vec<[i32; 3]>,
}

impl LevelSet {
    /// The distance to a closed mesh. Where parts of it overlap, a point is inside if any part encloses it.
    pub fn of_mesh(mesh: &SurfaceMesh, voxel_size: f64) -> Self {
        let band = (f64::from(BAND) * voxel_size) as f32;
        let mut set = Self { voxel_size, band, blocks: vec![], inside: vec![] };
        if !(voxel_size.is_finite() && voxel_size > 0.0) {
            return set;
        }
        let corner = |vertex: u32| mesh.positions[vertex as usize].as_dvec3() / voxel_size;
        let triangles: Vec<[DVec3; 3]> = mesh.triangles.par_iter().map(|triangle| triangle.map(corner)).collect();
        let (columns, band_triangles) = (VoxelColumns::new(&triangles), TriangleDistances::new(&triangles));
        drop(triangles);
        let block = |key: BlockKey| set.block(key, band_triangles.distances(key)?.as_ref(), columns.inside(key));
        set.blocks = band_triangles.blocks().into_par_iter().filter_map(block).collect();
        let in_band = |origin: &[i32; 3]| set.blocks.binary_search_by_key(origin, |block| block.origin).is_ok();
        set.inside = columns.lattice_inside(EDGE).into_iter().filter(|origin| !in_band(origin)).collect();
        set
    }

    /// A block of the level set, if the band reaches it.
    fn block(&self, key: BlockKey, distances: &[f32; SLOTS], inside: BlockMask) -> Option<VoxelBlock<f32>> {
        let active = BlockMask::of(distances, |distance| distance < BAND);
        let value = |slot: usize| {
            let distance = if active.contains(slot) { distances[slot] * self.voxel_size as f32 } else { self.band };
            if inside.contains(slot) { -distance } else { distance }
        };
        let values = || Box::new(std::array::from_fn(value));
        (!active.is_empty()).then(|| VoxelBlock { origin: origin(key), active: active.0, values: values() })
    }
}
