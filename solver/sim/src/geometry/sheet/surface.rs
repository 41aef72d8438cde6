//! A mesh as a surface to walk on: the triangle across each edge, the outer side, and smooth normals.

use super::super::{TriangleMesh, welded};
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Stands for a missing triangle across an edge: the sheet ends there.
pub(super) const NONE: u32 = u32::MAX;

/// Triangles with less area than this times the square of their longest edge have no reliable direction, and count as
/// having no area.
const SLIVER: f64 = 1e-10;

/// Cosine of the angle between neighbouring faces up to which their edge is soft: 40 degrees.
const SOFT: f64 = 0.766;

/// An edge with more faces than this joins none of them.
const MOST_AT_EDGE: usize = 64;

/// A triangle of the surface. Edge k is the one opposite corner k.
#[derive(Debug, Clone)]
pub(super) struct Face {
    /// Numbers of the corners, turned so that the piece has one side.
    pub vertices: [u32; 3],
    /// Positions of the corners, m.
    pub corners: [DVec3; 3],
    /// Unit normal.
    pub normal: DVec3,
    /// Unit normals at the corners, the mean over faces joined by soft edges.
    pub corner_normals: [DVec3; 3],
    /// Area, m^2.
    pub area: f64,
    /// The triangle across each edge, or [`NONE`].
    pub across: [u32; 3],
    /// The number of its connected piece.
    pub piece: u32,
    /// The number of its body; edges of any number of faces connect a body.
    pub body: u32,
    /// The number of the triangle in the mesh.
    pub source: u32,
    /// Whether it is turned around relative to the mesh.
    pub turned: bool,
}

impl Face {
    /// Rates of change of the three barycentric coordinates along a vector, 1/m.
    pub fn rates(&self, along: DVec3) -> DVec3 {
        let [a, b, c] = self.corners;
        let rate = |edge: DVec3| self.normal.cross(edge).dot(along) / (2.0 * self.area);
        DVec3::new(rate(c - b), rate(a - c), rate(b - a))
    }

    /// The point at some barycentric coordinates, m.
    pub fn point(&self, barycentric: DVec3) -> DVec3 {
        DMat3::from_cols(self.corners[0], self.corners[1], self.corners[2]) * barycentric
    }

    /// The smooth unit normal at some barycentric coordinates.
    pub fn normal_at(&self, barycentric: DVec3) -> DVec3 {
        let [a, b, c] = self.corner_normals;
        (DMat3::from_cols(a, b, c) * barycentric).try_normalize().unwrap_or(self.normal)
    }

    /// Both ends of an edge.
    pub fn ends(&self, edge: usize) -> [DVec3; 2] {
        [self.corners[(edge + 1) % 3], self.corners[(edge + 2) % 3]]
    }

    /// Unit vector in the face's plane, perpendicular to an edge and pointing inside.
    pub fn inwards(&self, edge: usize) -> DVec3 {
        let [a, b] = self.ends(edge);
        self.normal.cross(b - a).normalize_or_zero()
    }

    fn turn(&mut self) {
        self.vertices.swap(1, 2);
        self.corners.swap(1, 2);
        self.across.swap(1, 2);
        self.normal = -self.normal;
        self.turned = !self.turned;
    }

    /// Whether the face passes an edge from its lower to its higher vertex.
    fn rises(&self, edge: usize) -> bool {
        self.vertices[(edge + 1) % 3] < self.vertices[(edge + 2) % 3]
    }
}

/// Faces that are connected by edges of two faces.
#[derive(Debug, Clone)]
pub(super) struct SurfacePiece {
    /// Its faces, a contiguous range in the surface.
    pub faces: Range<usize>,
    /// Area, m^2.
    pub area: f64,
    /// Length of all edges where the piece ends, m.
    pub rim: f64,
    /// Whether it has two sides.
    pub two_sided: bool,
}

/// All pieces of a mesh.
#[derive(Debug, Clone, Default)]
pub(super) struct SheetSurface {
    pub faces: Vec<Face>,
    pub pieces: Vec<SurfacePiece>,
}

