//! Bubbles and specks: small voids between particles that have come apart within a skin, and scraps outside where fields only just make one.

use crate::extract::Groups;
use crate::mesh::SurfaceMesh;

/// What a speck holds at most, of the volume of a particle: less than the smallest skin of a particle by itself.
const SPECK: f64 = 0.005;

/// Takes parts of a closed mesh away that are smaller than any matter is: those that face inwards around less than the volume of a particle, m^3, and
/// specks.
pub(super) fn take_scraps(mesh: &mut SurfaceMesh, particle: f64) {
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let parts = Groups::new(&mesh.triangles, &vertices, vertices.len());
    let volumes = parts.volumes(mesh);
    let stays = |part: usize| volumes[part] > SPECK * particle || volumes[part] <= -particle;
    if (0..volumes.len()).all(stays) {
        return;
    }
    let is_kept = |vertex: u32| stays(parts.of()[vertex as usize] as usize);
    let kept: Vec<u32> = vertices.iter().copied().filter(|&vertex| is_kept(vertex)).collect();
    let mut places = vec![0; mesh.positions.len()];
    (0..).zip(&kept).for_each(|(place, &vertex)| places[vertex as usize] = place);
    let left = mesh.triangles.iter().filter(|triangle| is_kept(triangle[0]));
    let triangles = left.map(|triangle| triangle.map(|vertex| places[vertex as usize])).collect();
    mesh.keep(&kept, triangles);
}
