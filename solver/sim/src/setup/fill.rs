//! Fills the bodies of a scene with particles.

use super::clearance::{Cleared, Others};
use super::colliders::place_colliders;
use super::masses::{coarsely_filled, mass_ratio, of_another_mass, wrongly_floating};
use super::outline::{place, sheet_mesh};
use super::packing::pack;
use super::seats::{Seat, disorder, expected_seats, in_solid, on_faces, seated, torn_between};
use crate::SetupError;
use crate::boundary::{Boundary, Section};
use crate::geometry::Solid;
use crate::material::model;
use crate::particles::Particles;
use crate::wording::worst;
use crate::{MeshLibrary, SmoothingKernel};
use dollop_scene::{Body, Dimensions, JsonPath, Scene};
use glam::{DQuat, DVec3};

/// Temperature of bodies without one in a scene where others have one, K.
const ROOM_TEMPERATURE: f64 = 293.15;

/// The filled bodies, and warnings for the user.
#[derive(Default)]
pub struct Filled {
    pub particles: Particles,
    /// The pin that holds each particle, counted over all bodies.
    pub pinned: Vec<Option<u32>>,
    /// Number of particles of each body.
    pub counts: Vec<usize>,
    /// Mass of each body's particles over that of their volume at rest.
    pub mass_ratios: Vec<f64>,
    pub warnings: Vec<String>,
}

/// Places the colliders of a scene and fills its bodies outside of them; a body gives way to those before it.
///
/// # Errors
/// When a mesh is empty or open, a body holds no particle or too many, or a placement makes no sense.
pub fn fill(scene: &Scene, meshes: &MeshLibrary) -> Result<(Boundary, Filled), SetupError> {
    let mut boundary = place_colliders(scene, meshes, &SmoothingKernel::of(scene))?;
    let mut filling = Filling {
        scene,
        meshes,
        boundary: &mut boundary,
        others: Others::new(scene.particle_spacing),
        pins: 0,
        coarse: Vec::new(),
        filled: Filled::default(),
    };
    scene.bodies.iter().enumerate().try_for_each(|(number, body)| filling.fill(number, body))?;
    let Filling { mut filled, coarse, .. } = filling;
    filled.warnings.splice(0..0, worst(coarse.into_iter()));
    if !scene.bodies.iter().any(|body| model(&body.material).thickness().is_some()) {
        (filled.particles.orientations, filled.particles.spins) = (Vec::new(), Vec::new());
    }
    filled.warnings.extend(wrongly_floating(scene, &filled.mass_ratios));
    Ok((boundary, filled))
}

/// A scene that is filled body by body.
struct Filling<'a> {
    scene: &'a Scene,
    meshes: &'a MeshLibrary,
    boundary: &'a mut Boundary,
    /// The bodies filled before.
    others: Others,
    /// Number of pins of these bodies.
    pins: u32,
    /// Of bodies that rows of particles fit badly, by how much, and the warning.
    coarse: Vec<(f64, String)>,
    filled: Filled,
}

/// The seats of a body before it gives way to walls and other bodies.
struct BodySeats {
    seats: Vec<Seat>,
    /// The solid around the seats; none for a sheet.
    solid: Option<Solid>,
    /// Number of seats by the solid's volume; none for a sheet.
    expected: Option<f64>,
    /// Whether they are packed beneath the surface, instead of on a lattice.
    packed: bool,
}

