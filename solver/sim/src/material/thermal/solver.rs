//! Forces of bonds.

use super::bonds::{BodyBonds, Setting};
use crate::SmoothingKernel;
use crate::cost::Cause;
use crate::lattice::{RestingRow, distances};
use crate::laws::bond::{AlikeBonds, BondGroup, BondSums, Bonded, Bonds, Friction, Kind};
use crate::laws::curve::{Curve, damping_shape};
use crate::laws::masses::Masses;
use crate::laws::well::Well;
use crate::material::pressure::{PressureForces, h_over_bound_step, is_shock};
use crate::material::{FIRM, Force, Matter, Model, Now, PairSolver, Present, Surroundings, model, tag_and_velocity};
use crate::neighbours::{BATCH, Neighbours, apart, parts_of};
use crate::numbers::between;
use crate::pairs::{gather, take_rows};
use crate::particles::{Density, Membership, Stress};
use crate::timeline::BOUND_COURANT;
use dollop_scene::Scene;
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;

/// The part of the longest stable leapfrog step that bonds allow.
const STABLE: f64 = 0.4;

/// Stand-in for the speed of sound, over the root of the sum of the curvatures around a particle by its mass, times h.
/// With it DG96 (8) gives [`STABLE`] of 2 / omega, where the square of the highest frequency omega of a lattice is two
/// thirds of that sum.
const SOUND: f32 = (BOUND_COURANT / (1.6 * 2.0 * STABLE) * 0.816_496_580_927_726) as f32;

/// Bonds of the melt are at least this part as strong as the solid's; otherwise they would never grow again.
const WEAKEST: f64 = 1e-5;

/// A body's bonds as the loop takes them.
#[derive(Debug, Clone, Copy)]
struct BondedBody {
    bonds: BodyBonds,
    /// Mass of a particle, kg.
    mass: f64,
    /// Number of its well.
    well: usize,
    /// Energy, as a part of the dissociation energy, of the bonds that a row at rest on a wall lacks on the wall's
    /// side.
    lacking: f32,
    setting: Setting,
}

/// The bonds of one scene.
#[derive(Debug)]
pub struct BondSolver {
    /// The bonds of each body; none for bodies without bonds.
    bodies: Vec<Option<BondedBody>>,
    /// Whether each body neither bonds with matter that does nor rubs it: other solvers find the forces of sheets and
    /// of matter on a grid.
    strange: Vec<bool>,
    wells: Vec<Well>,
    curves: Vec<Curve>,
    /// Friction by well; empty where there is none.
    friction: Vec<Friction>,
    /// Whether friction acts.
    friction_acts: bool,
    smoothing_length: f64,
    /// Damping of a pair, kg/s, by mass and speed.
    damping: f64,
    /// A wall's share of the kernel sum of a row at rest on it.
    resting: f32,
    dimensions: f32,
    arch: Arch,
    /// Whether all matter is of one kind and stays so.
    alike: bool,
    /// Whether there are [pieces](crate::material::soft).
    pieces: bool,
    rows: Vec<Bonded>,
    /// The kind of each slot, or one for all.
    kinds: Vec<Kind>,
}

/// The force of adhesive walls on a particle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grip {
    /// Acceleration away from them, m/s^2.
    pub push: Vec3,
    /// Acceleration towards them, m/s^2.
    pub pull: Vec3,
    /// Energy as a part of the dissociation energy.
    depth: f32,
    /// Curvature of the energy by mass, 1/s^2.
    curvature: f32,
    /// Power of their motion on the energy, W.
    pub power: f32,
}

/// The force of bonds on a particle.
#[derive(Debug, Clone, Copy, Default)]
pub struct BondForce {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// The dissipative part of it, m/s^2.
    pub dissipation: Vec3,
    /// The force of adhesive walls.
    pub grip: Grip,
    /// Its share of the energy of bonds.
    pub depth: f32,
    /// Pressure of the bonds, Pa.
    pub pressure: f32,
    /// Stand-in for the speed of sound in DG96 (8), m/s.
    pub sound: f32,
    /// The larger of the sound and the damping, m/s.
    pub signal_speed: f32,
}

impl BondSolver {
    /// The solver for the bonds of the bodies of a scene; none where no body has bonds.
    pub fn of(scene: &Scene, kernel: &SmoothingKernel) -> Option<Self> {
        let models = || scene.bodies.iter().map(|body| model(&body.material));
        let strange = |model: &dyn Model| model.thickness().is_some() || model.moves_on_grid();
        let strange = models().map(strange).collect();
        Self::new(kernel, scene.particle_spacing, models().map(Model::bonds).collect(), strange, scene.heat.is_none())
    }

