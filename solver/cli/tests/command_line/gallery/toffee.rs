use super::{bake_coarse, particles, pieces, scene, triangles, volumes};
use dollop_surface::Topology;
use std::fs;

/// The frame in which it is drawn out and parted.
const PARTED: usize = 40;
/// The frame in which it is pressed together again.
const PRESSED: usize = 84;

/// DG95 figure 5: parted matter does not blend when it meets again, and the volume stays.
#[test]
fn toffee_parts_and_does_not_blend_again() {
    let place = bake_coarse(scene("toffee"), 0.02, true);
    let volumes = volumes(&place);
    let (least, most) = volumes.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &v| (a.min(v), b.max(v)));
    let first = volumes[0];
    assert!(least > 0.965 * first && most < 1.035 * first, "{least} {most} {first}");
    let parted = Topology::of(&triangles(&place, PARTED));
    let pressed = Topology::of(&triangles(&place, PRESSED));
    assert!(Topology::of(&triangles(&place, 1)).components == 1);
    assert!(parted.components >= 2 && parted.is_closed_manifold(), "{parted:?}");
    assert!(pressed.components >= 2 && pressed.is_closed_manifold(), "{pressed:?}");
    // Particles are within reach of each other again.
    let near = pieces(&particles(&place, PRESSED), 0.02 * 2.5);
    assert!(near[0].len() * 10 > 9 * near.iter().map(Vec::len).sum::<usize>(), "they do not touch");
    // The meshes follow from the particles.
    let before = fs::read(place.path(&format!("cache/mesh/mesh_{PRESSED:04}.ply"))).unwrap();
    place.run(&["mesh", "cache"]).succeeds();
    assert!(before == fs::read(place.path(&format!("cache/mesh/mesh_{PRESSED:04}.ply"))).unwrap());
}
