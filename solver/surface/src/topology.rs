//! Is a mesh closed, manifold, in one piece? For tests, here and in what builds on meshes.

use std::collections::BTreeMap;

/// How the triangles of a mesh hang together. Vertices that no triangle uses do not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Topology {
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Pieces of the boundary: edges of one triangle that share a vertex belong together.
    pub boundary_loops: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges that two triangles walk in the same direction: one of them is turned inside out.
    pub flipped_edges: usize,
    /// Vertices whose triangles do not form one fan.
    pub non_manifold_vertices: usize,
    /// Triangles that name a vertex twice.
    pub degenerate_triangles: usize,
    /// Pieces: triangles that share a vertex belong together.
    pub components: usize,
    /// Vertices less edges plus triangles: 2 for each sphere, 0 for a torus.
    pub euler_characteristic: i64,
}

impl Topology {
    /// The topology of triangles given by vertex numbers.
    pub fn of(triangles: &[[u32; 3]]) -> Self {
        let vertices = Vertices::of(triangles);
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

    /// Whether the mesh is a closed, oriented 2-manifold; so is an empty one.
    pub fn is_closed_manifold(&self) -> bool {
        self.boundary_edges == 0 && self.is_manifold()
    }

    /// Whether the mesh is an oriented 2-manifold, closed or with a boundary.
    pub fn is_manifold(&self) -> bool {
        let faults = self.non_manifold_edges + self.flipped_edges;
        faults + self.non_manifold_vertices + self.degenerate_triangles == 0
    }
}

impl crate::SurfaceMesh {
    /// How the triangles hang together.
    pub fn topology(&self) -> Topology {
        Topology::of(&self.triangles)
    }
}

/// The sides of a triangle, each the way that it walks them.
pub(crate) fn sides([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// How many triangles walk an edge from its lower vertex to its higher one, and back.
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

/// The used vertices and, for each, the sides opposite to it in its triangles.
struct Vertices {
    numbers: Vec<u32>,
    opposite: Vec<Vec<(u32, u32)>>,
}

impl Vertices {
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

/// Whether the sides form one chain or ring.
fn is_single_fan(sides: &[(u32, u32)]) -> bool {
    let mut ends: Vec<u32> = sides.iter().flat_map(|&(a, b)| [a, b]).collect();
    ends.sort_unstable();
    let simple = ends.chunk_by(|a, b| a == b).all(|same| same.len() <= 2);
    ends.dedup();
    simple && count_components(&ends, sides.iter().copied()) == 1
}

/// Into how many pieces links join the numbers, which are sorted.
fn count_components(numbers: &[u32], links: impl Iterator<Item = (u32, u32)>) -> usize {
    let mut parents: Vec<usize> = (0..numbers.len()).collect();
    let place = |number: u32| numbers.partition_point(|&other| other < number);
    for (a, b) in links {
        let (a, b) = (root(&mut parents, place(a)), root(&mut parents, place(b)));
        parents[a.max(b)] = a.min(b);
    }
    parents.iter().enumerate().filter(|(place, parent)| place == *parent).count()
}

fn root(parents: &mut [usize], mut place: usize) -> usize {
    while parents[place] != place {
        parents[place] = parents[parents[place]];
        place = parents[place];
    }
    place
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
    fn faults_are_found() {
        let hole = Topology::of(&TETRAHEDRON[1..]);
        assert_eq!((hole.boundary_edges, hole.non_manifold_vertices, hole.is_closed_manifold()), (3, 0, false));
        assert_eq!((hole.boundary_loops, hole.is_manifold()), (1, true));
        let mut turned = TETRAHEDRON;
        turned[0].reverse();
        let turned = Topology::of(&turned);
        assert_eq!((turned.flipped_edges, turned.is_manifold()), (3, false));
        // Two tetrahedra that touch in a vertex, and in an edge.
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
