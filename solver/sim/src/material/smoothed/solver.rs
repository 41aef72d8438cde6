//! Finds densities, then forces, of all particles.

use super::{BodyLaw, Law};
use crate::boundary::Wall;
use crate::lattice::{Calibration, RestingRow};
use crate::laws::count::Counts;
use crate::laws::density::Densities;
use crate::laws::forces::{ForceSums, Forces, Neighbour, friction};
use crate::material::{Force, Matter, Now};
use crate::neighbours::{Active, BATCH, BatchLists, Neighbours, PackedPosition, apart, parts_of};
use crate::pairs::{gather, take_rows};
use crate::particles::Density;
use crate::timeline::{BOUND_COURANT, VISCOUS_COURANT};
use crate::{SmoothingKernel, with_shape};
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;
use std::marker::PhantomData;

/// Neighbours that approach each other at the speed of sound over this number, or faster, make a shock.
const SHOCK: f32 = 2.0;

/// The solver of this material for one scene.
#[derive(Debug)]
pub struct SmoothedSolver {
    kernel: SmoothingKernel,
    calibration: Calibration,
    /// Volume of a particle at rest, m^3.
    volume: f64,
    /// A wall's part of the density of a row that rests on it, over rest density.
    resting: f32,
    laws: Vec<BodyLaw>,
    arch: Arch,
    rows: Vec<Neighbour>,
    /// Places of the slots for the density loop, if some matter is [apart] from fluid matter; else empty.
    places: Vec<PackedPosition>,
    /// Whether some matter is not fluid.
    some_apart: bool,
    /// The factor by which steps by viscosity are shorter than those of [`VISCOUS_COURANT`], where a particle has many
    /// neighbours.
    viscous: f32,
    /// Whether compressed matter counts as at rest density.
    settled: bool,
}

impl SmoothedSolver {
    /// A solver for bodies with these laws.
    pub fn new(kernel: SmoothingKernel, spacing: f64, laws: impl IntoIterator<Item = impl Into<BodyLaw>>) -> Self {
        let calibration = Calibration::new(&kernel, spacing);
        let laws: Vec<BodyLaw> = laws.into_iter().map(Into::into).collect();
        Self {
            kernel,
            calibration,
            resting: (calibration.factor * RestingRow::new(&kernel, spacing).share) as f32,
            volume: spacing.powi(3),
            some_apart: laws.iter().any(|law| !law.solid.fluid),
            laws,
            arch: Arch::new(),
            rows: Vec::new(),
            places: Vec::new(),
            viscous: friction(&kernel, spacing).max(1.0) as f32,
            settled: false,
        }
    }

    /// The range of the forces between particles, m.
    pub fn support(&self) -> f64 {
        self.kernel.support()
    }

    /// Sets the laws of all bodies, and returns the previous ones.
    pub fn replace_laws(&mut self, laws: Vec<BodyLaw>) -> Vec<BodyLaw> {
        std::mem::replace(&mut self.laws, laws)
    }

    /// Sets whether compressed matter counts as at rest density, as it will be once settled.
    pub fn take_for_settled(&mut self, settled: bool) {
        self.settled = settled;
    }

    /// The laws of all bodies.
    pub fn laws(&self) -> &[BodyLaw] {
        &self.laws
    }

    /// The law of a body while it is solid.
    pub fn law(&self, source: u32) -> &Law {
        &self.laws[source as usize].solid
    }

    /// The laws of a body, solid and molten.
    pub fn body_law(&self, source: u32) -> &BodyLaw {
        &self.laws[source as usize]
    }

    /// The law of a slot's matter at its molten part.
    pub fn law_of(&self, slot: usize, matter: &Matter) -> Law {
        self.laws[matter.sources[slot] as usize].at(matter.melted(slot))
    }

    /// Whether a slot's matter has strength.
    pub fn yields(&self, slot: usize, matter: &Matter) -> bool {
        self.laws[matter.sources[slot] as usize].yield_stress(matter.melted(slot)) > 0.0
    }

    /// Elastic energy, J, that a particle of a body gains when its molten part changes.
    pub fn softened(&self, source: u32, density: Density, melted: (f32, f32)) -> f64 {
        self.laws[source as usize].gain(density, melted) * self.volume
    }

    /// Elastic energy of a slot of the matter, J.
    pub fn elastic_energy(&self, slot: usize, matter: &Matter, density: Density) -> f64 {
        self.law_of(slot, matter).energy(density) * self.volume
    }

