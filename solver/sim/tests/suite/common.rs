//! Scenes and numbers that the tests share.

use dollop_scene::{Dimensions, Material, Scene, Smoothed};
use dollop_sim::boundary::{Wall, WallColumn};
use dollop_sim::material::oriented::Facing;
use dollop_sim::material::pressure::{Density, PressureForces};
use dollop_sim::material::smoothed::SmoothedSolver;
use dollop_sim::material::strength::Shear;
use dollop_sim::material::{Force, Matter, Now, PairSolver, Present, Surroundings};
use dollop_sim::neighbours::{Active, BATCH, Neighbours};
use dollop_sim::{Frame, MeshLibrary, Simulation};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// A small generator of random numbers (Knuth's linear congruential one).
pub struct Random(u64);

impl Random {
    /// A generator that gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from -1 to 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A point in the cube from -size to size.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number()) * size
    }
}

/// Lets this thread do its work alone: the tests already run side by side, and threads that wait for each other cost a
/// third of the tests' time.
fn stay_on_this_thread() {
    if rayon::current_thread_index().is_none() {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
        // The pool has to last as long as the thread.
        std::mem::forget(alone.build().unwrap());
    }
}

/// A scene of bodies and colliders, at 24 frames a second.
pub fn scene(spacing: f64, bodies: Value, colliders: Value) -> Scene {
    stay_on_this_thread();
    serde_json::from_value(json!({
        "version": 1,
        "frames": {"start": 1, "end": 100, "rate": 24.0},
        "particle_spacing": spacing,
        "bodies": bodies,
        "colliders": colliders,
    }))
    .unwrap()
}

/// The scene without gravity.
pub fn weightless(mut scene: Scene) -> Scene {
    scene.gravity = [0.0; 3];
    scene
}

/// The scene in the plane y = 0.
pub fn flat(mut scene: Scene) -> Scene {
    scene.discretization.dimensions = Dimensions::Two;
    scene
}

/// The material of a body of smoothed particles.
pub fn smoothed(scene: &mut Scene, body: usize) -> &mut Smoothed {
    match &mut scene.bodies[body].material {
        Material::Smoothed(material) => material,
        other => panic!("{other:?}"),
    }
}

/// A placement by translation alone.
pub fn at(x: f64, y: f64, z: f64) -> Value {
    json!({"translation": [x, y, z]})
}

/// An object with more fields, or others in place of its own.
pub fn with(mut object: Value, more: &Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

/// `continuum` matter of a density, kg/m^3, with more settings.
pub fn continuum(density: f64, settings: Value) -> Value {
    with(json!({"type": "continuum", "rest_density": density}), &settings)
}

/// Whipped cream, as the preset.
pub fn whipped_cream() -> Value {
    continuum(450.0, json!({"viscosity": 1.0, "yield_stress": 250.0, "consistency": 20.0, "flow_index": 0.5}))
}

/// A placement that is turned as well.
pub fn turned_at(place: DVec3, turn: DQuat) -> Value {
    json!({"translation": place.to_array(), "rotation": [turn.w, turn.x, turn.y, turn.z]})
}

/// A plane at z = 0 with a friction coefficient.
pub fn floor(friction: f64) -> Value {
    json!({"name": "floor", "shape": {"type": "plane"}, "friction": friction})
}

/// A simulation of a scene without meshes, settled as in a bake.
pub fn simulate(scene: &Scene) -> Simulation {
    simulate_with(scene, &MeshLibrary::new())
}

/// A simulation of a scene with meshes, settled as in a bake.
pub fn simulate_with(scene: &Scene, meshes: &MeshLibrary) -> Simulation {
    let mut simulation = Simulation::new(scene, meshes).unwrap();
    simulation.settle(|_| ()).unwrap();
    simulation
}

/// The simulation some frames later.
pub fn advanced(mut simulation: Simulation, frames: usize) -> Simulation {
    for _ in 0..frames {
        simulation.advance().unwrap();
    }
    simulation
}

/// Asserts that a simulation has the same bits for any number of threads, again, and where it was cut and resumed.
pub fn assert_same_bits(start: fn() -> Simulation, frames: usize, what: &str) {
    let whole = with_any_threads(|| advanced(start(), frames).frame());
    assert!(is_same(&whole, &advanced(start(), frames).frame()));
    let mut simulation = start();
    for _ in 0..4 {
        advance_and_resume(&mut simulation, start, what);
    }
}

/// The value below which a part of all values lies.
pub fn quantile(values: impl Iterator<Item = f64>, part: f64) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[((sorted.len() - 1) as f64 * part) as usize]
}

