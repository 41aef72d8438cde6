//! Densities, then forces, of all particles.

use super::sums::{CountPairs, DensitySums, ForceSums, Neighbour, PairForces};
use super::{BodyLaw, Law};
use crate::boundary::{Wall, WallColumn};
use crate::lanes::dispatch;
use crate::lattice::Calibration;
use crate::neighbours::{Active, BATCH, BatchLists, Neighbours, parts_of};
use crate::particles::Density;
use crate::timeline::COURANT;
use crate::{SmoothingKernel, with_shape};
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

/// Neighbours that come upon each other at a speed of sound over this, or faster, make a shock.
const SHOCK: f32 = 2.0;

/// What acts on a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Force {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// Acceleration by walls, m/s^2.
    pub walls: Vec3,
    /// The part of both that takes energy instead of storing it: viscosity and the walls' damping, m/s^2.
    pub dissipation: Vec3,
    /// The part of the walls' that presses matter on them, which friction grows with, m/s^2.
    pub wall_push: Vec3,
    /// Power that moving walls do on the particle's elastic energy, W.
    pub wall_power: f32,
    /// Which part of gravity acts.
    pub weight: f32,
    /// Pressure that the forces carry, over that of the ambient air, Pa.
    pub pressure: f32,
    /// Rate of the densities, 1/s.
    pub density_rate: Density,
    /// h over the longest step by DG96 (8), m/s.
    pub h_over_step: f32,
    /// Lowest and highest tag of a [`Place`](crate::neighbours::Place) among the neighbours and the particle itself.
    pub tags: (u8, u8),
    /// Whether neighbours come upon it about as fast as sound or faster.
    pub shocked: bool,
}

/// The matter that is evaluated: one entry a slot.
#[derive(Debug)]
pub struct Matter<'a> {
    /// Bodies.
    pub sources: &'a [u32],
    /// Walls at the last evaluation; those of active slots where they are now.
    pub walls: &'a WallColumn,
    /// Which part of each has melted; empty where heat does not flow.
    pub melted: &'a [f32],
}

/// A particle as it is, or is expected to be, at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Density; none where it is going to be found.
    pub density: Option<Density>,
    /// Tag for its [`Place`](crate::neighbours::Place).
    pub tag: u8,
}

/// The solver of this material for one scene.
#[derive(Debug)]
pub struct SmoothedSolver {
    kernel: SmoothingKernel,
    calibration: Calibration,
    /// Volume of a particle at rest, m^3.
    volume: f64,
    laws: Vec<BodyLaw>,
    arch: Arch,
    rows: Vec<Neighbour>,
}

impl SmoothedSolver {
    /// A solver for bodies with these laws.
    pub fn new(kernel: SmoothingKernel, spacing: f64, laws: impl IntoIterator<Item = impl Into<BodyLaw>>) -> Self {
        Self {
            kernel,
            calibration: Calibration::new(&kernel, spacing),
            volume: spacing.powi(3),
            laws: laws.into_iter().map(Into::into).collect(),
            arch: Arch::new(),
            rows: Vec::new(),
        }
    }

    /// How far particles act on each other, m.
    pub fn support(&self) -> f64 {
        self.kernel.support()
    }

    /// Sets the laws of all bodies, and returns those of before.
    pub fn replace_laws(&mut self, laws: Vec<BodyLaw>) -> Vec<BodyLaw> {
        std::mem::replace(&mut self.laws, laws)
    }

    /// The laws of all bodies.
    pub fn laws(&self) -> &[BodyLaw] {
        &self.laws
    }

    /// The law of a body while it is solid.
    pub fn law(&self, source: u32) -> &Law {
        &self.laws[source as usize].solid
    }

    /// The law of a slot's matter as it is.
    fn law_of(&self, slot: usize, matter: &Matter) -> Law {
        self.laws[matter.sources[slot] as usize].at(matter.melted.get(slot).copied().unwrap_or(0.0))
    }

    /// Elastic energy, J, that a particle of a body gains when the part that has melted changes.
    pub fn softened(&self, source: u32, density: Density, melted: (f32, f32)) -> f64 {
        self.laws[source as usize].gain(density, melted) * self.volume
    }

