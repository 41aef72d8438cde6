//! The field on a coarse lattice, wherever matter reaches. It gives the levels of the components, and which blocks of a
//! finer lattice may hold the surface.

use super::components::Components;
use super::levels::{ComponentValues, levels};
use super::on_lattice::{Blob, Blobs};
use super::sources::Sources;
use super::values::CompactValues;
use crate::lattice::blocks::{BlockKey, EDGE, SLOTS, slot};
use crate::options::{LevelKind, SurfaceOptions};
use pulp::Arch;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Largest edge of a coarse cell, particle spacings; it is more than half of that.
const MAX_CELL: f64 = 0.6;

/// Values over the level beyond which a point is certainly inside or outside.
const INSIDE_VALUE: f32 = 1.5;
const OUTSIDE_VALUE: f32 = 1.0 / 3.0;

/// Edge of the cells of the coarse field for a surface that is extracted on cells of `cell_size`; all lengths in m.
pub fn coarse_cell_size(spacing: f64, cell_size: f64) -> f64 {
    cell_size * (MAX_CELL * spacing / cell_size).log2().floor().exp2()
}

/// Class of a block of a lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockClass {
    /// The surface may cross the block.
    Surface,
    Inside,
    Outside,
}

/// The field over its level at the nodes of coarse blocks.
pub(crate) struct CoarseField {
    cell_size: f64,
    blocks: FxHashMap<BlockKey, NodeValues>,
}

/// The values at the nodes of a block, with the least and the largest of them.
struct NodeValues {
    all: Box<[f32; SLOTS]>,
    range: (f32, f32),
}

/// The field of each component at the nodes of a block.
struct CoarseBlock {
    key: BlockKey,
    parts: Vec<(u32, CompactValues)>,
}

impl CoarseField {
    /// Samples the field, and sets the gains of its sources so that the surface is where it is 1. Also returns the
    /// blobs on the lattice of the surface.
    pub fn new(sources: &mut Sources, components: &Components, options: &SurfaceOptions) -> (Self, Blobs) {
        let cell_size = coarse_cell_size(sources.frame.spacing, options.cell_size);
        let mut blobs = Blobs::new(sources, cell_size);
        let coarse = coarse_blocks(&blobs, components);
        let levels = match options.level {
            LevelKind::Interaction => vec![interaction_level(sources); components.count],
            LevelKind::Frame | LevelKind::Component => volume_levels(sources, components, &coarse, cell_size),
        };
        for (gain, component) in sources.gains.iter_mut().zip(&components.labels) {
            *gain /= levels[*component as usize];
        }
        let blocks =
            coarse.into_par_iter().map(|block| (block.key, NodeValues::new(block.normalized(&levels)))).collect();
        if cell_size.to_bits() == options.cell_size.to_bits() {
            blobs.update_gains(sources);
        } else {
            drop(blobs);
            blobs = Blobs::new(sources, options.cell_size);
        }
        (Self { cell_size, blocks }, blobs)
    }

    /// The field over its level at the nodes of a block, if this coarse field has the same cells.
    pub fn values(&self, key: BlockKey, cell_size: f64) -> Option<&[f32; SLOTS]> {
        // One lattice is the other with cells halved some times, which is exact.
        let is_same = self.cell_size.to_bits() == cell_size.to_bits();
        self.blocks.get(&key).filter(|_| is_same).map(|values| &*values.all)
    }

    /// The classes of the blocks of a lattice that blobs reach, sorted.
    pub fn classes(&self, blobs: &Blobs) -> Vec<(BlockKey, BlockClass)> {
        blobs.blocks().into_par_iter().map(|key| (key, self.class(key, blobs.cell_size))).collect()
    }

    /// The class of a block of a lattice, from the coarse nodes in it and on its faces.
    fn class(&self, key: BlockKey, cell_size: f64) -> BlockClass {
        let scale = f64::from(EDGE) * cell_size / self.cell_size;
        let range = key.map(|c| {
            let at = |c: i32| f64::from(c) * scale;
            (at(c).floor() as i32, at(c + 1).ceil() as i32)
        });
        self.class_of_nodes(range)
    }

    /// The class of the nodes in a range on each axis.
    fn class_of_nodes(&self, range: [(i32, i32); 3]) -> BlockClass {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        let blocks = range.map(|(first, last)| first.div_euclid(EDGE)..=last.div_euclid(EDGE));
        let [xs, ys, zs] = blocks;
        for key in
            xs.flat_map(|x| ys.clone().map(move |y| (x, y))).flat_map(|(x, y)| zs.clone().map(move |z| [x, y, z]))
        {
            let within = [0, 1, 2].map(|axis| {
                let ((first, last), low) = (range[axis], key[axis] * EDGE);
                ((first - low).max(0) as usize)..((last - low).min(EDGE - 1) as usize + 1)
            });
            let (lower, upper) = self.blocks.get(&key).map_or((0.0, 0.0), |values| values.range_within(within));
            (least, most) = (least.min(lower), most.max(upper));
            if least < INSIDE_VALUE && most > OUTSIDE_VALUE {
                return BlockClass::Surface;
            }
        }
        if least >= INSIDE_VALUE { BlockClass::Inside } else { BlockClass::Outside }
    }
}

