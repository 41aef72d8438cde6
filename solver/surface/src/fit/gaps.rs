//! Gaps that no stretch rule closes: triangles over the loop around one tell where particles are to be born; what becomes of these is for
//! the potentials.

use super::Gap;
use super::births::REACH;
use super::cloud::Cloud;
use super::near::Near;
use crate::SurfaceMesh;
use crate::topology::sides;
use glam::{DVec3, IVec3};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop with more corners is followed in larger steps.
const MOST_CORNERS: usize = 160;

/// Gaps that particles did not close are closed by triangles alone if they have no more corners.
const MOST_MENDED: usize = 40;

/// A gap is part of a closed surface if what fills it is at most such a part of the area around.
const LARGEST: f64 = 0.45;

/// How far particles in a gap are from all others.
const ROOM: f64 = 0.75;

/// Times that normals in gaps become means of those around.
const ROUNDS: usize = 60;

/// Has particles born in the gaps of triangles that are part of a closed surface; tells how many.
pub(super) fn fill(cloud: &mut Cloud, triangles: &[[u32; 3]]) -> usize {
    let areas = Areas::new(cloud, triangles);
    let first = cloud.len();
    let mut all = vec![];
    let near = Near::new(&cloud.places);
    for corners in loops(triangles) {
        let step = corners.len().div_ceil(MOST_CORNERS);
        let rim: Vec<u32> = corners.iter().copied().step_by(step).collect();
        let patch = patch(&rim.iter().map(|corner| cloud.places[*corner as usize]).collect::<Vec<_>>());
        let patch: Vec<[u32; 3]> = patch.into_iter().map(|triangle| triangle.map(|corner| rim[corner])).collect();
        if areas.closes(cloud, &patch) {
            let mut born = Born::default();
            for triangle in patch {
                strew(cloud, &near, triangle, &mut born);
            }
            all.extend(born.all);
        }
    }
    for (place, normal) in all {
        cloud.add(place, normal, REACH);
    }
    even_normals(cloud, first);
    cloud.len() - first
}

/// Closes what gaps are left with triangles alone, or a fan around one more particle where their sides are sides of others.
pub(super) fn mend(cloud: &mut Cloud, triangles: &mut Vec<[u32; 3]>) {
    let areas = Areas::new(cloud, triangles);
    let mut taken: FxHashSet<(u32, u32)> = triangles.iter().copied().flat_map(sides).collect();
    for corners in loops(triangles) {
        if corners.len() > MOST_MENDED {
            continue;
        }
        let places: Vec<DVec3> = corners.iter().map(|corner| cloud.places[*corner as usize]).collect();
        let patch: Vec<[u32; 3]> =
            patch(&places).into_iter().map(|triangle| triangle.map(|corner| corners[corner])).collect();
        if !areas.closes(cloud, &patch) {
            continue;
        }
        let ways: FxHashSet<(u32, u32)> =
            corners.iter().copied().zip(corners.iter().copied().cycle().skip(1)).collect();
        let is_free =
            |(a, b): (u32, u32)| ways.contains(&(a, b)) || !(taken.contains(&(a, b)) || taken.contains(&(b, a)));
        let filling = if patch.iter().copied().flat_map(sides).all(is_free) { patch } else { fan(cloud, &corners) };
        taken.extend(filling.iter().copied().flat_map(sides));
        triangles.extend(filling);
    }
}

/// Triangles from the sides of a loop to a particle in their middle.
fn fan(cloud: &mut Cloud, corners: &[u32]) -> Vec<[u32; 3]> {
    let mean = |all: &[DVec3]| corners.iter().map(|corner| all[*corner as usize]).sum::<DVec3>() / corners.len() as f64;
    let (place, normal) = (mean(&cloud.places), mean(&cloud.normals));
    let middle = cloud.len() as u32;
    cloud.add(place, normal.normalize_or(DVec3::Z), REACH);
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(&one, &other)| [one, other, middle]).collect()
}

