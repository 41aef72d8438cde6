//! Blocks near walls that move. They are kept until such a wall moves, and what of them follows from the walls that
//! stand for longer.

use super::cells::Placing;
use super::near_colliders::NearColliders;
use super::thin_walls::ThinWalls;
use super::wall_blocks::{Block, near_block, retain_wanted};
use super::wall_distances::WallDistances;
use crate::boundary::{WallState, Walls};
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Blocks that are kept although no matter is there.
const MOST_KEPT: usize = 100;

/// Blocks near walls that move, by place.
#[derive(Debug, Default)]
pub struct MovingBlocks {
    blocks: FxHashMap<IVec3, MovingBlock>,
    /// The most blocks that a step wanted.
    most_wanted: usize,
}

/// A block near walls that move.
#[derive(Debug)]
struct MovingBlock {
    /// The walls near it that stand, alone; none where there are none.
    standing: Option<Arc<ThinWalls>>,
    /// Where the walls near it that move were.
    states: Vec<WallState>,
    block: Block,
}

impl MovingBlocks {
    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let of = |(_, kept): (&IVec3, &MovingBlock)| {
            size_of::<(IVec3, MovingBlock)>()
                + kept.standing.as_ref().map_or(0, |standing| standing.memory())
                + size_of_val(&*kept.states)
                + kept.block.memory()
        };
        self.blocks.iter().map(of).sum()
    }

    /// A block that has been [found](Self::find).
    pub fn get(&self, at: &IVec3) -> Option<&Block> {
        self.blocks.get(at).map(|kept| &kept.block)
    }

    /// Takes away a block near which no wall moves any more, and gives the walls that stand there.
    pub fn take_standing(&mut self, at: &IVec3) -> Option<Arc<ThinWalls>> {
        self.blocks.remove(at)?.standing
    }

    /// Finds those blocks anew whose walls have moved, given the walls that move near blocks, and what may be known of
    /// the walls that stand there. Others are kept as long as they are few.
    pub fn find(
        &mut self,
        near: Vec<(IVec3, Vec<usize>)>,
        mut known: impl FnMut(&IVec3) -> Option<Arc<ThinWalls>>,
        walls: &Walls,
        placing: &Placing,
    ) {
        let places: Vec<IVec3> = near.iter().map(|(at, _)| *at).collect();
        retain_wanted(&mut self.blocks, &places, &mut self.most_wanted, MOST_KEPT);
        let standing: Vec<usize> = (0..walls.count()).filter(|&number| walls.stands(number)).collect();
        let states = near.into_iter().map(|(at, moving)| {
            let states: Vec<WallState> = moving.iter().map(|&number| walls.state(number)).collect();
            (at, states)
        });
        let moved: Vec<_> =
            states.filter(|(at, states)| self.blocks.get(at).is_none_or(|kept| kept.states != *states)).collect();
        let from = moved.into_iter().map(|(at, states)| {
            let known = self.blocks.remove(&at).map_or_else(|| known(&at), |kept| kept.standing);
            (at, states, known)
        });
        let made = from.collect::<Vec<_>>().into_par_iter().map(|(at, states, known)| {
            let numbers = near_block(at, walls, &standing, placing);
            (at, MovingBlock::find(at, states, known, numbers, walls, placing))
        });
        self.blocks.extend(made.collect::<Vec<_>>());
    }
}

impl MovingBlock {
    /// The block at a place with walls that move, and some that stand, of which much may be known.
    fn find(
        at: IVec3,
        states: Vec<WallState>,
        known: Option<Arc<ThinWalls>>,
        mut near: Vec<usize>,
        walls: &Walls,
        placing: &Placing,
    ) -> Self {
        let fresh = |numbers: &[usize]| {
            let colliders = NearColliders { walls, placing: *placing, numbers };
            ThinWalls::new(WallDistances::find(at, &colliders), None)
        };
        let standing = known.or_else(|| (!near.is_empty()).then(|| Arc::new(fresh(&near))));
        near.extend(states.iter().map(|state| state.number));
        let all = match &standing {
            Some(standing) => standing.with_moving(at, &NearColliders { walls, placing: *placing, numbers: &near }),
            None => fresh(&near),
        };
        Self { standing, states, block: Block::of(at, all.into(), near, walls, placing) }
    }
}
