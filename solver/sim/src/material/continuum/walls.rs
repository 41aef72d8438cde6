//! Walls on the grid: what they cover of cells and faces, and how they drag on faces.
//!
//! All of it follows from the distances of walls at the middles of half cells. The matter of a face that a wall cuts
//! lies around the middle of the rest. Drag and shear count from there, so a flow along a wall is right to second
//! order wherever the wall stands between nodes.

use super::cells::Placing;
use super::weights::spline;
use crate::boundary::Walls;
use crate::grid::{Rows, others};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Cells along the edge of a block.
const BLOCK: i32 = 8;
/// Blocks that are kept although no matter is there.
const MOST_KEPT: usize = 500;
/// Distance from the middle of a cell, in cells, from which on no wall matters to it.
const REACH: f32 = 2.0;
/// The least distance, in cells, of the middle of what a wall leaves of a face's volume.
const LEAST: f32 = 0.05;
/// The least extent of a face along the normal of a wall, in cells.
const SMALLEST: f32 = 0.02;
/// The least part of a kernel on the open side of a wall.
const LEAST_PART: f32 = 0.1;

/// A cell near walls. Its distances to the nearest wall, in cells, are at its places half a cell behind the low corner
/// along the axes whose bits are set in their number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallCell {
    distances: [f32; 8],
    /// The open part of the cell.
    open: f32,
    /// How much of a kernel is open at the middles of its low faces and of the cell.
    parts: [f32; 4],
    /// Covered parts of the areas of the low faces.
    covered: [f32; 3],
    /// Of its half cells, by the bits of their number: distances of their middles, in cells, and how much of a kernel a
    /// spacing wide is open there.
    halves: [(f32, f32); 8],
    /// Normals of the wall nearest to each of them.
    normals: [Vec3; 4],
    /// The number of the nearest collider.
    pub collider: u32,
}

/// The number of the middle of a cell, of the middle of its low face across an axis, and of that of its edge along one.
const MIDDLE: usize = 7;
const fn face(axis: usize) -> usize {
    MIDDLE ^ (1 << axis)
}
const fn edge(axis: usize) -> usize {
    1 << axis
}

type Block = Option<Box<[Option<WallCell>]>>;

/// Cells near walls that stand, kept from step to step.
#[derive(Debug, Default)]
pub struct WallCells {
    blocks: FxHashMap<IVec3, Block>,
}

/// The cells of a step that are near walls.
#[derive(Debug)]
pub struct NearWalls {
    /// A cell's number among [those](Self::cells) near walls, by storage; [`u32::MAX`] for others.
    numbers: Vec<u32>,
    /// With their places in storage.
    pub cells: Vec<(IVec3, usize, WallCell)>,
}

impl NearWalls {
    /// The walls near a cell, by its storage.
    pub fn at(&self, at: usize) -> Option<&WallCell> {
        self.cells.get(self.numbers[at] as usize).map(|(_, _, wall)| wall)
    }
}

impl WallCells {
    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let cells = self.blocks.values().flatten().map(|cells| cells.len()).sum::<usize>();
        cells * size_of::<Option<WallCell>>() + self.blocks.len() * 64
    }

    /// Keeps the blocks of some rows, and others only as long as they are few.
    pub fn keep<'a>(&mut self, all: impl Iterator<Item = &'a Rows>, walls: &Walls, placing: &Placing) {
        let standing: Vec<usize> = (0..walls.count()).filter(|&number| walls.stands(number)).collect();
        let mut wanted: Vec<IVec3> = all.flat_map(blocks_of).collect();
        wanted.sort_unstable_by_key(IVec3::to_array);
        wanted.dedup();
        if self.blocks.len() > MOST_KEPT + 2 * wanted.len() {
            self.blocks.retain(|at, _| wanted.binary_search_by_key(&at.to_array(), IVec3::to_array).is_ok());
        }
        let missing: Vec<IVec3> = wanted.into_iter().filter(|block| !self.blocks.contains_key(block)).collect();
        let made: Vec<_> = missing.into_par_iter().map(|at| (at, block(at, walls, &standing, placing))).collect();
        self.blocks.extend(made);
    }

    /// The walls of all active cells of some rows, whose blocks are [kept](Self::keep).
    pub fn find(&self, rows: &Rows, walls: &Walls, placing: &Placing) -> NearWalls {
        let moving: Vec<usize> = (0..walls.count()).filter(|&number| !walls.stands(number)).collect();
        let anew: FxHashMap<IVec3, Block> = if moving.is_empty() {
            FxHashMap::default()
        } else {
            with_moving(&blocks_of(rows), walls, &moving, placing)
        };
        let block = |at: &IVec3| anew.get(at).or_else(|| self.blocks.get(at)).and_then(Option::as_ref);
        let mut near = NearWalls { numbers: vec![u32::MAX; rows.len()], cells: Vec::new() };
        for row in (0..rows.count()).filter(|&row| !rows.row(row).is_empty()) {
            let (span, [y, z], storage) = (rows.row(row).span(), rows.place(row), rows.storage(row));
            let mut x = span.start;
            while x < span.end {
                let at = IVec3::new(x, y, z).div_euclid(IVec3::splat(BLOCK));
                let end = ((at.x + 1) * BLOCK).min(span.end);
                if let Some(cells) = block(&at) {
                    for x in x..end {
                        let within = IVec3::new(x, y, z) - at * BLOCK;
                        let cell = cells[((within.z * BLOCK + within.y) * BLOCK + within.x) as usize];
                        if let Some(wall) = cell {
                            let at = storage.start + (x - span.start) as usize;
                            near.numbers[at] = near.cells.len() as u32;
                            near.cells.push((IVec3::new(x, y, z), at, wall));
                        }
                    }
                }
                x = end;
            }
        }
        near
    }
}

