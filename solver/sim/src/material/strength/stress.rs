//! The stress of one particle, and its change over a step.

use crate::kernel::Dimensions;
use crate::particles::Stress;
use glam::{DMat3, DVec3};

/// The part of the lattice's moment from which a particle is covered on all sides, by the norm of the inverse moment. A
/// flat surface has a third, the edge of a cube a tenth.
const COVERED: f64 = 0.05;

/// Largest displacement gradient that a step follows.
const MOST_STRAINED: f64 = 0.5;

/// Constants of matter under shear.
#[derive(Debug, Clone, Copy)]
pub struct Strength {
    /// G, Pa.
    pub shear_modulus: f64,
    /// Yield stress, Pa.
    pub yield_stress: f64,
}

/// The relative motion of a particle's neighbours over its step.
#[derive(Debug, Clone, Copy)]
pub struct YieldFlow {
    /// Gradient of their displacements, E.
    pub gradient: DMat3,
    /// Inverse of their moment over that of the lattice.
    pub inverse: DMat3,
    /// How far they cover all sides, c.
    pub cover: f64,
}

impl YieldFlow {
    /// Takes the sum of displacements times offsets and the moment, both over the moment of the lattice.
    pub fn new(velocities: DMat3, moment: DMat3, dimensions: Dimensions) -> Self {
        let moment = match dimensions {
            Dimensions::Two => moment + DMat3::from_diagonal(DVec3::Y),
            Dimensions::Three => moment,
        };
        let inverse = moment.inverse();
        let size = squared(inverse).sqrt();
        // Not finite without neighbours.
        if !(size.is_finite() && size < 1e6) {
            return Self { gradient: DMat3::ZERO, inverse: DMat3::ZERO, cover: 0.0 };
        }
        Self { gradient: velocities * inverse, inverse, cover: (1.0 / (COVERED * size)).min(1.0) }
    }

    /// The rotation and the strain of a step, at its middle.
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
    pub fn after(&self, flow: &YieldFlow, strength: &Strength, dimensions: Dimensions) -> (Self, f64) {
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

/// The matrix without its isotropic part, in the scene's dimensions.
fn without_trace(matrix: DMat3, dimensions: Dimensions) -> DMat3 {
    let trace = matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z;
    let axes = match dimensions {
        Dimensions::Two => DVec3::new(0.5, 0.0, 0.5),
        Dimensions::Three => DVec3::splat(1.0 / 3.0),
    };
    matrix - DMat3::from_diagonal(axes * trace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    const SOLID: Strength = Strength { shear_modulus: 1e4, yield_stress: 1e3 };

    /// The flow of a step in which all matter turns by an angle about an axis.
    fn turning(axis: DVec3, angle: f64) -> YieldFlow {
        let back = DMat3::from_quat(DQuat::from_axis_angle(axis, -angle));
        YieldFlow { gradient: DMat3::IDENTITY - back, inverse: DMat3::IDENTITY, cover: 1.0 }
    }

    fn sheared(rate: f64) -> YieldFlow {
        let gradient = DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, DVec3::X * rate);
        YieldFlow { gradient, inverse: DMat3::IDENTITY, cover: 1.0 }
    }

    #[test]
    fn stress_turns_with_matter_and_none_comes_of_turning() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let start = Stress { deviator: [300.0, -100.0, -200.0, 50.0, 150.0, -80.0], ..Stress::default() };
        for steps in [20, 400] {
            let angle = 5.0;
            let flow = turning(axis, angle / f64::from(steps));
            let (mut stress, mut unstressed) = (start, Stress::default());
            for _ in 0..steps {
                stress = stress.after(&flow, &SOLID, Dimensions::Three).0;
                unstressed = unstressed.after(&flow, &SOLID, Dimensions::Three).0;
            }
            let turn = DMat3::from_quat(DQuat::from_axis_angle(axis, angle));
            let expected = turn * start.matrix() * turn.transpose();
            let off = squared(stress.matrix() - expected).sqrt();
            assert!(off < 0.02, "{steps} steps: off by {off} Pa");
            assert!(unstressed.size_squared().sqrt() < 0.01, "{unstressed:?}");
        }
    }

    #[test]
    fn shear_is_elastic_below_the_yield_stress_and_plastic_above() {
        for dimensions in [Dimensions::Two, Dimensions::Three] {
            let step = |stress: Stress, rate: f64| stress.after(&sheared(rate), &SOLID, dimensions);
            let (mut stress, mut flowed) = (Stress::default(), 0.0);
            let mut strain = |stress: &mut Stress, rate: f64, steps: usize| {
                for _ in 0..steps {
                    let (next, lost) = step(*stress, rate);
                    (*stress, flowed) = (next, flowed + lost);
                }
                flowed
            };
            let lost = strain(&mut stress, 1e-4, 500);
            let expected = 1e4 * 0.05;
            assert!((stress.matrix().z_axis.x / expected - 1.0).abs() < 0.01, "{stress:?}");
            assert!(lost.abs() < 1e-6 * expected, "{lost}");
            let lost = strain(&mut stress, 1e-4, 2000);
            assert!((stress.size_squared().sqrt() / 1e3 - 1.0).abs() < 1e-6, "{stress:?}");
            // Of a strain of 0.25 the part beyond 0.1 flows at the yield stress.
            assert!((lost / (1e3 * 0.15) - 1.0).abs() < 0.02, "{lost}");
        }
    }

    #[test]
    fn few_neighbours_have_no_strength() {
        let line = DMat3::from_diagonal(DVec3::new(1.0, 0.0, 0.0));
        for (moment, covered) in [(DMat3::ZERO, 0.0), (line, 0.0), (DMat3::IDENTITY, 1.0)] {
            let flow = YieldFlow::new(DMat3::ZERO, moment, Dimensions::Three);
            assert!((flow.cover - covered).abs() < 1e-12, "{flow:?}");
        }
        let thin = YieldFlow::new(DMat3::ZERO, DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1e-3)), Dimensions::Three);
        let plate = YieldFlow::new(DMat3::ZERO, line + DMat3::from_diagonal(DVec3::Z), Dimensions::Two);
        assert!(thin.cover < 0.05 && plate.cover > 0.999, "{} {}", thin.cover, plate.cover);
    }
}
