//! Matter that lies apart is solved apart: each island has rows of its own.

use super::cells::{Cells, MARGIN, Placing, Run, Runs};
use super::walls::NearWalls;
use crate::grid::{Rows, cells_around};
use crate::particles::Particles;
use crate::union::Union;
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Cells along the edge of a block. Particles in blocks that do not touch are too far apart to move the same face.
pub const BLOCK: i32 = 4;
/// Cells that an island may have besides those near particles: an island that would need more, like a thin ring, is
/// cut.
const GAPS: usize = 2_000_000;
const GAPS_A_CELL: usize = 8;

/// The particles of each island, by cells, and the rows of its grid.
pub type SortedIslands = Vec<(Cells, Rows)>;

/// Matter that lies apart from all other, and the walls near it.
#[derive(Debug)]
pub struct Island {
    /// Its particles.
    pub cells: Cells,
    /// The rows of its grid.
    pub rows: Rows,
    /// The cells near walls.
    pub near: NearWalls,
}

/// The islands of the particles in some slots, by their least number, sorted into cells. Particles beyond reach stay
/// out.
pub fn find_islands(particles: &Particles, slots: &[u32], placing: &Placing) -> SortedIslands {
    let mut all = apart(&runs(particles, slots, placing));
    if all.len() > 1 {
        let number = |slot: u32| particles.numbers[slot as usize];
        all.sort_by_cached_key(|island| island.iter().flat_map(Run::slots).map(number).min());
    }
    let mut sorted = Vec::new();
    for island in all {
        sort(particles, &island, placing, &mut sorted);
    }
    sorted
}

/// The particles in some slots by their cells.
fn runs(particles: &Particles, slots: &[u32], placing: &Placing) -> Vec<Run> {
    const AT_ONCE: usize = 4096;
    let parts = slots.par_chunks(AT_ONCE).map(|slots| {
        let mut runs: Vec<Run> = Vec::with_capacity(slots.len() / 4);
        for &slot in slots {
            let Some(cell) = placing.cell(particles.positions[slot as usize]) else { continue };
            match runs.last_mut() {
                Some(run) if run.cell == cell && run.slots().end == slot => run.count += 1,
                _ => runs.push(Run { cell, first: slot, count: 1 }),
            }
        }
        runs
    });
    parts.collect::<Vec<_>>().concat()
}

/// Sorts an island, or its parts where it has too many gaps.
fn sort(particles: &Particles, island: &Runs, placing: &Placing, sorted: &mut Vec<(Cells, Rows)>) {
    let cells = || island.iter().map(|run| run.cell);
    let most = GAPS + GAPS_A_CELL * island.iter().map(|run| run.count as usize).sum::<usize>();
    if let Some(rows) = Rows::around(cells(), MARGIN, most) {
        return sorted.push((Cells::sort(particles, island, &rows, placing), rows));
    }
    let bounds = cells().fold((IVec3::MAX, IVec3::MIN), |(low, high), cell| (low.min(cell), high.max(cell)));
    let axis = (bounds.1 - bounds.0).max_position();
    let mut along: Vec<i32> = cells().map(|cell| cell[axis]).collect();
    let middle = along.len() / 2;
    let cut = *along.select_nth_unstable(middle).1;
    let cut = if cut == bounds.0[axis] { cut + 1 } else { cut };
    let (low, high): (Runs, Runs) = island.iter().partition(|run| run.cell[axis] < cut);
    for part in [low, high] {
        sort(particles, &part, placing, sorted);
    }
}

/// The islands of particles.
fn apart(runs: &[Run]) -> Vec<Runs> {
    let mut patches = Patches::default();
    let numbers: Vec<u32> = runs.iter().map(|run| patches.number(run.cell)).collect();
    let mut union = Union::new(patches.all.len());
    patches.connect(|a, b| union.unite(a, b));
    let islands = union.numbered();
    let mut apart = vec![Runs::default(); islands.iter().max().map_or(0, |last| *last as usize + 1)];
    for (run, number) in runs.iter().zip(numbers) {
        apart[islands[number as usize] as usize].push(*run);
    }
    apart
}

