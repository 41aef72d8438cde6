//! Forces and torques of sheets.

use super::sheet::{Sheet, sheets};
use crate::SmoothingKernel;
use crate::cost::Cause;
use crate::laws::bond::BondGroup;
use crate::laws::curve::Curve;
use crate::laws::masses::Masses;
use crate::laws::sheet::{OrientedRow, SheetLaw, SheetOnOthers, SheetSums, Stiffness, Weave, is_sheet, layer};
use crate::laws::well::{Exponents, Well};
use crate::material::pressure::{PressureForces, h_over_bound_step, is_shock};
use crate::material::thermal::damping;
use crate::material::{FIRM, Force, Matter, Model, Now, PairSolver, Present, Surroundings, model, tag_and_velocity};
use crate::neighbours::{BATCH, BatchLists, Neighbours, apart};
use crate::pairs::{gather, take_rows};
use crate::particles::{Density, Stress};
use crate::timeline::BOUND_COURANT;
use dollop_scene::Scene;
use glam::Vec3;
use pulp::Arch;

/// The part of the longest stable leapfrog step that sheets allow.
const STABLE: f64 = 0.4;

/// Stand-in for the speed of sound, over the root of the sum of the curvatures around a particle by its mass, times h.
/// With it DG96 (8) gives [`STABLE`] of 2 / omega, where the square of the highest frequency omega of a hexagonal
/// lattice is that sum.
pub const SOUND: f32 = (BOUND_COURANT / (1.6 * 2.0 * STABLE)) as f32;

/// The square of a bending sheet's highest frequency is at most this multiple of the sums of its curvatures by places
/// and by turns.
const BENDING: f32 = 2.0;

/// Stand-in for the speed of sound, over the rate at which air slows a particle, times h: it gives steps of half of one
/// over that rate.
const AIR: f32 = (2.0 * BOUND_COURANT) as f32;

/// Damping of the differences of spins over that of velocities and the square of the distance of neighbours.
const SPIN_DAMPING: f64 = 0.1;

/// The normal and the spin of a particle of a sheet.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Facing {
    /// Unit normal.
    pub normal: Vec3,
    /// Angular velocity, rad/s.
    pub spin: Vec3,
}

/// Matter as sheets touch it.
#[derive(Debug, Clone, Copy)]
pub struct OtherMatter {
    /// Mass of a particle, kg.
    pub mass: f64,
    /// Square of the speed of sound, m^2/s^2; zero of matter that does not touch sheets by these forces.
    pub stiffness: f64,
}

impl OtherMatter {
    /// That of a material at a spacing, m.
    pub fn of(model: &dyn Model, spacing: f64) -> Self {
        Self { mass: model.rest_density() * model.particle_volume(spacing), stiffness: model.stiffness() }
    }

    /// The root of the depth of the well by which it is pushed away, J. The well's curvature matches the stiffness of
    /// the matter.
    pub fn root(&self) -> f32 {
        let Exponents { n, m } = CONTACT;
        (self.mass * self.stiffness / (f64::from(n) * f64::from(m))).sqrt() as f32
    }

    /// The row of a particle, given its damping over its mass, 1/s.
    fn row(&self, now: &Now, damping: f64) -> OrientedRow {
        let velocity = now.velocity.as_vec3();
        OrientedRow {
            motion: [velocity.x, velocity.y, velocity.z, (self.mass * damping / 2.0) as f32],
            normal: [0.0, 0.0, 0.0, BondGroup::None.number()],
            // Its sign tells it from sheets.
            spin: [0.0, 0.0, 0.0, -self.root()],
            ..OrientedRow::default()
        }
    }
}

/// Exponents of the well by which sheets push each other and other matter.
const CONTACT: Exponents = Exponents { n: 12, m: 6 };

/// One body's sheet as the loop takes it.
#[derive(Debug, Clone, Copy)]
struct SheetBody {
    sheet: Sheet,
    /// Half the damping of a pair, kg/s.
    half_damping: f32,
    root: f32,
    bend: [f32; 4],
}

/// The sheets of one scene.
#[derive(Debug)]
pub struct SheetSolver {
    /// The sheet of each body; none for other matter.
    bodies: Vec<Option<SheetBody>>,
    /// The contact properties of each body's matter as non-sheet matter.
    others: Vec<OtherMatter>,
    /// Twice the drag of a particle over the square of its speed along its normal, kg/m.
    air: f32,
    curves: Vec<Curve>,
    woven: Vec<Option<Weave>>,
    contact: Curve,
    /// The well that holds joined sheets.
    joint: Curve,
    smoothing_length: f64,
    /// Damping of a pair, kg/s, by mass and speed.
    damping: f64,
    /// The square of the distance of neighbours, m^2, times [`SPIN_DAMPING`].
    spin_damping: f32,
    /// Constant of the [layer](layer) weight, 1/h^2.
    layer: f32,
    /// The smoothing length over the distance of neighbours.
    wide: f32,
    several: bool,
    arch: Arch,
    rows: Vec<OrientedRow>,
    /// Whether each batch holds any particle of a sheet.
    of_sheets: Vec<bool>,
}

