//! Tests polygons around sets of nodes, independent of any field.

use super::patch::patches;
use super::triangles;
use super::vertices::SurfaceVertex;
use crate::field::{Nodes, VertexProperties};
use crate::lattice::blocks::{SLOTS, node, origin};
use crate::mesh::topology::Topology;
use glam::{DVec3, Vec3};
use proptest::prelude::*;

/// 3 by 3 by 3 blocks, which hold nodes -8 to 15.
fn cube_of_blocks() -> Vec<[i32; 3]> {
    (0..27).map(|n| [n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1]).collect()
}

/// The surface around a set of nodes. A margin of outside nodes closes it.
fn surface_around(is_inside: impl Fn([i32; 3]) -> bool) -> Vec<[u32; 3]> {
    let value = |key: [i32; 3], slot: usize| {
        let (lowest, offset) = (origin(key), node(slot));
        let node: [i32; 3] = std::array::from_fn(|axis| lowest[axis] + offset[axis] as i32);
        let margin = node.iter().any(|&c| !(-7..=14).contains(&c));
        f32::from(u8::from(!margin && is_inside(node)))
    };
    let keys = cube_of_blocks();
    let values = keys.iter().map(|&key| std::array::from_fn::<_, SLOTS, _>(|slot| value(key, slot))).collect();
    let patches = patches(&Nodes::new(keys, values, std::iter::empty()));
    let count = patches.iter().map(|patch| patch.vertex_count() as usize).sum();
    let dummy = SurfaceVertex { position: DVec3::ZERO, normal: Vec3::ZERO, properties: VertexProperties::default() };
    let vertices = vec![dummy; count];
    patches.iter().flat_map(|patch| triangles(patch, &patches, &vertices)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// Noise produces all pairs of cases, across block borders too.
    #[test]
    fn surfaces_of_noise_are_closed_and_manifold(seed: u64, percent in 2_u64..98) {
        let triangles = surface_around(|[x, y, z]| {
            let mixed = [x, y, z].iter().fold(seed, |hash, &c| {
                (hash ^ (c + 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
            });
            (mixed >> 20) % 100 < percent
        });
        prop_assert!(!triangles.is_empty());
        prop_assert!(Topology::of(&triangles).is_closed_manifold(), "{:?}", Topology::of(&triangles));
    }
}

#[test]
fn diagonal_nodes_are_not_connected() {
    let pieces = |nodes: &[[i32; 3]]| Topology::of(&surface_around(|node| nodes.contains(&node))).components;
    assert_eq!(pieces(&[[7, 7, 7], [8, 8, 7]]), 2);
    assert_eq!(pieces(&[[7, 7, 7], [8, 8, 8]]), 2);
    assert_eq!(pieces(&[[7, 7, 7], [8, 7, 7]]), 1);
}

/// Two opposite corners of a face are inside and joined around it on either side. The two tunnels next to the face
/// would share an edge.
#[test]
fn segments_of_a_doubled_face_have_vertices() {
    let ring = |x: i32| [[x, 0, 0], [x, 0, 1], [x, 1, 1], [x, 1, 0]];
    let nodes: Vec<[i32; 3]> = ring(-1).into_iter().chain(ring(1)).chain([[0, 0, 0], [0, 1, 1]]).collect();
    let topology = Topology::of(&surface_around(|node| nodes.contains(&node)));
    assert!(topology.is_closed_manifold(), "{topology:?}");
    assert_eq!((topology.components, topology.euler_characteristic), (1, 0));
}
