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
//! it holds, and the inverse of a drag along a contact that slides. A wall in the place of the second island has a
//! known velocity.

use super::coupled::Flow;
use super::level::Level;
use glam::Vec3;

/// What a contact that holds yields, over what the matter beside it does.
const YIELDS: f32 = 1e-4;
/// How much more firmly a wall holds matter, in what preconditions velocities, than matter does; and how near to an
/// axis its normal has to be for that to count across it, as drag along axes would hold what slides down a slope.
const FIRM: f32 = 2.0;
const ALONG_AXIS: f32 = 0.95;
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
    /// About what a traction moves them by, along each axis: the mean inverse diagonal of their equations, as what is
    /// stiff takes the matter behind it along. None where there are none.
    inverse: [Option<f32>; 3],
}

/// What an island touches: another, by its number, or a wall with a velocity, m/s.
#[derive(Debug, Clone, Copy)]
pub enum Touched {
    Island(usize),
    Wall(Vec3),
}

/// A contact of two islands, or of one and a wall.
#[derive(Debug, Clone)]
pub struct Tie {
    /// The second only where it is no wall.
    sides: Vec<Side>,
    /// The velocity of the wall, or none.
    wall: Vec3,
    normal: Vec3,
    across: Equation,
    along: Equation,
    /// Whether it bears nothing.
    is_open: bool,
}

/// An equation of a contact along a direction, scaled so that the traction's own coefficient is about -1 once the
/// velocities that follow from it are counted.
#[derive(Debug, Clone, Copy, Default)]
struct Equation {
    of_velocity: f32,
    of_traction: f32,
    right: f32,
    /// What both sides yield.
    inverse: f32,
    /// The drag that stands for the contact in what preconditions the velocities.
    stand_in: f32,
}

impl Equation {
    /// Given what both sides yield, and the velocity at which they come apart.
    fn held(inverse: f32, velocity: f32) -> Self {
        let scale = inverse.recip();
        Self { of_velocity: scale, of_traction: YIELDS, right: velocity * scale, inverse, stand_in: 0.0 }
    }

    /// Given a drag.
    fn dragged(inverse: f32, drag: f32) -> Self {
        let scale = (inverse * drag + 1.0).recip();
        Self { of_velocity: drag * scale, of_traction: scale, right: 0.0, inverse, stand_in: 0.0 }
    }

    /// Along a contact, which slides with a drag or holds.
    fn along(inverse: f32, drag: Option<f32>) -> Self {
        drag.map_or_else(|| Self::held(inverse, 0.0), |drag| Self::dragged(inverse, drag))
    }

    /// The drag of a contact that holds some times as firmly as the matter beside it, with what it yields for itself.
    fn drag(self) -> f32 {
        let firm = FIRM / self.inverse;
        firm * self.of_velocity / (self.of_velocity + firm * self.of_traction)
    }

    /// About the traction that gives a side, and what that and the stand-in push the first island with.
    fn guess(self, side: Vec3) -> [Vec3; 2] {
        // What the contact yields for itself, times the stand-in.
        let yielding = self.stand_in * self.of_traction / self.of_velocity;
        if self.stand_in <= 0.0 || yielding > 1.0 {
            return [-side, side];
        }
        let traction = -side * (1.0 + self.stand_in * self.inverse);
        [traction, side * (self.stand_in / self.of_velocity) - traction * (1.0 - yielding)]
    }
}

