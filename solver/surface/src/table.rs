//! The triangles of a marching cube, derived rather than listed.
//!
//! Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2 & 1). On each face, walking its corners counter-clockwise as
//! seen from outside, every run of inside corners is cut off by one segment, from the edge where the walk enters the
//! run to the edge where it leaves. So on an ambiguous face the inside corners are kept apart, as seen from either
//! cell, and the two cells walk the segment in opposite directions. Each cut edge is entered on one of its faces and
//! left on the other, so the segments join into loops, counter-clockwise as seen from the outside of the matter.
//!
//! A loop is cut into triangles by diagonals of which none lies in a face of the cell. Then an edge of the mesh is
//! either a segment, shared by the two cells of its face, or a diagonal, shared by two triangles of its cell; and
//! around a vertex the loops of the four cells of its lattice edge close to one fan. So meshes are closed and
//! manifold whatever the field. That each of the 256 cases has such diagonals is proved by the tests.

use std::sync::LazyLock;

/// An edge of a cell: it goes from corner `low` up `axis`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellEdge {
    pub low: usize,
    pub axis: usize,
}

impl CellEdge {
    /// The edge of that number below 12: axis and the low corner's place among the four without that axis.
    pub fn new(number: usize) -> Self {
        let (axis, place) = (number >> 2, number & 3);
        let below = (1 << axis) - 1;
        Self { low: place & below | (place & !below) << 1, axis }
    }

    fn between(a: usize, b: usize) -> usize {
        let (low, axis) = (a & b, (a ^ b).trailing_zeros() as usize);
        let below = (1 << axis) - 1;
        axis << 2 | low & below | (low & !below) >> 1
    }

    /// Its midpoint in half cells.
    fn midpoint(self) -> [i32; 3] {
        std::array::from_fn(|axis| if axis == self.axis { 1 } else { (self.low >> axis & 1) as i32 * 2 })
    }
}

/// The triangles of each case, as edge numbers, counter-clockwise as seen from outside the matter. Bit c of the case is
/// set where corner c is inside.
pub(crate) fn triangles(case: u8) -> &'static [[u8; 3]] {
    &CASES[case as usize]
}

static CASES: LazyLock<Vec<Vec<[u8; 3]>>> =
    LazyLock::new(|| (0..=255).map(|case| loops(case).iter().flat_map(|l| triangulate(l)).collect()).collect());

/// The corners of face `2 * axis + side`, counter-clockwise as seen from outside the cell.
fn face_corners(face: usize) -> [usize; 4] {
    let (axis, side) = (face >> 1, face & 1);
    let (first, second) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
    let ring = [0, first, first | second, second].map(|corner| corner | side << axis);
    if side == 1 { ring } else { [ring[0], ring[3], ring[2], ring[1]] }
}

/// The segments on a face, from edge number to edge number.
fn face_segments(case: u8, face: usize) -> Vec<(usize, usize)> {
    let corners = face_corners(face);
    let inside = |place: usize| case >> corners[place % 4] & 1 == 1;
    let edge = |place: usize| CellEdge::between(corners[place % 4], corners[(place + 1) % 4]);
    let enters = (0..4).filter(|&place| !inside(place) && inside(place + 1));
    let leave = |enter: usize| (enter + 1..enter + 4).find(|&place| inside(place) && !inside(place + 1));
    enters.filter_map(|enter| Some((edge(enter), edge(leave(enter)?)))).collect()
}

/// The closed loops of edge numbers in which the surface crosses a cell.
fn loops(case: u8) -> Vec<Vec<usize>> {
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
            loops.push(inner.to_vec());
        }
    }
    loops
}

/// The triangles of a loop: of the ways without a diagonal in a face the one with the shortest diagonals.
fn triangulate(polygon: &[usize]) -> Vec<[u8; 3]> {
    cheapest(polygon).map(|(_, triangles)| triangles).unwrap_or_default()
}

/// Sum of squared diagonals, in half cells, and triangles of the part of a polygon beyond its closing edge.
fn cheapest(polygon: &[usize]) -> Option<(i32, Vec<[u8; 3]>)> {
    let [first, .., last] = *polygon else { return None };
    let last_place = polygon.len() - 1;
    let with_apex = |apex: usize| {
        let (before, mut triangles) = side(&polygon[..=apex])?;
        let (after, others) = side(&polygon[apex..])?;
        triangles.extend(others);
        triangles.push([first as u8, polygon[apex] as u8, last as u8]);
        Some((before + after, triangles))
    };
    (1..last_place).filter_map(with_apex).min_by_key(|(cost, _)| *cost)
}

