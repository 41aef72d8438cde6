//! From the colliders of a scene to walls.

use super::SetupError;
use crate::boundary::{
    Boundary, Collider, DistanceField, DistanceSource, Lookup, MeshDistance, Sample, Section, THINNEST, WallKernel,
};
use crate::geometry::{self, MeshFault, SEGMENTS};
use crate::region::motion;
use crate::{MeshLibrary, SmoothingKernel};
use dollop_scene::{JsonPath, Scene, Shape};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Places the colliders of a scene.
///
/// # Errors
/// When a collider's mesh is open and has no thickness, or its scale changes unevenly.
pub fn place_colliders(scene: &Scene, meshes: &MeshLibrary, kernel: &SmoothingKernel) -> Result<Boundary, SetupError> {
    let spacing = scene.particle_spacing;
    let interval = 1.0 / scene.frames.rate;
    let wall_kernel = Arc::new(WallKernel::new(kernel, spacing));
    let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) * interval;
    let mut colliders = Vec::new();
    for (number, collider) in scene.colliders.iter().enumerate() {
        let place = JsonPath::item("colliders", number);
        let motion = motion((&place, "collider"), (&collider.transform, &collider.motion), time_of)?;
        let needed = "close it, or give the collider a `thickness` to use it as a wall";
        let source =
            distance_source(&collider.shape, motion.base_scale(), collider.thickness, THINNEST * spacing, meshes)
                .map_err(|fault| SetupError::of_mesh(place.key("shape"), fault, needed))?;
        let field = DistanceField::new(source, collider.inverted, kernel, spacing, motion.smallest_scale());
        colliders.push(Collider { field, motion, friction: collider.friction, adhesion: collider.adhesion });
    }
    Ok(Boundary::new(colliders, wall_kernel, Section(scene.discretization.dimensions), spacing, interval))
}

/// A collider's surface with its scale applied; primitives that the scale distorts, or that are thinner than
/// `resolved`, become meshes.
fn distance_source(
    shape: &Shape,
    scale: DVec3,
    thickness: Option<f64>,
    resolved: f64,
    meshes: &MeshLibrary,
) -> Result<DistanceSource, MeshFault> {
    let size = scale.abs();
    let round = (size.x - size.y).abs() <= 1e-6 * size.x;
    let mesh = match *shape {
        Shape::Plane {} => return Ok(DistanceSource::Plane),
        Shape::Box { size: edges } => {
            let edges = DVec3::from(edges) * size;
            if edges.min_element() >= resolved {
                return Ok(DistanceSource::Box(edges / 2.0));
            }
            geometry::box_mesh(edges)
        }
        Shape::Sphere { radius } => {
            if round && (size.x - size.z).abs() <= 1e-6 * size.x && radius * size.x >= resolved {
                return Ok(DistanceSource::Sphere(radius * size.x));
            }
            scaled(&geometry::sphere_mesh(radius, SEGMENTS), size)
        }
        Shape::Cylinder { radius, height } => {
            if round && (radius * size.x).min(height * size.z) >= resolved {
                return Ok(DistanceSource::Cylinder(radius * size.x, height * size.z / 2.0));
            }
            scaled(&geometry::cylinder_mesh(radius, height, SEGMENTS), size)
        }
        Shape::Mesh { ref path } => scaled(meshes.get(path).ok_or(MeshFault::Empty)?, scale),
    };
    Ok(DistanceSource::Mesh(Box::new(MeshDistance::new(&mesh, thickness)?)))
}

fn scaled(mesh: &geometry::TriangleMesh, scale: DVec3) -> geometry::TriangleMesh {
    mesh.mapped(glam::DAffine3::from_scale(scale))
}

impl Boundary {
    /// Distance of each point to the nearest collider's surface at the first frame, m; infinite beyond the kernel's
    /// support.
    pub fn distances(&mut self, points: &[DVec3]) -> Vec<f64> {
        let mut nearest = vec![f64::INFINITY; points.len()];
        let section = self.section();
        for collider in self.colliders_mut() {
            let pose = collider.motion.pose(0.0);
            let local: Vec<DVec3> = points.par_iter().map(|&p| pose.to_local(p)).collect();
            let missing = local.iter().filter_map(|&p| match collider.field.sample(p, pose.scale) {
                Lookup::Missing(block) => Some(block),
                Lookup::Outside(_) | Lookup::Near(_) => None,
            });
            let missing = missing.collect();
            collider.field.make(missing);
            // Not the effective distance, by which matter that lies flush in a corner is inside the wall.
            let distances = local.par_iter().map(|&p| match collider.field.sample(p, pose.scale) {
                Lookup::Near(near) => {
                    section.sample(Sample { distance: collider.field.exact_distance(p), ..near }, &pose).distance
                }
                Lookup::Outside(_) | Lookup::Missing(_) => f64::INFINITY,
            });
            nearest
                .par_iter_mut()
                .zip(distances)
                .for_each(|(nearest, distance)| *nearest = nearest.min(distance * pose.scale));
        }
        nearest
    }
}
