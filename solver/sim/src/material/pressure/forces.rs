//! Forces of pressure on particles, by walls and by sums over neighbours.

use super::{BodyLaw, PressureLaw, Signals, is_shock};
use crate::SmoothingKernel;
use crate::boundary::Wall;
use crate::lattice::{Calibration, RestingRow};
use crate::laws::forces::{ForceSums, friction};
use crate::material::{Force, Matter};
use crate::neighbours::BATCH;
use crate::particles::Density;
use glam::Vec3;
use pulp::Arch;

/// The laws of all bodies of one scene, and the forces that follow from them.
#[derive(Debug)]
pub struct PressureForces {
    kernel: SmoothingKernel,
    arch: Arch,
    calibration: Calibration,
    /// Volume of a particle at rest, m^3.
    volume: f64,
    /// A wall's part of the density of a row that rests on it, over rest density.
    resting: f32,
    laws: Vec<BodyLaw>,
    /// The factor by which steps by viscosity are shorter than those of
    /// [`VISCOUS_COURANT`](crate::timeline::VISCOUS_COURANT), where a particle has many neighbours.
    viscous: f32,
    /// Whether compressed matter counts as at rest density.
    settled: bool,
}

impl PressureForces {
    /// Forces by these laws of bodies, for particles of a spacing, m.
    pub fn new(kernel: SmoothingKernel, spacing: f64, laws: impl IntoIterator<Item = impl Into<BodyLaw>>) -> Self {
        let calibration = Calibration::new(&kernel, spacing);
        Self {
            kernel,
            arch: Arch::new(),
            calibration,
            resting: (calibration.factor * RestingRow::new(&kernel, spacing).share) as f32,
            volume: spacing.powi(3),
            laws: laws.into_iter().map(Into::into).collect(),
            viscous: friction(&kernel, spacing).max(1.0) as f32,
            settled: false,
        }
    }

    /// The kernel of the sums over neighbours.
    pub fn kernel(&self) -> &SmoothingKernel {
        &self.kernel
    }

    /// The vector instructions of the machine, for sums over neighbours.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// The range of the forces between particles, m.
    pub fn support(&self) -> f64 {
        self.kernel.support()
    }

    /// Volume of a particle at rest, m^3.
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The laws of all bodies.
    pub fn laws(&self) -> &[BodyLaw] {
        &self.laws
    }

    /// Sets the laws of all bodies, and returns the previous ones.
    pub fn replace_laws(&mut self, laws: Vec<BodyLaw>) -> Vec<BodyLaw> {
        std::mem::replace(&mut self.laws, laws)
    }

    /// Sets whether compressed matter counts as at rest density, as it will be once settled.
    pub fn take_for_settled(&mut self, settled: bool) {
        self.settled = settled;
    }

    /// The law of a body while it is solid.
    pub fn law(&self, source: u32) -> &PressureLaw {
        &self.laws[source as usize].solid
    }

    /// The laws of a body, solid and molten.
    pub fn body_law(&self, source: u32) -> &BodyLaw {
        &self.laws[source as usize]
    }

    /// The law of a slot's matter at its molten part.
    pub fn law_of(&self, slot: usize, matter: &Matter) -> PressureLaw {
        self.laws[matter.sources[slot] as usize].at(matter.melted(slot))
    }

    /// Whether a slot's matter has strength.
    pub fn yields(&self, slot: usize, matter: &Matter) -> bool {
        self.laws[matter.sources[slot] as usize].yield_stress(matter.melted(slot)) > 0.0
    }

    /// Mass of a particle of a body, kg.
    pub fn mass(&self, source: u32) -> f64 {
        f64::from(self.law(source).rest_density) * self.volume
    }

    /// Elastic energy, J, that a particle of a body gains when its molten part changes.
    pub fn softened(&self, source: u32, density: Density, melted: (f32, f32)) -> f64 {
        self.laws[source as usize].gain(density, melted) * self.volume
    }

    /// Elastic energy of a slot of the matter, J.
    pub fn elastic_energy(&self, slot: usize, matter: &Matter, density: Density) -> f64 {
        self.law_of(slot, matter).energy(density) * self.volume
    }

    /// The [density](Self::density) that makes pressure: matter that counts as settled is at rest density where it is
    /// pressed.
    pub fn pressed_density(&self, law: &PressureLaw, sum: f32, wall: &Wall) -> Density {
        let density = self.density(law, sum, wall);
        let pressed = if self.settled { density.total.max(1.0) } else { 1.0 };
        density.over(pressed)
    }

    /// The density of a particle by the sum over its neighbours, at a wall: DG96 (3), as a sum of volumes.
    pub fn density(&self, law: &PressureLaw, sum: f32, wall: &Wall) -> Density {
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
    pub fn wall_parts(&self, wall: &Wall) -> (f32, f32) {
        let factor = self.calibration.factor as f32;
        (factor * wall.share, factor * wall.adhesive_share)
    }

    /// The local modulus of a particle at a wall, with the addition of strength, Pa.
    pub fn modulus(&self, law: &PressureLaw, density: Density, wall: &Wall) -> f32 {
        law.local_modulus(density) * law.backing().by_matter(self.wall_parts(wall).0) + law.stiffening()
    }

    /// The signal speeds of matter of a local modulus, Pa. Next to stiffer matter, light matter has the stiffer
    /// modulus.
    pub fn signals(&self, law: &PressureLaw, modulus: f32, sums: &ForceSums) -> Signals {
        let sound = (modulus.max(sums.max_modulus) / law.rest_density).sqrt();
        let viscosity = law.viscosity.max(sums.max_viscosity);
        Signals { sound, viscosity: if law.bonded { viscosity } else { self.viscous * viscosity } }
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
        self.force(law, density, wall, velocity, self.modulus(law, density, wall), &ForceSums::default())
    }

    /// The force on a particle of a density, velocity, m/s, and [modulus](Self::modulus) at a wall, by sums over its
    /// neighbours.
    pub fn force(
        &self,
        law: &PressureLaw,
        density: Density,
        wall: &Wall,
        velocity: Vec3,
        modulus: f32,
        sums: &ForceSums,
    ) -> Force {
        let (volume, factor) = (self.volume as f32, self.calibration.factor as f32);
        // Gradient of b W in units of q: b norm / h times the shape's slope.
        let slope = (self.calibration.factor * self.kernel.normalization() / self.kernel.smoothing_length()) as f32;
        let mass = law.rest_density * volume;
        let terms = self.wall_terms(law, density, wall);
        let (push, hold) =
            (wall.gradient * (-volume * factor * terms.0), wall.adhesive_gradient * (-volume * factor * terms.1));
        let push = push / mass;
        let (impact, approach) = self.impact(law, velocity, wall, push);
        let signals = self.signals(law, modulus, sums);
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
    fn wall_terms(&self, law: &PressureLaw, density: Density, wall: &Wall) -> (f32, f32) {
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
    fn density_rate(&self, law: &PressureLaw, density: Density, pairs: f32, velocity: Vec3, wall: &Wall) -> Density {
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
    fn impact(&self, law: &PressureLaw, velocity: Vec3, wall: &Wall, push: Vec3) -> (Vec3, f32) {
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
}
