//! The skins of soft matter (Desbrun and Gascuel 1995).
//!
//! | symbol | meaning |
//! |---|---|
//! | `f_g` | field of a piece g: the sum of h(d - epsilon) / s over its particles, and over those of other pieces of its lump that have fused |
//! | s | isovalue |
//! | f | field of a lump: the largest of its pieces, DG95 section 5.2 |
//! | `f_o` | the largest field of another lump |
//! | D | how far a point is in front of the [walls](dollop_sim::frame::wall) that the lump lies on |
//!
//! The surface of a lump is where `min(f, 1 + f - f_o, 1 + D / c)` is 1, for some length c: where its own field is that, but where
//! another lump is felt as much, both end where f = `f_o`, which is DG95's exact contact surface (section 2.1, with the deformation terms s - f): they
//! touch without a gap and without an overlap, and never blend. A particle near a wall has a mirror image behind it, so skins go as far as walls, and are cut off
//! there.

mod felt;
mod scraps;

use crate::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS, origin};
use crate::buckets::Key;
use crate::cells::{Cells, in_cube};
use crate::extract::carried::Carried;
use crate::extract::{self, Nodes, Owner, extract_felt};
use crate::implicit::near::Level;
use crate::mask::BlockMask;
use crate::mesh::SurfaceMesh;
use crate::options::SurfaceOptions;
use crate::volume::Block;
use dollop_sim::Frame;
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::Skin;
use dollop_sim::frame::wall::Plane;
use felt::{Coat, Felt, values};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use scraps::take_scraps;

/// Those within some reaches of a point of the skin, each by how near it is, of a strand and of a corner of a body.
const AROUND: f32 = 3.0;
const STRAND: f32 = 5.0;
const BODY: f32 = 8.0;

/// From so much of the field over its level on at all of its nodes a block is inside.
const DEEP: f32 = 1.5;

/// By how much another lump may be felt more than its own at a vertex, of the level: less than a thousandth of a spacing.
const SLACK: f32 = 1e-3;

/// How much more its own is to be felt than another lump at vertices that do not touch that, if the skin is so far away: triangles between them cut it off.
const MARGIN: f32 = 0.05;

/// The most steps from another lump back to where it begins, and the longest, cells.
const MOST_STEPS: usize = 12;
const LONGEST_STEP: f32 = 0.5;

/// Walls farther away than so many reaches cut no skin off.
const FARTHEST_WALL: f64 = 1.5;

/// Whether a particle is of soft matter.
pub(crate) fn is_soft(frame: &Frame, particle: usize) -> bool {
    skin(frame, particle).is_some()
}

fn skin(frame: &Frame, particle: usize) -> Option<Skin> {
    *frame.skins.get(frame.sources[particle] as usize)?
}

/// All soft matter of a frame on a lattice.
struct Coats {
    cells: Cells<Coat>,
    /// No field reaches further, cells.
    reach: f32,
}

/// The surfaces of all lumps of soft matter.
pub(crate) fn coats(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let coats = Coats::new(frame, options.cell_size);
    let sizes = coats.sizes();
    let mut blocks = coats.blocks(|values| values.iter().any(|&value| value < DEEP));
    // By their order, lumps too small among them.
    blocks.retain(|block| sizes[&block.lump] >= options.least_particles);
    blocks.sort_by_key(|block| (block.lump, block.key));
    let lumps: Vec<&[Met]> = blocks.chunk_by(|a, b| a.lump == b.lump).collect();
    let meshes: Vec<SurfaceMesh> =
        lumps.par_iter().map(|lump| coats.surface((lump, sizes[&lump[0].lump]), frame, options)).collect();
    let mut mesh = SurfaceMesh::default();
    for lump in meshes {
        mesh.append(lump);
    }
    mesh
}

