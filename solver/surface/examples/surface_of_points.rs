//! Extracts the surface of points from a file in the way of splashsurf, to compare the two on the same points.
//!
//!     surface_of_points POINTS.xyz [--spacing 1] [--support 2] [--cells 0.5] [--smoothing 0] [--adaptivity 0]
//!                       [--field anisotropic|density|blinn|polynomial] [--quality yes] [--out OUT.ply]
//!
//! Points are triples of 32-bit floats, little-endian, as splashsurf reads them, at rest at the given spacing. Other
//! lengths are in spacings. Prints the time to extract the surface without reading and writing, the number of
//! triangles, the enclosed volume over that of the matter, and on request the quality of the triangles.

#![allow(clippy::print_stdout)]

use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, SmoothingKernel};
use dollop_surface::{Distances, FieldKind, SurfaceMesh, SurfaceOptions, TriangleGrid, extract_surface};
use glam::Vec3;
use std::collections::HashMap;
use std::error::Error;
use std::time::Instant;

/// The value of each option.
struct Arguments(HashMap<String, String>);

impl Arguments {
    /// The points, and the options.
    fn read() -> Result<(String, Self), Box<dyn Error>> {
        let mut words = std::env::args().skip(1);
        let points = words.next().ok_or("which POINTS?")?;
        let mut options = HashMap::new();
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} wants a value"))?;
            options.insert(name, value);
        }
        Ok((points, Self(options)))
    }

    fn number(&self, name: &str, default: f64) -> Result<f64, Box<dyn Error>> {
        Ok(self.0.get(name).map_or(Ok(default), |value| value.parse())?)
    }

    fn is(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| value == "yes")
    }

    fn field(&self) -> Result<FieldKind, Box<dyn Error>> {
        match self.0.get("--field").map_or("anisotropic", String::as_str) {
            "anisotropic" => Ok(FieldKind::Anisotropic),
            "density" => Ok(FieldKind::Density),
            "blinn" => Ok(FieldKind::Blinn),
            "polynomial" => Ok(FieldKind::Polynomial),
            other => Err(format!("there is no field {other}").into()),
        }
    }

    fn options(&self, spacing: f64) -> Result<SurfaceOptions, Box<dyn Error>> {
        Ok(SurfaceOptions {
            field: self.field()?,
            smoothing: self.number("--smoothing", 0.0)? * spacing,
            deviation: self.number("--adaptivity", 0.0)? * spacing,
            ..SurfaceOptions::new(self.number("--cells", 0.5)? * spacing)
        })
    }
}

fn read(path: &str) -> std::io::Result<Vec<Vec3>> {
    let bytes = std::fs::read(path)?;
    let point = |triple: &[u8; 12]| {
        let numbers = triple.as_chunks().0;
        Vec3::from_array([0, 1, 2].map(|axis| f32::from_le_bytes(numbers[axis])))
    };
    Ok(bytes.as_chunks().0.iter().map(point).collect())
}

fn frame(points: Vec<Vec3>, spacing: f64, support: f64) -> Frame {
    Frame::of_points(points, spacing, SmoothingKernel::new(Kernel::Spiky, 0.5 * support))
}

fn ply(mesh: &SurfaceMesh) -> Vec<u8> {
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
    bytes
}

fn print_quality(mesh: &SurfaceMesh) {
    let quality = mesh.quality();
    let below = [10.0, 20.0, 30.0].map(|degrees| 100.0 * quality.part_below(degrees));
    println!(
        "least angle {:.1} degrees, median {:.1}; below 10, 20, 30 degrees: {below:.3?} %",
        quality.least(),
        quality.angle_of_part(0.5)
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let (points, arguments) = Arguments::read()?;
    let spacing = arguments.number("--spacing", 1.0)?;
    let frame = frame(read(&points)?, spacing, arguments.number("--support", 2.0)? * spacing);
    let options = arguments.options(spacing)?;
    let clock = Instant::now();
    let mesh = extract_surface(&frame, &options);
    let seconds = clock.elapsed().as_secs_f64();
    println!(
        "{} particles, {} triangles in {seconds:.3} s; volume {:.5}",
        frame.len(),
        mesh.triangles.len(),
        mesh.volume() / (frame.len() as f64 * spacing.powi(3))
    );
    if arguments.is("--quality") {
        print_quality(&mesh);
    }
    if options.deviation > 0.0 {
        let whole = extract_surface(&frame, &SurfaceOptions { deviation: 0.0, ..options });
        let distances = [(&whole, &mesh), (&mesh, &whole)]
            .map(|(from, to)| TriangleGrid::new(to, 0.5 * spacing).distances(&from.samples(), 2.0 * spacing));
        let [rms, most] = [|d: &Distances| d.rms, |d: &Distances| d.max].map(|of| distances.map(|d| of(&d) / spacing));
        let part = mesh.triangles.len() as f64 / whole.triangles.len().max(1) as f64;
        println!(
            "{part:.3} of the triangles; distances: root of the mean square {rms:.4?}, at most {most:.4?} spacings"
        );
    }
    if let Some(path) = arguments.0.get("--out") {
        std::fs::write(path, ply(&mesh))?;
    }
    Ok(())
}
