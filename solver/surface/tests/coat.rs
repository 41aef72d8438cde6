//! The skins of soft matter: closed, of the volume of their matter, and touching.

#![allow(clippy::unwrap_used, clippy::print_stdout, dead_code)]

mod common;

use common::{close_packed_lattice, frame_with};
use dollop_sim::field::{OFFSET, PIECE};
use dollop_sim::frame::{Skin, Soft, SoftField};
use dollop_sim::kernel::Kernel;
use dollop_sim::{FieldData, Frame, SmoothingKernel};
use dollop_surface::{Distances, SurfaceMesh, SurfaceOptions, Topology, Triangles, extract_surface};
use glam::{DVec3, Vec3};

const SPACING: f64 = 0.05;
const FIELDS: [SoftField; 3] = [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube];

/// Soft matter of pieces that are told by place.
fn soft(positions: Vec<Vec3>, field: SoftField, piece: impl Fn(Vec3) -> f32) -> Frame {
    swollen(positions, field, piece, 0.0)
}

/// The same with an offset of all, in spacings.
fn swollen(positions: Vec<Vec3>, field: SoftField, piece: impl Fn(Vec3) -> f32, offset: f64) -> Frame {
    let mut frame = frame_with(positions, SPACING, SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING));
    frame.skins = vec![Some(Skin::new(&Soft { field, ..Soft::default() }, SPACING))];
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
