//! The skins of soft matter: closed, with the volume of their matter, and touching.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

mod common;

use common::{close_packed_lattice, frame_with};
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::{Skin, SoftField};
use dollop_sim::kernel::Kernel;
use dollop_sim::{FieldData, Frame, SmoothingKernel};
use dollop_surface::{Distances, SurfaceMesh, SurfaceOptions, Topology, TriangleGrid, extract_surface, surface_field};
use glam::{DVec3, Vec3};
use std::time::Instant;

const SPACING: f64 = 0.05;
const FIELDS: [SoftField; 3] = [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube];

/// Soft matter with pieces given by position.
fn soft(positions: Vec<Vec3>, field: SoftField, piece: impl Fn(Vec3) -> f32) -> Frame {
    swollen(positions, field, piece, 0.0)
}

/// The same with an offset of all skins, in spacings.
fn swollen(positions: Vec<Vec3>, field: SoftField, piece: impl Fn(Vec3) -> f32, offset: f64) -> Frame {
    let mut frame = frame_with(positions, SPACING, SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING));
    frame.skins = vec![Some(Skin::new(field, 1.25 * SPACING, SPACING))];
    let pieces = frame.positions.iter().map(|&p| piece(p)).collect();
    frame.fields.push(PIECE.with(FieldData::Scalar(pieces)));
    frame.fields.push(OFFSET.with(FieldData::Scalar(vec![(offset * SPACING) as f32; frame.len()])));
    frame
}

fn ball() -> Vec<Vec3> {
    close_packed_lattice(SPACING, 0.3, |p| p.length() < 0.25)
}

/// The first vertex of the component of each vertex.
fn component_labels(mesh: &SurfaceMesh) -> Vec<u32> {
    let mut first: Vec<u32> = (0..mesh.positions.len() as u32).collect();
    loop {
        let before = first.clone();
        for triangle in &mesh.triangles {
            let least = triangle.iter().map(|&vertex| first[vertex as usize]).min().unwrap();
            for &vertex in triangle {
                first[vertex as usize] = least;
            }
        }
        if first == before {
            return first;
        }
    }
}

/// A submesh with some triangles.
fn submesh(mesh: &SurfaceMesh, wanted: impl Fn([u32; 3]) -> bool) -> SurfaceMesh {
    let triangles = mesh.triangles.iter().copied().filter(|&triangle| wanted(triangle)).collect();
    SurfaceMesh { triangles, positions: mesh.positions.clone(), ..SurfaceMesh::default() }
}

#[test]
fn a_ball_has_the_volume_of_its_matter() {
    for field in FIELDS {
        let frame = soft(ball(), field, |_| 0.0);
        for smoothing in [0.0, 6.0 * SPACING] {
            let mesh = extract_surface(&frame, &SurfaceOptions { smoothing, ..SurfaceOptions::new(0.4 * SPACING) });
            let topology = Topology::of(&mesh.triangles);
            assert!(topology.is_closed_manifold() && topology.components == 1, "{field:?}: {topology:?}");
            let ratio = mesh.volume() / (frame.len() as f64 * SPACING.powi(3));
            println!("{field:?}, smoothing {smoothing}: {ratio:.4} of its volume");
            assert!((ratio - 1.0).abs() < 0.06, "{field:?}: {ratio}");
        }
    }
}

