//! Gives a surface as many samples as its area takes: removes the most crowded and adds new ones in the widest gaps.

use super::expected_samples;
use super::samples::{Point, Samples, grid_of, nearest};
use super::surface::{SheetSurface, SurfacePiece};
use super::walk::SurfacePoint;
use crate::hash_grid::HashGrid;
use glam::{DVec2, DVec3};
use rayon::prelude::*;

/// Probes for each sample.
const PROBES: f64 = 4.0;

/// Limits in the distance of neighbours: samples nearer than the first are crowded, gaps of a radius from the second on
/// are filled, and the widest gaps from the third on may take a sample.
const CROWDED: f64 = 0.72;
const GAP: f64 = 0.88;
const LEAST_GAP: f64 = 0.62;

/// Points spread evenly over each piece: low-discrepancy points (Roberts 2018) in each triangle in turn, as many as its
/// area takes, where the fraction left over from one triangle goes on to the next.
pub(super) fn probes(surface: &SheetSurface, targets: &[usize]) -> Vec<Vec<SurfacePoint>> {
    let mut index = 0_u32;
    let of_piece = |(piece, &target): (&SurfacePiece, &usize)| {
        let (mut places, mut due) = (Vec::new(), 0.5);
        for face in piece.faces.clone() {
            due += PROBES * target as f64 * (surface.faces[face].area / piece.area);
            let count = due.floor();
            due -= count;
            for _ in 0..count as u64 {
                index = index.wrapping_add(1);
                places.push(SurfacePoint { face: face as u32, barycentric: even(index) });
            }
        }
        places
    };
    surface.pieces.iter().zip(targets).map(of_piece).collect()
}

/// A point of the R2 sequence of Roberts (2018), folded into the triangle.
fn even(index: u32) -> DVec3 {
    // 1 over the plastic number, and over its square.
    let point = (DVec2::new(0.754_877_666_246_692_7, 0.569_840_290_998_053_3) * f64::from(index)).fract();
    let point = if point.element_sum() > 1.0 { 1.0 - point } else { point };
    DVec3::new(1.0 - point.element_sum(), point.x, point.y)
}

/// The target number of samples of a piece: by its area, or by its length where it is a strip too narrow for two rows.
pub(super) fn target(piece: &SurfacePiece, distance: f64) -> f64 {
    let width = if piece.rim > 0.0 { 2.0 * piece.area / piece.rim } else { f64::INFINITY };
    let length = (piece.rim / 2.0 - width).max(0.0);
    expected_samples(piece.area, distance).max(length / distance).round().max(1.0)
}

/// Removes the samples that a piece has beyond its target, and all that are too near to another.
pub(super) fn clear(samples: &mut Samples, targets: &[usize], held: &[bool], distance: f64) {
    let mut spare = samples.counts(targets.len());
    spare.iter_mut().zip(targets).for_each(|(count, &target)| *count = count.saturating_sub(target));
    thin(samples, &mut spare, held, distance);
}

/// Adds the samples that a piece lacks of its target where there is room for them, and further samples in all gaps that
/// are too wide.
pub(super) fn fill(
    surface: &SheetSurface,
    samples: &mut Samples,
    probes: &[Vec<SurfacePoint>],
    targets: &[usize],
    held: &[bool],
    distance: f64,
) {
    let counts = samples.counts(targets.len());
    let grid = grid_of(&samples.points, distance);
    let mut new = Vec::new();
    for piece in (0..targets.len()).filter(|&piece| !held[piece]) {
        let missing = targets[piece].saturating_sub(counts[piece]);
        new.extend(widest(surface, &grid, samples, &probes[piece], missing, distance));
    }
    for place in new {
        samples.push(surface, place);
    }
}

/// Removes one of any two samples that are too near to each other; returns how many it removed.
pub(super) fn part(samples: &mut Samples, held: &[bool], distance: f64) -> usize {
    let before = samples.len();
    thin(samples, &mut vec![0; held.len()], held, distance);
    before - samples.len()
}

/// Removes the most crowded samples: the spare ones of each piece, and all that are too near to another.
fn thin(samples: &mut Samples, spare: &mut [usize], held: &[bool], distance: f64) {
    let grid = grid_of(&samples.points, distance);
    let crowd = |number: usize| {
        let point = &samples.points[number];
        if held[point.piece as usize] {
            return (0.0, distance);
        }
        let (mut sum, mut least) = (0.0, distance);
        for other in grid.near(point.position, 1.2 * distance).filter(|&other| other as usize != number) {
            let other = &samples.points[other as usize];
            let length = other.position.distance(point.position);
            if length < 1.2 * distance && point.same_sheet(other, distance) {
                sum += (1.2 - length / distance).powi(2);
                least = least.min(length);
            }
        }
        (sum, least)
    };
    let crowds: Vec<(f64, f64)> = (0..samples.len()).into_par_iter().with_min_len(256).map(crowd).collect();
    let mut order: Vec<usize> = (0..samples.len()).filter(|&n| !held[samples.points[n].piece as usize]).collect();
    order.sort_by(|&a, &b| crowds[b].0.total_cmp(&crowds[a].0).then(a.cmp(&b)));
    let mut keep = vec![true; samples.len()];
    for number in order {
        let point = &samples.points[number];
        let crowded = crowds[number].1 < CROWDED * distance;
        if !crowded && spare[point.piece as usize] == 0 {
            continue;
        }
        let near = |other: u32| {
            !keep[other as usize]
                && samples.points[other as usize].position.distance(point.position) < distance
                && samples.points[other as usize].same_sheet(point, distance)
        };
        if !grid.near(point.position, distance).any(near) {
            keep[number] = false;
            spare[point.piece as usize] = spare[point.piece as usize].saturating_sub(1);
        }
    }
    samples.retain(&keep);
}

/// Probes in the widest gaps of a piece, no two in one gap: as many as are missing, and all in gaps that are too wide.
fn widest(
    surface: &SheetSurface,
    grid: &HashGrid,
    samples: &Samples,
    probes: &[SurfacePoint],
    missing: usize,
    distance: f64,
) -> Vec<SurfacePoint> {
    let gap = |&probe: &SurfacePoint| {
        let point = Point::new(surface, probe);
        (nearest(grid, &samples.points, &point, distance, distance), probe)
    };
    let gaps = probes.par_iter().with_min_len(256).map(gap);
    let mut gaps: Vec<(f64, SurfacePoint)> = gaps.filter(|gap| gap.0 > LEAST_GAP * distance).collect();
    gaps.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut chosen, mut points, mut filled) = (Vec::new(), Vec::new(), HashGrid::empty(distance));
    for (radius, probe) in gaps {
        if radius < GAP * distance && chosen.len() >= missing {
            break;
        }
        let point = Point::new(surface, probe);
        if nearest(&filled, &points, &point, distance, distance) >= distance {
            filled.push(point.position);
            points.push(point);
            chosen.push(probe);
        }
    }
    chosen
}
