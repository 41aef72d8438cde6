use super::{Particle, bake_coarse, mean, particles, pieces, scene};
use glam::DVec3;

const SPACING: f64 = 0.0155;
/// The frame in which the arm has sagged.
const SAGGED: usize = 26;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// Distance from the middle at which the hand of an arm begins, m.
const HAND: f64 = 0.23;
/// Where the heated arm begins, m from the middle.
const SHOULDER: f64 = 0.05;

/// How far the matter that `belongs` has moved since the first frame, m.
fn moved(first: &[Particle], last: &[Particle], belongs: impl Fn(DVec3) -> bool) -> DVec3 {
    let moved: Vec<DVec3> =
        first.iter().zip(last).filter(|(one, _)| belongs(one.position)).map(|(a, b)| b.position - a.position).collect();
    assert!(moved.len() > 10, "{} particles there", moved.len());
    moved.iter().sum::<DVec3>() / moved.len() as f64
}

#[test]
fn the_heated_arm_sags_and_the_rest_keeps_its_shape() {
    let mut scene = scene("arm");
    scene["frames"]["end"] = SAGGED.into();
    let place = bake_coarse(scene, SPACING, false);
    let [first, last] = [1, SAGGED].map(|frame| particles(&place, frame));
    let hot = moved(&first, &last, |p| p.x > HAND);
    let cold = moved(&first, &last, |p| p.x < -HAND);
    assert!(hot.z < -0.05, "the heated hand moved {hot} m");
    assert!(cold.length() < 1.5 * SPACING, "the cold hand moved {cold} m");
    let rest = first.iter().zip(&last).filter(|(one, _)| one.position.x < SHOULDER);
    let root = mean(rest.map(|(a, b)| a.position.distance_squared(b.position))).sqrt();
    assert!(root < SPACING, "what was not heated moved {root} m");
    assert_eq!(pieces(&last, SUPPORT).len(), 1, "the arm broke off");
}
