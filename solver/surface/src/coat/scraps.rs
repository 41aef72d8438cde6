//! Bubbles and specks: small voids between particles that have come apart within a skin, and scraps outside where fields only just make one.

use crate::implicit::components::Forest;
use crate::mesh::SurfaceMesh;

/// What a speck holds at most, of the volume of a particle: less than the smallest skin of a particle by itself.
const SPECK: f64 = 0.005;

/// Takes parts of a closed mesh away that are smaller than any matter is: those that face inwards around less than the volume of a particle, m^3, and
/// specks.
pub(super) fn take_scraps(mesh: &mut SurfaceMesh, particle: f64) {
    let forest = Forest::new(mesh.positions.len());
    for [a, b, c] in &mesh.triangles {
        forest.join(*a, *b);
        forest.join(*a, *c);
    }
    let parts = forest.components();
    if parts.count < 2 {
        return;
    }
    let part = |triangle: &[u32; 3]| parts.of[triangle[0] as usize] as usize;
    let pivot = mesh.positions[0].as_dvec3();
    let mut volumes = vec![0.0; parts.count];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize].as_dvec3() - pivot);
        volumes[part(triangle)] += a.dot(b.cross(c)) / 6.0;
    }
    let stays = |part: usize| volumes[part] > SPECK * particle || volumes[part] <= -particle;
    if (0..parts.count).all(stays) {
        return;
    }
    let kept: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|&vertex| stays(parts.of[vertex as usize] as usize)).collect();
    let mut places = vec![0; mesh.positions.len()];
    (0..).zip(&kept).for_each(|(place, &vertex)| places[vertex as usize] = place);
    let left = mesh.triangles.iter().filter(|triangle| stays(part(triangle)));
    let triangles = left.map(|triangle| triangle.map(|vertex| places[vertex as usize])).collect();
    mesh.keep(&kept, triangles);
}
