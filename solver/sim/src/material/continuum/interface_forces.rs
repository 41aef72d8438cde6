//! The forces between the particles of a grid that lie [at its interface](super::interface) and other matter.

use super::model::Fluid;
use crate::SmoothingKernel;
use crate::cost::Cause;
use crate::lattice::nearest;
use crate::laws::curve::Curve;
use crate::laws::interface::{Interface, InterfaceRow, InterfaceSums};
use crate::laws::masses::Masses;
use crate::material::oriented::{OtherMatter, SOUND, contact_well};
use crate::material::pressure::{PressureForces, h_over_bound_step, is_shock};
use crate::material::{Force, Matter, PairSolver, Present, Surroundings, model, tag_and_velocity};
use crate::neighbours::{BATCH, Neighbours};
use crate::pairs::{gather, take_rows};
use crate::particles::{Density, Stress, Surface};
use crate::timeline::BOUND_COURANT;
use dollop_scene::{Body, Scene};
use glam::Vec3;
use pulp::Arch;

/// The part of a pair's critical damping by which it is damped.
const DAMPED: f64 = 0.25;

/// The most rate of drag across the interface, over the speed of sound by the distance of nearest neighbours: of what
/// holds on, and of what slides, which keeps its friction besides and may be slowed by less in longer steps.
const FIRM: f64 = 2.0;
const SLIDING: f64 = 0.5;

/// Stands for the flatness of a sheet.
const FLAT: f32 = 1e3;

/// The part of the longest stable step of a contact that is taken: the rest is room for other forces on the same
/// particles.
const STABLE: f64 = 0.8;

/// Stand-in for the speed of sound, over the inverse of a step, 1/s, times h: it gives [`STABLE`] of that step.
const SLOWED: f32 = (BOUND_COURANT / (1.6 * STABLE)) as f32;

/// What a body brings to the interface.
#[derive(Debug, Clone, Copy)]
struct Side {
    /// Of a particle, kg.
    mass: f64,
    is_sheet: bool,
    /// None for matter that does not move on a grid.
    fluid: Option<Fluid>,
    /// As [`InterfaceRow::motion`] has it.
    root: f32,
    /// Half its damping along the normal, kg/s.
    half_damping: f32,
    /// Its most drag across it, where it holds on and where it slides, kg/s.
    drag: [f64; 2],
}

/// The forces at the interface of matter on a grid and other matter.
#[derive(Debug)]
pub struct InterfaceSolver {
    sides: Vec<Side>,
    contact: Curve,
    spacing: f64,
    smoothing_length: f64,
    arch: Arch,
    rows: Vec<InterfaceRow>,
    /// Whether each batch holds any particle of a grid.
    of_grid: Vec<bool>,
}

/// How matter on a grid is held by what it touches.
#[derive(Debug, Clone, Copy, Default)]
struct Grip {
    /// Most drag, kg/s.
    drag: f64,
    /// Coefficient of friction or, where it holds on, its drag by viscosity, kg/s.
    bound: f64,
    /// Whether it holds on.
    holds: bool,
    /// Whether it bears a load across the contact without creeping.
    keeps: bool,
}

impl Side {
    fn of(body: &Body, scene: &Scene) -> Self {
        let (model, spacing) = (model(&body.material), scene.particle_spacing);
        let matter = OtherMatter::of(model, spacing);
        let fluid = model.fluid_on_grid(scene.heat.as_ref().map(|_| &body.heat));
        // The rate of sound across a contact, 1/s.
        let pace = matter.stiffness.sqrt() / nearest(spacing);
        Self {
            mass: matter.mass,
            is_sheet: model.thickness().is_some(),
            fluid,
            root: if fluid.is_some() { matter.root() } else { -matter.root() },
            half_damping: (DAMPED * pace * matter.mass) as f32,
            drag: [FIRM, SLIDING].map(|part| matter.mass * (part * pace)),
        }
    }

    /// What matter on a grid brings besides to a contact of an area, m^2, at a molten part and a temperature, K.
    fn grip(&self, area: f64, melted: f64, temperature: f64) -> Grip {
        let Some(fluid) = &self.fluid else { return Grip::default() };
        let [most, sliding] = self.drag;
        if fluid.law(melted).is_some() {
            let (drag, bound) = if fluid.slides { (sliding, fluid.contact_friction) } else { (most, most) };
            return Grip { drag, bound, holds: !fluid.slides, keeps: true };
        }
        // Shear over half a spacing between each particle and those that it touches.
        let by_viscosity = self.mass * (2.0 * fluid.viscosity(melted, temperature) / (fluid.density * area));
        Grip { drag: most, bound: by_viscosity, holds: true, keeps: false }
    }
}

impl InterfaceSolver {
    /// The solver of a scene; none where all matter moves on a grid, or none does.
    pub fn of(scene: &Scene, kernel: &SmoothingKernel) -> Option<Self> {
        let sides: Vec<Side> = scene.bodies.iter().map(|body| Side::of(body, scene)).collect();
        let is_mixed = sides.iter().any(|side| side.fluid.is_some()) && sides.iter().any(|side| side.fluid.is_none());
        let (spacing, smoothing_length) = (scene.particle_spacing, kernel.smoothing_length());
        is_mixed.then(|| Self {
            sides,
            contact: Curve::new(&contact_well(nearest(spacing)), smoothing_length),
            spacing,
            smoothing_length,
            arch: Arch::new(),
            rows: Vec::new(),
            of_grid: Vec::new(),
        })
    }