/// The fields of all lumps over their levels, where they are felt; where several are, the one after the other.
pub(crate) fn skins(frame: &Frame, options: &SurfaceOptions) -> Vec<Block<f32>> {
    let coats = Coats::new(frame, options.cell_size);
    let block =
        |Met { key, values, .. }: Met| Some(Block { origin: origin(key), active: BlockMask::FULL.0, values: values? });
    coats.blocks(|_| true).into_iter().filter_map(block).collect()
}

/// A block that the field of a lump meets.
struct Met {
    lump: u32,
    key: BlockKey,
    /// The field over its level at the nodes; none where it is not wanted.
    values: Option<Box<[f32; SLOTS]>>,
}

/// The columns of a frame that tell of its soft matter.
struct Columns<'a> {
    frame: &'a Frame,
    pieces: Option<&'a [f32]>,
    lumps: Option<&'a [f32]>,
    fused: Option<&'a [f32]>,
    offsets: Option<&'a [f32]>,
    walls: Option<&'a [Vec3]>,
    /// m.
    cell_size: f64,
}

impl<'a> Columns<'a> {
    fn new(frame: &'a Frame, cell_size: f64) -> Self {
        Self {
            frame,
            pieces: frame.scalar(PIECE.name),
            lumps: frame.scalar(LUMP.name),
            fused: frame.scalar(FUSED.name),
            offsets: frame.scalar(OFFSET.name),
            walls: frame.vector(WALL.name),
            cell_size,
        }
    }

    /// Where a particle is, cells.
    fn place(&self, particle: usize) -> DVec3 {
        self.frame.positions[particle].as_dvec3() / self.cell_size
    }

    /// A soft particle, as seen from its cube.
    fn coat(&self, particle: u32) -> Option<Coat> {
        let index = particle as usize;
        let skin = skin(self.frame, index)?;
        let skin = Skin { reach: skin.reach / self.cell_size, ..skin };
        let of = |column: Option<&[f32]>| column.map(|column| column[index]);
        let piece = of(self.pieces).unwrap_or(self.frame.sources[index] as f32);
        let offset = f64::from(of(self.offsets).unwrap_or(0.0)) / self.cell_size;
        // None is as large as that but in a file that no bake wrote.
        let offset = if offset.abs() < skin.reach { offset as f32 } else { 0.0 };
        Some(Coat {
            centre: in_cube(self.place(index)).1,
            offset,
            skin,
            lump: of(self.lumps).unwrap_or(piece) as u32,
            piece: piece as u32,
            fused: of(self.fused).is_some_and(|fused| fused > 0.5),
            wall: self.way(index, &skin).map(Plane::beside),
            image: None,
            particle,
        })
    }

    /// The way to the wall beside a particle, cells.
    fn way(&self, particle: usize, skin: &Skin) -> Option<DVec3> {
        let way = self.walls?[particle].as_dvec3() / self.cell_size;
        (way != DVec3::ZERO && way.length() < FARTHEST_WALL * skin.reach).then_some(way)
    }

    /// The image of a particle, as seen from its own cube, and that cube.
    fn image(&self, particle: u32) -> Option<(Key, Coat)> {
        let coat = self.coat(particle)?;
        let way = self.way(particle as usize, &coat.skin)?;
        let share = coat.skin.image(way.length()) as f32;
        let (cube, centre) = in_cube(self.place(particle as usize) + 2.0 * way);
        let wall = coat.wall.map(Plane::behind);
        (share > 0.0).then_some((cube, Coat { centre, wall, image: Some(share), ..coat }))
    }
}