/// DG95 section 5: two halves of a ball, pressed together, are two pieces that share the surface between them. Together
/// they have the volume of the ball, each is closed, and the distance between them is within the resolution of the
/// mesh, smoothed or not.
#[test]
fn touching_pieces_share_a_surface() {
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) };
        let whole = extract_surface(&swollen(ball(), field, |_| 0.0, 0.12), &options);
        let frame = swollen(ball(), field, |p| f32::from(u8::from(p.x > 0.0)), 0.12);
        let mesh = extract_surface(&frame, &options);
        let topology = Topology::of(&mesh.triangles);
        assert!(topology.is_closed_manifold() && topology.components == 2, "{field:?}: {topology:?}");
        let first = component_labels(&mesh);
        let [low, high] = [true, false].map(|low| submesh(&mesh, |t| (first[t[0] as usize] == first[0]) == low));
        let volumes = [low.volume(), high.volume(), whole.volume()];
        println!("{field:?}: {volumes:?}");
        // Skins end sooner where the field of the other half is not added.
        assert!(
            (volumes[0] + volumes[1]) / volumes[2] > 0.97 && volumes[0] + volumes[1] < 1.005 * volumes[2],
            "{volumes:?}"
        );
        let inner = |mesh: &SurfaceMesh| {
            let inside = |p: &DVec3| p.x.abs() < 0.5 * SPACING && p.length() < 0.2;
            mesh.samples()[mesh.positions.len()..].iter().copied().filter(inside).collect::<Vec<_>>()
        };
        let other = TriangleGrid::new(&high, SPACING);
        let Distances { rms, percentile_99, max, .. } = other.distances(&inner(&low), SPACING);
        let [rms, beyond, most] = [rms, percentile_99, max].map(|distance| distance / SPACING);
        println!("{field:?}, smoothing {smoothing}: {rms:.4}, {beyond:.4}, at most {most:.4} spacings apart");
        assert!(inner(&low).len() > 500 && rms < 0.012 && beyond < 0.06, "{field:?}: {rms} {beyond}");
        assert!(field != SoftField::Polynomial || most < 0.01, "{most}");
    }
}

/// Winding number of a closed mesh around a point: about 1 inside and 0 outside.
fn winding_number(mesh: &SurfaceMesh, point: DVec3) -> f64 {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize].as_dvec3() - point);
        let (x, y, z) = (a.length(), b.length(), c.length());
        let rest = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * a.dot(b.cross(c)).atan2(rest)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Largest depth of the vertices of one mesh in another, spacings.
fn deepest(one: &SurfaceMesh, other: &SurfaceMesh) -> f64 {
    let triangles = TriangleGrid::new(other, SPACING);
    let deep = |vertex: u32| {
        let point = one.positions[vertex as usize].as_dvec3();
        let nearest = triangles.nearest(point, SPACING)?;
        (winding_number(other, point) > 0.5).then(|| nearest.distance(point) / SPACING)
    };
    let mut vertices = one.triangles.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.into_iter().filter_map(deep).fold(0.0, f64::max)
}

/// Two cubes, pressed into each other with an edge or a corner, do not overlap, smoothed or not, except for what
/// triangles cut off. They keep their volume.
#[test]
fn cubes_do_not_overlap_at_their_corners() {
    let half = 2.0 * SPACING as f32;
    let cube = || close_packed_lattice(SPACING, 0.3, |p| p.abs().max_element() < f64::from(half));
    for (along, cell) in [Vec3::ONE, Vec3::new(1.0, 1.0, 0.3), Vec3::new(1.0, 0.4, 0.3)]
        .into_iter()
        .flat_map(|along| [0.25, 0.5].map(|cell| (along, cell)))
    {
        let offset = 1.6 * half * along;
        let mut positions = cube();
        let count = positions.len();
        positions.extend(cube().into_iter().map(|p| p + offset));
        let mut frame = soft(positions, SoftField::Polynomial, |_| 0.0);
        let pieces = (0..frame.len()).map(|particle| f32::from(u8::from(particle >= count))).collect();
        frame.fields[0].data = FieldData::Scalar(pieces);
        let volumes = [0.0, 6.0].map(|smoothing| {
            let options = SurfaceOptions { smoothing: smoothing * SPACING, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&frame, &options);
            let topology = Topology::of(&mesh.triangles);
            assert!(topology.is_closed_manifold() && topology.components == 2, "{topology:?}");
            let first = component_labels(&mesh);
            let [low, high] = [true, false].map(|low| submesh(&mesh, |t| (first[t[0] as usize] == first[0]) == low));
            let deepest = deepest(&low, &high).max(deepest(&high, &low));
            println!("{along}, cells {cell}, smoothing {smoothing}: {deepest:.4} spacings deep");
            assert!(deepest < if cell < 0.5 { 0.02 } else { 0.05 }, "{deepest}");
            mesh.volume()
        });
        assert!((volumes[1] / volumes[0] - 1.0).abs() < 2e-3, "{volumes:?}");
    }
}

