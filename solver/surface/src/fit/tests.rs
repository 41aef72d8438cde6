//! Fits known surfaces to points scattered on them.

#![allow(clippy::unwrap_used, clippy::print_stdout)]
use super::*;
use crate::mesh::topology::Topology;
use std::f64::consts::TAU;

mod irregular;

/// Random numbers from 0 to 1 (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point on a torus around z, uniform by area.
    fn of_torus(&mut self, large: f64, small: f64) -> DVec3 {
        loop {
            let (around, across, random) = (TAU * self.next(), TAU * self.next(), self.next());
            let radius = large + small * across.cos();
            if random * (large + small) <= radius {
                return DVec3::new(radius * around.cos(), radius * around.sin(), small * across.sin());
            }
        }
    }

    fn of_ball(&mut self) -> DVec3 {
        let (height, around) = (2.0 * self.next() - 1.0, TAU * self.next());
        let radius = (1.0 - height * height).sqrt();
        DVec3::new(radius * around.cos(), radius * around.sin(), height)
    }

    /// Evenly scattered points: each is the farthest of ten candidates from all points before.
    fn scattered(&mut self, count: usize, mut point: impl FnMut(&mut Self) -> DVec3) -> Vec<DVec3> {
        let mut all: Vec<DVec3> = vec![];
        while all.len() < count {
            let room =
                |position: &DVec3| all.iter().map(|p| p.distance_squared(*position)).fold(f64::INFINITY, f64::min);
            let tries: Vec<DVec3> = (0..10).map(|_| point(self)).collect();
            let best = tries.into_iter().max_by(|a, b| room(a).total_cmp(&room(b))).unwrap();
            all.push(best);
        }
        all
    }
}

const OPTIONS: FitOptions = FitOptions { spacing: None, open: false, levels: 1 };

fn fitted(positions: &[DVec3]) -> Fitted {
    fit(Points { positions, normals: &[] }, &OPTIONS).unwrap()
}

fn torus(random: u64) -> Vec<DVec3> {
    Random(random).scattered(300, |random| random.of_torus(1.0, 0.4))
}

fn off_torus(point: DVec3) -> f64 {
    (point.truncate().length() - 1.0).hypot(point.z) - 0.4
}

/// Mean and largest distance over the mesh.
fn deviation(mesh: &SurfaceMesh, distance: impl Fn(DVec3) -> f64) -> [f64; 2] {
    let all: Vec<f64> = mesh.samples().into_iter().map(|point| distance(point).abs()).collect();
    [all.iter().sum::<f64>() / all.len() as f64, all.iter().copied().fold(0.0, f64::max)]
}

#[track_caller]
fn is_closed(fitted: &Fitted, components: usize, genus: i64) {
    let topology = Topology::of(&fitted.mesh.triangles);
    assert!(topology.is_closed_manifold(), "{topology:?}");
    assert_eq!((topology.components, topology.euler_characteristic), (components, 2 * (components as i64 - genus)));
    assert!(fitted.mesh.volume() > 0.0, "it faces outwards");
    assert!(fitted.gaps.is_empty() && fitted.unused == 0, "{:?} {}", fitted.gaps, fitted.unused);
}

/// T92 figure 9: the first vertices are the points. The mesh between them is within 2 % of the small radius of the
/// torus.
#[test]
fn three_hundred_points_give_a_torus() {
    for random in [1, 2, 3] {
        let points = torus(random);
        let fitted = fitted(&points);
        is_closed(&fitted, 1, 1);
        let [mean, most] = deviation(&fitted.mesh, off_torus);
        println!("torus {random}: {:.2} % and {:.2} % of the small radius", mean / 0.004, most / 0.004);
        assert!(mean < 0.005 * 0.4 && most < 0.02 * 0.4, "{mean} {most}");
        for (point, vertex) in points.iter().zip(&fitted.mesh.positions) {
            assert_eq!(point.as_vec3(), *vertex);
        }
        assert_eq!(fitted.seeds, 300);
    }
}

