//! Small holes that are left where spheres were not empty, or no triangle of a choice fits: filled if all that takes is edges up
//! to the longest.

use super::candidates::sphere;
use super::particles::Particles;
use super::stars::{Sector, Stars};
use rayon::prelude::*;

/// Holes with more sides are left open.
const MOST_SIDES: usize = 12;

/// The cosine of the angle between a triangle that fills a hole and the tangent plane of a corner: 75 degrees.
const LEAST_COSINE: f64 = 0.26;

/// Fills holes, each wholly or not at all.
pub(super) fn fill(particles: &Particles, stars: &mut Stars) {
    let found = |first: u32| loops_from(particles, stars, first);
    let loops: Vec<Vec<u32>> = (0..particles.len() as u32).into_par_iter().flat_map_iter(found).collect();
    for sides in loops {
        let triangles = best_filling(particles, stars, &sides).unwrap_or_default();
        // Holes may share corners and what fills them a side.
        if !triangles.iter().any(|corners| stars.overlaps(particles, *corners)) {
            for corners in triangles {
                stars.add(corners);
            }
        }
    }
}

/// The ways around holes, counter-clockwise, that are short and start at their lowest particle.
fn loops_from(particles: &Particles, stars: &Stars, first: u32) -> Vec<Vec<u32>> {
    let ways_out: Vec<u32> = ends(&stars.sectors[first as usize]).collect();
    let walk = |second: &u32| {
        let mut corners = vec![first, *second];
        while let [.., from, at] = corners[..] {
            let next = next_around(particles, stars, from, at)?;
            if next == first {
                // Where holes meet in a corner, each has its own way through.
                return (next_around(particles, stars, at, first) == Some(*second)).then_some(corners);
            }
            if corners.len() == MOST_SIDES || next < first || corners.contains(&next) {
                return None;
            }
            corners.push(next);
        }
        None
    };
    ways_out.iter().filter_map(walk).collect()
}

/// The last sides of the fans of a star: a hole begins there.
fn ends(star: &[Sector]) -> impl Iterator<Item = u32> {
    star.iter().map(|sector| sector[1]).filter(|end| !star.iter().any(|other| other[0] == *end))
}

/// Where the way around a hole goes on from a corner that it came to: along the fan's end that is next to where it came from,
/// clockwise.
fn next_around(particles: &Particles, stars: &Stars, from: u32, at: u32) -> Option<u32> {
    let normal = particles.normals[at as usize];
    let back = particles.way(at, from);
    let turn = |end: u32| {
        let way = particles.way(at, end);
        let flat = way.dot(back) - way.dot(normal) * back.dot(normal);
        normal.dot(way.cross(back)).atan2(flat).rem_euclid(std::f64::consts::TAU)
    };
    let turns = ends(&stars.sectors[at as usize]).map(|end| (turn(end), end));
    turns.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, end)| end)
}

/// The triangles over a hole whose radii have the least sum (Gilbert 1979, Klincsek 1980), if it can be filled.
fn best_filling(particles: &Particles, stars: &Stars, corners: &[u32]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len();
    if count < 3 {
        return None;
    }
    // Of the part of the hole from one corner to another: the least sum, and the corner between them.
    let mut best = vec![vec![(0.0, 0); count]; count];
    for width in 2..count {
        for from in 0..count - width {
            let to = from + width;
            let is_diagonal = width + 1 < count;
            best[from][to] = (f64::INFINITY, 0);
            if is_diagonal && !may_join(particles, stars, corners[from], corners[to]) {
                continue;
            }
            for between in from + 1..to {
                let triangle = [corners[from], corners[between], corners[to]];
                let sum = best[from][between].0 + best[between][to].0 + cost(particles, triangle);
                if sum < best[from][to].0 {
                    best[from][to] = (sum, between);
                }
            }
        }
    }
    best[0][count - 1].0.is_finite().then(|| traced(&best, corners))
}

fn may_join(particles: &Particles, stars: &Stars, a: u32, b: u32) -> bool {
    particles.way(a, b).length_squared() <= 1.0 && !stars.has_edge(a, b)
}

/// The radius of a triangle; infinite if it cannot be.
fn cost(particles: &Particles, corners: [u32; 3]) -> f64 {
    let radius =
        || sphere(corners.map(|corner| particles.stretched[corner as usize])).map(|(_, squared)| squared.sqrt());
    let faces = particles.faces(corners, LEAST_COSINE);
    faces.then(radius).flatten().unwrap_or(f64::INFINITY)
}

fn traced(best: &[Vec<(f64, usize)>], corners: &[u32]) -> Vec<[u32; 3]> {
    let (mut triangles, mut parts) = (vec![], vec![(0, corners.len() - 1)]);
    while let Some((from, to)) = parts.pop() {
        if to - from >= 2 {
            let between = best[from][to].1;
            triangles.push([corners[from], corners[between], corners[to]]);
            parts.extend([(from, between), (between, to)]);
        }
    }
    triangles
}
