//! What a region passes on its way.

use crate::boundary::{Motion, Pose};
use crate::geometry::{Shell, Solid, bounds};
use crate::numbers::greatest;
use glam::{BVec3, DVec3};

/// How far the way of something that lies still may be off the straight one, as a region sees it that passes, in spacings.
const STRAIGHT: f64 = 0.05;

/// Most steps that a way is taken in.
const MOST_STEPS: f64 = 256.0;

/// How far around a frame a motion is looked at, in spacings and in frames.
const AROUND: (f64, i32) = (2.0, 48);

/// A region on its way.
pub struct Sweep<'a> {
    solid: &'a Solid,
    shell: &'a Shell,
    /// Where it is, one after the other: what lies still goes straight past it in between. One where it stands still.
    poses: Vec<Pose>,
    /// Lowest and highest corner of a box around all that it passes, m.
    bounds: [DVec3; 2],
}

impl<'a> Sweep<'a> {
    /// The way of a solid with its surface over some times, s, between which the velocities of its motion do not change, at a spacing, m.
    pub fn new((solid, shell): (&'a Solid, &'a Shell), motion: &Motion, times: &[f64], spacing: f64) -> Self {
        let size = size(solid);
        let mut poses: Vec<Pose> = times.first().map(|&time| motion.pose(time)).into_iter().collect();
        let mut margin = 0.0;
        for span in times.windows(2) {
            let (from, to) = (span[0], span[1]);
            let (a, b) = (motion.pose(from), motion.pose(to));
            let turn = a.rotation.angle_between(b.rotation);
            // Without a turn the way is straight. A chord is off by an eighth of the second derivative.
            let bend = turn * (2.0 * way(&a, &b, size) - turn * size) / 8.0;
            let steps =
                if a == b { 0 } else { (bend / (STRAIGHT * spacing)).sqrt().ceil().clamp(1.0, MOST_STEPS) as u32 };
            poses.extend((1..=steps).map(|n| motion.pose(from + (to - from) * f64::from(n) / f64::from(steps))));
            margin = greatest(margin, bend / f64::from(steps.max(1)).powi(2));
        }
        let (low, high) = solid.bounds();
        let corner = |n: u32| DVec3::select(BVec3::new(n & 1 > 0, n & 2 > 0, n & 4 > 0), low, high);
        let (low, high) = bounds(poses.iter().flat_map(|pose| (0..8).map(move |n| pose.to_world(corner(n)))));
        Self { solid, shell, poses, bounds: [low - margin, high + margin] }
    }

    /// Whether it comes into a box, by its corners.
    pub fn comes_into(&self, [low, high]: [DVec3; 2]) -> bool {
        low.cmple(self.bounds[1]).all() && high.cmpge(self.bounds[0]).all()
    }

    /// Whether it passes a place, or holds it.
    pub fn holds(&self, place: DVec3) -> bool {
        if !self.comes_into([place, place]) {
            return false;
        }
        let mut steps = self.poses.windows(2).map(|step| [step[0].to_local(place), step[1].to_local(place)]);
        self.solid.contains(self.poses[0].to_local(place)) || steps.any(|way| self.shell.parts(way))
    }

    /// Whether any of its surface passes between two places that it [holds](Self::holds) neither of.
    pub fn parts(&self, ends: [DVec3; 2]) -> bool {
        if !self.comes_into([ends[0].min(ends[1]), ends[0].max(ends[1])]) {
            return false;
        }
        let mut steps =
            self.poses.windows(2).map(|step| [step[0], step[1]].map(|pose| ends.map(|end| pose.to_local(end))));
        self.shell.parts(ends.map(|end| self.poses[0].to_local(end)))
            || steps.any(|[from, to]| self.shell.meets(from, to))
    }
}

/// The times from which to which as many seconds last as a frame has, around a part of one, by its first and last time, s, in which a solid
/// moves on: as far as [`AROUND`]. The last comes after that part.
pub fn around(solid: &Solid, motion: &Motion, ((from, to), interval): ((f64, f64), f64), spacing: f64) -> Vec<f64> {
    let time =
        |frame: i32| if frame > 0 { to + interval * f64::from(frame - 1) } else { from + interval * f64::from(frame) };
    let moves = |frame: i32| way(&motion.pose(time(frame)), &motion.pose(time(frame + 1)), size(solid)) / spacing;
    let is_moving = |frame: i32| moves(frame) > 1e-6;
    let along = |step: i32| {
        let (mut frame, mut gone) = (0_i32, 0.0);
        while gone < AROUND.0 && frame.abs() < AROUND.1 && is_moving(frame + step) {
            frame += step;
            gone += moves(frame);
        }
        frame
    };
    let (first, last) = if is_moving(0) { (along(-1), along(1)) } else { (0, 0) };
    (first..=last + 1).map(time).collect()
}

/// How far a solid reaches from its own origin, m.
fn size(solid: &Solid) -> f64 {
    let (low, high) = solid.bounds();
    low.abs().max(high.abs()).length()
}

/// An upper bound for the way of what is of such a size from one pose to another, m.
fn way(a: &Pose, b: &Pose, size: f64) -> f64 {
    a.translation.distance(b.translation) + size * ((a.scale - b.scale).abs() + a.rotation.angle_between(b.rotation))
}
