//! Colliders: solids that matter neither enters nor sticks to.
//!
//! A particle feels a wall through its density, as if matter at rest lay behind the surface ([`WallKernel`]), and so
//! through its pressure; Coulomb friction acts against sliding. Whatever the forces do, no particle passes: after each
//! drift it is put back to the surface, and walls too thin for the sampled distance are tested by their triangles.

mod distance;
mod field;
mod motion;
mod share;
mod wall_kernel;

pub use distance::{DistanceSource, MeshDistance};
pub use field::{DistanceField, Lookup, Sample, THINNEST};
pub use motion::{Motion, Pose};
pub use wall_kernel::WallKernel;

use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;

/// Share of the wall's thickness test that a particle keeps from a thin wall, in node spacings.
const THIN_MARGIN: f64 = 0.05;

/// A solid on its way.
#[derive(Debug)]
pub struct Collider {
    /// Its surface.
    pub field: DistanceField,
    /// Where it stands.
    pub motion: Motion,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// How matter with cohesion wets it, 0 to 1.
    pub adhesion: f64,
}

/// What the walls around a particle do to it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wall {
    /// The walls' share of the volume sum.
    pub share: f32,
    /// Gradient of the share, 1/m; points into the walls.
    pub gradient: Vec3,
    /// The part of the share that matter can hold on to.
    pub adhesive_share: f32,
    /// Gradient of the adhesive share, 1/m.
    pub adhesive_gradient: Vec3,
    /// Velocity of the wall's surface, m/s.
    pub velocity: Vec3,
    /// Rate at which the share grows by the walls' own motion, 1/s.
    pub closing: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
}

/// A particle's drift, corrected for collisions.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Touch {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// The walls it feels there.
    pub wall: Wall,
}

/// All colliders of a scene.
#[derive(Debug)]
pub struct Boundary {
    colliders: Vec<Collider>,
    wall_kernel: std::sync::Arc<WallKernel>,
    /// Over which time wall velocities are measured, s.
    velocity_interval: f64,
    thin_margin: f64,
}

/// When walls are looked at, s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Times {
    /// As they are at a time, as if they stood still.
    Still(f64),
    /// Over a step from one time to another, or in their motion at a time.
    Step(f64, f64),
}

/// The poses of a collider over a step.
#[derive(Debug, Clone, Copy)]
struct Placement {
    before: Pose,
    after: Pose,
    /// A little later, to tell the wall's velocity.
    later: Pose,
}

/// A block that must be made before a look-up can answer: collider and block number.
type Missing = (usize, IVec3);

impl Boundary {
    /// Colliders that act within the kernel's support, m; `interval` is that of the frames, s.
    pub fn new(colliders: Vec<Collider>, wall_kernel: std::sync::Arc<WallKernel>, spacing: f64, interval: f64) -> Self {
        Self { colliders, wall_kernel, velocity_interval: interval / 1024.0, thin_margin: THIN_MARGIN * spacing / 2.0 }
    }

    /// Memory of the distance fields, bytes.
    pub fn memory(&self) -> usize {
        self.colliders.iter().map(|collider| collider.field.memory()).sum()
    }

    /// An upper bound for the speed of the colliders' surfaces within a box, m, between two times of the same frame, s, in
    /// m/s. Over a frame's end, where motions turn, it may be too low.
    pub fn max_speed(&self, from: f64, to: f64, low: DVec3, high: DVec3) -> f64 {
        let moving = self.colliders.iter().filter(|collider| !collider.motion.is_static());
        let speeds = moving.filter_map(|collider| {
            let (a, b) = (collider.motion.pose(from), collider.motion.pose(to));
            let (first, last) = swept(collider.field.source().bounds(), &a, &b);
            let (first, last) = (first.max(low), last.min(high));
            // The way of a point is affine in its place, so it is longest at a corner.
            let way = |corner: DVec3| b.to_world(a.to_local(corner)).distance(corner);
            let speed = || corners(first, last).map(way).fold(0.0, f64::max) * arc_over_chord(&a, &b) / (to - from);
            first.cmple(last).all().then(speed)
        });
        speeds.fold(0.0, f64::max)
    }

