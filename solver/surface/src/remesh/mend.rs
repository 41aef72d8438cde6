//! Thin triangles mended, one after another and the thinnest first: an edge is shrunk to a point or turned, whatever leaves the best triangles.
//!
//! Only triangles that are thin, and those beside a change that are, are looked at. What is done makes the
//! triangles that it touches better in sum, so it comes to an end.

use super::shape::{Effect, Shape, sine};
use rayon::prelude::*;

/// Sine of the angle below which a triangle is thin: 30 degrees.
const THIN: f32 = 0.5;

/// How much a change has to gain.
const LEAST_GAIN: f32 = 0.05;

/// What it costs of the gain to move the surface by a cell, for the square of the way: a tenth of a cell for what is thinner
/// than 25 degrees, a fifth for 15.
const COST_OF_WAY: f32 = 200.0;

/// The farthest that the surface may move, cells.
const FARTHEST: f32 = 0.25;

/// Square of the longest edge that may come about, cells^2.
const LONGEST_SQUARED: f32 = 6.25;

/// The most rounds over what is still thin.
const ROUNDS: usize = 8;

/// What is done to an edge.
enum Remedy {
    Collapse(usize),
    Flip(usize),
}

/// Mends what is thin.
pub(super) fn mend(shape: &mut Shape) {
    let mut thin = thin(shape, (0..shape.mesh.triangles()).into_par_iter());
    for _ in 0..ROUNDS {
        let mut touched = vec![];
        for (_, triangle) in thin {
            // It may have changed since, or be gone.
            let remedy = thinness(shape, triangle).and_then(|_| best(shape, triangle));
            if let Some(remedy) = remedy {
                remedy.apply(shape, &mut touched);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        thin = self::thin(shape, touched.into_par_iter());
    }
}

/// The sine of a triangle's least angle, if it is thin: the bits, which sort as the number does.
fn thinness(shape: &Shape, triangle: usize) -> Option<u32> {
    shape.triangle(triangle).map(sine).filter(|sine| *sine < THIN).map(f32::to_bits)
}

/// The thin ones of some triangles, the thinnest first.
fn thin(shape: &Shape, triangles: impl ParallelIterator<Item = usize>) -> Vec<(u32, usize)> {
    let thinness = |triangle: usize| Some((thinness(shape, triangle)?, triangle));
    let mut thin: Vec<(u32, usize)> = triangles.filter_map(thinness).collect();
    thin.sort_unstable();
    thin
}

/// What leaves the best triangles, of equals the first.
fn best(shape: &Shape, triangle: usize) -> Option<Remedy> {
    let worth = |effect: &Effect| effect.gain - COST_OF_WAY * effect.offset * effect.offset;
    let mut best = (LEAST_GAIN, None);
    // Whether the mesh stays whole is asked last: it takes longest, and hardly any change is better than what there is.
    let mut offer = |effect: Option<Effect>, remedy: Remedy| {
        let sound = |effect: &Effect| {
            let small = effect.offset <= FARTHEST && effect.longest_squared <= LONGEST_SQUARED;
            small && worth(effect) > best.0
        };
        if let Some(effect) = effect.filter(sound).filter(|_| remedy.can_be(shape)) {
            best = (worth(&effect), Some(remedy));
        }
    };
    // What is thin has a short edge, or a long one near which the third vertex is.
    let shortest = shape.shortest(triangle);
    for corner in 3 * triangle..3 * triangle + 3 {
        if corner == shortest {
            let twin = shape.mesh.twin(corner);
            offer(shape.collapse(corner), Remedy::Collapse(corner));
            offer(shape.collapse(twin), Remedy::Collapse(twin));
        } else {
            offer(shape.flip(corner), Remedy::Flip(corner));
        }
    }
    best.1
}

impl Remedy {
    /// Whether the mesh stays whole.
    fn can_be(&self, shape: &Shape) -> bool {
        match self {
            Self::Collapse(corner) => shape.can_collapse(*corner),
            Self::Flip(corner) => shape.mesh.can_flip(*corner),
        }
    }

    /// Does it, and adds the triangles that have changed.
    fn apply(self, shape: &mut Shape, touched: &mut Vec<usize>) {
        let mesh = &mut shape.mesh;
        match self {
            Self::Flip(corner) => {
                touched.extend([corner, mesh.twin(corner)].map(|corner| corner / 3));
                mesh.flip(corner);
            }
            Self::Collapse(corner) => {
                let end = mesh.end(corner);
                mesh.collapse(corner);
                touched.extend(mesh.ring(end).map(|corner| corner / 3));
            }
        }
    }
}
