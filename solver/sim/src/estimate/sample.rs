//! The cost of a scene, estimated before its bodies are filled.

use crate::cost::Estimate;
use crate::material::{is_on_grid, model};
use crate::setup::{Outline, place_colliders};
use crate::{MeshLibrary, SetupError, Simulation, SmoothingKernel, lattice};
use dollop_scene::{Body, Scene, Shape, Transform};

/// Edge of the cube that stands for a scene in [`estimate`], in spacings.
const SAMPLE: f64 = 16.0;

/// The cost of baking a scene, by the volume of its bodies; for scenes too large to be filled just for that. The time
/// steps and the memory of a particle are those of a small cube of the stiffest matter at the highest speed.
///
/// # Errors
/// When a collider's mesh is open, its scale changes unevenly, or no time step is short enough.
pub fn estimate(scene: &Scene, meshes: &MeshLibrary, outlines: &[Outline]) -> Result<Estimate, SetupError> {
    let kernel = SmoothingKernel::of(scene);
    place_colliders(scene, meshes, &kernel)?;
    let sample = Simulation::new(&sample(scene, outlines), meshes)?.estimate();
    let counts: Vec<usize> = outlines.iter().map(|outline| outline.particles.round() as usize).collect();
    let total: f64 = outlines.iter().map(|outline| outline.particles).sum();
    let support = kernel.support();
    let distances = lattice::distances(&kernel, scene.particle_spacing);
    let near = distances.into_iter().filter(|&distance| distance < support).count();
    Ok(Estimate {
        particles: counts,
        neighbours: if is_on_grid(scene) { 0.0 } else { near as f64 },
        memory: (total * sample.memory as f64 / sample.particles[0] as f64) as usize,
        steps_per_frame: sample.steps_per_frame,
        limit: None,
        meeting: None,
        warnings: Vec::new(),
    })
}

/// A scene of one small cube.
fn sample(scene: &Scene, outlines: &[Outline]) -> Scene {
    let signal_speed = |body: &Body| {
        let law = model(&body.material).law(scene.particle_spacing, &scene.ambient).solid;
        f64::from(law.signal_speed(law.modulus)).max(model(&body.material).stiffness().sqrt())
    };
    // Matter on a grid asks for few steps.
    let is_on_grid = |body: &Body| model(&body.material).moves_on_grid();
    let stiffer =
        |a: &&Body, b: &&Body| is_on_grid(b).cmp(&is_on_grid(a)).then(signal_speed(a).total_cmp(&signal_speed(b)));
    let stiffest = scene.bodies.iter().max_by(stiffer);
    let speed = scene.bodies.iter().zip(outlines).map(|(body, outline)| outline.fastest(body)).fold(0.0, f64::max);
    let cube = stiffest.map(|body| Body {
        shape: Shape::Box { size: [SAMPLE * scene.particle_spacing; 3] },
        transform: Transform::default(),
        velocity: [speed, 0.0, 0.0],
        angular_velocity: [0.0; 3],
        // Pins hold vertices of the body's own mesh.
        pins: Vec::new(),
        ..body.clone()
    });
    Scene { bodies: cube.into_iter().collect(), colliders: Vec::new(), ..scene.clone() }
}
