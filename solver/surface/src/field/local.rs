//! A field near a block of the lattice, at any point.

use glam::Vec3;

/// The field at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldSample {
    pub value: f32,
    /// 1/cell.
    pub gradient: Vec3,
}

/// A field over its level near a block, and the values carried in it. Points are relative to the lowest node of the
/// block, in cells.
pub(crate) trait LocalField {
    /// Reusable memory for evaluating the field at a point.
    type Scratch: Default;

    /// Evaluates the field at a point; keeps the contributions of particles in the scratch memory.
    fn sample(&self, point: Vec3, scratch: &mut Self::Scratch) -> FieldSample;

    /// Appends the row of carried values at a point where the field has this sample, there or close by. Returns the
    /// properties of a vertex at the point.
    fn carry(
        &self,
        point: Vec3,
        sample: FieldSample,
        scratch: &mut Self::Scratch,
        rows: &mut Vec<f32>,
    ) -> VertexProperties;
}

/// Properties of a vertex besides its position and carried values.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct VertexProperties {
    /// The body with the largest contribution to the field; of equals the first.
    pub source: u32,
    /// The component with the largest contribution to the field; of equals the first.
    pub component: u32,
    /// Mean crowding of the particles: 0 for isolated ones, 1 for those among many.
    pub crowding: f32,
    /// How far the vertex is fixed during volume correction, 0 to 1, because another surface touches it or is near.
    pub fixed: f32,
    /// Normal of a wall that smoothing must not enter; its length is 1 at the wall. Zero if there is none.
    pub wall: Vec3,
}
