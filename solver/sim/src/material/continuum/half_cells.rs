//! From the distances of walls at the middles of half cells to what walls cover of cells and faces.

use super::walls::{MIDDLE, REACH, WallCell, face};
use super::weights::spline;
use crate::grid::others;
use glam::{DVec3, IVec3, Vec3};

/// Cells along the edge of a block.
pub const BLOCK: i32 = 8;
/// Half cells beyond a block on each side whose distances count.
pub const MARGIN: usize = 3;
/// Half cells along the edge of a block, and with its margins.
pub const EDGE: i32 = 2 * BLOCK;
pub const HALVES: usize = EDGE as usize + 2 * MARGIN;
/// The least extent of a face along the normal of a wall, in cells.
pub const SMALLEST: f32 = 0.02;
/// The least part of a kernel on the open side of a wall.
const LEAST_PART: f32 = 0.1;
/// Farther than this from a wall, in cells, all of a half cell is on one side of it, however the wall lies.
pub const WHOLE: f32 = 0.45;
/// Half cells along the edge of a kernel.
const KERNEL: usize = 2 * MARGIN;

/// Numbers in the half cells of a block with its margins, or on the nodes before them.
#[derive(Debug, Clone)]
pub struct HalfCells(pub Vec<f32>);

/// Where a half cell of a block with its margins is among all.
pub fn index([x, y, z]: [usize; 3]) -> usize {
    (z * HALVES + y) * HALVES + x
}

/// The half cell of a block with its margins that is so many along all.
pub fn place(at: usize) -> [usize; 3] {
    [at % HALVES, at / HALVES % HALVES, at / (HALVES * HALVES)]
}

/// The half cell of a block with its margins, by its number there, among all half cells.
pub fn half_at(block: IVec3, half: usize) -> IVec3 {
    EDGE * block + IVec3::from_array(place(half).map(|n| n as i32)) - MARGIN as i32
}

/// Its middle, in cells.
pub fn middle_at(block: IVec3, half: usize) -> DVec3 {
    half_at(block, half).as_dvec3() / 2.0 + 0.25
}

/// Where a half cell is among all of a block with its margins, given its place in the block.
pub fn in_block(half: IVec3) -> usize {
    index((half + MARGIN as i32).to_array().map(|n| n as usize))
}

/// The block of a cell.
pub fn block_of(cell: IVec3) -> IVec3 {
    cell.div_euclid(IVec3::splat(BLOCK))
}

/// The number of a cell among those of its block, by z, y, x.
pub fn number_in_block(cell: IVec3) -> usize {
    let IVec3 { x, y, z } = cell - BLOCK * block_of(cell);
    ((z * BLOCK + y) * BLOCK + x) as usize
}

/// The open parts of half cells, and how they count in the kernels that reach them.
struct OpenParts {
    parts: HalfCells,
    /// Of each half cell, which of the weights are its.
    numbers: Vec<u32>,
    /// Along each axis, by where a half cell lies in a kernel. The first are those of all that no wall cuts.
    weights: Vec<[[f32; KERNEL]; 3]>,
}

impl OpenParts {
    /// Those of half cells with some distances of their middles.
    fn of(distances: &HalfCells) -> Self {
        let parts = distances.open();
        let mut weights = vec![weights_around(Vec3::ZERO)];
        let mut number = |at: usize| {
            if parts.0[at] <= 0.0 || parts.0[at] >= 1.0 {
                return 0;
            }
            weights.push(weights_around(distances.middle(at, parts.0[at])));
            weights.len() as u32 - 1
        };
        let numbers = (0..parts.0.len()).map(&mut number).collect();
        Self { parts, numbers, weights }
    }

