//! The content of a particle file, and whether a bake can have written it.

use crate::read_fault::{ReadFault, content};
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::{MOST_SEAMS, Skin};
use dollop_sim::{Field, FieldData};
use glam::Vec3;
use std::ops::RangeInclusive;

/// The largest distance from a soft particle to its wall, in units of the spacing.
const MAX_WALL_DISTANCE: f64 = 4.0;
/// Volumes of a particle in units of the spacing cubed: far above those of bakes, and sums of them stay finite.
const VOLUMES: RangeInclusive<f64> = 1e-6..=1e6;

/// The content of a particle file.
pub struct ParticleTable {
    /// Positions, m.
    pub positions: Vec<Vec3>,
    /// Velocities, m/s.
    pub velocities: Vec<Vec3>,
    /// Volumes at rest, m^3.
    pub volumes: Vec<f32>,
    /// Numbers of the bodies.
    pub sources: Vec<u32>,
    /// Identities; empty where the file has none.
    pub ids: Vec<u32>,
    /// Pairs of particles that tools have bound.
    pub seams: Vec<[u32; 2]>,
    /// Fields.
    pub fields: Vec<Field>,
}

impl ParticleTable {
    /// A number that no bake writes would spread over the surface.
    pub fn check(&self, spacing: f64) -> Result<(), ReadFault> {
        let finite = |name: &str, bad: Option<usize>| {
            bad.map_or(Ok(()), |row| Err(content(format!("the `{name}` of particle {row} is not a finite number"))))
        };
        let scalar = |values: &[f32]| values.iter().position(|value| !value.is_finite());
        let vector = |values: &[Vec3]| values.iter().position(|value| !value.is_finite());
        finite("position", vector(&self.positions))?;
        finite("velocity", vector(&self.velocities))?;
        self.check_seams()?;
        let cube = spacing.powi(3);
        let odd = self.volumes.iter().position(|&volume| !VOLUMES.contains(&(f64::from(volume) / cube)));
        if let Some(row) = odd {
            return Err(content(format!("the `volume` of particle {row} is not one at a spacing of {spacing} m")));
        }
        self.fields.iter().try_for_each(|field| match &field.data {
            FieldData::Scalar(values) => finite(field.name, scalar(values)),
            FieldData::Vector(values) => finite(field.name, vector(values)),
        })
    }

    /// The columns for skins. Files before format 1.7 have no lumps, no memberships and no walls: empty columns.
    pub fn check_soft(&self, skins: &[Option<Skin>], spacing: f64) -> Result<(), ReadFault> {
        let soft = || (0..self.sources.len()).filter(|&row| skins[self.sources[row] as usize].is_some());
        if soft().next().is_none() {
            return Ok(());
        }
        let data = |name: &str| self.fields.iter().find(|field| field.name == name).map(|field| &field.data);
        if let Some(name) = [PIECE.name, OFFSET.name].into_iter().find(|name| data(name).is_none()) {
            return Err(content(format!("it has no property `{name}`, and soft matter")));
        }
        let (some, missing): (Vec<&str>, Vec<&str>) =
            [LUMP.name, FUSED.name, WALL.name].into_iter().partition(|name| data(name).is_some());
        if let (Some(some), Some(missing)) = (some.first(), missing.first()) {
            return Err(content(format!("it has soft matter and the property `{some}`, but no `{missing}`")));
        }
        // A vector is valid if its length is.
        let value = |data: &FieldData, row: usize| match data {
            FieldData::Scalar(values) => f64::from(values[row]),
            FieldData::Vector(values) => values[row].as_dvec3().length(),
        };
        let check = |name: &str, is_right: &dyn Fn(f64) -> bool| {
            let odd = data(name).and_then(|data| soft().find(|&row| !is_right(value(data, row))));
            odd.map_or(Ok(()), |row| {
                Err(content(format!("the `{name}` of particle {row} is not one that a bake writes")))
            })
        };
        // Where matter is removed, particles have identities, and pieces are named by these.
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        let count = self.sources.len() as f64;
        let is_known =
            |name: f64| if ids.is_empty() { name < count } else { ids.binary_search(&(name as u32)).is_ok() };
        let is_particle = |name: f64| name >= 0.0 && name.fract() == 0.0 && is_known(name);
        check(PIECE.name, &is_particle)?;
        check(LUMP.name, &is_particle)?;
        check(FUSED.name, &|fused| (0.0..=1.0).contains(&fused) && fused.fract() == 0.0)?;
        check(WALL.name, &|offset| offset <= MAX_WALL_DISTANCE * spacing)?;
        check(OFFSET.name, &|offset| offset.abs() <= spacing)
    }

    /// The seams that a mesh is sewn along.
    fn check_seams(&self) -> Result<(), ReadFault> {
        if let Some([a, b]) = self.seams.iter().find(|[a, b]| a >= b || *b as usize >= self.positions.len()) {
            let reason =
                format!("a seam binds particle {a} to {b}, which are no two of its particles, the lower first");
            return Err(content(reason));
        }
        if !self.seams.is_sorted_by(|a, b| a < b) {
            return Err(content("its seams are not in order, each once"));
        }
        let mut counts = vec![0; if self.seams.is_empty() { 0 } else { self.positions.len() }];
        for &particle in self.seams.as_flattened() {
            counts[particle as usize] += 1;
            if counts[particle as usize] > MOST_SEAMS {
                return Err(content(format!("more than {MOST_SEAMS} seams bind particle {particle}")));
            }
        }
        Ok(())
    }
}
