//! Thin and small matter: carried values on its surface, and its volume.

#![allow(clippy::unwrap_used, dead_code)]

mod common;

use common::{ball, close_packed_lattice, frame_with};
use dollop_sim::kernel::Kernel;
use dollop_sim::{Frame, SmoothingKernel};
use dollop_surface::{SurfaceOptions, extract_surface};
use glam::Vec3;

const SPACING: f64 = 0.1;

/// A moving sheet with some layers.
fn sheet(layers: i32) -> Frame {
    let layer = |z: i32| (-10..10).flat_map(move |x| (-10..10).map(move |y| Vec3::new(x as f32, y as f32, z as f32)));
    let positions = (0..layers).flat_map(layer).map(|position| position * SPACING as f32).collect();
    let mut frame = frame_with(positions, SPACING, SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING));
    frame.velocities.fill(Vec3::new(1.0, 2.0, 3.0));
    frame
}

#[test]
fn thin_sheets_carry_the_velocity_of_their_matter() {
    for layers in 1..=3 {
        for cells in [0.25, 0.5, 1.0] {
            let mesh = extract_surface(&sheet(layers), &SurfaceOptions::new(cells * SPACING));
            let off = mesh.velocities.iter().filter(|v| v.distance(Vec3::new(1.0, 2.0, 3.0)) > 1e-4).count();
            assert_eq!((off, mesh.positions.is_empty()), (0, false), "{layers} layers on cells of {cells}");
        }
    }
}

/// A component smaller than the smoothing length keeps its volume within a thousandth.
#[test]
fn smoothing_keeps_the_volume_of_small_components() {
    for radius in [2.0, 4.0, 8.0] {
        let positions = close_packed_lattice(SPACING, radius * SPACING, ball(radius * SPACING));
        let frame = frame_with(positions, SPACING, SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING));
        let volume: f64 = frame.rest_volumes.iter().map(|&volume| f64::from(volume)).sum();
        for (cells, smoothing) in [(0.25, 6.0), (0.25, 20.0), (0.5, 12.0), (0.5, 20.0)] {
            let options = SurfaceOptions { smoothing: smoothing * SPACING, ..SurfaceOptions::new(cells * SPACING) };
            let mesh = extract_surface(&frame, &options);
            let part = mesh.volume() / volume;
            assert!(
                (part - 1.0).abs() < 1e-3,
                "{part} of a ball of {radius}, cells {cells}, smoothed over {smoothing}"
            );
            assert!(mesh.quality().least() > 8.0, "{} degrees", mesh.quality().least());
        }
    }
}
