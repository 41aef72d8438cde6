//! The inside of a shape.

use super::primitives::{Primitive, box_mesh, primitive};
use super::winding::{Crossing, Lengths, winding_number};
use super::{MeshFault, MeshLibrary, Shell, TriangleMesh, WindingColumns, affine, closed};
use crate::bounds::Bounds;
use dollop_scene::{Shape, Transform};
use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Columns along X and Y that measure the inside of a mesh.
const COLUMNS: u32 = 128;

/// A placed shape that tests points for being inside.
#[derive(Debug, Clone)]
pub enum Solid {
    /// A box, ball or cylinder.
    Primitive {
        /// The shape around its own origin.
        shape: Arc<dyn Primitive>,
        /// World to the shape's own coordinates.
        to_local: DAffine3,
        /// The box around it.
        bounds: Bounds,
        /// Volume, m^3.
        volume: f64,
    },
    /// A closed mesh in world coordinates.
    Mesh {
        /// Its columns.
        columns: WindingColumns,
        /// The box around it.
        bounds: Bounds,
        /// Volume, m^3.
        volume: f64,
    },
}

impl Solid {
    /// Places a shape.
    ///
    /// # Errors
    /// When its mesh is empty, open or flat, or it has no bounds.
    pub fn new(shape: &Shape, transform: &Transform, meshes: &MeshLibrary) -> Result<Self, MeshFault> {
        let to_world = affine(transform);
        if let Shape::Mesh { path } = shape {
            let mesh = meshes.get(path).ok_or(MeshFault::Empty)?;
            closed(mesh)?;
            return Ok(Self::from_mesh(&mesh.mapped(to_world)));
        }
        let shape = primitive(shape).ok_or(MeshFault::Unbounded)?;
        let corners = box_mesh(shape.half_extent() * 2.0).mapped(to_world);
        Ok(Self::Primitive {
            to_local: to_world.inverse(),
            bounds: Bounds::of(corners.positions),
            volume: shape.volume() * to_world.matrix3.determinant().abs(),
            shape,
        })
    }

    fn from_mesh(mesh: &TriangleMesh) -> Self {
        Self::Mesh {
            columns: WindingColumns::new(mesh),
            bounds: Bounds::of(mesh.positions.iter().copied()),
            volume: mesh.signed_volume().abs(),
        }
    }

    /// Its surface; a round one as a mesh.
    pub fn shell(&self) -> Shell {
        Shell::new(self.triangles())
    }

    /// The corners of the triangles of its surface; a round one as a mesh.
    pub fn triangles(&self) -> Vec<[DVec3; 3]> {
        match self {
            Self::Primitive { shape, to_local, .. } => shape.mesh().mapped(to_local.inverse()).corners().collect(),
            Self::Mesh { columns, .. } => columns.triangles().to_vec(),
        }
    }

    /// The box around it.
    pub fn bounds(&self) -> Bounds {
        match self {
            Self::Primitive { bounds, .. } | Self::Mesh { bounds, .. } => *bounds,
        }
    }

    /// Volume, m^3; parts of a mesh that overlap count twice.
    pub fn volume(&self) -> f64 {
        match self {
            Self::Primitive { volume, .. } | Self::Mesh { volume, .. } => *volume,
        }
    }

    /// Enclosed volume, m^3, where parts of a mesh that overlap count once.
    pub fn enclosed(&self) -> f64 {
        let Self::Mesh { bounds: Bounds { low, high }, volume, .. } = self else { return self.volume() };
        let step = (*high - *low) / f64::from(COLUMNS);
        let at = |n: u32, low: f64, step: f64| low + (f64::from(n) + 0.5) * step;
        let row = |j: u32| {
            let y = at(j, low.y, step.y);
            self.lengths((0..COLUMNS).map(|i| (at(i, low.x, step.x), y)))
        };
        let rows: Vec<Lengths> = (0..COLUMNS).into_par_iter().map(row).collect();
        rows.into_iter().sum::<Lengths>().counted_once(*volume, step.x * step.y)
    }

    /// Lengths of the columns of a mesh over some places (x, y), m; zero for a primitive.
    pub fn lengths(&self, places: impl Iterator<Item = (f64, f64)>) -> Lengths {
        let Self::Mesh { columns, .. } = self else { return Lengths::default() };
        let mut crossings = Vec::new();
        let over = |(x, y)| {
            columns.crossings(x, y, &mut crossings);
            Lengths::of(&crossings)
        };
        places.map(over).sum()
    }

    /// Whether a point lies inside.
    pub fn contains(&self, p: DVec3) -> bool {
        let mut inside = false;
        self.column(p.x, p.y, std::iter::once(p.z), &mut Vec::new(), |_| inside = true);
        inside
    }

    /// Calls `visit` for each of the heights that lies inside the solid over (x, y).
    pub fn column(
        &self,
        x: f64,
        y: f64,
        heights: impl Iterator<Item = f64>,
        scratch: &mut Vec<Crossing>,
        mut visit: impl FnMut(f64),
    ) {
        match self {
            Self::Primitive { shape, to_local, .. } => {
                heights.filter(|&z| shape.contains(to_local.transform_point3(DVec3::new(x, y, z)))).for_each(visit);
            }
            Self::Mesh { columns, .. } => {
                columns.crossings(x, y, scratch);
                if !scratch.is_empty() {
                    heights.filter(|&z| winding_number(scratch, z) != 0).for_each(&mut visit);
                }
            }
        }
    }
}
