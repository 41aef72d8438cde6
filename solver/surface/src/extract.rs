//! The iso-surface of a field: marching cubes with the [table](crate::table), block by block.
//!
//! Each lattice edge that the surface cuts holds one vertex. The vertices of a block are those on the edges that start
//! at its nodes, numbered by axis and slot, and blocks follow each other in sorted order.

use crate::blocks::{BlockIndex, SLOTS, node, origin, slot};
use crate::field::{Field, node_point};
use crate::mask::BlockMask;
use crate::mesh::SurfaceMesh;
use crate::probe::{Probe, State};
use crate::table::{CellEdge, triangles};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Vertices stay this far, in cells, from the nodes, so that no triangle degenerates.
const CLEARANCE: f32 = 0.01;

/// The values of all blocks, and which nodes are inside.
struct Samples {
    values: Vec<[f32; SLOTS]>,
    inside: Vec<BlockMask>,
}

/// A block that the surface crosses.
struct Patch {
    block: usize,
    neighbours: [Option<usize>; 8],
    /// For each corner of a cell, the cells of the block whose corner is inside.
    corners: [BlockMask; 8],
    cuts: Cuts,
    /// Number of its first vertex.
    first_vertex: u32,
}

/// The lattice edges that the surface cuts, of those that start at the nodes of a block.
struct Cuts {
    by_axis: [BlockMask; 3],
    /// For each axis and word, the number of cut edges before it.
    before: [[u16; 8]; 3],
    count: u32,
}

#[derive(Debug, Clone, Copy)]
struct Vertex {
    position: Vec3,
    state: State,
}

/// The surface where the field is `iso`, which counts as inside.
pub(crate) fn extract(field: &Field, iso: f32) -> SurfaceMesh {
    let values = field.densities();
    let inside = values.par_iter().map(|values| BlockMask::of(values, |value| value >= iso)).collect();
    let samples = Samples { values, inside };
    let patches = patches(&field.index, &samples);
    let vertices: Vec<Vertex> =
        patches.par_iter().flat_map_iter(|patch| patch.vertices(field, &samples, iso)).collect();
    let mut mesh = SurfaceMesh {
        positions: vertices.iter().map(|vertex| vertex.position).collect(),
        normals: vertices.iter().map(|vertex| -vertex.state.gradient.normalize_or_zero()).collect(),
        triangles: triangles_of(&patches, field.index.len()),
        velocities: vertices.iter().map(|vertex| vertex.state.velocity).collect(),
        temperatures: field.frame.temperatures().map(|_| vertices.iter().map(|v| v.state.temperature).collect()),
        sources: vertices.iter().map(|vertex| vertex.state.source).collect(),
    };
    mesh.fill_missing_normals();
    mesh
}

fn patches(index: &BlockIndex, samples: &Samples) -> Vec<Patch> {
    let mut patches: Vec<Patch> =
        (0..index.len()).into_par_iter().filter_map(|block| Patch::new(index, samples, block)).collect();
    let mut first_vertex = 0;
    for patch in &mut patches {
        patch.first_vertex = first_vertex;
        first_vertex += patch.cuts.count;
    }
    patches
}

fn triangles_of(patches: &[Patch], blocks: usize) -> Vec<[u32; 3]> {
    let mut patch_of_block = vec![None; blocks];
    for patch in patches {
        patch_of_block[patch.block] = Some(patch);
    }
    patches.par_iter().flat_map_iter(|patch| patch.triangles(&patch_of_block)).collect()
}

impl Cuts {
    fn new(corners: &[BlockMask; 8]) -> Self {
        let by_axis = std::array::from_fn(|axis| corners[0].zip(corners[1 << axis], |a, b| a ^ b));
        let mut count = 0;
        let before = by_axis.map(|cuts: BlockMask| {
            cuts.0.map(|word| {
                let before = count as u16;
                count += word.count_ones();
                before
            })
        });
        Self { by_axis, before, count }
    }

    /// How many cut edges of the block come before this one.
    fn rank(&self, slot: usize, axis: usize) -> u32 {
        let (word, place) = (slot >> 6, slot & 63);
        let lower = self.by_axis[axis].0[word] & ((1 << place) - 1);
        u32::from(self.before[axis][word]) + lower.count_ones()
    }
}

