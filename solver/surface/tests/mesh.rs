//! Surfaces of particle clouds with known shapes.

#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ball, close_packed_lattice, cubic_lattice, cuboid, frame, frame_with, torus, with_temperatures};
use dollop_sim::FieldData;
use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, SmoothingKernel};
use dollop_surface::{FieldKind, LevelKind, SurfaceMesh, SurfaceOptions, Topology, extract_surface, surface_field};
use glam::{DVec3, Vec3};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};
use std::f64::consts::PI;

/// The mesh at half the spacing, after checks of the invariants of meshes.
fn surface(frame: &Frame) -> SurfaceMesh {
    checked(frame, 0.5 * frame.spacing)
}

fn checked(frame: &Frame, cell_size: f64) -> SurfaceMesh {
    checked_by(frame, &paper(cell_size))
}

/// The surface of the paper: the density, at the level where two particles separate.
fn paper(cell_size: f64) -> SurfaceOptions {
    SurfaceOptions { field: FieldKind::Density, level: LevelKind::Interaction, ..SurfaceOptions::new(cell_size) }
}

fn checked_by(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let mesh = extract_surface(frame, options);
    let topology = mesh.topology();
    assert!(topology.is_closed_manifold(), "{topology:?}");
    let count = mesh.positions.len();
    assert_eq!([mesh.normals.len(), mesh.velocities.len(), mesh.sources.len()], [count; 3]);
    assert!(mesh.normals.iter().all(|n| (n.length() - 1.0).abs() < 1e-5));
    mesh
}

fn smallest_area(mesh: &SurfaceMesh) -> f64 {
    let area = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|vertex| mesh.positions[vertex as usize].as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    };
    mesh.triangles.iter().map(area).fold(f64::INFINITY, f64::min)
}

/// Distance of the surface from the flat edge of a half space filled evenly with matter. The density there is the
/// integral of the kernel over the cap of a ball; the surface is where it is 2 V W(h).
fn flat_offset(frame: &Frame) -> f64 {
    let kernel = frame.kernel;
    let iso = 2.0 * frame.spacing.powi(3) * kernel.value(kernel.smoothing_length());
    // Density at a height above the matter: integral over r of W(r) times the area of the sphere below it.
    let density = |height: f64| {
        let steps = 4000;
        let dr = (kernel.support() - height) / f64::from(steps);
        let ring = |step: i32| {
            let r = height + (f64::from(step) + 0.5) * dr;
            kernel.value(r) * 2.0 * PI * r * (r - height) * dr
        };
        (0..steps).map(ring).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, kernel.support());
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if density(middle) > iso { low = middle } else { high = middle }
    }
    low
}

#[test]
fn ball_is_a_sphere_of_its_volume() {
    let (spacing, radius) = (0.1, 1.2);
    let frame = frame(close_packed_lattice(spacing, radius, ball(radius)), spacing);
    let mesh = surface(&frame);
    assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (1, 2));
    let around = radius + flat_offset(&frame);
    let expected = 4.0 / 3.0 * PI * around.powi(3);
    assert!((mesh.volume() / expected - 1.0).abs() < 0.02, "volume {} of {expected}", mesh.volume());
    assert!((mesh.area() / (4.0 * PI * around * around) - 1.0).abs() < 0.03, "area {}", mesh.area());
    for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
        assert!((f64::from(p.length()) - around).abs() < 0.5 * spacing, "a vertex at {}", p.length());
        assert!(n.dot(p.normalize()) > 0.7, "normal {n} at {p}");
    }
}

/// Volume where the density exceeds the level of the surface, by direct summation at the points of a fine grid.
fn volume_by_counting(frame: &Frame, half: DVec3, step: f64) -> f64 {
    let kernel = frame.kernel;
    let iso = 2.0 * frame.spacing.powi(3) * kernel.value(kernel.smoothing_length());
    let density = |point: DVec3| {
        let part = |(p, v): (&Vec3, &f32)| f64::from(*v) * kernel.value(p.as_dvec3().distance(point));
        frame.positions.iter().zip(&frame.rest_volumes).map(part).sum::<f64>()
    };
    let [nx, ny, nz] = (2.0 * half / step).to_array().map(|n| n.ceil() as i32);
    let points = (0..nx * ny * nz).map(|n| [n / (ny * nz), n / nz % ny, n % nz]);
    let inside = points.filter(|p| density(DVec3::from_array(p.map(|c| (f64::from(c) + 0.5) * step)) - half) >= iso);
    inside.count() as f64 * step.powi(3)
}