impl NodeValues {
    fn new(all: Box<[f32; SLOTS]>) -> Self {
        let range = Self::range_of(all.iter().copied());
        Self { all, range }
    }

    /// Least and largest value.
    fn range_of(values: impl Iterator<Item = f32>) -> (f32, f32) {
        let join = |(least, most): (f32, f32), value: f32| (least.min(value), most.max(value));
        values.fold((f32::INFINITY, f32::NEG_INFINITY), join)
    }

    /// Least and largest value at the nodes in a range on each axis.
    fn range_within(&self, [xs, ys, zs]: [Range<usize>; 3]) -> (f32, f32) {
        if [&xs, &ys, &zs].iter().all(|range| range.len() == EDGE as usize) {
            return self.range;
        }
        let rows = xs.flat_map(|x| ys.clone().map(move |y| slot([x, y, 0])));
        Self::range_of(rows.flat_map(|row| self.all[row + zs.start..row + zs.end].iter().copied()))
    }
}

/// The components of the matter that get their own levels. Small components are left out.
pub(crate) fn components(sources: &mut Sources, options: &SurfaceOptions) -> Components {
    let (frame, by_component) = (sources.frame, options.level == LevelKind::Component);
    let single = Components::one(frame.len());
    if !by_component && options.least_particles < 2 {
        return single;
    }
    // Only particles of this surface connect.
    let is_in = |particle: usize| sources.gains[particle] > 0.0;
    let components = Components::new(frame, frame.kernel.support(), is_in);
    let mut sizes = vec![0; components.count];
    for component in components.labels.iter().enumerate().filter(|(particle, _)| is_in(*particle)).map(|(_, of)| of) {
        sizes[*component as usize] += 1;
    }
    for (gain, component) in sources.gains.iter_mut().zip(&components.labels) {
        if sizes[*component as usize] < options.least_particles {
            *gain = 0.0;
        }
    }
    if by_component { components } else { single }
}

/// The field midway between two particles that separate: DG96 section 4.2, for any field, with the mass that is missing
/// in print.
fn interaction_level(sources: &Sources) -> f32 {
    let frame = sources.frame;
    (2.0 * frame.spacing.powi(3) * frame.kernel.value(frame.kernel.smoothing_length())) as f32
}

fn volume_levels(sources: &Sources, components: &Components, coarse: &[CoarseBlock], cell_size: f64) -> Vec<f32> {
    let cells: Vec<f64> = sources.volumes(components).iter().map(|volume| volume / cell_size.powi(3)).collect();
    let all = coarse.iter().flat_map(|block| &block.parts);
    let mut parts: Vec<ComponentValues> = all.map(|(component, values)| (*component, values)).collect();
    // The sort is stable, so blocks of a component keep their order.
    parts.par_sort_by_key(|part| part.0);
    levels(Arch::new(), &parts, &cells)
}

fn coarse_blocks(blobs: &Blobs, components: &Components) -> Vec<CoarseBlock> {
    // In the order of the blobs, as each is looked up in many blocks.
    let owners: Vec<u32> = blobs.particles().map(|particle| components.labels[particle as usize]).collect();
    blobs.blocks().into_par_iter().filter_map(|key| CoarseBlock::new(blobs, &owners, key)).collect()
}

impl CoarseBlock {
    /// From the blobs and their components.
    fn new(blobs: &Blobs, owners: &[u32], key: BlockKey) -> Option<Self> {
        let mut near = blobs.around(key, 0.0, (EDGE - 1) as f32);
        let component = |blob: &Blob| owners[blob.index as usize];
        // The sort is stable, so blocks of a component keep their order.
        near.sort_by_key(component);
        let of_component = |some: &[Blob]| (component(&some[0]), CompactValues::new(blobs.values_of(some)));
        let parts: Vec<_> = near.chunk_by(|a, b| component(a) == component(b)).map(of_component).collect();
        (!parts.is_empty()).then_some(Self { key, parts })
    }

    /// The sum of the fields of all components over their levels.
    fn normalized(self, levels: &[f32]) -> Box<[f32; SLOTS]> {
        let gain = |component: u32| 1.0 / levels[component as usize];
        let mut parts = self.parts.into_iter();
        let mut sum = parts.next().map_or_else(|| Box::new([0.0; SLOTS]), |(one, values)| values.times(gain(one)));
        parts.for_each(|(other, values)| values.add_to(&mut sum, gain(other)));
        sum
    }
}
