use super::{bake_coarse, particles, scene};
use crate::tools::Workplace;
use dollop_surface::Topology;
use serde_json::json;

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

/// Folds lie on each other: positions and normals alone would merge them, and a tenth of the mesh would be missing.
#[test]
fn a_sheet_that_may_grow_or_be_joined_keeps_its_mesh_where_it_is_folded() {
    let mut scene = scene("drape");
    scene["frames"]["end"] = 16.into();
    scene["bodies"][0]["material"]["growth"] = 4.into();
    scene["bodies"][0]["material"]["tears"] = true.into();
    scene["tools"] = json!([{"name": "far", "action": "join", "shape": {"type": "sphere", "radius": 0.1}, "transform": {"translation": [9, 0, 0]}}]);
    let place = bake_coarse(scene, SPACING, true);
    for frame in [1, 8, 10, 12, 16] {
        let topology = Topology::of(&super::triangles(&place, frame));
        let is_disc = (topology.components, topology.boundary_loops, topology.euler_characteristic) == (1, 1, 1);
        assert!(topology.is_manifold() && is_disc, "frame {frame}: {topology:?}");
    }
}

/// A sheet on the faces of a box is one piece around its edges, and nearly all of its triangles stay when it falls.
#[test]
fn a_sheet_holds_together_around_edges() {
    let scene = json!({"version": 1, "frames": {"start": 1, "end": 12, "rate": 24}, "particle_spacing": 0.02,
        "output": {"mesh": {}, "particles": {}},
        "bodies": [{"name": "box", "shape": {"type": "box", "size": [0.25, 0.25, 0.25]}, "transform": {"translation": [0, 0, 0.3]},
            "material": {"type": "oriented", "bending_stiffness": 1e-3}}],
        "colliders": [{"name": "floor", "shape": {"type": "plane"}}]});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let [first, last] = [1, 12].map(|frame| super::triangles(&place, frame));
    let topology = Topology::of(&first);
    assert!(topology.is_manifold() && topology.components == 1, "{topology:?}");
    assert!(
        topology.boundary_edges * 50 < first.len(),
        "small holes at most: {topology:?} of {} triangles",
        first.len()
    );
    assert!(first.len().abs_diff(last.len()) * 100 < first.len(), "{} triangles, then {}", first.len(), last.len());
}
