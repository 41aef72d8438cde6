//! Matter in the plane y = 0.

use crate::common::{
    GRAVITY, advanced, at, centre, check_sliding, drift, flat, floor, on_slope, scene, simulate, weightless,
};

use dollop_sim::boundary::WallKernel;
use dollop_sim::geometry::{Solid, area, expected_in_section, fill_section};
use dollop_sim::kernel::Kernel;
use dollop_sim::lattice::{Calibration, RestingRow, between_rows, distances, within_row};
use dollop_sim::{Frame, MeshLibrary, Simulation, SmoothingKernel};
use glam::DVec3;
use serde_json::{Value, json};

const SPACING: f64 = 0.05;

/// The points of a cut, as many as its area asks for.
fn filled(solid: &Solid, spacing: f64) -> Vec<DVec3> {
    fill_section(solid, spacing, Some(area(solid) / spacing.powi(2))).unwrap()
}

/// A block that the plane cuts in a rectangle.
fn block(size: [f64; 2], transform: Value, material: Value) -> Value {
    json!([{"name": "block", "shape": {"type": "box", "size": [size[0], 0.3, size[1]]}, "transform": transform,
        "material": material}])
}

fn material(stiffness: f64, viscosity: f64, cohesion: f64) -> Value {
    json!({"type": "smoothed", "stiffness": stiffness, "viscosity": viscosity, "cohesion": cohesion})
}

#[track_caller]
fn lies_in_the_plane(frame: &Frame) {
    assert!(frame.positions.iter().all(|p| p.y == 0.0) && frame.velocities.iter().all(|v| v.y == 0.0));
}

fn kernels() -> impl Iterator<Item = SmoothingKernel> {
    let kinds = [Kernel::Spiky, Kernel::CubicSpline].into_iter();
    kinds.flat_map(|kind| [0.9, 1.25, 2.0].map(|h| SmoothingKernel::in_plate(kind, h * SPACING, SPACING)))
}

/// The density of a hexagonal lattice that is stretched evenly.
fn lattice_density(kernel: &SmoothingKernel, stretch: f64) -> f64 {
    let Calibration { own, factor } = Calibration::new(kernel, SPACING);
    let (along, up) = (within_row(SPACING) * stretch, between_rows(SPACING) * stretch);
    let places = (-9..=9_i32).flat_map(|k| (-9..=9_i32).map(move |i| (i, k))).filter(|&place| place != (0, 0));
    let sum: f64 =
        places.map(|(i, k)| kernel.value(((f64::from(i) + f64::from(k) / 2.0) * along).hypot(f64::from(k) * up))).sum();
    own + factor * sum * SPACING.powi(3)
}

#[test]
fn the_lattice_is_at_rest_and_answers_to_its_area() {
    assert!((within_row(SPACING) * between_rows(SPACING) - SPACING.powi(2)).abs() < 1e-12);
    for kernel in kernels() {
        let step = 1e-5;
        let [thin, rest, thick] = [1.0 + step, 1.0, 1.0 - step].map(|stretch| lattice_density(&kernel, stretch));
        // The area is the square of the stretch.
        let response = (thin - thick) / (4.0 * step);
        assert!((rest - 1.0).abs() < 1e-9 && (response + 1.0).abs() < 1e-6, "{kernel:?}: {rest} {response}");
    }
}

#[test]
fn a_row_rests_on_a_wall() {
    for kernel in kernels() {
        let Calibration { own, factor } = Calibration::new(&kernel, SPACING);
        let row = RestingRow::new(&kernel, SPACING);
        let (share, slope) = WallKernel::new(&kernel, SPACING).share(between_rows(SPACING) / 2.0);
        // The row's own particles are half of those that a whole lattice has at its height, those above half of the
        // rest.
        let on_row: f64 = (1..9).map(|i| 2.0 * kernel.value(f64::from(i) * within_row(SPACING))).sum();
        let all: f64 = distances(&kernel, SPACING).into_iter().map(|r| kernel.value(r)).sum();
        let density = own + factor * ((on_row + (all - on_row) / 2.0) * SPACING.powi(3) + share);
        let push = -slope * factor * between_rows(SPACING);
        println!("{kernel:?}: density {density:.5}, push over pressure times area {push:.5}");
        assert!((density - 1.0).abs() < 1e-3 && (push - 1.0).abs() < 0.02, "{kernel:?}: {density} {push} {row:?}");
    }
}

