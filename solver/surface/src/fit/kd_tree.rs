//! A k-d tree (Bentley 1975): equally fast for even points and for a few distant outliers.

use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Parts with at most this many points are searched linearly.
const LEAF_SIZE: usize = 8;

/// Points split recursively at the median along their widest axis: below the middle point, the middle point, above it.
pub(super) struct KdTree {
    points: Vec<(DVec3, u32)>,
    /// The split axis, stored at the middle point of each part.
    axes: Vec<u8>,
}

/// A point near a query: its squared distance and its number.
pub(super) type NearPoint = (f64, u32);

impl KdTree {
    pub fn new(positions: &[DVec3]) -> Self {
        let mut points: Vec<(DVec3, u32)> = positions.par_iter().copied().zip(0..positions.len() as u32).collect();
        let mut axes = vec![0; points.len()];
        build(&mut points, &mut axes);
        Self { points, axes }
    }

    /// The numbers of the points in tree order: most points are close to their neighbours in this order.
    pub fn order(&self) -> impl Iterator<Item = usize> {
        self.points.iter().map(|(_, number)| *number as usize)
    }

    /// The points within a distance of a position, the nearest first; of equals the lower number first.
    pub fn within(&self, position: DVec3, distance: f64) -> Vec<NearPoint> {
        let mut found = vec![];
        self.visit(0..self.points.len(), position, &mut |neighbour| {
            if neighbour.0 <= distance * distance {
                found.push(neighbour);
            }
            distance * distance
        });
        found.sort_unstable_by(nearer);
        found
    }

    /// The points nearest to a position, except one.
    pub fn nearest(&self, position: DVec3, excluded: u32, count: usize) -> Vec<NearPoint> {
        let mut found: Vec<NearPoint> = Vec::with_capacity(count + 1);
        self.visit(0..self.points.len(), position, &mut |neighbour| {
            if neighbour.1 != excluded {
                let after = found.partition_point(|other| nearer(other, &neighbour).is_lt());
                found.insert(after, neighbour);
                found.truncate(count);
            }
            if found.len() < count { f64::INFINITY } else { found.last().map_or(0.0, |last| last.0) }
        });
        found
    }

    /// Visits the points of a part, those on the side of the position first. `visit_point` returns the current squared
    /// search distance.
    fn visit(&self, range: Range<usize>, position: DVec3, visit_point: &mut impl FnMut(NearPoint) -> f64) {
        let entry = |at: usize| (self.points[at].0.distance_squared(position), self.points[at].1);
        if range.len() <= LEAF_SIZE {
            range.for_each(|at| {
                visit_point(entry(at));
            });
            return;
        }
        let middle = range.start + range.len() / 2;
        let axis = usize::from(self.axes[middle]);
        let above = position[axis] - self.points[middle].0[axis];
        let (low, high) = (range.start..middle, middle + 1..range.end);
        let (own, other) = if above < 0.0 { (low, high) } else { (high, low) };
        self.visit(own, position, visit_point);
        if above * above <= visit_point(entry(middle)) {
            self.visit(other, position, visit_point);
        }
    }
}

fn nearer(a: &NearPoint, b: &NearPoint) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

fn build(points: &mut [(DVec3, u32)], axes: &mut [u8]) {
    if points.len() <= LEAF_SIZE {
        return;
    }
    let axis = widest(points);
    let middle = points.len() / 2;
    points.select_nth_unstable_by(middle, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    axes[middle] = axis as u8;
    let ((low, high), (axes_low, axes_high)) = (points.split_at_mut(middle), axes.split_at_mut(middle));
    rayon::join(|| build(low, axes_low), || build(&mut high[1..], &mut axes_high[1..]));
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
        /// On a lattice, many points are equally far, and some coincide.
        #[test]
        fn neighbours_match_a_brute_force_search(
            lattice in prop::collection::vec(prop::array::uniform3(-4_i8..5), 1..200),
            at in prop::array::uniform3(-5.0_f64..5.0), reach in 0.0_f64..4.0, count in 1_usize..12,
        ) {
            let positions: Vec<DVec3> = lattice.iter().map(|point| DVec3::from_array(point.map(f64::from))).collect();
            let tree = KdTree::new(&positions);
            let at = DVec3::from_array(at).round() * 0.5;
            let mut all: Vec<NearPoint> = positions.iter().map(|p| p.distance_squared(at)).zip(0..).collect();
            all.sort_unstable_by(nearer);
            let within: Vec<NearPoint> = all.iter().copied().filter(|other| other.0 <= reach * reach).collect();
            prop_assert_eq!(tree.within(at, reach), within);
            all.retain(|other| other.1 != 0);
            all.truncate(count);
            prop_assert_eq!(tree.nearest(at, 0, count), all);
        }
    }
}
