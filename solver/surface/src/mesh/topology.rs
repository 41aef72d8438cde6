//! Topology checks of meshes: closed, manifold, number of pieces. For tests here and in dependent crates.

use super::SurfaceMesh;
use std::collections::BTreeMap;

/// The topology of a triangle mesh. Vertices without a triangle do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Topology {
    /// Edges with a single triangle.
    pub boundary_edges: usize,
    /// Connected pieces of the boundary: boundary edges that share a vertex belong together.
    pub boundary_loops: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges that two triangles traverse in the same direction: their orientations differ.
    pub flipped_edges: usize,
    /// Vertices whose triangles form more than one fan.
    pub non_manifold_vertices: usize,
    /// Triangles that name a vertex twice.
    pub degenerate_triangles: usize,
    /// Connected components: triangles that share a vertex belong together.
    pub components: usize,
    /// Vertices - edges + triangles: 2 for each sphere, 0 for a torus.
    pub euler_characteristic: i64,
}

impl Topology {
    /// The topology of triangles given by vertex numbers.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let vertices = VertexStars::of(triangles);
        let edges = edges(triangles);
        let count = |condition: fn(&EdgeUse) -> bool| edges.values().filter(|edge| condition(edge)).count();
        Self {
            boundary_edges: count(|edge| edge.up + edge.down == 1),
            boundary_loops: boundary_loops(&edges),
            non_manifold_edges: count(|edge| edge.up + edge.down > 2),
            flipped_edges: count(|edge| edge.up + edge.down == 2 && edge.up != edge.down),
            non_manifold_vertices: vertices.without_single_fan(),
            degenerate_triangles: triangles.iter().filter(|[a, b, c]| a == b || b == c || c == a).count(),
            components: vertices.components(triangles),
            euler_characteristic: vertices.numbers.len() as i64 - edges.len() as i64 + triangles.len() as i64,
        }
    }

    /// Whether the mesh is a closed, oriented 2-manifold; an empty mesh is.
    pub fn is_closed_manifold(&self) -> bool {
        self.boundary_edges == 0 && self.is_manifold()
    }

    /// Whether the mesh is an oriented 2-manifold, closed or with a boundary.
    pub fn is_manifold(&self) -> bool {
        let faults = self.non_manifold_edges + self.flipped_edges;
        faults + self.non_manifold_vertices + self.degenerate_triangles == 0
    }
}

impl SurfaceMesh {
    /// The topology of the triangles.
    pub fn topology(&self) -> Topology {
        Topology::of(&self.triangles)
    }
}

/// The directed sides of a triangle.
pub(crate) fn sides([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// Numbers of triangles that traverse an edge from the lower vertex to the higher, and back.
#[derive(Default)]
struct EdgeUse {
    up: usize,
    down: usize,
}

fn edges(triangles: &[[u32; 3]]) -> BTreeMap<(u32, u32), EdgeUse> {
    let mut edges = BTreeMap::<_, EdgeUse>::new();
    for (from, to) in triangles.iter().copied().flat_map(sides) {
        let edge = edges.entry((from.min(to), from.max(to))).or_default();
        if from < to { edge.up += 1 } else { edge.down += 1 }
    }
    edges
}

fn boundary_loops(edges: &BTreeMap<(u32, u32), EdgeUse>) -> usize {
    let boundary = || edges.iter().filter(|(_, edge)| edge.up + edge.down == 1).map(|(ends, _)| *ends);
    let mut vertices: Vec<u32> = boundary().flat_map(|(a, b)| [a, b]).collect();
    vertices.sort_unstable();
    vertices.dedup();
    count_components(&vertices, boundary())
}

/// The used vertices, and for each the opposite sides of its triangles.
struct VertexStars {
    numbers: Vec<u32>,
    opposite: Vec<Vec<(u32, u32)>>,
}

impl VertexStars {
    fn of(triangles: &[[u32; 3]]) -> Self {
        let mut stars = BTreeMap::<u32, Vec<(u32, u32)>>::new();
        for &[a, b, c] in triangles {
            for (vertex, side) in [(a, (b, c)), (b, (c, a)), (c, (a, b))] {
                stars.entry(vertex).or_default().push(side);
            }
        }
        let (numbers, opposite) = stars.into_iter().unzip();
        Self { numbers, opposite }
    }

    fn without_single_fan(&self) -> usize {
        self.opposite.iter().filter(|sides| !is_single_fan(sides)).count()
    }

    fn components(&self, triangles: &[[u32; 3]]) -> usize {
        count_components(&self.numbers, triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c)]))
    }
}

/// Whether the sides form a single chain or ring.
fn is_single_fan(sides: &[(u32, u32)]) -> bool {
    let mut ends: Vec<u32> = sides.iter().flat_map(|&(a, b)| [a, b]).collect();
    ends.sort_unstable();
    let simple = ends.chunk_by(|a, b| a == b).all(|same| same.len() <= 2);
    ends.dedup();
    simple && count_components(&ends, sides.iter().copied()) == 1
}

/// Number of components that the links form. The numbers are sorted.
fn count_components(numbers: &[u32], links: impl Iterator<Item = (u32, u32)>) -> usize {
    let mut parents: Vec<usize> = (0..numbers.len()).collect();
    let index = |number: u32| numbers.partition_point(|&other| other < number);
    for (a, b) in links {
        let (a, b) = (root(&mut parents, index(a)), root(&mut parents, index(b)));
        parents[a.max(b)] = a.min(b);
    }
    parents.iter().enumerate().filter(|(index, parent)| index == *parent).count()
}

fn root(parents: &mut [usize], mut index: usize) -> usize {
    while parents[index] != index {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRAHEDRON: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn shifted(by: u32) -> impl Iterator<Item = [u32; 3]> {
        TETRAHEDRON.into_iter().map(move |triangle| triangle.map(|vertex| vertex + by))
    }

    #[test]
    fn a_tetrahedron_is_a_sphere() {
        let topology = Topology::of(&TETRAHEDRON);
        assert_eq!(topology, Topology { components: 1, euler_characteristic: 2, ..Topology::default() });
        assert!(topology.is_closed_manifold());
    }

    #[test]
    fn topology_faults_are_found() {
        let hole = Topology::of(&TETRAHEDRON[1..]);
        assert_eq!((hole.boundary_edges, hole.non_manifold_vertices, hole.is_closed_manifold()), (3, 0, false));
        assert_eq!((hole.boundary_loops, hole.is_manifold()), (1, true));
        let mut turned = TETRAHEDRON;
        turned[0].reverse();
        let turned = Topology::of(&turned);
        assert_eq!((turned.flipped_edges, turned.is_manifold()), (3, false));
        // Two tetrahedra that share a vertex, and two that share an edge.
        let vertex: Vec<_> = TETRAHEDRON.into_iter().chain(shifted(3)).collect();
        let topology = Topology::of(&vertex);
        assert_eq!((topology.non_manifold_vertices, topology.non_manifold_edges, topology.components), (1, 0, 1));
        let edge: Vec<_> = TETRAHEDRON.into_iter().chain(shifted(2)).collect();
        assert_eq!(Topology::of(&edge).non_manifold_edges, 1);
        let apart: Vec<_> = TETRAHEDRON.into_iter().chain(shifted(4)).collect();
        assert_eq!(Topology::of(&apart).components, 2);
        let open: Vec<_> = TETRAHEDRON[1..].iter().copied().chain(shifted(4).skip(1)).collect();
        assert_eq!(Topology::of(&open).boundary_loops, 2);
        assert_eq!(Topology::of(&[[0, 0, 1]]).degenerate_triangles, 1);
    }
}
