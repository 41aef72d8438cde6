//! Soft matter at the ends of frames: the walls of its skins, the collision speeds of its pieces, and its volumes.

use super::{Kept, Stage, World};
use crate::boundary::Times;
use crate::material::soft::Overspeed;
use crate::particles::Particles;
use crate::reshape::Sheets;

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
        world.soft.set_walls(world.integrator.offsets_to_walls(world.particles, reach, world.time));
    }
}

/// The greatest excess of the speed of two colliding pieces over the limit of contact, and its frame.
#[derive(Debug, Default)]
pub struct SkinContact(Overspeed, i32);

impl Stage for SkinContact {
    fn end_frame(&mut self, world: &mut World) {
        let overspeed = world.integrator.take_overspeed();
        if overspeed.excess > self.0.excess {
            (self.0, self.1) = (overspeed, world.number);
        }
    }

    fn kept(&self) -> Kept {
        let Self(Overspeed { speed, excess }, frame) = *self;
        Kept { numbers: vec![frame.cast_unsigned()], amounts: vec![speed, excess] }
    }

    fn fits(&self, kept: &Kept, _particles: usize) -> bool {
        kept.numbers.len() == 1 && kept.amounts.len() == 2 && kept.amounts.iter().all(|amount| amount.is_finite())
    }

    fn take_over(&mut self, kept: Kept) {
        if let ([frame], [speed, excess]) = (&kept.numbers[..], &kept.amounts[..]) {
            *self = Self(Overspeed { speed: *speed, excess: *excess }, frame.cast_signed());
        }
    }

    /// Warns of soft matter that contact could not stop.
    fn remarks(&self, _particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        let Self(Overspeed { speed, excess }, frame) = *self;
        if excess <= 1.0 {
            return Vec::new();
        }
        vec![format!(
            "in frame {frame} pieces of soft matter came upon each other at {speed:.1} m/s, {excess:.1} times what their contact \
             stops, and may have gone through each other; lower the speeds or raise their stiffness {:.1} times",
            excess * excess
        )]
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
        let peaks = world.integrator.take_peaks();
        let walls = world.integrator.boundary.at(Times::Still(world.time));
        world.soft.end_frame(world.particles, &peaks, |a, b| walls.part(a, b), world.interval);
    }
}
