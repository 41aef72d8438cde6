//! All matter of a scene that moves on a grid, from step to step.

use super::advection::{Advection, Settled, lost};
use super::cells::{Cells, Placing, Point};
use super::contact::parts;
use super::flip::Flip;
use super::fluids::Fluids;
use super::group::advance_all;
use super::islands::{Groups, Island, SortedIslands, find_islands, split};
use super::law::Stretch;
use super::model::Fluid;
use super::pieces::{Hold, pieces};
use super::raised_walls::RaisedWalls;
use super::step::{Advanced, CELL, Step};
use super::wall_blocks::WallCells;
use crate::boundary::{Boundary, Impulses, Times, Walls};
use crate::grid::Rows;
use crate::kernel::Dimensions;
use crate::material::MatterSolver;
use crate::particles::Particles;
use glam::DVec3;
use rayon::prelude::*;
use tracing::trace_span;

/// Gravity on Earth, m/s^2.
const EARTH: f64 = 9.81;

/// All matter of a scene that moves on a grid.
#[derive(Debug)]
pub struct GridFlow {
    /// By body; none for matter that moves otherwise.
    pub(super) fluids: Vec<Option<Fluid>>,
    /// By body: matter of the same part has one velocity at a place.
    parts: Vec<u32>,
    spacing: f64,
    is_flat: bool,
    walls: WallCells,
    /// How far each particle may go without feeling a wall, m, by number.
    clear: Vec<f32>,
}

/// What a step is taken under.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// m/s^2.
    pub gravity: DVec3,
    /// Time at its start, s.
    pub start: f64,
    /// Its length, s.
    pub seconds: f64,
    /// How particles get their velocities.
    pub flip: Flip<'a>,
}

/// What a step did.
#[derive(Debug, Default)]
pub struct Stepped {
    /// On walls.
    pub impulses: Impulses,
    /// Energy that gravity gave the matter, J.
    pub work: f64,
    /// The slot of a particle whose place or velocity is no number.
    pub lost: Option<usize>,
}

impl GridFlow {
    /// The matter of some fluids, at a spacing, m, and with so many seconds between frames; none where there is no
    /// fluid.
    pub fn of(fluids: Vec<Option<Fluid>>, spacing: f64, dimensions: Dimensions, interval: f64) -> Option<Self> {
        let is_flat = dimensions == Dimensions::Two;
        let shown = |fluid: Option<Fluid>| fluid.map(|fluid| fluid.as_shown(CELL * spacing, interval));
        let fluids: Vec<Option<Fluid>> = fluids.into_iter().map(shown).collect();
        let any = fluids.iter().any(Option::is_some);
        let parts = parts_of(&fluids);
        any.then(|| Self { fluids, parts, spacing, is_flat, walls: WallCells::default(), clear: Vec::new() })
    }

    /// Forgets what it knows of particles by their numbers, which have changed.
    pub fn forget_numbers(&mut self) {
        self.clear.clear();
    }

    /// The fluids, as frames show them.
    pub fn fluids(&self) -> &[Option<Fluid>] {
        &self.fluids
    }

    /// Width of a cell, m.
    pub fn width(&self) -> f64 {
        CELL * self.spacing
    }

    /// Memory, bytes, for a number of particles.
    pub fn memory(&self, particles: usize) -> usize {
        const BYTES_A_CELL: usize = 1000;
        particles * (size_of::<Point>() + size_of::<f32>()) + particles / 8 * BYTES_A_CELL + self.walls.memory()
    }

    /// The particles of each island, by cells, and the rows of its grid.
    pub fn sort(&self, particles: &mut Particles) -> SortedIslands {
        let slots: Vec<u32> = (particles.paired as u32..particles.len() as u32).collect();
        let islands = self.sort_some(&slots, particles);
        if !are_scattered(&islands) {
            return islands;
        }
        particles.reorder_led(slots_of(&islands));
        self.sort_some(&slots, particles)
    }

    /// The same of the particles in some slots.
    pub fn sort_some(&self, slots: &[u32], particles: &Particles) -> SortedIslands {
        let _span = trace_span!("sort").entered();
        find_islands(particles, slots, &self.placing())
    }

    /// The islands of [sorted](Self::sort) particles, with the walls at the start of the step.
    pub fn islands(&mut self, sorted: SortedIslands, particles: &Particles, walls: &Walls) -> Vec<Island> {
        let _span = trace_span!("walls").entered();
        let placing = self.placing();
        self.walls.islands(sorted, particles, walls, &placing, &RaisedWalls::default())
    }

