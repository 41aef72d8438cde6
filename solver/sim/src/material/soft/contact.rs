//! Contact of pieces by their skins, DG95 section 5.
//!
//! Where two pieces overlap, each is felt by the other. In the middle between a particle i of one and j of the other, P, both fields exceed their isovalue by
//! a = `f_1` / s - 1 and b = `f_2` / s - 1. The energy of that patch of the contact surface `f_1` = `f_2` is
//!
//! E = w(r) S u^2 with u = a b / (a + b), which is zero where one of both ends, and smooth,
//!
//! where w falls with the distance r of i and j, and S is such that flat faces that are pressed together give way as the matter does. What pushes
//! is its exact gradient: on all whose fields make `f_1` and `f_2`, along the lines from P to them, and back on i and j by halves. So action equals reaction, and nothing
//! turns by itself. Those that have come far into each other are parted by a push of pairs.
//!
//! Where this departs from print: there the force is (s - f) N at seeds, which take no part of their own. Seeds that stand off their
//! particles would turn bodies, and pairs of territories touch in the middle between them.

use super::pieces::Kinship;
use super::skin::Skin;
use crate::cells::Cells;
use crate::lattice::{between_layers_in_space, close_packed_half_space};
use glam::DVec3;
use rayon::prelude::*;

/// No patch is between particles farther apart, spacings.
const FARTHEST: f64 = 1.6;

/// How far particles may go together before who is near whom is looked up again, spacings.
const MARGIN: f64 = 0.4;

/// From where on pairs push each other, however they blend, spacings; and the energy when they meet over m k.
const CORE: f64 = 0.75;
const CORE_ENERGY: f64 = 0.5;

/// Part of the distance of layers by which flat faces overlap when they are as stiff as the matter, and how many ways of one on the other are tried, on either side.
const PRESSED: f64 = 0.1;
const SHIFTS: u32 = 4;

/// Part of the mass of a particle that friction brakes by a patch.
const BRAKED: f64 = 0.1;

/// How a body touches others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touching {
    /// Its skin.
    pub skin: Skin,
    /// Mass of a particle, kg.
    pub mass: f64,
    /// m k, J.
    pub energy: f64,
    /// S over m k.
    pub strength: f64,
    /// Coulomb friction coefficient.
    pub friction: f64,
}

/// A soft particle as it moves.
#[derive(Debug, Clone, Copy)]
pub struct Mover {
    /// Particle number.
    pub number: u32,
    /// Position, m.
    pub place: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// epsilon, m.
    pub offset: f64,
    /// Who it blends with.
    pub kinship: Kinship,
    /// Of its body.
    pub touching: Touching,
}

/// Who may touch whom, by their places among all soft particles.
#[derive(Debug, Default)]
pub struct Nearness {
    hubs: Vec<Hub>,
    /// All whose fields may be felt where pieces touch, in order.
    pub zone: Vec<u32>,
    /// Where all were, m.
    seen: Vec<DVec3>,
}

/// A particle that may touch others, of another piece and with higher places, and those whose fields may be felt between.
#[derive(Debug)]
struct Hub {
    own: u32,
    others: Vec<u32>,
    near: Vec<u32>,
}

/// What pieces do to each other.
#[derive(Debug, Clone, Default)]
pub struct Contact {
    /// J.
    pub energy: f64,
    /// Forces, N, on those of the [zone](Nearness::zone).
    pub pushes: Vec<DVec3>,
    /// Friction on the same, N, at steps of some seconds.
    pub rubs: Vec<DVec3>,
    /// Patches that are pressed.
    pub pressed: Vec<Pressed>,
}

/// A patch of two territories that are pressed together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressed {
    /// Particle numbers, the lower first.
    pub pair: [u32; 2],
    /// Force on the first, N.
    pub force: DVec3,
}

