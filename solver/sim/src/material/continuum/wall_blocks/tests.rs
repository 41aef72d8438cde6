#![allow(clippy::unwrap_used)]

use super::super::half_cells::HALVES;
use super::super::thin_walls::Behind;
use super::*;
use crate::boundary::{Boundary, Times};
use crate::setup::place_colliders;
use crate::{MeshLibrary, SmoothingKernel, TriangleMesh};
use dollop_scene::Scene;
use glam::DVec3;
use serde_json::json;

/// What tells blocks apart takes as much memory as what is behind their walls.
#[test]
fn turned_blocks_count_with_their_keys() {
    let memory = |half_cells: usize| {
        let turned = Turned(vec![Behind::default(); half_cells]);
        let turned = TurnedBlocks::from_iter([((IVec3::ZERO, turned), (Arc::from(Vec::new()), Weak::new()))]);
        WallCells { turned, ..WallCells::default() }.memory()
    };
    assert_eq!(memory(100), memory(0) + 100 * 12);
    assert!(memory(0) > 0);
}

const PLACING: Placing = Placing { width: 0.02, is_flat: false };

/// A thin plate of a mesh that stands askew on a floor, and a blade that comes, stands for two frames and goes.
fn walls_with_blade() -> Boundary {
    let key = |frame: i32, x: f64| json!({"frame": frame, "transform": {"translation": [x, 0.01, 0.02]}});
    let scene: Scene = serde_json::from_value(json!({"version": 1, "frames": {"start": 1, "end": 9, "rate": 1},
        "particle_spacing": PLACING.width / 2.0, "bodies": [], "colliders": [
        {"name": "plate", "shape": {"type": "mesh", "path": "plate"}, "thickness": 0.025,
            "transform": {"translation": [0.03, 0.0, 0.02], "rotation": [0.95, 0.1, 0.28, 0.05]}},
        {"name": "floor", "shape": {"type": "plane"}, "transform": {"translation": [0.0, 0.0, -0.06]}},
        {"name": "blade", "shape": {"type": "box", "size": [0.01, 0.2, 0.1]},
            "motion": [key(1, -0.5), key(4, -0.05), key(6, -0.05), key(8, 0.06), key(9, 0.6)]}]}))
    .unwrap();
    let positions = vec![
        DVec3::new(-0.1, -0.1, 0.0),
        DVec3::new(0.1, -0.1, 0.0),
        DVec3::new(0.1, 0.1, 0.0),
        DVec3::new(-0.1, 0.1, 0.0),
    ];
    let plate = TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] };
    let meshes = MeshLibrary::from([("plate".into(), plate)]);
    place_colliders(&scene, &meshes, &SmoothingKernel::of(&scene)).unwrap()
}

/// All that a block tells, where matter is on one side of a plane.
fn told(at: IVec3, block: &Block, walls: &Walls) -> impl PartialEq {
    let near: std::collections::BTreeSet<usize> = block.near.iter().copied().collect();
    let colliders = NearColliders { walls, placing: PLACING, numbers: &block.near };
    let of_thin = |thin: &Arc<ThinWalls>| {
        let halves = 0..HALVES.pow(3);
        let places: Vec<_> = halves.clone().map(|half| thin.place(half).copied()).collect();
        let parted: Vec<_> = halves.map(|half| [0, 1, 2].map(|axis| thin.are_parted(half, axis))).collect();
        (places, parted, thin.behind(at, &colliders, |half| half.x < 0, |_| true))
    };
    (block.cells.to_vec(), near, block.thin.as_ref().map(of_thin))
}

/// Blocks that are kept while walls move are to the bit as if found anew.
#[test]
fn kept_blocks_are_as_fresh_ones_while_walls_move() {
    let boundary = walls_with_blade();
    let wanted: Vec<IVec3> = (0..8).map(|n| IVec3::new(n / 4, n / 2 % 2, n % 2) - 1).collect();
    let mut kept = WallCells::default();
    let mut near_blade = 0;
    for time in [0.0, 2.5, 2.8, 3.0, 3.0, 4.5, 5.2, 5.7, 6.5, 6.8, 8.0] {
        let walls = boundary.at(Times::At(time));
        kept.keep(&wanted, &walls, &PLACING);
        near_blade += wanted.iter().filter(|at| kept.moving.get(at).is_some()).count();
        for &at in &wanted {
            let fresh = block(at, None, &walls, &[0, 1, 2], &PLACING);
            let is_same = match (kept.block(&at), &fresh) {
                (Some(kept), Some(fresh)) => told(at, kept, &walls) == told(at, fresh, &walls),
                (kept, fresh) => kept.is_none() && fresh.is_none(),
            };
            assert!(is_same, "block {at} at {time} s");
        }
    }
    assert!((20..80).contains(&near_blade), "{near_blade} blocks near the blade");
}

/// Blocks are kept as long as no wall near them moves, and what they take counts as memory.
#[test]
fn blocks_are_kept_while_walls_stand() {
    let (boundary, at) = (walls_with_blade(), IVec3::splat(-1));
    let mut kept = WallCells::default();
    let mut cells_at = |time: f64| {
        kept.keep(&[at], &boundary.at(Times::At(time)), &PLACING);
        (kept.block(&at).unwrap().cells.clone(), kept.memory())
    };
    let (far, least) = cells_at(0.0);
    assert!(Arc::ptr_eq(&far, &cells_at(0.5).0), "a wall far off");
    let (near, most) = cells_at(3.0);
    assert!(Arc::ptr_eq(&near, &cells_at(3.0).0), "a wall that stands for a while");
    assert!(!Arc::ptr_eq(&near, &cells_at(6.5).0), "a wall that moves");
    assert!(most > least + 8 * HALVES.pow(3), "{least} and {most} bytes");
    cells_at(0.0);
    assert!(kept.memory() < most, "{} of {most} bytes", kept.memory());
}
