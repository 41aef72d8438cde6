//! Removes thin triangles in sequence, the thinnest first, by edge collapses or flips, whichever leaves the best
//! triangles.
//!
//! Visits only thin triangles, including those that changes make thin. Each change improves the sum over its triangles,
//! so the process ends.

use super::geometry::{EdgeChange, MeshGeometry, sine};
use rayon::prelude::*;

/// Sine of the least angle below which a triangle is thin: 30 degrees.
const THIN: f32 = 0.5;

/// Least gain of a change.
const MIN_GAIN: f32 = 0.05;

/// Cost of moving the surface, per square of the offset in cells: a tenth of a cell is acceptable for triangles thinner
/// than 25 degrees, a fifth for 15.
const COST_OF_OFFSET: f32 = 200.0;

/// Largest offset of the surface, cells.
const MAX_OFFSET: f32 = 0.25;

/// Square of the longest allowed edge, cells^2.
const MAX_EDGE_SQUARED: f32 = 6.25;

/// Largest number of rounds over thin triangles.
const MAX_ROUNDS: usize = 8;

/// An operation on an edge.
enum EdgeOperation {
    Collapse(usize),
    Flip(usize),
}

/// Removes thin triangles.
pub(super) fn repair(geometry: &mut MeshGeometry) {
    let mut thin = thin(geometry, (0..geometry.mesh.triangles()).into_par_iter());
    for _ in 0..MAX_ROUNDS {
        let mut changed = vec![];
        for (_, triangle) in thin {
            // The triangle may have changed since, or be removed.
            let operation = thinness(geometry, triangle).and_then(|_| best(geometry, triangle));
            if let Some(operation) = operation {
                operation.apply(geometry, &mut changed);
            }
        }
        changed.sort_unstable();
        changed.dedup();
        thin = self::thin(geometry, changed.into_par_iter());
    }
}

/// The sine of the least angle of a thin triangle, as bits that sort like the number; none if the triangle is not thin.
fn thinness(geometry: &MeshGeometry, triangle: usize) -> Option<u32> {
    geometry.triangle(triangle).map(sine).filter(|sine| *sine < THIN).map(f32::to_bits)
}

/// The thin triangles among some, the thinnest first.
fn thin(geometry: &MeshGeometry, triangles: impl ParallelIterator<Item = usize>) -> Vec<(u32, usize)> {
    let thinness = |triangle: usize| Some((thinness(geometry, triangle)?, triangle));
    let mut thin: Vec<(u32, usize)> = triangles.filter_map(thinness).collect();
    thin.sort_unstable();
    thin
}

/// The operation that leaves the best triangles; of equals the first.
fn best(geometry: &MeshGeometry, triangle: usize) -> Option<EdgeOperation> {
    let worth = |change: &EdgeChange| change.gain - COST_OF_OFFSET * change.offset * change.offset;
    let mut best = (MIN_GAIN, None);
    // The topology check comes last, as it is slowest and few changes get this far.
    let mut consider = |change: Option<EdgeChange>, operation: EdgeOperation| {
        let sound = |change: &EdgeChange| {
            let small = change.offset <= MAX_OFFSET && change.longest_squared <= MAX_EDGE_SQUARED;
            small && worth(change) > best.0
        };
        if let Some(change) = change.filter(sound).filter(|_| operation.is_valid(geometry)) {
            best = (worth(&change), Some(operation));
        }
    };
    // A thin triangle has a short edge, or a long edge close to the third vertex.
    let shortest = geometry.shortest(triangle);
    for corner in 3 * triangle..3 * triangle + 3 {
        if corner == shortest {
            let twin = geometry.mesh.twin(corner);
            consider(geometry.collapse(corner), EdgeOperation::Collapse(corner));
            consider(geometry.collapse(twin), EdgeOperation::Collapse(twin));
        } else {
            consider(geometry.flip(corner), EdgeOperation::Flip(corner));
        }
    }
    best.1
}

impl EdgeOperation {
    /// Whether the mesh stays a closed manifold.
    fn is_valid(&self, geometry: &MeshGeometry) -> bool {
        match self {
            Self::Collapse(corner) => geometry.can_collapse(*corner),
            Self::Flip(corner) => geometry.mesh.can_flip(*corner),
        }
    }

    /// Applies the operation, and lists the changed triangles.
    fn apply(self, geometry: &mut MeshGeometry, changed: &mut Vec<usize>) {
        let mesh = &mut geometry.mesh;
        match self {
            Self::Flip(corner) => {
                changed.extend([corner, mesh.twin(corner)].map(|corner| corner / 3));
                mesh.flip(corner);
            }
            Self::Collapse(corner) => {
                let end = mesh.end(corner);
                mesh.collapse(corner);
                changed.extend(mesh.ring(end).map(|corner| corner / 3));
            }
        }
    }
}
