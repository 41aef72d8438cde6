//! Seeds: the reach of a particle's territory along an axis, DG95 section 3.2.
//!
//! A point belongs to a particle under three conditions: it is in front of walls; the field of the particle's lump
//! reaches the isovalue there and exceeds that of any other lump; and no field that blends with the lump's piece there
//! exceeds the particle's. Fused particles blend with all pieces of their lump, so they share in the territory of other
//! pieces, too, and every place in a lump belongs to a particle.

use super::territory::SoftParticle;
use crate::frame::Skin;
use crate::frame::wall::{self, NearbyPlanes, WallPlane, clip};
use crate::particles::Membership;
use glam::DVec3;

/// The most that a seed may lengthen, over the growth of offsets.
const MOST_GAIN: f64 = 4.0;

/// Steps to the reach of a field in which a seed looks for its end, and halvings of the last of them.
const STEPS: u32 = 10;
const HALVINGS: u32 = 14;

/// The end of a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeedEnd {
    /// The skin: the seed is valid.
    Skin,
    /// A piece that collides with its own.
    Contact,
    /// A territory of its own piece, or a wall.
    Inside,
}

/// A seed and its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    /// Unit axis.
    pub axis: DVec3,
    /// Distance from the particle, m.
    pub distance: f64,
    /// The obstacle at its end.
    pub end: SeedEnd,
    /// Its lengthening if all offsets around grow by one unit.
    pub gain: f64,
}

/// A neighbour's field relative to a particle.
#[derive(Debug, Clone, Copy)]
struct SeedNeighbour {
    /// Offset from the particle, m.
    place: DVec3,
    offset: f64,
    skin: Skin,
    /// The part of its field that is felt in front of its wall.
    part: f64,
    /// Whether it is the image of a particle behind a wall, which has no territory.
    is_image: bool,
    /// Whether all of its lump feels it.
    fused: bool,
    /// Its piece, by its place among the pieces around.
    piece: usize,
    /// The wall beside it.
    wall: Option<WallPlane>,
}

/// All fields around a particle.
#[derive(Debug)]
pub struct SeedSurroundings {
    beside: Vec<SeedNeighbour>,
    /// Lump and piece of all felt fields, the particle's own first.
    pieces: Vec<(u32, u32)>,
}

/// The field of a piece at a point, over the isovalue.
#[derive(Debug, Clone, Copy, Default)]
struct PieceField {
    /// Sum over all its particles, and over its fused particles.
    all: f64,
    fused: f64,
    /// The largest field of any of its particles, and of any fused particle, except the seed's own.
    most: f64,
    most_fused: f64,
}

/// The axis along which a particle's seed goes.
struct SeedRay<'a> {
    own: &'a SoftParticle,
    axis: DVec3,
    /// The neighbours whose fields may reach the axis.
    felt: Vec<&'a SeedNeighbour>,
    names: &'a [(u32, u32)],
    is_walled: bool,
    /// At the last point: the value of each neighbour's field, the field of each piece, and the walls.
    values: Vec<f64>,
    pieces: Vec<PieceField>,
    seen: NearbyPlanes,
}

impl SeedSurroundings {
    /// The surroundings of a particle before any neighbour is added.
    pub fn of(own: &Membership) -> Self {
        Self { beside: vec![], pieces: vec![(own.lump, own.piece)] }
    }

    /// Adds a soft particle at an offset from the particle, m, and its image, if it has one; only the image if it is
    /// the particle itself.
    pub fn add(&mut self, soft_particle: &SoftParticle, place: DVec3, is_own: bool) {
        let beside = SeedNeighbour {
            place,
            offset: f64::from(soft_particle.offset),
            skin: soft_particle.skin,
            part: 1.0,
            is_image: false,
            fused: soft_particle.membership.fused,
            piece: self.piece(&soft_particle.membership),
            wall: soft_particle.plane(),
        };
        let image = soft_particle.skin.image(soft_particle.wall.length());
        if image > 0.0
            && let Some(plane) = beside.wall
        {
            let place = place + 2.0 * soft_particle.wall;
            self.beside.push(SeedNeighbour {
                place,
                part: image,
                is_image: true,
                wall: Some(plane.behind()),
                ..beside
            });
        }
        if !is_own {
            self.beside.push(beside);
        }
    }

