//! Contact of pieces by their skins, DG95 section 5.
//!
//! Where two pieces overlap, each feels the other. In the middle P between a particle i of one and j of the other, both
//! fields exceed their isovalue by a = `f_1` / s - 1 and b = `f_2` / s - 1. The energy of that patch of the contact
//! surface `f_1` = `f_2` is
//!
//! E = w(r) S u^2 with u = a b / (a + b), which is smooth, and zero where a or b is,
//!
//! where w falls with the distance r of i and j, and S makes flat faces that are pressed together as stiff as the
//! matter. The push is its exact gradient: on all particles whose fields make `f_1` and `f_2`, along the lines from P
//! to them, and back on i and j by halves. So action equals reaction, and there is no net torque. A pair push, which
//! stores m k / 2, parts particles that have come far into each other. Particles that approach faster than sqrt(2 k)
//! may pass, and are reported.
//!
//! Friction is Coulomb's: at most its coefficient times the force on a patch along the normal of the contact surface.
//! Below that limit a spring and a damper hold each patch; the slip since the frame began draws the spring. Their
//! stiffness follows from each particle's load in all patches together and its step, so that they take only a part of
//! the slip in a step, however many patches there are.
//!
//! Departure from print: there the force is (s - f) N at seeds, which have no dynamics of their own. Seeds that stand
//! off their particles would turn bodies, and pairs of territories touch in the middle between them.

use crate::cells::HashGrid;
use crate::frame::Skin;
use crate::lattice::{between_layers_in_space, close_packed_half_space};
use crate::particles::Membership;
use crate::union::Union;
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Largest distance of the particles of a patch, spacings.
pub const FARTHEST: f64 = 1.6;

/// How far particles may move relative to each other before contact candidates are found again, spacings.
pub const MARGIN: f64 = 0.4;

/// The distance within which pairs push each other, blending or not, spacings; and the energy at zero distance over m
/// k.
const CORE: f64 = 0.75;
const CORE_ENERGY: f64 = 0.5;

/// Overlap of flat faces at which they are as stiff as the matter, as a part of the distance of layers; and the number
/// of offsets of one face on the other that are sampled, on either side.
const PRESSED: f64 = 0.1;
const SHIFTS: u32 = 4;

/// The largest part of the slip that friction takes in a step, and the part of that by which the spring is drawn.
const BRAKED: f64 = 0.5;
const DRAWN: f64 = 0.1;

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
pub struct ContactParticle {
    /// Particle number.
    pub number: u32,
    /// Position, m.
    pub place: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// epsilon, m.
    pub offset: f64,
    /// Its piece and lump.
    pub membership: Membership,
    /// Its body, as an index among the [touching](Touching) bodies.
    pub body: u32,
}

/// The contact candidates, and the last contact forces.
#[derive(Debug, Default)]
pub struct Nearness {
    candidates: Vec<ContactCandidates>,
    /// Numbers of all particles whose fields may be felt where pieces touch, in order.
    pub zone: Vec<u32>,
    /// The group of each particle of the zone. Particles of different groups do not act on each other.
    pub groups: Vec<u32>,
    /// The longest step over which the contact force of each group may be held, s.
    pub steps: Vec<f64>,
    /// Elastic contact forces on the particles of the zone, N.
    pub pushes: Vec<DVec3>,
    /// Friction on the particles of the zone, N.
    pub frictions: Vec<DVec3>,
    /// The load on each particle of the zone by its share of all patches, N.
    loads: Vec<f64>,
}

/// An instant at which contacts are found.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Tick of the frame.
    pub tick: u32,
    /// Seconds of a tick.
    pub second: f64,
    /// Whether each group is found.
    pub due: &'a [bool],
    /// Longest step of each group, s, where the step before is unknown.
    pub steps: &'a [f64],
}

/// A particle that may touch particles of another piece with higher numbers, and the particles whose fields may be felt
/// between them.
#[derive(Debug, Default)]
struct ContactCandidates {
    /// Particle number.
    number: u32,
    /// Its place among the near particles.
    own: u32,
    others: Vec<Other>,
    /// Places in the zone.
    near: Vec<u32>,
    group: u32,
    /// The tick when it was last found, if it was.
    tick: Option<u32>,
    /// Seconds between the last two times it was found; zero before that.
    seconds: f64,
    found: PatchForces,
}

