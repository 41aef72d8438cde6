//! Blobs in the blocks of a lattice, and their sum at the nodes.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::falloff::{Falloff, Kind, with_falloff};
use super::sources::{Shape, Sources, Symmetric};
use crate::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS};
use crate::buckets::Key;
use crate::cells::{Cells, in_cube};
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The form of a blob. Lengths in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Half the edges of the box around it.
    pub extent: Vec3,
    /// Radius of the ball around it.
    pub radius: f32,
    pub metric: Symmetric,
}

/// The source of a part of the field. Lengths in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob {
    /// Centre, relative to the lowest node of the block that it is looked at from.
    pub centre: Vec3,
    pub form: Form,
    /// What the falloff is multiplied by.
    pub factor: f32,
    pub particle: u32,
}

/// A blob without its form.
struct Seat {
    /// Centre, relative to the lowest node of its cube, cells.
    centre: Vec3,
    factor: f32,
    particle: u32,
}

/// The forms of all blobs, in their order.
enum Forms {
    Alike(Form),
    Each(Vec<Form>),
}

/// The blobs of a frame on a lattice, sorted by the cubes that their centres lie in.
pub(crate) struct Blobs {
    /// Edge length of a cell, m.
    pub cell_size: f64,
    kind: Kind,
    arch: Arch,
    seats: Cells<Seat>,
    forms: Forms,
    /// The boxes around all blobs of a cube, as seen from it.
    bounds: Vec<(Vec3, Vec3)>,
    /// No blob reaches further, cells.
    reach: f32,
}

impl Blobs {
    /// The blobs on a lattice whose cells are so wide, m. Those further than 2^30 cells from the origin are left out.
    pub fn new(sources: &Sources, cell_size: f64) -> Self {
        let at = |particle: usize| sources.centre(particle).map(|centre| centre / cell_size);
        let place = |particle: usize| {
            let at = at(particle).filter(|at| at.abs().max_element() < INDEX_LIMIT)?;
            Some((in_cube(at).0, particle as u32))
        };
        let entries: Vec<(Key, u32)> = (0..sources.frame.len()).into_par_iter().filter_map(place).collect();
        let seat = |particle: u32| Seat {
            centre: in_cube(at(particle as usize).unwrap_or_default()).1,
            factor: sources.factor(particle as usize),
            particle,
        };
        let seats = Cells::new(entries, seat);
        let form = |seat: &Seat| Form::new(sources.shape(seat.particle as usize), cell_size);
        let forms = match sources.shape_of_all() {
            Some(shape) => Forms::Alike(Form::new(shape, cell_size)),
            None => Forms::Each(seats.items().par_iter().map(form).collect()),
        };
        let around = |(low, high): (Vec3, Vec3), place: usize| {
            let (centre, extent) = (seats.items()[place].centre, forms.of(place).extent);
            (low.min(centre - extent), high.max(centre + extent))
        };
        let bounds = seats.cubes().map(|cube| cube.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), around)).collect();
        let reach = (sources.reach() / cell_size) as f32;
        Self { cell_size, kind: sources.kind, arch: Arch::new(), seats, forms, bounds, reach }
    }

    /// Takes new gains of its sources, of which none is left out that was not.
    pub fn take_gains(&mut self, sources: &Sources) {
        self.seats.items_mut().par_iter_mut().for_each(|seat| seat.factor = sources.factor(seat.particle as usize));
    }

    /// The blocks that a blob may reach, sorted.
    pub fn blocks(&self) -> Vec<BlockKey> {
        self.seats.blocks(self.reach)
    }

    pub fn arch(&self) -> Arch {
        self.arch
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The blobs whose boxes meet that from `low` to `high` (cells, on all axes) of a block, as seen from it.
    pub fn around(&self, key: BlockKey, low: f32, high: f32) -> Vec<Blob> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut found = vec![];
        for (offset, cube) in self.seats.cubes_near(key, self.reach + beyond) {
            let (lowest, highest) = self.bounds[cube];
            if (lowest + offset).cmple(high).all() && (highest + offset).cmpge(low).all() {
                found.extend(self.of_cube(cube, offset).filter(|blob| blob.meets(low, high)));
            }
        }
        found
    }

    /// The blobs of a cube as seen from a block, to which so far is to be added.
    fn of_cube(&self, cube: usize, offset: Vec3) -> impl Iterator<Item = Blob> {
        self.seats.of_cube(cube).map(move |place| {
            let seat = &self.seats.items()[place];
            let (factor, particle) = (seat.factor, seat.particle);
            Blob { centre: seat.centre + offset, form: *self.forms.of(place), factor, particle }
        })
    }

    /// The field at the nodes of a block.
    pub fn values(&self, key: BlockKey) -> Box<[f32; SLOTS]> {
        self.values_of(&self.around(key, 0.0, (EDGE - 1) as f32))
    }

    /// The sum of some blobs at the nodes of the block that they are seen from.
    pub fn values_of(&self, blobs: &[Blob]) -> Box<[f32; SLOTS]> {
        let mut values = Box::new([0.0; SLOTS]);
        let sum = &mut *values;
        with_falloff!(self.kind, F => self.arch.dispatch(|| blobs.iter().for_each(|blob| add::<F>(sum, blob))));
        values
    }
}