    fn piece(&mut self, &Membership { piece, lump, .. }: &Membership) -> usize {
        let known = self.pieces.iter().position(|&other| other == (lump, piece));
        known.unwrap_or_else(|| {
            self.pieces.push((lump, piece));
            self.pieces.len() - 1
        })
    }

    /// The seed of the particle along an axis.
    pub fn seed(&self, own: &SoftParticle, axis: DVec3) -> Seed {
        let mut sight = self.sight(own, axis);
        let (mut low, mut high, mut end) = (0.0, 0.0, SeedEnd::Skin);
        for step in 0..=STEPS {
            high = own.reach() * f64::from(step) / f64::from(STEPS);
            if let Some(met) = sight.stops(high) {
                end = met;
                break;
            }
            low = high;
        }
        for _ in 0..HALVINGS {
            let middle = low.midpoint(high);
            match sight.stops(middle) {
                Some(met) => (high, end) = (middle, met),
                None => low = middle,
            }
        }
        let distance = low.midpoint(high);
        Seed { axis, distance, end, gain: if end == SeedEnd::Skin { sight.gain(distance) } else { 1.0 } }
    }

    fn sight<'a>(&'a self, own: &'a SoftParticle, axis: DVec3) -> SeedRay<'a> {
        let reach = own.reach();
        let is_felt = |other: &&SeedNeighbour| {
            let along = other.place.dot(axis).clamp(0.0, reach);
            let far = other.skin.reach + other.offset;
            other.place.distance_squared(along * axis) < far * far
        };
        let felt: Vec<&SeedNeighbour> = self.beside.iter().filter(is_felt).collect();
        let is_walled = own.wall != DVec3::ZERO || felt.iter().any(|other| other.wall.is_some());
        let (values, pieces, seen) = (Vec::with_capacity(felt.len()), vec![], NearbyPlanes::default());
        SeedRay { own, axis, felt, names: &self.pieces, is_walled, values, pieces, seen }
    }
}

