//! How much the surfaces of a bake flicker, frame by frame.
//!
//!     flicker CACHE [--cells 0.5] [--smoothing 6] [--adaptivity 0] [--meshes FOLDER] [--from FRAME] [--to FRAME]
//!
//! Makes the surfaces of the particles in a cache. For each frame prints, in spacings, the distance of its surface from
//! the next frame's beyond the motion that the velocities explain, and how the surface jumps to and fro against both
//! neighbouring frames: the root mean square, and the 99th percentile over the vertices. Lengths of options are in
//! spacings, too. With `--meshes` surfaces are read from FOLDER/0001.obj and so on, which another program has made of
//! the same particles; normals then come from the triangles, velocities from the particles around.

#![allow(clippy::print_stdout)]

use dollop_cache::{FrameRecord, Index, read_index, read_particles};
use dollop_sim::Frame;
use dollop_surface::mesh::flicker::{beyond_velocity, jitter};
use dollop_surface::{Distances, SurfaceMesh, SurfaceOptions, extract_surface};
use glam::{IVec3, Vec3};
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Surfaces further apart than so many spacings do not belong to the same matter.
const WITHIN: f64 = 2.0;

struct Arguments {
    cache: PathBuf,
    numbers: HashMap<String, f64>,
    meshes: Option<PathBuf>,
}

impl Arguments {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut words = std::env::args().skip(1);
        let cache = words.next().ok_or("which CACHE?")?.into();
        let mut arguments = Self { cache, numbers: HashMap::new(), meshes: None };
        while let Some(name) = words.next() {
            let value = words.next().ok_or_else(|| format!("{name} wants a value"))?;
            match name.as_str() {
                "--meshes" => arguments.meshes = Some(value.into()),
                "--cells" | "--smoothing" | "--adaptivity" | "--from" | "--to" => {
                    arguments.numbers.insert(name, value.parse()?);
                }
                _ => return Err(format!("there is no option {name}").into()),
            }
        }
        Ok(arguments)
    }

    fn number(&self, name: &str, default: f64) -> f64 {
        self.numbers.get(name).copied().unwrap_or(default)
    }

    fn surface(&self, index: &Index, record: &FrameRecord) -> Result<SurfaceMesh, Box<dyn Error>> {
        let frame = read_particles(&self.cache, index, record)?;
        if let Some(folder) = &self.meshes {
            return foreign(&folder.join(format!("{:04}.obj", record.frame)), &frame);
        }
        let options = SurfaceOptions {
            smoothing: self.number("--smoothing", 6.0) * frame.spacing,
            deviation: self.number("--adaptivity", 0.0) * frame.spacing,
            ..SurfaceOptions::new(self.number("--cells", 0.5) * frame.spacing)
        };
        Ok(extract_surface(&frame, &options))
    }
}

/// A mesh by another program: positions and triangles of an OBJ file.
fn foreign(path: &Path, frame: &Frame) -> Result<SurfaceMesh, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut mesh = SurfaceMesh::default();
    for line in text.lines() {
        let (kind, rest) = line.split_once(' ').unwrap_or_default();
        let mut words = rest.split_whitespace();
        let mut three = || [words.next(), words.next(), words.next()].map(Option::unwrap_or_default);
        match kind {
            "v" => {
                let [x, y, z] = three().map(str::parse);
                mesh.positions.push(Vec3::new(x?, y?, z?));
            }
            "f" => {
                let [a, b, c] = three().map(|word| word.split('/').next().unwrap_or_default().parse::<u32>());
                mesh.triangles.push([a? - 1, b? - 1, c? - 1]);
            }
            _ => (),
        }
    }
    mesh.velocities = velocities(&mesh.positions, frame);
    mesh.normals = vec![Vec3::ZERO; mesh.positions.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|vertex| mesh.positions[vertex as usize]);
        for &vertex in triangle {
            mesh.normals[vertex as usize] += (b - a).cross(c - a);
        }
    }
    mesh.normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    Ok(mesh)
}

/// Means over the particles around points, weighted by the kernel.
fn velocities(points: &[Vec3], frame: &Frame) -> Vec<Vec3> {
    let support = frame.kernel.support();
    let cube = |point: Vec3| (point / support as f32).floor().as_ivec3();
    let mut cubes: HashMap<IVec3, Vec<usize>> = HashMap::new();
    for (particle, &position) in frame.positions.iter().enumerate() {
        cubes.entry(cube(position)).or_default().push(particle);
    }
    let mean = |point: &Vec3| {
        let cells = (0..27).map(|n| cube(*point) + IVec3::new(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
        let near = cells.filter_map(|cell| cubes.get(&cell)).flatten();
        let weighted = near.map(|&particle| {
            let weight = frame.kernel.value(f64::from(frame.positions[particle].distance(*point))) as f32;
            (weight, weight * frame.velocities[particle])
        });
        let (weight, sum) = weighted.fold((0.0, Vec3::ZERO), |sum, part| (sum.0 + part.0, sum.1 + part.1));
        if weight > 0.0 { sum / weight } else { Vec3::ZERO }
    };
    points.iter().map(mean).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::read()?;
    let index = read_index(&arguments.cache)?;
    let (spacing, interval) = (index.particle_spacing, 1.0 / index.frames.rate);
    let first = arguments.number("--from", f64::NEG_INFINITY);
    let last = arguments.number("--to", f64::INFINITY);
    let wanted = |record: &&FrameRecord| (first..=last).contains(&f64::from(record.frame));
    println!("frame   to the next: rms   99 %   lost   to and fro: rms   99 %   triangles");
    let (mut before, mut now) = (None::<SurfaceMesh>, None::<SurfaceMesh>);
    for record in index.done.iter().filter(wanted) {
        let next = arguments.surface(&index, record)?;
        if let Some(now) = &now {
            let beyond = beyond_velocity(now, &next, interval, WITHIN * spacing);
            let fro = before.as_ref().map(|before| jitter([before, now, &next], WITHIN * spacing));
            print(record.frame - 1, beyond, fro, spacing, now.triangles.len());
        }
        (before, now) = (now, Some(next));
    }
    Ok(())
}

fn print(frame: i32, beyond: Distances, fro: Option<Distances>, spacing: f64, triangles: usize) {
    let both =
        |distances: Distances| format!("{:.4} {:.4}", distances.rms / spacing, distances.percentile_99 / spacing);
    let fro = fro.map_or_else(String::new, both);
    println!("{frame:5}          {}   {:.4}            {fro:13}   {triangles}", both(beyond), beyond.missed);
}
