//! Meshes after the repair of thin triangles and the merging of flat ones: closed, close to the shape, with good
//! triangles.

#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ball, close_packed_lattice, cuboid, frame, frame_with, torus, with_temperatures};
use dollop_sim::kernel::Kernel;
use dollop_sim::{FieldData, Frame, SmoothingKernel};
use dollop_surface::{FieldKind, SurfaceMesh, SurfaceOptions, TriangleGrid, extract_surface};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::f64::consts::PI;

const SPACING: f64 = 0.1;

/// Allowed motion of the surface in most tests: a fifth of a cell.
const DEVIATION: f64 = 0.1 * SPACING;

/// A smoothed surface on cells of half a spacing, with triangles merged within a deviation.
fn options(deviation: f64) -> SurfaceOptions {
    SurfaceOptions { smoothing: 6.0 * SPACING, deviation, ..SurfaceOptions::new(0.5 * SPACING) }
}

fn checked(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let mesh = extract_surface(frame, options);
    let topology = mesh.topology();
    assert!(topology.is_closed_manifold(), "{topology:?}");
    let count = mesh.positions.len();
    assert_eq!([mesh.normals.len(), mesh.velocities.len(), mesh.sources.len()], [count; 3]);
    let lengths = mesh.fields.iter().map(|field| match &field.data {
        FieldData::Scalar(values) => values.len(),
        FieldData::Vector(values) => values.len(),
    });
    assert!(lengths.into_iter().all(|length| length == count));
    // Every vertex belongs to a triangle.
    let used: BTreeSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    assert_eq!(used.len(), count);
    mesh
}

fn filled(reach: f64, inside: impl Fn(DVec3) -> bool) -> Frame {
    frame(close_packed_lattice(SPACING, reach, inside), SPACING)
}

/// The largest distance of sample points of a mesh from another, m; at most ten spacings.
fn farthest(from: &SurfaceMesh, to: &SurfaceMesh) -> f64 {
    let distances = TriangleGrid::new(to, SPACING).distances(&from.samples(), 10.0 * SPACING);
    assert!(distances.missed == 0.0, "{distances:?}");
    distances.max
}

/// The same for given points.
fn farthest_of(points: &[DVec3], to: &SurfaceMesh) -> f64 {
    let distances = TriangleGrid::new(to, SPACING).distances(points, 10.0 * SPACING);
    assert!(distances.missed == 0.0, "{distances:?}");
    distances.max
}

/// Checks the unmerged and the merged mesh: the topology, the volume of the matter within a thousandth, and the volume
/// of the shape within a tolerance.
fn check_shape(
    frame: &Frame,
    components: usize,
    euler_characteristic: i64,
    volume: f64,
    tolerance: f64,
) -> [SurfaceMesh; 2] {
    let meshes = [0.0, DEVIATION].map(|deviation| checked(frame, &options(deviation)));
    let matter = frame.len() as f64 * SPACING.powi(3);
    assert!((matter / volume - 1.0).abs() < tolerance, "{matter} of {volume}");
    for mesh in &meshes {
        assert_eq!(mesh.topology().components, components);
        assert_eq!(mesh.topology().euler_characteristic, euler_characteristic);
        assert!((mesh.volume() / matter - 1.0).abs() < 1e-3, "{} of {matter}", mesh.volume());
        let quality = mesh.quality();
        assert!(quality.least() > 15.0, "{}", quality.least());
        assert!(quality.part_below(19.0) < 0.002, "{}", quality.part_below(19.0));
    }
    assert!(meshes[0].quality().part_below(30.0) < 0.005, "{}", meshes[0].quality().part_below(30.0));
    meshes
}

/// Merging moves the surface at most as far as allowed, plus a fifth for the volume correction and for points between
/// those measured during merging.
fn check_deviation([whole, merged]: &[SurfaceMesh; 2]) {
    let both = [farthest(whole, merged), farthest(merged, whole)];
    assert!(both.iter().all(|distance| *distance < 1.2 * DEVIATION), "{both:?}");
    assert!(both[0] > 0.5 * DEVIATION, "{both:?}");
}

#[test]
fn a_merged_ball_keeps_its_shape() {
    let radius = 1.2;
    let frame = filled(radius, ball(radius));
    let meshes = check_shape(&frame, 1, 2, 4.0 / 3.0 * PI * radius.powi(3), 0.01);
    check_deviation(&meshes);
    assert!(meshes[1].triangles.len() * 3 < meshes[0].triangles.len());
    let sphere: Vec<DVec3> = (0..4000).map(|n| radius * on_sphere(n, 4000)).collect();
    // A ball cut from a lattice has facets: half a layer of particles.
    for (mesh, tolerance) in meshes.iter().zip([0.5, 0.6]) {
        let off = mesh.samples().iter().map(|p| (p.length() - radius).abs()).fold(0.0, f64::max);
        assert!(off < tolerance * SPACING, "{off}");
        let off = farthest_of(&sphere, mesh);
        assert!(off < tolerance * SPACING, "{off}");
    }
}

