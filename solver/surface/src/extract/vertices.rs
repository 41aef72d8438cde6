//! Where the vertices lie, and what the matter is like there.

use super::carried::Carried;
use super::nodes::{Around, Nodes};
use super::patch::{Patch, Segment};
use crate::blocks::{BlockKey, node_point, origin};
use crate::implicit::blobs::Blobs;
use crate::implicit::components::Components;
use crate::implicit::near::{Level, Near, Parts};
use crate::implicit::sources::Sources;
use crate::table::CellEdge;
use glam::{DVec3, Vec3};
use std::cell::OnceCell;

/// Vertices stay this far, in cells, from the faces of their cell, so that no two meet.
const CLEARANCE: f32 = 0.02;

/// Cut points stay this far from the ends of their edge.
const END: f32 = 0.01;

/// A step of this length, in cells, changes the field's slope little: the last.
const CLOSE: f32 = 0.1;

/// Where the field over its level is less the slope does not lead to the surface.
const LEAST_LEVEL: f32 = 0.3;

/// The most steps towards the surface.
const MOST_STEPS: usize = 3;

/// A vertex of the mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vertex {
    /// Lattice coordinates.
    pub place: DVec3,
    /// Out of the matter, or zero where the field has no slope.
    pub normal: Vec3,
    pub owner: Owner,
}

/// A field over its level, and what is carried in it, near a block. Points are relative to its lowest node, in cells.
pub(crate) trait Felt {
    /// What particles give to the field at a point.
    type Parts: Default;

    /// The field at a point, and what particles give to it.
    fn level(&self, point: Vec3, parts: &mut Self::Parts) -> Level;

    /// Appends the row of what a point carries where that is the field, there or close by, and tells whose the point is.
    fn carry(&self, point: Vec3, level: Level, parts: &mut Self::Parts, rows: &mut Vec<f32>) -> Owner;
}

/// Whose a point of the surface is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Owner {
    /// The body that gives most to the field, of equals the first.
    pub source: u32,
    /// The component of the matter that gives most to the field, of equals the first.
    pub component: u32,
    /// Mean crowd of the particles: 0 for those by themselves, 1 for those among many.
    pub crowd: f32,
    /// How far volumes are not mended there, as another surface is, or is near: 0 to 1.
    pub held: f32,
    /// Normal of a wall that it is not to be smoothed into, of length 1 at the wall; zero where there is none.
    pub wall: Vec3,
}

/// Makes the vertices of one patch.
pub(crate) struct Maker<'a, F> {
    felt: F,
    around: Around<'a>,
    lowest: DVec3,
}

/// The field of blobs.
pub(crate) struct FeltBlobs<'a> {
    sources: &'a Sources<'a>,
    components: &'a Components,
    /// The blobs, with what their particles carry and their crowds.
    near: Near<'a>,
    width: usize,
    /// The body and the component of all particles of an octant, where they are the same.
    alike: [OnceCell<Option<(u32, u32)>>; 8],
}

impl<'a> FeltBlobs<'a> {
    pub fn new(
        sources: &'a Sources<'a>,
        components: &'a Components,
        carried: &Carried,
        blobs: &'a Blobs,
        key: BlockKey,
    ) -> Self {
        let width = carried.width + 1;
        let near = Near::new(blobs, key, width, |particle, row| {
            carried.write_row(particle, row);
            row[carried.width] = sources.crowd(particle as usize);
        });
        Self { sources, components, near, width, alike: Default::default() }
    }

    /// The body and the component of all particles of an octant, where they are the same.
    fn alike(&self, octant: usize) -> Option<(u32, u32)> {
        let of =
            |&particle: &u32| (self.sources.frame.sources[particle as usize], self.components.of[particle as usize]);
        *self.alike[octant].get_or_init(|| same(self.near.particles(octant).iter().map(of)))
    }

    /// The body and the component that give most to the field, of equals the first.
    fn owner(&self, parts: &Parts) -> (u32, u32) {
        let (mut bodies, mut components) = (vec![], vec![]);
        for (particle, part) in self.near.parts(parts) {
            credit(&mut bodies, self.sources.frame.sources[particle as usize], part);
            credit(&mut components, self.components.of[particle as usize], part);
        }
        (richest(&bodies), richest(&components))
    }
}

impl Felt for FeltBlobs<'_> {
    type Parts = Parts;

    fn level(&self, point: Vec3, parts: &mut Parts) -> Level {
        self.near.level(point, parts)
    }

    fn carry(&self, point: Vec3, level: Level, parts: &mut Parts, rows: &mut Vec<f32>) -> Owner {
        let start = rows.len();
        rows.resize(start + self.width, 0.0);
        let is_felt = level.value > 0.0;
        if !is_felt {
            self.near.take_nearest(point, parts);
        }
        self.near.add_sums(parts, &mut rows[start..]);
        let share = if is_felt { 1.0 / level.value } else { 1.0 };
        rows[start..].iter_mut().for_each(|sum| *sum *= share);
        let crowd = rows.pop().unwrap_or_default();
        let (source, component) = self.alike(parts.octant).unwrap_or_else(|| self.owner(parts));
        Owner { source, component, crowd, ..Owner::default() }
    }
}

impl<'a, F: Felt> Maker<'a, F> {
    /// Of a field near the block of a patch.
    pub fn new(felt: F, nodes: &'a Nodes, key: BlockKey) -> Self {
        Self { felt, around: nodes.around(key), lowest: DVec3::from_array(origin(key).map(f64::from)) }
    }

