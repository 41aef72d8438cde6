//! Reads files back with an independent reader, for random trees: every active voxel and tile, and no other.
//!
//! The reader (vdb-rs 0.6) supports only numbers, and halves only without a codec. OpenVDB itself reads all
//! combinations in `tests/vdb`.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::Cursor;

use dollop_vdb::{
    Grid, GridClass, GridCompression, GridPrecision, GridTransform, Leaf, Tile, TileEdge, Tree, to_bytes,
};
use half::f16;
use proptest::prelude::*;
use vdb_rs::{Map, VdbReader};

const COMPRESSIONS: [GridCompression; 3] = [GridCompression::None, GridCompression::Zip, GridCompression::Blosc];

/// A leaf that owns its values.
#[derive(Debug, Clone)]
struct OwnedLeaf {
    origin: [i32; 3],
    active: [u64; 8],
    values: Box<[f32; 512]>,
}

impl OwnedLeaf {
    fn leaf(&self) -> Leaf<'_, f32> {
        Leaf { origin: self.origin, active: self.active, values: &self.values }
    }
}

/// Values of voxels and tiles by lowest voxel and edge.
type Cubes = BTreeMap<([i32; 3], i32), f32>;

fn tree(blocks: &[OwnedLeaf]) -> Tree<'_, f32> {
    Tree::new(0.0, blocks.iter().map(OwnedLeaf::leaf)).unwrap()
}

