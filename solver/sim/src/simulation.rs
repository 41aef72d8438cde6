//! A simulation: the matter of a scene, advanced frame by frame.

mod measure;
mod state;
mod steps;
mod told;

pub use state::{State, StateFault};

use crate::boundary::Boundary;
use crate::cost::{Estimate, Limit};
use crate::frame::Reaction;
use crate::integrator::{Halt, Integrator, Interrupted, Rest, Settling, SimulationError, Stepped, Stepping};
use crate::material::oriented::{face, weave, woven_normals};
use crate::material::soft::{SoftBodies, SoftParticle};
use crate::material::{MatterSolver, is_on_grid, model};
use crate::particles::{Particles, Stress};
use crate::pins::Pins;
use crate::reshape::Sheets;
use crate::setup::{Filled, fill, of_matter, with_masses};
use crate::stages::{self, Stage};
use crate::timeline::{TICKS, Timeline, seconds};
use crate::{Field, FrameStats, MeshLibrary, SetupError, SmoothingKernel};
use dollop_scene::{Body, Scene};
use glam::{DVec3, Vec3};

/// The matter of a scene at a frame boundary.
#[derive(Debug)]
pub struct Simulation {
    particles: Particles,
    integrator: Integrator,
    kernel: SmoothingKernel,
    spacing: f64,
    /// Length of a frame, s.
    interval: f64,
    first_frame: i32,
    /// Frames since the first.
    elapsed: u32,
    /// Whether the matter still has to settle.
    to_settle: bool,
    names: Vec<String>,
    /// Colour of each body, linear red, green and blue.
    colors: Vec<Vec3>,
    /// Whether each body keeps apart from all other matter.
    apart: Vec<bool>,
    /// Volume of a particle of each body at rest, m^3.
    volumes: Vec<f32>,
    sheets: Sheets,
    soft: SoftBodies,
    stages: Vec<Box<dyn Stage>>,
    counts: Vec<usize>,
    warnings: Vec<String>,
    /// The fields of a frame without matter, where all of it may be removed.
    fields: Vec<Field>,
    stats: FrameStats,
    reactions: Vec<Reaction>,
    /// Estimated at the start.
    steps_per_frame: u64,
    limit: Option<Limit>,
}

impl Simulation {
    /// Fills the bodies and places the colliders; nothing has settled yet.
    ///
    /// # Errors
    /// When a mesh is empty or open, a body holds no particle, or a placement makes no sense.
    pub fn new(scene: &Scene, meshes: &MeshLibrary) -> Result<Self, SetupError> {
        let (boundary, filled) = fill(scene, meshes)?;
        let mut simulation = Self::of(scene, meshes, boundary, filled)?;
        simulation.find_steps()?;
        simulation.warn(scene);
        simulation.measure();
        Ok(simulation)
    }

    /// The simulation of a filled scene; its steps are [still to be found](Self::find_steps).
    ///
    /// # Errors
    /// When a pin, a tool or a heater makes no sense.
    pub(crate) fn of(
        scene: &Scene,
        meshes: &MeshLibrary,
        boundary: Boundary,
        mut filled: Filled,
    ) -> Result<Self, SetupError> {
        let spacing = scene.particle_spacing;
        let kernel = SmoothingKernel::of(scene);
        let smoothing_length = kernel.smoothing_length();
        let scene = &with_masses(scene, &filled.mass_ratios);
        let solver = MatterSolver::new(scene, kernel);
        let sheets = Sheets::new(scene, &kernel);
        add_columns(&mut filled.particles, scene, &solver, &sheets);
        let pins = Pins::new(scene, &filled.particles, &filled.pinned)?;
        let (gravity, interval) = (DVec3::from(scene.gravity), 1.0 / scene.frames.rate);
        let rest = scene.sleep.then(|| Rest::new(spacing, gravity, interval));
        let soft = SoftBodies::new(scene, kernel.support());
        soft.begin(&mut filled.particles);
        let stages = stages::all(scene, meshes, &kernel, &solver, &soft)?;
        if stages.iter().any(|stage| stage.removes()) {
            filled.particles.keep_ids();
        }
        if stages.iter().any(|stage| stage.adds()) {
            filled.particles.keep_births();
        }
        let mut simulation = Self {
            particles: filled.particles,
            integrator: Integrator::new(solver, boundary, gravity, smoothing_length, interval, rest),
            kernel,
            spacing,
            interval,
            first_frame: scene.frames.start,
            elapsed: 0,
            to_settle: scene.settle && !is_on_grid(scene),
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            apart: scene.bodies.iter().map(|body| keeps_apart(scene, body)).collect(),
            volumes: scene.bodies.iter().map(|body| model(&body.material).particle_volume(spacing) as f32).collect(),
            colors: scene.bodies.iter().map(|body| DVec3::from(body.color).as_vec3()).collect(),
            sheets,
            soft,
            stages,
            counts: filled.counts,
            warnings: filled.warnings,
            fields: Vec::new(),
            stats: FrameStats::default(),
            reactions: Vec::new(),
            steps_per_frame: 0,
            limit: None,
        };
        simulation.integrator.pins = pins;
        simulation.run_stages(0.0, 0.0, |stage, world| stage.fill(world));
        simulation.run_stages(0.0, 0.0, |stage, world| stage.begin(world));
        if simulation.stages.iter().any(|stage| stage.removes()) {
            simulation.fields = simulation.fields().iter().map(Field::without_data).collect();
        }
        Ok(simulation)
    }

