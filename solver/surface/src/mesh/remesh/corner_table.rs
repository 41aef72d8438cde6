//! A corner table of a closed triangle mesh (Rossignac, "Edgebreaker", 1999), with edge collapse and edge flip.
//!
//! Triangle t has corners 3 t, 3 t + 1 and 3 t + 2, counter-clockwise. A corner stands for its vertex, and for the edge
//! to the vertex of the next corner. Its twin is the same edge in the opposite direction, in the adjacent triangle.

use rayon::prelude::*;

/// Marks corners of removed triangles.
const REMOVED: u32 = u32::MAX;

/// The corners of a closed, manifold, oriented mesh.
pub(super) struct CornerTable {
    vertices: Vec<u32>,
    twins: Vec<u32>,
    /// A corner of each vertex.
    outgoing: Vec<u32>,
}

/// The next corner in the same triangle.
pub(super) fn next(corner: usize) -> usize {
    if corner % 3 == 2 { corner - 2 } else { corner + 1 }
}

/// The previous corner in the same triangle.
pub(super) fn prev(corner: usize) -> usize {
    if corner.is_multiple_of(3) { corner + 2 } else { corner - 1 }
}

impl CornerTable {
    /// None unless every edge has exactly one triangle on either side.
    pub fn new(count: usize, triangles: &[[u32; 3]]) -> Option<Self> {
        let vertices: Vec<u32> = triangles.as_flattened().to_vec();
        let mut starts = vec![0_u32; count + 1];
        for &vertex in &vertices {
            starts[vertex as usize + 1] += 1;
        }
        (0..count).for_each(|vertex| starts[vertex + 1] += starts[vertex]);
        // The corners of each vertex, and the ends of their edges.
        let (mut free, mut own) = (starts.clone(), vec![(0, 0); vertices.len()]);
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            for (index, (vertex, end)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
                let free = &mut free[vertex as usize];
                own[*free as usize] = (end, (3 * triangle + index) as u32);
                *free += 1;
            }
        }
        drop(free);
        let of = |vertex: u32| &own[starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize];
        let twin = |corner: usize| {
            let (from, to) = (vertices[corner], vertices[next(corner)]);
            let mut twins = of(to).iter().filter(|(end, _)| *end == from);
            twins.next().filter(|_| twins.next().is_none()).map(|(_, twin)| *twin)
        };
        let twins: Vec<u32> = (0..vertices.len()).into_par_iter().map(twin).collect::<Option<_>>()?;
        let outgoing =
            (0..count as u32).map(|vertex| of(vertex).first().map_or(REMOVED, |(_, corner)| *corner)).collect();
        Some(Self { vertices, twins, outgoing })
    }

    /// Number of triangles, including removed ones.
    pub fn triangles(&self) -> usize {
        self.vertices.len() / 3
    }

    /// The vertices of a triangle, unless it is removed.
    pub fn triangle(&self, triangle: usize) -> Option<[usize; 3]> {
        let vertices = [0, 1, 2].map(|corner| self.vertices[3 * triangle + corner]);
        (vertices[0] != REMOVED).then(|| vertices.map(|vertex| vertex as usize))
    }

    /// The start of the edge of a corner.
    pub fn vertex(&self, corner: usize) -> usize {
        self.vertices[corner] as usize
    }

    /// The end of the edge of a corner.
    pub fn end(&self, corner: usize) -> usize {
        self.vertex(next(corner))
    }

    /// The vertex opposite to the edge of a corner.
    pub fn apex(&self, corner: usize) -> usize {
        self.vertex(prev(corner))
    }

    /// The same edge in the opposite direction.
    pub fn twin(&self, corner: usize) -> usize {
        self.twins[corner] as usize
    }

    /// The corners of a vertex, clockwise; none if it is removed or has no triangle.
    pub fn ring(&self, vertex: usize) -> impl Iterator<Item = usize> {
        let first = self.outgoing[vertex];
        let onward = move |&corner: &usize| Some(self.twin(prev(corner))).filter(|&next| next != first as usize);
        std::iter::successors((first != REMOVED).then_some(first as usize), onward)
    }

    /// The neighbours of a vertex.
    pub fn neighbours(&self, vertex: usize) -> impl Iterator<Item = usize> {
        self.ring(vertex).map(|corner| self.end(corner))
    }

    /// Whether the mesh stays a closed manifold when the edge of a corner collapses: its ends share no neighbours
    /// except the two apexes, and these keep three neighbours (Dey and others, "Topology preserving edge contraction",
    /// 1999).
    pub fn can_collapse(&self, corner: usize) -> bool {
        let (from, to) = (self.vertex(corner), self.end(corner));
        let apexes = [self.apex(corner), self.apex(self.twin(corner))];
        let common = self.neighbours(from).filter(|&one| self.neighbours(to).any(|other| one == other)).count();
        common == 2 && apexes[0] != apexes[1] && apexes.iter().all(|&apex| self.neighbours(apex).nth(3).is_some())
    }

    /// Collapses the edge of a corner to its end: removes the start and two triangles. Requires [`Self::can_collapse`].
    pub fn collapse(&mut self, corner: usize) {
        let (from, to, twin) = (self.vertex(corner), self.end(corner), self.twin(corner));
        let ring: Vec<usize> = self.ring(from).collect();
        for corner in ring {
            self.vertices[corner] = to as u32;
        }
        for side in [corner, twin] {
            // The triangle no longer belongs to the apex and the end.
            let (outer, apex) = ([self.twin(next(side)), self.twin(prev(side))], self.apex(side));
            self.outgoing[apex] = outer[0] as u32;
            self.outgoing[to] = outer[1] as u32;
            self.link(outer[0], outer[1]);
        }
        for first_corner in [corner, twin].map(|corner| corner / 3 * 3) {
            self.vertices[first_corner..first_corner + 3].fill(REMOVED);
        }
        self.outgoing[from] = REMOVED;
    }

    /// Whether the edge of a corner can flip to connect its apexes: they are not neighbours yet, and its ends keep
    /// three neighbours.
    pub fn can_flip(&self, corner: usize) -> bool {
        let (low, high) = (self.apex(corner), self.apex(self.twin(corner)));
        let ends = [self.vertex(corner), self.end(corner)];
        low != high
            && self.neighbours(low).all(|other| other != high)
            && ends.iter().all(|&end| self.neighbours(end).nth(3).is_some())
    }

    /// Flips the edge of a corner to connect its apexes, within the same two triangles. Requires [`Self::can_flip`].
    pub fn flip(&mut self, corner: usize) {
        let twin = self.twin(corner);
        let (from, to) = (self.vertex(corner), self.end(corner));
        let (apex, other) = (self.apex(corner), self.apex(twin));
        let outer = [self.twin(prev(corner)), self.twin(prev(twin))];
        self.vertices[corner] = other as u32;
        self.vertices[twin] = apex as u32;
        self.link(corner, outer[1]);
        self.link(twin, outer[0]);
        self.link(prev(corner), prev(twin));
        self.outgoing[from] = next(twin) as u32;
        self.outgoing[to] = next(corner) as u32;
        self.outgoing[apex] = prev(corner) as u32;
        self.outgoing[other] = prev(twin) as u32;
    }

    fn link(&mut self, one: usize, other: usize) {
        self.twins[one] = other as u32;
        self.twins[other] = one as u32;
    }

    /// The remaining vertices, and the triangles in terms of their new indices.
    pub fn into_kept(self) -> (Vec<u32>, Vec<[u32; 3]>) {
        let left = |vertex: &u32| self.outgoing[*vertex as usize] != REMOVED;
        let kept: Vec<u32> = (0..self.outgoing.len() as u32).filter(left).collect();
        let mut new_index = vec![REMOVED; self.outgoing.len()];
        kept.iter().zip(0..).for_each(|(&vertex, index)| new_index[vertex as usize] = index);
        let triangles = (0..self.triangles()).filter_map(|triangle| self.triangle(triangle));
        let triangles = triangles.map(|triangle| triangle.map(|vertex| new_index[vertex])).collect();
        (kept, triangles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::Topology;

    /// An octahedron: each vertex has four neighbours.
    const OCTAHEDRON: [[u32; 3]; 8] =
        [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];

    fn corner(mesh: &CornerTable, from: usize, to: usize) -> usize {
        mesh.ring(from).find(|&corner| mesh.end(corner) == to).expect("the edge is there")
    }

    fn sphere(mesh: CornerTable) -> (usize, usize) {
        let (kept, triangles) = mesh.into_kept();
        let topology = Topology::of(&triangles);
        assert!(topology.is_closed_manifold(), "{topology:?}");
        assert_eq!((topology.components, topology.euler_characteristic), (1, 2));
        (kept.len(), triangles.len())
    }

    #[test]
    fn one_rings_are_complete() {
        let mesh = CornerTable::new(6, &OCTAHEDRON).expect("closed");
        for vertex in 0..6 {
            let mut around: Vec<usize> = mesh.neighbours(vertex).collect();
            around.sort_unstable();
            let others: Vec<usize> = (0..6).filter(|&other| other / 2 != vertex / 2).collect();
            assert_eq!(around, others);
        }
    }

    #[test]
    fn collapsing_an_octahedron_ends_at_a_tetrahedron() {
        let mut mesh = CornerTable::new(6, &OCTAHEDRON).expect("closed");
        let edge = corner(&mesh, 0, 2);
        assert!(mesh.can_collapse(edge));
        mesh.collapse(edge);
        let shrinks = |mesh: &CornerTable, edge: usize| mesh.triangle(edge / 3).is_some() && mesh.can_collapse(edge);
        let edge = (0..24).find(|&edge| shrinks(&mesh, edge)).expect("one more");
        mesh.collapse(edge);
        assert!((0..24).all(|edge| !shrinks(&mesh, edge)));
        assert_eq!(sphere(mesh), (4, 4));
    }

    #[test]
    fn flipping_an_edge_twice_restores_the_mesh() {
        let mut mesh = CornerTable::new(6, &OCTAHEDRON).expect("closed");
        let edge = corner(&mesh, 0, 4);
        assert!(mesh.can_flip(edge));
        mesh.flip(edge);
        assert!(mesh.neighbours(0).all(|other| other != 4) && mesh.neighbours(2).any(|other| other == 3));
        let back = corner(&mesh, 2, 3);
        // 0 and 4 have three neighbours now; the ends of the flipped edge have five.
        assert!(mesh.can_flip(back));
        mesh.flip(back);
        assert!(mesh.neighbours(0).any(|other| other == 4));
        assert_eq!(sphere(mesh), (6, 8));
    }

    #[test]
    fn a_tetrahedron_allows_no_collapse_and_no_flip() {
        let mesh = CornerTable::new(4, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).expect("closed");
        assert!((0..12).all(|corner| !mesh.can_collapse(corner) && !mesh.can_flip(corner)));
    }

    #[test]
    fn an_open_mesh_has_no_corner_table() {
        assert!(CornerTable::new(6, &OCTAHEDRON[1..]).is_none());
    }
}