    /// The solver for the bonds of each body, given which bodies others neither bond with nor rub. `steady` tells that
    /// nothing melts.
    fn new(
        kernel: &SmoothingKernel,
        spacing: f64,
        bodies: Vec<Option<BodyBonds>>,
        strange: Vec<bool>,
        steady: bool,
    ) -> Option<Self> {
        let mut wells: Vec<Well> = Vec::new();
        let mut frictions: Vec<Friction> = Vec::new();
        let (volume, by_speed) = (spacing.powi(3), damping(kernel, spacing));
        let mut body = |bonds: BodyBonds| {
            let (solid, molten) = bonds.energies;
            let bonds = BodyBonds { energies: (solid, molten.max(WEAKEST * solid)), ..bonds };
            let mass = bonds.rest_density * volume;
            let friction = bonds.friction(mass * by_speed);
            let is_its = |(well, other): (&Well, &Friction)| well.exponents == bonds.exponents && *other == friction;
            let well = wells.iter().zip(&frictions).position(is_its).unwrap_or_else(|| {
                wells.push(Well::new(bonds.exponents, kernel, spacing));
                frictions.push(friction);
                wells.len() - 1
            });
            let lacking = wells[well].lacking(kernel, spacing) as f32;
            let setting = bonds.setting(&wells[well]);
            BondedBody { bonds, mass, well, lacking, setting }
        };
        let bodies: Vec<_> = bodies.into_iter().map(|bonds| bonds.map(&mut body)).collect();
        let smoothing_length = kernel.smoothing_length();
        (!wells.is_empty()).then(|| Self {
            curves: wells.iter().map(|well| Curve::new(well, smoothing_length)).collect(),
            alike: steady
                && matches!(&*bodies, [Some(BondedBody { bonds, .. })] if !bonds.divides && bonds.friction == 0.0),
            pieces: bodies.iter().flatten().any(|body| body.bonds.divides),
            bodies,
            strange,
            wells,
            friction: if frictions.iter().any(|friction| friction.by_speed > 0.0) { frictions } else { Vec::new() },
            friction_acts: true,
            smoothing_length,
            damping: by_speed,
            resting: RestingRow::new(kernel, spacing).share as f32,
            dimensions: kernel.dimension_count() as f32,
            arch: Arch::new(),
            rows: Vec::new(),
            kinds: Vec::new(),
        })
    }

    /// Its share of the energy of bonds, J, for a particle of a body at a molten part, given its
    /// [depth](BondForce::depth). At fixed depths the change of all shares is that of the energy of all bonds, where
    /// neighbours melt alike.
    pub fn energy(&self, source: u32, melted: f32, depth: f32) -> f64 {
        let of = |BondedBody { bonds, mass, .. }: BondedBody| mass * f64::from(depth) * bonds.energy(melted);
        self.bodies[source as usize].map_or(0.0, of)
    }

    /// Root of the dissociation energy of a slot's matter, and its kind.
    fn matter_of(&self, slot: usize, matter: &Matter) -> (f32, Kind) {
        let source = matter.sources[slot];
        let Some(BondedBody { bonds, mass, well, .. }) = &self.bodies[source as usize] else {
            return (0.0, [BondGroup::None.number(), 0.0, -1.0, 0.0]);
        };
        let melted = matter.melted(slot);
        let damping = between(bonds.damping, f64::from(melted)) * mass * self.damping;
        let root = (mass * bonds.energy(melted)).sqrt();
        let (group_of_other, weld) = if bonds.divides {
            let Membership { piece, lump, fused } = matter.membership(slot);
            (BondGroup::Piece(piece), if fused { BondGroup::lump(lump) } else { 0.0 })
        } else {
            (BondGroup::Body(source), matter.weld(slot))
        };
        (root as f32, [group_of_other.number(), (damping / 2.0) as f32, *well as f32, weld])
    }

