use super::{bake_coarse, particles, scene};
use dollop_surface::Topology;

const SPACING: f64 = 0.03;
const LAST: usize = 24;
/// The ball.
const RADIUS: f64 = 0.3;
const HEIGHT: f64 = 0.31;

/// T92 figure 8 (a).
#[test]
fn a_cloth_drapes_over_a_ball() {
    let mut scene = scene("drape");
    scene["frames"]["end"] = LAST.into();
    let place = bake_coarse(scene, SPACING, true);
    let [first, last] = [1, LAST].map(|frame| particles(&place, frame));
    let nearest = SPACING * 2.0_f64.powf(1.0 / 6.0);
    let (mut widest, mut count) = (0.0_f64, 0);
    for i in 0..first.len() {
        for j in 0..i {
            let apart = first[i].position.distance(first[j].position);
            if apart < 1.2 * nearest {
                widest = widest.max(last[i].position.distance(last[j].position) / apart);
                count += 1;
            }
        }
    }
    assert!(count > 2 * first.len() && widest < 1.3, "{count} pairs, one {widest} times as far");
    let ball = glam::DVec3::Z * HEIGHT;
    let nearest = last.iter().map(|p| p.position.distance(ball)).fold(f64::INFINITY, f64::min);
    let lowest = last.iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min);
    assert!(nearest > RADIUS && lowest > 0.0 && lowest < HEIGHT, "{nearest} {lowest}");
    let topology = Topology::of(&super::triangles(&place, LAST));
    assert!(topology.is_manifold() && topology.components == 1 && topology.boundary_loops == 1, "{topology:?}");
}