#[test]
fn box_has_its_volume() {
    let (spacing, half) = (0.1, DVec3::new(0.4, 0.3, 0.2));
    let frame = frame(cubic_lattice(spacing, 0.4, cuboid(half)), spacing);
    assert_eq!(frame.len(), 8 * 6 * 4);
    let mesh = surface(&frame);
    assert_eq!(mesh.topology().euler_characteristic, 2);
    let expected = volume_by_counting(&frame, half + 0.2, 0.0171);
    assert!((mesh.volume() / expected - 1.0).abs() < 0.015, "volume {} of {expected}", mesh.volume());
    // A face lies where that of a half space would, up to the layers of the lattice.
    let top = mesh.positions.iter().map(|p| f64::from(p.z)).fold(0.0, f64::max);
    assert!((top - 0.2 - flat_offset(&frame)).abs() < 0.15 * spacing, "top at {top}");
}

#[test]
fn torus_has_a_hole() {
    let (spacing, ring, tube) = (0.1, 1.0, 0.4);
    let frame = frame(close_packed_lattice(spacing, 1.5, torus(ring, tube)), spacing);
    let mesh = surface(&frame);
    assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (1, 0));
    let expected = 2.0 * PI * PI * ring * (tube + flat_offset(&frame)).powi(2);
    assert!((mesh.volume() / expected - 1.0).abs() < 0.03, "volume {} of {expected}", mesh.volume());
}

#[test]
fn two_balls_are_two_pieces() {
    let (spacing, radius, gap) = (0.1, 0.5, DVec3::new(0.8, 0.0, 0.0));
    let both = move |p: DVec3| ball(radius)(p - gap) || ball(radius)(p + gap);
    let mesh = surface(&frame(close_packed_lattice(spacing, 1.4, both), spacing));
    assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (2, 4));
}

/// A hollow ball has an inner surface that faces the hollow.
#[test]
fn hollow_ball_has_two_surfaces() {
    let spacing = 0.1;
    let hollow = move |p: DVec3| ball(1.0)(p) && !ball(0.5)(p);
    let frame = frame(close_packed_lattice(spacing, 1.0, hollow), spacing);
    let (mesh, d) = (surface(&frame), flat_offset(&frame));
    assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (2, 4));
    let expected = 4.0 / 3.0 * PI * ((1.0 + d).powi(3) - (0.5 - d).powi(3));
    assert!((mesh.volume() / expected - 1.0).abs() < 0.03, "volume {} of {expected}", mesh.volume());
}

/// The distance at which two particles separate, over 2 h.
fn separation_distance(kind: Kernel, direction: Vec3, offset: Vec3, cell_size: f64) -> f64 {
    let h = 0.5;
    let pieces = |distance: f64| {
        let half = direction.normalize() * (0.5 * distance) as f32;
        let frame = frame_with(vec![offset - half, offset + half], 0.4, SmoothingKernel::new(kind, h));
        checked(&frame, cell_size).topology().components
    };
    let (mut connected, mut separated) = (h, 3.0 * h);
    assert_eq!((pieces(connected), pieces(separated)), (1, 2));
    for _ in 0..30 {
        let middle = 0.5 * (connected + separated);
        if pieces(middle) == 1 { connected = middle } else { separated = middle }
    }
    connected / (2.0 * h)
}

/// DG96 figure 5. The bridge between the two is thinnest in the middle, at a node here, so the lattice resolves it.
#[test]
fn two_particles_separate_at_two_h() {
    for kind in [Kernel::Spiky, Kernel::CubicSpline] {
        let ratio = separation_distance(kind, Vec3::X, Vec3::ZERO, 0.25);
        assert!((ratio - 1.0).abs() < 0.01, "{kind:?}: {ratio}");
    }
}