    /// Sums over the bonds of some slots of one batch, the first of them first, among matter that was
    /// [taken](Self::take).
    pub fn sums(&self, neighbours: &Neighbours, slots: &[u32], masses: Option<Masses>) -> [BondSums; BATCH] {
        let (rows, kinds, lists) = (&*self.rows, &*self.kinds, neighbours.lists_of(slots));
        let (curves, pieces) = (&*self.curves, self.pieces);
        let friction = if self.friction_acts { &*self.friction } else { &[] };
        match (curves, kinds) {
            (&[curve, ..], &[[_, half_damping, ..], ..]) if self.alike => {
                gather(self.arch, &AlikeBonds { rows, curve, half_damping }, lists, slots)
            }
            ([_], _) => {
                gather(self.arch, &Bonds::<false> { rows, kinds, curves, friction, masses, pieces }, lists, slots)
            }
            _ => gather(self.arch, &Bonds::<true> { rows, kinds, curves, friction, masses, pieces }, lists, slots),
        }
    }

    /// The force of the sums and the walls on a slot's matter of some mass, kg, and volume, m^3.
    pub fn force(&self, slot: usize, sums: &BondSums, matter: &Matter, mass: f32, volume: f32) -> BondForce {
        let h = self.smoothing_length as f32;
        let dissipation = sums.drag * (-1.0 / mass);
        let half_damping = self.kinds[if self.alike { 0 } else { slot }][1].max(sums.half_damping);
        let damping = 2.0 * half_damping / (mass * self.damping as f32);
        let grip = self.grip(slot, matter, mass);
        let sound = SOUND * (sums.curvature / mass + grip.curvature * h * h).sqrt();
        BondForce {
            pairs: sums.force * (1.0 / (mass * h)) + dissipation,
            dissipation,
            grip,
            depth: sums.depth + grip.depth,
            pressure: sums.virial / (2.0 * self.dimensions * volume),
            sound,
            signal_speed: damping.max(sound),
        }
    }

    /// The force of adhesive walls on a slot, with the energy of the bonds that the matter lacks on their side. Matter
    /// that never melted does not stick, but for soft matter.
    fn grip(&self, slot: usize, matter: &Matter, mass: f32) -> Grip {
        let wall = matter.walls.of(slot);
        let Some(body) = self.bodies[matter.sources[slot] as usize] else { return Grip::default() };
        let weld = if body.bonds.divides { 1.0 } else { matter.weld(slot) };
        if !(wall.adhesive_share > 0.0 && weld > 0.0) {
            return Grip::default();
        }
        // Shares over that of a row at rest, where the energy y y_a - 2 y_a is least.
        let [y, y_a] = [wall.share, wall.adhesive_share].map(|share| share / self.resting);
        let [slope, slope_a] = [wall.gradient, wall.adhesive_gradient].map(|gradient| gradient / self.resting);
        let [_, _, _, root] = self.rows[slot].motion;
        let lacking = body.lacking * weld;
        let energy = root * root / mass * lacking;
        let push = (slope * y_a + slope_a * y) * -energy;
        Grip {
            push,
            pull: slope_a * (2.0 * energy),
            depth: lacking * (y - 2.0) * y_a,
            curvature: 2.0 * energy * slope.dot(slope_a).abs(),
            power: mass * energy * 2.0 * (y - 1.0) * y_a / y.max(f32::MIN_POSITIVE) * wall.closing / self.resting,
        }
    }

    /// Adds the force of the bonds of a slot.
    fn bind(&self, surroundings: &Surroundings, slot: usize, sums: &BondSums, density: Density, force: &mut Force) {
        let Surroundings { pressure, matter, .. } = *surroundings;
        let mass = pressure.mass(matter.sources[slot]) as f32;
        let volume = pressure.volume() as f32 / density.total.max(f32::MIN_POSITIVE);
        let bound = self.force(slot, sums, matter, mass, volume);
        force.pairs += bound.pairs;
        force.dissipation += bound.dissipation;
        force.walls += bound.grip.push + bound.grip.pull;
        force.wall_push += bound.grip.push;
        force.wall_power += bound.grip.power;
        force.pressure += bound.pressure;
        force.depth = bound.depth;
        force.h_over_step = force.h_over_step.max(h_over_bound_step(bound.signal_speed, sums.max_mu));
        force.meet(sums.tags);
        force.bound = h_over_bound_step(bound.sound, 0.0) > FIRM * force.h_over_step;
        force.shocked |= bound.signal_speed > 0.0 && is_shock(sums.max_mu, bound.signal_speed);
    }
}

