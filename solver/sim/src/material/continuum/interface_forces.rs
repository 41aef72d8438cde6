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
use crate::particles::{Density, Stress};
use crate::timeline::BOUND_COURANT;
use dollop_scene::{Body, Scene};
use glam::Vec3;
use pulp::Arch;

/// The part of a pair's critical damping by which it is damped.
const DAMPED: f64 = 0.25;

/// The most rate of drag across the interface, over the speed of sound by the distance of nearest neighbours.
const FIRM: f64 = 2.0;

/// Stand-in for the speed of sound, over the rate at which a particle is slowed, times h: it gives steps of half of one
/// over that rate.
const SLOWED: f32 = (2.0 * BOUND_COURANT / 1.6) as f32;

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
    /// Its most drag across it, kg/s.
    drag: f64,
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
            drag: matter.mass * (FIRM * pace),
        }
    }

    /// What matter on a grid brings besides to a contact of an area, m^2, at a molten part and a temperature, K: the
    /// most drag, kg/s, and the coefficient of friction, or the drag by viscosity, kg/s, and 1.
    fn surface(&self, area: f64, melted: f64, temperature: f64) -> [f64; 3] {
        let Some(fluid) = &self.fluid else { return [0.0; 3] };
        let is_solid = fluid.law(melted).is_some();
        if fluid.slides && is_solid {
            return [self.drag, fluid.contact_friction, 0.0];
        }
        // Shear over half a spacing between each particle and those that it touches.
        let by_viscosity = || self.mass * (2.0 * fluid.viscosity(melted, temperature) / (fluid.density * area));
        [self.drag, if is_solid { self.drag } else { by_viscosity() }, 1.0]
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

    fn row(&self, source: u32, velocity: Vec3, normal: Vec3, melted: f32, temperature: f32) -> InterfaceRow {
        let side = &self.sides[source as usize];
        let [drag, bound, holds] = side.surface(self.spacing * self.spacing, f64::from(melted), f64::from(temperature));
        let Vec3 { x, y, z } = velocity;
        InterfaceRow {
            motion: [x, y, z, side.root],
            surface: [side.half_damping, drag as f32, bound as f32, holds as f32],
            normal: if side.is_sheet { normal.extend(0.0).to_array() } else { [0.0; 4] },
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

    /// Signal speeds of contact and of damping, m/s, for a mass, kg.
    fn signals(&self, sums: &InterfaceSums, mass: f32) -> [f32; 2] {
        let h = self.smoothing_length as f32;
        [SOUND * (sums.curvature / mass).sqrt(), SLOWED * h * sums.damping / mass]
    }

    fn add_to(&self, force: &mut Force, sums: &InterfaceSums, mass: f32) {
        let drag = sums.drag * (-1.0 / mass);
        force.pairs += sums.force / (mass * self.smoothing_length as f32) + drag;
        force.dissipation += drag;
        force.interface_energy = sums.energy;
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
            let (source, velocity, normal) =
                (matter.sources[slot], now.velocity.as_vec3(), (present.facing)(slot).normal);
            *row = self.row(source, velocity, normal, matter.melted(slot), matter.temperature(slot));
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
