//! Unit tests of distance fields, wall layers and motions.

use dollop_scene::{Key, Transform};
use dollop_sim::boundary::{
    DistanceField, Lookup, MeshDistance, Motion, PlaneSurface, PrimitiveSurface, Sample, Surface, WallKernel,
};
use dollop_sim::geometry::{Ball, Cuboid, box_mesh, sphere_mesh};
use dollop_sim::kernel::Kernel;
use dollop_sim::lattice::Calibration;
use dollop_sim::{SmoothingKernel, TriangleMesh};
use glam::{DQuat, DVec3};
use std::sync::Arc;

use crate::common::Random;

const SPACING: f64 = 0.1;

fn kernel() -> SmoothingKernel {
    SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING)
}

fn field(surface: Box<dyn Surface>, inverted: bool) -> DistanceField {
    DistanceField::new(surface, inverted, &kernel(), SPACING, 1.0)
}

fn cube(half: f64) -> Box<dyn Surface> {
    Box::new(PrimitiveSurface(Arc::new(Cuboid { size: DVec3::splat(2.0 * half) })))
}

fn ball(radius: f64) -> Box<dyn Surface> {
    Box::new(PrimitiveSurface(Arc::new(Ball { radius })))
}

fn mesh(mesh: &TriangleMesh, thickness: Option<f64>) -> Box<dyn Surface> {
    Box::new(MeshDistance::new(mesh, thickness).unwrap())
}

fn sample(field: &mut DistanceField, p: DVec3) -> Option<Sample> {
    match field.sample(p, 1.0, 0.0) {
        Lookup::Missing(block) => {
            field.make(vec![block]);
            sample(field, p)
        }
        Lookup::Near(sample) => Some(sample),
        Lookup::Outside(_) => None,
    }
}

/// Largest error of distance, in spacings, and of the gradient's length, over points around a flat wall whose distance
/// is `exact`.
fn errors(field: &mut DistanceField, points: impl Iterator<Item = DVec3>, exact: impl Fn(DVec3) -> f64) -> (f64, f64) {
    let (mut distance, mut slope) = (0.0_f64, 0.0_f64);
    for p in points {
        let Some(found) = sample(field, p) else {
            assert!(exact(p) >= kernel().support() * 0.999, "{p} at {} is called outside", exact(p));
            continue;
        };
        distance = distance.max((found.distance - exact(p)).abs() / SPACING);
        slope = slope.max((found.gradient.length() - 1.0).abs());
    }
    (distance, slope)
}

/// Points over the middle of the top face of a box of edge 2, from `low` to `high` spacings.
fn over_the_top(low: f64, high: f64) -> impl Iterator<Item = DVec3> {
    let mut random = Random::new(11);
    (0..3000).map(move |_| {
        let p = random.vector(0.5);
        DVec3::new(p.x, p.y, 1.0 + SPACING * (low + (high - low) * (p.z + 0.5)))
    })
}

#[test]
fn flat_walls_have_their_exact_distance() {
    let two = DVec3::splat(2.0);
    let surfaces = || [Box::new(PlaneSurface) as Box<dyn Surface>, cube(1.0), mesh(&box_mesh(two), None)];
    for (name, source) in ["plane", "box", "mesh"].into_iter().zip(surfaces()) {
        let lift = if name == "plane" { 1.0 } else { 0.0 };
        let points = over_the_top(-2.0, 2.4).map(|p| p - DVec3::Z * lift);
        let (distance, slope) = errors(&mut field(source, false), points, |p| p.z - 1.0 + lift);
        println!("{name}: distance off by {distance:.4} spacings, gradient by {slope:.4}");
        assert!(distance < 0.02 && slope < 0.03, "{name}: {distance} {slope}");
    }
}

#[test]
fn containers_have_the_distance_of_their_inside() {
    let two = DVec3::splat(2.0);
    for source in [cube(1.0), mesh(&box_mesh(two), None)] {
        let mut field = field(source, true);
        let (distance, slope) = errors(&mut field, over_the_top(-2.4, 1.0), |p| 1.0 - p.z);
        assert!(distance < 0.02 && slope < 0.03, "{distance} {slope}");
        assert!(sample(&mut field, DVec3::ZERO).is_none());
        let far = sample(&mut field, DVec3::Z * 50.0).unwrap();
        assert!((far.distance + 49.0).abs() < 1e-6 && far.gradient.dot(-DVec3::Z) > 0.999);
    }
}

