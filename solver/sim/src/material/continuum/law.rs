//! Stress of matter that keeps its shape and flows where it is stressed too much (Saramito 2009, "A new
//! elastoviscoplastic model based on the Herschel-Bulkley viscoplastic model", Journal of Non-Newtonian Fluid Mechanics
//! 158).
//!
//! | symbol | meaning |
//! |---|---|
//! | b | left Cauchy-Green tensor of the elastic deformation, of determinant 1 |
//! | s | stress, G dev(b), Pa |
//! | size | of a stress, sqrt(s : s / 2): in shear, the shear stress |

use glam::{DMat3, DVec3};

/// Largest gradient of displacements that a step follows.
const MOST_STRAINED: f64 = 1.0;
/// Size of the stress over G beyond which no matter is stretched.
const MOST_STRETCHED: f64 = 1e4;
/// Iterations of Newton for a stress or a stretch.
const MOST_ITERATIONS: usize = 60;
const NEGLIGIBLE: f64 = 1e-9;
/// The least that grains bear over what they bear in shear, a little rounded: at 45 degrees, pressed along two axes.
const LEAST_OVER_SHEAR: f64 = 0.866;

/// b of a particle: xx, yy, zz, xy, xz, yz.
pub type Stretch = [f32; 6];

/// That of matter that nothing has deformed.
pub const UNSTRETCHED: Stretch = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

/// Whether some numbers are those of a deformation that keeps the volume, as far as their precision tells: positive
/// definite, of determinant 1, and no longer than any that a [law](Law::after) leaves.
pub fn is_stretch(numbers: &Stretch) -> bool {
    let b = matrix(*numbers);
    let minor = b.x_axis.x * b.y_axis.y - b.x_axis.y * b.x_axis.y;
    let trace = b.x_axis.x + b.y_axis.y + b.z_axis.z;
    let error = 4.0 * f64::from(f32::EPSILON);
    let is_positive = b.x_axis.x > -trace * error && minor > -trace.powi(2) * error;
    is_positive && trace < 10.0 * MOST_STRETCHED && (b.determinant() - 1.0).abs() < trace.powi(3) * error
}

/// Constants of matter that keeps its shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// G, Pa.
    pub shear_modulus: f64,
    /// How it flows; none if it never does.
    pub flow: Option<PlasticFlow>,
}

/// Where and how fast matter flows: in steady shear at a rate, the shear stress is the yield stress plus consistency
/// times rate^index (Herschel and Bulkley). Grains yield later the more they are pressed together, and later where they
/// are pressed together along one axis than along two (Matsuoka and Nakai 1974, "Stress-deformation and strength
/// characteristics of soil under three different principal stresses", Proceedings of the Japan Society of Civil
/// Engineers 232).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlasticFlow {
    /// Pa.
    pub yield_stress: f64,
    /// What the yield stress in shear grows by with the pressure, up to 1.
    pub friction: f64,
    /// Pa s^index.
    pub consistency: f64,
    pub index: f64,
}

/// What a step makes of a deformation.
#[derive(Debug, Clone, Copy)]
pub struct Deformed {
    /// b at the end.
    pub stretch: DMat3,
    /// The part of the stress that is left by the flow.
    pub kept: f64,
}

impl Law {
    /// A part of it: moduli and stresses go to zero together.
    pub fn weaker(&self, part: f64) -> Self {
        let flow = self.flow.map(|flow| PlasticFlow {
            yield_stress: part * flow.yield_stress,
            friction: part * flow.friction,
            consistency: part * flow.consistency,
            ..flow
        });
        Self { shear_modulus: part * self.shear_modulus, flow }
    }

    /// That of matter that a pressure, Pa, presses together.
    pub fn pressed(mut self, pressure: f64) -> Self {
        if let Some(flow) = &mut self.flow {
            flow.yield_stress += flow.friction * pressure.max(0.0);
        }
        self
    }

