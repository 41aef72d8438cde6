//! Triangles of a woven sheet: those from when it was made, until the sheet tears between their particles.

use super::flips::flip_edges;
use super::{SheetPoints, triangulate};
use crate::mesh::topology::sides;
use glam::Vec3;
use rustc_hash::FxHashMap;

/// A sheet at rest and in its current shape.
pub struct Woven<'a> {
    pub rest: SheetPoints<'a>,
    pub now: SheetPoints<'a>,
    /// The piece of each particle; nothing holds two pieces together.
    pub pieces: &'a [u32],
    /// Whether the sheet never tears.
    pub lasts: bool,
    /// Whether particles were added to the sheet.
    pub has_grown: bool,
    /// Distance of nearest neighbours at rest, m, and the distance at which they separate.
    pub nearest: f32,
    pub parted: f32,
    /// Largest distance of neighbours in a sheet that never tears, m.
    pub support: f32,
}

impl Woven<'_> {
    /// The intact triangles.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let mut triangles = triangulate(self.rest, self.parted);
        let piece = |corner: u32| self.pieces[corner as usize];
        triangles.retain(|&[a, b, c]| piece(a) == piece(b) && piece(b) == piece(c));
        if self.has_grown {
            flip_edges(self.now.positions, self.now.normals, &mut triangles);
        }
        triangles.retain(|&corners| sides(corners).into_iter().all(|side| self.holds(side)));
        triangles
    }

    fn holds(&self, (a, b): (u32, u32)) -> bool {
        let distance = |positions: &[Vec3]| positions[a as usize].distance(positions[b as usize]);
        // Neighbours that were closer than others at rest tear at the same distance as these.
        let parted = self.parted * (distance(self.rest.positions) / self.nearest).max(1.0);
        distance(self.now.positions) < if self.lasts { self.support } else { parted }
    }
}

/// Gives each fan of triangles around a particle its own vertex, where tears have left several fans. Returns the
/// particle of each vertex; the first vertices are the particles themselves.
pub fn split(count: usize, triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut vertices: Vec<u32> = (0..count as u32).collect();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (number, triangle) in triangles.iter().enumerate() {
        for &vertex in triangle {
            around[vertex as usize].push(number as u32);
        }
    }
    for (vertex, numbers) in (0..).zip(around) {
        for fan in fans(vertex, &numbers, triangles).into_iter().skip(1) {
            let new = vertices.len() as u32;
            vertices.push(vertex);
            for number in fan {
                let corners = &mut triangles[number as usize];
                corners.iter_mut().filter(|corner| **corner == vertex).for_each(|corner| *corner = new);
            }
        }
    }
    vertices
}

/// The fans of triangles around a vertex: triangles that share a side at it belong together.
fn fans(vertex: u32, numbers: &[u32], triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let mut fan_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut fans: Vec<Vec<u32>> = Vec::new();
    for &number in numbers {
        let others = triangles[number as usize].into_iter().filter(|&corner| corner != vertex);
        let others: Vec<u32> = others.collect();
        let mut known: Vec<usize> = others.iter().filter_map(|other| fan_of.get(other).copied()).collect();
        known.sort_unstable();
        let fan = known.first().copied().unwrap_or_else(|| {
            fans.push(Vec::new());
            fans.len() - 1
        });
        fans[fan].push(number);
        if let Some(&last) = known.last().filter(|&&last| last != fan) {
            let moved = std::mem::take(&mut fans[last]);
            fans[fan].extend(moved);
            fan_of.values_mut().filter(|of| **of == last).for_each(|of| *of = fan);
        }
        fan_of.extend(others.into_iter().map(|other| (other, fan)));
    }
    fans.retain(|fan| !fan.is_empty());
    fans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::Topology;
    use crate::sheet::lattice;

    /// A sheet pulled apart along a line falls into two pieces. Parts connected by a single particle separate there.
    #[test]
    fn a_sheet_tears_where_it_is_pulled_apart() {
        let rest = lattice(10, 10);
        let normals = vec![Vec3::Z; 100];
        let with = |positions: &[Vec3], lasts: bool| {
            let [rest, now] = [&rest, positions].map(|positions| SheetPoints { positions, normals: &normals });
            Woven { rest, now, pieces: &[0; 100], lasts, has_grown: false, nearest: 1.0, parted: 1.7, support: 2.2 }
                .triangles()
        };
        let triangles = |positions: &[Vec3]| with(positions, false);
        let whole = triangles(&rest);
        assert_eq!(whole.len(), 162);
        let folded: Vec<Vec3> =
            rest.iter().map(|p| if p.y > 4.0 { Vec3::new(p.x, 8.2 - p.y, 0.1) } else { *p }).collect();
        assert_eq!(triangles(&folded), whole, "a fold does not change them");
        let drawn: Vec<Vec3> = rest.iter().map(|p| *p * Vec3::new(1.0, 2.0, 1.0)).collect();
        assert!(triangles(&drawn).is_empty() && with(&drawn, true) == whole, "what does not tear stays whole");
        let torn: Vec<Vec3> = rest.iter().map(|p| if p.y > 4.0 { *p + Vec3::Y * 2.0 } else { *p }).collect();
        let topology = Topology::of(&triangles(&torn));
        assert!(
            topology.is_manifold() && topology.components == 2 && topology.euler_characteristic == 2,
            "{topology:?}"
        );
    }

    #[test]
    fn each_fan_gets_its_own_vertex() {
        let mut triangles = vec![[0, 1, 2], [0, 3, 4], [0, 4, 5], [0, 6, 1]];
        assert_eq!(split(7, &mut triangles), [0, 1, 2, 3, 4, 5, 6, 0]);
        assert_eq!(triangles, [[0, 1, 2], [7, 3, 4], [7, 4, 5], [0, 6, 1]]);
        // A fan whose middle triangle comes last.
        let mut triangles = vec![[0, 1, 2], [0, 3, 4], [0, 2, 3]];
        assert_eq!(split(5, &mut triangles).len(), 5);
    }
}
