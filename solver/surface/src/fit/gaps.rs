//! Fills gaps that insertion between neighbours cannot close. Triangles over the loop around a gap tell where to put
//! particles, which then relax.

use super::Gap;
use super::cloud::Cloud;
use super::insertion::REACH;
use super::kd_tree::KdTree;
use crate::mesh::SurfaceMesh;
use crate::mesh::topology::sides;
use glam::{DVec3, IVec3};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop with more corners is subsampled.
const MAX_CORNERS: usize = 160;

/// Gaps that particles did not close are triangulated if they have at most this many corners.
const MAX_TRIANGULATED: usize = 40;

/// A gap is filled if the area of its filling is at most this fraction of the surface around it.
const MAX_AREA_FRACTION: f64 = 0.45;

/// Least distance of particles in a gap from all others.
const MIN_DISTANCE: f64 = 0.75;

/// Rounds of averaging normals in gaps.
const SMOOTHING_ROUNDS: usize = 60;

/// Adds particles in the gaps of a closed surface; returns their number.
pub(super) fn fill(cloud: &mut Cloud, triangles: &[[u32; 3]]) -> usize {
    let areas = ComponentAreas::new(cloud, triangles);
    let first = cloud.len();
    let mut all = vec![];
    let tree = KdTree::new(&cloud.positions);
    for corners in loops(triangles) {
        let step = corners.len().div_ceil(MAX_CORNERS);
        let kept_corners: Vec<u32> = corners.iter().copied().step_by(step).collect();
        let patch = patch(&kept_corners.iter().map(|corner| cloud.positions[*corner as usize]).collect::<Vec<_>>());
        let patch: Vec<[u32; 3]> =
            patch.into_iter().map(|triangle| triangle.map(|corner| kept_corners[corner])).collect();
        if areas.is_small_beside_surface(cloud, &patch) {
            let mut added = GapParticles::default();
            for triangle in patch {
                scatter(cloud, &tree, triangle, &mut added);
            }
            all.extend(added.all);
        }
    }
    for (position, normal) in all {
        cloud.add(position, normal, REACH);
    }
    smooth_normals(cloud, first);
    cloud.len() - first
}

/// Closes remaining gaps with triangles alone, or with a fan around one more particle if their sides already exist.
pub(super) fn triangulate_gaps(cloud: &mut Cloud, triangles: &mut Vec<[u32; 3]>) {
    let areas = ComponentAreas::new(cloud, triangles);
    let mut taken: FxHashSet<(u32, u32)> = triangles.iter().copied().flat_map(sides).collect();
    for corners in loops(triangles) {
        if corners.len() > MAX_TRIANGULATED {
            continue;
        }
        let positions: Vec<DVec3> = corners.iter().map(|corner| cloud.positions[*corner as usize]).collect();
        let patch: Vec<[u32; 3]> =
            patch(&positions).into_iter().map(|triangle| triangle.map(|corner| corners[corner])).collect();
        if !areas.is_small_beside_surface(cloud, &patch) {
            continue;
        }
        let loop_sides: FxHashSet<(u32, u32)> =
            corners.iter().copied().zip(corners.iter().copied().cycle().skip(1)).collect();
        let is_free =
            |(a, b): (u32, u32)| loop_sides.contains(&(a, b)) || !(taken.contains(&(a, b)) || taken.contains(&(b, a)));
        let filling = if patch.iter().copied().flat_map(sides).all(is_free) { patch } else { fan(cloud, &corners) };
        taken.extend(filling.iter().copied().flat_map(sides));
        triangles.extend(filling);
    }
}

/// A fan of triangles from the sides of a loop to a new particle in their centre.
fn fan(cloud: &mut Cloud, corners: &[u32]) -> Vec<[u32; 3]> {
    let mean = |all: &[DVec3]| corners.iter().map(|corner| all[*corner as usize]).sum::<DVec3>() / corners.len() as f64;
    let (position, normal) = (mean(&cloud.positions), mean(&cloud.normals));
    let middle = cloud.len() as u32;
    cloud.add(position, normal.normalize_or(DVec3::Z), REACH);
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&one, &other)| [one, other, middle]).collect()
}

