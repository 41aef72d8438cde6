//! The skins of soft matter (Desbrun and Gascuel 1995).
//!
//! | symbol | meaning |
//! |---|---|
//! | `f_g` | field of a piece g: the sum of those of its particles, h(d - epsilon) |
//! | s | isovalue |
//!
//! The surface of a piece is where `min(f_g / s, 1 + (f_g - f_o) / s)` is 1, with `f_o` the largest field of another piece: where its own field is s, but where
//! another piece is felt as much, both end where `f_g` = `f_o`, which is DG95's exact contact surface (section 2.1, with the deformation terms s - f): they
//! touch without a gap and without an overlap, and never blend.

use crate::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS, node_point};
use crate::buckets::Key;
use crate::cells::{Cells, in_cube};
use crate::extract::carried::Carried;
use crate::extract::{Felt, Nodes, Owner, extract_felt};
use crate::implicit::near::Level;
use crate::mesh::SurfaceMesh;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use dollop_sim::field::{OFFSET, PIECE};
use dollop_sim::frame::Skin;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Those within some reaches of a point of the skin, each by how near it is, of a strand and of a corner of a body.
const AROUND: f32 = 3.0;
const STRAND: f32 = 5.0;
const BODY: f32 = 8.0;

/// From so much of the field over its level on at all of its nodes a block is inside.
const DEEP: f32 = 1.5;

/// By how much less of a field is left where another piece is felt that counts.
const TOUCHING: f32 = 1e-3;

/// Whether a particle is of soft matter.
pub(crate) fn is_soft(frame: &Frame, particle: usize) -> bool {
    skin(frame, particle).is_some()
}

fn skin(frame: &Frame, particle: usize) -> Option<Skin> {
    *frame.skins.get(frame.sources[particle] as usize)?
}

/// A particle of soft matter. Lengths in cells.
#[derive(Debug, Clone, Copy)]
struct Coat {
    /// Relative to the lowest node of the block that it is looked at from.
    centre: Vec3,
    offset: f32,
    skin: Skin,
    piece: u32,
    particle: u32,
}

/// All soft matter of a frame on a lattice.
struct Coats {
    cells: Cells<Coat>,
    /// No field reaches further, cells.
    reach: f32,
}

/// The surfaces of all pieces of soft matter.
pub(crate) fn coats(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let coats = Coats::new(frame, options.cell_size);
    let sizes = coats.sizes();
    let mut blocks = coats.blocks();
    // By their order, pieces too small among them.
    blocks.retain(|block| sizes[&block.piece] >= options.least_particles);
    blocks.sort_by_key(|block| (block.piece, block.key));
    let mut mesh = SurfaceMesh::default();
    for piece in blocks.chunk_by(|a, b| a.piece == b.piece) {
        mesh.append(coats.surface(piece, frame, options));
    }
    mesh
}

/// A block that the field of a piece meets.
struct Met {
    piece: u32,
    key: BlockKey,
    /// The field over its level at the nodes; none where all are deep inside.
    values: Option<Box<[f32; SLOTS]>>,
}

impl Coats {
    /// Those at a finite place within the range of node numbers, on cells of some size, m.
    fn new(frame: &Frame, cell_size: f64) -> Self {
        let (pieces, offsets) = (frame.scalar(PIECE.name), frame.scalar(OFFSET.name));
        let at = |particle: usize| frame.positions[particle].as_dvec3() / cell_size;
        let coat = |particle: u32| {
            let index = particle as usize;
            let in_cells = |skin: Skin| Skin { reach: skin.reach / cell_size, ..skin };
            let piece = pieces.map_or(frame.sources[index] as f32, |pieces| pieces[index]) as u32;
            let skin = in_cells(skin(frame, index)?);
            let offset = offsets.map_or(0.0, |offsets| f64::from(offsets[index]) / cell_size);
            // None is as large as that but in a file that no bake wrote.
            let offset = if offset.abs() < skin.reach { offset as f32 } else { 0.0 };
            Some(Coat { centre: in_cube(at(index)).1, offset, skin, piece, particle })
        };
        let place = |particle: usize| {
            let counts = is_soft(frame, particle) && at(particle).abs().max_element() < INDEX_LIMIT;
            counts.then(|| (in_cube(at(particle)).0, particle as u32))
        };
        let entries: Vec<(Key, u32)> = (0..frame.len()).into_par_iter().filter_map(place).collect();
        let all: Vec<Coat> = entries.iter().filter_map(|&(_, particle)| coat(particle)).collect();
        let reach = all.iter().map(Coat::reach).fold(0.0, f32::max);
        let of: FxHashMap<u32, Coat> = all.into_iter().map(|coat| (coat.particle, coat)).collect();
        Self { cells: Cells::new(entries, |particle| of[&particle]), reach }
    }

