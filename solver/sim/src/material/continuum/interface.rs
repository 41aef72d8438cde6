//! Particles of a grid at its interface with other matter.
//!
//! The grid takes one step for a part of a frame. The particles at the interface go their way of that step in the many
//! steps of the other matter, and [push it and are pushed](super::interface_forces). What they are pushed is added to
//! their momentum at the end of the part, when the grid takes it, so both sides get the same impulse. Meanwhile a push
//! displaces them from their way as if each were held to it by a spring, with critical damping: other matter meets no
//! rigid wall, of which light matter would be thrown ahead, and no single layer, that would give way at once.

use super::cells::Cells;
use super::flip::Flip;
use super::islands::SortedIslands;
use super::pace::{by_motion, steps_in};
use super::surfaces::{near, normals};
use crate::bounds::Bounds;
use crate::hash_grid::HashGrid;
use crate::lattice::nearest;
use crate::laws::interface::REACH;
use crate::material::Received;
use crate::particles::{Particles, Renumbering, Surface, slots};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How far matter goes towards other matter in a step, in spacings.
const APPROACH: f64 = 0.25;
/// How far pushes may displace particles, in spacings.
const PUSHED: f64 = 0.2;
/// Layers that weigh on a contact before it is known what does.
const LAYERS: f64 = 2.0;
/// The seconds in which the rate of a spring that is pressed may double or halve, as what presses it does on the mean.
/// Doubling gives energy, so it takes longer than a collision; at rest it lifts what has sunk in.
const DOUBLED: f64 = 0.25;
/// The part of the way of a step that is added to the reach, for what speeds up meanwhile, and its least, in spacings.
const AHEAD: f64 = 1.5;
const LEAST_AHEAD: f64 = 0.25;

/// How far from where matter of the grid touches a sheet that may matter to it, in spacings.
const NEAR_SHEETS: f64 = 4.0;

/// Particles that are looked at together.
const TOGETHER: usize = 256;

/// The mass by which a particle resists pushes, over its own. With up to 2 no collision gives energy: in a step the
/// grid gets the impulse that stops both sides against each other, and of lone particles that is then the most that an
/// elastic collision gives.
const INERTIA: f64 = 1.5;
/// The rate of the spring times the seconds of the part of a frame, at most.
const HELD: f64 = 0.45;
/// The part by which the friction of a part of a frame counts in what is kept of it.
const TAKEN: f64 = 0.25;
/// Steps of a particle for which the spring acts once, at most: the rate of the spring times a step.
const RESOLVED: f64 = 0.25;

/// The way of a particle in a part of a frame, and how it is held to that.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// m.
    from: DVec3,
    /// m/s.
    velocity: DVec3,
    /// Of the spring, 1/s.
    rate: f64,
}

impl Way {
    /// The acceleration of a particle at a place, m, with a velocity, m/s, some seconds after the part began, besides
    /// that by pushes, m/s^2.
    pub fn acceleration(&self, pushed: DVec3, place: DVec3, velocity: DVec3, seconds: f64) -> DVec3 {
        let Self { from, velocity: along, rate } = *self;
        let off = place - (from + along * seconds);
        off * -(rate * rate) - (velocity - along) * (2.0 * rate) - pushed * (1.0 - 1.0 / INERTIA)
    }

    /// The longest step, s, by the spring.
    pub fn longest_step(&self) -> f64 {
        RESOLVED / self.rate
    }
}

/// The interface of matter on a grid and other matter.
#[derive(Debug)]
pub struct Interface {
    /// Particle spacing, m.
    spacing: f64,
    /// By body, whether it is a sheet.
    are_sheets: Vec<bool>,
    /// Length of the part of the frame, or of the one before, s.
    pub seconds: f64,
    /// Particles that are there in it, by number.
    present: Vec<Present>,
    /// Those of the part before, by number.
    pub before: Vec<Displaced>,
    /// The step that the grid would take without other matter, s.
    alone: f64,
    /// Acceleration by pushes in the part before, m/s^2: the root of the mean square of all that was pushed.
    pub pushed: f64,
    /// The rate of a spring that nothing has pressed yet, 1/s.
    rate: f64,
}

