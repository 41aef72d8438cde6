//! The skins of soft matter (Desbrun and Gascuel 1995).
//!
//! | symbol | meaning |
//! |---|---|
//! | `f_g` | field of a piece g: sum of h(d - epsilon) / s over its particles and over fused particles of its lump |
//! | s | isovalue |
//! | f | field of a lump: the largest over its pieces, DG95 section 5.2 |
//! | `f_o` | the largest field of another lump |
//! | D | signed distance of a point from the [walls](dollop_sim::frame::wall) that the lump lies on |
//!
//! The surface of a lump is where `min(f, 1 + f - f_o, 1 + D / c)` is 1, for some length c. Usually that is where its
//! own field is 1. Where another lump's field is as large, both end at f = `f_o`: DG95's exact contact surface (section
//! 2.1, with the deformation terms s - f). Two lumps touch without a gap and without an overlap, and never blend. A
//! particle near a wall has a mirror image behind it, so skins extend up to walls, where they are cut off.

mod evaluate;
mod fragments;

use crate::carried::Carried;
use crate::field::{FieldSample, LocalField, Nodes, VertexProperties};
use crate::mesh::extract::extract_local_field;

use crate::lattice::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS, origin};
use crate::lattice::buckets::CubeKey;
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::grid::VoxelBlock;
use crate::lattice::mask::BlockMask;
use crate::mesh::SurfaceMesh;
use crate::options::SurfaceOptions;
use dollop_sim::Frame;
use dollop_sim::field::{FUSED, LUMP, OFFSET, PIECE, WALL};
use dollop_sim::frame::Skin;
use dollop_sim::frame::wall::WallPlane;
use evaluate::{SkinEvaluator, SkinParticle, values};
use fragments::remove_fragments;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Radius of the crowding of a point of the skin, in reaches of the particles, and sums of weights on a strand and at a
/// corner of a body.
const CROWDING_RADIUS: f32 = 3.0;
const STRAND_WEIGHT: f32 = 5.0;
const BODY_WEIGHT: f32 = 8.0;

/// A block is inside if the field over its level is at least this at all nodes.
const INSIDE_VALUE: f32 = 1.5;

/// Tolerance on the margin over another lump at a vertex: less than a thousandth of a spacing.
const MARGIN_TOLERANCE: f32 = 1e-3;

/// Target margin over another lump at vertices that do not touch it, if the skin is that far away: triangles between
/// vertices cut corners off.
const TARGET_MARGIN: f32 = 0.05;

/// Largest number of steps out of another lump, and the longest step, cells.
const MAX_STEPS: usize = 12;
const MAX_STEP: f32 = 0.5;

/// Walls beyond this distance, in reaches, do not clip skins.
const MAX_WALL_DISTANCE: f64 = 1.5;

/// Whether a particle is soft matter.
pub(crate) fn is_soft(frame: &Frame, particle: usize) -> bool {
    skin(frame, particle).is_some()
}

fn skin(frame: &Frame, particle: usize) -> Option<Skin> {
    *frame.skins.get(frame.sources[particle] as usize)?
}

/// The particles of soft matter of a frame on a lattice, and their mirror images.
struct SkinParticles {
    cells: CubeGrid<SkinParticle>,
    /// Largest reach of a particle, cells.
    reach: f32,
}

/// The surfaces of all lumps of soft matter.
pub(crate) fn skin_mesh(frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
    let particles = SkinParticles::new(frame, options.cell_size);
    let sizes = particles.sizes();
    let mut blocks = particles.blocks(|values| values.iter().any(|&value| value < INSIDE_VALUE));
    // Removes small lumps, then sorts by lump.
    blocks.retain(|block| sizes[&block.lump] >= options.least_particles);
    blocks.sort_by_key(|block| (block.lump, block.key));
    let lumps: Vec<&[LumpBlock]> = blocks.chunk_by(|a, b| a.lump == b.lump).collect();
    let meshes: Vec<SurfaceMesh> =
        lumps.par_iter().map(|lump| particles.surface(lump, sizes[&lump[0].lump], frame, options)).collect();
    let mut mesh = SurfaceMesh::default();
    for lump in meshes {
        mesh.append(lump);
    }
    mesh
}

/// The fields of all lumps over their levels, on the blocks that they reach; one after another where several lumps
/// share a block.
pub(crate) fn skin_field(frame: &Frame, options: &SurfaceOptions) -> Vec<VoxelBlock<f32>> {
    let particles = SkinParticles::new(frame, options.cell_size);
    let block = |LumpBlock { key, values, .. }: LumpBlock| {
        Some(VoxelBlock { origin: origin(key), active: BlockMask::FULL.0, values: values? })
    };
    particles.blocks(|_| true).into_iter().filter_map(block).collect()
}

