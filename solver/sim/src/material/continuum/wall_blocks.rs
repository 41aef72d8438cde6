//! The cells near walls, found in blocks. Those of walls that stand are kept from step to step.

use super::cells::{Cells, Placing};
use super::half_cells::{BLOCK, HALVES, HalfCells, block_of, middle_at, number_in_block};
use super::islands::{Island, split};
use super::near_colliders::NearColliders;
use super::surroundings::Surroundings;
use super::thin_walls::{ThinWalls, Turned};
use super::walls::{NearWalls, REACH, WallCell};
use crate::boundary::Walls;
use crate::grid::Rows;
use crate::particles::Particles;
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Blocks that are kept although no matter is there.
const MOST_KEPT: usize = 500;

/// The cells of a block, by z, y, x.
type BlockCells = Arc<[Option<WallCell>]>;

/// A block near walls.
#[derive(Debug)]
pub struct Block {
    pub cells: BlockCells,
    /// None where all walls are thick.
    pub thin: Option<ThinWalls>,
    /// Numbers of the colliders near it.
    pub near: Vec<usize>,
}

/// Blocks by place; none for those far from walls.
type Blocks = FxHashMap<IVec3, Option<Block>>;

/// What of thin walls counts as wall in a block.
type TurnedBlock = (IVec3, Turned);

/// Their cells.
type TurnedBlocks = FxHashMap<TurnedBlock, BlockCells>;

/// Cells near walls that stand, kept from step to step.
#[derive(Debug, Default)]
pub struct WallCells {
    blocks: Blocks,
    turned: TurnedBlocks,
}

impl WallCells {
    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let of = |block: &Block| {
            size_of_val(&*block.cells) + size_of_val(&*block.near) + block.thin.as_ref().map_or(0, ThinWalls::memory)
        };
        let turned = |((_, turned), cells): (&TurnedBlock, &BlockCells)| {
            size_of::<(TurnedBlock, BlockCells)>() + turned.memory() + size_of_val(&**cells)
        };
        self.blocks.values().flatten().map(of).sum::<usize>()
            + self.blocks.len() * size_of::<(IVec3, Option<Block>)>()
            + self.turned.iter().map(turned).sum::<usize>()
    }

    /// The islands of sorted particles with the walls near them, divided where thin walls part them.
    pub fn islands(
        &mut self,
        sorted: Vec<(Cells, Rows)>,
        particles: &Particles,
        walls: &Walls,
        placing: &Placing,
    ) -> Vec<Island> {
        let mut all: Vec<IVec3> = sorted.par_iter().flat_map_iter(|(_, rows)| blocks_of(rows)).collect();
        all.sort_unstable_by_key(IVec3::to_array);
        all.dedup();
        self.keep(&all, walls, placing);
        let moved = with_moving(&all, walls, placing);
        // Only of this step: what else is kept must not matter.
        let of_step = |at: &IVec3| Some((*at, moved.get(at).or_else(|| self.blocks.get(at))?.as_ref()?));
        let known: FxHashMap<IVec3, &Block> = all.iter().filter_map(of_step).collect();
        let blocks = |at: &IVec3| known.get(at).copied();
        let around = Surroundings { blocks: &blocks, walls, placing: *placing };
        let divided = sorted.into_par_iter().flat_map_iter(|island| divide(island, &around, particles, placing));
        let (divided, turned): (Vec<_>, Vec<_>) = divided.collect::<Vec<_>>().into_iter().unzip();
        let made = turned_blocks(&turned, &blocks, |key| self.turned.get(key).filter(|_| !moved.contains_key(&key.0)));
        let islands = divided.into_par_iter().zip(&turned).map(|((cells, rows), turned)| {
            let turned = turned.iter().filter_map(|key| Some((key.0, made.get(key)?)));
            let turned: FxHashMap<IVec3, &BlockCells> = turned.collect();
            let near = cells_near(&rows, |at| turned.get(at).copied().or_else(|| Some(&blocks(at)?.cells)));
            Island { cells, rows, near }
        });
        let islands = islands.collect();
        self.turned = made.into_iter().filter(|((at, _), _)| !moved.contains_key(at)).collect();
        islands
    }

    /// Keeps some blocks, and others only as long as they are few.
    fn keep(&mut self, wanted: &[IVec3], walls: &Walls, placing: &Placing) {
        let standing: Vec<usize> = (0..walls.count()).filter(|&number| walls.stands(number)).collect();
        if self.blocks.len() > MOST_KEPT + 2 * wanted.len() {
            self.blocks.retain(|at, _| wanted.binary_search_by_key(&at.to_array(), IVec3::to_array).is_ok());
        }
        let missing: Vec<IVec3> = wanted.iter().copied().filter(|block| !self.blocks.contains_key(block)).collect();
        let made: Vec<_> = missing.into_par_iter().map(|at| (at, block(at, walls, &standing, placing))).collect();
        self.blocks.extend(made);
    }
}

/// An island as the parts that thin walls part, with what of these counts as wall for each.
fn divide<'a>(
    (cells, rows): (Cells, Rows),
    around: &Surroundings<'a, impl Fn(&IVec3) -> Option<&'a Block>>,
    particles: &Particles,
    placing: &Placing,
) -> Vec<((Cells, Rows), Vec<TurnedBlock>)> {
    let wanted = blocks_of(&rows);
    let Some(reached) = around.reached(&cells, &wanted) else { return vec![((cells, rows), Vec::new())] };
    let Some(parts) = around.parts(&cells, &reached) else {
        return vec![((cells, rows), around.turned(&reached, &wanted))];
    };
    let part = |(cells, rows): (Cells, Rows)| {
        let wanted = blocks_of(&rows);
        let reached = around.reached(&cells, &wanted);
        let turned = reached.map_or_else(Vec::new, |reached| around.turned(&reached, &wanted));
        ((cells, rows), turned)
    };
    split(particles, &cells, &parts, placing).into_iter().map(part).collect()
}