#[test]
fn cuts_are_filled_by_their_area() {
    let turned = json!({"rotation": [0.9, 0.0, 0.435_889_894, 0.0], "translation": [1.0, 0.05, -2.0]});
    let disc = std::f64::consts::PI * (0.5_f64.powi(2) - 0.05_f64.powi(2));
    let shapes = [
        (json!({"type": "box", "size": [1.0, 0.2, 0.7]}), 0.7, 0.03),
        (json!({"type": "sphere", "radius": 0.5}), disc, 0.03),
    ];
    for (shape, area, tolerance) in shapes {
        let (parsed, transform) =
            (serde_json::from_value(shape.clone()).unwrap(), serde_json::from_value(turned.clone()).unwrap());
        let solid = Solid::new(&parsed, &transform, &MeshLibrary::new()).unwrap();
        let (expected, points) = (expected_in_section(&solid, 0.02), filled(&solid, 0.02));
        let found = points.len() as f64;
        println!("{shape}: {found} points, {expected:.1} expected, {:.1} by area", area / 4e-4);
        assert!(points.iter().all(|p| p.y == 0.0 && solid.contains(*p)), "{shape}");
        let nearest =
            |p: &DVec3| points.iter().filter(|q| *q != p).map(|q| q.distance(*p)).fold(f64::INFINITY, f64::min);
        // Rows are stretched or squeezed to fit.
        assert!(points.iter().all(|p| nearest(p) > 0.95 * within_row(0.02)), "{shape}");
        assert!((found / (area / 4e-4) - 1.0).abs() < tolerance, "{shape}");
        assert!((expected / found - 1.0).abs() < tolerance, "{shape}");
    }
    let sheet = serde_json::from_value(json!({"type": "box", "size": [2.0, 0.2, 1e-4]})).unwrap();
    let solid = Solid::new(&sheet, &dollop_scene::Transform::default(), &MeshLibrary::new()).unwrap();
    let (expected, found) = (expected_in_section(&solid, 0.02), filled(&solid, 0.02).len() as f64);
    assert!(
        (found - 2.0 / within_row(0.02)).abs() < 1.5 && (expected / found - 1.0).abs() < 0.05,
        "{expected} {found}"
    );
}

#[test]
fn a_particle_stands_for_a_plate_one_spacing_thick() {
    let scene = flat(scene(SPACING, block([0.5, 0.5], at(0.0, 0.0, 0.0), material(1000.0, 5.0, 0.0)), json!([])));
    let simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let frame = simulation.frame();
    let volume: f64 = frame.rest_volumes.iter().map(|&v| f64::from(v)).sum();
    println!("{} particles, {:.1} neighbours, {volume:.5} m^3", frame.len(), frame.stats.neighbours);
    assert!((volume / (0.5 * 0.5 * SPACING) - 1.0).abs() < 0.08, "{volume}");
    assert_eq!(frame.kernel, SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING));
    // 18 neighbours within the support on the whole lattice.
    assert!((12.0..18.0).contains(&frame.stats.neighbours));
    assert_eq!(simulation.estimate().particles, [frame.len()]);
}

/// The upward force of the particles below a height on those above, N, by DG96 (4) on each pair.
fn force_through(frame: &Frame, height: f32) -> f64 {
    let kernel = SmoothingKernel::in_plate(frame.kernel.kind(), frame.kernel.smoothing_length(), frame.spacing);
    let strength = Calibration::new(&kernel, frame.spacing).factor * frame.spacing.powi(6);
    let (pressure, density) = (frame.scalar("pressure").unwrap(), frame.scalar("density").unwrap());
    let term = |i: usize| f64::from(pressure[i]) / (f64::from(density[i]) / 1000.0).powi(2);
    let (above, below): (Vec<usize>, Vec<usize>) = (0..frame.len()).partition(|&i| frame.positions[i].z >= height);
    let pairs = above.iter().flat_map(|&i| below.iter().map(move |&j| (i, j)));
    pairs
        .map(|(i, j)| {
            let offset = frame.positions[i].as_dvec3() - frame.positions[j].as_dvec3();
            -strength * (term(i) + term(j)) * kernel.derivative(offset.length()) * offset.z / offset.length()
        })
        .sum()
}

