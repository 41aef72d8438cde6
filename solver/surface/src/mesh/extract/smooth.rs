//! Smooths a mesh and corrects the volume that it encloses.
//!
//! A low-pass filter over the mesh (Taubin, Zhang, Golub, "Optimal surface smoothing as filter design", 1996) removes
//! waves shorter than a given length and keeps longer ones, whereas Laplacian smoothing shrinks all of them. It spares
//! lone drops and strands, which consist of short waves. Remaining errors of the volume are corrected by moving all
//! vertices along their normals.
//!
//! | symbol | meaning |
//! |---|---|
//! | k | frequency: a vertex minus the mean of its neighbours is k times the vertex, 0 to 2 |
//! | theta | arc cosine of 1 - k: the frequency of Chebyshev polynomials |

use crate::field::blobs::components::{Components, UnionFind};
use crate::mesh::SurfaceMesh;
use crate::mesh::topology::sides;
use glam::{DVec3, Vec3, Vec3A};
use rayon::prelude::*;
use std::borrow::Cow;
use std::f64::consts::PI;
use std::ops::RangeInclusive;

/// Triangles that one thread sums; fixed, so that sums are the same for any number of threads.
const CHUNK: usize = 1 << 14;

/// Terms of the filter per cell of the longest removed wave: enough to distinguish it from a wave half as long again.
const TERMS_PER_CELL: f64 = 1.8;

/// Largest number of terms.
const MAX_TERMS: f64 = 400.0;

/// Approximate frequency of a wave one cell long: most vertices have six neighbours, at distances whose mean square is
/// 1.2 cells^2.
const FREQUENCY: f64 = 11.8;

/// Largest shift of a vertex by smoothing, over the smoothing length. Without it thin matter would shrink to needles.
const MAX_SMOOTHING_SHIFT: f64 = 0.1;

/// Fewest and most rounds of volume correction. Each round leaves an error of second order.
const CORRECTIONS: RangeInclusive<usize> = 2..=16;

/// Relative volume error that is accepted after the fewest rounds.
const VOLUME_TOLERANCE: f64 = 1e-6;

/// Largest inward shift per round over the size of the component, in the first rounds and later.
const MAX_INWARDS_FIRST: f32 = 0.2;
const MAX_INWARDS_LATER: f32 = 0.01;

/// Fraction of the smoothing shift away from a wall that is applied. With none of it, a rim on a wall would stand out
/// in points.
const LIFTED_FRACTION: f32 = 0.25;

/// Smoothing length over the circumference of a ball with the volume of the component: smoothing fades out between half
/// and the whole, as the filter takes the shape itself for a wave around the ball.
const CIRCUMFERENCES: [f64; 2] = [1.0, 2.0];

/// Largest shift of vertices per round of volume correction, cells.
const MAX_CORRECTION: f64 = 0.25;

/// Most vertices have at most this many neighbours. A loop of fixed length is easy for branch prediction.
const FIRST_NEIGHBOURS: usize = 8;

/// The one-rings of the vertices of a closed mesh.
struct Rings {
    /// The first neighbours of each vertex, padded with the vertex itself.
    first: Vec<[u32; FIRST_NEIGHBOURS]>,
    /// One over the number of neighbours.
    shares: Vec<f32>,
    /// Further neighbours of vertex v are `more[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    more: Vec<u32>,
}

