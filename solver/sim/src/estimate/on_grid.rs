//! The steps of matter on a grid, foreseen from the scene's own numbers.

use super::fall::Ground;
use crate::boundary::Boundary;
use crate::bounds::Bounds;
use crate::cost::{Cause, Limit};
use crate::material::continuum::GridFlow;
use crate::material::continuum::pace::{by_motion, by_shear_waves};
use crate::material::continuum::waves::shear_wave_speed;
use crate::material::model;
use crate::region::time_of;
use crate::setup::{Outline, place_colliders};
use crate::{MeshLibrary, SetupError, SmoothingKernel};
use dollop_scene::{Body, JsonPath, Scene};
use glam::DVec3;

/// Parts of the time between two keys that are looked at, and parts in all.
const PARTS: usize = 16;
const MOST_PARTS: usize = 4096;

/// The steps of matter on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridSteps {
    /// In a frame where matter moves as fast as it is expected to.
    pub steps_per_frame: u64,
    /// What asks for them; none where one step does.
    pub limit: Option<Limit>,
}

/// The steps that matter on a grid may need: by the speeds of bodies at the start and after their fall, by waves of
/// shear, and by colliders that come upon it. None for a scene without such matter.
///
/// # Errors
/// When a body lies beyond the reach of the grid, or a collider or an outflow makes no sense.
pub fn on_grid(scene: &Scene, meshes: &MeshLibrary, outlines: &[Outline]) -> Result<Option<GridSteps>, SetupError> {
    let interval = 1.0 / scene.frames.rate;
    let grid = |body: &Body| {
        let fluid = model(&body.material).fluid_on_grid(scene.heat.as_ref().map(|_| &body.heat));
        GridFlow::of(vec![fluid], scene.particle_spacing, scene.discretization.dimensions, interval)
    };
    if !scene.bodies.iter().any(|body| grid(body).is_some()) {
        return Ok(None);
    }
    let boundary = place_colliders(scene, meshes, &SmoothingKernel::of(scene))?;
    let ground = Ground::new(scene, &boundary, meshes)?;
    let mut all = GridSteps { steps_per_frame: 1, limit: None };
    for (number, (body, outline)) in scene.bodies.iter().zip(outlines).enumerate() {
        let Some(flow) = grid(body) else { continue };
        refuse_beyond_reach(number, outline, &flow)?;
        let foreseen = Foreseen { scene, flow, interval, body, outline };
        for (longest, cause) in foreseen.asked(&ground, &boundary) {
            let steps = (interval / longest).ceil().max(1.0) as u64;
            if steps > all.steps_per_frame {
                all = GridSteps { steps_per_frame: steps, limit: Some(Limit { body: number, other: None, cause }) };
            }
        }
    }
    Ok(Some(all))
}

/// Matter so far away would stand still.
fn refuse_beyond_reach(number: usize, Outline { bounds, .. }: &Outline, flow: &GridFlow) -> Result<(), SetupError> {
    if flow.placing().cell(bounds.low).is_some() && flow.placing().cell(bounds.high).is_some() {
        return Ok(());
    }
    let distance = bounds.low.abs().max(bounds.high.abs()).max_element();
    let message = format!(
        "lies {distance:.0} m from the origin, beyond the reach of a grid for this particle_spacing; move the scene closer \
         to the origin"
    );
    Err(SetupError::new(JsonPath::item("bodies", number).key("transform").key("translation"), message))
}

/// A body whose motion is foreseen.
struct Foreseen<'a> {
    scene: &'a Scene,
    flow: GridFlow,
    /// Of a frame, s.
    interval: f64,
    body: &'a Body,
    outline: &'a Outline,
}

impl Foreseen<'_> {
    /// The steps, s, that it asks for, and their causes.
    fn asked(&self, ground: &Ground, boundary: &Boundary) -> [(f64, Cause); 6] {
        let gravity = DVec3::from(self.scene.gravity);
        let speed = self.outline.fastest(self.body);
        let duration = self.duration();
        let way = DVec3::from(self.body.velocity) * duration + gravity * (duration * duration / 2.0);
        let drop = ground.drop(&self.outline.bounds, gravity.normalize_or_zero() * way.length());
        let fallen = (speed * speed + 2.0 * gravity.length() * drop).sqrt().min(speed + gravity.length() * duration);
        let struck = self.struck(boundary, &self.room(drop));
        let width = self.flow.width();
        let moving = |speed: f64| by_motion(speed, 0.0, width);
        let present = self.flow.all_present(self.scene.heat.is_some());
        [
            (moving(speed), Cause::Speed),
            (moving(fallen), Cause::Fall),
            (moving(struck), Cause::Collider),
            (by_shear_waves(shear_wave_speed(&present), width, self.interval), Cause::Stiffness),
            (by_motion(0.0, gravity.length(), width), Cause::Acceleration),
            (self.flow.longest_on_surface(gravity.length(), &present), Cause::Waves),
        ]
    }

    /// From the first to the last frame, s.
    fn duration(&self) -> f64 {
        let frames = &self.scene.frames;
        (f64::from(frames.end) - f64::from(frames.start)) * self.interval
    }

    /// The box in which the matter is expected, after a fall of so many m.
    fn room(&self, drop: f64) -> Bounds {
        let bounds = self.outline.bounds;
        let down = DVec3::from(self.scene.gravity).normalize_or_zero() * drop;
        let flight = DVec3::from(self.body.velocity) * self.duration();
        let moved = |by: DVec3| Bounds { low: bounds.low + by, high: bounds.high + by };
        // What falls spreads.
        bounds.union(moved(down)).union(moved(flight)).wider(drop.min(bounds.extent()))
    }

    /// The highest speed of a collider in the room of the matter, m/s.
    fn struck(&self, boundary: &Boundary, room: &Bounds) -> f64 {
        let times = key_times(self.scene, self.duration());
        let parts = (MOST_PARTS / times.len().max(1)).clamp(1, PARTS);
        let every = times.len().div_ceil(MOST_PARTS).max(1);
        let chosen: Vec<f64> = times.iter().step_by(every).copied().chain(times.last().copied()).collect();
        let spans = chosen.windows(2).filter(|span| span[1] > span[0]).flat_map(|span| {
            let length = span[1] - span[0];
            let parts = ((length / self.interval).ceil() as usize).clamp(1, parts);
            let at = move |n: usize| span[0] + length * n as f64 / parts as f64;
            (0..parts).map(move |n| (at(n), at(n + 1)))
        });
        let margin = self.scene.particle_spacing;
        let of_span = |(from, to): (f64, f64)| {
            let approaches = boundary.approaches(from, to, margin);
            approaches.iter().map(|approach| approach.fastest_in(room)).fold(0.0, f64::max)
        };
        spans.map(of_span).fold(0.0, f64::max)
    }
}

/// The times of the keys of all colliders from the first frame to the last, and these, s, in order.
fn key_times(scene: &Scene, duration: f64) -> Vec<f64> {
    let time_of = time_of(scene);
    let keys = scene.colliders.iter().flat_map(|collider| &collider.motion).map(|key| time_of(key.frame));
    let mut times: Vec<f64> = keys.filter(|time| (0.0..=duration).contains(time)).chain([0.0, duration]).collect();
    times.sort_unstable_by(f64::total_cmp);
    times.dedup();
    times
}