/// A block that the field of a lump reaches.
struct LumpBlock {
    lump: u32,
    key: BlockKey,
    /// The field over its level at the nodes; none if it is not wanted.
    values: Option<Box<[f32; SLOTS]>>,
}

/// The columns of a frame that describe soft matter.
struct SkinColumns<'a> {
    frame: &'a Frame,
    pieces: Option<&'a [f32]>,
    lumps: Option<&'a [f32]>,
    fused: Option<&'a [f32]>,
    offsets: Option<&'a [f32]>,
    walls: Option<&'a [Vec3]>,
    /// m.
    cell_size: f64,
}

impl<'a> SkinColumns<'a> {
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

    /// Position of a particle, cells.
    fn position(&self, particle: usize) -> DVec3 {
        self.frame.positions[particle].as_dvec3() / self.cell_size
    }

    /// A particle of soft matter, relative to its cube.
    fn skin_particle(&self, particle: u32) -> Option<SkinParticle> {
        let index = particle as usize;
        let skin = skin(self.frame, index)?;
        let skin = Skin { reach: skin.reach / self.cell_size, ..skin };
        let of = |column: Option<&[f32]>| column.map(|column| column[index]);
        let piece = of(self.pieces).unwrap_or(self.frame.sources[index] as f32);
        let offset = f64::from(of(self.offsets).unwrap_or(0.0)) / self.cell_size;
        // Only a file from another program can hold larger offsets.
        let offset = if offset.abs() < skin.reach { offset as f32 } else { 0.0 };
        Some(SkinParticle {
            centre: in_cube(self.position(index)).1,
            offset,
            skin,
            lump: of(self.lumps).unwrap_or(piece) as u32,
            piece: piece as u32,
            fused: of(self.fused).is_some_and(|fused| fused > 0.5),
            wall: self.to_wall(index, &skin).map(WallPlane::beside),
            image: None,
            number: particle,
        })
    }

    /// Vector from a particle to the wall next to it, cells; none if there is no wall near.
    fn to_wall(&self, particle: usize, skin: &Skin) -> Option<DVec3> {
        let to_wall = self.walls?[particle].as_dvec3() / self.cell_size;
        (to_wall != DVec3::ZERO && to_wall.length() < MAX_WALL_DISTANCE * skin.reach).then_some(to_wall)
    }

    /// The mirror image of a particle behind its wall, relative to its own cube, and that cube.
    fn image(&self, particle: u32) -> Option<(CubeKey, SkinParticle)> {
        let own = self.skin_particle(particle)?;
        let to_wall = self.to_wall(particle as usize, &own.skin)?;
        let share = own.skin.image(to_wall.length()) as f32;
        let (cube, centre) = in_cube(self.position(particle as usize) + 2.0 * to_wall);
        let wall = own.wall.map(WallPlane::behind);
        (share > 0.0).then_some((cube, SkinParticle { centre, wall, image: Some(share), ..own }))
    }
}

impl SkinParticles {
    /// The particles with a finite position within the range of node numbers, on cells of `cell_size`, m.
    fn new(frame: &Frame, cell_size: f64) -> Self {
        let columns = SkinColumns::new(frame, cell_size);
        let counts = |&particle: &u32| {
            let index = particle as usize;
            is_soft(frame, index) && columns.position(index).abs().max_element() < INDEX_LIMIT
        };
        let particles: Vec<u32> = (0..frame.len() as u32).into_par_iter().filter(counts).collect();
        let own =
            |&particle: &u32| Some((in_cube(columns.position(particle as usize)).0, columns.skin_particle(particle)?));
        let all: Vec<(CubeKey, SkinParticle)> = particles.iter().filter_map(own).collect();
        let images: Vec<(CubeKey, SkinParticle)> =
            particles.iter().filter_map(|&particle| columns.image(particle)).collect();
        let all: Vec<(CubeKey, SkinParticle)> = all.into_iter().chain(images).collect();
        let reach = all.iter().map(|(_, particle)| particle.reach()).fold(0.0, f32::max);
        // Images come after all particles.
        let entries = all.iter().zip(0_u32..).map(|((cube, _), index)| (*cube, index)).collect();
        Self { cells: CubeGrid::new(entries, |index| all[index as usize].1), reach }
    }

    /// Number of particles of each lump.
    fn sizes(&self) -> FxHashMap<u32, usize> {
        let mut sizes = FxHashMap::default();
        let particles = self.cells.items().iter().filter(|particle| particle.image.is_none());
        particles.for_each(|particle| *sizes.entry(particle.lump).or_default() += 1);
        sizes
    }