/// Two particles blend if they belong to one piece, and do not if they belong to two (DG95 fig. 5).
#[test]
fn pieces_do_not_blend() {
    for field in FIELDS {
        let near = vec![Vec3::ZERO, Vec3::X * 1.1 * SPACING as f32];
        for (pieces, components) in [(1, 1), (2, 2)] {
            let frame = soft(near.clone(), field, |p| if p.x > 0.0 { pieces as f32 } else { 1.0 });
            let mesh = extract_surface(&frame, &SurfaceOptions::new(0.1 * SPACING));
            let topology = Topology::of(&mesh.triangles);
            assert!(topology.is_closed_manifold() && topology.components == components, "{field:?}: {topology:?}");
        }
    }
}

/// Adds lumps, fused particles and vectors to walls, given by position.
fn with_lumps_and_walls(
    mut frame: Frame,
    lump: impl Fn(Vec3) -> f32,
    fused: impl Fn(Vec3) -> bool,
    wall: impl Fn(Vec3) -> Vec3,
) -> Frame {
    let lumps = frame.positions.iter().map(|&p| lump(p)).collect();
    let all_fused = frame.positions.iter().map(|&p| f32::from(u8::from(fused(p)))).collect();
    let walls = frame.positions.iter().map(|&p| wall(p)).collect();
    frame.fields.push(LUMP.with(FieldData::Scalar(lumps)));
    frame.fields.push(FUSED.with(FieldData::Scalar(all_fused)));
    frame.fields.push(WALL.with(FieldData::Vector(walls)));
    frame
}

/// The vector to a floor for particles within the range of mirror images.
fn floor(height: f64) -> impl Fn(Vec3) -> Vec3 {
    let near = (0.6 * 1.25 * SPACING) as f32;
    move |p| if p.z - (height as f32) < near { Vec3::Z * (height as f32 - p.z) } else { Vec3::ZERO }
}

/// DG95 section 5.2: halves fused along the cut are one component without a wall inside, and with the volume of the
/// ball. Unfused halves are two components, as they are if they belong to two lumps.
#[test]
fn fused_halves_form_one_lump() {
    let half = |p: Vec3| f32::from(u8::from(p.x > 0.0));
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) };
        let halves = || swollen(ball(), field, half, 0.0);
        let whole = extract_surface(&swollen(ball(), field, |_| 0.0, 0.0), &options);
        let near_the_cut = |p: Vec3| p.x.abs() < 1.3 * SPACING as f32;
        let fused = extract_surface(&with_lumps_and_walls(halves(), |_| 0.0, near_the_cut, |_| Vec3::ZERO), &options);
        let topology = Topology::of(&fused.triangles);
        let inner = fused.positions.iter().filter(|p| p.length() < 0.2).count();
        let ratio = fused.volume() / whole.volume();
        println!("{field:?}, smoothing {smoothing}: {topology:?}, {ratio:.5} of the ball, {inner} vertices inside");
        assert!(topology.is_closed_manifold() && topology.components == 1 && inner == 0, "{topology:?}");
        assert!((ratio - 1.0).abs() < 0.002, "{ratio}");
        let apart = extract_surface(&with_lumps_and_walls(halves(), half, |_| false, |_| Vec3::ZERO), &options);
        assert_eq!(apart, extract_surface(&halves(), &options));
        assert!(Topology::of(&apart.triangles).is_closed_manifold() && Topology::of(&apart.triangles).components == 2);
    }
}

