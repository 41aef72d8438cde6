//! Winding numbers, faults of meshes, and filling.

use crate::common::Random;
use dollop_scene::{Shape, Transform};
use dollop_sim::geometry::{
    MeshFault, Solid, WindingColumns, affine, area, box_mesh, closed, cylinder_mesh, expected_points, fill,
    sphere_mesh, winding_number,
};
use dollop_sim::{MeshLibrary, TriangleMesh};
use glam::{DAffine3, DQuat, DVec3};
use std::f64::consts::PI;

fn winding(mesh: &TriangleMesh, p: DVec3) -> i32 {
    let mut crossings = Vec::new();
    WindingColumns::new(mesh).crossings(p.x, p.y, &mut crossings);
    winding_number(&crossings, p.z)
}

/// The points of a solid, as many as its volume asks for.
fn filled(solid: &Solid, spacing: f64) -> Vec<DVec3> {
    fill(solid, spacing, Some(solid.enclosed() / spacing.powi(3))).unwrap()
}

fn moved(mesh: &TriangleMesh, by: DVec3) -> TriangleMesh {
    mesh.mapped(DAffine3::from_translation(by))
}

fn turned_over(mesh: &TriangleMesh) -> TriangleMesh {
    let triangles = mesh.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    TriangleMesh { positions: mesh.positions.clone(), triangles }
}

fn together(a: &TriangleMesh, b: &TriangleMesh) -> TriangleMesh {
    let offset = a.positions.len() as u32;
    let shifted = b.triangles.iter().map(|t| t.map(|v| v + offset));
    TriangleMesh {
        positions: a.positions.iter().chain(&b.positions).copied().collect(),
        triangles: a.triangles.iter().copied().chain(shifted).collect(),
    }
}

#[test]
fn winding_of_a_cube_on_grid_coordinates() {
    // Vertices, edges and the diagonals of the faces lie exactly over the columns.
    let cube = box_mesh(DVec3::splat(2.0));
    let steps = -6..=6;
    for x in steps.clone() {
        for y in steps.clone() {
            for z in steps.clone() {
                let p = DVec3::new(f64::from(x), f64::from(y), f64::from(z)) / 4.0;
                let outermost = p.abs().max_element();
                if outermost < 1.0 {
                    assert_eq!(winding(&cube, p), 1, "{p}");
                } else if outermost > 1.0 {
                    assert_eq!(winding(&cube, p), 0, "{p}");
                }
            }
        }
    }
}

#[test]
fn winding_of_a_sphere_at_random_points_and_through_its_poles() {
    let sphere = sphere_mesh(1.0, 64);
    let mut random = Random::new(3);
    for _ in 0..3000 {
        let p = random.vector(1.2);
        let r = p.length();
        // The facets lie up to 1 - cos(pi / 64) below the ball.
        if !(0.99..=1.0).contains(&r) {
            assert_eq!(winding(&sphere, p), i32::from(r < 1.0), "{p}");
        }
    }
    for (z, inside) in [(-1.1, 0), (-0.9, 1), (0.0, 1), (0.9, 1), (1.1, 0)] {
        assert_eq!(winding(&sphere, DVec3::Z * z), inside, "{z}");
    }
}

#[test]
fn columns_through_every_vertex_close() {
    let meshes = [sphere_mesh(0.7, 12), cylinder_mesh(0.5, 1.0, 8), box_mesh(DVec3::ONE)];
    for mesh in meshes.iter().map(|m| m.mapped(DAffine3::from_rotation_x(0.3))).chain(meshes.iter().cloned()) {
        let columns = WindingColumns::new(&mesh);
        let mut crossings = Vec::new();
        for p in &mesh.positions {
            columns.crossings(p.x, p.y, &mut crossings);
            assert_eq!(winding_number(&crossings, -10.0), 0, "{p}");
            assert!(crossings.windows(2).all(|pair| pair[0].z <= pair[1].z));
        }
    }
}

#[test]
fn winding_of_shells() {
    let (outer, inner) = (box_mesh(DVec3::splat(2.0)), box_mesh(DVec3::ONE));
    let hollow = together(&outer, &turned_over(&inner));
    assert_eq!(closed(&hollow), Ok(()));
    assert_eq!(winding(&hollow, DVec3::ZERO), 0);
    assert_eq!(winding(&hollow, DVec3::splat(0.75)), 1);
    let overlapping = together(&outer, &moved(&outer, DVec3::X));
    assert_eq!(winding(&overlapping, DVec3::new(0.5, 0.1, 0.2)), 2);
    assert_eq!(winding(&overlapping, DVec3::new(-0.5, 0.1, 0.2)), 1);
    assert_eq!(winding(&overlapping, DVec3::new(1.5, 0.1, 0.2)), 1);
    assert_eq!(winding(&turned_over(&outer), DVec3::splat(0.3)), -1);
    assert_eq!(winding(&TriangleMesh::default(), DVec3::ZERO), 0);
}

