//! Displacements of particles since their lists were made.

use super::{FRACTION_BITS, PackedPosition};
use crate::bounds::Bounds;
use glam::DVec3;

/// Thickness of the skin, in supports. Lists with a thicker skin last longer and hold more particles out of reach.
pub const SKIN: f64 = 0.1;

/// Part of the skin that the displacements of whole batches may take up when some batches are left out ...
const ROOM: f64 = 0.7;
/// ... and with the particles of those batches that are kept in the end; all particles may use the rest to move on.
pub const ROOM_IN_THE_END: f64 = 0.9;

/// Displacements as long as this, in units of places, will soon be ambiguous, as places wrap around at 2^32.
const FAR: i32 = 1 << 30;

/// Displacements no farther than this from a middle along any axis fit into [`ROOM`] together: the cube of twice this
/// edge has a diagonal just within it.
const SURELY_IN: i64 = (ROOM * SKIN * (1_i64 << FRACTION_BITS) as f64 / 3.5) as i64;

/// At most one in so many batches is left out.
const LEFT_OUT: usize = 4;

/// The box around the displacements of some particles, in units of places. If the displacements fit into a ball, no two
/// of the particles have come nearer by more than its diameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplacementBox {
    low: [i32; 3],
    high: [i32; 3],
}

/// Whether lists still hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// No two particles have come nearer by more than the skin.
    Hold,
    /// The lists hold except for those of a few batches, in rising order; the displacements of all others are given.
    AllBut(Vec<u32>, DisplacementBox),
    /// The lists do not hold.
    Fail,
}

impl DisplacementBox {
    /// The box of no particle.
    pub const NONE: Self = Self { low: [i32::MAX; 3], high: [i32::MIN; 3] };

    /// The box of particles that have not moved.
    pub const STILL: Self = Self { low: [0; 3], high: [0; 3] };

    /// The displacements from some places to others.
    pub fn between(from: &[PackedPosition], to: &[PackedPosition]) -> Self {
        from.iter().zip(to).fold(Self::NONE, |displacements, (from, to)| displacements.with(from, to))
    }

    /// Adds the displacement of one more particle.
    #[must_use]
    pub fn with(mut self, from: &PackedPosition, to: &PackedPosition) -> Self {
        for axis in 0..3 {
            let displacement = to[axis].wrapping_sub(from[axis]);
            self.low[axis] = self.low[axis].min(displacement);
            self.high[axis] = self.high[axis].max(displacement);
        }
        self
    }

    /// The box after particles may have moved on within another box, in units of places.
    #[must_use]
    pub fn grown(mut self, Bounds { low, high }: Bounds) -> Self {
        for axis in 0..3 {
            // Conversions saturate.
            self.low[axis] = self.low[axis].saturating_add(low[axis].floor() as i32);
            self.high[axis] = self.high[axis].saturating_add(high[axis].ceil() as i32);
        }
        self
    }

    /// Whether one of the displacements is [far](FAR).
    fn are_far(&self) -> bool {
        self.low.iter().any(|&low| low < -FAR) || self.high.iter().any(|&high| high > FAR)
    }

    fn union(mut self, other: Self) -> Self {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
        self
    }

    /// The middle of the box.
    pub fn centre(&self) -> [i32; 3] {
        let middle = |axis: usize| i64::midpoint(self.low[axis].into(), self.high[axis].into());
        [0, 1, 2].map(|axis| middle(axis) as i32)
    }

    /// Whether no two of the particles have come nearer by more than a part of the skin.
    pub fn fit(&self, part: f64) -> bool {
        let extent = |axis: usize| f64::from(self.high[axis]) - f64::from(self.low[axis]);
        let diagonal = DVec3::new(extent(0), extent(1), extent(2)).max(DVec3::ZERO).length();
        diagonal < part * SKIN * f64::from(1 << FRACTION_BITS)
    }

    /// Largest distance of the box from a middle along any axis.
    fn reach(&self, middle: [i32; 3]) -> i64 {
        let along = |axis: usize| {
            let from_middle = |end: i32| (i64::from(end) - i64::from(middle[axis])).abs();
            from_middle(self.low[axis]).max(from_middle(self.high[axis]))
        };
        along(0).max(along(1)).max(along(2))
    }
}

/// Whether the lists hold, given the displacements of all batches.
pub fn judge(batches: &[DisplacementBox]) -> Verdict {
    let all = batches.iter().copied().fold(DisplacementBox::NONE, DisplacementBox::union);
    if !batches.is_empty() && all.are_far() {
        return Verdict::Fail;
    }
    if all.fit(1.0) {
        return Verdict::Hold;
    }
    let middle = median(batches.iter().map(DisplacementBox::centre).collect());
    let (mut others, mut rest) = (DisplacementBox::NONE, Vec::new());
    for (batch, displacements) in (0..).zip(batches) {
        let reach = displacements.reach(middle);
        if reach <= SURELY_IN { others = others.union(*displacements) } else { rest.push((reach, batch)) }
    }
    rest.sort_unstable();
    let more = |others: &DisplacementBox, batch: u32| others.union(batches[batch as usize]);
    let kept = rest.iter().take_while(|&&(_, batch)| {
        let fit = more(&others, batch).fit(ROOM);
        if fit {
            others = more(&others, batch);
        }
        fit
    });
    let kept = kept.count();
    let mut left_out: Vec<u32> = rest[kept..].iter().map(|&(_, batch)| batch).collect();
    if left_out.len() > 1 + batches.len() / LEFT_OUT {
        return Verdict::Fail;
    }
    left_out.sort_unstable();
    Verdict::AllBut(left_out, others)
}

fn median(mut points: Vec<[i32; 3]>) -> [i32; 3] {
    let half = points.len() / 2;
    [0, 1, 2].map(|axis| points.select_nth_unstable_by_key(half, |point| point[axis]).1[axis])
}
