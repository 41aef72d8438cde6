//! Positions of the vertices, and properties of the matter there.

use super::patch::{FaceSegment, Patch};
use crate::field::{FieldSample, LocalField, NeighbourValues, Nodes, VertexProperties};
use crate::lattice::blocks::{BlockKey, node_point, origin};
use crate::lattice::cell::CellEdge;
use glam::{DVec3, Vec3};

/// Least distance of vertices from the faces of their cell, cells, so that no two coincide.
const CLEARANCE: f32 = 0.02;

/// Least distance of cut points from the ends of their edge.
const EDGE_CLEARANCE: f32 = 0.01;

/// A step shorter than this, cells, is the last, as it hardly changes the slope of the field.
const LAST_STEP: f32 = 0.1;

/// Below this value the slope of the field does not lead to the surface.
const MIN_VALUE: f32 = 0.3;

/// Largest number of steps towards the surface.
const MAX_STEPS: usize = 3;

/// A vertex of the mesh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfaceVertex {
    /// Lattice coordinates.
    pub position: DVec3,
    /// Normal out of the matter, or zero if the field has no slope.
    pub normal: Vec3,
    pub properties: VertexProperties,
}

/// Builds the vertices of a patch.
pub(crate) struct VertexBuilder<'a, F> {
    field: F,
    neighbours: NeighbourValues<'a>,
    lowest: DVec3,
}

impl<'a, F: LocalField> VertexBuilder<'a, F> {
    /// A builder for the patch of a block.
    pub fn new(field: F, nodes: &'a Nodes, key: BlockKey) -> Self {
        Self { field, neighbours: nodes.neighbour_values(key), lowest: DVec3::from_array(origin(key).map(f64::from)) }
    }

    /// The vertices of a patch in order, and their rows of carried values.
    pub fn vertices(&self, patch: &Patch) -> (Vec<SurfaceVertex>, Vec<f32>) {
        let count = patch.vertex_count() as usize;
        let (mut vertices, mut scratch, mut rows) = (Vec::with_capacity(count), F::Scratch::default(), Vec::new());
        for (cell, case) in patch.crossed_cells() {
            for edges in &case.loops {
                let (point, sample) = self.start(patch, cell, edges, &mut scratch);
                let (point, sample) = self.onto_surface(point, sample, node_point(cell), &mut scratch);
                vertices.push(self.vertex(point, sample, &mut scratch, &mut rows));
            }
        }
        for segment in patch.segments() {
            let point = self.on_segment(patch, *segment);
            let sample = self.field.sample(point, &mut scratch);
            vertices.push(self.vertex(point, sample, &mut scratch, &mut rows));
        }
        (vertices, rows)
    }

    /// The mean of the cut points of the edges of a loop.
    fn on_loop(&self, cell: usize, edges: &[u8]) -> Vec3 {
        let cuts = edges.iter().map(|&edge| self.cut(cell, CellEdge::new(edge as usize)));
        cuts.sum::<Vec3>() / edges.len() as f32
    }

    /// The mean of the cut points of the edges of a loop, and the field there. The field is not linear. For thin blobs
    /// it may hardly reach that point; then a point closer to the inside ends of the edges.
    fn start(&self, patch: &Patch, cell: usize, edges: &[u8], scratch: &mut F::Scratch) -> (Vec3, FieldSample) {
        let mean = self.on_loop(cell, edges);
        let sample = self.field.sample(mean, scratch);
        if sample.value >= MIN_VALUE {
            return (mean, sample);
        }
        let inside = |&edge: &u8| {
            let CellEdge { low, axis } = CellEdge::new(edge as usize);
            let corner = if patch.is_corner_inside(cell, low) { low } else { low | 1 << axis };
            node_point(cell) + CellEdge::corner(corner)
        };
        let end = edges.iter().map(inside).sum::<Vec3>() / edges.len() as f32;
        let candidates = [0.5, 0.75, 0.875, 1.0].map(|part| mean.lerp(end, part));
        for point in candidates.into_iter().chain(edges.first().map(inside)) {
            let sample = self.field.sample(point, scratch);
            if sample.value >= MIN_VALUE {
                return (point, sample);
            }
        }
        (mean, self.field.sample(mean, scratch))
    }

    /// Moves a point of a cell to the surface along the slope of the field. Returns it with the field there or close
    /// by.
    fn onto_surface(
        &self,
        mut point: Vec3,
        mut sample: FieldSample,
        lowest: Vec3,
        scratch: &mut F::Scratch,
    ) -> (Vec3, FieldSample) {
        let (low, high) = (lowest + CLEARANCE, lowest + (1.0 - CLEARANCE));
        for _ in 0..MAX_STEPS {
            let steepness = sample.gradient.length_squared();
            let step = sample.gradient * ((1.0 - sample.value) / steepness);
            let last = point;
            point = if step.is_finite() { (point + step).clamp(low, high) } else { point.clamp(low, high) };
            if point.distance_squared(last) < LAST_STEP * LAST_STEP {
                break;
            }
            sample = self.field.sample(point, scratch);
            if sample.value < MIN_VALUE {
                // The step passed through thin matter and out again.
                return (last.clamp(low, high), self.field.sample(last, scratch));
            }
        }
        (point, sample)
    }

    /// The midpoint of a segment.
    fn on_segment(&self, patch: &Patch, FaceSegment { cell, axis, side }: FaceSegment) -> Vec3 {
        let (cell, axis) = (usize::from(cell), usize::from(axis));
        let (b, c) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        // The segment cuts off a corner on this side; one of the two there is inside.
        let with_side = if side == 1 { b } else { 0 };
        let corner = if patch.is_corner_inside(cell, with_side) { with_side } else { with_side | c };
        let ends = [b, c]
            .map(|along| self.cut(cell, CellEdge { low: corner & !along, axis: along.trailing_zeros() as usize }));
        0.5 * (ends[0] + ends[1])
    }

    /// The cut point of an edge of a cell.
    fn cut(&self, cell: usize, edge: CellEdge) -> Vec3 {
        let value = |corner: usize| self.neighbours.value(cell, corner).map(|value| value - 1.0);
        let low = node_point(cell) + CellEdge::corner(edge.low);
        let along = match (value(edge.low), value(edge.low | 1 << edge.axis)) {
            (Some(start), Some(end)) => (start / (start - end)).clamp(EDGE_CLEARANCE, 1.0 - EDGE_CLEARANCE),
            _ => 0.5,
        };
        low + along * Vec3::AXES[edge.axis]
    }

    /// Builds the vertex at a point, from the field there or close by.
    fn vertex(&self, point: Vec3, sample: FieldSample, scratch: &mut F::Scratch, rows: &mut Vec<f32>) -> SurfaceVertex {
        let properties = self.field.carry(point, sample, scratch, rows);
        SurfaceVertex {
            position: self.lowest + point.as_dvec3(),
            normal: -sample.gradient.normalize_or_zero(),
            properties,
        }
    }
}