#[test]
fn random_points_give_a_torus() {
    let mut random = Random(7);
    let points: Vec<DVec3> = (0..300).map(|_| random.of_torus(1.0, 0.4)).collect();
    let fitted = fitted(&points);
    is_closed(&fitted, 1, 1);
    let [mean, most] = deviation(&fitted.mesh, off_torus);
    assert!(mean < 0.01 * 0.4 && most < 0.1 * 0.4, "{mean} {most}");
}

/// The surface passes through points that are a hundredth off, and deviates about as much as they do.
#[test]
fn noise_is_not_amplified() {
    let mut random = Random(4);
    let mut points = torus(1);
    for point in &mut points {
        *point += 0.02 * (DVec3::new(random.next(), random.next(), random.next()) - 0.5);
    }
    let fitted = fitted(&points);
    is_closed(&fitted, 1, 1);
    let [mean, most] = deviation(&fitted.mesh, off_torus);
    assert!(mean < 0.008 && most < 0.03, "{mean} {most}");
}

#[test]
fn two_balls_are_two_pieces() {
    let ball = |random: &mut Random| {
        let side = if random.next() < 0.5 { 1.3 } else { -1.3 };
        random.of_ball() + DVec3::X * side
    };
    let fitted = fitted(&Random(5).scattered(400, ball));
    is_closed(&fitted, 2, 0);
    let [mean, most] = deviation(&fitted.mesh, |p| p.distance(DVec3::X * 1.3_f64.copysign(p.x)) - 1.0);
    assert!(mean < 0.004 && most < 0.01, "{mean} {most}");
}

/// Two tori that cross; points inside either are removed.
#[test]
fn a_double_torus_has_two_holes() {
    let point = |random: &mut Random| {
        loop {
            let side = if random.next() < 0.5 { 1.0 } else { -1.0 };
            let position = random.of_torus(1.0, 0.35) + DVec3::X * side;
            let other = position + DVec3::X * side;
            if (other.truncate().length() - 1.0).hypot(other.z) > 0.35 {
                return position;
            }
        }
    };
    is_closed(&fitted(&Random(1).scattered(600, point)), 1, 2);
}

/// A quarter of the height of a sphere is missing, and half of a tube of a torus, each wider than twice the distance of
/// points.
#[test]
fn gaps_continue_the_surface_around_them() {
    let cap = |random: &mut Random| std::iter::repeat_with(|| random.of_ball()).find(|p| p.z < 0.5).unwrap();
    let ball = fitted(&Random(1).scattered(300, cap));
    is_closed(&ball, 1, 0);
    let [mean, most] = deviation(&ball.mesh, |p| p.length() - 1.0);
    println!("a cap of a ball: {mean:.4} {most:.4}");
    assert!(mean < 0.01 && most < 0.06, "{mean} {most}");
    let hole = DVec3::new(1.0, 0.0, 0.4);
    let rest = |random: &mut Random| {
        std::iter::repeat_with(|| random.of_torus(1.0, 0.4)).find(|p| p.distance(hole) > 0.5).unwrap()
    };
    let points = Random(1).scattered(300, rest);
    let torus = fitted(&points);
    is_closed(&torus, 1, 1);
    let [mean, most] = deviation(&torus.mesh, off_torus);
    assert!(mean < 0.005 * 0.4 && most < 0.05 * 0.4, "{mean} {most}");
    let open = fit(Points { positions: &points, normals: &[] }, &FitOptions { open: true, ..OPTIONS }).unwrap();
    let widest = open.gaps.first().unwrap();
    assert!(widest.centre.distance(hole) < 0.3 && widest.length > 2.0, "{widest:?}");
}

#[test]
fn flat_points_give_an_open_sheet() {
    let flat = fitted(&Random(1).scattered(200, |random| DVec3::new(random.next(), random.next(), 0.0)));
    let topology = Topology::of(&flat.mesh.triangles);
    assert!(topology.is_manifold() && topology.components == 1, "{topology:?}");
    assert_eq!((topology.boundary_loops, flat.gaps.len()), (1, 1));
    assert!(flat.mesh.positions.iter().all(|position| position.z == 0.0));
    assert!((0.85..1.0).contains(&flat.mesh.area()), "{}", flat.mesh.area());
}

