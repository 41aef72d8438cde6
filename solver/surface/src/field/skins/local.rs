//! The field of a lump near a block, with the values that it carries.

use super::evaluate::{SkinEvaluator, SkinParticle};
use super::on_lattice::SkinParticles;
use crate::carried::Carried;
use crate::field::{FieldSample, LocalField, VertexProperties};
use crate::lattice::blocks::{BlockKey, EDGE};
use dollop_sim::Frame;
use glam::Vec3;

/// Radius of the crowding of a point of the skin, in reaches of the particles, and sums of weights on a strand and at a
/// corner of a body.
const CROWDING_RADIUS: f32 = 3.0;
const STRAND_WEIGHT: f32 = 5.0;
const BODY_WEIGHT: f32 = 8.0;

/// The field of a lump near a block.
pub(crate) struct SkinField<'a> {
    frame: &'a Frame,
    carried: &'a Carried<'a>,
    near: Vec<SkinParticle>,
    /// Its own particles near enough to count for its [crowding](Self::crowding).
    around: Vec<SkinParticle>,
    lump: u32,
}

impl<'a> SkinField<'a> {
    pub fn new(
        particles: &SkinParticles,
        frame: &'a Frame,
        carried: &'a Carried<'a>,
        lump: u32,
        key: BlockKey,
    ) -> Self {
        let near = particles.near(key, 0.0, EDGE as f32);
        let beyond = (CROWDING_RADIUS - 1.0) * particles.reach;
        let mut around = particles.near(key, -beyond, EDGE as f32 + beyond);
        around.retain(|particle| particle.is_of(lump));
        Self { frame, carried, near, around, lump }
    }

    /// Crowding of a point of the skin: 0 on an isolated particle or a strand, 1 on a body.
    fn crowding(&self, point: Vec3) -> f32 {
        let weight = |particle: &SkinParticle| {
            let far = CROWDING_RADIUS * particle.reach();
            (1.0 - particle.centre.distance_squared(point) / (far * far)).max(0.0)
        };
        let crowding = (self.around.iter().map(weight).sum::<f32>() - STRAND_WEIGHT) / (BODY_WEIGHT - STRAND_WEIGHT);
        crowding.clamp(0.0, 1.0)
    }

    /// Appends the mean row of the particles that form the field at a point. Returns the particle with the largest
    /// contribution.
    fn write_mean_row(&self, point: Vec3, piece: u32, rows: &mut Vec<f32>) -> u32 {
        let blends = |particle: &&SkinParticle| {
            particle.lump == self.lump && (particle.fused || particle.piece == piece || piece == u32::MAX)
        };
        let start = rows.len();
        rows.resize(start + self.carried.width, 0.0);
        let mut row = vec![0.0; self.carried.width];
        let (mut sum, mut strongest) = (0.0, (f32::NEG_INFINITY, 0));
        for particle in self.near.iter().filter(blends) {
            let value = particle.value(point);
            // If no field reaches the point, the closest particle counts.
            let rank = if value > 0.0 { value } else { -particle.centre.distance_squared(point) };
            if rank > strongest.0 {
                strongest = (rank, particle.number);
            }
            if value > 0.0 {
                self.carried.write_row(particle.number, &mut row);
                sum += value;
                rows[start..].iter_mut().zip(&row).for_each(|(sum, carried)| *sum += value * carried);
            }
        }
        if sum > 0.0 {
            rows[start..].iter_mut().for_each(|value| *value /= sum);
        } else {
            self.carried.write_row(strongest.1, &mut rows[start..]);
        }
        strongest.1
    }
}

impl LocalField for SkinField<'_> {
    type Scratch = SkinEvaluator;

    fn sample(&self, point: Vec3, evaluator: &mut SkinEvaluator) -> FieldSample {
        evaluator.sample(&self.near, self.lump, point)
    }

    fn carry(
        &self,
        point: Vec3,
        _: FieldSample,
        evaluator: &mut SkinEvaluator,
        rows: &mut Vec<f32>,
    ) -> VertexProperties {
        evaluator.sample(&self.near, self.lump, point);
        let strongest = self.write_mean_row(point, evaluator.piece, rows);
        // Vertices that touch another lump stay, and vertices near one almost stay. Vertices on a wall slide along it,
        // and may rise at the rim.
        let free = evaluator.margin.value.clamp(0.0, 1.0);
        let crowding = if free > 0.0 { free * self.crowding(point) } else { 0.0 };
        let fixed = if evaluator.at_wall { 1.0 } else { 1.0 - free };
        VertexProperties {
            source: self.frame.sources[strongest as usize],
            component: 0,
            crowding,
            fixed,
            wall: evaluator.wall,
        }
    }
}
