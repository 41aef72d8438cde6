//! The surface of a solid in small patches.

use super::cells::Cubes;
use crate::geometry::{self, Solid};
use dollop_scene::Dimensions;
use glam::DVec3;
use rayon::prelude::*;

/// The longest edge of a patch, in spacings.
const FINE: f64 = 0.5;

/// About how many patches a surface may have before those side by side are joined: so many take about a gigabyte for a
/// moment. A cube with ten million points has that many.
const MOST: f64 = 1.0e7;

/// How far beside a patch its two sides are looked at, in spacings.
const BESIDE: f64 = 1e-3;

/// A small part of the surface.
#[derive(Debug, Clone, Copy)]
pub struct Patch {
    /// Its middle, m.
    pub place: DVec3,
    /// Its area times the outward normal, m^2; in a plane its length times that, m.
    pub area: DVec3,
}

/// The patches of a solid, or of its cut by the plane y = 0, at a spacing, m; none where they would be too many.
pub fn patches(solid: &Solid, dimensions: Dimensions, spacing: f64) -> Option<Vec<Patch>> {
    let longest = FINE * spacing;
    let triangles = solid.triangles();
    let found: Vec<Patch> = match dimensions {
        Dimensions::Two => {
            let lines: Vec<(Patch, DVec3)> = triangles.iter().filter_map(line).collect();
            within(lines.iter().map(|(_, along)| along.length() / longest + 1.0))?;
            lines.par_iter().flat_map_iter(|&(whole, along)| parts_of_line(whole, along, longest)).collect()
        }
        Dimensions::Three => {
            within(triangles.iter().map(|corners| pieces(corners, longest)))?;
            triangles.par_iter().flat_map_iter(|&corners| parts_of_triangle(corners, longest)).collect()
        }
    };
    let outer: Vec<Patch> = match solid {
        Solid::Primitive { .. } => found,
        // Parts of a mesh may overlap, or look inwards.
        Solid::Mesh { .. } => {
            found.into_par_iter().filter_map(|patch| outward(patch, solid, BESIDE * spacing)).collect()
        }
    };
    Some(joined(&outer, &Cubes { origin: solid.bounds().low, edge: longest }))
}

/// None where there are too many patches.
fn within(counts: impl Iterator<Item = f64>) -> Option<()> {
    (counts.sum::<f64>() <= MOST).then_some(())
}

/// About how many pieces a triangle is divided into.
fn pieces([a, b, c]: &[DVec3; 3], longest: f64) -> f64 {
    let area = (b - a).cross(c - a).length() / 2.0;
    let around = a.distance(*b) + b.distance(*c) + c.distance(*a);
    8.0 * area / longest.powi(2) + 2.0 * around / longest + 1.0
}

/// The pieces of a triangle, whose longest edges are halved until they are short enough.
fn parts_of_triangle(corners: [DVec3; 3], longest: f64) -> Vec<Patch> {
    let (mut whole, mut parts) = (vec![corners], Vec::new());
    while let Some(corners) = whole.pop() {
        let [a, b, c] = longest_first(corners);
        let middle = a.midpoint(b);
        // Far from the origin a middle may round to an end.
        if a.distance_squared(b) > longest * longest && middle != a && middle != b {
            whole.extend([[a, middle, c], [middle, b, c]]);
        } else {
            parts.push(Patch { place: (a + b + c) / 3.0, area: (b - a).cross(c - a) / 2.0 });
        }
    }
    parts
}

/// A triangle turned so that its longest edge is the first.
fn longest_first([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    let [first, second, third] = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
    if second > first && second >= third {
        [b, c, a]
    } else if third > first {
        [c, a, b]
    } else {
        [a, b, c]
    }
}

/// The line in which the plane cuts a triangle, as one patch, and its vector from end to end.
fn line(corners: &[DVec3; 3]) -> Option<(Patch, DVec3)> {
    let [from, to] = geometry::cut(corners)?;
    let along = to - from;
    // The side to which the triangle looks.
    let normal = DVec3::new(along.z, 0.0, -along.x);
    let [a, b, c] = *corners;
    let outward = if normal.dot((b - a).cross(c - a)) < 0.0 { -normal } else { normal };
    (outward != DVec3::ZERO).then_some((Patch { place: from.midpoint(to), area: outward }, along))
}

fn parts_of_line(whole: Patch, along: DVec3, longest: f64) -> impl Iterator<Item = Patch> {
    let count = (along.length() / longest).ceil().max(1.0);
    let part = move |n: u64| {
        let share = (n as f64 + 0.5) / count - 0.5;
        Patch { place: whole.place + along * share, area: whole.area / count }
    };
    (0..count as u64).map(part)
}

/// The patch with its normal pointing outwards; none where both of its sides lie inside, or none of them.
fn outward(patch: Patch, solid: &Solid, beside: f64) -> Option<Patch> {
    let by = patch.area.normalize_or_zero() * beside;
    let [behind, before] = [patch.place - by, patch.place + by].map(|place| solid.contains(place));
    let area = if before { -patch.area } else { patch.area };
    (behind != before).then_some(Patch { area, ..patch })
}

/// The patches with those joined that lie in one cube and look the same way.
fn joined(patches: &[Patch], cubes: &Cubes) -> Vec<Patch> {
    let keyed = |(patch, number): (&Patch, usize)| (cubes.at(patch.place), side(patch.area), number);
    let mut order: Vec<_> = patches.par_iter().zip(0..patches.len()).map(keyed).collect();
    order.par_sort_unstable();
    let alike = order.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    let join = |group: &[([i32; 3], usize, usize)]| {
        let of_group = group.iter().map(|&(.., number)| patches[number]);
        let (area, weight, place) = of_group.fold((DVec3::ZERO, 0.0, DVec3::ZERO), |(area, weight, place), patch| {
            let size = patch.area.length();
            (area + patch.area, weight + size, place + patch.place * size)
        });
        (weight > 0.0).then(|| Patch { place: place / weight, area })
    };
    alike.filter_map(join).collect()
}

/// The direction along the axes, one of six, that is nearest to a vector.
fn side(vector: DVec3) -> usize {
    let size = vector.abs();
    let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
    2 * axis + usize::from(vector[axis] < 0.0)
}
