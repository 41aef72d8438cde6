#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::geometry::box_mesh;
use crate::lattice::nearest;
use crate::{MeshLibrary, Simulation, TriangleMesh};
use dollop_scene::Scene;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SPACING: f64 = 0.02;

/// Thickness of a thin blade, m.
const THIN: f64 = SPACING / 20.0;

/// A square sheet of 40 cm, a thin blade of 1 m by 1 mm by 20 cm, and one of two shells.
fn meshes() -> MeshLibrary {
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0) * 0.2;
    let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let sheet = TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] };
    let blade = box_mesh(DVec3::new(1.0, THIN, 0.2));
    MeshLibrary::from([("sheet".into(), sheet), ("blade".into(), blade)])
}

fn scene(sheets: &[f64], tools: &Value) -> Scene {
    let sheet = |x: &f64| {
        json!({"name": "sheet", "shape": {"type": "mesh", "path": "sheet"}, "transform": {"translation": [x, 0, 0]},
            "material": {"type": "oriented"}})
    };
    let bodies: Vec<Value> = sheets.iter().map(sheet).collect();
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 10, "rate": 24.0}, "gravity": [0, 0, 0], "sleep": false, "settle": false,
        "particle_spacing": SPACING, "bodies": bodies, "colliders": [], "tools": tools
    }))
    .unwrap()
}

/// All ties, by particle numbers.
fn ties(simulation: &mut Simulation) -> BTreeSet<[u32; 2]> {
    let (_, particles) = simulation.parts();
    let all = particles.ties.iter().zip(&particles.numbers);
    let pairs = all.flat_map(|(ties, &own)| ties.iter().map(move |tie| [own.min(tie.number), own.max(tie.number)]));
    pairs.collect()
}

/// The effect of tools on sheets in some frames.
struct Worked {
    /// Places of each untied pair at the start.
    parted: Vec<[DVec3; 2]>,
    /// Places of each pair that is still tied.
    whole: Vec<[DVec3; 2]>,
    /// The number of new ties.
    joined: usize,
}

fn worked(sheets: &[f64], tools: &Value, frames: usize) -> Worked {
    let made = |tools: &Value| Simulation::new(&scene(sheets, tools), &meshes()).unwrap();
    // A standing tool has cut before time begins.
    let before = ties(&mut made(&json!([])));
    let mut simulation = made(tools);
    let places = simulation.frame().positions;
    for _ in 0..frames {
        simulation.advance().unwrap();
    }
    let after = ties(&mut simulation);
    let place = |pair: &[u32; 2]| pair.map(|number| places[number as usize].as_dvec3());
    Worked {
        parted: before.difference(&after).map(place).collect(),
        whole: before.intersection(&after).map(place).collect(),
        joined: after.difference(&before).count(),
    }
}

/// A tool that moves from one place to another in one frame.
fn tool(action: &str, shape: &Value, motion: [(DVec3, DQuat); 2]) -> Value {
    slow(action, shape, motion, 1)
}

/// A tool that does so in some frames.
fn slow(action: &str, shape: &Value, motion: [(DVec3, DQuat); 2], frames: i32) -> Value {
    let key = |frame: i32, (place, turn): (DVec3, DQuat)| json!({"frame": frame, "transform": {"translation": place.to_array(), "rotation": [turn.w, turn.x, turn.y, turn.z]}});
    json!({"name": "tool", "shape": shape, "action": action, "motion": [key(1, motion[0]), key(1 + frames, motion[1])]})
}

/// The distance of a place from the line where a blade that stands on a sheet meets it, m, given a place of the blade
/// and its rotation.
fn aside(place: DVec3, on: DVec3, turn: DQuat) -> f64 {
    (turn.inverse() * (place - on)).y
}

/// All ties across a line end, and no others; particles in the blade stay with one of both sides.
#[track_caller]
fn is_cut(worked: &Worked, on: DVec3, turn: DQuat, what: &str) {
    let side = |place: DVec3| Some(aside(place, on, turn)).filter(|y| y.abs() > THIN / 2.0).map(|y| y > 0.0);
    let apart = |[a, b]: &[DVec3; 2]| side(*a).zip(side(*b)).map(|(a, b)| a != b);
    let left = worked.whole.iter().filter(|pair| apart(pair) == Some(true)).count();
    let beside = worked.parted.iter().filter(|pair| apart(pair) == Some(false)).count();
    let far = |pair: &[DVec3; 2]| pair.map(|place| aside(place, on, turn).abs()).into_iter().fold(0.0, f64::max);
    let farthest = worked.parted.iter().map(far).fold(0.0, f64::max) / nearest(SPACING);
    println!(
        "{what}: {} parted, {left} left, {beside} beside, {farthest:.2} distances off at most",
        worked.parted.len()
    );
    assert!(worked.parted.len() > 30 && left == 0 && beside == 0 && farthest < 1.5, "{what}");
    let least =
        worked.parted.iter().flatten().map(|end| worked.whole.iter().flatten().filter(|other| *other == end).count());
    assert!(least.min() >= Some(1), "{what}: nobody is left alone");
}