    /// Between it and another; what never flows counts as long as any of it is left.
    pub fn toward(&self, other: &Self, part: f64) -> Self {
        let between = |a: f64, b: f64| a + part * (b - a);
        let flow = match (self.flow, other.flow) {
            (Some(own), Some(flow)) => Some(PlasticFlow {
                yield_stress: between(own.yield_stress, flow.yield_stress),
                friction: between(own.friction, flow.friction),
                consistency: between(own.consistency, flow.consistency),
                index: between(own.index, flow.index),
            }),
            (None, flow) => flow.filter(|_| part >= 1.0),
            (flow, None) => flow.filter(|_| part <= 0.0),
        };
        Self { shear_modulus: between(self.shear_modulus, other.shear_modulus), flow }
    }

    /// The stress, Pa.
    pub fn stress(&self, stretch: DMat3) -> DMat3 {
        deviator(stretch) * self.shear_modulus
    }

    /// The deformation after some seconds, with a gradient of displacements in them.
    pub fn after(&self, stretch: DMat3, gradient: DMat3, seconds: f64) -> Deformed {
        let size = gradient.to_cols_array().iter().map(|part| part * part).sum::<f64>().sqrt();
        let half = gradient * (0.5 * (MOST_STRAINED / size).min(1.0));
        // By the middle of the step: a rotation leaves no stress.
        let moved = (DMat3::IDENTITY - half).inverse() * (DMat3::IDENTITY + half);
        let trial = of_unit_determinant(moved * stretch * moved.transpose());
        let size = size_of(self.stress(trial));
        let most = MOST_STRETCHED * self.shear_modulus;
        let left = match self.flow {
            Some(flow) if size > LEAST_OVER_SHEAR * flow.yield_stress => {
                flow.in_direction_of(deviator(trial)).left(size, self.shear_modulus * seconds)
            }
            _ => size,
        };
        if left >= size && size <= most {
            return Deformed { stretch: trial, kept: 1.0 };
        }
        let kept = left.min(most) / size;
        Deformed { stretch: with_deviator(deviator(trial) * kept), kept }
    }
}

impl PlasticFlow {
    /// That by stresses which have the direction of a deviator, which is not zero.
    fn in_direction_of(mut self, deviator: DMat3) -> Self {
        if self.friction > 0.0 {
            self.yield_stress *= over_shear(self.friction, -(deviator * size_of(deviator).recip()).determinant());
        }
        self
    }

    /// The size of a stress, after some seconds of flow: x with x + G t ((x - yield) / consistency)^(1 / index) = size,
    /// or all of it below the yield stress. `stiff` is G t.
    fn left(&self, size: f64, stiff: f64) -> f64 {
        let excess = size - self.yield_stress;
        if excess <= 0.0 {
            return size;
        }
        let power = 1.0 / self.index;
        let factor = stiff / self.consistency.powf(power);
        if !factor.is_finite() {
            return self.yield_stress;
        }
        // The rest y of the excess: y + factor y^power = excess. Newton's iteration goes down to it from where either
        // part alone is all, if the power is at least 1, else up from where neither is more than half.
        let share = if power >= 1.0 { excess } else { excess / 2.0 };
        let mut rest = share.min((share / factor).powf(self.index));
        for _ in 0..MOST_ITERATIONS {
            let flowed = factor * rest.powf(power);
            let step = (rest + flowed - excess) / (1.0 + power * flowed / rest.max(f64::MIN_POSITIVE));
            rest = (rest - step).clamp(0.0, excess);
            if step.abs() <= NEGLIGIBLE * excess {
                break;
            }
        }
        self.yield_stress + rest
    }
}

/// The stretch of matter whose shear modulus changes: what gets softer stays stretched, what is added as it sets has no
/// stress, so the stress of the whole stays as it is.
pub fn stiffened(stretch: Stretch, [before, after]: [f64; 2]) -> Stretch {
    if after <= 0.0 {
        UNSTRETCHED
    } else if after <= before {
        stretch
    } else {
        packed(with_deviator(deviator(matrix(stretch)) * (before / after)))
    }
}

