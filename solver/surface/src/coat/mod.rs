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
use dollop_sim::material::soft::Skin;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Those within some reaches of a point of the skin, each by how near it is, of a strand and of a corner of a body.
const AROUND: f32 = 3.0;
const STRAND: f32 = 5.0;
const BODY: f32 = 8.0;

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
    let mut mesh = SurfaceMesh::default();
    for (piece, size) in coats.pieces() {
        if size >= options.least_particles {
            mesh.append(coats.surface(piece, frame, options));
        }
    }
    mesh
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
            let offset = offsets.map_or(0.0, |offsets| (f64::from(offsets[index]) / cell_size) as f32);
            Some(Coat { centre: in_cube(at(index)).1, offset, skin: in_cells(skin(frame, index)?), piece, particle })
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

    /// The pieces, in order, and how many particles each has.
    fn pieces(&self) -> BTreeMap<u32, usize> {
        let mut pieces = BTreeMap::new();
        self.cells.items().iter().for_each(|coat| *pieces.entry(coat.piece).or_default() += 1);
        pieces
    }

    /// The surface of a piece.
    fn surface(&self, piece: u32, frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
        let is_own = |coat: &Coat| coat.piece == piece;
        let block = |&key: &BlockKey| {
            let near = self.near(key, 0.0, (EDGE - 1) as f32);
            near.iter().any(is_own).then(|| (key, values(&near, piece)))
        };
        let blocks: Vec<(BlockKey, [f32; SLOTS])> =
            self.cells.blocks(self.reach).par_iter().filter_map(block).collect();
        let (keys, values) = blocks.into_iter().unzip();
        let nodes = Nodes::with_values(keys, values, std::iter::empty());
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
    /// How much a point of the skin is among others: 0 on one that is alone or in a strand, 1 on a body; 0 where another piece is felt as much, too, as
    /// that surface has to stay where it is.
    fn crowd(&self, point: Vec3) -> f32 {
        let weight = |coat: &Coat| {
            let far = AROUND * coat.reach();
            (1.0 - coat.centre.distance_squared(point) / (far * far)).max(0.0)
        };
        let own: f32 = self.near.iter().filter(|coat| coat.piece == self.piece).map(|coat| coat.felt(point).0).sum();
        let crowd = (self.around.iter().map(weight).sum::<f32>() - STRAND) / (BODY - STRAND);
        if own > level(&self.near, self.piece, point).value + TOUCHING { 0.0 } else { crowd.clamp(0.0, 1.0) }
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
        let crowd = self.crowd(point);
        Owner { source: self.frame.sources[best.1 as usize], component: 0, crowd }
    }
}
