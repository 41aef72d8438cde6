//! The matter that a moving region passes, and that passes it.

use super::MovingSolid;
use crate::boundary::{Motion, Pose};
use crate::bounds::Bounds;
use crate::geometry::{Shell, Solid};
use crate::numbers::greatest;
use crate::particles::Particles;
use glam::{BVec3, DVec3};

/// Largest deviation of a path from a straight line, as a passing region sees it, in spacings.
const STRAIGHT: f64 = 0.05;

/// Most steps of a path.
const MOST_STEPS: f64 = 256.0;

/// The distance around a held particle up to which the region counts as passing it, and how far past that the particle
/// is followed, in spacings; and for how many frames.
const AROUND: (f64, u32) = (2.0, 48);

/// Number of frames where a region stands: sheets tremble, and a sheet that moves past it more slowly counts as lying
/// in it.
const AROUND_STANDING: u32 = 8;

/// Matter that moves by this part of a region's displacement, or less, counts as standing while the region passes.
const TREMBLES: f64 = 0.2;

/// Matter that moves less far past a region within a frame stands still, in spacings.
const STILL: f64 = 1e-6;

/// Places at the start and the end of a part of a frame, m, with straight motion between.
pub type Displacement = [DVec3; 2];

/// A region that may move.
#[derive(Debug)]
pub struct MovingRegion {
    solid: Solid,
    shell: Shell,
    motion: Motion,
}

impl MovingRegion {
    /// The inside of a solid.
    pub fn new(MovingSolid { solid, motion }: MovingSolid) -> Self {
        Self { shell: solid.shell(), solid, motion }
    }

    /// Whether it holds a place at a time, s.
    pub fn holds(&self, time: f64) -> impl Fn(DVec3) -> bool {
        let pose = self.motion.pose(time);
        move |place| self.solid.contains(pose.to_local(place))
    }

    /// Its successive poses from one time to another, s. Matter in straight and even motion by at most `far`, m, moves
    /// straight past it between two poses but for [`STRAIGHT`] of a spacing, m. Also returns how far the region itself
    /// leaves the straight path between poses, m.
    fn poses(&self, (from, to): (f64, f64), far: f64, spacing: f64) -> (Vec<Pose>, f64) {
        let (a, b) = (self.motion.pose(from), self.motion.pose(to));
        let (turn, size) = (a.rotation.angle_between(b.rotation), self.size());
        // Without a turn the path is straight. A chord is off by an eighth of the second derivative.
        let bend = turn * (2.0 * (travel(&a, &b, size) + far) - turn * size) / 8.0;
        let steps = (bend / (STRAIGHT * spacing)).sqrt().ceil().clamp(1.0, MOST_STEPS);
        let pose = |n: u32| self.motion.pose(from + (to - from) * f64::from(n) / steps);
        let between = (1..steps as u32).map(pose);
        ([a].into_iter().chain(between).chain([b]).collect(), bend / steps.powi(2))
    }

    /// Whether it stands from one time to another, s, at a spacing, m.
    pub fn stands(&self, (from, to): (f64, f64), spacing: f64) -> bool {
        let (first, size) = (self.motion.pose(from), self.size());
        let stays = |time: f64| travel(&first, &self.motion.pose(time), size) <= STILL * spacing;
        stays(to) && stays(from.midpoint(to))
    }

    /// Its reach from its own origin, m.
    fn size(&self) -> f64 {
        let Bounds { low, high } = self.solid.bounds();
        low.abs().max(high.abs()).length()
    }
}

/// A region's motion in a part of a frame.
pub struct Sweep<'a> {
    region: &'a MovingRegion,
    poses: Vec<Pose>,
    /// How far it moves past standing matter, spacings, and whether it stands itself.
    gone: f64,
    stands: bool,
    /// The box around its swept volume.
    bounds: Bounds,
    /// First and last time of the part, s.
    time: (f64, f64),
    /// Length of a frame, s.
    interval: f64,
    /// Particle spacing, m.
    spacing: f64,
}

impl<'a> Sweep<'a> {
    /// The sweep of a part of a frame, by its first and last time and the frame's length, s, at a spacing, m, past
    /// matter that moves by at most `far`, m.
    pub fn new(region: &'a MovingRegion, time: (f64, f64), interval: f64, spacing: f64, far: f64) -> Self {
        let (poses, margin) = region.poses(time, far, spacing);
        let Bounds { low, high } = region.solid.bounds();
        let corner = |n: u32| DVec3::select(BVec3::new(n & 1 > 0, n & 2 > 0, n & 4 > 0), low, high);
        let bounds = Bounds::of(poses.iter().flat_map(|pose| (0..8).map(move |n| pose.to_world(corner(n)))));
        let stands = region.stands(time, spacing);
        let sweep = Self { region, poses, gone: 0.0, stands, bounds: bounds.wider(margin), time, interval, spacing };
        Self { gone: sweep.passed(time, DVec3::ZERO), ..sweep }
    }

    /// Whether it takes no time.
    pub fn is_instant(&self) -> bool {
        self.time.1 <= self.time.0
    }

    /// Whether it reaches a box.
    pub fn comes_into(&self, bounds: &Bounds) -> bool {
        self.bounds.meets(bounds)
    }