/// The well that holds joined sheets, at a distance of nearest neighbours, m.
pub fn joint_well(nearest: f64) -> Well {
    Well::in_sheet(CONTACT, nearest)
}

/// The well by whose inner side sheets push each other and other matter away.
pub fn contact_well(nearest: f64) -> Well {
    let mut well = joint_well(nearest);
    well.core = CORE * nearest;
    well
}

/// Where the core of contact begins, in distances of nearest neighbours. Inside it soft matter stiffens as the load
/// requires.
const CORE: f64 = 0.5;

/// Drag of a flat plate across its face (Hoerner 1965): the force over the dynamic pressure and the area.
const DRAG: f64 = 1.17;

/// The force of sheets on a particle.
#[derive(Debug, Clone, Copy, Default)]
pub struct SheetForce {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// The dissipative part of it, m/s^2.
    pub dissipation: Vec3,
    /// Angular acceleration, rad/s^2.
    pub turn: Vec3,
    /// The dissipative part of it, rad/s^2.
    pub turn_dissipation: Vec3,
    /// Its share of the energy, J.
    pub energy: f32,
    /// Stand-in for the speed of sound in DG96 (8), m/s.
    pub sound: f32,
    /// The largest of the sound, the damping and the drag of the air, m/s.
    pub signal_speed: f32,
    /// Acceleration by the air, m/s^2.
    pub air: Vec3,
}

impl SheetSolver {
    /// The solver for the sheets of a scene and the matter that they touch; none where no body is a sheet.
    pub fn of(scene: &Scene, kernel: &SmoothingKernel) -> Option<Self> {
        let spacing = scene.particle_spacing;
        let models = || scene.bodies.iter().map(|body| model(&body.material));
        let others = models().map(|model| {
            let other = OtherMatter::of(model, spacing);
            // Forces of their own act between sheets and matter on a grid.
            if model.moves_on_grid() { OtherMatter { stiffness: 0.0, ..other } } else { other }
        });
        let bodies = sheets(scene, kernel).into_iter().zip(others).collect();
        Self::new(kernel, spacing, bodies, scene.ambient.density)
    }

    /// The solver for the sheet and the contact matter of each body, in air of some density, kg/m^3.
    fn new(
        kernel: &SmoothingKernel,
        spacing: f64,
        bodies: Vec<(Option<Sheet>, OtherMatter)>,
        air_density: f64,
    ) -> Option<Self> {
        let (h, damping) = (kernel.smoothing_length(), damping(kernel, spacing));
        let nearest = crate::lattice::nearest(spacing);
        let (joint, contact) = (Curve::new(&joint_well(nearest), h), Curve::new(&contact_well(nearest), h));
        let (sheets, others): (Vec<Option<Sheet>>, Vec<OtherMatter>) = bodies.into_iter().unzip();
        let several = sheets.len() > 1;
        let curve = |sheet: &Option<Sheet>| sheet.map_or(joint, |sheet| Curve::new(&sheet.well, h));
        sheets.iter().any(Option::is_some).then(|| Self {
            curves: sheets.iter().map(curve).collect(),
            woven: sheets.iter().map(|sheet| sheet.as_ref().and_then(Sheet::weave)).collect(),
            bodies: sheets.into_iter().map(|sheet| sheet.map(|sheet| SheetBody::new(sheet, damping))).collect(),
            others,
            air: (DRAG * air_density * super::area(spacing)) as f32,
            contact,
            joint,
            smoothing_length: h,
            damping,
            spin_damping: (SPIN_DAMPING * nearest * nearest) as f32,
            layer: layer(nearest, h) as f32,
            wide: (h / nearest) as f32,
            several,
            arch: Arch::new(),
            rows: Vec::new(),
            of_sheets: Vec::new(),
        })
    }