impl PairSolver for BondSolver {
    fn take(
        &mut self,
        _pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    ) {
        let (mut rows, mut kinds) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.kinds));
        let place = neighbours.placing();
        let count = neighbours.places().len();
        rows.resize(count, Bonded::default());
        kinds.resize(if self.alike { 1 } else { count }, Kind::default());
        let mut root_of_all = None;
        if matter.sources.is_empty() {
            // Outflows may have removed all.
        } else if self.alike {
            let (root, kind) = self.matter_of(0, matter);
            root_of_all = Some(root);
            kinds.fill(kind);
        } else {
            let parts = parts_of(&mut rows, batches.iter().copied()).into_par_iter();
            let parts = parts.zip(parts_of(&mut kinds, batches.iter().copied()));
            batches.par_iter().zip(parts).for_each(|(&batch, (rows, kinds))| {
                for (slot, (row, kind)) in (batch as usize * BATCH..).zip(rows.iter_mut().zip(kinds)) {
                    (row.motion[3], *kind) = self.matter_of(slot, matter);
                }
            });
        }
        take_rows(neighbours, batches, &mut rows, |slot, at, row| {
            let Now { position, velocity, tag, .. } = (present.now)(slot);
            let Vec3 { x, y, z } = velocity.as_vec3();
            *at = place(position, tag);
            let place = if self.strange[matter.sources[slot] as usize] { apart(*at) } else { *at };
            *row = Bonded { place, motion: [x, y, z, root_of_all.unwrap_or(row.motion[3])] };
        });
        (self.rows, self.kinds) = (rows, kinds);
    }

    fn add(
        &self,
        surroundings: &Surroundings,
        slots: &[u32],
        densities: &[Density],
        _stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let sums = self.sums(surroundings.neighbours, slots, surroundings.masses);
        for ((&slot, sums), force) in slots.iter().zip(&sums).zip(forces) {
            self.bind(surroundings, slot as usize, sums, densities[slot as usize], force);
        }
    }

    fn motion(&self, slot: usize) -> Option<(u8, Vec3)> {
        let Bonded { place, motion } = self.rows[slot];
        Some(tag_and_velocity(place, motion))
    }

    fn causes(&self, surroundings: &Surroundings, slot: usize) -> Vec<(f32, Cause)> {
        let Surroundings { pressure, neighbours, matter, masses } = *surroundings;
        let mass = pressure.mass(matter.sources[slot]) as f32;
        let sums = self.sums(neighbours, &[slot as u32], masses);
        let force = self.force(slot, &sums[0], matter, mass, pressure.volume() as f32);
        vec![
            (h_over_bound_step(force.sound, 0.0), Cause::Bonds),
            (h_over_bound_step(force.signal_speed, 0.0), Cause::Viscosity),
        ]
    }

    fn elastic_energy(&self, _pressure: &PressureForces, slot: usize, matter: &Matter, force: &Force) -> f64 {
        self.energy(matter.sources[slot], matter.melted(slot), force.depth)
    }

    fn softened(&self, _pressure: &PressureForces, source: u32, force: &Force, melted: (f32, f32)) -> f64 {
        self.energy(source, melted.1, force.depth) - self.energy(source, melted.0, force.depth)
    }

    /// Friction does not act while matter settles: speeds have no meaning in pseudo time.
    fn set_settling(&mut self, settles: bool) {
        self.friction_acts = !settles;
    }

    fn separation(&self, source: u32) -> Option<f64> {
        self.bodies[source as usize].map(|body| self.wells[body.well].separation)
    }

    fn after_setting(&self, source: u32, melted: f32, seconds: f64) -> Option<f32> {
        self.bodies[source as usize].map(|body| body.setting.after(f64::from(melted), seconds) as f32)
    }

    fn setting_step(&self, source: u32) -> Option<f64> {
        self.bodies[source as usize].and_then(|body| body.setting.step())
    }

    fn memory(&self, particles: usize) -> usize {
        particles * (size_of::<Bonded>() + if self.alike { 0 } else { size_of::<Kind>() })
    }
}

/// Damping of a pair, kg/s, by the mass of a particle and the damping as a speed: matter on the lattice is then as
/// viscous as smoothed matter of that viscosity, DG96 (5), which only resists approach.
pub fn damping(kernel: &SmoothingKernel, spacing: f64) -> f64 {
    let h = kernel.smoothing_length();
    let (volume, soft) = (spacing.powi(3), 0.01 * h * h);
    let lattice = distances(kernel, spacing);
    let printed: f64 = lattice.iter().map(|&r| -volume * h * kernel.derivative(r) * r.powi(3) / (r * r + soft)).sum();
    let ours: f64 = lattice.iter().map(|&r| damping_shape((r / h).powi(2)) * r * r).sum();
    0.5 * printed / ours
}