    /// The vertices of a patch, in their order, and the rows of what they carry.
    pub fn vertices(&self, patch: &Patch) -> (Vec<Vertex>, Vec<f32>) {
        let count = patch.vertex_count() as usize;
        let (mut vertices, mut parts, mut rows) = (Vec::with_capacity(count), F::Parts::default(), Vec::new());
        for (cell, crossing) in patch.crossings() {
            for edges in &crossing.loops {
                let start = self.start(patch, cell, edges, &mut parts);
                let (point, level) = self.onto_surface(start, node_point(cell), &mut parts);
                vertices.push(self.vertex(point, level, &mut parts, &mut rows));
            }
        }
        for segment in patch.segments() {
            let point = self.on_segment(patch, *segment);
            let level = self.felt.level(point, &mut parts);
            vertices.push(self.vertex(point, level, &mut parts, &mut rows));
        }
        (vertices, rows)
    }

    /// The mean of the points where the edges of a loop are cut.
    fn on_loop(&self, cell: usize, edges: &[u8]) -> Vec3 {
        let cuts = edges.iter().map(|&edge| self.cut(cell, CellEdge::new(edge as usize)));
        cuts.sum::<Vec3>() / edges.len() as f32
    }

    /// The mean of the points where the edges of a loop are cut, and the field there. Where blobs are so thin that the field,
    /// which is not linear, is hardly felt there, a point nearer to the inside ends of the edges.
    fn start(&self, patch: &Patch, cell: usize, edges: &[u8], parts: &mut F::Parts) -> (Vec3, Level) {
        let mean = self.on_loop(cell, edges);
        let level = self.felt.level(mean, parts);
        if level.value >= LEAST_LEVEL {
            return (mean, level);
        }
        let inside = |&edge: &u8| {
            let CellEdge { low, axis } = CellEdge::new(edge as usize);
            let corner = if patch.is_corner_inside(cell, low) { low } else { low | 1 << axis };
            node_point(cell) + CellEdge::corner(corner)
        };
        let end = edges.iter().map(inside).sum::<Vec3>() / edges.len() as f32;
        let on_the_way = [0.5, 0.75, 0.875, 1.0].map(|part| mean.lerp(end, part));
        for point in on_the_way.into_iter().chain(edges.first().map(inside)) {
            let level = self.felt.level(point, parts);
            if level.value >= LEAST_LEVEL {
                return (point, level);
            }
        }
        (mean, self.felt.level(mean, parts))
    }

    /// A point of a cell, moved to the surface along the slope of the field, and the field there or close by.
    fn onto_surface(&self, (mut point, mut level): (Vec3, Level), lowest: Vec3, parts: &mut F::Parts) -> (Vec3, Level) {
        let (low, high) = (lowest + CLEARANCE, lowest + (1.0 - CLEARANCE));
        for _ in 0..MOST_STEPS {
            let steepness = level.gradient.length_squared();
            let step = level.gradient * ((1.0 - level.value) / steepness);
            let last = point;
            point = if step.is_finite() { (point + step).clamp(low, high) } else { point.clamp(low, high) };
            if point.distance_squared(last) < CLOSE * CLOSE {
                break;
            }
            level = self.felt.level(point, parts);
            if level.value < LEAST_LEVEL {
                // Through thin matter and out again.
                return (last.clamp(low, high), self.felt.level(last, parts));
            }
        }
        (point, level)
    }

    /// Midway between the ends of a segment.
    fn on_segment(&self, patch: &Patch, Segment { cell, axis, side }: Segment) -> Vec3 {
        let (cell, axis) = (usize::from(cell), usize::from(axis));
        let (b, c) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        // The corner that it cuts off lies on that side; of the two there one is inside.
        let with_side = if side == 1 { b } else { 0 };
        let corner = if patch.is_corner_inside(cell, with_side) { with_side } else { with_side | c };
        let ends = [b, c]
            .map(|along| self.cut(cell, CellEdge { low: corner & !along, axis: along.trailing_zeros() as usize }));
        0.5 * (ends[0] + ends[1])
    }

    /// Where an edge of a cell is cut.
    fn cut(&self, cell: usize, edge: CellEdge) -> Vec3 {
        let value = |corner: usize| self.around.value(cell, corner).map(|value| value - 1.0);
        let low = node_point(cell) + CellEdge::corner(edge.low);
        let along = match (value(edge.low), value(edge.low | 1 << edge.axis)) {
            (Some(start), Some(end)) => (start / (start - end)).clamp(END, 1.0 - END),
            _ => 0.5,
        };
        low + along * Vec3::AXES[edge.axis]
    }

    /// The vertex at a point, by the field there or close by.
    fn vertex(&self, point: Vec3, level: Level, parts: &mut F::Parts, rows: &mut Vec<f32>) -> Vertex {
        let owner = self.felt.carry(point, level, parts, rows);
        Vertex { place: self.lowest + point.as_dvec3(), normal: -level.gradient.normalize_or_zero(), owner }
    }
}

/// What all are, if they are the same.
fn same<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Adds to an account. A point sees few, so a list is quicker than a map.
fn credit(accounts: &mut Vec<(u32, f32)>, owner: u32, part: f32) {
    match accounts.iter_mut().find(|(other, _)| *other == owner) {
        Some((_, sum)) => *sum += part,
        None => accounts.push((owner, part)),
    }
}

/// The owner of the largest account, of equals the first.
fn richest(accounts: &[(u32, f32)]) -> u32 {
    let most = accounts.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
    most.map_or(0, |(owner, _)| *owner)
}
