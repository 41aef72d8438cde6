//! Damping of the stretching of woven sheets (Kelvin and Voigt), for a whole part of a frame at once.
//!
//! A tie of stiffness k between particles that part with the velocity v along n is damped by the force tau k v n.
//! Forces that damp waves as long as a sheet are stiff between neighbours: explicit steps would have to be a hundred
//! times as many. So one backward Euler step of these forces alone, (M + dt C) v = M v0, replaces the velocities at the
//! start of each part. M and C are symmetric, so the step takes energy for any dt. All forces are along the ties and
//! opposite, so momentum and angular momentum stay. Conjugate gradients with M as preconditioner keep them from iterate
//! to iterate.
//!
//! Each connected piece is solved by itself, so distant pieces do not change each other.

use super::pieces::pieces;
use super::sheet::Sheet;
use crate::particles::{MOST_TIES, Particles, Tie, share, slots};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Part of the change of velocities that may be left to the next part.
const ACCURACY: f64 = 1e-3;

/// Most iterations, for sheets damped so strongly that no tie stretches.
const ITERATIONS: usize = 300;

/// Items that a thread takes at once. Sums are made by chunks, so they do not depend on the number of threads.
const CHUNK: usize = 1024;

/// Memory of a damped particle, bytes: its dashpots, and vectors.
pub const MEMORY: usize = MOST_TIES * size_of::<Dashpot>() + 6 * size_of::<DVec3>();

/// The dashpot of a tie.
#[derive(Debug, Clone, Copy)]
struct Dashpot {
    /// The place of the other particle in its piece.
    other: u32,
    /// Unit vector along it times the root of its impulse over the speed, kg^(1/2).
    along: Vec3,
}

/// A wholly damped piece, M + dt C, in the order of particle numbers, so sums do not depend on the order of slots.
struct DampedPiece {
    slots: Vec<u32>,
    masses: Vec<f64>,
    /// The first dashpot of each particle, then the end of the last.
    begins: Vec<u32>,
    dashpots: Vec<Dashpot>,
    held: Vec<bool>,
}

/// The input from which pieces are made.
struct DampedSheets<'a> {
    particles: &'a Particles,
    sheets: &'a [Option<Sheet>],
    /// The slot of each particle number.
    slots: &'a [u32],
    /// The place of each particle in its piece, by number.
    places: &'a [u32],
    seconds: f64,
}

/// Whether any damped sheet moves.
pub fn is_damped(particles: &Particles, sheets: &[Option<Sheet>]) -> bool {
    let moves = |(&source, velocity): (&u32, &DVec3)| damps(sheets, source) && *velocity != DVec3::ZERO;
    !particles.ties.is_empty() && particles.sources.iter().zip(&particles.velocities).any(moves)
}

/// Damps the stretching of sheets over some seconds. Held particles keep their velocities.
pub fn damp(particles: &mut Particles, sheets: &[Option<Sheet>], holds: impl Fn(u32) -> bool + Sync, seconds: f64) {
    if !is_damped(particles, sheets) {
        return;
    }
    let slots = slots(particles);
    let members = members(particles, sheets, &slots);
    let mut places = vec![0; slots.len()];
    for own in &members {
        own.iter().zip(0..).for_each(|(&number, place)| places[number as usize] = place);
    }
    for own in &members {
        let all = DampedSheets { particles, sheets, slots: &slots, places: &places, seconds };
        let piece = all.piece(own, &holds);
        let velocities = piece.damped(&particles.velocities);
        let own = piece.slots.iter().zip(velocities);
        own.for_each(|(&slot, velocity)| particles.velocities[slot as usize] = velocity);
    }
}

fn damps(sheets: &[Option<Sheet>], body: u32) -> bool {
    sheets[body as usize].is_some_and(|sheet| sheet.damping > 0.0)
}

/// The particle numbers of each damped piece of more than one particle, in rising order.
fn members(particles: &Particles, sheets: &[Option<Sheet>], slots: &[u32]) -> Vec<Vec<u32>> {
    let labels = pieces(particles, |body| damps(sheets, body));
    let mut members = vec![Vec::new(); labels.iter().max().map_or(0, |most| *most as usize + 1)];
    for (number, (label, &slot)) in (0..).zip(labels.iter().zip(slots)) {
        if damps(sheets, particles.sources[slot as usize]) {
            members[*label as usize].push(number);
        }
    }
    members.retain(|own| own.len() > 1);
    members
}