    /// Sums of the forces of sheets, and of other matter where there is some, on slots of one batch, the first of them
    /// first.
    fn sums<const SEVERAL: bool>(
        &self,
        lists: &BatchLists,
        slots: &[u32],
        &Matter { sources, numbers, ties, .. }: &Matter,
        masses: Option<Masses>,
    ) -> [SheetSums; BATCH] {
        let Self { rows, curves, woven, layer, wide, contact, joint, .. } = self;
        let (layer, wide) = (*layer, *wide);
        let sheets =
            SheetLaw::<SEVERAL> { rows, curves, layer, wide, contact, joint, sources, numbers, ties, woven, masses };
        let mut sums = gather(self.arch, &sheets, lists, slots);
        if SEVERAL {
            let of_others = gather(self.arch, &SheetOnOthers { rows, layer, contact, masses }, lists, slots);
            for ((&slot, sums), of_other) in slots.iter().zip(&mut sums).zip(of_others) {
                if !is_sheet(&rows[slot as usize]) {
                    *sums = of_other;
                }
            }
        }
        sums
    }

    /// Forces and torques on some slots of one batch, the first of them first, among matter that was
    /// [taken](PairSolver::take), and the sums behind them.
    fn forces(
        &self,
        neighbours: &Neighbours,
        slots: &[u32],
        matter: &Matter,
        masses: Option<Masses>,
    ) -> Option<[(SheetForce, SheetSums); BATCH]> {
        let of = |slot: u32| self.bodies[matter.sources[slot as usize] as usize].as_ref();
        let lists = neighbours.lists_of(slots);
        let own = slots[0] / BATCH as u32;
        if !lists.near().iter().chain([&own]).any(|&batch| self.of_sheets[batch as usize]) {
            return None;
        }
        let sums = if self.several {
            self.sums::<true>(lists, slots, matter, masses)
        } else {
            self.sums::<false>(lists, slots, matter, masses)
        };
        let mut forces = [(SheetForce::default(), SheetSums::default()); BATCH];
        for ((&slot, sums), force) in slots.iter().zip(sums).zip(&mut forces) {
            let share = matter.share(slot as usize);
            let force_of = |body: &SheetBody| self.force(body, share, &sums, &self.rows[slot as usize]);
            let other = || self.push(&self.others[matter.sources[slot as usize] as usize], &sums);
            *force = (of(slot).map_or_else(other, force_of), sums);
        }
        Some(forces)
    }

    /// The force of the sums on a particle of other matter.
    fn push(&self, other: &OtherMatter, sums: &SheetSums) -> SheetForce {
        let (h, mass) = (self.smoothing_length as f32, other.mass as f32);
        let sound = SOUND * (sums.stiffness.by_places / mass).sqrt();
        let dissipation = sums.drag * (-1.0 / mass);
        SheetForce {
            pairs: sums.force / (mass * h) + dissipation,
            dissipation,
            energy: sums.energy,
            sound,
            signal_speed: sound.max(sums.damping / (mass * self.damping as f32)),
            ..SheetForce::default()
        }
    }

    /// The force of the sums on a sheet particle with some mass share.
    fn force(&self, body: &SheetBody, share: f64, sums: &SheetSums, row: &OrientedRow) -> SheetForce {
        let (mass, inertia) = (body.sheet.mass * share, body.sheet.inertia * share);
        let (h, mass_of, mass) = (self.smoothing_length as f32, mass, mass as f32);
        // In very small sheets single precision cannot hold the inverse of the inertia.
        let turned = |torque: Vec3| (torque.as_dvec3() / inertia).as_vec3();
        let dissipation = sums.drag * (-1.0 / mass);
        let turn_dissipation = turned(sums.spin_drag * -self.spin_damping);
        let Stiffness { by_places, by_turns } = sums.stiffness;
        let lever = (f64::from(h * h) * mass_of / inertia) as f32;
        let sound = SOUND * ((by_places + BENDING * lever * by_turns) / mass).sqrt();
        let ([vx, vy, vz, _], [nx, ny, nz, _]) = (row.motion, row.normal);
        let (normal, across) = (Vec3::new(nx, ny, nz), nx * vx + ny * vy + nz * vz);
        // A grown sheet has more particles but the same area.
        let slowing = self.air * share as f32 * across.abs() / mass;
        let damping = sums.damping / (mass * self.damping as f32);
        SheetForce {
            pairs: sums.force / (mass * h) + dissipation,
            dissipation,
            turn: turned(sums.torque) + turn_dissipation,
            turn_dissipation,
            energy: sums.energy,
            sound,
            signal_speed: damping.max(sound).max(AIR * h * slowing),
            air: normal * (-0.5 * slowing * across),
        }
    }
}

