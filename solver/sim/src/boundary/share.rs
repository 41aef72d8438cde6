//! The share of the kernel that a solid takes away, and the flat wall that takes away as much.
//!
//! Shares are weighted sums over the nodes of a grid. The distance of the flat wall is found with the same weights, so
//! that along flat walls the grid's own error cancels.

use crate::SmoothingKernel;
use glam::IVec3;

/// Number of tabulated distances for each node spacing.
const ENTRIES_PER_NODE: i32 = 32;

/// Kernel weights on a grid, and the shares of flat walls at tabulated distances.
#[derive(Debug)]
pub struct SolidShare {
    node_spacing: f64,
    /// Reach of the kernel, in nodes.
    reach: i32,
    /// Weights of the nodes within the support, summing to 1.
    weights: Vec<(IVec3, f64)>,
    /// Shares of the flat walls at distances -reach - 1 ... reach + 1 nodes, falling from 1 to 0.
    walls: Vec<f64>,
}

impl SolidShare {
    /// Weights of a kernel on a grid with the given spacing, m.
    pub fn new(kernel: &SmoothingKernel, node_spacing: f64) -> Self {
        let reach = (kernel.support() / node_spacing).ceil() as i32;
        let weights = weights(kernel, node_spacing, reach);
        let entries = (2 * (reach + 1) * ENTRIES_PER_NODE) as usize;
        let mut share = Self { node_spacing, reach, weights, walls: Vec::new() };
        share.walls = (0..=entries).map(|entry| share.of_wall(share.distance(entry as f64))).collect();
        share
    }

    /// Reach of the kernel, in nodes.
    pub fn reach(&self) -> i32 {
        self.reach
    }

    /// The share taken by a solid that fills the cell around each node by `solid`.
    pub fn of(&self, solid: impl Fn(IVec3) -> f64) -> f64 {
        self.weights.iter().map(|&(offset, weight)| weight * solid(offset)).sum()
    }

    /// The filled part of the cell around a node when the surface passes the node at a signed distance, m.
    pub fn filled(&self, distance: f64) -> f64 {
        (0.5 - distance / self.node_spacing).clamp(0.0, 1.0)
    }

    /// Distance of the flat wall that takes away the given share, m; infinite for none.
    pub fn flat_distance(&self, share: f64) -> f64 {
        let after = self.walls.partition_point(|&wall| wall > share).max(1);
        if share <= 0.0 || after == self.walls.len() {
            return f64::INFINITY;
        }
        let (above, below) = (self.walls[after - 1], self.walls[after]);
        let part = if above > below { ((above - share) / (above - below)).clamp(0.0, 1.0) } else { 0.0 };
        self.distance((after - 1) as f64 + part)
    }

    fn of_wall(&self, distance: f64) -> f64 {
        self.of(|offset| self.filled(distance + f64::from(offset.z) * self.node_spacing))
    }

    fn distance(&self, entry: f64) -> f64 {
        (entry / f64::from(ENTRIES_PER_NODE) - f64::from(self.reach + 1)) * self.node_spacing
    }
}

fn weights(kernel: &SmoothingKernel, node_spacing: f64, reach: i32) -> Vec<(IVec3, f64)> {
    let span = move || -reach..=reach;
    let offsets = span().flat_map(|x| span().flat_map(move |y| span().map(move |z| IVec3::new(x, y, z))));
    let weighted: Vec<(IVec3, f64)> = offsets
        .map(|o| (o, kernel.value(o.as_dvec3().length() * node_spacing)))
        .filter(|&(_, weight)| weight > 0.0)
        .collect();
    let total: f64 = weighted.iter().map(|&(_, weight)| weight).sum();
    weighted.into_iter().map(|(offset, weight)| (offset, weight / total)).collect()
}