    /// How many particles each piece has.
    fn sizes(&self) -> FxHashMap<u32, usize> {
        let mut sizes = FxHashMap::default();
        self.cells.items().iter().for_each(|coat| *sizes.entry(coat.piece).or_default() += 1);
        sizes
    }

    /// The blocks that fields meet, for each piece that is felt there.
    fn blocks(&self) -> Vec<Met> {
        let of_block = |&key: &BlockKey| {
            let near = self.near(key, 0.0, (EDGE - 1) as f32);
            let mut pieces: Vec<u32> = near.iter().map(|coat| coat.piece).collect();
            pieces.sort_unstable();
            pieces.dedup();
            let met = |piece: u32| {
                let values = Box::new(values(&near, piece));
                let is_deep = values.iter().all(|&value| value >= DEEP);
                Met { piece, key, values: (!is_deep).then_some(values) }
            };
            pieces.into_iter().map(met).collect::<Vec<_>>()
        };
        self.cells.blocks(self.reach).par_iter().flat_map_iter(of_block).collect()
    }

    /// The surface of a piece, given all blocks that it is felt in.
    fn surface(&self, blocks: &[Met], frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
        let piece = blocks[0].piece;
        let is_own = |coat: &Coat| coat.piece == piece;
        let (keys, values) = blocks.iter().filter_map(|block| Some((block.key, **block.values.as_ref()?))).unzip();
        let deep = blocks.iter().filter(|block| block.values.is_none()).map(|block| block.key);
        let nodes = Nodes::with_values(keys, values, deep);
        let carried = Carried::new(frame);
        let felt = |key: BlockKey| {
            let near = self.near(key, 0.0, EDGE as f32);
            let beyond = (AROUND - 1.0) * self.reach;
            let around = self.near(key, -beyond, EDGE as f32 + beyond).into_iter().filter(is_own).collect();
            FeltCoats { frame, carried: &carried, near, around, piece }
        };
        extract_felt((frame, &nodes), felt, options)
    }

    /// Those whose fields meet the box from `low` to `high` (cells, on all axes) of a block, as seen from it, in the order of their numbers.
    fn near(&self, key: BlockKey, low: f32, high: f32) -> Vec<Coat> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut near = vec![];
        for (offset, coats) in self.cells.near(key, self.reach + beyond) {
            let seen = coats.iter().map(|coat| Coat { centre: coat.centre + offset, ..*coat });
            near.extend(seen.filter(|coat| {
                let reach = coat.reach();
                (coat.centre.clamp(low, high) - coat.centre).length_squared() <= reach * reach
            }));
        }
        near.sort_unstable_by_key(|coat| coat.particle);
        near
    }
}

impl Coat {
    fn reach(&self) -> f32 {
        self.skin.reach as f32 + self.offset.max(0.0)
    }

    /// Its field at a point over the isovalue, and the gradient of that, 1/cell.
    fn felt(&self, point: Vec3) -> (f32, Vec3) {
        let way = (point - self.centre).as_dvec3();
        let distance = way.length();
        let r = distance - f64::from(self.offset);
        let (value, slope) = (self.skin.value(r), self.skin.slope(r));
        let gradient = if distance > 0.0 { way * (slope / distance) } else { DVec3::ZERO };
        ((value / self.skin.isovalue) as f32, (gradient / self.skin.isovalue).as_vec3())
    }
}