impl SeedRay<'_> {
    /// The obstacle at a distance, m, if any.
    fn stops(&mut self, distance: f64) -> Option<SeedEnd> {
        let own = self.look(distance);
        let (piece, field) = self.of_lump(self.names[0].0);
        let is_part = piece == 0 || self.own.membership.fused;
        if self.most(piece) > own || self.is_walled && self.is_behind_wall(own, distance) {
            return Some(SeedEnd::Inside);
        }
        if field < 1.0 {
            return Some(SeedEnd::Skin);
        }
        (!is_part || self.others().any(|other| other > field)).then_some(SeedEnd::Contact)
    }

    /// Evaluates the fields at a distance, m. Returns the particle's own field there.
    fn look(&mut self, distance: f64) -> f64 {
        let point = distance * self.axis;
        let own = self.own.field(distance) / self.own.skin.isovalue;
        self.values.clear();
        self.values.extend(self.felt.iter().map(|other| other.value(point)));
        self.pieces.clear();
        self.pieces.resize(self.names.len(), PieceField::default());
        let fused = if self.own.membership.fused { own } else { 0.0 };
        self.pieces[0] = PieceField { all: own, fused, ..PieceField::default() };
        for (other, &value) in self.felt.iter().zip(&self.values) {
            self.pieces[other.piece].add(other, value);
        }
        own
    }

    /// The field of a lump, and the piece with the largest field; of equal ones the first.
    fn of_lump(&self, lump: u32) -> (usize, f64) {
        let of = || self.names.iter().zip(&self.pieces).enumerate().filter(|(_, (name, _))| name.0 == lump);
        let fused: f64 = of().map(|(_, (_, piece))| piece.fused).sum();
        let fields = of().map(|(place, (_, piece))| (place, piece.all + (fused - piece.fused)));
        fields.fold((0, f64::NEG_INFINITY), |most, other| if other.1 > most.1 { other } else { most })
    }

    /// The fields of other lumps.
    fn others(&self) -> impl Iterator<Item = f64> {
        let own = self.names[0].0;
        self.names.iter().map(|name| name.0).filter(move |&lump| lump != own).map(|lump| self.of_lump(lump).1)
    }

    /// The largest field that blends with a piece of its own lump.
    fn most(&self, piece: usize) -> f64 {
        let of_lump = self.names.iter().zip(&self.pieces).filter(|(name, _)| name.0 == self.names[0].0);
        of_lump.fold(self.pieces[piece].most, |most, (_, other)| most.max(other.most_fused))
    }

    /// Whether the point is behind the wall that cuts off the skin of its lump.
    fn is_behind_wall(&mut self, own: f64, distance: f64) -> bool {
        let point = (distance * self.axis).as_vec3();
        let (soft_particle, lump) = (self.own, self.names[0].0);
        let place = |centre: DVec3, skin: &Skin, wall: Option<WallPlane>, is_image: bool| wall::Beside {
            centre: centre.as_vec3(),
            reach: skin.reach as f32,
            wall,
            is_image,
        };
        self.seen.clear();
        self.seen.add(&place(DVec3::ZERO, &soft_particle.skin, soft_particle.plane(), false), own as f32, point);
        for (other, &value) in self.felt.iter().zip(&self.values) {
            if value > 0.0 && self.names[other.piece].0 == lump {
                let seen = place(other.place, &other.skin, other.wall, other.is_image);
                self.seen.add(&seen, value as f32, point);
            }
        }
        clip(&self.seen).is_some_and(|(left, _)| left < 1.0)
    }

    /// The lengthening of a seed on the skin if all offsets around grow by one unit: above one where the skin leans
    /// away, or where fields from both sides hardly fall.
    fn gain(&mut self, distance: f64) -> f64 {
        self.look(distance);
        let (lump, point) = (self.names[0].0, distance * self.axis);
        let (piece, _) = self.of_lump(lump);
        let slope = |skin: &Skin, part: f64, to: DVec3, offset: f64| {
            let slope = part * skin.slope(to.length() - offset) / skin.isovalue;
            (slope, slope * to.normalize_or_zero().dot(self.axis))
        };
        let start = slope(&self.own.skin, 1.0, point, f64::from(self.own.offset));
        let blends = |other: &&&SeedNeighbour| other.piece == piece || other.fused && self.names[other.piece].0 == lump;
        let (all, along) = self.felt.iter().filter(blends).fold(start, |sum, other| {
            let (all, along) = slope(&other.skin, other.part_at(point), point - other.place, other.offset);
            (sum.0 + all, sum.1 + along)
        });
        if along < 0.0 { (all / along).min(MOST_GAIN) } else { MOST_GAIN }
    }
}

impl SeedNeighbour {
    /// Its field at a point over the isovalue.
    fn value(&self, point: DVec3) -> f64 {
        self.part_at(point) * self.skin.value(point.distance(self.place) - self.offset) / self.skin.isovalue
    }

    /// The part of its field that is felt at a point.
    fn part_at(&self, point: DVec3) -> f64 {
        match &self.wall {
            Some(plane) if self.is_image => {
                self.part * f64::from(plane.front((point - self.place).as_vec3(), self.skin.reach as f32).0)
            }
            _ => self.part,
        }
    }
}

