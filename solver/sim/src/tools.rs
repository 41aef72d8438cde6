//! Regions that join or cut the sheets in them (Tonnesen 1992, section 7).

use crate::boundary::{Motion, Pose};
use crate::geometry::Solid;
use crate::material::oriented::{Cloth, Sheet, Tie, Ties, change, slots};
use crate::numbers::greatest;
use crate::particles::Particles;
use crate::region::moving_solid;
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Scene, ToolAction};
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::PI;

/// Most places in which a tool is looked at in a frame; between them it moves less than the distance of neighbours.
const MOST_PLACES: f64 = 256.0;

/// Points on a tie, its ends among them, that are looked for in a tool that cuts.
const POINTS: u32 = 9;

/// Edges of sheets begin where those that a particle is bound to leave such an angle open.
const OPEN: f64 = 0.6 * PI;

/// Length at rest of what joins two edges, in distances of nearest neighbours, over how far they are when they join.
const DRAWN: f64 = 1.1;

/// A tool of a scene.
#[derive(Debug)]
pub struct Tool {
    solid: Solid,
    motion: Motion,
    action: ToolAction,
}

/// All tools of a scene.
///
/// # Errors
/// When the mesh of one encloses nothing, or its scale changes unevenly.
pub fn tools(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<Tool>, SetupError> {
    let time_of = |frame: i32| (f64::from(frame) - f64::from(scene.frames.start)) / scene.frames.rate;
    let tool = |(number, tool): (usize, &dollop_scene::Tool)| {
        let placed = (&tool.shape, &tool.transform, &*tool.motion);
        let (solid, motion) = moving_solid(("tools", "tool", number), placed, meshes, time_of)?;
        Ok(Tool { solid, motion, action: tool.action })
    };
    scene.tools.iter().enumerate().map(tool).collect()
}

impl Tool {
    /// Where it stands from one time to another, s, not farther apart than some distance, m: the last, where it does not move.
    fn places(&self, (from, to): (f64, f64), distance: f64) -> Vec<Pose> {
        let (low, high) = self.solid.bounds();
        let size = greatest(low.length(), high.length());
        let (a, b) = (self.motion.pose(from), self.motion.pose(to));
        let turn = a.rotation.angle_between(b.rotation);
        let way = a.translation.distance(b.translation) + size * turn + size * (a.scale - b.scale).abs();
        let count = (way / distance).ceil().clamp(1.0, MOST_PLACES) as u32;
        (1..=count).map(|n| self.motion.pose(from + (to - from) * f64::from(n) / f64::from(count))).collect()
    }

    /// Works on woven sheets over some time, s, at a spacing, m.
    pub fn work(&self, particles: &mut Particles, sheets: &[Option<Sheet>], time: (f64, f64), spacing: f64) {
        let places = self.places(time, spacing);
        let (low, high) = self.solid.bounds();
        let holds = |place: DVec3| {
            places.iter().any(|pose| {
                let local = pose.to_local(place);
                local.cmpge(low).all() && local.cmple(high).all() && self.solid.contains(local)
            })
        };
        match self.action {
            ToolAction::Cut => cut(particles, holds),
            ToolAction::Join => join(particles, sheets, holds, spacing),
        }
    }
}

/// Parts what is bound through the surface of a region.
fn cut(particles: &mut Particles, holds: impl Fn(DVec3) -> bool + Sync) {
    change(particles, |particles, slot, other, tie| {
        // From the lower number, so that both ends see the same.
        let (from, to) = if particles.numbers[slot] < tie.number { (slot, other) } else { (other, slot) };
        let (from, to) = (particles.positions[from], particles.positions[to]);
        let at = |n: u32| holds(from.lerp(to, f64::from(n) / f64::from(POINTS - 1)));
        let first = at(0);
        let passes = (1..POINTS).any(|n| at(n) != first);
        (!passes).then_some(tie)
    });
}

/// Binds edges of sheets in a region that lie beside each other.
fn join(particles: &mut Particles, sheets: &[Option<Sheet>], holds: impl Fn(DVec3) -> bool + Sync, spacing: f64) {
    let is_woven = |body: u32| sheets[body as usize].is_some_and(|sheet| sheet.woven);
    let cloth = Cloth::new(particles, is_woven, spacing);
    let by_number = slots(particles);
    let edge = |slot: usize| {
        (is_woven(particles.sources[slot]) && holds(particles.positions[slot]))
            .then(|| open(particles, &cloth, &by_number, slot))
            .flatten()
    };
    let edges: Vec<Option<(f64, f64)>> = (0..particles.len()).into_par_iter().with_min_len(256).map(edge).collect();
    let opens = |slot: usize, other: usize| {
        edges[slot].is_some_and(|(from, wide)| (cloth.angle(slot, other) - from).rem_euclid(2.0 * PI) < wide)
    };
    let mut found: Vec<(f64, [u32; 2], [usize; 2])> = Vec::new();
    for slot in (0..particles.len()).filter(|&slot| edges[slot].is_some()) {
        let number = particles.numbers[slot];
        for other in cloth.around(particles.positions[slot], 1).map(|other| other as usize) {
            let their = particles.numbers[other];
            let new = their > number && opens(slot, other) && opens(other, slot) && !particles.ties[slot].has(their);
            if let Some(distance) = cloth.distance(slot, other).filter(|_| new) {
                found.push((distance, [number, their], [slot, other]));
            }
        }
    }
    found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let new: Vec<_> = found.into_iter().map(|(_, _, pair)| (pair, joint(&cloth, pair))).collect();
    let angle = |slot: usize, tie: &Tie| cloth.angle(slot, by_number[tie.number as usize] as usize);
    let mut ties = particles.ties.clone();
    for ([slot, other], joint) in new {
        if ties[slot].is_full() || ties[other].is_full() {
            continue;
        }
        for (slot, other) in [(slot, other), (other, slot)] {
            let tie = Tie { number: particles.numbers[other], ..joint };
            let mut all: Vec<Tie> = ties[slot].iter().chain([tie]).collect();
            all.sort_by(|a, b| angle(slot, a).total_cmp(&angle(slot, b)));
            ties[slot] = Ties::of(all.into_iter());
        }
    }
    particles.ties = ties;
}

/// What joins two: it draws them together a little, and does not bend them.
fn joint(cloth: &Cloth, [slot, other]: [usize; 2]) -> Tie {
    let tie = cloth.tie(slot, other);
    Tie { length: (f64::from(tie.length) / DRAWN).clamp(0.8, 1.3) as f32, curvature: 0.0, ..tie }
}

/// The widest angle that those a particle is bound to leave open, where it is wide enough for an edge: from where on, and how wide.
fn open(particles: &Particles, cloth: &Cloth, slots: &[u32], slot: usize) -> Option<(f64, f64)> {
    let ties = particles.ties[slot].iter();
    let mut angles: Vec<f64> = ties.map(|tie| cloth.angle(slot, slots[tie.number as usize] as usize)).collect();
    if angles.is_empty() {
        return Some((0.0, 2.0 * PI));
    }
    angles.sort_unstable_by(f64::total_cmp);
    let next = angles.iter().skip(1).copied().chain([angles[0] + 2.0 * PI]);
    let gaps = angles.iter().zip(next).map(|(&from, to)| (from, to - from));
    gaps.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|gap| gap.1 > OPEN)
}
