//! The surface of points from a file, as splashsurf makes one: to compare the two on the same points.
//!
//!     surface_of_points POINTS.xyz SPACING CELL [density|blinn|polynomial|anisotropic] [OUT.ply]
//!
//! Points are triples of 32-bit floats, little-endian, as splashsurf reads them; lengths are in their unit. Prints the
//! time, the triangles and how good they are, and the enclosed volume over that of the matter.

#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::many_single_char_names)]

use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, FrameStats, SmoothingKernel};
use dollop_surface::{FieldKind, SurfaceMesh, SurfaceOptions, extract_surface};
use glam::Vec3;
use std::io::Write;
use std::time::Instant;

fn frame(points: Vec<Vec3>, spacing: f64) -> Frame {
    let count = points.len();
    Frame {
        number: 1,
        time: 0.0,
        interval: 1.0 / 24.0,
        spacing,
        kernel: SmoothingKernel::new(Kernel::Spiky, 1.25 * spacing),
        positions: points,
        velocities: vec![Vec3::ZERO; count],
        rest_volumes: vec![spacing.powi(3) as f32; count],
        sources: vec![0; count],
        source_names: vec!["points".into()],
        fields: vec![],
        stats: FrameStats::default(),
    }
}

fn write_ply(mesh: &SurfaceMesh, path: &str) {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n\
         property float nx\nproperty float ny\nproperty float nz\nelement face {}\nproperty list uchar int vertex_indices\n\
         end_header\n",
        mesh.positions.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    for (position, normal) in mesh.positions.iter().zip(&mesh.normals) {
        bytes.extend(position.to_array().into_iter().chain(normal.to_array()).flat_map(f32::to_le_bytes));
    }
    for triangle in &mesh.triangles {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
    }
    std::fs::File::create(path).unwrap().write_all(&bytes).unwrap();
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [points, spacing, cell, rest @ ..] = &arguments[..] else {
        panic!("POINTS.xyz SPACING CELL [FIELD [OUT.ply]]")
    };
    let (spacing, cell): (f64, f64) = (spacing.parse().unwrap(), cell.parse().unwrap());
    let bytes = std::fs::read(points).unwrap();
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect();
    let frame = frame(numbers.as_chunks().0.iter().map(|&three| Vec3::from_array(three)).collect(), spacing);
    let field = match rest.first().map_or("anisotropic", String::as_str) {
        "density" => FieldKind::Density,
        "blinn" => FieldKind::Blinn,
        "polynomial" => FieldKind::Polynomial,
        _ => FieldKind::Anisotropic,
    };
    let clock = Instant::now();
    let mesh = extract_surface(
        &frame,
        &SurfaceOptions {
            field,
            deviation: std::env::var("DEV").map_or(0.0, |x| x.parse().unwrap()),
            smoothing: std::env::var("SMOOTH").map_or(0.0, |x| x.parse().unwrap()),
            ..SurfaceOptions::new(cell)
        },
    );
    let seconds = clock.elapsed().as_secs_f64();
    let quality = mesh.quality();
    let below = [10.0, 20.0, 30.0].map(|degrees| 100.0 * quality.part_below(degrees));
    println!(
        "{} particles, {} triangles in {seconds:.2} s; least angle {:.1} degrees, median {:.1}; below 10, 20, 30: {below:.4?} %; volume {:.6}",
        frame.len(),
        quality.len(),
        quality.least(),
        quality.angle_of_part(0.5),
        mesh.volume() / (frame.len() as f64 * spacing.powi(3))
    );
    if let Some(path) = rest.get(1) {
        write_ply(&mesh, path);
    }
    if std::env::var_os("TOPOLOGY").is_some() {
        println!("{:?}", mesh.topology());
    }
}