/// The loops around gaps, clockwise seen from where the normals point.
fn loops(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let all: FxHashSet<(u32, u32)> = sides().collect();
    // The triangles of the gap run in the opposite direction.
    let mut next: FxHashMap<u32, u32> = sides().filter(|&(a, b)| !all.contains(&(b, a))).map(|(a, b)| (b, a)).collect();
    let mut starts: Vec<u32> = next.keys().copied().collect();
    starts.sort_unstable();
    let mut loops = vec![];
    for start in starts {
        let mut corners = vec![];
        let mut at = start;
        while let Some(to) = next.remove(&at) {
            corners.push(at);
            at = to;
        }
        if corners.len() >= 3 && at == start {
            loops.push(corners);
        }
    }
    loops
}

/// The gaps of a mesh.
pub(super) fn remaining(mesh: &SurfaceMesh) -> Vec<Gap> {
    let gap = |corners: &Vec<u32>| {
        let positions: Vec<DVec3> = corners.iter().map(|corner| mesh.positions[*corner as usize].as_dvec3()).collect();
        let next = positions.iter().cycle().skip(1);
        let length = positions.iter().zip(next).map(|(position, next)| position.distance(*next)).sum();
        Gap { centre: positions.iter().sum::<DVec3>() / positions.len() as f64, length }
    };
    let mut gaps: Vec<Gap> = loops(&mesh.triangles).iter().map(gap).collect();
    gaps.sort_by(|a, b| b.length.total_cmp(&a.length));
    gaps
}

/// Areas of the components of a surface.
struct ComponentAreas {
    components: FxHashMap<u32, u32>,
    areas: FxHashMap<u32, f64>,
}

impl ComponentAreas {
    fn new(cloud: &Cloud, triangles: &[[u32; 3]]) -> Self {
        let mut parents: Vec<u32> = (0..cloud.len() as u32).collect();
        for &[a, b, c] in triangles {
            for (one, other) in [(a, b), (b, c)] {
                let (one, other) = (root(&mut parents, one), root(&mut parents, other));
                parents[one.max(other) as usize] = one.min(other);
            }
        }
        let mut areas = FxHashMap::default();
        for triangle in triangles {
            *areas.entry(root(&mut parents, triangle[0])).or_insert(0.0) += area(&cloud.positions, *triangle);
        }
        let components = triangles.iter().flatten().map(|&corner| (corner, root(&mut parents, corner))).collect();
        Self { components, areas }
    }

    /// Whether a patch is small compared with the component that it belongs to.
    fn is_small_beside_surface(&self, cloud: &Cloud, patch: &[[u32; 3]]) -> bool {
        let of =
            |particle: u32| self.components.get(&particle).and_then(|component| self.areas.get(component)).copied();
        let around = patch.first().and_then(|corners| of(corners[0])).unwrap_or(0.0);
        patch.iter().map(|triangle| area(&cloud.positions, *triangle)).sum::<f64>() <= MAX_AREA_FRACTION * around
    }
}

fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