/// A lump whose pieces have fused everywhere has the skin of one piece, up to rounding.
#[test]
fn a_fully_fused_lump_is_one_piece() {
    let options = SurfaceOptions::new(0.4 * SPACING);
    let half = |p: Vec3| f32::from(u8::from(p.x > 0.0));
    let field = SoftField::Polynomial;
    let one = extract_surface(&soft(ball(), field, |_| 0.0), &options);
    let fused =
        extract_surface(&with_lumps_and_walls(soft(ball(), field, half), |_| 0.0, |_| true, |_| Vec3::ZERO), &options);
    assert_eq!(one.triangles, fused.triangles);
    let most = one.positions.iter().zip(&fused.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(f64::from(most) < 1e-4 * SPACING, "{most}");
}

/// Measures of a mesh on a floor, in spacings.
#[derive(Debug)]
struct OnFloor {
    /// Depth of the lowest point below the floor.
    under: f64,
    /// The largest gap above the floor over the covered area, and the number of sampled columns.
    gap: f64,
    columns: usize,
}

/// Samples a mesh from below, at raster points within 0.4 spacings of a surrounded particle on the floor, or within 0.3
/// of an isolated one.
fn on_floor(mesh: &SurfaceMesh, frame: &Frame, height: f64) -> OnFloor {
    let lowest = mesh.positions.iter().map(|p| f64::from(p.z)).fold(f64::INFINITY, f64::min);
    let low: Vec<Vec3> = frame.positions.iter().copied().filter(|p| f64::from(p.z) - height < 0.5 * SPACING).collect();
    let apart = |a: Vec3, b: Vec3| f64::from((a.x - b.x).hypot(a.y - b.y)) / SPACING;
    let around = |p: Vec3| low.iter().filter(|&&other| apart(p, other) < 1.7).count();
    let near: Vec<Vec3> = low.iter().copied().filter(|&p| low.len() == 1 || around(p) > 7).collect();
    let wide = if low.len() == 1 { 0.3 } else { 0.4 };
    let covered = |x: f32, y: f32| near.iter().any(|&p| apart(p, Vec3::new(x, y, 0.0)) < wide);
    let step = 0.1 * SPACING as f32;
    let (mut gap, mut columns) = (0.0_f64, 0);
    for (x, y) in (-80..=80).flat_map(|i| (-80..=80).map(move |j| (i as f32 * step, j as f32 * step))) {
        if covered(x, y) {
            columns += 1;
            gap = gap.max(lowest_at(mesh, x, y) - height);
        }
    }
    OnFloor { under: (height - lowest) / SPACING, gap: gap / SPACING, columns }
}

/// Height where a vertical line first meets a mesh from below.
fn lowest_at(mesh: &SurfaceMesh, x: f32, y: f32) -> f64 {
    let meets = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let side = |a: Vec3, b: Vec3| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
        let (u, v, w) = (side(b, c), side(c, a), side(a, b));
        let sum = u + v + w;
        let inside = sum != 0.0 && [u, v, w].iter().all(|submesh| submesh * sum >= 0.0);
        inside.then(|| f64::from((u * a.z + v * b.z + w * c.z) / sum))
    };
    mesh.triangles.iter().filter_map(meets).fold(f64::INFINITY, f64::min)
}

/// A half ball, pressed flat, swollen or shrunk, and an isolated particle lie on a floor without a gap and not in it,
/// smoothed or not.
#[test]
fn skins_lie_on_a_floor() {
    let cases =
        [("half", 0.41, 0.0), ("half", 0.3, 0.0), ("half", 0.45, 0.1), ("half", 0.41, -0.03), ("lone", 0.4, 0.0)];
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        for ((name, lowest, offset), cell) in cases.into_iter().flat_map(|case| [(case, 0.25), (case, 0.5)]) {
            let half: Vec<Vec3> = ball().into_iter().filter(|p| p.z > 0.0).collect();
            let positions = if name == "lone" { vec![Vec3::new(0.01, 0.02, 0.3)] } else { half };
            let height = f64::from(positions.iter().map(|p| p.z).fold(f32::INFINITY, f32::min)) - lowest * SPACING;
            let frame =
                with_lumps_and_walls(swollen(positions, field, |_| 0.0, offset), |_| 0.0, |_| false, floor(height));
            let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&frame, &options);
            let topology = Topology::of(&mesh.triangles);
            let found = on_floor(&mesh, &frame, height);
            println!(
                "{field:?}, {name} at {lowest}, offset {offset}, smoothing {smoothing:.1}, cells {cell}: {found:.4?}"
            );
            assert!(topology.is_closed_manifold(), "{topology:?}");
            // A shrunk lattice with the inverse cube field has holes.
            assert!(topology.components == 1 || offset < 0.0, "{topology:?}");
            assert!(found.columns > 20 && found.under < 0.01, "{found:?}");
            // An isolated particle on the floor is no larger than a cell of half a spacing.
            let exact = cell < 0.5 || (name == "half" && offset >= 0.0 && field != SoftField::InverseCube);
            // Smoothing lifts the rim a little.
            let gap = if smoothing > 0.0 { 0.05 } else { 0.02 };
            assert!(!exact || found.gap < gap || offset < 0.0, "{found:?}");
        }
    }
}

