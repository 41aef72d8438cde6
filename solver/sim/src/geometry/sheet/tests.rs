//! Lattices on flat and curved meshes, and invalid meshes.
#![allow(clippy::unwrap_used)]

use super::super::{box_mesh, sphere_mesh};
use super::{SheetFault, SheetSample, TriangleMesh, expected_samples, sample_sheet};
use glam::{DQuat, DVec3, I64Vec3};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::f64::consts::TAU;

/// A mesh over the unit square of parameters, of `columns` times `rows` quads; the first parameter may be a whole turn,
/// or both may.
fn grid(columns: u32, rows: u32, turns: [bool; 2], at: impl Fn(f64, f64) -> DVec3) -> TriangleMesh {
    let (width, height) = (columns + u32::from(!turns[0]), rows + u32::from(!turns[1]));
    let place = |n: u32| at(f64::from(n % width) / f64::from(columns), f64::from(n / width) / f64::from(rows));
    let number = |i: u32, j: u32| (j % height) * width + i % width;
    let quads = (0..columns * rows).map(|n| (n % columns, n / columns));
    let corners = |(i, j)| [number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)];
    TriangleMesh {
        positions: (0..width * height).map(place).collect(),
        triangles: quads.map(corners).flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

const OPEN: [bool; 2] = [false, false];

fn rectangle(columns: u32, rows: u32, width: f64, height: f64) -> TriangleMesh {
    grid(columns, rows, OPEN, |u, v| DVec3::new(width * u, height * v, 0.0))
}

fn tube(radius: f64, length: f64, segments: u32) -> TriangleMesh {
    grid(segments, 1, [true, false], |u, v| DVec3::new(radius * (TAU * u).cos(), radius * (TAU * u).sin(), length * v))
}

fn area(mesh: &TriangleMesh) -> f64 {
    mesh.corners().map(|[a, b, c]| (b - a).cross(c - a).length() / 2.0).sum()
}

fn together(a: &TriangleMesh, b: &TriangleMesh) -> TriangleMesh {
    let shifted = b.triangles.iter().map(|triangle| triangle.map(|v| v + a.positions.len() as u32));
    TriangleMesh {
        positions: a.positions.iter().chain(&b.positions).copied().collect(),
        triangles: a.triangles.iter().copied().chain(shifted).collect(),
    }
}

/// Samples in cells twice the distance wide.
struct Near<'a> {
    sample: &'a SheetSample,
    distance: f64,
    cells: BTreeMap<[i64; 3], Vec<usize>>,
}

impl<'a> Near<'a> {
    fn new(sample: &'a SheetSample, distance: f64) -> Self {
        let mut near = Self { sample, distance, cells: BTreeMap::new() };
        for (number, &p) in sample.positions.iter().enumerate() {
            near.cells.entry(near.cell(p).to_array()).or_default().push(number);
        }
        near
    }

    fn cell(&self, p: DVec3) -> I64Vec3 {
        (p / (2.0 * self.distance)).floor().as_i64vec3()
    }

    /// Distance to the nearest sample, in that of neighbours, whose normal is less than 90 degrees from the one given,
    /// `but` excluded; 2 if it is as far or farther.
    fn nearest(&self, p: DVec3, normal: DVec3, but: Option<usize>) -> f64 {
        let around = (0..27).map(|i| self.cell(p) + I64Vec3::new(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1));
        let numbers = around.filter_map(|cell| self.cells.get(&cell.to_array())).flatten();
        let others = numbers.filter(|&&n| Some(n) != but && self.sample.normals[n].dot(normal) > 0.0);
        others.map(|&n| self.sample.positions[n].distance(p) / self.distance).fold(2.0, f64::min)
    }

    /// Distance of each sample to its nearest sample.
    fn distances(&self) -> Vec<f64> {
        let sample = self.sample;
        (0..sample.positions.len()).map(|n| self.nearest(sample.positions[n], sample.normals[n], Some(n))).collect()
    }