    /// Whether it holds a particle with some displacement, or passes it.
    pub fn holds(&self, on: Displacement) -> bool {
        self.comes_into(&Bounds::of(on))
            && (self.region.solid.contains(self.poses[0].to_local(on[0])) || passes(self.region, &self.poses, on))
    }

    /// Whether its surface passes a particle with some displacement.
    pub fn crosses(&self, on: Displacement) -> bool {
        self.comes_into(&Bounds::of(on)) && passes(self.region, &self.poses, on)
    }

    /// Whether its surface passes between two particles, neither of which it [holds](Self::holds).
    pub fn parts(&self, ends: [Displacement; 2]) -> bool {
        self.comes_into(&Bounds::of(ends.into_iter().flatten())) && meets(self.region, &self.poses, ends)
    }

    /// Whether it soon holds, or just held, another particle besides a held one, if both go on as they do.
    pub fn follows(&self, held: Displacement, other: Displacement) -> bool {
        if self.is_instant() {
            return false;
        }
        let seconds = self.time.1 - self.time.0;
        let velocity = (held[1] - held[0] + other[1] - other[0]) / (2.0 * seconds);
        // Matter thrown back by a cut trembles, which moves it nowhere while the region passes.
        let trembles = velocity.length() * seconds < TREMBLES * self.gone * self.spacing;
        let velocity = if trembles { DVec3::ZERO } else { velocity };
        self.passed(self.time, velocity) > STILL
            && (self.reaches(self.time.1, self.interval, velocity, [held[1], other[1]])
                || self.reaches(self.time.0, -self.interval, velocity, [held[0], other[0]]))
    }

    /// The largest distance by which the region moves past matter of some velocity, m/s, from one time to another, s,
    /// in spacings.
    fn passed(&self, (from, to): (f64, f64), velocity: DVec3) -> f64 {
        let (a, b) = (self.region.motion.pose(from), self.region.motion.pose(to));
        let with = Pose { translation: a.translation + velocity * (to - from), ..a };
        travel(&with, &b, self.region.size()) / self.spacing
    }

    /// Whether it comes to hold another particle from some time on, s, by steps that may go back in time, while it
    /// passes the held one and a little farther, as both move with some velocity, m/s.
    fn reaches(&self, mut time: f64, step: f64, velocity: DVec3, [mut held, mut other]: [DVec3; 2]) -> bool {
        let beside = (other - held).normalize_or_zero() * (AROUND.0 * self.spacing);
        let mut gone = 0.0;
        for _ in 0..if self.stands { AROUND_STANDING } else { AROUND.1 } {
            let far = self.passed((time, time + step), velocity);
            let part = if gone > 0.0 { ((AROUND.0 - gone) / far).min(1.0) } else { 1.0 };
            if far <= STILL || part <= 0.0 {
                return false;
            }
            let (next, on) = (time + step * part, velocity * step * part);
            let (poses, _) = self.region.poses((time, next), on.length(), self.spacing);
            if passes(self.region, &poses, [other, other + on]) {
                return true;
            }
            let line = [held - beside, held + beside].map(|end| [end, end + on]);
            let is_near = self.region.solid.contains(poses[0].to_local(held)) || meets(self.region, &poses, line);
            gone = if is_near { 0.0 } else { gone + far * part };
            (time, held, other) = (next, held + on, other + on);
        }
        false
    }
}

/// Whether the surface of a region passes between two particles with some displacements.
fn meets(region: &MovingRegion, poses: &[Pose], ends: [Displacement; 2]) -> bool {
    let [a, b] = ends.map(|end| seen(poses, end));
    let mut steps = a.windows(2).zip(b.windows(2)).filter(|(a, b)| a[0] != a[1] || b[0] != b[1]);
    region.shell.parts([a[0], b[0]]) || steps.any(|(a, b)| region.shell.meets([a[0], b[0]], [a[1], b[1]]))
}

/// Whether the surface of a region passes a particle with some displacement.
fn passes(region: &MovingRegion, poses: &[Pose], on: Displacement) -> bool {
    seen(poses, on).windows(2).any(|step| step[0] != step[1] && region.shell.parts([step[0], step[1]]))
}

/// A straight path as a region sees it from its successive poses.
fn seen(poses: &[Pose], [from, to]: Displacement) -> Vec<DVec3> {
    let last = (poses.len() - 1).max(1) as f64;
    poses.iter().enumerate().map(|(n, pose)| pose.to_local(from + (to - from) * (n as f64 / last))).collect()
}

/// The displacement of the particle in each slot from its earlier place by number, m. Particles born since have no
/// earlier place.
pub fn displacements(particles: &Particles, from: &[DVec3]) -> Vec<Displacement> {
    let ends = particles.numbers.iter().zip(&particles.positions);
    ends.map(|(&number, &to)| [*from.get(number as usize).unwrap_or(&to), to]).collect()
}

/// The longest of some displacements, m.
pub fn longest(displacements: &[Displacement]) -> f64 {
    displacements.iter().map(|[from, to]| from.distance(*to)).fold(0.0, greatest)
}

/// An upper bound for the displacement of a body of some size from one pose to another, m.
fn travel(a: &Pose, b: &Pose, size: f64) -> f64 {
    a.translation.distance(b.translation) + size * ((a.scale - b.scale).abs() + a.rotation.angle_between(b.rotation))
}
