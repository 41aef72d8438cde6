//! Colliders: solids that matter can neither enter nor stick to.
//!
//! A particle feels a wall through its density, as if matter at rest lay behind the surface ([`WallKernel`]), and so
//! through its pressure; Coulomb friction acts against sliding. No particle passes a wall, however strong the forces:
//! after each drift particles inside a wall are put back to its surface, and walls too thin for the sampled distance
//! are tested by their triangles.

mod approach;
mod field;
mod motion;
mod reaction;
mod section;
mod share;
mod surface;
mod wall_column;
mod wall_kernel;

pub use approach::Approach;
pub use field::{DistanceField, Lookup, Sample, THINNEST};
pub use motion::{Motion, Pose};
pub use reaction::{Impulse, Impulses, TouchedColliders};
pub use section::Section;
pub use surface::{MeshDistance, PlaneSurface, PrimitiveSurface, Surface};
pub use wall_column::{BatchWalls, WallColumn};
pub use wall_kernel::{WallKernel, moment_of_half_space, over_half_space};

use crate::bounds::Bounds;
use glam::{DVec3, IVec3, Vec3};
use reaction::Parts;

/// Distance that a particle keeps from the triangles of a thin wall, in node spacings.
const THIN_MARGIN: f64 = 0.05;

/// A collider with its motion.
#[derive(Debug)]
pub struct MovingSurface {
    /// Its surface.
    pub field: DistanceField,
    /// Its pose over time.
    pub motion: Motion,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// How matter with cohesion wets it, 0 to 1.
    pub adhesion: f64,
}

impl MovingSurface {
    /// Whether it neither moves nor changes its shape.
    pub fn stands(&self) -> bool {
        self.motion.is_static() && self.field.surface().is_rigid()
    }

    /// Whether the box around it reaches to both sides of the plane y = 0 at a time, s.
    pub fn may_meet_plane(&self, time: f64) -> bool {
        let (Bounds { low, high }, pose) = (self.field.surface().bounds(), self.motion.pose(time));
        if !low.is_finite() {
            return true;
        }
        let corner = |i: usize| {
            let pick = |axis: usize| if i >> axis & 1 == 0 { low[axis] } else { high[axis] };
            pose.to_world(DVec3::new(pick(0), pick(1), pick(2))).y
        };
        let heights = (0..8).map(corner);
        heights.clone().fold(f64::INFINITY, f64::min) <= 0.0 && heights.fold(f64::NEG_INFINITY, f64::max) >= 0.0
    }
}

/// The effect of all walls around a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wall {
    /// The walls' share of the volume sum.
    pub share: f32,
    /// Gradient of the share, 1/m; points into the walls.
    pub gradient: Vec3,
    /// The part of the share that matter can adhere to.
    pub adhesive_share: f32,
    /// Gradient of the adhesive share, 1/m.
    pub adhesive_gradient: Vec3,
    /// Decrease of the share as the distances grow, over their relative growth.
    pub dilation: f32,
    /// Decrease of the adhesive share as the distances grow, over their relative growth.
    pub adhesive_dilation: f32,
    /// Velocity of the wall's surface, m/s.
    pub velocity: Vec3,
    /// Rate at which the walls' own motion increases the share, 1/s.
    pub closing: f32,
    /// Sum of the lengths of the gradients of all walls, 1/m; the gradient itself may vanish between two walls.
    pub steepness: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// The colliders that the walls belong to.
    pub felt: TouchedColliders,
}

/// A particle's drift, corrected for collisions.
#[derive(Debug, Clone, PartialEq)]
pub struct Touch {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// The walls that stopped it; mostly none.
    pub stops: Vec<Stop>,
    /// The walls it feels there.
    pub wall: Wall,
}

/// The surface of a wall that a particle was put back to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stop {
    /// Normal of the surface; points out of the wall.
    pub normal: DVec3,
    /// Velocity of the surface, m/s.
    pub velocity: DVec3,
    /// Number of the collider.
    pub collider: u32,
}

/// All colliders of a scene.
#[derive(Debug)]
pub struct Boundary {
    colliders: Vec<MovingSurface>,
    wall_kernel: std::sync::Arc<WallKernel>,
    section: Section,
    /// Time that wall velocities are measured over, s.
    velocity_interval: f64,
    thin_margin: f64,
}

/// The motion of a particle over its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drift {
    /// Position at the start, m.
    pub from: DVec3,
    /// Time at the start, s.
    pub since: f64,
    /// Position at the end if no wall stops the particle, m.
    pub to: DVec3,
    /// Its velocity, m/s.
    pub velocity: DVec3,
}

