//! Smoothing of a mesh, and the volume that it encloses.
//!
//! A low-pass filter over the mesh (Taubin, Zhang, Golub, "Optimal surface smoothing as filter design", 1996): waves shorter than
//! a given length go and longer ones stay, where Laplacian smoothing shrinks them all. Lone drops and strands, which are all short
//! waves, are spared. What the volume still lacks, or has too much, is made up for by moving all vertices along their
//! normals.
//!
//! | symbol | meaning |
//! |---|---|
//! | k | frequency: a vertex less the mean of its neighbours is k times the vertex, 0 to 2 |
//! | theta | arc cosine of 1 - k, which is the frequency of Chebyshev's polynomials |

use crate::implicit::components::{Components, Forest};
use crate::mesh::SurfaceMesh;
use crate::topology::sides;
use glam::{DVec3, Vec3, Vec3A};
use rayon::prelude::*;
use std::borrow::Cow;
use std::f64::consts::PI;
use std::ops::RangeInclusive;

/// Triangles that are summed by one thread; fixed, so that sums are the same for any number of threads.
const CHUNK: usize = 1 << 14;

/// Terms of the filter for each cell of the longest wave that it takes away: enough to tell it from one half as long again.
const TERMS_PER_CELL: f64 = 1.8;

/// The most terms.
const MOST_TERMS: f64 = 400.0;

/// Frequency of a wave as long as a cell, about: most vertices have six neighbours, at distances whose mean square
/// is 1.2 cells^2.
const FREQUENCY: f64 = 11.8;

/// The farthest that a vertex is moved by that, over the length: thin matter would shrink to needles.
const FARTHEST_SMOOTHED: f64 = 0.1;

/// Times that the volume is mended at least, as each leaves an error of second order, and at most, where much is lacking.
const MENDINGS: RangeInclusive<usize> = 2..=16;

/// What the volume of a group may lack, of the whole, after the least of mendings.
const CLOSE: f64 = 1e-6;

/// The most that a piece is moved inwards to mend the volume at once, over its size, at first and later on.
const MOST_INWARDS: f32 = 0.2;
const LATER_INWARDS: f32 = 0.01;

/// How much of what smoothing would lift a vertex off a wall it does: a rim that stayed there altogether would stand out in points.
const LIFTED: f32 = 0.25;

/// Lengths of waves that a piece of a mesh is smoothed over, as the filter takes its shape for a wave around it: not at all where
/// they are as long as the way around a ball of its volume, and in full from half of that on.
const WAYS_AROUND: [f64; 2] = [1.0, 2.0];

/// The farthest that vertices move to mend the volume at once, cells.
const FARTHEST: f64 = 0.25;

/// Neighbours of most vertices; a loop over so many, and no other number, is predicted by the processor.
const FEW: usize = 8;

/// The neighbours of the vertices of a closed mesh.
struct Rings {
    /// The first neighbours of each vertex; itself where there are fewer.
    first: Vec<[u32; FEW]>,
    /// 1 over the number of neighbours.
    shares: Vec<f32>,
    /// Further neighbours of vertex v are `more[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    more: Vec<u32>,
}

impl Rings {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        // In a closed mesh each neighbour ends one edge that some triangle walks.
        let walks = || triangles.iter().copied().flat_map(sides);
        let mut first: Vec<_> = (0..vertices as u32).map(|vertex| [vertex; FEW]).collect();
        let (mut counts, mut beyond) = (vec![0_u32; vertices], vec![]);
        for (from, to) in walks() {
            let count = &mut counts[from as usize];
            match first[from as usize].get_mut(*count as usize) {
                Some(place) => *place = to,
                None => beyond.push((from, to)),
            }
            *count += 1;
        }
        // Stable, so the order is that of the triangles.
        beyond.sort_by_key(|(from, _)| *from);
        let start = |vertex: u32| beyond.partition_point(|(from, _)| *from < vertex) as u32;
        Self {
            first,
            shares: counts.iter().map(|&count| 1.0 / count.max(1) as f32).collect(),
            starts: (0..=vertices as u32).map(start).collect(),
            more: beyond.iter().map(|(_, to)| *to).collect(),
        }
    }

    /// The mean of the neighbours of a vertex.
    fn mean(&self, positions: &[Vec3A], vertex: usize) -> Vec3A {
        let own = positions[vertex];
        let [a, b, c, d, e, f, g, h] = self.first[vertex].map(|other| positions[other as usize] - own);
        let more = &self.more[self.starts[vertex] as usize..self.starts[vertex + 1] as usize];
        let rest: Vec3A = more.iter().map(|&other| positions[other as usize] - own).sum();
        own + self.shares[vertex] * (((a + b) + (c + d)) + ((e + f) + (g + h)) + rest)
    }

    /// The series of Chebyshev's polynomials of 1 - k with these coefficients, of which there are two or more: the first is the
    /// vertex itself, the second the mean of its neighbours, and each further one twice the mean of one less the one
    /// before.
    fn series(&self, coefficients: &[f32], own: &[Vec3A]) -> Vec<Vec3A> {
        let mean = |vertex: usize| self.mean(own, vertex);
        let (mut before, mut one) = (own.to_vec(), (0..own.len()).into_par_iter().map(mean).collect::<Vec<_>>());
        let mut sums: Vec<Vec3A> =
            own.iter().zip(&one).map(|(a, b)| coefficients[0] * *a + coefficients[1] * *b).collect();
        for coefficient in &coefficients[2..] {
            let step = |(vertex, (before, sum)): (usize, (&mut Vec3A, &mut Vec3A))| {
                *before = 2.0 * self.mean(&one, vertex) - *before;
                *sum += *coefficient * *before;
            };
            before.par_iter_mut().zip(&mut sums).enumerate().for_each(step);
            std::mem::swap(&mut before, &mut one);
        }
        sums
    }
}

