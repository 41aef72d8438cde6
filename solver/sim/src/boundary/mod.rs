//! Colliders: solids that matter can neither enter nor stick to.
//!
//! A particle feels a wall through its density, as if matter at rest lay behind the surface ([`WallKernel`]), and so
//! through its pressure; Coulomb friction acts against sliding. No particle passes a wall, however strong the forces:
//! after each drift particles inside a wall are put back to its surface, and walls too thin for the sampled distance
//! are tested by their triangles.

mod approach;
mod exact;
mod field;
mod motion;
mod reaction;
mod section;
mod share;
mod surface;
mod touch;
mod wall;
mod wall_column;
mod wall_kernel;

pub use approach::Approach;
pub use exact::WallState;
pub use field::{DistanceField, Lookup, Sample, THINNEST};
pub use motion::{Motion, Pose};
pub use reaction::{Impulse, Impulses, TouchedColliders};
pub use section::Section;
pub use surface::{MeshDistance, PlaneSurface, PrimitiveSurface, Surface};
pub use touch::{Drift, Stop, Touch};
pub use wall::Wall;
pub use wall_column::{BatchWalls, WallColumn};
pub use wall_kernel::{WallKernel, moment_of_half_space, over_half_space};

use crate::bounds::Bounds;
use glam::{DVec3, IVec3};
use touch::{ContactResult, Meeting};
use wall::WallSum;

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
    /// Whether no collider ever moves.
    all_stand: bool,
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
        let placements: Vec<_> = self.colliders.iter().map(|collider| self.placement(collider, times)).collect();
        let all_stand = placements.iter().all(|placement| placement.standing);
        Walls { boundary: self, placements, all_stand }
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
    /// Corrects a drift that ends between these walls; none where no wall stops it or is felt. `clear` is how far a
    /// particle may go, m, without feeling a wall that stands still; it is kept from drift to drift.
    ///
    /// # Errors
    /// The block that has to be [made](Boundary::make) first.
    pub fn touch(&self, drift: &Drift, clear: &mut f32) -> Result<Option<Touch>, Missing> {
        let left = |clear: f32, to: DVec3| clear - (to - drift.from).as_vec3().length() * SLACK;
        let next = left(*clear, drift.to);
        let may_touch = !self.all_stand || next <= 0.0;
        if !may_touch {
            *clear = next;
            return Ok(None);
        }
        let (position, velocity) = (drift.to, drift.velocity);
        let mut touch = Touch { position, velocity, stops: Vec::new(), wall: Wall::default() };
        let mut walls = WallSum::default();
        self.feel_all(false, drift, &mut touch, &mut walls)?;
        // The drift after the correction by moving walls.
        let mut next = left(*clear, touch.position);
        if next <= 0.0 {
            next = self.feel_all(true, drift, &mut touch, &mut walls)?;
        }
        *clear = next;
        if walls.share > 0.0 {
            touch.wall = walls.total();
        }
        Ok((touch.wall.share > 0.0 || !touch.stops.is_empty()).then_some(touch))
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
            let meeting = Meeting { boundary: self.boundary, collider, number: number as u32, placement };
            match meeting.contact(drift, touch).map_err(|block| Missing { collider: number, block })? {
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

#[cfg(test)]
mod tests;