impl PieceField {
    fn add(&mut self, other: &SeedNeighbour, value: f64) {
        self.all += value;
        let most = if other.is_image { 0.0 } else { value };
        self.most = self.most.max(most);
        if other.fused {
            self.fused += value;
            self.most_fused = self.most_fused.max(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::skin_of;
    use super::*;
    use crate::material::soft::territory::Territories;
    use dollop_scene::Soft;

    const SPACING: f64 = 0.1;
    const FLOOR: f64 = -0.05;

    /// Three pieces, two of which have fused at a seam, and a lump beside them, on a floor.
    fn soft_particles() -> Vec<SoftParticle> {
        let skin = skin_of(&Soft::default(), SPACING);
        let soft_particle = |number: u32| {
            let [x, y, z] = [number % 8, number / 8 % 3, number / 24].map(f64::from);
            let jitter = f64::from(number * 7919 % 100) / 100.0 - 0.5;
            let place = DVec3::new(x + 0.3 * jitter, y - 0.2 * jitter, z) * SPACING;
            let piece = number % 8 / 2;
            let membership =
                Membership { piece, lump: if piece < 3 { 0 } else { 3 }, fused: [3, 4].contains(&(number % 8)) };
            let wall = if z == 0.0 { DVec3::Z * (FLOOR - place.z) } else { DVec3::ZERO };
            SoftParticle { number, place, membership, offset: (0.01 * jitter) as f32, skin, wall }
        };
        (0..72).map(soft_particle).collect()
    }

    /// The field of a lump in front of the floor, by its definition.
    fn field(soft_particles: &[SoftParticle], lump: u32, point: DVec3) -> f64 {
        let own = |soft_particle: &SoftParticle| {
            let image = soft_particle.place + 2.0 * soft_particle.wall;
            let part = if soft_particle.wall == DVec3::ZERO {
                0.0
            } else {
                soft_particle.skin.image(soft_particle.wall.length())
            };
            (soft_particle.field(point.distance(soft_particle.place))
                + part * soft_particle.field(point.distance(image)))
                / soft_particle.skin.isovalue
        };
        let of_piece = |piece: u32| {
            let blends =
                |membership: &Membership| membership.lump == lump && (membership.piece == piece || membership.fused);
            soft_particles.iter().filter(|soft_particle| blends(&soft_particle.membership)).map(own).sum::<f64>()
        };
        let pieces = soft_particles
            .iter()
            .filter(|soft_particle| soft_particle.membership.lump == lump)
            .map(|soft_particle| of_piece(soft_particle.membership.piece));
        pieces.fold(0.0, f64::max)
    }

    /// Each place in a lump belongs to one particle, each place outside to none.
    #[test]
    fn each_place_is_of_one_particle() {
        let soft_particles = soft_particles();
        let territories = Territories::new(&soft_particles);
        let around: Vec<SeedSurroundings> = (0..soft_particles.len()).map(|at| territories.felt(at)).collect();
        let claims = |at: usize, point: DVec3| {
            let to = point - soft_particles[at].place;
            to.length() < soft_particles[at].reach()
                && around[at].sight(&soft_particles[at], to.normalize()).stops(to.length()).is_none()
        };
        let mut seen = [0; 2];
        for n in 0..20_000_u32 {
            let share = |ratio: f64| (f64::from(n) * ratio).fract();
            let point =
                DVec3::new(share(0.819_172) * 1.1 - 0.2, share(0.671_043) * 0.5 - 0.15, share(0.549_700) * 0.5 - 0.15);
            let fields = [0, 3].map(|lump| field(&soft_particles, lump, point));
            let most = fields[0].max(fields[1]);
            // Not so near a border that rounding decides.
            if (most - 1.0).abs() < 1e-6 || (fields[0] - fields[1]).abs() < 1e-6 || (point.z - FLOOR).abs() < 1e-3 {
                continue;
            }
            let is_inside = most > 1.0 && point.z > FLOOR;
            let claimed = (0..soft_particles.len()).filter(|&at| claims(at, point)).count();
            assert_eq!(claimed, usize::from(is_inside), "{point} {fields:?}");
            seen[usize::from(is_inside)] += 1;
        }
        assert!(seen[0] > 3000 && seen[1] > 3000, "{seen:?}");
    }
}
