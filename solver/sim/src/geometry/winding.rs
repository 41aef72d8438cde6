//! Winding numbers of a closed mesh along vertical columns.
//!
//! A column through (x, y) crosses the mesh in some triangles; each crossing adds the sign of the triangle's
//! orientation. For a closed mesh the sum above a point is its winding number, exactly: a column that hits an edge or a
//! vertex is counted once, because each edge decides by the same exact predicate in all the triangles that share it.

use super::TriangleMesh;
use crate::bounds::Bounds;
use glam::{DVec2, DVec3};
use robust::{Coord, orient2d};
use std::iter::Sum;

/// Average number of bins that a triangle may lie in.
const ENTRIES_PER_TRIANGLE: usize = 8;
/// Entries that any mesh may have: few triangles cost little, however many bins each of them lies in.
const SPARE_ENTRIES: usize = 4096;

/// A mesh sorted into vertical columns.
#[derive(Debug, Clone)]
pub struct WindingColumns {
    triangles: Vec<[DVec3; 3]>,
    bins: Bins,
    /// First entry of each bin in `members`, and the end of the last bin.
    starts: Vec<usize>,
    members: Vec<u32>,
}

/// A column's crossing with the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Height, m.
    pub z: f64,
    /// +1 where the face looks up, -1 where it looks down.
    pub sign: i32,
}

/// Square bins over the mesh's projection along Z.
#[derive(Debug, Clone, Copy)]
struct Bins {
    low: DVec2,
    size: f64,
    count: [usize; 2],
}

impl Bins {
    /// About as many bins as triangles, or fewer where long triangles would lie in too many of them.
    fn for_triangles(triangles: &[[DVec3; 3]]) -> Self {
        let Bounds { low, high } = Bounds::of(triangles.iter().flatten().copied());
        let (low, extent) =
            if triangles.is_empty() { (DVec2::ZERO, DVec2::ONE) } else { (low.truncate(), (high - low).truncate()) };
        let allowed = ENTRIES_PER_TRIANGLE * triangles.len() + SPARE_ENTRIES;
        let mut along = (triangles.len() as f64).sqrt().clamp(1.0, 1024.0);
        loop {
            let bins = Self::new(low, extent, along);
            if along <= 1.0 || triangles.iter().map(|corners| bins.entries(corners)).sum::<usize>() <= allowed {
                return bins;
            }
            along /= 2.0;
        }
    }

    /// `along` bins along the longer side.
    fn new(low: DVec2, extent: DVec2, along: f64) -> Self {
        let size = (extent.max_element() / along).max(f64::MIN_POSITIVE);
        let count = |length: f64| ((length / size) as usize + 1).min(2048);
        Self { low, size, count: [count(extent.x), count(extent.y)] }
    }

    /// The bin at p, or the nearest one.
    fn at(&self, p: DVec2) -> [usize; 2] {
        let cell = (p - self.low) / self.size;
        [(cell.x.max(0.0) as usize).min(self.count[0] - 1), (cell.y.max(0.0) as usize).min(self.count[1] - 1)]
    }

    fn number(&self, [x, y]: [usize; 2]) -> usize {
        y * self.count[0] + x
    }

    /// First and last bin of a triangle's bounding box.
    fn range(&self, corners: &[DVec3; 3]) -> [[usize; 2]; 2] {
        let Bounds { low, high } = Bounds::of(*corners);
        [self.at(low.truncate()), self.at(high.truncate())]
    }

    fn entries(&self, corners: &[DVec3; 3]) -> usize {
        let [[x0, y0], [x1, y1]] = self.range(corners);
        (x1 - x0 + 1) * (y1 - y0 + 1)
    }

    fn numbers(self, corners: &[DVec3; 3]) -> impl Iterator<Item = usize> {
        let [[x0, y0], [x1, y1]] = self.range(corners);
        (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| self.number([x, y])))
    }
}

impl WindingColumns {
    /// Sorts the triangles of a mesh into columns.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let triangles: Vec<[DVec3; 3]> = mesh.corners().collect();
        let bins = Bins::for_triangles(&triangles);
        let numbered = triangles.iter().zip(0_u32..);
        let mut entries: Vec<(usize, u32)> =
            numbered.flat_map(|(corners, number)| bins.numbers(corners).map(move |bin| (bin, number))).collect();
        entries.sort_unstable();
        let last = bins.count[0] * bins.count[1];
        let starts = (0..=last).map(|bin| entries.partition_point(|&(b, _)| b < bin)).collect();
        let members = entries.into_iter().map(|(_, triangle)| triangle).collect();
        Self { triangles, bins, starts, members }
    }

    /// The corners of its triangles.
    pub fn triangles(&self) -> &[[DVec3; 3]] {
        &self.triangles
    }

    /// The crossings of the column through (x, y), from low to high.
    pub fn crossings(&self, x: f64, y: f64, found: &mut Vec<Crossing>) {
        found.clear();
        let p = DVec2::new(x, y);
        let bin = self.bins.number(self.bins.at(p));
        for &member in &self.members[self.starts[bin]..self.starts[bin + 1]] {
            let corners = &self.triangles[member as usize];
            let sign = coverage(corners, p);
            if sign != 0 {
                found.push(Crossing { z: height(corners, p), sign });
            }
        }
        found.sort_unstable_by(|a, b| a.z.total_cmp(&b.z));
    }
}

