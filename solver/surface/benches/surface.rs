//! A ball of 100,000 particles: mesh at half the spacing, volume grids at the spacing. A wavy sheet of 200,000
//! particles: triangles.

#![allow(missing_docs, dead_code, unused_imports)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/common/sheets.rs"]
mod sheets;

use criterion::{Criterion, criterion_group, criterion_main};
use dollop_surface::sheet::patches::subdivide;
use dollop_surface::{CARRIED, GridKind, LevelSet, SurfaceOptions, VolumeOptions, extract_surface, rasterize};
use glam::Vec3;
use std::hint::black_box;

fn hundred_thousand(criterion: &mut Criterion) {
    let spacing = 0.01;
    let radius = spacing * (1e5 * 0.75 / std::f64::consts::PI).cbrt();
    let mut frame = common::frame(common::close_packed_lattice(spacing, radius, common::ball(radius)), spacing);
    for (velocity, position) in frame.velocities.iter_mut().zip(&frame.positions) {
        *velocity = Vec3::new(-position.y, position.x, 0.0) * 10.0;
    }
    let frame = common::with_temperatures(frame, |p| 300.0 + 100.0 * p.z);
    let mut group = criterion.benchmark_group(format!("{} particles", frame.len()));
    group.sample_size(10);
    let surface = SurfaceOptions { smoothing: 6.0 * spacing, ..SurfaceOptions::new(0.5 * spacing) };
    group.bench_function("mesh", |bencher| bencher.iter(|| extract_surface(black_box(&frame), &surface)));
    let grids = [GridKind::Density, GridKind::Field("temperature"), GridKind::Velocity];
    let options = VolumeOptions::new(spacing, &grids);
    group.bench_function("volume", |bencher| bencher.iter(|| rasterize(black_box(&frame), &options)));
    let all = [GridKind::Density, GridKind::Velocity].into_iter().chain(CARRIED.map(GridKind::Field));
    let options = VolumeOptions::new(0.5 * spacing, &all.collect::<Vec<_>>());
    group.bench_function("fine volume", |bencher| bencher.iter(|| rasterize(black_box(&frame), &options)));
    let mesh = extract_surface(&frame, &surface);
    group.bench_function("level set", |bencher| bencher.iter(|| LevelSet::of_mesh(black_box(&mesh), spacing)));
    group.finish();
}

fn sheet(criterion: &mut Criterion) {
    let mut random = sheets::Random(1);
    let points = sheets::hexagonal(500, 400);
    let sheet = sheets::wavy(&points, 2.0, 40.0).shaken(0.15, &mut random);
    let mut group = criterion.benchmark_group(format!("sheet of {} particles", points.len()));
    group.sample_size(10);
    group.bench_function("triangles", |bencher| bencher.iter(|| black_box(&sheet).triangles(1.65)));
    let triangles = sheet.triangles(1.65);
    group.bench_function("patches", |bencher| {
        bencher.iter(|| subdivide(black_box(&sheet.positions), &sheet.normals, &triangles, 1));
    });
    group.finish();
}

criterion_group!(benches, hundred_thousand, sheet);
criterion_main!(benches);
