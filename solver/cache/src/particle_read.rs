//! Reads the particles of a bake back, to make another surface or volume.

use crate::formats::{ParticleReader, format_named};
use crate::read_fault::{ReadFault, content};
use crate::{CacheError, FrameRecord, Index, OutputKind, SkinRecord, file_name};
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::MOST_SEAMS;
use dollop_sim::frame::Skin;
use dollop_sim::{Field, FieldData, Frame, FrameStats, SmoothingKernel};
use glam::Vec3;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Range of particle spacings in scenes, m.
const SPACINGS: RangeInclusive<f64> = 1e-5..=1e3;
/// Smoothing lengths in units of the spacing: more than a scene may have, and few enough neighbours for any machine.
const SMOOTHING_LENGTHS: RangeInclusive<f64> = 0.5..=4.0;
/// Reaches of the field of a soft particle in units of the spacing.
const REACHES: RangeInclusive<f64> = 0.5..=2.0;
/// Field values at a skin: a wider range than fields give, and below the value at a particle.
const ISOVALUES: RangeInclusive<f64> = 1e-3..=1e3;
/// The largest distance from a soft particle to its wall, in units of the spacing.
const MAX_WALL_DISTANCE: f64 = 4.0;
/// Volumes of a particle in units of the spacing cubed: far above those of bakes, and sums of them stay finite.
const VOLUMES: RangeInclusive<f64> = 1e-6..=1e6;

/// Reads the particles of a frame that the index of a cache lists. Positions, velocities, volumes, bodies and fields
/// are bit for bit those of the baked frame. The file has no statistics: `stats` is all zeros.
///
/// # Errors
/// When the cache has no particles or an older release kept too few of their data; when the file is missing, not a
/// particle file or cut short, or holds a number that no bake writes.
pub fn read_particles(root: &Path, index: &Index, record: &FrameRecord) -> Result<Frame, CacheError> {
    let Source { path, read, .. } = source(root, index, record)?;
    let failed = |fault| error_of(path.clone(), fault);
    let kernel = kernel(root, index)?;
    let columns = read(&path, record.particles).map_err(failed)?;
    columns.check(index.particle_spacing).map_err(failed)?;
    if let Some(source) = columns.sources.iter().find(|&&source| source as usize >= index.bodies.len()) {
        return Err(failed(content(format!("a particle is of body {source}, and the index lists no such body"))));
    }
    let skins = skins(root, index)?;
    columns.check_soft(&skins, index.particle_spacing).map_err(failed)?;
    Ok(Frame {
        number: record.frame,
        time: record.time,
        ids: columns.ids,
        interval: 1.0 / index.frames.rate,
        spacing: index.particle_spacing,
        kernel,
        positions: columns.positions,
        velocities: columns.velocities,
        rest_volumes: columns.volumes,
        sources: columns.sources,
        source_names: index.bodies.iter().map(|body| body.name.clone()).collect(),
        lasting: index.bodies.iter().map(|body| body.lasting).collect(),
        skins,
        seams: columns.seams,
        fields: columns.fields,
        stats: FrameStats::default(),
        reactions: Vec::new(),
    })
}

/// Tells whether the particle file of a frame exists with the size in the index, without reading it.
///
/// # Errors
/// When it does not.
pub fn check_particles(root: &Path, index: &Index, record: &FrameRecord) -> Result<(), CacheError> {
    let Source { path, bytes, .. } = source(root, index, record)?;
    let about = fs::metadata(&path).map_err(ReadFault::from);
    match about.and_then(|about| if about.is_file() { Ok(about.len()) } else { Err(content("it is no file")) }) {
        Ok(size) if size == bytes => Ok(()),
        Ok(size) => {
            let reason = format!("it is cut short or damaged: it has {size} bytes, and the index lists {bytes}");
            Err(CacheError::Particles { path, reason })
        }
        Err(fault) => Err(error_of(path, fault)),
    }
}

/// The source of the particles of a frame.
struct Source {
    path: PathBuf,
    /// Size of the file in the index.
    bytes: u64,
    read: ParticleReader,
}

/// The particle file of a frame; an error if the index lists none, or one that cannot be read back.
fn source(root: &Path, index: &Index, record: &FrameRecord) -> Result<Source, CacheError> {
    let listed = index.output(OutputKind::Particles).zip(record.files.get(&OutputKind::Particles));
    let (output, &bytes) = listed.ok_or_else(|| CacheError::NoParticles(root.to_owned()))?;
    let format = format_named::<Frame>(&output.format);
    let read =
        format.ok().and_then(|format| format.reader()).ok_or_else(|| CacheError::NoParticles(root.to_owned()))?;
    let path = root.join(file_name(OutputKind::Particles, record.frame, &output.format));
    Ok(Source { path, bytes, read })
}

fn error_of(path: PathBuf, fault: ReadFault) -> CacheError {
    match fault {
        ReadFault::Io(source) => CacheError::Read { path, source },
        ReadFault::Content(reason) => CacheError::Particles { path, reason },
    }
}

/// The kernel in space of the baked particles.
fn kernel(root: &Path, index: &Index) -> Result<SmoothingKernel, CacheError> {
    let record = index.kernel.ok_or_else(|| CacheError::TooOld(root.to_owned(), index.version))?;
    let (spacing, rate) = (index.particle_spacing, index.frames.rate);
    let is_plausible = SPACINGS.contains(&spacing)
        && SMOOTHING_LENGTHS.contains(&(record.smoothing_length / spacing))
        && rate.is_finite()
        && rate > 0.0;
    if is_plausible {
        return Ok(SmoothingKernel::new(record.kind, record.smoothing_length));
    }
    let reason = "its kernel, spacing or frame rate is not one that a scene may have".into();
    Err(CacheError::Damaged { path: root.join(crate::INDEX_FILE), line: 1, column: 1, reason })
}

/// The skins of the bodies.
fn skins(root: &Path, index: &Index) -> Result<Vec<Option<Skin>>, CacheError> {
    let spacing = index.particle_spacing;
    let is_odd = |skin: &SkinRecord| {
        let is_in_range = REACHES.contains(&(skin.reach / spacing)) && ISOVALUES.contains(&skin.isovalue);
        !(is_in_range && skin.isovalue < Skin::from(*skin).value(0.0))
    };
    let skins = || index.bodies.iter().map(|body| body.skin);
    if let Some(body) = skins().position(|skin| skin.as_ref().is_some_and(is_odd)) {
        let reason = format!("the skin of body {body} is not one that a scene may have");
        return Err(CacheError::Damaged { path: root.join(crate::INDEX_FILE), line: 1, column: 1, reason });
    }
    Ok(skins().map(|skin| skin.map(Skin::from)).collect())
}

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
    fn check(&self, spacing: f64) -> Result<(), ReadFault> {
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
    fn check_soft(&self, skins: &[Option<Skin>], spacing: f64) -> Result<(), ReadFault> {
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
        let count = self.sources.len() as f64;
        let is_particle = |number: f64| (0.0..count).contains(&number) && number.fract() == 0.0;
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

#[cfg(test)]
#[path = "particle_read_tests.rs"]
mod tests;
