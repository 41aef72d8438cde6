//! The cases of a surface in a cell, derived rather than listed.
//!
//! Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2 & 1). Walk the corners of each face counter-clockwise as seen
//! from outside. One segment cuts off each run of inside corners, from the edge where the walk enters the run to the
//! edge where it leaves. So on an ambiguous face the inside corners stay separate, as seen from either cell, and the
//! two cells traverse the segment in opposite directions. Each cut edge is entered on one of its faces and left on the
//! other, so the segments form loops, counter-clockwise as seen from outside the matter.
//!
//! These loops are the faces of a closed surface, and the mesh is its dual: a vertex for each loop, and a polygon for
//! each cut edge through the loops of the four cells around it. On an ambiguous face two segments meet. If both belong
//! to one loop on either side, the polygons of two edges would meet twice; such segments get a vertex of their own.
//! Then two polygons share at most an edge, and meshes are closed and manifold for any field.

use crate::lattice::cell::CellEdge;
use std::sync::LazyLock;

/// A case of the surface in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CellCase {
    /// The closed loops of edge numbers, counter-clockwise as seen from outside the matter.
    pub loops: Vec<Vec<u8>>,
    /// For each edge, the number of its loop.
    loop_of: [u8; 12],
    /// Bit f is set if face f has two segments that belong to one loop.
    doubled: u8,
}

impl CellCase {
    /// The case with some corners inside: bit c is set if corner c is inside.
    pub fn of(case: u8) -> &'static Self {
        static CASES: LazyLock<Vec<CellCase>> = LazyLock::new(|| (0..=255).map(CellCase::new).collect());
        &CASES[case as usize]
    }

    fn new(case: u8) -> Self {
        let loops = loops(case);
        let mut loop_of = [0; 12];
        for (number, edges) in loops.iter().enumerate() {
            for &edge in edges {
                loop_of[edge as usize] = number as u8;
            }
        }
        let is_doubled = |face: &usize| match face_segments(case, *face)[..] {
            [(one, _), (other, _)] => loop_of[one] == loop_of[other],
            _ => false,
        };
        let doubled = (0..6).filter(is_doubled).map(|face| 1 << face).sum();
        Self { loops, loop_of, doubled }
    }

    /// The number of the loop of an edge.
    pub fn loop_of(&self, edge: usize) -> usize {
        self.loop_of[edge] as usize
    }

    /// Whether face `2 * axis + side` has two segments of one loop.
    pub fn is_doubled(&self, face: usize) -> bool {
        self.doubled >> face & 1 == 1
    }
}

/// The corners of face `2 * axis + side`, counter-clockwise as seen from outside the cell.
fn face_corners(face: usize) -> [usize; 4] {
    let (axis, side) = (face >> 1, face & 1);
    let (first, second) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let ring = [0, first, first | second, second].map(|corner| corner | side << axis);
    if side == 1 { ring } else { [ring[0], ring[3], ring[2], ring[1]] }
}

/// The segments on a face, from edge to edge.
fn face_segments(case: u8, face: usize) -> Vec<(usize, usize)> {
    let corners = face_corners(face);
    let inside = |index: usize| case >> corners[index % 4] & 1 == 1;
    let edge = |index: usize| CellEdge::between(corners[index % 4], corners[(index + 1) % 4]);
    let enters = (0..4).filter(|&index| !inside(index) && inside(index + 1));
    let leave = |enter: usize| (enter + 1..enter + 4).find(|&index| inside(index) && !inside(index + 1));
    enters.filter_map(|enter| Some((edge(enter), edge(leave(enter)?)))).collect()
}

