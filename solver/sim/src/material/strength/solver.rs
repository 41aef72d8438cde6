//! Finds stresses, then their forces, of the particles with strength.

use super::stress::{Strength, YieldFlow};
use crate::lattice::distances;
use crate::laws::strain::{StrainMotion, Strains};
use crate::laws::tension::{Pulls, Tension};
use crate::material::pressure::{BodyLaw, PressureForces, PressureLaw};
use crate::material::{Force, Matter, PairSolver, Present, Surroundings};
use crate::neighbours::{Active, BATCH, Neighbours, parts_of};
use crate::pairs::gather;
use crate::particles::{Density, Stress};
use crate::{SmoothingKernel, with_shape};
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;
use std::marker::PhantomData;

/// A sheared particle in its present or expected state at some time.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Shear {
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Acceleration, friction included, m/s^2.
    pub acceleration: Vec3,
    /// T at the last evaluation.
    pub tension: [[f32; 3]; 3],
}

/// The solver of strength for one scene.
#[derive(Debug)]
pub struct StrengthSolver {
    kernel: SmoothingKernel,
    /// Volume of a particle at rest, m^3.
    volume: f64,
    /// The moment of the lattice along each axis, in units of h^2.
    moment: f64,
    arch: Arch,
    motions: Vec<StrainMotion>,
    tensions: Vec<Tension>,
}

impl StrengthSolver {
    /// The solver for matter of some pressure laws, at a spacing, m; none where none has a yield stress.
    pub fn of(pressure: &PressureForces, spacing: f64) -> Option<Self> {
        pressure.laws().iter().any(BodyLaw::has_strength).then(|| Self::new(*pressure.kernel(), spacing))
    }

    fn new(kernel: SmoothingKernel, spacing: f64) -> Self {
        let weight = |r: f64| {
            let q = r / kernel.smoothing_length();
            q * q * with_shape!(kernel.kind(), S => <S as crate::kernel::KernelShape>::value(q))
        };
        let moment = distances(&kernel, spacing).into_iter().map(weight).sum::<f64>() / kernel.dimension_count();
        Self { kernel, volume: spacing.powi(3), moment, arch: Arch::new(), motions: Vec::new(), tensions: Vec::new() }
    }

    /// Elastic energy, J, of a particle of a law at a [squared size](Stress::size_squared) of the stress, Pa^2.
    fn energy(&self, law: &PressureLaw, size_squared: f32) -> f64 {
        self.volume * f64::from(size_squared) / (2.0 * f64::from(law.shear_modulus()))
    }

    /// Clears the stress of matter without strength. Returns its energy, J.
    fn forget(&self, slots: &[u32], law: &impl Fn(usize) -> PressureLaw, stresses: &mut [Stress]) -> f64 {
        let stressed = slots.iter().filter(|&&slot| stresses[slot as usize % BATCH] != Stress::default());
        let stressed: Vec<usize> = stressed.map(|&slot| slot as usize).collect();
        let energy = |slot: usize| {
            let stress = std::mem::take(&mut stresses[slot % BATCH]);
            self.energy(&law(slot), stress.size_squared() as f32)
        };
        stressed.into_iter().map(energy).sum()
    }

    fn strain(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        law: &impl Fn(usize) -> PressureLaw,
        seconds: &(dyn Fn(usize) -> f64 + Sync),
        stresses: &mut [Stress],
        tensions: &mut [Tension],
    ) -> f64 {
        let (places, motions, lists) = (neighbours.places(), &*self.motions, neighbours.lists_of(slots));
        let mut halves = [0.0; BATCH];
        for &slot in slots {
            halves[slot as usize % BATCH] = (seconds(slot as usize) / 2.0) as f32;
        }
        let (halves, dimensions) = (&halves, self.kernel.dimensions());
        let strains = with_shape!(
            self.kernel.kind(),
            S => gather(self.arch, &Strains::<S> { places, motions, halves, shape: PhantomData }, lists, slots)
        );
        let mut lost = 0.0;
        for (&slot, strain) in slots.iter().zip(&strains) {
            let (slot, n) = (slot as usize, slot as usize % BATCH);
            if motions[slot].velocity[3] <= 0.0 {
                lost += self.forget(&[slot as u32], law, stresses);
                continue;
            }
            let (velocities, moment) = strain.matrices();
            let velocities = velocities * (seconds(slot) / (self.kernel.smoothing_length() * self.moment));
            let flow = YieldFlow::new(velocities, moment * self.moment.recip(), dimensions);
            let law = law(slot);
            let strength =
                Strength { shear_modulus: f64::from(law.shear_modulus()), yield_stress: f64::from(law.yield_stress) };
            let (mut stress, flowed) = stresses[n].after(&flow, &strength, dimensions);
            let scale = (self.volume / (self.moment * self.kernel.smoothing_length())) as f32;
            stress.tension = stress.tension.map(|row| row.map(|entry| entry * scale));
            (stresses[n], tensions[n]) = (stress, rows(&stress.tension));
            lost += flowed * self.volume;
        }
        lost
    }