    /// Lets particles drift for dt, s, between walls at some times: corrects positions, m, and velocities, m/s, for
    /// collisions, and tells what walls each feels where it comes to.
    pub fn drift(
        &mut self,
        positions: &mut [DVec3],
        velocities: &mut [DVec3],
        walls: &mut Vec<Wall>,
        dt: f64,
        times: Times,
    ) {
        let placements: Vec<Placement> =
            self.colliders.iter().map(|collider| self.placement(collider, times)).collect();
        walls.resize(positions.len(), Wall::default());
        let mut todo = self.drift_all(positions, velocities, walls, dt, &placements);
        while !todo.is_empty() {
            for (number, collider) in self.colliders.iter_mut().enumerate() {
                let mut missing: Vec<IVec3> =
                    todo.iter().filter(|(_, missing)| missing.0 == number).map(|(_, missing)| missing.1).collect();
                missing.dedup();
                collider.field.make(missing);
            }
            let again = |(i, _): (usize, Missing)| {
                let columns = (&mut positions[i], &mut velocities[i], &mut walls[i]);
                self.drift_one(columns, dt, &placements).err().map(|missing| (i, missing))
            };
            todo = todo.into_iter().filter_map(again).collect();
        }
    }

    /// Particles that stay where they are, as a block has to be made for them first.
    fn drift_all(
        &self,
        positions: &mut [DVec3],
        velocities: &mut [DVec3],
        walls: &mut [Wall],
        dt: f64,
        placements: &[Placement],
    ) -> Vec<(usize, Missing)> {
        let columns = positions.par_iter_mut().zip(velocities).zip(walls).enumerate().with_min_len(256);
        let one = |(i, ((position, velocity), wall))| {
            self.drift_one((position, velocity, wall), dt, placements).err().map(|missing| (i, missing))
        };
        columns.filter_map(one).collect()
    }

    fn drift_one(
        &self,
        (position, velocity, wall): (&mut DVec3, &mut DVec3, &mut Wall),
        dt: f64,
        placements: &[Placement],
    ) -> Result<(), Missing> {
        let touch = self.touch_one(*position, *position + *velocity * dt, *velocity, placements)?;
        Touch { position: *position, velocity: *velocity, wall: *wall } = touch;
        Ok(())
    }

    fn placement(&self, collider: &Collider, times: Times) -> Placement {
        let pose = |time| collider.motion.pose(time);
        match times {
            Times::Still(time) => Placement { before: pose(time), after: pose(time), later: pose(time) },
            Times::Step(before, after) => {
                Placement { before: pose(before), after: pose(after), later: pose(after + self.velocity_interval) }
            }
        }
    }

    fn touch_one(&self, from: DVec3, to: DVec3, velocity: DVec3, placements: &[Placement]) -> Result<Touch, Missing> {
        let mut touch = Touch { position: to, velocity, wall: Wall::default() };
        let mut walls = WallSum::default();
        for (number, (collider, placement)) in self.colliders.iter().zip(placements).enumerate() {
            let contact = self.contact(collider, placement, from, &mut touch).map_err(|block| (number, block))?;
            if let Some(contact) = contact {
                walls.add(collider, &contact, self.wall_kernel.share(contact.distance));
            }
        }
        if walls.share > 0.0 {
            touch.wall = walls.total();
        }
        Ok(touch)
    }

    /// Keeps the particle out of one collider; what it feels of it there.
    fn contact(
        &self,
        collider: &Collider,
        placement: &Placement,
        from: DVec3,
        touch: &mut Touch,
    ) -> Result<Option<Contact>, IVec3> {
        let pose = &placement.after;
        let mut local = pose.to_local(touch.position);
        let Some(mut sample) = look_up(collider, local)? else { return Ok(None) };
        let surface_velocity =
            |local: DVec3| (placement.later.to_world(local) - pose.to_world(local)) / self.velocity_interval;
        if sample.thin
            && let DistanceSource::Mesh(mesh) = collider.field.source()
            && let start = placement.before.to_local(from)
            && let Some((share, normal)) = mesh.first_hit(start, local)
        {
            let path = local - start;
            let share = (share - self.thin_margin / path.length().max(f64::MIN_POSITIVE)).max(0.0);
            local = start + path * share;
            let against = if normal.dot(path) > 0.0 { -normal } else { normal };
            touch.stop(pose.to_world(local), pose.rotation * against, surface_velocity(local));
        }
        if sample.thin
            && let DistanceSource::Mesh(mesh) = collider.field.source()
        {
            // The samples cannot tell the two sides apart; the triangles can.
            sample = mesh.nearest(local);
        }
        if sample.distance < 0.0 {
            let steepness = sample.gradient.length_squared().max(0.25);
            local -= sample.gradient * (sample.distance / steepness);
            touch.stop(
                pose.to_world(local),
                pose.rotation * sample.gradient.normalize_or(DVec3::Z),
                surface_velocity(local),
            );
            sample.distance = 0.0;
        }
        Ok(Some(Contact {
            distance: sample.distance * pose.scale,
            normal: pose.rotation * sample.gradient,
            velocity: surface_velocity(local),
        }))
    }