/// What lies beyond the edge from the first to the last place of a part: nothing if that is a segment of the loop.
fn side(part: &[usize]) -> Option<(i32, Vec<[u8; 3]>)> {
    let [first, .., last] = *part else { return None };
    if part.len() == 2 {
        return Some((0, vec![]));
    }
    if share_face(first, last) {
        return None;
    }
    let (a, b) = (CellEdge::new(first).midpoint(), CellEdge::new(last).midpoint());
    let length: i32 = (0..3).map(|axis| (a[axis] - b[axis]).pow(2)).sum();
    let (cost, triangles) = cheapest(part)?;
    Some((cost + length, triangles))
}

/// Whether two edges lie in one face of the cell.
fn share_face(a: usize, b: usize) -> bool {
    let (a, b) = (CellEdge::new(a).midpoint(), CellEdge::new(b).midpoint());
    (0..3).any(|axis| a[axis] == b[axis] && a[axis] != 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    type Directed = BTreeSet<(u8, u8)>;

    /// The directed sides of a case's triangles, less those that two of its triangles share.
    fn boundary(case: u8) -> Directed {
        let mut sides = Directed::new();
        for &[a, b, c] in triangles(case) {
            for side in [(a, b), (b, c), (c, a)] {
                assert!(sides.insert(side), "case {case}: side {side:?} twice in one direction");
            }
        }
        sides.iter().filter(|(a, b)| !sides.contains(&(*b, *a))).copied().collect()
    }

    fn on_face(edge: usize, face: usize) -> bool {
        CellEdge::new(edge).midpoint()[face >> 1] == 2 * (face & 1) as i32
    }

    #[test]
    fn edge_numbers_are_one_to_one() {
        for number in 0..12 {
            let edge = CellEdge::new(number);
            assert_eq!(edge.low >> edge.axis & 1, 0);
            assert_eq!(CellEdge::between(edge.low, edge.low | 1 << edge.axis), number);
        }
    }

    #[test]
    fn every_loop_of_every_case_is_triangulated() {
        for case in 0..=255 {
            let loops = loops(case);
            let cut = (0..12).filter(|&edge| {
                let CellEdge { low, axis } = CellEdge::new(edge);
                (case >> low ^ case >> (low | 1 << axis)) & 1 == 1
            });
            let mut on_loops = loops.concat();
            on_loops.sort_unstable();
            assert_eq!(on_loops, cut.collect::<Vec<_>>(), "case {case}");
            let expected: usize = loops.iter().map(|l| l.len() - 2).sum();
            assert_eq!(triangles(case).len(), expected, "case {case}: {loops:?}");
        }
    }

    /// The boundary of a case is its face segments, all of them and nothing else; no diagonal lies in a face.
    #[test]
    fn boundaries_are_the_face_segments() {
        for case in 0..=255 {
            let segments: Directed =
                (0..6).flat_map(|face| face_segments(case, face)).map(|(from, to)| (from as u8, to as u8)).collect();
            assert_eq!(boundary(case), segments, "case {case}");
            for &[a, b, c] in triangles(case) {
                for side in [(a, b), (b, c), (c, a)] {
                    assert!(segments.contains(&side) || !share_face(side.0 as usize, side.1 as usize), "case {case}");
                }
            }
        }
    }

    /// Every case against every case that can lie beside it, on each axis.
    #[test]
    fn neighbours_meet_in_opposite_segments() {
        for axis in 0..3 {
            let upper = |case: u8| (0..8).filter(|c| c >> axis & 1 == 1).map(|c| case >> c & 1).collect::<Vec<_>>();
            let lower = |case: u8| (0..8).filter(|c| c >> axis & 1 == 0).map(|c| case >> c & 1).collect::<Vec<_>>();
            let on = |case: u8, face: usize| {
                boundary(case).into_iter().filter(move |&(a, b)| on_face(a as usize, face) && on_face(b as usize, face))
            };
            // An edge of the upper face as the next cell numbers it, and turned around.
            let seen_from_next = |edge: u8| {
                let CellEdge { low, axis: along } = CellEdge::new(edge as usize);
                let low = low & !(1 << axis);
                CellEdge::between(low, low | 1 << along) as u8
            };
            let mut pairs = 0;
            for case in 0..=255 {
                let shown: Directed =
                    on(case, 2 * axis + 1).map(|(a, b)| (seen_from_next(b), seen_from_next(a))).collect();
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
        let [[a, b, c]] = triangles(1) else { panic!("one triangle") };
        let start = [*a, *b, *c].iter().position(|&edge| edge == 0).expect("edge 0");
        let mut turned = [*a, *b, *c];
        turned.rotate_left(start);
        assert_eq!(turned, [0, 4, 8]);
    }
}