/// How far most matter has spread from the middle, m.
pub fn spread(frame: &Frame) -> f64 {
    quantile(frame.positions.iter().map(|p| f64::from(p.x.abs().max(p.y.abs()))), 0.95)
}

/// Volume of all matter at rest, m^3.
pub fn volume(frame: &Frame) -> f64 {
    frame.rest_volumes.iter().map(|&volume| f64::from(volume)).sum()
}

/// Whether two frames have the same bits.
pub fn is_same(a: &Frame, b: &Frame) -> bool {
    (&a.ids, &a.positions, &a.velocities) == (&b.ids, &b.positions, &b.velocities)
        && (&a.fields, &a.reactions, &a.stats, &a.fused_bodies) == (&b.fields, &b.reactions, &b.stats, &b.fused_bodies)
}

/// Advances by a frame, and checks that a simulation that starts anew and resumes before it comes to the same bits.
pub fn advance_and_resume(whole: &mut Simulation, start: impl Fn() -> Simulation, what: &str) {
    let (state, number) = (whole.state(), whole.frame().number);
    whole.advance().unwrap();
    let mut resumed = start();
    resumed.resume(state, number).unwrap();
    resumed.find_steps().unwrap();
    resumed.advance().unwrap();
    assert!(is_same(&resumed.frame(), &whole.frame()), "{what}, after frame {number}");
    let told = |simulation: &Simulation| format!("{:?}", simulation.state());
    assert!(told(&resumed) == told(whole), "{what}, after frame {number}");
}

/// The result of a run, which is checked to be the same with any number of threads.
pub fn with_any_threads(run: impl Fn() -> Frame + Sync) -> Frame {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&run)
    };
    let (one, three) = (with(1), with(3));
    assert_eq!(one.positions, three.positions);
    assert_eq!(one.velocities, three.velocities);
    assert_eq!(one.scalar("pressure"), three.scalar("pressure"));
    assert_eq!(one.stats, three.stats);
    one
}

/// Mean of the positions, m.
pub fn centre(frame: &Frame) -> DVec3 {
    frame.positions.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / frame.len() as f64
}