    /// The radius of the widest gap, seen from points all over the triangles.
    fn widest_gap(&self, mesh: &TriangleMesh) -> f64 {
        let mut widest = 0.0_f64;
        for [a, b, c] in mesh.corners() {
            let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
            let longest = (b - a).length().max((c - a).length()).max((c - b).length());
            let steps = (longest / (0.25 * self.distance)).ceil() as u32;
            for (i, j) in (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))) {
                let (u, v) = (f64::from(i) / f64::from(steps), f64::from(j) / f64::from(steps));
                widest = widest.max(self.nearest(a + (b - a) * u + (c - a) * v, normal, None));
            }
        }
        widest
    }
}

/// The samples of a mesh after these checks: their count fits its area to 2.5 %, 98 % of nearest distances are within
/// 0.85 to 1.15 of the distance, none is below 0.7, and no gap to any side is wider than 0.95.
fn even(mesh: &TriangleMesh, distance: f64) -> SheetSample {
    let sample = sample_sheet(mesh, distance).unwrap();
    placed(mesh, &sample);
    let (count, expected) = (sample.positions.len() as f64, expected_samples(area(mesh), distance));
    assert!((count / expected - 1.0).abs() < 0.025, "{count} for {expected}");
    let near = Near::new(&sample, distance);
    let distances = near.distances();
    let usual = distances.iter().filter(|distance| (0.85..=1.15).contains(*distance)).count();
    assert!(usual as f64 >= 0.98 * count, "{usual} of {count} are usual");
    let least = distances.into_iter().fold(2.0, f64::min);
    assert!(least >= 0.7, "nearest {least}");
    let gap = near.widest_gap(mesh);
    assert!(gap < 0.95, "gap {gap}");
    sample
}

/// Triangles and barycentric coordinates give the positions, to rounding, and normals have unit length.
fn placed(mesh: &TriangleMesh, sample: &SheetSample) {
    for (number, &p) in sample.positions.iter().enumerate() {
        let triangle = mesh.triangles[sample.triangles[number] as usize];
        let weights = sample.barycentric[number];
        assert!(weights.min_element() >= 0.0 && (weights.element_sum() - 1.0).abs() < 1e-12, "{weights}");
        let [a, b, c] = triangle.map(|v| mesh.positions[v as usize]);
        assert!((a * weights.x + b * weights.y + c * weights.z - p).length() < 1e-9, "{p}");
        assert!((sample.normals[number].length() - 1.0).abs() < 1e-12);
    }
}

/// Least distance of each of the four sides of a rectangle from the samples in it.
fn margins(sample: &SheetSample, width: f64, height: f64) -> [f64; 4] {
    let least = |of: &dyn Fn(&DVec3) -> f64| sample.positions.iter().map(of).fold(f64::INFINITY, f64::min);
    [least(&|p| p.x), least(&|p| width - p.x), least(&|p| p.y), least(&|p| height - p.y)]
}

#[test]
fn a_rectangle_is_a_perfect_crystal() {
    let d = 0.01;
    for (columns, rows, stretch) in [(40, 40, 1.0), (57, 23, 1.008), (40, 40, 0.99)] {
        let (width, height) = (stretch * d * f64::from(columns), d * 0.75_f64.sqrt() * f64::from(rows));
        for mesh in [rectangle(1, 1, width, height), rectangle(10, 10, width, height)] {
            let sample = sample_sheet(&mesh, d).unwrap();
            placed(&mesh, &sample);
            assert_eq!(sample.positions.len(), (columns * rows) as usize);
            let distances = Near::new(&sample, d).distances();
            assert!(distances.iter().all(|distance| (distance - 1.0).abs() < 0.03));
            let margins = margins(&sample, width, height).map(|margin| margin / d);
            for margin in margins {
                assert!(margin > 0.2 && margin < 0.5 && (margin - margins[0]).abs() < 0.2, "{margins:?}");
            }
        }
    }
}