impl PairSolver for SheetSolver {
    fn take(
        &mut self,
        pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    ) {
        let (mut rows, mut of_sheets) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.of_sheets));
        let place = neighbours.placing();
        take_rows(neighbours, batches, &mut rows, |slot, at, row| {
            let (now, source) = ((present.now)(slot), matter.sources[slot]);
            *at = place(now.position, now.tag);
            *row = if let Some(body) = &self.bodies[source as usize] {
                body.row(source, &now, (present.facing)(slot), matter.melted(slot), matter.share(slot) as f32)
            } else {
                let damping = self.damping * f64::from(pressure.law_of(slot, matter).viscosity);
                self.others[source as usize].row(&now, damping)
            };
            let is_felt = self.bodies[source as usize].is_some() || self.others[source as usize].stiffness > 0.0;
            row.place = if is_felt { *at } else { apart(*at) };
        });
        of_sheets.resize(rows.len().div_ceil(BATCH), false);
        for &batch in batches {
            let batch = batch as usize;
            let mut sources = matter.sources.iter().skip(batch * BATCH).take(BATCH);
            of_sheets[batch] = sources.any(|&source| self.bodies[source as usize].is_some());
        }
        (self.rows, self.of_sheets) = (rows, of_sheets);
    }

    fn add(
        &self,
        surroundings: &Surroundings,
        slots: &[u32],
        _densities: &[Density],
        _stresses: &[Stress],
        forces: &mut [Force; BATCH],
    ) {
        let Surroundings { neighbours, matter, masses, .. } = *surroundings;
        if !matter.shares.is_empty() {
            slots.iter().zip(&mut *forces).for_each(|(&slot, force)| lighten(force, matter.share(slot as usize)));
        }
        let sheets = self.forces(neighbours, slots, matter, masses);
        for ((sheet, sums), force) in sheets.iter().flatten().zip(forces) {
            add_sheet(sheet, sums, force);
        }
    }

    fn motion(&self, slot: usize) -> Option<(u8, Vec3)> {
        let OrientedRow { place, motion, .. } = self.rows[slot];
        Some(tag_and_velocity(place, motion))
    }

    fn causes(&self, surroundings: &Surroundings, slot: usize) -> Vec<(f32, Cause)> {
        let Surroundings { neighbours, matter, masses, .. } = *surroundings;
        let Some([(force, _), ..]) = self.forces(neighbours, &[slot as u32], matter, masses) else { return Vec::new() };
        vec![
            (h_over_bound_step(force.sound, 0.0), Cause::Sheet),
            (h_over_bound_step(force.signal_speed, 0.0), Cause::Viscosity),
        ]
    }

    fn elastic_energy(&self, _pressure: &PressureForces, _slot: usize, _matter: &Matter, force: &Force) -> f64 {
        f64::from(force.sheet_energy)
    }

    fn softened(&self, _pressure: &PressureForces, source: u32, force: &Force, melted: (f32, f32)) -> f64 {
        let left = |body: &SheetBody| f64::from(body.sheet.left(melted.1) / body.sheet.left(melted.0));
        self.bodies[source as usize].as_ref().map_or(0.0, |body| f64::from(force.sheet_energy) * (left(body) - 1.0))
    }

    fn inertia(&self, source: u32) -> f64 {
        self.bodies[source as usize].map_or(0.0, |body| body.sheet.inertia)
    }

    fn memory(&self, particles: usize) -> usize {
        let damped = self.bodies.iter().flatten().any(|body| body.sheet.damping > 0.0);
        particles * (size_of::<OrientedRow>() + if damped { super::DAMPING_MEMORY } else { 0 })
    }
}

impl SheetBody {
    fn new(sheet: Sheet, damping: f64) -> Self {
        let root = |value: f64| value.sqrt() as f32;
        let weights = &sheet.weights;
        Self {
            half_damping: (damping * sheet.mass * sheet.viscosity / 2.0) as f32,
            root: root(sheet.energy),
            bend: [
                root(weights.planarity),
                root(weights.normality),
                root(weights.circularity),
                weights.curvature as f32,
            ],
            sheet,
        }
    }

    /// The row of a particle with a molten part and a mass share.
    fn row(&self, source: u32, now: &Now, facing: Facing, melted: f32, share: f32) -> OrientedRow {
        let velocity = now.velocity.as_vec3();
        // A grown sheet is thinner but not weaker; otherwise growth would go on in one row until the sheet tears there.
        let left = self.sheet.left(melted).sqrt();
        let [planarity, normality, circularity, curvature] = self.bend;
        let with = |vector: Vec3, last: f32| [vector.x, vector.y, vector.z, last];
        OrientedRow {
            motion: with(velocity, self.half_damping * share),
            normal: with(facing.normal, BondGroup::Body(source).number()),
            spin: with(facing.spin, self.root * left),
            bend: [planarity * left, normality * left, circularity * left, curvature],
            ..OrientedRow::default()
        }
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
    force.meet(sums.tags);
    force.bound |= h_over_bound_step(sheet.sound, 0.0) > FIRM * force.h_over_step;
    force.shocked |= sheet.signal_speed > 0.0 && is_shock(sums.max_mu, sheet.signal_speed);
}
