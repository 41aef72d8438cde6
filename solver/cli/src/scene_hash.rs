use dollop_scene::Scene;
use dollop_sim::MeshLibrary;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// SHA-256 of the inputs of a bake: all settings with their defaults filled in, and the meshes' positions and
/// triangles. The layout of the file, and other data in an OBJ file, do not matter.
pub fn scene_hash(scene: &Scene, meshes: &MeshLibrary) -> String {
    let mut hash = Sha256::new();
    // The types of a scene always have a JSON form.
    hash.update(serde_json::to_vec(scene).unwrap_or_default());
    for (path, mesh) in meshes {
        sized(&mut hash, path.len());
        hash.update(path);
        sized(&mut hash, mesh.positions.len());
        mesh.positions.iter().flat_map(glam::DVec3::to_array).for_each(|part| hash.update(part.to_le_bytes()));
        sized(&mut hash, mesh.triangles.len());
        mesh.triangles.as_flattened().iter().for_each(|corner| hash.update(corner.to_le_bytes()));
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A length before each part keeps different scenes from running together to the same bytes.
fn sized(hash: &mut Sha256, length: usize) {
    hash.update((length as u64).to_le_bytes());
}
