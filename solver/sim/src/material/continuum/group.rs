//! Islands that touch take a step together.

use super::contact::Contacts;
use super::cuts::Cuts;
use super::density::Density;
use super::elastic::Strained;
use super::islands::{Groups, Island};
use super::step::{Advanced, Apart, Assembled, Part, Solved, Step};
use super::touching::Side;
use crate::grid::{self, Field, Flow, Level, Multigrid, Rows, Tie, solve_together};
use crate::particles::Particles;
use rayon::prelude::*;
use tracing::{trace, trace_span};

/// The part of the residual at which a solve ends, and the most iterations.
const TOLERANCE: f64 = 1e-3;
const MOST_ITERATIONS: usize = 60;
/// Solves of a step of matter that flows under stress: the second knows where it flows.
const ROUNDS: usize = 2;
/// Passes of a solve of what touches, at most, and those after which what is open may close, as contacts that depend on
/// each other may open and close for ever. All but the last end at a larger part of the residual.
const PASSES: usize = 8;
const CLOSING: usize = 3;
const ROUGHLY: f64 = 1e-2;

/// What islands have become in a step, and the pairs of bodies among them that became one.
pub type Together = (Vec<Advanced>, Vec<[u32; 2]>);

/// Advances all islands: those of a group together.
pub fn advance_all(step: &Step, islands: Vec<Island>, groups: &Groups, particles: &Particles) -> Together {
    let mut islands: Vec<Option<Island>> = islands.into_iter().map(Some).collect();
    let take = |group: &Vec<usize>| group.iter().filter_map(|&island| islands[island].take()).collect();
    let taken: Vec<Vec<Island>> = groups.members.iter().map(take).collect();
    let (advanced, fused): (Vec<_>, Vec<_>) =
        taken.into_par_iter().zip(&groups.pairs).map(|(group, pairs)| advance(step, group, pairs, particles)).unzip();
    let mut all: Vec<(usize, Advanced)> =
        groups.members.iter().flatten().copied().zip(advanced.into_iter().flatten()).collect();
    all.sort_by_key(|(island, _)| *island);
    (all.into_iter().map(|(_, advanced)| advanced).collect(), fused.concat())
}

/// Advances a group of islands, of which some pairs may touch.
fn advance(step: &Step, mut islands: Vec<Island>, pairs: &[[usize; 2]], particles: &Particles) -> Together {
    if let [island] = &mut islands[..]
        && island.cells.points.len() == 1
        && island.near.cells.is_empty()
    {
        return (vec![step.fly(std::mem::take(&mut island.cells), particles)], Vec::new());
    }
    let (mut parts, mut rows): (Vec<Part>, Vec<Rows>) =
        islands.into_iter().map(|island| step.begin(island, particles)).unzip();
    let mut guesses: Vec<Option<Flow>> = parts.iter().map(|_| None).collect();
    let mut contacts = Contacts::default();
    let mut round = 1;
    loop {
        let (mut assembled, levels): (Vec<Assembled>, Vec<Level>) = (parts.iter_mut().zip(rows).zip(guesses))
            .map(|((part, rows), guess)| step.assemble(part, rows, round, guess, particles))
            .unzip();
        if round == 1 && (!pairs.is_empty() || parts.iter().any(|part| part.known.walls.in_contacts.is_some())) {
            contacts = find_contacts(step, &parts, &assembled, &levels, pairs, particles);
        }
        let grids = solve(&mut assembled, levels, &mut contacts);
        let solved: Vec<Solved> = (parts.iter_mut().zip(assembled).zip(grids))
            .map(|((part, assembled), grid)| step.conclude(part, assembled, grid, particles))
            .collect();
        let is_last = round == ROUNDS || parts.iter().all(|part| part.known.is_liquid);
        let strained: Vec<Strained> = parts.iter().map(|part| step.strained(part, particles)).collect();
        let mut goes_on = false;
        for ((part, solved), strained) in parts.iter_mut().zip(&solved).zip(&strained) {
            goes_on |= revise(step, part, solved, is_last) || strained.flowed;
        }
        if is_last || !goes_on {
            return finish(step, parts, solved, strained, &contacts, particles);
        }
        (rows, guesses) = solved.into_iter().map(|solved| (solved.grid.into_rows(), Some(solved.flow))).unzip();
        round += 1;
    }
}