#[test]
fn winding_far_from_the_origin() {
    let far = DVec3::new(1e5, -1e5, 1e5);
    let sphere = moved(&sphere_mesh(1.0, 32), far);
    let mut random = Random::new(4);
    for _ in 0..500 {
        let p = random.vector(1.2);
        if !(0.97..=1.0).contains(&p.length()) {
            assert_eq!(winding(&sphere, far + p), i32::from(p.length() < 1.0), "{p}");
        }
    }
}

#[test]
fn closed_meshes_pass() {
    for mesh in [box_mesh(DVec3::ONE), sphere_mesh(1.0, 16), cylinder_mesh(1.0, 2.0, 16)] {
        assert_eq!(closed(&mesh), Ok(()));
        assert_eq!(closed(&turned_over(&mesh)), Ok(()));
        assert_eq!(closed(&moved(&mesh, DVec3::splat(1e5))), Ok(()));
        assert_eq!(closed(&mesh.mapped(DAffine3::from_scale(DVec3::splat(1e-5)))), Ok(()));
        assert!(mesh.signed_volume() > 0.0);
    }
}

#[test]
fn faults_of_meshes_are_named() {
    let cube = box_mesh(DVec3::ONE);
    assert_eq!(closed(&TriangleMesh::default()), Err(MeshFault::Empty));
    let mut open = cube.clone();
    open.triangles.pop();
    let Err(MeshFault::Open { edges: 3, at }) = closed(&open) else { panic!("{:?}", closed(&open)) };
    assert!((at.z - 0.5).abs() < 1e-12 || at.abs().max_element() <= 0.5, "{at}");
    let mut flipped = cube.clone();
    flipped.triangles[0].swap(1, 2);
    assert!(matches!(closed(&flipped), Err(MeshFault::Open { edges: 3, .. })));
    let flat = cube.mapped(DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0)));
    assert_eq!(closed(&flat), Err(MeshFault::Flat));
}

/// A shape, its placement and its exact volume.
fn solids() -> Vec<(Shape, Transform, f64)> {
    let place = |translation: [f64; 3], axis: DVec3, angle: f64, scale: [f64; 3]| {
        let q = DQuat::from_axis_angle(axis.normalize(), angle);
        Transform { translation, rotation: [q.w, q.x, q.y, q.z], scale }
    };
    let upright = Transform::default();
    let tilted = place([3.0, -2.0, 1.0], DVec3::new(1.0, 2.0, 3.0), 0.7, [1.0; 3]);
    let stretched = place([0.1, 0.2, 0.3], DVec3::new(-1.0, 0.3, 0.5), 2.0, [2.0, 1.0, 0.5]);
    let mirrored = place([0.0; 3], DVec3::X, 0.4, [-1.0, 1.0, 1.5]);
    let far = place([1e5, -1e5, 3e4], DVec3::Z, 0.3, [1.0; 3]);
    let placements = [(upright, 1.0), (tilted, 1.0), (stretched, 1.0), (mirrored, 1.5), (far, 1.0)];
    let shapes = [
        (Shape::Box { size: [1.0, 0.8, 1.2] }, 0.96),
        (Shape::Sphere { radius: 0.5 }, PI / 6.0),
        (Shape::Cylinder { radius: 0.5, height: 1.0 }, PI / 4.0),
        (Shape::Mesh { path: "ball".into() }, library()["ball"].signed_volume()),
        (Shape::Mesh { path: "hollow".into() }, library()["hollow"].signed_volume()),
    ];
    let pairs = shapes.iter().flat_map(|shape| placements.iter().map(move |placement| (shape, placement)));
    pairs.map(|((shape, volume), (placement, factor))| (shape.clone(), *placement, volume * factor)).collect()
}

fn library() -> MeshLibrary {
    let hollow = together(&box_mesh(DVec3::ONE), &turned_over(&box_mesh(DVec3::splat(0.5))));
    MeshLibrary::from([("ball".into(), sphere_mesh(0.5, 48)), ("hollow".into(), hollow)])
}

