//! All matter of a scene: the forces between particles of any materials.
//!
//! All particles have a [`PressureLaw`], by which walls push them and fluid matter presses them. Particles with bonds
//! are bound to each other besides. Smoothed matter counts particles of other materials in its density as its own, and
//! presses on them; bonds do not act on it. Sheets and other matter only push each other away. Matter on a grid takes
//! part only where it meets other matter.

use super::continuum::InterfaceSolver;
use super::oriented::SheetSolver;
use super::pressure::{BodyLaw, PressureForces, PressureLaw, h_over_bound_step};
use super::smoothed::SmoothedSolver;
use super::strength::StrengthSolver;
use super::thermal::BondSolver;
use super::{Force, Matter, Model, PairSolver, Present, Surroundings, model};
use crate::SmoothingKernel;
use crate::cost::Cause;
use crate::laws::masses::Masses;
use crate::neighbours::{Active, BATCH, Neighbours};
use crate::particles::{Density, Stress};
use dollop_scene::Scene;

/// The solver of all materials of one scene.
#[derive(Debug)]
pub struct MatterSolver {
    pressure: PressureForces,
    /// The solvers of forces, in the order in which they add to them.
    solvers: Vec<Box<dyn PairSolver>>,
    /// Mass of a particle of each body, kg.
    masses: Vec<f32>,
    /// Moment of inertia of a particle of each body, kg m^2.
    inertias: Vec<f64>,
    /// Whether matter presses on other matter by its density; bonds alone hold matter that cannot melt.
    fluid: bool,
    has_strength: bool,
    /// The bodies whose particles stages move.
    led: Vec<bool>,
}

/// All solvers that a scene needs. Smoothed matter comes first, as it knows the walls' forces too, and the interface
/// of grids last, as no other force acts on matter there.
fn solvers(
    scene: &Scene,
    kernel: &SmoothingKernel,
    pressure: &PressureForces,
    fluid: bool,
) -> Vec<Box<dyn PairSolver>> {
    fn boxed<S: PairSolver + 'static>(solver: S) -> Box<dyn PairSolver> {
        Box::new(solver)
    }
    let all = [
        fluid.then(|| boxed(SmoothedSolver::new(pressure))),
        BondSolver::of(scene, kernel).map(boxed),
        SheetSolver::of(scene, kernel).map(boxed),
        StrengthSolver::of(pressure, scene.particle_spacing).map(boxed),
        InterfaceSolver::of(scene, kernel).map(boxed),
    ];
    all.into_iter().flatten().collect()
}

impl MatterSolver {
    /// A solver for the bodies of a scene.
    pub fn new(scene: &Scene, kernel: SmoothingKernel) -> Self {
        let spacing = scene.particle_spacing;
        let models = || scene.bodies.iter().map(|body| model(&body.material));
        let fluid = models().any(|model| model.is_fluid(scene.heat.is_some()));
        let led: Vec<bool> = models().map(Model::moves_on_grid).collect();
        let laws = models().zip(&led).map(|(model, led)| {
            let law = model.law(spacing, &scene.ambient);
            if fluid && !led { law } else { law.alone() }
        });
        let pressure = PressureForces::new(kernel, spacing, laws);
        let solvers = solvers(scene, &kernel, &pressure, fluid);
        let inertia = |body: u32| solvers.iter().map(|solver| solver.inertia(body)).sum();
        let laws = pressure.laws();
        Self {
            masses: laws.iter().map(|law| law.solid.rest_density * spacing.powi(3) as f32).collect(),
            inertias: (0..laws.len() as u32).map(inertia).collect(),
            has_strength: laws.iter().any(BodyLaw::has_strength),
            led,
            solvers,
            pressure,
            fluid,
        }
    }

    /// The range of the forces between particles, m.
    pub fn support(&self) -> f64 {
        self.pressure.support()
    }

    /// Sets the laws of all bodies, and returns the previous ones.
    pub fn replace_laws(&mut self, laws: Vec<BodyLaw>) -> Vec<BodyLaw> {
        self.pressure.replace_laws(laws)
    }

    /// Sets whether matter settles, in times that are no seconds.
    pub fn set_settling(&mut self, settles: bool) {
        self.solvers.iter_mut().for_each(|solver| solver.set_settling(settles));
    }

    /// Sets whether compressed matter counts as at rest density, as it will be once settled.
    pub fn take_for_settled(&mut self, settled: bool) {
        self.pressure.take_for_settled(settled);
    }

    /// The laws of all bodies.
    pub fn laws(&self) -> &[BodyLaw] {
        self.pressure.laws()
    }

    /// The law of a body while it is solid.
    pub fn law(&self, source: u32) -> &PressureLaw {
        self.pressure.law(source)
    }

    /// Mass of a particle of a body, kg.
    pub fn mass(&self, source: u32) -> f64 {
        self.pressure.mass(source)
    }

    /// The equilibrium separation of a lone pair of a body with bonds, m.
    pub fn separation(&self, source: u32) -> Option<f64> {
        self.solvers.iter().find_map(|solver| solver.separation(source))
    }

    /// The part of a body's matter that is still molten some seconds after a given part was, however cold it is; none
    /// for matter that sets at once.
    pub fn after_setting(&self, source: u32, melted: f32, seconds: f64) -> f32 {
        self.solvers.iter().find_map(|solver| solver.after_setting(source, melted, seconds)).unwrap_or(0.0)
    }

