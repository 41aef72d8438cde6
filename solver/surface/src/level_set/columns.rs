//! What is inside of a closed mesh, by winding numbers: a column of voxels along z crosses triangles, each up or down, and
//! those below a voxel tell how often the mesh goes around it.
//!
//! Each edge decides by one computation on which side a column passes, the same in all triangles that share it, so the
//! crossings of a column add up to nothing whatever is rounded.

use crate::blocks::{BlockKey, EDGE, origin};
use crate::mask::BlockMask;
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Where a column crosses the mesh.
#[derive(Debug, Clone, Copy)]
struct Crossing {
    column: [i32; 2],
    z: f64,
    /// 1 where the face looks up, -1 where it looks down.
    sign: i32,
}

/// The crossings of all columns, by column, from low to high.
pub(super) struct Columns(Vec<Crossing>);

impl Columns {
    /// The columns of a mesh in lattice coordinates.
    pub fn new(triangles: &[[DVec3; 3]]) -> Self {
        let mut crossings: Vec<Crossing> = triangles.par_iter().flat_map_iter(crossings).collect();
        // What is equal by all three is the same.
        crossings
            .par_sort_unstable_by(|a, b| a.column.cmp(&b.column).then(a.z.total_cmp(&b.z)).then(a.sign.cmp(&b.sign)));
        Self(crossings)
    }

    /// The nodes of a block that are inside.
    pub fn inside(&self, key: BlockKey) -> BlockMask {
        let [x, y, z] = origin(key);
        let mut mask = BlockMask::default();
        for (word, x) in mask.0.iter_mut().zip(x..) {
            let start = self.0.partition_point(|crossing| crossing.column < [x, y]);
            let length = self.0[start..].partition_point(|crossing| crossing.column < [x, y + EDGE]);
            for column in by_column(&self.0[start..start + length]) {
                let byte = 8 * (column[0].column[1] - y);
                for (first, end) in spans(column) {
                    let [first, end] = [first, end].map(|c| (c - f64::from(z)).clamp(0.0, f64::from(EDGE)) as u32);
                    *word |= ((1_u64 << end) - (1 << first)) << byte;
                }
            }
        }
        mask
    }

    /// The nodes inside whose coordinates are all multiples of a step, sorted.
    pub fn lattice_inside(&self, step: i32) -> Vec<[i32; 3]> {
        let on_lattice = |column: &&[Crossing]| column[0].column.iter().all(|c| c % step == 0);
        let of_column = |column: &[Crossing]| {
            let [x, y] = column[0].column;
            let next = |c: f64| (c / f64::from(step)).ceil() as i32;
            let along = |(first, end)| (next(first)..next(end)).map(move |z| [x, y, z * step]);
            spans(column).flat_map(along).collect::<Vec<_>>()
        };
        by_column(&self.0).filter(on_lattice).flat_map(of_column).collect()
    }
}

fn by_column(crossings: &[Crossing]) -> impl Iterator<Item = &[Crossing]> {
    crossings.chunk_by(|a, b| a.column == b.column)
}

/// The nodes inside along a column: the first, and the first that is outside again.
fn spans(column: &[Crossing]) -> impl Iterator<Item = (f64, f64)> {
    let mut winding = 0;
    column.windows(2).filter_map(move |pair| {
        winding -= pair[0].sign;
        (winding > 0).then(|| (pair[0].z.ceil(), pair[1].z.ceil()))
    })
}

/// Where columns cross a triangle.
fn crossings(corners: &[DVec3; 3]) -> impl Iterator<Item = Crossing> {
    let (low, high) = corners.iter().fold((corners[0], corners[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let range = move |axis: usize| (low[axis].ceil() as i32)..=(high[axis].floor() as i32);
    let columns = range(0).flat_map(move |x| range(1).map(move |y| [x, y]));
    columns.filter_map(move |column| {
        let at = DVec2::from_array(column.map(f64::from));
        let sign = coverage(corners, at);
        (sign != 0).then(|| Crossing { column, z: height(corners, at).max(low.z).min(high.z), sign })
    })
}

/// How often a triangle goes around a point, seen from above.
fn coverage(corners: &[DVec3; 3], at: DVec2) -> i32 {
    (0..3).map(|edge| passing(corners[edge].truncate(), corners[(edge + 1) % 3].truncate(), at)).sum()
}

/// 1 where an edge passes right of a point upwards, -1 where downwards, else 0.
fn passing(start: DVec2, end: DVec2, at: DVec2) -> i32 {
    if (start.y <= at.y) == (end.y <= at.y) {
        return 0;
    }
    // From the lower end, whichever way the triangle goes.
    let (low, high, sign) = if start.y < end.y { (start, end, 1) } else { (end, start, -1) };
    if (high - low).perp_dot(at - low) > 0.0 { sign } else { 0 }
}

/// Height of a triangle's plane over a point; it may be anything where it stands upright.
fn height([a, b, c]: &[DVec3; 3], at: DVec2) -> f64 {
    let normal = (b - a).cross(c - a);
    a.z - (at - a.truncate()).dot(normal.truncate()) / normal.z
}