/// The blocks near walls that move, with all walls.
fn with_moving(all: &[IVec3], walls: &Walls, moving: &[usize], placing: &Placing) -> FxHashMap<IVec3, Block> {
    let every: Vec<usize> = (0..walls.count()).collect();
    let near = all.par_iter().filter(|&&at| !near_block(at, walls, moving, placing).is_empty());
    near.map(|&at| (at, block(at, walls, &every, placing))).collect::<Vec<_>>().into_iter().collect()
}

/// The blocks with active cells, sorted.
fn blocks_of(rows: &Rows) -> Vec<IVec3> {
    let mut all = Vec::new();
    for row in (0..rows.count()).filter(|&row| !rows.row(row).is_empty()) {
        let (span, [y, z]) = (rows.row(row).span(), rows.place(row).map(|at| at.div_euclid(BLOCK)));
        let along = span.start.div_euclid(BLOCK)..=(span.end - 1).div_euclid(BLOCK);
        all.extend(along.map(|x| IVec3::new(x, y, z)));
    }
    all.sort_unstable_by_key(IVec3::to_array);
    all.dedup();
    all
}

/// The colliders among some that are near a block.
fn near_block(at: IVec3, walls: &Walls, colliders: &[usize], placing: &Placing) -> Vec<usize> {
    let middle = placing.place((at * BLOCK).as_dvec3() + f64::from(BLOCK) / 2.0);
    let reach = (f64::from(BLOCK) * 0.87 + f64::from(REACH) + 1.0) * placing.width;
    let is_near =
        |number: usize| walls.at_least(number, middle) < reach && walls.signed_distance(number, middle) < reach;
    colliders.iter().copied().filter(|&number| is_near(number)).collect()
}

/// Half cells beyond a block on each side whose distances count.
const MARGIN: usize = 3;
/// Half cells along the edge of a block with its margins.
const HALVES: usize = 2 * BLOCK as usize + 2 * MARGIN;
/// How much the half cells in a row around a node count in the volume of a cell around it.
const VOLUME: [f32; 6] = [0.0, 0.0, 0.5, 0.5, 0.0, 0.0];

/// Numbers in the half cells of a block with its margins, or on the nodes before them.
struct HalfCells(Vec<f32>);

impl HalfCells {
    fn at(&self, [x, y, z]: [usize; 3]) -> f32 {
        self.0[(z * HALVES + y) * HALVES + x]
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
                let middle = middles[(at[2] * HALVES + at[1]) * HALVES + at[0]];
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

fn block(at: IVec3, walls: &Walls, colliders: &[usize], placing: &Placing) -> Block {
    let near = near_block(at, walls, colliders, placing);
    if near.is_empty() {
        return None;
    }
    let low = (at * BLOCK).as_dvec3() - MARGIN as f64 / 2.0;
    let mut nearest = vec![near[0] as u32; HALVES.pow(3)];
    let distance = |n: usize, nearest: &mut u32| {
        let half = [n % HALVES, n / HALVES % HALVES, n / (HALVES * HALVES)];
        let place = placing.place(low + DVec3::from_array(half.map(|n| n as f64 / 2.0 + 0.25)));
        let of = |&number: &usize| ((walls.signed_distance(number, place) / placing.width) as f32, number as u32);
        let found = near.iter().map(of).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        *nearest = found.1;
        found.0
    };
    let distances = HalfCells(nearest.iter_mut().enumerate().map(|(n, nearest)| distance(n, nearest)).collect());
    let open = distances.open();
    let nodes = [distances.on_nodes(VOLUME), open.on_nodes(VOLUME)];
    let middles = distances.middles(&open);
    let part = |node: [usize; 3]| open.part(node, &middles);
    let cell = |n: i32| {
        let within = [n % BLOCK, n / BLOCK % BLOCK, n / (BLOCK * BLOCK)].map(|n| 2 * n as usize + MARGIN);
        let [x, y, z] = within.map(|n| n + 1);
        wall_cell(within, [&distances, &open], &nodes, &part, nearest[(z * HALVES + y) * HALVES + x])
    };
    Some((0..BLOCK.pow(3)).map(cell).collect())
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
        covered: std::array::from_fn(|axis| 1.0 - halves.open_area(place(face(axis)), axis)),
        halves: std::array::from_fn(|bits| (halves.at(place(bits)), open.close_part(place(bits)))),
        normals: four.map(normal),
        collider,
    })
}

