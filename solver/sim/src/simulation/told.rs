//! Makes frames of the matter for files and surfaces.

use super::Simulation;
use crate::frame::field::{
    AGE, COLOR, DAMAGE, DENSITY, FUSED, LUMP, NORMAL, OFFSET, PIECE, PRESSURE, REST_NORMAL, REST_POSITION, SHEET,
    TEMPERATURE, WALL,
};
use crate::material::oriented::{pieces, seams, told_normals};
use crate::material::pressure::PressureLaw;
use crate::particles::{Density, Membership, NOBODY, share};
use crate::{Field, FieldData, Frame};
use glam::Vec3;

impl Simulation {
    /// The present frame.
    pub fn frame(&self) -> Frame {
        let particles = &self.particles;
        let volume =
            |(slot, &source): (usize, &u32)| self.volumes[source as usize] * share(&particles.shares, slot) as f32;
        Frame {
            number: self.frame_number(),
            time: self.time(),
            interval: self.interval,
            spacing: self.spacing,
            kernel: self.kernel.in_space(),
            ids: particles.by_number(particles.ids.iter().copied()),
            positions: particles.by_number(particles.positions.iter().map(|p| p.as_vec3())),
            velocities: particles.by_number(particles.velocities.iter().map(|v| v.as_vec3())),
            rest_volumes: particles.by_number(particles.sources.iter().enumerate().map(volume)),
            sources: particles.by_number(particles.sources.iter().copied()),
            source_names: self.names.clone(),
            lasting: self.sheets.lasting(),
            apart: self.apart.clone(),
            fused_bodies: self.fused_bodies(),
            skins: self.soft.skins(),
            seams: seams(particles),
            fields: self.fields(),
            stats: self.stats,
            reactions: self.reactions.clone(),
        }
    }

    /// Which bodies have fused. What melts blends with what it touches, and so does what is one with it.
    fn fused_bodies(&self) -> Vec<Option<u32>> {
        let all = self.stages.iter().map(|stage| stage.fused_bodies());
        let fused = all.into_iter().find(|fused| !fused.is_empty()).unwrap_or_default();
        let blending: Vec<Option<u32>> =
            fused.iter().zip(&self.apart).filter(|(_, apart)| !**apart).map(|(first, _)| *first).collect();
        fused.into_iter().map(|first| first.filter(|_| !blending.contains(&first))).collect()
    }

    /// Seconds since the birth of each particle, by number.
    fn ages(&self) -> Vec<f32> {
        let (particles, now) = (&self.particles, self.time());
        if particles.births.is_empty() {
            return vec![now as f32; particles.len()];
        }
        particles.by_number(particles.births.iter().map(|birth| (now - birth) as f32))
    }

    /// Pressures, Pa, by slot: zero before the forces were evaluated.
    fn pressures(&self) -> Vec<f32> {
        let (particles, solver) = (&self.particles, &self.integrator.solver);
        let forces = self.integrator.forces();
        let pressure = |(slot, &source): (usize, &u32)| {
            if solver.is_led(source) { particles.pressures[slot] } else { forces.get(slot).map_or(0.0, |f| f.pressure) }
        };
        particles.sources.iter().enumerate().map(pressure).collect()
    }

    /// The fields of the present matter.
    pub(super) fn fields(&self) -> Vec<Field> {
        let particles = &self.particles;
        if particles.len() == 0 && !self.fields.is_empty() {
            return self.fields.clone();
        }
        let of = |value: &dyn Fn(&PressureLaw, Density) -> f32| {
            let pairs = particles.densities.iter().zip(&particles.sources);
            let values = pairs.map(|(&density, &source)| value(self.integrator.solver.law(source), density));
            FieldData::Scalar(particles.by_number(values))
        };
        let mut fields = vec![
            DENSITY.with(of(&|law, density| law.rest_density * density.total)),
            PRESSURE.with(FieldData::Scalar(particles.by_number(self.pressures().into_iter()))),
        ];
        if !particles.temperatures.is_empty() {
            let temperatures = particles.by_number(particles.temperatures.iter().copied());
            fields.push(TEMPERATURE.with(FieldData::Scalar(temperatures)));
        }
        if !particles.damages.is_empty() {
            let damages = particles.by_number(particles.damages.iter().copied());
            fields.push(DAMAGE.with(FieldData::Scalar(damages)));
        }
        let colors = particles.sources.iter().map(|&source| self.colors[source as usize]);
        fields.push(AGE.with(FieldData::Scalar(self.ages())));
        let rest_positions = particles.by_number(particles.rest_positions.iter().copied());
        fields.push(REST_POSITION.with(FieldData::Vector(rest_positions)));
        fields.push(COLOR.with(FieldData::Vector(particles.by_number(colors))));
        if !particles.orientations.is_empty() {
            let solver = &self.integrator.solver;
            let normal = |(normal, &source): (Vec3, &u32)| if solver.is_sheet(source) { normal } else { Vec3::ZERO };
            let normals = told_normals(particles).into_iter().zip(&particles.sources).map(normal);
            fields.push(NORMAL.with(FieldData::Vector(particles.by_number(normals))));
        }
        if !particles.rest_normals.is_empty() {
            let rest_normals = particles.by_number(particles.rest_normals.iter().copied());
            fields.push(REST_NORMAL.with(FieldData::Vector(rest_normals)));
        }
        if self.sheets.change() {
            let pieces = pieces(particles, |body| self.sheets.changes(body));
            fields.push(SHEET.with(FieldData::Scalar(pieces.into_iter().map(|piece| piece as f32).collect())));
        }
        if !self.soft.is_empty() {
            let told = |value: &dyn Fn(&Membership) -> f32| {
                FieldData::Scalar(particles.by_number(particles.memberships.iter().map(value)))
            };
            // A piece is named by a particle, whose number changes when others are removed, but not its identity.
            let ids = particles.by_number(particles.ids.iter().copied());
            let id = |number: u32| ids.get(number as usize).copied().unwrap_or(number) as f32;
            let name = |number: u32| if number == NOBODY { -1.0 } else { id(number) };
            fields.push(PIECE.with(told(&|membership| name(membership.piece))));
            fields.push(LUMP.with(told(&|membership| name(membership.lump))));
            fields.push(FUSED.with(told(&|membership| f32::from(u8::from(membership.fused)))));
            fields.push(WALL.with(FieldData::Vector(self.soft.walls().iter().map(|way| way.as_vec3()).collect())));
            let offsets = particles.volumes.iter().map(|volume| volume.offset);
            fields.push(OFFSET.with(FieldData::Scalar(particles.by_number(offsets))));
        }
        fields
    }
}