    /// How much of a kernel at a node is open.
    fn of_kernel(&self, node: [usize; 3]) -> f32 {
        let mut sum = 0.0;
        for (by_y, by_z) in (0..KERNEL).flat_map(|by_z| (0..KERNEL).map(move |by_y| (by_y, by_z))) {
            let [x, y, z] = node;
            let first = index([x - MARGIN, y + by_y - MARGIN, z + by_z - MARGIN]);
            let row = first..first + KERNEL;
            for (by_x, (open, number)) in self.parts.0[row.clone()].iter().zip(&self.numbers[row]).enumerate() {
                if *open > 0.0 {
                    let [along_x, along_y, along_z] = &self.weights[*number as usize];
                    sum += open * (along_x[by_x] * along_y[by_y] * along_z[by_z]);
                }
            }
        }
        sum / 8.0
    }
}

/// Along each axis, how much something counts that lies so far off the middle of a half cell, by where that lies in a
/// kernel.
fn weights_around(middle: Vec3) -> [[f32; KERNEL]; 3] {
    std::array::from_fn(|axis| std::array::from_fn(|by| spline((by as f32 - 2.5) / 2.0 + middle[axis])))
}

impl HalfCells {
    /// The cells of the block, by z, y, x, given the colliders nearest to half cells; none for those far from walls.
    pub fn cells(&self, nearest: &[u32]) -> Box<[Option<WallCell>]> {
        let open = OpenParts::of(self);
        let cell = |n: i32| {
            let low = [n % BLOCK, n / BLOCK % BLOCK, n / (BLOCK * BLOCK)].map(|n| 2 * n as usize + MARGIN);
            wall_cell(low, self, &open, nearest[index(low.map(|n| n + 1))])
        };
        (0..BLOCK.pow(3)).map(cell).collect()
    }

    fn at(&self, place: [usize; 3]) -> f32 {
        self.0[index(place)]
    }

    /// The mean of the half cells around a node, along each axis in turn.
    fn mean(&self, [x, y, z]: [usize; 3]) -> f32 {
        let along_x = |y: usize, z: usize| {
            let high = index([x, y, z]);
            0.5 * (self.0[high - 1] + self.0[high])
        };
        let along_y = |z: usize| 0.5 * (along_x(y - 1, z) + along_x(y, z));
        0.5 * (along_y(z - 1) + along_y(z))
    }

    /// Where the middle of the open part of a half cell lies off its own, in cells.
    fn middle(&self, at: usize, open: f32) -> Vec3 {
        let slope = [1, HALVES, HALVES * HALVES].map(|stride| {
            let along = at / stride % HALVES;
            let (low, high) =
                (at - if along == 0 { 0 } else { stride }, at + if along == HALVES - 1 { 0 } else { stride });
            self.0[high] - self.0[low]
        });
        Vec3::from_array(slope).normalize_or_zero() * ((1.0 - open) / 4.0)
    }

    /// How much of a kernel half as wide at the middle of a half cell is open.
    fn close_part(&self, half: [usize; 3]) -> f32 {
        const WEIGHTS: [f32; 3] = [0.125, 0.75, 0.125];
        let weighted = |n: usize| {
            let by = [n % 3, n / 3 % 3, n / 9];
            let weight = WEIGHTS[by[0]] * WEIGHTS[by[1]] * WEIGHTS[by[2]];
            weight * self.at(std::array::from_fn(|axis| half[axis] + by[axis] - 1))
        };
        (0..27).map(weighted).sum()
    }

    /// The sum over the half cells around a node.
    fn volume(&self, node: [usize; 3]) -> f32 {
        (0..8).map(|n| self.at(std::array::from_fn(|axis| node[axis] + (n >> axis & 1) - 1))).sum()
    }

