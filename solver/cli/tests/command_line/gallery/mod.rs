//! The examples show the effects that their pages describe. Examples too large for a test are baked at a coarser
//! spacing.

mod all_in_one;
mod arches;
mod arm;
mod candle;
mod casting;
mod chocolate;
mod clay;
mod cream;
mod cut;
mod cut_in_the_plane;
mod dough;
mod drape;
mod falling_drop;
mod hot_puff;
mod ice;
mod jelly;
mod lava;
mod lava_steps;
mod sheets;
mod soft;
mod three_materials;
mod toffee;
mod toothpaste;
mod wax_suzanne;

use crate::tools::Workplace;
use glam::DVec3;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A particle of a baked frame.
#[derive(Clone)]
struct Particle {
    position: DVec3,
    velocity: DVec3,
    /// kg/m^3.
    density: f64,
    /// K; 0 where matter has none.
    temperature: f64,
    /// Number of its body.
    source: usize,
}

/// The path of an example's scene file.
fn scene_file(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example).join("scene.json")
}

/// The scene file of an example, to be baked in any folder.
pub fn scene(example: &str) -> Value {
    let file = scene_file(example);
    let mut scene: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    for list in ["bodies", "colliders", "heaters", "tools", "outflows"] {
        for part in scene.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(path) = part["shape"].get_mut("path") {
                *path = json!(file.with_file_name(path.as_str().unwrap()));
            }
        }
    }
    scene
}

/// A scene reduced to some of its bodies.
fn only(mut scene: Value, bodies: &[usize]) -> Value {
    let all = scene["bodies"].as_array().unwrap();
    scene["bodies"] = bodies.iter().map(|&body| all[body].clone()).collect();
    scene
}

/// Bakes the particles of a scene, and its surface if `mesh`, at another spacing, m, and with viscosities for the same
/// flow there: the kinematic viscosity of particles is c times the smoothing length by a constant.
fn bake_coarse(mut scene: Value, spacing: f64, mesh: bool) -> Workplace {
    let ratio = scene["particle_spacing"].as_f64().unwrap() / spacing;
    scene["particle_spacing"] = json!(spacing);
    scene["output"] = if mesh { json!({"particles": {}, "mesh": {}}) } else { json!({"particles": {}}) };
    let by_spacing = |body: &&mut Value| body["material"]["type"] != "continuum";
    for body in scene["bodies"].as_array_mut().unwrap().iter_mut().filter(by_spacing) {
        let scaled = |viscosity: &mut Value| *viscosity = json!(viscosity.as_f64().unwrap() * ratio);
        scaled(&mut body["material"]["viscosity"]);
        // A soft sheet has no viscosity of its own.
        if let Some(viscosity) = body["material"].get_mut("molten").and_then(|molten| molten.get_mut("viscosity")) {
            scaled(viscosity);
        }
    }
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    place
}

fn particles(place: &Workplace, frame: usize) -> Vec<Particle> {
    let bytes = fs::read(place.path(&format!("cache/particles/particles_{frame:04}.ply"))).unwrap();
    let ply = Parser::<DefaultElement>::new().read_ply(&mut &bytes[..]).unwrap();
    ply.payload["vertex"].iter().map(particle).collect()
}

/// Those of a body, by its number.
fn of(all: &[Particle], body: usize) -> impl Iterator<Item = &Particle> + Clone {
    all.iter().filter(move |particle| particle.source == body)
}

fn particle(vertex: &DefaultElement) -> Particle {
    let number = |name: &str| match vertex[name] {
        Property::Float(value) => f64::from(value),
        ref other => panic!("{name} is {other:?}"),
    };
    let vector = |names: [&str; 3]| DVec3::from_array(names.map(number));
    let source = match vertex["source"] {
        Property::Int(value) => usize::try_from(value).unwrap(),
        ref other => panic!("source is {other:?}"),
    };
    Particle {
        position: vector(["x", "y", "z"]),
        velocity: vector(["vx", "vy", "vz"]),
        density: number("density"),
        temperature: if vertex.contains_key("temperature") { number("temperature") } else { 0.0 },
        source,
    }
}

/// The connected pieces of particles within each other's reach, the largest first.
fn pieces(particles: &[Particle], support: f64) -> Vec<Vec<DVec3>> {
    let mut left: Vec<DVec3> = particles.iter().map(|particle| particle.position).collect();
    let mut pieces = Vec::new();
    while let Some(first) = left.pop() {
        let mut piece = vec![first];
        let mut next = 0;
        while next < piece.len() {
            let (near, far) = left.into_iter().partition(|p| p.distance(piece[next]) < support);
            piece.extend::<Vec<_>>(near);
            left = far;
            next += 1;
        }
        pieces.push(piece);
    }
    pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    pieces
}

/// Vertex numbers of the triangles of a frame's mesh.
fn triangles(place: &Workplace, frame: usize) -> Vec<[u32; 3]> {
    let bytes = fs::read(place.path(&format!("cache/mesh/mesh_{frame:04}.ply"))).unwrap();
    let ply = Parser::<DefaultElement>::new().read_ply(&mut bytes.as_slice()).unwrap();
    let corners = |face: &DefaultElement| match face.iter().next().unwrap().1 {
        Property::ListInt(corners) => [0, 1, 2].map(|n| corners[n] as u32),
        Property::ListUInt(corners) => [corners[0], corners[1], corners[2]],
        other => panic!("faces are {other:?}"),
    };
    ply.payload["face"].iter().map(corners).collect()
}

/// Volumes enclosed by the meshes of all frames, m^3.
fn volumes(place: &Workplace) -> Vec<f64> {
    let index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    index["done"].as_array().unwrap().iter().map(|frame| frame["mesh"]["volume"].as_f64().unwrap()).collect()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}