/// Distance from a box or plate, and the vector to its closest point.
fn to_box(p: Vec3, low: Vec3, high: Vec3) -> (f32, Vec3) {
    let to_nearest = p.clamp(low, high) - p;
    let inside = (p - low).min(high - p).min_element();
    if to_nearest == Vec3::ZERO { (-inside, to_nearest) } else { (to_nearest.length(), to_nearest) }
}

/// A ball around walls, given by distance and vector to their closest points. Particles keep 0.3 spacings away, most of
/// the nearest about 0.4. Returns how deep the skin enters the walls, and the largest and root mean square distance
/// from the skin of those wall points that lie inside the ball, in spacings.
fn skin_at_walls(walls: &dyn Fn(Vec3) -> (f32, Vec3), wall_points: &[Vec3], smoothing: f64) -> [f64; 3] {
    let spacing = SPACING as f32;
    let shift = 0.13 * spacing * Vec3::ONE;
    let positions: Vec<Vec3> = ball().into_iter().map(|p| p + shift).filter(|&p| walls(p).0 > 0.3 * spacing).collect();
    let wall = |p: Vec3| if walls(p).0 < 0.75 * spacing { walls(p).1 } else { Vec3::ZERO };
    let frame = with_lumps_and_walls(soft(positions, SoftField::Polynomial, |_| 0.0), |_| 0.0, |_| false, wall);
    let mesh = extract_surface(&frame, &SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) });
    assert!(Topology::of(&mesh.triangles).is_closed_manifold());
    let deep = mesh.positions.iter().map(|&p| -walls(p).0).fold(f32::NEG_INFINITY, f32::max) / spacing;
    // Only where matter can lie on the wall, not where the lattice leaves gaps.
    let near = |p: &Vec3| frame.positions.iter().any(|&position| position.distance(*p) < 0.6 * spacing);
    let points: Vec<DVec3> = wall_points.iter().filter(|p| near(p)).map(|p| p.as_dvec3()).collect();
    assert!(points.len() > 100, "{}", points.len());
    let Distances { rms, max: most, .. } = TriangleGrid::new(&mesh, SPACING).distances(&points, SPACING);
    [f64::from(deep), most / SPACING, rms / SPACING]
}

/// A name, walls, and points on them.
type WallCase<'a> = (&'a str, &'a dyn Fn(Vec3) -> (f32, Vec3), Vec<Vec3>);

