//! Crowded particles make room: they are displaced along the gradient of a pressure that would spread what is too
//! much in their cells. Nothing of it reaches velocities: a source of volume in the flow would stir thick matter.

use super::scatter::Sums;
use super::walls::NearWalls;
use crate::grid::{Field, Fields, Multigrid, zeros};

/// The part of what is too much that a step spreads.
const AT_ONCE: f32 = 0.5;
/// Most that counts as too much in a cell, of what fits in.
const MOST: f32 = 0.5;
/// Most that counts as too little in a cell deep in matter.
const LACK: f32 = 0.2;
/// What may be noise: too little in a cell at a wall, or too much in one near the surface, where too little does not
/// count.
const UNSURE: f32 = 0.06;
/// Cycles of the multigrid.
const CYCLES: usize = 2;

/// The displacements that spread crowded particles, on faces, in cells; none where nothing is crowded.
pub fn spread(grid: &mut Multigrid, sums: &Sums, walls: &NearWalls, deep: &Field) -> Option<Fields> {
    let len = grid.finest().rows.len();
    let mut right: Field = vec![0.0; len];
    let mut most = 0.0_f32;
    for (_, at) in grid.finest().rows.cells().filter(|&(_, at)| grid.finest().full[at] > 0.0) {
        let part = walls.at(at).map_or(1.0, |wall| wall.of_cell().1);
        let is_deep = deep[at] > 0.0;
        // No particle lies quite at a wall, which does not tell of a lack.
        let (least, lack) = (if is_deep { -LACK } else { 0.0 }, if part < 1.0 { UNSURE } else { 0.0 });
        let crowd = if is_deep { 0.0 } else { UNSURE };
        let excess = sums.filled[at] / part - 1.0;
        let excess = if excess < 0.0 { (excess + lack).clamp(least, 0.0) } else { (excess - crowd).clamp(0.0, MOST) };
        right[at] = AT_ONCE * excess;
        most = most.max(excess.abs());
    }
    if most <= 0.0 {
        return None;
    }
    let mut pressure = grid.pressure(&right).clone();
    let mut flows = zeros(len);
    for _ in 1..CYCLES {
        let level = grid.finest();
        level.find_flows(&pressure, &mut flows);
        let rest: Field = {
            let mut out = vec![0.0; len];
            level.laplacian(&flows, &mut out);
            right.iter().zip(&out).map(|(right, out)| right - out).collect()
        };
        let more = grid.pressure(&rest);
        pressure.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    grid.finest().find_flows(&pressure, &mut flows);
    flows.iter_mut().flatten().for_each(|flow| *flow = -*flow);
    Some(flows)
}
