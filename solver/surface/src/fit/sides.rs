//! Which side of each plane is outside: along a spanning tree of the likeliest arcs (Hoppe et al. 1992; the mirrored normal after
//! Koenig and Gumhold 2009).

use super::cloud::{Cloud, mirrored};
use super::near::Near;
use glam::DVec3;
use rayon::prelude::*;

/// Neighbours that a point may take its side from.
const AROUND: usize = 10;

/// Turns normals so that neighbours look to the same side and each piece outwards, where none of its normals is given.
pub(super) fn choose(cloud: &mut Cloud) {
    let near = Near::new(&cloud.places);
    let mut pairs: Vec<(f64, [u32; 2], bool)> =
        (0..cloud.len() as u32).into_par_iter().flat_map_iter(|one| arcs(cloud, &near, one)).collect();
    pairs.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut pieces = Pieces::new(cloud);
    for (_, [one, other], turns) in pairs {
        pieces.join(one as usize, other as usize, turns);
    }
    let roots: Vec<(usize, bool)> = (0..cloud.len()).map(|point| pieces.root(point)).collect();
    for (normal, (_, turned)) in cloud.normals.iter_mut().zip(&roots) {
        *normal = if *turned { -*normal } else { *normal };
    }
    let inward = inward(cloud, &roots);
    for (normal, (root, _)) in cloud.normals.iter_mut().zip(&roots) {
        *normal = if inward[*root] && !pieces.told[*root] { -*normal } else { *normal };
    }
}

/// The ways from a point to its neighbours: how unlikely it is that they are an arc, and whether one normal has to turn for that.
fn arcs(cloud: &Cloud, near: &Near, one: u32) -> Vec<(f64, [u32; 2], bool)> {
    let arc = |(squared, other): (f64, u32)| {
        let [a, b] = [one, other].map(|point| point as usize);
        let longest = f64::midpoint(cloud.reach[a], cloud.reach[b]);
        let way = cloud.places[b] - cloud.places[a];
        let even = mirrored(cloud.normals[a], way).dot(cloud.normals[b]);
        let steep = cloud.normals[a].dot(way).abs().max(cloud.normals[b].dot(way).abs()) / way.length();
        let cost = 1.0 - even.abs() + steep * steep;
        (squared <= longest * longest).then_some((cost, [one.min(other), one.max(other)], even < 0.0))
    };
    near.nearest(cloud.places[one as usize], one, AROUND).into_iter().filter_map(arc).collect()
}

/// Points joined to pieces, each with whether it is turned against the first of its piece.
struct Pieces {
    parents: Vec<(usize, bool)>,
    /// Of roots, whether a normal in the piece is given.
    told: Vec<bool>,
}

impl Pieces {
    fn new(cloud: &Cloud) -> Self {
        let parents = (0..cloud.len()).map(|point| (point, false)).collect();
        Self { parents, told: (0..cloud.len()).map(|point| cloud.is_told(point)).collect() }
    }

    fn root(&mut self, mut point: usize) -> (usize, bool) {
        let mut turned = false;
        while self.parents[point].0 != point {
            let (parent, turns) = self.parents[point];
            let (above, more) = self.parents[parent];
            self.parents[point] = (above, turns ^ (parent != above && more));
            turned ^= turns ^ (parent != above && more);
            point = above;
        }
        (point, turned)
    }

    fn join(&mut self, one: usize, other: usize, turns: bool) {
        let ((a, a_turned), (b, b_turned)) = (self.root(one), self.root(other));
        // What is given on both sides stays as it is.
        if a == b || (self.told[a] && self.told[b]) {
            return;
        }
        let turns = turns ^ a_turned ^ b_turned;
        let (root, joined) = if self.told[a] || (!self.told[b] && a < b) { (a, b) } else { (b, a) };
        self.parents[joined] = (root, turns);
    }
}

/// Of roots, whether the normals of the piece look inwards where it ends along many directions.
fn inward(cloud: &Cloud, roots: &[(usize, bool)]) -> Vec<bool> {
    let mut sums = vec![0.0; cloud.len()];
    for direction in directions() {
        let mut last: Vec<Option<(f64, usize)>> = vec![None; cloud.len()];
        for (point, (root, _)) in roots.iter().enumerate() {
            let height = cloud.places[point].dot(direction);
            if last[*root].is_none_or(|(highest, _)| height > highest) {
                last[*root] = Some((height, point));
            }
        }
        for (sum, (_, point)) in sums.iter_mut().zip(last).filter_map(|(sum, last)| Some((sum, last?))) {
            let out = cloud.normals[point].dot(direction);
            *sum += out * out.abs();
        }
    }
    let looks_down = |root: usize| cloud.normals[root].to_array().into_iter().rev().find(|part| part.abs() > 0.1);
    // A plane has no outside: up.
    let inward = |(root, sum): (usize, f64)| if sum.abs() > 0.1 { sum < 0.0 } else { looks_down(root) < Some(0.0) };
    sums.into_iter().enumerate().map(inward).collect()
}

/// To the corners, edges and sides of a cube.
fn directions() -> impl Iterator<Item = DVec3> {
    let steps = -1..=1;
    let all = steps.clone().flat_map(move |x| {
        let steps = steps.clone();
        steps
            .clone()
            .flat_map(move |y| steps.clone().map(move |z| DVec3::new(f64::from(x), f64::from(y), f64::from(z))))
    });
    all.filter(|way| *way != DVec3::ZERO).map(DVec3::normalize)
}
