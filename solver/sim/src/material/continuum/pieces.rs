//! The pieces that matter has come into.
//!
//! A grid moves all that shares a face of it as one: what has torn off hangs beside what it was torn from, up to six
//! spacings off, and sinks as slowly as that is thick. So matter whose particles lie farther apart than two spacings
//! has rows of its own.

use super::cells::{CellPoints, Cells, Numbered};
use super::law::Law;
use super::model::Fluid;
use crate::grid::{Rows, cells_within};
use crate::union::Union;
use glam::Vec3;
use rustc_hash::FxHashMap;

/// How far particles hold each other, in cells: those of a film have drawn apart so far when it is a quarter of a
/// spacing thick. What has broken is drawn back to the fragments beside it from farther off.
const REACH: f32 = 1.0;
const REACH_OF_BROKEN: f32 = 1.5;
/// The damage from which on matter has broken.
const BROKEN: f32 = 0.5;
/// How near particles of two pieces come in a step in which they meet, in cells, and the most that they come nearer by:
/// each goes a cell at most.
const MEETS: f32 = 0.5;
const NEARER: f32 = 2.0;
/// The most pieces of an island: the smallest ones of more stay with the largest.
const MOST: usize = 256;

/// How the particles of an island hold each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hold {
    /// A thin liquid or grains: they go as one.
    Thin,
    /// Matter that comes apart where it is drawn apart.
    Apart,
    /// The same that has broken.
    Broken,
    /// Of a body that never comes apart, by its number.
    Whole(u32),
}

impl Hold {
    /// How a particle of a body holds others, given its damage, its molten part, its temperature, K, and the viscosity
    /// from which on it is not thin, Pa s.
    pub fn of(fluid: &Fluid, source: u32, [damage, melted, temperature]: [f32; 3], least: f64) -> Self {
        let melted = f64::from(melted);
        match fluid.law(melted) {
            None if fluid.viscosity(melted, f64::from(temperature)) < least => Self::Thin,
            Some(Law { flow: Some(flow), .. }) if flow.friction > 0.0 => Self::Thin,
            Some(Law { flow: None, .. }) if fluid.fracture.is_none() => Self::Whole(source),
            _ if damage > BROKEN => Self::Broken,
            _ => Self::Apart,
        }
    }
}

/// For each particle of an island the number of its piece; none where all are of one. Of each is known how it holds
/// others. A speed times `step` is a way in a step, in cells.
pub fn pieces(cells: &Cells, rows: &Rows, holds: &[Hold], step: f32) -> Option<Vec<u32>> {
    let union = Union::new(cells.points.len());
    let mut pieces = Pieces { cells, numbers: cells.numbered(rows), holds, step, union };
    pieces.unite_alike();
    pieces.unite_near();
    let found = pieces.union.numbered();
    let largest = largest(&found)?;
    pieces.unite_meeting(&found, largest);
    bounded(pieces.union.numbered())
}

struct Pieces<'a> {
    cells: &'a Cells,
    numbers: Numbered<'a>,
    /// Of particles.
    holds: &'a [Hold],
    step: f32,
    union: Union,
}

