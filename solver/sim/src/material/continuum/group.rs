//! Islands that touch take a step together.

use super::contact::Contacts;
use super::cuts::Cuts;
use super::density::Density;
use super::elastic::Strained;
use super::islands::{Groups, Island};
use super::step::{Advanced, Apart, Assembled, Part, Solved, Step};
use super::touching::Side;
use crate::grid::{self, Field, Flow, Level, Rows, solve_together};
use crate::particles::Particles;
use rayon::prelude::*;

/// The part of the residual at which a solve ends, and the most iterations.
const TOLERANCE: f64 = 1e-3;
const MOST_ITERATIONS: usize = 60;
/// Solves of a step of matter that flows under stress: the second knows where it flows.
const ROUNDS: usize = 2;
/// Solves of a step of bodies that touch: the second knows how they press on each other, the third how they slide.
const ROUNDS_IN_TOUCH: usize = 3;

/// Advances all islands: those of a group together.
pub fn advance_all(step: &Step, islands: Vec<Island>, groups: &Groups, particles: &Particles) -> Vec<Advanced> {
    let mut islands: Vec<Option<Island>> = islands.into_iter().map(Some).collect();
    let take = |group: &Vec<usize>| group.iter().filter_map(|&island| islands[island].take()).collect();
    let taken: Vec<Vec<Island>> = groups.members.iter().map(take).collect();
    let advanced: Vec<Vec<Advanced>> =
        taken.into_par_iter().zip(&groups.pairs).map(|(group, pairs)| advance(step, group, pairs, particles)).collect();
    let mut all: Vec<(usize, Advanced)> =
        groups.members.iter().flatten().copied().zip(advanced.into_iter().flatten()).collect();
    all.sort_by_key(|(island, _)| *island);
    all.into_iter().map(|(_, advanced)| advanced).collect()
}

/// Advances a group of islands, of which some pairs may touch.
fn advance(step: &Step, mut islands: Vec<Island>, pairs: &[[usize; 2]], particles: &Particles) -> Vec<Advanced> {
    if let [island] = &mut islands[..]
        && island.cells.points.len() == 1
        && island.near.cells.is_empty()
    {
        return vec![step.fly(std::mem::take(&mut island.cells), particles)];
    }
    let (mut parts, mut rows): (Vec<Part>, Vec<Rows>) =
        islands.into_iter().map(|island| step.begin(island, particles)).unzip();
    let mut guesses: Vec<Option<Flow>> = parts.iter().map(|_| None).collect();
    let mut contacts = Contacts::default();
    let mut round = 1;
    loop {
        let mut assembled: Vec<Assembled> = (parts.iter_mut().zip(rows).zip(guesses))
            .map(|((part, rows), guess)| step.assemble(part, rows, round, guess, particles))
            .collect();
        if round == 1 && !pairs.is_empty() {
            contacts = find_contacts(step, &parts, &assembled, pairs, particles);
        }
        solve(&mut assembled, &mut contacts);
        let solved: Vec<Solved> =
            parts.iter_mut().zip(assembled).map(|(part, assembled)| step.conclude(part, assembled)).collect();
        let most = if contacts.is_empty() { ROUNDS } else { ROUNDS_IN_TOUCH };
        let is_last = round == most || parts.iter().all(|part| part.known.is_liquid) && contacts.is_empty();
        let strained: Vec<Strained> = parts.iter().map(|part| step.strained(part, particles)).collect();
        let mut goes_on = false;
        for ((part, solved), strained) in parts.iter_mut().zip(&solved).zip(&strained) {
            goes_on |= revise(step, part, solved, is_last) || strained.flowed;
        }
        if !is_last {
            let (levels, flows) = known(&solved);
            goes_on |= contacts.revise(&levels, &flows);
        }
        if is_last || !goes_on {
            return finish(step, parts, solved, strained, &contacts, particles);
        }
        (rows, guesses) = solved.into_iter().map(|solved| (solved.grid.into_rows(), Some(solved.flow))).unzip();
        round += 1;
    }
}

