//! Neighbour lists against a search through all pairs.

use crate::common::Random;
use dollop_sim::neighbours::{Neighbours, TO_Q};
use glam::DVec3;

const SUPPORT: f64 = 0.25;

/// Checks that each particle's list holds everybody within the support, once and not itself, and that distances of
/// places are those of the positions to their resolution.
fn check_lists(neighbours: &Neighbours, positions: &[DVec3]) {
    let (order, places) = (neighbours.order(), neighbours.places());
    let mut numbers: Vec<u32> = order.to_vec();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..positions.len() as u32).collect::<Vec<_>>());
    assert!(neighbours.slots().iter().enumerate().all(|(i, &slot)| order[slot as usize] == i as u32));
    let slots =
        neighbours.batches().iter().flat_map(|lists| (0..lists.len()).map(move |n| (lists.first + n, lists.of(n))));
    assert!(slots.clone().map(|(slot, _)| slot).eq(0..positions.len()));
    for (slot, list) in slots {
        let own = positions[order[slot] as usize];
        let mut seen = vec![0; positions.len()];
        list.as_flattened().iter().filter(|&&at| at as usize != slot).for_each(|&at| seen[at as usize] += 1);
        for (at, &times) in seen.iter().enumerate().filter(|&(at, _)| at != slot) {
            let distance = (own - positions[order[at] as usize]).length();
            assert!(times <= 1, "slot {at} is listed {times} times");
            assert!(times == 1 || distance >= SUPPORT, "a neighbour at {distance} of {SUPPORT} is missing");
            if distance < SUPPORT {
                let difference = |axis: usize| {
                    f64::from(places[slot][axis].wrapping_sub(places[at][axis]) as f32 * TO_Q) * SUPPORT / 2.0
                };
                let found = DVec3::from_array([0, 1, 2].map(difference));
                let resolution = SUPPORT / 1_048_576.0 + own.abs().max_element() * 1e-15;
                let wrong = found - (own - positions[order[at] as usize]);
                assert!(wrong.abs().max_element() <= 1.01 * resolution, "{found}");
            }
        }
    }
}

fn check(positions: &[DVec3]) {
    let mut neighbours = Neighbours::new(SUPPORT);
    neighbours.make(positions);
    check_lists(&neighbours, positions);
}

fn cloud(count: usize, size: f64, around: DVec3) -> Vec<DVec3> {
    let mut random = Random::new(7);
    (0..count).map(|_| around + random.vector(size)).collect()
}

#[test]
fn random_clouds_around_the_origin() {
    for size in [0.05, 0.3, 1.0, 5.0] {
        check(&cloud(400, size, DVec3::ZERO));
    }
}

#[test]
fn clouds_far_from_the_origin() {
    for around in [DVec3::splat(1e5), DVec3::new(-1e5, 3e4, -7e4), DVec3::splat(3e6)] {
        check(&cloud(400, 1.0, around));
    }
}

#[test]
fn runaway_particles_do_not_disturb_the_others() {
    let mut points = cloud(300, 1.0, DVec3::ZERO);
    for far in [1e9, -1e9, 1e30] {
        points.push(DVec3::new(far, 0.0, 0.0));
        points.push(DVec3::new(0.0, far, -far));
    }
    check(&points);
}

#[test]
fn none_one_and_coincident_particles() {
    check(&[]);
    check(&[DVec3::new(-3.0, 2.0, 1.0)]);
    check(&[DVec3::ONE; 20]);
    check(&[DVec3::ZERO, DVec3::X * 0.25, DVec3::X * 0.249_999, DVec3::X * -0.25]);
}

#[test]
fn lists_hold_for_moving_matter_until_they_are_made_again() {
    let mut random = Random::new(11);
    let mut positions = cloud(500, 0.6, DVec3::ZERO);
    let velocities: Vec<DVec3> = (0..500).map(|_| DVec3::new(30.0, -20.0, 10.0) + random.vector(1.0)).collect();
    let mut neighbours = Neighbours::new(SUPPORT);
    let (mut kept, mut order) = (0, Vec::new());
    for _ in 0..40 {
        neighbours.update(&positions);
        check_lists(&neighbours, &positions);
        kept += usize::from(order == neighbours.order());
        order = neighbours.order().to_vec();
        positions.iter_mut().zip(&velocities).for_each(|(p, v)| *p += *v * 2e-3);
    }
    assert!((20..39).contains(&kept), "the lists were kept {kept} times of 40");
}

#[test]
fn lists_made_again_forget_what_was() {
    let mut neighbours = Neighbours::new(SUPPORT);
    neighbours.make(&cloud(100, 1.0, DVec3::ZERO));
    for points in [cloud(100, 1.0, DVec3::splat(3.0)), cloud(30, 0.2, DVec3::ZERO), Vec::new()] {
        let mut fresh = Neighbours::new(SUPPORT);
        neighbours.make(&points);
        fresh.make(&points);
        assert_eq!((neighbours.order(), neighbours.batches()), (fresh.order(), fresh.batches()));
    }
}