/// A particle that goes its way of a step.
#[derive(Debug)]
struct Present {
    number: u32,
    /// Number of its body.
    source: u32,
    from: DVec3,
    /// Place and velocity that the grid gave it.
    to: DVec3,
    velocity: DVec3,
    /// Of its spring, 1/s.
    rate: f64,
}

/// How a particle was displaced as the part of a frame ended.
#[derive(Debug, Clone, Copy)]
pub struct Displaced {
    /// Its number.
    pub number: u32,
    /// From its way, m.
    pub by: DVec3,
    /// Its velocity then, m/s.
    pub velocity: DVec3,
    /// Change of its velocity by pushes that the grid has yet to take, m/s.
    pub push: DVec3,
    /// See [`Surface::press`].
    pub press: f64,
    /// See [`Surface::traction`].
    pub traction: DVec3,
    /// Of its spring, 1/s.
    pub rate: f64,
}

impl Displaced {
    /// Amounts of one.
    pub const AMOUNTS: usize = 14;

    /// All of it but its number.
    pub fn amounts(&self) -> [f64; Self::AMOUNTS] {
        let vectors = [self.by, self.velocity, self.push, self.traction];
        let mut amounts = [self.press; Self::AMOUNTS];
        amounts[..12].copy_from_slice(vectors.map(|vector| vector.to_array()).as_flattened());
        amounts[13] = self.rate;
        amounts
    }

    /// The one of some number and [amounts](Self::amounts).
    pub fn from_amounts(number: u32, amounts: &[f64; Self::AMOUNTS]) -> Self {
        let [by, velocity, push, traction] = [0, 3, 6, 9].map(|at| DVec3::from_slice(&amounts[at..]));
        Self { number, by, velocity, push, press: amounts[12], traction, rate: amounts[13] }
    }
}

/// An island as other matter comes upon it.
struct Target {
    bounds: Bounds,
    /// Mean velocity, m/s.
    velocity: DVec3,
}

impl Interface {
    /// None there yet, of bodies some of which are sheets.
    pub fn new(spacing: f64, are_sheets: Vec<bool>) -> Self {
        Self {
            spacing,
            are_sheets,
            seconds: 0.0,
            present: Vec::new(),
            before: Vec::new(),
            alone: 0.0,
            pushed: 0.0,
            rate: 0.0,
        }
    }

    /// The distance within which particles act across the interface, m.
    fn reach(&self) -> f64 {
        f64::from(REACH) * nearest(self.spacing)
    }

    /// The longest step, s, up to a given one, for what comes together in some gravity, m/s^2, and for what is pushed.
    /// Springs get their rate by it. A frame has `interval` seconds.
    pub fn longest(
        &mut self,
        islands: &SortedIslands,
        particles: &Particles,
        gravity: f64,
        [longest, interval]: [f64; 2],
    ) -> f64 {
        self.alone = interval / steps_in(interval, longest);
        let fastest = self.approaching(islands, particles, longest);
        let by_push = |push: f64| HELD * (INERTIA * PUSHED * self.spacing / push).sqrt();
        let by_approach = |fastest| by_motion(fastest, gravity, APPROACH * self.spacing).min(by_push(LAYERS * gravity));
        let wanted = longest.min(by_push(self.pushed)).min(fastest.map_or(f64::INFINITY, by_approach));
        self.rate = HELD / wanted;
        let pressed = self.before.iter().map(|one| self.rate_after(one)).fold(0.0, f64::max);
        wanted.min(HELD / pressed)
    }

    /// The rate of the spring of a particle that was displaced, 1/s.
    fn rate_after(&self, displaced: &Displaced) -> f64 {
        if displaced.push == DVec3::ZERO {
            return self.rate;
        }
        let change = (self.seconds / DOUBLED).exp2();
        self.rate.clamp(displaced.rate / change, displaced.rate * change)
    }

    /// The largest speed, m/s, at which other matter comes upon that of the grid in some seconds; none where none does.
    fn approaching(&self, islands: &SortedIslands, particles: &Particles, longest: f64) -> Option<f64> {
        let targets: Vec<Target> = islands.iter().map(|(cells, _)| Target::of(cells, particles)).collect();
        let margin = self.reach() + self.spacing;
        let Particles { positions, velocities, paired, .. } = particles;
        let chunks = positions[..*paired].par_chunks(TOGETHER).zip(velocities[..*paired].par_chunks(TOGETHER));
        // None where nothing comes near.
        let approaches =
            chunks.filter_map(|(places, velocities)| approach(places, velocities, &targets, margin, longest));
        approaches.reduce_with(f64::max)
    }

