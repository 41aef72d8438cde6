//! Triangles over seams: between the boundaries of sheets that a tool has joined.

use super::candidates::{Candidate, MAX_RADIUS, cost, sphere};
use super::choice::is_crossed;
use super::particles::SheetParticles;
use super::stars::Stars;
use super::{SheetPoints, lowest_first};
use crate::mesh::topology::sides;
use glam::Vec3;
use rustc_hash::{FxHashMap, FxHashSet};

/// Cosine of the largest angle between a triangle over a seam and the tangent plane of a corner: 75 degrees.
const MIN_COSINE: f64 = 0.26;

/// Cosine of the largest angle between normals of particles in one plane.
const SAME_PLANE_COSINE: f64 = 0.8;

/// The triangles over seams between given triangles, which all stay. No edge is longer than `longest_edge`, m, except
/// seams themselves.
///
/// Corners are ends of seams, and boundary vertices between two of these, within two steps of each other along sides of
/// triangles and seams. Triangles with smaller spheres come first; each is added if there is room at all of its
/// corners.
pub fn seam_triangles(
    points: SheetPoints,
    seams: &[[u32; 2]],
    triangles: &[[u32; 3]],
    longest_edge: f32,
) -> Vec<[u32; 3]> {
    if seams.is_empty() {
        return Vec::new();
    }
    let ends = with_boundary_notches(seams.iter().flatten().copied().collect(), triangles);
    let at_ends: Vec<[u32; 3]> = triangles.iter().filter(|t| t.iter().any(|at| ends.contains(at))).copied().collect();
    let mut used: Vec<u32> = at_ends.iter().flatten().chain(&ends).copied().collect();
    used.sort_unstable();
    used.dedup();
    let of = |values: &[Vec3]| used.iter().map(|&particle| values[particle as usize]).collect::<Vec<_>>();
    let (positions, normals) = (of(points.positions), of(points.normals));
    let particles =
        SheetParticles::new(SheetPoints { positions: &positions, normals: &normals }, f64::from(longest_edge));
    // Maps between the caller's numbers and local ids; invalid particles have no local id.
    let to_global = |local: u32| used[particles.numbers[local as usize] as usize];
    let local_ids: FxHashMap<u32, u32> = (0..particles.len() as u32).map(|local| (to_global(local), local)).collect();
    let mut mesher = SeamMesher::new(&particles);
    for corners in at_ends.iter().filter_map(|corners| to_local(&local_ids, *corners)) {
        mesher.stars.add(corners);
    }
    let seams: Vec<[u32; 2]> = seams.iter().filter_map(|&seam| to_local(&local_ids, seam)).collect();
    let sides = at_ends.iter().copied().flat_map(sides).filter_map(|(a, b)| to_local(&local_ids, [a, b]));
    mesher.connect(sides.chain(seams.iter().copied()));
    mesher.seams = seams.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
    let mut ends: Vec<u32> = ends.iter().filter_map(|end| local_ids.get(end).copied()).collect();
    ends.sort_unstable();
    let mut chosen: Vec<[u32; 3]> =
        mesher.choose_triangles(&ends).into_iter().map(|corners| lowest_first(corners.map(to_global))).collect();
    chosen.sort_unstable();
    chosen
}

/// Ends of seams, and boundary vertices between two of them: no seam reaches into the notches of a zigzag.
fn with_boundary_notches(mut ends: FxHashSet<u32>, triangles: &[[u32; 3]]) -> FxHashSet<u32> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let around: FxHashSet<(u32, u32)> = sides().filter(|(a, b)| ends.contains(a) || ends.contains(b)).collect();
    let mut adjacent: FxHashMap<u32, usize> = FxHashMap::default();
    for &(a, b) in around.iter().filter(|&&(a, b)| !around.contains(&(b, a))) {
        for (one, other) in [(a, b), (b, a)] {
            if ends.contains(&one) && !ends.contains(&other) {
                *adjacent.entry(other).or_default() += 1;
            }
        }
    }
    ends.extend(adjacent.into_iter().filter(|&(_, count)| count > 1).map(|(notch, _)| notch));
    ends
}

/// The local ids of some particles, if all have one.
fn to_local<const N: usize>(local_ids: &FxHashMap<u32, u32>, numbers: [u32; N]) -> Option<[u32; N]> {
    let mut locals = [0; N];
    for (local, number) in locals.iter_mut().zip(numbers) {
        *local = *local_ids.get(&number)?;
    }
    Some(locals)
}