/// At other positions the lattice may miss the middle: within 10 % at h / 2, and 1 % at h / 8.
#[test]
fn separation_converges_with_the_cell_size() {
    for (direction, offset) in [(Vec3::new(1.0, 0.6, 0.3), Vec3::new(0.11, 0.07, 0.19)), (Vec3::Y, Vec3::splat(0.12))] {
        for (cell_size, tolerance) in [(0.25, 0.1), (0.0625, 0.01)] {
            let ratio = separation_distance(Kernel::Spiky, direction, offset, cell_size);
            assert!((ratio - 1.0).abs() < tolerance, "cells of {cell_size}: {ratio}");
        }
    }
}

/// A ball of particles in exact binary fractions, so that moving it by whole cells is exact too.
fn exact_ball() -> Frame {
    let spacing = 0.125;
    let frame = frame(cubic_lattice(spacing, 0.75, ball(0.75)), spacing);
    with_temperatures(frame, |p| 300.0 + p.x)
}

fn moved(mut frame: Frame, by: Vec3) -> Frame {
    frame.positions.iter_mut().for_each(|p| *p += by);
    frame
}

/// Vertices are numbered block by block, and the blocks differ. Equally thin triangles are repaired in the order of
/// their numbers, so some may be repaired differently.
#[test]
fn moving_by_whole_cells_moves_the_mesh() {
    let by = 0.0625 * Vec3::new(13.0, -5.0, 160.0);
    let (there, here) = (surface(&moved(exact_ball(), by)), surface(&exact_ball()));
    let rounded = |mesh: &SurfaceMesh, by: Vec3| -> BTreeSet<[i32; 3]> {
        mesh.positions.iter().map(|&p| ((p + by) * 1e4).round().as_ivec3().to_array()).collect()
    };
    let (there, here) = (rounded(&there, Vec3::ZERO), rounded(&here, by));
    let (both, all) = (there.intersection(&here).count(), there.union(&here).count());
    assert!(both * 100 > all * 95, "{both} of {all}");
}

#[test]
fn moving_by_whole_blocks_moves_the_mesh_to_the_bit() {
    let by = 0.5 * Vec3::new(16.0, -32.0, 8.0);
    let (there, here) = (surface(&moved(exact_ball(), by)), surface(&exact_ball()));
    assert!(there.triangles == here.triangles && there.normals == here.normals);
    for (a, b) in there.positions.iter().zip(&here.positions) {
        assert!(a.distance(*b + by) < 4e-6);
    }
}

/// Ten kilometres away positions are multiples of 1 mm; the mesh of that matter is still valid.
#[test]
fn surfaces_far_from_the_origin_are_valid() {
    let spacing = 0.01;
    let near = frame(close_packed_lattice(spacing, 0.08, ball(0.08)), spacing);
    let far = moved(near.clone(), Vec3::new(1e4, -1e4, 1e4));
    let (near, far) = (surface(&near), surface(&far));
    assert_eq!(far.topology().euler_characteristic, 2);
    assert!((far.volume() / near.volume() - 1.0).abs() < 0.02, "{} against {}", far.volume(), near.volume());
}

/// Memory and time grow with the matter: the bounding box of these particles would have 10^22 cells.
#[test]
fn outliers_cost_nothing() {
    let mut frame = exact_ball();
    let alone = surface(&frame).topology();
    for stray in [Vec3::splat(1e4), Vec3::new(-3e5, 0.0, 0.0)] {
        frame.positions[0] = stray;
        assert_eq!(surface(&frame).topology().components, alone.components + 1);
    }
    for nowhere in [Vec3::NAN, Vec3::splat(f32::INFINITY), Vec3::splat(f32::MAX), Vec3::new(0.0, -1e9, 0.0)] {
        frame.positions[0] = nowhere;
        assert_eq!(surface(&frame).topology().components, alone.components);
    }
}

#[test]
fn no_matter_gives_an_empty_mesh() {
    assert_eq!(surface(&frame(vec![], 0.1)).positions, vec![]);
    assert_eq!(extract_surface(&exact_ball(), &paper(0.0)), SurfaceMesh::default());
    assert_eq!(extract_surface(&exact_ball(), &paper(f64::NAN)), SurfaceMesh::default());
    let mut void = frame(vec![Vec3::ZERO; 3], 0.1);
    void.rest_volumes = vec![0.0, f32::NAN, -1.0];
    assert_eq!(surface(&void).positions, vec![]);
}

