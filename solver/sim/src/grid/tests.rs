//! Flows that are known in closed form, on a grid without particles.
#![allow(clippy::unwrap_used)]

use super::coupled::{Flow, left, solve};
use super::equations::{Poisson, residual};
use super::fields::zeros;
use super::level::{Level, others};
use super::multigrid::Multigrid;
use super::rows::Rows;
use glam::IVec3;

/// Cells of a box.
fn boxed(size: IVec3) -> impl Iterator<Item = IVec3> + Clone {
    (0..size.z).flat_map(move |z| (0..size.y).flat_map(move |y| (0..size.x).map(move |x| IVec3::new(x, y, z))))
}

/// A filled box of matter. `stiffness` is dt eta / (rho h^2); walls are below it and, if closed, on all sides.
fn filled(size: IVec3, stiffness: f32, closed: bool) -> Level {
    let mut level = Level::empty(Rows::around(boxed(size), 2, 1 << 24).unwrap());
    for cell in boxed(size) {
        let at = |offset: IVec3| level.rows.index(cell + offset).unwrap();
        let own = at(IVec3::ZERO);
        level.full[own] = 1.0;
        for axis in 0..3 {
            let [b, c] = others(axis).map(|axis| IVec3::AXES[axis]);
            level.stretch[axis][own] = 2.0 * stiffness;
            for face in [own, at(IVec3::AXES[axis])] {
                level.mass[axis][face] += 0.5;
            }
            for edge in [own, at(b), at(c), at(b + c)] {
                level.shear[axis][edge] += 0.25 * stiffness;
            }
        }
    }
    let cells: Vec<_> = level.rows.cells().collect();
    for (cell, at) in cells {
        for axis in 0..3 {
            let walled = |of: usize| {
                let least = i32::from(of == axis);
                cell[of] < least && (closed || of == 2) || cell[of] >= size[of] && closed
            };
            let is_wall = (0..3).any(walled);
            level.covered[axis][at] = f32::from(is_wall);
            level.free[axis][at] = f32::from(level.mass[axis][at] > 0.0 && !is_wall);
            level.lightness[axis][at] = level.free[axis][at] / level.mass[axis][at].max(0.1);
        }
    }
    level.invert_diagonals();
    level
}

/// The right sides of gravity alone, for so many times h a step.
fn falling(level: &Level, by: f32) -> Flow {
    let mut right = Flow::zeros(level.rows.len());
    for at in 0..level.rows.len() {
        right.u[2][at] = -by * level.mass[2][at] * level.free[2][at];
    }
    right
}

/// Matter in a closed box stays where it is, at the pressure of the matter above.
#[test]
fn matter_in_a_box_has_hydrostatic_pressure() {
    let size = IVec3::new(7, 6, 9);
    let level = filled(size, 3.0, true);
    let right = falling(&level, 1.0);
    let mut flow = Flow::zeros(level.rows.len());
    let mut grid = Multigrid::new(level);
    let found = solve(&mut grid, &right, &mut flow, 1e-6, 60);
    assert!(found.residual <= 1e-6, "{found:?}");
    let rows = &grid.finest().rows;
    let p = |z: i32| f64::from(flow.p[rows.index(IVec3::new(3, 2, z)).unwrap()]);
    for z in 1..size.z {
        assert!((p(z) - p(z - 1) + 1.0).abs() < 1e-3, "pressure falls by {} at {z}", p(z - 1) - p(z));
    }
    let fastest = flow.u.iter().flatten().fold(0.0f32, |most, u| most.max(u.abs()));
    assert!(fastest < 1e-4, "{fastest}");
}

/// Where one face has no mass by the equations, or has more than can be told, no face has a velocity.
#[test]
fn a_solve_without_a_number_gives_none() {
    for mass in [f32::NAN, f32::INFINITY, f32::MAX] {
        let mut level = filled(IVec3::new(7, 6, 9), 3.0, true);
        let right = falling(&level, 1.0);
        let at = level.rows.index(IVec3::new(3, 2, 4)).unwrap();
        level.mass[2][at] = mass;
        let mut flow = Flow::zeros(level.rows.len());
        // At rest only the right sides count.
        flow.u[2].fill(1e-3);
        let found = solve(&mut Multigrid::new(level), &right, &mut flow, 1e-3, 60);
        assert!(!found.residual.is_finite(), "{mass}: {found:?}");
        assert!(flow.u.iter().flatten().chain(&flow.p).all(|part| part.is_nan()), "{mass}");
    }
}

