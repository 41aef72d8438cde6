use super::{Particle, bake_coarse, least, mean, of, particles, scene};
use glam::DVec3;

/// The room, m.
const ROOM: DVec3 = DVec3::new(3.0, 3.0, 2.0);

/// Mean height of the matter of a body, m.
fn height(particles: &[Particle], body: usize) -> f64 {
    mean(of(particles, body).map(|p| p.position.z))
}

/// Mean distance from the vertical through the middle of the room, m.
fn width(particles: &[Particle]) -> f64 {
    mean(particles.iter().map(|p| p.position.truncate().length()))
}

#[test]
fn the_hot_puff_rises_and_spreads_under_the_ceiling() {
    let scene = scene("hot-puff");
    let rest: Vec<f64> = (0..3).map(|i| scene["bodies"][i]["material"]["rest_density"].as_f64().unwrap()).collect();
    let place = bake_coarse(scene, 0.05, false);
    for frame in 1..=40 {
        let particles = particles(&place, frame);
        for p in &particles {
            let inside = (ROOM / 2.0 - (p.position - DVec3::new(0.0, 0.0, 1.0)).abs()).min_element();
            assert!(inside > -1e-4, "frame {frame}: a particle left the room at {}", p.position);
        }
        let thin = particles.iter().filter(|p| p.density < 0.5 * rest[p.source]).count();
        assert!(thin * 100 <= 2 * particles.len(), "frame {frame}: {thin} particles are spread too thin to press");
    }
    let [first, last] = [1, 40].map(|frame| particles(&place, frame));
    assert!(height(&first, 0) < height(&first, 2) - 0.3, "the hottest begins below");
    assert!(height(&last, 0) > height(&last, 2), "the hottest gas rises through the warm");
    assert!(least((0..3).map(|body| height(&last, body))) > 1.5, "all of it is under the ceiling");
    assert!(width(&last) > 1.6 * width(&first), "it spreads from {} to {} m", width(&first), width(&last));
}
