//! Writes sample files for a reader to check: `write_samples DIRECTORY`.
//!
//! One file for each precision and compression. Every value follows a formula that the reader computes again
//! (`tests/vdb/read_samples.py`), with exact arithmetic, so that both must agree to the last bit.

use std::error::Error;
use std::fs::File;
use std::path::Path;

use dollop_vdb::{
    Grid, GridClass, GridCompression, GridPrecision, GridTransform, Leaf, MetaValue, Tile, TileEdge, Tree, VectorType,
    VoxelValue, write,
};

/// Leaves on both sides of zero, in several root, upper and lower nodes, out of order.
const ORIGINS: [[i32; 3]; 12] = [
    [0, 0, 0],
    [4096, 0, 0],
    [8, 0, 0],
    [-8, -8, -8],
    [-4104, 8, 16],
    [-4096, 0, 0],
    [4088, 4088, -8],
    [120, 120, 120],
    [128, 0, 0],
    [-136, -128, 0],
    [0, 0, -12288],
    [0, 0, 8],
];

/// Leaves of the grid whose inactive values differ from leaf to leaf, along x.
const INACTIVE_LEAVES: [[i32; 3]; 7] =
    [[-16, 0, 0], [-8, 0, 0], [0, 0, 0], [8, 0, 0], [16, 0, 0], [24, 0, 0], [32, 0, 0]];

struct OwnedLeaf<T> {
    origin: [i32; 3],
    active: [u64; 8],
    values: Box<[T; 512]>,
}

impl<T> OwnedLeaf<T> {
    fn leaf(&self) -> Leaf<'_, T> {
        Leaf { origin: self.origin, active: self.active, values: &self.values }
    }
}

/// Leaves with the value of each voxel, and whether it is active, from `voxel`.
fn blocks<T: VoxelValue>(origins: &[[i32; 3]], voxel: impl Fn([i32; 3]) -> (T, bool)) -> Vec<OwnedLeaf<T>> {
    let at = |origin: [i32; 3], slot: usize| {
        let [x, y, z] = [slot >> 6, slot >> 3 & 7, slot & 7].map(|local| local as i32);
        voxel([origin[0] + x, origin[1] + y, origin[2] + z])
    };
    let block = |&origin: &[i32; 3]| {
        let word = |word: usize| (0..64).fold(0, |bits, bit| bits | u64::from(at(origin, word << 6 | bit).1) << bit);
        let values = Box::new(std::array::from_fn(|slot| at(origin, slot).0));
        OwnedLeaf { origin, active: std::array::from_fn(word), values }
    };
    origins.iter().map(block).collect()
}

fn tree<T: VoxelValue>(background: T, blocks: &[OwnedLeaf<T>]) -> Result<Tree<'_, T>, dollop_vdb::Error> {
    Tree::new(background, blocks.iter().map(OwnedLeaf::leaf))
}

/// All of the first leaf, and six voxels in seven elsewhere.
fn is_active([i, j, k]: [i32; 3]) -> bool {
    let in_first_leaf = [i, j, k].iter().all(|axis| (0..8).contains(axis));
    in_first_leaf || (i + 3 * j + 5 * k).rem_euclid(7) != 0
}

fn smooth([i, j, k]: [i32; 3]) -> f32 {
    (i + 2 * j + 3 * k) as f32 / 64.0
}

/// Multiples of 1/16 without a pattern, in ±2048.
fn noise([i, j, k]: [i32; 3]) -> f32 {
    let hash = (i64::from(i) * 73_856_093) ^ (i64::from(j) * 19_349_663) ^ (i64::from(k) * 83_492_791);
    (hash & 0xffff) as f32 / 16.0 - 2048.0
}

fn smooth_vector(voxel: [i32; 3]) -> [f32; 3] {
    [smooth(voxel), -smooth(voxel) / 2.0, voxel[2] as f32]
}

fn noise_vector([i, j, k]: [i32; 3]) -> [f32; 3] {
    [noise([i, j, k]), noise([j, k, i]), noise([k, i, j])]
}

/// Inactive values that need each of the codes 0 to 6 in turn, for background 3.
fn inactive_value([i, j, k]: [i32; 3]) -> f32 {
    let odd = (i + j + k) & 1 == 1;
    match i.div_euclid(8) {
        -2 => 3.0,
        -1 => -3.0,
        0 => 5.1,
        1 => {
            if odd {
                3.0
            } else {
                -3.0
            }
        }
        2 => {
            if odd {
                3.0
            } else {
                5.1
            }
        }
        3 => {
            if odd {
                6.1
            } else {
                5.1
            }
        }
        _ => noise([i, j, k]),
    }
}

const SPHERE_VOXEL: f64 = 0.1;
const SPHERE_BAND: f32 = 0.3;

/// Signed distance to a sphere of radius 40 voxels about (3, -5, 2), cut at the band.
fn sphere([i, j, k]: [i32; 3]) -> f32 {
    let [x, y, z] = [i - 3, j + 5, k - 2];
    let distance = (f64::from(x * x + y * y + z * z).sqrt() - 40.0) * SPHERE_VOXEL;
    (distance as f32).clamp(-SPHERE_BAND, SPHERE_BAND)
}

fn sphere_voxel(voxel: [i32; 3]) -> (f32, bool) {
    let distance = sphere(voxel);
    (distance, distance.abs() < SPHERE_BAND)
}