#[test]
fn tools_that_have_done_nothing_are_told() {
    let blade = json!({"type": "mesh", "path": "blade"});
    let falls = |x: f64| [0.3, -0.3].map(|z| (DVec3::new(x, 0.013, z), DQuat::IDENTITY));
    let mut tools = [("near", "cut", 0.0), ("far", "cut", 3.0), ("comb", "join", 0.0)].map(|(name, action, x)| {
        let mut made = tool(action, &blade, falls(x));
        made["name"] = name.into();
        made
    });
    tools[2]["motion"] = json!([]);
    let mut simulation = Simulation::new(&scene(&[0.0], &json!(tools)), &meshes()).unwrap();
    assert_eq!(simulation.remarks().len(), 3);
    simulation.advance().unwrap();
    let told = simulation.remarks();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("\"far\" has cut nothing") && told[1].contains("\"comb\" has joined nothing"), "{told:?}");
    let none = Simulation::new(&scene(&[], &json!(tools)), &meshes());
    assert!(none.is_err() || none.unwrap().remarks().is_empty());
}

/// A blade with a twentieth of the spacing for its thickness leaves a line, from any direction and at any speed.
#[test]
fn a_thin_blade_cuts_a_line() {
    let mut on = DVec3::new(0.0, 0.013, 0.0);
    let blade = json!({"type": "mesh", "path": "blade"});
    let thin = json!({"type": "box", "size": [1.0, THIN, 0.2]});
    let wire = json!({"type": "cylinder", "radius": THIN / 2.0, "height": 1.0});
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    for (name, shape, own) in
        [("box", &thin, DQuat::IDENTITY), ("mesh", &blade, DQuat::IDENTITY), ("wire", &wire, lying)]
    {
        for (angle, height) in [(0.0, 0.3), (0.3, 0.3), (0.3, 5.0), (1.2, 100.0)] {
            let turn = DQuat::from_rotation_z(angle);
            let ends = [height, -0.7 * height].map(|height| (on + DVec3::Z * height, turn * own));
            let found = worked(&[0.0], &json!([tool("cut", shape, ends)]), 1);
            is_cut(&found, on, turn, &format!("{name}, turned by {angle}, from {height} m"));
        }
    }
    // Along a row of particles.
    let places = Simulation::new(&scene(&[0.0], &json!([])), &meshes()).unwrap().frame().positions;
    on.y = places.iter().map(|place| f64::from(place.y)).find(|y| (0.0..0.05).contains(y)).unwrap();
    let inside = places.iter().filter(|place| (f64::from(place.y) - on.y).abs() < THIN / 2.0).count();
    let found =
        worked(&[0.0], &json!([tool("cut", &thin, [0.3, -0.3].map(|z| (on + DVec3::Z * z, DQuat::IDENTITY)))]), 1);
    is_cut(&found, on, DQuat::IDENTITY, &format!("along a row of {inside}"));
    assert!(inside > 10);
    // Swung through the sheet about the far end of its edge, as a paper cutter.
    on.y = 0.013;
    let hinge = DVec3::new(-0.5, 0.013, 0.0);
    let swing = |angle: f64| {
        let turn = DQuat::from_rotation_y(angle);
        (hinge + turn * DVec3::new(0.5, 0.0, 0.1), turn)
    };
    let found = worked(&[0.0], &json!([tool("cut", &thin, [swing(-1.2), swing(0.6)])]), 1);
    is_cut(&found, on, DQuat::IDENTITY, "swung");
    let turn = DQuat::from_rotation_z(0.3);
    is_cut(&worked(&[0.0], &json!([tool("cut", &thin, [(on, turn); 2])]), 1), on, turn, "standing");
}

