//! What a wall adds to the density of a particle near it.
//!
//! A wall is thought to be filled with matter at rest, in layers one spacing apart of which the first lies half a
//! spacing below the surface: the mirror image of the particles that rest on it. Summed over the layers, each spread
//! evenly, the kernel gives the sum L(distance) that the wall stands for in DG96 (3).
//!
//! The share that is used is L^2 / L0, with L0 = L(spacing / 2): it is the same where the first row of particles rests,
//! and its slope there is twice that of L. So the wall's push, taken as the gradient of the particle's own elastic
//! energy, equals that of layers with the particle's pressure in them (the two terms of DG96 (4)), and the row neither
//! sinks in nor stands off. A push of twice the gradient of L would do the same at rest, but it is the gradient of no
//! energy: it feeds the matter, which then boils.

use crate::SmoothingKernel;

/// Entries of the tables over one support radius.
const ENTRIES: usize = 256;

/// The kernel summed over a wall's layers.
#[derive(Debug, Clone)]
pub struct WallLayers {
    support: f64,
    /// The wall's share at distances 0, support / ENTRIES, ...
    layers: Vec<f64>,
}

impl WallLayers {
    /// Tables for a kernel and a particle spacing, m.
    pub fn new(kernel: &SmoothingKernel, spacing: f64) -> Self {
        let support = kernel.support();
        let step = support / ENTRIES as f64;
        let sheet = |z: f64| sheet_integral(kernel, z);
        let layer_sum = |distance: f64| {
            let depths = (0..).map(|layer| distance + (f64::from(layer) + 0.5) * spacing).take_while(|&z| z < support);
            depths.map(|z| sheet(z) * spacing).sum::<f64>()
        };
        let at_rest = layer_sum(spacing / 2.0);
        let layers = (0..=ENTRIES).map(|i| layer_sum(i as f64 * step).powi(2) / at_rest).collect();
        Self { support, layers }
    }

    /// The wall's share of the volume sum, and its derivative by distance (1/m), at a signed distance in m.
    pub fn share(&self, distance: f64) -> (f64, f64) {
        let step = self.support / ENTRIES as f64;
        if distance >= self.support {
            return (0.0, 0.0);
        }
        let at = distance / step;
        // Inside the wall the first slope goes on, so that it pushes out from any depth.
        let entry = (at.max(0.0) as usize).min(ENTRIES - 1);
        let slope = self.layers[entry + 1] - self.layers[entry];
        (self.layers[entry] + slope * (at - entry as f64), slope / step)
    }
}

/// The kernel integrated over a plane at distance z from the particle, 1/m.
fn sheet_integral(kernel: &SmoothingKernel, z: f64) -> f64 {
    // 2 pi times the integral of W(r) r dr from z to the support, by Simpson's rule.
    let support = kernel.support();
    if z >= support {
        return 0.0;
    }
    let pieces = 64;
    let step = (support - z) / f64::from(pieces);
    let weight = |i: i32| {
        if i == 0 || i == pieces {
            1.0
        } else if i % 2 == 1 {
            4.0
        } else {
            2.0
        }
    };
    let value = |i: i32| {
        let r = z + f64::from(i) * step;
        weight(i) * kernel.value(r) * r
    };
    std::f64::consts::TAU * step / 3.0 * (0..=pieces).map(value).sum::<f64>()
}