/// The blocks that islands see turned, given what is known of them.
fn turned_blocks<'a>(
    all: &[Vec<TurnedBlock>],
    blocks: &(impl Fn(&IVec3) -> Option<&'a Block> + Sync),
    known: impl Fn(&TurnedBlock) -> Option<&'a BlockCells> + Sync,
) -> TurnedBlocks {
    let mut needed: Vec<&TurnedBlock> = all.iter().flatten().collect();
    needed.sort_unstable_by_key(|(at, turned)| (at.to_array(), turned));
    needed.dedup();
    let made = needed.into_par_iter().filter_map(|key| {
        let cells = known(key).cloned().or_else(|| Some(blocks(&key.0)?.thin.as_ref()?.turned(&key.1).into()))?;
        Some((key.clone(), cells))
    });
    made.collect::<Vec<_>>().into_iter().collect()
}

/// The blocks near walls that move, with all walls.
fn with_moving(all: &[IVec3], walls: &Walls, placing: &Placing) -> Blocks {
    let moving: Vec<usize> = (0..walls.count()).filter(|&number| !walls.stands(number)).collect();
    if moving.is_empty() {
        return Blocks::default();
    }
    let every: Vec<usize> = (0..walls.count()).collect();
    let near = all.par_iter().filter(|&&at| !near_block(at, walls, &moving, placing).is_empty());
    near.map(|&at| (at, block(at, walls, &every, placing))).collect::<Vec<_>>().into_iter().collect()
}

/// The active cells of some rows that are near walls, given the cells of blocks.
fn cells_near<'a>(rows: &Rows, block: impl Fn(&IVec3) -> Option<&'a BlockCells>) -> NearWalls {
    let mut near = NearWalls { numbers: vec![u32::MAX; rows.len()], cells: Vec::new() };
    for row in (0..rows.count()).filter(|&row| !rows.row(row).is_empty()) {
        let (span, [y, z], storage) = (rows.row(row).span(), rows.place(row), rows.storage(row));
        let mut x = span.start;
        while x < span.end {
            let at = block_of(IVec3::new(x, y, z));
            let end = ((at.x + 1) * BLOCK).min(span.end);
            if let Some(cells) = block(&at) {
                for x in x..end {
                    let cell = IVec3::new(x, y, z);
                    if let Some(wall) = cells[number_in_block(cell)] {
                        let at = storage.start + (x - span.start) as usize;
                        near.numbers[at] = near.cells.len() as u32;
                        near.cells.push((cell, at, wall));
                    }
                }
            }
            x = end;
        }
    }
    near
}

/// The blocks with active cells, sorted.
fn blocks_of(rows: &Rows) -> Vec<IVec3> {
    let mut all = Vec::new();
    for row in (0..rows.count()).filter(|&row| !rows.row(row).is_empty()) {
        let (span, [y, z]) = (rows.row(row).span(), rows.place(row).map(|at| at.div_euclid(BLOCK)));
        let along = span.start.div_euclid(BLOCK)..=(span.end - 1).div_euclid(BLOCK);
        all.extend(along.map(|x| IVec3::new(x, y, z)));
    }
    all.sort_unstable_by_key(IVec3::to_array);
    all.dedup();
    all
}

/// The colliders among some that are near a block.
fn near_block(at: IVec3, walls: &Walls, colliders: &[usize], placing: &Placing) -> Vec<usize> {
    let middle = placing.place((at * BLOCK).as_dvec3() + f64::from(BLOCK) / 2.0);
    let reach = (f64::from(BLOCK) * 0.87 + f64::from(REACH) + 1.0) * placing.width;
    let is_near =
        |number: usize| walls.at_least(number, middle) < reach && walls.signed_distance(number, middle) < reach;
    colliders.iter().copied().filter(|&number| is_near(number)).collect()
}

fn block(at: IVec3, walls: &Walls, colliders: &[usize], placing: &Placing) -> Option<Block> {
    let near = near_block(at, walls, colliders, placing);
    if near.is_empty() {
        return None;
    }
    let colliders = NearColliders { walls, placing: *placing, numbers: &near };
    let nearest = (0..HALVES.pow(3)).map(|half| colliders.nearest(middle_at(at, half)));
    let (distances, nearest): (Vec<f32>, Vec<u32>) = nearest.unzip();
    let distances = HalfCells(distances);
    let cells = distances.cells(&nearest).into();
    let thin = ThinWalls::find(at, distances, nearest, &colliders);
    Some(Block { cells, thin, near })
}

#[cfg(test)]
mod tests {
    use super::super::thin_walls::Behind;
    use super::*;

    /// What tells blocks apart takes as much memory as what is behind their walls.
    #[test]
    fn turned_blocks_count_with_their_keys() {
        let memory = |half_cells: usize| {
            let turned = Turned(vec![Behind::default(); half_cells]);
            let turned = TurnedBlocks::from_iter([((IVec3::ZERO, turned), Arc::from(Vec::new()))]);
            WallCells { turned, ..WallCells::default() }.memory()
        };
        assert_eq!(memory(100), memory(0) + 100 * 12);
        assert!(memory(0) > 0);
    }
}
