//! Matter that lies apart from other thick matter moves as if that were not there.

use crate::common::{GRAVITY, advanced, at, continuum, flat, scene, simulate, weightless, whipped_cream};
use dollop_scene::Scene;
use glam::Vec3;
use serde_json::{Value, json};

const RATE: f64 = 24.0;
const FRAMES: usize = 3;

fn tar() -> Value {
    continuum(1200.0, json!({"viscosity": 2000.0}))
}

fn jelly() -> Value {
    continuum(1050.0, json!({"viscosity": 1.0, "shear_modulus": 3000.0, "fuses": true}))
}

/// A block that hangs from a ceiling, and a smaller one some way beside or below it, by what lies between them, m.
fn two_blocks(spacing: f64, between: [f64; 2], material: &Value) -> Scene {
    let block = |name: &str, size: [f64; 3], [x, z]: [f64; 2]| json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(x, 0.0, z), "material": material});
    let [aside, below] = between;
    let bodies =
        json!([block("held", [0.08, 0.08, 0.04], [0.0, -0.02]), block("free", [0.02; 3], [aside, -0.05 - below]),]);
    let ceiling = json!({"name": "ceiling", "shape": {"type": "box", "size": [0.2, 0.2, 0.02]},
        "transform": at(0.0, 0.0, 0.01), "friction": 1.0, "adhesion": 1.0});
    scene(spacing, bodies, json!([ceiling]))
}

/// How many spacings apart the blocks' nearest particles are, and the speed at which the smaller block falls after some
/// frames, over that of a free fall.
fn falls(scene: &Scene) -> [f64; 2] {
    let simulation = simulate(scene);
    let start = simulation.frame();
    let sources = start.sources.clone();
    let of = |body: u32, of_all: &[Vec3]| -> Vec<Vec3> {
        of_all.iter().zip(&sources).filter(|(_, source)| **source == body).map(|(own, _)| *own).collect()
    };
    let [held, free] = [0, 1].map(|body| of(body, &start.positions));
    let distances = free.iter().flat_map(|one| held.iter().map(|other| one.distance(*other)));
    let nearest = f64::from(distances.fold(f32::INFINITY, f32::min)) / scene.particle_spacing;
    let speed = -f64::from(of(1, &advanced(simulation, FRAMES).frame().velocities).iter().sum::<Vec3>().z);
    [nearest, speed / free.len() as f64 / (GRAVITY * FRAMES as f64 / RATE)]
}

/// Blocks so many spacings apart, whose rows lie a spacing farther from each other, less what disorder takes.
#[test]
fn what_lies_apart_from_thick_matter_falls_freely() {
    for (name, material) in [("tar", tar()), ("cream", whipped_cream()), ("jelly", jelly())] {
        for spacing in [0.004, 0.0029] {
            for gap in [1.8, 2.0, 3.1] {
                let [nearest, found] = falls(&two_blocks(spacing, [0.007, gap * spacing], &material));
                println!("{name}, {spacing} m, {nearest:.2} spacings apart: {found:.3} of a free fall");
                assert!(nearest > 2.0, "{nearest} spacings apart");
                assert!((found - 1.0).abs() < 1e-3, "{name}, {nearest} spacings apart: {found} of a free fall");
            }
        }
    }
}

/// The same of what falls past the side of a block.
#[test]
fn what_lies_beside_thick_matter_falls_freely() {
    for (name, material) in [("tar", tar()), ("cream", whipped_cream()), ("jelly", jelly())] {
        let [nearest, found] = falls(&two_blocks(0.004, [0.0564, -0.03], &material));
        println!("{name}, {nearest:.2} spacings aside: {found:.3} of a free fall");
        assert!(nearest > 2.0, "{nearest} spacings aside");
        assert!((found - 1.0).abs() < 1e-3, "{name}: {found} of a free fall");
    }
}

/// The same of blocks in the plane.
#[test]
fn what_lies_apart_in_the_plane_falls_freely() {
    let [nearest, found] = falls(&flat(two_blocks(0.004, [0.007, 0.0075], &tar())));
    println!("{nearest:.2} spacings apart: {found:.3} of a free fall");
    assert!(nearest > 2.0, "{nearest} spacings apart");
    assert!((found - 1.0).abs() < 1e-3, "{found} of a free fall");
}

/// Blocks whose particles are less than two spacings apart are one.
#[test]
fn what_lies_close_to_thick_matter_is_held() {
    for (name, material) in [("tar", tar()), ("cream", whipped_cream()), ("jelly", jelly())] {
        let [nearest, found] = falls(&two_blocks(0.004, [0.007, 0.001], &material));
        println!("{name}, {nearest:.2} spacings apart: {found:.3} of a free fall");
        assert!(nearest < 2.0, "{nearest} spacings apart");
        assert!(found < 0.3, "{name}: {found} of a free fall");
    }
}

/// Blocks that fly at each other fast meet, and do not pass into each other.
#[test]
fn pieces_that_meet_at_speed_push_each_other() {
    let spacing = 0.004_f64;
    for (name, material) in [("tar", tar()), ("cream", whipped_cream())] {
        for far in [0.02, 0.0217, 0.0235] {
            let block = |name: &str, side: f64| {
                json!({"name": name, "shape": {"type": "box", "size": [0.04, 0.04, 0.04]}, "velocity": [-4.0 * side, 0.0, 0.0],
                    "transform": at(side * (far + 0.02), 0.0, 0.0), "material": material})
            };
            let scene = weightless(scene(spacing, json!([block("left", -1.0), block("right", 1.0)]), json!([])));
            let frame = advanced(simulate(&scene), 1).frame();
            let deeper = |i: usize| {
                let side = if frame.sources[i] == 0 { 1.0 } else { -1.0 };
                side * f64::from(frame.positions[i].x) / spacing
            };
            let deepest = (0..frame.len()).map(deeper).fold(f64::NEG_INFINITY, f64::max);
            println!("{name}, {far} m: {deepest:.2} spacings beyond the middle");
            assert!(deepest.abs() < 0.5, "{name}, {far} m: {deepest} spacings beyond the middle");
        }
    }
}

/// A strip of jelly that is drawn out to three times its length stays one.
#[test]
fn what_never_breaks_does_not_come_apart() {
    let spacing = 0.004;
    let key = |frame: i32, x: f64| json!({"frame": frame, "transform": at(x, 0.0, 0.0)});
    let clamp = |name: &str, side: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [0.02, 0.06, 0.06]}, "friction": 1.0, "adhesion": 1.0,
            "motion": [key(1, side * 0.05), key(3, side * 0.05), key(27, side * 0.13)]})
    };
    let strip = json!({"name": "strip", "shape": {"type": "box", "size": [0.08, 0.02, 0.02]},
        "transform": at(0.0, 0.0, 0.0), "material": jelly()});
    let colliders = json!([clamp("left", -1.0), clamp("right", 1.0)]);
    let frame = advanced(simulate(&weightless(scene(spacing, json!([strip]), colliders))), 27).frame();
    let inside = |place: &f64| place.abs() < 0.1;
    let mut along: Vec<f64> = frame.positions.iter().map(|place| f64::from(place.x)).filter(inside).collect();
    along.sort_by(f64::total_cmp);
    let widest = along.windows(2).map(|two| two[1] - two[0]).fold(0.0, f64::max) / spacing;
    println!("{} of {} particles between the clamps, rifts of {widest:.2} spacings", along.len(), frame.len());
    assert!(along.len() > frame.len() / 2, "it came off: {} of {}", along.len(), frame.len());
    assert!(widest < 3.0, "a rift of {widest} spacings");
}
