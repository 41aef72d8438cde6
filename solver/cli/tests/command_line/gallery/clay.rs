use super::{Particle, bake_coarse, greatest, particles, pieces, scene};
use glam::DVec3;

const SPACING: f64 = 0.005;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// How far around the middle of the hammer's face a dent is measured, m.
const AROUND: f64 = 0.008;

/// How high the matter lies along a direction, at a place, m.
fn height(particles: &[Particle], place: DVec3, up: DVec3) -> f64 {
    let near = |p: &DVec3| (*p - place).reject_from(up).length() < AROUND;
    greatest(particles.iter().map(|p| p.position).filter(near).map(|p| (p - place).dot(up)))
}

#[test]
fn clay_keeps_the_dents_of_a_hammer() {
    let place = bake_coarse(scene("clay"), SPACING, false);
    let tilt = (-32.0_f64).to_radians();
    let strikes = [
        (DVec3::new(0.02, -0.008, 0.0), DVec3::Z, [1, 8, 36]),
        (DVec3::new(-0.0295, -0.02, 0.045), DVec3::new(tilt.sin(), 0.0, tilt.cos()), [20, 25, 36]),
    ];
    for (at, up, frames) in strikes {
        let [before, struck, after] = frames.map(|frame| height(&particles(&place, frame), at, up));
        let (deep, kept) = (before - struck, before - after);
        assert!(deep > 0.02, "a dent of {deep} m");
        assert!(kept > 0.85 * deep, "{kept} m of {deep} m are left");
    }
    let still = particles(&place, 36).iter().map(|p| p.velocity.length()).fold(0.0, f64::max);
    assert!(still < 0.01, "it still moves at {still} m/s");
    assert_eq!(pieces(&particles(&place, 36), SUPPORT).len(), 1);
}
