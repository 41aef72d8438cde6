use super::{Particle, bake_coarse, greatest, least, mean, particles, pieces, scene};
use glam::DVec3;

const SPACING: f64 = 0.007;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// The frame in which the spoon is deepest; it is gone two frames later.
const PUSHED: usize = 24;

#[test]
fn jelly_wobbles_and_comes_back_to_its_shape() {
    let place = bake_coarse(scene("jelly"), SPACING, false);
    let frames: Vec<Vec<Particle>> = (1..=48).map(|frame| particles(&place, frame)).collect();
    let highest = greatest(frames[0].iter().map(|p| p.position.z));
    let top: Vec<bool> = frames[0].iter().map(|p| p.position.z > highest - 0.025).collect();
    let of_top = |particles: &[Particle]| {
        let places = || particles.iter().zip(&top).filter(|(_, top)| **top).map(|(p, _)| p.position);
        DVec3::new(mean(places().map(|p| p.x)), mean(places().map(|p| p.y)), mean(places().map(|p| p.z)))
    };
    let top: Vec<DVec3> = frames.iter().map(|particles| of_top(particles)).collect();
    // It lands in the third frame. Frames are counted from 0 here.
    let rest = top[16];
    let lowest = least(top[2..6].iter().map(|p| p.z));
    let risen = greatest(top[3..8].iter().map(|p| p.z));
    assert!(lowest < 0.97 * rest.z && risen > 1.03 * rest.z, "{lowest} and {risen} m about {} m", rest.z);
    let pushed = top[PUSHED - 1].x - rest.x;
    assert!(pushed < -0.008, "pushed by {pushed} m");
    let after = &top[PUSHED + 2..];
    let (left, right) = (least(after.iter().map(|p| p.x - rest.x)), greatest(after.iter().map(|p| p.x - rest.x)));
    assert!(left < -0.001 && right > 0.002, "it swings from {left} to {right} m");
    let end = DVec3::new(mean(top[36..].iter().map(|p| p.x)), 0.0, mean(top[36..].iter().map(|p| p.z)));
    assert!((end.x - rest.x).abs() < 0.002 && (end.z / rest.z - 1.0).abs() < 0.03, "{rest} m, then {end} m");
    assert_eq!(pieces(&frames[47], SUPPORT).len(), 1);
}