impl Patch {
    /// None where the surface does not cross the cells of the block.
    fn new(index: &BlockIndex, samples: &Samples, block: usize) -> Option<Self> {
        let neighbours = index.upper_neighbours(block);
        let inside = neighbours.map(|block| block.map_or(BlockMask::default(), |block| samples.inside[block]));
        if inside.iter().all(|mask| mask.is_empty()) || inside.iter().all(|mask| mask.is_full()) {
            return None;
        }
        let corners = std::array::from_fn(|corner| corner_mask(&inside, corner));
        let patch = Self { block, neighbours, corners, cuts: Cuts::new(&corners), first_vertex: 0 };
        (!patch.crossed_cells().is_empty()).then_some(patch)
    }

    /// The cells that have corners inside and outside.
    fn crossed_cells(&self) -> BlockMask {
        let any = self.corners.iter().fold(BlockMask::default(), |any, corner| any.or(*corner));
        let all = self.corners.iter().fold(any, |all, corner| all.zip(*corner, |a, b| a & b));
        any.zip(all, |any, all| any & !all)
    }

    fn triangles(&self, of_block: &[Option<&Patch>]) -> Vec<[u32; 3]> {
        let mut list = vec![];
        for cell in self.crossed_cells().slots() {
            let inside = |corner: usize| u8::from(self.corners[corner].contains(cell)) << corner;
            let case = (0..8).map(inside).sum();
            // The patch of every cut edge exists, so none is missing here.
            let vertex = |edge: u8| self.vertex_number(cell, CellEdge::new(edge as usize), of_block);
            list.extend(triangles(case).iter().filter_map(|&[a, b, c]| Some([vertex(a)?, vertex(b)?, vertex(c)?])));
        }
        list
    }

    fn vertex_number(&self, cell: usize, edge: CellEdge, of_block: &[Option<&Patch>]) -> Option<u32> {
        let (step, start) = ahead(cell, edge.low);
        let own = of_block[self.neighbours[step]?]?;
        Some(own.first_vertex + own.cuts.rank(start, edge.axis))
    }

    fn vertices(&self, field: &Field, samples: &Samples, iso: f32) -> Vec<Vertex> {
        let probe = Probe::new(field, self.block);
        let lowest = DVec3::from_array(origin(field.index.key(self.block)).map(f64::from));
        let vertex = |axis: usize, start: usize| {
            let ends = [samples.values[self.block][start], self.value_ahead(samples, start, 1 << axis)];
            let (foot, along) = (node_point(start), Vec3::AXES[axis]);
            let level = |t: f32| probe.density(foot + t * along) - iso;
            let point = foot + crossing(ends.map(|value| value - iso), level) * along;
            Vertex { position: ((lowest + point.as_dvec3()) * field.cell_size).as_vec3(), state: probe.state(point) }
        };
        (0..3)
            .flat_map(|axis| self.cuts.by_axis[axis].slots().map(move |start| (axis, start)))
            .map(|(axis, start)| vertex(axis, start))
            .collect()
    }

    fn value_ahead(&self, samples: &Samples, start: usize, step: usize) -> f32 {
        let (step, end) = ahead(start, step);
        self.neighbours[step].map_or(0.0, |block| samples.values[block][end])
    }
}

/// The node one further up each axis whose bit is set in `step`: the neighbour it falls into, and its slot there.
fn ahead(start: usize, step: usize) -> (usize, usize) {
    let moved: [usize; 3] = std::array::from_fn(|axis| node(start)[axis] + (step >> axis & 1));
    let block = (0..3).map(|axis| (moved[axis] >> 3) << axis).sum();
    (block, slot(moved.map(|c| c & 7)))
}

/// The cells whose corner is inside, from the inside nodes of a block and its upper neighbours.
fn corner_mask(inside: &[BlockMask; 8], corner: usize) -> BlockMask {
    let shifted = (0..3)
        .filter(|axis| corner >> axis & 1 == 1)
        .fold(*inside, |masks, axis| std::array::from_fn(|block| masks[block].ahead(axis, masks[block | 1 << axis])));
    shifted[0]
}

