//! The particles of a bake, read back for another surface or volume.

use crate::ply_table::{Number, Table, TableFault, content};
use crate::{CacheError, Format, FrameRecord, Index, OutputKind, ParticlePly, SkinRecord, file_name};
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, QUANTITIES, WALL};
use dollop_sim::frame::MOST_SEAMS;
use dollop_sim::frame::Skin;
use dollop_sim::{Field, FieldData, Frame, FrameStats, SmoothingKernel};
use glam::Vec3;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Particle spacings that a scene may have, m.
const SPACINGS: RangeInclusive<f64> = 1e-5..=1e3;
/// Smoothing lengths in units of the spacing: more than a scene may have, and few enough neighbours for any machine.
const SMOOTHING_LENGTHS: RangeInclusive<f64> = 0.5..=4.0;
/// Reaches of the field of a soft particle in units of the spacing.
const REACHES: RangeInclusive<f64> = 0.5..=2.0;
/// Values of the field at a skin: far more and less than fields give; and less than at a particle.
const ISOVALUES: RangeInclusive<f64> = 1e-3..=1e3;
/// The longest way from a soft particle to its wall, in units of the spacing.
const LONGEST_WAY: f64 = 4.0;
/// Volumes of a particle in units of the spacing cubed: far more than a bake gives, and none that sums cannot hold.
const VOLUMES: RangeInclusive<f64> = 1e-6..=1e6;