/// The yield stress of grains over that in shear, by their friction and the determinant of the direction of what
/// presses on them, from -2 / sqrt(27) where that is along two axes, over 0 in shear, to 2 / sqrt(27) where it is along
/// one. The stress over the pressure is x with x^2 - (3 - friction^2) / 2 determinant x^3 = friction^2: the criterion
/// I1 I2 = k I3 of Matsuoka and Nakai, with k by the friction in shear.
fn over_shear(friction: f64, determinant: f64) -> f64 {
    let cubic = (1.5 - 0.5 * friction * friction) * determinant;
    let mut found = friction;
    for _ in 0..MOST_ITERATIONS {
        let slope = found * (2.0 - 3.0 * cubic * found);
        if slope <= 0.0 {
            break;
        }
        let step = (found * found * (1.0 - cubic * found) - friction * friction) / slope;
        found -= step;
        if step.abs() <= NEGLIGIBLE * found {
            break;
        }
    }
    // Where one axis alone is pressed.
    found.min(3.0_f64.sqrt()) / friction
}

/// The size of a stress.
pub fn size_of(stress: DMat3) -> f64 {
    (stress.to_cols_array().iter().map(|part| part * part).sum::<f64>() / 2.0).sqrt()
}

/// The largest principal value of a matrix without trace: the largest root of x^3 - (d : d / 2) x - det d = 0, to
/// which Newton's iteration goes down from above.
pub fn largest(deviator: DMat3) -> f64 {
    let (square, determinant) = (size_of(deviator).powi(2), deviator.determinant());
    let mut root = (square * 4.0 / 3.0).sqrt();
    for _ in 0..MOST_ITERATIONS {
        let slope = 3.0 * root * root - square;
        if slope <= 0.0 {
            break;
        }
        let step = (root * (root * root - square) - determinant) / slope;
        root -= step;
        if step.abs() <= NEGLIGIBLE * root {
            break;
        }
    }
    root
}

/// The largest principal value of a deformation.
pub fn longest(stretch: DMat3) -> f64 {
    (stretch.x_axis.x + stretch.y_axis.y + stretch.z_axis.z) / 3.0 + largest(deviator(stretch))
}

/// A deformation with a part of its deviator.
pub fn with_deviator_scaled(stretch: DMat3, part: f64) -> DMat3 {
    with_deviator(deviator(stretch) * part)
}

/// The matrix of a particle's b.
pub fn matrix([xx, yy, zz, xy, xz, yz]: Stretch) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz] = [xx, yy, zz, xy, xz, yz].map(f64::from);
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

/// The numbers that a particle keeps of b.
pub fn packed(stretch: DMat3) -> Stretch {
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = stretch;
    [x.x, y.y, z.z, x.y, x.z, y.z].map(|part| part as f32)
}

fn deviator(matrix: DMat3) -> DMat3 {
    matrix - DMat3::from_diagonal(DVec3::splat((matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z) / 3.0))
}

/// A matrix over the cube root of its determinant; the unit matrix if it has none that is positive.
fn of_unit_determinant(matrix: DMat3) -> DMat3 {
    let determinant = matrix.determinant();
    if determinant > 0.0 && determinant.is_finite() { matrix * determinant.cbrt().recip() } else { DMat3::IDENTITY }
}