/// The closed loops of edges in which the surface crosses a cell.
fn loops(case: u8) -> Vec<Vec<u8>> {
    let mut next = [None; 12];
    for (from, to) in (0..6).flat_map(|face| face_segments(case, face)) {
        next[from] = Some(to);
    }
    let mut loops = vec![];
    for start in 0..12 {
        let chain: Vec<usize> = std::iter::successors(Some(start), |&edge| next[edge].take()).collect();
        if let [inner @ .., _] = chain.as_slice()
            && !inner.is_empty()
        {
            loops.push(inner.iter().map(|&edge| edge as u8).collect());
        }
    }
    loops
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    type Directed = BTreeSet<(usize, usize)>;

    /// The directed sides of the loops of a case.
    fn sides(case: u8) -> Directed {
        let mut sides = Directed::new();
        for edges in &CellCase::of(case).loops {
            for (index, &edge) in edges.iter().enumerate() {
                let next = edges[(index + 1) % edges.len()];
                assert!(sides.insert((edge as usize, next as usize)), "case {case}: a side twice");
            }
        }
        sides
    }

    /// Midpoint of an edge in half cells.
    fn midpoint(edge: usize) -> [i32; 3] {
        let CellEdge { low, axis: along } = CellEdge::new(edge);
        std::array::from_fn(|axis| if axis == along { 1 } else { (low >> axis & 1) as i32 * 2 })
    }

    fn on_face(edge: usize, face: usize) -> bool {
        midpoint(edge)[face >> 1] == 2 * (face & 1) as i32
    }

    #[test]
    fn every_cut_edge_is_on_one_loop() {
        for case in 0..=255 {
            let crossing = CellCase::of(case);
            let cut = (0..12).filter(|&edge| {
                let CellEdge { low, axis } = CellEdge::new(edge);
                (case >> low ^ case >> (low | 1 << axis)) & 1 == 1
            });
            let mut on_loops: Vec<usize> = crossing.loops.concat().into_iter().map(usize::from).collect();
            on_loops.sort_unstable();
            assert_eq!(on_loops, cut.collect::<Vec<_>>(), "case {case}");
            for (number, edges) in crossing.loops.iter().enumerate() {
                assert!(edges.len() >= 3 && edges.iter().all(|&edge| crossing.loop_of(edge as usize) == number));
            }
        }
    }

    #[test]
    fn sides_of_loops_are_the_face_segments() {
        for case in 0..=255 {
            let segments: Directed = (0..6).flat_map(|face| face_segments(case, face)).collect();
            assert_eq!(sides(case), segments, "case {case}");
        }
    }

    /// With two opposite corners of a face inside and nothing else, there are two loops. With a third corner on the far
    /// side that joins neither, or with all but two corners inside, there may be one.
    #[test]
    fn doubled_faces_are_ambiguous() {
        let mut doubled = 0;
        for case in 0..=255 {
            for face in (0..6).filter(|face| CellCase::of(case).is_doubled(*face)) {
                let corners = face_corners(face).map(|corner| case >> corner & 1);
                assert!(corners == [0, 1, 0, 1] || corners == [1, 0, 1, 0], "case {case}, face {face}");
                doubled += 1;
            }
        }
        assert!(doubled > 0);
        assert!(!CellCase::of(0b1001).is_doubled(4), "two corners by themselves");
        assert!(CellCase::of(0b1111_1001).is_doubled(4), "joined across the cell");
    }

    /// Every case next to every compatible case, on each axis.
    #[test]
    fn adjacent_cells_share_opposite_segments() {
        for axis in 0..3 {
            let upper = |case: u8| (0..8).filter(|c| c >> axis & 1 == 1).map(|c| case >> c & 1).collect::<Vec<_>>();
            let lower = |case: u8| (0..8).filter(|c| c >> axis & 1 == 0).map(|c| case >> c & 1).collect::<Vec<_>>();
            let on = |case: u8, face: usize| {
                sides(case).into_iter().filter(move |&(a, b)| on_face(a, face) && on_face(b, face))
            };
            // An edge of the upper face as numbered in the next cell.
            let number_in_next_cell = |edge: usize| {
                let CellEdge { low, axis: along } = CellEdge::new(edge);
                let low = low & !(1 << axis);
                CellEdge::between(low, low | 1 << along)
            };
            let mut pairs = 0;
            for case in 0..=255 {
                let shown: Directed =
                    on(case, 2 * axis + 1).map(|(a, b)| (number_in_next_cell(b), number_in_next_cell(a))).collect();
                for next in (0..=255).filter(|&next| lower(next) == upper(case)) {
                    assert_eq!(shown, on(next, 2 * axis).collect(), "axis {axis}: {case} beside {next}");
                    pairs += 1;
                }
            }
            assert_eq!(pairs, 256 * 16);
        }
    }

    #[test]
    fn one_inside_corner_faces_away_from_it() {
        // Edges 0, 4 and 8 go up x, y and z from corner 0.
        let [edges] = &CellCase::of(1).loops[..] else { panic!("one loop") };
        let start = edges.iter().position(|&edge| edge == 0).expect("edge 0");
        let mut turned = edges.clone();
        turned.rotate_left(start);
        assert_eq!(turned, [0, 4, 8]);
    }
}