/// The matter that a region passes stays whole in itself, and is parted from all other matter, at any speed.
#[test]
fn a_region_parts_what_it_passes_from_the_rest() {
    let at = |x: f64| (DVec3::new(x, 0.0, 0.0), DQuat::IDENTITY);
    // Between rows of particles.
    let passed = |place: DVec3| place.x.abs() < 0.11 && place.y.abs() < 0.0445;
    let wrong =
        |pairs: &[[DVec3; 2]], parted: bool| pairs.iter().filter(|[a, b]| (passed(*a) == passed(*b)) == parted).count();
    // From and to the same place, whatever its thickness.
    for (name, size, frames) in
        [("thick", 0.1, 1), ("thin", THIN, 1), ("thick", 0.1, 4), ("thick", 0.1, 13), ("thick", 0.1, 30)]
    {
        let reach = 0.11 - size / 2.0;
        let shape = json!({"type": "box", "size": [size, 0.089, 0.1]});
        let found = worked(&[0.0], &json!([slow("cut", &shape, [at(-reach), at(reach)], frames)]), frames as usize);
        let (cut, left) = (wrong(&found.parted, true), wrong(&found.whole, false));
        println!("{name} in {frames} frames: {} parted, {cut} within or beyond, {left} left", found.parted.len());
        // Ties pass its corners.
        assert!(found.parted.len() > 50 && cut <= 4 && left == 0, "{name} {frames}");
    }
    let aside = [(DVec3::new(0.0, 0.0, 0.2), DQuat::IDENTITY), (DVec3::new(1.0, 0.0, 0.2), DQuat::IDENTITY)];
    let shape = json!({"type": "sphere", "radius": 0.15});
    assert!(worked(&[0.0], &json!([tool("cut", &shape, aside)]), 1).parted.is_empty());
}

/// Two sheets are joined and at once cut along a line across their seam: tools work one after the other.
#[test]
fn tools_join_and_cut_in_one_frame() {
    let iron = tool("join", &json!({"type": "sphere", "radius": 0.02}), {
        let at = |y: f64| (DVec3::new(0.0, y, 0.0), DQuat::IDENTITY);
        [at(-0.3), at(0.3)]
    });
    let (on, turn) = (DVec3::new(0.0, 0.013, 0.0), DQuat::from_rotation_z(0.2));
    let thin = json!({"type": "box", "size": [1.0, THIN, 0.2]});
    let blade = tool("cut", &thin, [0.3, -0.3].map(|height| (on + DVec3::Z * height, turn)));
    let sheets = [-0.201, 0.201];
    let joined = worked(&sheets, &json!([iron]), 1);
    let both = worked(&sheets, &json!([iron, blade]), 1);
    let turned = worked(&sheets, &json!([blade, iron]), 1);
    println!("joined {}, then cut {}, or cut before {}", joined.joined, both.joined, turned.joined);
    assert!(joined.joined > 30 && joined.parted.is_empty());
    assert!(both.joined < joined.joined && both.joined + 8 > joined.joined);
    assert!(turned.joined >= joined.joined);
    is_cut(&both, on, turn, "joined and cut");
}

/// A seam pulls with half of its greatest tension, from any distance.
#[test]
fn seams_do_not_tear_at_once() {
    let iron = tool("join", &json!({"type": "box", "size": [0.1, 1.0, 0.1]}), [(DVec3::ZERO, DQuat::IDENTITY); 2]);
    // The distance of the rows at both edges.
    for gap in [0.9, 1.1, 1.3, 1.44] {
        let mut simulation = Simulation::new(&scene(&[-0.2, 0.2], &json!([])), &meshes()).unwrap();
        let row =
            |edge: f64| simulation.frame().positions.iter().map(|p| (f64::from(p.x) - edge).abs()).fold(1.0, f64::min);
        let half = (gap * nearest(SPACING) - 2.0 * row(0.0)) / 2.0;
        simulation = Simulation::new(&scene(&[-0.2 - half, 0.2 + half], &json!([iron])), &meshes()).unwrap();
        let places = simulation.frame().positions;
        let before = ties(&mut simulation);
        simulation.advance().unwrap();
        let seam: Vec<[u32; 2]> = ties(&mut simulation).difference(&before).copied().collect();
        let stretch: Vec<f64> = seam
            .iter()
            .map(|&[a, b]| {
                let (_, particles) = simulation.parts();
                let slot = particles.numbers.iter().position(|&number| number == a).unwrap();
                let tie = particles.ties[slot].iter().find(|tie| tie.number == b).unwrap();
                let apart = f64::from(places[a as usize].distance(places[b as usize]));
                apart / nearest(SPACING) / f64::from(tie.length)
            })
            .collect();
        let (least, most) = stretch.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
        println!("{gap}: {} joined, drawn by {least:.4} to {most:.4}", seam.len());
        // At half of the pull the stretch is 1.024, and at the greatest pull 1.109.
        assert!(seam.len() > 10 && most < 1.03 && least > 0.97, "{gap}");
    }
}