#[test]
fn a_crystal_turns_with_its_plane() {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.7, -0.3, 1.9);
    let mut mesh = rectangle(3, 2, 0.5, 0.3);
    let level = sample_sheet(&mesh, 0.01).unwrap();
    mesh.positions.iter_mut().for_each(|p| *p = turn * *p);
    let turned = sample_sheet(&mesh, 0.01).unwrap();
    assert_eq!(level.positions.len(), turned.positions.len());
    assert!(Near::new(&turned, 0.01).distances().iter().all(|distance| (distance - 1.0).abs() < 0.03));
    assert!(turned.normals.iter().all(|normal| normal.distance(turn * DVec3::Z) < 1e-9));
}

/// Checks that the samples keep 0.15 to 0.95 of the distance from an outline, and that one lies that near to all of it.
fn margin_kept(sample: &SheetSample, d: f64, inside: impl Fn(DVec3) -> f64) {
    let margins: Vec<f64> = sample.positions.iter().map(|&p| inside(p) / d).collect();
    assert!(margins.iter().all(|&margin| margin > 0.15), "{:?}", margins.iter().copied().reduce(f64::min));
    assert!(margins.iter().any(|&margin| margin < 0.6));
}

#[test]
fn a_disc_an_l_and_a_plate_with_a_hole_are_filled_to_the_edge() {
    let d = 0.05;
    let ring = |hole: f64| {
        grid(128, 1, [true, false], move |u, v| {
            let radius = 1.0 + (hole - 1.0) * v;
            DVec3::new(radius * (TAU * u).cos(), radius * (TAU * u).sin(), 0.0)
        })
    };
    let disc = even(&ring(0.0), d);
    margin_kept(&disc, d, |p| 1.0 - p.length());
    let holed = even(&ring(0.3), d);
    margin_kept(&holed, d, |p| (1.0 - p.length()).min(p.length() - 0.3));
    let mut ell = rectangle(2, 2, 2.0, 2.0);
    ell.triangles.truncate(6);
    let sample = even(&ell, d);
    let corner = |p: DVec3| (1.0 - p.x).max(1.0 - p.y);
    margin_kept(&sample, d, |p| p.x.min(p.y).min(2.0 - p.x).min(2.0 - p.y).min(corner(p)));
}

#[test]
fn curved_sheets_are_even() {
    let torus = grid(120, 48, [true, true], |u, v| {
        let radius = 1.0 + 0.4 * (TAU * v).cos();
        DVec3::new(radius * (TAU * u).cos(), radius * (TAU * u).sin(), 0.4 * (TAU * v).sin())
    });
    let bumpy = {
        let mut mesh = sphere_mesh(1.0, 96);
        mesh.positions
            .iter_mut()
            .for_each(|p| *p *= 1.0 + 0.12 * (5.0 * p.x).sin() * (6.0 * p.y).cos() * (4.0 * p.z).cos());
        mesh
    };
    for (mesh, d) in [
        (sphere_mesh(1.0, 96), 0.06),
        (sphere_mesh(1.0, 16), 0.06),
        (sphere_mesh(1.0, 200), 0.3),
        (torus, 0.06),
        (tube(0.3, 1.5, 64), 0.04),
        (bumpy, 0.07),
    ] {
        even(&mesh, d);
    }
}

#[test]
fn a_tube_is_filled_to_its_ends() {
    let d = 0.04;
    let sample = even(&tube(0.3, 1.5, 64), d);
    margin_kept(&sample, d, |p| p.z.min(1.5 - p.z));
    let outwards = |(p, normal): (&DVec3, &DVec3)| DVec3::new(p.x, p.y, 0.0).normalize().dot(*normal);
    // 64 segments: smooth normals lie less than 3 degrees off.
    assert!(sample.positions.iter().zip(&sample.normals).all(|both| outwards(both) > 0.998));
}

