//! A simulation: the matter of a scene, advanced frame by frame.

mod halt;
mod state;

pub use halt::{Halt, Interrupted};
pub use state::{State, StateFault};

use crate::boundary::Boundary;
use crate::frame::field::{
    AGE, COLOR, DENSITY, FUSED, LUMP, NORMAL, OFFSET, PIECE, PRESSURE, REST_NORMAL, REST_POSITION, SHEET, TEMPERATURE,
    WALL,
};
use crate::heat::{HeatSolver, weld};
use crate::integrator::{Contacts, Integrator, Rest, Settling, Stepped, Stepping};
use crate::limit::{Limit, Meeting};
use crate::material::oriented::{face, pieces, seams, told_normals, weave, woven_normals};
use crate::material::smoothed::Law;
use crate::material::soft::{Coat, SoftBodies};
use crate::material::{MatterSolver, model};
use crate::particles::{Density, Kinship, Particles, Stress, share};
use crate::pins::{PinTitle, Pins};
use crate::reshape::Sheets;
use crate::setup::{Filled, SetupError, fill, of_matter, with_masses};
use crate::stages::{self, Origins, Stage, World};
use crate::timeline::{TICKS, Timeline, seconds};
use crate::tools::tools;
use crate::{Field, FieldData, Frame, FrameStats, HeatStats, MeshLibrary, SmoothingKernel};
use dollop_scene::{JsonPath, Scene};
use glam::{DVec3, Vec3};

/// The matter of a scene at a frame boundary.
#[derive(Debug)]
pub struct Simulation {
    particles: Particles,
    integrator: Integrator,
    kernel: SmoothingKernel,
    spacing: f64,
    /// Seconds of a frame.
    interval: f64,
    first_frame: i32,
    /// Frames since the first.
    elapsed: u32,
    /// Whether the matter has still to settle.
    to_settle: bool,
    names: Vec<String>,
    /// Colour of each body, linear red, green and blue.
    colors: Vec<Vec3>,
    /// Volume of a particle of each body at rest, m^3.
    volumes: Vec<f32>,
    origins: Origins,
    sheets: Sheets,
    soft: SoftBodies,
    stages: Vec<Box<dyn Stage>>,
    counts: Vec<usize>,
    warnings: Vec<String>,
    stats: FrameStats,
    /// As estimated at the start.
    steps_per_frame: u64,
    limit: Option<Limit>,
}

/// What a bake will take.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Particles of each body, in scene order.
    pub particles: Vec<usize>,
    /// Mean number of neighbours at the start.
    pub neighbours: f64,
    /// Memory of the simulation, bytes.
    pub memory: usize,
    /// Time steps a frame of the particles that take the shortest, when nothing moves faster than at the start.
    pub steps_per_frame: u64,
    /// What asks for these; none where that was not looked at.
    pub limit: Option<Limit>,
    /// Those two bodies that ask for the shortest steps once they have [met](crate::meeting), where these are shorter.
    pub meeting: Option<Meeting>,
    /// Warnings for the user: one sentence each, saying what to do.
    pub warnings: Vec<String>,
}

/// Matter that no time step is short enough for.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct SimulationError {
    /// Number of the particle that needs the shortest step.
    pub particle: usize,
    /// Its body.
    pub source_body: u32,
    /// Its speed, m/s; infinite when it is not a number.
    pub speed: f64,
    /// Its position, m.
    pub position: DVec3,
    /// Speed of the collider that asks for that step, m/s; zero where something else does.
    pub wall_speed: f64,
    /// The pin that asks for that step, and how fast it moves, m/s.
    pub pin: Option<(PinTitle, f64)>,
    /// The step that would be short enough, s.
    pub step: f64,
}

impl SimulationError {
    fn is_for_a_collider(&self) -> bool {
        self.wall_speed > self.speed
    }

    /// What in the scene is to blame.
    pub(crate) fn place(&self) -> JsonPath {
        match &self.pin {
            Some((pin, _)) => pin.path.key("motion"),
            None if self.is_for_a_collider() => JsonPath::default().key("colliders"),
            None => JsonPath::default().key("bodies"),
        }
    }

    fn sentence(&self) -> String {
        let Self { particle, source_body, step, .. } = self;
        if !step.is_nan() {
            return format!("the matter needs steps of {step:.1e} s, shorter than the shortest; {}", self.cause());
        }
        format!(
            "the matter flew apart: particle {particle} of body {source_body} has no place any more; lower the stiffness, the viscosity or the \
             friction of what touches it, or use a larger particle_spacing"
        )
    }

