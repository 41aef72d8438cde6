//! Reads the particles of a bake back, to make another surface or volume.

use crate::formats::{ParticleReader, format_named};
use crate::read_fault::{ReadFault, content};
use crate::{CacheError, FrameRecord, Index, OutputKind, SkinRecord, file_name};
use dollop_sim::frame::Skin;
use dollop_sim::{Frame, FrameStats, SmoothingKernel};
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
        apart: index.bodies.iter().map(|body| body.apart).collect(),
        fused_bodies: fused_bodies(root, index, record)?,
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

/// An index that says what no bake does.
fn damaged(root: &Path, reason: String) -> CacheError {
    CacheError::Damaged { path: root.join(crate::INDEX_FILE), line: 1, column: 1, reason }
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
    Err(damaged(root, "its kernel, spacing or frame rate is not one that a scene may have".into()))
}

/// Which bodies have fused in a frame.
fn fused_bodies(root: &Path, index: &Index, record: &FrameRecord) -> Result<Vec<Option<u32>>, CacheError> {
    let (fused, bodies) = (&record.fused_bodies, index.bodies.len());
    let is_first = |(body, first): (u32, u32)| first <= body && fused[first as usize] == Some(first);
    let mut firsts = (0..).zip(fused).filter_map(|(body, first)| Some((body, (*first)?)));
    if !fused.is_empty() && fused.len() != bodies || !firsts.all(is_first) {
        let frame = record.frame;
        let reason = format!("the bodies that have fused in frame {frame} are not those of its {bodies} bodies");
        return Err(damaged(root, reason));
    }
    Ok(fused.clone())
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
        return Err(damaged(root, format!("the skin of body {body} is not one that a scene may have")));
    }
    Ok(skins().map(|skin| skin.map(Skin::from)).collect())
}

#[cfg(test)]
#[path = "particle_read_tests.rs"]
mod tests;