#[test]
fn balls_have_their_distance_up_to_curvature() {
    let radius = 1.0;
    let surfaces = [ball as fn(f64) -> Box<dyn Surface>, |radius| mesh(&sphere_mesh(radius, 96), None)];
    for surface in surfaces {
        for inverted in [false, true] {
            let side = if inverted { -1.0 } else { 1.0 };
            let mut random = Random::new(5);
            let points = (0..2000).map(|_| {
                let direction = random.vector(1.0).normalize();
                direction * (radius + side * SPACING * (0.5 + 0.75 * random.number()))
            });
            let (distance, slope) =
                errors(&mut field(surface(radius), inverted), points.collect::<Vec<_>>().into_iter(), |p| {
                    side * (p.length() - radius)
                });
            println!("ball, inverted {inverted}: distance off by {distance:.4} spacings, gradient by {slope:.4}");
            assert!(distance < 0.1 && slope < 0.2, "{distance} {slope}");
        }
    }
}

#[test]
fn corners_press_harder_than_flat_walls() {
    // Along the diagonal from the middle of the container into its corner.
    let mut field = field(cube(1.0), true);
    let mut before = f64::INFINITY;
    for i in 0..=100 {
        let depth = 2.5 * SPACING * (1.0 - f64::from(i) / 100.0);
        let Some(found) = sample(&mut field, DVec3::splat(1.0 - depth)) else { continue };
        assert!(found.distance <= depth + 1e-9, "{} at {depth}", found.distance);
        assert!(found.distance < before, "not monotone at {depth}");
        assert!(found.gradient.dot(DVec3::splat(-1.0)) > 0.0);
        if depth < 1.5 * SPACING {
            assert!(found.distance < depth - 0.2 * SPACING, "{} at {depth}", found.distance);
        }
        before = found.distance;
    }
}

#[test]
fn convex_edges_keep_their_distance() {
    let mut field = field(cube(1.0), false);
    for i in 0..=20 {
        let out = SPACING * 0.1 * f64::from(i);
        let p = DVec3::new(1.0 + out, 1.0 + out, 0.013);
        if let Some(found) = sample(&mut field, p) {
            let exact = out * 2.0_f64.sqrt();
            assert!((found.distance - exact).abs() < 0.15 * SPACING, "{} instead of {exact}", found.distance);
        }
    }
}

#[test]
fn far_away_nothing_is_stored() {
    let mut field = field(cube(1.0), false);
    let mut random = Random::new(2);
    for _ in 0..200 {
        assert_eq!(sample(&mut field, DVec3::splat(1e3) + random.vector(50.0)), None);
    }
    assert_eq!(sample(&mut field, DVec3::splat(1e12)), None);
    assert_eq!(field.memory(), 0);
}

#[test]
fn deep_inside_the_way_out_is_exact() {
    let mut field = field(mesh(&box_mesh(DVec3::splat(4.0)), None), false);
    let found = sample(&mut field, DVec3::new(0.1, 0.2, 1.0)).unwrap();
    assert!((found.distance + 1.0).abs() < 1e-9 && (found.gradient - DVec3::Z).length() < 1e-6, "{found:?}");
}

/// Half a face-centred cubic lattice, seen from a particle of its lowest (111) row: the kernel sum without the
/// particle.
fn lattice_above(kernel: &SmoothingKernel) -> f64 {
    let edge = SPACING * 4.0_f64.cbrt();
    let span = || -9..=9;
    let points = span().flat_map(|x| span().flat_map(move |y| span().map(move |z| (x, y, z))));
    let above = points.filter(|&(x, y, z)| (x + y + z) % 2 == 0 && x + y + z >= 0 && (x, y, z) != (0, 0, 0));
    above
        .map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)).length() * edge / 2.0)
        .map(|r| kernel.value(r) * SPACING.powi(3))
        .sum()
}

#[test]
fn a_close_packed_row_rests_on_a_wall() {
    for kind in [Kernel::Spiky, Kernel::CubicSpline] {
        for factor in [0.9, 1.25, 2.0] {
            let kernel = SmoothingKernel::new(kind, factor * SPACING);
            let Calibration { own, factor: strength } = Calibration::new(&kernel, SPACING);
            // Rows are 2^(2/3) / sqrt(3) spacings apart, and each particle covers spacing^3 over that.
            let between = SPACING * 4.0_f64.cbrt() / 3.0_f64.sqrt();
            let (share, slope) = WallKernel::new(&kernel, SPACING).share(between / 2.0);
            let density = own + strength * (lattice_above(&kernel) + share);
            let push = -slope * strength * between;
            println!("{kind:?} h {factor}: density {density:.5}, push over pressure times area {push:.5}");
            assert!((density - 1.0).abs() < 1e-3 && (push - 1.0).abs() < 0.02, "{kind:?} {factor}: {density} {push}");
        }
    }
}

