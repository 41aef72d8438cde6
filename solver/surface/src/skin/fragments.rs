//! Removes spurious components: small voids between particles that have separated within a skin, and specks where the
//! field barely reaches its level.

use crate::mesh::SurfaceMesh;
use crate::mesh::extract::VolumeGroups;

/// Largest volume of a speck over that of a particle: less than the smallest skin of an isolated particle.
const MIN_VOLUME: f64 = 0.005;

/// Removes components of a closed mesh that are smaller than any matter: inward facing ones around less than the volume
/// of a particle, m^3, and specks.
pub(super) fn remove_fragments(mesh: &mut SurfaceMesh, particle_volume: f64) {
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let components = VolumeGroups::new(&mesh.triangles, &vertices, vertices.len());
    let volumes = components.volumes(mesh);
    let is_kept_part =
        |component: usize| volumes[component] > MIN_VOLUME * particle_volume || volumes[component] <= -particle_volume;
    if (0..volumes.len()).all(is_kept_part) {
        return;
    }
    let is_kept = |vertex: u32| is_kept_part(components.of()[vertex as usize] as usize);
    let kept: Vec<u32> = vertices.iter().copied().filter(|&vertex| is_kept(vertex)).collect();
    let mut new_index = vec![0; mesh.positions.len()];
    (0..).zip(&kept).for_each(|(index, &vertex)| new_index[vertex as usize] = index);
    let kept_triangles = mesh.triangles.iter().filter(|triangle| is_kept(triangle[0]));
    let triangles = kept_triangles.map(|triangle| triangle.map(|vertex| new_index[vertex as usize])).collect();
    mesh.keep(&kept, triangles);
}
