//! The velocities and pressures of a step together: generalised conjugate residuals (Eisenstat, Elman, Schultz 1983)
//! with a block-triangular preconditioner.
//!
//! Split solves let stiff matter flow apart that both together hold: the front of a slump at 1,000 Pa s goes 1.3 to
//! 1.8 times too far.

use super::fields::{Field, Fields, pass, product, zeros};
use super::level::{Level, Stresses};
use super::multigrid::Multigrid;

/// Earlier directions that a new one is made orthogonal to.
const WINDOW: usize = 16;

/// Velocities on faces and pressures in cells, or the two sides of their equations.
#[derive(Debug, Clone, Default)]
pub struct Flow {
    pub u: Fields,
    pub p: Field,
}

/// How a solve went.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    pub iterations: usize,
    /// Size of the residual over that of the right side.
    pub residual: f64,
}

impl Flow {
    pub fn zeros(len: usize) -> Self {
        Self { u: zeros(len), p: vec![0.0; len] }
    }

    fn fields(&self) -> [&Field; 4] {
        let ([x, y, z], p) = (&self.u, &self.p);
        [x, y, z, p]
    }

    fn fields_mut(&mut self) -> [&mut Field; 4] {
        let ([x, y, z], p) = (&mut self.u, &mut self.p);
        [x, y, z, p]
    }

    /// Adds others times factors, then multiplies all by a factor.
    fn add(&mut self, level: &Level, others: &[(&Self, f32)], factor: f32) {
        let rows = &level.rows;
        pass::<4, ()>(rows, self.fields_mut(), |(), row, out| {
            for (n, out) in out.into_iter().enumerate() {
                for (other, factor) in others {
                    let other = rows.own(other.fields()[n], row);
                    out.iter_mut().zip(other).for_each(|(out, other)| *out += factor * other);
                }
                for out in &mut *out {
                    *out *= factor;
                }
            }
        });
    }

    /// The scalar products with others.
    fn products(&self, level: &Level, others: &[&Self]) -> Vec<f64> {
        let rows = &level.rows;
        let parts = pass::<0, Vec<f64>>(rows, [], |sums, row, []| {
            sums.resize(others.len(), 0.0);
            for (sum, other) in sums.iter_mut().zip(others) {
                for (a, b) in self.fields().into_iter().zip(other.fields()) {
                    *sum += product(rows.own(a, row), rows.own(b, row));
                }
            }
        });
        let mut sums = vec![0.0; others.len()];
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        }
        sums
    }
}

/// The left sides of all equations.
fn left(level: &Level, flow: &Flow, stresses: &mut Stresses, out: &mut Flow) {
    level.find_stresses(&flow.u, stresses);
    level.momentum(&flow.u, stresses, &mut out.u);
    level.add_gradient(&flow.p, 1.0, &mut out.u);
    level.convergence(&flow.u, &mut out.p);
}

/// About the flow with some left sides. The pressure comes first, from the Schur complements of thin and of thick
/// matter (Cahouet and Chabard 1988); then the velocities at that pressure.
fn precondition(grid: &mut Multigrid, sides: &Flow, out: &mut Flow) {
    out.p.clone_from(grid.pressure(&sides.p));
    let Level { rows, stretch, full, .. } = grid.finest();
    pass::<1, ()>(rows, [&mut out.p], |(), row, [p]| {
        let (stretch, full, side) = (rows.own(&stretch[0], row), rows.own(full, row), rows.own(&sides.p, row));
        add_thick(p, side, stretch, full);
    });
    let mut right = sides.u.clone();
    grid.finest().add_gradient(&out.p, -1.0, &mut right);
    out.u.clone_from(grid.velocities(&right));
}

#[inline(always)]
fn add_thick(p: &mut [f32], side: &[f32], stretch: &[f32], full: &[f32]) {
    let n = p.len();
    let (side, stretch, full) = (&side[..n], &stretch[..n], &full[..n]);
    for i in 0..n {
        p[i] = -(p[i] + full[i] * stretch[i] * side[i]);
    }
}

/// Solves for a flow, from what it is, until the residual is below a part of the right sides.
pub fn solve(grid: &mut Multigrid, right: &Flow, flow: &mut Flow, tolerance: f64, most: usize) -> Convergence {
    let len = grid.finest().rows.len();
    let mut stresses = Stresses::zeros(len);
    let mut rest = Flow::zeros(len);
    left(grid.finest(), flow, &mut stresses, &mut rest);
    rest.add(grid.finest(), &[(right, -1.0)], -1.0);
    let size = |of: &Flow, level: &Level| of.products(level, &[of])[0].sqrt();
    let whole = size(right, grid.finest());
    let mut found = Convergence { iterations: 0, residual: size(&rest, grid.finest()) / whole.max(f64::MIN_POSITIVE) };
    // Each direction with its left sides, which are orthonormal.
    let mut directions: Vec<(Flow, Flow)> = Vec::new();
    while found.residual > tolerance && found.iterations < most {
        let (mut direction, mut image) =
            if directions.len() < WINDOW { (Flow::zeros(len), Flow::zeros(len)) } else { directions.remove(0) };
        precondition(grid, &rest, &mut direction);
        let level = grid.finest();
        left(level, &direction, &mut stresses, &mut image);
        let factors = image.products(level, &directions.iter().map(|(_, image)| image).collect::<Vec<_>>());
        let earlier = |of: fn(&(Flow, Flow)) -> &Flow| -> Vec<(&Flow, f32)> {
            directions.iter().map(of).zip(factors.iter().map(|factor| -*factor as f32)).collect()
        };
        let (of_directions, of_images) = (earlier(|(direction, _)| direction), earlier(|(_, image)| image));
        direction.add(level, &of_directions, 1.0);
        image.add(level, &of_images, 1.0);
        let length = size(&image, level);
        if length <= 0.0 || !length.is_finite() {
            break;
        }
        direction.add(level, &[], (1.0 / length) as f32);
        image.add(level, &[], (1.0 / length) as f32);
        let share = image.products(level, &[&rest])[0] as f32;
        flow.add(level, &[(&direction, share)], 1.0);
        rest.add(level, &[(&image, -share)], 1.0);
        directions.push((direction, image));
        found = Convergence { iterations: found.iterations + 1, residual: size(&rest, level) / whole };
    }
    found
}
