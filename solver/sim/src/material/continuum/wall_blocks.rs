//! The cells near walls, found in blocks and kept from step to step.

use super::cells::{Cells, Placing};
use super::half_cells::{BLOCK, block_of, number_in_block};
use super::islands::{Island, split};
use super::moving_blocks::MovingBlocks;
use super::near_colliders::NearColliders;
use super::raised_walls::RaisedWalls;
use super::surroundings::Surroundings;
use super::thin_walls::{ThinWalls, Turned};
use super::wall_distances::WallDistances;
use super::walls::{NearWalls, REACH, WallCell};
use crate::boundary::Walls;
use crate::grid::Rows;
use crate::particles::Particles;
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Weak};

/// Blocks that are kept although no matter is there.
const MOST_KEPT: usize = 500;

/// The cells of a block, by z, y, x.
type BlockCells = Arc<[Option<WallCell>]>;

/// A block near walls.
#[derive(Debug)]
pub struct Block {
    pub cells: BlockCells,
    /// None where all walls are thick.
    pub thin: Option<Arc<ThinWalls>>,
    /// Numbers of the colliders near it, first of those that stand.
    pub near: Vec<usize>,
}

/// Blocks by place; none for those far from walls.
type Blocks = FxHashMap<IVec3, Option<Block>>;

/// What of thin walls counts as wall in a block.
type TurnedBlock = (IVec3, Turned);

/// Their cells, and the walls that these were found for.
type TurnedBlocks = FxHashMap<TurnedBlock, (BlockCells, Weak<ThinWalls>)>;

/// Cells near walls, kept from step to step.
#[derive(Debug, Default)]
pub struct WallCells {
    /// Those near walls that stand alone.
    blocks: Blocks,
    moving: MovingBlocks,
    turned: TurnedBlocks,
    /// Distances in blocks with raised walls of which none moves.
    raised: FxHashMap<IVec3, WallDistances>,
    /// The most blocks that a step wanted, and that it saw turned.
    most_wanted: usize,
    most_turned: usize,
}

impl Block {
    /// The block at a place with some walls near it.
    pub fn of(at: IVec3, all: Arc<ThinWalls>, near: Vec<usize>, walls: &Walls, placing: &Placing) -> Self {
        let are_thin = all.are_thin(at, &NearColliders { walls, placing: *placing, numbers: &near });
        Self { cells: all.cells().into(), thin: are_thin.then_some(all), near }
    }

    /// The distances of the walls of the block at a place.
    fn distances(&self, at: IVec3, walls: &Walls, placing: &Placing) -> WallDistances {
        WallDistances::find(at, &NearColliders { walls, placing: *placing, numbers: &self.near })
    }

    /// Memory on the heap, bytes.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.cells) + size_of_val(&*self.near) + self.thin.as_ref().map_or(0, |thin| thin.memory())
    }
}

