use super::{Particle, greatest, least, particles, pieces, scene, scene_file};
use crate::tools::Workplace;
use glam::DVec3;

/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 0.95 * 0.005;

/// The particles of a frame, which lie in the plane.
fn in_plane(place: &Workplace, frame: usize) -> Vec<Particle> {
    let particles = particles(place, frame);
    let outside = particles.iter().any(|p| p.position.y != 0.0 || p.velocity.y != 0.0);
    assert!(!outside, "out of the plane in frame {frame}");
    particles
}

/// How deep a point lies in the tool, m, given the height of its point: a wedge of 45 degrees on a blade.
fn depth_in_tool(p: DVec3, point: f64) -> f64 {
    let height = p.z - point;
    (0.006 - p.x.abs()).min((0.5 * height - p.x.abs()) * 0.8_f64.sqrt()).min(0.09 - height)
}

/// DG96 figure 4.
#[test]
fn the_tool_cuts_the_body_in_the_plane_in_two_pieces() {
    let scene = scene("cut-in-the-plane");
    let place = Workplace::new();
    let file = scene_file("cut-in-the-plane");
    place.run(&["bake", file.to_str().unwrap(), "--cache", "cache"]).succeeds();
    for frame in 1..=96 {
        let particles = in_plane(&place, frame);
        let point = scene.pointer(&format!("/colliders/1/motion/{}/transform/translation/2", frame - 1));
        let point = point.unwrap().as_f64().unwrap();
        let deepest = greatest(particles.iter().map(|p| depth_in_tool(p.position, point)));
        assert!(deepest < 2e-5, "frame {frame}: a particle {deepest} m deep in the tool");
        assert!(particles.iter().all(|p| p.position.z > 0.0), "frame {frame}: a particle in the floor");
        let sizes: Vec<usize> = pieces(&particles, SUPPORT).iter().map(Vec::len).collect();
        // The tool touches in frame 25 and is through the body in frame 45.
        match frame {
            ..=25 => assert_eq!(sizes, [80], "frame {frame}"),
            49.. => assert!(sizes.len() == 2 && sizes.iter().all(|&n| n >= 35), "frame {frame}: {sizes:?}"),
            _ => assert!(sizes.len() <= 2, "frame {frame}: {sizes:?}"),
        }
    }
    let last = in_plane(&place, 96);
    let x = || last.iter().map(|p| p.position.x);
    let gap = least(x().filter(|&x| x > 0.0)) - greatest(x().filter(|&x| x < 0.0));
    assert!(gap > SUPPORT, "the pieces lie {gap} m apart");
}