/// Numbers that look random, from 0 to 1.
fn noise(seed: usize) -> f32 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f32 / (1u64 << 24) as f32
}

/// A block of matter on a floor with noise in its velocities; the iterations and the flow of its solve.
fn slump(size: IVec3, stiffness: f32, threads: usize) -> (usize, Flow) {
    let level = filled(size, stiffness, false);
    let mut right = falling(&level, 1.0);
    for axis in 0..3 {
        for (at, right) in right.u[axis].iter_mut().enumerate() {
            *right += (noise(3 * at + axis) - 0.5) * level.mass[axis][at] * level.free[axis][at];
        }
    }
    let mut flow = Flow::zeros(level.rows.len());
    let mut grid = Multigrid::new(level);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let found = pool.install(|| solve(&mut grid, &right, &mut flow, 1e-3, 100));
    (found.iterations, flow)
}

#[test]
fn a_solve_has_the_same_bits_for_any_number_of_threads() {
    let size = IVec3::new(40, 31, 22);
    let (iterations, flow) = slump(size, 10.0, 1);
    for threads in [2, 3] {
        let (again, other) = slump(size, 10.0, threads);
        assert_eq!(iterations, again);
        assert_eq!((flow.u.as_slice(), &flow.p), (other.u.as_slice(), &other.p), "{threads} threads");
    }
}

/// Neither thick nor much matter needs many more iterations.
#[test]
fn iterations_hardly_depend_on_stiffness_and_size() {
    for size in [6, 14, 30] {
        for stiffness in [1e-5, 1e-2, 1.0, 1e2, 1e4] {
            let (iterations, _) = slump(IVec3::splat(size), stiffness, 2);
            assert!(iterations <= 25, "{iterations} iterations for {size}^3 cells of stiffness {stiffness:e}");
        }
    }
}

/// Cycles find the pressure below a free surface wherever it lies among the coarser cells.
#[test]
fn cycles_converge_below_a_free_surface() {
    for high in 13..=20 {
        let level = filled(IVec3::new(20, 18, high), 0.0, false);
        let len = level.rows.len();
        let right: Vec<f32> = level.full.iter().enumerate().map(|(at, full)| full * noise(at)).collect();
        let mut grid = Multigrid::new(level);
        let rest = |grid: &mut Multigrid, cycles: usize| {
            let pressure = grid.cycles(&right, cycles);
            let (mut flows, mut rest) = (zeros(len), [vec![0.0; len]]);
            residual::<1, Poisson>(grid.finest(), std::array::from_ref(&right), &[pressure], &mut flows, &mut rest);
            rest[0].iter().map(|rest| f64::from(*rest).powi(2)).sum::<f64>().sqrt()
        };
        let (first, last) = (rest(&mut grid, 2), rest(&mut grid, 6));
        assert!(last < 0.15 * first, "{high} cells high: a residual of {first} after 2 cycles, of {last} after 6");
    }
}

/// The left side of the velocities is symmetric, so that their work is an energy.
#[test]
fn viscous_forces_are_symmetric() {
    let level = filled(IVec3::new(5, 6, 4), 2.0, false);
    let random = |seed: usize| {
        let mut flow = Flow::zeros(level.rows.len());
        for axis in 0..3 {
            for (at, u) in flow.u[axis].iter_mut().enumerate() {
                *u = (noise(seed + 3 * at + axis) - 0.5) * level.free[axis][at];
            }
        }
        flow.u
    };
    let forces = |u: &super::fields::Fields| {
        let flow = Flow { u: u.clone(), p: vec![0.0; level.rows.len()] };
        left(&level, &flow).u
    };
    let dot = |a: &super::fields::Fields, b: &super::fields::Fields| -> f64 {
        a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let (a, b) = (random(1), random(7000));
    let (ab, ba) = (dot(&a, &forces(&b)), dot(&b, &forces(&a)));
    assert!((ab - ba).abs() < 1e-5 * dot(&a, &forces(&a)), "{ab} against {ba}");
}