    /// Elastic energy of a slot of the matter, J.
    pub fn elastic_energy(&self, slot: usize, matter: &Matter, density: Density) -> f64 {
        self.law_of(slot, matter).energy(density) * self.volume
    }

    /// Takes the matter of some batches as it is now, between the walls of its last evaluation. All batches that densities
    /// and forces read have to be among them.
    pub fn take(
        &mut self,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        now: impl Fn(usize) -> Now + Sync,
    ) {
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(neighbours.places().len(), Neighbour::default());
        let place = neighbours.placing();
        let parts = parts_of(&mut rows, batches.iter().copied());
        let looks = neighbours.looks(batches);
        batches.par_iter().zip(parts).zip(looks).for_each(|((&batch, rows), look)| {
            for (n, (row, at)) in rows.iter_mut().zip(&mut *look.places).enumerate() {
                let slot = batch as usize * BATCH + n;
                let Now { position, velocity, density, tag } = now(slot);
                *at = place(position, tag);
                let velocity = velocity.as_vec3();
                (row.place, row.motion) = (*at, [velocity.x, velocity.y, velocity.z, 0.0]);
                if let Some(density) = density {
                    self.set_density(row, &self.law_of(slot, matter), density, matter.walls.of(slot));
                }
            }
            look.done();
        });
        self.rows = rows;
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
            for (&slot, sum) in slots.iter().zip(self.density_sums(neighbours, slots)) {
                let (slot, n) = (slot as usize, slot as usize % BATCH);
                let (law, wall) = (&self.law_of(slot, matter), matter.walls.of(slot));
                densities[n] = self.density(law, sum, wall);
                self.set_density(&mut rows[n], law, densities[n], wall);
            }
        });
        self.rows = rows;
    }

    fn density_sums(&self, neighbours: &Neighbours, slots: &[u32]) -> [f32; BATCH] {
        let (places, lists) = (neighbours.places(), neighbours.lists_of(slots));
        with_shape!(self.kernel.kind(), S => dispatch(self.arch, DensitySums::<S>::new(places, lists, slots)))
    }

    /// Forces on some slots of one batch, the first of them first, after their [densities](Self::find_densities) were found.
    pub fn forces(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        densities: &[Density],
    ) -> [Force; BATCH] {
        let lists = neighbours.lists_of(slots);
        let sums = with_shape!(
            self.kernel.kind(),
            S => dispatch(self.arch, PairForces::<S>::new(&self.rows, lists, slots))
        );
        let mut forces = [Force::default(); BATCH];
        for ((&slot, sums), force) in slots.iter().zip(&sums).zip(&mut forces) {
            let slot = slot as usize;
            *force = self.force(slot, sums, &self.law_of(slot, matter), matter.walls.of(slot), densities[slot]);
        }
        forces
    }

    fn density(&self, law: &Law, sum: f32, wall: &Wall) -> Density {
        let factor = (self.calibration.factor * self.volume * self.kernel.normalization()) as f32;
        let matter = self.calibration.own as f32 + factor * sum;
        let (part, adhesive) = self.wall_parts(wall);
        Density { total: law.backing().density(matter, part), held: law.backing().density(matter, adhesive) }
    }

    /// What the walls and those that matter wets add to a particle's density, over rest density.
    fn wall_parts(&self, wall: &Wall) -> (f32, f32) {
        let factor = self.calibration.factor as f32;
        (factor * wall.share, factor * wall.adhesive_share)
    }

    /// Sets what a row holds besides place and velocity.
    fn set_density(&self, row: &mut Neighbour, law: &Law, density: Density, wall: &Wall) {
        let (wall, adhesive) = self.wall_parts(wall);
        let backing = law.backing();
        row.motion[3] =
            law.push(density.total) * backing.by_matter(wall) + law.pull(density.held) * backing.by_matter(adhesive);
        let (half_density, mass) = (0.5 * law.rest_density * density.total, law.rest_density * self.volume as f32);
        let modulus = law.local_modulus(density) * backing.by_matter(wall);
        row.matter = [half_density, mass, 0.5 * law.viscosity, modulus];
    }

    fn force(&self, slot: usize, sums: &ForceSums, law: &Law, wall: &Wall, density: Density) -> Force {
        let (volume, factor) = (self.volume as f32, self.calibration.factor as f32);
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let mass = law.rest_density * volume;
        let terms = self.wall_terms(law, density, wall);
        let (push, hold) =
            (wall.gradient * (-volume * factor * terms.0), wall.adhesive_gradient * (-volume * factor * terms.1));
        let [vx, vy, vz, _] = self.rows[slot].motion;
        let velocity = Vec3::new(vx, vy, vz);
        let (impact, approach) = self.impact(law, velocity, wall);
        let signal_speed = signal_speed(law, self.rows[slot].matter[3], sums);
        Force {
            pairs: sums.pressure * (-slope * volume * volume / mass) - sums.viscosity * slope,
            walls: (push + hold) / mass + impact,
            dissipation: impact - sums.viscosity * slope,
            wall_push: push / mass + impact,
            wall_power: volume * factor * terms.0 * wall.closing,
            weight: law.weight(density) as f32,
            pressure: self.virial_pressure(density, sums.virial, terms, wall),
            density_rate: self.density_rate(law, density, sums.density_rate * (slope * volume), velocity, wall),
            h_over_step: h_over_step(signal_speed, sums.max_mu.max(approach)),
            tags: sums.tags,
            shocked: SHOCK * sums.max_mu > signal_speed,
        }
    }

    /// Derivatives of a particle's elastic energy per volume at rest by the walls' parts of its density, Pa.
    fn wall_terms(&self, law: &Law, density: Density, wall: &Wall) -> (f32, f32) {
        let (part, adhesive) = self.wall_parts(wall);
        let backing = law.backing();
        (
            law.push(density.total) * backing.by_wall(density.total, part),
            law.pull(density.held) * backing.by_wall(density.held, adhesive),
        )
    }

    /// Pressure that a particle's forces carry, Pa: the virial of its halves of the pair forces and of the walls' forces,
    /// over its volume. On the lattice that the density is calibrated on it is the pressure of the state equation;
    /// settled matter is packed otherwise, and there only this one is in balance with the weight above.
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
        Density {
            total: backing.by_matter(part) * pairs + backing.by_wall(density.total, part) * growth,
            held: backing.by_matter(adhesive) * pairs + backing.by_wall(density.held, adhesive) * adhesive_growth,
        }
    }

    /// What a wall takes of the speed of matter that comes upon it, m/s^2, and that speed, m/s: DG96 (5) between the
    /// particle and the like matter that the wall stands for. Without it a lone particle would bounce for ever, as its
    /// push is the gradient of an energy.
    fn impact(&self, law: &Law, velocity: Vec3, wall: &Wall) -> (Vec3, f32) {
        if wall.steepness <= 0.0 {
            return (Vec3::ZERO, 0.0);
        }
        // How fast the share grows: walls that slide along themselves do not count, and several count each for its own.
        let speed = ((velocity.dot(wall.gradient) + wall.closing) / wall.steepness).max(0.0);
        let rate = (law.viscosity + 2.0 * speed) * self.calibration.factor as f32;
        (wall.gradient * (-rate * speed), speed)
    }

    /// Mean number of neighbours within the support, of those particles whose lists are made.
    pub fn mean_neighbours(&self, neighbours: &Neighbours) -> f64 {
        let places = neighbours.places();
        let count = |lists| dispatch(self.arch, CountPairs { places, lists });
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
        particles * size_of::<Neighbour>()
    }
}

/// max(c, speed of sound), m/s, for matter of a local modulus, Pa. Next to stiffer matter, light matter is as quick as that
/// makes it.
fn signal_speed(law: &Law, modulus: f32, sums: &ForceSums) -> f32 {
    let fastest = Law { viscosity: law.viscosity.max(sums.max_viscosity), ..*law };
    fastest.signal_speed(modulus.max(sums.max_modulus))
}

/// DG96 (8) with errata 3 and 4: h over the longest step, m/s.
fn h_over_step(signal_speed: f32, max_mu: f32) -> f32 {
    (signal_speed + 0.6 * (signal_speed + 2.0 * max_mu)) / COURANT as f32
}