    /// Gives particles what they were pushed, and notes those that other matter may touch within some seconds, where
    /// they are. The grid moves them next.
    pub fn begin(&mut self, particles: &mut Particles, seconds: f64) {
        self.seconds = seconds;
        let slots = slots(particles);
        for Displaced { number, push, .. } in &self.before {
            particles.velocities[slots[*number as usize] as usize] += *push;
        }
        let near = self.near_others(particles, seconds);
        self.see_surfaces(particles, &near);
        let present = |slot: usize| {
            let from = particles.positions[slot];
            let (number, source) = (particles.numbers[slot], particles.sources[slot]);
            let rate = find(&self.before, number).map_or(self.rate, |displaced| self.rate_after(displaced));
            Present { number, source, from, to: from, velocity: DVec3::ZERO, rate }
        };
        self.present = near.into_iter().map(present).collect();
        self.present.sort_unstable_by_key(|present| present.number);
    }

    /// How particles get their velocities in the part of the frame.
    pub fn flip(&self) -> Flip<'_> {
        Flip { part: (1.0 - self.seconds / self.alone).max(0.0) as f32, pushes: &self.before }
    }

    /// Finds the surfaces of particles of the grid, given by slot, and of other matter near them.
    fn see_surfaces(&self, particles: &mut Particles, present: &[usize]) {
        particles.surfaces.clear();
        if present.is_empty() {
            return;
        }
        let others = near(particles, 0..particles.paired, present, self.farthest());
        let at: Vec<usize> = present.iter().copied().chain(others).collect();
        let found = normals(particles, &at, self.spacing);
        particles.surfaces.resize(particles.len(), Surface::default());
        for (&slot, (normal, flatness)) in at.iter().zip(found) {
            particles.surfaces[slot] = Surface { normal, flatness, ..Surface::default() };
        }
        for &slot in present {
            let (press, traction) = match find(&self.before, particles.numbers[slot]) {
                Some(one) => (one.press as f32, one.traction.as_vec3()),
                None => (-1.0, Vec3::ZERO),
            };
            let of_surface = &mut particles.surfaces[slot];
            (of_surface.press, of_surface.traction) = (press, traction);
        }
    }

    /// The slots of the particles of sheets that lie near matter of the grid, by their numbers.
    pub fn sheets(&self, particles: &Particles) -> Vec<usize> {
        if !self.are_sheets.contains(&true) {
            return Vec::new();
        }
        let slots = slots(particles);
        let present: Vec<usize> = self.present.iter().map(|one| slots[one.number as usize] as usize).collect();
        let mut near = near(particles, 0..particles.paired, &present, NEAR_SHEETS * self.spacing);
        near.retain(|&slot| self.are_sheets[particles.sources[slot] as usize]);
        near
    }

    /// The distance from where other matter may come to touch particles in a part of a frame, m.
    fn farthest(&self) -> f64 {
        self.reach() + (LEAST_AHEAD + AHEAD * APPROACH) * self.spacing
    }

    /// The slots of the particles of the grid that other matter may touch within some seconds.
    fn near_others(&self, particles: &Particles, seconds: f64) -> Vec<usize> {
        let Particles { positions, velocities, paired, .. } = particles;
        let reach = self.reach() + LEAST_AHEAD * self.spacing;
        let farthest = self.farthest();
        let others = HashGrid::new(farthest, positions[..*paired].iter().copied());
        let is_near = |&slot: &usize| {
            let (place, velocity) = (positions[slot], velocities[slot]);
            others.around(place).map(|other| other as usize).any(|other| {
                let way = (velocities[other] - velocity).length() * seconds;
                positions[other].distance_squared(place) < (reach + AHEAD * way).min(farthest).powi(2)
            })
        };
        (*paired..particles.len()).into_par_iter().with_min_len(1024).filter(is_near).collect()
    }

    /// Puts the particles that the grid has moved back to where they begin. Returns the way of each by number; none of
    /// others, and empty where no particle is there.
    pub fn leave(&mut self, particles: &mut Particles) -> Vec<Option<Way>> {
        let Self { present, before, seconds, .. } = self;
        if present.is_empty() {
            return Vec::new();
        }
        let mut ways = vec![None; particles.len()];
        let slots = slots(particles);
        for Present { number, from, to, velocity, rate, .. } in present {
            let slot = slots[*number as usize] as usize;
            let (position, moving) = (&mut particles.positions[slot], &mut particles.velocities[slot]);
            (*to, *velocity) = (*position, *moving);
            let way = Way { from: *from, velocity: (*to - *from) / *seconds, rate: *rate };
            ways[*number as usize] = Some(way);
            (*position, *moving) = match find(before, *number) {
                Some(Displaced { by, velocity, .. }) => (*from + by, *velocity),
                None => (*from, way.velocity),
            };
        }
        ways
    }

    /// The sum of the ways of all particles, each times the mass of one of its body, kg m.
    pub fn moment(&self, mass: impl Fn(u32) -> f64) -> DVec3 {
        self.present.iter().map(|present| (present.to - present.from) * mass(present.source)).sum()
    }

    /// Gives the grid its particles back, which pushes gave a velocity besides, m/s, by slot.
    pub fn come_back(&mut self, particles: &mut Particles, received: &[Received]) {
        let present = std::mem::take(&mut self.present);
        let surfaces = std::mem::take(&mut particles.surfaces);
        self.before.clear();
        if present.is_empty() {
            self.pushed = 0.0;
            return;
        }
        let slots = slots(particles);
        let (mut count, mut sum) = (0.0, 0.0);
        for Present { number, to, velocity, rate, .. } in present {
            let slot = slots[number as usize] as usize;
            let (position, moving) = (&mut particles.positions[slot], &mut particles.velocities[slot]);
            let push = received[slot].push;
            let by = *position - to;
            let (press, friction) = received[slot].traction().unwrap_or((-1.0, DVec3::ZERO));
            let traction = surfaces[slot].traction.as_dvec3().lerp(friction, TAKEN);
            self.before.push(Displaced { number, by, velocity: *moving, push, press, traction, rate });
            (*position, *moving) = (to, velocity);
            if push != DVec3::ZERO {
                (count, sum) = (count + 1.0, sum + push.length_squared());
            }
        }
        self.pushed = if count > 0.0 { (sum / count).sqrt() / self.seconds } else { 0.0 };
    }

    /// After particles were removed, which have new numbers then.
    pub fn renumber(&mut self, renumbering: &Renumbering) {
        let before = std::mem::take(&mut self.before).into_iter();
        self.before =
            before.filter_map(|one| Some(Displaced { number: renumbering.number(one.number)?, ..one })).collect();
    }
}

