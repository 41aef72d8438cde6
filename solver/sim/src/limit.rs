//! What asks for the shortest steps, and what two bodies will ask for once they have met.

use crate::Simulation;
use crate::geometry::{MeshLibrary, TriangleMesh};
use dollop_scene::{Body, Material, Scene, Shape, Transform};
use glam::DVec3;

/// What asks for short steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// How fast sound goes in the matter.
    Stiffness,
    /// How stiff bonds of the matter are.
    Bonds,
    /// How stiff a sheet is against stretching and bending, or what it touches.
    Sheet,
    /// How viscous matter is.
    Viscosity,
    /// Contact of pieces of soft matter.
    Skins,
    /// How fast the matter moves, or comes upon other.
    Speed,
    /// How fast a collider comes upon it.
    Collider,
    /// How gravity and forces speed it up.
    Acceleration,
}

/// What asks for the shortest steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Number of the body whose particle asks for them.
    pub body: usize,
    /// The body that touches that particle, if one does.
    pub other: Option<usize>,
    /// By what.
    pub cause: Cause,
}

/// Two bodies that ask for shorter steps when they have met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meeting {
    /// Numbers of the bodies.
    pub bodies: [usize; 2],
    /// Time steps a frame of the particles that take the shortest then.
    pub steps_per_frame: u64,
}

/// Edge of what stands for a body, in spacings.
const EDGE: f64 = 4.0;

/// The mesh of a sheet.
const SHEET: &str = "sheet";

/// More pairs are not looked at.
const MOST_PAIRS: usize = 256;

/// Those two bodies of a scene that ask for the shortest steps when they meet, if these are shorter than they are with so many a frame: by a piece of each
/// that touches a piece of the other at rest.
pub fn meeting(scene: &Scene, steps_per_frame: u64) -> Option<Meeting> {
    let met = |bodies: [usize; 2]| {
        let steps_per_frame = steps_of(scene, bodies.map(|body| &scene.bodies[body]))?;
        Some(Meeting { bodies, steps_per_frame })
    };
    let found = pairs(scene).into_iter().take(MOST_PAIRS).filter_map(met);
    let worse = |worst: Meeting, met: Meeting| if met.steps_per_frame > worst.steps_per_frame { met } else { worst };
    found.filter(|met| met.steps_per_frame > steps_per_frame).reduce(worse)
}

/// One pair of bodies for each two materials, and for each material of which there are two bodies.
fn pairs(scene: &Scene) -> Vec<[usize; 2]> {
    // The first body of each material, and the second.
    let mut kinds: Vec<(usize, Option<usize>)> = Vec::new();
    for (number, body) in scene.bodies.iter().enumerate() {
        match kinds.iter_mut().find(|(first, _)| scene.bodies[*first].material == body.material) {
            Some((_, second)) => *second = second.or(Some(number)),
            None => kinds.push((number, None)),
        }
    }
    let alike = kinds.iter().filter_map(|&(first, second)| Some([first, second?]));
    let firsts = || kinds.iter().map(|&(first, _)| first);
    let different = firsts().enumerate().flat_map(|(n, a)| firsts().skip(n + 1).map(move |b| [a, b]));
    different.chain(alike).collect()
}

/// Steps a frame of two bodies that touch; none where no step is short enough.
fn steps_of(scene: &Scene, bodies: [&Body; 2]) -> Option<u64> {
    let spacing = scene.particle_spacing;
    let height = |body: &Body| if is_sheet(body) { 1.0 } else { EDGE } * spacing / 2.0;
    let piece = |body: &Body, z: f64| Body {
        shape: if is_sheet(body) {
            Shape::Mesh { path: SHEET.into() }
        } else {
            Shape::Box { size: [EDGE * spacing; 3] }
        },
        transform: Transform { translation: [0.0, 0.0, z], ..Transform::default() },
        velocity: [0.0; 3],
        angular_velocity: [0.0; 3],
        pins: Vec::new(),
        ..body.clone()
    };
    let [lower, upper] = bodies;
    let pair = Scene {
        bodies: vec![piece(lower, -height(lower)), piece(upper, height(upper))],
        colliders: Vec::new(),
        heaters: Vec::new(),
        tools: Vec::new(),
        settle: false,
        ..scene.clone()
    };
    Some(Simulation::new(&pair, &square(EDGE * spacing)).ok()?.estimate().steps_per_frame)
}

fn is_sheet(body: &Body) -> bool {
    matches!(body.material, Material::Oriented(_))
}

fn square(side: f64) -> MeshLibrary {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let positions = corners.map(|[x, y]| DVec3::new(x, y, 0.0) * (side / 2.0)).into();
    MeshLibrary::from([(SHEET.into(), TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] })])
}
