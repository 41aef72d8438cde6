//! Orients planes consistently, along a spanning tree of the most likely arcs (Hoppe et al. 1992; the mirrored normal
//! after Koenig and Gumhold 2009).

use super::cloud::{Cloud, mirrored};
use super::kd_tree::KdTree;
use glam::DVec3;
use rayon::prelude::*;

/// Number of neighbours that a point may take its orientation from.
const NEIGHBOURS: usize = 10;

/// Flips normals so that neighbours agree and each component faces outwards, unless one of its normals was given.
pub(super) fn orient(cloud: &mut Cloud) {
    let tree = KdTree::new(&cloud.positions);
    let mut arcs: Vec<Arc> =
        (0..cloud.len() as u32).into_par_iter().flat_map_iter(|one| arcs(cloud, &tree, one)).collect();
    arcs.par_sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.points.cmp(&b.points)));
    let mut sets = OrientedSets::new(cloud);
    for Arc { points: [one, other], flips, .. } in arcs {
        sets.join(one as usize, other as usize, flips);
    }
    let roots: Vec<(usize, bool)> = (0..cloud.len()).map(|point| sets.root(point)).collect();
    for (normal, (_, is_flipped)) in cloud.normals.iter_mut().zip(&roots) {
        *normal = if *is_flipped { -*normal } else { *normal };
    }
    let inward = inward(cloud, &roots);
    for (normal, (root, _)) in cloud.normals.iter_mut().zip(&roots) {
        *normal = if inward[*root] && !sets.normal_given[*root] { -*normal } else { *normal };
    }
}

/// An arc between two neighbours.
struct Arc {
    /// Low for a likely arc.
    cost: f64,
    /// Its two points, in rising order.
    points: [u32; 2],
    /// Whether one of their normals must flip.
    flips: bool,
}

/// The arcs from a point to its neighbours.
fn arcs(cloud: &Cloud, tree: &KdTree, one: u32) -> Vec<Arc> {
    let arc = |(squared, other): (f64, u32)| {
        let [a, b] = [one, other].map(|point| point as usize);
        let longest = f64::midpoint(cloud.reach[a], cloud.reach[b]);
        let chord = cloud.positions[b] - cloud.positions[a];
        let evenness = mirrored(cloud.normals[a], chord).dot(cloud.normals[b]);
        let slope = cloud.normals[a].dot(chord).abs().max(cloud.normals[b].dot(chord).abs()) / chord.length();
        let cost = 1.0 - evenness.abs() + slope * slope;
        let points = [one.min(other), one.max(other)];
        (squared <= longest * longest).then_some(Arc { cost, points, flips: evenness < 0.0 })
    };
    tree.nearest(cloud.positions[one as usize], one, NEIGHBOURS).into_iter().filter_map(arc).collect()
}

/// A union-find of points that also stores whether each is flipped against its root.
struct OrientedSets {
    parents: Vec<(usize, bool)>,
    /// For each root, whether a normal in its set was given.
    normal_given: Vec<bool>,
}

impl OrientedSets {
    fn new(cloud: &Cloud) -> Self {
        let parents = (0..cloud.len()).map(|point| (point, false)).collect();
        Self { parents, normal_given: (0..cloud.len()).map(|point| cloud.is_normal_given(point)).collect() }
    }

    fn root(&mut self, mut point: usize) -> (usize, bool) {
        let mut is_flipped = false;
        while self.parents[point].0 != point {
            let (parent, flips) = self.parents[point];
            let (grandparent, parent_flips) = self.parents[parent];
            self.parents[point] = (grandparent, flips ^ (parent != grandparent && parent_flips));
            is_flipped ^= flips ^ (parent != grandparent && parent_flips);
            point = grandparent;
        }
        (point, is_flipped)
    }

    fn join(&mut self, one: usize, other: usize, flips: bool) {
        let ((a, a_flipped), (b, b_flipped)) = (self.root(one), self.root(other));
        // Given normals on both sides stay.
        if a == b || (self.normal_given[a] && self.normal_given[b]) {
            return;
        }
        let flips = flips ^ a_flipped ^ b_flipped;
        let (root, joined) = if self.normal_given[a] || (!self.normal_given[b] && a < b) { (a, b) } else { (b, a) };
        self.parents[joined] = (root, flips);
    }
}

/// For each root, whether the normals of its set face inwards at the extreme points along many directions.
fn inward(cloud: &Cloud, roots: &[(usize, bool)]) -> Vec<bool> {
    let mut sums = vec![0.0; cloud.len()];
    for direction in directions() {
        let mut last: Vec<Option<(f64, usize)>> = vec![None; cloud.len()];
        for (point, (root, _)) in roots.iter().enumerate() {
            let height = cloud.positions[point].dot(direction);
            if last[*root].is_none_or(|(highest, _)| height > highest) {
                last[*root] = Some((height, point));
            }
        }
        for (sum, (_, point)) in sums.iter_mut().zip(last).filter_map(|(sum, last)| Some((sum, last?))) {
            let out = cloud.normals[point].dot(direction);
            *sum += out * out.abs();
        }
    }
    let last_component = |root: usize| cloud.normals[root].to_array().into_iter().rev().find(|part| part.abs() > 0.1);
    // A plane has no outside, so it faces up.
    let inward = |(root, sum): (usize, f64)| if sum.abs() > 0.1 { sum < 0.0 } else { last_component(root) < Some(0.0) };
    sums.into_iter().enumerate().map(inward).collect()
}

/// Directions to the corners, edges and faces of a cube.
fn directions() -> impl Iterator<Item = DVec3> {
    let steps = -1..=1;
    let all = steps.clone().flat_map(move |x| {
        let steps = steps.clone();
        steps
            .clone()
            .flat_map(move |y| steps.clone().map(move |z| DVec3::new(f64::from(x), f64::from(y), f64::from(z))))
    });
    all.filter(|direction| *direction != DVec3::ZERO).map(DVec3::normalize)
}
