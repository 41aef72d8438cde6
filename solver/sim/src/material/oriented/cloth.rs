//! Neighbours within sheets.

use crate::lattice::nearest;
use crate::particles::{Particles, Tie};
use glam::{DVec3, I64Vec3};
use rustc_hash::{FxHashMap, FxHashSet};

/// How far neighbours are bound at the first frame, in distances of nearest neighbours.
const REACH: f64 = 1.45;

/// Most neighbours that a particle is bound to at the first frame.
const MOST_AT_REST: usize = 8;

/// Neighbours around an edge of a mesh are bound where their normals have at least the first cosine, and where the
/// offset between them rises over neither tangent plane by more than the second part. Particles that face the other
/// way, or lie above, belong to another layer.
const SHARPEST: f64 = -0.3;
const STEEPEST: f64 = 0.9;

/// Two particles whose normals have more than the first cosine are of different layers if their offset rises over their
/// mean tangent plane by more than the second part.
const ALIKE: f64 = 0.6;
const LIFTED: f64 = 0.5;

/// The particles of some sheets by cells.
pub struct Cloth<'a> {
    particles: &'a Particles,
    /// Distance of nearest neighbours, m.
    pub nearest: f64,
    cells: FxHashMap<I64Vec3, Vec<u32>>,
}

impl<'a> Cloth<'a> {
    /// Takes the particles of the chosen bodies at a spacing, m.
    pub fn new(particles: &'a Particles, chosen: impl Fn(u32) -> bool, spacing: f64) -> Self {
        Self::of(particles, |slot| chosen(particles.sources[slot]), spacing)
    }

    /// Takes the particles of the chosen slots at a spacing, m.
    pub fn of(particles: &'a Particles, chosen: impl Fn(usize) -> bool, spacing: f64) -> Self {
        let mut cloth = Self { particles, nearest: nearest(spacing), cells: FxHashMap::default() };
        for (slot, &position) in particles.positions.iter().enumerate() {
            if chosen(slot) {
                let cell = cell(position, cloth.nearest);
                cloth.cells.entry(cell).or_default().push(slot as u32);
            }
        }
        cloth
    }

    /// Takes all matter in the cells around some places, at a spacing, m.
    pub fn near(particles: &'a Particles, places: impl Iterator<Item = DVec3>, spacing: f64) -> Self {
        let nearest = nearest(spacing);
        let cells: FxHashSet<I64Vec3> = places.map(|place| cell(place, nearest)).flat_map(|at| around(at, 1)).collect();
        Self::of(particles, |slot| cells.contains(&cell(particles.positions[slot], nearest)), spacing)
    }

    /// The slots in the cells within some [reaches](REACH) of a place.
    pub fn around(&self, place: DVec3, reaches: i64) -> impl Iterator<Item = u32> {
        around(cell(place, self.nearest), reaches).filter_map(|at| self.cells.get(&at)).flatten().copied()
    }

    /// The nearest neighbours beside a particle in its sheet, counter-clockwise as seen from the tip of its normal.
    pub fn beside(&self, slot: usize) -> Vec<Tie> {
        let others = self.around(self.particles.positions[slot], 1).map(|other| other as usize);
        let own = |&other: &usize| self.particles.sources[other] == self.particles.sources[slot];
        let mut beside: Vec<(f64, usize)> = others
            .filter(own)
            .filter_map(|other| self.distance(slot, other).map(|distance| (distance, other)))
            .collect();
        let numbers = &self.particles.numbers;
        beside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(numbers[a.1].cmp(&numbers[b.1])));
        beside.truncate(MOST_AT_REST);
        beside.sort_by(|a, b| self.angle(slot, a.1).total_cmp(&self.angle(slot, b.1)));
        beside.into_iter().map(|(_, other)| self.tie(slot, other)).collect()
    }

    /// The angle at which a particle sees another, counter-clockwise as seen from the tip of its normal.
    pub fn angle(&self, slot: usize, other: usize) -> f64 {
        let Particles { positions, orientations, .. } = self.particles;
        let offset = orientations[slot].inverse() * (positions[other] - positions[slot]);
        offset.y.atan2(offset.x)
    }

    /// The distance of a particle that lies beside another, m, in the same or another sheet.
    pub fn distance(&self, slot: usize, other: usize) -> Option<f64> {
        let Particles { positions, orientations, .. } = self.particles;
        let offset = positions[other] - positions[slot];
        let distance = offset.length();
        let (own, their) = (orientations[slot] * DVec3::Z, orientations[other] * DVec3::Z);
        let steep = own.dot(offset).abs().max(their.dot(offset).abs()) > STEEPEST * distance;
        // A particle that faces the same way and lies far off the tangent plane belongs to another layer.
        let above = own.dot(their) > ALIKE && own.midpoint(their).dot(offset).abs() > LIFTED * distance;
        let beside = slot != other && own.dot(their) > SHARPEST && !steep && !above;
        (beside && distance < REACH * self.nearest).then_some(distance)
    }

    /// The tie of two particles as they lie, at rest.
    pub fn tie(&self, slot: usize, other: usize) -> Tie {
        let Between { distance, curvature, skew } = between(self.particles, slot, other);
        Tie {
            number: self.particles.numbers[other],
            length: (distance / self.nearest) as f32,
            curvature: (curvature * self.nearest) as f32,
            skew: (skew / self.nearest) as f32,
            joins: self.particles.sources[slot] != self.particles.sources[other],
            sewn: false,
        }
    }
}

/// The cell of a place, m, for a distance of nearest neighbours, m.
fn cell(place: DVec3, nearest: f64) -> I64Vec3 {
    (place / (REACH * nearest)).floor().as_i64vec3()
}

/// The cells at most so many cells from one.
fn around(cell: I64Vec3, cells: i64) -> impl Iterator<Item = I64Vec3> {
    let edge = 2 * cells + 1;
    (0..edge.pow(3)).map(move |n| cell + I64Vec3::new(n / (edge * edge), n / edge % edge, n % edge) - cells)
}

/// The relative place of two particles of a sheet.
#[derive(Debug, Clone, Copy)]
pub struct Between {
    /// Distance, m.
    pub distance: f64,
    /// Curvature of the sheet between them, 1/m: that of a sphere to which both normals would be perpendicular.
    pub curvature: f64,
    /// How far each, as the other sees it, lies off the arc to which both normals would be perpendicular, m: zero in an
    /// evenly bent sheet, large where a flat face ends in an edge.
    pub skew: f64,
}

/// The relative place of two particles: bitwise the same seen from either, but for the sign of the skew.
pub fn between(particles: &Particles, slot: usize, other: usize) -> Between {
    let Particles { positions, orientations, .. } = particles;
    let offset = positions[other] - positions[slot];
    let (own, their) = (orientations[slot] * DVec3::Z, orientations[other] * DVec3::Z);
    let (squared, own, their) = (offset.length_squared(), own.dot(offset), their.dot(offset));
    Between {
        distance: squared.sqrt(),
        curvature: (their - own) / squared.max(f64::MIN_POSITIVE),
        skew: own.midpoint(their),
    }
}