    /// The time in which a body's matter sets by a small part, s; unbounded for matter that sets at once.
    pub fn setting_step(&self, source: u32) -> f64 {
        self.solvers.iter().find_map(|solver| solver.setting_step(source)).unwrap_or(f64::INFINITY)
    }

    /// Moment of inertia of a particle of a body, kg m^2; zero where it is no sheet.
    pub fn inertia(&self, source: u32) -> f64 {
        self.inertias[source as usize]
    }

    /// Whether a body is a sheet.
    pub fn is_sheet(&self, source: u32) -> bool {
        self.inertia(source) > 0.0
    }

    /// Whether a stage moves the particles of a body.
    pub fn is_led(&self, source: u32) -> bool {
        self.led[source as usize]
    }

    /// Whether some matter has a yield stress.
    pub fn has_strength(&self) -> bool {
        self.has_strength
    }

    /// Elastic energy, J, that a particle of a body gains when its molten part changes, given its density and the force
    /// on it.
    pub fn softened(&self, source: u32, density: Density, force: &Force, melted: (f32, f32)) -> f64 {
        let gains = self.solvers.iter().map(|solver| solver.softened(&self.pressure, source, force, melted));
        gains.fold(self.pressure.softened(source, density, melted), |all, gain| all + gain)
    }

    /// Elastic energy of a slot of the matter, J.
    pub fn elastic_energy(&self, slot: usize, matter: &Matter, density: Density, force: &Force) -> f64 {
        let energies = self.solvers.iter().map(|solver| solver.elastic_energy(&self.pressure, slot, matter, force));
        let is_led = self.is_led(matter.sources[slot]);
        let of_pressure = if is_led { 0.0 } else { self.pressure.elastic_energy(slot, matter, density) };
        energies.fold(of_pressure, |all, energy| all + energy)
    }

    /// Takes the present matter of some batches, between the walls of its last evaluation. The batches must include all
    /// that densities and forces read.
    pub fn take(&mut self, neighbours: &mut Neighbours, batches: &[u32], matter: &Matter, present: Present) {
        for solver in &mut self.solvers {
            solver.take(&self.pressure, neighbours, batches, matter, present);
        }
    }

    /// Stresses of the active slots after their steps of some seconds, among the matter that was
    /// [taken](Self::take). Returns the energy that went into flow, J.
    pub fn find_stresses(
        &mut self,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        seconds: impl Fn(usize) -> f64 + Sync,
        stresses: &mut [Stress],
    ) -> f64 {
        let Self { solvers, pressure, .. } = self;
        let flowed = |solver: &mut Box<dyn PairSolver>| {
            solver.find_stresses(pressure, neighbours, active, matter, &seconds, stresses)
        };
        solvers.iter_mut().map(flowed).sum()
    }

    /// Densities of the active slots, among the matter that was [taken](Self::take). Densities for output alone are
    /// found only when they are `told`.
    pub fn find_densities(
        &mut self,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        told: bool,
        densities: &mut [Density],
    ) {
        if self.fluid {
            for solver in &mut self.solvers {
                solver.find_densities(&self.pressure, neighbours, active, matter, densities);
            }
        } else if told {
            self.pressure.tell_densities(neighbours, active, matter, densities);
        }
    }

    /// Finds the forces on some slots of one batch, the first of them first, after their
    /// [densities](Self::find_densities) and [stresses](Self::find_stresses) were found.
    pub fn forces(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        densities: &[Density],
        stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let surroundings = self.surroundings(neighbours, matter);
        if !self.fluid {
            let motion = |slot| self.solvers.iter().find_map(|solver| solver.motion(slot)).unwrap_or_default();
            self.pressure.wall_forces(slots, matter, densities, motion, forces);
        }
        for solver in &self.solvers {
            solver.add(&surroundings, slots, densities, stresses, forces);
        }
    }

    fn surroundings<'a>(&'a self, neighbours: &'a Neighbours, matter: &'a Matter<'a>) -> Surroundings<'a> {
        let masses = Masses::new(&self.masses, matter.sources, matter.shares);
        Surroundings { pressure: &self.pressure, neighbours, matter, masses }
    }

    /// The force between particles that limits the step of a slot.
    pub fn cause(&self, neighbours: &Neighbours, slot: usize, matter: &Matter) -> Cause {
        let mut asked = Vec::new();
        if !self.fluid {
            let law = self.pressure.law_of(slot, matter);
            let still = PressureLaw { viscosity: 0.0, ..law };
            asked.push((h_over_bound_step(law.viscosity, 0.0), Cause::Viscosity));
            asked.push((h_over_bound_step(still.signal_speed(law.modulus), 0.0), Cause::Stiffness));
        }
        let surroundings = self.surroundings(neighbours, matter);
        asked.extend(self.solvers.iter().flat_map(|solver| solver.causes(&surroundings, slot)));
        // Of equal limits the first counts.
        asked
            .into_iter()
            .reduce(|most, one| if one.0 > most.0 { one } else { most })
            .map_or(Cause::Stiffness, |most| most.1)
    }

    /// Mean number of neighbours within the support, of the particles whose lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        self.pressure.mean_neighbours(neighbours)
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        self.solvers.iter().map(|solver| solver.memory(particles)).sum()
    }
}
