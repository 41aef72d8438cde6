use super::{bake_coarse, greatest, least, only, particles, pieces, scene, triangles, volumes};
use crate::tools::Workplace;
use dollop_surface::Topology;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

fn bake(scene: &Value) -> Workplace {
    let place = Workplace::with_scene(scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    place
}

/// The least and the greatest volume in the meshes of all frames, relative to the first frame.
fn varies(place: &Workplace) -> (f64, f64) {
    let volumes = volumes(place);
    let shares = || volumes.iter().map(|volume| volume / volumes[0]);
    (least(shares()), greatest(shares()))
}

/// DG95 figures 1 and 3: blending makes the skin swell unless the volume is controlled.
#[test]
fn two_particles_blend_and_keep_their_volume() {
    let run = |body: usize| {
        let place = bake(&only(scene("two-blend"), &[body]));
        assert!(particles(&place, 1).len() == 2);
        let [apart, blended] = [1, 60].map(|frame| Topology::of(&triangles(&place, frame)));
        assert!(apart.components == 2 && blended.components == 1, "{apart:?} {blended:?}");
        assert!(apart.is_closed_manifold() && blended.is_closed_manifold());
        varies(&place)
    };
    let (kept, left) = (run(0), run(1));
    assert!(kept.0 > 0.98 && kept.1 < 1.02, "{kept:?}");
    assert!(left.1 > 1.25, "{left:?}");
}

/// DG95 figure 5: of nine particles, which part, come near each other again, and do not blend.
#[test]
fn nine_particles_are_pulled_apart_and_stay_two() {
    let place = bake(&scene("nine"));
    let (least, most) = varies(&place);
    assert!(least > 0.97 && most < 1.03, "{least} {most}");
    let components = [1, 46, 78, 96].map(|frame| {
        let topology = Topology::of(&triangles(&place, frame));
        assert!(topology.is_closed_manifold(), "{frame} {topology:?}");
        topology.components
    });
    assert!(components == [1, 2, 2, 2], "{components:?}");
    // Apart, but within each other's influence.
    let near = [46, 78].map(|frame| pieces(&particles(&place, frame), 0.05).len());
    assert!(particles(&place, 1).len() == 9 && near == [2, 1], "{near:?}");
}

/// The depth of a point in a finger of the kneading hand at a frame, relative to the radius of the finger.
fn depth_in_finger(point: DVec3, finger: &Value, frame: usize) -> f64 {
    let transform = &finger["motion"][frame - 1]["transform"];
    let numbers = |key: &str, at: usize| transform[key][at].as_f64().unwrap();
    let tip = DVec3::from_array([0, 1, 2].map(|axis| numbers("translation", axis)));
    let [w, x, y, z] = [0, 1, 2, 3].map(|part| numbers("rotation", part));
    let axis = DQuat::from_xyzw(x, y, z, w) * DVec3::Z;
    let along = (point - tip).dot(axis).clamp(0.0, 0.11);
    1.0 - point.distance(tip + along * axis) / 0.013
}

#[test]
fn kneaded_dough_keeps_its_dents() {
    let mut scene = scene("kneaded");
    // Pressed once.
    scene["frames"]["end"] = json!(34);
    let place = bake_coarse(scene.clone(), 0.016, true);
    let (least, most) = varies(&place);
    assert!(least > 0.97 && most < 1.03, "{least} {most}");
    let fingers: Vec<&Value> =
        scene["colliders"].as_array().unwrap().iter().filter(|collider| !collider["motion"].is_null()).collect();
    assert!(fingers.len() == 4);
    for frame in 1..=34 {
        let matter = particles(&place, frame);
        let depths =
            matter.iter().flat_map(|p| fingers.iter().map(|finger| depth_in_finger(p.position, finger, frame)));
        let deepest = greatest(depths);
        assert!(deepest < 0.1, "frame {frame}: a particle {deepest} of the radius deep in a finger");
        assert!(matter.iter().all(|p| p.position.z > 0.0), "frame {frame}: a particle in the table");
    }
    for frame in [1, 22, 34] {
        let topology = Topology::of(&triangles(&place, frame));
        assert!(topology.components == 1 && topology.is_closed_manifold(), "{frame} {topology:?}");
    }
    // The final height of a single particle depends on the last digits of the mass; the mean of several does not.
    let top = |frame: usize, within: f64| {
        let matter = particles(&place, frame);
        let near = matter.iter().filter(|p| p.position.truncate().length() < within);
        let mut heights: Vec<f64> = near.map(|p| p.position.z).collect();
        heights.sort_by(|a, b| b.total_cmp(a));
        heights[..8].iter().sum::<f64>() / 8.0
    };
    let [start, rim] = [1, 34].map(|frame| top(frame, f64::INFINITY));
    let [start_in_middle, dent] = [1, 34].map(|frame| top(frame, 0.03));
    assert!(start - start_in_middle < 1e-9 && rim < 0.8 * start && dent < rim - 0.008, "{start} {dent} {rim}");
}

/// Checks two bodies that are pressed together: closed meshes, and a single one at the end. Takes frames before and
/// after, the spacing, m, and the tolerance of the volume.
fn fuse(example: &str, spacing: f64, [before, after]: [usize; 2], tolerance: f64) {
    let place = bake_coarse(scene(example), spacing, true);
    let (least, most) = varies(&place);
    assert!(least > 1.0 - tolerance && most < 1.0 + tolerance, "{least} {most}");
    let components = [1, before, after].map(|frame| {
        let topology = Topology::of(&triangles(&place, frame));
        assert!(topology.is_closed_manifold(), "{frame} {topology:?}");
        topology.components
    });
    assert!(components == [2, 2, 1], "{components:?}");
}

/// DG95 figure 6.
#[test]
fn domes_fuse_where_they_are_pressed_together() {
    fuse("pressed", 0.015, [24, 96], 0.03);
}

#[test]
fn lumps_merge_under_a_press() {
    // Flat cakes of few layers; at the spacing of the example within 2.6 %. At this one they fuse in two places as the
    // upper one lands.
    fuse("merged", 0.016, [1, 60], 0.04);
}