/// A particle that a candidate may touch.
#[derive(Debug, Clone, Copy)]
struct Other {
    number: u32,
    /// Its place among the particles near the candidate.
    at: u32,
    /// The spring force of the patch, N, on the second particle.
    held: DVec3,
}

/// The forces of the patches of a candidate on the particles near it.
#[derive(Debug, Default)]
struct PatchForces {
    energy: f64,
    pushes: Vec<DVec3>,
    frictions: Vec<DVec3>,
    loads: Vec<f64>,
    pressed: Vec<Pressed>,
    slips: Vec<Slip>,
    /// Shares in all slips: places among the near particles and their parts, negative on the second side.
    shares: Vec<(u32, f64)>,
    /// The largest overspeed of two particles, m/s, and its ratio to the speed that contact can stop; zero where none
    /// is too fast.
    overspeed: Overspeed,
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
struct ContactMatter<'a> {
    /// The particles of the zone.
    contact_particles: &'a [ContactParticle],
    bodies: &'a [Touching],
    spacing: f64,
}

impl Overspeed {
    /// The larger overspeed of the two.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        if other.excess > self.excess { other } else { self }
    }
}

impl Touching {
    /// The contact of a material with some skin at a spacing, m.
    pub fn new(material: &dollop_scene::Soft, skin: Skin, spacing: f64) -> Self {
        let mass = material.rest_density * spacing.powi(3);
        let energy = mass * material.stiffness;
        Self { skin, mass, energy, strength: strength(&skin, spacing), friction: material.contact_friction }
    }

    /// k, m^2/s^2.
    pub fn stiffness(&self) -> f64 {
        self.energy / self.mass
    }
}

/// m k of a pair over the lighter particle's mass, m^2/s^2.
fn stiffness(a: &Touching, b: &Touching) -> f64 {
    (a.energy * b.energy).sqrt() / a.mass.min(b.mass)
}

/// S over m k: two half spaces that overlap by a part e of the distance of their layers store m k e^2 / 2 for each
/// particle of a face.
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
            Overlap::of(value(&layers, middle), value(&other, middle)).u.powi(2) * weight(p.length() / spacing).0
        };
        near.map(patch).sum::<f64>()
    };
    let part = |n: u32| (f64::from(n) + 0.5) / f64::from(SHIFTS);
    let shifts = (0..SHIFTS * SHIFTS).map(|n| a * part(n / SHIFTS) + b * part(n % SHIFTS));
    let mean = shifts.map(stored).sum::<f64>() / f64::from(SHIFTS * SHIFTS);
    PRESSED * PRESSED / 2.0 / mean
}

/// u and its derivatives by a and b.
#[derive(Default)]
struct Overlap {
    u: f64,
    by_a: f64,
    by_b: f64,
}

impl Overlap {
    fn of(a: f64, b: f64) -> Self {
        if a <= 0.0 || b <= 0.0 {
            return Self::default();
        }
        let sum = a + b;
        Self { u: a * b / sum, by_a: (b / sum).powi(2), by_b: (a / sum).powi(2) }
    }
}

/// w at a distance, spacings, and its slope.
fn weight(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / FARTHEST).powi(2)).max(0.0);
    (rest * rest, -4.0 * rest * distance / (FARTHEST * FARTHEST))
}

/// Energy over m k of a pair within the core, and its slope, 1/spacing.
fn core(distance: f64) -> (f64, f64) {
    let rest = (1.0 - (distance / CORE).powi(2)).max(0.0);
    (CORE_ENERGY * rest * rest, -4.0 * CORE_ENERGY * rest * distance / (CORE * CORE))
}

