use super::{Particle, bake_coarse, of, only, particles, scene, triangles};
use crate::tools::Workplace;
use dollop_surface::Topology;
use serde_json::json;

fn lowest<'a>(all: impl Iterator<Item = &'a Particle>) -> f64 {
    all.map(|particle| particle.position.z).fold(f64::INFINITY, f64::min)
}

/// T92 figures 8 (b) and (c).
#[test]
fn dough_stretches_where_rubber_tears() {
    let run = |body: usize, end: usize| {
        let mut scene = only(scene("pulled-apart"), &[body]);
        scene["frames"]["end"] = end.into();
        let place = bake_coarse(scene, 0.035, true);
        let [first, last] = [1, end].map(|frame| particles(&place, frame).len());
        (first, last, Topology::of(&triangles(&place, end)))
    };
    let (before, dough, whole) = run(0, 60);
    assert!(dough > before * 2 && whole.components == 1 && whole.is_manifold(), "{before} {dough} {whole:?}");
    let (before, rubber, torn) = run(1, 24);
    assert!(rubber == before && torn.components > 1, "{torn:?}");
}

/// T92 figure 6.
#[test]
fn a_tool_joins_two_sheets_into_one() {
    let run = |joined: bool| {
        let mut scene = scene("joined");
        if !joined {
            scene["tools"] = json!([]);
        }
        let place = bake_coarse(scene, 0.035, true);
        (lowest(particles(&place, 72).iter()), Topology::of(&triangles(&place, 72)))
    };
    let ((low, one), (hung, two)) = (run(true), run(false));
    assert!(one.components == 1 && low > 0.4, "{low} {one:?}");
    assert!(two.components == 2 && hung < 0.2, "{hung} {two:?}");
}

/// Two sheets that are joined and then drawn out along their seam grow there, too, and stay one sheet without a hole.
#[test]
fn joined_sheets_grow_along_their_seam() {
    let obj = "v -0.2 -0.1 0\nv 0.2 -0.1 0\nv 0.2 0.1 0\nv -0.2 0.1 0\nf 1 2 3 4\n";
    let pin = |side: f64| {
        let at = |x: f64| json!({"translation": [x, 0, 0]});
        json!({"name": format!("{side}"), "vertices": [[side * 0.2, -0.1, 0], [side * 0.2, 0.1, 0]],
            "motion": [{"frame": 3, "transform": at(0.0)}, {"frame": 24, "transform": at(side * 0.1)}]})
    };
    let body = |name: &str, y: f64| {
        json!({"name": name, "shape": {"type": "mesh", "path": "sheet.obj"}, "transform": {"translation": [0, y, 0]},
            "pins": [pin(-1.0), pin(1.0)],
            "material": {"type": "oriented", "growth": 8, "viscosity": 8, "stretch_stiffness": 300, "tear_stretch": 1.25}})
    };
    let scene = json!({"version": 1, "frames": {"start": 1, "end": 24, "rate": 24}, "gravity": [0, 0, 0], "particle_spacing": 0.02,
        "output": {"mesh": {}, "particles": {}}, "bodies": [body("one", -0.101), body("other", 0.101)],
        "tools": [{"name": "seam", "action": "join", "shape": {"type": "box", "size": [1, 0.1, 0.1]}}]});
    let place = Workplace::with_scene(&scene);
    std::fs::write(place.path("sheet.obj"), obj).unwrap();
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let [first, last] = [2, 24].map(|frame| particles(&place, frame));
    for frame in [2, 8, 16, 20, 24] {
        let topology = Topology::of(&triangles(&place, frame));
        let is_disc = (topology.components, topology.boundary_loops, topology.euler_characteristic) == (1, 1, 1);
        assert!(topology.is_manifold() && is_disc, "frame {frame}: {topology:?}");
    }
    assert!(last.len() > first.len() * 5 / 4, "{} of {}", last.len(), first.len());
}

#[test]
fn a_hot_sheet_lines_a_mould() {
    let place = bake_coarse(scene("mould"), 0.04, true);
    let [cold, last] = [4, 96].map(|frame| lowest(particles(&place, frame).iter()));
    let topology = Topology::of(&triangles(&place, 96));
    // The bowl goes down to 0.1 m, and the sheet lies half a spacing above.
    assert!(cold > 0.28 && (0.1..0.17).contains(&last), "{cold} {last}");
    assert!(topology.components == 1 && topology.boundary_loops == 1, "{topology:?}");
}

#[test]
fn a_sheet_holds_light_dough_and_not_heavy() {
    let run = |density: f64| {
        let mut scene = scene("dough-on-a-sheet");
        scene["bodies"][1]["material"]["rest_density"] = density.into();
        let place = bake_coarse(scene, 0.035, false);
        lowest(of(&particles(&place, 24), 1))
    };
    let (light, heavy) = (run(100.0), run(1000.0));
    assert!(light > 0.2 && heavy < 0.15, "{light} {heavy}");
}
