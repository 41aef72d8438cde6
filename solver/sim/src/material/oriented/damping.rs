//! Damping of what stretches woven sheets (Kelvin and Voigt), for a whole part of a frame at once.
//!
//! A tie of stiffness k between particles that part with the velocity v along n is damped by the force tau k v n. Waves as long as a sheet are damped by forces that would be stiff
//! between neighbours: in steps of their own particles would need a hundred times as many. So the velocities at the part's end are
//! found from those at its start by one backward Euler step of these forces alone, (M + dt C) v = M v0. M and C are symmetric, so that takes energy
//! for any dt, and as all forces are along the ties and opposite, momentum and angular momentum stay. Conjugate gradients with M as
//! preconditioner keep them from iterate to iterate.

use super::sheet::Sheet;
use super::ties::slots;
use crate::particles::{Particles, share};
use glam::DVec3;
use rayon::prelude::*;

/// Residuals count as none below this part of the first one.
const RESIDUAL: f64 = 1e-6;

/// Most iterations; what is left then is damped in the next part.
const ITERATIONS: usize = 200;

/// Items that a thread takes at once; sums are made by these, so they do not depend on the number of threads.
const CHUNK: usize = 1024;

/// The dashpot of a tie.
#[derive(Debug, Clone, Copy)]
struct Dashpot {
    other: u32,
    /// Unit vector along it times the root of its impulse over the speed, kg^(1/2).
    along: DVec3,
}

/// All that is damped, M + dt C, in the order of particle numbers: sums do not depend on that in which particles lie.
struct System {
    masses: Vec<f64>,
    /// Where the dashpots of each particle begin and end.
    ranges: Vec<(u32, u32)>,
    dashpots: Vec<Dashpot>,
    held: Vec<bool>,
}

/// Damps the stretching of sheets over some seconds; what is held goes its own way.
pub fn damp(particles: &mut Particles, sheets: &[Option<Sheet>], holds: impl Fn(u32) -> bool + Sync, seconds: f64) {
    let damps = |sheet: &Sheet| sheet.damping > 0.0;
    if particles.ties.is_empty() || !sheets.iter().flatten().any(damps) {
        return;
    }
    let system = System::new(particles, sheets, holds, seconds);
    let mut velocities = particles.by_number(particles.velocities.iter().copied());
    system.solve(&mut velocities);
    let own = particles.velocities.iter_mut().zip(&particles.numbers);
    own.for_each(|(velocity, &number)| *velocity = velocities[number as usize]);
}

impl System {
    fn new(particles: &Particles, sheets: &[Option<Sheet>], holds: impl Fn(u32) -> bool + Sync, seconds: f64) -> Self {
        let slots = slots(particles);
        let all = || slots.par_iter().with_min_len(CHUNK).map(|&slot| slot as usize);
        let of = |slot: usize| sheets[particles.sources[slot] as usize].as_ref();
        let mass = |slot: usize| of(slot).map_or(1.0, |sheet| sheet.mass * share(&particles.shares, slot));
        let own: Vec<Vec<Dashpot>> = all().map(|slot| dashpots(particles, sheets, &slots, slot, seconds)).collect();
        let mut end = 0;
        let ranges = own.iter().map(|own| {
            let begin = end;
            end += own.len() as u32;
            (begin, end)
        });
        Self {
            ranges: ranges.collect(),
            masses: all().map(mass).collect(),
            held: all().map(|slot| holds(particles.numbers[slot])).collect(),
            dashpots: own.concat(),
        }
    }

    /// dt C v of a particle.
    fn drag(&self, velocities: &[DVec3], number: usize) -> DVec3 {
        let (begin, end) = self.ranges[number];
        let of = |dashpot: &Dashpot| {
            dashpot.along * (velocities[number] - velocities[dashpot.other as usize]).dot(dashpot.along)
        };
        self.dashpots[begin as usize..end as usize].iter().map(of).sum()
    }

    /// A vector, particle by particle; zero for those that are held.
    fn each(&self, of: impl Fn(usize) -> DVec3 + Sync) -> Vec<DVec3> {
        let of = |number: usize| if self.held[number] { DVec3::ZERO } else { of(number) };
        (0..self.masses.len()).into_par_iter().with_min_len(CHUNK).map(of).collect()
    }

    fn solve(&self, velocities: &mut [DVec3]) {
        // By mass, as the preconditioner is.
        let mut residual = self.each(|number| -self.drag(velocities, number) / self.masses[number]);
        let mut way = residual.clone();
        let mut left = self.product(&residual, &residual);
        let enough = left * RESIDUAL * RESIDUAL;
        for _ in 0..ITERATIONS {
            if left <= enough {
                return;
            }
            let image = self.each(|number| way[number] + self.drag(&way, number) / self.masses[number]);
            let length = left / self.product(&way, &image);
            add(velocities, length, &way);
            add(&mut residual, -length, &image);
            let next = self.product(&residual, &residual);
            let more = next / left;
            way.par_iter_mut().with_min_len(CHUNK).zip(&residual).for_each(|(way, left)| *way = *left + *way * more);
            left = next;
        }
    }

    /// The product of two vectors by mass, whatever the number of threads.
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

/// The dashpots of a slot, each the same as seen from its other end.
fn dashpots(particles: &Particles, sheets: &[Option<Sheet>], slots: &[u32], slot: usize, seconds: f64) -> Vec<Dashpot> {
    let Particles { numbers, positions, velocities, ties, .. } = particles;
    let own = Damper::of(particles, sheets, slot);
    let of = |number: u32| {
        let other = slots[number as usize] as usize;
        let along = (positions[other] - positions[slot]).normalize_or_zero();
        let parting = (velocities[other] - velocities[slot]).dot(along);
        let impulse = seconds * own.and(&Damper::of(particles, sheets, other)).at(parting);
        Dashpot { other: number, along: along * impulse.sqrt() }
    };
    let others = ties[slot].iter().map(|tie| tie.number);
    others.filter(|&number| ties[slots[number as usize] as usize].has(numbers[slot])).map(of).collect()
}

/// How ties of a particle are damped.
#[derive(Debug, Clone, Copy, Default)]
struct Damper {
    /// kg/s.
    damping: f64,
    /// What it pulls with at most, N.
    strength: f64,
}

impl Damper {
    fn of(particles: &Particles, sheets: &[Option<Sheet>], slot: usize) -> Self {
        let Some(sheet) = &sheets[particles.sources[slot] as usize] else { return Self::default() };
        let left = f64::from(sheet.left(particles.melted.get(slot).copied().unwrap_or(0.0)));
        let strength = if sheet.lasting { f64::INFINITY } else { sheet.strength * left };
        Self { damping: sheet.damping * sheet.spring * left, strength }
    }

    /// That of a tie between two.
    fn and(&self, other: &Self) -> Self {
        Self { damping: (self.damping * other.damping).sqrt(), strength: self.strength.min(other.strength) }
    }

    /// Damping of what parts, or comes near, at some speed, m/s: it slips where it would pull harder than what tears, or nothing would tear
    /// that is struck as a part begins.
    fn at(&self, parting: f64) -> f64 {
        self.damping / (1.0 + self.damping * parting.abs() / self.strength)
    }
}