impl Pieces<'_> {
    /// Unites what is one wherever it is.
    fn unite_alike(&mut self) {
        let mut firsts: FxHashMap<Hold, u32> = FxHashMap::default();
        for (number, hold) in (0..).zip(self.holds) {
            if matches!(hold, Hold::Thin | Hold::Whole(_)) {
                let first = *firsts.entry(*hold).or_insert(number);
                self.union.unite(first, number);
            }
        }
    }

    /// Unites the particles in cells side by side.
    fn unite_near(&mut self) {
        let mut whole: Vec<bool> = Vec::with_capacity(self.cells.occupied.len());
        for (number, cell) in self.cells.occupied.iter().enumerate() {
            let own = cell.points.clone();
            let pairs = own.clone().flat_map(|one| (own.start..one).map(move |other| (one, other)));
            pairs.for_each(|(one, other)| self.unite_if(one, other, Vec3::ZERO, |near| near.off < REACH));
            let first = self.union.least(own.start);
            whole.push(own.into_iter().all(|point| self.union.least(point) == first));
            // Of the cells around those that come before.
            for beside in cells_within(cell.cell, 1).take_while(|beside| *beside != cell.cell) {
                if let Some(other) = self.numbers.find(beside) {
                    self.unite_cells([number, other], whole[number] && whole[other]);
                }
            }
        }
    }

    fn unite_cells(&mut self, numbers: [usize; 2], are_whole: bool) {
        let [own, other] = numbers.map(|number| &self.cells.occupied[number]);
        let by = (other.cell - own.cell).as_vec3();
        for one in own.points.clone() {
            for other in other.points.clone() {
                if are_whole && self.union.least(one) == self.union.least(other) {
                    return;
                }
                self.unite_if(one, other, by, |near| near.off < REACH);
            }
        }
    }

    /// Unites smaller pieces with those that they meet in the step, and what has broken with fragments beside it.
    fn unite_meeting(&mut self, found: &[u32], largest: u32) {
        let farthest = self.farthest();
        if farthest <= REACH {
            return;
        }
        let cells = self.cells;
        let only = |cell: &CellPoints| {
            let own = &found[cell.points.start as usize..cell.points.end as usize];
            own.iter().all(|piece| *piece == own[0]).then_some(own[0])
        };
        let only: Vec<Option<u32>> = cells.occupied.iter().map(only).collect();
        for (cell, own) in cells.occupied.iter().zip(&only).filter(|(_, own)| **own != Some(largest)) {
            for beside in cells_within(cell.cell, farthest.ceil() as i32) {
                let Some(number) = self.numbers.find(beside).filter(|&other| own.is_none() || only[other] != *own)
                else {
                    continue;
                };
                let by = (beside - cell.cell).as_vec3();
                for one in cell.points.clone() {
                    for other in cells.occupied[number].points.clone() {
                        self.unite_if(one, other, by, |near| near.off < near.reach || near.least < MEETS);
                    }
                }
            }
        }
    }

    /// How far apart particles may be that are united for a step, in cells.
    fn farthest(&self) -> f32 {
        let velocities = || self.cells.points.iter().map(|point| point.velocity);
        let (low, high) = velocities().fold((Vec3::MAX, Vec3::MIN), |(low, high), v| (low.min(v), high.max(v)));
        let meets = MEETS + ((high - low).length() * self.step).min(NEARER);
        if self.holds.contains(&Hold::Broken) { meets.max(REACH_OF_BROKEN) } else { meets }
    }

    /// Unites two particles of different pieces if they are near each other. The cell of the second lies so many cells
    /// off that of the first.
    fn unite_if(&mut self, one: u32, other: u32, by: Vec3, is_near: impl Fn(&Near) -> bool) {
        if self.union.least(one) != self.union.least(other) && is_near(&self.near(one, other, by)) {
            self.union.unite(one, other);
        }
    }

    fn near(&self, one: u32, other: u32, by: Vec3) -> Near {
        let [own, beside] = [one, other].map(|number| &self.cells.points[number as usize]);
        let way = beside.part + by - own.part;
        let goes = (beside.velocity - own.velocity) * self.step;
        let part = (-goes.dot(way) / goes.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let is_broken = [one, other].iter().any(|number| self.holds[*number as usize] == Hold::Broken);
        let reach = if is_broken { REACH_OF_BROKEN } else { REACH };
        Near { off: way.length(), least: (way + goes * part).length(), reach }
    }
}

/// How two particles lie to each other, in cells.
struct Near {
    off: f32,
    /// The least that they are off in the step.
    least: f32,
    reach: f32,
}

/// The number of the largest piece, the first of equal ones; none where there is but one.
fn largest(found: &[u32]) -> Option<u32> {
    let sizes = sizes(found);
    let largest = (0..sizes.len()).max_by_key(|&piece| (sizes[piece], std::cmp::Reverse(piece)))?;
    (sizes.len() > 1).then_some(largest as u32)
}

fn sizes(found: &[u32]) -> Vec<u32> {
    let mut sizes = vec![0; found.iter().max().map_or(0, |last| *last as usize + 1)];
    for piece in found {
        sizes[*piece as usize] += 1;
    }
    sizes
}