/// What one patch does, on those by their places among all.
#[derive(Default)]
struct Patch {
    energy: f64,
    pushes: Vec<(u32, DVec3)>,
    rubs: Vec<(u32, DVec3)>,
    pressed: Option<Pressed>,
}

/// A field that is felt in a patch.
struct Felt {
    at: u32,
    first: bool,
    value: f64,
    /// Its gradient as the point moves, 1/m.
    gradient: DVec3,
}

impl Touching {
    /// Of a material at a spacing, m.
    pub fn new(material: &dollop_scene::Soft, spacing: f64) -> Self {
        let skin = Skin::new(material, spacing);
        let mass = material.rest_density * spacing.powi(3);
        let energy = mass * material.stiffness;
        Self { skin, mass, energy, strength: strength(&skin, spacing), friction: material.contact_friction }
    }

    /// k, m^2/s^2.
    pub fn stiffness(&self) -> f64 {
        self.energy / self.mass
    }
}

/// S over m k: two half spaces that overlap by a part e of the distance of their layers store m k e^2 / 2 for each particle of a face.
fn strength(skin: &Skin, spacing: f64) -> f64 {
    let (layers, [a, b]) = close_packed_half_space(skin.reach + FARTHEST * spacing, spacing);
    let apart = between_layers_in_space(spacing) * (1.0 - PRESSED);
    let stored = |shift: DVec3| {
        let other: Vec<DVec3> = layers.iter().map(|&p| DVec3::new(p.x, p.y, -p.z - apart) + shift).collect();
        let value = |side: &[DVec3], point: DVec3| {
            side.iter().map(|p| skin.value(p.distance(point))).sum::<f64>() / skin.isovalue - 1.0
        };
        let near = other.iter().filter(|p| p.length() < FARTHEST * spacing);
        let patch = |p: &DVec3| {
            let middle = *p / 2.0;
            overlap(value(&layers, middle), value(&other, middle)).0.powi(2) * weight(p.length() / spacing).0
        };
        near.map(patch).sum::<f64>()
    };
    let part = |n: u32| (f64::from(n) + 0.5) / f64::from(SHIFTS);
    let shifts = (0..SHIFTS * SHIFTS).map(|n| a * part(n / SHIFTS) + b * part(n % SHIFTS));
    let mean = shifts.map(stored).sum::<f64>() / f64::from(SHIFTS * SHIFTS);
    PRESSED * PRESSED / 2.0 / mean
}

/// u and its derivatives by a and b.
fn overlap(a: f64, b: f64) -> (f64, f64, f64) {
    if a <= 0.0 || b <= 0.0 {
        return (0.0, 0.0, 0.0);
    }
    let sum = a + b;
    (a * b / sum, (b / sum).powi(2), (a / sum).powi(2))
}

/// w at a distance, spacings, and its slope.
fn weight(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / FARTHEST).powi(2)).max(0.0);
    (rest * rest, -4.0 * rest * distance / (FARTHEST * FARTHEST))
}

/// Energy over m k of a pair that has come too near, and its slope, 1/spacing.
fn core(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / CORE).powi(2)).max(0.0);
    (CORE_ENERGY * rest * rest, -4.0 * CORE_ENERGY * rest * distance / (CORE * CORE))
}

/// The longest step, s, over which contact may be held between bodies at a spacing, m.
pub fn longest_step(bodies: &[Touching], spacing: f64) -> f64 {
    /// Over the time that sound in the matter takes for a spacing.
    const STEP: f64 = 0.15;
    let of = |a: &Touching, b: &Touching| (a.energy * b.energy).sqrt() / a.mass.min(b.mass);
    let fastest = bodies.iter().flat_map(|a| bodies.iter().map(move |b| of(a, b))).fold(0.0, f64::max);
    STEP * spacing / fastest.sqrt()
}