/// Slope of the straight line through points, by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / count, y + p.1 / count));
    let (above, below) =
        points.iter().fold((0.0, 0.0), |(above, below), p| (above + (p.0 - x) * (p.1 - y), below + (p.0 - x).powi(2)));
    above / below
}

fn tank(width: f64) -> Value {
    json!([{"name": "tank", "shape": {"type": "box", "size": [width, 2.0, 2.0]}, "transform": at(0.0, 0.0, 1.0),
        "inverted": true, "friction": 0.0}])
}

#[test]
fn a_column_in_a_tank_has_hydrostatic_pressure() {
    let body = block([0.5, 0.8], at(0.0, 0.0, 0.4), material(1000.0, 5.0, 0.0));
    let mut simulation = advanced(simulate(&flat(scene(0.025, body, tank(0.5)))), 36);
    let (mut force, mut weight, mut found) = (0.0, 0.0, 0.0);
    // The column still rings, with a period of about 4 H / sqrt k: the mean must hold.
    let frames = 23;
    for _ in 0..frames {
        simulation = advanced(simulation, 1);
        let frame = simulation.frame();
        lies_in_the_plane(&frame);
        for height in [0.2, 0.3, 0.4] {
            force += force_through(&frame, height);
            weight +=
                frame.positions.iter().filter(|p| p.z >= height).count() as f64 * 1000.0 * 0.025_f64.powi(3) * GRAVITY;
        }
        let pressure = frame.scalar("pressure").unwrap();
        let points = frame.positions.iter().zip(pressure).map(|(p, &v)| (f64::from(p.z), f64::from(v)));
        let middle: Vec<(f64, f64)> = points.filter(|p| (0.05..0.6).contains(&p.0)).collect();
        found -= slope(&middle) / (1000.0 * GRAVITY) / f64::from(frames);
    }
    let stats = simulation.frame().stats;
    println!(
        "tank: force {:.4} of the weight, slope {found:.4} of rho g, fastest {:.2e} m/s",
        force / weight,
        stats.max_speed
    );
    assert!((force / weight - 1.0).abs() < 0.02, "{}", force / weight);
    assert!((found - 1.0).abs() < 0.05, "{found}");
    assert!(stats.max_speed < 0.1, "{stats:?}");
}

#[test]
fn a_row_on_a_floor_neither_sinks_nor_stands_off() {
    let body = block([1.6, 0.4], at(0.0, 0.0, 0.2), material(2000.0, 20.0, 0.0));
    let frame = advanced(simulate(&flat(scene(SPACING, body, tank(1.6)))), 48).frame();
    let lowest: Vec<f64> = frame.positions.iter().map(|p| f64::from(p.z)).filter(|z| *z < 0.9 * SPACING).collect();
    let mean = lowest.iter().sum::<f64>() / lowest.len() as f64 / between_rows(SPACING);
    println!("{} particles of the lowest row at {mean:.3} of the rows' distance, {:?}", lowest.len(), frame.stats);
    // Every other row begins half a distance farther from the wall, and rows are stretched to fit.
    assert!((lowest.len() as f64 - 1.6 / within_row(SPACING)).abs() < 2.0, "{}", lowest.len());
    // Half the distance in an endless row; some more where the row ends in a corner.
    assert!((mean - 0.5).abs() < 0.05, "{mean}");
    assert!(frame.stats.max_speed < 0.02, "{:?}", frame.stats);
}