/// The equations and flows of solved islands.
fn known(solved: &[Solved]) -> (Vec<&Level>, Vec<&Flow>) {
    solved.iter().map(|solved| (solved.grid.finest(), &solved.flow)).unzip()
}

fn find_contacts(
    step: &Step,
    parts: &[Part],
    assembled: &[Assembled],
    pairs: &[[usize; 2]],
    particles: &Particles,
) -> Contacts {
    let side = |(part, assembled)| {
        let (Part { cells, known, pulls, .. }, Assembled { sums, grid, .. }): (&Part, &Assembled) = (part, assembled);
        Side { cells, level: grid.finest(), sums, earlier: &known.earlier, pulls }
    };
    let sides: Vec<Side> = parts.iter().zip(assembled).map(side).collect();
    let flows: Vec<&Flow> = assembled.iter().map(|assembled| &assembled.flow).collect();
    step.touching(&sides, particles).find(pairs, &flows)
}

fn solve(assembled: &mut [Assembled], contacts: &mut Contacts) {
    if contacts.is_empty() {
        for Assembled { grid, right, flow, .. } in assembled {
            grid::solve(grid, right, flow, TOLERANCE, MOST_ITERATIONS);
        }
        return;
    }
    let levels: Vec<&Level> = assembled.iter().map(|assembled| assembled.grid.finest()).collect();
    let (numbers, ties, mut tractions) = contacts.ties(&levels);
    let mut islands: Vec<grid::Island> =
        assembled.iter_mut().map(|Assembled { grid, right, flow, .. }| grid::Island { grid, right, flow }).collect();
    solve_together(&mut islands, &ties, &mut tractions, TOLERANCE, MOST_ITERATIONS);
    contacts.take(&numbers, &tractions);
}

/// Finds what of a solved island holds otherwise than before. Returns whether anything does.
fn revise(step: &Step, part: &mut Part, Solved { sums, grid, flow, .. }: &Solved, is_last: bool) -> bool {
    if part.known.is_liquid {
        return false;
    }
    let level = grid.finest();
    let is_torn = part.cracks.revise(level, flow, &sums.filled, &part.known.near, step.pace());
    let loads = step.loads(&part.cells, &part.means);
    let is_held_otherwise = !is_last && part.friction.revise(&loads, level, flow);
    is_torn || is_held_otherwise
}

fn finish(
    step: &Step,
    parts: Vec<Part>,
    solved: Vec<Solved>,
    strained: Vec<Strained>,
    contacts: &Contacts,
    particles: &Particles,
) -> Vec<Advanced> {
    let densities: Vec<Option<Field>> = (0..parts.len()).map(|own| with_others(&parts, own, contacts)).collect();
    let all = parts.into_iter().zip(solved).zip(strained).zip(densities).enumerate();
    let finish = |(number, (((mut part, solved), mut strained), density)): (usize, (((Part, _), Strained), _))| {
        let solved: Solved = solved;
        if let Some(values) = density {
            part.known.density.values = values;
        }
        if !strained.damages.is_empty() {
            let cuts = Cuts { cells: &part.cells, rows: &solved.grid.finest().rows, near: &part.known.near };
            step.elastic(particles).cut(&part.cells, &cuts.points(), &mut strained.damages);
        }
        let ways = contacts.keep_out(number, &part.cells);
        let apart = Apart { taken: contacts.taken(number), ways };
        step.finish(part, solved, strained, &apart, particles)
    };
    all.map(finish).collect()
}

/// The density of an island with that of those that touch it, so that particles of both part; none where nothing does.
fn with_others(parts: &[Part], own: usize, contacts: &Contacts) -> Option<Field> {
    let Density { halves, values } = &parts[own].known.density;
    let mut sum: Option<Field> = None;
    for other in contacts.touched_by(own) {
        let Density { halves: of_other, values: others } = &parts[other].known.density;
        let sum = sum.get_or_insert_with(|| values.clone());
        for (half, at) in halves.cells() {
            sum[at] += of_other.index(half).map_or(0.0, |at| others[at]);
        }
    }
    sum
}