/// A line passes through the surface of a solid at least where it goes from inside to outside.
#[test]
fn a_line_out_of_a_solid_passes_its_surface() {
    use crate::geometry::Solid;
    let shapes = [
        json!({"type": "box", "size": [1.0, 0.3, 0.7]}),
        json!({"type": "sphere", "radius": 0.5}),
        json!({"type": "cylinder", "radius": 0.4, "height": 0.8}),
        json!({"type": "mesh", "path": "blade"}),
    ];
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for shape in shapes {
        let solid = Solid::new(&serde_json::from_value(shape).unwrap(), &dollop_scene::Transform::default(), &meshes());
        let solid = solid.unwrap();
        let (shell, size) = (solid.shell(), solid.bounds().high);
        let (mut left, mut missed, mut beside) = (0, 0, 0);
        for _ in 0..20_000 {
            let ends = [0, 1].map(|_| DVec3::new(random(), random(), random()) * size * 1.5);
            let inside = ends.map(|end| solid.contains(end));
            left += usize::from(inside[0] != inside[1]);
            missed += usize::from(inside[0] != inside[1] && !shell.parts(ends));
            beside += usize::from(inside == [true, true] && shell.parts(ends));
        }
        // A round surface is one of 96 flat parts a turn.
        assert!(left > 1000 && missed <= left / 500 && beside <= left / 500, "{shell:?} {left} {missed} {beside}");
    }
}

/// The same ties end whether a region passes a resting sheet or the sheet passes the region.
#[test]
fn cuts_depend_on_relative_motion_alone() {
    let stamp = json!({"type": "cylinder", "radius": 0.1, "height": 0.1});
    let block = json!({"type": "box", "size": [0.1, 0.089, 0.1]});
    let thin = json!({"type": "box", "size": [1.0, THIN, 0.2]});
    let flat = json!({"type": "box", "size": [0.2, 0.2, THIN]});
    let standing = DVec3::new(0.0, 0.013, 0.0);
    for (name, shape, from, way) in [
        ("stamp", &stamp, DVec3::Z * 0.1, DVec3::Z * -0.04),
        ("slanted stamp", &stamp, DVec3::new(-0.1, 0.0, 0.1), DVec3::new(0.01, 0.003, -0.02)),
        ("slow block", &block, DVec3::X * -0.06, DVec3::X * 0.003),
        ("block", &block, DVec3::X * -0.06, DVec3::X * 0.01),
        ("blade", &thin, standing + DVec3::Z * 0.12, DVec3::Z * -0.03),
        ("drawn blade", &thin, standing - DVec3::X * 0.6, DVec3::X * 0.04),
        ("slanted blade", &thin, standing + DVec3::Z * 0.12, DVec3::new(0.0, 0.002, -0.03)),
        ("flat", &flat, DVec3::Z * 0.05, DVec3::new(0.004, 0.0, -0.012)),
    ] {
        let key = |frame: i32, way: DVec3| json!({"frame": frame, "transform": {"translation": (from + way * f64::from(frame - 1)).to_array()}});
        let parted = |velocity: DVec3, way: DVec3| {
            let tool =
                json!({"name": "tool", "shape": shape, "action": "cut", "motion": [key(-99, way), key(101, way)]});
            let mut scene = scene(&[0.0], &json!([tool]));
            scene.bodies[0].velocity = velocity.to_array();
            let mut simulation = Simulation::new(&scene, &meshes()).unwrap();
            let before = ties(&mut simulation);
            (0..10).for_each(|_| simulation.advance().unwrap());
            let after = ties(&mut simulation);
            before.difference(&after).copied().collect::<BTreeSet<_>>()
        };
        let (by_region, by_sheet) = (parted(DVec3::ZERO, way), parted(-way * 24.0, DVec3::ZERO));
        let differ = by_region.symmetric_difference(&by_sheet).count();
        println!("{name}: {} parted, {differ} otherwise", by_region.len());
        // Matter thrown back by a cut trembles, and that counts where the sheet moves: where both move slanted, single
        // ties may differ.
        let most = if name == "slanted stamp" { 3 } else { 0 };
        assert!(by_region.len() > 20 && differ <= most, "{name}");
    }
}

/// A cut follows from the state at a frame's start alone, in any order of the particles.
#[test]
fn cuts_depend_on_the_state_alone() {
    let tube = json!({"name": "tool", "shape": {"type": "cylinder", "radius": 0.1, "height": 0.1}, "action": "cut",
        "transform": {"translation": [0.0, 0.0, -0.06]}});
    let mut scene = scene(&[0.0], &json!([tube]));
    scene.gravity = [0.0, 0.0, -9.81];
    scene.bodies[0].velocity = [0.3, 0.0, 0.0];
    let start = || Simulation::new(&scene, &meshes()).unwrap();
    let mut whole = start();
    let before = ties(&mut whole);
    for _ in 0..6 {
        let mut other = start();
        other.take_over(&whole);
        whole.advance().unwrap();
        other.advance().unwrap();
        assert_eq!(ties(&mut whole), ties(&mut other));
        assert_eq!(whole.frame().positions, other.frame().positions);
    }
    assert!(before.difference(&ties(&mut whole)).count() > 30);
}
