//! Soft matter at the ends of frames: the walls of its skins, and its volumes.

use super::{Stage, World};
use crate::boundary::Times;
use crate::integrator::Integrator;
use crate::neighbours::BATCH;
use crate::particles::{Membership, Particles};
use glam::DVec3;
use rayon::prelude::*;

/// Finds the walls that the skins of soft matter may lie on.
#[derive(Debug)]
pub struct SkinWalls;

impl Stage for SkinWalls {
    fn begin(&mut self, world: &mut World) {
        self.end_frame(world);
    }

    fn resumed(&mut self, world: &mut World) {
        self.end_frame(world);
    }

    fn end_frame(&mut self, world: &mut World) {
        let reach = world.soft.wall_reach();
        world.soft.set_walls(offsets_to_walls(world.particles, world.integrator, reach, world.time));
    }
}

/// Fuses pieces that were pressed hard enough, parts pieces that have lost touch, and keeps the volumes of skins.
#[derive(Debug)]
pub struct SkinVolumes;

impl Stage for SkinVolumes {
    fn begin(&mut self, world: &mut World) {
        let walls = world.integrator.boundary.at(Times::Still(world.time));
        world.soft.keep_volumes(world.particles, |a, b| walls.part(a, b));
    }

    fn end_frame(&mut self, world: &mut World) {
        let walls = world.integrator.boundary.at(Times::Still(world.time));
        world.soft.end_frame(world.particles, |a, b| walls.part(a, b), world.interval);
    }
}

/// The offsets from all particles of soft matter to walls within reach, m, by particle number, at a time, s; zero where
/// there is no wall.
fn offsets_to_walls(particles: &Particles, integrator: &mut Integrator, reach: f64, time: f64) -> Vec<DVec3> {
    if reach <= 0.0 {
        return Vec::new();
    }
    let offsets = integrator.search_walls(|integrator| {
        let walls = integrator.boundary.at(Times::Still(time));
        let offset = |slot: usize| {
            if particles.memberships[slot] == Membership::NONE {
                return Ok(DVec3::ZERO);
            }
            Ok(walls.nearest(particles.positions[slot], reach)?.unwrap_or(DVec3::ZERO))
        };
        (0..particles.len()).into_par_iter().with_min_len(BATCH).map(offset).collect()
    });
    particles.by_number(offsets.into_iter())
}