impl SheetSurface {
    /// The triangles of a mesh that have an area, each once. Vertices at the same place are merged.
    pub fn new(mesh: &TriangleMesh) -> Self {
        let mut faces = faces(mesh);
        let edges = edges(&faces);
        let mut bodies = Sets::new(faces.len());
        for edge in edges.chunk_by(|a, b| a.0 == b.0) {
            edge.windows(2).for_each(|pair| bodies.join(pair[0].1, pair[1].1));
            join(&mut faces, edge);
        }
        for (number, face) in faces.iter_mut().enumerate() {
            face.body = bodies.root(number as u32);
        }
        let mut surface = by_piece(faces);
        surface.smooth();
        surface
    }

    /// Edges where the surface ends: face and edge.
    pub fn rim(&self, faces: Range<usize>) -> impl Iterator<Item = (&Face, usize)> {
        self.faces[faces].iter().flat_map(|face| (0..3).filter(|&k| face.across[k] == NONE).map(move |k| (face, k)))
    }

    /// Sets the normals at the corners: the mean, weighted by angle (Thürmer and Wüthrich 1998), of the faces around
    /// the vertex that soft edges join.
    fn smooth(&mut self) {
        let mut groups = Sets::new(3 * self.faces.len());
        for (number, face) in self.faces.iter().enumerate() {
            for (edge, &other) in face.across.iter().enumerate() {
                if other == NONE || face.normal.dot(self.faces[other as usize].normal) < SOFT {
                    continue;
                }
                for corner in [(edge + 1) % 3, (edge + 2) % 3] {
                    let vertex = face.vertices[corner];
                    if let Some(there) = self.faces[other as usize].vertices.iter().position(|&v| v == vertex) {
                        groups.join((3 * number + corner) as u32, 3 * other + there as u32);
                    }
                }
            }
        }
        let mut sums = vec![DVec3::ZERO; 3 * self.faces.len()];
        for (number, face) in self.faces.iter().enumerate() {
            for corner in 0..3 {
                let [a, b] = face.ends(corner).map(|end| end - face.corners[corner]);
                sums[groups.root((3 * number + corner) as u32) as usize] += face.normal * a.angle_between(b);
            }
        }
        for (number, face) in self.faces.iter_mut().enumerate() {
            for corner in 0..3 {
                let sum = sums[groups.root((3 * number + corner) as u32) as usize];
                face.corner_normals[corner] = sum.try_normalize().unwrap_or(face.normal);
            }
        }
    }
}

/// The triangles that have an area, each once, not joined yet.
fn faces(mesh: &TriangleMesh) -> Vec<Face> {
    let welded = welded(&mesh.positions);
    let face = |(source, triangle): (usize, &[u32; 3])| {
        let corners = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let [a, b, c] = corners;
        let product = (b - a).cross(c - a);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        let area = product.length() / 2.0;
        let normal = product.try_normalize().filter(|_| area > SLIVER * longest)?;
        Some(Face {
            vertices: triangle.map(|vertex| welded[vertex as usize]),
            corners,
            normal,
            corner_normals: [normal; 3],
            area,
            across: [NONE; 3],
            piece: NONE,
            body: NONE,
            source: source as u32,
            turned: false,
        })
    };
    let mut faces: Vec<Face> = mesh.triangles.iter().enumerate().filter_map(face).collect();
    let sorted = |face: &Face| {
        let mut vertices = face.vertices;
        vertices.sort_unstable();
        vertices
    };
    faces.sort_by_key(|face| (sorted(face), face.source));
    faces.dedup_by_key(|face| sorted(face));
    faces.sort_by_key(|face| face.source);
    faces
}

/// An edge by its vertices, a face, and the number of the edge in that face.
type Edge = ((u32, u32), u32, u32);

fn edges(faces: &[Face]) -> Vec<Edge> {
    let edge = |face: &Face, k: usize| {
        let (a, b) = (face.vertices[(k + 1) % 3], face.vertices[(k + 2) % 3]);
        (a.min(b), a.max(b))
    };
    let of_face = |(number, face)| (0..3).map(move |k| (edge(face, k), number as u32, k as u32));
    let mut edges: Vec<Edge> = faces.iter().enumerate().flat_map(of_face).collect();
    edges.sort_unstable();
    edges
}