/// The surface of a lone particle is the sphere where V W(r) = 2 V W(h).
#[test]
fn one_particle_is_a_ball() {
    let frame = frame(vec![Vec3::new(0.3, -0.2, 0.15)], 1.0);
    // (2 - q)^3 = 2
    let radius = 2.0 - 2.0_f64.cbrt();
    // A vertex stays in its cell, of which the surface may cross only a corner.
    for (cell_size, tolerance) in [(0.5, 0.1), (0.25, 0.01), (0.1, 0.004)] {
        let mesh = checked(&frame, cell_size);
        assert_eq!((mesh.topology().components, mesh.topology().euler_characteristic), (1, 2));
        for p in &mesh.positions {
            let error = f64::from(p.distance(frame.positions[0])) - radius;
            assert!(error.abs() < tolerance, "cells of {cell_size}: off by {error}");
        }
    }
    let volume = checked(&frame, 0.1).volume();
    assert!((volume / (4.0 / 3.0 * PI * radius.powi(3)) - 1.0).abs() < 0.01, "{volume}");
}

#[test]
fn coincident_particles_add_up() {
    let mesh = checked(&frame(vec![Vec3::splat(0.2); 5], 1.0), 0.25);
    let radius = 2.0 - 0.4_f64.cbrt();
    assert_eq!(mesh.topology().components, 1);
    assert!((mesh.volume() / (4.0 / 3.0 * PI * radius.powi(3)) - 1.0).abs() < 0.02, "{}", mesh.volume());
}

#[test]
fn attributes_are_weighted_means() {
    let spin = Vec3::new(0.0, 0.0, 3.0);
    let mut frame = with_temperatures(frame(close_packed_lattice(0.1, 0.8, ball(0.8)), 0.1), |p| 300.0 + 50.0 * p.x);
    frame.velocities = frame.positions.iter().map(|p| spin.cross(*p)).collect();
    frame.sources = frame.positions.iter().map(|p| if p.x > 0.0 { 4 } else { 7 }).collect();
    let mesh = surface(&frame);
    let Some(FieldData::Scalar(temperatures)) = mesh.field("temperature") else { panic!("no temperatures") };
    for (vertex, p) in mesh.positions.iter().enumerate() {
        // The means include matter up to 2 h further inside.
        assert!(mesh.velocities[vertex].distance(spin.cross(*p)) < 3.0 * 0.15);
        assert!((temperatures[vertex] - (300.0 + 50.0 * p.x)).abs() < 50.0 * 0.15);
        if p.x.abs() > 0.1 {
            assert_eq!(mesh.sources[vertex], if p.x > 0.0 { 4 } else { 7 });
        }
    }
    frame.fields.clear();
    assert_eq!(surface(&frame).fields, vec![]);
}

