//! Winding numbers of a closed mesh along vertical columns.
//!
//! A column through (x, y) crosses the mesh in some triangles; each crossing adds the sign of the triangle's
//! orientation. For a closed mesh the sum above a point is its winding number, exactly: a column that hits an edge or a
//! vertex is counted once, because each edge decides by the same exact predicate in all the triangles that share it.

use super::{TriangleMesh, bounds};
use glam::{DVec2, DVec3};
use robust::{Coord, orient2d};

/// A mesh sorted into vertical columns.
#[derive(Debug, Clone)]
pub struct WindingColumns {
    triangles: Vec<[DVec3; 3]>,
    low: DVec2,
    bin_size: f64,
    bins: [usize; 2],
    /// First entry of each bin in `members`; one more than there are bins.
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

impl WindingColumns {
    /// Sorts a mesh into columns.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let triangles: Vec<[DVec3; 3]> = mesh.corners().collect();
        let (low, high) = bounds(triangles.iter().flatten().copied());
        let (low, extent) =
            if triangles.is_empty() { (DVec2::ZERO, DVec2::ONE) } else { (low.truncate(), (high - low).truncate()) };
        let wanted = (triangles.len() as f64).sqrt().clamp(1.0, 1024.0);
        let bin_size = (extent.max_element() / wanted).max(f64::MIN_POSITIVE);
        let count = |length: f64| ((length / bin_size) as usize + 1).min(2048);
        let mut columns = Self {
            low,
            bin_size,
            bins: [count(extent.x), count(extent.y)],
            starts: Vec::new(),
            members: Vec::new(),
            triangles,
        };
        columns.sort_into_bins();
        columns
    }

    fn sort_into_bins(&mut self) {
        let mut entries: Vec<(usize, u32)> = Vec::with_capacity(self.triangles.len() * 2);
        for (number, corners) in self.triangles.iter().enumerate() {
            let (low, high) = bounds(*corners);
            let ([x0, y0], [x1, y1]) = (self.bin(low.truncate()), self.bin(high.truncate()));
            entries.extend(
                (y0..=y1)
                    .flat_map(|y| (x0..=x1).map(move |x| (x, y)))
                    .map(|(x, y)| (y * self.bins[0] + x, number as u32)),
            );
        }
        entries.sort_unstable();
        let bins = self.bins[0] * self.bins[1];
        self.starts = (0..=bins).map(|bin| entries.partition_point(|&(b, _)| b < bin)).collect();
        self.members = entries.into_iter().map(|(_, triangle)| triangle).collect();
    }

    fn bin(&self, p: DVec2) -> [usize; 2] {
        let cell = (p - self.low) / self.bin_size;
        [(cell.x.max(0.0) as usize).min(self.bins[0] - 1), (cell.y.max(0.0) as usize).min(self.bins[1] - 1)]
    }

    /// The crossings of the column through (x, y), from low to high.
    pub fn crossings(&self, x: f64, y: f64, found: &mut Vec<Crossing>) {
        found.clear();
        let p = DVec2::new(x, y);
        let [bx, by] = self.bin(p);
        let bin = by * self.bins[0] + bx;
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

/// How often the triangle's shadow winds around p: +1, 0 or -1.
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
