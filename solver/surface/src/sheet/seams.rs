//! Triangles over seams: between the rims of sheets that a tool has bound to each other.

use super::candidates::{Candidate, LARGEST, cost, sphere};
use super::choice::is_crossed;
use super::particles::Particles;
use super::stars::Stars;
use super::{SheetPoints, lowest_first};
use crate::topology::sides;
use glam::Vec3;
use rustc_hash::{FxHashMap, FxHashSet};

/// The cosine of the angle between a triangle over a seam and the tangent plane of a corner: 75 degrees.
const LEAST_COSINE: f64 = 0.26;

/// The cosine of the angle between normals of what lies in a plane.
const FLAT: f64 = 0.8;

/// The triangles over seams between some others: no edge is longer than `longest_edge`, m, but that of a seam, and all that is there stays.
///
/// Corners are ends of seams, and what lies between two of these on a rim, that are within two steps of each other along sides of triangles and seams. Those with smaller spheres come first; each enters
/// where there is room at all of its corners.
pub fn over_seams(points: SheetPoints, seams: &[[u32; 2]], triangles: &[[u32; 3]], longest_edge: f32) -> Vec<[u32; 3]> {
    if seams.is_empty() {
        return Vec::new();
    }
    let ends = with_notches(seams.iter().flatten().copied().collect(), triangles);
    let at_ends: Vec<[u32; 3]> = triangles.iter().filter(|t| t.iter().any(|at| ends.contains(at))).copied().collect();
    let mut local: Vec<u32> = at_ends.iter().flatten().chain(&ends).copied().collect();
    local.sort_unstable();
    local.dedup();
    let of = |values: &[Vec3]| local.iter().map(|&particle| values[particle as usize]).collect::<Vec<_>>();
    let (positions, normals) = (of(points.positions), of(points.normals));
    let particles = Particles::new(SheetPoints { positions: &positions, normals: &normals }, f64::from(longest_edge));
    // What the room calls them; what it cannot use has no name.
    let called = |name: u32| local[particles.numbers[name as usize] as usize];
    let names: FxHashMap<u32, u32> = (0..particles.len() as u32).map(|name| (called(name), name)).collect();
    let mut sewn = Sewn::new(&particles);
    for corners in at_ends.iter().filter_map(|corners| named(&names, *corners)) {
        sewn.stars.add(corners);
    }
    let seams: Vec<[u32; 2]> = seams.iter().filter_map(|&seam| named(&names, seam)).collect();
    let sides = at_ends.iter().copied().flat_map(sides).filter_map(|(a, b)| named(&names, [a, b]));
    sewn.bind(sides.chain(seams.iter().copied()));
    sewn.seams = seams.iter().flat_map(|&[a, b]| [(a, b), (b, a)]).collect();
    let mut ends: Vec<u32> = ends.iter().filter_map(|end| names.get(end).copied()).collect();
    ends.sort_unstable();
    let mut chosen: Vec<[u32; 3]> =
        sewn.sew(&ends).into_iter().map(|corners| lowest_first(corners.map(called))).collect();
    chosen.sort_unstable();
    chosen
}

/// Ends of seams, and what lies between two of them on a rim: no seam reaches into the notches of a zigzag.
fn with_notches(mut ends: FxHashSet<u32>, triangles: &[[u32; 3]]) -> FxHashSet<u32> {
    let sides = || triangles.iter().copied().flat_map(sides);
    let around: FxHashSet<(u32, u32)> = sides().filter(|(a, b)| ends.contains(a) || ends.contains(b)).collect();
    let mut beside: FxHashMap<u32, usize> = FxHashMap::default();
    for &(a, b) in around.iter().filter(|&&(a, b)| !around.contains(&(b, a))) {
        for (one, other) in [(a, b), (b, a)] {
            if ends.contains(&one) && !ends.contains(&other) {
                *beside.entry(other).or_default() += 1;
            }
        }
    }
    ends.extend(beside.into_iter().filter(|&(_, count)| count > 1).map(|(notch, _)| notch));
    ends
}

