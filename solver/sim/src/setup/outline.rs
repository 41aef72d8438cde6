//! The cost of a scene, estimated before its bodies are filled.

use crate::SetupError;
use crate::bounds::Bounds;
use crate::frame::parted;
use crate::geometry::{self, MeshFault, Solid};
use crate::lattice::nearest;
use crate::material::model;
use crate::{MeshLibrary, SmoothingKernel, TriangleMesh};
use dollop_scene::{Body, Dimensions, JsonPath, Scene, Shape};
use glam::DVec3;

/// The size of a body by its shape, before it is filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// About how many particles it will hold.
    pub particles: f64,
    /// The box around it.
    pub bounds: Bounds,
}

impl Outline {
    /// An upper bound for the speed in this body at the start, m/s.
    pub fn fastest(&self, body: &Body) -> f64 {
        let Bounds { low, high } = self.bounds;
        DVec3::from(body.velocity).length() + DVec3::from(body.angular_velocity).length() * (high - low).length() / 2.0
    }
}

/// The outlines of all bodies, in scene order.
///
/// # Errors
/// When a body's mesh is empty, open or flat.
pub fn outlines(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<Outline>, SetupError> {
    let outline = |(number, body): (usize, &Body)| {
        let spacing = scene.particle_spacing;
        if model(&body.material).thickness().is_some() {
            let mesh = sheet_mesh(number, body, scene, meshes)?;
            let particles = geometry::expected_samples(mesh.area(), nearest(spacing));
            return Ok(Outline { particles, bounds: Bounds::of(mesh.positions) });
        }
        let solid = place(number, body, scene.discretization.dimensions, meshes)?;
        Ok(match scene.discretization.dimensions {
            Dimensions::Two => section(&solid, scene.particle_spacing),
            Dimensions::Three => {
                Outline { particles: geometry::expected_points(&solid, scene.particle_spacing), bounds: solid.bounds() }
            }
        })
    };
    scene.bodies.iter().enumerate().map(outline).collect()
}

/// The outline of a solid's cut, one spacing thick.
fn section(solid: &Solid, spacing: f64) -> Outline {
    let mut bounds = solid.bounds();
    (bounds.low.y, bounds.high.y) = (-spacing / 2.0, spacing / 2.0);
    Outline { particles: geometry::expected_in_section(solid, spacing), bounds }
}

/// The faces of a body that is a sheet.
pub(crate) fn sheet_mesh(
    number: usize,
    body: &Body,
    scene: &Scene,
    meshes: &MeshLibrary,
) -> Result<TriangleMesh, SetupError> {
    let place = JsonPath::item("bodies", number);
    let needed = parted(scene.particle_spacing) / 2.0;
    if SmoothingKernel::of(scene).smoothing_length() < needed {
        let needed = needed / scene.particle_spacing;
        let message = format!(
            "particles of a sheet would not feel their neighbours when it is stretched; set it to {needed:.2} or more"
        );
        return Err(SetupError::new(JsonPath::default().key("discretization").key("smoothing_length"), message));
    }
    if scene.discretization.dimensions == Dimensions::Two {
        let message = "a sheet needs space; set discretization.dimensions to \"3d\", or choose another material";
        return Err(SetupError::new(place.key("material"), message));
    }
    let of_file = || match &body.shape {
        Shape::Mesh { path } => meshes.get(path).filter(|mesh| !mesh.triangles.is_empty()).cloned(),
        _ => None,
    };
    let mesh = geometry::primitive(&body.shape).map(|shape| shape.mesh()).or_else(of_file);
    let mesh = mesh.ok_or_else(|| SetupError::of_mesh(place.key("shape"), MeshFault::Empty, "a sheet needs some"))?;
    Ok(mesh.mapped(geometry::affine(&body.transform)))
}

/// The inside of a body.
pub(crate) fn place(
    number: usize,
    body: &Body,
    dimensions: Dimensions,
    meshes: &MeshLibrary,
) -> Result<Solid, SetupError> {
    let place = JsonPath::item("bodies", number);
    let solid = Solid::new(&body.shape, &body.transform, meshes).map_err(|fault| {
        let needed = match fault {
            MeshFault::Open { .. } => "a body must be a closed mesh whose faces look outwards",
            MeshFault::Empty | MeshFault::Flat | MeshFault::Unbounded => {
                "a body must be a closed mesh that encloses a volume"
            }
        };
        SetupError::of_mesh(place.key("shape"), fault, needed)
    })?;
    if dimensions == Dimensions::Two && !geometry::meets_plane(&solid) {
        let Bounds { low, high } = solid.bounds();
        return Err(SetupError::new(
            place.key("transform").key("translation").index(1),
            format!(
                "\"{}\" lies beside the plane y = 0 that holds the matter of a 2d scene, between y = {:.4} m and y = {:.4} m; \
                 move it there, or set discretization.dimensions to \"3d\"",
                body.name, low.y, high.y
            ),
        ));
    }
    Ok(solid)
}