/// Root of the mean square distance of particles between two frames, m.
pub fn apart(a: &Frame, b: &Frame) -> f64 {
    let squares = a.positions.iter().zip(&b.positions).map(|(a, b)| f64::from(a.distance_squared(*b)));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

/// Mean of the velocities, m/s.
pub fn drift(frame: &Frame) -> DVec3 {
    frame.velocities.iter().map(|v| v.as_dvec3()).sum::<DVec3>() / frame.len() as f64
}

/// Pressure reported within 5 cm of a height, and the weight above over the area of a tank, both in Pa and as means
/// over the particles there, of bodies with these rest densities.
pub fn pressure_and_weight(frame: &Frame, densities: &[f64], area: f64, height: f64) -> (f64, f64) {
    let weight = |i: usize| densities[frame.sources[i] as usize] * frame.spacing.powi(3) * 9.81 / area;
    let z = |i: usize| f64::from(frame.positions[i].z);
    let pressure = frame.scalar("pressure").unwrap();
    let within: Vec<usize> = (0..frame.len()).filter(|&i| (z(i) - height).abs() < 0.05).collect();
    let above = |i: usize| (0..frame.len()).filter(|&j| z(j) > z(i)).map(weight).sum::<f64>() + weight(i) / 2.0;
    let mean = |value: &dyn Fn(usize) -> f64| within.iter().map(|&i| value(i)).sum::<f64>() / within.len() as f64;
    (mean(&|i| f64::from(pressure[i])), mean(&above))
}

/// Seconds of a swing, by the times at which a value rises through its mean over the whole.
pub fn period(values: &[f64], interval: f64) -> f64 {
    let middle = values.iter().sum::<f64>() / values.len() as f64;
    let rises = values.windows(2).enumerate().filter(|(_, two)| two[0] < middle && two[1] >= middle);
    let times: Vec<f64> = rises.map(|(n, two)| n as f64 + (middle - two[0]) / (two[1] - two[0])).collect();
    (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64 * interval
}

/// Points of the close-packed lattice around the origin, up to `span` half edges along each axis.
pub fn close_packed(span: i32, half_edge: f64) -> Vec<DVec3> {
    let along = || -span..=span;
    let places = along().flat_map(|x| along().flat_map(move |y| along().map(move |z| (x, y, z))));
    let points = places.filter(|&(x, y, z)| (x + y + z) % 2 == 0);
    points.map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * half_edge).collect()
}

/// Acceleration of gravity, m/s^2.
pub const GRAVITY: f64 = 9.81;

/// The angle of slopes, rad.
const SLOPE: f64 = 0.4;

/// The scene on a slope instead of level ground: gravity is turned instead of the ground.
pub fn on_slope(mut scene: Scene) -> Scene {
    scene.gravity = [GRAVITY * SLOPE.sin(), 0.0, -GRAVITY * SLOPE.cos()];
    scene
}

/// Checks how a block slides down a slope; `block` makes the block on that slope with some friction.
pub fn check_sliding(block: impl Fn(f64) -> Scene) {
    let (along, onto) = (GRAVITY * SLOPE.sin(), GRAVITY * SLOPE.cos());
    // Acceleration over the second quarter of a second.
    let sliding = |friction: f64| {
        let early = advanced(simulate(&block(friction)), 6);
        let before = drift(&early.frame());
        (drift(&advanced(early, 6).frame()) - before).x / 0.25
    };
    let [free, rough] = [0.0, 0.2].map(sliding);
    println!("slope: {free:.4} of {along:.4} m/s^2 without friction, {rough:.4} at 0.2");
    assert!((free / along - 1.0).abs() < 0.005, "{free}");
    assert!((rough - (along - 0.2 * onto)).abs() < 0.05 * along, "{rough} instead of {}", along - 0.2 * onto);
}

/// Densities and accelerations of particles with their velocities, bodies and walls, without gravity.
pub fn evaluate(
    pressure: &PressureForces,
    positions: &[DVec3],
    velocities: &[DVec3],
    sources: &[u32],
    walls: &[Wall],
) -> (Vec<Density>, Vec<DVec3>) {
    let numbers: Vec<u32> = (0..positions.len() as u32).collect();
    let mut neighbours = Neighbours::new(pressure.support());
    neighbours.sort(|slot| positions[slot], &numbers);
    let mut all = Active::default();
    all.choose_all(positions.len());
    neighbours.prepare(&all);
    let order: Vec<usize> = neighbours.order().iter().map(|&old| old as usize).collect();
    let mut densities = vec![Density::default(); positions.len()];
    let (sources, walls) = (sorted(sources, &order), WallColumn::new(&sorted(walls, &order)));
    let now = |slot: usize| Now {
        position: positions[order[slot]],
        velocity: velocities[order[slot]],
        density: None,
        tag: 0,
    };
    let matter = Matter {
        numbers: &[],
        sources: &sources,
        walls: &walls,
        melted: &[],
        temperatures: &[],
        welds: &[],
        ties: &[],
        shares: &[],
        memberships: &[],
        surfaces: &[],
    };
    let mut solver = SmoothedSolver::new(pressure);
    let present = Present { now: &now, facing: &|_| Facing::default(), shear: &|_| Shear::default() };
    solver.take(pressure, &mut neighbours, &all.batches().collect::<Vec<_>>(), &matter, present);
    solver.find_densities(pressure, &neighbours, &all, &matter, &mut densities);
    let surroundings = Surroundings { pressure, neighbours: &neighbours, matter: &matter, masses: None };
    let batches = all.slots().chunks(BATCH);
    let of_batch = |slots: &[u32]| {
        let mut forces = [Force::default(); BATCH];
        solver.add(&surroundings, slots, &densities, &[], &mut forces);
        forces.into_iter().take(slots.len())
    };
    let forces: Vec<Force> = batches.flat_map(of_batch).collect();
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(slot, &number)| back[number] = slot);
    let accelerations = back.iter().map(|&slot| forces[slot].acceleration(DVec3::ZERO)).collect();
    (sorted(&densities, &back), accelerations)
}

fn sorted<T: Copy>(column: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|&old| column[old]).collect()
}
