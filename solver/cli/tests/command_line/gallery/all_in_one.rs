use super::{Particle, bake_coarse, greatest, least, mean, of, particles, scene};

const SPACING: f64 = 0.018;
/// The bodies.
const DOUGH: usize = 0;
const LAVA: usize = 1;
const SHEET: usize = 2;
const WAX: usize = 3;
/// When the dough lies on the sheet, and the lava at the wax.
const LAST: usize = 26;

fn along(particles: &[Particle], body: usize, axis: usize) -> impl Iterator<Item = f64> {
    of(particles, body).map(move |particle| particle.position[axis])
}

fn extent(particles: &[Particle], body: usize, axis: usize) -> f64 {
    greatest(along(particles, body, axis)) - least(along(particles, body, axis))
}

#[test]
fn wax_dough_a_sheet_and_lava_act_on_each_other() {
    let mut scene = scene("all-in-one");
    scene["frames"]["end"] = LAST.into();
    let place = bake_coarse(scene, SPACING, false);
    let [first, last] = [1, LAST].map(|frame| particles(&place, frame));
    let sags = greatest(along(&first, SHEET, 2)) - least(along(&last, SHEET, 2));
    assert!((0.1..0.14).contains(&sags), "the dough presses the sheet down by {sags} m");
    let lies = least(along(&last, DOUGH, 2)) - least(along(&last, SHEET, 2));
    assert!((0.0..1.5 * SPACING).contains(&lies), "the dough lies {lies} m above the lowest of the sheet");
    let wider = extent(&last, DOUGH, 0) / extent(&first, DOUGH, 0);
    assert!((1.1..1.5).contains(&wider), "the dough becomes {wider} times as wide");
    let [stood, stands] = [&first, &last].map(|all| greatest(along(all, WAX, 2)));
    assert!(stands > 0.9 * stood, "the wax is {stood} m high, then {stands} m");
    let reached = greatest(along(&last, LAVA, 0));
    assert!(reached > -0.06, "the lava gets to {reached} m along x");
    let hot = greatest(of(&last, WAX).map(|particle| particle.temperature));
    assert!(hot > 305.0, "the wax is warmed to {hot} K");
    let cold = mean(of(&last, WAX).map(|particle| f64::from(particle.temperature < 300.0)));
    assert!(cold > 0.5, "{cold} of the wax is still cold");
}
