//! All matter of a scene: the forces between particles of any materials.
//!
//! All particles have a [`PressureLaw`](super::pressure::PressureLaw), by which walls push them and fluid matter
//! presses them.
//! Particles with bonds are bound to each other besides. Smoothed matter counts particles of other materials in its
//! density as its own, and presses on them; bonds do not act on it. Sheets and other matter only push each other away.

use super::oriented::{Facing, OtherMatter, Sheet, SheetForce, SheetSolver};
use super::pressure::{BodyLaw, PressureForces, PressureLaw, h_over_bound_step, is_shock};
use super::smoothed::SmoothedSolver;
use super::strength::{Shear, StrengthSolver};
use super::thermal::BondSolver;
use super::{Force, Matter, Model, Now, model};
use crate::SmoothingKernel;
use crate::cost::Cause;
use crate::laws::bond::BondSums;
use crate::laws::masses::Masses;
use crate::laws::sheet::SheetSums;
use crate::neighbours::{Active, BATCH, Neighbours};
use crate::particles::{Density, Stress};
use dollop_scene::Scene;

/// Bonds bind a particle firmly if they alone need more than this part of its step rate.
const FIRM: f32 = 0.5;

/// The solver of all materials of one scene.
#[derive(Debug)]
pub struct MatterSolver {
    pressure: PressureForces,
    smoothed: SmoothedSolver,
    bonds: Option<BondSolver>,
    sheets: Option<SheetSolver>,
    /// The solver of strength, if some matter has a yield stress.
    strength: Option<StrengthSolver>,
    /// Mass of a particle of each body, kg.
    masses: Vec<f32>,
    /// Whether matter presses on other matter by its density; bonds alone hold matter that cannot melt.
    fluid: bool,
    volume: f32,
}