/// The same triangles over the same positions for any order of points.
#[test]
fn the_order_of_points_does_not_matter() {
    let points = torus(2);
    let turned: Vec<DVec3> = (0..300).map(|n| points[(n * 7 + 11) % 300]).collect();
    let corners = |fitted: &Fitted| {
        let position = |vertex: u32| fitted.mesh.positions[vertex as usize].to_array().map(f32::to_bits);
        let sorted = |triangle: &[u32; 3]| {
            let mut positions = triangle.map(position);
            positions.sort_unstable();
            positions
        };
        let mut all: Vec<_> = fitted.mesh.triangles.iter().map(sorted).collect();
        all.sort_unstable();
        all
    };
    let doubled: Vec<DVec3> = turned.iter().chain(&turned[..9]).copied().collect();
    let (one, other) = (fitted(&points), fitted(&doubled));
    assert!(corners(&one) == corners(&other));
    assert_eq!((one.duplicates, other.duplicates, other.seeds), (0, 9, 300));
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let points = torus(3);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fitted(&points).mesh)
    };
    let (one, three) = (with(1), with(3));
    assert!(one.positions == three.positions && one.normals == three.normals && one.triangles == three.triangles);
}

/// Scales from a tenth of a millimetre to ten kilometres and beyond, and a position a hundred sizes away.
#[test]
fn scale_and_position_do_not_matter() {
    let points = torus(1);
    for (size, away) in [(1e-4, 0.0), (1e4, 0.0), (1.0, 100.0), (1e-25, 0.0), (1e25, 0.0)] {
        let moved: Vec<DVec3> = points.iter().map(|point| (*point + DVec3::ONE * away) * size).collect();
        let fitted = fitted(&moved);
        is_closed(&fitted, 1, 1);
        let [mean, most] = deviation(&fitted.mesh, |p| off_torus(p / size - DVec3::ONE * away));
        assert!(mean < 0.005 * 0.4 && most < 0.02 * 0.4, "{size} {away}: {mean} {most}");
    }
}

/// A few given normals turn the whole surface inside out, and stay.
#[test]
fn given_normals_orient_the_surface() {
    let points = torus(1);
    let mut normals = vec![DVec3::ZERO; 300];
    for number in [3, 50, 120] {
        let ring = points[number].with_z(0.0).normalize();
        normals[number] = 2.0 * (ring - points[number]);
    }
    let fitted = fit(Points { positions: &points, normals: &normals }, &OPTIONS).unwrap();
    assert!(Topology::of(&fitted.mesh.triangles).is_closed_manifold() && fitted.mesh.volume() < 0.0);
    for number in [3, 50, 120] {
        assert!(fitted.mesh.normals[number].distance(normals[number].normalize().as_vec3()) < 1e-6);
    }
}

#[test]
fn invalid_points_are_errors() {
    let fails = |positions: &[DVec3]| fit(Points { positions, normals: &[] }, &OPTIONS).unwrap_err();
    assert_eq!(fails(&[]), FitError::TooFew(0));
    assert_eq!(fails(&[DVec3::X, DVec3::Y, DVec3::X, DVec3::X, DVec3::Z]), FitError::TooFew(3));
    let line: Vec<DVec3> = (0..20).map(|n| DVec3::new(1.0, 2.0, 3.0) * f64::from(n)).collect();
    assert_eq!(fails(&line), FitError::Line);
    assert_eq!(fails(&[DVec3::X, DVec3::Y, DVec3::NAN, DVec3::Z]), FitError::NotFinite(2));
    let points = torus(1);
    let with = |spacing| {
        let options = FitOptions { spacing: Some(spacing), ..OPTIONS };
        fit(Points { positions: &points, normals: &[] }, &options).map(|fitted| fitted.spacing)
    };
    assert_eq!(with(-1.0), Err(FitError::Spacing));
    assert!(matches!(with(1e-6), Err(FitError::TooFine { least, .. }) if (1e-2..3e-2).contains(&least)));
    let Err(FitError::TooCoarse(most)) = with(10.0) else { panic!("{:?}", with(10.0)) };
    assert!((0.1..0.4).contains(&most), "about as far as points are apart");
    assert!(with(most).is_ok(), "what the error asks for works");
    assert!(with(1.001 * most).is_err());
}