/// The particles that may touch others of another piece and with higher places, with these others, in order.
fn touching(contact_particles: &[ContactParticle], spacing: f64) -> Vec<(u32, Vec<u32>)> {
    let pair = (FARTHEST + MARGIN) * spacing;
    let cells = HashGrid::new(pair, contact_particles.iter().map(|contact_particle| contact_particle.place));
    let touched = |own: usize| {
        let contact_particle = &contact_particles[own];
        let touches = |&other: &u32| {
            let it = &contact_particles[other as usize];
            other as usize > own
                && !it.membership.blends(&contact_particle.membership)
                && it.place.distance_squared(contact_particle.place) < pair * pair
        };
        let mut others: Vec<u32> = cells.around(contact_particle.place).filter(touches).collect();
        others.sort_unstable();
        (!others.is_empty()).then_some((own as u32, others))
    };
    (0..contact_particles.len()).into_par_iter().with_min_len(256).filter_map(touched).collect()
}

/// The distance from a touching particle within which fields may be felt between it and others, m, given their largest
/// reach.
pub fn felt_reach(reach: f64, spacing: f64) -> f64 {
    (reach + (FARTHEST / 2.0 + MARGIN) * spacing).max((FARTHEST + MARGIN) * spacing)
}

impl Nearness {
    /// Finds the candidates of some matter, in the order of numbers, at a spacing, m. They hold until two touching
    /// pieces have moved by more than [`MARGIN`] relative to each other.
    pub fn new(contact_particles: &[ContactParticle], bodies: &[Touching], spacing: f64) -> Self {
        let touched = touching(contact_particles, spacing);
        if touched.is_empty() {
            return Self::default();
        }
        let reach = |contact_particle: &ContactParticle| {
            bodies[contact_particle.body as usize].skin.reach + contact_particle.offset
        };
        let felt = felt_reach(contact_particles.iter().map(reach).fold(0.0, f64::max), spacing);
        let cells = HashGrid::new(felt, contact_particles.iter().map(|contact_particle| contact_particle.place));
        let candidate = |(own, others): (u32, Vec<u32>)| {
            let contact_particle = &contact_particles[own as usize];
            let mut pieces = vec![contact_particle.membership.piece];
            pieces.extend(others.iter().map(|&other| contact_particles[other as usize].membership.piece));
            pieces.sort_unstable();
            pieces.dedup();
            let is_near = |&other: &u32| {
                let it = &contact_particles[other as usize];
                it.place.distance_squared(contact_particle.place) < felt * felt
                    && pieces.binary_search(&it.membership.piece).is_ok()
            };
            let mut near: Vec<u32> = cells.around(contact_particle.place).filter(is_near).collect();
            near.sort_unstable();
            let at = |of: u32| near.partition_point(|&other| other < of) as u32;
            let other =
                |of: u32| Other { number: contact_particles[of as usize].number, at: at(of), held: DVec3::ZERO };
            let others = others.into_iter().map(other).collect();
            ContactCandidates {
                number: contact_particle.number,
                own: at(own),
                others,
                near,
                ..ContactCandidates::default()
            }
        };
        let candidates = touched.into_par_iter().map(candidate).collect();
        Self { candidates, ..Self::default() }.numbered(contact_particles).grouped(contact_particles, bodies, spacing)
    }

    /// Adds the zone, and turns the near particles' places into places in it.
    fn numbered(mut self, contact_particles: &[ContactParticle]) -> Self {
        let mut places = vec![u32::MAX; contact_particles.len()];
        self.candidates.iter().flat_map(|candidate| &candidate.near).for_each(|&at| places[at as usize] = 0);
        for (place, contact_particle) in places.iter_mut().zip(contact_particles).filter(|(place, _)| **place == 0) {
            *place = self.zone.len() as u32;
            self.zone.push(contact_particle.number);
        }
        for at in self.candidates.iter_mut().flat_map(|candidate| &mut candidate.near) {
            *at = places[*at as usize];
        }
        self
    }