    /// Takes the present matter of some batches, between the walls of its last evaluation. The batches must include all
    /// that densities and forces read.
    pub fn take(
        &mut self,
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
            let fluid = self.laws[matter.sources[slot] as usize].solid.fluid;
            row.place = if fluid { *at } else { apart(*at) };
            row.motion = [velocity.x, velocity.y, velocity.z, 0.0];
            if let Some(density) = density {
                self.set_density(row, &self.law_of(slot, matter), density, matter.walls.of(slot));
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
        neighbours: &Neighbours,
        active: &Active,
        matter: &Matter,
        densities: &mut [Density],
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        let columns = active.of(densities).into_par_iter().zip(active.of(&mut rows));
        active.parts().zip(columns).for_each(|((_, slots), (densities, rows))| {
            self.each_density(neighbours, slots, matter, |n, law, density, wall| {
                densities[n] = density;
                self.set_density(&mut rows[n], law, density, wall);
            });
        });
        self.rows = rows;
    }

    /// Finds densities for output alone, without matter having been taken for forces.
    pub fn tell_densities(&self, neighbours: &Neighbours, active: &Active, matter: &Matter, densities: &mut [Density]) {
        active.parts().zip(active.of(densities)).for_each(|((_, slots), densities)| {
            self.each_density(neighbours, slots, matter, |n, _, density, _| densities[n] = density);
        });
    }

    /// Calls `set` with the place in the batch, law, density and wall of each of some slots.
    fn each_density(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        mut set: impl FnMut(usize, &Law, Density, &Wall),
    ) {
        for (&slot, sum) in slots.iter().zip(self.density_sums(neighbours, slots)) {
            let slot = slot as usize;
            let (law, wall) = (&self.law_of(slot, matter), matter.walls.of(slot));
            let density = self.density(law, sum, wall);
            let pressed = if self.settled { density.total.max(1.0) } else { 1.0 };
            set(slot % BATCH, law, density.over(pressed), wall);
        }
    }

    fn density_sums(&self, neighbours: &Neighbours, slots: &[u32]) -> [f32; BATCH] {
        let places = if self.places.is_empty() { neighbours.places() } else { &*self.places };
        let lists = neighbours.lists_of(slots);
        with_shape!(self.kernel.kind(), S => gather(self.arch, &Densities::<S> { places, shape: PhantomData }, lists, slots))
    }

    fn force_sums(&self, neighbours: &Neighbours, slots: &[u32]) -> [ForceSums; BATCH] {
        let lists = neighbours.lists_of(slots);
        with_shape!(self.kernel.kind(), S => gather(self.arch, &Forces::<S> { rows: &self.rows, shape: PhantomData }, lists, slots))
    }

    /// h over the longest step of a slot by sound, and the same by viscosity, m/s, after its
    /// [density](Self::find_densities) was found.
    pub fn h_over_steps(&self, neighbours: &Neighbours, slot: usize, matter: &Matter) -> (f32, f32) {
        let (law, sums) = (self.law_of(slot, matter), self.force_sums(neighbours, &[slot as u32])[0]);
        self.signals(&law, self.rows[slot].matter[3], &sums).h_over_steps(sums.max_mu, &law)
    }

    /// Finds the forces on some slots of one batch, the first of them first, after their
    /// [densities](Self::find_densities) were found.
    pub fn forces(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        densities: &[Density],
        forces: &mut [Force; BATCH],
    ) {
        for ((&slot, sums), force) in slots.iter().zip(&self.force_sums(neighbours, slots)).zip(forces) {
            let slot = slot as usize;
            let law = self.law_of(slot, matter);
            // Other matter does not press on matter that is not fluid.
            let sums = if law.fluid { *sums } else { ForceSums { tags: sums.tags, ..ForceSums::default() } };
            *force = self.force((&law, densities[slot], matter.walls.of(slot)), &self.rows[slot], &sums);
        }
    }

    /// Finds the forces of walls alone, for matter without pressure between particles, from tags and velocities, m/s.
    pub fn wall_forces(
        &self,
        slots: &[u32],
        matter: &Matter,
        densities: &[Density],
        motion: impl Fn(usize) -> (u8, Vec3),
        forces: &mut [Force; BATCH],
    ) {
        // All particles of a body that touch no wall have the same force.
        let mut free: Option<(u32, Force)> = None;
        for (&slot, force) in slots.iter().zip(forces) {
            let slot = slot as usize;
            let (source, (tag, velocity)) = (matter.sources[slot], motion(slot));
            *force = match free {
                Some((of, force)) if of == source && matter.walls.of(slot).share == 0.0 => force,
                _ => self.wall_force(slot, velocity, matter, densities),
            };
            if matter.walls.of(slot).share == 0.0 {
                free = Some((source, *force));
            }
            force.tags = (tag, tag);
        }
    }

    fn wall_force(&self, slot: usize, velocity: Vec3, matter: &Matter, densities: &[Density]) -> Force {
        let (law, wall) = (&self.law_of(slot, matter), matter.walls.of(slot));
        // Solid matter presses on walls by their part of its density.
        let density = Density { held: self.density(law, 0.0, wall).held, ..densities[slot] };
        let mut row = Neighbour { motion: [velocity.x, velocity.y, velocity.z, 0.0], ..Neighbour::default() };
        self.set_density(&mut row, law, density, wall);
        self.force((law, density, wall), &row, &ForceSums::default())
    }

    fn density(&self, law: &Law, sum: f32, wall: &Wall) -> Density {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let matter = self.calibration.own as f32 + factor * sum;
        let (part, adhesive) = self.wall_parts(wall);
        let held = if law.fluid {
            law.backing().density(matter, adhesive)
        } else {
            // As in a row at rest on a wall, whatever matter is around it.
            1.0 - self.resting + part
        };
        Density { total: law.backing().density(matter, part), held }
    }

    /// The walls' part of a particle's density, and the part of the walls that its matter wets, over rest density.
    fn wall_parts(&self, wall: &Wall) -> (f32, f32) {
        let factor = self.calibration.factor as f32;
        (factor * wall.share, factor * wall.adhesive_share)
    }

    /// The signal speeds of matter of a local modulus, Pa. Next to stiffer matter, light matter has the stiffer
    /// modulus.
    fn signals(&self, law: &Law, modulus: f32, sums: &ForceSums) -> Signals {
        let sound = (modulus.max(sums.max_modulus) / law.rest_density).sqrt();
        let viscosity = law.viscosity.max(sums.max_viscosity);
        Signals { sound, viscosity: if law.bonded { viscosity } else { self.viscous * viscosity } }
    }

    /// Sets the columns of a row besides place and velocity.
    fn set_density(&self, row: &mut Neighbour, law: &Law, density: Density, wall: &Wall) {
        let (wall, adhesive) = self.wall_parts(wall);
        let backing = law.backing();
        row.motion[3] = if law.fluid {
            law.push(density.total) * backing.by_matter(wall) + law.pull(density.held) * backing.by_matter(adhesive)
        } else {
            0.0
        };
        let (half_density, mass) = (0.5 * law.rest_density * density.total, law.rest_density * self.volume as f32);
        let modulus = law.local_modulus(density) * backing.by_matter(wall) + law.stiffening();
        let viscosity = if law.bonded { 0.0 } else { law.viscosity };
        row.matter = [half_density, mass, 0.5 * viscosity, modulus];
    }

    fn force(&self, (law, density, wall): (&Law, Density, &Wall), row: &Neighbour, sums: &ForceSums) -> Force {
        let (volume, factor) = (self.volume as f32, self.calibration.factor as f32);
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let mass = law.rest_density * volume;
        let terms = self.wall_terms(law, density, wall);
        let (push, hold) =
            (wall.gradient * (-volume * factor * terms.0), wall.adhesive_gradient * (-volume * factor * terms.1));
        let [vx, vy, vz, _] = row.motion;
        let velocity = Vec3::new(vx, vy, vz);
        let push = push / mass;
        let (impact, approach) = self.impact(law, velocity, wall, push);
        let signals = self.signals(law, row.matter[3], sums);
        Force {
            pairs: sums.pressure * (-slope * volume * volume / mass) - sums.viscosity * slope,
            walls: push + hold / mass + impact,
            dissipation: impact - sums.viscosity * slope,
            wall_push: push + impact,
            wall_pressure: volume * factor * terms.0 / mass,
            wall_power: volume * factor * terms.0 * wall.closing,
            weight: law.weight(density) as f32,
            pressure: self.virial_pressure(density, sums.virial, terms, wall),
            density_rate: self.density_rate(law, density, sums.density_rate * (slope * volume), velocity, wall),
            h_over_step: signals.h_over_step(sums.max_mu.max(approach), law),
            tags: sums.tags,
            shocked: is_shock(sums.max_mu, signals.sound.max(signals.viscosity)),
            depth: 0.0,
            bound: false,
            shear_squared: 0.0,
            ..Force::default()
        }
    }

    /// Derivatives of a particle's elastic energy per volume at rest by the walls' parts of its density, Pa.
    fn wall_terms(&self, law: &Law, density: Density, wall: &Wall) -> (f32, f32) {
        let (part, adhesive) = self.wall_parts(wall);
        let backing = law.backing();
        (
            law.push(law.pressed(density)) * backing.by_wall(density.total, part),
            law.pull(density.held) * backing.by_wall(density.held, adhesive),
        )
    }

    /// Pressure that a particle's forces carry, Pa: the virial of its halves of the pair forces and of the walls'
    /// forces, over its volume. On the lattice of the density calibration it equals the pressure of the state equation.
    /// In the packing of settled matter only the virial balances the weight above.
    fn virial_pressure(&self, density: Density, pairs: f32, (push, pull): (f32, f32), wall: &Wall) -> f32 {
        let factor = self.calibration.factor as f32;
        let strength = factor * (self.kernel.normalization() * self.volume) as f32;
        let walls = factor * (push * wall.dilation + pull * wall.adhesive_dilation);
        let dimensions = self.kernel.dimension_count() as f32;
        density.total * (walls - strength * pairs / 2.0) / dimensions
    }

    /// Rates of a particle's densities, 1/s, by that of the sum over its neighbours.
    fn density_rate(&self, law: &Law, density: Density, pairs: f32, velocity: Vec3, wall: &Wall) -> Density {
        let (factor, backing) = (self.calibration.factor as f32, law.backing());
        let (part, adhesive) = self.wall_parts(wall);
        let growth = factor * (wall.gradient.dot(velocity) + wall.closing);
        let adhesive_growth = factor * wall.adhesive_gradient.dot(velocity - wall.velocity);
        let total = backing.by_matter(part) * pairs + backing.by_wall(density.total, part) * growth;
        let held = if law.fluid {
            backing.by_matter(adhesive) * pairs + backing.by_wall(density.held, adhesive) * adhesive_growth
        } else {
            growth
        };
        Density { total, held }
    }

    /// The deceleration of matter that hits a wall, m/s^2, and its approach speed, m/s: DG96 (5) between the particle
    /// and the like matter that the wall stands for. Without it a lone particle would bounce for ever, as its push is
    /// the gradient of an energy. Matter that does not rebound is also slowed as it leaves, but never held.
    fn impact(&self, law: &Law, velocity: Vec3, wall: &Wall, push: Vec3) -> (Vec3, f32) {
        if wall.steepness <= 0.0 {
            return (Vec3::ZERO, 0.0);
        }
        // The rate of the wall share: the sliding of walls does not count, and each of several walls counts for itself.
        let speed = (velocity.dot(wall.gradient) + wall.closing) / wall.steepness;
        let (approach, factor) = (speed.max(0.0), self.calibration.factor as f32);
        if law.rebounds {
            return (wall.gradient * (-factor * (law.viscosity + 2.0 * approach) * approach), approach);
        }
        let viscosity = law.signal_speed(law.modulus) + 2.0 * approach;
        let impact = wall.gradient * (-factor * viscosity * speed);
        (if speed < 0.0 { impact.clamp_length_max(push.length()) } else { impact }, approach)
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

    /// Mass of a particle of a body, kg.
    pub fn mass(&self, source: u32) -> f64 {
        f64::from(self.law(source).rest_density) * self.volume
    }

    /// Memory of the rows, bytes.
    pub fn memory(&self, particles: usize) -> usize {
        particles * (size_of::<Neighbour>() + if self.some_apart { size_of::<PackedPosition>() } else { 0 })
    }
}

/// The signal speeds that bound the step of a particle by DG96 (8), m/s.
struct Signals {
    sound: f32,
    viscosity: f32,
}

impl Signals {
    /// DG96 (8) with errata 3 and 4: h over the longest step by sound, and by viscosity, m/s.
    fn h_over_steps(&self, max_mu: f32, law: &Law) -> (f32, f32) {
        if law.bonded {
            return (h_over_bound_step(self.sound, max_mu), h_over_bound_step(self.viscosity, max_mu));
        }
        let by_sound = courant_rule(self.sound, max_mu) / law.courant() as f32;
        (by_sound, h_over_viscous_step(self.viscosity, max_mu))
    }

    /// The shorter of the two.
    fn h_over_step(&self, max_mu: f32, law: &Law) -> f32 {
        let (by_sound, by_viscosity) = self.h_over_steps(max_mu, law);
        by_sound.max(by_viscosity)
    }
}

/// Whether neighbours approach each other, m/s, about as fast as signals or faster.
pub fn is_shock(max_mu: f32, signal_speed: f32) -> bool {
    SHOCK * max_mu > signal_speed
}

/// DG96 (8) with errata 3 and 4: h over the longest step by a viscosity, m/s.
fn h_over_viscous_step(viscosity: f32, max_mu: f32) -> f32 {
    courant_rule(viscosity, max_mu) / VISCOUS_COURANT as f32
}

/// The same for bonded matter, m/s.
pub fn h_over_bound_step(signal_speed: f32, max_mu: f32) -> f32 {
    courant_rule(signal_speed, max_mu) / BOUND_COURANT as f32
}

/// The divisor of DG96 (8), m/s.
fn courant_rule(signal_speed: f32, max_mu: f32) -> f32 {
    signal_speed + 0.6 * (signal_speed + 2.0 * max_mu)
}