/// What is felt of a piece at a point, over its level.
fn level(near: &[Coat], piece: u32, point: Vec3) -> Level {
    let mut own = (0.0, Vec3::ZERO);
    // Few pieces meet at a point.
    let mut others: Vec<(u32, f32, Vec3)> = Vec::new();
    for coat in near {
        let (value, gradient) = coat.felt(point);
        if value <= 0.0 {
            continue;
        }
        if coat.piece == piece {
            own = (own.0 + value, own.1 + gradient);
        } else if let Some((_, sum, slope)) = others.iter_mut().find(|(other, ..)| *other == coat.piece) {
            (*sum, *slope) = (*sum + value, *slope + gradient);
        } else {
            others.push((coat.piece, value, gradient));
        }
    }
    let most = others.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    match most {
        Some((_, other, slope)) if 1.0 + own.0 - other < own.0 => {
            Level { value: (1.0 + own.0 - other).max(0.0), gradient: own.1 - slope }
        }
        _ => Level { value: own.0, gradient: own.1 },
    }
}

/// The same at the nodes of a block.
fn values(near: &[Coat], piece: u32) -> [f32; SLOTS] {
    std::array::from_fn(|slot| level(near, piece, node_point(slot)).value)
}

/// The field of a piece near a block.
struct FeltCoats<'a> {
    frame: &'a Frame,
    carried: &'a Carried<'a>,
    near: Vec<Coat>,
    /// Its own, as far as they count for its [crowd](Self::crowd).
    around: Vec<Coat>,
    piece: u32,
}

impl FeltCoats<'_> {
    /// How much a point of the skin is among others: 0 on one that is alone or in a strand, 1 on a body.
    fn crowd(&self, point: Vec3) -> f32 {
        let weight = |coat: &Coat| {
            let far = AROUND * coat.reach();
            (1.0 - coat.centre.distance_squared(point) / (far * far)).max(0.0)
        };
        let crowd = (self.around.iter().map(weight).sum::<f32>() - STRAND) / (BODY - STRAND);
        crowd.clamp(0.0, 1.0)
    }

    /// Whether another piece is felt as much as its own at a point.
    fn touches(&self, point: Vec3) -> bool {
        let own = self.near.iter().filter(|coat| coat.piece == self.piece);
        own.map(|coat| coat.felt(point).0).sum::<f32>() > level(&self.near, self.piece, point).value + TOUCHING
    }
}

impl Felt for FeltCoats<'_> {
    type Parts = ();

    fn level(&self, point: Vec3, (): &mut ()) -> Level {
        level(&self.near, self.piece, point)
    }

    fn carry(&self, point: Vec3, _: Level, (): &mut (), rows: &mut Vec<f32>) -> Owner {
        let own = || self.near.iter().filter(|coat| coat.piece == self.piece);
        let start = rows.len();
        rows.resize(start + self.carried.width, 0.0);
        let mut row = vec![0.0; self.carried.width];
        let (mut sum, mut best) = (0.0, (f32::NEG_INFINITY, 0));
        for coat in own() {
            let (value, _) = coat.felt(point);
            // Of what is not felt the nearest counts.
            let rank = if value > 0.0 { value } else { -coat.centre.distance_squared(point) };
            if rank > best.0 {
                best = (rank, coat.particle);
            }
            if value > 0.0 {
                self.carried.write_row(coat.particle, &mut row);
                sum += value;
                rows[start..].iter_mut().zip(&row).for_each(|(sum, carried)| *sum += value * carried);
            }
        }
        if sum > 0.0 {
            rows[start..].iter_mut().for_each(|value| *value /= sum);
        } else {
            self.carried.write_row(best.1, &mut rows[start..]);
        }
        let held = self.touches(point);
        let crowd = if held { 0.0 } else { self.crowd(point) };
        Owner { source: self.frame.sources[best.1 as usize], component: 0, crowd, held }
    }
}
