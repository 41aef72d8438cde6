//! Winding numbers decide whether voxels lie inside a closed mesh. A column of voxels along z crosses triangles upwards
//! or downwards; the crossings below a voxel give its winding number.
//!
//! Each edge decides with a single computation on which side a column passes, the same in both triangles that share it.
//! So the crossings of a column always cancel, whatever the rounding.

use crate::lattice::blocks::{BlockKey, EDGE, origin};
use crate::lattice::mask::BlockMask;
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// A crossing of a column and the mesh.
#[derive(Debug, Clone, Copy)]
struct ColumnCrossing {
    column: [i32; 2],
    z: f64,
    /// 1 if the face points up, -1 if it points down.
    sign: i32,
}

/// The crossings of all columns, sorted by column and then by height.
pub(super) struct VoxelColumns(Vec<ColumnCrossing>);

impl VoxelColumns {
    /// The columns of a mesh in lattice coordinates.
    pub fn new(triangles: &[[DVec3; 3]]) -> Self {
        let mut crossings: Vec<ColumnCrossing> = triangles.par_iter().flat_map_iter(crossings).collect();
        // Entries with equal keys are identical.
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

    /// The inside nodes whose coordinates are all multiples of `step`, sorted.
    pub fn lattice_inside(&self, step: i32) -> Vec<[i32; 3]> {
        let on_lattice = |column: &&[ColumnCrossing]| column[0].column.iter().all(|c| c % step == 0);
        let of_column = |column: &[ColumnCrossing]| {
            let [x, y] = column[0].column;
            let next = |c: f64| (c / f64::from(step)).ceil() as i32;
            let along = |(first, end)| (next(first)..next(end)).map(move |z| [x, y, z * step]);
            spans(column).flat_map(along).collect::<Vec<_>>()
        };
        by_column(&self.0).filter(on_lattice).flat_map(of_column).collect()
    }
}

fn by_column(crossings: &[ColumnCrossing]) -> impl Iterator<Item = &[ColumnCrossing]> {
    crossings.chunk_by(|a, b| a.column == b.column)
}

/// The inside intervals along a column: the first node inside, and the first node outside again.
fn spans(column: &[ColumnCrossing]) -> impl Iterator<Item = (f64, f64)> {
    let mut winding = 0;
    column.windows(2).filter_map(move |pair| {
        winding -= pair[0].sign;
        (winding > 0).then(|| (pair[0].z.ceil(), pair[1].z.ceil()))
    })
}

/// The crossings of columns and a triangle.
fn crossings(corners: &[DVec3; 3]) -> impl Iterator<Item = ColumnCrossing> {
    let (low, high) = corners.iter().fold((corners[0], corners[0]), |(low, high), p| (low.min(*p), high.max(*p)));
    let range = move |axis: usize| (low[axis].ceil() as i32)..=(high[axis].floor() as i32);
    let columns = range(0).flat_map(move |x| range(1).map(move |y| [x, y]));
    columns.filter_map(move |column| {
        let at = DVec2::from_array(column.map(f64::from));
        let sign = coverage(corners, at);
        (sign != 0).then(|| ColumnCrossing { column, z: height(corners, at).max(low.z).min(high.z), sign })
    })
}

/// The winding number of a triangle around a point, seen from above.
fn coverage(corners: &[DVec3; 3], at: DVec2) -> i32 {
    (0..3).map(|edge| passing(corners[edge].truncate(), corners[(edge + 1) % 3].truncate(), at)).sum()
}

/// 1 if an edge passes right of a point upwards, -1 if downwards, else 0.
fn passing(start: DVec2, end: DVec2, at: DVec2) -> i32 {
    if (start.y <= at.y) == (end.y <= at.y) {
        return 0;
    }
    // Always from the lower end, whatever the direction of the triangle.
    let (low, high, sign) = if start.y < end.y { (start, end, 1) } else { (end, start, -1) };
    if (high - low).perp_dot(at - low) > 0.0 { sign } else { 0 }
}

/// Height of the plane of a triangle over a point; arbitrary for a vertical triangle.
fn height([a, b, c]: &[DVec3; 3], at: DVec2) -> f64 {
    let normal = (b - a).cross(c - a);
    a.z - (at - a.truncate()).dot(normal.truncate()) / normal.z
}
