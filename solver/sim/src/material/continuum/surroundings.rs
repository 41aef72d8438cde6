//! What matter reaches past no wall, which thin walls are behind it, and what they part.

use super::cells::{CellPoints, Cells, Placing, Point, moving_axes};
use super::half_cells::{EDGE, MARGIN, block_of, in_block, number_in_block};
use super::islands::Patches;
use super::near_colliders::NearColliders;
use super::thin_walls::{LOOK, STEPS, ThinWalls, Turned};
use super::wall_blocks::Block;
use crate::boundary::Walls;
use crate::grid::cells_around;
use crate::union::Union;
use glam::{IVec3, Vec3};
use rustc_hash::FxHashMap;

/// The number of a half cell of a block among the block's own.
fn own_number(half: IVec3) -> usize {
    ((half.z * EDGE + half.y) * EDGE + half.x) as usize
}

/// The block of a half cell, and the half cell in it.
fn split(half: IVec3) -> (IVec3, IVec3) {
    let block = half.div_euclid(IVec3::splat(EDGE));
    (block, half - EDGE * block)
}

/// What lies around matter.
pub struct Surroundings<'a, F> {
    pub blocks: &'a F,
    pub walls: &'a Walls<'a>,
    pub placing: Placing,
}

/// Half cells that matter reaches, in blocks that are asked for.
#[derive(Default)]
pub struct Reached {
    all: Vec<IVec3>,
    /// By block, their numbers among all, from 1 on; 0 for those that are not reached.
    numbers: FxHashMap<IVec3, Box<[u32]>>,
}

impl Reached {
    /// Adds a half cell in a known block.
    fn add(&mut self, half: IVec3) {
        let (block, within) = split(half);
        let number = self.numbers.get_mut(&block).map(|all| &mut all[own_number(within)]);
        if let Some(number) = number.filter(|number| **number == 0) {
            self.all.push(half);
            *number = self.all.len() as u32;
        }
    }

    /// The number of a half cell among all.
    fn find(&self, half: IVec3) -> Option<u32> {
        let (block, within) = split(half);
        self.numbers.get(&block)?[own_number(within)].checked_sub(1)
    }

    fn has(&self, half: IVec3) -> bool {
        self.find(half).is_some()
    }

    /// The lowest and the highest along each axis.
    fn bounds(&self) -> (IVec3, IVec3) {
        let both = |(low, high): (IVec3, IVec3), half: &IVec3| (low.min(*half), high.max(*half));
        self.all.iter().fold((IVec3::MAX, IVec3::MIN), both)
    }
}

