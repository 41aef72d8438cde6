//! Volume grids of particle clouds with known density and motion.

#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ball, close_packed_lattice, cubic_lattice, cuboid, frame, with_temperatures};
use dollop_sim::{Field, FieldData, Frame};
use dollop_surface::{CARRIED, GridKind, ScalarGrid, SparseGrid, VectorGrid, VolumeOptions};
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;

const TEMPERATURE: GridKind = GridKind::Field("temperature");

fn all(voxel_size: f64) -> VolumeOptions {
    VolumeOptions::new(voxel_size, &[GridKind::Density, TEMPERATURE, GridKind::Velocity])
}

/// Three grids of a volume.
#[derive(Debug, PartialEq)]
struct Grids {
    density: Option<ScalarGrid>,
    temperature: Option<ScalarGrid>,
    velocity: Option<VectorGrid>,
}

fn rasterize(frame: &Frame, options: &VolumeOptions) -> Grids {
    let volume = dollop_surface::rasterize(frame, options);
    let scalar = |kind| volume.scalar(kind).cloned();
    let velocity = volume.vector(GridKind::Velocity).cloned();
    Grids { density: scalar(GridKind::Density), temperature: scalar(TEMPERATURE), velocity }
}

/// The active voxels by index; checks the invariants of grids.
fn active<T: Copy + Default + PartialEq>(grid: &SparseGrid<T>) -> BTreeMap<[i32; 3], T> {
    assert!(grid.blocks.is_sorted_by(|a, b| a.origin < b.origin));
    let mut voxels = BTreeMap::new();
    for block in &grid.blocks {
        assert!(block.origin.iter().all(|c| c % 8 == 0));
        assert_ne!(block.active, [0; 8]);
        for slot in 0..512 {
            if block.active[slot >> 6] >> (slot & 63) & 1 == 1 {
                let offset = [slot >> 6, slot >> 3 & 7, slot & 7];
                voxels.insert(std::array::from_fn(|a| block.origin[a] + offset[a] as i32), block.values[slot]);
            } else {
                assert!(block.values[slot] == T::default());
            }
        }
    }
    assert!(grid.tiles.is_sorted_by(|a, b| a.origin < b.origin));
    for tile in &grid.tiles {
        assert!(tile.origin.iter().all(|c| c % 8 == 0));
        for slot in 0..512 {
            let offset = [slot >> 6, slot >> 3 & 7, slot & 7];
            let voxel = std::array::from_fn(|a| tile.origin[a] + offset[a]);
            assert!(voxels.insert(voxel, tile.value).is_none());
        }
    }
    voxels
}

fn around([x, y, z]: [i32; 3]) -> impl Iterator<Item = [i32; 3]> {
    (0..27).map(move |n| [x + n / 9 - 1, y + n / 3 % 3 - 1, z + n % 3 - 1])
}

fn point(voxel: [i32; 3], grid: &ScalarGrid) -> DVec3 {
    DVec3::from_array(voxel.map(f64::from)) * grid.voxel_size
}

fn spinning_ball() -> Frame {
    let mut frame = frame(close_packed_lattice(0.1, 0.8, ball(0.8)), 0.1);
    frame.velocities = frame.positions.iter().map(|p| Vec3::new(-p.y, p.x, 0.0) * 20.0).collect();
    with_temperatures(frame, |p| 300.0 + 50.0 * p.x)
}

/// Voxels commensurate with neither lattice, so that they sample it evenly.
#[test]
fn density_is_one_inside_and_its_integral_the_volume() {
    for (positions, name) in [
        (cubic_lattice(0.1, 1.0, cuboid(DVec3::splat(1.0))), "cubic"),
        (close_packed_lattice(0.1, 1.0, cuboid(DVec3::splat(1.0))), "close packed"),
    ] {
        for voxel_size in [0.0371, 0.0871] {
            let frame = frame(positions.clone(), 0.1);
            let grid = rasterize(&frame, &all(voxel_size)).density.unwrap();
            let voxels = active(&grid);
            let inner = voxels.iter().filter(|(v, _)| point(**v, &grid).abs().max_element() < 0.7);
            let values: Vec<f64> = inner.map(|(_, &value)| f64::from(value)).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            assert!((mean - 1.0).abs() < 0.01, "{name}, {voxel_size}: mean {mean}");
            assert!(values.iter().all(|value| (0.85..1.3).contains(value)), "{name}");
            let integral = voxels.values().map(|&v| f64::from(v)).sum::<f64>() * voxel_size.powi(3);
            let volume: f64 = frame.rest_volumes.iter().map(|&v| f64::from(v)).sum();
            assert!((integral / volume - 1.0).abs() < 0.01, "{name}, {voxel_size}: {integral} of {volume}");
        }
    }
}