/// The same pieces, but no more than may be; none where there is but one.
fn bounded(mut found: Vec<u32>) -> Option<Vec<u32>> {
    let sizes = sizes(&found);
    if sizes.len() <= 1 {
        return None;
    }
    if sizes.len() > MOST {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&piece| std::cmp::Reverse(sizes[piece]));
        let mut kept = vec![order[0] as u32; sizes.len()];
        order[..MOST].iter().for_each(|&piece| kept[piece] = piece as u32);
        for piece in &mut found {
            *piece = kept[*piece as usize];
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::cells::Placing;
    use super::super::islands::find_islands;
    use super::*;
    use crate::particles::Particles;
    use glam::DVec3;

    /// The pieces of particles at some places along a line, in spacings, with some velocities along it, in spacings a
    /// step.
    fn of_line(places: &[f64], holds: &[Hold], velocities: &[f64], by: f64) -> Option<Vec<u32>> {
        let along = DVec3::new(0.0, 0.6, 0.8);
        let velocity = |n: usize| along * velocities.get(n).copied().unwrap_or(0.0);
        let particles = Particles {
            numbers: (0..places.len() as u32).collect(),
            positions: places.iter().map(|place| DVec3::X * 0.6 + along * (place + by)).collect(),
            velocities: (0..places.len()).map(velocity).collect(),
            gradients: vec![[[0.0; 3]; 3]; places.len()],
            sources: vec![0; places.len()],
            ..Particles::default()
        };
        let islands = find_islands(&particles, &particles.numbers, &Placing { width: 2.0, is_flat: false });
        let [(cells, rows)] = &islands[..] else { panic!("{} islands", islands.len()) };
        let holds: Vec<Hold> = cells.points.iter().map(|point| holds[point.slot as usize % holds.len()]).collect();
        let mut numbered = vec![0; places.len()];
        for (point, number) in cells.points.iter().zip(pieces(cells, rows, &holds, 0.5)?) {
            numbered[point.slot as usize] = number;
        }
        Some(numbered)
    }

    /// Places of a line among the cells.
    fn anywhere() -> impl Iterator<Item = f64> {
        (0..40).map(|n| 0.1 * f64::from(n))
    }

    #[test]
    fn what_lies_two_spacings_apart_is_of_two_pieces() {
        for by in anywhere() {
            assert_eq!(of_line(&[0.0, 1.9, 3.8, 5.7], &[Hold::Apart], &[], by), None);
            let found = of_line(&[0.0, 1.0, 3.1, 4.0, 6.2], &[Hold::Apart], &[], by).unwrap_or_default();
            assert_eq!(found.len(), 5);
            let is_same = |a: usize, b: usize| found[a] == found[b];
            assert!(is_same(0, 1) && is_same(2, 3), "{found:?}");
            assert!(!is_same(1, 2) && !is_same(3, 4) && !is_same(0, 4), "{found:?}");
        }
    }

    #[test]
    fn what_meets_in_the_step_is_of_one_piece() {
        let is_one = |velocities: &[f64], by: f64| of_line(&[0.0, 1.0, 4.5], &[Hold::Apart], velocities, by).is_none();
        for by in anywhere() {
            assert!(!is_one(&[0.0, 0.0, -2.4], by) && !is_one(&[0.0, 0.0, 2.6], by));
            assert!(is_one(&[0.0, 0.0, -2.6], by) && is_one(&[0.0, 1.0, -1.6], by) && is_one(&[0.0, 2.0, -2.0], by));
        }
    }

    #[test]
    fn what_has_broken_is_of_a_piece_farther_off() {
        let (apart, broken) = (Hold::Apart, Hold::Broken);
        for by in anywhere() {
            assert!(of_line(&[0.0, 1.0, 3.9, 4.1], &[apart], &[], by).is_some());
            assert_eq!(of_line(&[0.0, 1.0, 3.9, 4.1], &[apart, apart, broken, apart], &[], by), None);
            assert!(of_line(&[0.0, 1.0, 4.1, 4.3], &[apart, apart, broken, apart], &[], by).is_some());
        }
    }

    #[test]
    fn thin_liquids_and_what_never_breaks_stay_together() {
        for hold in [Hold::Thin, Hold::Whole(3)] {
            assert_eq!(of_line(&[0.0, 3.0, 6.0], &[hold], &[], 0.3), None);
        }
        let found = of_line(&[0.0, 3.0, 6.0], &[Hold::Thin, Hold::Apart, Hold::Whole(3)], &[], 0.3);
        assert_eq!(found, Some(vec![0, 1, 2]));
    }

    #[test]
    fn the_smallest_of_too_many_pieces_stay_with_the_largest() {
        let found: Vec<u32> = (0..400).chain([7, 9, 9]).collect();
        let kept = bounded(found).unwrap_or_default();
        let mut pieces = kept.clone();
        pieces.sort_unstable();
        pieces.dedup();
        assert_eq!((pieces.len(), kept[7], kept[399]), (MOST, 7, 9));
    }
}
