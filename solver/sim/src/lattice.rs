//! Sums over the lattice that bodies are filled with: close-packed, one point for each spacing^3. In space it is
//! face-centred cubic, in a plane hexagonal; a plate is one spacing thick.

use crate::SmoothingKernel;
use crate::kernel::Dimensions;
use glam::DVec3;

/// Corrections that make the density sum exact on the lattice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// A particle's contribution to its own density over rest density.
    pub own: f64,
    /// Factor on the kernel between particles.
    pub factor: f64,
}

impl Calibration {
    /// The corrections for a kernel and a spacing, m: the density of the lattice at rest is 1, and its derivative by
    /// the logarithm of the volume, or in a plane of the area, is -1.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let dimensions = kernel.dimension_count();
        let volume = spacing.powi(3);
        let (sum, response) = distances(kernel, spacing).into_iter().fold((0.0, 0.0), |(sum, response), r| {
            (sum + volume * kernel.value(r), response - volume * r * kernel.derivative(r) / dimensions)
        });
        let factor = 1.0 / response;
        Self { own: 1.0 - factor * sum, factor }
    }
}

/// A close-packed row of particles that rests on a flat wall, and the share and slope that the wall has to provide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestingRow {
    /// Distance from the wall, m: half the distance between rows.
    pub distance: f64,
    /// The wall's share of the kernel sum that gives the row its density at rest.
    pub share: f64,
    /// Slope of the wall's share, 1/m, that makes the wall's push on each of the row's particles balance the pressure
    /// on the area that it covers.
    pub slope: f64,
}

impl RestingRow {
    /// The row for a kernel and a spacing, m.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let Calibration { own, factor } = Calibration::new(kernel, spacing);
        let between_rows = between_layers(kernel, spacing);
        let sum: f64 = half_space(kernel, spacing).into_iter().map(|offset| kernel.value(offset.length())).sum();
        Self {
            distance: between_rows / 2.0,
            share: (1.0 - own) / factor - sum * spacing.powi(3),
            slope: -1.0 / (factor * between_rows),
        }
    }
}

/// Distance of nearest neighbours in space, m; sheets have the same distance.
pub fn nearest(spacing: f64) -> f64 {
    edge(spacing) / 2.0_f64.sqrt()
}

/// Distance between close-packed layers of the lattice, or in a plane between rows, m.
pub fn between_layers(kernel: &SmoothingKernel, spacing: f64) -> f64 {
    match kernel.dimensions() {
        Dimensions::Two => between_rows(spacing),
        Dimensions::Three => between_layers_in_space(spacing),
    }
}

/// Edge of the cube that holds four lattice points, m; layers lie half of it apart.
pub fn edge(spacing: f64) -> f64 {
    spacing * 4.0_f64.cbrt()
}

/// Distance between neighbours in a row of the hexagonal lattice, m.
pub fn within_row(spacing: f64) -> f64 {
    spacing * (4.0_f64 / 3.0).sqrt().sqrt()
}

/// Distance between the rows of the hexagonal lattice, m. Each row is shifted against the next by half the distance
/// within rows.
pub fn between_rows(spacing: f64) -> f64 {
    within_row(spacing) * 0.75_f64.sqrt()
}

/// Distances of lattice points from the one at the origin, m: all within the kernel's support, and some beyond.
pub fn distances(kernel: &SmoothingKernel, spacing: f64) -> Vec<f64> {
    if kernel.dimensions() == Dimensions::Two {
        let levels = span(kernel.support(), between_rows(spacing));
        return hexagonal(kernel, spacing, levels).into_iter().map(DVec3::length).collect();
    }
    let half = edge(spacing) / 2.0;
    let span = span(kernel.support(), half);
    let others =
        cube(span.clone(), span.clone(), span).filter(|&(x, y, z)| (x + y + z) % 2 == 0 && (x, y, z) != (0, 0, 0));
    others.map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)).length() * half).collect()
}

/// Offsets from a particle to all others in the given rows of the hexagonal lattice; its own row has the number 0.
fn hexagonal(kernel: &SmoothingKernel, spacing: f64, rows: Span) -> Vec<DVec3> {
    let (along, up) = (within_row(spacing), between_rows(spacing));
    let places = rows.flat_map(|k| span(kernel.support(), along).map(move |i| (i, k)));
    let others = places.filter(|&place| place != (0, 0));
    others.map(|(i, k)| DVec3::new((f64::from(i) + 0.5 * f64::from(k & 1)) * along, 0.0, f64::from(k) * up)).collect()
}

/// Offsets from a particle of the lowest close-packed row to all others in it and above, m: all within the kernel's
/// support, and some beyond.
pub fn half_space(kernel: &SmoothingKernel, spacing: f64) -> Vec<DVec3> {
    if kernel.dimensions() == Dimensions::Two {
        let levels = span(kernel.support(), between_rows(spacing));
        return hexagonal(kernel, spacing, 0..=*levels.end());
    }
    let here = |place: &DVec3| *place != DVec3::ZERO;
    close_packed_half_space(kernel.support(), spacing).0.into_iter().filter(here).collect()
}

/// Distance between close-packed layers in space, m.
pub fn between_layers_in_space(spacing: f64) -> f64 {
    edge(spacing) / 3.0_f64.sqrt()
}

/// Places of the close-packed layer around the origin, across Z, and of the layers above it, m: all within reach of a
/// point near the origin, and some beyond; and the two sides of a cell of that layer.
pub fn close_packed_half_space(reach: f64, spacing: f64) -> (Vec<DVec3>, [DVec3; 2]) {
    let nearest = edge(spacing) / 2.0_f64.sqrt();
    let sides = [DVec3::X, DVec3::new(0.5, 0.75_f64.sqrt(), 0.0)].map(|side| side * nearest);
    let [a, b] = sides;
    let up = DVec3::Z * between_layers_in_space(spacing);
    // Rows of close-packed spheres are 0.866 diameters apart; each is shifted against the next by a third of a
    // triangle.
    let (span, levels) = (span(reach, 0.8 * nearest), span(reach, up.z));
    let places = cube(span.clone(), span, 0..=*levels.end());
    let place = |(i, j, k): (i32, i32, i32)| {
        a * f64::from(i) + b * f64::from(j) + (a + b) / 3.0 * f64::from(k % 3) + up * f64::from(k)
    };
    (places.map(place).collect(), sides)
}

type Span = std::ops::RangeInclusive<i32>;

/// The numbers of steps within reach, with one to spare.
fn span(reach: f64, step: f64) -> Span {
    let most = (reach / step).ceil() as i32 + 1;
    -most..=most
}

fn cube(x: Span, y: Span, z: Span) -> impl Iterator<Item = (i32, i32, i32)> {
    x.flat_map(move |x| {
        let z = z.clone();
        y.clone().flat_map(move |y| z.clone().map(move |z| (x, y, z)))
    })
}
