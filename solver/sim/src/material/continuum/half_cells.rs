//! From the distances of walls at the middles of half cells to what walls cover of cells and faces.

use super::walls::{MIDDLE, REACH, WallCell, face};
use super::weights::spline;
use crate::grid::others;
use glam::{IVec3, Vec3};

/// Cells along the edge of a block.
pub const BLOCK: i32 = 8;
/// Half cells beyond a block on each side whose distances count.
pub const MARGIN: usize = 3;
/// Half cells along the edge of a block, and with its margins.
pub const EDGE: i32 = 2 * BLOCK;
pub const HALVES: usize = EDGE as usize + 2 * MARGIN;
/// The least extent of a face along the normal of a wall, in cells.
const SMALLEST: f32 = 0.02;
/// The least part of a kernel on the open side of a wall.
const LEAST_PART: f32 = 0.1;
/// How much the half cells in a row around a node count in the volume of a cell around it.
const VOLUME: [f32; 6] = [0.0, 0.0, 0.5, 0.5, 0.0, 0.0];

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

impl HalfCells {
    /// The cells of the block, by z, y, x, given the colliders nearest to half cells; none for those far from walls.
    pub fn cells(&self, nearest: &[u32]) -> Box<[Option<WallCell>]> {
        let open = self.open();
        let nodes = [self.on_nodes(VOLUME), open.on_nodes(VOLUME)];
        let middles = self.middles(&open);
        let part = |node: [usize; 3]| open.part(node, &middles);
        let cell = |n: i32| {
            let low = [n % BLOCK, n / BLOCK % BLOCK, n / (BLOCK * BLOCK)].map(|n| 2 * n as usize + MARGIN);
            wall_cell(low, [self, &open], &nodes, &part, nearest[index(low.map(|n| n + 1))])
        };
        (0..BLOCK.pow(3)).map(cell).collect()
    }

    fn at(&self, place: [usize; 3]) -> f32 {
        self.0[index(place)]
    }

    /// On nodes, the weighted sums of the half cells around, along each axis in turn.
    fn on_nodes(&self, weights: [f32; 6]) -> Self {
        let mut from = self.0.clone();
        let mut to = vec![0.0; from.len()];
        for stride in [1, HALVES, HALVES * HALVES] {
            let along = |at: usize| at / stride % HALVES;
            for at in (0..from.len()).filter(|&at| (MARGIN..=HALVES - MARGIN).contains(&along(at))) {
                let sum =
                    weights.iter().enumerate().map(|(n, weight)| weight * from[at + n * stride - MARGIN * stride]);
                to[at] = sum.sum();
            }
            std::mem::swap(&mut from, &mut to);
        }
        Self(from)
    }

    /// Where the middles of the open parts of half cells lie off their own, in cells, given those parts.
    fn middles(&self, open: &Self) -> Vec<Vec3> {
        let middle = |at: usize| {
            let slope = [1, HALVES, HALVES * HALVES].map(|stride| {
                let along = at / stride % HALVES;
                let (low, high) =
                    (at - if along == 0 { 0 } else { stride }, at + if along == HALVES - 1 { 0 } else { stride });
                self.0[high] - self.0[low]
            });
            Vec3::from_array(slope).normalize_or_zero() * ((1.0 - open.0[at]) / 4.0)
        };
        (0..self.0.len()).map(middle).collect()
    }

    /// How much of a kernel at a node is open, given these open parts and where they lie.
    fn part(&self, node: [usize; 3], middles: &[Vec3]) -> f32 {
        let mut sum = 0.0;
        for n in 0..6 * 6 * 6 {
            let by = [n % 6, n / 6 % 6, n / 36];
            let at = std::array::from_fn(|axis: usize| node[axis] + by[axis] - MARGIN);
            let open = self.at(at);
            if open > 0.0 {
                let middle = middles[index(at)];
                let weight = |axis: usize| spline((by[axis] as f32 - 2.5) / 2.0 + middle[axis]);
                sum += open * (weight(0) * weight(1) * weight(2));
            }
        }
        sum / 8.0
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
fn wall_cell(
    low: [usize; 3],
    [halves, open]: [&HalfCells; 2],
    nodes: &[HalfCells; 2],
    part: &impl Fn([usize; 3]) -> f32,
    collider: u32,
) -> Option<WallCell> {
    let place = |bits: usize| std::array::from_fn(|axis| low[axis] + (bits >> axis & 1));
    let distances: [f32; 8] = std::array::from_fn(|bits| nodes[0].at(place(bits)));
    if distances[MIDDLE] > REACH {
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
        distances,
        open: nodes[1].at(place(MIDDLE)),
        parts: four.map(|bits| part(place(bits)).max(LEAST_PART)),
        covered: std::array::from_fn(|axis| {
            let beside = [0, 2].map(|back| {
                let mut node: [usize; 3] = place(MIDDLE);
                node[axis] -= back;
                node
            });
            // Nothing flows into a cell that is covered wholly.
            let is_open = beside.iter().all(|node| open.volume(*node) > 0.0);
            if is_open { 1.0 - halves.open_area(place(face(axis)), axis) } else { 1.0 }
        }),
        halves: std::array::from_fn(|bits| (halves.at(place(bits)), open.close_part(place(bits)))),
        normals: four.map(normal),
        collider,
    })
}
