use super::{bake_coarse, greatest, particles, pieces, scene};
use glam::{DQuat, DVec3};
use serde_json::Value;

const SPACING: f64 = 0.0035;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;

/// A part of the tool: a box on its way.
struct Part {
    half: DVec3,
    rotation: DQuat,
    /// Frames and places.
    way: Vec<(f64, DVec3)>,
}

impl Part {
    fn of(collider: &Value) -> Self {
        let keys = collider["motion"].as_array().unwrap();
        let rotation = &keys[0]["transform"]["rotation"];
        let place = |key: &Value| (key["frame"].as_f64().unwrap(), vector(&key["transform"]["translation"]));
        Self {
            half: vector(&collider["shape"]["size"]) / 2.0,
            rotation: serde_json::from_value::<[f64; 4]>(rotation.clone())
                .map_or(DQuat::IDENTITY, |[w, x, y, z]| DQuat::from_xyzw(x, y, z, w).normalize()),
            way: keys.iter().map(place).collect(),
        }
    }

    /// How deep a point lies in it at a frame, m; negative outside.
    fn depth(&self, point: DVec3, frame: f64) -> f64 {
        let local = self.rotation.inverse() * (point - self.place(frame));
        (self.half - local.abs()).min_element()
    }

    fn place(&self, frame: f64) -> DVec3 {
        let after = self.way.iter().position(|key| key.0 > frame).unwrap_or(self.way.len());
        let [from, to] = [after.max(1) - 1, after.min(self.way.len() - 1)].map(|key| self.way[key]);
        from.1.lerp(to.1, (frame - from.0) / (to.0 - from.0).max(1.0))
    }
}

fn vector(value: &Value) -> DVec3 {
    DVec3::from_array(serde_json::from_value(value.clone()).unwrap())
}

/// DG96 figure 4 in space.
#[test]
fn the_tool_cuts_the_body_in_two_pieces() {
    let scene = scene("cut");
    let tool = [1, 2].map(|part: usize| Part::of(&scene["colliders"][part]));
    let place = bake_coarse(scene, SPACING, false);
    for frame in 1_u16..=32 {
        let particles = particles(&place, frame.into());
        let depth = |p: DVec3| greatest(tool.iter().map(|part| part.depth(p, f64::from(frame))));
        let deepest = greatest(particles.iter().map(|p| depth(p.position)));
        assert!(deepest < 0.02 * SPACING, "frame {frame}: a particle {deepest} m deep in the tool");
        assert!(particles.iter().all(|p| p.position.z > 0.0), "frame {frame}: a particle in the floor");
        let sizes: Vec<usize> = pieces(&particles, SUPPORT).iter().map(Vec::len).collect();
        // A few particles may stick to the tool by themselves.
        let crumbs: usize = sizes.iter().skip(2).sum();
        assert!(crumbs * 200 <= particles.len(), "frame {frame}: pieces of {sizes:?} particles");
        // The tool touches in frame 5, is down from frame 19 to frame 21 and out of the matter in frame 25.
        match frame {
            ..=8 => assert_eq!(sizes.len(), 1, "frame {frame}"),
            20.. => assert!(sizes.len() >= 2 && sizes[1] * 100 >= particles.len() * 45, "frame {frame}: {sizes:?}"),
            _ => (),
        }
    }
}