/// An island as its parts, given the number of each particle's.
pub fn split(particles: &Particles, cells: &Cells, parts: &[u32], placing: &Placing) -> Vec<(Cells, Rows)> {
    let mut all: BTreeMap<u32, Runs> = BTreeMap::new();
    for cell in &cells.occupied {
        for (point, part) in cells.of(cell).iter().zip(&parts[cell.points.start as usize..]) {
            all.entry(*part).or_default().push(Run { cell: cell.cell, first: point.slot, count: 1 });
        }
    }
    let mut sorted = Vec::new();
    for island in all.values() {
        sort(particles, island, placing, &mut sorted);
    }
    sorted
}

/// Islands that may touch, by their numbers.
#[derive(Debug, Default)]
pub struct Groups {
    /// Those of each group, in order; each island is in one.
    pub members: Vec<Vec<usize>>,
    /// Pairs of different parts near each other, by their places in their group.
    pub pairs: Vec<Vec<[usize; 2]>>,
}

impl Groups {
    /// Those of islands of matter whose parts, by body, have velocities of their own.
    pub fn of(islands: &[Island], parts: &[u32]) -> Self {
        let part = |island: &Island| island.cells.points.first().map(|point| parts[point.source as usize]);
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        let mut union = Union::new(islands.len());
        if islands.iter().all(|island| part(island) == part(&islands[0])) {
            return Self::from_pairs(&union.numbered(), &pairs);
        }
        let mut near: FxHashMap<IVec3, Vec<usize>> = FxHashMap::default();
        for (number, island) in islands.iter().enumerate() {
            let patches = Patches::of(island.cells.occupied.iter().map(|cell| cell.cell));
            for block in patches.all {
                near.entry(block).or_default().push(number);
            }
        }
        for (block, own) in &near {
            for others in cells_around(*block).filter_map(|beside| near.get(&beside)) {
                for (&one, &other) in own.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
                    if one < other && part(&islands[one]) != part(&islands[other]) {
                        pairs.push([one, other]);
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for [one, other] in &pairs {
            union.unite(*one as u32, *other as u32);
        }
        Self::from_pairs(&union.numbered(), &pairs)
    }

    fn from_pairs(groups: &[u32], pairs: &[[usize; 2]]) -> Self {
        let count = groups.iter().max().map_or(0, |last| *last as usize + 1);
        let mut own = Self { members: vec![Vec::new(); count], pairs: vec![Vec::new(); count] };
        let mut places = Vec::with_capacity(groups.len());
        for (island, &group) in groups.iter().enumerate() {
            places.push(own.members[group as usize].len());
            own.members[group as usize].push(island);
        }
        for &[one, other] in pairs {
            own.pairs[groups[one] as usize].push([places[one], places[other]]);
        }
        own
    }
}

/// Blocks with particles, in the order in which they were met.
#[derive(Default)]
pub struct Patches {
    pub all: Vec<IVec3>,
    numbers: FxHashMap<IVec3, u32>,
    /// The block asked for last.
    last: Option<(IVec3, u32)>,
}

impl Patches {
    /// Those of some cells.
    pub fn of(cells: impl Iterator<Item = IVec3>) -> Self {
        let mut patches = Self::default();
        cells.for_each(|cell| {
            patches.number(cell);
        });
        patches
    }

    /// The number of the block of a cell.
    fn number(&mut self, cell: IVec3) -> u32 {
        let block = cell.div_euclid(IVec3::splat(BLOCK));
        if let Some((_, number)) = self.last.filter(|(last, _)| *last == block) {
            return number;
        }
        let number = *self.numbers.entry(block).or_insert_with(|| {
            self.all.push(block);
            self.all.len() as u32 - 1
        });
        self.last = Some((block, number));
        number
    }

    /// The number of the block of a cell if it is one of these.
    pub fn find(&self, cell: IVec3) -> Option<u32> {
        self.numbers.get(&cell.div_euclid(IVec3::splat(BLOCK))).copied()
    }

    /// Tells of all blocks that touch.
    pub fn connect(&self, mut touch: impl FnMut(u32, u32)) {
        for (number, block) in self.all.iter().enumerate() {
            // Half of the blocks around: the other half finds this one.
            for beside in cells_around(*block).skip(14) {
                if let Some(&other) = self.numbers.get(&beside) {
                    touch(number as u32, other);
                }
            }
        }
    }
}
