use super::{Particle, bake_coarse, mean, particles, scene};
use serde_json::Value;
use std::fs;

fn height(particles: &[Particle]) -> f64 {
    mean(particles.iter().map(|p| p.position.z))
}

#[test]
fn lava_runs_down_the_steps_and_crusts() {
    let place = bake_coarse(scene("lava-steps"), 0.05, false);
    let [first, last] = [1, 120].map(|frame| particles(&place, frame));
    // Without strength it would flow on; the crust holds some of it on the steps.
    assert!(height(&last) < 0.62 * height(&first), "{} {}", height(&first), height(&last));
    let reach = last.iter().map(|p| p.position.x).fold(0.0, f64::max);
    assert!((0.7..2.5).contains(&reach), "down the steps, and no puddle of water: {reach}");
    assert!(first.iter().all(|p| (p.temperature - 1450.0).abs() < 1e-3));
    let (coldest, hottest) =
        last.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), p| (low.min(p.temperature), high.max(p.temperature)));
    assert!(coldest < 1220.0 && hottest > 1400.0, "a crust over what still melts: {coldest} to {hottest} K");
    let index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    let heats: Vec<&Value> = index["done"].as_array().unwrap().iter().map(|frame| &frame["heat"]).collect();
    let of = |heat: &Value, name: &str| heat[name].as_f64().unwrap();
    let lost = of(heats[0], "stored") - of(heats[119], "stored");
    let to_air: f64 = heats[1..].iter().map(|heat| -of(heat, "air")).sum();
    assert!(lost > 0.0 && (to_air / lost - 1.0).abs() < 1e-6, "{lost} J lost, {to_air} J to the air");
}
