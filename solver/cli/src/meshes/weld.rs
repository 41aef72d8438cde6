use dollop_sim::TriangleMesh;
use glam::DVec3;
use std::collections::HashMap;

/// Merges vertices at bitwise the same position, so that a mesh whose vertices were split for shading is closed again.
/// Triangles that thereby lose a corner enclose nothing and are dropped.
pub fn weld(mesh: &TriangleMesh) -> TriangleMesh {
    let mut numbers = HashMap::with_capacity(mesh.positions.len());
    let mut positions = Vec::new();
    let new_number: Vec<u32> = mesh
        .positions
        .iter()
        .map(|&position| {
            *numbers.entry(key(position)).or_insert_with(|| {
                positions.push(position);
                positions.len() as u32 - 1
            })
        })
        .collect();
    let renumbered = mesh.triangles.iter().map(|corners| corners.map(|corner| new_number[corner as usize]));
    let triangles = renumbered.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    TriangleMesh { positions, triangles }
}

/// Adding zero turns -0 into 0.
fn key(position: DVec3) -> [u64; 3] {
    (position + DVec3::ZERO).to_array().map(f64::to_bits)
}
