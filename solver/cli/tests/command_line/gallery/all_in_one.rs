use super::{Particle, greatest, least, mean, particles, scene};
use crate::tools::Workplace;
use serde_json::json;

const SPACING: f64 = 0.018;
/// The bodies.
const DOUGH: usize = 0;
const LAVA: usize = 1;
const SHEET: usize = 2;
const WAX: usize = 3;
/// When the dough lies on the sheet, and the lava at the wax.
const LAST: usize = 26;

fn of(particles: &[Particle], body: usize) -> Vec<Particle> {
    particles.iter().filter(|particle| particle.source == body).cloned().collect()
}

fn along(particles: &[Particle], axis: usize) -> impl Iterator<Item = f64> {
    particles.iter().map(move |particle| particle.position[axis])
}

fn extent(particles: &[Particle], axis: usize) -> f64 {
    greatest(along(particles, axis)) - least(along(particles, axis))
}

#[test]
fn wax_dough_a_sheet_and_lava_act_on_each_other() {
    let mut scene = scene("all-in-one");
    scene["particle_spacing"] = json!(SPACING);
    scene["frames"]["end"] = json!(LAST);
    scene["output"] = json!({"particles": {}});
    let place = Workplace::with_scene(&scene);
    place.run(&["bake", "scene.json", "--cache", "cache"]).succeeds();
    let [first, last] = [1, LAST].map(|frame| particles(&place, frame));
    let [dough, lava, sheet, wax] = [DOUGH, LAVA, SHEET, WAX].map(|body| of(&last, body));
    let sags = greatest(along(&of(&first, SHEET), 2)) - least(along(&sheet, 2));
    assert!((0.1..0.14).contains(&sags), "the dough presses the sheet down by {sags} m");
    let lies = least(along(&dough, 2)) - least(along(&sheet, 2));
    assert!((0.0..1.5 * SPACING).contains(&lies), "the dough lies {lies} m above the lowest of the sheet");
    let wider = extent(&dough, 0) / extent(&of(&first, DOUGH), 0);
    assert!((1.1..1.5).contains(&wider), "the dough becomes {wider} times as wide");
    let [stood, stands] = [&of(&first, WAX), &wax].map(|wax| greatest(along(wax, 2)));
    assert!(stands > 0.9 * stood, "the wax is {stood} m high, then {stands} m");
    let reached = greatest(along(&lava, 0));
    assert!(reached > -0.06, "the lava gets to {reached} m along x");
    let hot = greatest(wax.iter().map(|particle| particle.temperature));
    assert!(hot > 305.0, "the wax is warmed to {hot} K");
    let cold = mean(wax.iter().map(|particle| f64::from(particle.temperature < 300.0)));
    assert!(cold > 0.5, "{cold} of the wax is still cold");
}