    /// Adds the groups and their steps.
    fn grouped(mut self, contact_particles: &[ContactParticle], bodies: &[Touching], spacing: f64) -> Self {
        /// Part of the time that sound in the matter takes for a spacing.
        const STEP: f64 = 0.15;
        let mut union = Union::new(self.zone.len());
        for candidate in &self.candidates {
            candidate.near.windows(2).for_each(|pair| union.unite(pair[0], pair[1]));
        }
        self.groups = union.numbered();
        let count = self.groups.iter().max().map_or(0, |most| most + 1);
        let body = |number: u32| {
            let at = contact_particles.partition_point(|contact_particle| contact_particle.number < number);
            &bodies[contact_particles[at].body as usize]
        };
        let mut fastest = vec![0.0_f64; count as usize];
        for candidate in &mut self.candidates {
            candidate.group = self.groups[candidate.near[candidate.own as usize] as usize];
            let own = body(candidate.number);
            let stiffest = candidate.others.iter().map(|other| stiffness(own, body(other.number))).fold(0.0, f64::max);
            let of_group = &mut fastest[candidate.group as usize];
            *of_group = of_group.max(stiffest);
        }
        self.steps = fastest.into_iter().map(|fastest| STEP * spacing / fastest.sqrt()).collect();
        self
    }

    /// Takes over the spring forces of the candidates before.
    #[must_use]
    pub fn after(mut self, before: &Self) -> Self {
        for candidate in &mut self.candidates {
            let Ok(at) = before.candidates.binary_search_by_key(&candidate.number, |candidate| candidate.number) else {
                continue;
            };
            let known = &before.candidates[at];
            candidate.tick = known.tick;
            for other in &mut candidate.others {
                if let Ok(at) = known.others.binary_search_by_key(&other.number, |other| other.number) {
                    other.held = known.others[at].held;
                }
            }
        }
        self
    }

    /// Finds the contact forces between pieces in the due groups, given the particles of the [zone](Self::zone) and all
    /// bodies at a spacing, m.
    pub fn find(
        &mut self,
        contact_particles: &[ContactParticle],
        bodies: &[Touching],
        spacing: f64,
        moment: &Moment<'_>,
    ) {
        let matter = ContactMatter { contact_particles, bodies, spacing };
        let due = |candidate: &&mut ContactCandidates| moment.due[candidate.group as usize];
        let candidates = self.candidates.par_iter_mut().with_min_len(4);
        candidates.filter(due).for_each(|candidate| {
            let since = candidate.tick.map_or(0, |tick| moment.tick - tick);
            (candidate.tick, candidate.seconds) = (Some(moment.tick), f64::from(since) * moment.second);
            candidate.find(&matter);
        });
        let is_due = |candidate: &&ContactCandidates| moment.due[candidate.group as usize];
        self.loads.clear();
        self.loads.resize(self.zone.len(), 0.0);
        for candidate in self.candidates.iter().filter(is_due) {
            candidate.near.iter().zip(&candidate.found.loads).for_each(|(&at, load)| self.loads[at as usize] += load);
        }
        let loads = &self.loads;
        self.candidates.par_iter_mut().with_min_len(4).filter(due).for_each(|candidate| {
            let seconds =
                if candidate.seconds > 0.0 { candidate.seconds } else { moment.steps[candidate.group as usize] };
            candidate.friction(&matter, loads, seconds);
        });
        for (sums, parts) in
            [(&mut self.pushes, PatchForces::pushes as Parts), (&mut self.frictions, PatchForces::frictions)]
        {
            sums.clear();
            sums.resize(self.zone.len(), DVec3::ZERO);
            for candidate in self.candidates.iter().filter(is_due) {
                candidate.near.iter().zip(parts(&candidate.found)).for_each(|(&at, part)| sums[at as usize] += *part);
            }
        }
    }

    /// Energy of all patches when last found, J.
    pub fn energy(&self) -> f64 {
        self.candidates.iter().map(|candidate| candidate.found.energy).sum()
    }

    /// The pressed patches of the due groups, and for how many seconds each was pressed.
    pub fn pressed<'a>(&'a self, due: &'a [bool]) -> impl Iterator<Item = (&'a [Pressed], f64)> + Clone {
        let candidates = self.candidates.iter().filter(|candidate| due[candidate.group as usize]);
        candidates.map(|candidate| (candidate.found.pressed.as_slice(), candidate.seconds))
    }

    /// Memory of a particle of a face that lies on another, bytes: half a candidate with some twelve others and sixty
    /// near.
    pub fn memory_of_a_hub() -> usize {
        const OTHERS: usize = 12;
        const NEAR: usize = 60;
        let near = size_of::<u32>() + 2 * size_of::<DVec3>() + size_of::<f64>() + size_of::<NearbyField>();
        let shares = NEAR / 2 * size_of::<(u32, f64)>();
        let other = size_of::<Other>() + size_of::<Pressed>() + size_of::<Slip>() + shares;
        (size_of::<ContactCandidates>() + NEAR * near + OTHERS * other) / 2
    }

    /// The largest overspeed when contacts were last found.
    pub fn overspeed(&self) -> Overspeed {
        self.candidates.iter().map(|candidate| candidate.found.overspeed).fold(Overspeed::default(), Overspeed::worse)
    }
}