/// Reads the particles of a frame that the index of a cache lists. Positions, velocities, volumes, bodies and fields are
/// bit for bit those of the frame that was baked; what it took to get there (`stats`) is not in the file and is all zeros.
///
/// # Errors
/// When the cache has no particles, was made by a release that kept less of them, or the file is not there, is no file of
/// particles, is cut short, or holds a number that no bake writes.
pub fn read_particles(root: &Path, index: &Index, record: &FrameRecord) -> Result<Frame, CacheError> {
    let path = particle_file(root, record);
    let failed = |fault| error_of(path.clone(), fault);
    if !record.files.contains_key(&OutputKind::Particles) {
        return Err(CacheError::NoParticles(root.to_owned()));
    }
    let kernel = kernel(root, index)?;
    let columns = Table::open(&path)
        .and_then(|table| Columns::read(table, record.particles, index.particle_spacing))
        .map_err(failed)?;
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

/// Tells whether the file of a frame's particles is there with the size that the index lists, without reading it.
///
/// # Errors
/// When it is not.
pub fn check_particles(root: &Path, record: &FrameRecord) -> Result<(), CacheError> {
    let path = particle_file(root, record);
    let Some(&listed) = record.files.get(&OutputKind::Particles) else {
        return Err(CacheError::NoParticles(root.to_owned()));
    };
    let about = fs::metadata(&path).map_err(TableFault::from);
    match about.and_then(|about| if about.is_file() { Ok(about.len()) } else { Err(content("it is no file")) }) {
        Ok(size) if size == listed => Ok(()),
        Ok(size) => {
            let reason = format!("it is cut short or damaged: it has {size} bytes, and the index lists {listed}");
            Err(CacheError::Particles { path, reason })
        }
        Err(fault) => Err(error_of(path, fault)),
    }
}

fn particle_file(root: &Path, record: &FrameRecord) -> PathBuf {
    root.join(file_name(OutputKind::Particles, record.frame, ParticlePly.extension()))
}

fn error_of(path: PathBuf, fault: TableFault) -> CacheError {
    match fault {
        TableFault::Io(source) => CacheError::Read { path, source },
        TableFault::Content(reason) => CacheError::Particles { path, reason },
    }
}

/// The kernel in space that the particles were baked with.
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

/// The columns of a file of particles.
struct Columns {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    volumes: Vec<f32>,
    sources: Vec<u32>,
    /// Empty where the file has none.
    ids: Vec<u32>,
    seams: Vec<[u32; 2]>,
    fields: Vec<Field>,
}

impl Columns {
    /// The particles of matter of that spacing, m.
    fn read(mut table: Table, expected: usize, spacing: f64) -> Result<Self, TableFault> {
        let count = table.count;
        if count != expected {
            return Err(content(format!("it has {count} particles, and the index lists {expected}")));
        }
        let own = |name: &str| table.number(name).ok_or_else(|| content(format!("it has no property `{name}`")));
        let vector = |[x, y, z]: [&str; 3]| Ok::<_, TableFault>([own(x)?, own(y)?, own(z)?]);
        let (position, velocity) = (vector(["x", "y", "z"])?, vector(["vx", "vy", "vz"])?);
        let (volume, source) = (own("volume")?, own("source")?);
        let id = table.number("id");
        let mut fields = fields(&table)?;
        let mut columns = Self {
            positions: Vec::with_capacity(count),
            velocities: Vec::with_capacity(count),
            volumes: Vec::with_capacity(count),
            sources: Vec::with_capacity(count),
            ids: Vec::new(),
            seams: Vec::new(),
            fields: Vec::new(),
        };
        let (mut no_body, mut no_id) = (false, false);
        table.rows(|rows| {
            columns.positions.extend(rows.clone().map(|row| vector_in(position, row)));
            columns.velocities.extend(rows.clone().map(|row| vector_in(velocity, row)));
            columns.volumes.extend(rows.clone().map(|row| volume.float(row)));
            extend_whole(&mut columns.sources, source, rows.clone(), &mut no_body);
            if let Some(id) = id {
                extend_whole(&mut columns.ids, id, rows.clone(), &mut no_id);
            }
            for (numbers, field) in &mut fields {
                numbers.extend(&mut field.data, rows.clone());
            }
        })?;
        columns.seams = table.edges()?;
        if no_body {
            return Err(content("a `source` is no number of a body"));
        }
        if no_id {
            return Err(content("an `id` is no whole number from 0 on"));
        }
        columns.fields = fields.into_iter().map(|(_, field)| field).collect();
        columns.check(spacing)?;
        Ok(columns)
    }

    /// What no bake writes would spread over the surface.
    fn check(&self, spacing: f64) -> Result<(), TableFault> {
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

    /// What skins are made of. Files before format 1.7 do not tell lumps, who is fused, and walls: none of them.
    fn check_soft(&self, skins: &[Option<Skin>], spacing: f64) -> Result<(), TableFault> {
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
        // A vector is as right as its length is.
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
        check(WALL.name, &|way| way <= LONGEST_WAY * spacing)?;
        check(OFFSET.name, &|offset| offset.abs() <= spacing)
    }

    /// What a mesh is sewn along.
    fn check_seams(&self) -> Result<(), TableFault> {
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

/// Where the values of a field are in a row.
enum Numbers {
    Scalar(Number),
    Vector([Number; 3]),
}

impl Numbers {
    fn extend(&self, data: &mut FieldData, rows: std::slice::ChunksExact<u8>) {
        match (self, data) {
            (Self::Scalar(number), FieldData::Scalar(values)) => values.extend(rows.map(|row| number.float(row))),
            (Self::Vector(numbers), FieldData::Vector(values)) => {
                values.extend(rows.map(|row| vector_in(*numbers, row)));
            }
            // Made together, of the same kind.
            _ => {}
        }
    }
}

#[inline]
/// Adds the whole number in each row; tells by `is_odd` whether one is none.
fn extend_whole(whole: &mut Vec<u32>, number: Number, rows: std::slice::ChunksExact<u8>, is_odd: &mut bool) {
    whole.extend(rows.map(|row| {
        number.count(row).unwrap_or_else(|| {
            *is_odd = true;
            0
        })
    }));
}

fn vector_in([x, y, z]: [Number; 3], row: &[u8]) -> Vec3 {
    Vec3::new(x.float(row), y.float(row), z.float(row))
}

/// The fields that a file has, still without values.
fn fields(table: &Table) -> Result<Vec<(Numbers, Field)>, TableFault> {
    let numbers = |quantity: &dollop_sim::Quantity| match quantity.components {
        None => Ok(table.number(quantity.name).map(Numbers::Scalar)),
        Some(names) => match names.map(|name| table.number(name)) {
            [Some(x), Some(y), Some(z)] => Ok(Some(Numbers::Vector([x, y, z]))),
            [None, None, None] => Ok(None),
            _ => Err(content(format!("it has not all of the properties `{}`", names.join("`, `")))),
        },
    };
    let mut fields = vec![];
    for quantity in &QUANTITIES {
        if let Some(numbers) = numbers(quantity)? {
            let data = match numbers {
                Numbers::Scalar(_) => FieldData::Scalar(Vec::with_capacity(table.count)),
                Numbers::Vector(_) => FieldData::Vector(Vec::with_capacity(table.count)),
            };
            fields.push((numbers, quantity.with(data)));
        }
    }
    Ok(fields)
}

#[cfg(test)]
#[path = "particle_read_tests.rs"]
mod tests;
