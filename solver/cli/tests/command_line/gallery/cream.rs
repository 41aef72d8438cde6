use super::{Particle, bake_coarse, greatest, mean, particles, scene};

const SPACING: f64 = 0.003;
/// The frames in which all dollops have come down, in which the ball is in the heap, and in which it has long left.
const HEAP: usize = 11;
const DIPPED: usize = 18;
const LAST: usize = 40;
/// How wide the largest dollop is as it falls, m.
const DOLLOP: f64 = 0.055;

/// The particles on the cake, without what is on the ball when that has left.
fn on_the_cake(particles: &[Particle]) -> impl Iterator<Item = &Particle> {
    particles.iter().filter(|p| p.position.truncate().length() < 0.06 && p.position.z < 0.08)
}

/// The height of the highest particles of what is on the cake, m.
fn top(particles: &[Particle]) -> f64 {
    greatest(on_the_cake(particles).map(|p| p.position.z))
}

fn speed(particles: &[Particle]) -> f64 {
    greatest(on_the_cake(particles).map(|p| p.velocity.length()))
}

#[test]
fn cream_splats_lies_still_and_stands_in_a_peak() {
    let place = bake_coarse(scene("cream"), SPACING, false);
    let [heap, dipped, last] = [HEAP, DIPPED, LAST].map(|frame| particles(&place, frame));
    let width = 2.0 * greatest(heap.iter().map(|p| p.position.truncate().length()));
    assert!(width > 1.6 * DOLLOP, "the heap is {width} m wide");
    let still = [&heap, &last].map(|particles| speed(particles));
    assert!(still.iter().all(|&speed| speed < 0.005), "it moves at {still:?} m/s");
    let [heap, dipped, peak] = [&heap, &dipped, &last].map(|particles| top(particles));
    assert!(dipped < heap - 0.004, "the heap is {heap} m high, {dipped} m with the ball in it");
    assert!(peak > dipped + 0.012, "the peak is {peak} m high, {dipped} m before");
    let left = mean(last.iter().map(|p| f64::from(p.position.truncate().length() < 0.06)));
    assert!((0.95..0.999).contains(&left), "{left} of the cream stays on the cake");
}
