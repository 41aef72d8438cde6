//! The skins of soft matter: closed, of the volume of their matter, and touching.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

mod common;

use common::{close_packed_lattice, frame_with};
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::{Skin, SoftField};
use dollop_sim::kernel::Kernel;
use dollop_sim::{FieldData, Frame, SmoothingKernel};
use dollop_surface::{Distances, SurfaceMesh, SurfaceOptions, Topology, Triangles, extract_surface, surface_field};
use glam::{DVec3, Vec3};
use std::time::Instant;

const SPACING: f64 = 0.05;
const FIELDS: [SoftField; 3] = [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube];

/// Soft matter of pieces that are told by place.
fn soft(positions: Vec<Vec3>, field: SoftField, piece: impl Fn(Vec3) -> f32) -> Frame {
    swollen(positions, field, piece, 0.0)
}

/// The same with an offset of all, in spacings.
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

/// The first vertex of what each hangs together with.
fn hanging_together(mesh: &SurfaceMesh) -> Vec<u32> {
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

/// Some triangles of a mesh as one of their own.
fn part(mesh: &SurfaceMesh, wanted: impl Fn([u32; 3]) -> bool) -> SurfaceMesh {
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

/// DG95 section 5: two halves of a ball that are pressed together are two pieces, and share the surface between them: as much as both are is what the ball is,
/// each is closed, and they are not apart by more than a mesh of these cells can tell, smoothed or not.
#[test]
fn pieces_share_where_they_touch() {
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) };
        let whole = extract_surface(&swollen(ball(), field, |_| 0.0, 0.12), &options);
        let frame = swollen(ball(), field, |p| f32::from(u8::from(p.x > 0.0)), 0.12);
        let mesh = extract_surface(&frame, &options);
        let topology = Topology::of(&mesh.triangles);
        assert!(topology.is_closed_manifold() && topology.components == 2, "{field:?}: {topology:?}");
        let first = hanging_together(&mesh);
        let [low, high] = [true, false].map(|low| part(&mesh, |t| (first[t[0] as usize] == first[0]) == low));
        let volumes = [low.volume(), high.volume(), whole.volume()];
        println!("{field:?}: {volumes:?}");
        // Skins end sooner where the fields of the other half are not counted.
        assert!(
            (volumes[0] + volumes[1]) / volumes[2] > 0.97 && volumes[0] + volumes[1] < 1.005 * volumes[2],
            "{volumes:?}"
        );
        let inner = |mesh: &SurfaceMesh| {
            let inside = |p: &DVec3| p.x.abs() < 0.5 * SPACING && p.length() < 0.2;
            mesh.samples()[mesh.positions.len()..].iter().copied().filter(inside).collect::<Vec<_>>()
        };
        let other = Triangles::new(&high, SPACING);
        let Distances { rms, beyond_one_percent, most, .. } = other.distances(&inner(&low), SPACING);
        let [rms, beyond, most] = [rms, beyond_one_percent, most].map(|distance| distance / SPACING);
        println!("{field:?}, smoothing {smoothing}: {rms:.4}, {beyond:.4}, at most {most:.4} spacings apart");
        assert!(inner(&low).len() > 500 && rms < 0.012 && beyond < 0.06, "{field:?}: {rms} {beyond}");
        assert!(field != SoftField::Polynomial || most < 0.01, "{most}");
    }
}

/// How often a closed mesh goes around a point: about 1 inside and 0 outside.
fn turns(mesh: &SurfaceMesh, point: DVec3) -> f64 {
    let angle = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize].as_dvec3() - point);
        let (x, y, z) = (a.length(), b.length(), c.length());
        let rest = x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y;
        2.0 * a.dot(b.cross(c)).atan2(rest)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// How deep vertices of one mesh lie in another, spacings.
fn deepest(one: &SurfaceMesh, other: &SurfaceMesh) -> f64 {
    let triangles = Triangles::new(other, SPACING);
    let deep = |vertex: u32| {
        let point = one.positions[vertex as usize].as_dvec3();
        let nearest = triangles.nearest(point, SPACING)?;
        (turns(other, point) > 0.5).then(|| nearest.distance(point) / SPACING)
    };
    let mut vertices = one.triangles.as_flattened().to_vec();
    vertices.sort_unstable();
    vertices.dedup();
    vertices.into_iter().filter_map(deep).fold(0.0, f64::max)
}

