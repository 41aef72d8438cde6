//! The field on a coarse lattice, wherever matter reaches: the levels of the components are found on it, and where on a
//! finer lattice the surface can be.

use super::blobs::{Blob, Blobs};
use super::components::Components;
use super::levels::{Part, levels};
use super::sources::Sources;
use super::values::Values;
use crate::blocks::{BlockKey, EDGE, SLOTS, slot};
use crate::options::{LevelKind, SurfaceOptions};
use pulp::Arch;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// A cell of the survey is at most so wide, in particle spacings, and more than half of it.
const WIDEST_CELL: f64 = 0.6;

/// Over the level, where there is no doubt that a point is inside, or outside.
const CLEARLY_INSIDE: f32 = 1.5;
const CLEARLY_OUTSIDE: f32 = 1.0 / 3.0;

/// Edge of the cells that a field is surveyed on, for a surface that is cut from cells of that size; all lengths in m.
pub fn survey_cell(spacing: f64, cell_size: f64) -> f64 {
    cell_size * (WIDEST_CELL * spacing / cell_size).log2().floor().exp2()
}

/// What a block of a lattice is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The surface may be there.
    Surface,
    Inside,
    Outside,
}

/// The field, over its level, at the nodes of coarse blocks.
pub(crate) struct Survey {
    cell_size: f64,
    blocks: FxHashMap<BlockKey, Box<[f32; SLOTS]>>,
}

/// The field of each component, by its number, at the nodes of a block.
struct Surveyed {
    key: BlockKey,
    parts: Vec<(u32, Values)>,
}

impl Survey {
    /// Surveys the field and sets the gains of its sources so that the surface is where it is 1; with the blobs on the lattice
    /// that the surface will be cut from.
    pub fn new(sources: &mut Sources, components: &Components, options: &SurfaceOptions) -> (Self, Blobs) {
        let cell_size = survey_cell(sources.frame.spacing, options.cell_size);
        let mut blobs = Blobs::new(sources, cell_size);
        let surveyed = survey(&blobs, components);
        let levels = match options.level {
            LevelKind::Interaction => vec![interaction_level(sources); components.count],
            LevelKind::Frame | LevelKind::Component => volume_levels(sources, components, &surveyed, cell_size),
        };
        for (gain, component) in sources.gains.iter_mut().zip(&components.of) {
            *gain /= levels[*component as usize];
        }
        let blocks = surveyed.into_par_iter().map(|block| (block.key, block.over(&levels))).collect();
        if cell_size.to_bits() == options.cell_size.to_bits() {
            blobs.take_gains(sources);
        } else {
            drop(blobs);
            blobs = Blobs::new(sources, options.cell_size);
        }
        (Self { cell_size, blocks }, blobs)
    }

    /// The field over its level at the nodes of a block of such a lattice, where that was surveyed.
    pub fn values(&self, key: BlockKey, cell_size: f64) -> Option<&[f32; SLOTS]> {
        // One of the lattices is the other with cells halved so many times, which is exact.
        let is_same = self.cell_size.to_bits() == cell_size.to_bits();
        self.blocks.get(&key).filter(|_| is_same).map(AsRef::as_ref)
    }

    /// What the blocks of a lattice are like, as far as blobs reach, sorted.
    pub fn places(&self, blobs: &Blobs) -> Vec<(BlockKey, Place)> {
        blobs.blocks().into_par_iter().map(|key| (key, self.place(key, blobs.cell_size))).collect()
    }

    /// What a block of a lattice is like, by the nodes of the survey in it and on its faces.
    fn place(&self, key: BlockKey, cell_size: f64) -> Place {
        let scale = f64::from(EDGE) * cell_size / self.cell_size;
        let range = key.map(|c| {
            let at = |c: i32| f64::from(c) * scale;
            (at(c).floor() as i32, at(c + 1).ceil() as i32)
        });
        let (least, most) = self.extremes(range);
        if least >= CLEARLY_INSIDE {
            Place::Inside
        } else if most <= CLEARLY_OUTSIDE {
            Place::Outside
        } else {
            Place::Surface
        }
    }

    /// Least and largest value at the nodes of a range on each axis.
    fn extremes(&self, range: [(i32, i32); 3]) -> (f32, f32) {
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        let blocks = range.map(|(first, last)| first.div_euclid(EDGE)..=last.div_euclid(EDGE));
        let [xs, ys, zs] = blocks;
        for key in
            xs.flat_map(|x| ys.clone().map(move |y| (x, y))).flat_map(|(x, y)| zs.clone().map(move |z| [x, y, z]))
        {
            let Some(values) = self.blocks.get(&key) else {
                least = least.min(0.0);
                most = most.max(0.0);
                continue;
            };
            let within = |axis: usize| {
                let (first, last) = range[axis];
                let low = key[axis] * EDGE;
                ((first - low).max(0) as usize)..=((last - low).min(EDGE - 1) as usize)
            };
            for x in within(0) {
                for y in within(1) {
                    for z in within(2) {
                        let value = values[slot([x, y, z])];
                        (least, most) = (least.min(value), most.max(value));
                    }
                }
            }
        }
        (least, most)
    }
}

/// The value of the field midway between two particles that part: DG96 section 4.2, with the mass that it lacks in
/// print, for any field.
fn interaction_level(sources: &Sources) -> f32 {
    let frame = sources.frame;
    (2.0 * frame.spacing.powi(3) * frame.kernel.value(frame.kernel.smoothing_length())) as f32
}

fn volume_levels(sources: &Sources, components: &Components, surveyed: &[Surveyed], cell_size: f64) -> Vec<f32> {
    let cells: Vec<f64> = sources.volumes(components).iter().map(|volume| volume / cell_size.powi(3)).collect();
    let all = surveyed.iter().flat_map(|block| &block.parts);
    let mut parts: Vec<Part> = all.map(|(component, values)| (*component, values)).collect();
    // Within a component they keep their order.
    parts.par_sort_by_key(|part| part.0);
    levels(Arch::new(), &parts, &cells)
}

fn survey(blobs: &Blobs, components: &Components) -> Vec<Surveyed> {
    blobs.blocks().into_par_iter().filter_map(|key| Surveyed::new(blobs, components, key)).collect()
}

impl Surveyed {
    fn new(blobs: &Blobs, components: &Components, key: BlockKey) -> Option<Self> {
        let mut near = blobs.around(key, 0.0, (EDGE - 1) as f32);
        let component = |blob: &Blob| components.of[blob.particle as usize];
        // Within a component they keep their order.
        near.sort_by_key(component);
        let of_component = |some: &[Blob]| (component(&some[0]), Values::new(blobs.values_of(some)));
        let parts: Vec<_> = near.chunk_by(|a, b| component(a) == component(b)).map(of_component).collect();
        (!parts.is_empty()).then_some(Self { key, parts })
    }

    /// The sum of all components' fields over their levels.
    fn over(self, levels: &[f32]) -> Box<[f32; SLOTS]> {
        let gain = |component: u32| 1.0 / levels[component as usize];
        let mut parts = self.parts.into_iter();
        let mut sum = parts.next().map_or_else(|| Box::new([0.0; SLOTS]), |(one, values)| values.times(gain(one)));
        parts.for_each(|(other, values)| values.add_to(&mut sum, gain(other)));
        sum
    }
}
