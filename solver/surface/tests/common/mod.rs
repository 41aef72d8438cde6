//! Hand-made frames, without a simulation.

use dollop_sim::kernel::Kernel;
use dollop_sim::{Field, FieldData, Frame, SmoothingKernel};
use glam::{DVec3, Vec3};

/// A frame at rest with particles of volume spacing^3, h = spacing and the kernel of the paper.
pub fn frame(positions: Vec<Vec3>, spacing: f64) -> Frame {
    frame_with(positions, spacing, SmoothingKernel::new(Kernel::Spiky, spacing))
}

/// The same with another kernel.
pub fn frame_with(positions: Vec<Vec3>, spacing: f64, kernel: SmoothingKernel) -> Frame {
    Frame::of_points(positions, spacing, kernel)
}

/// Adds temperatures to a frame.
pub fn with_temperatures(mut frame: Frame, temperature: impl Fn(Vec3) -> f32) -> Frame {
    let data = FieldData::Scalar(frame.positions.iter().map(|&p| temperature(p)).collect());
    frame.fields.push(Field { name: "temperature", unit: "K", description: "Temperature.", data });
    frame
}

/// Points of a cubic lattice within reach of the origin where the condition holds; none lies on a plane of symmetry.
pub fn cubic_lattice(spacing: f64, reach: f64, inside: impl Fn(DVec3) -> bool) -> Vec<Vec3> {
    let steps = (reach / spacing).ceil() as i32;
    let coordinate = move |step: i32| (f64::from(step) + 0.5) * spacing;
    lattice(steps, coordinate, |_, _, _| true, inside)
}

/// Points of a face-centred cubic lattice with one point per spacing^3; see [`cubic_lattice`].
pub fn close_packed_lattice(spacing: f64, reach: f64, inside: impl Fn(DVec3) -> bool) -> Vec<Vec3> {
    // Half the nodes of a cubic lattice of this step.
    let step = spacing / 2.0_f64.cbrt();
    let steps = (reach / step).ceil() as i32;
    lattice(steps, move |i| (f64::from(i) + 0.37) * step, |i, j, k| (i + j + k) & 1 == 0, inside)
}

fn lattice(
    steps: i32,
    coordinate: impl Fn(i32) -> f64 + Copy,
    keep: impl Fn(i32, i32, i32) -> bool + Copy,
    inside: impl Fn(DVec3) -> bool,
) -> Vec<Vec3> {
    let range = -steps..steps;
    let points = range.clone().flat_map(|i| {
        let range = range.clone();
        range.clone().flat_map(move |j| {
            range
                .clone()
                .filter(move |&k| keep(i, j, k))
                .map(move |k| DVec3::new(coordinate(i), coordinate(j), coordinate(k)))
        })
    });
    points.filter(|&p| inside(p)).map(DVec3::as_vec3).collect()
}

/// A ball around the origin.
pub fn ball(radius: f64) -> impl Fn(DVec3) -> bool {
    move |p| p.length() <= radius
}

/// A box with these half edges around the origin.
pub fn cuboid(half: DVec3) -> impl Fn(DVec3) -> bool {
    move |p| p.abs().cmple(half).all()
}

/// A torus around the z axis.
pub fn torus(ring: f64, tube: f64) -> impl Fn(DVec3) -> bool {
    move |p| (p.truncate().length() - ring).hypot(p.z) <= tube
}