/// Where along an edge the level is zero: 0 at its start, 1 at its end. `ends` are the levels there, of which one is
/// below zero and the other is not. The chord's zero is improved by the parabola through it and both ends, which has
/// one zero between them: the field bends a lot over a cell, and chords alone make lumps.
fn crossing([start, end]: [f32; 2], level: impl Fn(f32) -> f32) -> f32 {
    let clear = |t: f32| t.clamp(CLEARANCE, 1.0 - CLEARANCE);
    let rise = end - start;
    let chord = clear(-start / rise);
    let bend = (level(chord) - (start + rise * chord)) / (chord * (chord - 1.0));
    let slope = rise - bend;
    let root = (slope * slope - 4.0 * bend * start).max(0.0).sqrt();
    let parabola = -2.0 * start / (slope + root.copysign(rise));
    clear(if parabola.is_finite() { parabola } else { chord })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::LatticeBox;
    use crate::topology::Topology;
    use proptest::prelude::*;

    /// Three blocks along each axis, which together hold nodes -8 to 15.
    fn cube_of_blocks() -> BlockIndex {
        BlockIndex::new(&[LatticeBox::around(DVec3::splat(4.0), 7.0)])
    }

    /// The surface around a set of nodes. Only a margin of nodes that are outside closes it.
    fn surface_around(index: &BlockIndex, is_inside: impl Fn([i32; 3]) -> bool) -> Vec<[u32; 3]> {
        let value = |block: usize, slot: usize| {
            let (lowest, offset) = (origin(index.key(block)), node(slot));
            let node: [i32; 3] = std::array::from_fn(|axis| lowest[axis] + offset[axis] as i32);
            let margin = node.iter().any(|&c| !(-7..=14).contains(&c));
            f32::from(u8::from(!margin && is_inside(node)))
        };
        let values: Vec<_> = (0..index.len()).map(|block| std::array::from_fn(|slot| value(block, slot))).collect();
        let inside = values.iter().map(|values| BlockMask::of(values, |value| value > 0.5)).collect();
        let samples = Samples { values, inside };
        triangles_of(&patches(index, &samples), index.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        /// Noise: every case beside every other, across block borders too.
        #[test]
        fn surfaces_of_noise_are_closed_and_manifold(seed: u64, percent in 2_u64..98) {
            let index = cube_of_blocks();
            prop_assert_eq!(index.len(), 27);
            let triangles = surface_around(&index, |[x, y, z]| {
                let mixed = [x, y, z].iter().fold(seed, |hash, &c| {
                    (hash ^ (c + 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
                });
                (mixed >> 20) % 100 < percent
            });
            prop_assert!(!triangles.is_empty());
            prop_assert!(Topology::of(&triangles).is_closed_manifold(), "{:?}", Topology::of(&triangles));
        }
    }

    #[test]
    fn diagonal_nodes_stay_apart() {
        let index = cube_of_blocks();
        let pieces =
            |nodes: &[[i32; 3]]| Topology::of(&surface_around(&index, |node| nodes.contains(&node))).components;
        assert_eq!(pieces(&[[7, 7, 7], [8, 8, 7]]), 2);
        assert_eq!(pieces(&[[7, 7, 7], [8, 8, 8]]), 2);
        assert_eq!(pieces(&[[7, 7, 7], [8, 7, 7]]), 1);
    }

    #[test]
    fn crossing_of_a_parabola_is_exact() {
        for (bend, sign) in [(0.0, 1.0), (0.7, 1.0), (-0.7, 1.0), (0.7, -1.0), (-0.7, -1.0)] {
            let level = |t: f32| sign * ((t - 0.3) + bend * (t - 0.3) * (t - 0.3));
            let t = crossing([level(0.0), level(1.0)], level);
            assert!((t - 0.3).abs() < 1e-5, "bend {bend}, sign {sign}: {t}");
        }
    }

    #[test]
    fn crossing_keeps_clear_of_the_nodes() {
        assert!((crossing([0.0, -1.0], |t| -t) - CLEARANCE).abs() < 1e-9);
        assert!((crossing([-1.0, 0.0], |t| t - 1.0) + CLEARANCE - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ranks_number_the_cut_edges() {
        let mut corners = [BlockMask::default(); 8];
        corners[0].0 = [0b1011, 0, u64::MAX, 0, 1 << 63, 0, 0, 7];
        let cuts = Cuts::new(&corners);
        let slots = (0..3).flat_map(|axis| cuts.by_axis[axis].slots().map(move |slot| (slot, axis)));
        let ranks: Vec<u32> = slots.map(|(slot, axis)| cuts.rank(slot, axis)).collect();
        assert_eq!(ranks, (0..cuts.count).collect::<Vec<_>>());
    }
}