/// The time at which walls are evaluated, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Times {
    /// The walls at a time, as if they stood still.
    Still(f64),
    /// The walls in motion at a time.
    At(f64),
}

/// The pose of a collider at the end of a step.
#[derive(Debug, Clone, Copy)]
struct Placement {
    /// Seconds.
    time: f64,
    now: Pose,
    /// The pose a little later, for the wall's velocity; none where the wall stands still.
    later: Option<Pose>,
    /// Whether the collider never moves.
    standing: bool,
}

/// The block that has to be made before the walls around a particle can be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    collider: usize,
    block: IVec3,
}

/// All walls at some time.
#[derive(Debug)]
pub struct Walls<'a> {
    boundary: &'a Boundary,
    placements: Vec<Placement>,
}

/// No wall counts as nearer than this part of the search radius, so that displacements to it have a direction.
const LEAST: f64 = 1e-4;

/// Factor on displacements, to allow for rounding.
const SLACK: f32 = 1.001;

impl Boundary {
    /// Colliders that act within the kernel's support, m; `interval` is that of the frames, s.
    pub fn new(
        colliders: Vec<MovingSurface>,
        wall_kernel: std::sync::Arc<WallKernel>,
        section: Section,
        spacing: f64,
        interval: f64,
    ) -> Self {
        Self {
            colliders,
            wall_kernel,
            section,
            velocity_interval: interval / 1024.0,
            thin_margin: THIN_MARGIN * spacing / 2.0,
        }
    }

    /// Memory of the distance fields, bytes.
    pub fn memory(&self) -> usize {
        self.colliders.iter().map(|collider| collider.field.memory()).sum()
    }

    /// The walls at some time.
    pub fn at(&self, times: Times) -> Walls<'_> {
        let placements = self.colliders.iter().map(|collider| self.placement(collider, times)).collect();
        Walls { boundary: self, placements }
    }

    /// Makes the missing blocks.
    pub fn make(&mut self, missing: &[Missing]) {
        for (number, collider) in self.colliders.iter_mut().enumerate() {
            collider.field.make(missing.iter().filter(|m| m.collider == number).map(|m| m.block).collect());
        }
    }

    fn placement(&self, collider: &MovingSurface, times: Times) -> Placement {
        let pose = |time| collider.motion.pose(time);
        let standing = collider.stands();
        match times {
            Times::At(time) if !standing => {
                Placement { time, now: pose(time), later: Some(pose(time + self.velocity_interval)), standing }
            }
            Times::At(time) | Times::Still(time) => Placement { time, now: pose(time), later: None, standing },
        }
    }

    /// Keeps the particle out of one collider, and returns its contact with the collider.
    fn contact(
        &self,
        number: usize,
        placement: &Placement,
        drift: &Drift,
        touch: &mut Touch,
    ) -> Result<ContactResult, IVec3> {
        let (collider, collider_number) = (&self.colliders[number], number as u32);
        let (pose, time, surface) = (&placement.now, placement.time, collider.field.surface());
        let mut local = pose.to_local(touch.position);
        let mut sample = match collider.field.sample(local, pose.scale, time) {
            Lookup::Outside(clear) => return Ok(ContactResult::Nothing { clear: clear * pose.scale }),
            Lookup::Near(sample) => sample,
            Lookup::Missing(block) => return Err(block),
        };
        let surface_velocity = |local: DVec3, gradient: DVec3| {
            let Some(later) = placement.later else { return DVec3::ZERO };
            let soon = local + surface.velocity(local, time) * self.velocity_interval;
            let velocity = (later.to_world(soon) - pose.to_world(local)) / self.velocity_interval;
            self.section.velocity(velocity, pose.rotation * gradient)
        };
        let position = |local: DVec3| self.section.within(pose.to_world(local));
        if sample.thin
            && let start = collider.motion.pose(drift.since).to_local(drift.from)
            && let Some((share, normal)) = surface.first_hit(start, local, time)
        {
            let path = local - start;
            let share = (share - self.thin_margin / path.length().max(f64::MIN_POSITIVE)).max(0.0);
            local = start + path * share;
            let against = if normal.dot(path) > 0.0 { -normal } else { normal };
            let normal = self.section.direction(pose.rotation * against);
            touch.stop(
                position(local),
                Stop { normal, velocity: surface_velocity(local, against), collider: collider_number },
            );
        }
        if sample.thin
            && let Some(exact) = surface.unsigned(local, time)
        {
            // The samples cannot tell the two sides apart; the triangles can.
            sample = exact;
        }
        let surface_gradient = sample.gradient;
        sample = self.section.sample(sample, pose);
        if sample.distance < 0.0 {
            let steepness = sample.gradient.length_squared().max(0.25);
            local -= sample.gradient * (sample.distance / steepness);
            let normal = self.section.direction(pose.rotation * sample.gradient.normalize_or(DVec3::Z));
            touch.stop(
                position(local),
                Stop { normal, velocity: surface_velocity(local, surface_gradient), collider: collider_number },
            );
            sample.distance = 0.0;
        }
        Ok(ContactResult::WallContact(WallContact {
            distance: sample.distance * pose.scale,
            normal: self.section.within(pose.rotation * sample.gradient),
            velocity: surface_velocity(local, surface_gradient),
        }))
    }

    /// The part of the walls' effect that the dimensions of the matter let through.
    pub fn section(&self) -> Section {
        self.section
    }

    /// The colliders.
    pub fn colliders(&self) -> &[MovingSurface] {
        &self.colliders
    }

    /// The colliders, to be changed.
    pub fn colliders_mut(&mut self) -> &mut [MovingSurface] {
        &mut self.colliders
    }
}

