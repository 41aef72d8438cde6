//! Whether the lattice fits a body by itself.

use super::surface::Patch;
use super::{Beside, Point, Room};
use glam::{DMat3, DVec3};

/// The greatest displacement along the surface, in spacings, of a lattice that fits. Where layers follow the surface it
/// is below 0.006 (a cube turned by 45 degrees about Z 0.002); a flat cylinder, round at its rim alone, has 0.012, and
/// balls and turned boxes 0.02 to 0.04.
const BALANCED: f64 = 0.01;

/// The greatest part of a normal beside an axis of a face along it.
const ASKEW: f64 = 1e-6;

/// Whether a lattice, of which so many points are asked for, fits the surface: where that lies along the axes of the
/// lattice, or the lattice is in balance along it. How deep layers lie is for [`fill`](crate::geometry::fill) to say.
pub fn is_balanced(room: &Room, lattice: &[DVec3], asked: f64) -> bool {
    room.surface.things.iter().all(lies_along_axes) || unbalance(room, lattice, asked) <= BALANCED
}

fn lies_along_axes(patch: &Patch) -> bool {
    let size = patch.area.abs();
    size.element_sum() - size.max_element() <= ASKEW * size.max_element()
}

/// The root of the mean square of the displacements along the surface, in spacings, of the points beside it.
fn unbalance(room: &Room, lattice: &[DVec3], asked: f64) -> f64 {
    let law = room.law.weighing(asked / lattice.len() as f64);
    let points: Vec<Point> = lattice.iter().zip(0..).map(|(&place, number)| Point { place, number }).collect();
    let squares = room.pushed(&law, &points, |point, by, beside| {
        normals(room, point.place, beside).map(|normals| along(by, normals).length_squared())
    });
    let (sum, count) = squares.into_iter().flatten().fold((0.0, 0_usize), |(sum, count), one| (sum + one, count + 1));
    (sum / count.max(1) as f64).sqrt() / room.spacing
}

/// The mean over the surface around a point of the products of its normal's components; none where it is beyond reach.
fn normals(room: &Room, place: DVec3, beside: &Beside) -> Option<DMat3> {
    let (mut sum, mut all) = (DMat3::ZERO, 0.0);
    for patch in beside.patches() {
        let (size, weight) = (patch.area.length(), room.law.weight(place - patch.place));
        if size > 0.0 {
            let normal = patch.area / size;
            sum += DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z) * (weight * size);
            all += weight * size;
        }
    }
    (all > 0.0).then(|| sum * (1.0 / all))
}

/// The part of a displacement along the surface. At an edge, where the normals are several, little is left.
fn along(by: DVec3, normals: DMat3) -> DVec3 {
    (0..3).fold(by, |left, _| left - normals * left)
}
