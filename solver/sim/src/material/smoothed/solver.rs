//! Finds densities, then forces, of particles that press on each other.

use crate::boundary::Wall;
use crate::laws::count::Counts;
use crate::laws::density::Densities;
use crate::laws::forces::{ForceSums, Forces, Neighbour};
use crate::material::pressure::{PressureForces, PressureLaw};
use crate::material::{Force, Matter, Now};
use crate::neighbours::{Active, BATCH, BatchLists, Neighbours, PackedPosition, apart, parts_of};
use crate::pairs::{gather, take_rows};
use crate::particles::Density;
use crate::with_shape;
use dollop_scene::Kernel;
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;
use std::marker::PhantomData;

/// The solver of fluid matter for one scene.
#[derive(Debug)]
pub struct SmoothedSolver {
    kernel: Kernel,
    arch: Arch,
    rows: Vec<Neighbour>,
    /// Places of the slots for the density loop, if some matter is [apart] from fluid matter; else empty.
    places: Vec<PackedPosition>,
    /// Whether some matter is not fluid.
    some_apart: bool,
}

impl SmoothedSolver {
    /// A solver for matter with these forces of pressure.
    pub fn new(pressure: &PressureForces) -> Self {
        Self {
            kernel: pressure.kernel().kind(),
            some_apart: pressure.laws().iter().any(|law| !law.solid.fluid),
            arch: Arch::new(),
            rows: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Takes the present matter of some batches, between the walls of its last evaluation. The batches must include all
    /// that densities and forces read.
    pub fn take(
        &mut self,
        pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        now: impl Fn(usize) -> Now + Sync,
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let place = neighbours.placing();
        take_rows(neighbours, batches, &mut rows, |slot, at, row| {
            let Now { position, velocity, density, tag } = now(slot);
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

    fn take_places(&mut self, batches: &[u32], rows: &[Neighbour]) {
        self.places.resize(rows.len(), PackedPosition::default());
        let parts = parts_of(&mut self.places, batches.iter().copied());
        batches.par_iter().zip(parts).for_each(|(&batch, places)| {
            let from = batch as usize * BATCH;
            places.iter_mut().zip(&rows[from..]).for_each(|(place, row)| *place = row.place);
        });
    }

    /// Densities of the active slots, among the matter that was [taken](Self::take): DG96 (3), as a sum of volumes.
    pub fn find_densities(
        &mut self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        densities: &mut [Density],
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let columns = active.of(densities).into_par_iter().zip(active.of(&mut rows));
        active.parts().zip(columns).for_each(|((_, slots), (densities, rows))| {
            self.each_density(pressure, neighbours, slots, matter, |n, law, density, wall| {
                densities[n] = density;
                set_density(&mut rows[n], pressure, law, density, wall);
            });
        });
        self.rows = rows;
    }

    /// Finds densities for output alone, without matter having been taken for forces.
    pub fn tell_densities(
        &self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        densities: &mut [Density],
    ) {
        active.parts().zip(active.of(densities)).for_each(|((_, slots), densities)| {
            self.each_density(pressure, neighbours, slots, matter, |n, _, density, _| densities[n] = density);
        });
    }

    /// Calls `set` with the place in the batch, law, density and wall of each of some slots.
    fn each_density(
        &self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        mut set: impl FnMut(usize, &PressureLaw, Density, &Wall),
    ) {
        for (&slot, sum) in slots.iter().zip(self.density_sums(neighbours, slots)) {
            let slot = slot as usize;
            let (law, wall) = (&pressure.law_of(slot, matter), matter.walls.of(slot));
            set(slot % BATCH, law, pressure.pressed_density(law, sum, wall), wall);
        }
    }

    fn density_sums(&self, neighbours: &Neighbours, slots: &[u32]) -> [f32; BATCH] {
        let places = if self.places.is_empty() { neighbours.places() } else { &*self.places };
        let lists = neighbours.lists_of(slots);
        with_shape!(self.kernel, S => gather(self.arch, &Densities::<S> { places, shape: PhantomData }, lists, slots))
    }

    fn force_sums(&self, neighbours: &Neighbours, slots: &[u32]) -> [ForceSums; BATCH] {
        let lists = neighbours.lists_of(slots);
        with_shape!(self.kernel, S => gather(self.arch, &Forces::<S> { rows: &self.rows, shape: PhantomData }, lists, slots))
    }

    /// h over the longest step of a slot by sound, and the same by viscosity, m/s, after its
    /// [density](Self::find_densities) was found.
    pub fn h_over_steps(
        &self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        slot: usize,
        matter: &Matter,
    ) -> (f32, f32) {
        let (law, sums) = (pressure.law_of(slot, matter), self.force_sums(neighbours, &[slot as u32])[0]);
        pressure.signals(&law, self.rows[slot].matter[3], &sums).h_over_steps(sums.max_mu, &law)
    }

    /// Finds the forces on some slots of one batch, the first of them first, after their
    /// [densities](Self::find_densities) were found.
    pub fn forces(
        &self,
        pressure: &PressureForces,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        densities: &[Density],
        forces: &mut [Force; BATCH],
    ) {
        for ((&slot, sums), force) in slots.iter().zip(&self.force_sums(neighbours, slots)).zip(forces) {
            let slot = slot as usize;
            let law = pressure.law_of(slot, matter);
            // Other matter does not press on matter that is not fluid.
            let sums = if law.fluid { *sums } else { ForceSums { tags: sums.tags, ..ForceSums::default() } };
            let Neighbour { motion: [x, y, z, _], matter: [.., modulus], .. } = self.rows[slot];
            let wall = matter.walls.of(slot);
            *force = pressure.force(&law, densities[slot], wall, Vec3::new(x, y, z), modulus, &sums);
        }
    }

    /// Mean number of neighbours within the support, of the particles whose lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let law = Counts { places: neighbours.places() };
        let count = |lists: &BatchLists| {
            let slots: Vec<u32> = (lists.first as u32..).take(lists.len()).collect();
            gather(self.arch, &law, lists, &slots).iter().map(|&count| count as u64).sum::<u64>()
        };
        let total: u64 = neighbours.batches().par_iter().map(count).sum();
        let listed: usize = neighbours.batches().iter().map(BatchLists::len).sum();
        total as f64 / listed.max(1) as f64
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
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