impl Nearness {
    /// Of some matter at a spacing, m.
    pub fn new(movers: &[Mover], spacing: f64) -> Self {
        let seen = movers.iter().map(|mover| mover.place).collect();
        let pair = (FARTHEST + MARGIN) * spacing;
        let cells = Cells::new(pair, movers.iter().map(|mover| mover.place));
        let touched = |own: usize| {
            let mover = &movers[own];
            let touches = |&other: &u32| {
                let it = &movers[other as usize];
                other as usize > own
                    && !it.kinship.blends(&mover.kinship)
                    && it.place.distance_squared(mover.place) < pair * pair
            };
            let mut others: Vec<u32> = cells.around(mover.place).filter(touches).collect();
            others.sort_unstable();
            (!others.is_empty()).then_some((own as u32, others))
        };
        let touched: Vec<(u32, Vec<u32>)> =
            (0..movers.len()).into_par_iter().with_min_len(256).filter_map(touched).collect();
        if touched.is_empty() {
            return Self { seen, ..Self::default() };
        }
        let reach = movers.iter().map(|mover| mover.touching.skin.reach + mover.offset).fold(0.0, f64::max);
        let felt = reach + (FARTHEST / 2.0 + MARGIN) * spacing;
        let cells = Cells::new(felt, movers.iter().map(|mover| mover.place));
        let hub = |(own, others): (u32, Vec<u32>)| {
            let place = movers[own as usize].place;
            let is_near = |&other: &u32| movers[other as usize].place.distance_squared(place) < felt * felt;
            let mut near: Vec<u32> = cells.around(place).filter(is_near).collect();
            near.sort_unstable();
            Hub { own, others, near }
        };
        let hubs: Vec<Hub> = touched.into_par_iter().map(hub).collect();
        let mut zone: Vec<u32> = hubs.iter().flat_map(|hub| hub.near.iter().copied()).collect();
        zone.sort_unstable();
        zone.dedup();
        Self { hubs, zone, seen }
    }

    /// Whether it still holds as the matter is at a spacing, m.
    pub fn holds(&self, movers: &[Mover], spacing: f64) -> bool {
        let most = (MARGIN / 2.0 * spacing).powi(2);
        self.seen.len() == movers.len()
            && self
                .seen
                .par_iter()
                .zip(movers)
                .with_min_len(1024)
                .all(|(&seen, mover)| mover.place.distance_squared(seen) <= most)
    }

    /// What pieces do to each other as they are, at steps of some seconds and a spacing, m.
    pub fn contact(&self, movers: &[Mover], (seconds, spacing): (f64, f64)) -> Contact {
        let of_hub = |hub: &Hub| -> Vec<Patch> {
            let mut felt = Vec::new();
            hub.others.iter().filter_map(|&other| hub.patch(other, movers, &mut felt, (seconds, spacing))).collect()
        };
        let patches: Vec<Vec<Patch>> = self.hubs.par_iter().with_min_len(4).map(of_hub).collect();
        let mut contact = Contact {
            pushes: vec![DVec3::ZERO; self.zone.len()],
            rubs: vec![DVec3::ZERO; self.zone.len()],
            ..Contact::default()
        };
        let place = |at: u32| self.zone.binary_search(&at);
        for patch in patches.into_iter().flatten() {
            contact.energy += patch.energy;
            for (sums, parts) in [(&mut contact.pushes, patch.pushes), (&mut contact.rubs, patch.rubs)] {
                for (at, part) in parts {
                    if let Ok(place) = place(at) {
                        sums[place] += part;
                    }
                }
            }
            contact.pressed.extend(patch.pressed);
        }
        contact
    }
}