    /// For each lump, the blocks that its field reaches, with the values that `is_wanted` accepts.
    fn blocks(&self, is_wanted: impl Fn(&[f32; SLOTS]) -> bool + Sync) -> Vec<LumpBlock> {
        let of_block = |&key: &BlockKey| {
            let near = self.near(key, 0.0, (EDGE - 1) as f32);
            let lump_block = |(lump, values): (u32, Box<[f32; SLOTS]>)| {
                let values = is_wanted(&values).then_some(values);
                LumpBlock { lump, key, values }
            };
            values(&near).into_iter().map(lump_block).collect::<Vec<_>>()
        };
        self.cells.blocks(self.reach).par_iter().flat_map_iter(of_block).collect()
    }

    /// The surface of a lump, from all blocks that its field reaches and its number of particles.
    fn surface(&self, blocks: &[LumpBlock], size: usize, frame: &Frame, options: &SurfaceOptions) -> SurfaceMesh {
        let lump = blocks[0].lump;
        let is_own = |particle: &SkinParticle| particle.lump == lump && particle.image.is_none();
        let (keys, values) = blocks.iter().filter_map(|block| Some((block.key, **block.values.as_ref()?))).unzip();
        let inside = blocks.iter().filter(|block| block.values.is_none()).map(|block| block.key);
        let nodes = Nodes::new(keys, values, inside);
        let carried = Carried::new(frame);
        let field = |key: BlockKey| {
            let near = self.near(key, 0.0, EDGE as f32);
            let beyond = (CROWDING_RADIUS - 1.0) * self.reach;
            let around = self.near(key, -beyond, EDGE as f32 + beyond).into_iter().filter(is_own).collect();
            SkinField { frame, carried: &carried, near, around, lump }
        };
        // Triangles cut much off a ball of few cells.
        let lone = || self.near(blocks[0].key, 0.0, EDGE as f32).into_iter().find(is_own)?.lone_volume();
        let volume = (size == 1).then(lone).flatten().map(|volume| volume * options.cell_size.powi(3));
        let separate = |positions: &mut [Vec3], fixed: &[f32]| self.separate(lump, positions, fixed, options.cell_size);
        let mut mesh = extract_local_field(frame, &nodes, field, separate, volume, options);
        remove_fragments(&mut mesh, frame.spacing.powi(3));
        mesh
    }

    /// Moves vertices of the surface of a lump, m, out of other lumps, as far as they are not fixed. Returns the
    /// vertices that it moved.
    fn separate(&self, lump: u32, positions: &mut [Vec3], fixed: &[f32], cell_size: f64) -> Vec<u32> {
        let to_cells = |position: Vec3| position.as_dvec3() / cell_size;
        let key = |&vertex: &u32| {
            let cell = to_cells(positions[vertex as usize]).floor().as_ivec3();
            cell.to_array().map(|c| c.div_euclid(EDGE))
        };
        let mut vertices: Vec<(BlockKey, u32)> =
            (0..positions.len() as u32).map(|vertex| (key(&vertex), vertex)).collect();
        vertices.par_sort_unstable();
        let blocks: Vec<&[(BlockKey, u32)]> = vertices.chunk_by(|a, b| a.0 == b.0).collect();
        let of_block = |block: &&[(BlockKey, u32)]| {
            let near = self.near(block[0].0, -1.0, EDGE as f32 + 1.0);
            let lowest = DVec3::from_array(origin(block[0].0).map(f64::from));
            let mut evaluator = SkinEvaluator::default();
            let mut separate_vertex = |&(_, vertex): &(BlockKey, u32)| {
                let point = (to_cells(positions[vertex as usize]) - lowest).as_vec3();
                let margin = (1.0 - fixed[vertex as usize]).min(TARGET_MARGIN);
                let point = separated_point(&near, lump, point, margin, &mut evaluator)?;
                Some((vertex, ((lowest + point.as_dvec3()) * cell_size).as_vec3()))
            };
            let has_others = near.iter().any(|particle| particle.lump != lump);
            if has_others { block.iter().filter_map(&mut separate_vertex).collect() } else { vec![] }
        };
        let moved: Vec<(u32, Vec3)> = blocks.par_iter().flat_map_iter(of_block).collect();
        for &(vertex, position) in &moved {
            positions[vertex as usize] = position;
        }
        moved.into_iter().map(|(vertex, _)| vertex).collect()
    }

