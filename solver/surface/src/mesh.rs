//! The surface of the matter as a mesh.

use crate::coat::{coats, is_soft, skins};
use crate::extract::carried::Carried;
use crate::extract::{extract, field};
use crate::implicit::sources::Sources;
use crate::options::SurfaceOptions;
use crate::sheet::mesh::sheets;
use crate::volume::{Block, ScalarGrid};
use dollop_sim::{Field, FieldData, Frame};
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
    /// Number of the body that gives most to the density at the vertex.
    pub sources: Vec<u32>,
    /// Fields of the frame that vertices have, too: those of [`CARRIED`](crate::CARRIED) that it has.
    pub fields: Vec<Field>,
}

/// The surface of the matter of a frame: closed around matter that fills space, one particle thick and perhaps open where it is a sheet.
///
/// Sheets are [triangulated](crate::sheet::triangulate). Lumps of soft matter have each their own closed surface, and where they touch the
/// same one but for its side, cut from their fields alone; they lie flat on walls. The rest is closed, 2-manifold and oriented whatever the particles do, and the same for any number of threads. It is
/// cut from cells between nodes at `cell_size * (i, j, k)`, then smoothed, mended and moved to enclose its volume. Particles are left out where
/// their position is not finite or more than 2^30 cells from the origin, or their volume is not positive. The mesh is
/// empty if nothing is left, or if the cell size or the kernel's support is not a positive number.
pub fn extract_surface(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let sources = Sources::new(frame, options).filter(|_| is_plausible(options));
    let Some(mut sources) = sources else { return SurfaceMesh::default() };
    let mut surfaces: Vec<u32> = frame.sources.iter().map(|&body| options.surface_of(body)).collect();
    surfaces.sort_unstable();
    surfaces.dedup();
    let (_, fields) = Carried::new(frame).columns(&[]);
    let normals = frame.normals();
    let is_of_sheet = |particle: usize| normals.is_some_and(|normals| normals[particle] != Vec3::ZERO);
    let mut mesh = SurfaceMesh { fields, ..SurfaceMesh::default() };
    for surface in surfaces {
        let is_in = |particle: usize| options.surface_of(frame.sources[particle]) == surface;
        sources.only(|particle| is_in(particle) && !is_of_sheet(particle) && !is_soft(frame, particle));
        mesh.append(extract(&mut sources, options));
    }
    mesh.append(coats(frame, options));
    mesh.append(sheets(frame, options));
    mesh
}

/// The field that the surface of a frame is cut from, over its level, so that the surface is where it is 1. There are blocks where
/// the surface may be, and beside them inside; in others it is 0 outside, and more than 1 inside. All matter has one surface,
/// whatever the options say, but lumps of soft matter, which do not blend with each other or other matter: of them it is the largest field.
pub fn surface_field(frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    with_soft_field(other_field(frame, options), frame, options)
}

/// The field of all other matter with that of soft matter besides: [`surface_field`].
pub fn with_soft_field(others: ScalarGrid, frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    let blocks = if is_plausible(options) { skins(frame, options) } else { vec![] };
    ScalarGrid { blocks: largest(others.blocks, blocks), ..others }
}

/// [`surface_field`] of all matter but soft.
pub fn other_field(frame: &Frame, options: &SurfaceOptions) -> ScalarGrid {
    let empty = ScalarGrid { voxel_size: options.cell_size, blocks: vec![], tiles: vec![] };
    let sources = Sources::new(frame, options).filter(|_| is_plausible(options));
    sources.map_or(empty, |mut sources| {
        sources.only(|particle| !is_soft(frame, particle));
        field(&mut sources, options)
    })
}

/// The surface of soft matter alone, as [`extract_surface`] has it.
pub fn soft_surface(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    if is_plausible(options) { coats(frame, options) } else { SurfaceMesh::default() }
}

fn is_plausible(options: &SurfaceOptions) -> bool {
    options.cell_size.is_finite() && options.cell_size > 0.0
}

/// The larger values of each block, by their order.
fn largest(some: Vec<Block<f32>>, others: Vec<Block<f32>>) -> Vec<Block<f32>> {
    if others.is_empty() {
        return some;
    }
    let mut all = [some, others].concat();
    // Stable.
    all.sort_by_key(|block| block.origin);
    all.dedup_by(|next, first| {
        let same = next.origin == first.origin;
        if same {
            first.values.iter_mut().zip(&*next.values).for_each(|(first, next)| *first = first.max(*next));
        }
        same
    });
    all
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

    /// Keeps some vertices, and has these triangles of them.
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

    /// The field of that name, if the mesh has it.
    pub fn field(&self, name: &str) -> Option<&FieldData> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.data)
    }

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
    pub(crate) fn corners(&self) -> impl Iterator<Item = [DVec3; 3]> {
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