/// Joins the faces at an edge two by two, the flattest pair first; one face may be left.
fn join(faces: &mut [Face], edge: &[Edge]) {
    if edge.len() > MOST_AT_EDGE {
        return;
    }
    let inwards = |&(_, face, k): &Edge| faces[face as usize].inwards(k as usize);
    let bend = |i: usize, j: usize| if edge.len() == 2 { -1.0 } else { inwards(&edge[i]).dot(inwards(&edge[j])) };
    let mut pairs: Vec<(f64, usize, usize)> =
        (0..edge.len()).flat_map(|j| (0..j).map(move |i| (i, j))).map(|(i, j)| (bend(i, j), i, j)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut free = vec![true; edge.len()];
    for (_, i, j) in pairs {
        if free[i] && free[j] {
            (free[i], free[j]) = (false, false);
            faces[edge[i].1 as usize].across[edge[i].2 as usize] = edge[j].1;
            faces[edge[j].1 as usize].across[edge[j].2 as usize] = edge[i].1;
        }
    }
}

/// The faces piece by piece, turned to the side that most of the piece's area looks to.
fn by_piece(mut faces: Vec<Face>) -> SheetSurface {
    let (mut order, mut pieces) = (Vec::with_capacity(faces.len()), Vec::new());
    for first in 0..faces.len() {
        if faces[first].piece == NONE {
            let begin = order.len();
            let two_sided = spread(&mut faces, first as u32, pieces.len() as u32, &mut order);
            let members = &order[begin..];
            let sum = |of: &dyn Fn(&Face) -> f64| members.iter().map(|&n| of(&faces[n as usize])).sum::<f64>();
            let area = sum(&|face| face.area);
            let turned = sum(&|face| if face.turned { face.area } else { 0.0 });
            if turned > 0.5 * area {
                for &number in members {
                    faces[number as usize].turn();
                }
            }
            pieces.push(SurfacePiece { faces: begin..order.len(), area, rim: 0.0, two_sided });
        }
    }
    let mut place = vec![NONE; faces.len()];
    order.iter().enumerate().for_each(|(to, &from)| place[from as usize] = to as u32);
    let moved = |&number: &u32| {
        let face = &faces[number as usize];
        let across = face.across.map(|other| if other == NONE { NONE } else { place[other as usize] });
        Face { across, ..face.clone() }
    };
    let mut surface = SheetSurface { faces: order.iter().map(moved).collect(), pieces };
    for number in 0..surface.pieces.len() {
        let rim = surface.rim(surface.pieces[number].faces.clone());
        surface.pieces[number].rim = rim.map(|(face, k)| face.ends(k)[0].distance(face.ends(k)[1])).sum();
    }
    surface
}

/// Gives all faces joined to one the number of its piece and turns them to the same side; returns whether the piece has
/// two sides. A Moebius strip has one: there is an edge in it across which the side changes.
fn spread(faces: &mut [Face], first: u32, piece: u32, order: &mut Vec<u32>) -> bool {
    let (mut next, mut two_sided) = (order.len(), true);
    faces[first as usize].piece = piece;
    order.push(first);
    while let Some(&number) = order.get(next) {
        next += 1;
        for edge in 0..3 {
            let face = &faces[number as usize];
            let (rises, other) = (face.rises(edge), face.across[edge]);
            if other == NONE {
                continue;
            }
            let same = shared(&faces[number as usize], edge, &faces[other as usize])
                .is_some_and(|there| faces[other as usize].rises(there) == rises);
            if faces[other as usize].piece != NONE {
                two_sided &= !same;
                continue;
            }
            if same {
                faces[other as usize].turn();
            }
            faces[other as usize].piece = piece;
            order.push(other);
        }
    }
    two_sided
}

/// The edge of another face that coincides with an edge of this one.
pub(super) fn shared(face: &Face, edge: usize, other: &Face) -> Option<usize> {
    let ends = [face.vertices[(edge + 1) % 3], face.vertices[(edge + 2) % 3]];
    other.vertices.iter().position(|vertex| !ends.contains(vertex))
}

/// Disjoint sets of numbers; a set is named by its lowest number.
struct Sets(Vec<u32>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut number: u32) -> u32 {
        while self.0[number as usize] != number {
            let above = self.0[self.0[number as usize] as usize];
            self.0[number as usize] = above;
            number = above;
        }
        number
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
