use super::{Particle, bake_coarse, mean, particles, pieces, scene};

const SPACING: f64 = 0.0033;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// The temperature at which half of it has melted, K.
const HALF_MELTED: f64 = 304.0;

fn width(particles: &[Particle]) -> f64 {
    mean(particles.iter().map(|p| p.position.truncate().length()))
}

#[test]
fn chocolate_melts_from_below_to_a_pool_in_one_piece() {
    let place = bake_coarse(scene("chocolate"), SPACING, false);
    let [first, early, last] = [1, 12, 96].map(|frame| particles(&place, frame));
    let middle = mean(early.iter().map(|p| p.position.z));
    let warm = |above: bool| mean(early.iter().filter(|p| (p.position.z > middle) == above).map(|p| p.temperature));
    assert!(warm(false) > warm(true) + 3.0, "{} K below, {} K above", warm(false), warm(true));
    assert!(width(&early) < 1.01 * width(&first), "it keeps its shape while it is solid on top");
    let melted = mean(last.iter().map(|p| f64::from(p.temperature > HALF_MELTED)));
    assert!(melted > 0.8, "melted: {melted}");
    let wider = width(&last) / width(&first);
    assert!(wider > 1.1, "{wider} times as wide");
    assert_eq!(pieces(&last, SUPPORT).len(), 1);
}