    /// Forces, N, on some slots of one batch, the first of them first, after their [stresses](Self::find_stresses) were
    /// found; none where no slot has strength.
    fn forces(&self, neighbours: &Neighbours, slots: &[u32]) -> Option<[Vec3; BATCH]> {
        if slots.iter().all(|&slot| self.tensions[slot as usize][0][3] <= 0.0) {
            return None;
        }
        let (places, tensions, lists) = (neighbours.places(), &*self.tensions, neighbours.lists_of(slots));
        Some(with_shape!(
            self.kernel.kind(),
            S => gather(self.arch, &Pulls::<S> { places, tensions, shape: PhantomData }, lists, slots)
        ))
    }

    /// Elastic energy of the shear of matter of a law, J.
    fn sheared(&self, law: &PressureLaw, force: &Force) -> f64 {
        if force.shear_squared > 0.0 { self.energy(law, force.shear_squared) } else { 0.0 }
    }
}

impl PairSolver for StrengthSolver {
    fn take(
        &mut self,
        pressure: &PressureForces,
        _neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    ) {
        let count = matter.sources.len();
        self.motions.resize(count, StrainMotion::default());
        self.tensions.resize(count, Tension::default());
        let motions = parts_of(&mut self.motions, batches.iter().copied());
        let tensions = parts_of(&mut self.tensions, batches.iter().copied());
        batches.par_iter().zip(motions).zip(tensions).for_each(|((&batch, motions), tensions)| {
            for (n, (motion, tension)) in motions.iter_mut().zip(tensions).enumerate() {
                let slot = batch as usize * BATCH + n;
                if !pressure.yields(slot, matter) {
                    (*motion, *tension) = (StrainMotion::default(), Tension::default());
                    continue;
                }
                let now = (present.shear)(slot);
                let ([vx, vy, vz], [ax, ay, az]) = (now.velocity.to_array(), now.acceleration.to_array());
                *motion = StrainMotion { velocity: [vx, vy, vz, 1.0], acceleration: [ax, ay, az, 0.0] };
                *tension = rows(&now.tension);
            }
        });
    }

    fn find_stresses(
        &mut self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        seconds: &(dyn Fn(usize) -> f64 + Sync),
        stresses: &mut [Stress],
    ) -> f64 {
        let law = |slot: usize| pressure.law_of(slot, matter);
        let mut tensions = std::mem::take(&mut self.tensions);
        let columns = active.of(stresses).into_par_iter().zip(active.of(&mut tensions));
        let parts = active.parts().zip(columns).map(|((_, slots), (stresses, tensions))| {
            if slots.iter().all(|&slot| self.motions[slot as usize].velocity[3] <= 0.0) {
                return self.forget(slots, &law, stresses);
            }
            self.strain(neighbours, slots, &law, seconds, stresses, tensions)
        });
        let lost: Vec<f64> = parts.collect();
        self.tensions = tensions;
        lost.into_iter().sum()
    }

    fn add(
        &self,
        surroundings: &Surroundings,
        slots: &[u32],
        _densities: &[Density],
        stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let Surroundings { pressure, neighbours, matter, .. } = *surroundings;
        let pulls = self.forces(neighbours, slots);
        for ((&slot, pull), force) in slots.iter().zip(pulls.iter().flatten()).zip(forces) {
            let slot = slot as usize;
            force.pairs += *pull / pressure.mass(matter.sources[slot]) as f32;
            force.shear_squared = stresses[slot].size_squared() as f32;
        }
    }

    fn elastic_energy(&self, pressure: &PressureForces, slot: usize, matter: &Matter, force: &Force) -> f64 {
        self.sheared(&pressure.law_of(slot, matter), force)
    }

    fn softened(&self, pressure: &PressureForces, source: u32, force: &Force, melted: (f32, f32)) -> f64 {
        let laws = pressure.body_law(source);
        self.sheared(&laws.at(melted.1), force) - self.sheared(&laws.at(melted.0), force)
    }

    fn memory(&self, particles: usize) -> usize {
        particles * (size_of::<StrainMotion>() + size_of::<Tension>() + size_of::<Stress>())
    }
}

/// T in the form of the loop.
fn rows(tension: &[[f32; 3]; 3]) -> Tension {
    let [[a, b, c], [d, e, f], [g, h, i]] = *tension;
    [[a, b, c, 1.0], [d, e, f, 0.0], [g, h, i, 0.0]]
}