fn area(positions: &[DVec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
    (b - a).cross(c - a).length() / 2.0
}

/// The triangulation of a polygon in space with the least area (Klincsek 1980), by corner numbers.
fn patch(corners: &[DVec3]) -> Vec<[usize; 3]> {
    let count = corners.len();
    if count < 3 {
        return vec![];
    }
    let area = |a: usize, b: usize, c: usize| (corners[b] - corners[a]).cross(corners[c] - corners[a]).length();
    let mut best = vec![vec![(0.0, 0); count]; count];
    for width in 2..count {
        for from in 0..count - width {
            let to = from + width;
            let of = |between: usize| (best[from][between].0 + best[between][to].0 + area(from, between, to), between);
            let least = (from + 1..to).map(of).min_by(|a, b| a.0.total_cmp(&b.0));
            best[from][to] = least.unwrap_or((0.0, from));
        }
    }
    let (mut triangles, mut parts) = (vec![], vec![(0, count - 1)]);
    while let Some((from, to)) = parts.pop() {
        if to - from >= 2 {
            let between = best[from][to].1;
            triangles.push([from, between, to]);
            parts.extend([(from, between), (between, to)]);
        }
    }
    triangles
}

/// Adds particles all over a triangle where they keep the least distance.
fn scatter(cloud: &Cloud, tree: &KdTree, triangle: [u32; 3], added: &mut GapParticles) {
    let corners = triangle.map(|corner| cloud.positions[corner as usize]);
    let Some(normal) = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize() else { return };
    for position in points_over(corners) {
        if added.is_far_enough(position) && tree.within(position, MIN_DISTANCE).is_empty() {
            added.add(position, normal);
        }
    }
}

/// Points all over a triangle, at most half a distance apart, in rows along its longest side, so that thin triangles
/// get few.
fn points_over([a, b, c]: [DVec3; 3]) -> impl Iterator<Item = DVec3> {
    let steps = |length: f64| ((length * 2.0).ceil() as usize).max(1);
    let by_side = |a: &[DVec3; 3], b: &[DVec3; 3]| a[0].distance(a[1]).total_cmp(&b[0].distance(b[1]));
    let turns = [[a, b, c], [b, c, a], [c, a, b]];
    let [a, b, c] = turns.into_iter().max_by(by_side).unwrap_or([a, b, c]);
    let rows = steps((b - a).cross(c - a).length() / a.distance(b));
    (0..=rows).flat_map(move |row| {
        let part = row as f64 / rows as f64;
        let (from, to) = (a.lerp(c, part), b.lerp(c, part));
        let columns = steps(from.distance(to));
        (0..=columns).map(move |column| from.lerp(to, column as f64 / columns as f64))
    })
}

/// Particles of a gap, position and normal, and their numbers by cubes as wide as the least distance.
#[derive(Default)]
struct GapParticles {
    all: Vec<(DVec3, DVec3)>,
    cubes: FxHashMap<IVec3, Vec<usize>>,
}

impl GapParticles {
    fn is_far_enough(&self, position: DVec3) -> bool {
        let centre = (position / MIN_DISTANCE).floor().as_ivec3();
        let steps = || -1..=1;
        let around = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| IVec3::new(x, y, z))));
        let mut others = around.filter_map(|step| self.cubes.get(&(centre + step))).flatten();
        others.all(|other| self.all[*other].0.distance(position) >= MIN_DISTANCE)
    }

    fn add(&mut self, position: DVec3, normal: DVec3) {
        self.cubes.entry((position / MIN_DISTANCE).floor().as_ivec3()).or_default().push(self.all.len());
        self.all.push((position, normal));
    }
}

/// Averages the normals of the particles from `first` on with those around.
fn smooth_normals(cloud: &mut Cloud, first: usize) {
    let tree = KdTree::new(&cloud.positions);
    let around: Vec<Vec<(f64, u32)>> =
        cloud.positions[first..].iter().map(|position| tree.within(*position, 2.0)).collect();
    for _ in 0..SMOOTHING_ROUNDS {
        let mean =
            |others: &Vec<(f64, u32)>| others.iter().map(|(_, other)| cloud.normals[*other as usize]).sum::<DVec3>();
        let means: Vec<DVec3> = around.iter().map(mean).collect();
        cloud.normals[first..].iter_mut().zip(means).for_each(|(normal, mean)| *normal = mean.normalize_or(*normal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_cover_any_triangle_and_are_few_on_thin_ones() {
        for (width, height, most) in [(10.0, 8.0, 260), (0.1, 0.1, 6), (100.0, 0.1, 450), (1000.0, 1e-9, 4100)] {
            let corners = [DVec3::ZERO, DVec3::new(0.3 * width, height, 0.0), DVec3::X * width];
            let positions: Vec<DVec3> = points_over(corners).collect();
            assert!(positions.len() <= most, "{width} by {height}: {}", positions.len());
            for part in 0..200 {
                let (along, up) = (f64::from(part % 20) / 19.0, f64::from(part / 20) / 9.0);
                let position = corners[0].lerp(corners[2], along).lerp(corners[1], up);
                let nearest = positions.iter().map(|other| other.distance(position)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 0.36, "{width} by {height}: {nearest} at {position}");
            }
        }
    }
}