/// Points on the unit sphere along a spiral.
fn on_sphere(n: usize, count: usize) -> DVec3 {
    let z = 1.0 - (2.0 * n as f64 + 1.0) / count as f64;
    let angle = n as f64 * PI * (3.0 - 5.0_f64.sqrt());
    let radius = (1.0 - z * z).sqrt();
    DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
}

#[test]
fn a_merged_torus_keeps_its_shape() {
    let (ring, tube) = (1.0, 0.4);
    let frame = filled(1.5, torus(ring, tube));
    let meshes = check_shape(&frame, 1, 0, 2.0 * PI * PI * ring * tube * tube, 0.02);
    check_deviation(&meshes);
}

#[test]
fn a_merged_box_keeps_its_shape() {
    let half = DVec3::new(0.9, 0.7, 0.5);
    let frame = filled(1.0, cuboid(half));
    // Points of the lattice lie half a layer inside the faces.
    let meshes = check_shape(&frame, 1, 2, 8.0 * half.element_product(), 0.08);
    check_deviation(&meshes);
    assert!(meshes[1].triangles.len() * 4 < meshes[0].triangles.len());
    // The faces are flat; edges and corners are rounded by smoothing.
    let volume = frame.len() as f64 * SPACING.powi(3) / (8.0 * half.element_product());
    let faces: Vec<DVec3> = (0..3).flat_map(|axis| face(half * volume.cbrt(), axis)).collect();
    for mesh in &meshes {
        let off = farthest_of(&faces, mesh);
        assert!(off < 0.5 * SPACING, "{off}");
    }
}

/// Points of a face of a box, at least four spacings from its edges.
fn face(half: DVec3, axis: usize) -> Vec<DVec3> {
    let inner = (half - 4.0 * SPACING).max(DVec3::ZERO);
    let at = |i: i32, j: i32| {
        let mut point = half;
        point[(axis + 1) % 3] = inner[(axis + 1) % 3] * f64::from(i) / 8.0;
        point[(axis + 2) % 3] = inner[(axis + 2) % 3] * f64::from(j) / 8.0;
        point
    };
    (-8..=8).flat_map(|i| (-8..=8).map(move |j| at(i, j))).collect()
}

#[test]
fn merged_overlapping_balls_keep_their_shape() {
    let (radius, apart) = (0.7, DVec3::new(0.55, 0.0, 0.0));
    let both = move |p: DVec3| ball(radius)(p - apart) || ball(radius)(p + apart);
    let frame = filled(1.3, both);
    // Each ball minus a cap of that height.
    let height: f64 = radius - apart.x;
    let cap = PI * height * height * (3.0 * radius - height) / 3.0;
    let meshes = check_shape(&frame, 1, 2, 2.0 * (4.0 / 3.0 * PI * radius.powi(3) - cap), 0.02);
    check_deviation(&meshes);
}

/// The more the surface may move, the fewer triangles.
#[test]
fn a_larger_deviation_leaves_fewer_triangles() {
    let frame = filled(1.0, torus(0.7, 0.3));
    let counts = [0.0, 0.05, 0.15, 0.45].map(|part| checked(&frame, &options(part * SPACING)).triangles.len());
    assert!(counts.windows(2).all(|pair| 3 * pair[1] < 2 * pair[0]), "{counts:?}");
}

/// Raw surfaces with the grain of particles have the most thin triangles.
#[test]
fn raw_surfaces_have_few_thin_triangles() {
    let shaken = |p: &Vec3| *p + 0.03 * Vec3::new((91.7 * p.y).sin(), (57.3 * p.z).sin(), (33.1 * p.x).sin());
    let points = close_packed_lattice(SPACING, 1.0, ball(1.0)).iter().map(shaken).collect();
    for field in [FieldKind::Anisotropic, FieldKind::Density] {
        let options = SurfaceOptions { field, ..SurfaceOptions::new(0.5 * SPACING) };
        let quality = checked(&frame(Vec::clone(&points), SPACING), &options).quality();
        assert!(quality.least() > 12.0, "{field:?}: {}", quality.least());
        assert!(quality.part_below(20.0) < 1e-3 && quality.part_below(30.0) < 0.02, "{field:?}: {quality:?}");
    }
}

