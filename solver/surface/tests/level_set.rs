//! Level sets of known surfaces.

#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ball, close_packed_lattice, frame, torus};
use dollop_surface::level_set::BAND;
use dollop_surface::{GridKind, LevelSet, SurfaceMesh, SurfaceOptions, VolumeOptions, extract_surface, rasterize};
use glam::{DVec3, IVec3};
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// A sphere triangulated by longitude and latitude.
fn sphere(centre: DVec3, radius: f64, steps: u32) -> SurfaceMesh {
    let point = |ring: u32, place: u32| {
        let (slope, turn) = (PI * f64::from(ring) / f64::from(steps), PI * f64::from(place) / f64::from(steps));
        (centre + radius * DVec3::new(slope.sin() * turn.cos(), slope.sin() * turn.sin(), slope.cos())).as_vec3()
    };
    let around = 2 * steps;
    let vertex = |ring: u32, place: u32| match ring {
        0 => 0,
        ring if ring == steps => 1,
        ring => 2 + (ring - 1) * around + place % around,
    };
    let mut mesh = SurfaceMesh { positions: vec![point(0, 0), point(steps, 0)], ..SurfaceMesh::default() };
    mesh.positions
        .extend((1..steps).flat_map(|ring| (0..around).map(move |place| (ring, place))).map(|(r, p)| point(r, p)));
    for (ring, place) in (0..steps).flat_map(|ring| (0..around).map(move |place| (ring, place))) {
        let [a, b] = [vertex(ring, place), vertex(ring, place + 1)];
        let [c, d] = [vertex(ring + 1, place), vertex(ring + 1, place + 1)];
        mesh.triangles.extend([[a, c, d], [a, d, b]].into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
    }
    mesh
}

/// The value of every voxel of the blocks, and whether it is active; checks the invariants of level sets.
fn voxels(set: &LevelSet) -> BTreeMap<[i32; 3], (f32, bool)> {
    assert!(set.blocks.is_sorted_by(|a, b| a.origin < b.origin) && set.inside.is_sorted_by(|a, b| a < b));
    assert!((f64::from(set.band) - f64::from(BAND) * set.voxel_size).abs() < 1e-6 * set.voxel_size);
    let mut voxels = BTreeMap::new();
    for block in &set.blocks {
        assert_ne!(block.active, [0; 8]);
        assert!(set.inside.binary_search(&block.origin).is_err());
        for slot in 0..512 {
            let active = block.active[slot >> 6] >> (slot & 63) & 1 == 1;
            let offset = [slot >> 6, slot >> 3 & 7, slot & 7].map(|c| c as i32);
            let value = block.values[slot];
            assert_eq!(active, value.abs() < set.band);
            assert!(value.abs() <= set.band);
            voxels.insert(std::array::from_fn(|a| block.origin[a] + offset[a]), (value, active));
        }
    }
    voxels
}

/// The value at any voxel.
fn at(set: &LevelSet, voxels: &BTreeMap<[i32; 3], (f32, bool)>, voxel: [i32; 3]) -> f32 {
    let in_tile = || set.inside.binary_search(&voxel.map(|c| c & !7)).is_ok();
    voxels.get(&voxel).map_or_else(|| if in_tile() { -set.band } else { set.band }, |(value, _)| *value)
}

#[test]
fn distances_to_a_sphere_and_its_inside_are_exact() {
    let (centre, radius, voxel) = (DVec3::new(0.31, -2.07, 5.0), 1.9, 0.1);
    let mesh = sphere(centre, radius, 180);
    let set = LevelSet::of_mesh(&mesh, voxel);
    let voxels = voxels(&set);
    // The faces of the polyhedron lie inside the sphere.
    let sagitta = radius * (1.0 - (PI / 180.0 / 2.0).cos()) * 2.0;
    let reach = 24;
    let middle = (centre / voxel).round().as_ivec3();
    let mut active = 0;
    for n in 0..(2 * reach + 1_i32).pow(3) {
        let side = 2 * reach + 1;
        let place = middle + IVec3::new(n / side / side, n / side % side, n % side) - reach;
        let exact = (place.as_dvec3() * voxel).distance(centre) - radius;
        let expected = exact.clamp(-f64::from(set.band), f64::from(set.band));
        let found = f64::from(at(&set, &voxels, place.to_array()));
        assert!((found - expected).abs() < sagitta + 1e-6, "{found} at {place}, not {expected}");
        active += usize::from(exact.abs() < f64::from(set.band) - sagitta);
    }
    let found = voxels.values().filter(|(_, active)| *active).count();
    assert!(found >= active && found < active + active / 100, "{found} voxels in the band, {active} expected");
    assert!(!set.inside.is_empty());
}

/// Lengths of gradients by central differences between voxels of the band.
fn slopes(set: &LevelSet) -> Vec<f64> {
    let voxels = voxels(set);
    let active = voxels.iter().filter(|(_, (_, active))| *active);
    let length = |place: &[i32; 3]| {
        let beside = |axis: usize, step: i32| {
            let mut place = *place;
            place[axis] += step;
            voxels.get(&place).filter(|(_, active)| *active).map(|(value, _)| f64::from(*value))
        };
        let slope = |axis: usize| Some((beside(axis, 1)? - beside(axis, -1)?) / (2.0 * set.voxel_size));
        Some(DVec3::new(slope(0)?, slope(1)?, slope(2)?).length())
    };
    active.filter_map(|(place, _)| length(place)).collect()
}

#[test]
fn the_gradient_has_length_one() {
    let set = LevelSet::of_mesh(&sphere(DVec3::ZERO, 2.0, 360), 0.1);
    let lengths = slopes(&set);
    assert!(lengths.len() > 15_000, "{}", lengths.len());
    let worst = lengths.iter().map(|length| (length - 1.0).abs()).fold(0.0, f64::max);
    assert!(worst < 0.005, "off by {worst}");
}

/// The surface of matter has dents; differences across the creases above them are shorter.
#[test]
fn the_gradient_near_matter_has_length_one_except_at_creases() {
    let spacing = 0.1;
    let matter = frame(close_packed_lattice(spacing, 1.4, torus(1.0, 0.4)), spacing);
    let surface = SurfaceOptions { smoothing: 6.0 * spacing, ..SurfaceOptions::new(0.5 * spacing) };
    let options = VolumeOptions { surface, ..VolumeOptions::new(0.5 * spacing, &[GridKind::Surface]) };
    let lengths = slopes(rasterize(&matter, &options).level_set().unwrap());
    assert!(lengths.len() > 10_000, "{}", lengths.len());
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    let off = lengths.iter().filter(|length| (*length - 1.0).abs() > 0.05).count();
    assert!((mean - 1.0).abs() < 0.015, "mean length {mean}");
    assert!(off < lengths.len() / 20, "{off} of {} lengths are off by more than 5 %", lengths.len());
}

#[test]
fn the_level_set_encloses_the_volume_of_the_mesh() {
    let spacing = 0.1;
    let matter = frame(close_packed_lattice(spacing, 1.0, ball(0.9)), spacing);
    let surface = SurfaceOptions { smoothing: 6.0 * spacing, ..SurfaceOptions::new(0.5 * spacing) };
    let mesh = extract_surface(&matter, &surface);
    for voxel in [0.3, 1.0, 1.7].map(|voxel| voxel * spacing) {
        let set = LevelSet::of_mesh(&mesh, voxel);
        // Fraction of a cell below a slanted plane at that distance.
        let part = |value: f32| (0.5 - f64::from(value) / voxel).clamp(0.0, 1.0);
        let near: f64 = voxels(&set).values().map(|(value, _)| part(*value)).sum();
        let volume = (near + 512.0 * set.inside.len() as f64) * voxel.powi(3);
        assert!((volume / mesh.volume() - 1.0).abs() < 0.01, "{volume} of {} on {voxel} m", mesh.volume());
    }
}

/// Overlapping balls: points inside either are inside, and interior surfaces do not count.
#[test]
fn overlapping_parts_are_inside_once() {
    let mut mesh = sphere(DVec3::ZERO, 1.0, 60);
    let other = sphere(DVec3::new(0.9, 0.0, 0.0), 1.0, 60);
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(other.positions);
    mesh.triangles.extend(other.triangles.into_iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    let set = LevelSet::of_mesh(&mesh, 0.05);
    let voxels = voxels(&set);
    for (x, inside) in [(-1.2, false), (-0.8, true), (0.45, true), (1.7, true), (2.1, false)] {
        let value = at(&set, &voxels, [(x / 0.05_f64).round() as i32, 1, 1]);
        assert_eq!(value < 0.0, inside, "{value} at {x}");
    }
}

#[test]
fn degenerate_triangles_and_voxel_sizes_are_harmless() {
    let mut mesh = sphere(DVec3::ZERO, 1.0, 40);
    let whole = LevelSet::of_mesh(&mesh, 0.1);
    let last = mesh.positions.len() as u32;
    mesh.positions.push(mesh.positions[5]);
    mesh.triangles.extend([[5, 5, 5], [5, last, 5], [last, 5, 6], [5, last, 6]]);
    assert_eq!(LevelSet::of_mesh(&mesh, 0.1), whole);
    for size in [0.0, -1.0, f64::NAN] {
        assert_eq!(LevelSet::of_mesh(&mesh, size).blocks, vec![]);
    }
    assert_eq!(LevelSet::of_mesh(&SurfaceMesh::default(), 0.1).inside, Vec::<[i32; 3]>::new());
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let matter = frame(close_packed_lattice(0.1, 0.8, ball(0.8)), 0.1);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| rasterize(&matter, &VolumeOptions::new(0.07, &[GridKind::Surface])))
    };
    assert!(with(1) == with(3));
}