impl WallCells {
    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let turned = |((_, turned), (cells, _)): (&TurnedBlock, &(BlockCells, Weak<ThinWalls>))| {
            size_of::<(TurnedBlock, (BlockCells, Weak<ThinWalls>))>() + turned.memory() + size_of_val(&**cells)
        };
        self.blocks.values().flatten().map(Block::memory).sum::<usize>()
            + self.blocks.len() * size_of::<(IVec3, Option<Block>)>()
            + self.moving.memory()
            + self.turned.iter().map(turned).sum::<usize>()
            + self.raised.values().map(WallDistances::memory).sum::<usize>()
    }

    /// The islands of sorted particles with the walls near them, some of which are raised, divided where thin walls
    /// part them.
    pub fn islands(
        &mut self,
        sorted: Vec<(Cells, Rows)>,
        particles: &Particles,
        walls: &Walls,
        placing: &Placing,
        raised: &RaisedWalls,
    ) -> Vec<Island> {
        let mut all: Vec<IVec3> = sorted.par_iter().flat_map_iter(|(_, rows)| blocks_of(rows)).collect();
        all.sort_unstable_by_key(IVec3::to_array);
        all.dedup();
        self.keep(&all, walls, placing);
        if !raised.is_empty() {
            self.keep_raised(&all, walls, placing, raised);
        }
        // Only of this step: what else is kept must not matter.
        let of_step = |at: &IVec3| Some((*at, self.block(at)?));
        let known: FxHashMap<IVec3, &Block> = all.iter().filter_map(of_step).collect();
        let blocks = |at: &IVec3| known.get(at).copied();
        let around = Surroundings { blocks: &blocks, walls, placing: *placing };
        let divided = sorted.into_par_iter().flat_map_iter(|island| divide(island, &around, particles, placing));
        let (divided, turned): (Vec<_>, Vec<_>) = divided.collect::<Vec<_>>().into_iter().unzip();
        let made = turned_blocks(&turned, &blocks, &self.turned);
        let made_raised = self.raised_blocks(&turned, &known, raised, walls, placing);
        let islands = divided.into_par_iter().zip(&turned).map(|((cells, rows), turned)| {
            let turned: FxHashMap<IVec3, &TurnedBlock> = turned.iter().map(|key| (key.0, key)).collect();
            let near = cells_near(&rows, |at| {
                let turned = turned.get(at).copied();
                let raised = made_raised.get(&(*at, turned));
                let turned = || Some(&made.get(turned?)?.0);
                raised.or_else(turned).or_else(|| Some(&blocks(at)?.cells))
            });
            Island { cells, rows, near }
        });
        let islands = islands.collect();
        self.keep_turned(made);
        islands
    }

    /// The cells of the blocks of a step with raised walls, each as it stands and as islands see it turned.
    fn raised_blocks<'a>(
        &self,
        turned: &'a [Vec<TurnedBlock>],
        blocks: &FxHashMap<IVec3, &Block>,
        raised: &RaisedWalls,
        walls: &Walls,
        placing: &Placing,
    ) -> FxHashMap<(IVec3, Option<&'a TurnedBlock>), BlockCells> {
        let as_it_stands = blocks.keys().map(|at| (*at, None));
        let turned = turned.iter().flatten().map(|key| (key.0, Some(key)));
        let keys: FxHashSet<_> = as_it_stands.chain(turned).filter(|(at, _)| raised.reach(at)).collect();
        let made = keys.into_par_iter().filter_map(|(at, turned)| {
            let block = *blocks.get(&at)?;
            let found = || block.distances(at, walls, placing);
            let distances = match (&block.thin, turned) {
                (Some(thin), Some((_, turned))) => thin.turned_distances(turned),
                (Some(thin), None) => thin.distances().clone(),
                (None, _) => self.raised.get(&at).cloned().unwrap_or_else(found),
            };
            Some(((at, turned), raised.raise(at, &distances).cells().into()))
        });
        made.collect::<Vec<_>>().into_iter().collect()
    }

    /// Keeps the distances in blocks with raised walls that are all thick and do not move.
    fn keep_raised(&mut self, wanted: &[IVec3], walls: &Walls, placing: &Placing, raised: &RaisedWalls) {
        self.raised.retain(|at, _| raised.reach(at) && self.blocks.contains_key(at));
        let stands = |at: &IVec3| self.blocks.get(at)?.as_ref().filter(|block| block.thin.is_none());
        let missing = wanted.iter().filter(|at| raised.reach(at) && !self.raised.contains_key(at));
        let missing: Vec<_> = missing.filter_map(|at| Some((*at, stands(at)?))).collect();
        let made = missing.into_par_iter().map(|(at, block)| (at, block.distances(at, walls, placing)));
        self.raised.extend(made.collect::<Vec<_>>());
    }

    /// Keeps turned blocks, and those of before as long as they are few and what they were made of is kept.
    fn keep_turned(&mut self, made: TurnedBlocks) {
        self.most_turned = self.most_turned.max(made.len());
        if self.turned.len() > MOST_KEPT + 2 * self.most_turned {
            self.turned.clear();
        }
        self.turned.retain(|_, (_, walls)| walls.strong_count() > 0);
        self.turned.extend(made);
    }

    /// A block that is kept.
    fn block(&self, at: &IVec3) -> Option<&Block> {
        self.blocks.get(at).map_or_else(|| self.moving.get(at), Option::as_ref)
    }

    /// Keeps some blocks, each with those near walls that move or with the others, and more only as long as they are
    /// few.
    fn keep(&mut self, wanted: &[IVec3], walls: &Walls, placing: &Placing) {
        retain_wanted(&mut self.blocks, wanted, &mut self.most_wanted, MOST_KEPT);
        let (moving, standing): (Vec<usize>, Vec<usize>) =
            (0..walls.count()).partition(|&number| !walls.stands(number));
        let near = |&at: &IVec3| (at, near_block(at, walls, &moving, placing));
        let near: Vec<_> = wanted.par_iter().map(near).filter(|(_, near)| !near.is_empty()).collect();
        let mut missing: Vec<IVec3> = wanted.iter().copied().filter(|at| !self.blocks.contains_key(at)).collect();
        missing.retain(|at| near.binary_search_by_key(&at.to_array(), |(at, _)| at.to_array()).is_err());
        let missing: Vec<_> = missing.into_iter().map(|at| (at, self.moving.take_standing(&at))).collect();
        let made = missing.into_par_iter().map(|(at, known)| (at, block(at, known, walls, &standing, placing)));
        self.blocks.extend(made.collect::<Vec<_>>());
        self.moving.find(near, |at| self.blocks.remove(at)??.thin, walls, placing);
    }
}