/// What some are called, if all have names.
fn named<const N: usize>(names: &FxHashMap<u32, u32>, numbers: [u32; N]) -> Option<[u32; N]> {
    let mut named = [0; N];
    for (name, number) in named.iter_mut().zip(numbers) {
        *name = *names.get(&number)?;
    }
    Some(named)
}

/// Sheets that are being sewn.
struct Sewn<'a> {
    particles: &'a Particles,
    stars: Stars,
    /// For each particle those beside it along a side or a seam, each once and in order.
    beside: Vec<Vec<u32>>,
    /// From either end.
    seams: FxHashSet<(u32, u32)>,
}

impl<'a> Sewn<'a> {
    fn new(particles: &'a Particles) -> Self {
        let none = || vec![Vec::new(); particles.len()];
        let stars = Stars { sectors: vec![Vec::new(); particles.len()] };
        Self { particles, stars, beside: none(), seams: FxHashSet::default() }
    }

    fn bind(&mut self, pairs: impl Iterator<Item = [u32; 2]>) {
        for [a, b] in pairs {
            for (one, other) in [(a, b), (b, a)] {
                if let Err(place) = self.beside[one as usize].binary_search(&other) {
                    self.beside[one as usize].insert(place, other);
                }
            }
        }
    }

    /// Whether a side of a triangle may go from one to the other.
    fn may_join(&self, one: u32, other: u32) -> bool {
        self.particles.way(one, other).length_squared() <= 1.0 || self.seams.contains(&(one, other))
    }