/// The state of triangulating seams.
struct SeamMesher<'a> {
    particles: &'a SheetParticles,
    stars: Stars,
    /// For each particle, the adjacent ones along a side or a seam, sorted and unique.
    adjacent: Vec<Vec<u32>>,
    /// Seams, in both directions.
    seams: FxHashSet<(u32, u32)>,
}

impl<'a> SeamMesher<'a> {
    fn new(particles: &'a SheetParticles) -> Self {
        let none = || vec![Vec::new(); particles.len()];
        let stars = Stars { sectors: vec![Vec::new(); particles.len()] };
        Self { particles, stars, adjacent: none(), seams: FxHashSet::default() }
    }

    fn connect(&mut self, pairs: impl Iterator<Item = [u32; 2]>) {
        for [a, b] in pairs {
            for (one, other) in [(a, b), (b, a)] {
                if let Err(index) = self.adjacent[one as usize].binary_search(&other) {
                    self.adjacent[one as usize].insert(index, other);
                }
            }
        }
    }

    /// Whether a side of a triangle may connect two particles.
    fn may_join(&self, one: u32, other: u32) -> bool {
        self.particles.offset(one, other).length_squared() <= 1.0 || self.seams.contains(&(one, other))
    }

    /// Chooses triangles with corners among some particles.
    fn choose_triangles(&mut self, ends: &[u32]) -> Vec<[u32; 3]> {
        let mut candidates: Vec<Candidate> = ends.iter().flat_map(|&end| self.candidates(ends, end)).collect();
        candidates.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.corners.cmp(&b.corners)));
        let mut chosen = Vec::new();
        for Candidate { corners, .. } in candidates {
            // Crossings cannot be seen across a fold.
            let normal = |of: u32| self.particles.normals[of as usize];
            let is_beside =
                |near: &u32| !corners.contains(near) && normal(*near).dot(normal(corners[0])) > SAME_PLANE_COSINE;
            let near = corners.into_iter().flat_map(|corner| self.within_two(corner)).filter(is_beside);
            if !self.stars.overlaps(self.particles, corners) && !is_crossed(self.particles, &self.stars, corners, near)
            {
                self.stars.add(corners);
                chosen.push(corners);
            }
        }
        chosen
    }

    /// The candidates with a given lowest corner and other corners among some particles, in order.
    fn candidates(&self, among: &[u32], lowest: u32) -> Vec<Candidate> {
        let near = self.near(among, lowest);
        let pairs =
            near.iter().enumerate().flat_map(|(index, &one)| near[index + 1..].iter().map(move |&two| (one, two)));
        pairs
            .filter(|&(one, two)| self.may_join(one, two))
            .filter_map(|(one, two)| self.candidate([lowest, one, two]))
            .collect()
    }

    /// The later ones of some particles that may connect to one and are at most two steps away.
    fn near(&self, among: &[u32], from: u32) -> Vec<u32> {
        let mut near: Vec<u32> = self.within_two(from).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&to| to > from && among.binary_search(&to).is_ok() && self.may_join(from, to));
        near
    }

    /// The particles at most two steps away, possibly repeated.
    fn within_two(&self, from: u32) -> impl Iterator<Item = u32> {
        let one = &self.adjacent[from as usize];
        one.iter().chain(one.iter().flat_map(|&by| &self.adjacent[by as usize])).copied()
    }

    fn candidate(&self, [a, b, c]: [u32; 3]) -> Option<Candidate> {
        let points = [a, b, c].map(|corner| self.particles.stretched[corner as usize]);
        let (_, squared) = sphere(points).filter(|(_, squared)| *squared < MAX_RADIUS * MAX_RADIUS)?;
        let corners = [[a, b, c], [a, c, b]].into_iter().find(|&t| self.particles.faces(t, MIN_COSINE))?;
        Some(Candidate { corners, cost: cost(points, squared), is_crowded: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::Topology;
    use crate::sheet::{lattice, triangulate};
    use glam::Quat;

    /// The edge along which a test joins two lattices: straight rows, or the zigzag at their ends.
    #[derive(Clone, Copy, Debug)]
    enum SeamEdge {
        Straight,
        Zigzag,
    }

    /// Two lattices edge to edge with rows that do not match, joined where ends lie within a distance.
    struct TwoLattices {
        positions: Vec<Vec3>,
        normals: Vec<Vec3>,
        seams: Vec<[u32; 2]>,
        triangles: Vec<[u32; 3]>,
    }

    /// Particles per row, and number of rows.
    const ROW: u32 = 14;
    const ROWS: u32 = 6;

    impl TwoLattices {
        fn new(edge: SeamEdge, shift: f32, gap: f32) -> Self {
            let half = |odd: u32| 0.5 * (odd % 2) as f32;
            // Teeth of one edge face teeth of the other.
            let zigzag = |n: u32, odd| Vec3::new((n % ROW) as f32 * 0.866, (n / ROW) as f32 + half(n % ROW + odd), 0.0);
            let made = |odd: u32| -> Vec<Vec3> {
                match edge {
                    SeamEdge::Straight => lattice(ROW, ROWS),
                    SeamEdge::Zigzag => (0..ROW * ROWS).map(|n| zigzag(n, odd)).collect(),
                }
            };
            let (one, mut other) = (made(0), made(1));
            let top = one.iter().fold(0.0, |top: f32, position| top.max(position.y));
            let wider = if matches!(edge, SeamEdge::Straight) { 1.07 } else { 1.0 };
            for position in &mut other {
                *position = *position * Vec3::new(wider, 1.0, 1.0) + Vec3::new(shift, top + gap, 0.0);
            }
            let normals = vec![Vec3::Z; one.len()];
            let made = |positions: &[Vec3]| triangulate(SheetPoints { positions, normals: &normals }, 1.7);
            let (first, second) = (made(&one), made(&other));
            let after = one.len() as u32;
            let across = |a: u32| (after..2 * after).map(move |b| [a, b]);
            let positions = [one, other].concat();
            let near = |[a, b]: &[u32; 2]| positions[*a as usize].distance(positions[*b as usize]) < 1.45;
            let seams = (0..after).flat_map(across).filter(near).collect();
            let triangles = first.into_iter().chain(second.iter().map(|t| t.map(|corner| corner + after))).collect();
            Self { normals: vec![Vec3::Z; positions.len()], positions, seams, triangles }
        }

        /// Folds the part beyond a line across the seam.
        fn folded(mut self, at: f32, angle: f32) -> Self {
            let turn = Quat::from_rotation_y(angle);
            for (position, normal) in self.positions.iter_mut().zip(&mut self.normals) {
                let beyond = position.x - at;
                // Like the normal of the polygon around a particle.
                *normal = Quat::from_rotation_y(angle * (beyond + 0.5).clamp(0.0, 1.0)) * *normal;
                if beyond > 0.0 {
                    let from = Vec3::new(at, position.y, 0.0);
                    *position = from + turn * (*position - from);
                }
            }
            self
        }

        fn sewn(&self) -> Vec<[u32; 3]> {
            let points = SheetPoints { positions: &self.positions, normals: &self.normals };
            seam_triangles(points, &self.seams, &self.triangles, 2.2)
        }

        fn topology(&self) -> Topology {
            Topology::of(&[self.triangles.clone(), self.sewn()].concat())
        }
    }

    /// The result is one sheet without holes, however the lattices lie along the seam, and also if folded across it.
    #[test]
    fn seams_join_two_sheets_into_one() {
        let (straight, zigzag) = (SeamEdge::Straight, SeamEdge::Zigzag);
        for (edge, shift, gap) in [
            (straight, 0.0, 0.866),
            (straight, 0.37, 0.8),
            (straight, -0.6, 1.1),
            (straight, 0.2, 1.0),
            (zigzag, 0.0, 1.0),
            (zigzag, 0.0, 1.3),
            (zigzag, 0.866, 0.6),
            (zigzag, 0.3, 1.1),
        ] {
            let (flat, folded) = (
                TwoLattices::new(edge, shift, gap),
                TwoLattices::new(edge, shift, gap)
                    .folded(6.2, if matches!(edge, SeamEdge::Straight) { -2.0 } else { -1.0 }),
            );
            for (what, two) in [("flat", flat), ("folded", folded)] {
                let topology = two.topology();
                let is_disc =
                    (topology.components, topology.boundary_loops, topology.euler_characteristic) == (1, 1, 1);
                assert!(topology.is_manifold() && is_disc, "{what}, {edge:?}, {shift}, {gap}: {topology:?}");
            }
        }
    }

    #[test]
    fn sheets_without_seams_stay_separate() {
        let mut two = TwoLattices::new(SeamEdge::Straight, 0.3, 0.9);
        two.seams.clear();
        assert!(two.sewn().is_empty());
        let half = TwoLattices::new(SeamEdge::Straight, 0.3, 0.9);
        let seams = half.seams.iter().filter(|[a, _]| half.positions[*a as usize].x < 6.0).copied().collect();
        let half = TwoLattices { seams, ..half };
        let topology = half.topology();
        assert!(topology.is_manifold() && (topology.components, topology.boundary_loops) == (1, 1), "{topology:?}");
        let far = |t: &[u32; 3]| t.iter().any(|corner| half.positions[*corner as usize].x > 8.0);
        assert!(!half.sewn().iter().any(far));
    }
}