impl Side {
    fn new(level: &Level, island: usize, place: Vec3) -> Self {
        let (mut faces, mut inverse) = (Vec::new(), [None; 3]);
        for (axis, mean) in inverse.iter_mut().enumerate() {
            let around = || level.free_faces_around(axis, place);
            let [all, mass] = around()
                .fold([0.0, 0.0], |[all, mass], (at, weight)| [all + weight, mass + weight * level.mass[axis][at]]);
            if mass > LEAST {
                faces.extend(around().map(|(at, part)| Face { axis: axis as u8, at: at as u32, weight: part / all }));
                *mean = Some(around().map(|(at, part)| part / all * level.inverse[axis][at]).sum());
            }
        }
        Self { island, faces, inverse }
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
    /// Ties an island, a number among some levels, to what it touches at a place, in cells; the normal is toward the
    /// island. `velocity` is at which they may come apart. It holds until it is [revised](Self::revise). None where
    /// there is too little matter.
    pub fn new(
        levels: &[&Level],
        island: usize,
        touched: Touched,
        place: Vec3,
        normal: Vec3,
        velocity: f32,
    ) -> Option<Self> {
        let (other, wall) = match touched {
            Touched::Island(other) => (Some(other), Vec3::ZERO),
            Touched::Wall(velocity) => (None, velocity),
        };
        let islands = std::iter::once(island).chain(other);
        let mut sides: Vec<Side> = islands.map(|island| Side::new(levels[island], island, place)).collect();
        let all = |axis: usize| sides.iter().map(|side| side.inverse[axis]).sum::<Option<f32>>();
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
        let (across, along) = (Equation::held(across, velocity), Equation::along(along, None));
        Some(Self { sides, wall, normal, across, along, is_open: false })
    }

    /// Opens or closes it, and lets it slide with a drag, in masses of a cell, or hold.
    pub fn revise(&mut self, is_open: bool, drag: Option<f32>) {
        let Equation { inverse, stand_in, .. } = self.along;
        self.along = Equation { stand_in, ..Equation::along(inverse, drag) };
        self.is_open = is_open;
    }

    /// The velocity of the island relative to what it touches.
    pub fn parting(&self, flows: &[&Flow]) -> Vec3 {
        self.difference(flows) - self.wall
    }

    /// The difference of what is unknown.
    fn difference(&self, flows: &[&Flow]) -> Vec3 {
        let other = self.sides.get(1).map_or(Vec3::ZERO, |side| side.velocity(flows));
        self.sides[0].velocity(flows) - other
    }

    /// Tells what a traction adds to the left sides: island, axis, face, and how much.
    pub fn add_left(&self, traction: Vec3, mut add: impl FnMut(usize, usize, usize, f32)) {
        for (side, traction) in self.sides.iter().zip([traction, -traction]) {
            side.spread(traction, |axis, at, part| add(side.island, axis, at, part));
        }
    }

    /// The left side of the contact's own equation.
    pub fn left(&self, flows: &[&Flow], traction: Vec3) -> Vec3 {
        if self.is_open {
            return -traction;
        }
        let side = |equation: Equation, velocity: Vec3, traction: Vec3| {
            velocity * equation.of_velocity - traction * equation.of_traction
        };
        let ([velocity, slip], [pressure, friction]) = (self.split(self.difference(flows)), self.split(traction));
        side(self.across, velocity, pressure) + side(self.along, slip, friction)
    }

    /// About the traction that gives a side, and what is to push the first island with it.
    pub fn guess(&self, side: Vec3) -> [Vec3; 2] {
        if self.is_open {
            return [-side, side];
        }
        let [across, along] = self.split(side);
        let ([pressure, pushed], [friction, dragged]) = (self.across.guess(across), self.along.guess(along));
        [pressure + friction, pushed + dragged]
    }

    /// The drag that stands for a wall, by axis.
    fn stand_in(&self) -> Vec3 {
        Vec3::splat(self.along.stand_in) + self.normal * self.normal * (self.across.stand_in - self.along.stand_in)
    }

    /// Gives the faces beside a wall the drag that stands for it: cycles do not know of ties.
    pub fn stand_in_for(&mut self, levels: &mut [Level]) {
        if self.is_open || self.sides.len() > 1 {
            return;
        }
        self.along.stand_in = self.along.drag();
        let is_along_axis = self.normal.abs().max_element() > ALONG_AXIS;
        self.across.stand_in = if is_along_axis { self.across.drag() } else { self.along.stand_in };
        let (Side { island, faces, .. }, drag) = (&self.sides[0], self.stand_in());
        for &Face { axis, at, weight } in faces {
            levels[*island].add_drag(axis as usize, at as usize, weight * drag[axis as usize]);
        }
    }

    /// Tells what left sides have of that drag: island, axis, face, and how much.
    pub fn stood_in(&self, flows: &[&Flow], mut tell: impl FnMut(usize, usize, usize, f32)) {
        let drag = self.stand_in();
        if let ([Side { island, faces, .. }, ..], true) = (&self.sides[..], drag != Vec3::ZERO) {
            for &Face { axis, at, weight } in faces {
                let (axis, at) = (axis as usize, at as usize);
                tell(*island, axis, at, weight * drag[axis] * flows[*island].u[axis][at]);
            }
        }
    }

    /// What of a vector is across the contact, and along it.
    fn split(&self, vector: Vec3) -> [Vec3; 2] {
        let across = self.normal * self.normal.dot(vector);
        [across, vector - across]
    }

    /// Its right side.
    pub fn right(&self) -> Vec3 {
        if self.is_open {
            return Vec3::ZERO;
        }
        let [across, along] = self.split(self.wall);
        self.normal * self.across.right + across * self.across.of_velocity + along * self.along.of_velocity
    }
}