#[test]
fn density_is_the_kernel_of_a_lone_particle_with_a_border_of_one_voxel() {
    let frame = frame(vec![Vec3::new(0.3, -7.9, 8.1)], 1.0);
    let grid = rasterize(&frame, &all(0.4)).density.unwrap();
    let voxels = active(&grid);
    for (&voxel, &value) in &voxels {
        let expected = frame.kernel.value(point(voxel, &grid).distance(frame.positions[0].as_dvec3()));
        assert!((f64::from(value) - expected).abs() < 1e-6);
        assert!(around(voxel).any(|beside| voxels.get(&beside).is_some_and(|&value| value > 0.0)));
        assert!(value == 0.0 || around(voxel).all(|beside| voxels.contains_key(&beside)));
    }
    assert_eq!(voxels.values().filter(|&&v| v > 0.0).count(), count_within(&frame, 0.4));
}

/// Voxels within the support of the first particle.
fn count_within(frame: &Frame, voxel_size: f64) -> usize {
    let centre = frame.positions[0].as_dvec3() / voxel_size;
    let reach = frame.kernel.support() / voxel_size;
    let low = (centre - reach).floor().as_ivec3();
    let side = 2 * reach.ceil() as i32 + 2;
    let voxels = (0..side.pow(3)).map(|n| low + glam::IVec3::new(n / side / side, n / side % side, n % side));
    voxels.filter(|voxel| voxel.as_dvec3().distance(centre) < reach).count()
}

#[test]
fn means_match_the_matter() {
    let frame = spinning_ball();
    let volume = rasterize(&frame, &all(0.07));
    let (density, temperature) = (volume.density.unwrap(), volume.temperature.unwrap());
    let (matter, velocity) = (active(&density), active(&volume.velocity.unwrap()));
    let temperatures = active(&temperature);
    assert!(temperatures.keys().eq(matter.keys()));
    for (voxel, _) in matter.into_iter().filter(|(_, density)| *density > 0.0) {
        let p = point(voxel, &density).as_vec3();
        // Beyond the surface, the mean includes matter up to 2 h further inside.
        let slack = if p.length() < 0.6 { 0.02 } else { 0.2 };
        let kelvin = temperatures[&voxel];
        assert!((kelvin - 300.0 - 50.0 * p.x).abs() < 50.0 * slack, "{kelvin} K at {p}");
        let spin = Vec3::new(-p.y, p.x, 0.0) * 20.0;
        assert!(Vec3::from(velocity[&voxel]).distance(spin) < 20.0 * slack, "{:?} at {p}", velocity[&voxel]);
    }
    assert!(temperatures.values().all(|kelvin| (260.0..340.0).contains(kelvin)));
}

fn fast_ball(speed: f32) -> Frame {
    let mut frame = frame(close_packed_lattice(0.1, 0.9, ball(0.9)), 0.1);
    frame.velocities.fill(Vec3::new(0.5, -0.7, 0.4).normalize() * speed);
    frame
}

/// Every particle flies in its own direction.
fn spray(speed: f32) -> Frame {
    let mut frame = fast_ball(speed);
    for (number, velocity) in frame.velocities.iter_mut().enumerate() {
        let (turn, height) = (number as f32 * 2.4, (number as f32 * 0.618).fract() * 2.0 - 1.0);
        *velocity =
            (Vec3::new(turn.cos(), turn.sin(), 0.0) * (1.0 - height * height).sqrt() + Vec3::Z * height) * speed;
    }
    frame
}