/// Selects one field of [`PatchForces`].
type Parts = fn(&PatchForces) -> &Vec<DVec3>;

impl PatchForces {
    fn pushes(&self) -> &Vec<DVec3> {
        &self.pushes
    }

    fn frictions(&self) -> &Vec<DVec3> {
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
    fn find(&mut self, matter: &ContactMatter<'_>) {
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
    fn friction(&mut self, matter: &ContactMatter<'_>, loads: &[f64], seconds: f64) {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::skin_of;
    use super::*;
    use crate::lattice::edge;
    use crate::material::soft::pressure::{Pressures, on_pair};
    use dollop_scene::{Soft, SoftField};

    const SPACING: f64 = 0.02;

    fn contact_particles(places: &[DVec3], piece: impl Fn(usize) -> u32) -> Vec<ContactParticle> {
        let contact_particle = |(at, &place): (usize, &DVec3)| ContactParticle {
            number: at as u32,
            place,
            velocity: DVec3::new(place.y, -place.x, 0.0),
            offset: 0.02 * SPACING * (at % 3) as f64,
            membership: Membership::of(piece(at)),
            body: 0,
        };
        places.iter().enumerate().map(contact_particle).collect()
    }

    /// Two close-packed lumps, out of order, with as many layers each, that overlap by a part of the distance of
    /// layers.
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

    fn contact(contact_particles: &[ContactParticle], soft: &Soft) -> (Nearness, Vec<DVec3>) {
        let bodies = [Touching::new(soft, skin_of(soft, SPACING), SPACING)];
        let mut nearness = Nearness::new(contact_particles, &bodies, SPACING);
        let zone: Vec<ContactParticle> = nearness.zone.iter().map(|&at| contact_particles[at as usize]).collect();
        let due = vec![true; nearness.steps.len()];
        let moment = Moment { tick: 0, second: 1.0, due: &due, steps: &vec![1e-4; due.len()] };
        nearness.find(&zone, &bodies, SPACING, &moment);
        let mut pushes = vec![DVec3::ZERO; contact_particles.len()];
        nearness.zone.iter().zip(&nearness.pushes).for_each(|(&at, &push)| pushes[at as usize] = push);
        (nearness, pushes)
    }

    fn pressed(nearness: &Nearness) -> Vec<Pressed> {
        nearness.candidates.iter().flat_map(|candidate| candidate.found.pressed.iter().copied()).collect()
    }

    /// Forces are the exact gradient of the energy, action equals reaction, and there is no net torque.
    #[test]
    fn pushes_are_the_gradient_of_the_energy() {
        for field in [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube] {
            let soft = Soft { field, ..Soft::default() };
            let (places, count) = lumps(0.3);
            let of = |places: &[DVec3]| contact(&contact_particles(places, |at| u32::from(at >= count)), &soft);
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
                        of(&places).0.energy()
                    };
                    let step = 1e-6 * SPACING;
                    let slope = (moved(step) - moved(-step)) / (2.0 * step);
                    worst = worst.max((pushes[at].dot(axis) + slope).abs());
                }
            }
            let (sum, torque) = (sum.length() / largest, torque.length() / (largest * SPACING));
            assert!(pressed(&found).len() > 20 && worst < 1e-8 * largest, "{worst} {largest}");
            assert!(sum < 1e-12 && torque < 1e-11, "{sum} {torque}");
            let frictions: DVec3 = found.frictions.iter().sum();
            assert!(
                frictions.length() < 1e-12 * largest && found.frictions.iter().any(|friction| friction.length() > 0.0)
            );
        }
    }

