use dollop_sim::TriangleMesh;
use glam::DVec3;
use std::collections::HashMap;

/// Makes vertices at bitwise the same position one, so that a mesh whose vertices were split for shading is closed
/// again. Triangles that lose a corner thereby enclose nothing and are left out.
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

/// Adding zero makes -0 and 0 one.
fn key(position: DVec3) -> [u64; 3] {
    (position + DVec3::ZERO).to_array().map(f64::to_bits)
}
