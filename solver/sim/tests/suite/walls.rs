//! No particle passes a wall.

use crate::common::{advanced, at, floor, scene, simulate, simulate_with, weightless};
use dollop_scene::Scene;
use dollop_sim::geometry::box_mesh;
use dollop_sim::{Frame, MeshLibrary, Simulation, TriangleMesh};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};

const SPACING: f64 = 0.05;

fn ball(translation: Value, velocity: [f64; 3]) -> Value {
    json!([{"name": "ball", "shape": {"type": "sphere", "radius": 0.15},
        "transform": translation, "velocity": velocity, "material": {"type": "smoothed", "viscosity": 1.0}}])
}

/// A rectangle in the XY plane.
fn sheet(size: f64) -> TriangleMesh {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0) * size / 2.0;
    TriangleMesh {
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

/// A mesh whose faces look inwards.
fn turned_inside_out(mesh: TriangleMesh) -> TriangleMesh {
    TriangleMesh { triangles: mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect(), ..mesh }
}

/// A plate under z = 0 that is a hundred times thicker at one end than at the other, of twelve triangles.
fn wedge(size: f64) -> TriangleMesh {
    let mut mesh = box_mesh(DVec3::new(size, size, 2.0));
    for p in &mut mesh.positions {
        let thickness = SPACING * (0.51 + 0.49 * p.x.signum());
        p.z = if p.z > 0.0 { 0.0 } else { -thickness };
    }
    mesh
}

fn library() -> MeshLibrary {
    let plate = box_mesh(DVec3::new(6.0, 6.0, 0.1 * SPACING));
    MeshLibrary::from([
        ("inside out".into(), turned_inside_out(plate.clone())),
        ("plate".into(), plate),
        ("wedge".into(), wedge(6.0)),
        ("sheet".into(), sheet(6.0)),
    ])
}

fn plates() -> [Value; 5] {
    [
        json!({"name": "plate", "shape": {"type": "mesh", "path": "plate"}}),
        json!({"name": "inside out", "shape": {"type": "mesh", "path": "inside out"}}),
        json!({"name": "wedge", "shape": {"type": "mesh", "path": "wedge"}}),
        json!({"name": "sheet", "shape": {"type": "mesh", "path": "sheet"}, "thickness": 0.1 * SPACING}),
        json!({"name": "box", "shape": {"type": "box", "size": [6.0, 6.0, 0.1 * SPACING]}}),
    ]
}

fn lowest(frame: &Frame) -> f32 {
    frame.positions.iter().map(|p| p.z).fold(f32::INFINITY, f32::min)
}

fn highest(frame: &Frame) -> f32 {
    frame.positions.iter().map(|p| p.z).fold(f32::NEG_INFINITY, f32::max)
}

/// The lowest point after throwing a ball at a collider that covers z = 0.
fn thrown(collider: &Value, velocity: [f64; 3], frames: usize) -> f32 {
    let scene = weightless(scene(SPACING, ball(at(0.0, 0.0, 0.3), velocity), json!([collider])));
    let mut simulation = simulate_with(&scene, &library());
    let mut low = f32::INFINITY;
    for _ in 0..frames {
        simulation.advance().unwrap();
        low = low.min(lowest(&simulation.frame()));
    }
    low
}

#[test]
fn thin_plates_hold_whatever_is_thrown_at_them() {
    for plate in plates() {
        for velocity in [[0.0, 0.0, -0.5], [0.0, 0.0, -20.0], [4.0, 1.0, -1.0], [7.0, -7.0, -10.0]] {
            let low = thrown(&plate, velocity, 5);
            assert!(low > 0.0, "{} at {velocity:?}: {low}", plate["name"]);
        }
    }
}

#[test]
fn a_tilted_plate_holds_too() {
    let mut plate = plates()[0].clone();
    let (sin, cos) = 0.4_f64.sin_cos();
    plate["transform"] = json!({"rotation": [0.2_f64.cos(), 0.0, 0.2_f64.sin(), 0.0]});
    let scene = weightless(scene(SPACING, ball(at(0.0, 0.0, 0.35), [0.0, 0.0, -10.0]), json!([plate])));
    let mut simulation = simulate_with(&scene, &library());
    for _ in 0..5 {
        simulation.advance().unwrap();
        let normal = Vec3::new(sin as f32, 0.0, cos as f32);
        let low = simulation.frame().positions.iter().map(|p| p.dot(normal)).fold(f32::INFINITY, f32::min);
        assert!(low > 0.0, "{low}");
    }
}

/// A plate that moves up through the ball's place, by `speed` m/s, and tilts.
#[test]
fn moving_plates_carry_the_matter_along() {
    for plate in plates() {
        for speed in [1.0, 10.0, 40.0] {
            let mut plate = plate.clone();
            let key = |frame: i32| {
                let height = speed * f64::from(frame - 1) / 24.0;
                json!({"frame": frame, "transform": {"translation": [0.0, 0.0, height]}})
            };
            plate["motion"] = json!([key(1), key(4)]);
            let scene = weightless(scene(SPACING, ball(at(0.0, 0.0, 0.25), [0.0; 3]), json!([plate])));
            let mut simulation = simulate_with(&scene, &library());
            for frame in 2..=5 {
                simulation.advance().unwrap();
                let height = (speed * f64::from(frame.min(4) - 1) / 24.0) as f32;
                let low = lowest(&simulation.frame());
                assert!(low > height - 1e-4, "{} at {speed} m/s: {low} under {height}", plate["name"]);
            }
            let mean = crate::common::drift(&simulation.frame()).z;
            let swept = speed * 3.0 / 24.0;
            assert!(swept < 0.3 || mean > 0.5 * speed, "{} at {speed} m/s leaves {mean} m/s", plate["name"]);
        }
    }
}

/// A blade that turns by half a turn a frame.
#[test]
fn a_fast_blade_does_not_swallow_matter() {
    let key = |frame: i32, angle: f64| json!({"frame": frame, "transform": {"rotation": [(angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0]}});
    let blade = json!({"name": "blade", "shape": {"type": "box", "size": [1.0, 1.0, 2.0 * SPACING]},
        "motion": [key(1, 0.0), key(2, 1.5), key(3, 3.0), key(4, 4.5)]});
    let scene = weightless(scene(SPACING, ball(at(0.0, 0.0, 0.3), [0.0; 3]), json!([blade])));
    let mut simulation = simulate(&scene);
    for angle in [1.5, 3.0, 4.5_f64] {
        simulation.advance().unwrap();
        let (sin, cos) = angle.sin_cos();
        for p in simulation.frame().positions {
            // Into the blade's own coordinates.
            let (x, z) = (f64::from(p.x) * cos - f64::from(p.z) * sin, f64::from(p.x) * sin + f64::from(p.z) * cos);
            let depth = (0.5 - x.abs()).min(0.5 - f64::from(p.y).abs()).min(SPACING - z.abs());
            assert!(depth < 0.15 * SPACING, "{p} lies {depth} m inside");
        }
    }
}

/// A thick slab moves up in one frame and down in the next through soft matter, which takes long steps.
#[test]
fn a_collider_that_turns_back_does_not_jump_through_matter() {
    for height in [4.0, 8.0] {
        let key = |frame: i32, z: f64| json!({"frame": frame, "transform": {"translation": [0.0, 0.0, z - 0.15]}});
        let slab = json!([{"name": "slab", "shape": {"type": "box", "size": [6.0, 6.0, 0.3]},
            "motion": [key(1, 0.0), key(2, height), key(3, 0.0)]}]);
        let block = json!([{"name": "block", "shape": {"type": "box", "size": [1.0, 1.0, 1.0]},
            "transform": at(0.0, 0.0, 0.5 + height / 2.0 + 0.6),
            "material": {"type": "smoothed", "stiffness": 0.5, "viscosity": 0.1}}]);
        let mut simulation = simulate(&weightless(scene(0.2, block, slab)));
        for top in [height, 0.0] {
            simulation.advance().unwrap();
            let low = f64::from(lowest(&simulation.frame()));
            assert!(low > top - 0.05, "{low} under {top}");
        }
    }
}

/// Without friction, the motion of a side wall along itself does not move the matter in its corner with the floor.
#[test]
fn a_wall_that_slides_along_itself_does_not_push() {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let sideways = [half, 0.0, half, 0.0];
    let after = |speed: f64| {
        let key = |frame: i32, z: f64| json!({"frame": frame, "transform": {"translation": [-0.03, 0.0, z], "rotation": sideways}});
        let wall = json!({"name": "wall", "shape": {"type": "plane"}, "friction": 0.0, "motion": [key(1, 0.0), key(25, speed)]});
        let lone = json!([{"name": "lone", "shape": {"type": "sphere", "radius": 0.03}, "transform": at(0.0, 0.0, 0.04),
            "material": {"type": "smoothed", "viscosity": 50.0}}]);
        advanced(simulate(&scene(SPACING, lone, json!([floor(0.0), wall]))), 4).frame()
    };
    let (still, sliding) = (after(0.0), after(3.0));
    let apart = (still.positions[0] - sliding.positions[0]).length();
    assert!(apart < 1e-5, "moved by {apart} m: {} and {}", still.positions[0], sliding.positions[0]);
}

#[test]
fn a_fast_ball_stays_above_the_floor() {
    for speed in [10.0, 100.0] {
        let scene = scene(SPACING, ball(at(0.0, 0.0, 0.4), [0.0, 0.0, -speed]), json!([floor(0.3)]));
        let mut simulation = simulate(&scene);
        for _ in 0..5 {
            simulation.advance().unwrap();
            let low = lowest(&simulation.frame());
            assert!(low >= -1e-6, "{low} at {speed} m/s");
        }
    }
}

/// A lone particle can lose its energy only to the wall.
#[test]
fn a_lone_particle_comes_to_rest_on_the_floor() {
    for viscosity in [0.0, 0.5, 5.0] {
        let lone = json!([{"name": "lone", "shape": {"type": "sphere", "radius": 0.03}, "transform": at(0.0, 0.0, 0.6),
            "material": {"type": "smoothed", "viscosity": viscosity}}]);
        let mut simulation = simulate(&scene(SPACING, lone, json!([floor(0.3)])));
        assert_eq!(simulation.frame().len(), 1);
        let mut heights = Vec::new();
        for _ in 0..48 {
            simulation.advance().unwrap();
            heights.push(highest(&simulation.frame()));
        }
        // It falls for 0.35 s, and may bounce a little.
        let bounced = heights[9..].iter().copied().fold(0.0, f32::max);
        let moved = heights[36..].iter().map(|height| (height - heights[47]).abs()).fold(0.0, f32::max);
        println!("viscosity {viscosity}: bounces to {bounced:.4} m, moves by {moved:.1e} m in the last half second");
        assert!(bounced < 0.1 && heights[47] < 0.05 && moved < 1e-3, "viscosity {viscosity}: {heights:?}");
    }
}

#[test]
fn containers_keep_everything_inside() {
    let shapes = [
        (json!({"type": "box", "size": [0.6, 0.6, 0.6]}), "box"),
        (json!({"type": "sphere", "radius": 0.3}), "sphere"),
        (json!({"type": "cylinder", "radius": 0.3, "height": 0.6}), "cylinder"),
    ];
    for (shape, name) in shapes {
        let container = json!({"name": name, "shape": shape, "inverted": true});
        let scene = scene(SPACING, ball(at(0.05, 0.0, 0.0), [6.0, 3.0, -2.0]), json!([container]));
        let mut simulation = simulate(&scene);
        for _ in 0..6 {
            simulation.advance().unwrap();
            for p in simulation.frame().positions {
                let p = p.as_dvec3();
                let out = match name {
                    "box" => p.abs().max_element() - 0.3,
                    "sphere" => p.length() - 0.3,
                    _ => (p.truncate().length() - 0.3).max(p.z.abs() - 0.3),
                };
                assert!(out < 0.1 * SPACING, "{p} is {out} m outside the {name}");
            }
        }
    }
}

#[test]
fn stretched_primitives_are_where_they_seem() {
    // Each shape, scaled, has its top at z = 0.5.
    let shapes = [
        json!({"type": "box", "size": [1.0, 1.0, 0.5]}),
        json!({"type": "sphere", "radius": 0.25}),
        json!({"type": "cylinder", "radius": 0.5, "height": 0.5}),
    ];
    for shape in shapes {
        let collider = json!({"name": "solid", "shape": shape, "friction": 5.0,
            "transform": {"translation": [0.0, 0.0, 0.0], "scale": [3.0, 4.0, 2.0]}});
        let mut scene = scene(SPACING, ball(at(0.0, 0.0, 0.67), [0.0; 3]), json!([collider]));
        scene.gravity = [0.0, 0.0, -9.81];
        let simulation = advanced(simulate(&scene), 6);
        let low = f64::from(lowest(&simulation.frame()));
        assert!((0.4..0.55).contains(&low), "{shape}: {low}");
        assert!(highest(&simulation.frame()) > 0.6);
    }
}

#[test]
fn a_collider_out_of_reach_changes_nothing() {
    let ball = || ball(at(0.0, 0.0, 0.0), [1.0, 2.0, 3.0]);
    let still =
        json!({"name": "far", "shape": {"type": "box", "size": [1.0, 1.0, 1.0]}, "transform": at(100.0, 0.0, 0.0)});
    let mut fan = still.clone();
    let turned = json!({"translation": [100.0, 0.0, 0.0], "rotation": [0.1, 0.0, 0.0, 0.995]});
    fan["motion"] = json!([{"frame": 1, "transform": at(100.0, 0.0, 0.0)}, {"frame": 3, "transform": turned}]);
    let alone = advanced(simulate(&scene(SPACING, ball(), json!([]))), 2);
    for far in [still, fan] {
        let other = advanced(simulate(&scene(SPACING, ball(), json!([far]))), 2);
        assert_eq!(alone.frame().positions, other.frame().positions);
        assert_eq!(alone.frame().stats, other.frame().stats);
        assert_eq!(alone.estimate().memory, other.estimate().memory);
    }
}

/// The speed of a plane that turns about a point far from the matter grows with the distance.
#[test]
fn a_turning_plane_is_fast_far_from_its_origin() {
    let turned = json!({"translation": [-1000.0, 0.0, 0.0], "rotation": [0.01_f64.cos(), 0.0, -0.01_f64.sin(), 0.0]});
    let floor = json!({"name": "floor", "shape": {"type": "plane"},
        "motion": [{"frame": 1, "transform": at(-1000.0, 0.0, 0.0)}, {"frame": 3, "transform": turned}]});
    let mut simulation = simulate(&scene(SPACING, ball(at(0.0, 0.0, 0.2), [0.0; 3]), json!([floor])));
    simulation.advance().unwrap();
    let frame = simulation.frame();
    assert!(frame.stats.smallest_step * 240.0 < 0.5 * SPACING, "{:?}", frame.stats);
    let over = frame.positions.iter().map(|p| (p.x + 1000.0) * -0.01_f32.sin() + p.z * 0.01_f32.cos());
    assert!(over.fold(f32::INFINITY, f32::min) > -1e-3, "below the floor");
}

/// Time has not begun while matter settles, so a turntable carries no matter along.
#[test]
fn walls_stand_still_while_matter_settles() {
    let table = |motion: Value| {
        json!([{"name": "table", "shape": {"type": "cylinder", "radius": 1.0, "height": 0.4}, "friction": 5.0,
            "transform": at(0.0, 0.0, -0.2), "motion": motion}])
    };
    let turned = json!({"translation": [0.0, 0.0, -0.2], "rotation": [0.5, 0.0, 0.0, 0.866]});
    let turning = json!([{"frame": 1, "transform": at(0.0, 0.0, -0.2)}, {"frame": 2, "transform": turned}]);
    let start = |motion: Value| simulate(&scene(SPACING, ball(at(0.0, 0.0, 0.15), [0.0; 3]), table(motion))).frame();
    assert_eq!(start(json!([])).positions, start(turning).positions);
}

/// Matter that fills a container exactly loses no particle to the container's walls and corners.
#[test]
fn a_container_is_filled_to_its_walls() {
    let block = json!([{"name": "block", "shape": {"type": "box", "size": [0.4, 0.4, 0.4]}, "transform": at(0.0, 0.0, 0.2), "material": {"type": "smoothed"}}]);
    let shapes = [json!({"type": "box", "size": [0.4, 0.4, 2.0]}), json!({"type": "mesh", "path": "tank"})];
    let meshes = MeshLibrary::from([("tank".into(), box_mesh(DVec3::new(0.4, 0.4, 2.0)))]);
    for discretization in [json!({}), json!({"kernel": "cubic-spline", "smoothing_length": 2.0})] {
        let mut free = scene(SPACING, block.clone(), json!([]));
        free.discretization = serde_json::from_value(discretization).unwrap();
        let all = Simulation::new(&free, &meshes).unwrap().estimate();
        for shape in &shapes {
            let tank = json!([{"name": "tank", "shape": shape, "inverted": true, "transform": at(0.0, 0.0, 1.0)}]);
            let held = Scene { colliders: serde_json::from_value(tank).unwrap(), ..free.clone() };
            let held = Simulation::new(&held, &meshes).unwrap().estimate();
            assert_eq!((held.particles, held.warnings), (all.particles.clone(), all.warnings.clone()), "{shape}");
        }
    }
}

#[test]
fn an_open_mesh_needs_a_thickness() {
    let mut plate = plates()[3].clone();
    plate.as_object_mut().unwrap().remove("thickness");
    let scene = scene(SPACING, ball(at(0.0, 0.0, 0.3), [0.0; 3]), json!([plate]));
    let error = Simulation::new(&scene, &library()).unwrap_err();
    assert_eq!(error.path.to_string(), "colliders[0].shape");
    assert!(error.message.contains("thickness"), "{error}");
}