impl Rings {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        // In a closed mesh each neighbour is the end of one directed edge of some triangle.
        let edges = || triangles.iter().copied().flat_map(sides);
        let mut first: Vec<_> = (0..vertices as u32).map(|vertex| [vertex; FIRST_NEIGHBOURS]).collect();
        let (mut counts, mut beyond) = (vec![0_u32; vertices], vec![]);
        for (from, to) in edges() {
            let count = &mut counts[from as usize];
            match first[from as usize].get_mut(*count as usize) {
                Some(slot) => *slot = to,
                None => beyond.push((from, to)),
            }
            *count += 1;
        }
        // The sort is stable, so neighbours stay in the order of the triangles.
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
        let (own, ring) = (positions[vertex], &self.first[vertex]);
        let to = |number: usize| positions[ring[number] as usize] - own;
        let first = ((to(0) + to(1)) + (to(2) + to(3))) + ((to(4) + to(5)) + (to(6) + to(7)));
        let more = &self.more[self.starts[vertex] as usize..self.starts[vertex + 1] as usize];
        let rest: Vec3A = more.iter().map(|&other| positions[other as usize] - own).sum();
        own + self.shares[vertex] * (first + rest)
    }

    /// Evaluates a series of Chebyshev polynomials of 1 - k with two or more coefficients. The first term is the vertex
    /// itself, the second the mean of its neighbours. Each further term is twice the mean of the last one minus the one
    /// before.
    fn series(&self, coefficients: &[f32], own: &[Vec3A]) -> Vec<Vec3A> {
        let mean = |vertex: usize| self.mean(own, vertex);
        let (mut previous, mut current) = (own.to_vec(), (0..own.len()).into_par_iter().map(mean).collect::<Vec<_>>());
        let mut sums: Vec<Vec3A> =
            own.iter().zip(&current).map(|(a, b)| coefficients[0] * *a + coefficients[1] * *b).collect();
        for coefficient in &coefficients[2..] {
            let step = |(vertex, (previous, sum)): (usize, (&mut Vec3A, &mut Vec3A))| {
                *previous = 2.0 * self.mean(&current, vertex) - *previous;
                *sum += *coefficient * *previous;
            };
            previous.par_iter_mut().zip(&mut sums).enumerate().for_each(step);
            std::mem::swap(&mut previous, &mut current);
        }
        sums
    }
}

/// Removes waves shorter than a length, m, from a closed mesh, weighted per vertex: 0 leaves a vertex where it is.
/// `walls` holds the normal of the wall that each vertex lies on, or zero; vertices do not move into walls. Normals are
/// then those of the triangles.
pub(crate) fn smooth(mesh: &mut SurfaceMesh, weights: &[f32], walls: &[Vec3], length: f64, cell_size: f64) {
    let coefficients = coefficients(length / cell_size);
    if coefficients.len() < 2 || mesh.positions.is_empty() {
        return;
    }
    let rings = Rings::new(mesh.positions.len(), &mesh.triangles);
    // Relative to a vertex, for accuracy far from the origin.
    let origin = mesh.positions[0];
    let own: Vec<Vec3A> = mesh.positions.iter().map(|position| Vec3A::from(*position - origin)).collect();
    let sums = rings.series(&coefficients, &own);
    let max_shift = (MAX_SMOOTHING_SHIFT * length) as f32;
    let moved = |(((own, smooth), weight), wall): (((Vec3A, Vec3A), &f32), &Vec3)| {
        let displacement = *weight * (smooth - own);
        let wall = Vec3A::from(*wall);
        let along_wall = wall.dot(displacement);
        let displacement = displacement - wall * (along_wall - LIFTED_FRACTION * along_wall.max(0.0));
        origin + Vec3::from(own + displacement / (1.0 + displacement.length_squared() / (max_shift * max_shift)).sqrt())
    };
    mesh.positions = own.into_iter().zip(sums).zip(weights).zip(walls).map(moved).collect();
    mesh.normals.fill(Vec3::ZERO);
    mesh.fill_missing_normals();
}

