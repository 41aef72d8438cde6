//! The part of the surface in the cells of a block, and the numbers of its vertices.

use super::table::CellCase;
use crate::field::Nodes;
use crate::lattice::blocks::{BlockKey, behind, lower, upper};
use crate::lattice::cell::CellEdge;
use crate::lattice::mask::BlockMask;
use rayon::prelude::*;

/// A block with cells that the surface crosses.
pub(crate) struct Patch {
    pub key: BlockKey,
    /// For each corner of a cell: the cells of the block whose corner is inside.
    corners: [BlockMask; 8],
    /// The crossed cells.
    cells: RankedMask,
    /// For each crossed cell: its case, and the number of loops in cells before it.
    crossings: Vec<(u8, u16)>,
    /// Segments that have a vertex, sorted.
    segments: Vec<FaceSegment>,
    loops: u32,
    /// Number of its first vertex. Vertices of loops come first, then vertices of segments.
    pub first_vertex: u32,
    /// Indices of the next patches down the axes: bit a is a step along axis a.
    below: [Option<u32>; 8],
}

/// One of two segments on the lower face of a cell. It cuts off the corner on a side of the axis after that of the
/// face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FaceSegment {
    pub cell: u16,
    pub axis: u8,
    pub side: u8,
}

/// A set of nodes with constant-time ranks.
struct RankedMask {
    mask: BlockMask,
    before: [u16; 8],
}

impl RankedMask {
    fn new(mask: BlockMask) -> Self {
        let mut count = 0;
        let before = mask.0.map(|word| {
            let before = count;
            count += word.count_ones() as u16;
            before
        });
        Self { mask, before }
    }

    fn rank(&self, slot: usize) -> Option<usize> {
        let (word, bit) = (slot >> 6, slot & 63);
        let lower = self.mask.0[word] & ((1 << bit) - 1);
        self.mask.contains(slot).then(|| usize::from(self.before[word]) + lower.count_ones() as usize)
    }
}

/// The patches of a lattice, sorted by block, with their vertices numbered.
pub(crate) fn patches(nodes: &Nodes) -> Vec<Patch> {
    let mut keys: Vec<BlockKey> = nodes.keys().par_iter().flat_map_iter(|&key| lower(key)).collect();
    keys.par_sort_unstable();
    keys.dedup();
    let mut patches: Vec<Patch> = keys.into_par_iter().filter_map(|key| Patch::new(nodes, key)).collect();
    let find = |key: BlockKey| patches.binary_search_by_key(&key, |patch| patch.key).ok().map(|index| index as u32);
    let below: Vec<_> = patches.par_iter().map(|patch| lower(patch.key).map(find)).collect();
    patches.iter_mut().zip(below).for_each(|(patch, below)| patch.below = below);
    let segments: Vec<_> = patches.par_iter().map(|patch| patch.doubled(&patches)).collect();
    let mut first_vertex = 0;
    for (patch, segments) in patches.iter_mut().zip(segments) {
        patch.segments = segments;
        patch.first_vertex = first_vertex;
        first_vertex += patch.vertex_count();
    }
    patches
}

impl Patch {
    /// None if the surface does not cross the cells of the block.
    fn new(nodes: &Nodes, key: BlockKey) -> Option<Self> {
        let inside = upper(key).map(|key| nodes.inside(key));
        if inside.iter().all(|mask| mask.is_empty()) || inside.iter().all(|mask| mask.is_full()) {
            return None;
        }
        let corners: [BlockMask; 8] = std::array::from_fn(|corner| corner_mask(&inside, corner));
        let any = corners.iter().fold(BlockMask::default(), |any, corner| any.or(*corner));
        let all = corners.iter().fold(any, |all, corner| all.zip(*corner, |a, b| a & b));
        let cells = RankedMask::new(any.zip(all, |any, all| any & !all));
        let mut loops = 0;
        let crossing = |cell: usize| {
            let case = (0..8).map(|corner: usize| u8::from(corners[corner].contains(cell)) << corner).sum();
            let before = loops;
            loops += CellCase::of(case).loops.len() as u16;
            (case, before)
        };
        let crossings: Vec<_> = cells.mask.slots().map(crossing).collect();
        let loops = u32::from(loops);
        (loops > 0).then_some(Self {
            key,
            corners,
            cells,
            crossings,
            segments: vec![],
            loops,
            first_vertex: 0,
            below: [None; 8],
        })
    }

