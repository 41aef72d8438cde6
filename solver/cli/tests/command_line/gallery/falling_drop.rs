use super::{bake_coarse, greatest, mean, particles, scene};
use serde_json::Value;
use std::fs;

const REST_DENSITY: f64 = 1000.0;
const FRAMES: usize = 24;

/// DG96 figures 6 and 7. The drop touches the floor in frame 7.
#[test]
fn the_falling_drop_keeps_its_volume() {
    let mut scene = scene("falling-drop");
    scene["frames"]["end"] = FRAMES.into();
    let place = bake_coarse(scene, 0.035, true);
    let index: Value = serde_json::from_slice(&fs::read(place.path("cache/bake.json")).unwrap()).unwrap();
    let mut volumes = Vec::new();
    let mut meshes = Vec::new();
    for frame in 1..=FRAMES {
        let particles = particles(&place, frame);
        assert!(particles.iter().all(|p| p.position.z > 0.0), "frame {frame}: a particle in the floor");
        let relative = || particles.iter().map(|p| p.density / REST_DENSITY);
        volumes.push(mean(relative().map(f64::recip)));
        let far = relative().filter(|density| (density - 1.0).abs() > 0.1).count();
        assert!(far * 100 <= particles.len(), "frame {frame}: {far} particles are not near the density at rest");
        meshes.push(index["done"][frame - 1]["mesh"]["volume"].as_f64().unwrap());
    }
    assert!(varies(&volumes) < 0.02, "the matter's volume varies by {}: {volumes:?}", varies(&volumes));
    assert!(varies(&meshes) < 0.005, "the volume of the mesh varies by {}", varies(&meshes));
    let last = particles(&place, FRAMES);
    let width = greatest(last.iter().map(|p| p.position.x)) + greatest(last.iter().map(|p| -p.position.x));
    let height = greatest(last.iter().map(|p| p.position.z));
    assert!(width > 0.8 && height < 0.25, "a drop of 0.5 m lies {width} m wide and {height} m high");
}

/// The range from the least to the greatest, over the mean.
fn varies(values: &[f64]) -> f64 {
    let [low, high] = [-1.0, 1.0].map(|sign| sign * greatest(values.iter().map(|value| sign * value)));
    (high - low) / mean(values.iter().copied())
}
