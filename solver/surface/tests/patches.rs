//! Curved patches over the triangles of sheets.

#![allow(clippy::unwrap_used, dead_code, missing_docs)]

#[path = "common/sheets.rs"]
mod sheets;

use dollop_surface::Topology;
use dollop_surface::sheet::patches::{Refined, subdivide};
use glam::{DVec3, Vec3};
use sheets::*;

fn refined(sheet: &TestSheet, triangles: &[[u32; 3]], levels: u32) -> Refined {
    subdivide(&sheet.positions, &sheet.normals, triangles, levels)
}

/// The refined points of a sphere are more than 15 times closer to it than the flat triangles, and their normals are
/// radial within 0.2 degrees.
#[test]
fn refined_spheres_are_rounder() {
    for count in [100, 500] {
        let sheet = relaxed_sphere(count, &mut Random(3));
        let radius = f64::from(sheet.positions[0].length());
        let triangles = sheet.triangles(1.8);
        let sphere = refined(&sheet, &triangles, 2);
        let off = |p: DVec3| (p.length() - radius).abs();
        let most = sphere.positions.iter().map(|p| off(p.as_dvec3())).fold(0.0, f64::max);
        let flat = |(at, weights): (&[u32; 3], &[f32; 3])| {
            let parts = at.iter().zip(weights).map(|(v, w)| sheet.positions[*v as usize].as_dvec3() * f64::from(*w));
            off(parts.sum())
        };
        let most_flat = sphere.sources.iter().zip(&sphere.weights).map(flat).fold(0.0, f64::max);
        assert!(most * 15.0 < most_flat, "{count}: {most} off, flat triangles {most_flat}");
        let most_turned =
            sphere.normals.iter().zip(&sphere.positions).map(|(n, p)| n.angle_between(*p)).fold(0.0, f32::max);
        assert!(most_turned.to_degrees() < 0.2, "normals turned by {} degrees", most_turned.to_degrees());
    }
}

/// Exact numbers of vertices and triangles, one component without cracks, and the same boundary and orientation.
#[test]
fn refined_meshes_have_no_cracks() {
    let open = wavy(&jittered(12, 10, 0.15, &mut Random(4)), 1.0, 14.0);
    for sheet in [open, fibonacci_sphere(80)] {
        let triangles = sheet.triangles(1.8);
        let coarse = Topology::of(&triangles);
        for levels in 0..4 {
            let fine = refined(&sheet, &triangles, levels);
            let topology = Topology::of(&fine.triangles);
            assert_eq!(fine.triangles.len(), triangles.len() << (2 * levels));
            assert_eq!(Topology { boundary_edges: coarse.boundary_edges << levels, ..coarse }, topology);
            let used: std::collections::BTreeSet<u32> = fine.triangles.iter().flatten().copied().collect();
            assert_eq!(used.len(), fine.positions.len(), "every vertex is used");
            assert_eq!(fine.positions[..sheet.positions.len()], sheet.positions);
            let (area, before) = (fine_area(&fine), sheet.area(&triangles));
            assert!((area / before - 1.0).abs() < 0.1, "area {area}, {before} before");
        }
    }
}

fn fine_area(fine: &Refined) -> f64 {
    let corners = fine.triangles.iter().map(|t| t.map(|v| fine.positions[v as usize].as_dvec3()));
    corners.map(|[a, b, c]| (b - a).cross(c - a).length()).sum::<f64>() / 2.0
}

/// Every fine triangle has the orientation of its patch.
#[test]
fn refined_triangles_keep_their_orientation() {
    let sheet = fibonacci_sphere(80);
    let fine = refined(&sheet, &sheet.triangles(1.8), 3);
    for t in &fine.triangles {
        let [a, b, c] = t.map(|v| fine.positions[v as usize]);
        assert!((b - a).cross(c - a).dot(a) > 0.0);
    }
}

#[test]
fn flat_stays_flat() {
    let sheet = TestSheet::flat(&jittered(12, 10, 0.15, &mut Random(5)));
    let triangles = sheet.triangles(1.8);
    let fine = refined(&sheet, &triangles, 3);
    assert!(fine.positions.iter().all(|p| p.z == 0.0));
    assert!(fine.normals.iter().all(|n| n.distance(Vec3::Z) < 1e-6));
    assert!((fine_area(&fine) - sheet.area(&triangles)).abs() < 1e-3, "nothing folds over");
}

/// The sum of weights is one within 1e-6. On a flat sheet they give the position of the vertex within 1e-5.
#[test]
fn weights_reproduce_flat_positions() {
    let sheet = TestSheet::flat(&jittered(12, 10, 0.15, &mut Random(6)));
    let fine = refined(&sheet, &sheet.triangles(1.8), 3);
    for (vertex, (at, weights)) in fine.sources.iter().zip(&fine.weights).enumerate() {
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6 && weights.iter().all(|w| *w >= 0.0));
        let position: Vec3 = at.iter().zip(weights).map(|(v, w)| sheet.positions[*v as usize] * *w).sum();
        assert!(position.distance(fine.positions[vertex]) < 1e-5);
    }
}

/// Far from the origin a sheet is refined as accurately as single precision allows.
#[test]
fn sheets_far_from_the_origin_are_refined_alike() {
    let sheet = fibonacci_sphere(80);
    let triangles = sheet.triangles(1.8);
    let shift = Vec3::new(1024.0, -4096.0, 512.0);
    let moved = sheet.moved(shift);
    let (near, far) = (refined(&sheet, &triangles, 2), refined(&moved, &triangles, 2));
    for (a, b) in near.positions.iter().zip(&far.positions) {
        // Positions there are multiples of 2^-11.
        assert!((*a + shift).distance(*b) < 2e-3, "{a} {b}");
    }
}

#[test]
fn invalid_triangles_are_left_out() {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::NAN, Vec3::X];
    let normals = [Vec3::Z, Vec3::ZERO, Vec3::NAN];
    assert_eq!(subdivide(&[], &[], &[[0, 1, 2]], 2), Refined::default());
    let fine = subdivide(&positions, &normals, &[[0, 1, 2], [0, 0, 1], [0, 1, 9], [1, 2, 4]], 1);
    assert_eq!(fine.triangles.len(), 8);
    assert!(fine.positions.iter().enumerate().all(|(v, p)| p.is_finite() || v == 3));
    assert_eq!(subdivide(&positions, &normals, &[[0, 1, 2]], 99).triangles.len(), 1 << 20);
}
