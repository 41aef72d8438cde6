//! The field of blobs near a block, with the values that it carries.

use super::components::Components;
use super::nearby::{BlobContributions, NearbyBlobs};
use super::on_lattice::Blobs;
use super::sources::Sources;
use crate::carried::Carried;
use crate::field::{FieldSample, LocalField, VertexProperties};
use crate::lattice::blocks::BlockKey;
use crate::lattice::splat::NumberRows;
use glam::Vec3;
use rayon::prelude::*;
use std::cell::OnceCell;

/// Rows that one task gathers at least.
const MIN_ROWS_PER_TASK: usize = 1024;

/// The field of blobs near a block.
pub(crate) struct BlobField<'a> {
    sources: &'a Sources<'a>,
    components: &'a Components,
    /// The blobs, with carried values and crowding of their particles.
    near: NearbyBlobs<'a>,
    /// Numbers in a row of the values.
    width: usize,
    /// The body and the component of all particles of an octant, if they are the same.
    uniform: [OnceCell<Option<(u32, u32)>>; 8],
}

/// The carried values and the crowding of the particle of each blob: gathered once, as a blob is near many blocks.
pub(crate) fn rows_of(sources: &Sources, carried: &Carried, blobs: &Blobs) -> NumberRows {
    let width = carried.width + 1;
    let particles = blobs.particles();
    let mut values = vec![0.0; particles.len() * width];
    values.par_chunks_exact_mut(width).zip(particles).with_min_len(MIN_ROWS_PER_TASK).for_each(|(row, particle)| {
        carried.write_row(particle, row);
        row[carried.width] = sources.crowding(particle as usize);
    });
    NumberRows { width, values }
}

impl<'a> BlobField<'a> {
    pub fn new(
        sources: &'a Sources<'a>,
        components: &'a Components,
        rows: &'a NumberRows,
        blobs: &'a Blobs,
        key: BlockKey,
    ) -> Self {
        let near = NearbyBlobs::new(blobs, key, rows);
        Self { sources, components, near, width: rows.width, uniform: Default::default() }
    }

    /// The body and the component of all particles of an octant, if they are the same.
    fn uniform(&self, octant: usize) -> Option<(u32, u32)> {
        let owners = |&particle: &u32| {
            (self.sources.frame.sources[particle as usize], self.components.labels[particle as usize])
        };
        *self.uniform[octant].get_or_init(|| common_value(self.near.particles(octant).iter().map(owners)))
    }

    /// The body and the component with the largest contributions to the field; of equals the first.
    fn heaviest_owners(&self, contributions: &BlobContributions) -> (u32, u32) {
        let (mut bodies, mut components) = (vec![], vec![]);
        for (particle, weight) in self.near.contributions(contributions) {
            add_weight(&mut bodies, self.sources.frame.sources[particle as usize], weight);
            add_weight(&mut components, self.components.labels[particle as usize], weight);
        }
        (heaviest(&bodies), heaviest(&components))
    }
}

impl LocalField for BlobField<'_> {
    type Scratch = BlobContributions;

    fn sample(&self, point: Vec3, contributions: &mut BlobContributions) -> FieldSample {
        self.near.sample(point, contributions)
    }

    fn carry(
        &self,
        point: Vec3,
        sample: FieldSample,
        contributions: &mut BlobContributions,
        rows: &mut Vec<f32>,
    ) -> VertexProperties {
        let start = rows.len();
        rows.resize(start + self.width, 0.0);
        let is_reached = sample.value > 0.0;
        if !is_reached {
            self.near.take_nearest(point, contributions);
        }
        self.near.add_sums(contributions, &mut rows[start..]);
        let scale = if is_reached { 1.0 / sample.value } else { 1.0 };
        rows[start..].iter_mut().for_each(|sum| *sum *= scale);
        let crowding = rows.pop().unwrap_or_default();
        let (source, component) =
            self.uniform(contributions.octant).unwrap_or_else(|| self.heaviest_owners(contributions));
        VertexProperties { source, component, crowding, ..VertexProperties::default() }
    }
}

/// The common value of all items, if they are equal.
fn common_value<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Adds to a total. There are few owners at a point, so a list is faster than a map.
fn add_weight(totals: &mut Vec<(u32, f32)>, owner: u32, weight: f32) {
    match totals.iter_mut().find(|(other, _)| *other == owner) {
        Some((_, sum)) => *sum += weight,
        None => totals.push((owner, weight)),
    }
}

/// The owner with the largest total; of equals the first.
fn heaviest(totals: &[(u32, f32)]) -> u32 {
    let largest = totals.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    largest.map_or(0, |(owner, _)| *owner)
}
