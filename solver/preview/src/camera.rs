//! A perspective camera, fitted to the matter. Z is up.
//!
//! View space has x to the right, y up and z forwards, in metres from the eye. Picture coordinates are pixels from the
//! upper left corner; pixel (i, j) covers i to i + 1 and j to j + 1.

use crate::bounds::BoundingBox;
use glam::{DVec2, DVec3, Vec2, Vec3};
use std::str::FromStr;

/// Tangent of half the angle that the height of a picture spans: 28 degrees in all, a short telephoto lens.
const HALF_ANGLE_TANGENT: f64 = 0.249_328;

/// Fraction of the picture that stays free along each side.
const MARGIN: f64 = 0.06;

/// The direction that the camera looks from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewDirection {
    /// Degrees around the Z axis: 0 looks along Y, 90 along -X.
    pub azimuth: f64,
    /// Degrees above the horizon, -90 to 90.
    pub elevation: f64,
}

impl ViewDirection {
    /// From the front: along Y, X to the right.
    pub const FRONT: Self = Self { azimuth: 0.0, elevation: 0.0 };
    /// From the right side: along -X, Y to the right.
    pub const SIDE: Self = Self { azimuth: 90.0, elevation: 0.0 };
    /// From above: X to the right, Y up.
    pub const TOP: Self = Self { azimuth: 0.0, elevation: 90.0 };
    /// From the front, a little from the right and from above.
    pub const THREE_QUARTER: Self = Self { azimuth: 32.0, elevation: 20.0 };

    /// The axes of view space.
    pub(crate) fn axes(self) -> Axes {
        let (azimuth, elevation) = (self.azimuth.to_radians(), self.elevation.to_radians());
        let right = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let forward = -DVec3::new(azimuth.sin() * elevation.cos(), -azimuth.cos() * elevation.cos(), elevation.sin());
        Axes { right, up: right.cross(forward), forward }
    }
}

/// Unit vectors of the world to the right, up and forwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axes {
    right: DVec3,
    up: DVec3,
    forward: DVec3,
}

impl Axes {
    /// A vector of the world in view axes.
    pub fn to_view(self, v: DVec3) -> DVec3 {
        DVec3::new(v.dot(self.right), v.dot(self.up), v.dot(self.forward))
    }

    /// A vector in view axes as a vector of the world.
    pub fn to_world(self, parts: DVec3) -> DVec3 {
        self.right * parts.x + self.up * parts.y + self.forward * parts.z
    }
}

impl FromStr for ViewDirection {
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

/// The part of the picture that the matter fills, pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewport {
    pub width: f64,
    pub height: f64,
}

/// A projected point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Projected {
    /// Position in the picture, pixels.
    pub position: Vec2,
    /// Distance along the view direction, m.
    pub depth: f32,
    /// Pixels per metre at that depth.
    pub scale: f32,
}

/// The camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Camera {
    eye: DVec3,
    axes: Axes,
    /// Focal length: pixels per unit of tangent.
    focal: f64,
    /// Position in the picture of the view axis, pixels.
    middle: DVec2,
    /// The box that the camera was fitted to, along its axes, m.
    bounds: BoundingBox,
    /// Least and largest depth of the box, m.
    depths: [f32; 2],
}

impl Camera {
    /// A camera that sees the whole of a box within a viewport at the top of the picture. The edges of the box are
    /// along the camera's axes.
    pub fn fit(axes: Axes, bounds: &BoundingBox, viewport: Viewport) -> Self {
        let focal = viewport.height / 2.0 / HALF_ANGLE_TANGENT;
        let half = DVec2::new(viewport.width, viewport.height) * (0.5 - MARGIN);
        let half_size = (bounds.high - bounds.low) / 2.0;
        // The near side of the box looks largest.
        let min_distance = (half_size.x * focal / half.x).max(half_size.y * focal / half.y) + half_size.z;
        let distance = min_distance.max(1.1 * half_size.length() + f64::MIN_POSITIVE);
        Self {
            eye: axes.to_world(bounds.centre() - DVec3::Z * distance),
            axes,
            focal,
            middle: DVec2::new(viewport.width, viewport.height) / 2.0,
            bounds: *bounds,
            depths: [distance - half_size.z, distance + half_size.z].map(|depth| depth as f32),
        }
    }

    /// A point of the world, m, in view space.
    pub fn in_view_space(&self, point: Vec3) -> Vec3 {
        self.axes.to_view(point.as_dvec3() - self.eye).as_vec3()
    }

    /// A direction of the world in view space.
    pub fn direction_to_view(&self, direction: Vec3) -> Vec3 {
        self.axes.to_view(direction.as_dvec3()).as_vec3()
    }

    /// A direction of view space in the world.
    pub fn direction_to_world(&self, direction: Vec3) -> DVec3 {
        self.axes.to_world(direction.as_dvec3())
    }