    /// Finds the steps of the frame that begins, and their cause. If the matter has yet to [settle](Self::settle), no
    /// density counts as above that at rest. After the first frame the state stays as it was.
    ///
    /// # Errors
    /// When no step is short enough.
    pub fn find_steps(&mut self) -> Result<(), SimulationError> {
        // An evaluation rounds stresses, and a resumed bake must not take one more than a bake without a cut.
        let state = (self.elapsed > 0).then(|| self.state());
        let found = self.find_first_steps();
        if let Some(state) = state {
            self.take_state(state);
        }
        found
    }

    fn find_first_steps(&mut self) -> Result<(), SimulationError> {
        self.integrator.solver.take_for_settled(self.to_settle);
        let started = self.start_part(self.time());
        let limit = started.is_ok().then(|| self.integrator.limit(&self.particles)).flatten();
        self.integrator.solver.take_for_settled(false);
        started?;
        (self.steps_per_frame, self.limit) = (u64::from(TICKS / self.integrator.next_tick(0)), limit);
        if self.to_settle {
            self.evaluate_at_start();
        }
        Ok(())
    }

    /// Warns of settings that have no effect.
    fn warn(&mut self, scene: &Scene) {
        let Self { particles, integrator, sheets, .. } = &*self;
        let found = of_matter(scene, particles, integrator, &sheets.bodies);
        self.warnings.extend(found);
    }

    /// Lets matter come to rest with itself, once before the first frame, if the scene asks for it (`settle`). A bake
    /// calls this after it has filled the bodies. `tell` is called before every step.
    ///
    /// # Errors
    /// When forces grow without bound.
    pub fn settle(&mut self, mut tell: impl FnMut(Settling)) -> Result<(), SimulationError> {
        if !std::mem::take(&mut self.to_settle) {
            return Ok(());
        }
        self.integrator.settle(&mut self.particles, self.spacing, &mut tell);
        let start = self.time();
        self.run_stages(start, start, |stage, world| stage.begin(world));
        self.check_places()?;
        self.evaluate_at_start();
        self.measure();
        Ok(())
    }

    /// Number of the frame at which the matter stands.
    pub fn frame_number(&self) -> i32 {
        self.first_frame + self.elapsed as i32
    }

    /// The cost of the last frame, and the state of the matter.
    pub fn stats(&self) -> FrameStats {
        self.stats
    }