/// Takes waves shorter than a length, m, out of a closed mesh, as far as the weight of each vertex allows: 0 leaves it
/// where it is; and into no wall, given the normals of those that vertices lie on, or zero. Then normals are those of the triangles.
pub(crate) fn smooth(mesh: &mut SurfaceMesh, (weights, walls): (&[f32], &[Vec3]), length: f64, cell_size: f64) {
    let coefficients = coefficients(length / cell_size);
    if coefficients.len() < 2 || mesh.positions.is_empty() {
        return;
    }
    let rings = Rings::new(mesh.positions.len(), &mesh.triangles);
    // Relative to one of them, so that little is lost far from the origin.
    let origin = mesh.positions[0];
    let own: Vec<Vec3A> = mesh.positions.iter().map(|position| Vec3A::from(*position - origin)).collect();
    let sums = rings.series(&coefficients, &own);
    let farthest = (FARTHEST_SMOOTHED * length) as f32;
    let moved = |(((own, smooth), weight), wall): (((Vec3A, Vec3A), &f32), &Vec3)| {
        let way = *weight * (smooth - own);
        let wall = Vec3A::from(*wall);
        let up = wall.dot(way);
        let way = way - wall * (up - LIFTED * up.max(0.0));
        origin + Vec3::from(own + way / (1.0 + way.length_squared() / (farthest * farthest)).sqrt())
    };
    mesh.positions = own.into_iter().zip(sums).zip(weights).zip(walls).map(moved).collect();
    mesh.normals.fill(Vec3::ZERO);
    mesh.fill_missing_normals();
}

/// The filter that takes waves shorter than a length, in cells, as coefficients of Chebyshev's polynomials: the series of a step
/// under Hamming's window. Their sum is 1, so that what is flat stays.
fn coefficients(length: f64) -> Vec<f32> {
    let terms = (TERMS_PER_CELL * length).min(MOST_TERMS);
    if length.is_nan() || length <= 1.0 {
        return vec![];
    }
    let step = (1.0 - (FREQUENCY / (length * length)).min(2.0)).acos();
    let coefficient = |n: f64| {
        let window = 0.54 + 0.46 * (PI * n / (terms + 1.0)).cos();
        window * if n == 0.0 { step / PI } else { 2.0 * (n * step).sin() / (n * PI) }
    };
    let coefficients: Vec<f64> = (0..=terms as usize).map(|n| coefficient(n as f64)).collect();
    let sum: f64 = coefficients.iter().sum();
    coefficients.iter().map(|c| (c / sum) as f32).collect()
}

/// For each vertex the radius of a ball of the volume of its piece of a mesh, m.
pub(crate) fn sizes(mesh: &SurfaceMesh) -> Vec<f32> {
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let pieces = Groups::new(&mesh.triangles, &vertices, vertices.len());
    let radius = |volume: f64| (0.75 / PI * volume.abs()).cbrt() as f32;
    let radii: Vec<f32> = pieces.volumes(mesh).into_iter().map(radius).collect();
    pieces.of.iter().map(|piece| radii[*piece as usize]).collect()
}

/// How far something of a size, m, is to be smoothed over a length, m: 0 to 1.
pub(crate) fn share(size: f32, length: f64) -> f32 {
    let [none, all] = WAYS_AROUND;
    ((2.0 * PI * f64::from(size) / length - none) / (all - none)).clamp(0.0, 1.0) as f32
}