/// The carried values of vertices, as bits.
fn rows(mesh: &SurfaceMesh) -> BTreeSet<(u32, [u32; 3], u32)> {
    let Some(FieldData::Scalar(temperatures)) = mesh.field("temperature") else { panic!("no temperatures") };
    let row = |n: usize| (mesh.sources[n], mesh.velocities[n].to_array().map(f32::to_bits), temperatures[n].to_bits());
    (0..mesh.positions.len()).map(row).collect()
}

fn two_bodies() -> Frame {
    let mut frame = with_temperatures(filled(1.0, torus(0.7, 0.3)), |p| 300.0 + 40.0 * p.y);
    frame.velocities = frame.positions.iter().map(|p| Vec3::new(-p.y, p.x, 0.3 * p.z)).collect();
    frame.sources = frame.positions.iter().map(|p| u32::from(p.x > 0.0)).collect();
    frame
}

/// Kept vertices keep their carried values.
#[test]
fn kept_vertices_keep_carried_values() {
    let frame = two_bodies();
    let [whole, merged] = [0.0, DEVIATION].map(|deviation| checked(&frame, &options(deviation)));
    assert!(merged.positions.len() * 2 < whole.positions.len());
    assert!(rows(&merged).is_subset(&rows(&whole)));
}

/// Triangles are not merged where two bodies meet.
#[test]
fn borders_between_bodies_are_not_merged() {
    let frame = two_bodies();
    let border = |mesh: &SurfaceMesh| {
        let mixed = |t: &&[u32; 3]| t.iter().any(|&v| mesh.sources[v as usize] != mesh.sources[t[0] as usize]);
        mesh.triangles.iter().filter(mixed).count()
    };
    let [whole, merged] = [0.0, DEVIATION].map(|deviation| border(&checked(&frame, &options(deviation))));
    assert!(whole > 50 && whole == merged, "{whole} and {merged}");
}

/// Separate surfaces of touching bodies are each closed.
#[test]
fn separate_surfaces_are_each_closed() {
    let options = SurfaceOptions { surfaces: vec![0, 1], ..options(DEVIATION) };
    let mesh = checked(&two_bodies(), &options);
    // Halves of a torus.
    assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (2, 4));
    assert!(mesh.triangles.iter().all(|t| t.iter().all(|&v| mesh.sources[v as usize] == mesh.sources[t[0] as usize])));
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let frame = two_bodies();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| checked(&frame, &options(DEVIATION)))
    };
    let one = with(1);
    assert!(one == with(2) && one == with(5));
}

/// Ten kilometres away positions are multiples of 1 mm.
#[test]
fn surfaces_far_from_the_origin_are_valid() {
    let mut frame = filled(1.0, ball(1.0));
    let near = checked(&frame, &options(DEVIATION));
    frame.positions.iter_mut().for_each(|p| *p += Vec3::new(1e4, -1e4, 1e4));
    let far = checked(&frame, &options(DEVIATION));
    assert_eq!(far.topology().euler_characteristic, 2);
    let (far, near) = (far.triangles.len() as f64, near.triangles.len() as f64);
    assert!((far / near - 1.0).abs() < 0.1, "{far} and {near}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Random clouds, from dust to lumps: neither repair nor merging changes the topology.
    #[test]
    fn remeshing_keeps_the_topology_of_random_clouds(
        positions in prop::collection::vec(prop::array::uniform3(-20_i16..20), 1..160),
        resolution in 0.3_f64..1.5,
        deviation in 0.0_f64..0.5,
        smoothing in 0.0_f64..8.0,
    ) {
        let position = |position: &[i16; 3]| Vec3::from_array(position.map(f32::from)) * 0.2;
        let kernel = SmoothingKernel::new(Kernel::Spiky, 0.75);
        let mut frame = frame_with(positions.iter().map(position).collect(), 0.6, kernel);
        frame.sources = (0..frame.len() as u32).map(|n| n % 3).collect();
        let plain = SurfaceOptions::new(0.6 * resolution);
        let whole = checked(&frame, &plain);
        let other = SurfaceOptions { deviation: 0.6 * deviation, smoothing: 0.6 * smoothing, ..plain };
        let merged = checked(&frame, &other);
        prop_assert!(merged.triangles.len() <= whole.triangles.len() + 40);
        let invariants = |mesh: &SurfaceMesh| (mesh.topology().components, mesh.topology().euler_characteristic);
        prop_assert_eq!(invariants(&whole), invariants(&merged));
        prop_assert!(merged.positions.iter().chain(&merged.normals).all(|p| p.is_finite()));
    }
}