/// The ways around gaps: of a gap in a surface clockwise, seen from where normals point.
fn loops(triangles: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let all: FxHashSet<(u32, u32)> = sides().collect();
    // The gap's own triangles go the other way.
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
pub(super) fn left(mesh: &SurfaceMesh) -> Vec<Gap> {
    let gap = |corners: &Vec<u32>| {
        let places: Vec<DVec3> = corners.iter().map(|corner| mesh.positions[*corner as usize].as_dvec3()).collect();
        let next = places.iter().cycle().skip(1);
        let length = places.iter().zip(next).map(|(place, next)| place.distance(*next)).sum();
        Gap { centre: places.iter().sum::<DVec3>() / places.len() as f64, length }
    };
    let mut gaps: Vec<Gap> = loops(&mesh.triangles).iter().map(gap).collect();
    gaps.sort_by(|a, b| b.length.total_cmp(&a.length));
    gaps
}

/// Areas of the pieces of a surface.
struct Areas {
    pieces: FxHashMap<u32, u32>,
    areas: FxHashMap<u32, f64>,
}

impl Areas {
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
            *areas.entry(root(&mut parents, triangle[0])).or_insert(0.0) += area(&cloud.places, *triangle);
        }
        let pieces = triangles.iter().flatten().map(|&corner| (corner, root(&mut parents, corner))).collect();
        Self { pieces, areas }
    }

    /// Whether a patch is small beside the piece that it is for.
    fn closes(&self, cloud: &Cloud, patch: &[[u32; 3]]) -> bool {
        let of = |particle: u32| self.pieces.get(&particle).and_then(|piece| self.areas.get(piece)).copied();
        let around = patch.first().and_then(|corners| of(corners[0])).unwrap_or(0.0);
        patch.iter().map(|triangle| area(&cloud.places, *triangle)).sum::<f64>() <= LARGEST * around
    }
}

fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        parents[at as usize] = parents[parents[at as usize] as usize];
        at = parents[at as usize];
    }
    at
}

fn area(places: &[DVec3], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|corner| places[corner as usize]);
    (b - a).cross(c - a).length() / 2.0
}

/// The triangles over a polygon in space with the least area (Klincsek 1980), by the numbers of its corners.
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

/// Has particles born all over a triangle where there is room.
fn strew(cloud: &Cloud, near: &Near, triangle: [u32; 3], born: &mut Born) {
    let corners = triangle.map(|corner| cloud.places[corner as usize]);
    let Some(normal) = (corners[1] - corners[0]).cross(corners[2] - corners[0]).try_normalize() else { return };
    for place in places_over(corners) {
        if born.has_room(place) && near.within(place, ROOM).is_empty() {
            born.add(place, normal);
        }
    }
}

/// Places all over a triangle, at most half a distance apart, by rows along its longest side: thin ones have few.
fn places_over([a, b, c]: [DVec3; 3]) -> impl Iterator<Item = DVec3> {
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

/// Particles of a gap, place and normal, and which of them are in a cube as wide as the room that each has.
#[derive(Default)]
struct Born {
    all: Vec<(DVec3, DVec3)>,
    cubes: FxHashMap<IVec3, Vec<usize>>,
}

impl Born {
    fn has_room(&self, place: DVec3) -> bool {
        let centre = (place / ROOM).floor().as_ivec3();
        let steps = || -1..=1;
        let around = steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| IVec3::new(x, y, z))));
        let mut others = around.filter_map(|step| self.cubes.get(&(centre + step))).flatten();
        others.all(|other| self.all[*other].0.distance(place) >= ROOM)
    }

    fn add(&mut self, place: DVec3, normal: DVec3) {
        self.cubes.entry((place / ROOM).floor().as_ivec3()).or_default().push(self.all.len());
        self.all.push((place, normal));
    }
}

/// Turns the normals of particles from one on to the means of those around.
fn even_normals(cloud: &mut Cloud, first: usize) {
    let near = Near::new(&cloud.places);
    let around: Vec<Vec<(f64, u32)>> = cloud.places[first..].iter().map(|place| near.within(*place, 2.0)).collect();
    for _ in 0..ROUNDS {
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
    fn places_are_close_over_any_triangle_and_few_over_thin_ones() {
        for (width, height, most) in [(10.0, 8.0, 260), (0.1, 0.1, 6), (100.0, 0.1, 450), (1000.0, 1e-9, 4100)] {
            let corners = [DVec3::ZERO, DVec3::new(0.3 * width, height, 0.0), DVec3::X * width];
            let places: Vec<DVec3> = places_over(corners).collect();
            assert!(places.len() <= most, "{width} by {height}: {}", places.len());
            for part in 0..200 {
                let (along, up) = (f64::from(part % 20) / 19.0, f64::from(part / 20) / 9.0);
                let place = corners[0].lerp(corners[2], along).lerp(corners[1], up);
                let nearest = places.iter().map(|other| other.distance(place)).fold(f64::INFINITY, f64::min);
                assert!(nearest < 0.36, "{width} by {height}: {nearest} at {place}");
            }
        }
    }
}
