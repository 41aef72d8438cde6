use super::{bake_coarse, greatest, least, mean, particles, pieces, scene};
use serde_json::json;

const SPACING: f64 = 0.0009;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// Radius of the inside of the tube, m.
const INSIDE: f64 = 0.0035;
/// The last frame that is baked: the second layer lies on half of the first.
const LAST: usize = 24;
/// How high the tops of the bristles are then, and where their middle is along x, m.
const BRISTLES: f64 = -0.0126;
const MIDDLE: f64 = 0.0009;

#[test]
fn toothpaste_comes_out_of_its_tube_and_stands_in_layers_on_the_brush() {
    let mut scene = scene("toothpaste");
    scene["frames"]["end"] = json!(LAST);
    let place = bake_coarse(scene, SPACING, false);
    for frame in [12, LAST] {
        let matter = particles(&place, frame);
        let in_tube = matter.iter().filter(|p| p.position.z > 0.001);
        let widest = greatest(in_tube.map(|p| p.position.truncate().length()));
        assert!(widest < INSIDE, "matter in the wall of the tube, {widest} m from its axis, in frame {frame}");
    }
    let last = particles(&place, LAST);
    let left = mean(last.iter().map(|p| f64::from(p.position.z > 0.001)));
    assert!((0.3..0.45).contains(&left), "{left} of the matter is in the tube");
    let lowest = least(last.iter().map(|p| p.position.z)) - BRISTLES;
    assert!(lowest > -0.5 * SPACING, "matter among the bristles, {lowest} m above their tops");
    let layers = last.iter().filter(|p| (0.004..0.01).contains(&(p.position.x - MIDDLE)));
    let height = greatest(layers.map(|p| p.position.z)) - BRISTLES;
    assert!((0.01..0.014).contains(&height), "two layers are {height} m high");
    let farthest = greatest(last.iter().map(|p| (p.position.x - MIDDLE).abs()));
    assert!(farthest < 0.0175, "matter {farthest} m from the middle of the brush");
    assert_eq!(pieces(&last, SUPPORT).len(), 1);
}
