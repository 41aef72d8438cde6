use super::{Particle, bake_coarse, mean, particles, pieces, scene};
use glam::DVec3;
use std::f64::consts::TAU;

const SPACING: f64 = 0.0165;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// The frame in which the wax has set, and no plate has come yet.
const SET: usize = 30;
const LAST: usize = 76;
/// Below this temperature all wax has set, K.
const SOLIDUS: f64 = 320.0;
/// Waves around the mould, the first crest towards x.
const WAVES: f64 = 6.0;

/// Mean distance from the axis of the outermost matter, m, around crests of the mould, or troughs.
fn rim(matter: &[DVec3], crests: bool) -> f64 {
    let shift = if crests { 0.0 } else { 0.5 };
    let outermost = |wave: i32| {
        let middle = (f64::from(wave) + shift) / WAVES;
        let near = |p: &&DVec3| ((p.y.atan2(p.x) / TAU - middle + 1.5).rem_euclid(1.0) - 0.5).abs() < 0.25 / WAVES;
        matter.iter().filter(near).map(|p| p.truncate().length()).fold(0.0, f64::max)
    };
    mean((0..6).map(outermost))
}

fn places(particles: &[Particle]) -> Vec<DVec3> {
    let middle = particles.iter().map(|p| p.position).sum::<DVec3>() / particles.len() as f64;
    particles.iter().map(|p| p.position - middle).collect()
}

/// T92 section 7.1.
#[test]
fn the_cast_keeps_the_shape_of_the_mould() {
    let place = bake_coarse(scene("casting"), SPACING, false);
    let [set, last] = [SET, LAST].map(|frame| particles(&place, frame));
    assert!(set.iter().chain(&last).all(|p| p.temperature < SOLIDUS), "some wax has not set");
    let [cast, end] = [&set, &last].map(|particles| places(particles));
    let turned = cast.iter().map(|p| DVec3::new(p.x, -p.y, -p.z));
    let moved = mean(turned.zip(&end).map(|(before, after)| before.distance_squared(*after))).sqrt();
    assert!(moved < 0.6 * SPACING, "turned over, the cast is {moved} m off its shape in the mould");
    let (crests, troughs) = (rim(&end, true), rim(&end, false));
    assert!(crests > 1.15 * troughs, "waves from {troughs} to {crests} m");
    let lowest = last.iter().map(|p| p.position.z).fold(f64::INFINITY, f64::min);
    assert!((0.02..0.035).contains(&lowest), "it stands on the plate: {lowest}");
    assert!(pieces(&last, SUPPORT)[0].len() * 100 >= last.len() * 99, "it broke");
}