/// The one of a particle among some by number.
pub fn find(displaced: &[Displaced], number: u32) -> Option<&Displaced> {
    displaced.binary_search_by_key(&number, |one| one.number).ok().map(|at| &displaced[at])
}

impl Target {
    fn of(cells: &Cells, particles: &Particles) -> Self {
        let (mut bounds, mut sum) = (Bounds::NONE, DVec3::ZERO);
        for point in &cells.points {
            bounds = bounds.with(particles.positions[point.slot as usize]);
            sum += particles.velocities[point.slot as usize];
        }
        Self { bounds, velocity: sum / cells.points.len() as f64 }
    }
}

/// The largest speed, m/s, at which some particles come upon islands that are within a margin, m, of their paths in
/// some seconds; none where none is.
fn approach(places: &[DVec3], velocities: &[DVec3], targets: &[Target], margin: f64, seconds: f64) -> Option<f64> {
    let bounds = Bounds::of(places.iter().copied());
    let fastest = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max);
    let farthest = |target: &Target| margin + (fastest + target.velocity.length()) * seconds;
    let near: Vec<&Target> = targets.iter().filter(|target| target.bounds.gap(&bounds) < farthest(target)).collect();
    let of_particle = |(&place, &velocity): (&DVec3, &DVec3)| {
        let towards = |target: &&Target| {
            let relative = velocity - target.velocity;
            let path = Bounds::NONE.with(place).with(place + relative * seconds);
            (target.bounds.gap(&path) < margin).then(|| relative.length())
        };
        near.iter().filter_map(towards).reduce(f64::max)
    };
    places.iter().zip(velocities).filter_map(of_particle).reduce(f64::max)
}