    /// Projects a point of the world. None if it is not finite or lies behind the eye.
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        let in_view = self.in_view_space(point);
        if !in_view.is_finite() || in_view.z <= 0.0 {
            return None;
        }
        let scale = self.focal as f32 / in_view.z;
        Some(Projected {
            position: self.middle.as_vec2() + Vec2::new(in_view.x, -in_view.y) * scale,
            depth: in_view.z,
            scale,
        })
    }

    /// The direction in view space, with z = 1, of the ray through a position of the picture.
    pub fn ray(&self, position: Vec2) -> Vec3 {
        let offset = (position - self.middle.as_vec2()) / self.focal as f32;
        Vec3::new(offset.x, -offset.y, 1.0)
    }

    /// Whether the box that the camera was fitted to holds a point of the world, or the point is no further away than
    /// `margin`, m.
    pub fn contains_point(&self, point: DVec3, margin: f64) -> bool {
        self.bounds.contains(self.axes.to_view(point), margin)
    }

    /// Centre of the box that the camera was fitted to, in the world, m.
    pub fn target(&self) -> DVec3 {
        self.axes.to_world(self.bounds.centre())
    }

    /// The longest edge of the box that the camera was fitted to, m.
    pub fn reach(&self) -> f64 {
        (self.bounds.high - self.bounds.low).max_element()
    }

    /// Origin of all rays, m.
    pub fn eye(&self) -> DVec3 {
        self.eye
    }

    /// Depth relative to the matter: 0 at the nearest, 1 at the farthest.
    pub fn relative_depth(&self, depth: f32) -> f32 {
        let [near, far] = self.depths;
        ((depth - near) / (far - near).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const VIEWPORT: Viewport = Viewport { width: 640.0, height: 320.0 };

    /// The corners of any box lie within the margins. On the near side they reach at least one pair of margins.
    #[test]
    fn a_fitted_box_fills_the_viewport() {
        let boxes = [DVec3::ONE, DVec3::new(10.0, 0.1, 0.1), DVec3::new(0.1, 3.0, 0.1), DVec3::new(1.0, 1.0, 0.0)];
        for half in boxes {
            for view in [
                ViewDirection::FRONT,
                ViewDirection::TOP,
                ViewDirection::THREE_QUARTER,
                ViewDirection { azimuth: 200.0, elevation: -50.0 },
            ] {
                let (axes, centre) = (view.axes(), DVec3::new(5.0, 0.0, -3.0));
                let bounds = BoundingBox { low: centre - half, high: centre + half };
                let camera = Camera::fit(axes, &bounds, VIEWPORT);
                let corners = bounds.corners().map(|corner| axes.to_world(corner).as_vec3());
                let middle = DVec2::new(VIEWPORT.width, VIEWPORT.height) / 2.0;
                let offsets =
                    corners.map(|corner| (camera.project(corner).unwrap().position.as_dvec2() - middle) / middle);
                let reach = offsets.iter().map(|offset| offset.abs().max_element()).fold(0.0, f64::max);
                assert!((reach - (1.0 - 2.0 * MARGIN)).abs() < 1e-3, "{half} {view:?} {reach}");
            }
        }
    }

    fn camera(view: ViewDirection) -> Camera {
        Camera::fit(view.axes(), &BoundingBox { low: DVec3::NEG_ONE, high: DVec3::ONE }, VIEWPORT)
    }

    #[test]
    fn view_directions_match_blender() {
        let seen = |view, point: Vec3| {
            let [centre, point] = [Vec3::ZERO, point].map(|p| camera(view).project(p).unwrap());
            (point.position - centre.position, point.depth - centre.depth)
        };
        let right = |view, point| seen(view, point).0.x > 10.0 && seen(view, point).0.y.abs() < 1e-3;
        assert!(
            right(ViewDirection::FRONT, Vec3::X)
                && right(ViewDirection::SIDE, Vec3::Y)
                && right(ViewDirection::TOP, Vec3::X)
        );
        assert!(
            seen(ViewDirection::FRONT, Vec3::Z).0.y < -10.0 && seen(ViewDirection::TOP, Vec3::Y).0.y < -10.0,
            "up is up"
        );
        assert!(
            seen(ViewDirection::FRONT, Vec3::Y).1 > 0.9 && seen(ViewDirection::SIDE, Vec3::X).1 < -0.9,
            "what is behind is behind"
        );
    }

    #[test]
    fn a_ray_passes_through_the_projected_point() {
        let camera = camera(ViewDirection::THREE_QUARTER);
        let point = Vec3::new(0.3, -0.5, 0.9);
        let seen = camera.project(point).unwrap();
        let back = camera.eye() + camera.direction_to_world(camera.ray(seen.position) * seen.depth);
        assert!(back.distance(point.as_dvec3()) < 1e-5, "{back}");
    }

    #[test]
    fn views_parse_from_text() {
        assert_eq!("top".parse(), Ok(ViewDirection::TOP));
        assert_eq!("-30, 45.5".parse(), Ok(ViewDirection { azimuth: -30.0, elevation: 45.5 }));
        for wrong in ["", "above", "30", "nan,0", "0,91", "1,2,3", "inf,0"] {
            assert!(wrong.parse::<ViewDirection>().is_err(), "{wrong:?}");
        }
    }
}
