//! The surface of the matter: an iso-surface of its density (DG96 section 4).
//!
//! DG96 section 4.2 puts the surface where two particles that part have just ceased to interact, 2 h from each other:
//! the isovalue is 2 m W(h) (the paper forgets the mass), or 2 V W(h) relative to the rest density, with the volume
//! V of a particle at rest, which is the spacing cubed. The level is exact for two particles; between lattice nodes
//! the mesh may join or part them a few per cent of h earlier or later, less on finer cells.

use crate::extract::extract;
use crate::field::Field;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};

/// A closed triangle mesh with what renderers need at each vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Unit normals, pointing out of the matter.
    pub normals: Vec<Vec3>,
    /// Vertex numbers, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// Temperatures, K, where the matter has some.
    pub temperatures: Option<Vec<f32>>,
    /// Number of the body that gives most to the density at the vertex.
    pub sources: Vec<u32>,
}

/// The iso-surface of the density of a frame, sampled on cells of `cell_size` m.
///
/// The mesh is closed, 2-manifold and oriented whatever the particles do, and the same for any number of threads. Its
/// vertices lie on the lattice edges between nodes at `cell_size * (i, j, k)`, at least 0.01 cells from the nodes, so
/// no triangle is degenerate as long as that is more than the rounding of the positions. Particles are left out where
/// their position is not finite or more than 2^30 cells from the origin, or their volume is not positive. The mesh is
/// empty if nothing is left, or if the cell size or the kernel's support is not a positive number.
pub fn extract_surface(frame: &Frame, cell_size: f64) -> SurfaceMesh {
    Field::new(frame, cell_size).map(|field| extract(&field, iso_value(frame))).unwrap_or_default()
}

/// Density over rest density at the surface (DG96 section 4.2, with the mass that it lacks in print).
fn iso_value(frame: &Frame) -> f32 {
    (2.0 * frame.spacing.powi(3) * frame.kernel.value(frame.kernel.smoothing_length())) as f32
}

impl SurfaceMesh {
    /// Enclosed volume, m^3: negative where the triangles face inwards.
    pub fn volume(&self) -> f64 {
        // Far from the origin the sum would cancel; any point nearby will do.
        let pivot = self.positions.first().map_or(DVec3::ZERO, |p| p.as_dvec3());
        let six_volumes = |corners: [DVec3; 3]| {
            let [a, b, c] = corners.map(|corner| corner - pivot);
            a.dot(b.cross(c))
        };
        self.corners().map(six_volumes).sum::<f64>() / 6.0
    }

    /// Area, m^2.
    pub fn area(&self) -> f64 {
        self.corners().map(|[a, b, c]| (b - a).cross(c - a).length()).sum::<f64>() / 2.0
    }

    /// The corners of each triangle, m.
    fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.positions[vertex as usize].as_dvec3()))
    }

    /// Gives vertices whose normal is zero, where the density's gradient vanishes, the mean normal of their triangles.
    pub(crate) fn fill_missing_normals(&mut self) {
        if self.normals.iter().all(|normal| *normal != Vec3::ZERO) {
            return;
        }
        let mut sums = vec![DVec3::ZERO; self.positions.len()];
        for (triangle, [a, b, c]) in self.triangles.iter().zip(self.corners()) {
            for vertex in triangle {
                sums[*vertex as usize] += (b - a).cross(c - a);
            }
        }
        for (normal, sum) in self.normals.iter_mut().zip(sums).filter(|(normal, _)| **normal == Vec3::ZERO) {
            *normal = sum.normalize_or(DVec3::Z).as_vec3();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> SurfaceMesh {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let normals = vec![Vec3::ZERO; 4];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        SurfaceMesh { positions, normals, triangles, ..SurfaceMesh::default() }
    }

    #[test]
    fn volume_and_area_of_a_tetrahedron() {
        let mesh = tetrahedron();
        assert!((mesh.volume() - 1.0 / 6.0).abs() < 1e-12);
        assert!((mesh.area() - (1.5 + 3.0_f64.sqrt() / 2.0)).abs() < 1e-12);
    }

    #[test]
    fn missing_normals_come_from_the_triangles() {
        let mut mesh = tetrahedron();
        mesh.normals[1] = Vec3::X;
        mesh.fill_missing_normals();
        assert_eq!(mesh.normals[1], Vec3::X);
        assert!(mesh.normals[0].distance(-Vec3::ONE.normalize()) < 1e-6);
    }
}
