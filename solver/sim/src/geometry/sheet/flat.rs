//! Flat pieces: a hexagonal lattice fitted to the outline.

use super::relax::Rim;
use super::samples::{Point, nearest};
use super::surface::{Face, SheetSurface, SurfacePiece};
use super::walk::SurfacePoint;
use glam::{DVec2, DVec3};
use std::collections::BTreeMap;

/// How far corners may lie off the plane of a flat piece, in the distance of neighbours.
const FLAT: f64 = 0.01;

/// How much the lattice may be stretched or pressed to fit the outline.
const STRETCH: f64 = 0.03;

/// Least distance of the outermost samples from an outline that is no rectangle, in the distance of neighbours.
const CLEARANCE: f64 = 0.2;

/// An outline counts as a rectangle if it lacks no more than this part of the area of the rectangle around it.
const RECTANGLE: f64 = 1e-3;

/// The samples of a flat piece, and whether they fill a rectangle and need no relaxing; none for a piece that is not
/// flat.
pub(super) fn lattice(
    surface: &SheetSurface,
    piece: &SurfacePiece,
    rim: &Rim,
    distance: f64,
) -> Option<(Vec<SurfacePoint>, bool)> {
    let plane = FacePlane::of(surface, piece, distance)?;
    let faces = piece.faces.clone().map(|n| n as u32);
    let flat = |face: &Face| face.corners.map(|corner| plane.flat(corner));
    let all = piece.faces.clone().flat_map(|n| flat(&surface.faces[n]));
    let (low, high) = all.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
    let rows = Rows::fitted(low, high, distance);
    // An edge between two faces may have a sample in both; the first face keeps it.
    let mut samples: BTreeMap<(i64, i64), SurfacePoint> = BTreeMap::new();
    for number in faces {
        let face = &surface.faces[number as usize];
        rows.within(flat(face), |key, point| {
            let rates = face.rates(plane.space(point) - face.corners[0]);
            let barycentric = (DVec3::X + rates).max(DVec3::ZERO);
            let place = SurfacePoint { face: number, barycentric: barycentric / barycentric.element_sum() };
            samples.entry(key).or_insert(place);
        });
    }
    let rectangle = piece.area > (1.0 - RECTANGLE) * (high - low).element_product();
    let clear = |place: &SurfacePoint| {
        let point = Point::new(surface, *place);
        rectangle || nearest(&rim.grid, &rim.points, &point, CLEARANCE * distance, distance) >= CLEARANCE * distance
    };
    Some((samples.into_values().filter(clear).collect(), rectangle))
}

/// A plane with its rows along the first axis.
struct FacePlane {
    origin: DVec3,
    axes: [DVec3; 2],
}

impl FacePlane {
    fn of(surface: &SheetSurface, piece: &SurfacePiece, distance: f64) -> Option<Self> {
        let faces = &surface.faces[piece.faces.clone()];
        let normal = faces.iter().map(|face| face.normal * face.area).sum::<DVec3>().try_normalize()?;
        let origin = faces.first()?.corners[0];
        let off = |corner: &DVec3| (*corner - origin).dot(normal).abs() > FLAT * distance;
        if faces.iter().any(|face| face.normal.dot(normal) < 0.5 || face.corners.iter().any(off)) {
            return None;
        }
        let along = longest_side(surface, piece, normal)?;
        Some(Self { origin, axes: [along, normal.cross(along)] })
    }

    fn flat(&self, p: DVec3) -> DVec2 {
        DVec2::new((p - self.origin).dot(self.axes[0]), (p - self.origin).dot(self.axes[1]))
    }

    fn space(&self, p: DVec2) -> DVec3 {
        self.origin + self.axes[0] * p.x + self.axes[1] * p.y
    }
}

/// Number of directions that are told apart in a half turn.
const DIRECTIONS: f64 = 720.0;