fn find_contacts(
    step: &Step,
    parts: &[Part],
    assembled: &[Assembled],
    levels: &[Level],
    pairs: &[[usize; 2]],
    particles: &Particles,
) -> Contacts {
    let _span = trace_span!("contacts").entered();
    let side = |((part, assembled), level)| {
        let (Part { cells, known, pulls, .. }, Assembled { sums, .. }): (&Part, &Assembled) = (part, assembled);
        Side { cells, level, sums, earlier: &known.earlier, walls: known.walls.in_contacts.as_deref(), pulls }
    };
    let sides: Vec<Side> = parts.iter().zip(assembled).zip(levels).map(side).collect();
    let flows: Vec<&Flow> = assembled.iter().map(|assembled| &assembled.flow).collect();
    step.touching(&sides, particles).find(pairs, &flows)
}

/// Solves for the flows of islands. Returns their grids.
fn solve(assembled: &mut [Assembled], mut levels: Vec<Level>, contacts: &mut Contacts) -> Vec<Multigrid> {
    let _span = trace_span!("solve").entered();
    let mut ties = contacts.ties(&levels.iter().collect::<Vec<_>>());
    for tie in &mut ties {
        tie.stand_in_for(&mut levels);
    }
    let mut grids: Vec<Multigrid> = levels.into_iter().map(Multigrid::new).collect();
    let mut islands: Vec<grid::Island> = (assembled.iter_mut().zip(&mut grids))
        .map(|(Assembled { right, flow, .. }, grid)| grid::Island { grid, right, flow })
        .collect();
    if ties.is_empty() {
        for island in &mut islands {
            let found = solve_together(std::slice::from_mut(island), &[], &mut [], TOLERANCE, MOST_ITERATIONS);
            trace!(iterations = found.iterations);
        }
    } else {
        solve_in_touch(&mut islands, &mut ties, contacts);
    }
    grids
}

/// Solves for the flows of islands in passes, each from where the one before ended, until contacts hold, slide and open
/// as they do in these flows.
fn solve_in_touch(islands: &mut [grid::Island], ties: &mut [Tie], contacts: &mut Contacts) {
    let mut tolerance = ROUGHLY;
    for pass in 1..=PASSES {
        if pass == PASSES {
            tolerance = TOLERANCE;
        }
        let mut tractions = contacts.tractions();
        let found = solve_together(islands, ties, &mut tractions, tolerance, MOST_ITERATIONS);
        trace!(iterations = found.iterations);
        contacts.bear(&tractions);
        let flows: Vec<&Flow> = islands.iter().map(|island| &*island.flow).collect();
        if pass == PASSES || !contacts.revise(ties, &flows, pass <= CLOSING) {
            if tolerance <= TOLERANCE {
                return;
            }
            tolerance = TOLERANCE;
        }
    }
}

/// Finds what of a solved island holds otherwise than before. Returns whether anything does.
fn revise(step: &Step, part: &mut Part, Solved { sums, grid, flow, .. }: &Solved, is_last: bool) -> bool {
    if part.known.is_liquid {
        return false;
    }
    let level = grid.finest();
    let is_torn = part.cracks.revise(level, flow, &sums.filled, &part.known.walls.all, step.pace());
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
) -> Together {
    let body = |island: usize| parts[island].cells.points.first().map(|point| point.source);
    let pair = |[one, other]: [usize; 2]| Some([body(one)?, body(other)?]);
    let fused = contacts.fused().into_iter().filter_map(pair).collect();
    let densities: Vec<Option<Field>> = (0..parts.len()).map(|own| with_others(&parts, own, contacts)).collect();
    let all = parts.into_iter().zip(solved).zip(strained).zip(densities).enumerate();
    let finish = |(number, (((mut part, solved), mut strained), density)): (usize, (((Part, _), Strained), _))| {
        let solved: Solved = solved;
        if let Some(values) = density {
            part.known.density.values = values;
        }
        if !strained.damages.is_empty() {
            let cuts = Cuts { cells: &part.cells, rows: &solved.grid.finest().rows, near: &part.known.walls.on_grid };
            step.elastic(particles, &[]).cut(&part.cells, &cuts.points(), &mut strained.damages);
        }
        let ways = contacts.keep_out(number, &part.cells);
        let apart = Apart { taken: contacts.taken(number), ways, on_walls: contacts.on_walls(number).collect() };
        step.finish(part, solved, strained, &apart, particles)
    };
    (all.map(finish).collect(), fused)
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
