//! The stress of one particle, and what a step does to it.

use crate::kernel::Dimensions;
use glam::{DMat3, DVec3};

/// The part of the lattice's moment from where on a particle has neighbours enough on all sides, by the norm of its inverse. A flat
/// surface has a third, the edge of a cube a tenth.
const COVERED: f64 = 0.05;

/// Largest gradient of the ways of a step that is followed.
const MOST_STRAINED: f64 = 0.5;

/// Stress of a particle, and what its neighbours feel of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stress {
    /// Deviator S, Pa: xx, yy, zz, xy, xz, yz.
    pub deviator: [f32; 6],
    /// T of the force, N/m over the smoothing length: rows.
    pub tension: [[f32; 3]; 3],
}

/// What matter is like under shear.
#[derive(Debug, Clone, Copy)]
pub struct Strength {
    /// G, Pa.
    pub shear_modulus: f64,
    /// Yield stress, Pa.
    pub yield_stress: f64,
}

/// How the neighbours of a particle moved over its step.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// Gradient of their ways, E.
    pub gradient: DMat3,
    /// Inverse of their moment over that of the lattice.
    pub inverse: DMat3,
    /// How far they cover all sides, c.
    pub cover: f64,
}

impl Flow {
    /// By the sum of ways times offsets and the moment, both over the moment of the lattice.
    pub fn new(ways: DMat3, moment: DMat3, dimensions: Dimensions) -> Self {
        let moment = match dimensions {
            Dimensions::Two => moment + DMat3::from_diagonal(DVec3::Y),
            Dimensions::Three => moment,
        };
        let inverse = moment.inverse();
        let size = squared(inverse).sqrt();
        // Not a number where there are no neighbours.
        if !(size.is_finite() && size < 1e6) {
            return Self { gradient: DMat3::ZERO, inverse: DMat3::ZERO, cover: 0.0 };
        }
        Self { gradient: ways * inverse, inverse, cover: (1.0 / (COVERED * size)).min(1.0) }
    }

    /// The turn, and the strain, of a step, in its middle.
    fn turn_and_strain(&self) -> (DMat3, DMat3) {
        let size = squared(self.gradient).sqrt();
        let gradient = self.gradient * (MOST_STRAINED / size).min(1.0);
        let middle = gradient * (DMat3::IDENTITY - gradient * 0.5).inverse();
        let skew = (middle - middle.transpose()) * 0.25;
        let turn = (DMat3::IDENTITY - skew).inverse() * (DMat3::IDENTITY + skew);
        (turn, (middle + middle.transpose()) * 0.5)
    }
}

impl Stress {
    /// The stress after a step, and the energy by volume that went into flow, J/m^3.
    pub fn after(&self, flow: &Flow, strength: &Strength, dimensions: Dimensions) -> (Self, f64) {
        let (turn, strain) = flow.turn_and_strain();
        let strain = without_trace(strain, dimensions) * flow.cover;
        let before = turn * self.matrix() * turn.transpose();
        let grown = without_trace(before + strain * (2.0 * strength.shear_modulus), dimensions);
        let size = (squared(grown) / 2.0).sqrt();
        let kept = if size > strength.yield_stress { strength.yield_stress / size } else { 1.0 };
        let after = grown * kept;
        let energy = |deviator: DMat3| squared(deviator) / (4.0 * strength.shear_modulus);
        let work = product(before + after, strain) / 2.0;
        let flowed = work - (energy(after) - energy(before));
        (Self::of(&after, &(after * flow.inverse * flow.cover)), flowed)
    }

    /// The square of its size, S:S / 2, Pa^2.
    pub fn size_squared(&self) -> f64 {
        squared(self.matrix()) / 2.0
    }

    /// The deviator, Pa.
    pub fn matrix(&self) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz] = self.deviator.map(f64::from);
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }

    fn of(deviator: &DMat3, tension: &DMat3) -> Self {
        let at = |row: usize, column: usize| deviator.col(column)[row] as f32;
        let row = |n: usize| tension.row(n).as_vec3().to_array();
        Self {
            deviator: [at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)],
            tension: [row(0), row(1), row(2)],
        }
    }
}

/// Sum of the squares of all entries.
fn squared(matrix: DMat3) -> f64 {
    product(matrix, matrix)
}

/// Sum of the products of all entries.
fn product(a: DMat3, b: DMat3) -> f64 {
    a.to_cols_array().iter().zip(b.to_cols_array()).map(|(a, b)| a * b).sum()
}

/// The matrix without its isotropic part, in the dimensions that matter has.
fn without_trace(matrix: DMat3, dimensions: Dimensions) -> DMat3 {
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let axes = match dimensions {
        Dimensions::Two => DVec3::new(0.5, 0.0, 0.5),
        Dimensions::Three => DVec3::splat(1.0 / 3.0),
    };
    matrix - DMat3::from_diagonal(axes * trace)
}