/// Skins in the corner of a room, around the edge of a box and on both sides of a thin plate.
#[test]
fn skins_fit_bent_walls() {
    let far = Vec3::splat(1.0);
    let steps = || (0..60).flat_map(|i| (0..60).map(move |j| (i as f32 / 60.0, j as f32 / 60.0)));
    let spread = |a: Vec3, b: Vec3, c: Vec3| {
        steps().map(|(u, v)| a + u * b + v * c).filter(|p| p.length() < 0.2).collect::<Vec<_>>()
    };
    let (x, y, z) = (Vec3::X * 0.4, Vec3::Y * 0.4, Vec3::Z * 0.4);
    let room = |p: Vec3| if p.x < p.z { (p.x, -p.x * Vec3::X) } else { (p.z, -p.z * Vec3::Z) };
    let edge = |p: Vec3| to_box(p, Vec3::new(0.0, -1.0, -1.0), Vec3::new(1.0, 1.0, 0.0));
    let plate =
        |thick: f32| move |p: Vec3| to_box(p, Vec3::new(0.0, -1.0, -0.5 * thick), Vec3::new(1.0, 1.0, 0.5 * thick));
    let corner = |p: Vec3| to_box(p, Vec3::ZERO, far);
    let thin = 0.1 * SPACING as f32;
    let half = Vec3::Z * 0.5 * thin;
    let low = -0.5 * y;
    let (thin_plate, thick_plate) = (plate(thin), plate(16.0 * thin));
    let cases: [WallCase; 5] = [
        ("room", &room, [spread(low, y, x), spread(low, y, z)].concat()),
        ("edge", &edge, [spread(low, y, x), spread(low, y, -z)].concat()),
        ("corner", &corner, [spread(Vec3::ZERO, y, x), spread(Vec3::ZERO, y, z), spread(Vec3::ZERO, x, z)].concat()),
        ("plate of 0.1", &thin_plate, [spread(low + half, y, x), spread(low - half, y, x)].concat()),
        ("plate of 1.6", &thick_plate, [spread(low + 16.0 * half, y, x), spread(low - 16.0 * half, y, x)].concat()),
    ];
    for (name, walls, points) in cases {
        for smoothing in [0.0, 6.0 * SPACING] {
            let [deep, most, rms] = skin_at_walls(walls, &points, smoothing);
            println!("{name}, smoothing {smoothing:.1}: {deep:.4} deep, {rms:.4} away in the mean, {most:.4} at most");
            // In the corner of a room some particles know only one of the walls.
            let deepest = if name == "room" { 0.11 } else { 0.05 };
            // Smoothing rounds sharp edges.
            let (mean, farthest) = if smoothing > 0.0 { (0.15, 0.55) } else { (0.03, 0.13) };
            assert!(deep < deepest && rms < mean && most < farthest, "{name}");
        }
    }
}

/// An isolated particle has the volume of its skin on any cells smaller than it, at any position between nodes.
#[test]
fn drops_keep_the_volume_of_their_skin() {
    for (field, offset) in FIELDS.into_iter().flat_map(|field| [0.0, 0.1].map(|offset| (field, offset))) {
        let skin = Skin::new(field, 1.25 * SPACING, SPACING);
        let radius = skin.lone_radius().unwrap() + offset * SPACING;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        for (n, cell) in (0..12).flat_map(|n| [0.1, 0.25, 0.5].map(|cell| (n, cell))) {
            let position = Vec3::new(0.618, 0.755, 0.57) * n as f32 * SPACING as f32;
            let options = SurfaceOptions { smoothing: 6.0 * SPACING, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&swollen(vec![position], field, |_| 0.0, offset), &options);
            assert!(Topology::of(&mesh.triangles).is_closed_manifold());
            let ratio = mesh.volume() / volume;
            assert!((ratio - 1.0).abs() < 0.02, "{field:?}, offset {offset}, cells {cell}: {ratio}");
            let far = mesh.positions.iter().map(|p| f64::from(p.distance(position)) / radius).fold(0.0, f64::max);
            println!("{field:?}, offset {offset}, cells {cell}: {ratio:.5}, {far:.3} radii at most");
            assert!(far < 1.9, "{far}");
        }
    }
}

/// A particle approaches a floor: its skin grows towards it without a jump.
#[test]
fn skins_approach_a_floor_without_a_jump() {
    let volume = |height: f64| {
        let frame = soft(vec![Vec3::Z * (height * SPACING) as f32], SoftField::Polynomial, |_| 0.0);
        let mesh = extract_surface(
            &with_lumps_and_walls(frame, |_| 0.0, |_| false, floor(0.0)),
            &SurfaceOptions::new(0.1 * SPACING),
        );
        assert!(Topology::of(&mesh.triangles).is_closed_manifold());
        let lowest = mesh.positions.iter().map(|p| f64::from(p.z)).fold(f64::INFINITY, f64::min);
        (mesh.volume() / SPACING.powi(3), lowest / SPACING)
    };
    let heights = (0..=45).map(|n| 0.8 - 0.01 * f64::from(n));
    let found: Vec<(f64, (f64, f64))> = heights.map(|height| (height, volume(height))).collect();
    for (height, (volume, lowest)) in &found {
        println!("at {height:.2}: {volume:.4}, lowest at {lowest:.4}");
    }
    let jumps = found.windows(2).map(|pair| (pair[0].1.0 - pair[1].1.0).abs());
    let jump = jumps.fold(0.0, f64::max);
    println!("at most {jump:.4} a hundredth of a spacing");
    assert!(jump < 0.06, "{jump}");
}

