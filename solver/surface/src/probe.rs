//! Density, its gradient and averages over the matter at points within a block.

use crate::field::{Field, Nearby};
use crate::profile::Profile;
use dollop_sim::kernel::Shape;
use dollop_sim::with_shape;
use glam::Vec3;

/// The particles around a block, to be asked at points. Points are relative to the block's lowest node, in cells.
pub(crate) struct Probe<'a> {
    near: Vec<Nearby>,
    profile: Profile,
    velocities: &'a [Vec3],
    temperatures: Option<&'a [f32]>,
    sources: &'a [u32],
}

/// The matter at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct State {
    /// Gradient of the density, 1/cell.
    pub gradient: Vec3,
    /// Weighted mean, m/s.
    pub velocity: Vec3,
    /// Weighted mean, K; zero where the frame has none.
    pub temperature: f32,
    /// The body that gives most to the density, of equals the first.
    pub source: u32,
}

impl<'a> Probe<'a> {
    pub fn new(field: &Field<'a>, block: usize) -> Self {
        let frame = field.frame;
        Self {
            near: field.nearby(block).collect(),
            profile: field.profile,
            velocities: &frame.velocities,
            temperatures: frame.temperatures(),
            sources: &frame.sources,
        }
    }

    /// The density at a point.
    pub fn density(&self, point: Vec3) -> f32 {
        with_shape!(self.profile.kind, S => self.within(point).map(|(near, q)| near.factor * S::value(q)).sum())
    }

    pub fn state(&self, point: Vec3) -> State {
        with_shape!(self.profile.kind, S => self.state_by::<S>(point))
    }

    /// The particles that reach a point, and their distances over h.
    fn within(&self, point: Vec3) -> impl Iterator<Item = (&Nearby, f32)> {
        let (reach, scale) = (self.profile.support * self.profile.support, self.profile.scale());
        self.near.iter().filter_map(move |near| {
            let squared = near.position.distance_squared(point);
            (squared < reach).then(|| (near, squared.sqrt() * scale))
        })
    }

    fn state_by<S: Shape>(&self, point: Vec3) -> State {
        let (mut weight, mut gradient, mut velocity, mut temperature) = (0.0, Vec3::ZERO, Vec3::ZERO, 0.0);
        let mut bodies: Vec<(u32, f32)> = vec![];
        for (near, q) in self.within(point) {
            let (part, particle) = (near.factor * S::value(q), near.particle as usize);
            let away = (point - near.position).normalize_or_zero();
            weight += part;
            gradient += near.factor * S::slope(q) * self.profile.scale() * away;
            velocity += part * self.velocities[particle];
            temperature += part * self.temperatures.map_or(0.0, |column| column[particle]);
            credit(&mut bodies, self.sources[particle], part);
        }
        let mean = if weight > 0.0 { weight.recip() } else { 0.0 };
        let most = bodies.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let source = most.map_or(0, |(body, _)| body);
        State { gradient, velocity: velocity * mean, temperature: temperature * mean, source }
    }
}

/// Adds to the account of a body. A point sees few bodies, so a list is quicker than a map.
fn credit(bodies: &mut Vec<(u32, f32)>, body: u32, part: f32) {
    match bodies.iter_mut().find(|(other, _)| *other == body) {
        Some((_, sum)) => *sum += part,
        None => bodies.push((body, part)),
    }
}