    fn cause(&self) -> String {
        let Self { particle, source_body, speed, position: DVec3 { x, y, z }, wall_speed, pin, .. } = self;
        if let Some((PinTitle { name, .. }, speed)) = pin {
            return format!("the pin {name} moves at {speed:.3e} m/s; give its motion more frames");
        }
        if self.is_for_a_collider() {
            return format!("a collider moves by it at {wall_speed:.3e} m/s; give its motion more frames");
        }
        format!(
            "particle {particle} of body {source_body} asks for them, which moves at {speed:.3e} m/s at ({x:.3}, {y:.3}, \
             {z:.3}); lower the velocities, the gravity, the stiffness or the viscosity, or use a larger particle_spacing"
        )
    }
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

    /// The simulation of what a scene was filled with; its steps are [still to be found](Self::find_steps).
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
        let masses = (0..scene.bodies.len() as u32).map(|body| solver.mass(body)).collect();
        if solver.has_strength() {
            filled.particles.stresses = vec![Stress::default(); filled.particles.len()];
        }
        filled.particles.ties = weave(scene, &filled.particles);
        face(&mut filled.particles, spacing);
        let pins = Pins::new(scene, &filled.particles, &filled.pinned)?;
        let heat = HeatSolver::new(scene, meshes, &kernel, masses)?;
        let (gravity, interval) = (DVec3::from(scene.gravity), 1.0 / scene.frames.rate);
        let rest = scene.sleep.then(|| Rest::new(spacing, gravity, interval));
        let origins = Origins {
            positions: filled.particles.positions.iter().map(|p| p.as_vec3()).collect(),
            normals: woven_normals(&filled.particles),
            births: Vec::new(),
        };
        let support = kernel.support();
        let mut sheets = Sheets { bodies: solver.sheets(), tools: tools(scene, meshes)?, spacing, support };
        sheets.cut_at_start(&mut filled.particles, interval);
        if filled.particles.sources.iter().any(|&source| sheets.grows(source)) {
            filled.particles.shares = vec![1.0; filled.particles.len()];
        }
        let soft = SoftBodies::new(scene, support);
        soft.begin(&mut filled.particles);
        let mut simulation = Self {
            particles: filled.particles,
            integrator: Integrator::new(solver, boundary, gravity, smoothing_length, interval, rest),
            kernel,
            spacing,
            interval,
            first_frame: scene.frames.start,
            elapsed: 0,
            to_settle: scene.settle,
            names: scene.bodies.iter().map(|body| body.name.clone()).collect(),
            volumes: scene.bodies.iter().map(|body| model(&body.material).particle_volume(spacing) as f32).collect(),
            colors: scene.bodies.iter().map(|body| DVec3::from(body.color).as_vec3()).collect(),
            origins,
            sheets,
            soft,
            stages: stages::all(),
            counts: filled.counts,
            warnings: filled.warnings,
            stats: FrameStats::default(),
            steps_per_frame: 0,
            limit: None,
        };
        simulation.integrator.pins = pins;
        simulation.integrator.contacts = Contacts::new(&simulation.soft.touchings(), spacing);
        simulation.warm(heat);
        simulation.run_stages(0.0, 0.0, |stage, world| stage.begin(world));
        Ok(simulation)
    }

    /// Finds the steps of the frame that begins, and what asks for them; of matter that is yet to [settle](Self::settle), as if no density
    /// were above that at rest.
    ///
    /// # Errors
    /// When no step is short enough.
    pub fn find_steps(&mut self) -> Result<(), SimulationError> {
        self.integrator.solver.take_for_settled(self.to_settle);
        let start = self.time();
        let steps = self.integrator.steps_per_frame(&mut self.particles, start);
        let limit = self.integrator.limit(&self.particles);
        self.integrator.solver.take_for_settled(false);
        (self.steps_per_frame, self.limit) = (steps?, limit);
        if self.to_settle {
            self.integrator.evaluate_at_start(&mut self.particles);
        }
        Ok(())
    }

    /// Warns of what the scene asks for and will not get.
    fn warn(&mut self, scene: &Scene) {
        let Self { particles, integrator, sheets, .. } = &*self;
        let found = of_matter(scene, particles, integrator, &sheets.bodies);
        self.warnings.extend(found);
    }

    /// Gives the matter the heat of its temperatures.
    fn warm(&mut self, heat: Option<HeatSolver>) {
        let particles = &mut self.particles;
        if let Some(heat) = &heat {
            let columns = particles.temperatures.iter().zip(&particles.sources);
            particles.heats = columns.map(|(&t, &source)| heat.substance(source).enthalpy(f64::from(t))).collect();
            let columns = particles.heats.iter().zip(&particles.sources);
            particles.melted =
                columns.map(|(&heat_of, &source)| heat.substance(source).melted(heat_of) as f32).collect();
            particles.welds = particles.melted.iter().map(|&melted| weld(melted)).collect();
        }
        self.integrator.heat = heat;
    }

    /// Lets matter come to rest with itself, once before the first frame, where the scene asks for it (`settle`); what a
    /// bake does after it filled the bodies. `tell` hears before every step.
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
        self.integrator.check_places(&self.particles)?;
        self.integrator.evaluate_at_start(&mut self.particles);
        self.measure();
        Ok(())
    }

    /// Number of the frame at which the matter stands.
    pub fn frame_number(&self) -> i32 {
        self.first_frame + self.elapsed as i32
    }

    /// What the last frame took, and how the matter stands.
    pub fn stats(&self) -> FrameStats {
        self.stats
    }

    /// The matter as it stands.
    pub fn frame(&self) -> Frame {
        let particles = &self.particles;
        let volume =
            |(slot, &source): (usize, &u32)| self.volumes[source as usize] * share(&particles.shares, slot) as f32;
        Frame {
            number: self.frame_number(),
            time: self.time(),
            interval: self.interval,
            spacing: self.spacing,
            kernel: self.kernel.in_space(),
            positions: particles.by_number(particles.positions.iter().map(|p| p.as_vec3())),
            velocities: particles.by_number(particles.velocities.iter().map(|v| v.as_vec3())),
            rest_volumes: particles.by_number(particles.sources.iter().enumerate().map(volume)),
            sources: particles.by_number(particles.sources.iter().copied()),
            source_names: self.names.clone(),
            lasting: self.sheets.lasting(),
            skins: self.soft.skins(),
            seams: seams(particles),
            fields: self.fields(),
            stats: self.stats,
        }
    }

    fn fields(&self) -> Vec<Field> {
        let particles = &self.particles;
        let of = |value: &dyn Fn(&Law, Density) -> f32| {
            let pairs = particles.densities.iter().zip(&particles.sources);
            let values = pairs.map(|(&density, &source)| value(self.integrator.solver.law(source), density));
            FieldData::Scalar(particles.by_number(values))
        };
        let mut fields = vec![
            DENSITY.with(of(&|law, density| law.rest_density * density.total)),
            PRESSURE.with(FieldData::Scalar(particles.by_number(self.integrator.pressures()))),
        ];
        if !particles.temperatures.is_empty() {
            let temperatures = particles.by_number(particles.temperatures.iter().copied());
            fields.push(TEMPERATURE.with(FieldData::Scalar(temperatures)));
        }
        let colors = particles.sources.iter().map(|&source| self.colors[source as usize]);
        fields.push(AGE.with(FieldData::Scalar(self.origins.ages(self.time()))));
        fields.push(REST_POSITION.with(FieldData::Vector(self.origins.positions.clone())));
        fields.push(COLOR.with(FieldData::Vector(particles.by_number(colors))));
        if !particles.orientations.is_empty() {
            let solver = &self.integrator.solver;
            let normal = |(normal, &source): (Vec3, &u32)| if solver.is_sheet(source) { normal } else { Vec3::ZERO };
            let normals = told_normals(particles).into_iter().zip(&particles.sources).map(normal);
            fields.push(NORMAL.with(FieldData::Vector(particles.by_number(normals))));
        }
        if !self.origins.normals.is_empty() {
            fields.push(REST_NORMAL.with(FieldData::Vector(self.origins.normals.clone())));
        }
        if self.sheets.change() {
            let pieces = pieces(particles, |body| self.sheets.changes(body));
            fields.push(SHEET.with(FieldData::Scalar(pieces.into_iter().map(|piece| piece as f32).collect())));
        }
        if !self.soft.is_empty() {
            let told = |value: fn(&Kinship) -> f32| {
                FieldData::Scalar(particles.by_number(particles.kinships.iter().map(value)))
            };
            fields.push(PIECE.with(told(|kinship| Kinship::told(kinship.piece))));
            fields.push(LUMP.with(told(|kinship| Kinship::told(kinship.lump))));
            fields.push(FUSED.with(told(|kinship| f32::from(u8::from(kinship.fused)))));
            fields.push(WALL.with(FieldData::Vector(self.soft.walls().iter().map(|way| way.as_vec3()).collect())));
            let offsets = particles.volumes.iter().map(|volume| volume.offset);
            fields.push(OFFSET.with(FieldData::Scalar(particles.by_number(offsets))));
        }
        fields
    }

    /// What to tell the user when all frames are done, one sentence each.
    pub fn remarks(&self) -> Vec<String> {
        self.stages.iter().flat_map(|stage| stage.remarks(&self.particles, &self.sheets)).collect()
    }

    /// Advances by one frame, from where the matter has settled or, had it no time to, was placed.
    ///
    /// # Errors
    /// When the matter moves so fast that no time step is short enough.
    pub fn advance(&mut self) -> Result<(), SimulationError> {
        match self.advance_while(&mut |_| Ok(())) {
            Err(Halt::Failed(error)) => Err(error),
            Ok(()) | Err(Halt::Interrupted(_)) => Ok(()),
        }
    }

    /// The same, where `tell` hears at each step what part of the frame is done, from 0 to 1, and may interrupt.
    ///
    /// # Errors
    /// When the matter moves so fast that no time step is short enough, or `tell` interrupts. The matter is then within a frame:
    /// nothing but a [state](State) of before can go on.
    pub fn advance_while(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt> {
        self.to_settle = false;
        let start = self.time();
        self.run_stages(start, start, |stage, world| stage.begin_frame(world));
        let (mut tick, mut stepped, mut drift) = (0, Stepped::default(), 0.0);
        while tick < TICKS {
            let halvings = self.sheets.halvings(&self.particles, self.interval, tick);
            let from = start + seconds(tick, self.interval);
            let ticks = Timeline::HALVES.ticks(halvings);
            let [first, share] = [tick, ticks].map(|ticks| f64::from(ticks) / f64::from(TICKS));
            let mut tell = |part: f64| tell(first + share * part);
            let (part, gained) = self.advance_part(from, seconds(ticks, self.interval), &mut tell)?;
            stepped.add(&part, halvings);
            drift += gained;
            tick += ticks;
        }
        self.elapsed += 1;
        self.run_stages(start, self.time(), |stage, world| stage.end_frame(world));
        self.stats = FrameStats { energy_drift: drift, ..self.stats_of(&stepped) };
        self.measure();
        self.integrator.check_places(&self.particles)?;
        Ok(())
    }

    /// Advances by a part of a frame of some seconds from a time on, s. Tells how it was stepped and the energy that it gained by inaccuracy,
    /// J.
    fn advance_part(
        &mut self,
        start: f64,
        seconds: f64,
        tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>,
    ) -> Result<(Stepped, f64), Halt> {
        self.run_stages(self.time(), start, |stage, world| stage.begin_part(world, seconds));
        self.integrator.set_interval(seconds);
        self.integrator.start_frame(&mut self.particles, start)?;
        // As the part's own first evaluation finds it, whatever was before.
        let before = self.potential_energy();
        let stepped = self.integrator.advance(&mut self.particles, start, tell)?;
        let drift = self.potential_energy() - before - stepped.heat.elastic + stepped.account.work;
        Ok((stepped, drift))
    }

    /// Lets all stages act in their order, given when the frame began and what time it is, s.
    fn run_stages(&mut self, began: f64, time: f64, mut act: impl FnMut(&mut dyn Stage, &mut World)) {
        let (interval, number) = (self.interval, self.frame_number());
        let Self { particles, integrator, origins, sheets, soft, .. } = self;
        let mut world = World { particles, integrator, origins, sheets, soft, began, time, interval, number };
        for stage in &mut self.stages {
            act(stage.as_mut(), &mut world);
        }
    }

    /// Seconds from the first frame to the one at which the matter stands.
    fn time(&self) -> f64 {
        f64::from(self.elapsed) * self.interval
    }

    fn stats_of(&self, stepped: &Stepped) -> FrameStats {
        FrameStats {
            steps: stepped.steps,
            force_evaluations: stepped.force_evaluations,
            global_force_evaluations: stepped.global_force_evaluations,
            smallest_step: stepped.smallest_step,
            particles_in_bins: stepped.in_bins,
            momentum_drift: stepped.account.impulse.length(),
            heat: self.integrator.heat.as_ref().map(|_| HeatStats {
                walls: stepped.heat.walls,
                air: stepped.heat.air,
                heaters: stepped.heat.heaters,
                ..HeatStats::default()
            }),
            ..FrameStats::default()
        }
    }

    /// Elastic energy and that of height, J.
    fn potential_energy(&self) -> f64 {
        self.height_energy() + self.integrator.elastic_energy(&self.particles)
    }

    /// Energy of height where gravity acts, J.
    fn height_energy(&self) -> f64 {
        let (particles, gravity) = (&self.particles, self.integrator.gravity);
        let places = particles.positions.iter().enumerate();
        places.map(|(slot, p)| -particles.mass(slot, &self.integrator.solver) * p.dot(gravity)).sum()
    }

    fn measure(&mut self) {
        let particles = &self.particles;
        let solver = &self.integrator.solver;
        let speeds = particles.velocities.iter().map(|v| v.length());
        let moving = speeds.clone().enumerate().map(|(slot, speed)| (speed, particles.mass(slot, solver)));
        let inertia = |slot: usize| share(&particles.shares, slot) * solver.inertia(particles.sources[slot]);
        let turning =
            particles.spins.iter().enumerate().map(|(slot, spin)| 0.5 * inertia(slot) * spin.length_squared());
        self.stats.kinetic_energy =
            moving.clone().map(|(speed, mass)| 0.5 * mass * speed * speed).sum::<f64>() + turning.sum::<f64>();
        self.stats.momentum = moving.map(|(speed, mass)| mass * speed).sum();
        self.stats.elastic_energy = self.integrator.elastic_energy(particles);
        self.stats.max_speed = speeds.fold(0.0, f64::max);
        self.stats.max_compression =
            particles.densities.iter().map(|density| f64::from(density.total) - 1.0).fold(f64::NEG_INFINITY, f64::max);
        let stored = self.integrator.heat.as_ref().map(|heat| heat.stored(particles));
        self.stats.heat = stored.map(|stored| HeatStats { stored, ..self.stats.heat.unwrap_or_default() });
        self.stats.neighbours = solver.mean_neighbours(&self.integrator.neighbours);
    }

    /// Sets how particles share the steps of a frame; to measure one way by another.
    pub fn set_stepping(&mut self, stepping: Stepping) {
        self.integrator.stepping = stepping;
    }

    /// Puts the matter, before its first frame, where a scene cannot: positions, m, and velocities, m/s, by particle number;
    /// to measure beside others.
    pub fn place(&mut self, positions: &[DVec3], velocities: &[DVec3]) {
        let particles = &mut self.particles;
        particles.positions = particles.numbers.iter().map(|&number| positions[number as usize]).collect();
        particles.velocities = particles.numbers.iter().map(|&number| velocities[number as usize]).collect();
        self.to_settle = false;
        self.integrator.evaluate_at_start(&mut self.particles);
        self.measure();
    }

    /// What the bake will take.
    pub fn estimate(&self) -> Estimate {
        // With places and normals at rest. What a frame began with is kept until it ends, and may meanwhile become the bytes of a
        // checkpoint.
        let of_normals = if self.origins.normals.is_empty() { 0 } else { size_of::<Vec3>() };
        let state = self.particles.bytes_per_particle() + size_of::<Vec3>() + of_normals;
        // Positions, velocities, positions at rest, colours; volume, source, density, pressure, temperature, age.
        let frame = 4 * size_of::<Vec3>() + 6 * size_of::<f32>();
        // Way to a wall; piece, lump, fused, offset and that way in a frame; what is seen of it at a frame's end.
        let of_soft = size_of::<DVec3>() + 4 * size_of::<f32>() + size_of::<Vec3>() + size_of::<Coat>();
        let of_soft = if self.soft.is_empty() { 0 } else { of_soft };
        Estimate {
            particles: self.counts.clone(),
            neighbours: self.stats.neighbours,
            memory: self.particles.len() * (3 * state + of_soft + frame) + self.integrator.memory(),
            steps_per_frame: self.steps_per_frame,
            limit: self.limit,
            meeting: None,
            warnings: self.warnings.clone(),
        }
    }

    /// Sets the frames that have gone by.
    #[cfg(test)]
    pub(crate) fn set_elapsed(&mut self, elapsed: u32) {
        self.elapsed = elapsed;
    }

    /// Takes over what another has at a frame's end, in another order of particles.
    #[cfg(test)]
    pub(crate) fn take_over(&mut self, other: &Self) {
        self.resume(other.state(), other.frame_number()).expect("a state of the same scene");
        self.particles.reorder_columns(&(0..self.particles.len() as u32).rev().collect::<Vec<_>>());
    }

    #[cfg(test)]
    pub(crate) fn sheets_and_particles(&mut self) -> (&Sheets, &mut Particles) {
        (&self.sheets, &mut self.particles)
    }

    #[cfg(test)]
    pub(crate) fn parts(&mut self) -> (&mut Integrator, &mut Particles) {
        (&mut self.integrator, &mut self.particles)
    }
}