/// Forgets blocks that are not wanted if there are too many, given the most that have been wanted: some matter takes
/// several steps in one of the rest, whose blocks are wanted again. The wanted ones are in order.
pub fn retain_wanted<T>(blocks: &mut FxHashMap<IVec3, T>, wanted: &[IVec3], most_wanted: &mut usize, more: usize) {
    *most_wanted = wanted.len().max(*most_wanted);
    if blocks.len() > more + 2 * *most_wanted {
        blocks.retain(|at, _| wanted.binary_search_by_key(&at.to_array(), IVec3::to_array).is_ok());
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

/// The blocks that islands see turned, given what is known of them for the same walls.
fn turned_blocks<'a>(
    all: &[Vec<TurnedBlock>],
    blocks: &(impl Fn(&IVec3) -> Option<&'a Block> + Sync),
    known: &TurnedBlocks,
) -> TurnedBlocks {
    let mut needed: Vec<&TurnedBlock> = all.iter().flatten().collect();
    needed.sort_unstable_by_key(|(at, turned)| (at.to_array(), turned));
    needed.dedup();
    let made = needed.into_par_iter().filter_map(|key| {
        let thin = blocks(&key.0)?.thin.as_ref()?;
        let is_same = |(_, walls): &&(BlockCells, Weak<ThinWalls>)| walls.as_ptr() == Arc::as_ptr(thin);
        let cells =
            known.get(key).filter(is_same).map_or_else(|| thin.turned(&key.1).into(), |(cells, _)| cells.clone());
        Some((key.clone(), (cells, Arc::downgrade(thin))))
    });
    made.collect::<Vec<_>>().into_iter().collect()
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
pub fn near_block(at: IVec3, walls: &Walls, colliders: &[usize], placing: &Placing) -> Vec<usize> {
    let middle = placing.place((at * BLOCK).as_dvec3() + f64::from(BLOCK) / 2.0);
    let reach = (f64::from(BLOCK) * 0.87 + f64::from(REACH) + 1.0) * placing.width;
    let is_near =
        |number: usize| walls.at_least(number, middle) < reach && walls.signed_distance(number, middle) < reach;
    colliders.iter().copied().filter(|&number| is_near(number)).collect()
}

/// The block at a place with some walls, whose distances may be known.
fn block(
    at: IVec3,
    known: Option<Arc<ThinWalls>>,
    walls: &Walls,
    colliders: &[usize],
    placing: &Placing,
) -> Option<Block> {
    let near = near_block(at, walls, colliders, placing);
    if near.is_empty() {
        return None;
    }
    let colliders = NearColliders { walls, placing: *placing, numbers: &near };
    let all = known.unwrap_or_else(|| ThinWalls::new(WallDistances::find(at, &colliders), None).into());
    Some(Block::of(at, all, near, walls, placing))
}

#[cfg(test)]
mod tests;