    /// The same with walls that sheets on them raise. What comes after must not find walls anew.
    pub fn raised(
        &mut self,
        islands: Vec<Island>,
        particles: &Particles,
        walls: &Walls,
        sheets: &[usize],
    ) -> Vec<Island> {
        let _span = trace_span!("walls").entered();
        let placing = self.placing();
        let raised = RaisedWalls::find(particles, sheets, walls, &placing);
        if raised.is_empty() {
            return islands;
        }
        let sorted = islands.into_iter().map(|Island { cells, rows, .. }| (cells, rows));
        self.walls.islands(sorted.collect(), particles, walls, &placing, &raised)
    }

    /// The same of bodies that touch, each apart, and of pieces of thick matter, in a step of some seconds.
    pub fn apart(&mut self, islands: Vec<Island>, particles: &Particles, walls: &Walls, seconds: f64) -> Vec<Island> {
        let parted = islands.par_iter().map(|island| self.parted(island, particles, seconds));
        let parted: Vec<Option<SortedIslands>> = parted.collect();
        if parted.iter().all(Option::is_none) {
            return islands;
        }
        let all = islands.into_iter().zip(parted);
        let sorted = all.flat_map(|(Island { cells, rows, .. }, parted)| parted.unwrap_or_else(|| vec![(cells, rows)]));
        self.islands(sorted.collect(), particles, walls)
    }

    /// An island as its bodies and their pieces; none if it is one.
    fn parted(&self, island: &Island, particles: &Particles, seconds: f64) -> Option<SortedIslands> {
        let placing = self.placing();
        let step = (seconds / placing.width) as f32;
        let come_apart = |cells: &Cells, rows: &Rows| {
            let found = pieces(cells, rows, &self.holds(cells, particles)?, step);
            found.map(|numbers| split(particles, cells, &numbers, &placing))
        };
        let Some(parts) = self.parts_of(&island.cells) else { return come_apart(&island.cells, &island.rows) };
        let bodies = split(particles, &island.cells, &parts, &placing).into_iter();
        Some(
            bodies.flat_map(|(cells, rows)| come_apart(&cells, &rows).unwrap_or_else(|| vec![(cells, rows)])).collect(),
        )
    }

    /// How the particles of an island hold each other; none if all of them are thin.
    fn holds(&self, cells: &Cells, particles: &Particles) -> Option<Vec<Hold>> {
        let amount = |of: &[f32], slot: usize| of.get(slot).copied().unwrap_or(0.0);
        let hold = |point: &Point| {
            let (slot, Particles { damages, melted, temperatures, .. }) = (point.slot as usize, particles);
            let Some(fluid) = &self.fluids[point.source as usize] else { return Hold::Thin };
            let least = self.least_thick(fluid.density, EARTH);
            Hold::of(fluid, point.source, [damages, melted, temperatures].map(|of| amount(of, slot)), least)
        };
        let holds: Vec<Hold> = cells.points.par_iter().with_min_len(1024).map(hold).collect();
        holds.iter().any(|hold| *hold != Hold::Thin).then_some(holds)
    }

    /// The parts of points; none where all are of the same.
    fn parts_of(&self, cells: &Cells) -> Option<Vec<u32>> {
        let of = |point: &Point| self.parts[point.source as usize];
        let first = of(cells.points.first()?);
        let is_mixed = cells.points.iter().any(|point| of(point) != first);
        is_mixed.then(|| cells.points.iter().map(of).collect())
    }

    /// Advances islands.
    pub fn step(
        &mut self,
        islands: Vec<Island>,
        particles: &mut Particles,
        boundary: &mut Boundary,
        matter: &MatterSolver,
        Conditions { gravity, start, seconds, flip }: Conditions,
    ) -> Stepped {
        let placing = self.placing();
        let begin = boundary.at(Times::At(start));
        let step = Step {
            fluids: Fluids::new(&self.fluids, self.volume(), seconds, placing.width),
            placing,
            walls: &begin,
            gravity: (gravity * seconds).as_vec3(),
            seconds,
            flip,
            thickness: self.thickness(),
        };
        let before = &*particles;
        let groups = Groups::of(&islands, &self.parts);
        let (advanced, fused) = advance_all(&step, islands, &groups, before);
        let _span = trace_span!("move").entered();
        let advection = Advection { width: placing.width, start, seconds, section: boundary.section() };
        let settled = advection.settle(&advanced, particles, &mut self.clear, boundary, matter);
        let mut stepped = Stepped::default();
        for (Advanced { impulses, handed, contacts, .. }, Settled { change, .. }) in advanced.iter().zip(&settled) {
            let mut own = change.impulses.clone();
            own.add_all(impulses);
            settle_account(&mut own, change.momentum - gravity * (seconds * change.mass) + handed, contacts);
            stepped.impulses.add_all(&own);
            stepped.work -= change.shift.dot(gravity);
        }
        stepped.lost = lost(&advanced, &settled);
        advection.move_all(&advanced, &settled, particles, &mut self.clear);
        for pair in fused {
            self.fuse(pair);
        }
        stepped
    }

