use super::{Particle, bake_coarse, greatest, least, mean, particles, pieces, scene};
use serde_json::json;

const SPACING: f64 = 0.0024;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// Radii of the candle and of its dish, m.
const RADIUS: f64 = 0.018;
const DISH: f64 = 0.04;
/// The temperature below which wax is solid, K.
const SOLIDUS: f64 = 320.0;
/// The last frame that is baked.
const LAST: usize = 96;

fn top(particles: &[Particle]) -> f64 {
    greatest(particles.iter().map(|p| p.position.z))
}

#[test]
fn a_candle_melts_at_its_top_and_what_runs_over_stays_on_it() {
    let mut scene = scene("candle");
    scene["frames"]["end"] = json!(LAST);
    let place = bake_coarse(scene, SPACING, false);
    let [first, early, last] = [1, 30, LAST].map(|frame| particles(&place, frame));
    let widest = greatest(early.iter().map(|p| p.position.truncate().length()));
    assert!(widest < RADIUS + 0.5 * SPACING, "wax has left the candle, {widest} m from its axis, in frame 30");
    assert_eq!(last.len(), first.len());
    let foot = greatest(last.iter().filter(|p| p.position.z < 0.01).map(|p| p.temperature));
    assert!(foot < SOLIDUS, "its foot has {foot} K");
    let molten = mean(last.iter().map(|p| f64::from(p.temperature > SOLIDUS)));
    assert!((0.2..0.4).contains(&molten), "molten: {molten}");
    let sunk = top(&first) - top(&last);
    assert!((0.005..0.013).contains(&sunk), "its top has sunk by {sunk} m");
    let outside = mean(last.iter().map(|p| f64::from(p.position.truncate().length() > RADIUS + 0.5 * SPACING)));
    assert!((0.02..0.12).contains(&outside), "{outside} of the wax is outside the candle");
    let farthest = greatest(last.iter().map(|p| p.position.truncate().length()));
    assert!(farthest < DISH, "wax {farthest} m from the axis");
    let lowest = least(last.iter().map(|p| p.position.z));
    assert!(lowest > -0.5 * SPACING, "wax in the dish, {lowest} m above it");
    assert_eq!(pieces(&last, SUPPORT).len(), 1);
}