#[test]
fn a_settled_body_comes_to_rest() {
    let body = block([0.5, 0.5], at(1.0, 0.0, 3.0), material(1000.0, 5.0, 0.05));
    let scene = flat(weightless(scene(SPACING, body, json!([]))));
    let filled = Simulation::new(&scene, &MeshLibrary::new()).unwrap().frame();
    let settled = simulate(&scene);
    let start = settled.frame();
    // Rows that were squeezed to fit still find their places in the second second.
    let early = advanced(settled, 48);
    let before = early.frame();
    let after = advanced(early, 24).frame();
    let moved = before.positions.iter().zip(&after.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    println!(
        "elastic energy {:.2e} J filled, {:.2e} settled, {:.2e} after three seconds; moved by {moved:.1e} m in the last one",
        filled.stats.elastic_energy, start.stats.elastic_energy, after.stats.elastic_energy
    );
    assert!(start.stats.elastic_energy < 0.1 * filled.stats.elastic_energy);
    assert!(after.stats.elastic_energy < 1e-4 * start.stats.elastic_energy);
    assert!((centre(&after) - centre(&start)).length() < 1e-5);
    assert!(f64::from(moved) < 0.1 * SPACING && after.stats.max_speed < 2e-3, "{moved}");
    lies_in_the_plane(&after);
}

#[test]
fn a_free_fall_is_exact() {
    let mut body = block([0.5, 0.3], at(0.0, 0.0, 0.0), material(1000.0, 5.0, 0.05));
    body[0]["velocity"] = json!([1.0, 0.0, 3.0]);
    let start = simulate(&flat(scene(SPACING, body, json!([]))));
    let before = start.frame();
    let after = advanced(start, 24).frame();
    let moved = centre(&after) - centre(&before);
    assert!((moved - DVec3::new(1.0, 0.0, 3.0 - GRAVITY / 2.0)).length() < 1e-5, "{moved}");
}

#[test]
fn a_block_slides_down_a_slope_as_friction_allows() {
    check_sliding(|friction| {
        let body = block([0.3, 0.15], at(0.0, 0.0, 0.089), material(2000.0, 50.0, 0.05));
        on_slope(flat(scene(SPACING, body, json!([floor(friction)]))))
    });
}

/// A disc thrown at colliders of any tilt: only their cut with the plane counts.
#[test]
fn walls_act_by_their_cut() {
    // About x by 1 rad: the normal leans out of the plane, and the cut is level.
    let leaning = json!([0.5_f64.cos(), 0.5_f64.sin(), 0.0, 0.0]);
    let tilted = json!([0.7_f64.cos(), 0.5_f64 * 0.7_f64.sin(), 0.75_f64.sqrt() * 0.7_f64.sin(), 0.0]);
    let colliders = [
        json!({"name": "plane", "shape": {"type": "plane"}, "transform": {"rotation": leaning}}),
        json!({"name": "box", "shape": {"type": "box", "size": [4.0, 4.0, 4.0]},
            "transform": {"rotation": tilted, "translation": [0.0, 0.0, -2.5]}}),
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 2.0}, "transform": at(0.0, 1.5, -1.3)}),
        json!({"name": "bowl", "shape": {"type": "sphere", "radius": 1.0}, "inverted": true,
            "transform": at(0.0, 0.6, 0.4)}),
    ];
    for collider in colliders {
        let body = json!([{"name": "disc", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(0.2, 0.0, 0.7),
            "velocity": [0.5, 0.0, -6.0], "material": material(1000.0, 2.0, 0.05)}]);
        let mut simulation = simulate(&flat(scene(SPACING, body, json!([collider]))));
        let parsed: dollop_scene::Collider = serde_json::from_value(collider.clone()).unwrap();
        let to_local = dollop_sim::geometry::affine(&parsed.transform).inverse();
        let mut near = f64::INFINITY;
        for _ in 0..16 {
            simulation.advance().unwrap();
            let frame = simulation.frame();
            lies_in_the_plane(&frame);
            for p in &frame.positions {
                let local = to_local.transform_point3(p.as_dvec3());
                let out = match collider["name"].as_str().unwrap() {
                    "plane" => local.z,
                    "box" => local.abs().max_element() - 2.0,
                    "ball" => local.length() - 2.0,
                    _ => 1.0 - local.length(),
                };
                near = near.min(out);
            }
        }
        println!("{}: nearest {near:.4} m", collider["name"]);
        assert!((-0.1 * SPACING..SPACING).contains(&near), "{}: {near}", collider["name"]);
    }
}

/// A row rests on a floor that leans out of the plane as on a level one.
#[test]
fn a_leaning_floor_is_level_in_the_plane() {
    let rests = |angle: f64| {
        let mut walls = tank(0.6);
        walls[0]["transform"] = at(0.0, 0.0, 0.5);
        let mut floor = floor(0.3);
        floor["transform"] = json!({"rotation": [(angle / 2.0).cos(), (angle / 2.0).sin(), 0.0, 0.0]});
        let body = block([0.6, 0.2], at(0.0, 0.0, 0.1), material(2000.0, 20.0, 0.0));
        centre(&advanced(simulate(&flat(scene(SPACING, body, json!([walls[0], floor])))), 36).frame()).z
    };
    let (level, leaning) = (rests(0.0), rests(1.0));
    assert!((level - leaning).abs() < 0.01 * SPACING, "{level} {leaning}");
}