    /// Flat faces that are pressed together are as stiff as the matter: the energy of an overlap e of the distance of
    /// layers is m k e^2 / 2 a particle.
    #[test]
    fn faces_are_as_stiff_as_the_matter() {
        let soft = Soft::default();
        let touching = Touching::new(&soft, skin_of(&soft, SPACING), SPACING);
        let half_space = close_packed_half_space(8.0 * SPACING, SPACING).0;
        let inner = |p: &DVec3| p.x.hypot(p.y) < 7.0 * SPACING && p.z < 3.0 * SPACING;
        let layer = between_layers_in_space(SPACING);
        let upper: Vec<DVec3> = half_space.into_iter().filter(inner).collect();
        for (overlap, off) in [(0.05, 0.5), (0.1, 0.2), (0.2, 0.5), (-0.1, 1.0)] {
            let down = |p: &DVec3| DVec3::new(p.x + 0.004, p.y + 0.003, -p.z - layer * (1.0 - overlap));
            let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
            let contact_particles: Vec<ContactParticle> = contact_particles(&places, |at| u32::from(at >= upper.len()))
                .into_iter()
                .map(|contact_particle| ContactParticle { offset: 0.0, ..contact_particle })
                .collect();
            let faces = upper.iter().filter(|p| p.z == 0.0).count() as f64;
            let energy = contact(&contact_particles, &soft).0.energy() / (touching.energy * faces);
            let expected = if overlap > 0.0 { overlap * overlap / 2.0 } else { 0.0 };
            assert!((energy - expected).abs() <= off * expected.max(1e-4), "{overlap}: {energy} {expected}");
        }
    }

    /// Of two pressed faces exactly the particles with at least the threshold pressure, force over area, fuse.
    #[test]
    fn the_threshold_is_the_force_over_the_area() {
        let (layer, nearest) = (between_layers_in_space(SPACING), edge(SPACING) / 2.0_f64.sqrt());
        let face = close_packed_half_space(10.0 * SPACING, SPACING).0;
        let upper: Vec<DVec3> =
            face.into_iter().filter(|p| p.x.hypot(p.y) < 9.0 * SPACING && p.z < 3.0 * SPACING).collect();
        let at = |overlap: f64| {
            let down = |p: &DVec3| DVec3::new(p.x + nearest / 2.0, p.y, -p.z - layer * (1.0 - overlap));
            let places: Vec<DVec3> = upper.iter().copied().chain(upper.iter().map(down)).collect();
            let contact_particles = contact_particles(&places, |at| u32::from(at >= upper.len()));
            contact_particles
                .into_iter()
                .map(|contact_particle| ContactParticle { offset: 0.0, ..contact_particle })
                .collect::<Vec<_>>()
        };
        let contact_particles = at(0.12);
        let (found, pushes) = contact(&contact_particles, &Soft::default());
        // The upward force within a circle, over its area.
        let inner = |at: usize| contact_particles[at].place.x.hypot(contact_particles[at].place.y) < 5.0 * SPACING;
        let within = |at: &usize| inner(*at) && *at < upper.len();
        let faces = (0..upper.len()).filter(|at| inner(*at) && upper[*at].z == 0.0).count() as f64;
        let force: f64 = (0..contact_particles.len()).filter(within).map(|at| pushes[at].z).sum();
        let pressure = force / (faces * nearest * nearest * 0.75_f64.sqrt());
        let mut pressures = Pressures::new(Soft::default().stiffness, SPACING);
        let all = pressed(&found);
        for seconds in [0.25, 0.75] {
            pressures.add(seconds, std::iter::once((&*all, seconds)));
        }
        let peaks = pressures.take_peaks();
        let of_inner = peaks.iter().filter(|([a, b], _)| inner(*a as usize) && inner(*b as usize));
        let fused: Vec<f64> = of_inner.map(|(_, &peak)| on_pair(peak, [false; 2]) / pressure).collect();
        let (least, most) = fused.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &p| (low.min(p), high.max(p)));
        assert!(fused.len() > 100 && least > 0.998 && most < 1.002);
    }
}