/// The size of a volume stays about that at rest, for any speed and direction of the matter.
#[test]
fn fast_matter_needs_few_more_blocks() {
    let blocks = |frame: &Frame| rasterize(frame, &all(0.1)).velocity.unwrap().blocks.len();
    let rest = blocks(&fast_ball(0.0));
    for speed in [2.0, 10.0, 35.0, 200.0, 1e4] {
        for frame in [fast_ball(speed), spray(speed)] {
            let found = blocks(&frame);
            assert!(found <= 2 * rest, "{found} blocks at {speed} m/s, {rest} at rest");
        }
    }
}

/// There are many more tiles, but each is a single value.
#[test]
fn the_number_of_tiles_is_bounded() {
    for speed in [35.0, 200.0, 1e4] {
        for frame in [fast_ball(speed), spray(speed)] {
            let grid = rasterize(&frame, &all(0.1)).velocity.unwrap();
            let (tiles, blocks) = (grid.tiles.len(), grid.blocks.len());
            assert!(tiles > 0 && tiles <= 128 * 2 * blocks, "{tiles} tiles, {blocks} blocks at {speed} m/s");
        }
    }
}

/// The velocity is known wherever matter moves within half an interval, plus one voxel.
#[test]
fn velocity_extends_along_the_motion_of_the_matter() {
    let slow = [Vec3::new(20.0, 0.0, 0.0), Vec3::new(-7.0, 11.0, 5.0), Vec3::ZERO];
    let fast = [Vec3::new(30.0, 0.0, 1.0), Vec3::new(-70.0, 110.0, 50.0), Vec3::new(0.0, -1000.0, 0.0)];
    for velocity in slow.into_iter().chain(fast) {
        let (voxel_size, h) = (0.1, 0.1);
        let mut frame = frame(close_packed_lattice(h, 0.3, ball(0.3)), h);
        frame.velocities.fill(velocity);
        let volume = rasterize(&frame, &all(voxel_size));
        let (density, velocities) = (volume.density.unwrap(), active(&volume.velocity.unwrap()));
        let travel = velocity.as_dvec3() * (0.5 * frame.interval / voxel_size);
        let reach = travel + travel.normalize_or_zero();
        for (voxel, _) in active(&density).into_iter().filter(|(_, value)| *value > 0.0) {
            for along in [-1.0, -0.8, -0.5, -0.2, 0.3, 0.7, 1.0] {
                let target = DVec3::from_array(voxel.map(f64::from)) + reach * along;
                let nearest = target.round().as_ivec3().to_array();
                let found = velocities.get(&nearest).unwrap_or_else(|| panic!("none at {nearest:?}"));
                assert!(Vec3::from(*found).distance(velocity) < 1e-4 * velocity.length().max(1.0));
            }
        }
    }
}

/// One particle at 10 km/s, and one with an invalid velocity: a line, and a ball.
#[test]
fn a_runaway_particle_fills_a_thin_line() {
    let mut frame = frame(vec![Vec3::ZERO, Vec3::splat(50.0)], 0.1);
    frame.velocities = vec![Vec3::new(4e3, -6e3, 7e3), Vec3::NAN];
    let volume = rasterize(&frame, &all(0.1));
    let velocity = volume.velocity.unwrap();
    let voxels = active(&velocity).len();
    // 3 by 3 blocks across, and more as the path is slanted.
    assert!((512 * 16..512 * 24 * 24 * 2).contains(&voxels), "{voxels}");
    let values = 512 * velocity.blocks.len() + velocity.tiles.len();
    assert!(values < 512 * 60 + 1000, "{values}");
}

#[test]
fn only_requested_grids_exist() {
    let frame = spinning_ball();
    let full = rasterize(&frame, &all(0.1));
    for wanted in 0..8 {
        let (density, temperature, velocity) = (wanted & 1 > 0, wanted & 2 > 0, wanted & 4 > 0);
        let grids = [(density, GridKind::Density), (temperature, TEMPERATURE), (velocity, GridKind::Velocity)];
        let grids: Vec<_> = grids.into_iter().filter(|(asked, _)| *asked).map(|(_, kind)| kind).collect();
        let volume = rasterize(&frame, &VolumeOptions::new(0.1, &grids));
        assert_eq!(volume.density, full.density.clone().filter(|_| density));
        assert_eq!(volume.velocity, full.velocity.clone().filter(|_| velocity));
        assert_eq!(volume.temperature, full.temperature.clone().filter(|_| temperature));
    }
    let mut cold = frame;
    cold.fields.clear();
    assert_eq!(rasterize(&cold, &all(0.1)).temperature, None);
}