#[test]
fn layers_of_a_thin_plate_do_not_disturb_each_other() {
    let d = 0.05;
    let thickness = 0.5 * d;
    let plate = box_mesh(DVec3::new(1.0, 0.8, thickness));
    let sample = sample_sheet(&plate, d).unwrap();
    let near = Near::new(&sample, d);
    let distances = near.distances();
    assert!(distances.iter().all(|&distance| distance > 0.7));
    // At the rim both layers and the strip between have less room than area; the layers give way towards the rim, so
    // they hold somewhat fewer samples within, too.
    let inner = |p: DVec3| p.x.abs() < 0.5 - 2.5 * d && p.y.abs() < 0.4 - 2.5 * d;
    let room = rectangle(1, 1, 1.0 - 5.0 * d, 0.8 - 5.0 * d);
    for side in [-1.0, 1.0] {
        let of_layer = |&n: &usize| sample.normals[n].z * side > 0.9 && inner(sample.positions[n]);
        let layer: Vec<usize> = (0..distances.len()).filter(of_layer).collect();
        let expected = expected_samples(area(&room), d);
        assert!((layer.len() as f64 / expected - 1.0).abs() < 0.1, "{} for {expected}", layer.len());
        let usual = layer.iter().filter(|&&n| (0.85..1.15).contains(&distances[n])).count();
        assert!(usual as f64 > 0.98 * layer.len() as f64, "{usual} of {}", layer.len());
        let mut lifted = room.clone();
        let corner = DVec3::new(2.5 * d - 0.5, 2.5 * d - 0.4, side * thickness / 2.0);
        lifted.positions.iter_mut().for_each(|p| *p += corner);
        if side < 0.0 {
            lifted.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
        }
        let gap = near.widest_gap(&lifted);
        assert!(gap < 0.95, "gap {gap}");
    }
}

