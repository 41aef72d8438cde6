use super::{Particle, bake_coarse, mean, of, particles, pieces, scene};

const SPACING: f64 = 0.024;
/// Reach of the particles, m.
const SUPPORT: f64 = 2.0 * 1.25 * SPACING;
/// The frame in which the balls are lowest.
const PRESSED: usize = 26;

fn arch(particles: &[Particle], number: usize) -> Vec<Particle> {
    of(particles, number).cloned().collect()
}

fn height(arch: &[Particle]) -> f64 {
    mean(arch.iter().map(|p| p.position.z))
}

/// T92 figure 7.
#[test]
fn the_narrower_the_well_the_stiffer_the_arch() {
    let mut scene = scene("arches");
    scene["frames"]["end"] = PRESSED.into();
    let place = bake_coarse(scene, SPACING, false);
    let [first, pressed] = [1, PRESSED].map(|frame| particles(&place, frame));
    let left = [0, 1, 2].map(|number| height(&arch(&pressed, number)) / height(&arch(&first, number)));
    assert!(left[0] + 0.03 < left[1] && left[1] + 0.03 < left[2], "{left:?} of the heights are left");
    assert!(left[2] < 0.95, "the stiffest gives way, too: {left:?}");
    for number in 0..3 {
        assert_eq!(pieces(&arch(&pressed, number), SUPPORT).len(), 1, "arch {number} broke");
    }
}
