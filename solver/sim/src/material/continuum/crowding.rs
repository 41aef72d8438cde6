//! Crowded particles make room: they are displaced along the gradient of a pressure that would spread what is too
//! much in their cells. Nothing of it reaches velocities: a source of volume in the flow would stir thick matter.

use super::scatter::Sums;
use super::walls::{NearWalls, WallCell};
use crate::grid::{Field, Fields, Level, Multigrid, zeros};

/// The part of what is too much that a step spreads.
const AT_ONCE: f32 = 0.5;
/// Most that counts as too much in a cell, of what fits in.
const MOST: f32 = 0.5;
/// Most that counts as too little in a cell deep in matter.
const LACK: f32 = 0.2;
/// What may be noise: too little in a cell at a wall, or too much in one near the surface, where too little does not
/// count.
const UNSURE: f32 = 0.06;
/// The most that displacements may be, root mean square, in cells. Of a large region that is crowded or empties, the
/// consistent ones are far larger; cut one by one they would no longer spread, but squeeze and tear.
const FARTHEST: f32 = 0.06;
/// Cycles of the multigrid.
const CYCLES: usize = 2;

/// The displacements that spread crowded particles, on faces, in cells; none where nothing is crowded.
pub fn spread(grid: &mut Multigrid, sums: &Sums, walls: &NearWalls, deep: &Field) -> Option<Fields> {
    let wanted = outflows(grid.finest(), sums, walls, deep)?;
    let pressure = grid.cycles(&wanted, CYCLES);
    let level = grid.finest();
    let mut flows = zeros(level.rows.len());
    level.find_flows(&pressure, &mut flows);
    let factor = -slowed(level, &flows);
    flows.iter_mut().flatten().for_each(|flow| *flow *= factor);
    Some(flows)
}

/// A grid that has no walls, with those that matter touches in contacts: nothing spreads through these.
pub fn within(walls: &NearWalls, grid: Multigrid) -> Multigrid {
    let mut level = grid.into_finest();
    for (_, at, wall) in &walls.cells {
        if wall.is_closed() {
            level.full[*at] = 0.0;
        }
        for axis in 0..3 {
            let covered = wall.covered(axis);
            if covered > 0.0 && level.free[axis][*at] > 0.0 {
                level.covered[axis][*at] = covered;
                level.free[axis][*at] = f32::from(covered < 1.0);
                level.lightness[axis][*at] *= (1.0 - covered).max(0.0);
            }
        }
    }
    level.invert_diagonals();
    Multigrid::new(level)
}

/// What should leave cells in a step, over the volume of a cell; none where nothing is crowded.
fn outflows(level: &Level, sums: &Sums, walls: &NearWalls, deep: &Field) -> Option<Field> {
    let mut wanted = vec![0.0; level.rows.len()];
    let mut most = 0.0_f32;
    for (_, at) in level.rows.cells().filter(|&(_, at)| level.full[at] > 0.0) {
        let (open, part) = walls.at(at).map_or((1.0, 1.0), WallCell::of_cell);
        let is_deep = deep[at] > 0.0;
        // No particle lies quite at a wall, which does not tell of a lack.
        let (least, lack) = (if is_deep { -LACK } else { 0.0 }, if part < 1.0 { UNSURE } else { 0.0 });
        let crowd = if is_deep { 0.0 } else { UNSURE };
        let excess = sums.filled[at] / part - 1.0;
        let excess = if excess < 0.0 { (excess + lack).clamp(least, 0.0) } else { (excess - crowd).clamp(0.0, MOST) };
        wanted[at] = AT_ONCE * excess * open;
        most = most.max(excess.abs());
    }
    (most > 0.0).then_some(wanted)
}

/// The part of displacements that a step goes.
fn slowed(level: &Level, flows: &Fields) -> f32 {
    let (mut squares, mut count) = (0.0_f64, 0.0_f64);
    for (flow, free) in flows.iter().flatten().zip(level.free.iter().flatten()) {
        squares += f64::from(flow * flow * free);
        count += f64::from(*free);
    }
    let mean = (squares / count.max(1.0)).sqrt() as f32;
    FARTHEST / mean.max(FARTHEST)
}