impl Hub {
    /// What the patch between it and another does, if anything.
    fn patch(
        &self,
        other: u32,
        movers: &[Mover],
        felt: &mut Vec<Felt>,
        (seconds, spacing): (f64, f64),
    ) -> Option<Patch> {
        let (own, it) = (&movers[self.own as usize], &movers[other as usize]);
        let way = own.place - it.place;
        let distance = way.length();
        if distance >= FARTHEST * spacing {
            return None;
        }
        let along = way.try_normalize().unwrap_or(DVec3::Z);
        let energy = (own.touching.energy * it.touching.energy).sqrt();
        let mut patch = Patch::default();
        let (stored, slope) = core(distance / spacing);
        let mut pair_force = -energy * slope / spacing;
        patch.energy += energy * stored;
        let [a, b] = self.feel([own, it], movers, felt);
        let (u, by_a, by_b) = overlap(a - 1.0, b - 1.0);
        if u > 0.0 {
            let strength = energy * (own.touching.strength * it.touching.strength).sqrt();
            let (weight, weight_slope) = weight(distance / spacing);
            patch.energy += weight * strength * u * u;
            pair_force -= weight_slope / spacing * strength * u * u;
            let mut back = DVec3::ZERO;
            let mut on_first = DVec3::ZERO;
            for felt in felt.iter() {
                let by = if felt.first { by_a } else { by_b };
                // As the particle moves, the point stays.
                let force = 2.0 * weight * strength * u * by * felt.gradient;
                back -= force;
                if felt.first {
                    on_first += force;
                }
                patch.pushes.push((felt.at, force));
            }
            patch.pushes.extend([(self.own, back / 2.0), (other, back / 2.0)]);
            let force = on_first + back / 2.0 + along * pair_force;
            patch.rubs = rubs([own, it], felt, [a, b], force, movers, seconds);
            patch.pressed = Some(Pressed { pair: [own.number, it.number], force });
        }
        if pair_force == 0.0 && patch.pressed.is_none() {
            return None;
        }
        patch.pushes.extend([(self.own, along * pair_force), (other, -along * pair_force)]);
        Some(patch)
    }

    /// Collects the fields that are felt in the middle between two, and tells their sums over the isovalues.
    fn feel(&self, [own, it]: [&Mover; 2], movers: &[Mover], felt: &mut Vec<Felt>) -> [f64; 2] {
        felt.clear();
        let middle = own.place.midpoint(it.place);
        let mut sums = [0.0; 2];
        for &at in &self.near {
            let near = &movers[at as usize];
            let first = near.kinship.piece == own.kinship.piece;
            if !first && near.kinship.piece != it.kinship.piece {
                continue;
            }
            let skin = &near.touching.skin;
            let (way, far) = (middle - near.place, skin.reach + near.offset);
            let squared = way.length_squared();
            if squared >= far * far {
                continue;
            }
            let distance = squared.sqrt();
            let value = skin.value(distance - near.offset) / skin.isovalue;
            let slope = skin.slope(distance - near.offset) / skin.isovalue;
            sums[usize::from(!first)] += value;
            let gradient = if distance > 0.0 { way * (slope / distance) } else { DVec3::ZERO };
            felt.push(Felt { at, first, value, gradient });
        }
        sums
    }
}