/// The direction that most of the outline's length has, as a unit vector.
fn longest_side(surface: &SheetSurface, piece: &SurfacePiece, normal: DVec3) -> Option<DVec3> {
    let sides = || surface.rim(piece.faces.clone()).map(|(face, k)| face.ends(k)[1] - face.ends(k)[0]);
    let x = sides().next()?.reject_from_normalized(normal).try_normalize()?;
    let y = normal.cross(x);
    let direction = |side: DVec3| {
        let turn = side.dot(y).atan2(side.dot(x)) / std::f64::consts::PI;
        (turn.rem_euclid(1.0) * DIRECTIONS).round() as u32 % DIRECTIONS as u32
    };
    let mut sums: BTreeMap<u32, (f64, DVec3)> = BTreeMap::new();
    for side in sides() {
        let (length, sum) = sums.entry(direction(side)).or_default();
        *length += side.length();
        *sum += if sum.dot(side) < 0.0 { -side } else { side };
    }
    let longest = sums.into_values().fold((0.0, x), |longest, sum| if sum.0 > longest.0 { sum } else { longest });
    longest.1.reject_from_normalized(normal).try_normalize()
}

/// Rows of a hexagonal lattice: every other one is shifted by half of the distance within a row.
struct Rows {
    /// The first point of the first row.
    first: DVec2,
    /// Distances within and between rows, m.
    steps: DVec2,
}

impl Rows {
    /// Rows that fill a rectangle evenly: above and below they keep half the distance between rows, at the sides a
    /// quarter or three quarters of the distance within a row.
    fn fitted(low: DVec2, high: DVec2, distance: f64) -> Self {
        let fit = |extent: f64, step: f64| {
            let count = (extent / step).round().max(1.0);
            (count, (extent / count).clamp((1.0 - STRETCH) * step, (1.0 + STRETCH) * step))
        };
        let extent = high - low;
        let (mut columns, along) = fit(extent.x, distance);
        let (mut count, up) = fit(extent.y, distance * 0.75_f64.sqrt());
        if (columns - 0.5) * along > extent.x - 0.2 * along {
            columns = (columns - 1.0).max(1.0);
        }
        if (count - 1.0) * up > extent.y - 0.5 * up {
            count = (count - 1.0).max(1.0);
        }
        // A single row is not shifted against another.
        let shift = if count > 1.0 { 0.5 } else { 0.0 };
        let size = DVec2::new((columns - 1.0 + shift) * along, (count - 1.0) * up);
        Self { first: (low + high - size) / 2.0, steps: DVec2::new(along, up) }
    }

    /// Gives each point of the lattice that lies in a triangle, with its column and row.
    fn within(&self, corners: [DVec2; 3], mut give: impl FnMut((i64, i64), DVec2)) {
        // Points on an edge count to both sides of it.
        let slack = 1e-9 * self.steps.x;
        let (bottom, top) = extremes(corners.map(|corner| corner.y));
        let row = |y: f64| (y - self.first.y) / self.steps.y;
        for j in row(bottom - slack).ceil() as i64..=row(top + slack).floor() as i64 {
            let y = self.first.y + j as f64 * self.steps.y;
            let Some((left, right)) = span(corners, y.clamp(bottom, top)) else { continue };
            let start = self.first.x + 0.5 * self.steps.x * (j & 1) as f64;
            let column = |x: f64| (x - start) / self.steps.x;
            for i in column(left - slack).ceil() as i64..=column(right + slack).floor() as i64 {
                give((i, j), DVec2::new(start + i as f64 * self.steps.x, y));
            }
        }
    }
}

fn extremes(values: [f64; 3]) -> (f64, f64) {
    values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}

/// The part of a line of constant y that a triangle covers.
fn span(corners: [DVec2; 3], y: f64) -> Option<(f64, f64)> {
    let mut span: Option<(f64, f64)> = None;
    let mut cover = |x: f64| span = Some(span.map_or((x, x), |(low, high)| (low.min(x), high.max(x))));
    for k in 0..3 {
        let (a, b) = (corners[k], corners[(k + 1) % 3]);
        if (a.y - y) * (b.y - y) <= 0.0 {
            let height = b.y - a.y;
            if height.abs() > 0.0 {
                cover(a.x + (b.x - a.x) * ((y - a.y) / height));
            } else {
                cover(a.x);
                cover(b.x);
            }
        }
    }
    span
}