impl MatterSolver {
    /// A solver for the bodies of a scene.
    pub fn new(scene: &Scene, kernel: SmoothingKernel) -> Self {
        let spacing = scene.particle_spacing;
        let models = || scene.bodies.iter().map(|body| model(&body.material));
        let bonds = models().map(Model::bonds);
        let sheets = models().map(|model| model.sheet(&kernel, spacing));
        let are_sheets = models().map(|model| model.thickness().is_some()).collect();
        let others = models().map(|model| OtherMatter {
            mass: model.rest_density() * model.particle_volume(spacing),
            stiffness: model.stiffness(),
        });
        let steady = scene.heat.is_none();
        let fluid = models().any(|model| model.is_fluid(!steady));
        let laws = models().map(|model| {
            let law = model.law(spacing, &scene.ambient);
            if fluid { law } else { law.alone() }
        });
        let pressure = PressureForces::new(kernel, spacing, laws);
        let laws = pressure.laws();
        Self {
            strength: laws.iter().any(BodyLaw::has_strength).then(|| StrengthSolver::new(kernel, spacing)),
            masses: laws.iter().map(|law| law.solid.rest_density * spacing.powi(3) as f32).collect(),
            smoothed: SmoothedSolver::new(&pressure),
            pressure,
            fluid,
            bonds: BondSolver::new(&kernel, spacing, bonds.collect(), are_sheets, steady),
            sheets: SheetSolver::new(&kernel, spacing, sheets.zip(others).collect(), scene.ambient.density),
            volume: spacing.powi(3) as f32,
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

    /// Sets whether matter settles: friction does not act then.
    pub fn set_settling(&mut self, settles: bool) {
        if let Some(bonds) = &mut self.bonds {
            bonds.set_friction(!settles);
        }
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
        self.bonds.as_ref().and_then(|bonds| bonds.separation(source))
    }

    /// The part of a body's matter that is still molten some seconds after a given part was, however cold it is; none
    /// for matter without bonds.
    pub fn after_setting(&self, source: u32, melted: f32, seconds: f64) -> f32 {
        self.bonds.as_ref().and_then(|bonds| bonds.after_setting(source, melted, seconds)).unwrap_or(0.0)
    }

    /// The time in which a body's matter sets by a small part, s; unbounded for matter without bonds.
    pub fn setting_step(&self, source: u32) -> f64 {
        self.bonds.as_ref().and_then(|bonds| bonds.setting_step(source)).unwrap_or(f64::INFINITY)
    }

    /// Moment of inertia of a particle of a body, kg m^2; zero where it is no sheet.
    pub fn inertia(&self, source: u32) -> f64 {
        self.sheets.as_ref().map_or(0.0, |sheets| sheets.inertia(source))
    }

    /// The sheet of each body; empty where no body is a sheet.
    pub fn sheets(&self) -> Vec<Option<Sheet>> {
        self.sheets.iter().flat_map(SheetSolver::sheets).collect()
    }

    /// Whether a body is a sheet.
    pub fn is_sheet(&self, source: u32) -> bool {
        self.inertia(source) > 0.0
    }

    /// Whether some matter has a yield stress.
    pub fn has_strength(&self) -> bool {
        self.strength.is_some()
    }

    /// Elastic energy, J, that a particle of a body gains when its molten part changes, given its density and the
    /// [depth](Force::depth) of its bonds and its [shear](Force::shear_squared).
    pub fn softened(&self, source: u32, density: Density, force: &Force, melted: (f32, f32)) -> f64 {
        let depth = force.depth;
        let bonds = self
            .bonds
            .as_ref()
            .map_or(0.0, |bonds| bonds.energy(source, melted.1, depth) - bonds.energy(source, melted.0, depth));
        let laws = self.pressure.body_law(source);
        let shear = self.sheared(&laws.at(melted.1), force) - self.sheared(&laws.at(melted.0), force);
        let sheets = self.sheets.as_ref().map_or(0.0, |sheets| sheets.softened(source, force.sheet_energy, melted));
        self.pressure.softened(source, density, melted) + bonds + shear + sheets
    }

    /// Elastic energy of the shear of matter of a law, J.
    fn sheared(&self, law: &PressureLaw, force: &Force) -> f64 {
        let strength = self.strength.as_ref().filter(|_| force.shear_squared > 0.0);
        strength.map_or(0.0, |strength| strength.energy(law, force.shear_squared))
    }

    /// Elastic energy of a slot of the matter, J.
    pub fn elastic_energy(&self, slot: usize, matter: &Matter, density: Density, force: &Force) -> f64 {
        let depth = force.depth;
        let bonds =
            self.bonds.as_ref().map_or(0.0, |bonds| bonds.energy(matter.sources[slot], matter.melted(slot), depth));
        let shear = self.sheared(&self.pressure.law_of(slot, matter), force);
        self.pressure.elastic_energy(slot, matter, density) + bonds + shear + f64::from(force.sheet_energy)
    }

    /// Takes the present matter of some batches, between the walls of its last evaluation. The batches must include all
    /// that densities and forces read.
    pub fn take(
        &mut self,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        now: impl Fn(usize) -> Now + Sync,
        facing: impl Fn(usize) -> Facing + Sync,
    ) {
        if self.fluid {
            self.smoothed.take(&self.pressure, neighbours, batches, matter, &now);
        }
        if let Some(bonds) = &mut self.bonds {
            bonds.take(neighbours, batches, matter, &now);
        }
        if let Some(sheets) = &mut self.sheets {
            let viscosity = |slot: usize| self.pressure.law_of(slot, matter).viscosity;
            sheets.take(neighbours, batches, matter, now, facing, viscosity);
        }
    }

    /// Takes the motion that strength needs of the same batches, where some matter [has any](Self::has_strength).
    pub fn take_shear(&mut self, batches: &[u32], matter: &Matter, now: impl Fn(usize) -> Shear + Sync) {
        let Self { strength: Some(strength), pressure, .. } = self else { return };
        let yields = |slot: usize| pressure.yields(slot, matter);
        strength.take(matter.sources.len(), batches, yields, now);
    }

    /// Stresses of the active slots after their steps of some seconds, among the matter that was
    /// [taken](Self::take_shear). Returns the energy that went into flow, J.
    pub fn find_stresses(
        &mut self,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        seconds: impl Fn(usize) -> f64 + Sync,
        stresses: &mut [Stress],
    ) -> f64 {
        let Self { strength: Some(strength), pressure, .. } = self else { return 0.0 };
        strength.find_stresses(neighbours, active, |slot| pressure.law_of(slot, matter), seconds, stresses)
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
            self.smoothed.find_densities(&self.pressure, neighbours, active, matter, densities);
        } else if told {
            self.smoothed.tell_densities(&self.pressure, neighbours, active, matter, densities);
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
        let masses = Masses::new(&self.masses, matter.sources, matter.shares);
        match (&self.bonds, &self.sheets) {
            (Some(bonds), _) if !self.fluid => {
                self.pressure.wall_forces(slots, matter, densities, |slot| bonds.motion(slot), forces);
            }
            (None, Some(sheets)) if !self.fluid => {
                self.pressure.wall_forces(slots, matter, densities, |slot| sheets.motion(slot), forces);
            }
            _ => self.smoothed.forces(&self.pressure, neighbours, slots, matter, densities, forces),
        }
        if let Some(bonds) = &self.bonds {
            let sums = bonds.sums(neighbours, slots, masses);
            for ((&slot, sums), force) in slots.iter().zip(&sums).zip(&mut *forces) {
                self.bind(bonds, slot as usize, sums, matter, densities, force);
            }
        }
        if !matter.shares.is_empty() {
            slots.iter().zip(&mut *forces).for_each(|(&slot, force)| lighten(force, matter.share(slot as usize)));
        }
        let sheets = self.sheets.as_ref().and_then(|sheets| sheets.forces(neighbours, slots, matter, masses));
        for ((sheet, sums), force) in sheets.iter().flatten().zip(&mut *forces) {
            add_sheet(sheet, sums, force);
        }
        let pulls = self.strength.as_ref().and_then(|strength| strength.forces(neighbours, slots));
        for ((&slot, pull), force) in slots.iter().zip(pulls.iter().flatten()).zip(&mut *forces) {
            let slot = slot as usize;
            force.pairs += *pull / self.mass(matter.sources[slot]) as f32;
            force.shear_squared = stresses[slot].size_squared() as f32;
        }
    }

    /// Adds the force of bonds on a slot.
    fn bind(
        &self,
        bonds: &BondSolver,
        slot: usize,
        sums: &BondSums,
        matter: &Matter,
        densities: &[Density],
        force: &mut Force,
    ) {
        let mass = self.mass(matter.sources[slot]) as f32;
        let volume = self.volume / densities[slot].total.max(f32::MIN_POSITIVE);
        let bound = bonds.force(slot, sums, matter, mass, volume);
        force.pairs += bound.pairs;
        force.dissipation += bound.dissipation;
        force.walls += bound.grip.push + bound.grip.pull;
        force.wall_push += bound.grip.push;
        force.wall_power += bound.grip.power;
        force.pressure += bound.pressure;
        force.depth = bound.depth;
        force.h_over_step = force.h_over_step.max(h_over_bound_step(bound.signal_speed, sums.max_mu));
        force.tags = (force.tags.0.min(sums.tags.0), force.tags.1.max(sums.tags.1));
        force.bound = h_over_bound_step(bound.sound, 0.0) > FIRM * force.h_over_step;
        force.shocked |= bound.signal_speed > 0.0 && is_shock(sums.max_mu, bound.signal_speed);
    }

    /// The force between particles that limits the step of a slot.
    pub fn cause(&self, neighbours: &Neighbours, slot: usize, matter: &Matter) -> Cause {
        let (slots, masses) = ([slot as u32], Masses::new(&self.masses, matter.sources, matter.shares));
        let (by_sound, by_viscosity) = if self.fluid {
            self.smoothed.h_over_steps(&self.pressure, neighbours, slot, matter)
        } else {
            let law = self.pressure.law_of(slot, matter);
            let still = PressureLaw { viscosity: 0.0, ..law };
            (h_over_bound_step(still.signal_speed(law.modulus), 0.0), h_over_bound_step(law.viscosity, 0.0))
        };
        // Of equal limits the first counts.
        let mut asked = vec![(by_viscosity, Cause::Viscosity), (by_sound, Cause::Stiffness)];
        if let Some(bonds) = &self.bonds {
            let mass = self.mass(matter.sources[slot]) as f32;
            let force = bonds.force(slot, &bonds.sums(neighbours, &slots, masses)[0], matter, mass, self.volume);
            asked.push((h_over_bound_step(force.sound, 0.0), Cause::Bonds));
            asked.push((h_over_bound_step(force.signal_speed, 0.0), Cause::Viscosity));
        }
        if let Some([(force, _), ..]) =
            self.sheets.as_ref().and_then(|all| all.forces(neighbours, &slots, matter, masses))
        {
            asked.push((h_over_bound_step(force.sound, 0.0), Cause::Sheet));
            asked.push((h_over_bound_step(force.signal_speed, 0.0), Cause::Viscosity));
        }
        asked
            .into_iter()
            .reduce(|most, one| if one.0 > most.0 { one } else { most })
            .map_or(Cause::Stiffness, |most| most.1)
    }

    /// Mean number of neighbours within the support, of the particles whose lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        self.smoothed.mean_neighbours(neighbours)
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        let smoothed = if self.fluid { self.smoothed.memory(particles) } else { 0 };
        let strength = self.strength.as_ref().map_or(0, |strength| strength.memory(particles));
        let sheets = self.sheets.as_ref().map_or(0, |sheets| sheets.memory(particles));
        smoothed + strength + sheets + self.bonds.as_ref().map_or(0, |bonds| bonds.memory(particles))
    }
}

/// Scales the forces on a particle with a share of its full mass: the same force accelerates it more.
fn lighten(force: &mut Force, share: f64) {
    let more = (1.0 / share) as f32;
    force.pairs *= more;
    force.dissipation *= more;
    force.walls *= more;
    force.wall_push *= more;
    force.wall_pressure *= more;
    force.h_over_step *= more.sqrt();
}

/// Adds the force of sheets on a particle.
fn add_sheet(sheet: &SheetForce, sums: &SheetSums, force: &mut Force) {
    force.pairs += sheet.pairs;
    // No particle bears the drag of the air, and no energy stores it.
    force.walls += sheet.air;
    force.air += sheet.air;
    force.dissipation += sheet.dissipation + sheet.air;
    (force.turn, force.turn_dissipation) = (sheet.turn, sheet.turn_dissipation);
    force.sheet_energy = sheet.energy;
    force.h_over_step = force.h_over_step.max(h_over_bound_step(sheet.signal_speed, sums.max_mu));
    force.tags = (force.tags.0.min(sums.tags.0), force.tags.1.max(sums.tags.1));
    force.bound |= h_over_bound_step(sheet.sound, 0.0) > FIRM * force.h_over_step;
    force.shocked |= sheet.signal_speed > 0.0 && is_shock(sums.max_mu, sheet.signal_speed);
}