/// The field that previews draw is 1 on the skins, and lower between pieces that touch: they do not blend.
#[test]
fn fields_match_the_skins() {
    let options = SurfaceOptions::new(0.25 * SPACING);
    let frame = soft(ball(), SoftField::Polynomial, |p| f32::from(u8::from(p.x > 0.0)));
    let grid = surface_field(&frame, &options);
    let value = |node: [i32; 3]| {
        let block = grid.blocks.iter().find(|block| block.origin == node.map(|c| c & !7))?;
        let [x, y, z] = node.map(|c| c as usize & 7);
        Some(block.values[x << 6 | y << 3 | z])
    };
    let mesh = extract_surface(&frame, &options);
    let mut checked = 0;
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals).filter(|(p, _)| p.x.abs() > SPACING as f32) {
        let ends = [-0.5_f32, 0.5].map(|way| {
            let node = ((position.as_dvec3() / options.cell_size) + f64::from(way) * 4.0 * normal.as_dvec3()).round();
            value(node.as_ivec3().to_array()).unwrap_or(0.0)
        });
        assert!(ends[0] > 1.0 && ends[1] < 1.0, "{position} {normal}: {ends:?}");
        checked += 1;
    }
    assert!(checked > 1000);
    assert!(grid.blocks.is_sorted_by(|a, b| a.origin < b.origin));
    let between = grid.blocks.iter().flat_map(|block| block.values.iter()).filter(|&&value| value > 1.5).count();
    let one = surface_field(&soft(ball(), SoftField::Polynomial, |_| 0.0), &options);
    assert!(between < one.blocks.iter().flat_map(|block| block.values.iter()).filter(|&&value| value > 1.5).count());
}

#[test]
#[ignore = "a timing: cargo test -p dollop-surface --test skin five_thousand -- --ignored --nocapture"]
fn five_thousand_skins_timing() {
    let lattice = close_packed_lattice(SPACING, 0.7, |p| p.length() < 10.6 * SPACING);
    // Three layers on a floor; each particle of the lowest has a mirror image.
    let flat =
        close_packed_lattice(SPACING, 1.5, |p| p.truncate().length() < 1.13 && (0.0..2.5 * SPACING).contains(&p.z));
    let ground = f64::from(flat.iter().map(|p| p.z).fold(f32::INFINITY, f32::min)) - 0.4 * SPACING;
    let octant = |p: Vec3| p.cmpgt(Vec3::ZERO).bitmask() as f32;
    let on_floor =
        with_lumps_and_walls(swollen(flat, SoftField::Polynomial, |_| 0.0, 0.02), |_| 0.0, |_| false, floor(ground));
    for (name, frame) in [
        ("one piece", swollen(lattice.clone(), SoftField::Polynomial, |_| 0.0, 0.02)),
        ("eight pieces", swollen(lattice.clone(), SoftField::Polynomial, octant, 0.02)),
        ("eight pieces of Blinn's field", swollen(lattice, SoftField::Blinn, octant, 0.02)),
        ("on a floor", on_floor),
    ] {
        let options = SurfaceOptions { smoothing: 6.0 * SPACING, ..SurfaceOptions::new(0.5 * SPACING) };
        let timed = |_| {
            let clock = Instant::now();
            let mesh = extract_surface(&frame, &options);
            (clock.elapsed().as_secs_f64(), bits(&mesh))
        };
        let mut all: Vec<(f64, u64)> = (0..7).map(timed).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        println!("{name}: {} particles in {:.3} s (median of 7), bits {:x}", frame.len(), all[3].0, all[3].1);
        assert!(all.iter().all(|(_, bits)| *bits == all[0].1));
    }
}

/// A hash of a mesh.
fn bits(mesh: &SurfaceMesh) -> u64 {
    let numbers = mesh.positions.iter().chain(&mesh.normals).chain(&mesh.velocities).flat_map(Vec3::to_array);
    let all = numbers.map(f32::to_bits).chain(mesh.triangles.iter().flatten().copied());
    all.fold(0, |sum, number| sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(number))
}