    /// Remarks for the user after the last frame, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        self.stages.iter().flat_map(|stage| stage.remarks(&self.particles, &self.sheets)).collect()
    }

    /// Advances by one frame, from the settled matter or, if it had no time to settle, from the placed matter.
    ///
    /// # Errors
    /// When the matter moves so fast that no time step is short enough.
    pub fn advance(&mut self) -> Result<(), SimulationError> {
        match self.advance_while(&mut |_| Ok(())) {
            Err(Halt::Failed(error)) => Err(error),
            Ok(()) | Err(Halt::Interrupted(_)) => Ok(()),
        }
    }

    /// The same; `tell` gets the finished part of the frame, from 0 to 1, at each step, and may interrupt.
    ///
    /// # Errors
    /// When the matter moves so fast that no time step is short enough, or `tell` interrupts. The matter is
    /// then within a frame, and only an earlier [state](State) can go on.
    pub fn advance_while(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt> {
        self.to_settle = false;
        let start = self.time();
        self.run_stages(start, start, |stage, world| stage.begin_frame(world));
        let (mut tick, mut stepped, mut drift) = (0, Stepped::default(), 0.0);
        // Drops the impulses of settling.
        self.integrator.take_impulses();
        while tick < TICKS {
            let from = start + seconds(tick, self.interval);
            let halvings = self.halvings(tick, from);
            let ticks = Timeline::HALVES.ticks(halvings);
            let [first, share] = [tick, ticks].map(|ticks| f64::from(ticks) / f64::from(TICKS));
            let mut tell = |part: f64| tell(first + share * part);
            let (part, gained) = self.advance_part(from, seconds(ticks, self.interval), &mut tell)?;
            stepped.add(&part, halvings);
            drift += gained;
            tick += ticks;
        }
        let impulses = self.integrator.take_impulses();
        self.reactions = self.reactions_by(&impulses, start + self.interval / 2.0);
        self.elapsed += 1;
        let count = self.particles.len();
        self.run_stages(start, self.time(), |stage, world| stage.end_frame(world));
        debug_assert_eq!(self.particles.len(), count, "particles are born and removed only as frames or parts begin");
        self.stats = FrameStats { energy_drift: drift, ..Self::stats_of(&stepped) };
        self.measure();
        self.check_places()?;
        Ok(())
    }

    /// Seconds from the first frame to the one at which the matter stands.
    fn time(&self) -> f64 {
        f64::from(self.elapsed) * self.interval
    }

    /// Sets how particles share the steps of a frame, for comparisons.
    pub fn set_stepping(&mut self, stepping: Stepping) {
        self.integrator.stepping = stepping;
    }

    /// Sets positions, m, and velocities, m/s, by particle number before the first frame, where a scene cannot; for
    /// comparison with other programs.
    pub fn place(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        let particles = &mut self.particles;
        particles.positions = particles.numbers.iter().map(|&number| positions[number as usize]).collect();
        particles.velocities = particles.numbers.iter().map(|&number| velocities[number as usize]).collect();
        self.to_settle = false;
        self.evaluate_at_start();
        self.measure();
    }

    /// The cost of the bake.
    pub fn estimate(&self) -> Estimate {
        // The state at a frame's start is kept until its end, and may meanwhile become the bytes of a checkpoint.
        let state = self.particles.bytes_per_particle();
        // Positions, velocities, positions at rest, colours; volume, source, density, pressure, temperature, age.
        let frame = 4 * size_of::<Vec3>() + 6 * size_of::<f32>();
        // Displacement to a wall; piece, lump, fused, offset and the displacement in a frame; the data for the skin at
        // a frame's end.
        let of_soft = size_of::<DVec3>() + 4 * size_of::<f32>() + size_of::<Vec3>() + size_of::<SoftParticle>();
        let of_soft = if self.soft.is_empty() { 0 } else { of_soft };
        let of_stages = self.stages.iter().map(|stage| stage.memory(self.particles.len())).sum::<usize>();
        Estimate {
            particles: self.counts.clone(),
            neighbours: self.stats.neighbours,
            memory: self.particles.len() * (3 * state + of_soft + frame) + self.integrator.memory() + of_stages,
            steps_per_frame: self.steps_per_frame,
            limit: self.limit,
            meeting: None,
            warnings: self.warnings.clone(),
        }
    }

    /// Sets the number of elapsed frames.
    #[cfg(test)]
    pub(crate) fn set_elapsed(&mut self, elapsed: u32) {
        self.elapsed = elapsed;
    }

    /// Takes over the state of another simulation at a frame's end, in another order of particles.
    #[cfg(test)]
    pub(crate) fn take_over(&mut self, other: &Self) {
        self.resume(other.state(), other.frame_number()).expect("a state of the same scene");
        self.particles.reorder_columns(&(0..self.particles.len() as u32).rev().collect::<Vec<_>>());
    }

    #[cfg(test)]
    pub(crate) fn sheets_and_particles(&mut self) -> (&Sheets, &mut Particles) {
        (&self.sheets, &mut self.particles)
    }

    /// Adds a stage that removes particles or adds new ones, after all others.
    #[cfg(test)]
    pub(crate) fn add_stage(&mut self, stage: impl Stage + 'static) {
        self.particles.keep_ids();
        self.particles.keep_births();
        self.stages.push(Box::new(stage));
    }

    #[cfg(test)]
    pub(crate) fn parts(&mut self) -> (&mut Integrator, &mut Particles) {
        (&mut self.integrator, &mut self.particles)
    }
}

/// Whether a body has a surface of its own: what melts blends with what it touches.
fn keeps_apart(scene: &Scene, body: &Body) -> bool {
    let fluid = model(&body.material).fluid_on_grid(scene.heat.as_ref().map(|_| &body.heat));
    fluid.is_some_and(|fluid| fluid.is_apart && fluid.molten.is_none())
}

/// Adds the columns that matter of some models needs, besides those of soft matter and of stages.
fn add_columns(particles: &mut Particles, scene: &Scene, solver: &MatterSolver, sheets: &Sheets) {
    if solver.has_strength() {
        particles.stresses = vec![Stress::default(); particles.len()];
    }
    particles.ties = weave(scene, particles);
    face(particles, scene.particle_spacing);
    particles.rest_normals = woven_normals(particles);
    if particles.sources.iter().any(|&source| sheets.grows(source)) {
        particles.shares = vec![1.0; particles.len()];
        particles.keep_births();
    }
}