/// Two cubes with an edge or a corner pressed into the other do not overlap, smoothed or not, but for what triangles cut off; and keep their volume.
#[test]
fn cubes_part_at_their_corners() {
    let half = 2.0 * SPACING as f32;
    let cube = || close_packed_lattice(SPACING, 0.3, |p| p.abs().max_element() < f64::from(half));
    for (along, cell) in [Vec3::ONE, Vec3::new(1.0, 1.0, 0.3), Vec3::new(1.0, 0.4, 0.3)]
        .into_iter()
        .flat_map(|along| [0.25, 0.5].map(|cell| (along, cell)))
    {
        let way = 1.6 * half * along;
        let mut places = cube();
        let count = places.len();
        places.extend(cube().into_iter().map(|p| p + way));
        let mut frame = soft(places, SoftField::Polynomial, |_| 0.0);
        let pieces = (0..frame.len()).map(|particle| f32::from(u8::from(particle >= count))).collect();
        frame.fields[0].data = FieldData::Scalar(pieces);
        let volumes = [0.0, 6.0].map(|smoothing| {
            let options = SurfaceOptions { smoothing: smoothing * SPACING, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&frame, &options);
            let topology = Topology::of(&mesh.triangles);
            assert!(topology.is_closed_manifold() && topology.components == 2, "{topology:?}");
            let first = hanging_together(&mesh);
            let [low, high] = [true, false].map(|low| part(&mesh, |t| (first[t[0] as usize] == first[0]) == low));
            let deepest = deepest(&low, &high).max(deepest(&high, &low));
            println!("{along}, cells {cell}, smoothing {smoothing}: {deepest:.4} spacings deep");
            assert!(deepest < if cell < 0.5 { 0.02 } else { 0.05 }, "{deepest}");
            mesh.volume()
        });
        assert!((volumes[1] / volumes[0] - 1.0).abs() < 2e-3, "{volumes:?}");
    }
}

/// Two particles blend where they are of one piece and not where they are of two (DG95 fig. 5).
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

/// Tells which lumps there are by place, who is fused, and the ways to the walls.
fn told(
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

/// The way to a floor for those near it: as far as images count.
fn floor(height: f64) -> impl Fn(Vec3) -> Vec3 {
    let near = (0.6 * 1.25 * SPACING) as f32;
    move |p| if p.z - (height as f32) < near { Vec3::Z * (height as f32 - p.z) } else { Vec3::ZERO }
}

/// DG95 section 5.2: halves that have fused along the cut are one, without a wall inside, and of the volume of the ball; with nothing fused they are two, as they
/// are where they are of two lumps.
#[test]
fn lumps_are_one_where_they_have_fused() {
    let half = |p: Vec3| f32::from(u8::from(p.x > 0.0));
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) };
        let halves = || swollen(ball(), field, half, 0.0);
        let whole = extract_surface(&swollen(ball(), field, |_| 0.0, 0.0), &options);
        let near_the_cut = |p: Vec3| p.x.abs() < 1.3 * SPACING as f32;
        let fused = extract_surface(&told(halves(), |_| 0.0, near_the_cut, |_| Vec3::ZERO), &options);
        let topology = Topology::of(&fused.triangles);
        let inner = fused.positions.iter().filter(|p| p.length() < 0.2).count();
        let ratio = fused.volume() / whole.volume();
        println!("{field:?}, smoothing {smoothing}: {topology:?}, {ratio:.5} of the ball, {inner} vertices inside");
        assert!(topology.is_closed_manifold() && topology.components == 1 && inner == 0, "{topology:?}");
        assert!((ratio - 1.0).abs() < 0.002, "{ratio}");
        let apart = extract_surface(&told(halves(), half, |_| false, |_| Vec3::ZERO), &options);
        assert_eq!(apart, extract_surface(&halves(), &options));
        assert!(Topology::of(&apart.triangles).is_closed_manifold() && Topology::of(&apart.triangles).components == 2);
    }
}