/// The matrix of determinant 1 with a deviator: that plus m times the unit matrix, with m^3 - (d : d / 2) m + det d =
/// 1.
fn with_deviator(deviator: DMat3) -> DMat3 {
    let (square, determinant) = (size_of(deviator).powi(2), deviator.determinant());
    // Above the largest root, from which Newton's iteration goes down to it.
    let mut mean = 1.0 + 1.2 * square.sqrt();
    for _ in 0..MOST_ITERATIONS {
        let step = (mean * (mean * mean - square) + determinant - 1.0) / (3.0 * mean * mean - square);
        mean -= step;
        if step.abs() <= NEGLIGIBLE * mean {
            break;
        }
    }
    deviator + DMat3::from_diagonal(DVec3::splat(mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JELLY: Law = Law { shear_modulus: 1000.0, flow: None };

    fn flowing(yield_stress: f64, consistency: f64, index: f64) -> Law {
        Law { flow: Some(PlasticFlow { yield_stress, friction: 0.0, consistency, index }), ..JELLY }
    }

    fn shear(by: f64) -> DMat3 {
        DMat3::from_cols(DVec3::ZERO, DVec3::ZERO, DVec3::new(by, 0.0, 0.0))
    }

    /// The shear stress after so many steps of so much shear each.
    fn sheared(law: &Law, by: f64, seconds: f64, steps: usize) -> f64 {
        let mut stretch = DMat3::IDENTITY;
        for _ in 0..steps {
            stretch = law.after(stretch, shear(by), seconds).stretch;
            assert!((stretch.determinant() - 1.0).abs() < 1e-6, "{stretch}");
        }
        law.stress(stretch).z_axis.x
    }

    #[test]
    fn elastic_shear_is_proportional() {
        let stress = sheared(&JELLY, 0.01, 0.1, 50);
        assert!((stress / 500.0 - 1.0).abs() < 2e-3, "{stress}");
    }

    #[test]
    fn a_rotation_leaves_the_stress_as_it_is() {
        let turn = DMat3::from_cols(DVec3::new(0.0, 0.1, 0.0), DVec3::new(-0.1, 0.0, 0.0), DVec3::ZERO);
        let mut stretch = JELLY.after(DMat3::IDENTITY, shear(0.3), 0.1).stretch;
        let before = size_of(JELLY.stress(stretch));
        for _ in 0..1000 {
            stretch = JELLY.after(stretch, turn, 0.1).stretch;
        }
        let after = size_of(JELLY.stress(stretch));
        assert!((after / before - 1.0).abs() < 1e-9, "{before} {after}");
    }

    /// In steady shear the stress is that of Herschel and Bulkley, for long steps as well.
    #[test]
    fn steady_shear_stress_follows_the_flow_curve() {
        for (yield_stress, consistency, index) in
            [(200.0, 0.0, 1.0), (0.0, 50.0, 1.0), (100.0, 20.0, 0.3), (30.0, 5.0, 0.5), (10.0, 8.0, 1.5)]
        {
            let law = flowing(yield_stress, consistency, index);
            let law = Law { shear_modulus: 1e5, ..law };
            for (rate, seconds) in [(2.0_f64, 0.01), (0.5, 0.04)] {
                let stress = size_of(law.stress({
                    let mut stretch = DMat3::IDENTITY;
                    for _ in 0..2000 {
                        stretch = law.after(stretch, shear(rate * seconds), seconds).stretch;
                    }
                    stretch
                }));
                let expected = yield_stress + consistency * rate.powf(index);
                assert!((stress / expected - 1.0).abs() < 0.01, "{law:?} at {rate}: {stress}, not {expected}");
            }
        }
    }

    /// What presses grains together holds them: Coulomb's law. What draws them apart leaves their cohesion. They are
    /// stiff here, as an elastic shear turns the stress from that of pure shear.
    #[test]
    fn grains_yield_by_their_pressure() {
        let flow = PlasticFlow { yield_stress: 100.0, friction: 0.6, consistency: 0.0, index: 1.0 };
        let law = Law { shear_modulus: 1e6, flow: Some(flow) };
        for (pressure, expected) in [(1000.0, 700.0), (0.0, 100.0), (-1000.0, 100.0)] {
            let stress = sheared(&law.pressed(pressure), 0.001, 0.01, 100);
            assert!((stress / expected - 1.0).abs() < 1e-3, "{pressure}: {stress}, not {expected}");
        }
        assert_eq!(JELLY.pressed(1000.0), JELLY);
    }

    /// The principal stresses at which grains yield have the same I1 I2 / I3, pressed along one axis, two, or in shear.
    #[test]
    fn grains_yield_by_the_criterion_of_matsuoka_and_nakai() {
        let pressure = 1000.0;
        for (friction, cohesion) in [(0.2_f64, 0.0), (0.577, 0.0), (0.577, 300.0), (0.9, 0.0), (1.0, 0.0)] {
            let flow = PlasticFlow { yield_stress: cohesion, friction, consistency: 0.0, index: 1.0 };
            let law = Law { shear_modulus: 1e6, flow: Some(flow) }.pressed(pressure);
            let square = friction * friction;
            let expected = (9.0 - 3.0 * square) / (1.0 - square);
            for pressed in [DVec3::new(-2.0, 1.0, 1.0), DVec3::new(2.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, 0.0)] {
                let mut stretch = DMat3::IDENTITY;
                for _ in 0..100 {
                    stretch = law.after(stretch, DMat3::from_diagonal(pressed * 1e-4), 0.01).stretch;
                }
                let DMat3 { x_axis, y_axis, z_axis } = law.stress(stretch);
                // Cohesion acts as a pressure that is added.
                let [a, b, c] = [x_axis.x, y_axis.y, z_axis.z].map(|stress| pressure + cohesion / friction - stress);
                // Of 45 degrees it is infinite; what is pressed along one axis then bears nothing across it.
                let found = a * b * c / ((a + b + c) * (a * b + b * c + c * a));
                assert!((found - expected.recip()).abs() < 1e-4, "{friction}: {a} {b} {c}");
            }
        }
    }

    /// Held at a shear, the stress of Maxwell's liquid falls as exp(-G t / eta).
    #[test]
    fn stress_relaxes_exponentially_without_a_yield_stress() {
        let law = flowing(0.0, 2000.0, 1.0);
        let mut stretch = law.after(DMat3::IDENTITY, shear(0.05), 1e-9).stretch;
        let before = size_of(law.stress(stretch));
        for _ in 0..100 {
            stretch = law.after(stretch, DMat3::ZERO, 0.02).stretch;
        }
        let ratio = size_of(law.stress(stretch)) / before;
        assert!((ratio / (-1.0_f64).exp() - 1.0).abs() < 0.03, "{ratio}");
    }

    #[test]
    fn stretches_are_told_from_other_numbers() {
        let mut stretch = DMat3::IDENTITY;
        for n in 0..60 {
            assert!(is_stretch(&packed(stretch)), "{n}: {stretch}");
            stretch = JELLY.after(stretch, shear(1.0), 0.1).stretch;
        }
        for wrong in [[-1.0, -1.0, 1.0, 0.0, 0.0, 0.0], [1e38, 1.0, 1.0, 0.0, 0.0, 0.0], [1.2; 6], [f32::NAN; 6]] {
            assert!(!is_stretch(&wrong), "{wrong:?}");
        }
        assert!(!is_stretch(&[1.1, 1.0, 1.0, 0.0, 0.0, 0.0]));
    }

    /// Whatever the numbers, the deformation stays finite and of determinant 1.
    #[test]
    fn extreme_deformations_stay_finite() {
        for law in [JELLY, flowing(1e-3, 1e-6, 0.1), flowing(0.0, 1e9, 2.0), flowing(1e8, 1e-9, 0.1)] {
            for by in [1e-6, 0.3, 5.0, 1e6] {
                let mut stretch = DMat3::IDENTITY;
                for _ in 0..30 {
                    let Deformed { stretch: next, kept } = law.after(stretch, shear(by), 0.04);
                    assert!(next.is_finite() && (0.0..=1.0).contains(&kept), "{law:?} {by}: {next} {kept}");
                    stretch = next;
                }
            }
        }
    }
}