impl Coats {
    /// Those at a finite place within the range of node numbers, on cells of some size, m.
    fn new(frame: &Frame, cell_size: f64) -> Self {
        let columns = Columns::new(frame, cell_size);
        let counts = |&particle: &u32| {
            let index = particle as usize;
            is_soft(frame, index) && columns.place(index).abs().max_element() < INDEX_LIMIT
        };
        let particles: Vec<u32> = (0..frame.len() as u32).into_par_iter().filter(counts).collect();
        let own = |&particle: &u32| Some((in_cube(columns.place(particle as usize)).0, columns.coat(particle)?));
        let all: Vec<(Key, Coat)> = particles.iter().filter_map(own).collect();
        let images: Vec<(Key, Coat)> = particles.iter().filter_map(|&particle| columns.image(particle)).collect();
        let all: Vec<(Key, Coat)> = all.into_iter().chain(images).collect();
        let reach = all.iter().map(|(_, coat)| coat.reach()).fold(0.0, f32::max);
        // Images after all particles.
        let entries = all.iter().zip(0_u32..).map(|((cube, _), place)| (*cube, place)).collect();
        Self { cells: Cells::new(entries, |place| all[place as usize].1), reach }
    }

    /// How many particles each lump has.
    fn sizes(&self) -> FxHashMap<u32, usize> {
        let mut sizes = FxHashMap::default();
        let particles = self.cells.items().iter().filter(|coat| coat.image.is_none());
        particles.for_each(|coat| *sizes.entry(coat.lump).or_default() += 1);
        sizes
    }

    /// The blocks that fields meet, for each lump that is felt there, with those values that are wanted.
    fn blocks(&self, is_wanted: impl Fn(&[f32; SLOTS]) -> bool + Sync) -> Vec<Met> {
        let of_block = |&key: &BlockKey| {
            let near = self.near(key, 0.0, (EDGE - 1) as f32);
            let met = |(lump, values): (u32, Box<[f32; SLOTS]>)| {
                let values = is_wanted(&values).then_some(values);
                Met { lump, key, values }
            };
            values(&near).into_iter().map(met).collect::<Vec<_>>()
        };
        self.cells.blocks(self.reach).par_iter().flat_map_iter(of_block).collect()
    }

    /// The surface of a lump, given all blocks that it is felt in, and how many particles it has.
    fn surface(&self, (blocks, size): (&[Met], usize), frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
        let lump = blocks[0].lump;
        let is_own = |coat: &Coat| coat.lump == lump && coat.image.is_none();
        let (keys, values) = blocks.iter().filter_map(|block| Some((block.key, **block.values.as_ref()?))).unzip();
        let deep = blocks.iter().filter(|block| block.values.is_none()).map(|block| block.key);
        let nodes = Nodes::with_values(keys, values, deep);
        let carried = Carried::new(frame);
        let felt = |key: BlockKey| {
            let near = self.near(key, 0.0, EDGE as f32);
            let beyond = (AROUND - 1.0) * self.reach;
            let around = self.near(key, -beyond, EDGE as f32 + beyond).into_iter().filter(is_own).collect();
            FeltCoats { frame, carried: &carried, near, around, lump }
        };
        // Of a ball of few cells triangles cut much off.
        let lone = || self.near(blocks[0].key, 0.0, EDGE as f32).into_iter().find(is_own)?.ball();
        let volume = (size == 1).then(lone).flatten().map(|volume| volume * options.cell_size.powi(3));
        let part = |positions: &mut [Vec3], held: &[f32]| self.part(lump, positions, held, options.cell_size);
        let mut mesh = extract_felt((frame, &nodes), felt, part, volume, options);
        take_scraps(&mut mesh, frame.spacing.powi(3));
        mesh
    }