    /// Makes two bodies one from now on, with all that are one with either.
    fn fuse(&mut self, bodies: [u32; 2]) {
        let [one, other] = bodies.map(|body| self.parts[body as usize]);
        let gone = one.max(other);
        self.parts.iter_mut().filter(|part| **part == gone).for_each(|part| *part = one.min(other));
    }

    /// Where bodies have become one, for each the number of the first of those that it is one with; none of a body that
    /// is one with all that it touches. Empty where none have.
    pub fn fused_bodies(&self) -> Vec<Option<u32>> {
        if self.parts == parts_of(&self.fluids) {
            return Vec::new();
        }
        self.parts.iter().map(|part| part.checked_sub(1)).collect()
    }

    /// The number of each body's part if any of them may become one, or else none.
    pub fn fusing(&self) -> &[u32] {
        if self.fluids.iter().any(|fluid| may_fuse(fluid.as_ref())) { &self.parts } else { &[] }
    }

    /// Whether these are numbers that bodies which have become one may have.
    pub fn may_be_fused(&self, parts: &[u32]) -> bool {
        let is_first = |part: u32| part == 0 || parts.get(part as usize - 1) == Some(&part);
        let may_be = |((part, own), fluid): ((&u32, &u32), &Option<Fluid>)| {
            part == own || part < own && may_fuse(fluid.as_ref()) && self.parts.contains(part) && is_first(*part)
        };
        parts.len() == self.fusing().len() && parts.iter().zip(&self.parts).zip(&self.fluids).all(may_be)
    }

    /// Goes on with the numbers of bodies' parts.
    pub fn take_over(&mut self, parts: &[u32]) {
        self.parts[..parts.len()].copy_from_slice(parts);
    }

    /// Where places lie among cells.
    pub fn placing(&self) -> Placing {
        Placing { width: self.width(), is_flat: self.is_flat }
    }

    /// Extent of the matter across the plane, or of a cell, m.
    fn thickness(&self) -> f64 {
        if self.is_flat { self.spacing } else { self.width() }
    }

    /// The stretch of a body's matter whose molten part changes.
    pub fn melt(&self, source: u32, stretch: Stretch, change: [f64; 2]) -> Stretch {
        self.fluids[source as usize].as_ref().map_or(stretch, |fluid| fluid.melt(stretch, change))
    }

    /// Volume of a particle over that of a cell.
    pub fn volume(&self) -> f64 {
        if self.is_flat { CELL.powi(-2) } else { CELL.powi(-3) }
    }

    /// Whether any body keeps its shape.
    pub fn keeps_shape(&self) -> bool {
        self.fluids.iter().flatten().any(|fluid| fluid.rheologies().any(|rheology| rheology.law.is_some()))
    }

    /// Whether any body breaks.
    pub fn breaks(&self) -> bool {
        self.fluids.iter().flatten().any(|fluid| fluid.fracture.is_some())
    }
}

/// Adds what the impulses on walls lack of those that the matter got, by Newton's third law: the walls' parts of it are
/// found on the grid, where the matter's mass is not quite that of its particles.
fn settle_account(impulses: &mut Impulses, given: DVec3, contacts: &[(u32, f64, DVec3)]) {
    let found: DVec3 = impulses.iter().map(|(_, impulse)| impulse.linear).sum();
    let all: f64 = contacts.iter().map(|(_, mass, _)| mass).sum();
    for (collider, mass, place) in contacts {
        impulses.add_to(*collider, *place, (given + found) * (mass / all));
    }
}

/// The parts of bodies of which none have fused.
fn parts_of(fluids: &[Option<Fluid>]) -> Vec<u32> {
    parts(fluids.iter().map(|fluid| fluid.is_some_and(|fluid| fluid.is_apart)))
}

/// Whether a body may become one with others.
fn may_fuse(fluid: Option<&Fluid>) -> bool {
    fluid.is_some_and(|fluid| fluid.is_apart && fluid.fusion_pressure.is_finite())
}

/// The slots of the particles of islands.
pub fn slots_of(islands: &SortedIslands) -> impl Iterator<Item = u32> {
    islands.iter().flat_map(|(cells, _)| cells.slots()).map(|slot| slot as u32)
}

/// Whether many particles lie elsewhere in memory than their neighbours in the order of cells.
fn are_scattered(islands: &[(Cells, Rows)]) -> bool {
    const FAR: u32 = 2048;
    let far = |cells: &Cells| cells.points.windows(2).filter(|two| two[0].slot.abs_diff(two[1].slot) > FAR).count();
    let (far, all) =
        islands.iter().fold((0, 0), |(far_ones, all), (cells, _)| (far_ones + far(cells), all + cells.points.len()));
    far * 16 > all
}
