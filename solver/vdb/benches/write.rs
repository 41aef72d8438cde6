//! Time to write a dense block of 5 million active voxels into memory.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dollop_vdb::{Grid, GridClass, GridCompression, GridPrecision, GridTransform, Leaf, Tree, VectorType, to_bytes};

/// 22 x 22 x 20 leaves.
const LEAVES: [i32; 3] = [22, 22, 20];

/// A smooth field with some unevenness, as a rasterised density has.
fn density([i, j, k]: [i32; 3]) -> f32 {
    let wave = (i as f32 * 0.07).sin() * (j as f32 * 0.05).cos() * (k as f32 * 0.06).sin();
    1.0 + 0.1 * wave + 0.01 * ((i * 31 + j * 17 + k * 7) % 13) as f32
}

fn blocks<T>(value: impl Fn([i32; 3]) -> T) -> Vec<([i32; 3], Box<[T; 512]>)> {
    let [nx, ny, nz] = LEAVES;
    let origin = |i: i32| [i / (ny * nz), i / nz % ny, i % nz].map(|block| block * 8 - 80);
    let values = |origin: [i32; 3]| {
        let voxel = |slot: usize| [slot >> 6, slot >> 3 & 7, slot & 7].map(|local| local as i32);
        Box::new(std::array::from_fn(|slot| {
            let local = voxel(slot);
            value(std::array::from_fn(|axis| origin[axis] + local[axis]))
        }))
    };
    (0..nx * ny * nz).map(|i| (origin(i), values(origin(i)))).collect()
}

fn leaves<T>(blocks: &[([i32; 3], Box<[T; 512]>)]) -> impl Iterator<Item = Leaf<'_, T>> {
    blocks.iter().map(|(origin, values)| Leaf { origin: *origin, active: [u64::MAX; 8], values })
}

fn bench_write(c: &mut Criterion) {
    let mut group = c.benchmark_group("write 5.0 M voxels");
    group.sample_size(10).throughput(Throughput::Elements(LEAVES.iter().product::<i32>() as u64 * 512));
    let transform = GridTransform::uniform(0.01);

    let scalars = blocks(density);
    for (name, precision, compression) in [
        ("half none", GridPrecision::Half, GridCompression::None),
        ("half blosc", GridPrecision::Half, GridCompression::Blosc),
        ("full blosc", GridPrecision::Full, GridCompression::Blosc),
        ("half zip", GridPrecision::Half, GridCompression::Zip),
    ] {
        group.bench_function(name, |b| {
            b.iter_with_large_drop(|| {
                let tree = Tree::new(0.0, leaves(black_box(&scalars))).expect("the leaves do not overlap");
                let grid = Grid::scalar("density", GridClass::FogVolume, transform, tree).with_precision(precision);
                to_bytes(&[grid], compression).expect("all values are finite")
            });
        });
    }

    let vectors = blocks(|voxel| [density(voxel), -density(voxel), 0.5]);
    group.bench_function("vector half blosc", |b| {
        b.iter_with_large_drop(|| {
            let tree = Tree::new([0.0; 3], leaves(black_box(&vectors))).expect("the leaves do not overlap");
            let relative = VectorType::ContravariantRelative;
            let grid = Grid::vector("velocity", GridClass::Unknown, transform, tree, relative);
            to_bytes(&[grid.with_precision(GridPrecision::Half)], GridCompression::Blosc)
                .expect("all values are finite")
        });
    });
    group.finish();
}

criterion_group!(benches, bench_write);
criterion_main!(benches);