#[test]
fn a_real_mesh_is_even() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/wax-suzanne/shapes/000.obj");
    let text = std::fs::read_to_string(path).unwrap();
    let mut mesh = TriangleMesh::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.split_first() {
            Some((&"v", rest)) => {
                let numbers: Vec<f64> = rest.iter().map(|word| word.parse().unwrap()).collect();
                mesh.positions.push(DVec3::from_slice(&numbers));
            }
            Some((&"f", rest)) => {
                let number = |word: &&str| word.split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                let corners: Vec<u32> = rest.iter().map(number).collect();
                mesh.triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    let d = (area(&mesh) / 3000.0 / 0.75_f64.sqrt()).sqrt();
    let sample = sample_sheet(&mesh, d).unwrap();
    placed(&mesh, &sample);
    // Folds at the ears are tighter than the distance and have less room than area.
    assert!((sample.positions.len() as f64 / 3000.0 - 1.0).abs() < 0.04, "{}", sample.positions.len());
    let distances = Near::new(&sample, d).distances();
    let usual = distances.iter().filter(|distance| (0.85..=1.15).contains(*distance)).count();
    assert!(usual as f64 > 0.98 * distances.len() as f64, "{usual} of {}", distances.len());
    assert!(distances.iter().all(|&distance| distance > 0.7), "{:?}", distances.iter().copied().reduce(f64::min));
}

#[test]
fn faces_are_turned_to_one_side_by_majority() {
    let mut mesh = sphere_mesh(1.0, 64);
    mesh.triangles.iter_mut().step_by(3).for_each(|triangle| triangle.swap(0, 1));
    let sample = sample_sheet(&mesh, 0.1).unwrap();
    placed(&mesh, &sample);
    assert!(Near::new(&sample, 0.1).distances().iter().all(|&distance| distance > 0.7));
    assert!(sample.positions.iter().zip(&sample.normals).all(|(p, normal)| p.normalize().dot(*normal) > 0.995));
    mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let inwards = sample_sheet(&mesh, 0.1).unwrap();
    assert!(inwards.positions.iter().zip(&inwards.normals).all(|(p, normal)| p.normalize().dot(*normal) < -0.995));
}

#[test]
fn normals_are_smooth_but_across_sharp_edges() {
    // Rings 15 degrees apart.
    let sample = sample_sheet(&sphere_mesh(1.0, 24), 0.05).unwrap();
    let least = sample.positions.iter().zip(&sample.normals).map(|(p, n)| p.normalize().dot(*n)).fold(1.0, f64::min);
    // Face normals would be up to 10 degrees off.
    assert!(least > 2.0_f64.to_radians().cos(), "{} degrees", least.acos().to_degrees());
    let cube = sample_sheet(&box_mesh(DVec3::ONE), 0.1).unwrap();
    assert!(cube.normals.iter().all(|normal| normal.abs().max_element() > 1.0 - 1e-12));
}

#[test]
fn a_moebius_strip_is_even_along_its_one_side() {
    let strip = {
        let mut mesh = TriangleMesh::default();
        let n = 120_u32;
        for i in 0..n {
            let turn = f64::from(i) / f64::from(n) * TAU;
            for side in [-0.3, 0.0, 0.3] {
                let radius = 1.0 + side * (turn / 2.0).cos();
                let height = side * (turn / 2.0).sin();
                mesh.positions.push(DVec3::new(radius * turn.cos(), radius * turn.sin(), height));
            }
        }
        let at = |i: u32, s: u32| if i == n { 2 - s } else { 3 * i + s };
        for (i, s) in (0..n).flat_map(|i| [(i, 0), (i, 1)]) {
            let [a, b, c, d] = [at(i, s), at(i + 1, s), at(i + 1, s + 1), at(i, s + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh
    };
    let d = 0.06;
    let sample = sample_sheet(&strip, d).unwrap();
    let expected = expected_samples(area(&strip), d);
    assert!((sample.positions.len() as f64 / expected - 1.0).abs() < 0.03);
    // Normals mean nothing here, so all pairs count; the strip passes nowhere near itself.
    let p = &sample.positions;
    let pairs = (0..p.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let least = pairs.map(|(i, j)| p[i].distance(p[j]) / d).fold(2.0, f64::min);
    assert!(least > 0.7, "{least}");
}

#[test]
fn pieces_are_told_apart_and_each_has_a_sample() {
    let small = {
        let mut mesh = sphere_mesh(0.001, 12);
        mesh.positions.iter_mut().for_each(|p| *p += DVec3::splat(3.0));
        mesh
    };
    let mesh = together(&together(&rectangle(2, 2, 1.0, 1.0), &small), &tube(0.2, 0.5, 24));
    let sample = sample_sheet(&mesh, 0.1).unwrap();
    let count = |piece: u32| sample.pieces.iter().filter(|&&p| p == piece).count();
    assert_eq!(count(1), 1);
    assert!((count(0) as f64 / expected_samples(1.0, 0.1) - 1.0).abs() < 0.05, "{}", count(0));
    let wall = TAU * 0.2 * 0.5;
    assert!((count(2) as f64 / expected_samples(wall, 0.1) - 1.0).abs() < 0.05, "{}", count(2));
    assert_eq!(count(0) + count(1) + count(2), sample.positions.len());
}

#[test]
fn a_narrow_strip_takes_one_row() {
    let arc = grid(100, 1, OPEN, |u, v| {
        let radius = 1.0 + 0.01 * v;
        DVec3::new(radius * (3.0 * u).cos(), radius * (3.0 * u).sin(), 0.1 * u * u)
    });
    for (mesh, length, d) in [(rectangle(7, 1, 2.0, 0.01), 2.0, 0.1), (arc, 3.0, 0.1)] {
        let sample = sample_sheet(&mesh, d).unwrap();
        let count = sample.positions.len() as f64;
        assert!((count * d / length - 1.0).abs() < 0.1, "{count}");
        let near = Near::new(&sample, d);
        assert!(near.distances().iter().all(|distance| (0.7..1.5).contains(distance)));
        let gap = near.widest_gap(&mesh);
        assert!(gap < 0.95, "gap {gap}");
    }
}

#[test]
fn second_copies_and_triangles_without_area_change_nothing() {
    let clean = sphere_mesh(1.0, 24);
    let mut mesh = clean.clone();
    mesh.triangles.extend_from_slice(&clean.triangles[..50]);
    mesh.triangles.extend([[0, 0, 1], [3, 3, 3]]);
    assert_eq!(sample_sheet(&mesh, 0.2).unwrap(), sample_sheet(&clean, 0.2).unwrap());
}

#[test]
fn three_faces_at_an_edge() {
    // A wall on a floor.
    let floor = rectangle(2, 1, 2.0, 1.0);
    let mut mesh = floor.clone();
    mesh.positions.extend([DVec3::new(1.0, 0.0, 1.0), DVec3::new(1.0, 1.0, 1.0)]);
    mesh.triangles.extend([[1, 4, 7], [1, 7, 6]]);
    let d = 0.07;
    let sample = sample_sheet(&mesh, d).unwrap();
    let expected = expected_samples(3.0, d);
    assert!((sample.positions.len() as f64 / expected - 1.0).abs() < 0.04, "{} for {expected}", sample.positions.len());
    assert!(Near::new(&sample, d).distances().iter().all(|&distance| distance > 0.7));
    // The floor goes on below the wall as if the wall were not there.
    let upright = sample.normals.iter().filter(|normal| normal.z.abs() > 0.9).count();
    assert_eq!(upright, sample_sheet(&floor, d).unwrap().positions.len());
}

#[test]
fn invalid_meshes_are_refused() {
    assert_eq!(sample_sheet(&TriangleMesh::default(), 0.1), Err(SheetFault::Empty));
    let line = TriangleMesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0], triangles: vec![[0, 1, 2]] };
    assert_eq!(sample_sheet(&line, 0.1), Err(SheetFault::NoArea));
    let square = rectangle(1, 1, 1.0, 1.0);
    for distance in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(sample_sheet(&square, distance), Err(SheetFault::Distance(distance)));
    }
    assert!(matches!(sample_sheet(&square, f64::NAN), Err(SheetFault::Distance(_))));
    assert!(matches!(sample_sheet(&square, 1e-9), Err(SheetFault::TooMany(count)) if count > 1e17));
}

#[test]
fn a_mesh_smaller_than_the_distance_has_one_sample() {
    for mesh in [rectangle(1, 1, 1.0, 1.0), sphere_mesh(0.2, 12), box_mesh(DVec3::splat(0.3)), tube(0.1, 0.1, 8)] {
        let sample = sample_sheet(&mesh, 50.0).unwrap();
        placed(&mesh, &sample);
        assert_eq!(sample.positions.len(), 1);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sample_sheet(&sphere_mesh(1.0, 48), 0.05).unwrap())
    };
    assert_eq!(with(1), with(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_two_samples_of_a_height_field_are_close(
        waves in prop::collection::vec((1.0..9.0_f64, 1.0..9.0_f64, 0.0..TAU, 0.0..0.04_f64), 1..4),
        quads in 3_u32..40,
        d in 0.03..0.15_f64,
    ) {
        let height = |u: f64, v: f64| waves.iter().map(|&(x, y, phase, size)| size * (x * u + y * v + phase).sin()).sum();
        let mesh = grid(quads, quads, OPEN, |u, v| DVec3::new(u, v, height(u, v)));
        let sample = sample_sheet(&mesh, d).unwrap();
        let near = Near::new(&sample, d);
        let least = near.distances().into_iter().fold(2.0, f64::min);
        prop_assert!(least >= 0.7, "{}", least);
        let gap = near.widest_gap(&mesh);
        // One more finds room where it is 1 wide; one was found with 1.008.
        prop_assert!(gap < 1.05, "gap {}", gap);
    }
}