/// Which vertices together enclose matter.
pub(crate) struct Groups {
    of: Vec<u32>,
    /// The group of each component of the matter.
    of_component: Components,
}

impl Groups {
    /// Vertices that belong to one component, or to one piece of the mesh, are one group.
    pub fn new(triangles: &[[u32; 3]], components: &[u32], count: usize) -> Self {
        let forest = Forest::new(count);
        triangles.par_iter().for_each(|triangle| {
            let [a, b, c] = triangle.map(|vertex| components[vertex as usize]);
            if a != b || a != c {
                forest.join(a, b);
                forest.join(a, c);
            }
        });
        let of_component = forest.components();
        let of = components.iter().map(|component| of_component.of[*component as usize]).collect();
        Self { of, of_component }
    }

    /// The group of each vertex.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// Keeps some vertices.
    pub fn keep(&mut self, kept: &[u32]) {
        self.of = kept.iter().map(|&vertex| self.of[vertex as usize]).collect();
    }

    /// Sums over the components of each group.
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.of_component.count];
        values.iter().zip(&self.of_component.of).for_each(|(value, group)| sums[*group as usize] += value);
        sums
    }

    /// Volume that each group encloses, m^3.
    pub fn volumes(&self, mesh: &SurfaceMesh) -> Vec<f64> {
        self.measures(&mesh.positions, &mesh.triangles).into_iter().map(|(volume, _)| volume).collect()
    }

    /// Moves the vertices along their normals until each group encloses its volume, m^3, as far as small ways do that.
    /// No part of it that is small, by the sizes of vertices, m, is turned inside out.
    pub fn mend_volumes(&self, mesh: &mut SurfaceMesh, volumes: &[f64], sizes: &[f32], cell_size: f64) {
        let SurfaceMesh { positions, normals, triangles, .. } = mesh;
        let (mut triangles, farthest) = (Cow::Borrowed(&triangles[..]), FARTHEST * cell_size);
        for mending in 0..*MENDINGS.end() {
            let is_first = MENDINGS.start() > &mending;
            let way = |((volume, area), wanted): ((f64, f64), &f64)| {
                let lacks = is_first || (wanted - volume).abs() > CLOSE * wanted.abs();
                let is_moved = area > 0.0 && lacks;
                if is_moved { ((wanted - volume) / area).clamp(-farthest, farthest) as f32 } else { 0.0 }
            };
            let ways: Vec<f32> = self.measures(positions, &triangles).into_iter().zip(volumes).map(way).collect();
            if !is_first {
                // What has its volume is not measured again: without area it stays.
                let lacks = |triangle: &&[u32; 3]| ways[self.of[triangle[0] as usize] as usize] != 0.0;
                triangles = triangles.par_iter().filter(lacks).copied().collect::<Vec<_>>().into();
            }
            if triangles.is_empty() {
                break;
            }
            let inwards = if is_first { MOST_INWARDS } else { LATER_INWARDS };
            let moving = positions.par_iter_mut().zip(&*normals).zip(&self.of).zip(sizes);
            moving.for_each(|(((position, normal), group), size)| {
                *position += ways[*group as usize].max(-inwards * size) * *normal;
            });
        }
    }

    /// Volume and area of each group that triangles are given of.
    fn measures(&self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<(f64, f64)> {
        // Far from the origin the sum would cancel; any point nearby will do.
        let pivot = positions.first().map_or(DVec3::ZERO, |position| position.as_dvec3());
        let measure = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            (self.of[triangle[0] as usize], (a - pivot).dot(normal) / 6.0, normal.length() / 2.0)
        };
        // A run of triangles of one group is one sum.
        let runs = |triangles: &[[u32; 3]]| {
            let mut runs: Vec<(u32, f64, f64)> = vec![];
            for (group, volume, area) in triangles.iter().map(measure) {
                match runs.last_mut().filter(|run| run.0 == group) {
                    Some(run) => (run.1, run.2) = (run.1 + volume, run.2 + area),
                    None => runs.push((group, volume, area)),
                }
            }
            runs
        };
        let runs: Vec<_> = triangles.par_chunks(CHUNK).map(runs).collect();
        let mut measures = vec![(0.0, 0.0); self.of_component.count];
        for (group, volume, area) in runs.into_iter().flatten() {
            let sum = &mut measures[group as usize];
            *sum = (sum.0 + volume, sum.1 + area);
        }
        measures
    }
}