impl<'a, F: Fn(&IVec3) -> Option<&'a Block>> Surroundings<'a, F> {
    /// What of thin walls in some blocks counts as wall for matter that reaches some half cells.
    pub fn turned(&self, reached: &Reached, wanted: &[IVec3]) -> Vec<(IVec3, Turned)> {
        let is_reached = |half: IVec3| reached.has(self.in_plane(half));
        let (low, high) = reached.bounds();
        let may_reach = |half: IVec3| {
            let half = self.in_plane(half);
            half.cmpge(low - LOOK).all() && half.cmple(high + LOOK).all()
        };
        let turned = |at: &IVec3| {
            let block = (self.blocks)(at)?;
            let colliders = NearColliders { walls: self.walls, placing: self.placing, numbers: &block.near };
            let turned = block.thin.as_ref()?.behind(*at, &colliders, is_reached, may_reach);
            (!turned.0.is_empty()).then_some((*at, turned))
        };
        wanted.iter().filter_map(turned).collect()
    }

    /// The parts of an island that thin walls part, given what it reaches: of each particle the number of its part.
    /// None where all are one.
    pub fn parts(&self, cells: &Cells, reached: &Reached) -> Option<Vec<u32>> {
        let patches = Patches::of(cells.occupied.iter().map(|cell| cell.cell).filter(|cell| !self.is_thin(*cell)));
        let halves = reached.all.len() as u32;
        let mut union = Union::new(reached.all.len() + patches.all.len());
        patches.connect(|a, b| union.unite(halves + a, halves + b));
        for (number, &half) in (0..).zip(&reached.all) {
            if let Some(patch) = patches.find(half.div_euclid(IVec3::splat(2))) {
                union.unite(number, halves + patch);
            }
            for axis in self.axes() {
                let next = reached.find(half + IVec3::AXES[axis]);
                if let Some(next) = next.filter(|_| !self.are_parted(half, axis)) {
                    union.unite(number, next);
                }
            }
        }
        let numbers = union.numbered();
        let of_cell = |cell: &CellPoints| {
            let (patch, thin) = (patches.find(cell.cell), self.thin(&block_of(cell.cell)));
            let number = |point: &Point| {
                let node = patch.map(|patch| halves + patch);
                node.or_else(|| reached.find(self.half_of(point, cell.cell, thin)))
                    .map_or(0, |node| numbers[node as usize])
            };
            cells.of(cell).iter().map(number).collect::<Vec<_>>()
        };
        let parts: Vec<u32> = cells.occupied.iter().flat_map(of_cell).collect();
        parts.iter().any(|part| *part != parts[0]).then_some(parts)
    }

    fn thin(&self, block: &IVec3) -> Option<&'a ThinWalls> {
        (self.blocks)(block)?.thin.as_deref()
    }

    /// Whether a cell is in a block with thin walls.
    fn is_thin(&self, cell: IVec3) -> bool {
        self.thin(&block_of(cell)).is_some()
    }

    fn axes(&self) -> impl Iterator<Item = usize> {
        moving_axes(self.placing.is_flat)
    }

    /// The half cells at y = 0 stand for all in a plane.
    fn in_plane(&self, half: IVec3) -> IVec3 {
        if self.placing.is_flat { half.with_y(0) } else { half }
    }

    /// The half cells in and beside those of some blocks that have thin walls that particles reach past no wall; none
    /// where no block has any.
    pub fn reached(&self, cells: &Cells, wanted: &[IVec3]) -> Option<Reached> {
        let mut thin = wanted.iter().filter(|at| self.thin(at).is_some()).peekable();
        thin.peek()?;
        let mut reached = Reached::default();
        for at in thin.flat_map(|at| cells_around(*at)) {
            reached.numbers.entry(at).or_insert_with(|| vec![0; EDGE.pow(3) as usize].into());
        }
        for cell in &cells.occupied {
            let block = block_of(cell.cell);
            if reached.numbers.contains_key(&block) {
                let thin = self.thin(&block);
                for point in cells.of(cell) {
                    reached.add(self.half_of(point, cell.cell, thin));
                }
            }
        }
        let mut first = 0;
        for _ in 0..STEPS {
            let edge = first..reached.all.len();
            first = edge.end;
            edge.for_each(|number| self.reach_from(reached.all[number], &mut reached));
        }
        Some(reached)
    }

    /// The half cell in the open, before a thin wall, in or beside which a particle lies.
    fn half_of(&self, point: &Point, cell: IVec3, thin: Option<&ThinWalls>) -> IVec3 {
        let within = (2.0 * point.part).floor().min(Vec3::ONE);
        let half = 2 * cell + within.as_ivec3();
        let Some(thin) = thin else { return self.in_plane(half) };
        let block = EDGE * block_of(cell);
        let place = thin.place(in_block(half - block));
        let before = place.map_or(half, |place| place.side_of(point.part - (within + 0.5) / 2.0));
        let is_within = (before - block).cmpge(IVec3::splat(1 - MARGIN as i32)).all()
            && (before - block).cmplt(IVec3::splat(EDGE + MARGIN as i32 - 1)).all();
        self.in_plane(if is_within { before + thin.way_out(before - block) } else { before })
    }

    /// Adds the half cells that are reached from another in one step.
    fn reach_from(&self, half: IVec3, reached: &mut Reached) {
        for axis in self.axes() {
            let along = IVec3::AXES[axis];
            for (low, other) in [(half, half + along), (half - along, half - along)] {
                if !reached.has(other) && !self.are_parted(low, axis) {
                    reached.add(other);
                }
            }
        }
    }

    /// Whether a wall lies between a half cell and the next along an axis.
    fn are_parted(&self, half: IVec3, axis: usize) -> bool {
        let (block, within) = split(half);
        let Some(block) = (self.blocks)(&block) else { return false };
        match &block.thin {
            Some(walls) => walls.are_parted(in_block(within), axis),
            None => self.is_covered(half) || self.is_covered(half + IVec3::AXES[axis]),
        }
    }

    /// Whether the middle of a half cell lies in a wall.
    fn is_covered(&self, half: IVec3) -> bool {
        let cell = half.div_euclid(IVec3::splat(2));
        let IVec3 { x, y, z } = half - 2 * cell;
        let block = (self.blocks)(&block_of(cell));
        let wall = block.and_then(|block| block.cells[number_in_block(cell)].as_ref());
        wall.is_some_and(|wall| wall.of_half((x + 2 * y + 4 * z) as usize).0 <= 0.0)
    }
}
