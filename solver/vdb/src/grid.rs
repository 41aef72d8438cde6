//! A grid: values with a name and a place in the world.

use crate::codec::GridPrecision;
use crate::metadata::{MetaValue, Metadata};
use crate::transform::GridTransform;
use crate::tree::Tree;

/// The meaning of the values of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridClass {
    /// A density or another quantity inside matter, zero outside.
    FogVolume,
    /// Signed distance to a surface, negative inside, in a narrow band.
    LevelSet,
    /// Components of a vector on the faces of the voxels.
    Staggered,
    /// Anything else.
    #[default]
    Unknown,
}

impl GridClass {
    fn name(self) -> &'static str {
        match self {
            Self::FogVolume => "fog volume",
            Self::LevelSet => "level set",
            Self::Staggered => "staggered",
            Self::Unknown => "unknown",
        }
    }
}

/// How vectors transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorType {
    /// They do not change.
    #[default]
    Invariant,
    /// As gradients.
    Covariant,
    /// As normals.
    CovariantNormalize,
    /// As displacements or velocities.
    ContravariantRelative,
    /// As positions.
    ContravariantAbsolute,
}

impl VectorType {
    fn name(self) -> &'static str {
        match self {
            Self::Invariant => "invariant",
            Self::Covariant => "covariant",
            Self::CovariantNormalize => "covariant normalize",
            Self::ContravariantRelative => "contravariant relative",
            Self::ContravariantAbsolute => "contravariant absolute",
        }
    }
}

/// The values of a grid, by type.
#[derive(Debug, Clone)]
pub enum GridValues<'a> {
    /// One number per voxel.
    Scalar(Tree<'a, f32>),
    /// Three numbers per voxel.
    Vector(Tree<'a, [f32; 3]>, VectorType),
}

/// Values with a name and a place in the world.
#[derive(Debug, Clone)]
pub struct Grid<'a> {
    /// Name of the grid for programs; without the character U+001E.
    pub name: String,
    /// Meaning of the values.
    pub class: GridClass,
    /// Transform from index to world coordinates.
    pub transform: GridTransform,
    /// Bits per number in the file.
    pub precision: GridPrecision,
    /// More metadata. The writer sets `name`, `class`, `vector_type`, `is_saved_as_half_float` and all keys that begin
    /// with `file_`. It sets `creator` unless it is given here.
    pub metadata: Metadata,
    /// The values.
    pub values: GridValues<'a>,
}

impl<'a> Grid<'a> {
    /// A grid of numbers, in full precision.
    pub fn scalar(name: impl Into<String>, class: GridClass, transform: GridTransform, tree: Tree<'a, f32>) -> Self {
        Self::new(name.into(), class, transform, GridValues::Scalar(tree))
    }

    /// A grid of vectors, in full precision.
    pub fn vector(
        name: impl Into<String>,
        class: GridClass,
        transform: GridTransform,
        tree: Tree<'a, [f32; 3]>,
        vector_type: VectorType,
    ) -> Self {
        Self::new(name.into(), class, transform, GridValues::Vector(tree, vector_type))
    }

    fn new(name: String, class: GridClass, transform: GridTransform, values: GridValues<'a>) -> Self {
        Self { name, class, transform, precision: GridPrecision::Full, metadata: Metadata::new(), values }
    }

    /// The same grid in another precision.
    #[must_use]
    pub fn with_precision(self, precision: GridPrecision) -> Self {
        Self { precision, ..self }
    }

    /// The same grid with one more entry of metadata.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<MetaValue>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Bytes of the values and masks of the leaves before compression.
    pub(crate) fn values_size(&self) -> usize {
        const HEAD: usize = 65;
        let (leaves, voxels, numbers) = match &self.values {
            GridValues::Scalar(tree) => (tree.leaf_count(), tree.leaf_voxels(), 1),
            GridValues::Vector(tree, _) => (tree.leaf_count(), tree.leaf_voxels(), 3),
        };
        let width = if self.precision == GridPrecision::Half { 2 } else { 4 };
        2 * HEAD * leaves + voxels as usize * numbers * width
    }

    /// The metadata that the writer sets, except entries that depend on the values.
    pub(crate) fn own_metadata(&self) -> Metadata {
        let half = self.precision == GridPrecision::Half;
        let mut metadata = Metadata::from([
            ("name".to_owned(), self.name.as_str().into()),
            ("class".to_owned(), self.class.name().into()),
            // Readers of half grids need this entry.
            ("is_saved_as_half_float".to_owned(), MetaValue::Bool(half)),
        ]);
        if let GridValues::Vector(_, vector_type) = &self.values {
            metadata.insert("vector_type".to_owned(), vector_type.name().into());
        }
        metadata
    }

    /// The first key of the given metadata that the writer sets itself.
    pub(crate) fn reserved_key(&self) -> Option<&String> {
        const RESERVED: [&str; 4] = ["name", "class", "vector_type", "is_saved_as_half_float"];
        self.metadata.keys().find(|key| RESERVED.contains(&key.as_str()) || key.starts_with("file_"))
    }
}