    /// The triangles that were chosen, among some particles.
    fn sew(&mut self, ends: &[u32]) -> Vec<[u32; 3]> {
        let mut candidates: Vec<Candidate> = ends.iter().flat_map(|&end| self.candidates(ends, end)).collect();
        candidates.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.corners.cmp(&b.corners)));
        let mut chosen = Vec::new();
        for Candidate { corners, .. } in candidates {
            // Across a fold nothing can be seen to cross.
            let normal = |of: u32| self.particles.normals[of as usize];
            let is_beside = |near: &u32| !corners.contains(near) && normal(*near).dot(normal(corners[0])) > FLAT;
            let near = corners.into_iter().flat_map(|corner| self.within_two(corner)).filter(is_beside);
            if !self.stars.overlaps(self.particles, corners) && !is_crossed(self.particles, &self.stars, corners, near)
            {
                self.stars.add(corners);
                chosen.push(corners);
            }
        }
        chosen
    }

    /// The triangles of which one is the lowest corner and the others are of some particles, in order.
    fn candidates(&self, among: &[u32], lowest: u32) -> Vec<Candidate> {
        let near = self.near(among, lowest);
        let pairs =
            near.iter().enumerate().flat_map(|(place, &one)| near[place + 1..].iter().map(move |&two| (one, two)));
        pairs
            .filter(|&(one, two)| self.may_join(one, two))
            .filter_map(|(one, two)| self.candidate([lowest, one, two]))
            .collect()
    }

    /// Those of some particles that come after one, may be joined with it, and are two steps away.
    fn near(&self, among: &[u32], from: u32) -> Vec<u32> {
        let mut near: Vec<u32> = self.within_two(from).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&to| to > from && among.binary_search(&to).is_ok() && self.may_join(from, to));
        near
    }

    /// Those that are at most two steps away, one or more times each.
    fn within_two(&self, from: u32) -> impl Iterator<Item = u32> {
        let one = &self.beside[from as usize];
        one.iter().chain(one.iter().flat_map(|&by| &self.beside[by as usize])).copied()
    }

    fn candidate(&self, [a, b, c]: [u32; 3]) -> Option<Candidate> {
        let points = [a, b, c].map(|corner| self.particles.stretched[corner as usize]);
        let (_, squared) = sphere(points).filter(|(_, squared)| *squared < LARGEST * LARGEST)?;
        let corners = [[a, b, c], [a, c, b]].into_iter().find(|&t| self.particles.faces(t, LEAST_COSINE))?;
        Some(Candidate { corners, cost: cost(points, squared), is_crowded: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;
    use crate::sheet::{lattice, triangulate};
    use glam::Quat;

    /// What a test joins two lattices along: straight rows, or the zigzag at their ends.
    #[derive(Clone, Copy, Debug)]
    enum Rim {
        Straight,
        Zigzag,
    }

    /// Two lattices edge to edge, of rows that do not fit each other, sewn where ends lie within a distance.
    struct Two {
        positions: Vec<Vec3>,
        normals: Vec<Vec3>,
        seams: Vec<[u32; 2]>,
        triangles: Vec<[u32; 3]>,
    }

    /// Particles in a row, and rows.
    const ROW: u32 = 14;
    const ROWS: u32 = 6;

    impl Two {
        fn new(rim: Rim, shift: f32, gap: f32) -> Self {
            let half = |odd: u32| 0.5 * (odd % 2) as f32;
            // What stands out of one rim faces what stands out of the other.
            let zigzag = |n: u32, odd| Vec3::new((n % ROW) as f32 * 0.866, (n / ROW) as f32 + half(n % ROW + odd), 0.0);
            let made = |odd: u32| -> Vec<Vec3> {
                match rim {
                    Rim::Straight => lattice(ROW, ROWS),
                    Rim::Zigzag => (0..ROW * ROWS).map(|n| zigzag(n, odd)).collect(),
                }
            };
            let (one, mut other) = (made(0), made(1));
            let top = one.iter().fold(0.0, |top: f32, place| top.max(place.y));
            let wider = if matches!(rim, Rim::Straight) { 1.07 } else { 1.0 };
            for place in &mut other {
                *place = *place * Vec3::new(wider, 1.0, 1.0) + Vec3::new(shift, top + gap, 0.0);
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

        /// With what lies beyond some place across the seam turned over.
        fn folded(mut self, at: f32, angle: f32) -> Self {
            let turn = Quat::from_rotation_y(angle);
            for (position, normal) in self.positions.iter_mut().zip(&mut self.normals) {
                let beyond = position.x - at;
                // As that of the polygon around a particle.
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
            over_seams(points, &self.seams, &self.triangles, 2.2)
        }

        fn topology(&self) -> Topology {
            Topology::of(&[self.triangles.clone(), self.sewn()].concat())
        }
    }

    /// They become one sheet without holes, however they lie along the seam, and where they are folded across it.
    #[test]
    fn two_that_are_sewn_are_one() {
        let (straight, zigzag) = (Rim::Straight, Rim::Zigzag);
        for (rim, shift, gap) in [
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
                Two::new(rim, shift, gap),
                Two::new(rim, shift, gap).folded(6.2, if matches!(rim, Rim::Straight) { -2.0 } else { -1.0 }),
            );
            for (what, two) in [("flat", flat), ("folded", folded)] {
                let topology = two.topology();
                let is_disc =
                    (topology.components, topology.boundary_loops, topology.euler_characteristic) == (1, 1, 1);
                assert!(topology.is_manifold() && is_disc, "{what}, {rim:?}, {shift}, {gap}: {topology:?}");
            }
        }
    }

    #[test]
    fn what_is_not_sewn_stays_apart() {
        let mut two = Two::new(Rim::Straight, 0.3, 0.9);
        two.seams.clear();
        assert!(two.sewn().is_empty());
        let half = Two::new(Rim::Straight, 0.3, 0.9);
        let seams = half.seams.iter().filter(|[a, _]| half.positions[*a as usize].x < 6.0).copied().collect();
        let half = Two { seams, ..half };
        let topology = half.topology();
        assert!(topology.is_manifold() && (topology.components, topology.boundary_loops) == (1, 1), "{topology:?}");
        let far = |t: &[u32; 3]| t.iter().any(|corner| half.positions[*corner as usize].x > 8.0);
        assert!(!half.sewn().iter().any(far));
    }
}