/// A lump whose pieces have fused all over has the skin of one piece, but for rounding.
#[test]
fn what_has_fused_all_over_is_one_piece() {
    let options = SurfaceOptions::new(0.4 * SPACING);
    let half = |p: Vec3| f32::from(u8::from(p.x > 0.0));
    let field = SoftField::Polynomial;
    let one = extract_surface(&soft(ball(), field, |_| 0.0), &options);
    let fused = extract_surface(&told(soft(ball(), field, half), |_| 0.0, |_| true, |_| Vec3::ZERO), &options);
    assert_eq!(one.triangles, fused.triangles);
    let most = one.positions.iter().zip(&fused.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(f64::from(most) < 1e-4 * SPACING, "{most}");
}

/// What a mesh on a floor is like, in spacings.
#[derive(Debug)]
struct OnFloor {
    /// The lowest point under the floor.
    under: f64,
    /// The highest of the lowest points over what is covered, and how many of these there were.
    gap: f64,
    columns: usize,
}

/// Looks at a mesh from below, at those places of a raster that lie within 0.4 spacings of a particle on the floor that has others all around, or
/// within 0.3 of one that is alone.
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

/// Where a line upwards first meets a mesh.
fn lowest_at(mesh: &SurfaceMesh, x: f32, y: f32) -> f64 {
    let meets = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        let side = |a: Vec3, b: Vec3| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
        let (u, v, w) = (side(b, c), side(c, a), side(a, b));
        let sum = u + v + w;
        let inside = sum != 0.0 && [u, v, w].iter().all(|part| part * sum >= 0.0);
        inside.then(|| f64::from((u * a.z + v * b.z + w * c.z) / sum))
    };
    mesh.triangles.iter().filter_map(meets).fold(f64::INFINITY, f64::min)
}

/// Half a ball, one that is pressed flat, swollen and shrunk, and a particle by itself lie on a floor without a gap and not in it, smoothed or not.
#[test]
fn skins_lie_on_a_floor() {
    let cases =
        [("half", 0.41, 0.0), ("half", 0.3, 0.0), ("half", 0.45, 0.1), ("half", 0.41, -0.03), ("lone", 0.4, 0.0)];
    for (field, smoothing) in FIELDS.into_iter().flat_map(|field| [(field, 0.0), (field, 6.0 * SPACING)]) {
        for ((name, lowest, offset), cell) in cases.into_iter().flat_map(|case| [(case, 0.25), (case, 0.5)]) {
            let half: Vec<Vec3> = ball().into_iter().filter(|p| p.z > 0.0).collect();
            let places = if name == "lone" { vec![Vec3::new(0.01, 0.02, 0.3)] } else { half };
            let height = f64::from(places.iter().map(|p| p.z).fold(f32::INFINITY, f32::min)) - lowest * SPACING;
            let frame = told(swollen(places, field, |_| 0.0, offset), |_| 0.0, |_| false, floor(height));
            let options = SurfaceOptions { smoothing, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&frame, &options);
            let topology = Topology::of(&mesh.triangles);
            let found = on_floor(&mesh, &frame, height);
            println!(
                "{field:?}, {name} at {lowest}, offset {offset}, smoothing {smoothing:.1}, cells {cell}: {found:.4?}"
            );
            assert!(topology.is_closed_manifold(), "{topology:?}");
            // A shrunk lattice of inverse cubes has holes.
            assert!(topology.components == 1 || offset < 0.0, "{topology:?}");
            assert!(found.columns > 20 && found.under < 0.01, "{found:?}");
            // A particle by itself is no larger on the floor than a cell of half a spacing.
            let exact = cell < 0.5 || (name == "half" && offset >= 0.0 && field != SoftField::InverseCube);
            // Smoothing lifts the rim a little.
            let gap = if smoothing > 0.0 { 0.05 } else { 0.02 };
            assert!(!exact || found.gap < gap || offset < 0.0, "{found:?}");
        }
    }
}

/// A box from a corner on, or a plate, by the distance from it and the way to its nearest point.
fn to_box(p: Vec3, low: Vec3, high: Vec3) -> (f32, Vec3) {
    let way = p.clamp(low, high) - p;
    let inside = (p - low).min(high - p).min_element();
    if way == Vec3::ZERO { (-inside, way) } else { (way.length(), way) }
}