impl WallCell {
    /// The normal at the middle.
    pub fn normal(&self) -> Vec3 {
        self.normals[3]
    }

    /// The normal at the middle of the low face across an axis.
    pub fn normal_at_face(&self, axis: usize) -> Vec3 {
        self.normals[axis]
    }

    /// Distance of the middle, in cells.
    pub fn distance(&self) -> f32 {
        self.distances[MIDDLE]
    }

    /// Distance of a place in the cell, in cells, as if the wall were flat.
    pub fn distance_at(&self, part: Vec3) -> f32 {
        self.distances[MIDDLE] + self.normals[3].dot(part - 0.5)
    }

    /// Distance of the middle of the low face across an axis, in cells.
    pub fn distance_of_face(&self, axis: usize) -> f32 {
        self.distances[face(axis)]
    }

    /// Half the extent of a cell along a normal, in cells.
    fn half(normal: Vec3) -> f32 {
        normal.abs().element_sum() / 2.0
    }

    /// The distance of the middle of the open part of a volume like a cell, given the distance of its own middle and
    /// half its extent along the normal.
    fn centre(distance: f32, half: f32) -> f32 {
        if distance < half { f32::midpoint(distance, half).max(LEAST) } else { distance }
    }

    /// The open part of the cell, and how much of a kernel at its middle is open.
    pub fn of_cell(&self) -> (f32, f32) {
        (self.open, self.parts[3])
    }

    /// How much of a kernel at the middle of a face is open.
    pub fn part_of_face(&self, axis: usize) -> f32 {
        self.parts[axis]
    }

    /// The distance of the middle of a half cell, in cells, and how much of a kernel half as wide is open there.
    pub fn of_half(&self, bits: usize) -> (f32, f32) {
        self.halves[bits]
    }

    /// Whether nothing of the cell is open.
    pub fn is_closed(&self) -> bool {
        self.open <= 0.0
    }

    /// The covered part of the area of a face.
    pub fn covered(&self, axis: usize) -> f32 {
        self.covered[axis]
    }

    /// How much of a velocity along an axis is along the wall.
    fn along(&self, axis: usize) -> f32 {
        1.0 - self.normals[axis][axis] * self.normals[axis][axis]
    }

    /// Drag on a face over the viscosity times the width of a cell: the area of the wall at its volume over the
    /// distance of the middle of that volume.
    pub fn drag(&self, axis: usize) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance <= -half || distance > half + 1e-3 {
            return 0.0;
        }
        self.along(axis) / (Self::centre(distance, half) * self.normals[axis].abs().max_element())
    }

    /// A factor on the shear stress of an edge: what lies between the middles of the open volumes of faces is thinner
    /// than a cell.
    pub fn shear(&self, axis: usize) -> f32 {
        let [b, c] = others(axis);
        let distance = self.distances[edge(axis)];
        let (along, half) = (self.normals[3].abs(), Self::half(self.normals[3]));
        let across = along[b].max(along[c]);
        if along[axis] > across {
            return ((distance + half) / (2.0 * half)).clamp(0.0, 1.0);
        }
        let (low, high) = (distance - across / 2.0, distance + across / 2.0);
        if low <= -half {
            return 0.0;
        }
        across / (Self::centre(high, half) - Self::centre(low, half)).max(LEAST)
    }

    /// The neighbour of a cell away from the wall, for the low face across an axis, and how far it is along the
    /// normal, in cells.
    pub fn away(&self, axis: usize) -> (IVec3, f32) {
        let normal = self.normals[axis];
        let size = normal.abs();
        let most = (0..3).fold(0, |most, axis| if size[axis] > size[most] { axis } else { most });
        (IVec3::AXES[most] * normal[most].signum() as i32, size[most])
    }

    /// The neighbour of a cell away from the wall, by the normal at its middle.
    pub fn away_from_middle(&self) -> IVec3 {
        self.away(3).0
    }

    /// Where the middle of the open volume of a face lies between the middle of the face (0) and that of the next face
    /// away from the wall (1), for a velocity along the wall.
    pub fn toward_next(&self, axis: usize) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance <= -half || distance >= half {
            return 0.0;
        }
        ((Self::centre(distance, half) - distance) / self.away(axis).1).min(1.0) * self.along(axis)
    }

    /// The velocity along the wall, relative to it, at the middle of a face, given that at the middle of its open
    /// volume and that of the next face away from the wall: between them and nothing at the wall it is linear, behind
    /// the wall mirrored.
    pub fn at_middle(&self, axis: usize, own: f32, next: f32) -> f32 {
        let (distance, half) = (self.distance_of_face(axis), Self::half(self.normals[axis]));
        if distance >= half {
            return own;
        }
        let (centre, depth) = (Self::centre(distance, half), distance.abs());
        let there = if depth <= centre {
            own * depth / centre
        } else {
            own + (next - own) * ((depth - centre) / (distance + self.away(axis).1 - centre).max(LEAST)).min(1.0)
        };
        if distance < 0.0 { -there } else { there }
    }
}