    /// The crossed cells and their cases.
    pub fn crossed_cells(&self) -> impl Iterator<Item = (usize, &'static CellCase)> {
        self.cells.mask.slots().zip(&self.crossings).map(|(cell, (case, _))| (cell, CellCase::of(*case)))
    }

    /// Number of vertices of the patch.
    pub fn vertex_count(&self) -> u32 {
        self.loops + self.segments.len() as u32
    }

    pub fn segments(&self) -> &[FaceSegment] {
        &self.segments
    }

    /// Whether a node of the block is inside.
    pub fn is_inside(&self, slot: usize) -> bool {
        self.corners[0].contains(slot)
    }

    /// Whether a corner of a cell is inside.
    pub fn is_corner_inside(&self, cell: usize, corner: usize) -> bool {
        self.corners[corner].contains(cell)
    }

    /// The nodes of the block where a cut edge along an axis starts.
    pub fn cuts(&self, axis: usize) -> impl Iterator<Item = usize> {
        self.corners[0].zip(self.corners[1 << axis], |a, b| a ^ b).slots()
    }

    fn crossing(&self, cell: usize) -> Option<(&'static CellCase, u32)> {
        let (case, before) = self.crossings[self.cells.rank(cell)?];
        Some((CellCase::of(case), u32::from(before)))
    }

    /// The patch and the cell one step down each axis whose bit is set in `step`.
    fn behind<'a>(&self, patches: &'a [Self], cell: usize, step: usize) -> Option<(&'a Self, usize)> {
        let (block, cell) = behind(cell, step);
        Some((&patches[self.below[block]? as usize], cell))
    }

    /// The segments of faces whose two segments belong to one loop on either side.
    fn doubled(&self, patches: &[Self]) -> Vec<FaceSegment> {
        let is_doubled = |cell: usize, axis: usize| {
            let adjacent = self.behind(patches, cell, 1 << axis).and_then(|(patch, cell)| patch.crossing(cell));
            adjacent.is_some_and(|(crossing, _)| crossing.is_doubled(2 * axis + 1))
        };
        let mut segments = vec![];
        for (cell, crossing) in self.crossed_cells() {
            for axis in (0..3).filter(|axis| crossing.is_doubled(2 * axis) && is_doubled(cell, *axis)) {
                segments.extend([0, 1].map(|side| FaceSegment { cell: cell as u16, axis: axis as u8, side }));
            }
        }
        segments
    }

    /// The vertices around the edge up an axis from a node, counter-clockwise as seen from above: those of the loops of
    /// its four cells, and between them those of segments. If there are segments, one of them comes first.
    pub fn ring(&self, patches: &[Self], start: usize, axis: usize, ring: &mut Vec<u32>) -> Option<()> {
        ring.clear();
        let mut first = 0;
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let (one, other) = (1 << b, 1 << c);
        // Each cell by the steps down to it, and the face to the next cell: its axis, and the cell above it.
        let steps = [(one | other, b, other), (other, c, 0), (0, b, 0), (one, c, one)];
        for (step, face, above) in steps {
            let (patch, cell) = self.behind(patches, start, step)?;
            let (crossing, before) = patch.crossing(cell)?;
            let edge = CellEdge { low: step, axis }.number();
            ring.push(patch.first_vertex + before + crossing.loop_of(edge) as u32);
            let (patch, cell) = self.behind(patches, start, above)?;
            // The inside end of the edge, if the axis after that of the face is the edge's own.
            let inside = usize::from(!self.is_inside(start));
            let after = (face + 1) % 3;
            let side = if after == axis { inside } else { above >> after & 1 };
            let segment = FaceSegment { cell: cell as u16, axis: face as u8, side: side as u8 };
            if let Some(vertex) = patch.vertex_of(segment) {
                first = ring.len();
                ring.push(vertex);
            }
        }
        ring.rotate_left(first);
        Some(())
    }

    fn vertex_of(&self, segment: FaceSegment) -> Option<u32> {
        let index = self.segments.binary_search(&segment).ok()?;
        Some(self.first_vertex + self.loops + index as u32)
    }
}

/// The cells whose corner is inside, from the inside nodes of a block and of the next blocks up the axes.
fn corner_mask(inside: &[BlockMask; 8], corner: usize) -> BlockMask {
    let shifted = (0..3)
        .filter(|axis| corner >> axis & 1 == 1)
        .fold(*inside, |masks, axis| std::array::from_fn(|block| masks[block].ahead(axis, masks[block | 1 << axis])));
    shifted[0]
}