    /// The colliders.
    pub fn colliders_mut(&mut self) -> &mut [Collider] {
        &mut self.colliders
    }
}

/// A box around all places of a surface with some bounds of its own on its way between two poses.
fn swept((low, high): (DVec3, DVec3), a: &Pose, b: &Pose) -> (DVec3, DVec3) {
    if !low.is_finite() {
        return (low, high);
    }
    let centre = (low + high) / 2.0;
    let (from, to) = (a.to_world(centre), b.to_world(centre));
    // The centre may go an arc, which bulges from its chord by less than half of that.
    let radius = (high - low).length() / 2.0 * a.scale.max(b.scale) + from.distance(to) / 2.0;
    (from.min(to) - radius, from.max(to) + radius)
}

/// How much longer than straight the way of a point is that turns from one pose to another.
fn arc_over_chord(a: &Pose, b: &Pose) -> f64 {
    let half = a.rotation.angle_between(b.rotation) / 2.0;
    if half > 1e-6 { half / half.sin() } else { 1.0 }
}

fn corners(low: DVec3, high: DVec3) -> impl Iterator<Item = DVec3> {
    (0..8).map(move |i| DVec3::select(glam::BVec3::new(i & 1 == 0, i & 2 == 0, i & 4 == 0), low, high))
}

fn look_up(collider: &Collider, local: DVec3) -> Result<Option<Sample>, IVec3> {
    match collider.field.sample(local) {
        Lookup::Outside => Ok(None),
        Lookup::Near(sample) => Ok(Some(sample)),
        Lookup::Missing(block) => Err(block),
    }
}

/// The walls around one particle, combined.
///
/// Shares combine as the root of the sum of their squares: of colliders that lie one behind the other, as a bowl on a
/// table, the nearer counts; in the corner between two, both do. It is a function of the shares alone, so the push stays
/// the gradient of one energy.
#[derive(Debug, Default)]
struct WallSum {
    share: f64,
    gradient: DVec3,
    adhesive_share: f64,
    adhesive_gradient: DVec3,
    velocity: DVec3,
    closing: f64,
    friction: f64,
    weight: f64,
}

impl WallSum {
    fn add(&mut self, collider: &Collider, contact: &Contact, (share, slope): (f64, f64)) {
        let gradient = contact.normal * slope;
        let held = collider.adhesion * collider.adhesion;
        self.share += share * share;
        self.gradient += gradient * share;
        self.closing += contact.velocity.dot(gradient) * share;
        self.adhesive_share += held * share * share;
        self.adhesive_gradient += gradient * (held * share);
        // Between walls of different motion and friction the one that pushes harder counts more.
        let weight = share * gradient.length();
        self.velocity += contact.velocity * weight;
        self.friction += collider.friction * weight;
        self.weight += weight;
    }

    fn total(&self) -> Wall {
        let (share, adhesive_share) = (self.share.sqrt(), self.adhesive_share.sqrt());
        let over = |vector: DVec3, by: f64| if by > 0.0 { (vector / by).as_vec3() } else { Vec3::ZERO };
        Wall {
            share: share as f32,
            gradient: over(self.gradient, share),
            adhesive_share: adhesive_share as f32,
            adhesive_gradient: over(self.adhesive_gradient, adhesive_share),
            velocity: over(self.velocity, self.weight),
            // Of the share against the wall's own motion: the wall comes on against its gradient.
            closing: if share > 0.0 { (-self.closing / share) as f32 } else { 0.0 },
            friction: if self.weight > 0.0 { (self.friction / self.weight) as f32 } else { 0.0 },
        }
    }
}

/// A wall as one particle meets it.
#[derive(Debug)]
struct Contact {
    distance: f64,
    normal: DVec3,
    velocity: DVec3,
}

impl Touch {
    /// Puts the particle on a surface and takes away the velocity that leads into it.
    fn stop(&mut self, position: DVec3, normal: DVec3, surface_velocity: DVec3) {
        let inwards = (self.velocity - surface_velocity).dot(normal).min(0.0);
        self.position = position;
        self.velocity -= normal * inwards;
    }
}
