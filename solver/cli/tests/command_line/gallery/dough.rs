use super::{bake_coarse, greatest, mean, particles, pieces, scene};

const SPACING: f64 = 0.0045;
/// Particles within two spacings hold together.
const REACH: f64 = 2.0 * SPACING;
/// The frames in which the blocks are down, and in which it has torn and all lies still.
const PRESSED: usize = 15;
const LAST: usize = 52;
/// The height of the blocks then, and where they are then, m.
const BLOCK: f64 = 0.0195;
const WHERE: f64 = 0.095;

#[test]
fn dough_is_pressed_and_torn_in_two() {
    let place = bake_coarse(scene("dough"), SPACING, false);
    let [pressed, last] = [PRESSED, LAST].map(|frame| particles(&place, frame));
    let below = pressed.iter().filter(|p| (p.position.x.abs() - WHERE).abs() < 0.025 && p.position.y.abs() < 0.02);
    let height = greatest(below.map(|p| p.position.z));
    assert!(height < BLOCK, "it is {height} m high below the blocks");
    let found = pieces(&pressed, REACH);
    assert_eq!(found.len(), 1, "pieces before it is drawn apart");
    let found = pieces(&last, REACH);
    let parts: Vec<f64> = found.iter().map(|piece| piece.len() as f64 / last.len() as f64).collect();
    assert!(parts[1] > 0.45 && parts[0] + parts[1] > 0.995, "pieces {parts:?}");
    let [left, right] = [0, 1].map(|n| mean(found[n].iter().map(|place| place.x)));
    assert!((left - right).abs() > 0.28, "pieces at {left} and {right} m");
    let speed = greatest(last.iter().map(|p| p.velocity.length()));
    assert!(speed < 0.02, "it moves at {speed} m/s");
}
