//! Number and distance of the lattice layers that fill a body. Along each axis there are enough layers to give the body
//! the particles of its volume. They are stretched or squeezed where the outermost would lie too far from the faces or
//! too near.

use crate::bounds::Bounds;
use glam::{DVec3, IVec3};
use rustc_hash::FxHashSet;

/// A body may hold more or fewer particles than its volume asks for by this part; all but the thinnest and the smallest
/// come nearer.
pub const FILLED: f64 = 0.025;

/// A filling this close to the target ends the search.
const CLOSE: f64 = 0.01;

/// Number of candidates that are tried on a small body; fewer on a large one, which evens out by itself.
const TRIES: f64 = 64.0;
/// Limits on the points that all candidates may make, and on the places that may be looked at for them.
const TRIED: f64 = 2.0e6;
const LOOKED_AT: f64 = 2.0e7;

/// The distance of layers may differ from that of the lattice at rest by this part. A body of few layers may differ
/// more, as its layers find their distance again themselves.
const STRETCH: f64 = 0.15;
const THIN_STRETCH: f64 = 0.9;

/// Least and most distance of the outermost layers from the faces of a box, in spacings. Bodies that touch each other
/// keep all of their particles at these distances.
const GAPS: [f64; 2] = [0.351, 0.65];

/// Least distance of the outermost layers from the faces of a box, in spacings, where layers keep their distances at
/// rest.
const LEAST_GAP: f64 = 0.25;

/// Weight of the number of points in the bounds, for a body that does not fill its bounds.
const FORESEEN: f64 = 0.05;

/// Stretching cannot help a body with too many points by more than this part.
const HOPELESS: f64 = 0.5;

/// Candidates along an axis to each side of the number of layers that fits it best.
const CHOICES: i32 = 5;

/// The room that lattice layers are to fill.
#[derive(Debug, Clone, Copy)]
pub struct LatticeRoom {
    /// The box around it.
    pub bounds: Bounds,
    /// Spacing of particles, m.
    pub spacing: f64,
    /// Distances of layers in the lattice at rest, m. Every other place of the layers holds a point.
    pub steps: DVec3,
    /// Whether the room is a cut by a plane across Y.
    pub is_section: bool,
}

/// The positions of layers.
#[derive(Debug, Clone, Copy)]
pub struct LatticeLayers {
    /// The first layer along each axis, m.
    pub first: DVec3,
    /// Distances between layers, m.
    pub steps: DVec3,
    /// Cost of the difference between these distances and those at rest.
    strain: f64,
}

/// The points of the layers that hold about as many as the target, given a function that finds the points of some
/// layers. Where a small body would have too many points, the least surrounded ones are left out.
pub fn fitting(room: &LatticeRoom, target: f64, points: impl Fn(&LatticeLayers) -> Vec<DVec3>) -> Vec<DVec3> {
    let target = target.max(1.0);
    let tries = (TRIED / target).min(LOOKED_AT / room.places()).clamp(1.0, TRIES) as usize;
    let mut best: Option<(f64, LatticeLayers, Vec<DVec3>)> = None;
    for layers in room.candidates(target).into_iter().take(tries) {
        let found = points(&layers);
        let over = found.len() as f64 / target - 1.0;
        let cost = layers.strain + against(over);
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, layers, found));
        }
        if over.abs() < CLOSE {
            break;
        }
    }
    best.map_or_else(Vec::new, |(_, layers, found)| trimmed(found, &layers, target))
}

/// Cost of a part of points too many or too few. From small bodies extra points can be removed, but missing ones cannot
/// be added.
fn against(over: f64) -> f64 {
    if over < 0.0 { -over + 15.0 * (-over - FILLED).max(0.0) } else { 0.5 * over.min(HOPELESS) }
}

/// Relative difference of two lengths, antisymmetric between them.
fn strain(length: f64, rest: f64) -> f64 {
    (length / rest - rest / length) / 2.0
}

impl LatticeRoom {
    /// Size of the bounds, m; zero along Y for a cut.
    fn extent(&self) -> DVec3 {
        let extent = self.bounds.high - self.bounds.low;
        if self.is_section { extent.with_y(0.0) } else { extent }
    }

    /// Places of the lattice at rest in the bounds.
    fn places(&self) -> f64 {
        (self.extent() / self.steps + 1.0).element_product() / 2.0
    }

    /// Layers as far apart as at rest, at least a quarter of a spacing from the faces of a box.
    pub fn at_rest(&self) -> LatticeLayers {
        let fits = ((self.extent() - 2.0 * LEAST_GAP * self.spacing) / self.steps).floor().max(DVec3::ZERO);
        let first = (self.bounds.low + self.bounds.high) / 2.0 - fits / 2.0 * self.steps;
        LatticeLayers { first, steps: self.steps, strain: 0.0 }
    }