#[test]
fn volumes_are_exact() {
    for (shape, transform, volume) in solids() {
        let solid = Solid::new(&shape, &transform, &library()).unwrap();
        assert!((solid.volume() / volume - 1.0).abs() < 1e-9, "{shape:?} {transform:?}");
    }
}

#[test]
fn a_filled_solid_holds_its_volume_in_particles() {
    let spacing = 0.05;
    let mut worst: f64 = 0.0;
    for (shape, transform, volume) in solids() {
        let solid = Solid::new(&shape, &transform, &library()).unwrap();
        let count = filled(&solid, spacing).len() as f64;
        let error = count * spacing.powi(3) / volume - 1.0;
        worst = worst.max(error.abs());
        assert!(error.abs() < 0.05, "{shape:?} {transform:?}: {error:.4}");
    }
    println!("largest error of a filled volume: {worst:.4}");
}

#[test]
fn filled_points_lie_inside() {
    for (shape, transform, _) in solids() {
        let solid = Solid::new(&shape, &transform, &library()).unwrap();
        let bounds = solid.bounds();
        let to_local = affine(&transform).inverse();
        for p in filled(&solid, 0.08) {
            assert!(bounds.contains(p));
            let q = to_local.transform_point3(p);
            let inside = match &shape {
                Shape::Box { size } => q.abs().cmple(DVec3::from(*size) / 2.0 + 1e-9).all(),
                Shape::Sphere { radius } => q.length() <= radius + 1e-9,
                Shape::Cylinder { radius, height } => {
                    q.truncate().length() <= radius + 1e-9 && q.z.abs() <= height / 2.0 + 1e-9
                }
                Shape::Mesh { path } if path == "ball" => q.length() <= 0.5 + 1e-9,
                Shape::Plane {} => false,
                Shape::Mesh { .. } => {
                    let outermost = q.abs().max_element();
                    (0.25 - 1e-9..=0.5 + 1e-9).contains(&outermost)
                }
            };
            assert!(inside, "{shape:?}: {q}");
        }
    }
}

#[test]
fn nearest_points_are_about_those_of_the_close_packed_lattice() {
    let spacing = 0.1;
    let expected = spacing * 2.0_f64.powf(1.0 / 6.0);
    for around in [0.0, 1e5] {
        let transform = Transform { translation: [around; 3], ..Transform::default() };
        let solid = Solid::new(&Shape::Sphere { radius: 0.5 }, &transform, &MeshLibrary::new()).unwrap();
        let points = filled(&solid, spacing);
        for (i, p) in points.iter().enumerate() {
            let others = points.iter().enumerate().filter(|&(j, _)| j != i);
            let nearest = others.map(|(_, q)| (*p - *q).length()).fold(f64::INFINITY, f64::min);
            // Layers are stretched or squeezed to fit the ball.
            assert!((nearest / expected - 1.0).abs() < 0.05, "{nearest} instead of {expected}");
        }
    }
}

#[test]
fn a_mesh_and_its_primitive_are_filled_alike() {
    let library = MeshLibrary::from([("cube".into(), box_mesh(DVec3::new(1.0, 0.7, 0.4)))]);
    let transform = Transform { translation: [0.3, 0.1, -0.2], ..Transform::default() };
    let by = |shape| filled(&Solid::new(&shape, &transform, &library).unwrap(), 0.06);
    assert_eq!(by(Shape::Mesh { path: "cube".into() }), by(Shape::Box { size: [1.0, 0.7, 0.4] }));
}

#[test]
fn outermost_layers_of_a_box_keep_their_distance() {
    let spacing = 0.05;
    for size in [0.31, 0.5, 0.777, 1.0] {
        let solid = Solid::new(&Shape::Box { size: [size; 3] }, &Transform::default(), &MeshLibrary::new()).unwrap();
        let points = filled(&solid, spacing);
        for axis in 0..3 {
            let outermost = points.iter().map(|p| p[axis].abs()).fold(0.0, f64::max);
            let gap = (size / 2.0 - outermost) / spacing;
            assert!((0.35..0.651).contains(&gap), "{gap} spacings at size {size}");
        }
    }
}

/// A shape of a size in spacings, and its volume.
type Sized = fn(f64) -> (Shape, f64);