#[test]
fn the_wall_share_falls_with_its_own_derivative() {
    for kind in [Kernel::Spiky, Kernel::CubicSpline] {
        let kernel = SmoothingKernel::new(kind, 1.25 * SPACING);
        let layers = WallKernel::new(&kernel, SPACING);
        let (support, step) = (kernel.support(), kernel.support() * 1e-7);
        let mut before = f64::INFINITY;
        for i in 0..1000 {
            // Not on the entries of the table, where the slope jumps.
            let z = (f64::from(i) + 0.37) * support / 990.0 - 0.1 * support;
            let (share, slope) = layers.share(z);
            assert!(share >= 0.0 && share <= before && slope <= 0.0, "{share} at {z}");
            let difference = (layers.share(z + step).0 - layers.share(z - step).0) / (2.0 * step);
            assert!((difference - slope).abs() < 1e-5 / SPACING, "{difference} {slope} at {z}");
            before = share;
        }
        assert_eq!(layers.share(support), (0.0, 0.0));
        assert!(layers.share(-support).0 > layers.share(0.0).0);
    }
}

fn key(frame: i32, x: f64, angle: f64, scale: [f64; 3]) -> Key {
    let q = DQuat::from_rotation_z(angle);
    Key { frame, transform: Transform { translation: [x, 0.0, 0.0], rotation: [q.w, q.x, q.y, q.z], scale } }
}

#[test]
fn motions_go_evenly_between_keys_and_hold_at_the_ends() {
    let keys =
        [key(0, 1.0, 0.0, [2.0, 1.0, 1.0]), key(10, 3.0, 1.0, [4.0, 2.0, 2.0]), key(11, 0.0, 1.0, [4.0, 2.0, 2.0])];
    let motion = Motion::new(&Transform::default(), &keys, f64::from).unwrap();
    assert_eq!(motion.base_scale(), DVec3::new(4.0, 2.0, 2.0));
    assert!((motion.smallest_scale() - 0.5).abs() < 1e-12);
    for (time, x, angle, scale) in [
        (-5.0, 1.0, 0.0, 0.5),
        (0.0, 1.0, 0.0, 0.5),
        (2.5, 1.5, 0.25, 0.625),
        (10.0, 3.0, 1.0, 1.0),
        (10.5, 1.5, 1.0, 1.0),
        (11.0, 0.0, 1.0, 1.0),
        (99.0, 0.0, 1.0, 1.0),
    ] {
        let pose = motion.pose(time);
        assert!((pose.translation.x - x).abs() < 1e-12, "{time}: {pose:?}");
        assert!(pose.rotation.angle_between(DQuat::from_rotation_z(angle)) < 1e-6, "{time}: {pose:?}");
        assert!((pose.scale - scale).abs() < 1e-12, "{time}: {pose:?}");
        let p = DVec3::new(0.3, -0.2, 0.7);
        assert!((pose.to_local(pose.to_world(p)) - p).length() < 1e-12);
    }
    assert!(!motion.is_static());
}

#[test]
fn uneven_scales_are_refused() {
    let even = key(0, 0.0, 0.0, [1.0, 2.0, 3.0]);
    let motion = |later| Motion::new(&Transform::default(), &[even.clone(), later], f64::from);
    assert_eq!(motion(key(5, 0.0, 0.0, [1.0, 2.0, 3.5])), Err(1));
    assert_eq!(motion(key(5, 0.0, 0.0, [-1.0, -2.0, -3.0])), Err(1));
    assert!(motion(key(5, 0.0, 0.0, [2.0, 4.0, 6.0])).is_ok());
    assert!(Motion::new(&Transform::default(), &[], f64::from).unwrap().is_static());
}

#[test]
fn slanted_walls_have_nearly_their_exact_distance() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, 0.5).normalize(), 0.9);
    let slanted = box_mesh(DVec3::splat(2.0)).mapped(glam::DAffine3::from_quat(turn));
    let mut field = field(mesh(&slanted, None), true);
    let points: Vec<DVec3> = over_the_top(-1.25, 0.5).map(|p| turn * p).collect();
    let (distance, slope) = errors(&mut field, points.into_iter(), |p| 1.0 - (turn.inverse() * p).z);
    println!("slanted wall: distance off by {distance:.4} spacings, gradient by {slope:.4}");
    assert!(distance < 0.04 && slope < 0.15, "{distance} {slope}");
}