    /// Candidate layers, the best first.
    fn candidates(&self, target: f64) -> Vec<LatticeLayers> {
        let counts = [0, 1, 2].map(|axis| self.counts(axis));
        let mut candidates = Vec::new();
        // The longest axis has the finest choice, and makes up for the others.
        let extent = self.extent() / self.steps;
        let last = (0..3).fold(0, |longest, axis| if extent[axis] > extent[longest] { axis } else { longest });
        let [a, b] = [(last + 1) % 3, (last + 2) % 3];
        for &one in &counts[a] {
            for &two in &counts[b] {
                let asked = 2.0 * target / (f64::from(one) * f64::from(two)) / self.share(target);
                let near = counts[last].iter().copied().chain([asked.floor(), asked.ceil()].map(|n| n.max(1.0) as u32));
                for three in near.filter(|&n| self.allows(last, n)) {
                    let mut layers = [0; 3];
                    (layers[a], layers[b], layers[last]) = (one, two, three);
                    candidates.push(self.candidate(layers, target));
                }
            }
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
        candidates.into_iter().map(|(_, layers)| layers).collect()
    }

    /// The part of the bounds that the body fills, by its target number of points.
    fn share(&self, target: f64) -> f64 {
        let Self { steps, .. } = *self;
        let extent = if self.is_section { self.extent().with_y(steps.y) } else { self.extent() };
        2.0 * target / (extent / steps).element_product()
    }

    /// The possible numbers of layers along an axis.
    fn counts(&self, axis: usize) -> Vec<u32> {
        if self.is_section && axis == 1 {
            // The plane itself is the only layer.
            return vec![1];
        }
        let even = self.extent()[axis] / self.steps[axis];
        let some = (-CHOICES..=CHOICES).map(|n| (even * (1.0 + STRETCH * f64::from(n) / f64::from(CHOICES))).round());
        let some = some.chain([even.floor(), even.ceil()]).map(|n| n.max(1.0) as u32);
        let mut counts: Vec<u32> = some.filter(|&n| self.allows(axis, n)).collect();
        counts.sort_unstable();
        counts.dedup();
        if counts.is_empty() { vec![even.floor().max(1.0) as u32] } else { counts }
    }

    fn allows(&self, axis: usize, layers: u32) -> bool {
        // There is no less than one layer.
        let extent = self.extent()[axis] / self.steps[axis];
        let is_thin = layers == 1 && (extent < 1.0 || strain(extent, 1.0) <= THIN_STRETCH);
        let most = STRETCH.max(THIN_STRETCH / f64::from(layers));
        is_thin || layers > 1 && strain(self.step(axis, layers), self.steps[axis]).abs() <= most
    }

    /// The distance of `layers` layers along an axis, m: that at rest, or the nearest that keeps the outermost layers
    /// as far from the faces as they should be.
    fn step(&self, axis: usize, layers: u32) -> f64 {
        if layers == 1 {
            return self.steps[axis];
        }
        let [most, least] = GAPS.map(|gap| (self.extent()[axis] - 2.0 * gap * self.spacing) / f64::from(layers - 1));
        self.steps[axis].max(least).min(most).max(f64::MIN_POSITIVE)
    }

    /// The candidate with so many layers along each axis, and its cost before points are found.
    fn candidate(&self, layers: [u32; 3], target: f64) -> (f64, LatticeLayers) {
        let Bounds { low, high } = self.bounds;
        let counts = DVec3::from_array(layers.map(f64::from));
        let steps = DVec3::from_array([0, 1, 2].map(|axis| self.step(axis, layers[axis])));
        let by_axis = [0, 1, 2].map(|axis| strain(steps[axis], self.steps[axis]));
        // A single layer has no distance to another.
        let of_layers = (0..3).filter(|&axis| layers[axis] > 1).map(|axis| by_axis[axis].abs());
        let largest = of_layers.fold(0.0, f64::max);
        // Of equal candidates the one whose layers are alike along X and Y wins.
        let even = counts / (self.extent() / self.steps);
        let unlike = if self.is_section { 0.0 } else { 0.02 * (even.x - even.y).abs() };
        let strain = largest + 0.1 * (by_axis[0] - by_axis[1]).abs() + unlike;
        let share = self.share(target).min(1.0);
        let held = share * counts.element_product() / 2.0;
        let known = if share > 0.99 { 1.0 } else { FORESEEN };
        let first = (low + high) / 2.0 - (counts - 1.0) / 2.0 * steps;
        (strain + known * against(held / target - 1.0), LatticeLayers { first, steps, strain })
    }
}

/// Removes the points too many, the least surrounded first, if these are few enough to lie on corners and edges.
fn trimmed(points: Vec<DVec3>, layers: &LatticeLayers, target: f64) -> Vec<DVec3> {
    let wanted = target.round().max(1.0) as usize;
    let count = points.len();
    if (count as f64) < target * (1.0 + FILLED) || count - wanted > (count as f64).powf(2.0 / 3.0).ceil() as usize {
        return points;
    }
    let place = |p: &DVec3| ((*p - layers.first) / layers.steps).round().as_ivec3();
    let places: FxHashSet<IVec3> = points.iter().map(place).collect();
    let around = |p: &DVec3| neighbours().filter(|&offset| places.contains(&(place(p) + offset))).count();
    let mut order: Vec<(usize, usize)> = points.iter().map(around).zip(0..).collect();
    // Of equals the last and the first go in turn, so that no side loses them all.
    order.sort_unstable_by_key(|&(around, number)| (around, number.min(count - 1 - number), number));
    let out: FxHashSet<usize> = order[..count - wanted].iter().map(|&(_, number)| number).collect();
    points.into_iter().enumerate().filter(|(number, _)| !out.contains(number)).map(|(_, p)| p).collect()
}

/// Offsets to the nearest places of the lattice, in layers; in a cut neighbours along X lie two layers apart.
fn neighbours() -> impl Iterator<Item = IVec3> {
    let along = || -1..=1;
    let all = along().flat_map(move |x| along().flat_map(move |y| along().map(move |z| IVec3::new(x, y, z))));
    all.filter(|offset| offset.length_squared() == 2).chain([IVec3::new(2, 0, 0), IVec3::new(-2, 0, 0)])
}
