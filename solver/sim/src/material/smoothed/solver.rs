//! Finds densities, then forces, of particles that press on each other.

use crate::boundary::Wall;
use crate::cost::Cause;
use crate::laws::forces::{ForceSums, Forces, Neighbour};
use crate::material::pressure::{PressureForces, PressureLaw};
use crate::material::{Force, Matter, Now, PairSolver, Present, Surroundings};
use crate::neighbours::{Active, BATCH, Neighbours, PackedPosition, apart, parts_of};
use crate::pairs::{gather, take_rows};
use crate::particles::{Density, Stress};
use crate::with_shape;
use glam::Vec3;
use rayon::prelude::*;
use std::marker::PhantomData;

/// The solver of fluid matter for one scene.
#[derive(Debug)]
pub struct SmoothedSolver {
    rows: Vec<Neighbour>,
    /// Places of the slots for the density loop, if some matter is [apart] from fluid matter; else empty.
    places: Vec<PackedPosition>,
    /// Whether some matter is not fluid.
    some_apart: bool,
}

impl SmoothedSolver {
    /// A solver for matter with these forces of pressure.
    pub fn new(pressure: &PressureForces) -> Self {
        Self { some_apart: pressure.laws().iter().any(|law| !law.solid.fluid), rows: Vec::new(), places: Vec::new() }
    }

    fn take_places(&mut self, batches: &[u32], rows: &[Neighbour]) {
        self.places.resize(rows.len(), PackedPosition::default());
        let parts = parts_of(&mut self.places, batches.iter().copied());
        batches.par_iter().zip(parts).for_each(|(&batch, places)| {
            let from = batch as usize * BATCH;
            places.iter_mut().zip(&rows[from..]).for_each(|(place, row)| *place = row.place);
        });
    }

    fn force_sums(&self, pressure: &PressureForces, neighbours: &Neighbours, slots: &[u32]) -> [ForceSums; BATCH] {
        let (kernel, arch, lists) = (pressure.kernel().kind(), pressure.arch(), neighbours.lists_of(slots));
        with_shape!(kernel, S => gather(arch, &Forces::<S> { rows: &self.rows, shape: PhantomData }, lists, slots))
    }
}

impl PairSolver for SmoothedSolver {
    fn take(
        &mut self,
        pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let place = neighbours.placing();
        take_rows(neighbours, batches, &mut rows, |slot, at, row| {
            let Now { position, velocity, density, tag } = (present.now)(slot);
            *at = place(position, tag);
            let velocity = velocity.as_vec3();
            let fluid = pressure.law(matter.sources[slot]).fluid;
            row.place = if fluid { *at } else { apart(*at) };
            row.motion = [velocity.x, velocity.y, velocity.z, 0.0];
            if let Some(density) = density {
                set_density(row, pressure, &pressure.law_of(slot, matter), density, matter.walls.of(slot));
            }
        });
        if self.some_apart {
            self.take_places(batches, &rows);
        }
        self.rows = rows;
    }

    /// DG96 (3), as a sum of volumes.
    fn find_densities(
        &mut self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        densities: &mut [Density],
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let columns = active.of(densities).into_par_iter().zip(active.of(&mut rows));
        let places = if self.places.is_empty() { neighbours.places() } else { &*self.places };
        active.parts().zip(columns).for_each(|((_, slots), (densities, rows))| {
            pressure.each_density(places, neighbours, slots, matter, |n, law, density, wall| {
                densities[n] = density;
                set_density(&mut rows[n], pressure, law, density, wall);
            });
        });
        self.rows = rows;
    }

    /// The first of all forces: there are none yet.
    fn add(
        &self,
        surroundings: &Surroundings,
        slots: &[u32],
        densities: &[Density],
        _stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let Surroundings { pressure, neighbours, matter, .. } = *surroundings;
        for ((&slot, sums), force) in slots.iter().zip(&self.force_sums(pressure, neighbours, slots)).zip(forces) {
            let slot = slot as usize;
            let law = pressure.law_of(slot, matter);
            // Other matter does not press on matter that is not fluid.
            let sums = if law.fluid { *sums } else { ForceSums { tags: sums.tags, ..ForceSums::default() } };
            let Neighbour { motion: [x, y, z, _], matter: [.., modulus], .. } = self.rows[slot];
            let wall = matter.walls.of(slot);
            *force = pressure.force(&law, densities[slot], wall, Vec3::new(x, y, z), modulus, &sums);
        }
    }

    fn causes(&self, surroundings: &Surroundings, slot: usize) -> Vec<(f32, Cause)> {
        let Surroundings { pressure, neighbours, matter, .. } = *surroundings;
        let (law, sums) = (pressure.law_of(slot, matter), self.force_sums(pressure, neighbours, &[slot as u32])[0]);
        let signals = pressure.signals(&law, self.rows[slot].matter[3], &sums);
        let (by_sound, by_viscosity) = signals.h_over_steps(sums.max_mu, &law);
        vec![(by_viscosity, Cause::Viscosity), (by_sound, Cause::Stiffness)]
    }

    fn memory(&self, particles: usize) -> usize {
        particles * (size_of::<Neighbour>() + if self.some_apart { size_of::<PackedPosition>() } else { 0 })
    }
}

/// Sets the columns of a row besides place and velocity.
fn set_density(row: &mut Neighbour, pressure: &PressureForces, law: &PressureLaw, density: Density, wall: &Wall) {
    let (part, adhesive) = pressure.wall_parts(wall);
    let backing = law.backing();
    row.motion[3] = if law.fluid {
        law.push(density.total) * backing.by_matter(part) + law.pull(density.held) * backing.by_matter(adhesive)
    } else {
        0.0
    };
    let half_density = 0.5 * law.rest_density * density.total;
    let mass = law.rest_density * pressure.volume() as f32;
    let viscosity = if law.bonded { 0.0 } else { law.viscosity };
    row.matter = [half_density, mass, 0.5 * viscosity, pressure.modulus(law, density, wall)];
}