    /// The row of a slot but for its place, with a velocity, m/s, and a normal if it is of a sheet.
    fn row(&self, slot: usize, matter: &Matter, velocity: Vec3, of_sheet: Vec3) -> InterfaceRow {
        let side = &self.sides[matter.sources[slot] as usize];
        let (melted, temperature) = (f64::from(matter.melted(slot)), f64::from(matter.temperature(slot)));
        let Grip { drag, bound, holds, keeps } = side.grip(self.spacing * self.spacing, melted, temperature);
        let Vec3 { x, y, z } = velocity;
        let Surface { normal, flatness, press, traction } = matter.surface(slot);
        let normal = if side.is_sheet { of_sheet.extend(FLAT) } else { normal.extend(flatness) };
        InterfaceRow {
            motion: [x, y, z, side.root],
            surface: [side.half_damping, drag as f32, bound as f32, f32::from(holds)],
            traction: (if keeps { traction } else { Vec3::ZERO }).extend(press).to_array(),
            normal: normal.to_array(),
            ..InterfaceRow::default()
        }
    }

    /// The sums over what is across the interface, of some slots of one batch, the first of them first; none where no
    /// matter of a grid is near.
    fn sums(&self, neighbours: &Neighbours, slots: &[u32], masses: Option<Masses>) -> Option<[InterfaceSums; BATCH]> {
        let lists = neighbours.lists_of(slots);
        let own = slots[0] / BATCH as u32;
        if !lists.near().iter().chain([&own]).any(|&batch| self.of_grid[batch as usize]) {
            return None;
        }
        let over_h = (1.0 / self.smoothing_length) as f32;
        let law = Interface { rows: &self.rows, contact: &self.contact, masses, over_h };
        Some(gather(self.arch, &law, lists, slots))
    }

    /// Signal speeds of contact alone and with its damping, m/s, for a mass, kg.
    ///
    /// Forces are found at expected velocities, so a step s that is damped at a rate L and swings at the frequency w is
    /// stable while L s + (w s)^2 / 4 is at most 1.
    fn signals(&self, sums: &InterfaceSums, mass: f32) -> [f32; 2] {
        let half = self.smoothing_length as f32 * sums.damping / (2.0 * mass);
        let slowed = half + (half * half + sums.stiffness / (4.0 * mass)).sqrt();
        [SOUND * (sums.curvature / mass).sqrt(), SLOWED * slowed]
    }

    fn add_to(&self, force: &mut Force, sums: &InterfaceSums, mass: f32) {
        let drag = sums.drag * (-1.0 / mass);
        force.pairs += sums.force / (mass * self.smoothing_length as f32) + drag;
        force.dissipation += drag;
        force.interface_energy = sums.energy;
        (force.load, force.touch, force.friction) = (sums.load, sums.touch, sums.friction);
        let [sound, slowed] = self.signals(sums, mass);
        let fastest = sound.max(slowed);
        force.h_over_step = force.h_over_step.max(h_over_bound_step(fastest, sums.max_mu));
        force.meet(sums.tags);
        // Both sides of a contact take the same steps, and so get the same impulse.
        force.bound |= sums.damping > 0.0;
        force.shocked |= fastest > 0.0 && is_shock(sums.max_mu, fastest);
    }
}

impl PairSolver for InterfaceSolver {
    fn take(
        &mut self,
        _pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    ) {
        let (mut rows, mut of_grid) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.of_grid));
        let place = neighbours.placing();
        take_rows(neighbours, batches, &mut rows, |slot, at, row| {
            let now = (present.now)(slot);
            *at = place(now.position, now.tag);
            *row = self.row(slot, matter, now.velocity.as_vec3(), (present.facing)(slot).normal);
            row.place = *at;
        });
        of_grid.resize(rows.len().div_ceil(BATCH), false);
        for &batch in batches {
            let batch = batch as usize;
            let mut slots = rows.iter().skip(batch * BATCH).take(BATCH);
            of_grid[batch] = slots.any(|row| row.motion[3] > 0.0);
        }
        (self.rows, self.of_grid) = (rows, of_grid);
    }

    /// The last of all forces: on matter of a grid no other acts.
    fn add(
        &self,
        Surroundings { neighbours, matter, masses, .. }: &Surroundings,
        slots: &[u32],
        _densities: &[Density],
        _stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let Some(all) = self.sums(neighbours, slots, *masses) else { return };
        for ((&slot, sums), force) in slots.iter().zip(&all).zip(forces) {
            let side = &self.sides[matter.sources[slot as usize] as usize];
            if side.fluid.is_some() {
                *force = Force { tags: force.tags, ..Force::default() };
            }
            self.add_to(force, sums, (side.mass * matter.share(slot as usize)) as f32);
        }
    }

    fn motion(&self, slot: usize) -> Option<(u8, Vec3)> {
        let InterfaceRow { place, motion, .. } = self.rows[slot];
        Some(tag_and_velocity(place, motion))
    }

    fn causes(&self, Surroundings { neighbours, matter, masses, .. }: &Surroundings, slot: usize) -> Vec<(f32, Cause)> {
        let Some([sums, ..]) = self.sums(neighbours, &[slot as u32], *masses) else { return Vec::new() };
        let mass = self.sides[matter.sources[slot] as usize].mass * matter.share(slot);
        let [sound, slowed] = self.signals(&sums, mass as f32);
        vec![
            (h_over_bound_step(sound, sums.max_mu), Cause::Stiffness),
            (h_over_bound_step(slowed, sums.max_mu), Cause::Viscosity),
        ]
    }

    fn elastic_energy(&self, _pressure: &PressureForces, _slot: usize, _matter: &Matter, force: &Force) -> f64 {
        f64::from(force.interface_energy)
    }

    fn memory(&self, particles: usize) -> usize {
        particles * size_of::<InterfaceRow>()
    }
}