    /// Moves points of the surface of a lump, m, that are in another lump back to where that begins, or nearly, by how far they are held, and tells which.
    fn part(&self, lump: u32, positions: &mut [Vec3], held: &[f32], cell_size: f64) -> Vec<u32> {
        let place = |position: Vec3| position.as_dvec3() / cell_size;
        let key = |&vertex: &u32| {
            let cell = place(positions[vertex as usize]).floor().as_ivec3();
            cell.to_array().map(|c| c.div_euclid(EDGE))
        };
        let mut vertices: Vec<(BlockKey, u32)> =
            (0..positions.len() as u32).map(|vertex| (key(&vertex), vertex)).collect();
        vertices.par_sort_unstable();
        let blocks: Vec<&[(BlockKey, u32)]> = vertices.chunk_by(|a, b| a.0 == b.0).collect();
        let of_block = |block: &&[(BlockKey, u32)]| {
            let near = self.near(block[0].0, -1.0, EDGE as f32 + 1.0);
            let lowest = DVec3::from_array(origin(block[0].0).map(f64::from));
            let mut felt = Felt::default();
            let mut apart = |&(_, vertex): &(BlockKey, u32)| {
                let point = (place(positions[vertex as usize]) - lowest).as_vec3();
                let lead = (1.0 - held[vertex as usize]).min(MARGIN);
                let point = apart(&near, lump, (point, lead), &mut felt)?;
                Some((vertex, ((lowest + point.as_dvec3()) * cell_size).as_vec3()))
            };
            let has_others = near.iter().any(|coat| coat.lump != lump);
            if has_others { block.iter().filter_map(&mut apart).collect() } else { vec![] }
        };
        let moved: Vec<(u32, Vec3)> = blocks.par_iter().flat_map_iter(of_block).collect();
        for &(vertex, position) in &moved {
            positions[vertex as usize] = position;
        }
        moved.into_iter().map(|(vertex, _)| vertex).collect()
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
        near.sort_unstable_by_key(|coat| (coat.particle, coat.image.is_some()));
        near
    }
}

/// Where a lump is felt more than another by so much, from a point on where it is felt less, along the slope of that; none where it is felt so much.
fn apart(near: &[Coat], lump: u32, (mut point, lead): (Vec3, f32), felt: &mut Felt) -> Option<Vec3> {
    for step in 0..MOST_STEPS {
        felt.lead(near, lump, point);
        let Level { value, gradient } = Level { value: felt.lead.value - lead, ..felt.lead };
        let way = gradient * (-value / gradient.length_squared());
        if value >= -SLACK || !way.is_finite() {
            return (step > 0).then_some(point);
        }
        point += way.clamp_length_max(LONGEST_STEP);
    }
    Some(point)
}

/// The field of a lump near a block.
struct FeltCoats<'a> {
    frame: &'a Frame,
    carried: &'a Carried<'a>,
    near: Vec<Coat>,
    /// Its own particles, as far as they count for its [crowd](Self::crowd).
    around: Vec<Coat>,
    lump: u32,
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

    /// Appends the mean of what those carry that give a point its field, and tells who gives most.
    fn carry_mean(&self, point: Vec3, piece: u32, rows: &mut Vec<f32>) -> u32 {
        let blends = |coat: &&Coat| coat.lump == self.lump && (coat.fused || coat.piece == piece || piece == u32::MAX);
        let start = rows.len();
        rows.resize(start + self.carried.width, 0.0);
        let mut row = vec![0.0; self.carried.width];
        let (mut sum, mut best) = (0.0, (f32::NEG_INFINITY, 0));
        for coat in self.near.iter().filter(blends) {
            let value = coat.value(point);
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
        best.1
    }
}

impl extract::Felt for FeltCoats<'_> {
    type Parts = Felt;

    fn level(&self, point: Vec3, parts: &mut Felt) -> Level {
        parts.level(&self.near, self.lump, point)
    }

    fn carry(&self, point: Vec3, _: Level, parts: &mut Felt, rows: &mut Vec<f32>) -> Owner {
        parts.level(&self.near, self.lump, point);
        let most = self.carry_mean(point, parts.piece, rows);
        // What touches another lump stays there, and what is near one nearly; what lies on a wall goes along it, and up at the rim.
        let free = parts.lead.value.clamp(0.0, 1.0);
        let crowd = if free > 0.0 { free * self.crowd(point) } else { 0.0 };
        let held = if parts.walled { 1.0 } else { 1.0 - free };
        Owner { source: self.frame.sources[most as usize], component: 0, crowd, held, wall: parts.wall }
    }
}
