//! Distance to the surface of a mesh.

use super::Surface;
use crate::boundary::Sample;
use crate::bounds::Bounds;
use crate::geometry::{Crossing, MeshFault, TriangleMesh, WindingColumns, closed, winding_number};
use glam::DVec3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQuery, Ray, RayCast};
use parry3d_f64::shape::TriMesh;

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

    fn signed(&self, p: DVec3, inside: bool) -> f64 {
        let unsigned = self.mesh.distance_to_local_point(Vector::from(p.to_array()), false).abs() - self.half_thickness;
        if inside { -unsigned } else { unsigned }
    }

    fn is_inside(&self, p: DVec3) -> bool {
        if !self.bounds().contains(p) {
            return false;
        }
        let mut crossings = Vec::new();
        self.columns.as_ref().is_some_and(|columns| {
            columns.crossings(p.x, p.y, &mut crossings);
            winding_number(&crossings, p.z) != 0
        })
    }

    /// The first point where a straight path meets the mesh: the share of the path's length, and the normal there.
    fn hit(&self, from: DVec3, to: DVec3) -> Option<(f64, DVec3)> {
        let ray = Ray::new(Vector::from(from.to_array()), Vector::from((to - from).to_array()));
        let hit = self.mesh.cast_local_ray_and_get_normal(&ray, 1.0, false)?;
        Some((hit.time_of_impact, DVec3::from(hit.normal.to_array())))
    }

    /// The point of the mesh nearest to p.
    fn foot(&self, p: DVec3) -> DVec3 {
        DVec3::from(self.mesh.project_local_point(Vector::from(p.to_array()), false).point.to_array())
    }
}

impl Surface for MeshDistance {
    fn distance(&self, place: DVec3, _time: f64) -> f64 {
        self.signed(place, self.is_inside(place))
    }

    fn is_closed(&self) -> bool {
        self.columns.is_some()
    }

    fn bounds(&self) -> Bounds {
        let aabb = self.mesh.local_aabb();
        let (low, high) = (DVec3::from(aabb.mins.to_array()), DVec3::from(aabb.maxs.to_array()));
        Bounds { low, high }.wider(self.half_thickness)
    }

    fn distances(&self, origin: DVec3, spacing: f64) -> Vec<f64> {
        let node = |x: i32, y: i32, z: i32| origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * spacing;
        let mut values = Vec::with_capacity(512);
        let mut crossings: Vec<Crossing> = Vec::new();
        for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
            let foot = node(x, y, 0);
            if let Some(columns) = &self.columns {
                columns.crossings(foot.x, foot.y, &mut crossings);
            }
            values.extend((0..8).map(|z| {
                let place = node(x, y, z);
                self.signed(place, winding_number(&crossings, place.z) != 0)
            }));
        }
        values
    }

    /// The orientation of the faces does not matter.
    fn is_thin_at(&self, place: DVec3, is_inside: bool, limit: f64) -> bool {
        if self.columns.is_none() {
            return 2.0 * self.half_thickness < limit;
        }
        let foot = self.foot(place);
        let away = (place - foot).normalize_or_zero();
        let inwards = if is_inside { away } else { -away };
        self.hit(foot + inwards * (limit * 1e-4), foot + inwards * limit).is_some()
    }

    fn unsigned(&self, place: DVec3, _time: f64) -> Option<Sample> {
        let away = place - self.foot(place);
        let distance = away.length() - self.half_thickness;
        Some(Sample { distance, gradient: away.normalize_or(DVec3::Z), thin: true })
    }

    fn first_hit(&self, from: DVec3, to: DVec3, _time: f64) -> Option<(f64, DVec3)> {
        self.hit(from, to)
    }
}

impl std::fmt::Debug for MeshDistance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MeshDistance({} triangles)", self.mesh.indices().len())
    }
}