impl Blob {
    /// Whether the blob may reach into a box.
    pub fn meets(&self, low: Vec3, high: Vec3) -> bool {
        let off = self.centre.clamp(low, high) - self.centre;
        off.abs().cmple(self.form.extent).all() && off.length_squared() <= self.form.radius * self.form.radius
    }
}

impl Form {
    fn new(shape: &Shape, cell_size: f64) -> Self {
        Self {
            extent: (shape.extent.as_dvec3() / cell_size).as_vec3(),
            radius: (f64::from(shape.radius) / cell_size) as f32,
            metric: shape.metric.map(|m| (f64::from(m) * cell_size * cell_size) as f32),
        }
    }
}

impl Forms {
    /// The form of the blob at a place among all.
    fn of(&self, place: usize) -> &Form {
        match self {
            Self::Alike(form) => form,
            Self::Each(forms) => &forms[place],
        }
    }
}

/// The nodes of a block that a blob's box covers along an axis.
#[inline(always)]
fn nodes_within(blob: &Blob, axis: usize) -> Range<usize> {
    let first = (blob.centre[axis] - blob.form.extent[axis]).ceil().max(0.0) as usize;
    let last = (blob.centre[axis] + blob.form.extent[axis]).floor().min(7.0);
    first..(last + 1.0).max(0.0) as usize
}

/// Nodes that are taken at once: two rows of eight along z.
const LANES: usize = 16;

/// Adds a blob to the nodes of a block. t is a polynomial of second degree in y whose coefficients depend on x and z.
#[inline(always)]
fn add<F: Falloff>(values: &mut [f32; SLOTS], blob: &Blob) {
    let [xx, yy, zz, yz, xz, xy] = blob.form.metric;
    let (mut dz, mut y) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        dz[lane] = (lane & 7) as f32 - blob.centre.z;
        y[lane] = (lane >> 3) as f32 - blob.centre.y;
    }
    let ys = nodes_within(blob, 1);
    for x in nodes_within(blob, 0) {
        let dx = x as f32 - blob.centre.x;
        let (mut constant, mut linear) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            constant[lane] = xx * dx * dx + dz[lane] * (2.0 * xz * dx + zz * dz[lane]);
            linear[lane] = 2.0 * (xy * dx + yz * dz[lane]);
        }
        for pair in ys.start / 2..ys.end.div_ceil(2) {
            let rows = &mut values[x << 6 | pair << 4..][..LANES];
            for lane in 0..LANES {
                let dy = (2 * pair) as f32 + y[lane];
                rows[lane] += blob.factor * F::value(constant[lane] + dy * (linear[lane] + yy * dy));
            }
        }
    }
}