/// The leaves of the sphere, and the origins of the blocks inside that need none.
fn sphere_blocks() -> (Vec<OwnedLeaf<f32>>, Vec<[i32; 3]>) {
    let line = (-56..56).step_by(8);
    let origins = line.clone().flat_map(|x| line.clone().map(move |y| (x, y)));
    let origins = origins.flat_map(|(x, y)| line.clone().map(move |z| [x, y, z])).collect::<Vec<_>>();
    let (band, uniform) =
        blocks(&origins, sphere_voxel).into_iter().partition::<Vec<_>, _>(|block| block.active != [0; 8]);
    let inside = uniform.iter().filter(|block| block.values[0] < 0.0).map(|block| block.origin).collect();
    (band, inside)
}

fn tiles() -> [Tile<f32>; 6] {
    let tile = |origin, edge, value, active| Tile { origin, edge, value, active };
    [
        tile([8, 0, 0], TileEdge::Leaf, 1.1, true),
        tile([16, 0, 0], TileEdge::Leaf, -3.0, false),
        tile([-128, 0, 128], TileEdge::Lower, 2.1, true),
        tile([-256, 0, 128], TileEdge::Lower, 4.1, false),
        tile([4096, 0, 0], TileEdge::Upper, 5.1, false),
        tile([0, -4096, 0], TileEdge::Upper, 6.1, true),
    ]
}

fn with_sample_metadata(grid: Grid<'_>) -> Grid<'_> {
    grid.with_metadata("creator", "write_samples")
        .with_metadata("a_bool", MetaValue::Bool(true))
        .with_metadata("a_double", MetaValue::Double(0.1))
        .with_metadata("a_float", MetaValue::Float(0.5))
        .with_metadata("a_string", "Käse")
        .with_metadata("a_vec3d", MetaValue::Vec3d([0.1, 0.2, 0.3]))
        .with_metadata("a_vec3i", MetaValue::Vec3i([1, -2, 3]))
        .with_metadata("an_int32", MetaValue::Int32(-5))
        .with_metadata("an_int64", MetaValue::Int64(1 << 40))
}

fn write_file(path: &Path, precision: GridPrecision, compression: GridCompression) -> Result<(), Box<dyn Error>> {
    let transform = GridTransform::uniform(0.1).with_translation([0.05, -0.25, 1.0]);
    let box_voxels = GridTransform { voxel_size: [0.1, 0.2, 0.4], translation: [0.0; 3] };

    let density = blocks(&ORIGINS, |voxel| (smooth(voxel), is_active(voxel)));
    let rough = blocks(&ORIGINS, |voxel| (noise(voxel), is_active(voxel)));
    let velocity = blocks(&ORIGINS, |voxel| (smooth_vector(voxel), is_active(voxel)));
    let faces = blocks(&ORIGINS, |voxel| {
        let active = is_active(voxel);
        (if active { noise_vector(voxel) } else { [7.1, 8.1, 9.1] }, active)
    });
    let (band, inside) = sphere_blocks();
    let inactive = blocks(&INACTIVE_LEAVES, |voxel| {
        let active = is_active(voxel);
        (if active { smooth(voxel) } else { inactive_value(voxel) }, active)
    });
    let single = blocks(&[[-8, -8, -8]], |voxel| (1e6, voxel == [-1, -1, -1]));
    let corner = blocks(&[[0, 0, 0]], |voxel| (smooth(voxel), is_active(voxel)));

    let interior =
        inside.into_iter().map(|origin| Tile { origin, edge: TileEdge::Leaf, value: -SPHERE_BAND, active: false });
    let sphere = tree(SPHERE_BAND, &band)?.keep_inactive().with_tiles(interior)?;
    let faces = tree([1.1, -2.1, 0.5], &faces)?.keep_inactive();
    let velocity = tree([0.0; 3], &velocity)?;
    let grids = [
        Grid::scalar("density", GridClass::FogVolume, transform, tree(0.0, &density)?),
        with_sample_metadata(Grid::scalar("rough", GridClass::Unknown, transform, tree(1.1, &rough)?)),
        Grid::vector("velocity", GridClass::Unknown, transform, velocity, VectorType::ContravariantRelative),
        Grid::vector("faces", GridClass::Staggered, transform, faces, VectorType::Invariant),
        Grid::scalar("surface", GridClass::LevelSet, GridTransform::uniform(SPHERE_VOXEL), sphere),
        Grid::scalar("inactive", GridClass::Unknown, transform, tree(3.0, &inactive)?.keep_inactive()),
        Grid::scalar("tiles", GridClass::Unknown, transform, tree(3.0, &corner)?.with_tiles(tiles())?),
        Grid::scalar("empty", GridClass::FogVolume, transform, tree(0.5, &[])?),
        Grid::scalar("twin", GridClass::FogVolume, transform, tree(0.0, &corner)?),
        Grid::scalar("twin", GridClass::FogVolume, transform, tree(0.0, &single)?),
        Grid::scalar("single", GridClass::FogVolume, box_voxels, tree(0.0, &single)?),
    ];
    let grids = grids.map(|grid| grid.with_precision(precision));
    write(&grids, compression, File::create(path)?)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args_os().nth(1).ok_or("usage: write_samples DIRECTORY")?;
    for (precision, precision_name) in [(GridPrecision::Full, "full"), (GridPrecision::Half, "half")] {
        let codecs =
            [(GridCompression::None, "none"), (GridCompression::Zip, "zip"), (GridCompression::Blosc, "blosc")];
        for (compression, codec_name) in codecs {
            let path = Path::new(&directory).join(format!("{precision_name}_{codec_name}.vdb"));
            write_file(&path, precision, compression)?;
        }
    }
    Ok(())
}