#[test]
fn no_matter_gives_empty_grids() {
    let mut lost = frame(vec![Vec3::NAN, Vec3::splat(f32::MAX)], 0.1);
    lost.velocities.fill(Vec3::NAN);
    for (frame, voxel_size) in [(frame(vec![], 0.1), 0.1), (lost, 0.1), (spinning_ball(), 0.0), (spinning_ball(), -1.0)]
    {
        let volume = rasterize(&frame, &all(voxel_size));
        assert_eq!(volume.density.unwrap().blocks, vec![]);
        assert_eq!(volume.velocity.unwrap().blocks, vec![]);
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    for frame in [spinning_ball(), fast_ball(100.0), spray(100.0)] {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| rasterize(&frame, &all(0.06)))
        };
        let (one, two, five) = (with(1), with(2), with(5));
        assert!(one == two && one == five);
    }
}

fn with_vectors(mut frame: Frame, name: &'static str, value: impl Fn(Vec3) -> Vec3) -> Frame {
    let data = FieldData::Vector(frame.positions.iter().map(|&p| value(p)).collect());
    frame.fields.push(Field { name, unit: "", description: "", data });
    frame
}

/// Every carried field has a grid: all on the voxels of the density, each the mean of its own values.
#[test]
fn every_carried_field_has_a_grid_on_the_matter() {
    let with_numbers = |mut frame: Frame, name: &'static str, value: fn(Vec3) -> f32| {
        let data = FieldData::Scalar(frame.positions.iter().map(|&p| value(p)).collect());
        frame.fields.push(Field { name, unit: "", description: "", data });
        frame
    };
    let frame = with_numbers(spinning_ball(), "damage", |p| 0.5 - 0.5 * p.z);
    let frame = with_numbers(frame, "age", |p| 2.0 + p.y);
    let frame = with_vectors(frame, "rest_position", |p| p + Vec3::new(0.0, 0.0, 3.0));
    let frame = with_vectors(frame, "color", |p| Vec3::new(0.5 + 0.5 * p.x, 0.25, 0.0));
    let mut grids = vec![GridKind::Density];
    grids.extend(CARRIED.map(GridKind::Field));
    let volume = dollop_surface::rasterize(&frame, &VolumeOptions::new(0.07, &grids));
    assert_eq!(volume.grids.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), grids);
    let density = active(volume.scalar(GridKind::Density).unwrap());
    let ages = active(volume.scalar(GridKind::Field("age")).unwrap());
    let damages = active(volume.scalar(GridKind::Field("damage")).unwrap());
    let rests = active(volume.vector(GridKind::Field("rest_position")).unwrap());
    let colors = active(volume.vector(GridKind::Field("color")).unwrap());
    assert!(ages.keys().eq(density.keys()) && rests.keys().eq(density.keys()) && colors.keys().eq(density.keys()));
    let inner = density.keys().filter(|voxel| Vec3::from_array(voxel.map(|c| c as f32 * 0.07)).length() < 0.6);
    for voxel in inner {
        let p = Vec3::from_array(voxel.map(|c| c as f32 * 0.07));
        assert!((ages[voxel] - 2.0 - p.y).abs() < 0.02, "{} s at {p}", ages[voxel]);
        assert!((damages[voxel] - 0.5 + 0.5 * p.z).abs() < 0.02, "{} broken at {p}", damages[voxel]);
        assert!(Vec3::from(rests[voxel]).distance(p + Vec3::new(0.0, 0.0, 3.0)) < 0.02);
        assert!(Vec3::from(colors[voxel]).distance(Vec3::new(0.5 + 0.5 * p.x, 0.25, 0.0)) < 0.02);
    }
    assert!(colors.values().all(|color| (color[1] - 0.25).abs() < 1e-5), "the border goes on");
}
