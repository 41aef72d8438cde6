//! The cell grid against a search through all pairs.

use crate::common::Random;
use dollop_sim::neighbours::{CellGrid, TO_Q};
use glam::DVec3;

/// Checks that each particle's ranges hold everybody within the support, once, and that the grid's own distances are
/// those of the positions to its resolution.
fn check(positions: &[DVec3], support: f64) {
    let mut grid = CellGrid::default();
    grid.build(positions, support);
    let mut numbers: Vec<u32> = grid.order.clone();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..positions.len() as u32).collect::<Vec<_>>());
    for slot in 0..positions.len() {
        let own = positions[grid.order[slot] as usize];
        let mut seen = vec![0; positions.len()];
        for &(start, end) in &grid.ranges[grid.cell[slot] as usize] {
            (start..end).for_each(|at| seen[at as usize] += 1);
        }
        for (at, &times) in seen.iter().enumerate() {
            let other = positions[grid.order[at] as usize];
            let distance = (own - other).length();
            assert!(times <= 1, "slot {at} is listed {times} times");
            assert!(times == 1 || distance >= support, "a neighbour at {distance} of {support} is missing");
            if distance < support {
                let difference = |a: i32, b: i32| f64::from(a.wrapping_sub(b) as f32 * TO_Q) * support / 2.0;
                let found = DVec3::new(
                    difference(grid.x[slot], grid.x[at]),
                    difference(grid.y[slot], grid.y[at]),
                    difference(grid.z[slot], grid.z[at]),
                );
                let resolution = support / 65536.0 + own.abs().max_element() * 1e-15;
                assert!((found - (own - other)).abs().max_element() <= 1.01 * resolution, "{found}");
            }
        }
    }
}

fn cloud(count: usize, size: f64, around: DVec3) -> Vec<DVec3> {
    let mut random = Random::new(7);
    (0..count).map(|_| around + random.vector(size)).collect()
}

#[test]
fn random_clouds_around_the_origin() {
    for size in [0.05, 0.3, 1.0, 5.0] {
        check(&cloud(400, size, DVec3::ZERO), 0.25);
    }
}

#[test]
fn clouds_far_from_the_origin() {
    for around in [DVec3::splat(1e5), DVec3::new(-1e5, 3e4, -7e4)] {
        check(&cloud(400, 1.0, around), 0.25);
    }
}

#[test]
fn runaway_particles_do_not_disturb_the_others() {
    let mut points = cloud(300, 1.0, DVec3::ZERO);
    for far in [1e9, -1e9, 1e30] {
        points.push(DVec3::new(far, 0.0, 0.0));
        points.push(DVec3::new(0.0, far, -far));
    }
    check(&points, 0.25);
}

#[test]
fn none_one_and_coincident_particles() {
    check(&[], 0.25);
    check(&[DVec3::new(-3.0, 2.0, 1.0)], 0.25);
    check(&[DVec3::ONE; 20], 0.25);
    check(&[DVec3::ZERO, DVec3::X * 0.25, DVec3::X * 0.249_999, DVec3::X * -0.25], 0.25);
}

#[test]
fn a_grid_built_again_forgets_what_was() {
    let mut grid = CellGrid::default();
    grid.build(&cloud(100, 1.0, DVec3::ZERO), 0.25);
    let mut fresh = CellGrid::default();
    for points in [cloud(100, 1.0, DVec3::splat(3.0)), cloud(30, 0.2, DVec3::ZERO), Vec::new()] {
        grid.build(&points, 0.25);
        fresh.build(&points, 0.25);
        assert_eq!((&grid.order, &grid.cell, &grid.ranges), (&fresh.order, &fresh.cell, &fresh.ranges));
    }
}