#[test]
fn equal_contributions_go_to_the_first_body() {
    let mut frame = frame(vec![Vec3::new(-0.3, 0.0, 0.0), Vec3::new(-0.3, 0.0, 0.0)], 1.0);
    for sources in [vec![5, 2], vec![2, 5]] {
        frame.sources = sources;
        assert!(surface(&frame).sources.iter().all(|&body| body == 2));
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let frame = with_temperatures(frame(close_packed_lattice(0.1, 1.0, torus(0.7, 0.25)), 0.1), |p| 300.0 + p.y);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| surface(&frame))
    };
    let (one, two, five) = (with(1), with(2), with(5));
    assert!(one == two && one == five);
    assert_eq!(one, extract_surface(&frame, &paper(0.05)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Random clouds, from dust to lumps, near block borders and with particles on nodes.
    #[test]
    fn random_clouds_have_valid_surfaces(
        nodes in prop::collection::vec(prop::array::uniform3(-24_i16..24), 1..60),
        jitter in 0.0_f32..0.5,
        resolution in 0.3_f64..1.5,
        spline: bool,
    ) {
        let position = |node: &[i16; 3]| {
            let node = Vec3::from_array(node.map(f32::from)) * 0.25;
            node + jitter * Vec3::new((node.y * 91.7).sin(), (node.z * 57.3).sin(), (node.x * 33.1).sin())
        };
        let kind = if spline { Kernel::CubicSpline } else { Kernel::Spiky };
        let frame = frame_with(nodes.iter().map(position).collect(), 0.6, SmoothingKernel::new(kind, 0.6));
        let mesh = checked(&frame, 0.6 * resolution);
        prop_assert!(mesh.volume() >= 0.0);
        // Vertices keep 0.01 cells from nodes, so a triangle has at least this area.
        let least = 0.5 * (0.01 * 0.6 * resolution).powi(2);
        prop_assert!(mesh.triangles.is_empty() || smallest_area(&mesh) > 0.5 * least);
        prop_assert_eq!(Topology::of(&mesh.triangles), mesh.topology());
    }
}

/// The field is known one node further on both sides of the surface, wherever blocks end, as slopes are taken there.
#[test]
fn the_field_extends_one_node_beyond_the_surface() {
    let spacing = 0.1;
    for shift in 0..16_u8 {
        let cube = frame(cubic_lattice(spacing, 1.2, cuboid(DVec3::splat(1.0))), spacing);
        let frame = moved(cube, Vec3::splat(f32::from(shift) * 0.5 * spacing as f32));
        let field = surface_field(&frame, &SurfaceOptions::new(0.5 * spacing));
        let mut nodes = HashMap::new();
        for block in &field.blocks {
            for (slot, value) in block.values.iter().enumerate() {
                let within = [slot >> 6, slot >> 3 & 7, slot & 7];
                nodes.insert(std::array::from_fn::<i32, 3, _>(|a| block.origin[a] + within[a] as i32), *value);
            }
        }
        for (node, _) in nodes.iter().filter(|(_, value)| **value >= 1.0) {
            for (axis, step) in [(0, -1), (0, 1), (1, -1), (1, 1), (2, -1), (2, 1)] {
                let beside = |step: i32| std::array::from_fn(|a| node[a] + if a == axis { step } else { 0 });
                let is_surface = nodes.get(&beside(step)).is_some_and(|value| *value < 1.0);
                assert!(!is_surface || nodes.contains_key(&beside(-step)), "{shift}: {node:?} along {axis}");
            }
        }
    }
}

/// What is deep in a body's matter leaves no trace in its surface: it is the same as that of matter of many bodies,
/// no part of which is deep.
#[test]
fn the_surface_does_not_depend_on_what_is_deep() {
    let mut one = frame(cubic_lattice(0.1, 2.0, ball(1.5)), 0.1);
    let options = SurfaceOptions { level: LevelKind::Component, ..SurfaceOptions::new(0.05) };
    for (n, position) in one.positions.iter_mut().enumerate() {
        // Off the lattice by up to an eighth of a spacing.
        let noise = |seed: usize| ((n * 97 + seed * 31) % 101) as f32 / 101.0 - 0.5;
        *position += 0.025 * Vec3::new(noise(1), noise(2), noise(3));
    }
    let mut many = one.clone();
    many.source_names = vec!["a".to_owned(), "b".to_owned()];
    many.sources.iter_mut().enumerate().for_each(|(n, source)| *source = (n % 2) as u32);
    let [one, many] = [one, many].map(|frame| checked_by(&frame, &options));
    assert_eq!(one.triangles, many.triangles);
    let apart = one.positions.iter().zip(&many.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(apart < 1e-3, "{apart} m");
}

/// Solid bodies that touch have a surface each until they have fused, and then one.
#[test]
fn fused_bodies_share_a_surface() {
    let spacing = 0.1;
    let mut both = frame(close_packed_lattice(spacing, 1.0, cuboid(DVec3::new(0.8, 0.4, 0.4))), spacing);
    both.sources = both.positions.iter().map(|place| u32::from(place.x > 0.0)).collect();
    both.apart = vec![true, true];
    let pieces = |frame: &Frame| checked(frame, 0.5 * spacing).topology().components;
    assert_eq!(pieces(&both), 2);
    both.fused_bodies = vec![Some(0), Some(0)];
    assert_eq!(pieces(&both), 1);
    // Another body that has fused with matter that does not keep apart is not one with these.
    both.fused_bodies = vec![Some(0), None];
    assert_eq!(pieces(&both), 2);
}