impl Walls<'_> {
    /// Corrects a drift that ends between these walls. `clear` is how far a particle may go, m, without feeling a wall
    /// that stands still; it is kept from drift to drift.
    ///
    /// # Errors
    /// The block that has to be [made](Boundary::make) first.
    pub fn touch(&self, drift: &Drift, clear: &mut f32) -> Result<Touch, Missing> {
        let (position, velocity) = (drift.to, drift.velocity);
        let mut touch = Touch { position, velocity, stops: Vec::new(), wall: Wall::default() };
        let mut walls = WallSum::default();
        self.feel_all(false, drift, &mut touch, &mut walls)?;
        // The drift after the correction by moving walls.
        let moved = (touch.position - drift.from).as_vec3().length() * SLACK;
        let mut next = *clear - moved;
        if next <= 0.0 {
            next = self.feel_all(true, drift, &mut touch, &mut walls)?;
        }
        *clear = next;
        if walls.share > 0.0 {
            touch.wall = walls.total();
        }
        Ok(touch)
    }

    /// The displacement, m, from a place to the nearest point of a wall within reach; none where no wall is within
    /// reach.
    ///
    /// # Errors
    /// The block that has to be [made](Boundary::make) first.
    pub fn nearest(&self, place: DVec3, reach: f64) -> Result<Option<DVec3>, Missing> {
        let mut nearest: Option<(f64, DVec3)> = None;
        for (number, (collider, placement)) in self.boundary.colliders.iter().zip(&self.placements).enumerate() {
            let (pose, time) = (&placement.now, placement.time);
            let local = pose.to_local(place);
            let sample = match collider.field.sample(local, pose.scale, time) {
                Lookup::Outside(_) => continue,
                // The samples round off edges.
                Lookup::Near(sample) if sample.thin => collider.field.surface().unsigned(local, time).unwrap_or(sample),
                Lookup::Near(sample) => sample,
                Lookup::Missing(block) => return Err(Missing { collider: number, block }),
            };
            let sample = self.boundary.section.sample(sample, pose);
            let distance = (sample.distance * pose.scale).max(LEAST * reach);
            if distance < reach && nearest.is_none_or(|(least, _)| distance < least) {
                let normal = self.boundary.section.within(pose.rotation * sample.gradient);
                nearest = normal.try_normalize().map(|normal| (distance, normal * -distance)).or(nearest);
            }
        }
        Ok(nearest.map(|(_, displacement)| displacement))
    }

    /// Whether a collider lies on the straight line from one place to another.
    pub fn part(&self, from: DVec3, to: DVec3) -> bool {
        let mut colliders = self.boundary.colliders.iter().zip(&self.placements);
        colliders.any(|(collider, placement)| {
            let [from, to] = [from, to].map(|place| placement.now.to_local(place));
            let length = from.distance(to);
            let mut passed = 0.0;
            while passed < length {
                let clear = collider.field.exact_distance(from.lerp(to, passed / length), placement.time);
                if clear <= 0.0 {
                    return true;
                }
                passed += clear.max(LEAST * length);
            }
            false
        })
    }

    /// Distance, m, of a place to one of the colliders; none beyond the reach of its field.
    ///
    /// # Errors
    /// The block that has to be [made](Boundary::make) first.
    pub fn distance(&self, number: usize, place: DVec3) -> Result<Option<f64>, Missing> {
        let (collider, placement) = (&self.boundary.colliders[number], &self.placements[number]);
        let pose = &placement.now;
        match collider.field.sample(pose.to_local(place), pose.scale, placement.time) {
            Lookup::Outside(_) => Ok(None),
            Lookup::Near(sample) => Ok(Some(self.boundary.section.sample(sample, pose).distance * pose.scale)),
            Lookup::Missing(block) => Err(Missing { collider: number, block }),
        }
    }

    /// Adds the colliders that stand still, or those that move; returns how far the particle may go without feeling any
    /// of them, m.
    fn feel_all(&self, standing: bool, drift: &Drift, touch: &mut Touch, walls: &mut WallSum) -> Result<f32, Missing> {
        let mut least = f32::INFINITY;
        for (number, (collider, placement)) in self.boundary.colliders.iter().zip(&self.placements).enumerate() {
            if placement.standing != standing {
                continue;
            }
            let look = self.boundary.contact(number, placement, drift, touch);
            match look.map_err(|block| Missing { collider: number, block })? {
                ContactResult::WallContact(contact) => {
                    let (share, slope) = self.boundary.wall_kernel.share(contact.distance);
                    walls.add(number, collider, &contact, share, slope);
                    least = 0.0;
                }
                ContactResult::Nothing { clear } => least = least.min(clear as f32),
            }
        }
        Ok(least)
    }
}