impl DampedSheets<'_> {
    fn piece(&self, members: &[u32], holds: impl Fn(u32) -> bool + Sync) -> DampedPiece {
        let Self { particles, sheets, slots, .. } = self;
        let own: Vec<u32> = members.iter().map(|&number| slots[number as usize]).collect();
        let all = || own.par_iter().with_min_len(CHUNK).map(|&slot| slot as usize);
        let mass = |slot: usize| {
            let sheet = sheets[particles.sources[slot] as usize].map_or(1.0, |sheet| sheet.mass);
            sheet * share(&particles.shares, slot)
        };
        let counts: Vec<u32> = all().map(|slot| self.others(slot).count() as u32).collect();
        let ends = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        });
        DampedPiece {
            begins: [0].into_iter().chain(ends).collect(),
            masses: all().map(mass).collect(),
            held: all().map(|slot| holds(particles.numbers[slot])).collect(),
            dashpots: all().flat_map_iter(|slot| self.others(slot).map(move |tie| self.dashpot(slot, tie))).collect(),
            slots: own,
        }
    }

    /// The ties of a slot to particles of damped sheets.
    fn others(&self, slot: usize) -> impl Iterator<Item = Tie> {
        let Self { particles, sheets, slots, .. } = *self;
        let number = particles.numbers[slot];
        particles.ties[slot].iter().filter(move |tie| {
            let other = slots[tie.number as usize] as usize;
            damps(sheets, particles.sources[other]) && particles.ties[other].has(number)
        })
    }

    /// The dashpot of a tie; the same as seen from the other end.
    fn dashpot(&self, slot: usize, tie: Tie) -> Dashpot {
        let Particles { positions, velocities, .. } = self.particles;
        let other = self.slots[tie.number as usize] as usize;
        let along = (positions[other] - positions[slot]).normalize_or_zero();
        let parting = (velocities[other] - velocities[slot]).dot(along);
        let of = |slot: usize| Damper::of(self.particles, self.sheets, slot);
        let impulse = self.seconds * of(slot).and(&of(other)).at(parting) / f64::from(tie.length);
        Dashpot { other: self.places[tie.number as usize], along: (along * impulse.sqrt()).as_vec3() }
    }
}

impl DampedPiece {
    /// dt C v of a particle.
    fn drag(&self, velocities: &[DVec3], place: usize) -> DVec3 {
        let [begin, end] = [self.begins[place], self.begins[place + 1]];
        let of = |dashpot: &Dashpot| {
            let along = dashpot.along.as_dvec3();
            along * (velocities[place] - velocities[dashpot.other as usize]).dot(along)
        };
        self.dashpots[begin as usize..end as usize].iter().map(of).sum()
    }

    /// A vector, particle by particle; zero for held particles.
    fn each(&self, of: impl Fn(usize) -> DVec3 + Sync) -> Vec<DVec3> {
        let of = |place: usize| if self.held[place] { DVec3::ZERO } else { of(place) };
        (0..self.masses.len()).into_par_iter().with_min_len(CHUNK).map(of).collect()
    }

    /// The velocities after the damping, given those of all slots.
    fn damped(&self, velocities: &[DVec3]) -> Vec<DVec3> {
        let mut damped: Vec<DVec3> = self.slots.iter().map(|&slot| velocities[slot as usize]).collect();
        // Divided by mass, as the preconditioner is.
        let mut residual = self.each(|place| -self.drag(&damped, place) / self.masses[place]);
        let mut direction = residual.clone();
        let mut change = vec![DVec3::ZERO; direction.len()];
        let mut left = self.product(&residual, &residual);
        for _ in 0..ITERATIONS {
            // No mode of M + dt C is less than M, so the error is no more than the residual.
            if left <= ACCURACY * ACCURACY * self.product(&change, &change) {
                break;
            }
            let image = self.each(|place| direction[place] + self.drag(&direction, place) / self.masses[place]);
            let length = left / self.product(&direction, &image);
            add(&mut change, length, &direction);
            add(&mut residual, -length, &image);
            let next = self.product(&residual, &residual);
            let more = next / left;
            direction
                .par_iter_mut()
                .with_min_len(CHUNK)
                .zip(&residual)
                .for_each(|(direction, left)| *direction = *left + *direction * more);
            left = next;
        }
        add(&mut damped, 1.0, &change);
        damped
    }

    /// The mass-weighted product of two vectors, the same for any number of threads.
    fn product(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        let of = |((a, b), masses): ((&[DVec3], &[DVec3]), &[f64])| {
            a.iter().zip(b).zip(masses).map(|((a, b), mass)| mass * a.dot(*b)).sum::<f64>()
        };
        let parts = a.par_chunks(CHUNK).zip(b.par_chunks(CHUNK)).zip(self.masses.par_chunks(CHUNK));
        parts.map(of).collect::<Vec<f64>>().iter().sum()
    }
}

fn add(to: &mut [DVec3], factor: f64, vectors: &[DVec3]) {
    to.par_iter_mut().with_min_len(CHUNK).zip(vectors).for_each(|(to, vector)| *to += *vector * factor);
}

/// How ties of a particle are damped.
#[derive(Debug, Clone, Copy, Default)]
struct Damper {
    /// Damping of a tie as long as the distance of nearest neighbours, kg/s.
    damping: f64,
    /// The largest pull, N.
    strength: f64,
}

impl Damper {
    fn of(particles: &Particles, sheets: &[Option<Sheet>], slot: usize) -> Self {
        let Some(sheet) = &sheets[particles.sources[slot] as usize] else { return Self::default() };
        let left = f64::from(sheet.left(particles.melted.get(slot).copied().unwrap_or(0.0)));
        let strength = if sheet.lasting { f64::INFINITY } else { sheet.strength * left };
        Self { damping: sheet.damping * sheet.spring * left, strength }
    }

    /// The damper of a tie between two particles.
    fn and(&self, other: &Self) -> Self {
        Self { damping: (self.damping * other.damping).sqrt(), strength: self.strength.min(other.strength) }
    }

    /// Damping of a pair that parts, or nears, at some speed, m/s. The dashpot slips where it would pull harder than
    /// the tearing force; otherwise a sheet that is struck as a part begins would not tear.
    fn at(&self, parting: f64) -> f64 {
        self.damping / (1.0 + self.damping * parting.abs() / self.strength)
    }
}