/// The filter that removes waves shorter than a length, cells, as coefficients of Chebyshev polynomials: the series of
/// a step under a Hamming window. Their sum is 1, so that flat parts stay.
fn coefficients(length: f64) -> Vec<f32> {
    let terms = (TERMS_PER_CELL * length).min(MAX_TERMS);
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

/// For each vertex, the radius of a ball with the volume of its component of the mesh, m.
pub(crate) fn sizes(mesh: &SurfaceMesh) -> Vec<f32> {
    let vertices: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    let components = VolumeGroups::new(&mesh.triangles, &vertices, vertices.len());
    let radius = |volume: f64| (0.75 / PI * volume.abs()).cbrt() as f32;
    let radii: Vec<f32> = components.volumes(mesh).into_iter().map(radius).collect();
    components.of.iter().map(|component| radii[*component as usize]).collect()
}

/// Smoothing weight, 0 to 1, of a component of some size, m, at a smoothing length, m.
pub(crate) fn size_weight(size: f32, length: f64) -> f32 {
    let [none, all] = CIRCUMFERENCES;
    ((2.0 * PI * f64::from(size) / length - none) / (all - none)).clamp(0.0, 1.0) as f32
}

/// Groups of vertices that together enclose matter.
pub(crate) struct VolumeGroups {
    of: Vec<u32>,
    /// The group of each component of the matter.
    component_groups: Components,
}

impl VolumeGroups {
    /// Vertices of one component of the matter, or of one component of the mesh, form a group.
    pub fn new(triangles: &[[u32; 3]], components: &[u32], count: usize) -> Self {
        let forest = UnionFind::new(count);
        triangles.par_iter().for_each(|triangle| {
            let [a, b, c] = triangle.map(|vertex| components[vertex as usize]);
            if a != b || a != c {
                forest.join(a, b);
                forest.join(a, c);
            }
        });
        let component_groups = forest.components();
        let of = components.iter().map(|component| component_groups.labels[*component as usize]).collect();
        Self { of, component_groups }
    }

    /// The group of each vertex.
    pub fn of(&self) -> &[u32] {
        &self.of
    }

    /// Keeps some vertices.
    pub fn keep(&mut self, kept: &[u32]) {
        self.of = kept.iter().map(|&vertex| self.of[vertex as usize]).collect();
    }

    /// Sums of values over the components of each group.
    pub fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.component_groups.count];
        values.iter().zip(&self.component_groups.labels).for_each(|(value, group)| sums[*group as usize] += value);
        sums
    }

    /// Volume that each group encloses, m^3.
    pub fn volumes(&self, mesh: &SurfaceMesh) -> Vec<f64> {
        self.measures(&mesh.positions, &mesh.triangles).into_iter().map(|(volume, _)| volume).collect()
    }

    /// Moves the vertices along their normals until each group encloses its target volume, m^3, within limited shifts.
    /// `sizes` of vertices, m, limit inward shifts, so that no small part turns inside out.
    pub fn correct_volumes(&self, mesh: &mut SurfaceMesh, volumes: &[f64], sizes: &[f32], cell_size: f64) {
        let SurfaceMesh { positions, normals, triangles, .. } = mesh;
        let (mut triangles, max_shift) = (Cow::Borrowed(&triangles[..]), MAX_CORRECTION * cell_size);
        for round in 0..*CORRECTIONS.end() {
            let is_first = CORRECTIONS.start() > &round;
            let shift = |((volume, area), wanted): ((f64, f64), &f64)| {
                let is_lacking = is_first || (wanted - volume).abs() > VOLUME_TOLERANCE * wanted.abs();
                let is_moved = area > 0.0 && is_lacking;
                if is_moved { ((wanted - volume) / area).clamp(-max_shift, max_shift) as f32 } else { 0.0 }
            };
            let shifts: Vec<f32> = self.measures(positions, &triangles).into_iter().zip(volumes).map(shift).collect();
            if !is_first {
                // Skips groups with the right volume; a group without measured area does not move.
                let is_lacking = |triangle: &&[u32; 3]| shifts[self.of[triangle[0] as usize] as usize] != 0.0;
                triangles = triangles.par_iter().filter(is_lacking).copied().collect::<Vec<_>>().into();
            }
            if triangles.is_empty() {
                break;
            }
            let inwards = if is_first { MAX_INWARDS_FIRST } else { MAX_INWARDS_LATER };
            let moving = positions.par_iter_mut().zip(&*normals).zip(&self.of).zip(sizes);
            moving.for_each(|(((position, normal), group), size)| {
                *position += shifts[*group as usize].max(-inwards * size) * *normal;
            });
        }
    }

    /// Volume and area of each group, from its triangles in the list.
    fn measures(&self, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<(f64, f64)> {
        // Relative to a nearby point, as the sum would cancel far from the origin.
        let pivot = positions.first().map_or(DVec3::ZERO, |position| position.as_dvec3());
        let measure = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| positions[vertex as usize].as_dvec3());
            let normal = (b - a).cross(c - a);
            (self.of[triangle[0] as usize], (a - pivot).dot(normal) / 6.0, normal.length() / 2.0)
        };
        // Sums each run of triangles of one group.
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
        let mut measures = vec![(0.0, 0.0); self.component_groups.count];
        for (group, volume, area) in runs.into_iter().flatten() {
            let sum = &mut measures[group as usize];
            *sum = (sum.0 + volume, sum.1 + area);
        }
        measures
    }
}
