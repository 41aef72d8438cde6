//! The forces of the patches between a particle and those of other pieces.

use super::touching::{Overlap, Touching, core, stiffness, weight};
use super::{ContactParticle, FARTHEST};
use glam::DVec3;
use std::ops::Range;

/// The largest part of the slip that friction takes in a step, and the part of that by which the spring is drawn.
const BRAKED: f64 = 0.5;
const DRAWN: f64 = 0.1;

/// A particle that may touch particles of another piece with higher numbers, and the particles whose fields may be felt
/// between them.
#[derive(Debug, Default)]
pub struct ContactCandidates {
    /// Particle number.
    pub number: u32,
    /// Its place among the near particles.
    pub own: u32,
    pub others: Vec<Other>,
    /// Places in the zone.
    pub near: Vec<u32>,
    pub group: u32,
    /// The tick when it was last found, if it was.
    pub tick: Option<u32>,
    /// Seconds between the last two times it was found; zero before that.
    pub seconds: f64,
    pub found: PatchForces,
}

/// A particle that a candidate may touch.
#[derive(Debug, Clone, Copy)]
pub struct Other {
    pub number: u32,
    /// Its place among the particles near the candidate.
    pub at: u32,
    /// The spring force of the patch, N, on the second particle.
    pub held: DVec3,
}

/// The forces of the patches of a candidate on the particles near it.
#[derive(Debug, Default)]
pub struct PatchForces {
    pub energy: f64,
    pub pushes: Vec<DVec3>,
    pub frictions: Vec<DVec3>,
    pub loads: Vec<f64>,
    pub pressed: Vec<Pressed>,
    slips: Vec<Slip>,
    /// Shares in all slips: places among the near particles and their parts, negative on the second side.
    shares: Vec<(u32, f64)>,
    /// The largest overspeed of two particles, m/s, and its ratio to the speed that contact can stop; zero where none
    /// is too fast.
    pub overspeed: Overspeed,
    felt: Vec<NearbyField>,
}

/// A patch with friction.
#[derive(Debug, Clone)]
struct Slip {
    /// Index among the others.
    other: usize,
    shares: Range<usize>,
    normal: DVec3,
    /// Tangential velocity of the first side less that of the second, m/s.
    velocity: DVec3,
    /// The force on the patch, N, and the limit of friction, N.
    push: f64,
    limit: f64,
}

/// The approach of two particles too fast for their contact to stop them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Overspeed {
    /// Speed, m/s.
    pub speed: f64,
    /// Speed over the speed that contact can stop.
    pub excess: f64,
}

/// A patch of two territories that are pressed together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pressed {
    /// Particle numbers, the lower first.
    pub pair: [u32; 2],
    /// Their pieces.
    pub pieces: [u32; 2],
    /// Force on the first, N.
    pub force: DVec3,
}

/// A field that is felt in a patch.
#[derive(Debug, Clone, Copy)]
struct NearbyField {
    at: u32,
    first: bool,
    value: f64,
    /// Its gradient as the point moves, 1/m.
    gradient: DVec3,
}

/// The matter that a candidate reads.
#[derive(Debug, Clone, Copy)]
pub struct ContactMatter<'a> {
    /// The particles of the zone.
    pub contact_particles: &'a [ContactParticle],
    pub bodies: &'a [Touching],
    pub spacing: f64,
}

impl Overspeed {
    /// The larger overspeed of the two.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.excess > self.excess { other } else { self }
    }
}

impl PatchForces {
    pub fn pushes(&self) -> &Vec<DVec3> {
        &self.pushes
    }

    pub fn frictions(&self) -> &Vec<DVec3> {
        &self.frictions
    }

    /// Clears all, for a number of near particles.
    fn clear(&mut self, count: usize) {
        let Self { energy, pushes, frictions, loads, pressed, slips, shares, overspeed, felt } = self;
        (*energy, *overspeed) = (0.0, Overspeed::default());
        for sums in [pushes, frictions] {
            sums.clear();
            sums.resize(count, DVec3::ZERO);
        }
        loads.clear();
        loads.resize(count, 0.0);
        pressed.clear();
        slips.clear();
        shares.clear();
        felt.clear();
    }
}