    /// The particles whose fields reach the box from `low` to `high` (cells, on all axes) of a block, relative to the
    /// block, sorted by number.
    fn near(&self, key: BlockKey, low: f32, high: f32) -> Vec<SkinParticle> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut near = vec![];
        for (offset, particles) in self.cells.near(key, self.reach + beyond) {
            let in_block =
                particles.iter().map(|particle| SkinParticle { centre: particle.centre + offset, ..*particle });
            near.extend(in_block.filter(|particle| {
                let reach = particle.reach();
                (particle.centre.clamp(low, high) - particle.centre).length_squared() <= reach * reach
            }));
        }
        near.sort_unstable_by_key(|particle| (particle.number, particle.image.is_some()));
        near
    }
}

/// Moves a point along the gradient until the field of its lump exceeds that of any other by `margin`. None if it
/// already does.
fn separated_point(
    near: &[SkinParticle],
    lump: u32,
    mut point: Vec3,
    margin: f32,
    evaluator: &mut SkinEvaluator,
) -> Option<Vec3> {
    for step in 0..MAX_STEPS {
        evaluator.sample_with_margin(near, lump, point);
        let FieldSample { value, gradient } =
            FieldSample { value: evaluator.margin.value - margin, ..evaluator.margin };
        let correction = gradient * (-value / gradient.length_squared());
        if value >= -MARGIN_TOLERANCE || !correction.is_finite() {
            return (step > 0).then_some(point);
        }
        point += correction.clamp_length_max(MAX_STEP);
    }
    Some(point)
}

/// The field of a lump near a block.
struct SkinField<'a> {
    frame: &'a Frame,
    carried: &'a Carried<'a>,
    near: Vec<SkinParticle>,
    /// Its own particles near enough to count for its [crowding](Self::crowding).
    around: Vec<SkinParticle>,
    lump: u32,
}

impl SkinField<'_> {
    /// Crowding of a point of the skin: 0 on an isolated particle or a strand, 1 on a body.
    fn crowding(&self, point: Vec3) -> f32 {
        let weight = |particle: &SkinParticle| {
            let far = CROWDING_RADIUS * particle.reach();
            (1.0 - particle.centre.distance_squared(point) / (far * far)).max(0.0)
        };
        let crowding = (self.around.iter().map(weight).sum::<f32>() - STRAND_WEIGHT) / (BODY_WEIGHT - STRAND_WEIGHT);
        crowding.clamp(0.0, 1.0)
    }

    /// Appends the mean row of the particles that form the field at a point. Returns the particle with the largest
    /// contribution.
    fn write_mean_row(&self, point: Vec3, piece: u32, rows: &mut Vec<f32>) -> u32 {
        let blends = |particle: &&SkinParticle| {
            particle.lump == self.lump && (particle.fused || particle.piece == piece || piece == u32::MAX)
        };
        let start = rows.len();
        rows.resize(start + self.carried.width, 0.0);
        let mut row = vec![0.0; self.carried.width];
        let (mut sum, mut strongest) = (0.0, (f32::NEG_INFINITY, 0));
        for particle in self.near.iter().filter(blends) {
            let value = particle.value(point);
            // If no field reaches the point, the closest particle counts.
            let rank = if value > 0.0 { value } else { -particle.centre.distance_squared(point) };
            if rank > strongest.0 {
                strongest = (rank, particle.number);
            }
            if value > 0.0 {
                self.carried.write_row(particle.number, &mut row);
                sum += value;
                rows[start..].iter_mut().zip(&row).for_each(|(sum, carried)| *sum += value * carried);
            }
        }
        if sum > 0.0 {
            rows[start..].iter_mut().for_each(|value| *value /= sum);
        } else {
            self.carried.write_row(strongest.1, &mut rows[start..]);
        }
        strongest.1
    }
}

impl LocalField for SkinField<'_> {
    type Scratch = SkinEvaluator;

    fn sample(&self, point: Vec3, evaluator: &mut SkinEvaluator) -> FieldSample {
        evaluator.sample(&self.near, self.lump, point)
    }

    fn carry(
        &self,
        point: Vec3,
        _: FieldSample,
        evaluator: &mut SkinEvaluator,
        rows: &mut Vec<f32>,
    ) -> VertexProperties {
        evaluator.sample(&self.near, self.lump, point);
        let strongest = self.write_mean_row(point, evaluator.piece, rows);
        // Vertices that touch another lump stay, and vertices near one almost stay. Vertices on a wall slide along it,
        // and may rise at the rim.
        let free = evaluator.margin.value.clamp(0.0, 1.0);
        let crowding = if free > 0.0 { free * self.crowding(point) } else { 0.0 };
        let fixed = if evaluator.at_wall { 1.0 } else { 1.0 - free };
        VertexProperties {
            source: self.frame.sources[strongest as usize],
            component: 0,
            crowding,
            fixed,
            wall: evaluator.wall,
        }
    }
}
