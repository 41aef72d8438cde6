//! Exact signed distance to a collider's surface, in the collider's own coordinates with its scale applied.

use super::field::Sample;
use crate::geometry::{MeshFault, TriangleMesh, WindingColumns, closed};
use glam::{DVec2, DVec3};
use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQuery, Ray, RayCast};
use parry3d_f64::shape::TriMesh;

/// A solid's surface that distances are measured from. Distances are negative inside the solid.
pub enum DistanceSource {
    /// Everything below z = 0.
    Plane,
    /// A box by half its edge lengths, m.
    Box(DVec3),
    /// A ball by its radius, m.
    Sphere(f64),
    /// A cylinder along Z by radius and half its height, m.
    Cylinder(f64, f64),
    /// A mesh.
    Mesh(Box<MeshDistance>),
}

/// Distance to a mesh: unsigned by a bounding volume hierarchy, the sign by winding number.
pub struct MeshDistance {
    mesh: TriMesh,
    /// `None` for an open mesh that stands for a wall of some thickness.
    columns: Option<WindingColumns>,
    /// Half the wall's thickness, m; zero for closed meshes.
    half_thickness: f64,
}

impl MeshDistance {
    /// The inside of a closed mesh or, given a thickness, the neighbourhood of any mesh.
    ///
    /// # Errors
    /// When the mesh is empty, or open without a thickness.
    pub fn new(mesh: &TriangleMesh, thickness: Option<f64>) -> Result<Self, MeshFault> {
        if thickness.is_none() {
            closed(mesh)?;
        }
        let positions = mesh.positions.iter().map(|p| Vector::from(p.to_array())).collect();
        let tree = TriMesh::new(positions, mesh.triangles.clone()).map_err(|_| MeshFault::Empty)?;
        Ok(Self {
            mesh: tree,
            columns: thickness.is_none().then(|| WindingColumns::new(mesh)),
            half_thickness: thickness.unwrap_or(0.0) / 2.0,
        })
    }

    fn distance(&self, p: DVec3, inside: bool) -> f64 {
        let unsigned = self.mesh.distance_to_local_point(Vector::from(p.to_array()), false).abs() - self.half_thickness;
        if inside { -unsigned } else { unsigned }
    }

    fn inside(&self, p: DVec3, scratch: &mut Vec<crate::geometry::Crossing>) -> bool {
        self.columns.as_ref().is_some_and(|columns| {
            columns.crossings(p.x, p.y, scratch);
            crate::geometry::winding_number(scratch, p.z) != 0
        })
    }

    /// Where the segment first meets the surface: the share of its length and the surface's normal there.
    pub fn first_hit(&self, from: DVec3, to: DVec3) -> Option<(f64, DVec3)> {
        let ray = Ray::new(Vector::from(from.to_array()), Vector::from((to - from).to_array()));
        let hit = self.mesh.cast_local_ray_and_get_normal(&ray, 1.0, false)?;
        Some((hit.time_of_impact, DVec3::from(hit.normal.to_array())))
    }

    /// The point of the surface next to p.
    fn foot(&self, p: DVec3) -> DVec3 {
        DVec3::from(self.mesh.project_local_point(Vector::from(p.to_array()), false).point.to_array())
    }

    /// Distance to the mesh, or to the wall that it stands for, on whichever side p is.
    pub fn nearest(&self, p: DVec3) -> Sample {
        let away = p - self.foot(p);
        let distance = away.length();
        Sample { distance: distance - self.half_thickness, gradient: away.normalize_or(DVec3::Z), thin: true }
    }

    /// Whether the solid is thinner than `limit`, m, at the surface point next to p, which lies in the solid or not.
    /// Which way the faces look does not matter.
    fn thin_at(&self, p: DVec3, solid: bool, limit: f64) -> bool {
        if self.columns.is_none() {
            return 2.0 * self.half_thickness < limit;
        }
        let foot = self.foot(p);
        let away = (p - foot).normalize_or_zero();
        let inwards = if solid { away } else { -away };
        self.first_hit(foot + inwards * (limit * 1e-4), foot + inwards * limit).is_some()
    }

    /// Lowest and highest corner of the mesh with its thickness.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let aabb = self.mesh.local_aabb();
        (
            DVec3::from(aabb.mins.to_array()) - self.half_thickness,
            DVec3::from(aabb.maxs.to_array()) + self.half_thickness,
        )
    }
}

impl std::fmt::Debug for DistanceSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Plane => write!(f, "Plane"),
            Self::Box(half) => write!(f, "Box({half})"),
            Self::Sphere(radius) => write!(f, "Sphere({radius})"),
            Self::Cylinder(radius, half) => write!(f, "Cylinder({radius}, {half})"),
            Self::Mesh(mesh) => write!(f, "Mesh({} triangles)", mesh.mesh.indices().len()),
        }
    }
}

impl DistanceSource {
    /// Signed distance at p, m.
    pub fn distance(&self, p: DVec3) -> f64 {
        match self {
            Self::Plane => p.z,
            Self::Box(half) => box_distance(p.abs() - *half),
            Self::Sphere(radius) => p.length() - radius,
            Self::Cylinder(radius, half) => {
                let q = DVec2::new(p.truncate().length() - radius, p.z.abs() - half);
                q.max(DVec2::ZERO).length() + q.max_element().min(0.0)
            }
            Self::Mesh(mesh) => mesh.distance(p, mesh.inside(p, &mut Vec::new())),
        }
    }

    /// Whether the solid is thinner than `limit`, m, at the surface point next to p, which lies in the solid or not.
    pub fn thin_at(&self, p: DVec3, solid: bool, limit: f64) -> bool {
        matches!(self, Self::Mesh(mesh) if mesh.thin_at(p, solid, limit))
    }

    /// Distances on a cube of 8^3 nodes from `origin`, `spacing` apart, z fastest.
    pub fn distances(&self, origin: DVec3, spacing: f64) -> Vec<f64> {
        let node = |x: i32, y: i32, z: i32| origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * spacing;
        let mut values = Vec::with_capacity(512);
        let mut scratch = Vec::new();
        for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
            let Self::Mesh(mesh) = self else {
                values.extend((0..8).map(|z| self.distance(node(x, y, z))));
                continue;
            };
            let foot = node(x, y, 0);
            if let Some(columns) = &mesh.columns {
                columns.crossings(foot.x, foot.y, &mut scratch);
            }
            values.extend((0..8).map(|z| {
                let p = node(x, y, z);
                mesh.distance(p, crate::geometry::winding_number(&scratch, p.z) != 0)
            }));
        }
        values
    }

    /// Lowest and highest corner of the surface; infinite for a plane.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        match self {
            Self::Plane => (DVec3::NEG_INFINITY, DVec3::INFINITY),
            Self::Box(half) => (-*half, *half),
            Self::Sphere(radius) => (DVec3::splat(-radius), DVec3::splat(*radius)),
            Self::Cylinder(radius, half) => {
                let corner = DVec3::new(*radius, *radius, *half);
                (-corner, corner)
            }
            Self::Mesh(mesh) => mesh.bounds(),
        }
    }
}

fn box_distance(q: DVec3) -> f64 {
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}