fn grid(tree: Tree<'_, f32>) -> Grid<'_> {
    Grid::scalar("density", GridClass::FogVolume, GridTransform::uniform(0.25), tree)
}

/// The active voxels of blocks.
fn voxels(blocks: &[OwnedLeaf]) -> Cubes {
    let mut voxels = Cubes::new();
    for block in blocks {
        for slot in (0..512).filter(|slot| block.active[slot / 64] >> (slot % 64) & 1 == 1) {
            let local = [slot / 64, slot / 8 % 8, slot % 8];
            let voxel = std::array::from_fn(|axis| block.origin[axis] + local[axis] as i32);
            voxels.insert((voxel, 1), block.values[slot]);
        }
    }
    voxels
}

/// The active voxels and tiles that the reader finds.
fn read(bytes: &[u8]) -> Cubes {
    let mut reader = VdbReader::new(Cursor::new(bytes)).unwrap();
    let grid = reader.read_grid::<f32>("density").unwrap();
    let mut cubes = Cubes::new();
    for (corner, value, level) in grid.iter() {
        let corner = [corner.x, corner.y, corner.z].map(|axis| axis as i32);
        let before = cubes.insert((corner, level.scale() as i32), value);
        assert!(before.is_none(), "{corner:?} came twice");
    }
    cubes
}

fn check_read_back(blocks: &[OwnedLeaf]) {
    let expected = voxels(blocks);
    for compression in COMPRESSIONS {
        let (bytes, stats) = to_bytes(&[grid(tree(blocks))], compression).unwrap();
        assert_eq!(read(&bytes), expected, "{compression:?}");
        assert_eq!(stats.bytes, bytes.len() as u64);
        assert_eq!(stats.active_voxels, expected.len() as u64);
        assert_eq!(stats.leaves, blocks.len() as u64);
    }
}

fn origin() -> impl Strategy<Value = [i32; 3]> {
    // Near zero, near the borders of nodes, and anywhere that the reader's f32 coordinates are exact.
    let axis = prop_oneof![
        -3..3_i32,
        prop::sample::select(vec![-1024, -513, -512, -511, -17, -16, 15, 16, 511, 512, 513]),
        -1_000_000..1_000_000_i32,
    ];
    [axis.clone(), axis.clone(), axis].prop_map(|blocks| blocks.map(|block| block * 8))
}

fn active() -> impl Strategy<Value = [u64; 8]> {
    prop_oneof![
        Just([0; 8]),
        Just([u64::MAX; 8]),
        (0..512_usize).prop_map(|slot| std::array::from_fn(|word| u64::from(word == slot / 64) << (slot % 64))),
        any::<[u64; 8]>(),
        any::<[bool; 8]>().prop_map(|words| words.map(|all| if all { u64::MAX } else { 0 })),
    ]
}

/// Constant, smooth, or any finite bits.
fn values() -> impl Strategy<Value = Box<[f32; 512]>> {
    let finite = any::<f32>().prop_filter("finite", |value| value.is_finite());
    prop_oneof![
        finite.prop_map(|value| Box::new([value; 512])),
        (-100.0..100.0_f32).prop_map(|slope| Box::new(std::array::from_fn(|slot| (slot / 8) as f32 * slope))),
        any::<u64>().prop_map(|seed| Box::new(std::array::from_fn(|slot| finite_bits(seed, slot as u64)))),
    ]
}

/// A number without a pattern; the highest bit of the exponent is cleared so that it is finite.
fn finite_bits(seed: u64, slot: u64) -> f32 {
    let mixed = (seed ^ slot.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    f32::from_bits((mixed >> 32) as u32 & 0xbfff_ffff)
}

fn blocks() -> impl Strategy<Value = Vec<OwnedLeaf>> {
    let block =
        (origin(), active(), values()).prop_map(|(origin, active, values)| OwnedLeaf { origin, active, values });
    prop::collection::vec(block, 0..12).prop_map(|blocks| {
        let unique = blocks.into_iter().map(|block| (block.origin, block)).collect::<BTreeMap<_, _>>();
        // Not the order of the file.
        unique.into_values().rev().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_trees_come_back(blocks in blocks()) {
        check_read_back(&blocks);
    }

    #[test]
    fn halves_come_back_rounded(blocks in blocks()) {
        let half = grid(tree(&blocks)).with_precision(GridPrecision::Half);
        let (bytes, stats) = to_bytes(&[half], GridCompression::None).unwrap();
        let exact = voxels(&blocks);
        let rounded = |value: f32| f16::from_f32(value.clamp(-65504.0, 65504.0)).to_f32();
        let expected = exact.iter().map(|(&cube, &value)| (cube, rounded(value))).collect::<Cubes>();
        prop_assert_eq!(read(&bytes), expected);
        let clamped = exact.values().filter(|value| value.abs() > 65504.0).count();
        prop_assert_eq!(stats.clamped_values, clamped as u64);
    }

    #[test]
    fn the_order_of_leaves_does_not_matter(blocks in blocks()) {
        let bytes = |blocks: &[OwnedLeaf]| to_bytes(&[grid(tree(blocks))], GridCompression::Blosc).unwrap().0;
        let mut reversed = blocks.clone();
        reversed.reverse();
        prop_assert_eq!(bytes(&blocks), bytes(&reversed));
    }
}

fn block(origin: [i32; 3], active: [u64; 8], value: impl Fn(usize) -> f32) -> OwnedLeaf {
    OwnedLeaf { origin, active, values: Box::new(std::array::from_fn(value)) }
}

#[test]
fn an_empty_grid_comes_back_empty() {
    check_read_back(&[]);
}

#[test]
fn a_single_voxel_comes_back() {
    let mut active = [0; 8];
    active[7] = 1 << 63;
    check_read_back(&[block([-8, -8, -8], active, |slot| slot as f32)]);
}

#[test]
fn many_full_leaves_come_back() {
    // More than one batch of the parallel encoder.
    let blocks = (0..5000).map(|i| {
        block([i % 20 * 8 - 80, i / 20 % 20 * 8, i / 400 * 8], [u64::MAX; 8], |slot| (i + slot as i32) as f32)
    });
    check_read_back(&blocks.collect::<Vec<_>>());
}

#[test]
fn active_tiles_come_back() {
    let tile = |origin, edge, value, active| Tile { origin, edge, value, active };
    let tiles = [
        tile([8, 0, 0], TileEdge::Leaf, 1.5, true),
        tile([16, 0, 0], TileEdge::Leaf, 2.5, false),
        tile([-128, -128, 4096], TileEdge::Lower, 3.5, true),
        tile([-256, -128, 4096], TileEdge::Lower, 4.5, false),
    ];
    let blocks = [block([0, 0, 0], [5; 8], |slot| slot as f32)];
    let mut expected = voxels(&blocks);
    expected.insert(([8, 0, 0], 8), 1.5);
    expected.insert(([-128, -128, 4096], 128), 3.5);
    for compression in COMPRESSIONS {
        let (bytes, stats) = to_bytes(&[grid(tree(&blocks).with_tiles(tiles).unwrap())], compression).unwrap();
        assert_eq!(read(&bytes), expected, "{compression:?}");
        assert_eq!(stats.active_voxels, 16 + 512 + 128 * 128 * 128);
    }
}

#[test]
fn several_grids_keep_their_values_and_metadata() {
    let blocks = [block([0, 0, 0], [u64::MAX; 8], |slot| slot as f32), block([4096, -8, 0], [1; 8], |_| 7.0)];
    let transform = GridTransform::uniform(0.5).with_translation([1.0, -2.0, 3.0]);
    let first = Grid::scalar("first", GridClass::Unknown, transform, tree(&blocks[..1]));
    let (bytes, _) = to_bytes(&[first, grid(tree(&blocks))], GridCompression::Blosc).unwrap();
    assert_eq!(read(&bytes), voxels(&blocks));
    let mut reader = VdbReader::new(Cursor::new(&bytes)).unwrap();
    let first = reader.read_grid::<f32>("first").unwrap();
    assert_eq!(first.iter().count(), 512);
    let Map::ScaleTranslateMap { translation, scale_values, .. } = first.transform else { panic!("another map") };
    assert_eq!((translation.to_array(), scale_values.to_array()), ([1.0, -2.0, 3.0], [0.5; 3]));
    let descriptor = &reader.grid_descriptors["density"];
    assert_eq!(descriptor.voxel_count().unwrap(), 520);
    assert_eq!(descriptor.aabb_min().unwrap().to_array(), [0, -8, 0]);
    assert_eq!(descriptor.aabb_max().unwrap().to_array(), [4103, 7, 7]);
}

#[test]
fn the_number_of_threads_does_not_change_the_bytes() {
    let blocks = (0..3000).map(|i| {
        let value =
            move |slot: usize| if i % 3 == 0 { finite_bits(i as u64, slot as u64) } else { (i * slot as i32) as f32 };
        block([i % 13 * 8 - 40, i / 13 % 17 * 8, i / 221 * 8], [u64::MAX >> (i % 64); 8], value)
    });
    let blocks = blocks.collect::<Vec<_>>();
    for compression in COMPRESSIONS {
        let bytes = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let half = || grid(tree(&blocks)).with_precision(GridPrecision::Half);
            pool.install(|| to_bytes(&[grid(tree(&blocks)), half()], compression).unwrap().0)
        };
        let one = bytes(1);
        assert_eq!(one, bytes(2), "{compression:?}");
        assert_eq!(one, bytes(5), "{compression:?}");
    }
}
