use super::{greatest, least, only, particles, pieces, scene, triangles, volumes};
use crate::tools::Workplace;
use dollop_surface::Topology;
use serde_json::{Value, json};

fn bake(scene: &Value) -> Workplace {
    let place = Workplace::with_scene(scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    place
}

/// The least and the most that the meshes of all frames enclose, over that of the first.
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
    let mut scene = scene("nine");
    scene["output"]["mesh"]["resolution"] = json!(0.25);
    let place = bake(&scene);
    let (least, most) = varies(&place);
    assert!(least > 0.97 && most < 1.03, "{least} {most}");
    let components = [1, 46, 78, 96].map(|frame| {
        let topology = Topology::of(&triangles(&place, frame));
        assert!(topology.is_closed_manifold(), "{frame} {topology:?}");
        topology.components
    });
    assert!(components == [1, 2, 2, 2], "{components:?}");
    // Within the influence of each other, but for those between.
    let near = [46, 78, 96].map(|frame| pieces(&particles(&place, frame), 0.05).len());
    assert!(particles(&place, 1).len() == 9 && near == [2, 1, 1], "{near:?}");
}