/// The winding number at a height, given the crossings of its column.
pub fn winding_number(crossings: &[Crossing], z: f64) -> i32 {
    crossings.iter().filter(|crossing| crossing.z > z).map(|crossing| crossing.sign).sum()
}

/// Total lengths of columns through a closed mesh.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lengths {
    /// Length within the mesh, m.
    inside: f64,
    /// The same length, each part times its winding number, m.
    wound: f64,
}

/// A mesh whose wound length is less than this part of its inner length winds both ways.
const BOTH_WAYS: f64 = 0.1;

impl Lengths {
    /// The lengths of one column, given its crossings.
    pub fn of(crossings: &[Crossing]) -> Self {
        let mut winding = 0;
        let parts = crossings.windows(2).map(|pair| {
            // From below the winding number falls where a face looks up.
            winding -= pair[0].sign;
            let length = pair[1].z - pair[0].z;
            Self { inside: if winding == 0 { 0.0 } else { length }, wound: f64::from(winding) * length }
        });
        parts.sum()
    }

    /// The content of the mesh with overlaps counted once, given the exact content with overlaps counted each time. The
    /// columns, each of which stands for some width or area, only tell how much overlaps.
    pub fn counted_once(self, exact: f64, of_column: f64) -> f64 {
        if self.inside == 0.0 {
            exact
        } else if self.wound.abs() < BOTH_WAYS * self.inside {
            self.inside * of_column
        } else {
            exact * self.inside / self.wound.abs()
        }
    }
}

impl Sum for Lengths {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |a, b| Self { inside: a.inside + b.inside, wound: a.wound + b.wound })
    }
}

/// The winding number of the triangle's projection around p: +1, 0 or -1.
fn coverage(corners: &[DVec3; 3], p: DVec2) -> i32 {
    let [a, b, c] = corners.map(DVec3::truncate);
    edge_crossing(a, b, p) + edge_crossing(b, c, p) + edge_crossing(c, a, p)
}

/// +1 or -1 when the edge passes the ray from p towards +x upwards or downwards.
fn edge_crossing(from: DVec2, to: DVec2, p: DVec2) -> i32 {
    let upwards = from.y <= p.y;
    if upwards == (to.y <= p.y) {
        return 0;
    }
    let (lower, upper) = if upwards { (from, to) } else { (to, from) };
    let coord = |v: DVec2| Coord { x: v.x, y: v.y };
    if orient2d(coord(lower), coord(upper), coord(p)) > 0.0 { if upwards { 1 } else { -1 } } else { 0 }
}

/// Height of the triangle's plane over p, kept within the triangle.
fn height(corners: &[DVec3; 3], p: DVec2) -> f64 {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(c - a);
    let (low, high) = (a.z.min(b.z).min(c.z), a.z.max(b.z).max(c.z));
    let offset = p - a.truncate();
    let z = a.z - (normal.x * offset.x + normal.y * offset.y) / normal.z;
    if z.is_finite() { z.clamp(low, high) } else { f64::midpoint(low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::cylinder_mesh;

    #[test]
    fn slivers_stay_small() {
        let mesh = cylinder_mesh(1.0, 2.0, 10_000);
        let columns = WindingColumns::new(&mesh);
        let count = mesh.triangles.len();
        assert!(count >= 20_000, "{count} triangles");
        assert!(columns.members.len() <= 8 * count + 4096, "{} entries", columns.members.len());
        let mut found = Vec::new();
        for ([x, y], inside) in
            [([0.0, 0.0], 1), ([0.3, 0.4], 1), ([-0.6, 0.79], 1), ([0.8, -0.61], 0), ([2.0, 0.0], 0)]
        {
            columns.crossings(x, y, &mut found);
            let windings = [-1.5, -0.9, 0.9, 1.5].map(|z| winding_number(&found, z));
            assert_eq!(windings, [0, inside, inside, 0], "over ({x}, {y})");
        }
    }
}