impl ContactCandidates {
    /// Finds the forces of all its patches but friction.
    pub fn find(&mut self, matter: &ContactMatter<'_>) {
        let mut found = std::mem::take(&mut self.found);
        found.clear(self.near.len());
        for n in 0..self.others.len() {
            if !self.patch(n, matter, &mut found) {
                self.others[n].held = DVec3::ZERO;
            }
        }
        self.found = found;
    }

    fn contact_particle<'a>(&self, at: u32, matter: &ContactMatter<'a>) -> &'a ContactParticle {
        &matter.contact_particles[self.near[at as usize] as usize]
    }

    /// Adds the forces of the patch between it and one other. Returns whether the patch is pressed.
    fn patch(&self, n: usize, matter: &ContactMatter<'_>, found: &mut PatchForces) -> bool {
        let ContactMatter { bodies, spacing, .. } = *matter;
        let other = self.others[n].at;
        let [own, it] = [self.own, other].map(|at| self.contact_particle(at, matter));
        let displacement = own.place - it.place;
        let distance = displacement.length();
        if distance >= FARTHEST * spacing {
            return false;
        }
        let along = displacement.try_normalize().unwrap_or(DVec3::Z);
        let [first, second] = [own, it].map(|contact_particle| &bodies[contact_particle.body as usize]);
        let energy = (first.energy * second.energy).sqrt();
        let (stored, slope) = core(distance / spacing);
        let mut pair_force = -energy * slope / spacing;
        found.energy += energy * stored;
        let sums = self.feel([own, it], matter, &mut found.felt);
        let Overlap { u, by_a, by_b } = Overlap::of(sums[0] - 1.0, sums[1] - 1.0);
        let pressed = u > 0.0;
        if pressed {
            let strength = energy * (first.strength * second.strength).sqrt();
            let (weight, weight_slope) = weight(distance / spacing);
            found.energy += weight * strength * u * u;
            pair_force -= weight_slope / spacing * strength * u * u;
            let mut back = DVec3::ZERO;
            let mut on_first = DVec3::ZERO;
            for felt in &found.felt {
                // The point stays as the particle moves.
                let force = felt.gradient * (2.0 * weight * strength * u * if felt.first { by_a } else { by_b });
                back -= force;
                if felt.first {
                    on_first += force;
                }
                found.pushes[felt.at as usize] += force;
            }
            for at in [self.own, other] {
                found.pushes[at as usize] += back / 2.0;
            }
            let force = on_first + back / 2.0 + along * pair_force;
            let pieces = [own, it].map(|contact_particle| contact_particle.membership.piece);
            found.pressed.push(Pressed { pair: [own.number, it.number], pieces, force });
            self.slip(n, matter, sums, force, found);
        }
        if pair_force != 0.0 || pressed {
            found.pushes[self.own as usize] += along * pair_force;
            found.pushes[other as usize] -= along * pair_force;
            let (speed, stopped) = ((it.velocity - own.velocity).dot(along), 2.0 * stiffness(first, second));
            if speed > 0.0 && speed * speed > stopped {
                found.overspeed = found.overspeed.worse(Overspeed { speed, excess: speed / stopped.sqrt() });
            }
        }
        pressed
    }

    /// Collects the fields felt in the middle between two particles. Returns their sums over the isovalues.
    fn feel(
        &self,
        [own, it]: [&ContactParticle; 2],
        matter: &ContactMatter<'_>,
        felt: &mut Vec<NearbyField>,
    ) -> [f64; 2] {
        felt.clear();
        let middle = own.place.midpoint(it.place);
        let mut sums = [0.0; 2];
        for (at, &place) in (0..).zip(&self.near) {
            let near = &matter.contact_particles[place as usize];
            let first = near.membership.piece == own.membership.piece;
            if !first && near.membership.piece != it.membership.piece {
                continue;
            }
            let skin = &matter.bodies[near.body as usize].skin;
            let (displacement, far) = (middle - near.place, skin.reach + near.offset);
            let squared = displacement.length_squared();
            if squared >= far * far {
                continue;
            }
            let distance = squared.sqrt();
            let value = skin.value(distance - near.offset) / skin.isovalue;
            let slope = skin.slope(distance - near.offset) / skin.isovalue;
            sums[usize::from(!first)] += value;
            let gradient = if distance > 0.0 { displacement * (slope / distance) } else { DVec3::ZERO };
            felt.push(NearbyField { at, first, value, gradient });
        }
        sums
    }

    /// Adds the slip of the sides of a pressed patch, given the force on its first side and the sums of the felt
    /// fields.
    fn slip(&self, other: usize, matter: &ContactMatter<'_>, sums: [f64; 2], force: DVec3, found: &mut PatchForces) {
        let body = |at: u32| &matter.bodies[self.contact_particle(at, matter).body as usize];
        let friction = body(self.own).friction.min(body(self.others[other].at).friction);
        let sign = |felt: &NearbyField| if felt.first { 1.0 } else { -1.0 };
        // f_1 - f_2 grows from the second to the first.
        let across: DVec3 = found.felt.iter().map(|felt| felt.gradient * sign(felt)).sum();
        let Some(normal) = across.try_normalize() else { return };
        let push = force.dot(normal);
        if friction <= 0.0 || push <= 0.0 {
            return;
        }
        let (first, mut slip) = (found.shares.len(), DVec3::ZERO);
        for felt in &found.felt {
            let share = felt.value / sums[usize::from(!felt.first)] * sign(felt);
            slip += self.contact_particle(felt.at, matter).velocity * share;
            found.loads[felt.at as usize] += push * share.abs();
            found.shares.push((felt.at, share));
        }
        let slip = slip - normal * slip.dot(normal);
        let (velocity, shares) = (slip, first..found.shares.len());
        found.slips.push(Slip { other, shares, normal, velocity, push, limit: friction * push });
    }

    /// Finds the friction of all its patches over steps of some seconds, given the loads on the particles of the zone.
    pub fn friction(&mut self, matter: &ContactMatter<'_>, loads: &[f64], seconds: f64) {
        let PatchForces { slips, shares, frictions, .. } = &mut self.found;
        for slip in slips.iter() {
            let shares = &shares[slip.shares.clone()];
            let mass_over_load = |&(at, _): &(u32, f64)| {
                let at = self.near[at as usize] as usize;
                matter.bodies[matter.contact_particles[at].body as usize].mass / loads[at]
            };
            let least = shares.iter().map(mass_over_load).fold(f64::INFINITY, f64::min);
            let drag = slip.velocity * (BRAKED / (2.0 * seconds) * slip.push * least);
            let held = &mut self.others[slip.other].held;
            if !drag.is_finite() {
                continue;
            }
            let drawn = *held - slip.normal * held.dot(slip.normal) + drag * DRAWN;
            *held = within(drawn, slip.limit);
            let drag = within(*held + drag, slip.limit);
            for &(at, share) in shares {
                frictions[at as usize] -= drag * share;
            }
        }
    }
}

/// A force, N, cut to a limit, N.
fn within(force: DVec3, limit: f64) -> DVec3 {
    let length = force.length();
    if length > limit { force * (limit / length) } else { force }
}

/// Memory of a candidate with a number of others and of near particles, bytes.
pub fn memory_of_a_candidate(others: usize, near: usize) -> usize {
    let of_near = size_of::<u32>() + 2 * size_of::<DVec3>() + size_of::<f64>() + size_of::<NearbyField>();
    let shares = near / 2 * size_of::<(u32, f64)>();
    let other = size_of::<Other>() + size_of::<Pressed>() + size_of::<Slip>() + shares;
    size_of::<ContactCandidates>() + near * of_near + others * other
}