/// Friction in a patch between two that is pressed by some force on the first, given the fields felt there.
fn rubs(
    [own, it]: [&Mover; 2],
    felt: &[Felt],
    sums: [f64; 2],
    force: DVec3,
    movers: &[Mover],
    seconds: f64,
) -> Vec<(u32, DVec3)> {
    let friction = own.touching.friction.min(it.touching.friction);
    let Some(normal) = force.try_normalize().filter(|_| friction > 0.0 && seconds > 0.0) else { return Vec::new() };
    let share = |felt: &Felt| felt.value / sums[usize::from(!felt.first)];
    let slip = felt.iter().fold(DVec3::ZERO, |slip, felt| {
        let velocity = movers[felt.at as usize].velocity * share(felt);
        if felt.first { slip + velocity } else { slip - velocity }
    });
    let slip = slip - normal * slip.dot(normal);
    let Some(direction) = slip.try_normalize() else { return Vec::new() };
    let braked = BRAKED * own.touching.mass.min(it.touching.mass) * slip.length() / seconds;
    let drag = direction * (friction * force.length()).min(braked);
    felt.iter().map(|felt| (felt.at, drag * if felt.first { -share(felt) } else { share(felt) })).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::lattice::edge;
    use crate::material::soft::pressure::{Pressures, on_pair};
    use dollop_scene::{Soft, SoftField};

    const SPACING: f64 = 0.02;

    fn movers(places: &[DVec3], piece: impl Fn(usize) -> u32, soft: &Soft) -> Vec<Mover> {
        let touching = Touching::new(soft, SPACING);
        let mover = |(at, &place): (usize, &DVec3)| Mover {
            number: at as u32,
            place,
            velocity: DVec3::new(place.y, -place.x, 0.0),
            offset: 0.02 * SPACING * (at % 3) as f64,
            kinship: Kinship::of(piece(at)),
            touching,
        };
        places.iter().enumerate().map(mover).collect()
    }

    /// Two close-packed lumps, out of order, with as many layers each, that overlap by a part of the distance of layers.
    fn lumps(overlap: f64) -> (Vec<DVec3>, usize) {
        let half = edge(SPACING) / 2.0;
        let points = (-3..=3).flat_map(|x| (-3..=3).flat_map(move |y| (0..3).map(move |z| [x, y, z])));
        let lattice =
            points.filter(|[x, y, z]| (x + y + z) % 2 == 0).map(|p| DVec3::from_array(p.map(f64::from)) * half);
        let stirred = lattice.enumerate().map(|(n, p)| {
            let phase = n as f64;
            p + DVec3::new(phase.sin(), (2.3 * phase).cos(), (4.1 * phase).sin()) * (0.08 * SPACING)
        });
        let upper: Vec<DVec3> = stirred.collect();
        let down = |p: &DVec3| DVec3::new(0.97 * p.x + 0.003, p.y, -p.z - half * (1.0 - overlap));
        let lower: Vec<DVec3> = upper.iter().map(down).collect();
        let count = upper.len();
        (upper.into_iter().chain(lower).collect(), count)
    }

    fn contact(movers: &[Mover]) -> (Contact, Vec<DVec3>) {
        let nearness = Nearness::new(movers, SPACING);
        let contact = nearness.contact(movers, (1e-4, SPACING));
        let mut pushes = vec![DVec3::ZERO; movers.len()];
        nearness.zone.iter().zip(&contact.pushes).for_each(|(&at, &push)| pushes[at as usize] = push);
        (contact, pushes)
    }

    /// Forces are the exact gradient of the energy, action equals reaction, and nothing turns.
    #[test]
    fn pushes_are_the_gradient_of_the_energy() {
        for field in [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube] {
            let soft = Soft { field, ..Soft::default() };
            let (places, count) = lumps(0.3);
            let of = |places: &[DVec3]| contact(&movers(places, |at| u32::from(at >= count), &soft));
            let (found, pushes) = of(&places);
            let largest = pushes.iter().map(|push| push.length()).fold(0.0, f64::max);
            let sum: DVec3 = pushes.iter().sum();
            let torque: DVec3 = pushes.iter().zip(&places).map(|(push, place)| place.cross(*push)).sum();
            let mut worst: f64 = 0.0;
            for at in (0..places.len()).step_by(3) {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let moved = |by: f64| {
                        let mut places = places.clone();
                        places[at] += axis * by;
                        of(&places).0.energy
                    };
                    let step = 1e-6 * SPACING;
                    let slope = (moved(step) - moved(-step)) / (2.0 * step);
                    worst = worst.max((pushes[at].dot(axis) + slope).abs());
                }
            }
            let (sum, torque) = (sum.length() / largest, torque.length() / (largest * SPACING));
            assert!(found.pressed.len() > 20 && worst < 1e-5 * largest, "{worst} {largest}");
            assert!(sum < 1e-12 && torque < 1e-11, "{sum} {torque}");
            let rubs: DVec3 = found.rubs.iter().sum();
            assert!(rubs.length() < 1e-12 * largest && found.rubs.iter().any(|rub| rub.length() > 0.0));
        }
    }

    /// Flat faces that are pressed together give way as the matter does: the energy of an overlap e of the distance of layers is m k e^2 / 2 a particle.
    #[test]
    fn faces_are_as_stiff_as_the_matter() {
        let soft = Soft::default();
        let touching = Touching::new(&soft, SPACING);
        let half_space = close_packed_half_space(8.0 * SPACING, SPACING).0;
        let inner = |p: &DVec3| p.x.hypot(p.y) < 7.0 * SPACING && p.z < 3.0 * SPACING;
        let layer = between_layers_in_space(SPACING);
        let upper: Vec<DVec3> = half_space.into_iter().filter(inner).collect();
        for (overlap, off) in [(0.05, 0.5), (0.1, 0.2), (0.2, 0.5), (-0.1, 1.0)] {
            let down = |p: &DVec3| DVec3::new(p.x + 0.004, p.y + 0.003, -p.z - layer * (1.0 - overlap));
            let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
            let movers: Vec<Mover> = movers(&places, |at| u32::from(at >= upper.len()), &soft)
                .into_iter()
                .map(|mover| Mover { offset: 0.0, ..mover })
                .collect();
            let faces = upper.iter().filter(|p| p.z == 0.0).count() as f64;
            let energy = contact(&movers).0.energy / (touching.energy * faces);
            let expected = if overlap > 0.0 { overlap * overlap / 2.0 } else { 0.0 };
            assert!((energy - expected).abs() <= off * expected.max(1e-4), "{overlap}: {energy} {expected}");
        }
    }

    /// Of two faces that are pressed together those fuse on which the pressure is the stated one, force over area, and no others.
    #[test]
    fn the_threshold_is_the_force_over_the_area() {
        let (layer, nearest) = (between_layers_in_space(SPACING), edge(SPACING) / 2.0_f64.sqrt());
        let face = close_packed_half_space(10.0 * SPACING, SPACING).0;
        let upper: Vec<DVec3> =
            face.into_iter().filter(|p| p.x.hypot(p.y) < 9.0 * SPACING && p.z < 3.0 * SPACING).collect();
        let at = |overlap: f64| {
            let down = |p: &DVec3| DVec3::new(p.x + nearest / 2.0, p.y, -p.z - layer * (1.0 - overlap));
            let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
            let movers = movers(&places, |at| u32::from(at >= upper.len()), &Soft::default());
            movers.into_iter().map(|mover| Mover { offset: 0.0, ..mover }).collect::<Vec<_>>()
        };
        let movers = at(0.12);
        let (found, pushes) = contact(&movers);
        // What is pushed up within a circle, over its area.
        let inner = |at: usize| movers[at].place.x.hypot(movers[at].place.y) < 5.0 * SPACING;
        let within = |at: &usize| inner(*at) && *at < upper.len();
        let faces = (0..upper.len()).filter(|at| inner(*at) && upper[*at].z == 0.0).count() as f64;
        let force: f64 = (0..movers.len()).filter(within).map(|at| pushes[at].z).sum();
        let pressure = force / (faces * nearest * nearest * 0.75_f64.sqrt());
        let mut pressures = Pressures::new(Soft::default().stiffness, SPACING);
        for seconds in [0.25, 0.75] {
            pressures.add(&found.pressed, seconds, |number| u32::from(number as usize >= upper.len()));
        }
        let peaks = pressures.take_peaks();
        let of_inner = peaks.iter().filter(|([a, b], _)| inner(*a as usize) && inner(*b as usize));
        let fused: Vec<f64> = of_inner.map(|(_, &peak)| on_pair(peak, [false; 2]) / pressure).collect();
        let (least, most) = fused.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &p| (low.min(p), high.max(p)));
        assert!(fused.len() > 100 && least > 0.95 && most < 1.05);
    }
}
