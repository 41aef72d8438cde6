//! The examples show what their pages say.

use crate::tools::Workplace;
use glam::DVec2;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Reaches of the particles of examples/cut-in-the-plane, m.
const SUPPORT: f64 = 2.0 * 0.95 * 0.005;

/// The particles of a frame in the plane, x and z in m.
fn particles(place: &Workplace, frame: usize) -> Vec<DVec2> {
    let bytes = fs::read(place.path(&format!("cache/particles/particles_{frame:04}.ply"))).unwrap();
    let ply = Parser::<DefaultElement>::new().read_ply(&mut &bytes[..]).unwrap();
    let number = |vertex: &DefaultElement, name: &str| match vertex[name] {
        Property::Float(value) => f64::from(value),
        ref other => panic!("{name} is {other:?}"),
    };
    let position = |vertex: &DefaultElement| {
        assert!(number(vertex, "y") == 0.0 && number(vertex, "vy") == 0.0, "out of the plane in frame {frame}");
        DVec2::new(number(vertex, "x"), number(vertex, "z"))
    };
    ply.payload["vertex"].iter().map(position).collect()
}

/// The particles that hang together by feeling each other.
fn pieces(particles: &[DVec2]) -> Vec<Vec<DVec2>> {
    let mut left = particles.to_vec();
    let mut pieces = Vec::new();
    while let Some(first) = left.pop() {
        let mut piece = vec![first];
        let mut next = 0;
        while next < piece.len() {
            let (near, far) = left.into_iter().partition(|p| p.distance(piece[next]) < SUPPORT);
            piece.extend::<Vec<_>>(near);
            left = far;
            next += 1;
        }
        pieces.push(piece);
    }
    pieces
}

/// How deep a point lies in the tool, m, given the height of its point: a wedge of 45 degrees on a blade.
fn depth_in_tool(p: DVec2, point: f64) -> f64 {
    let height = p.y - point;
    (0.006 - p.x.abs()).min((0.5 * height - p.x.abs()) * 0.8_f64.sqrt()).min(0.09 - height)
}

/// DG96 figure 4.
#[test]
fn the_tool_cuts_the_body_in_two_pieces() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cut-in-the-plane/scene.json");
    let scene: Value = serde_json::from_slice(&fs::read(&example).unwrap()).unwrap();
    let place = Workplace::new();
    place.run(&["bake", example.to_str().unwrap(), "--cache", "cache"]).succeeds();
    for frame in 1..=96 {
        let particles = particles(&place, frame);
        let point = scene.pointer(&format!("/colliders/1/motion/{}/transform/translation/2", frame - 1));
        let depth = particles.iter().map(|&p| depth_in_tool(p, point.unwrap().as_f64().unwrap()));
        let deepest = depth.fold(f64::NEG_INFINITY, f64::max);
        assert!(deepest < 2e-5, "frame {frame}: a particle {deepest} m deep in the tool");
        assert!(particles.iter().all(|p| p.y > 0.0), "frame {frame}: a particle in the floor");
        let sizes: Vec<usize> = pieces(&particles).iter().map(Vec::len).collect();
        // The tool touches in frame 25 and is through the body in frame 45.
        match frame {
            ..=25 => assert_eq!(sizes, [80], "frame {frame}"),
            49.. => assert!(sizes.len() == 2 && sizes.iter().all(|&n| n >= 35), "frame {frame}: {sizes:?}"),
            _ => assert!(sizes.len() <= 2, "frame {frame}: {sizes:?}"),
        }
    }
    let last = particles(&place, 96);
    let gap = last.iter().filter(|p| p.x > 0.0).map(|p| p.x).fold(f64::INFINITY, f64::min)
        - last.iter().filter(|p| p.x < 0.0).map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    assert!(gap > SUPPORT, "the pieces lie {gap} m apart");
}
