//! Cells of broken matter, which push and do not pull: where they would bear tension they hold no pressure and need not
//! keep their volume, as if they were air.

use super::cells::{CellPoints, Cells, Point};
use super::scalars::{at_particles, sums_in_cells};
use super::walls::{NearWalls, WallCell};
use crate::grid::{Field, Flow, Level, Rows};
use crate::particles::Particles;
use glam::IVec3;

/// The mean damage of a cell that may come apart.
const BROKEN: f32 = 0.5;
/// How much of a cell must be filled for it to be pressed together.
const TOUCHES: f32 = 0.95;

/// The cells of an island that may come apart.
#[derive(Debug, Default)]
pub struct Cracks {
    cells: Vec<Crack>,
    /// Of particles before the step, or of what is around them where that is more; none where nothing has broken.
    pub damages: Vec<f32>,
}

#[derive(Debug)]
struct Crack {
    cell: IVec3,
    at: usize,
    /// Its number among the cells with particles.
    number: u32,
    damage: f32,
    is_open: bool,
}

impl Cracks {
    /// At first those are open that were not pressed in the step before.
    pub fn find(cells: &Cells, rows: &Rows, particles: &Particles, earlier: &Field, is_flat: bool) -> Self {
        let own = |point: &Point| particles.damages.get(point.slot as usize).copied();
        let damages: Vec<f32> = cells.points.iter().filter_map(own).collect();
        if damages.iter().all(|damage| *damage <= 0.0) {
            return Self::default();
        }
        let damages = around(cells, rows, &damages, is_flat);
        let crack = |(number, cell): (u32, &CellPoints)| {
            let own = &damages[cell.points.start as usize..cell.points.end as usize];
            let damage = own.iter().sum::<f32>() / own.len() as f32;
            let is_open = earlier[cell.at] <= 0.0;
            (damage > BROKEN).then_some(Crack { cell: cell.cell, at: cell.at, number, damage, is_open })
        };
        Self { cells: (0..).zip(&cells.occupied).filter_map(crack).collect(), damages }
    }

    fn open(&self) -> impl Iterator<Item = &Crack> {
        self.cells.iter().filter(|crack| crack.is_open)
    }

    /// The numbers of open cells among those with particles.
    pub fn open_numbers(&self) -> Vec<u32> {
        self.open().map(|crack| crack.number).collect()
    }

    /// Lets open cells go: nor does the viscosity of the matter beside them hold them. Returns the part of it that
    /// is kept in cells; none where all is.
    pub fn let_go(&self, level: &mut Level, viscous: &mut Field) -> Option<Field> {
        let mut kept = None;
        for crack in self.open() {
            level.full[crack.at] = 0.0;
            viscous[crack.at] *= 1.0 - crack.damage;
            kept.get_or_insert_with(|| vec![1.0; level.rows.len()])[crack.at] = 1.0 - crack.damage;
        }
        kept
    }

    /// Takes the pressure from open cells.
    pub fn release(&self, pressure: &mut Field) {
        self.open().for_each(|crack| pressure[crack.at] = 0.0);
    }

    /// Opens cells that bear tension in a flow, and closes those that it presses together in a step; `pace` is its
    /// seconds over the width of a cell, s/m. Returns whether there were any.
    pub fn revise(&mut self, level: &Level, flow: &Flow, filled: &Field, walls: &NearWalls, pace: f32) -> bool {
        let mut is_new = false;
        for crack in &mut self.cells {
            let should_open = if crack.is_open {
                let part = walls.at(crack.at).map_or(1.0, |wall| WallCell::of_cell(wall).1);
                filled[crack.at] + pace * inflow(level, flow, crack) < TOUCHES * part
            } else {
                flow.p[crack.at] <= 0.0
            };
            is_new |= should_open != crack.is_open;
            crack.is_open = should_open;
        }
        is_new
    }
}

/// Damages of particles, or those of what is around them where that is more broken: what is left whole between broken
/// matter holds nothing.
fn around(cells: &Cells, rows: &Rows, damages: &[f32], is_flat: bool) -> Vec<f32> {
    let brought: Vec<[f32; 2]> = damages.iter().map(|&damage| [damage, 1.0]).collect();
    let sums = sums_in_cells(cells, rows, &brought, is_flat);
    let [damaged, all] = sums.map(|field| at_particles(cells, rows, &field, is_flat));
    let around = damaged.iter().zip(&all).map(|(damaged, all)| damaged / all.max(f32::MIN_POSITIVE));
    damages.iter().zip(around).map(|(own, around)| own.max(around)).collect()
}

/// What flows into a cell, times a cell's area, m/s.
fn inflow(level: &Level, flow: &Flow, crack: &Crack) -> f32 {
    let through = |axis: usize, at: usize| flow.u[axis][at] * (1.0 - level.covered[axis][at]);
    let along = |axis: usize| {
        let high = level.rows.index(crack.cell + IVec3::AXES[axis]);
        through(axis, crack.at) - high.map_or(0.0, |high| through(axis, high))
    };
    (0..3).map(along).sum()
}
