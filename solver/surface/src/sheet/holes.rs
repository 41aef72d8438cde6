//! Fills small holes that remain where spheres were not empty or no chosen triangle fits, if edges up to the longest
//! suffice.

use super::candidates::sphere;
use super::particles::SheetParticles;
use super::stars::{Sector, Stars};
use rayon::prelude::*;

/// Holes with more sides stay open.
const MAX_SIDES: usize = 12;

/// Cosine of the largest angle between a filling triangle and the tangent plane of a corner: 75 degrees.
const MIN_COSINE: f64 = 0.26;

/// Fills holes, each completely or not at all.
pub(super) fn fill(particles: &SheetParticles, stars: &mut Stars) {
    let found = |first: u32| loops_from(particles, stars, first);
    let loops: Vec<Vec<u32>> = (0..particles.len() as u32).into_par_iter().flat_map_iter(found).collect();
    for sides in loops {
        let triangles = best_filling(particles, stars, &sides).unwrap_or_default();
        // Holes may share corners, and their fillings a side.
        if !triangles.iter().any(|corners| stars.overlaps(particles, *corners)) {
            for corners in triangles {
                stars.add(corners);
            }
        }
    }
}

/// The short loops around holes, counter-clockwise, that start at their lowest particle.
fn loops_from(particles: &SheetParticles, stars: &Stars, first: u32) -> Vec<Vec<u32>> {
    let starts: Vec<u32> = ends(&stars.sectors[first as usize]).collect();
    let walk = |second: &u32| {
        let mut corners = vec![first, *second];
        while let [.., from, at] = corners[..] {
            let next = next_around(particles, stars, from, at)?;
            if next == first {
                // Several holes may meet in a corner; this one must close at its own start.
                return (next_around(particles, stars, at, first) == Some(*second)).then_some(corners);
            }
            if corners.len() == MAX_SIDES || next < first || corners.contains(&next) {
                return None;
            }
            corners.push(next);
        }
        None
    };
    starts.iter().filter_map(walk).collect()
}

/// The last sides of the fans of a star; the loop of a hole starts there.
fn ends(star: &[Sector]) -> impl Iterator<Item = u32> {
    star.iter().map(|sector| sector[1]).filter(|end| !star.iter().any(|other| other[0] == *end))
}

/// The next corner on the loop around a hole: the end of the fan that is next to the last side, clockwise.
fn next_around(particles: &SheetParticles, stars: &Stars, from: u32, at: u32) -> Option<u32> {
    let normal = particles.normals[at as usize];
    let back = particles.offset(at, from);
    let clockwise_angle = |end: u32| {
        let offset = particles.offset(at, end);
        let flat = offset.dot(back) - offset.dot(normal) * back.dot(normal);
        normal.dot(offset.cross(back)).atan2(flat).rem_euclid(std::f64::consts::TAU)
    };
    let angles = ends(&stars.sectors[at as usize]).map(|end| (clockwise_angle(end), end));
    angles.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, end)| end)
}

/// The triangulation of a hole with the least sum of radii (Gilbert 1979, Klincsek 1980), if the hole can be filled.
fn best_filling(particles: &SheetParticles, stars: &Stars, corners: &[u32]) -> Option<Vec<[u32; 3]>> {
    let count = corners.len();
    if count < 3 {
        return None;
    }
    // For each part of the hole between two corners: the least sum, and the corner in between.
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
    best[0][count - 1].0.is_finite().then(|| triangles_of(&best, corners))
}

fn may_join(particles: &SheetParticles, stars: &Stars, a: u32, b: u32) -> bool {
    particles.offset(a, b).length_squared() <= 1.0 && !stars.has_edge(a, b)
}

/// The radius of a triangle; infinite if the triangle is not allowed.
fn cost(particles: &SheetParticles, corners: [u32; 3]) -> f64 {
    let radius =
        || sphere(corners.map(|corner| particles.stretched[corner as usize])).map(|(_, squared)| squared.sqrt());
    let faces = particles.faces(corners, MIN_COSINE);
    faces.then(radius).flatten().unwrap_or(f64::INFINITY)
}

fn triangles_of(best: &[Vec<(f64, usize)>], corners: &[u32]) -> Vec<[u32; 3]> {
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