    /// The open part of the area of the face across an axis around a node.
    fn open_area(&self, node: [usize; 3], axis: usize) -> f32 {
        let [b, c] = others(axis);
        let at = |along: usize, by_b: usize, by_c: usize| {
            let mut half = node;
            half[axis] = half[axis] + along - 1;
            half[b] = half[b] + by_b - 2;
            half[c] = half[c] + by_c - 2;
            self.at(half)
        };
        // A quarter of the face lies between two half cells.
        let mean = |by_b: usize, by_c: usize| f32::midpoint(at(0, by_b, by_c), at(1, by_b, by_c));
        let quarter = |n: usize| {
            let (by_b, by_c) = (1 + (n & 1), 1 + (n >> 1));
            let slope_b = lesser(mean(by_b - 1, by_c), mean(by_b, by_c), mean(by_b + 1, by_c));
            let slope_c = lesser(mean(by_b, by_c - 1), mean(by_b, by_c), mean(by_b, by_c + 1));
            // A face in the surface of a wall is covered.
            let extent = slope_b + slope_c;
            let (extent, shift) = (extent.max(SMALLEST), (SMALLEST - extent).max(0.0) / 2.0);
            (0.5 + (mean(by_b, by_c) - shift) / extent).clamp(0.0, 1.0)
        };
        (0..4).map(quarter).sum::<f32>() / 4.0
    }

    /// The open parts of half cells, given the distances of their middles.
    fn open(&self) -> Self {
        let open = |at: usize| {
            if self.0[at].abs() > WHOLE {
                return if self.0[at] > 0.0 { 1.0 } else { 0.0 };
            }
            let extent: f32 = [1, HALVES, HALVES * HALVES]
                .into_iter()
                .map(|stride| {
                    let along = at / stride % HALVES;
                    let low = if along == 0 { at + stride } else { at - stride };
                    let high = if along == HALVES - 1 { at - stride } else { at + stride };
                    lesser(self.0[low], self.0[at], self.0[high])
                })
                .sum();
            // A wall in the face of a half cell covers nothing of it.
            (0.5 + self.0[at] / extent.clamp(0.25, 0.87)).clamp(0.0, 1.0)
        };
        Self((0..self.0.len()).map(open).collect())
    }
}

/// The lesser slope, without its sign, of two in a row: that of one wall where another begins.
fn lesser(low: f32, own: f32, high: f32) -> f32 {
    (own - low).abs().min((high - own).abs())
}

/// The cell whose low corner is a node of a block.
fn wall_cell(low: [usize; 3], halves: &HalfCells, open: &OpenParts, collider: u32) -> Option<WallCell> {
    let place = |bits: usize| std::array::from_fn(|axis| low[axis] + (bits >> axis & 1));
    if halves.mean(place(MIDDLE)) > REACH {
        return None;
    }
    let four = [face(0), face(1), face(2), MIDDLE];
    // A node is the low corner of its half cell.
    let normal = |bits: usize| {
        let node: [usize; 3] = place(bits);
        let half = |n: usize| halves.at(std::array::from_fn(|axis| node[axis] + (n >> axis & 1) - 1));
        let slope = |axis: usize| (0..8).map(|n| if n >> axis & 1 == 1 { half(n) } else { -half(n) }).sum::<f32>();
        Vec3::new(slope(0), slope(1), slope(2)).normalize_or(Vec3::Z)
    };
    Some(WallCell {
        distances: std::array::from_fn(|bits| halves.mean(place(bits))),
        open: open.parts.mean(place(MIDDLE)),
        parts: four.map(|bits| open.of_kernel(place(bits)).max(LEAST_PART)),
        covered: std::array::from_fn(|axis| {
            let beside = [0, 2].map(|back| {
                let mut node: [usize; 3] = place(MIDDLE);
                node[axis] -= back;
                node
            });
            // Nothing flows into a cell that is covered wholly.
            let is_open = beside.iter().all(|node| open.parts.volume(*node) > 0.0);
            if is_open { 1.0 - halves.open_area(place(face(axis)), axis) } else { 1.0 }
        }),
        halves: std::array::from_fn(|bits| (halves.at(place(bits)), open.parts.close_part(place(bits)))),
        normals: four.map(normal),
        collider,
    })
}