/// The walls around one particle, combined.
///
/// Shares combine as the root of the sum of their squares: where colliders lie one behind the other, as a bowl on a
/// table, the nearer one counts; in the corner between two, both do. The result is a function of the shares alone, so
/// the push stays the gradient of one energy.
#[derive(Debug, Default)]
struct WallSum {
    share: f64,
    gradient: DVec3,
    adhesive_share: f64,
    adhesive_gradient: DVec3,
    dilation: f64,
    adhesive_dilation: f64,
    velocity: DVec3,
    closing: f64,
    friction: f64,
    weight: f64,
    parts: Parts,
}

impl WallSum {
    fn add(&mut self, number: usize, collider: &MovingSurface, contact: &WallContact, share: f64, slope: f64) {
        let gradient = contact.normal * slope;
        let held = collider.adhesion * collider.adhesion;
        self.share += share * share;
        self.gradient += gradient * share;
        self.parts.add(number, gradient * share);
        self.closing += contact.velocity.dot(gradient) * share;
        self.adhesive_share += held * share * share;
        self.adhesive_gradient += gradient * (held * share);
        let dilation = -slope * contact.distance * share;
        self.dilation += dilation;
        self.adhesive_dilation += held * dilation;
        // Between walls of different motion and friction the wall that pushes harder counts more.
        let weight = share * gradient.length();
        self.velocity += contact.velocity * weight;
        self.friction += collider.friction * weight;
        self.weight += weight;
    }

    fn total(&self) -> Wall {
        let (share, adhesive_share) = (self.share.sqrt(), self.adhesive_share.sqrt());
        let ratio = |value: f64, by: f64| if by > 0.0 { (value / by) as f32 } else { 0.0 };
        let over = |vector: DVec3, by: f64| if by > 0.0 { (vector / by).as_vec3() } else { Vec3::ZERO };
        Wall {
            share: share as f32,
            gradient: over(self.gradient, share),
            adhesive_share: adhesive_share as f32,
            adhesive_gradient: over(self.adhesive_gradient, adhesive_share),
            dilation: ratio(self.dilation, share),
            adhesive_dilation: ratio(self.adhesive_dilation, adhesive_share),
            velocity: over(self.velocity, self.weight),
            // The sign is negative because the wall approaches the particle against the gradient of its share.
            closing: ratio(-self.closing, share),
            steepness: ratio(self.weight, share),
            friction: ratio(self.friction, self.weight),
            felt: self.parts.felt(share),
        }
    }
}

/// The contact of a particle with one collider.
#[derive(Debug)]
enum ContactResult {
    WallContact(WallContact),
    Nothing {
        /// Distance that the particle may go before it feels the collider, m.
        clear: f64,
    },
}

/// A wall as one particle meets it.
#[derive(Debug)]
struct WallContact {
    distance: f64,
    normal: DVec3,
    velocity: DVec3,
}

impl Touch {
    /// Puts the particle on a surface and removes the velocity into it.
    fn stop(&mut self, position: DVec3, stop: Stop) {
        self.position = position;
        self.velocity = stop.stopped(self.velocity);
        self.stops.push(stop);
    }
}

impl Stop {
    /// A velocity without its part into the wall.
    pub fn stopped(&self, velocity: DVec3) -> DVec3 {
        let inwards = (velocity - self.velocity).dot(self.normal).min(0.0);
        velocity - self.normal * inwards
    }
}

#[cfg(test)]
mod tests;
