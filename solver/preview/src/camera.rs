//! A perspective camera that is fitted to the matter. Z is up.
//!
//! View space has x to the right, y up and z along the view, in metres from the eye. Picture coordinates are pixels from the
//! upper left corner; pixel (i, j) covers i to i + 1 and j to j + 1.

use crate::bounds::Bounds;
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::str::FromStr;

/// Tangent of half the angle that the height of a picture spans: 28 degrees in all, a short telephoto lens.
const HALF_ANGLE_TANGENT: f64 = 0.249_328;

/// Part of the picture that stays free along each side.
const MARGIN: f64 = 0.06;

/// Where the camera looks from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// Degrees around the Z axis: 0 looks along Y, 90 along -X.
    pub azimuth: f64,
    /// Degrees above the horizon, -90 to 90.
    pub elevation: f64,
}

impl View {
    /// From the front: along Y, X to the right.
    pub const FRONT: Self = Self { azimuth: 0.0, elevation: 0.0 };
    /// From the right side: along -X, Y to the right.
    pub const SIDE: Self = Self { azimuth: 90.0, elevation: 0.0 };
    /// From above: X to the right, Y up.
    pub const TOP: Self = Self { azimuth: 0.0, elevation: 90.0 };
    /// From the front, a little from the right and from above.
    pub const THREE_QUARTER: Self = Self { azimuth: 32.0, elevation: 20.0 };

    /// The axes of view space, for turning.
    pub(crate) fn axes(self) -> Axes {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let right = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let forward = -DVec3::new(azimuth.sin() * elevation.cos(), -azimuth.cos() * elevation.cos(), elevation.sin());
        Axes { right, up: right.cross(forward), forward }
    }
}

/// Unit vectors of the world to the right, up and along the view.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axes {
    right: DVec3,
    up: DVec3,
    forward: DVec3,
}

impl Axes {
    /// A vector of the world by its parts along the axes.
    pub fn turn(&self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.right), v.dot(self.up), v.dot(self.forward))
    }

    /// The vector of the world that has these parts.
    pub fn turn_back(&self, parts: DVec3) -> DVec3 {
        self.right * parts.x + self.up * parts.y + self.forward * parts.z
    }
}

impl FromStr for View {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "front" => return Ok(Self::FRONT),
            "side" => return Ok(Self::SIDE),
            "top" => return Ok(Self::TOP),
            "three-quarter" => return Ok(Self::THREE_QUARTER),
            _ => {}
        }
        let angles = text.split_once(',').and_then(|(azimuth, elevation)| {
            Some(Self { azimuth: azimuth.trim().parse().ok()?, elevation: elevation.trim().parse().ok()? })
        });
        angles
            .filter(|view| view.azimuth.abs() <= 360.0 && view.elevation.abs() <= 90.0)
            .ok_or_else(|| "write front, side, top, three-quarter or AZIMUTH,ELEVATION in degrees: 32,20".into())
    }
}

/// A part of a picture that the matter is to fill, pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub width: f64,
    pub height: f64,
}

/// A point as the camera sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Projected {
    /// Where in the picture, pixels.
    pub place: Vec2,
    /// How far along the view, m.
    pub depth: f32,
    /// Pixels to a metre there.
    pub scale: f32,
}

/// The camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    eye: DVec3,
    axes: Axes,
    /// Pixels to a unit of tangent.
    focal: f64,
    /// Where in the picture the view goes straight ahead.
    middle: DVec2,
    /// The box that it was fitted to, m, along its axes.
    bounds: Bounds,
    /// Depths between which the matter lies, m.
    depths: [f32; 2],
}

impl Camera {
    /// A camera that sees the whole of a box, whose edges are along its axes, within an area at the top of the picture.
    pub fn fit(axes: Axes, bounds: &Bounds, area: Area) -> Self {
        let focal = area.height / 2.0 / HALF_ANGLE_TANGENT;
        let half = DVec2::new(area.width, area.height) * (0.5 - MARGIN);
        let away = (bounds.high - bounds.low) / 2.0;
        // The near side of the box is the one that looks largest.
        let needed = (away.x * focal / half.x).max(away.y * focal / half.y) + away.z;
        let distance = needed.max(1.1 * away.length() + f64::MIN_POSITIVE);
        Self {
            eye: axes.turn_back(bounds.centre() - DVec3::Z * distance),
            axes,
            focal,
            middle: DVec2::new(area.width, area.height) / 2.0,
            bounds: *bounds,
            depths: [distance - away.z, distance + away.z].map(|depth| depth as f32),
        }
    }

    /// A point of the world, m, in view space.
    pub fn view(&self, point: Vec3) -> Vec3 {
        self.axes.turn(point.as_dvec3() - self.eye).as_vec3()
    }

    /// A direction of the world in view space.
    pub fn turn(&self, direction: Vec3) -> Vec3 {
        self.axes.turn(direction.as_dvec3()).as_vec3()
    }

