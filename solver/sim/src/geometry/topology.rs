//! How the triangles of a mesh are connected.

use super::TriangleMesh;
use crate::bounds::Bounds;
use glam::DVec3;
use std::collections::BTreeMap;

/// Why a mesh does not enclose a volume.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MeshFault {
    /// No triangle at all.
    #[error("the mesh has no faces")]
    Empty,
    /// Edges whose faces do not cancel: holes, or faces that are turned around.
    #[error(
        "the mesh is open or its faces disagree on which side is out: {edges} of its edges, the first at \
         ({:.4}, {:.4}, {:.4}), do not have a face on each side", at.x, at.y, at.z
    )]
    Open {
        /// How many edges.
        edges: usize,
        /// Middle of the first one.
        at: DVec3,
    },
    /// The volume is zero.
    #[error(
        "the mesh encloses no volume: it is flat, or as much of it faces inwards as outwards; in Blender, recalculate its normals to \
         the outside"
    )]
    Flat,
    /// A plane, which has no bounds.
    #[error("a plane has no bounds")]
    Unbounded,
}

/// Checks that a mesh bounds a volume: each edge is used as often in one direction as in the other. Meshes that cross
/// themselves or consist of several shells pass.
///
/// # Errors
/// The first fault found.
pub fn closed(mesh: &TriangleMesh) -> Result<(), MeshFault> {
    if mesh.triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    let mut balance: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            if from != to {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
    }
    let open: Vec<(u32, u32)> = balance.into_iter().filter(|&(_, count)| count != 0).map(|(edge, _)| edge).collect();
    if let Some(&(a, b)) = open.first() {
        let at = (mesh.positions[a as usize] + mesh.positions[b as usize]) / 2.0;
        return Err(MeshFault::Open { edges: open.len(), at });
    }
    let Bounds { low, high } = Bounds::of(mesh.positions.iter().copied());
    if mesh.signed_volume().abs() <= 1e-12 * (high - low).length().powi(3) {
        return Err(MeshFault::Flat);
    }
    Ok(())
}

/// For each vertex the number of the first vertex at the same place.
pub fn welded(positions: &[DVec3]) -> Vec<u32> {
    // Adding zero makes -0 and 0 equal.
    let bits = |p: DVec3| p.to_array().map(|x| (x + 0.0).to_bits());
    let mut order: Vec<([u64; 3], u32)> = positions.iter().map(|&p| bits(p)).zip(0..).collect();
    order.sort_unstable();
    let mut first = vec![0; positions.len()];
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        for &(_, vertex) in same {
            first[vertex as usize] = same[0].1;
        }
    }
    first
}