#[test]
fn bodies_of_any_size_have_their_volume() {
    let shapes: [(&str, Sized); 4] = [
        ("cube", |s| (Shape::Box { size: [s; 3] }, s.powi(3))),
        ("box", |s| (Shape::Box { size: [s, 2.0 * s, 1.5 * s] }, 3.0 * s.powi(3))),
        ("ball", |s| (Shape::Sphere { radius: s / 2.0 }, PI / 6.0 * s.powi(3))),
        ("cylinder", |s| (Shape::Cylinder { radius: s / 2.0, height: s }, PI / 4.0 * s.powi(3))),
    ];
    for (name, shape) in shapes {
        let mut worst = (0.0, 0.0);
        for half in 6..=50 {
            let size = f64::from(half) / 2.0;
            let (shape, volume) = shape(size);
            let solid = Solid::new(&shape, &Transform::default(), &MeshLibrary::new()).unwrap();
            let off = filled(&solid, 1.0).len() as f64 - volume;
            // Small bodies are right to two particles, all others within 2.5 %.
            assert!(off.abs() <= (0.025 * volume).max(2.0), "{name} {size} spacings wide: {off} of {volume} too many");
            if off.abs() / volume > worst.1 && size >= 5.0 {
                worst = (size, off.abs() / volume);
            }
        }
        println!("{name}: farthest off by {:.2} % at {} spacings", 100.0 * worst.1, worst.0);
    }
}

#[test]
fn slabs_of_any_thickness_have_their_volume() {
    for thickness in [0.7, 1.0, 1.3, 1.6, 2.0, 2.4, 3.0, 3.5, 4.2] {
        let shape = Shape::Box { size: [30.0, 25.0, thickness] };
        let solid = Solid::new(&shape, &Transform::default(), &MeshLibrary::new()).unwrap();
        let part = filled(&solid, 1.0).len() as f64 / (30.0 * 25.0 * thickness);
        println!("slab {thickness} spacings thick: {part:.3} of its volume");
        assert!((part - 1.0).abs() < 0.04, "{thickness}: {part}");
    }
}

