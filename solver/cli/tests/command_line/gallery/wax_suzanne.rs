use super::{Particle, bake_coarse, mean, particles, pieces, scene};
use serde_json::json;

const SPACING: f64 = 0.026;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// The plate is hot until frame 100, cold from frame 108 on.
const HALF: usize = 36;
const HOT: usize = 100;
const LAST: usize = 144;
/// Above this temperature all wax has melted, K.
const LIQUIDUS: f64 = 331.0;
/// Below this temperature all wax has set, K.
const SOLIDUS: f64 = 323.0;

fn height(particles: &[Particle]) -> f64 {
    mean(particles.iter().map(|p| p.position.z))
}

/// The fraction of hotter particles.
fn hotter(particles: &[Particle], temperature: f64) -> f64 {
    mean(particles.iter().map(|p| f64::from(p.temperature > temperature)))
}

#[test]
fn wax_melts_from_below_and_sets_where_it_lies() {
    let mut scene = scene("wax-suzanne");
    // Coarse matter touches the plate in fewer places.
    scene["heat"]["rate"] = json!(2.0 * scene["heat"]["rate"].as_f64().unwrap());
    let place = bake_coarse(scene, SPACING, false);
    let [first, half, hot, last] = [1, HALF, HOT, LAST].map(|frame| particles(&place, frame));
    let molten = |high: bool| {
        let middle = height(&half);
        let part: Vec<_> = half.iter().filter(|p| (p.position.z > middle) == high).cloned().collect();
        hotter(&part, LIQUIDUS)
    };
    assert!(molten(false) > molten(true) + 0.3, "molten: {} below, {} above", molten(false), molten(true));
    assert!(hotter(&hot, LIQUIDUS) > 0.9, "molten: {}", hotter(&hot, LIQUIDUS));
    assert!(hotter(&last, SOLIDUS) < 0.02, "not set: {}", hotter(&last, SOLIDUS));
    // A drop may have fallen off the plate.
    let pool: Vec<_> = hot.iter().zip(&last).filter(|(_, p)| p.position.z > 0.0).collect();
    assert!(pool.len() * 100 >= 98 * last.len(), "{} of {} particles lie on the plate", pool.len(), last.len());
    let (lay, lie): (Vec<Particle>, Vec<Particle>) = pool.into_iter().map(|(a, b)| (a.clone(), b.clone())).unzip();
    assert!(height(&lay) < 0.35 * height(&first), "{} of {} m high", height(&lay), height(&first));
    let moved = mean(lay.iter().zip(&lie).map(|(a, b)| a.position.distance(b.position)));
    assert!(moved < 0.7 * SPACING, "it set {moved} m off where it lay");
    assert!(mean(lie.iter().map(|p| p.velocity.length())) < 0.01, "it does not lie still");
    let piece = pieces(&lie, SUPPORT)[0].len();
    assert!(piece * 100 >= 97 * last.len(), "{piece} of {} particles are in one piece", last.len());
}
