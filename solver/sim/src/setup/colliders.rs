//! Builds walls from the colliders of a scene.

use crate::SetupError;
use crate::boundary::{
    Boundary, DistanceField, Lookup, MeshDistance, MovingSurface, PlaneSurface, PrimitiveSurface, Sample, Section,
    Surface, THINNEST, WallKernel,
};
use crate::geometry::{MeshFault, TriangleMesh, primitive};
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
        let motion = motion(&place, "collider", &collider.transform, &collider.motion, time_of)?;
        let needed = "close it, or give the collider a `thickness` to use it as a wall";
        let surface = surface(&collider.shape, motion.base_scale(), collider.thickness, THINNEST * spacing, meshes)
            .map_err(|fault| SetupError::of_mesh(place.key("shape"), fault, needed))?;
        let field = DistanceField::new(surface, collider.inverted, kernel, spacing, motion.smallest_scale());
        colliders.push(MovingSurface { field, motion, friction: collider.friction, adhesion: collider.adhesion });
    }
    Ok(Boundary::new(colliders, wall_kernel, Section(scene.discretization.dimensions), spacing, interval))
}

/// A collider's surface with its scale applied; primitives that the scale distorts, or that are thinner than
/// `resolved`, become meshes.
fn surface(
    shape: &Shape,
    scale: DVec3,
    thickness: Option<f64>,
    resolved: f64,
    meshes: &MeshLibrary,
) -> Result<Box<dyn Surface>, MeshFault> {
    let mesh = match (shape, primitive(shape)) {
        (Shape::Plane {}, _) => return Ok(Box::new(PlaneSurface)),
        (_, Some(primitive)) => {
            let primitive_scaled = primitive.scaled(scale.abs()).filter(|scaled| scaled.thickness() >= resolved);
            match primitive_scaled {
                Some(scaled) => return Ok(Box::new(PrimitiveSurface(scaled))),
                None => scaled(&primitive.mesh(), scale.abs()),
            }
        }
        (Shape::Mesh { path }, None) => scaled(meshes.get(path).ok_or(MeshFault::Empty)?, scale),
        (_, None) => return Err(MeshFault::Unbounded),
    };
    Ok(Box::new(MeshDistance::new(&mesh, thickness)?))
}

fn scaled(mesh: &TriangleMesh, scale: DVec3) -> TriangleMesh {
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
            let missing = local.iter().filter_map(|&p| match collider.field.sample(p, pose.scale, 0.0) {
                Lookup::Missing(block) => Some(block),
                Lookup::Outside(_) | Lookup::Near(_) => None,
            });
            let missing = missing.collect();
            collider.field.make(missing);
            // Not the effective distance, which counts matter flush in a corner as inside the wall.
            let distances = local.par_iter().map(|&p| match collider.field.sample(p, pose.scale, 0.0) {
                Lookup::Near(near) => {
                    section.sample(Sample { distance: collider.field.exact_distance(p, 0.0), ..near }, &pose).distance
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