/// One solid of several meshes.
fn joined(parts: impl IntoIterator<Item = TriangleMesh>) -> Solid {
    let mut mesh = TriangleMesh::default();
    for part in parts {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(part.positions);
        mesh.triangles.extend(part.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    }
    let library = MeshLibrary::from([("all".into(), mesh)]);
    Solid::new(&Shape::Mesh { path: "all".into() }, &Transform::default(), &library).unwrap()
}

fn box_at(size: [f64; 3], place: [f64; 3]) -> TriangleMesh {
    box_mesh(DVec3::from(size)).mapped(DAffine3::from_translation(DVec3::from(place)))
}

/// Columns meet thin walls, slanted rods, and a mesh that winds the other way around.
#[test]
fn a_mesh_encloses_its_volume() {
    let wall = 0.02;
    let open_box = || {
        let long = [1.0, wall, 1.0];
        let short = [wall, 1.0 - 2.0 * wall, 1.0];
        let middle = 0.5 - wall / 2.0;
        [
            box_at(long, [0.0, middle, 0.0]),
            box_at(long, [0.0, -middle, 0.0]),
            box_at(short, [middle, 0.0, 0.0]),
            box_at(short, [-middle, 0.0, 0.0]),
        ]
    };
    let slanted = |radius: f64| {
        let turned = DQuat::from_rotation_y(0.7) * DQuat::from_rotation_x(0.6);
        box_mesh(DVec3::new(radius, radius, 2.0)).mapped(DAffine3::from_quat(turned))
    };
    let walls = 4.0 * wall - 4.0 * wall * wall;
    for (name, solid, volume, cut) in [
        ("open box", joined(open_box()), walls, Some(2.0 * wall)),
        ("slanted rod", joined([slanted(0.004)]), 2.0 * 0.004 * 0.004, None),
        ("rod inside out", joined([turned_over(&slanted(0.004))]), 2.0 * 0.004 * 0.004, None),
        (
            "both ways",
            joined([box_at([1.0; 3], [0.0; 3]), turned_over(&box_at([0.5; 3], [2.0, 0.0, 0.0]))]),
            1.125,
            Some(1.25),
        ),
        ("overlapping", joined([box_at([1.0; 3], [0.0; 3]), box_at([1.0; 3], [0.5, 0.1, 0.0])]), 1.55, Some(1.5)),
        ("one in the other", joined([box_at([1.0; 3], [0.0; 3]), box_at([0.3; 3], [0.0; 3])]), 1.0, Some(1.0)),
        ("hollow", joined([box_at([1.0; 3], [0.0; 3]), turned_over(&box_at([0.5; 3], [0.0; 3]))]), 0.875, Some(0.75)),
    ] {
        let (enclosed, section) = (solid.enclosed(), area(&solid));
        println!("{name}: {enclosed:.6} of {volume:.6} m^3, cut {section:.4} of {cut:?} m^2");
        assert!((enclosed / volume - 1.0).abs() < 0.01, "{name}: {enclosed} of {volume}");
        assert!(cut.is_none_or(|cut| (section / cut - 1.0).abs() < 0.01), "{name}: {section} of {cut:?}");
    }
}

#[test]
fn the_cut_of_a_primitive_has_its_area() {
    for (shape, angle, wanted) in [
        (Shape::Box { size: [1.0, 1.0, 0.5] }, 0.0, 0.5),
        (Shape::Box { size: [3.0, 1.0, 0.01] }, 0.7, 0.03),
        (Shape::Sphere { radius: 0.5 }, 0.3, PI * 0.25),
        (Shape::Cylinder { radius: 0.005, height: 4.0 }, 0.8, 0.04),
    ] {
        let (sin, cos) = f64::sin_cos(angle / 2.0);
        let turned = Transform { rotation: [cos, 0.0, sin, 0.0], ..Transform::default() };
        let solid = Solid::new(&shape, &turned, &MeshLibrary::new()).unwrap();
        let found = area(&solid);
        assert!((found / wanted - 1.0).abs() < 2e-3, "{shape:?}: {found} of {wanted}");
    }
}

#[test]
fn parts_of_a_mesh_that_overlap_are_filled_once() {
    let solid = joined([box_at([1.0; 3], [0.0; 3]), box_at([1.0; 3], [0.5, 0.0, 0.0])]);
    assert!((solid.enclosed() - 1.5).abs() < 0.01 && (solid.volume() - 2.0).abs() < 1e-9);
    let part = filled(&solid, 0.1).len() as f64 * 1e-3 / 1.5;
    assert!((part - 1.0).abs() < 0.025, "{part}");
}

#[test]
fn a_box_thinner_than_the_spacing_still_holds_a_layer() {
    let shape = Shape::Box { size: [1.0, 1.0, 0.01] };
    let points = filled(&Solid::new(&shape, &Transform::default(), &MeshLibrary::new()).unwrap(), 0.1);
    assert!(!points.is_empty() && points.iter().all(|p| p.z.abs() < 1e-12));
}

#[test]
fn numbers_beyond_reason_are_refused() {
    for size in [[1e6; 3], [1e6, 1e6, 1e-6]] {
        let solid = Solid::new(&Shape::Box { size }, &Transform::default(), &MeshLibrary::new()).unwrap();
        let expected = fill(&solid, 1e-5, None).unwrap_err();
        assert!(expected > 2e9, "{expected}");
    }
}

#[test]
fn the_number_of_points_is_foreseen() {
    let library = MeshLibrary::from([("cube".into(), box_mesh(DVec3::new(1.0, 0.7, 0.4)))]);
    let turned = Transform { rotation: [0.8, 0.0, 0.6, 0.0], scale: [1.0, 2.0, 1.0], ..Transform::default() };
    let shapes = [
        (Shape::Box { size: [1.0, 0.7, 0.4] }, 0.06),
        (Shape::Sphere { radius: 0.4 }, 0.06),
        (Shape::Cylinder { radius: 0.3, height: 2.0 }, 0.1),
        (Shape::Mesh { path: "cube".into() }, 0.06),
    ];
    for (shape, tolerance) in shapes {
        let solid = Solid::new(&shape, &turned, &library).unwrap();
        let (expected, found) = (expected_points(&solid, 0.04), filled(&solid, 0.04).len() as f64);
        assert!((expected / found - 1.0).abs() < tolerance, "{expected} expected, {found} found in {shape:?}");
    }
    let sheet = Shape::Box { size: [2.0, 2.0, 1e-4] };
    let solid = Solid::new(&sheet, &Transform::default(), &library).unwrap();
    let (expected, found) = (expected_points(&solid, 0.04), filled(&solid, 0.04).len() as f64);
    assert!((expected / found - 1.0).abs() < 0.05, "{expected} expected, {found} found in a sheet");
}

#[test]
fn a_solid_tells_points_inside_from_outside() {
    let library = MeshLibrary::from([("cube".into(), box_mesh(DVec3::ONE))]);
    for shape in [Shape::Box { size: [1.0; 3] }, Shape::Mesh { path: "cube".into() }] {
        let solid = Solid::new(&shape, &Transform::default(), &library).unwrap();
        assert!(solid.contains(DVec3::splat(0.49)) && !solid.contains(DVec3::new(0.0, 0.0, 0.51)));
    }
}
