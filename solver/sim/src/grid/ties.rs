//! What ties the velocities of two islands where their matter touches.
//!
//! Islands that touch are solved together. With the velocity of each at a contact a mean of those of the faces around,
//! v = W u, and its traction t as one more unknown, they solve
//!
//! ```text
//! A1 u1 + W1' t = f1,    A2 u2 - W2' t = f2,    W1 u1 - W2 u2 - S t = r
//! ```
//!
//! with r the velocity at which they may come apart or together, and S what the contact yields: next to nothing where
//! it holds, and the inverse of a drag along a contact that slides.

use super::coupled::Flow;
use super::level::Level;
use glam::Vec3;

/// What a contact that holds yields, as an inverse mass over that of a full cell.
const YIELDS: f32 = 1e-4;
/// The least mass around a contact, over that of a full cell.
const LEAST: f32 = 1e-3;

/// A face near a contact, and how much it counts.
#[derive(Debug, Clone, Copy)]
struct Face {
    axis: u8,
    at: u32,
    weight: f32,
}

/// A side of a contact: its island, and the faces of that around it.
#[derive(Debug, Clone)]
struct Side {
    island: usize,
    faces: Vec<Face>,
    /// The mean mass of these faces, by axis; none where there are none.
    masses: [Option<f32>; 3],
}

/// A contact of two islands.
#[derive(Debug, Clone)]
pub struct Tie {
    sides: [Side; 2],
    normal: Vec3,
    across: Equation,
    along: Equation,
}

/// An equation of a contact along a direction, scaled so that the traction's own coefficient is about -1 once the
/// velocities that follow from it are counted.
#[derive(Debug, Clone, Copy, Default)]
struct Equation {
    of_velocity: f32,
    of_traction: f32,
    right: f32,
}

impl Equation {
    /// Given the inverse mass of both sides, what the contact yields, and the velocity at which it comes apart.
    fn held(inverse: f32, yields: f32, velocity: f32) -> Self {
        let scale = (inverse + yields).recip();
        Self { of_velocity: scale, of_traction: yields * scale, right: velocity * scale }
    }

    /// Given a drag.
    fn dragged(inverse: f32, drag: f32) -> Self {
        let scale = (inverse * drag + 1.0).recip();
        Self { of_velocity: drag * scale, of_traction: scale, right: 0.0 }
    }
}

impl Side {
    fn new(level: &Level, island: usize, place: Vec3) -> Self {
        let (mut faces, mut masses) = (Vec::new(), [None; 3]);
        for (axis, mean) in masses.iter_mut().enumerate() {
            let around =
                || level.free_faces_around(axis, place).map(|(at, weight)| (at, weight * level.mass[axis][at]));
            let mass: f32 = around().map(|(_, mass)| mass).sum();
            if mass > LEAST {
                faces.extend(around().map(|(at, part)| Face { axis: axis as u8, at: at as u32, weight: part / mass }));
                // Faces count by their mass: so does the mean.
                *mean = Some(mass);
            }
        }
        Self { island, faces, masses }
    }

    fn velocity(&self, flows: &[&Flow]) -> Vec3 {
        let u = &flows[self.island].u;
        let mut sum = Vec3::ZERO;
        for &Face { axis, at, weight } in &self.faces {
            sum[axis as usize] += weight * u[axis as usize][at as usize];
        }
        sum
    }

    /// Tells what a traction adds to faces.
    fn spread(&self, traction: Vec3, mut add: impl FnMut(usize, usize, f32)) {
        for &Face { axis, at, weight } in &self.faces {
            add(axis as usize, at as usize, weight * traction[axis as usize]);
        }
    }
}

impl Tie {
    /// Ties two islands, numbers among some levels, at a place, in cells; the normal is toward the first. `velocity` is
    /// at which they may come apart. They slide with a drag, in masses of a cell, or hold. None where there is too
    /// little matter.
    pub fn new(
        levels: &[&Level],
        islands: [usize; 2],
        place: Vec3,
        normal: Vec3,
        velocity: f32,
        drag: Option<f32>,
    ) -> Option<Self> {
        let mut sides = islands.map(|island| Side::new(levels[island], island, place));
        let all = |axis: usize| sides.iter().map(|side| Some(side.masses[axis]?.recip())).sum::<Option<f32>>();
        let inverse: [Option<f32>; 3] = [0, 1, 2].map(all);
        for side in &mut sides {
            side.faces.retain(|face| inverse[face.axis as usize].is_some());
        }
        let squares = (normal * normal).to_array();
        let mean = |weight: &dyn Fn(usize) -> f32| {
            let known = || (0..3).filter_map(|axis| Some((weight(axis), inverse[axis]?)));
            let all: f32 = known().map(|(weight, _)| weight).sum();
            (all > LEAST).then(|| known().map(|(weight, inverse)| weight * inverse).sum::<f32>() / all)
        };
        let across = mean(&|axis| squares[axis])?;
        let along = mean(&|axis| 1.0 - squares[axis]).unwrap_or(across);
        Some(Self {
            sides,
            normal,
            across: Equation::held(across, YIELDS, velocity),
            along: drag.map_or_else(|| Equation::held(along, YIELDS, 0.0), |drag| Equation::dragged(along, drag)),
        })
    }

    /// The velocity of the first island relative to the second.
    pub fn parting(&self, flows: &[&Flow]) -> Vec3 {
        let [first, second] = self.sides.each_ref().map(|side| side.velocity(flows));
        first - second
    }

    /// Tells what a traction adds to the left sides: island, axis, face, and how much.
    pub fn add_left(&self, traction: Vec3, mut add: impl FnMut(usize, usize, usize, f32)) {
        for (side, traction) in self.sides.iter().zip([traction, -traction]) {
            side.spread(traction, |axis, at, part| add(side.island, axis, at, part));
        }
    }

    /// The left side of the contact's own equation.
    pub fn left(&self, flows: &[&Flow], traction: Vec3) -> Vec3 {
        let side = |equation: Equation, velocity: Vec3, traction: Vec3| {
            velocity * equation.of_velocity - traction * equation.of_traction
        };
        let ([velocity, slip], [pressure, friction]) = (self.split(self.parting(flows)), self.split(traction));
        side(self.across, velocity, pressure) + side(self.along, slip, friction)
    }

    /// What of a vector is across the contact, and along it.
    fn split(&self, vector: Vec3) -> [Vec3; 2] {
        let across = self.normal * self.normal.dot(vector);
        [across, vector - across]
    }

    /// Its right side.
    pub fn right(&self) -> Vec3 {
        self.normal * self.across.right
    }
}