/// A leaning plane that moves across the matter's plane pushes by the speed of its cut.
#[test]
fn a_wall_that_moves_across_the_plane_moves_its_cut() {
    // The normal is (-1, 1, 0) / sqrt 2 turned: x + y = y0(t), solid below.
    let rotation = json!([0.5_f64.sqrt(), 0.5, 0.5, 0.0]);
    let key =
        |frame: i32, y: f64| json!({"frame": frame, "transform": {"rotation": rotation, "translation": [0.0, y, 0.0]}});
    let wall = json!({"name": "wall", "shape": {"type": "plane"}, "motion": [key(1, 0.0), key(25, -1.0)]});
    let normal = dollop_sim::geometry::affine(&serde_json::from_value(json!({"rotation": rotation})).unwrap())
        .transform_vector3(DVec3::Z);
    let body = block([0.3, 0.3], at(0.2, 0.0, 0.0), material(1000.0, 10.0, 0.0));
    let frame = advanced(simulate(&flat(weightless(scene(SPACING, body, json!([wall]))))), 24).frame();
    lies_in_the_plane(&frame);
    // The cut stands where normal . (p - (0, y, 0)) = 0.
    let speed = -normal.y / normal.x;
    let reached = frame.positions.iter().map(|p| f64::from(p.x)).fold(f64::INFINITY, f64::min);
    println!("normal {normal}: cut at {speed:.3} m, matter from {reached:.3} m at {:.3} m/s", drift(&frame).x);
    assert!(normal.x > 0.5 && reached > -speed.abs() - 1e-3);
    assert!(speed < 0.0 || reached > speed - 1e-3, "{reached}");
}

#[test]
fn a_body_beside_the_plane_is_refused() {
    let beside = block([0.3, 0.3], at(0.0, 0.2, 0.0), material(1000.0, 1.0, 0.0));
    let error = Simulation::new(&flat(scene(SPACING, beside, json!([]))), &MeshLibrary::new()).unwrap_err();
    assert!(error.path.to_string().starts_with("bodies[0].transform") && error.message.contains("y = 0"), "{error}");
}

#[test]
fn a_collider_beside_the_plane_is_told_of() {
    let warnings = |y: f64| {
        let table = json!({"name": "table", "shape": {"type": "box", "size": [1.0, 1.0, 0.2]},
            "transform": {"translation": [0.0, y, -0.6]}});
        let body = block([0.6, 0.6], at(0.0, 0.0, 0.0), material(1000.0, 5.0, 0.05));
        Simulation::new(&flat(scene(SPACING, body, json!([table]))), &MeshLibrary::new()).unwrap().estimate().warnings
    };
    assert!(warnings(0.4).is_empty(), "{:?}", warnings(0.4));
    let told = warnings(0.6);
    assert!(told.len() == 1 && told[0].contains("\"table\" never meets the plane"), "{told:?}");
}

/// Viscosity far above the speed of sound, between unlike bodies, takes motion and never gives any, in steps of its own
/// length.
#[test]
fn viscous_matter_in_the_plane_only_loses_motion() {
    let block = |name: &str, x: f64, density: f64, viscosity: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [0.6, 0.2, 0.6]}, "transform": at(x, 0.0, 0.0), "angular_velocity": [0.0, 2.0, 0.0],
            "material": {"type": "smoothed", "rest_density": density, "stiffness": 100.0, "viscosity": viscosity}})
    };
    for smoothing_length in [1.0, 1.25, 1.6] {
        let bodies = json!([block("a", -0.31, 1000.0, 20.0), block("b", 0.31, 400.0, 40.0)]);
        let mut scene = weightless(flat(scene(0.05, bodies, json!([]))));
        scene.discretization.smoothing_length = smoothing_length;
        let mut simulation = simulate(&scene);
        let mut before = simulation.stats().kinetic_energy + simulation.stats().elastic_energy;
        for _ in 0..12 {
            simulation.advance().unwrap();
            let now = simulation.stats().kinetic_energy + simulation.stats().elastic_energy;
            assert!(now < 1.001 * before, "{smoothing_length}: {before} {now}");
            before = now;
        }
        println!("{smoothing_length} spacings: {:.2e} J left, drift {:.1e}", before, simulation.stats().energy_drift);
    }
}
