//! How many layers of the lattice fill a body: as many along each axis as give it the particles of its volume,
//! stretched or squeezed where the outermost would lie too far from its faces or too near.

use glam::{DVec3, IVec3};
use rustc_hash::FxHashSet;

/// Part of its volume by which a body may be filled with more or less; all but the thinnest and the smallest come
/// nearer.
pub const FILLED: f64 = 0.025;

/// Close enough to look no further.
const CLOSE: f64 = 0.01;

/// DisplacementBox to lay the layers that are tried on a small body; of a large one, which evens out by itself, fewer.
const TRIES: f64 = 64.0;
/// Points that all of them may make, and places that may be looked at for these.
const TRIED: f64 = 2.0e6;
const LOOKED_AT: f64 = 2.0e7;

/// By which part the distance of layers may differ from that of the lattice at rest; that of few more, as they find it
/// again themselves.
const STRETCH: f64 = 0.15;
const THIN_STRETCH: f64 = 0.9;

/// Least and most distance of the outermost layers from the faces of a box, in spacings. Bodies that touch each other
/// keep all of their particles so.
const GAPS: [f64; 2] = [0.351, 0.65];

/// Least distance of the outermost layers from the faces of a box, in spacings, where layers keep the distances that
/// they have at rest.
const LEAST_GAP: f64 = 0.25;

/// How much the number of points that the bounds would hold tells of a body that does not fill them.
const FORESEEN: f64 = 0.05;

/// What is filled with more than so much too much cannot be helped by stretching it.
const HOPELESS: f64 = 0.5;

/// Choices along an axis to each side of the layers that fit it best.
const CHOICES: i32 = 5;

/// What is to be filled.
#[derive(Debug, Clone, Copy)]
pub struct LatticeRoom {
    /// Lowest and highest corner of its bounds, m.
    pub bounds: (DVec3, DVec3),
    /// Spacing of particles, m.
    pub spacing: f64,
    /// Distances of layers in the lattice at rest, m. Every other place of its layers holds a point.
    pub steps: DVec3,
    /// Whether it is a cut by a plane across Y.
    pub is_section: bool,
}

/// Where layers lie.
#[derive(Debug, Clone, Copy)]
pub struct LatticeLayers {
    /// The first along each axis, m.
    pub first: DVec3,
    /// Distances between them, m.
    pub steps: DVec3,
    /// How far they differ from those at rest: what speaks against them.
    strain: f64,
}

