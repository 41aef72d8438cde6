use super::{Particle, bake_coarse, greatest, least, of, particles, scene};
use glam::DVec3;

const PUDDING: usize = 0;
const DOUGH: usize = 1;
const CARAMEL: usize = 2;
const LAST: usize = 36;

fn places(particles: &[Particle], body: usize) -> Vec<DVec3> {
    of(particles, body).map(|p| p.position).collect()
}

/// From the lowest to the highest, m.
fn height(matter: &[DVec3]) -> f64 {
    greatest(matter.iter().map(|p| p.z)) - least(matter.iter().map(|p| p.z))
}

/// Height of the matter within 8 cm of a vertical, m.
fn top_at(matter: &[DVec3], axis: DVec3) -> f64 {
    greatest(matter.iter().filter(|p| (**p - axis).truncate().length() < 0.08).map(|p| p.z))
}

#[test]
fn the_hard_dents_the_soft() {
    let place = bake_coarse(scene("three-materials"), 0.05, false);
    let first = particles(&place, 1);
    let share = of(&first, CARAMEL).count() * 100 / first.len();
    assert!((5..=10).contains(&share), "{share} % of the particles are hard");
    for frame in 1..=LAST {
        let lowest = least(particles(&place, frame).iter().map(|p| p.position.z));
        assert!(lowest > 0.0, "frame {frame}: a particle in the table");
    }
    let last = particles(&place, LAST);
    let [pudding, dough, caramel] =
        [PUDDING, DOUGH, CARAMEL].map(|body| height(&places(&last, body)) / height(&places(&first, body)));
    assert!(caramel > 0.55, "the caramel keeps {caramel} of its height");
    assert!(
        pudding < 0.5 && pudding < dough && dough < caramel,
        "{pudding}, {dough}, {caramel} of the heights are left"
    );
    let ball = places(&last, CARAMEL);
    let axis = ball.iter().sum::<DVec3>() / f64::from(u32::try_from(ball.len()).unwrap());
    let dough = places(&last, DOUGH);
    let dent = greatest(dough.iter().map(|p| p.z)) - top_at(&dough, axis);
    assert!(dent > 0.08, "the ball dents the dough by {dent} m");
}