/// A ball around some walls, which are told by the distance from them and the way to their nearest points: particles keep 0.3 spacings away, most of the nearest about 0.4. Tells how deep the
/// skin goes into them, and how far those of some points on them that are inside of the ball are from the skin at most and in the mean, in spacings.
fn beside_walls(walls: &dyn Fn(Vec3) -> (f32, Vec3), on_walls: &[Vec3], smoothing: f64) -> [f64; 3] {
    let spacing = SPACING as f32;
    let shift = 0.13 * spacing * Vec3::ONE;
    let places: Vec<Vec3> = ball().into_iter().map(|p| p + shift).filter(|&p| walls(p).0 > 0.3 * spacing).collect();
    let wall = |p: Vec3| if walls(p).0 < 0.75 * spacing { walls(p).1 } else { Vec3::ZERO };
    let frame = told(soft(places, SoftField::Polynomial, |_| 0.0), |_| 0.0, |_| false, wall);
    let mesh = extract_surface(&frame, &SurfaceOptions { smoothing, ..SurfaceOptions::new(0.25 * SPACING) });
    assert!(Topology::of(&mesh.triangles).is_closed_manifold());
    let deep = mesh.positions.iter().map(|&p| -walls(p).0).fold(f32::NEG_INFINITY, f32::max) / spacing;
    // Where matter can lie on the wall: not on what the lattice leaves free.
    let near = |p: &Vec3| frame.positions.iter().any(|&place| place.distance(*p) < 0.6 * spacing);
    let points: Vec<DVec3> = on_walls.iter().filter(|p| near(p)).map(|p| p.as_dvec3()).collect();
    assert!(points.len() > 100, "{}", points.len());
    let Distances { rms, most, .. } = Triangles::new(&mesh, SPACING).distances(&points, SPACING);
    [f64::from(deep), most / SPACING, rms / SPACING]
}

/// A name, walls, and points on them.
type Walls<'a> = (&'a str, &'a dyn Fn(Vec3) -> (f32, Vec3), Vec<Vec3>);

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
    let cases: [Walls; 5] = [
        ("room", &room, [spread(low, y, x), spread(low, y, z)].concat()),
        ("edge", &edge, [spread(low, y, x), spread(low, y, -z)].concat()),
        ("corner", &corner, [spread(Vec3::ZERO, y, x), spread(Vec3::ZERO, y, z), spread(Vec3::ZERO, x, z)].concat()),
        ("plate of 0.1", &thin_plate, [spread(low + half, y, x), spread(low - half, y, x)].concat()),
        ("plate of 1.6", &thick_plate, [spread(low + 16.0 * half, y, x), spread(low - 16.0 * half, y, x)].concat()),
    ];
    for (name, walls, points) in cases {
        for smoothing in [0.0, 6.0 * SPACING] {
            let [deep, most, rms] = beside_walls(walls, &points, smoothing);
            println!("{name}, smoothing {smoothing:.1}: {deep:.4} deep, {rms:.4} away in the mean, {most:.4} at most");
            // In the corner of a room some feel only one of the walls.
            let deepest = if name == "room" { 0.11 } else { 0.05 };
            // Smoothing rounds what is sharp.
            let (mean, farthest) = if smoothing > 0.0 { (0.15, 0.55) } else { (0.03, 0.13) };
            assert!(deep < deepest && rms < mean && most < farthest, "{name}");
        }
    }
}

/// A particle by itself has the volume of its skin on any cells that it is larger than, wherever it lies between these.
#[test]
fn drops_have_the_volume_of_their_skin() {
    for (field, offset) in FIELDS.into_iter().flat_map(|field| [0.0, 0.1].map(|offset| (field, offset))) {
        let skin = Skin::new(field, 1.25 * SPACING, SPACING);
        let radius = skin.lone_radius().unwrap() + offset * SPACING;
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        for (n, cell) in (0..12).flat_map(|n| [0.1, 0.25, 0.5].map(|cell| (n, cell))) {
            let place = Vec3::new(0.618, 0.755, 0.57) * n as f32 * SPACING as f32;
            let options = SurfaceOptions { smoothing: 6.0 * SPACING, ..SurfaceOptions::new(cell * SPACING) };
            let mesh = extract_surface(&swollen(vec![place], field, |_| 0.0, offset), &options);
            assert!(Topology::of(&mesh.triangles).is_closed_manifold());
            let ratio = mesh.volume() / volume;
            assert!((ratio - 1.0).abs() < 0.02, "{field:?}, offset {offset}, cells {cell}: {ratio}");
            let far = mesh.positions.iter().map(|p| f64::from(p.distance(place)) / radius).fold(0.0, f64::max);
            println!("{field:?}, offset {offset}, cells {cell}: {ratio:.5}, {far:.3} radii at most");
            assert!(far < 1.9, "{far}");
        }
    }
}