    /// A direction of view space in the world.
    pub fn turn_back(&self, direction: Vec3) -> DVec3 {
        self.axes.turn_back(direction.as_dvec3())
    }

    /// Where a point of the world is in the picture; none where it is not finite or not before the eye.
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        let seen = self.view(point);
        if !seen.is_finite() || seen.z <= 0.0 {
            return None;
        }
        let scale = self.focal as f32 / seen.z;
        Some(Projected { place: self.middle.as_vec2() + Vec2::new(seen.x, -seen.y) * scale, depth: seen.z, scale })
    }

    /// The direction of view space whose z is 1 and that is seen at a place of the picture.
    pub fn ray(&self, place: Vec2) -> Vec3 {
        let offset = (place - self.middle.as_vec2()) / self.focal as f32;
        Vec3::new(offset.x, -offset.y, 1.0)
    }

    /// Whether a point of the world is in the box that the camera was fitted to, or no further from it than `room`, m.
    pub fn shows(&self, point: DVec3, room: f64) -> bool {
        self.bounds.holds(self.axes.turn(point), room)
    }

    /// Middle of the box that the camera was fitted to, in the world, m.
    pub fn target(&self) -> DVec3 {
        self.axes.turn_back(self.bounds.centre())
    }

    /// The longest edge of the box that the camera was fitted to, m.
    pub fn reach(&self) -> f64 {
        (self.bounds.high - self.bounds.low).max_element()
    }

    /// Where all rays begin, m.
    pub fn eye(&self) -> DVec3 {
        self.eye
    }

    /// How far back among the matter a depth is, from 0 to 1.
    pub fn remoteness(&self, depth: f32) -> f32 {
        let [near, far] = self.depths;
        ((depth - near) / (far - near).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const AREA: Area = Area { width: 640.0, height: 320.0 };

    /// The corners of any box lie within the margins, and reach at least one pair of them on the near side.
    #[test]
    fn the_box_fills_the_area() {
        let boxes = [DVec3::ONE, DVec3::new(10.0, 0.1, 0.1), DVec3::new(0.1, 3.0, 0.1), DVec3::new(1.0, 1.0, 0.0)];
        for half in boxes {
            for view in [View::FRONT, View::TOP, View::THREE_QUARTER, View { azimuth: 200.0, elevation: -50.0 }] {
                let (axes, centre) = (view.axes(), DVec3::new(5.0, 0.0, -3.0));
                let bounds = Bounds { low: centre - half, high: centre + half };
                let camera = Camera::fit(axes, &bounds, AREA);
                let corners = bounds.corners().map(|corner| axes.turn_back(corner).as_vec3());
                let middle = DVec2::new(AREA.width, AREA.height) / 2.0;
                let offsets =
                    corners.map(|corner| (camera.project(corner).unwrap().place.as_dvec2() - middle) / middle);
                let reach = offsets.iter().map(|offset| offset.abs().max_element()).fold(0.0, f64::max);
                assert!((reach - (1.0 - 2.0 * MARGIN)).abs() < 1e-3, "{half} {view:?} {reach}");
            }
        }
    }

    fn camera(view: View) -> Camera {
        Camera::fit(view.axes(), &Bounds { low: DVec3::NEG_ONE, high: DVec3::ONE }, AREA)
    }

    #[test]
    fn directions_are_those_of_blender() {
        let seen = |view, point: Vec3| {
            let [centre, point] = [Vec3::ZERO, point].map(|p| camera(view).project(p).unwrap());
            (point.place - centre.place, point.depth - centre.depth)
        };
        let right = |view, point| seen(view, point).0.x > 10.0 && seen(view, point).0.y.abs() < 1e-3;
        assert!(right(View::FRONT, Vec3::X) && right(View::SIDE, Vec3::Y) && right(View::TOP, Vec3::X));
        assert!(seen(View::FRONT, Vec3::Z).0.y < -10.0 && seen(View::TOP, Vec3::Y).0.y < -10.0, "up is up");
        assert!(seen(View::FRONT, Vec3::Y).1 > 0.9 && seen(View::SIDE, Vec3::X).1 < -0.9, "what is behind is behind");
    }

    #[test]
    fn a_ray_goes_through_what_is_seen_there() {
        let camera = camera(View::THREE_QUARTER);
        let point = Vec3::new(0.3, -0.5, 0.9);
        let seen = camera.project(point).unwrap();
        let back = camera.eye() + camera.turn_back(camera.ray(seen.place) * seen.depth);
        assert!(back.distance(point.as_dvec3()) < 1e-5, "{back}");
    }

    #[test]
    fn views_are_read() {
        assert_eq!("top".parse(), Ok(View::TOP));
        assert_eq!("-30, 45.5".parse(), Ok(View { azimuth: -30.0, elevation: 45.5 }));
        for wrong in ["", "above", "30", "nan,0", "0,91", "1,2,3", "inf,0"] {
            assert!(wrong.parse::<View>().is_err(), "{wrong:?}");
        }
    }
}
