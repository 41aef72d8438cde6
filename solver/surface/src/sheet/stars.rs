//! The triangles around each particle, as sectors of its tangent plane, and whether two overlap.

use super::particles::SheetParticles;

/// A sector: the two other corners of a triangle at one of its corners, counter-clockwise.
pub(super) type Sector = [u32; 2];

/// The three corners of a triangle, each with its sector.
pub(super) fn sectors([a, b, c]: [u32; 3]) -> [(u32, Sector); 3] {
    [(a, [b, c]), (b, [c, a]), (c, [a, b])]
}

/// Whether two sectors at a corner overlap; both must be narrower than half a turn.
pub(super) fn overlap(particles: &SheetParticles, at: u32, one: Sector, other: Sector) -> bool {
    if one[0] == other[0] || one[1] == other[1] {
        return true;
    }
    let normal = particles.normals[at as usize];
    let offsets = |sector: Sector| sector.map(|end| particles.offset(at, end));
    let turns_left = |a, b| normal.dot(glam::DVec3::cross(a, b)) > 0.0;
    let [[a, b], [c, d]] = [offsets(one), offsets(other)];
    let within = |direction, [from, to]: [glam::DVec3; 2]| turns_left(from, direction) && turns_left(direction, to);
    let (apart, apart_too) = (one[1] != other[0], one[0] != other[1]);
    (apart && (within(c, [a, b]) || within(b, [c, d]))) || (apart_too && (within(d, [a, b]) || within(a, [c, d])))
}

/// The triangles of a sheet.
#[derive(Debug)]
pub(super) struct Stars {
    /// The sectors at each particle.
    pub sectors: Vec<Vec<Sector>>,
}

impl Stars {
    pub fn add(&mut self, corners: [u32; 3]) {
        for (corner, sector) in sectors(corners) {
            self.sectors[corner as usize].push(sector);
        }
    }

    pub fn remove(&mut self, corners: [u32; 3]) {
        for (corner, sector) in sectors(corners) {
            self.sectors[corner as usize].retain(|other| *other != sector);
        }
    }

    /// Whether a triangle overlaps another one at one of its corners.
    pub fn overlaps(&self, particles: &SheetParticles, corners: [u32; 3]) -> bool {
        let overlaps = |(corner, sector): (u32, Sector)| {
            self.sectors[corner as usize].iter().any(|other| overlap(particles, corner, sector, *other))
        };
        sectors(corners).into_iter().any(overlaps)
    }

    /// Whether an edge belongs to a triangle.
    pub fn has_edge(&self, from: u32, to: u32) -> bool {
        self.sectors[from as usize].iter().any(|sector| sector.contains(&to))
    }

    /// All triangles, with corners renamed, the lowest of each first.
    pub fn triangles(&self, name: impl Fn(u32) -> u32) -> Vec<[u32; 3]> {
        let mut triangles = vec![];
        for (corner, sectors) in self.sectors.iter().enumerate() {
            let here = name(corner as u32);
            let others = sectors.iter().map(|sector| sector.map(&name));
            triangles.extend(others.filter(|[a, b]| here < *a && here < *b).map(|[a, b]| [here, a, b]));
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::SheetPoints;
    use glam::Vec3;

    /// A centre, four particles around it, and a fifth between the first two.
    #[test]
    fn sectors_overlap_if_they_share_more_than_a_side() {
        let around = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0], [0.7, 0.7]];
        let positions = around.map(|[x, y]| Vec3::new(x, y, 0.0));
        let normals = [Vec3::Z; 6];
        let particles = SheetParticles::new(SheetPoints { positions: &positions, normals: &normals }, 2.0);
        let name = |number: u32| particles.numbers.iter().position(|n| *n == number).expect("a particle") as u32;
        let meet = |one: Sector, other: Sector| overlap(&particles, name(0), one.map(name), other.map(name));
        for (one, other, expected) in [
            ([1, 2], [2, 3], false),
            ([1, 2], [3, 4], false),
            ([1, 2], [4, 1], false),
            ([1, 2], [1, 5], true),
            ([1, 2], [5, 2], true),
            ([1, 2], [5, 3], true),
            ([1, 2], [4, 5], true),
            ([1, 2], [1, 2], true),
        ] {
            assert_eq!((meet(one, other), meet(other, one)), (expected, expected), "{one:?} and {other:?}");
        }
    }
}
