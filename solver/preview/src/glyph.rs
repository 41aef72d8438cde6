//! The glyphs that stand for particles, as the camera sees them.

use crate::camera::{Camera, Projected};
use crate::lighting::reflected;
use glam::{Vec2, Vec3};

/// A glyph in the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Glyph {
    /// A round spot of one colour.
    Spot(Round),
    /// A shaded ball.
    Ball(Round),
    /// A straight line of one colour.
    Line(Line),
    /// A shaded, filled hexagon.
    Hexagon(Hexagon),
}

/// A glyph that is round in the picture.
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

/// A regular hexagon perpendicular to a normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hexagon {
    pub centre: Projected,
    /// The centre in view space, m.
    pub position: Vec3,
    /// Unit vectors of view space: the normal, and two perpendicular ones in the plane.
    pub normal: Vec3,
    pub across: [Vec3; 2],
    /// From the centre to the middle of an edge, m.
    pub apothem: f32,
    pub colour: Vec3,
}

/// The sample of a glyph or surface at a position of the picture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fragment {
    /// Distance along the view direction, m.
    pub depth: f32,
    pub light: Vec3,
}

/// Fraction of the apothem beyond which a hexagon is drawn darker, as an outline.
const OUTLINE: f32 = 0.86;
const OUTLINE_LIGHT: f32 = 0.45;

/// Distance of the corners of a regular hexagon over its apothem.
const CORNER: f32 = 1.154_701;

impl Glyph {
    /// The bounding rectangle of the glyph, pixels.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        match self {
            Self::Spot(round) | Self::Ball(round) => {
                (round.centre.position - round.radius, round.centre.position + round.radius)
            }
            Self::Line(line) => {
                let [a, b] = line.ends.map(|end| end.position);
                (a.min(b) - line.half_width, a.max(b) + line.half_width)
            }
            Self::Hexagon(hexagon) => {
                // Nearer parts look larger.
                let radius = hexagon.apothem * CORNER;
                let nearest = (hexagon.position.z - radius).max(hexagon.position.z * 0.5);
                let reach = 1.1 * radius * hexagon.centre.scale * hexagon.position.z / nearest;
                (hexagon.centre.position - reach, hexagon.centre.position + reach)
            }
        }
    }

    /// The fragment of the glyph at a position of the picture, if the glyph covers it.
    pub fn at(&self, position: Vec2, camera: &Camera) -> Option<Fragment> {
        match self {
            Self::Spot(round) => {
                round.offset(position).map(|_| Fragment { depth: round.centre.depth, light: round.colour })
            }
            Self::Ball(round) => round.ball(position),
            Self::Line(line) => line.at(position),
            Self::Hexagon(hexagon) => hexagon.at(camera.ray(position)),
        }
    }
}

impl Round {
    /// The position relative to the unit circle; none outside.
    fn offset(&self, position: Vec2) -> Option<Vec2> {
        let offset = (position - self.centre.position) / self.radius;
        (offset.length_squared() <= 1.0).then_some(offset)
    }

    fn ball(&self, position: Vec2) -> Option<Fragment> {
        let offset = self.offset(position)?;
        let height = (1.0 - offset.length_squared()).max(0.0).sqrt();
        let normal = Vec3::new(offset.x, -offset.y, -height);
        let depth = self.centre.depth - height * self.radius / self.centre.scale;
        Some(Fragment { depth, light: reflected(self.colour, normal, Vec3::NEG_Z, 1.0, 1.0) })
    }
}

impl Line {
    fn at(&self, position: Vec2) -> Option<Fragment> {
        let [a, b] = self.ends;
        let along = b.position - a.position;
        let fraction =
            ((position - a.position).dot(along) / along.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let distance = position.distance_squared(a.position + fraction * along);
        // The reciprocal of the depth is linear in the picture.
        let depth = (a.depth.recip() * (1.0 - fraction) + b.depth.recip() * fraction).recip();
        (distance <= self.half_width * self.half_width).then_some(Fragment { depth, light: self.colour })
    }
}

impl Hexagon {
    fn at(&self, ray: Vec3) -> Option<Fragment> {
        let depth = self.normal.dot(self.position) / self.normal.dot(ray);
        if !(depth > 0.0 && depth.is_finite()) {
            return None;
        }
        let offset = ray * depth - self.position;
        let [u, v] = self.across.map(|across| across.dot(offset));
        let slant = 0.866_025_4 * v;
        let reach = u.abs().max((0.5 * u + slant).abs()).max((0.5 * u - slant).abs()) / self.apothem;
        let toward = -ray.normalize();
        // Both sides are lit.
        let normal = if self.normal.dot(toward) < 0.0 { -self.normal } else { self.normal };
        let ink = if reach > OUTLINE { OUTLINE_LIGHT } else { 1.0 };
        (reach <= 1.0).then(|| Fragment { depth, light: reflected(self.colour, normal, toward, 1.0, 1.0) * ink })
    }
}
