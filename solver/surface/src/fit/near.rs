//! Which points are near a place, by a tree of halves (Bentley 1975): as fast where points lie evenly as where a few are very far away.

use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// So few points are looked through one after the other.
const FEW: usize = 8;

/// Points in halves along their widest axis, these in halves again: below the middle one, it, and above it.
pub(super) struct Near {
    points: Vec<(DVec3, u32)>,
    /// Of the middle one of each part, along which axis.
    axes: Vec<u8>,
}

/// Another point: the square of the distance, and its number.
pub(super) type Neighbour = (f64, u32);

impl Near {
    pub fn new(places: &[DVec3]) -> Self {
        let mut points: Vec<(DVec3, u32)> = places.par_iter().copied().zip(0..places.len() as u32).collect();
        let mut axes = vec![0; points.len()];
        halve(&mut points, &mut axes);
        Self { points, axes }
    }

    /// Points in an order in which most are beside those that they are near.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        self.points.iter().map(|(_, number)| *number as usize)
    }

    /// The points within a distance of a place, the nearest first; of equally far ones the lower number.
    pub fn within(&self, place: DVec3, distance: f64) -> Vec<Neighbour> {
        let mut found = vec![];
        self.visit(0..self.points.len(), place, &mut |neighbour| {
            if neighbour.0 <= distance * distance {
                found.push(neighbour);
            }
            distance * distance
        });
        found.sort_unstable_by(nearer);
        found
    }

    /// The points nearest to a place, but not one of them.
    pub fn nearest(&self, place: DVec3, but: u32, count: usize) -> Vec<Neighbour> {
        let mut found: Vec<Neighbour> = Vec::with_capacity(count + 1);
        self.visit(0..self.points.len(), place, &mut |neighbour| {
            if neighbour.1 != but {
                let after = found.partition_point(|other| nearer(other, &neighbour).is_lt());
                found.insert(after, neighbour);
                found.truncate(count);
            }
            if found.len() < count { f64::INFINITY } else { found.last().map_or(0.0, |last| last.0) }
        });
        found
    }

    /// Shows points of a part, those on the side of the place first, and all that are nearer than what was answered last, a square.
    fn visit(&self, part: Range<usize>, place: DVec3, show: &mut impl FnMut(Neighbour) -> f64) {
        let seen = |at: usize| (self.points[at].0.distance_squared(place), self.points[at].1);
        if part.len() <= FEW {
            part.for_each(|at| {
                show(seen(at));
            });
            return;
        }
        let middle = part.start + part.len() / 2;
        let axis = usize::from(self.axes[middle]);
        let above = place[axis] - self.points[middle].0[axis];
        let (low, high) = (part.start..middle, middle + 1..part.end);
        let (own, other) = if above < 0.0 { (low, high) } else { (high, low) };
        self.visit(own, place, show);
        if above * above <= show(seen(middle)) {
            self.visit(other, place, show);
        }
    }
}

fn nearer(a: &Neighbour, b: &Neighbour) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

fn halve(points: &mut [(DVec3, u32)], axes: &mut [u8]) {
    if points.len() <= FEW {
        return;
    }
    let axis = widest(points);
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    axes[middle] = axis as u8;
    let ((low, high), (axes_low, axes_high)) = (points.split_at_mut(middle), axes.split_at_mut(middle));
    rayon::join(|| halve(low, axes_low), || halve(&mut high[1..], &mut axes_high[1..]));
}

fn widest(points: &[(DVec3, u32)]) -> usize {
    let low = points.iter().fold(DVec3::INFINITY, |low, (point, _)| low.min(*point));
    let high = points.iter().fold(DVec3::NEG_INFINITY, |high, (point, _)| high.max(*point));
    let extent = high - low;
    (0..3).max_by(|a, b| extent[*a].total_cmp(&extent[*b])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// On a lattice, many are equally far, and some in one place.
        #[test]
        fn they_are_those_that_a_search_through_all_finds(
            lattice in prop::collection::vec(prop::array::uniform3(-4_i8..5), 1..200),
            at in prop::array::uniform3(-5.0_f64..5.0), reach in 0.0_f64..4.0, count in 1_usize..12,
        ) {
            let places: Vec<DVec3> = lattice.iter().map(|point| DVec3::from_array(point.map(f64::from))).collect();
            let near = Near::new(&places);
            let at = DVec3::from_array(at).round() * 0.5;
            let mut all: Vec<Neighbour> = places.iter().map(|place| place.distance_squared(at)).zip(0..).collect();
            all.sort_unstable_by(nearer);
            let within: Vec<Neighbour> = all.iter().copied().filter(|other| other.0 <= reach * reach).collect();
            prop_assert_eq!(near.within(at, reach), within);
            all.retain(|other| other.1 != 0);
            all.truncate(count);
            prop_assert_eq!(near.nearest(at, 0, count), all);
        }
    }
}
