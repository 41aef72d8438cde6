//! The type of meshes.

use dollop_sim::{Field, FieldData};
use glam::{DVec3, Vec3};

/// A triangle mesh with the attributes that renderers need.
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
    /// For each vertex, the number of the body that contributes most to the density.
    pub sources: Vec<u32>,
    /// Fields at the vertices: those of the [options](crate::SurfaceOptions::carried) that the frame has.
    pub fields: Vec<Field>,
}

impl SurfaceMesh {
    /// Adds another mesh of the same frame.
    pub(crate) fn append(&mut self, other: Self) {
        if self.positions.is_empty() {
            *self = other;
            return;
        }
        let first = self.positions.len() as u32;
        self.triangles.extend(other.triangles.into_iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        self.velocities.extend(other.velocities);
        self.sources.extend(other.sources);
        for (own, field) in self.fields.iter_mut().zip(other.fields) {
            match (&mut own.data, field.data) {
                (FieldData::Scalar(own), FieldData::Scalar(values)) => own.extend(values),
                (FieldData::Vector(own), FieldData::Vector(values)) => own.extend(values),
                // Both come from the fields of one frame.
                _ => (),
            }
        }
    }

    /// Keeps some vertices, and replaces the triangles.
    pub(crate) fn keep(&mut self, kept: &[u32], triangles: Vec<[u32; 3]>) {
        fn of<T: Copy>(values: &[T], kept: &[u32]) -> Vec<T> {
            kept.iter().map(|&vertex| values[vertex as usize]).collect()
        }
        self.triangles = triangles;
        self.positions = of(&self.positions, kept);
        self.normals = of(&self.normals, kept);
        self.velocities = of(&self.velocities, kept);
        self.sources = of(&self.sources, kept);
        for field in &mut self.fields {
            field.data = match &field.data {
                FieldData::Scalar(values) => FieldData::Scalar(of(values, kept)),
                FieldData::Vector(values) => FieldData::Vector(of(values, kept)),
            };
        }
    }

    /// The field with this name, if the mesh has it.
    pub fn field(&self, name: &str) -> Option<&FieldData> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.data)
    }

    /// Enclosed volume, m^3; negative if the triangles face inwards.
    pub fn volume(&self) -> f64 {
        // Relative to a nearby point, as the sum would cancel far from the origin.
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
    pub(crate) fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.positions[vertex as usize].as_dvec3()))
    }

    /// Sets normals that are zero, where the gradient of the density vanishes, to the mean normal of the adjacent
    /// triangles.
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