impl Filling<'_> {
    /// Fills a body.
    ///
    /// # Errors
    /// When its mesh is not closed, or it holds no particle or too many.
    fn fill(&mut self, number: usize, body: &Body) -> Result<(), SetupError> {
        let (spacing, model) = (self.scene.particle_spacing, model(&body.material));
        let refused = |message: String| Err(SetupError::new(JsonPath::item("bodies", number).key("shape"), message));
        let BodySeats { seats, solid, expected, packed } = self.find(number, body)?;
        let found = seats.len();
        let cleared = self.others.clear(seats, model.repulsion(), packed, self.boundary);
        if cleared.seats.is_empty() {
            return refused(no_particle(&body.name, found, &cleared, self.scene));
        }
        let ratio = expected.filter(|_| model.keeps_lattice()).map_or(1.0, |expected| mass_ratio(found, expected));
        let mass = found as f64 * ratio;
        if let Some(message) = expected.and_then(|expected| of_another_mass(&body.name, mass, expected, spacing)) {
            return refused(message);
        }
        let coarse = expected.and_then(|expected| coarsely_filled(&body.name, mass, expected));
        let losses = cleared.warnings(&body.name, found, spacing);
        let mut seats = cleared.seats;
        if !packed {
            disorder(&mut seats, model.disorder() * spacing, Section(self.scene.discretization.dimensions).axes());
        }
        let torn = torn_between(body, &seats, spacing, self.pins);
        self.coarse.extend(coarse);
        self.filled.warnings.extend(losses.chain(torn));
        self.filled.mass_ratios.push(ratio);
        self.pins += body.pins.len() as u32;
        if number + 1 < self.scene.bodies.len() {
            self.others.add(&seats, model.repulsion(), solid);
        }
        self.add(number, body, &seats);
        Ok(())
    }

    /// Finds where the particles of a body may start.
    ///
    /// # Errors
    /// When its mesh is not closed, or it has room for too many.
    fn find(&self, number: usize, body: &Body) -> Result<BodySeats, SetupError> {
        let (scene, model) = (self.scene, model(&body.material));
        if model.thickness().is_some() {
            let mesh = sheet_mesh(number, body, scene, self.meshes)?;
            let seats = on_faces(number, body, &mesh, scene.particle_spacing, self.pins)?;
            return Ok(BodySeats { seats, solid: None, expected: None, packed: false });
        }
        let solid = place(number, body, scene.discretization.dimensions, self.meshes)?;
        let expected = expected_seats(&solid, scene);
        let target = (!model.keeps_lattice()).then_some(expected);
        let fault = |message: String| SetupError::new(JsonPath::item("bodies", number).key("shape"), message);
        let lattice = in_solid(&solid, target, scene).map_err(fault)?;
        let points = model.packs().then(|| pack(&lattice, &solid, expected, scene)).flatten();
        let packed = points.is_some();
        let seats = seated(points.unwrap_or(lattice));
        Ok(BodySeats { seats, solid: Some(solid), expected: Some(expected), packed })
    }

    /// Adds the particles of a body.
    fn add(&mut self, number: usize, body: &Body, seats: &[Seat]) {
        let Filled { particles, pinned, counts, .. } = &mut self.filled;
        counts.push(seats.len());
        pinned.extend(seats.iter().map(|seat| seat.pin));
        let centre = seats.iter().map(|seat| seat.position).sum::<DVec3>() / seats.len() as f64;
        let (velocity, spin) = (DVec3::from(body.velocity), DVec3::from(body.angular_velocity));
        particles.velocities.extend(seats.iter().map(|seat| velocity + spin.cross(seat.position - centre)));
        particles.orientations.extend(seats.iter().map(|seat| DQuat::from_rotation_arc(DVec3::Z, seat.normal)));
        particles.spins.extend(seats.iter().map(|_| spin));
        particles.sources.extend(seats.iter().map(|_| number as u32));
        if self.scene.heat.is_some() || self.scene.bodies.iter().any(|body| body.temperature.is_some()) {
            let temperature = body.temperature.unwrap_or(ROOM_TEMPERATURE) as f32;
            particles.temperatures.extend(seats.iter().map(|_| temperature));
        }
        particles.positions.extend(seats.iter().map(|seat| seat.position));
        particles.rest_positions.extend(seats.iter().map(|seat| seat.position.as_vec3()));
        particles.numbers = (0..particles.positions.len() as u32).collect();
        particles.next_id = particles.numbers.len() as u32;
    }
}

fn no_particle(name: &str, found: usize, cleared: &Cleared, scene: &Scene) -> String {
    let (spacing, walls) = (scene.particle_spacing, cleared.walls);
    if found == 0 {
        let place = match scene.discretization.dimensions {
            Dimensions::Two => " in the plane y = 0",
            Dimensions::Three => "",
        };
        format!(
            "\"{name}\" is too small or too thin{place} to hold one particle at a particle_spacing of {spacing} m; use a smaller particle_spacing"
        )
    } else if walls.close == found {
        format!(
            "\"{name}\" is too close to a collider for particles {spacing} m apart; move it away or use a smaller particle_spacing"
        )
    } else if walls.count() == found {
        format!(
            "\"{name}\" lies wholly inside a collider; move it out or, if the collider is to hold it as a container, set the collider's `inverted`"
        )
    } else {
        let gap = cleared.gap_to_bodies() * spacing;
        format!(
            "\"{name}\" has no room: all of it lies inside colliders, or in or nearer than {gap:.2e} m to bodies before it in the scene; move it out"
        )
    }
}
