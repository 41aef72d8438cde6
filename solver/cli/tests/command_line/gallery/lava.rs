use super::{Particle, bake_coarse, mean, particles, scene};

const SPACING: f64 = 0.016;
/// The temperature below which all is solid, K.
const SOLIDUS: f64 = 1253.0;
/// Frames before the slab rises, while the lava runs, and as it stops.
const HELD: usize = 24;
const RUNS: usize = 46;
const LAST: usize = 108;

/// Where the front of 98 % of the lava is, m.
fn front(particles: &[Particle]) -> f64 {
    let mut along: Vec<f64> = particles.iter().map(|p| p.position.x).collect();
    along.sort_by(f64::total_cmp);
    along[along.len() * 98 / 100]
}

#[test]
fn lava_runs_out_of_its_basin_and_crusts() {
    let place = bake_coarse(scene("lava"), SPACING, false);
    let [held, runs, late, last] = [HELD, RUNS, LAST - 12, LAST].map(|frame| particles(&place, frame));
    let [held, runs, late, end] = [&held, &runs, &late, &last].map(|particles| front(particles));
    assert!(held < 0.26, "its front is at {held} m before the slab rises");
    assert!(runs > held + 0.15 && end > runs + 0.08, "its front is at {held}, {runs}, {end} m");
    let (early, late) = ((runs - held) / (RUNS - HELD) as f64, (end - late) / 12.0);
    assert!(late < 0.3 * early, "its front goes by {early}, then by {late} m a frame");
    let solid = mean(last.iter().map(|p| f64::from(p.temperature < SOLIDUS)));
    assert!((0.05..0.4).contains(&solid), "solid: {solid}");
    let hot = mean(last.iter().map(|p| f64::from(p.temperature > 1380.0)));
    assert!(hot > 0.4, "hot: {hot}");
}
