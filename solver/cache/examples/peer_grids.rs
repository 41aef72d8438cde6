//! Times making and writing volumes, beside OpenVDB: `tools/peers/openvdb.py` runs it.
//!
//!     peer_grids FOLDER PARTICLES VOXEL RUNS
//!
//! The matter is a spinning ball of particles 1 apart; `VOXEL` is in that unit. Prints a line for each measurement: its
//! name, and its seconds run by run. Leaves the input for OpenVDB in the folder: the particles, the mesh and the grids.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use dollop_cache::{Format, VolumeSettings, VolumeVdb};
use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, SmoothingKernel};
use dollop_surface::{GridKind, LevelSet, SurfaceOptions, Volume, VolumeOptions, extract_surface, rasterize};
use dollop_vdb::{GridCompression, GridPrecision};
use glam::{IVec3, Vec3};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// A ball cut from a close-packed lattice of one particle for each unit of volume.
fn ball(particles: f64) -> Frame {
    let radius = (0.75 * particles / std::f64::consts::PI).cbrt() as f32;
    let step = 0.5_f32.cbrt();
    let reach = (radius / step).ceil() as i32;
    let side = 2 * reach + 1;
    let places = (0..side.pow(3)).map(|n| IVec3::new(n / side / side, n / side % side, n % side) - reach);
    let nodes = places.filter(|place| place.element_sum() & 1 == 0).map(|place| (place.as_vec3() + 0.37) * step);
    let positions: Vec<Vec3> = nodes.filter(|place| place.length() <= radius).collect();
    Frame {
        velocities: positions.iter().map(|p| Vec3::new(-p.y, p.x, 0.0)).collect(),
        ..Frame::of_points(positions, 1.0, SmoothingKernel::new(Kernel::Spiky, 1.25))
    }
}

fn measure<T>(name: &str, runs: usize, mut work: impl FnMut() -> T) -> T {
    let mut run = || {
        let clock = Instant::now();
        let result = work();
        println!("{name}\t{:.6}", clock.elapsed().as_secs_f64());
        result
    };
    (1..runs).for_each(|_| drop(run()));
    run()
}

/// Writes a volume as a bake does, in each precision and compression.
fn write(folder: &Path, name: &str, volume: &Volume, options: &VolumeOptions, runs: usize) {
    let precisions = [("full", GridPrecision::Full), ("half", GridPrecision::Half)];
    let codecs = [("none", GridCompression::None), ("blosc", GridCompression::Blosc), ("zip", GridCompression::Zip)];
    for (precision, compression) in precisions.into_iter().flat_map(|p| codecs.map(|c| (p, c))) {
        let settings = VolumeSettings { precision: precision.1, compression: compression.1, options: options.clone() };
        let path = folder.join("own.vdb");
        let label = format!("write {name} {} {}", precision.0, compression.0);
        measure(&label, runs, || fs::write(&path, VolumeVdb.encode(&settings, volume).unwrap()).unwrap());
        println!("bytes {label}\t{}", fs::metadata(&path).unwrap().len());
        if (precision.1, compression.1) == (GridPrecision::Full, GridCompression::None) {
            fs::rename(&path, folder.join(format!("{name}.vdb"))).unwrap();
        }
    }
}

fn bytes<const N: usize>(rows: impl Iterator<Item = [[u8; 4]; N]>) -> Vec<u8> {
    rows.flat_map(|row| row.concat()).collect()
}

/// Peak memory of this process so far, MB, if the system reports it.
fn peak() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or_default() / 1024.0
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, particles, voxel, runs] = &arguments[..] else { panic!("FOLDER PARTICLES VOXEL RUNS") };
    let (folder, runs) = (Path::new(folder), runs.parse().unwrap());
    let voxel: f64 = voxel.parse().unwrap();
    let frame = ball(particles.parse().unwrap());
    println!("particles\t{}\nspacing\t1\nsupport\t{}\nvoxel\t{voxel}", frame.len(), frame.kernel.support());
    let before = peak();
    for (name, kind) in [("density", GridKind::Density), ("velocity", GridKind::Velocity)] {
        let options = VolumeOptions::new(voxel, &[kind]);
        let volume = measure(&format!("rasterise {name}"), runs, || rasterize(&frame, &options));
        println!("memory {name}\t{:.0}", peak() - before);
        let blocks = volume.scalar(kind).map(|grid| grid.blocks.iter().map(|block| block.active).collect::<Vec<_>>());
        let blocks = blocks.or_else(|| volume.vector(kind).map(|g| g.blocks.iter().map(|b| b.active).collect()));
        let active: u32 = blocks.unwrap().iter().flatten().map(|word| word.count_ones()).sum();
        println!("active {name}\t{active}");
        if let Some(grid) = volume.scalar(kind) {
            let sum: f64 = grid.blocks.iter().flat_map(|block| block.values.iter()).map(|v| f64::from(*v)).sum();
            println!("check {name}\t{sum:.9}");
        }
        write(folder, name, &volume, &options, runs);
    }
    let mesh = extract_surface(&frame, &SurfaceOptions { smoothing: 6.0, ..SurfaceOptions::new(0.5) });
    let set = measure("level set", runs, || LevelSet::of_mesh(&mesh, voxel));
    let active: u32 = set.blocks.iter().flat_map(|block| block.active).map(u64::count_ones).sum();
    println!("active level set\t{active}\ntriangles\t{}", mesh.triangles.len());
    let numbers = |points: &[Vec3]| bytes(points.iter().map(|p| p.to_array().map(f32::to_le_bytes)));
    fs::write(folder.join("points.bin"), numbers(&frame.positions)).unwrap();
    fs::write(folder.join("corners.bin"), numbers(&mesh.positions)).unwrap();
    let triangles = bytes(mesh.triangles.iter().map(|triangle| triangle.map(u32::to_le_bytes)));
    fs::write(folder.join("triangles.bin"), triangles).unwrap();
}
