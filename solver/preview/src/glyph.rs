//! The marks that stand for particles, as the camera sees them.

use crate::camera::{Camera, Projected};
use crate::lighting::reflected;
use glam::{Vec2, Vec3};

/// A mark in the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Glyph {
    /// A round spot of one colour.
    Spot(Round),
    /// A ball in the light.
    Ball(Round),
    /// A straight line of one colour.
    Line(Line),
    /// A filled hexagon in the light.
    Hexagon(Hexagon),
}

/// A mark that is round in the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    pub centre: Projected,
    /// Pixels.
    pub radius: f32,
    pub colour: Vec3,
}

/// A line between two points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub ends: [Projected; 2],
    /// Half its width, pixels.
    pub half_width: f32,
    pub colour: Vec3,
}

/// A regular hexagon across a normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hexagon {
    pub centre: Projected,
    /// Its centre in view space, m.
    pub place: Vec3,
    /// Unit vectors of view space: the normal and two in its plane, across each other.
    pub normal: Vec3,
    pub across: [Vec3; 2],
    /// From the centre to the middle of an edge, m.
    pub apothem: f32,
    pub colour: Vec3,
}

/// What is seen of a mark at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sight {
    /// Along the view, m.
    pub depth: f32,
    pub light: Vec3,
}

/// Part of a hexagon's apothem beyond which it is drawn darker, as its outline.
const OUTLINE: f32 = 0.86;
const OUTLINE_LIGHT: f32 = 0.45;

/// Corners of a regular hexagon are this much further out than its edges.
const CORNER: f32 = 1.154_701;

impl Glyph {
    /// The lowest and the highest place that the mark covers, pixels.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        match self {
            Self::Spot(round) | Self::Ball(round) => {
                (round.centre.place - round.radius, round.centre.place + round.radius)
            }
            Self::Line(line) => {
                let [a, b] = line.ends.map(|end| end.place);
                (a.min(b) - line.half_width, a.max(b) + line.half_width)
            }
            Self::Hexagon(hexagon) => {
                // Nearer parts look larger.
                let radius = hexagon.apothem * CORNER;
                let nearest = (hexagon.place.z - radius).max(hexagon.place.z * 0.5);
                let reach = 1.1 * radius * hexagon.centre.scale * hexagon.place.z / nearest;
                (hexagon.centre.place - reach, hexagon.centre.place + reach)
            }
        }
    }

    /// What is seen of the mark at a place of the picture, if it covers that.
    pub fn at(&self, place: Vec2, camera: &Camera) -> Option<Sight> {
        match self {
            Self::Spot(round) => round.offset(place).map(|_| Sight { depth: round.centre.depth, light: round.colour }),
            Self::Ball(round) => round.ball(place),
            Self::Line(line) => line.at(place),
            Self::Hexagon(hexagon) => hexagon.at(camera.ray(place)),
        }
    }
}

impl Round {
    /// Where within a unit circle a place is; none outside.
    fn offset(&self, place: Vec2) -> Option<Vec2> {
        let offset = (place - self.centre.place) / self.radius;
        (offset.length_squared() <= 1.0).then_some(offset)
    }

    fn ball(&self, place: Vec2) -> Option<Sight> {
        let offset = self.offset(place)?;
        let rise = (1.0 - offset.length_squared()).max(0.0).sqrt();
        let normal = Vec3::new(offset.x, -offset.y, -rise);
        let depth = self.centre.depth - rise * self.radius / self.centre.scale;
        Some(Sight { depth, light: reflected(self.colour, normal, Vec3::NEG_Z, 1.0, 1.0) })
    }
}

impl Line {
    fn at(&self, place: Vec2) -> Option<Sight> {
        let [a, b] = self.ends;
        let along = b.place - a.place;
        let part = ((place - a.place).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let distance = place.distance_squared(a.place + part * along);
        // In the picture it is the reciprocal of the depth that runs evenly.
        let depth = (a.depth.recip() * (1.0 - part) + b.depth.recip() * part).recip();
        (distance <= self.half_width * self.half_width).then_some(Sight { depth, light: self.colour })
    }
}

impl Hexagon {
    fn at(&self, ray: Vec3) -> Option<Sight> {
        let depth = self.normal.dot(self.place) / self.normal.dot(ray);
        if !(depth > 0.0 && depth.is_finite()) {
            return None;
        }
        let offset = ray * depth - self.place;
        let [u, v] = self.across.map(|across| across.dot(offset));
        let slant = 0.866_025_4 * v;
        let reach = u.abs().max((0.5 * u + slant).abs()).max((0.5 * u - slant).abs()) / self.apothem;
        let toward = -ray.normalize();
        // Both sides are lit.
        let normal = if self.normal.dot(toward) < 0.0 { -self.normal } else { self.normal };
        let ink = if reach > OUTLINE { OUTLINE_LIGHT } else { 1.0 };
        (reach <= 1.0).then(|| Sight { depth, light: reflected(self.colour, normal, toward, 1.0, 1.0) * ink })
    }
}