/// A particle that comes down to a floor: its skin grows towards it without a leap.
#[test]
fn skins_come_to_a_floor_gradually() {
    let volume = |height: f64| {
        let frame = soft(vec![Vec3::Z * (height * SPACING) as f32], SoftField::Polynomial, |_| 0.0);
        let mesh = extract_surface(&told(frame, |_| 0.0, |_| false, floor(0.0)), &SurfaceOptions::new(0.1 * SPACING));
        assert!(Topology::of(&mesh.triangles).is_closed_manifold());
        let lowest = mesh.positions.iter().map(|p| f64::from(p.z)).fold(f64::INFINITY, f64::min);
        (mesh.volume() / SPACING.powi(3), lowest / SPACING)
    };
    let heights = (0..=45).map(|n| 0.8 - 0.01 * f64::from(n));
    let found: Vec<(f64, (f64, f64))> = heights.map(|height| (height, volume(height))).collect();
    for (height, (volume, lowest)) in &found {
        println!("at {height:.2}: {volume:.4}, lowest at {lowest:.4}");
    }
    let leaps = found.windows(2).map(|pair| (pair[0].1.0 - pair[1].1.0).abs());
    let leap = leaps.fold(0.0, f64::max);
    println!("at most {leap:.4} a hundredth of a spacing");
    assert!(leap < 0.06, "{leap}");
}

/// The field that previews draw is 1 where the skins are, and lower between pieces that touch: they do not blend.
#[test]
fn fields_are_those_of_the_skins() {
    let options = SurfaceOptions::new(0.25 * SPACING);
    let frame = soft(ball(), SoftField::Polynomial, |p| f32::from(u8::from(p.x > 0.0)));
    let grid = surface_field(&frame, &options);
    let value = |node: [i32; 3]| {
        let block = grid.blocks.iter().find(|block| block.origin == node.map(|c| c & !7))?;
        let [x, y, z] = node.map(|c| c as usize & 7);
        Some(block.values[x << 6 | y << 3 | z])
    };
    let mesh = extract_surface(&frame, &options);
    let mut looked_at = 0;
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals).filter(|(p, _)| p.x.abs() > SPACING as f32) {
        let ends = [-0.5_f32, 0.5].map(|way| {
            let node = ((position.as_dvec3() / options.cell_size) + f64::from(way) * 4.0 * normal.as_dvec3()).round();
            value(node.as_ivec3().to_array()).unwrap_or(0.0)
        });
        assert!(ends[0] > 1.0 && ends[1] < 1.0, "{position} {normal}: {ends:?}");
        looked_at += 1;
    }
    assert!(looked_at > 1000);
    assert!(grid.blocks.is_sorted_by(|a, b| a.origin < b.origin));
    let between = grid.blocks.iter().flat_map(|block| block.values.iter()).filter(|&&value| value > 1.5).count();
    let one = surface_field(&soft(ball(), SoftField::Polynomial, |_| 0.0), &options);
    assert!(between < one.blocks.iter().flat_map(|block| block.values.iter()).filter(|&&value| value > 1.5).count());
}

#[test]
#[ignore = "a timing: cargo test -p dollop-surface --test coat five_thousand -- --ignored --nocapture"]
fn five_thousand_particles_have_skins_fast() {
    let lattice = close_packed_lattice(SPACING, 0.7, |p| p.length() < 10.6 * SPACING);
    // Three layers on a floor, of which it shows one to each particle of the lowest.
    let flat =
        close_packed_lattice(SPACING, 1.5, |p| p.truncate().length() < 1.13 && (0.0..2.5 * SPACING).contains(&p.z));
    let ground = f64::from(flat.iter().map(|p| p.z).fold(f32::INFINITY, f32::min)) - 0.4 * SPACING;
    let octant = |p: Vec3| p.cmpgt(Vec3::ZERO).bitmask() as f32;
    let on_floor = told(swollen(flat, SoftField::Polynomial, |_| 0.0, 0.02), |_| 0.0, |_| false, floor(ground));
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

/// A number by which to tell meshes apart.
fn bits(mesh: &SurfaceMesh) -> u64 {
    let numbers = mesh.positions.iter().chain(&mesh.normals).chain(&mesh.velocities).flat_map(Vec3::to_array);
    let all = numbers.map(f32::to_bits).chain(mesh.triangles.iter().flatten().copied());
    all.fold(0, |sum, number| sum.wrapping_mul(0x100_0000_01b3) ^ u64::from(number))
}