/// The points of those layers that hold about as many as a body should take, given how to find those of some. Where a
/// small body would have too many, the least surrounded are left out.
pub fn fitting(room: &LatticeRoom, target: f64, points: impl Fn(&LatticeLayers) -> Vec<DVec3>) -> Vec<DVec3> {
    let target = target.max(1.0);
    let tries = (TRIED / target).min(LOOKED_AT / room.places()).clamp(1.0, TRIES) as usize;
    let mut best: Option<(f64, LatticeLayers, Vec<DVec3>)> = None;
    for layers in room.ways(target).into_iter().take(tries) {
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

/// What speaks against a part of points too many: of small bodies some can be left out, but what is missing cannot be
/// added.
fn against(over: f64) -> f64 {
    if over < 0.0 { -over + 15.0 * (-over - FILLED).max(0.0) } else { 0.5 * over.min(HOPELESS) }
}

/// By which part two lengths differ, the same for longer and shorter.
fn strain(length: f64, rest: f64) -> f64 {
    (length / rest - rest / length) / 2.0
}

impl LatticeRoom {
    /// Size of the bounds, m; of a cut there is nothing along Y.
    fn extent(&self) -> DVec3 {
        let extent = self.bounds.1 - self.bounds.0;
        if self.is_section { extent.with_y(0.0) } else { extent }
    }

    /// Places of the lattice at rest in the bounds.
    fn places(&self) -> f64 {
        (self.extent() / self.steps + 1.0).element_product() / 2.0
    }

    /// LatticeLayers as far apart as at rest, a quarter of a spacing from the faces of a box or more.
    pub fn at_rest(&self) -> LatticeLayers {
        let fits = ((self.extent() - 2.0 * LEAST_GAP * self.spacing) / self.steps).floor().max(DVec3::ZERO);
        let first = (self.bounds.0 + self.bounds.1) / 2.0 - fits / 2.0 * self.steps;
        LatticeLayers { first, steps: self.steps, strain: 0.0 }
    }

    /// DisplacementBox to lay the layers, the best first.
    fn ways(&self, target: f64) -> Vec<LatticeLayers> {
        let counts = [0, 1, 2].map(|axis| self.counts(axis));
        let mut ways = Vec::new();
        // The longest axis has the finest choice, and takes what the others leave.
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
                    ways.push(self.way(layers, target));
                }
            }
        }
        ways.sort_by(|a, b| a.0.total_cmp(&b.0));
        ways.into_iter().map(|(_, layers)| layers).collect()
    }

    /// Which part of its bounds it fills, by the points that it should take.
    fn share(&self, target: f64) -> f64 {
        let Self { steps, .. } = *self;
        let extent = if self.is_section { self.extent().with_y(steps.y) } else { self.extent() };
        2.0 * target / (extent / steps).element_product()
    }

    /// How many layers there may be along an axis.
    fn counts(&self, axis: usize) -> Vec<u32> {
        if self.is_section && axis == 1 {
            // The plane itself.
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

    /// The distance of so many layers along an axis, m: that at rest, or the nearest that keeps the outermost as far
    /// from the faces as they should be.
    fn step(&self, axis: usize, layers: u32) -> f64 {
        if layers == 1 {
            return self.steps[axis];
        }
        let [most, least] = GAPS.map(|gap| (self.extent()[axis] - 2.0 * gap * self.spacing) / f64::from(layers - 1));
        self.steps[axis].max(least).min(most).max(f64::MIN_POSITIVE)
    }

    /// So many layers along each axis, and what speaks against them before points are found.
    fn way(&self, layers: [u32; 3], target: f64) -> (f64, LatticeLayers) {
        let (low, high) = self.bounds;
        let counts = DVec3::from_array(layers.map(f64::from));
        let steps = DVec3::from_array([0, 1, 2].map(|axis| self.step(axis, layers[axis])));
        let by_axis = [0, 1, 2].map(|axis| strain(steps[axis], self.steps[axis]));
        // One layer has no distance to another.
        let of_layers = (0..3).filter(|&axis| layers[axis] > 1).map(|axis| by_axis[axis].abs());
        let largest = of_layers.fold(0.0, f64::max);
        // Of equal ones those that are alike along X and Y.
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

/// Without the points too many, the least surrounded first, if these are few enough to lie on corners and edges.
fn trimmed(points: Vec<DVec3>, layers: &LatticeLayers, target: f64) -> Vec<DVec3> {
    let wanted = target.round().max(1.0) as usize;
    let count = points.len();
    if (count as f64) < target * (1.0 + FILLED) || count - wanted > (count as f64).powf(2.0 / 3.0).ceil() as usize {
        return points;
    }
    let place = |p: &DVec3| ((*p - layers.first) / layers.steps).round().as_ivec3();
    let places: FxHashSet<IVec3> = points.iter().map(place).collect();
    let around = |p: &DVec3| neighbours().filter(|&way| places.contains(&(place(p) + way))).count();
    let mut order: Vec<(usize, usize)> = points.iter().map(around).zip(0..).collect();
    // Of equals the last and the first in turn, so that no side loses them all.
    order.sort_unstable_by_key(|&(around, number)| (around, number.min(count - 1 - number), number));
    let out: FxHashSet<usize> = order[..count - wanted].iter().map(|&(_, number)| number).collect();
    points.into_iter().enumerate().filter(|(number, _)| !out.contains(number)).map(|(_, p)| p).collect()
}

/// DisplacementBox to the nearest places of the lattice, in layers; those of a cut along X lie two apart.
fn neighbours() -> impl Iterator<Item = IVec3> {
    let along = || -1..=1;
    let all = along().flat_map(move |x| along().flat_map(move |y| along().map(move |z| IVec3::new(x, y, z))));
    all.filter(|way| way.length_squared() == 2).chain([IVec3::new(2, 0, 0), IVec3::new(-2, 0, 0)])
}
